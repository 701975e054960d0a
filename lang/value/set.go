package value

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Set is a set, or with Const a frozenset. Its elements are the keys of a
// Dict, so they stand in order of insertion.
type Set struct {
	d     Dict
	Const bool
}

// NewSet makes a set with room for n elements.
func NewSet(n int) *Set {
	s := &Set{}
	if n > 0 {
		s.d.grow(n)
	}
	return s
}

// Value is s as a value.
func (s *Set) Value() Value { return FromStarlark(s) }

// Len is the number of elements.
func (s *Set) Len() int { return s.d.live }

// Writable raises if s may not be changed now.
func (s *Set) Writable(verb string) error { return s.d.Writable(verb) }

// Contains reports whether v is an element.
func (s *Set) Contains(t *Thread, v Value) (bool, error) {
	e, err := s.d.lookup(t, v)
	if err != nil {
		return false, err
	}
	if t != nil && t.Observer != nil {
		t.Observer.Outcome(s.Value(), StepHas, v, e != nil)
	}
	return e != nil, nil
}

// Add inserts v unless it is there.
func (s *Set) Add(t *Thread, v Value) error {
	if err := s.d.Writable("insert into"); err != nil {
		return err
	}
	h, err := Hash(t, v)
	if err != nil {
		return err
	}
	e, err := s.d.find(t, v, h)
	if err != nil {
		return err
	}
	if e != nil {
		if t != nil && t.Observer != nil {
			t.Observer.Outcome(s.Value(), StepHas, v, true)
		}
		return nil
	}
	if t != nil && t.Observer != nil {
		t.Observer.Write(s.Value(), StepHas, v, Value{}, True)
	}
	s.put(h, v)
	s.d.Watch.Fire(WatchShape)
	return nil
}

// Dict is what holds the elements: for watches of the set.
func (s *Set) Dict() *Dict { return &s.d }

// put inserts an element known to be absent, whose hash is h.
func (s *Set) put(h uint64, v Value) {
	if v.Is(ItabInstance) || v.Is(ItabTuple) {
		s.d.Flags |= flagOddKeys
	}
	s.d.insert(h, v, None)
}

// Remove takes v out; ok is false where it is not there.
func (s *Set) Remove(t *Thread, v Value) (ok bool, err error) {
	if err := s.d.Writable("delete from"); err != nil {
		return false, err
	}
	e, err := s.d.lookup(t, v)
	if err != nil {
		return false, err
	}
	if e == nil {
		if t != nil && t.Observer != nil {
			t.Observer.Outcome(s.Value(), StepHas, v, false)
		}
		return false, nil
	}
	if t != nil && t.Observer != nil {
		t.Observer.Write(s.Value(), StepHas, v, True, Value{})
	}
	s.d.remove(e)
	s.d.Watch.Fire(WatchShape)
	return true, nil
}

// Next returns the first element at position i or behind it and the position
// after it.
func (s *Set) Next(i int) (v Value, next int, ok bool) {
	v, _, next, ok = s.d.Next(i)
	return v, next, ok
}

// BeginIter and EndIter bracket a loop over s in the strict dialect.
func (s *Set) BeginIter() { s.d.BeginIter() }
func (s *Set) EndIter()   { s.d.EndIter() }

// copy returns a set with the same elements.
func (s *Set) copy() *Set {
	n := &Set{}
	n.d.Strict, n.d.Flags = s.d.Strict, s.d.Flags&flagOddKeys
	if s.d.live > 0 {
		n.d.entries, n.d.live = s.d.entries, s.d.live
		n.d.grow(s.d.live)
	}
	return n
}

func (s *Set) String() string { return reprOffline(s.Value()) }
func (s *Set) Type() string {
	if s.Const {
		return "frozenset"
	}
	return "set"
}
func (s *Set) Freeze()              { Freeze(s.Value()) }
func (s *Set) Truth() starlark.Bool { return s.d.live > 0 }
func (s *Set) Hash() (uint32, error) {
	if !s.Const {
		return 0, fmt.Errorf("unhashable type: set")
	}
	h, err := Hash(offline(), s.Value())
	return uint32(h), err
}
func (s *Set) Iterate() starlark.Iterator {
	s.BeginIter()
	return &dictHostIter{d: &s.d}
}
func (s *Set) Has(v starlark.Value) (bool, error) { return s.Contains(nil, FromStarlark(v)) }

func (s *Set) CompareSameType(op syntax.Token, y starlark.Value, depth int) (bool, error) {
	return hostCompare(op, s.Value(), FromStarlark(y), depth)
}

// dictHostIter walks keys for hosts.
type dictHostIter struct {
	d *Dict
	i int
}

func (it *dictHostIter) Next(p *starlark.Value) bool {
	k, _, next, ok := it.d.Next(it.i)
	if ok {
		*p, it.i = k.Starlark(), next
	}
	return ok
}
func (it *dictHostIter) Done() { it.d.EndIter() }

// The interfaces of starlark that dicts serve to hosts.

func (d *Dict) Get(k starlark.Value) (starlark.Value, bool, error) {
	v, ok, err := d.Lookup(nil, FromStarlark(k))
	return v.Starlark(), ok, err
}
func (d *Dict) SetKey(k, v starlark.Value) error {
	return d.Set(nil, FromStarlark(k), FromStarlark(v))
}
func (d *Dict) Iterate() starlark.Iterator {
	d.BeginIter()
	return &dictHostIter{d: d}
}
func (d *Dict) Items() []starlark.Tuple {
	items := make([]starlark.Tuple, 0, d.live)
	for i := range d.entries {
		if e := &d.entries[i]; !e.key.IsUnset() {
			items = append(items, starlark.Tuple{e.key.Starlark(), e.val.Starlark()})
		}
	}
	return items
}
func (d *Dict) CompareSameType(op syntax.Token, y starlark.Value, depth int) (bool, error) {
	return hostCompare(op, d.Value(), FromStarlark(y), depth)
}
func (d *Dict) Attr(name string) (starlark.Value, error) { return hostAttr(d.Value(), name) }
func (d *Dict) AttrNames() []string                      { return Dir(offline(), d.Value()) }
