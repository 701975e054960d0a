package guards

import (
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// A Trip tells whether something that the marked guards of one recording rest on
// may have changed. Watches of objects hold Trips, never recordings: what a
// recording keeps alive does not hang on the objects that it looks at.
//
// The order of things is what makes it right, with one goroutine or many: a place is
// marked, then read; a store is done, then fired; a Trip is cleared, then polled.
type Trip struct {
	dirty atomic.Bool
	dead  atomic.Bool
	// Fired, if set, is called at each fire: what was kept is of no use any more.
	Fired func()

	self     weak.Pointer[Trip]
	mu       sync.Mutex
	fired    []place // that made it dirty
	counts   map[place]int
	volatile map[place]bool
}

// place is what one mark stands for.
type place struct {
	watch *value.Watch
	slot  int
}

// volatileAfter is how many fires of one place are dirty periods before it is
// polled instead: a poll of everything that is marked costs far more than one
// guard (some 20 ns a guard; 8,000 guards in 1,000 modules).
const volatileAfter = 4

// Dirty reports a fire since the last Clear.
func (t *Trip) Dirty() bool { return t.dirty.Load() }

// Drop says that nobody asks any more: marks forget the Trip when they next fire
// or are added to.
func (t *Trip) Drop() { t.dead.Store(true) }

// Clear begins a poll: what fires from now on makes it dirty anew. Places that
// fire again and again become volatile: they take no mark any more.
func (t *Trip) Clear() {
	var often []place
	t.mu.Lock()
	for _, p := range t.fired {
		if t.counts == nil {
			t.counts, t.volatile = map[place]int{}, map[place]bool{}
		}
		if t.counts[p]++; t.counts[p] > volatileAfter && !t.volatile[p] {
			t.volatile[p] = true
			often = append(often, p)
		}
	}
	t.fired = t.fired[:0]
	t.dirty.Store(false)
	t.mu.Unlock()
	for _, p := range often { // the locks of marks come before those of Trips
		p.watch.Owner.(*marks).unmark(p, t)
	}
}

// marks is who owns a Watch: the Trips that depend on the object's slots.
type marks struct {
	mu   sync.Mutex
	deps []dep
	held []any // what lives as long as the object does
}

// dep knows its Trip weakly: what the recording keeps would else live as long as a
// class of the language does, though nobody had dropped it.
type dep struct {
	bits uint64
	trip weak.Pointer[Trip]
}

// alive is the Trip; nil: nobody asks any more.
func (d *dep) alive() *Trip {
	if t := d.trip.Value(); t != nil && !t.dead.Load() {
		return t
	}
	return nil
}

// pointer is how marks know the Trip. A Trip is marked by one goroutine at a time.
func (t *Trip) pointer() weak.Pointer[Trip] {
	if t.self == (weak.Pointer[Trip]{}) {
		t.self = weak.Make(t)
	}
	return t.self
}

// Fired implements value.Watcher.
func (m *marks) Fired(w *value.Watch, slot int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	dead := false
	for i := range m.deps {
		d := &m.deps[i]
		t := d.alive()
		dead = dead || t == nil
		if t == nil || d.bits>>uint(slot)&1 == 0 {
			continue
		}
		t.mu.Lock()
		if !t.dirty.Load() {
			t.fired = append(t.fired, place{w, slot})
			t.dirty.Store(true)
		}
		t.mu.Unlock()
		if t.Fired != nil {
			t.Fired()
		}
	}
	if dead {
		m.prune(w)
	}
}

// prune forgets dead Trips.
func (m *marks) prune(w *value.Watch) {
	m.deps = slices.DeleteFunc(m.deps, func(d dep) bool { return d.alive() == nil })
	m.refresh(w)
}

func (m *marks) refresh(w *value.Watch) {
	var bits uint64
	for _, d := range m.deps {
		bits |= d.bits
	}
	w.Bits = bits
}

func (m *marks) unmark(p place, t *Trip) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.deps {
		if m.deps[i].trip == t.self {
			m.deps[i].bits &^= 1 << uint(p.slot)
		}
	}
	m.refresh(p.watch)
}

// watching guards the making of Watches.
var watching sync.Mutex

func ownerOf(at **value.Watch) (*value.Watch, *marks) {
	watching.Lock()
	defer watching.Unlock()
	if *at == nil {
		*at = NewWatch()
	}
	m, ok := (*at).Owner.(*marks)
	if !ok {
		return nil, nil // somebody else's
	}
	return *at, m
}

// NewWatch makes a Watch that takes marks.
func NewWatch() *value.Watch { return &value.Watch{Owner: &marks{}} }

// mark makes changes of a slot fire t; false if the place is volatile.
func mark(at **value.Watch, slot int, t *Trip) bool {
	w, m := ownerOf(at)
	if w == nil {
		return false
	}
	slot = min(slot, value.WatchShape)
	if t.volatile != nil && t.volatile[place{w, slot}] {
		return false
	}
	bit, p := uint64(1)<<uint(slot), t.pointer()
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := len(m.deps) - 1; i >= 0; i-- {
		if d := &m.deps[i]; d.trip == p {
			d.bits |= bit
			w.Bits |= bit
			return true
		}
	}
	if len(m.deps) == cap(m.deps) {
		m.prune(w)
	}
	m.deps = append(m.deps, dep{bit, p})
	w.Bits |= bit
	return true
}

// Hold makes x live as long as the instance does; the function returned undoes it.
func Hold(in *value.Instance, x any) (release func()) {
	w, m := ownerOf(&in.Watch)
	if w == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held = append(m.held, x)
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.held = slices.DeleteFunc(m.held, func(y any) bool { return y == x })
	}
}

const frozen = value.FlagFrozen

// markLoad marks the place that a guard loads from parent a. False: it cannot be
// marked, and the guard is to be polled.
func (g *Guard) markLoad(a value.Value, w World, t *Trip) bool {
	switch g.Load {
	case LoadNone, LoadExpr, LoadFnCell, LoadTuple, LoadBound, LoadBase:
		return true // nothing that could change
	case LoadReg, LoadFn, LoadMode:
		return false
	}
	if a.IsTagged() || a.IsUnset() {
		return true // the load fails
	}
	switch g.Load {
	case LoadGlobal:
		m, ok := value.As[*value.Module](a)
		if !ok {
			return true
		}
		if m.Flags&frozen != 0 {
			return true
		}
		slot, ok := m.Lookup(g.Name)
		if !ok {
			slot = value.WatchShape
		}
		return mark(&m.Watch, slot, t)
	case LoadSlot:
		in := a.AsInstance()
		if in == nil || in.Flags&frozen != 0 {
			return true
		}
		slot, ok := in.Shape.Lookup(g.Name)
		if !ok {
			slot = value.WatchShape
		}
		return mark(&in.Watch, slot, t)
	case LoadItem, LoadKey:
		return markWhole(a, t)
	case LoadCell:
		if !a.Is(value.ItabCell) {
			return true
		}
		c := (*value.Cell)(a.P)
		return c.Flags&frozen != 0 || mark(&c.Watch, 0, t)
	}
	return false
}

// markWhole marks a list, dict or set.
func markWhole(v value.Value, t *Trip) bool {
	if l := v.AsList(); l != nil {
		return l.Flags&frozen != 0 || mark(&l.Watch, value.WatchShape, t)
	}
	d := v.AsDict()
	if s, ok := value.As[*value.Set](v); ok {
		d = s.Dict()
	}
	if d != nil {
		return d.Flags&frozen != 0 || mark(&d.Watch, value.WatchShape, t)
	}
	return false
}

// markTest marks what a guard's test looks at besides the identity of v.
func (g *Guard) markTest(v value.Value, vals []value.Value, w World, t *Trip) bool {
	switch g.Test {
	case TestNone, TestEqual, TestIs, TestUnset, TestInt, TestFloat, TestType, TestTuple, TestSame, TestDistinct, TestTrue, TestFalse:
		return true
	}
	if v.IsTagged() || v.IsUnset() {
		return true // it fails
	}
	shape := func(v value.Value) bool {
		in := v.AsInstance()
		return in == nil || in.Flags&frozen != 0 || mark(&in.Watch, value.WatchShape, t)
	}
	other := func(v value.Value) bool {
		if in := v.AsInstance(); in != nil && in.Flags&frozen != 0 {
			return true
		}
		at, ok := w.Watch(v)
		return ok && (at == nil || mark(at, value.WatchShape, t))
	}
	switch g.Test {
	case TestShape:
		return shape(v)
	case TestVersion:
		c := v.AsClass()
		return c == nil || c.Flags&frozen != 0 || mark(&c.Watch, value.WatchShape, t)
	case TestFunc, TestCode:
		return other(v)
	case TestTensor:
		return other(v) && shape(v)
	case TestStorage, TestApart:
		return other(v) && other(g.B.Get(vals))
	case TestLen, TestOrder, TestHas, TestHasNot:
		return markWhole(v, t)
	case TestEnd:
		return v.AsList() != nil && markWhole(v, t)
	case TestWritable:
		switch {
		case v.Is(value.ItabInstance):
			return shape(v)
		case v.Is(value.ItabCell):
			return mark(&(*value.Cell)(v.P).Watch, 0, t)
		case v.Is(value.ItabModule):
			return mark(&(*value.Module)(v.P).Watch, value.WatchShape, t)
		}
	}
	return false
}
