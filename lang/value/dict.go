package value

import (
	"fmt"
	"unsafe"

	"go.starlark.net/starlark"
)

// Dict is the dict of the language: an open-addressed index into entries that
// stand in order of insertion.
//
//	index   [ 0 2 0 1 0 … ]      0 = free, k = entries[k-1]
//	entries [ {hash key val} {hash key val} … ]   a removed entry has an unset key
//
// Removed entries keep their place in the index until the next growth, so that
// probes go past them and iterators keep their position.
type Dict struct {
	Watch *Watch // bits: WatchShape only
	Flags uint32
	// Strict dicts tell True from 1; a dict keeps the equality of the dialect
	// that made it.
	Strict bool

	iters   int32
	live    int
	index   []int32
	entries []entry
}

type entry struct {
	hash uint64
	key  Value
	val  Value
}

func hashInt(i uint64) uint64 {
	h := i * 0x9E3779B97F4A7C15
	return h ^ h>>32
}

// NewDict makes an empty dict with room for n entries.
func NewDict(n int) *Dict {
	d := &Dict{}
	if n > 0 {
		d.grow(n)
	}
	return d
}

// Value is d as a value.
func (d *Dict) Value() Value { return FromStarlark(d) }

// Len is the number of entries.
func (d *Dict) Len() int { return d.live }

// findInt and findStr are the quick look-ups; they return nil where a key that
// is equal but of another type might still be there only if none is (ints and
// integral floats hash alike and are compared in full).
func (d *Dict) findInt(n uint64) *entry {
	if len(d.index) == 0 {
		return nil
	}
	h := hashInt(n)
	m := uint64(len(d.index) - 1)
	for i := h & m; ; i = (i + 1) & m {
		e := d.index[i&uint64(len(d.index)-1)]
		if e == 0 {
			return nil
		}
		x := &d.entries[e-1]
		if x.hash == h {
			if x.key.P == unsafe.Pointer(&TagMem[TagInt]) {
				if x.key.N == n {
					return x
				}
			} else if eq, simple := d.simpleEqual(x.key, Value{unsafe.Pointer(&TagMem[TagInt]), n}); simple && eq {
				return x
			}
		}
	}
}

func (d *Dict) findStr(s string) *entry {
	if len(d.index) == 0 {
		return nil
	}
	return d.findStrHash(s, hashString(s))
}

// findStrHash is findStr where h, the string's hash, is known.
func (d *Dict) findStrHash(s string, h uint64) *entry {
	if len(d.index) == 0 {
		return nil
	}
	m := uint64(len(d.index) - 1)
	for i := h & m; ; i = (i + 1) & m {
		e := d.index[i&uint64(len(d.index)-1)]
		if e == 0 {
			return nil
		}
		x := &d.entries[e-1]
		if x.hash == h && x.key.N == ItabString && !x.key.IsTagged() && *(*string)(x.key.P) == s {
			return x
		}
	}
}

// simpleEqual compares keys that need no language code; simple is false for
// others.
func (d *Dict) simpleEqual(x, y Value) (eq, simple bool) {
	if x == y {
		return true, true
	}
	if x.N == ItabString && y.N == ItabString && !x.IsTagged() && !y.IsTagged() {
		return *(*string)(x.P) == *(*string)(y.P), true
	}
	if x.IsTagged() && y.IsTagged() {
		return taggedEqual(x, y, d.Strict), true
	}
	return false, x.IsTagged() && y.Is(ItabString) || y.IsTagged() && x.Is(ItabString)
}

// find looks up a key whose hash is h. Keys with a language-level __eq__ run it.
func (d *Dict) find(t *Thread, k Value, h uint64) (*entry, error) {
	for {
		if len(d.index) == 0 {
			return nil, nil
		}
		m := uint64(len(d.index) - 1)
		index := d.index
		again := false
		for i := h & m; ; i = (i + 1) & m {
			e := d.index[i]
			if e == 0 {
				return nil, nil
			}
			x := &d.entries[e-1]
			if x.hash != h || x.key.IsUnset() {
				continue
			}
			eq, simple := d.simpleEqual(x.key, k)
			if !simple {
				var err error
				key := x.key
				if eq, err = equalIn(t, key, k, d.Strict); err != nil {
					return nil, err
				}
				if unsafe.SliceData(d.index) != unsafe.SliceData(index) || int(e) > len(d.entries) || d.entries[e-1].key != key {
					again = true // __eq__ changed the dict: look anew
					if err := t.tick(); err != nil {
						return nil, err
					}
					break
				}
			}
			if eq {
				return x, nil
			}
		}
		if !again {
			return nil, nil
		}
	}
}

// Lookup returns the value of a key; ok is false where it is absent. An error is
// an unhashable key's, or one that a language-level __eq__ or __hash__ raised.
func (d *Dict) Lookup(t *Thread, k Value) (v Value, ok bool, err error) {
	e, err := d.lookup(t, k)
	if err != nil {
		return Value{}, false, err
	}
	if t != nil && t.Observer != nil {
		if e == nil {
			t.Observer.Absent(d.Value(), StepItem, k)
			return Value{}, false, nil
		}
		return t.Observer.Read(d.Value(), StepItem, k, e.val), true, nil
	}
	if e == nil {
		return Value{}, false, nil
	}
	return e.val, true, nil
}

func (d *Dict) lookup(t *Thread, k Value) (*entry, error) {
	if k.IsInt() {
		if e := d.findInt(k.N); e != nil || !d.mixed() {
			return e, nil
		}
	}
	if k.N == ItabString && !k.IsTagged() {
		if e := d.findStr(*(*string)(k.P)); e != nil || !d.mixed() {
			return e, nil
		}
	}
	h, err := Hash(t, k)
	if err != nil {
		return nil, err
	}
	return d.find(t, k, h)
}

// mixed: an instance that equals a string may be a key; findStr does not see it.
func (d *Dict) mixed() bool { return d.Flags&flagOddKeys != 0 }

// flagOddKeys is set on dicts that hold a key whose equality is not Go's. Fast
// paths that test Flags for zero leave such dicts to the slow path.
const flagOddKeys uint32 = 1 << 8

// GetStr looks up a string key without observing.
func (d *Dict) GetStr(s string) (Value, bool) {
	if e := d.findStr(s); e != nil {
		return e.val, true
	}
	return Value{}, false
}

// FastInt and FastStr are the machine's look-ups: the address of the value, to
// be read or (with Flags zero and no Observer) overwritten, or nil if the key
// is absent or the slow path has to say.
func (d *Dict) FastInt(n uint64) *Value {
	if e := d.findInt(n); e != nil {
		return &e.val
	}
	return nil
}

func (d *Dict) FastStr(s string) *Value {
	if e := d.findStr(s); e != nil {
		return &e.val
	}
	return nil
}

// Has reports whether k is a key.
func (d *Dict) Has(t *Thread, k Value) (bool, error) {
	e, err := d.lookup(t, k)
	if err != nil {
		return false, err
	}
	if t != nil && t.Observer != nil {
		t.Observer.Outcome(d.Value(), StepHas, k, e != nil)
	}
	return e != nil, nil
}

// Writable raises if d may not be changed now.
func (d *Dict) Writable(verb string) error {
	if d.Flags&(FlagFrozen|FlagIterating) == 0 {
		return nil
	}
	if d.Flags&FlagFrozen != 0 {
		return RuntimeErrorf("cannot %s frozen hash table", verb)
	}
	return RuntimeErrorf("cannot %s hash table during iteration", verb)
}

// Set stores v under k.
func (d *Dict) Set(t *Thread, k, v Value) error {
	if d.Flags&(FlagFrozen|FlagIterating) != 0 {
		if err := d.Writable("insert into"); err != nil {
			return err
		}
	}
	var h uint64
	var e *entry
	switch {
	case k.IsInt() && !d.mixed():
		h = hashInt(k.N)
		e = d.findInt(k.N)
	case k.N == ItabString && !k.IsTagged() && !d.mixed():
		s := *(*string)(k.P)
		h = hashString(s)
		e = d.findStrHash(s, h)
	default:
		var err error
		if h, err = Hash(t, k); err != nil {
			return err
		}
		if e, err = d.find(t, k, h); err != nil {
			return err
		}
		if k.Is(ItabInstance) || k.Is(ItabTuple) {
			d.Flags |= flagOddKeys
		}
	}
	if t != nil && t.Observer != nil {
		var old Value
		if e != nil {
			old = e.val
		}
		t.Observer.Write(d.Value(), StepItem, k, old, v)
	}
	if e != nil && e.val == v {
		return nil
	}
	if e != nil {
		e.val = v
	} else {
		d.insert(h, k, v)
	}
	d.Watch.Fire(WatchShape)
	return nil
}

// SetStr stores v under a string key without checks, and tells no observer.
func (d *Dict) SetStr(s string, v Value) {
	h := hashString(s)
	if e := d.findStrHash(s, h); e != nil {
		e.val = v
	} else {
		d.insert(h, Str(s), v)
	}
	d.Watch.Fire(WatchShape)
}

// DictOfKeys makes a dict of keys, all of them strings with their HashStr, and their
// values; of equal keys the last value stays, in the first one's place.
func DictOfKeys(keys []Key, vals []Value) *Dict {
	d := &Dict{}
	d.reserve(len(keys), len(keys))
	for i, k := range keys {
		if e := d.findStrHash(*(*string)(k.P), k.Hash); e != nil {
			e.val = vals[i]
		} else {
			d.insert(k.Hash, k.Value, vals[i])
		}
	}
	return d
}

// Key is a string value and its HashStr.
type Key struct {
	Value
	Hash uint64
}

// insert adds a key known to be absent.
func (d *Dict) insert(h uint64, k, v Value) {
	if (len(d.entries)+1)*3 > len(d.index)*2 {
		d.grow(d.live + 1)
	}
	m := uint64(len(d.index) - 1)
	i := h & m
	for d.index[i] != 0 {
		i = (i + 1) & m
	}
	d.entries = append(d.entries, entry{h, k, v})
	d.index[i] = int32(len(d.entries))
	d.live++
}

// grow makes room for n live entries at a load of a half, and drops removed
// ones.
func (d *Dict) grow(n int) {
	size := 8
	for size < 2*n {
		size *= 2
	}
	d.reserve(n, size*2/3+1)
}

// reserve is grow with a number of entries to make room for.
func (d *Dict) reserve(n, room int) {
	size := 8
	for size < 2*n {
		size *= 2
	}
	d.index = make([]int32, size)
	entries := make([]entry, 0, room)
	for i := range d.entries {
		if !d.entries[i].key.IsUnset() {
			entries = append(entries, d.entries[i])
		}
	}
	d.entries = entries
	m := uint64(size - 1)
	for i := range entries {
		j := entries[i].hash & m
		for d.index[j] != 0 {
			j = (j + 1) & m
		}
		d.index[j] = int32(i + 1)
	}
}

// Delete removes k and returns its value; ok is false where it is absent.
func (d *Dict) Delete(t *Thread, k Value) (v Value, ok bool, err error) {
	if err := d.Writable("delete from"); err != nil {
		return Value{}, false, err
	}
	e, err := d.lookup(t, k)
	if err != nil {
		return Value{}, false, err
	}
	if e == nil {
		if t != nil && t.Observer != nil {
			t.Observer.Absent(d.Value(), StepItem, k)
		}
		return Value{}, false, nil
	}
	if t != nil && t.Observer != nil {
		t.Observer.Write(d.Value(), StepItem, e.key, e.val, Value{})
	}
	v = e.val
	d.remove(e)
	d.Watch.Fire(WatchShape)
	return v, true, nil
}

// take is Delete for who wants the value: an observer hears that it was read.
func (d *Dict) take(t *Thread, k Value) (v Value, ok bool, err error) {
	if t.Observer == nil {
		return d.Delete(t, k)
	}
	if err := d.Writable("delete from"); err != nil {
		return Value{}, false, err
	}
	v, ok, err = d.Lookup(t, k)
	if ok && err == nil {
		_, ok, err = d.Delete(t, k)
	}
	return v, ok, err
}

// remove empties an entry. The last entry's place stays too: an iterator may
// stand behind it.
func (d *Dict) remove(e *entry) {
	e.key, e.val = Value{}, Value{}
	d.live--
	if d.live == 0 {
		clear(d.index)
		d.entries = d.entries[:0]
	}
}

// Clear removes everything.
func (d *Dict) Clear(t *Thread) error {
	if err := d.Writable("clear"); err != nil {
		return err
	}
	if t != nil && t.Observer != nil {
		t.Observer.Write(d.Value(), StepOrder, Value{}, Value{}, Value{})
	}
	d.index, d.entries, d.live = nil, nil, 0
	d.Watch.Fire(WatchShape)
	return nil
}

// Next returns the first entry at position i or behind it and the position
// after it; ok is false at the end. It does not observe.
func (d *Dict) Next(i int) (k, v Value, next int, ok bool) {
	for ; i < len(d.entries); i++ {
		if e := &d.entries[i]; !e.key.IsUnset() {
			return e.key, e.val, i + 1, true
		}
	}
	return Value{}, Value{}, i, false
}

// Copy returns a dict with the same entries.
func (d *Dict) Copy() *Dict {
	n := &Dict{Strict: d.Strict, Flags: d.Flags & flagOddKeys}
	if d.live > 0 {
		n.entries = d.entries
		n.live = d.live
		n.grow(d.live)
	}
	return n
}

// BeginIter and EndIter bracket a loop over d in the strict dialect.
func (d *Dict) BeginIter() {
	if d.Flags&FlagFrozen == 0 {
		d.iters++
		d.Flags |= FlagIterating
	}
}

func (d *Dict) EndIter() {
	if d.Flags&FlagFrozen == 0 {
		if d.iters--; d.iters == 0 {
			d.Flags &^= FlagIterating
		}
	}
}

func (d *Dict) String() string        { return reprOffline(d.Value()) }
func (d *Dict) Type() string          { return "dict" }
func (d *Dict) Freeze()               { Freeze(d.Value()) }
func (d *Dict) Truth() starlark.Bool  { return d.live > 0 }
func (d *Dict) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable type: dict") }
