package value

import (
	"fmt"
	"slices"
	"sync/atomic"

	"go.starlark.net/starlark"
)

// Shape is the layout of an instance: its class, and which attribute is in
// which slot. Instances that were given the same attributes in the same order
// share one. Shapes never change; adding an attribute leads to another shape.
//
//	root ──x──▶ {x} ──y──▶ {x y}
//	  └────y──▶ {y}
type Shape struct {
	Class *Class
	names []string // a prefix shared along the chain; names[i] is in slot i

	next  atomic.Pointer[transitions]
	looks atomic.Int32
	index atomic.Pointer[map[string]int] // built once the shape is looked at often
}

// transitions is immutable; one is nearly always enough.
type transitions struct {
	name string
	to   *Shape
	more map[string]*Shape
}

// Len is the number of slots in use, Names their names in order.
func (s *Shape) Len() int        { return len(s.names) }
func (s *Shape) Names() []string { return s.names }

// Lookup returns the slot of name.
func (s *Shape) Lookup(name string) (slot int, ok bool) {
	if m := s.index.Load(); m != nil {
		slot, ok = (*m)[name]
		return slot, ok
	}
	if len(s.names) > 8 && s.looks.Add(1) > 4 {
		m := make(map[string]int, len(s.names))
		for i, n := range s.names {
			m[n] = i
		}
		s.index.Store(&m)
		slot, ok = m[name]
		return slot, ok
	}
	for i, n := range s.names {
		if n == name {
			return i, true
		}
	}
	return 0, false
}

// With returns the shape that has name, which s lacks, in slot s.Len().
func (s *Shape) With(name string) *Shape {
	if t := s.next.Load(); t != nil {
		if t.name == name {
			return t.to
		}
		if n := t.more[name]; n != nil {
			return n
		}
	}
	c := s.Class
	c.mu.Lock()
	defer c.mu.Unlock()
	old := s.next.Load()
	if old != nil { // another goroutine may have been first
		if old.name == name {
			return old.to
		}
		if n := old.more[name]; n != nil {
			return n
		}
	}
	n := &Shape{Class: c, names: append(slices.Clip(s.names), name)}
	if old == nil {
		// The first child may use the spare capacity behind the prefix.
		n.names = append(s.names[:len(s.names):cap(s.names)], name)
		s.next.Store(&transitions{name: name, to: n})
	} else {
		more := map[string]*Shape{name: n}
		for k, v := range old.more {
			more[k] = v
		}
		s.next.Store(&transitions{old.name, old.to, more})
	}
	if k := int32(len(n.names)); k > c.size.Load() {
		c.size.Store(k)
	}
	return n
}

// Root is the shape of an instance of c without attributes.
func (c *Class) Root() *Shape { return c.root }

// Instance is an object whose class is c = Shape.Class: of a class statement,
// an exception, or of a native class.
type Instance struct {
	Shape *Shape
	Slots []Value // attributes, in the order of Shape.Names
	Watch *Watch
	// Native is what the class's Slots work on: for a subclass of a built-in
	// type the starlark.Value or *List, *Dict … that it is; for an exception
	// its *Raised; for a native class what that class likes; else nil.
	Native any
	Flags  uint32
}

type (
	instance2 struct {
		Instance
		room [2]Value
	}
	instance4 struct {
		Instance
		room [4]Value
	}
	instance8 struct {
		Instance
		room [8]Value
	}
)

// NewInstance makes an instance with room for the attributes that instances of
// its class have had so far, in one allocation if they are few.
func NewInstance(c *Class) *Instance {
	n := int(c.size.Load())
	switch {
	case n == 0:
		return &Instance{Shape: c.root}
	case n <= 2:
		x := &instance2{}
		x.Shape, x.Slots = c.root, x.room[:0]
		return &x.Instance
	case n <= 4:
		x := &instance4{}
		x.Shape, x.Slots = c.root, x.room[:0]
		return &x.Instance
	case n <= 8:
		x := &instance8{}
		x.Shape, x.Slots = c.root, x.room[:0]
		return &x.Instance
	}
	return &Instance{Shape: c.root, Slots: make([]Value, 0, n)}
}

// Class is the class of the instance.
func (in *Instance) Class() *Class { return in.Shape.Class }

// Value is in as a value.
func (in *Instance) Value() Value { return FromStarlark(in) }

// Get reads an attribute stored in the instance itself.
func (in *Instance) Get(name string) (Value, bool) {
	if i, ok := in.Shape.Lookup(name); ok {
		return in.Slots[i], true
	}
	return Value{}, false
}

// Set stores an attribute in the instance itself, without checks or hooks but
// for the watch. See SetAttr for the language's way.
func (in *Instance) Set(name string, v Value) {
	if i, ok := in.Shape.Lookup(name); ok {
		in.Put(i, v)
		return
	}
	in.Add(in.Shape.With(name), v)
}

// Put stores the attribute in slot i.
func (in *Instance) Put(i int, v Value) {
	if in.Slots[i] != v {
		in.Slots[i] = v
		in.Watch.Fire(i)
	}
}

// Add gives the instance the attribute that next has more than its shape.
func (in *Instance) Add(next *Shape, v Value) {
	in.Slots = append(in.Slots, v)
	in.Shape = next
	in.Watch.Fire(WatchShape)
}

// Delete removes an attribute stored in the instance itself.
func (in *Instance) Delete(name string) bool {
	i, ok := in.Shape.Lookup(name)
	if !ok {
		return false
	}
	s := in.Shape.Class.root
	for j, n := range in.Shape.names {
		if j != i {
			s = s.With(n)
		}
	}
	in.Slots = slices.Delete(in.Slots, i, i+1)
	in.Shape = s
	if w := in.Watch; w != nil {
		for j := i; j <= len(in.Slots); j++ {
			w.Fire(j)
		}
		w.Fire(WatchShape)
	}
	return true
}

// SetClass is the assignment to __class__.
func (in *Instance) SetClass(c *Class) {
	s := c.root
	for _, n := range in.Shape.names {
		s = s.With(n)
	}
	in.Shape = s
	in.Watch.Fire(WatchShape)
}

// Payload is the built-in value that an instance of a subclass of a built-in
// type carries: its *List, tuple, string …; v itself for everything else.
func Payload(v Value) Value {
	if in := v.AsInstance(); in != nil {
		switch x := in.Native.(type) {
		case nil:
		case *Value:
			return *x
		case starlark.Value:
			return FromStarlark(x)
		}
	}
	return v
}

// Carry gives an instance of a subclass of a built-in type its built-in value.
func (in *Instance) Carry(v Value) {
	if v.IsTagged() || v.Is(ItabString) {
		in.Native = &v
		return
	}
	in.Native = v.Starlark()
}

func (in *Instance) String() string {
	if s, err := reprString(offline(), in.Value()); err == nil {
		return s
	}
	return fmt.Sprintf("<%s object at %#x>", in.Class().Name, addressOf(in.Value()))
}
func (in *Instance) Type() string { return in.Class().Name }
func (in *Instance) Truth() starlark.Bool {
	b, err := Truth(offline(), in.Value())
	return starlark.Bool(b || err != nil)
}
func (in *Instance) Hash() (uint32, error) {
	h, err := Hash(offline(), in.Value())
	return uint32(h), err
}

// Freeze freezes the instance, its attributes and its class.
func (in *Instance) Freeze() { Freeze(in.Value()) }

// Attr, AttrNames and SetField let hosts use instances through
// starlark.HasSetField. Attributes that need language code run on the thread's
// machine only when reached through CallInternal.
func (in *Instance) Attr(name string) (starlark.Value, error) { return hostAttr(in.Value(), name) }
func (in *Instance) AttrNames() []string                      { return Dir(offline(), in.Value()) }
func (in *Instance) SetField(name string, v starlark.Value) error {
	return SetAttr(offline(), in.Value(), name, FromStarlark(v))
}
func (in *Instance) Name() string { return in.Class().Name }
func (in *Instance) CallInternal(h *starlark.Thread, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	return callFromHost(h, in.Value(), args, kw)
}
