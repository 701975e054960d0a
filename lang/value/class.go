package value

import (
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"weak"

	"go.starlark.net/starlark"
)

// Class is a type of the language: built in, native (given by Go code, such as
// a tensor type) or defined by a class statement.
type Class struct {
	Name     string
	Qualname string
	Module   string // name of the defining module; "builtins" for built-in types
	Doc      string
	Bases    []*Class
	MRO      []*Class // itself first, object last
	Meta     *Class   // nil means type

	// Slots is the behaviour written in Go that instances have, own or
	// inherited from the first base in the MRO that has it; nil for plain ones.
	Slots *Slots
	// Final classes cannot be derived from.
	Final bool
	// Abstract classes' own instances cannot be made.
	Abstract []string

	// Version changes when a look-up through the class may change (invariant
	// 8). Caches compare it.
	Version uint32
	Flags   uint32
	Watch   *Watch // bit WatchShape only
	// SlotNames are the __slots__ declared here; nil if none were.
	SlotNames []string
	allowed   map[string]bool // by __slots__ of the whole MRO; nil: any attribute

	names []string // of attrs, in order of definition
	attrs map[string]Value

	mu sync.Mutex // guards subs, transitions of shapes and growth of size
	// Weak: the builtin classes are every Runtime's, and must not keep those of one that has ended.
	subs  []weak.Pointer[Class]
	root  *Shape
	size  atomic.Int32 // the most slots an instance had: how many to allocate
	flat  atomic.Pointer[map[string]Found]
	looks atomic.Int32 // look-ups since the last change, to build flat not too soon
	specs atomic.Pointer[dunderTable]
}

// Found is an attribute found on a class: its value and the class in the MRO
// that has it.
type Found struct {
	Value Value
	Owner *Class
}

// Slots is the behaviour of a native class, and of the payload that instances
// of its subclasses carry in Instance.Native. Nil entries mean "not supported",
// with Python's error. A language-level special method in a subclass goes first.
type Slots struct {
	// New makes an instance of cls, which is the native class or a subclass.
	New func(t *Thread, cls *Class, args []Value, kw []Kwarg) (Value, error)

	// Binary computes x op y; reflected says that this class is y's. It
	// returns NotImplemented for operands it does not know.
	Binary  func(t *Thread, op Op, x, y Value, reflected bool) (Value, error)
	InPlace func(t *Thread, op Op, x, y Value) (Value, error)
	Unary   func(t *Thread, op Op, x Value) (Value, error)
	// Compare computes x op y where x is of this class; NotImplemented for
	// operands it does not know.
	Compare func(t *Thread, op Cmp, x, y Value) (Value, error)

	GetItem  func(t *Thread, x, key Value) (Value, error)
	SetItem  func(t *Thread, x, key, v Value) error
	DelItem  func(t *Thread, x, key Value) error
	Len      func(t *Thread, x Value) (int, error)
	Contains func(t *Thread, x, elem Value) (bool, error)
	Iter     func(t *Thread, x Value) (Value, error)
	Next     func(t *Thread, x Value) (v Value, ok bool, err error)

	Truth  func(t *Thread, x Value) (bool, error)
	Hash   func(t *Thread, x Value) (uint64, error)
	Repr   func(t *Thread, x Value) (string, error)
	Str    func(t *Thread, x Value) (string, error)
	Format func(t *Thread, x Value, spec string) (string, error)
	Index  func(t *Thread, x Value) (Value, error) // __index__
	Int    func(t *Thread, x Value) (Value, error)
	Float  func(t *Thread, x Value) (float64, error)
	Call   func(t *Thread, x Value, args []Value, kw []Kwarg) (Value, error)

	// GetAttr is asked after the instance and the class have no such
	// attribute, and before a language-level __getattr__. ok is false where
	// the payload has none either.
	GetAttr func(t *Thread, x Value, name string) (v Value, ok bool, err error)
	// SetAttr is asked before anything is stored in the instance; handled is
	// false for names it leaves to the instance.
	SetAttr func(t *Thread, x Value, name string, v Value) (handled bool, err error)
	Dir     func(t *Thread, x Value) []string
	Freeze  func(x Value)

	// Symbols: Binary, InPlace, Compare and SetItem take Symbolic numbers as the
	// other operand.
	Symbols bool
}

var classCount atomic.Uint32

// NewClass makes a class that Go code defines. With no bases it derives from
// object. Attributes are added with Def or SetRaw.
func NewClass(name, module string, bases ...*Class) *Class {
	if len(bases) == 0 && ObjectClass != nil {
		bases = []*Class{ObjectClass}
	}
	c := &Class{Name: name, Qualname: name, Module: module, Bases: bases, attrs: map[string]Value{}}
	mro, err := linearize(c)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	c.finish(mro)
	return c
}

func (c *Class) finish(mro []*Class) {
	c.MRO = mro
	c.Version = classCount.Add(1)
	c.root = &Shape{Class: c}
	for _, b := range c.MRO[1:] {
		if c.Slots == nil && b.Slots != nil {
			c.Slots = b.Slots
		}
	}
	for _, b := range c.Bases {
		b.mu.Lock()
		b.derive(c)
		b.mu.Unlock()
		if n := b.size.Load(); n > c.size.Load() {
			c.size.Store(n)
		}
		if c.Meta == nil {
			c.Meta = b.Meta
		}
	}
}

// setAllowed gathers __slots__: they bind only where every class behind c, object
// aside, declares them.
func (c *Class) setAllowed() {
	allowed := map[string]bool{}
	for _, k := range c.MRO {
		if k == ObjectClass {
			continue
		}
		if k.SlotNames == nil && (k.Module != "builtins" || k.IsSubclass(ExcBaseException)) {
			return
		}
		for _, n := range k.SlotNames {
			if n == "__dict__" {
				return
			}
			allowed[n] = true
		}
	}
	c.allowed = allowed
}

// Def adds functions written in Go as methods. It is for set-up, before other
// goroutines know the class.
func (c *Class) Def(methods ...*Builtin) *Class {
	for _, b := range methods {
		b.Owner, b.Method = c, true
		c.SetRaw(b.Name, b.Value())
	}
	return c
}

// SetRaw sets an attribute of the class itself, without descriptors or checks.
func (c *Class) SetRaw(name string, v Value) {
	if _, ok := c.attrs[name]; !ok {
		c.names = append(c.names, name)
	}
	c.attrs[name] = v
	c.changed()
}

// DelRaw removes an attribute of the class itself.
func (c *Class) DelRaw(name string) bool {
	if _, ok := c.attrs[name]; !ok {
		return false
	}
	delete(c.attrs, name)
	i := slices.Index(c.names, name)
	c.names = slices.Delete(slices.Clone(c.names), i, i+1)
	c.changed()
	return true
}

// Own returns an attribute of the class itself.
func (c *Class) Own(name string) (Value, bool) {
	v, ok := c.attrs[name]
	return v, ok
}

// OwnNames returns the names of the class's own attributes in order of definition.
func (c *Class) OwnNames() []string { return slices.Clone(c.names) }

func (c *Class) changed() {
	c.Version = classCount.Add(1)
	c.flat.Store(nil)
	c.specs.Store(nil)
	c.looks.Store(0)
	c.Watch.Fire(WatchShape)
	c.mu.Lock()
	subs := c.alive()
	c.mu.Unlock()
	for _, s := range subs {
		s.changed()
	}
}

// Subclasses returns the classes that derive directly from c.
func (c *Class) Subclasses() []*Class {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.alive()
}

// alive are the subclasses that have not ended. mu is held.
func (c *Class) alive() []*Class {
	var subs []*Class
	for _, w := range c.subs {
		if s := w.Value(); s != nil {
			subs = append(subs, s)
		}
	}
	return subs
}

// derive adds a subclass; the ended ones are dropped whenever the list would grow. mu is held.
func (c *Class) derive(sub *Class) {
	if len(c.subs) == cap(c.subs) {
		c.subs = slices.DeleteFunc(c.subs, func(w weak.Pointer[Class]) bool { return w.Value() == nil })
	}
	c.subs = append(c.subs, weak.Make(sub))
}

// Find looks name up along the MRO.
func (c *Class) Find(name string) (Found, bool) {
	if m := c.flat.Load(); m != nil {
		f, ok := (*m)[name]
		return f, ok
	}
	if c.looks.Add(1) > 8 {
		m := map[string]Found{}
		for i := len(c.MRO) - 1; i >= 0; i-- {
			for n, v := range c.MRO[i].attrs {
				m[n] = Found{v, c.MRO[i]}
			}
		}
		c.flat.Store(&m)
		f, ok := m[name]
		return f, ok
	}
	return c.findAfter(nil, name)
}

// findAfter looks name up along the MRO behind class after (nil: from the start).
func (c *Class) findAfter(after *Class, name string) (Found, bool) {
	skip := after != nil
	for _, k := range c.MRO {
		if skip {
			skip = k != after
			continue
		}
		if v, ok := k.attrs[name]; ok {
			return Found{v, k}, true
		}
	}
	return Found{}, false
}

// IsSubclass reports whether c is base or derives from it.
func (c *Class) IsSubclass(base *Class) bool {
	if c == base || base == ObjectClass {
		return true
	}
	return slices.Contains(c.MRO, base)
}

// MetaClass is the class of the class.
func (c *Class) MetaClass() *Class {
	if c.Meta != nil {
		return c.Meta
	}
	return TypeClass
}

// Names returns all attribute names visible on the class, sorted.
func (c *Class) Names() []string {
	seen := map[string]bool{}
	for _, k := range c.MRO {
		for n := range k.attrs {
			seen[n] = true
		}
	}
	names := make([]string, 0, len(seen))
	for n := range seen {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// linearize computes the method resolution order by C3.
// (Barrett et al., "A monotonic superclass linearization for Dylan", 1996.)
func linearize(c *Class) ([]*Class, error) {
	var lists [][]*Class
	for _, b := range c.Bases {
		lists = append(lists, b.MRO)
	}
	lists = append(lists, c.Bases)
	mro := []*Class{c}
	for {
		lists = slices.DeleteFunc(slices.Clone(lists), func(l []*Class) bool { return len(l) == 0 })
		if len(lists) == 0 {
			return mro, nil
		}
		var next *Class
	heads:
		for _, l := range lists {
			for _, other := range lists {
				if slices.Contains(other[1:], l[0]) {
					continue heads
				}
			}
			next = l[0]
			break
		}
		if next == nil {
			msg := "Cannot create a consistent method resolution\norder (MRO) for bases "
			var heads []string
			for _, l := range lists {
				if !slices.Contains(heads, l[0].Name) {
					heads = append(heads, l[0].Name)
				}
			}
			msg += strings.Join(heads, ", ")
			return nil, TypeErrorf("%s", msg)
		}
		mro = append(mro, next)
		for i, l := range lists {
			if l[0] == next {
				lists[i] = l[1:]
			}
		}
	}
}

// Value is c as a value.
func (c *Class) Value() Value { return FromStarlark(c) }

func (c *Class) String() string {
	if c.Module == "" || c.Module == "builtins" {
		return "<class '" + c.Qualname + "'>"
	}
	return "<class '" + c.Module + "." + c.Qualname + "'>"
}
func (c *Class) Type() string          { return "type" }
func (c *Class) Truth() starlark.Bool  { return true }
func (c *Class) Hash() (uint32, error) { return uint32(addressHash(FromStarlark(c))), nil }

// Freeze freezes the class, its attributes and its bases.
func (c *Class) Freeze() { Freeze(c.Value()) }
