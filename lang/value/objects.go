package value

import (
	"fmt"
	"sort"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Slice is a slice object: x[lo:hi:step] as a subscript.
type Slice struct{ Lo, Hi, Step Value }

func (s *Slice) String() string {
	return fmt.Sprintf("slice(%s, %s, %s)", s.Lo.Starlark(), s.Hi.Starlark(), s.Step.Starlark())
}
func (s *Slice) Type() string          { return "slice" }
func (s *Slice) Freeze()               {}
func (s *Slice) Truth() starlark.Bool  { return true }
func (s *Slice) Hash() (uint32, error) { return 0, TypeErrorf("unhashable type: 'slice'") }
func (s *Slice) Value() Value          { return FromStarlark(s) }

// Range is range(start, stop, step), step not zero.
type Range struct{ Start, Stop, Step int64 }

// Len is the number of items.
func (r *Range) Len() int {
	switch {
	case r.Step > 0 && r.Start < r.Stop:
		return int((uint64(r.Stop)-uint64(r.Start)-1)/uint64(r.Step) + 1)
	case r.Step < 0 && r.Start > r.Stop:
		return int((uint64(r.Start)-uint64(r.Stop)-1)/uint64(-r.Step) + 1)
	}
	return 0
}
func (r *Range) At(i int) int64 { return r.Start + int64(i)*r.Step }
func (r *Range) Index(i int) starlark.Value {
	return starlark.MakeInt64(r.At(i))
}
func (r *Range) Slice(lo, hi, step int) starlark.Value {
	return &Range{r.At(lo), r.At(hi), r.Step * int64(step)}
}
func (r *Range) Iterate() starlark.Iterator { return &indexIterator{r, 0} }
func (r *Range) CompareSameType(op syntax.Token, y starlark.Value, depth int) (bool, error) {
	return hostCompare(op, r.Value(), FromStarlark(y), depth)
}
func (r *Range) String() string {
	if r.Step == 1 {
		return fmt.Sprintf("range(%d, %d)", r.Start, r.Stop)
	}
	return fmt.Sprintf("range(%d, %d, %d)", r.Start, r.Stop, r.Step)
}
func (r *Range) Type() string         { return "range" }
func (r *Range) Freeze()              {}
func (r *Range) Truth() starlark.Bool { return r.Len() > 0 }
func (r *Range) Value() Value         { return FromStarlark(r) }
func (r *Range) Hash() (uint32, error) {
	h, err := Hash(offline(), r.Value())
	return uint32(h), err
}

// indexIterator walks an Indexable for hosts.
type indexIterator struct {
	x starlark.Indexable
	i int
}

func (it *indexIterator) Next(p *starlark.Value) bool {
	if it.i >= it.x.Len() {
		return false
	}
	*p = it.x.Index(it.i)
	it.i++
	return true
}
func (it *indexIterator) Done() {}

// Cell is a variable shared by closures. V is unset until it is assigned.
type Cell struct {
	V     Value
	Watch *Watch // bit 0
	Flags uint32
}

// Put sets the content without checks; the unset Value removes it.
func (c *Cell) Put(v Value) {
	if c.V != v {
		c.V = v
		c.Watch.Fire(0)
	}
}

func (c *Cell) String() string        { return "<cell>" }
func (c *Cell) Type() string          { return "cell" }
func (c *Cell) Truth() starlark.Bool  { return true }
func (c *Cell) Hash() (uint32, error) { return uint32(addressHash(FromStarlark(c))), nil }
func (c *Cell) Value() Value          { return FromStarlark(c) }
func (c *Cell) Freeze()               { Freeze(c.Value()) }

// BoundMethod is fn with its first argument fixed.
type BoundMethod struct{ Fn, Self Value }

func (m *BoundMethod) Value() Value { return FromStarlark(m) }
func (m *BoundMethod) String() string {
	if b, ok := As[*Builtin](m.Fn); ok {
		return fmt.Sprintf("<built-in method %s of %s object at %#x>", b.Name, TypeOf(m.Self).Name, addressOf(m.Self))
	}
	return fmt.Sprintf("<bound method %s of %s>", qualnameOf(m.Fn), m.Self.Starlark())
}
func (m *BoundMethod) Type() string         { return "builtin_function_or_method" }
func (m *BoundMethod) Freeze()              { Freeze(m.Value()) }
func (m *BoundMethod) Truth() starlark.Bool { return true }
func (m *BoundMethod) Hash() (uint32, error) {
	return uint32(addressHash(m.Fn)*31 + addressHash(m.Self)), nil
}
func (m *BoundMethod) Name() string { return nameOf(m.Fn) }
func (m *BoundMethod) CallInternal(h *starlark.Thread, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	return callFromHost(h, m.Value(), args, kw)
}

// object supplies what objects without contents need of starlark.Value.
type object struct{}

func (object) Freeze()              {}
func (object) Truth() starlark.Bool { return true }

// Property is the built-in descriptor; unset members are absent.
type Property struct {
	Get, Set, Del Value
	Doc           Value
	Name          string // of the attribute, for messages
	object
}

func (p *Property) String() string        { return "<property object>" }
func (p *Property) Type() string          { return "property" }
func (p *Property) Hash() (uint32, error) { return uint32(addressHash(FromStarlark(p))), nil }
func (p *Property) Value() Value          { return FromStarlark(p) }
func (p *Property) Freeze()               { Freeze(p.Value()) }

// ClassMethod binds its function to the class.
type ClassMethod struct {
	Fn Value
	object
}

func (m *ClassMethod) String() string        { return "<classmethod(" + m.Fn.Starlark().String() + ")>" }
func (m *ClassMethod) Type() string          { return "classmethod" }
func (m *ClassMethod) Hash() (uint32, error) { return uint32(addressHash(FromStarlark(m))), nil }
func (m *ClassMethod) Value() Value          { return FromStarlark(m) }
func (m *ClassMethod) Freeze()               { Freeze(m.Value()) }

// StaticMethod binds nothing.
type StaticMethod struct {
	Fn Value
	object
}

func (m *StaticMethod) String() string        { return "<staticmethod(" + m.Fn.Starlark().String() + ")>" }
func (m *StaticMethod) Type() string          { return "staticmethod" }
func (m *StaticMethod) Hash() (uint32, error) { return uint32(addressHash(FromStarlark(m))), nil }
func (m *StaticMethod) Value() Value          { return FromStarlark(m) }
func (m *StaticMethod) Freeze()               { Freeze(m.Value()) }

// Super looks attributes up behind class After in the MRO of Of, bound to
// Self: an instance of Of, or (in a classmethod, IsClass) Of itself.
type Super struct {
	After   *Class
	Self    Value
	Of      *Class
	IsClass bool
	object
}

// NewSuper checks the arguments of super(after, self).
func NewSuper(after *Class, self Value) (*Super, error) {
	if c := self.AsClass(); c != nil && c.IsSubclass(after) {
		return &Super{After: after, Self: self, Of: c, IsClass: true}, nil
	}
	if c := TypeOf(self); c.IsSubclass(after) {
		return &Super{After: after, Self: self, Of: c}, nil
	}
	return nil, TypeErrorf("super(type, obj): obj must be an instance or subtype of type")
}

func (s *Super) String() string {
	return fmt.Sprintf("<super: <class '%s'>, <%s object>>", s.After.Name, s.Of.Name)
}
func (s *Super) Type() string          { return "super" }
func (s *Super) Hash() (uint32, error) { return uint32(addressHash(s.Self)), nil }
func (s *Super) Value() Value          { return FromStarlark(s) }

// Module is a module: its globals in slots, which the machine reaches by
// number, and by name for everybody else.
type Module struct {
	Name  string
	File  string // path of the source; "" for native modules
	Doc   string
	Slots []Value // unset where a global is not assigned yet
	Watch *Watch
	Flags uint32
	// Lazy is asked for names that the module lacks; what it gives is kept.
	// ok is false where there is no such name.
	Lazy func(t *Thread, name string) (v Value, ok bool, err error)
	// Missing words the error for a name that is absent; nil: Python's.
	Missing func(name string) error
	// Loading is set while the module's code runs for the first time.
	Loading bool
	// Names that dir lists although Lazy has not been asked for them.
	LazyNames []string
	// LoadAll, where it is set, asks Lazy for all of them: who looks at __dict__ sees
	// what is there.
	LoadAll func(t *Thread) error

	names []string
	index map[string]int
}

// NewModule makes an empty module.
func NewModule(name string) *Module { return &Module{Name: name, index: map[string]int{}} }

// Slot returns the number of the slot of a global, made if need be. Slots may
// move then: the machine reads m.Slots anew at each access.
func (m *Module) Slot(name string) int {
	i, ok := m.index[name]
	if !ok {
		i = len(m.names)
		m.index[name] = i
		m.names = append(m.names, name)
		m.Slots = append(m.Slots, Value{})
	}
	return i
}

// Lookup returns the slot of a name that the module knows, assigned or not.
func (m *Module) Lookup(name string) (slot int, ok bool) {
	slot, ok = m.index[name]
	return slot, ok
}

// SlotName is the name of a slot.
func (m *Module) SlotName(i int) string { return m.names[i] }

// Get returns a global that is assigned. It does not ask Lazy.
func (m *Module) Get(name string) (Value, bool) {
	if i, ok := m.index[name]; ok && !m.Slots[i].IsUnset() {
		return m.Slots[i], true
	}
	return Value{}, false
}

// Set assigns a global without checks.
func (m *Module) Set(name string, v Value) {
	n := len(m.names)
	i := m.Slot(name)
	m.Put(i, v)
	if len(m.names) > n {
		m.Watch.Fire(WatchShape) // a name that was absent
	}
}

// Put assigns the global in a slot without checks.
func (m *Module) Put(slot int, v Value) {
	if m.Slots[slot] != v {
		m.Slots[slot] = v
		m.Watch.Fire(slot)
	}
}

// Names returns the names of the assigned globals, sorted.
func (m *Module) Names() []string {
	names := append([]string(nil), m.LazyNames...)
	for i, n := range m.names {
		if !m.Slots[i].IsUnset() {
			names = append(names, n)
		}
	}
	sort.Strings(names)
	out := names[:0]
	for i, n := range names {
		if i == 0 || n != names[i-1] {
			out = append(out, n)
		}
	}
	return out
}

// Assigned returns the names of the assigned globals in order of their slots.
func (m *Module) Assigned() (names []string) {
	for i, n := range m.names {
		if !m.Slots[i].IsUnset() {
			names = append(names, n)
		}
	}
	return append(names, m.LazyNames...)
}

// SlotNames returns the names of all slots, in order of their numbers.
func (m *Module) SlotNames() []string { return m.names }

func (m *Module) Value() Value { return FromStarlark(m) }
func (m *Module) String() string {
	if m.File != "" {
		return fmt.Sprintf("<module '%s' from '%s'>", m.Name, m.File)
	}
	return fmt.Sprintf("<module '%s' (built-in)>", m.Name)
}
func (m *Module) Type() string                             { return "module" }
func (m *Module) Truth() starlark.Bool                     { return true }
func (m *Module) Hash() (uint32, error)                    { return uint32(addressHash(FromStarlark(m))), nil }
func (m *Module) Freeze()                                  { Freeze(m.Value()) }
func (m *Module) Attr(name string) (starlark.Value, error) { return hostAttr(m.Value(), name) }
func (m *Module) AttrNames() []string                      { return m.Names() }
