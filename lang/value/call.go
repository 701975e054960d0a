package value

import (
	"slices"

	"go.starlark.net/starlark"
)

// Caller is implemented by host and machine objects that can be called and
// have no class with a __call__.
type Caller interface {
	Call(t *Thread, args []Value, kw []Kwarg) (Value, error)
}

// CallAny calls anything that is written in Go: builtins, native classes, bound
// builtins, foreign callables. For what is written in the language it answers
// with a *NeedCall. It may not be given a *Function of the machine's directly
// without a machine to carry the answer out.
func CallAny(t *Thread, fn Value, args []Value, kw []Kwarg) (Value, error) {
	if fn.IsTagged() || fn.IsUnset() {
		return Value{}, notCallable(t, fn)
	}
	switch o := fn.iface().(type) {
	case *Builtin:
		if t.Observer != nil {
			if err := t.Observer.Call(fn, args, kw); err != nil {
				if g, ok := err.(*Given); ok {
					return g.Value, nil
				}
				return Value{}, err
			}
		}
		v, err := o.Call(t, args, kw)
		if t.Observer != nil && err == nil {
			t.Observer.Result(o, v)
		}
		return v, err
	case *Class:
		return CallClass(t, o, args, kw)
	case *BoundMethod:
		a := make([]Value, 0, len(args)+1)
		a = append(append(a, o.Self), args...)
		if o.Fn.Is(ItabBuiltin) {
			return CallAny(t, o.Fn, a, kw)
		}
		t.need = NeedCall{Fn: o.Fn, Args: a, Kw: copyKw(kw)}
		return Value{}, &t.need
	case Function:
		t.need = NeedCall{Fn: fn, Args: append([]Value(nil), args...), Kw: copyKw(kw)}
		return Value{}, &t.need
	case *Alias:
		return CallAny(t, o.Origin, args, kw)
	case *StaticMethod:
		return CallAny(t, o.Fn, args, kw)
	case Caller:
		return o.Call(t, args, kw)
	}
	if c := classBearer(fn); c != nil {
		if f, ok := c.custom(dCall); ok {
			err := t.needMethod(nil, f, fn, args...)
			if nc, ok := err.(*NeedCall); ok {
				nc.Kw = copyKw(kw)
			}
			return Value{}, err
		}
		if c.Slots != nil && c.Slots.Call != nil {
			return c.Slots.Call(t, fn, args, kw)
		}
		return Value{}, notCallable(t, fn)
	}
	if h, ok := As[starlark.Callable](fn); ok {
		return callForeign(t, h, args, kw)
	}
	return Value{}, notCallable(t, fn)
}

func copyKw(kw []Kwarg) []Kwarg {
	if len(kw) == 0 {
		return nil
	}
	return append([]Kwarg(nil), kw...)
}

func notCallable(t *Thread, fn Value) error {
	if t.Dialect == Strict {
		return TypeErrorf("invalid call of non-function (%s)", TypeName(t, fn))
	}
	return TypeErrorf("'%s' object is not callable", typeName(fn))
}

// Callable is the builtin callable().
func Callable(x Value) bool {
	if x.IsTagged() || x.IsUnset() {
		return false
	}
	switch x.iface().(type) {
	case *Builtin, *Class, *BoundMethod, Function, *Alias, *StaticMethod, Caller:
		return true
	case *Instance:
		c := x.AsInstance().Class()
		return !c.special(dCall).IsUnset() || c.Slots != nil && c.Slots.Call != nil
	}
	if c := classBearer(x); c != nil {
		return !c.special(dCall).IsUnset() || c.Slots != nil && c.Slots.Call != nil
	}
	_, ok := x.iface().(starlark.Callable)
	return ok
}

// PlainInit reports whether calling c means just this: a new instance without
// payload, then the language function init on it (unset: no arguments allowed,
// nothing to call). It holds while c has this Version.
func (c *Class) PlainInit() (init Value, ok bool) {
	if c.Slots != nil && c.Slots.New != nil || !c.plainCall() {
		return Value{}, false
	}
	if _, custom := c.custom(dNew); custom {
		return Value{}, false
	}
	f, custom := c.custom(dInit)
	if !custom {
		return Value{}, true
	}
	if _, isFn := As[Function](f); isFn {
		return f, true
	}
	return Value{}, false
}

// plainCall reports that calling c makes an instance: no metaclass has a say.
func (c *Class) plainCall() bool {
	if len(c.Abstract) > 0 {
		return false
	}
	if c.Meta != nil && c.Meta != TypeClass {
		if _, custom := c.Meta.custom(dCall); custom || c.Meta.Slots != nil && c.Meta.Slots.Call != nil {
			return false
		}
	}
	return true
}

// PlainRaised makes an exception of class c, if calling c means just that.
func (c *Class) PlainRaised(args []Value) (v Value, ok bool) {
	if c.Slots != ExcBaseException.Slots || !c.plainCall() || c.IsSubclass(ExcOSError) {
		return Value{}, false
	}
	if _, custom := c.custom(dNew); custom {
		return Value{}, false
	}
	if f := c.special(dInit); !f.Is(ItabBuiltin) || (*Builtin)(f.P) != excInit {
		return Value{}, false
	}
	return newRaised(c, args).Value(), true
}

// newStep makes an instance: __new__, then __init__.
type newStep struct {
	c     *Class
	args  []Value
	kw    []Kwarg
	self  Value
	stage int // 0: result of __new__ comes; 1: result of __init__ comes
}

func (s *newStep) Roots(visit func(*Value)) {
	for i := range s.args {
		visit(&s.args[i])
	}
	for i := range s.kw {
		visit(&s.kw[i].Value)
	}
	visit(&s.self)
}

func (s *newStep) Step(t *Thread, in Value, err error) Action {
	if err != nil {
		return Raise(err)
	}
	if s.stage == 1 {
		if !in.IsNone() {
			return Raise(TypeErrorf("__init__() should return None, not '%s'", typeName(in)))
		}
		return Return(s.self)
	}
	s.self, s.stage = in, 1
	k := TypeOf(in)
	if !k.IsSubclass(s.c) || in.Is(ItabClass) && !s.c.IsSubclass(TypeClass) {
		return Return(in)
	}
	f, custom := k.custom(dInit)
	if !custom {
		if err := builtinInit(t, k, in, s.args, s.kw); err != nil {
			return Raise(err)
		}
		return Return(in)
	}
	call := t.needMethod(nil, f, in, s.args...)
	if nc, ok := call.(*NeedCall); ok {
		nc.Kw = s.kw
	}
	return Raise(call)
}

// builtinInit runs an __init__ written in Go: only classes whose New leaves the
// arguments to it have one.
func builtinInit(t *Thread, c *Class, self Value, args []Value, kw []Kwarg) error {
	f := c.special(dInit)
	if !f.Is(ItabBuiltin) || (*Builtin)(f.P).Owner == ObjectClass || (*Builtin)(f.P) == excInit {
		return nil
	}
	a := append([]Value{self}, args...)
	_, err := (*Builtin)(f.P).Call(t, a, kw)
	return err
}

// CallClass makes an instance of c as a call of it does.
func CallClass(t *Thread, c *Class, args []Value, kw []Kwarg) (Value, error) {
	if c == StrClass && t.Observer == nil && len(args) == 1 && len(kw) == 0 {
		return StrOf(t, args[0])
	}
	if t.Observer != nil && (c == IntClass || c == FloatClass || c == StrClass) && len(args) == 1 && len(kw) == 0 {
		if s, ok := As[Converted](args[0]); ok {
			if v, err := s.Convert(t, c); err != nil || !v.IsUnset() {
				return v, err
			}
		}
	}
	if m := c.Meta; m != nil && m != TypeClass {
		if f, ok := m.custom(dCall); ok {
			err := t.needMethod(nil, f, c.Value(), args...)
			if nc, ok := err.(*NeedCall); ok {
				nc.Kw = copyKw(kw)
			}
			return Value{}, err
		}
		if m.Slots != nil && m.Slots.Call != nil {
			return m.Slots.Call(t, c.Value(), args, kw)
		}
	}
	return makeInstance(t, c, args, kw)
}

// makeInstance is type.__call__.
func makeInstance(t *Thread, c *Class, args []Value, kw []Kwarg) (Value, error) {
	if c == TypeClass && len(args) == 1 && len(kw) == 0 {
		if t.Dialect == Strict {
			return Str(TypeName(t, args[0])), nil
		}
		if t.Observer != nil {
			t.Observer.Read(args[0], StepType, Value{}, TypeOf(args[0]).Value())
		}
		return TypeOf(args[0]).Value(), nil
	}
	if len(c.Abstract) > 0 {
		s, names := "", ""
		for i, n := range c.Abstract {
			if i > 0 {
				names += ", "
				s = "s"
			}
			names += n
		}
		return Value{}, TypeErrorf("Can't instantiate abstract class %s with abstract method%s %s", c.Name, s, names)
	}
	if f, ok := c.custom(dNew); ok {
		if sm, isStatic := As[*StaticMethod](f); isStatic {
			f = sm.Fn
		}
		st := &newStep{c: c, args: append([]Value(nil), args...), kw: copyKw(kw)}
		a := append(append(make([]Value, 0, len(args)+1), c.Value()), args...)
		t.need = NeedCall{Fn: f, Args: a, Kw: st.kw, Then: st}
		return Value{}, &t.need
	}
	initFn, langInit := c.custom(dInit)
	var self Value
	if c.Slots != nil && c.Slots.New != nil {
		var err error
		if self, err = c.Slots.New(t, c, args, kw); err != nil {
			if nc, ok := err.(*NeedCall); ok && (langInit || hasBuiltinInit(c)) {
				first := *nc
				st := &newStep{c: c, args: append([]Value(nil), args...), kw: copyKw(kw)}
				t.need = NeedCall{Then: &chainStep{first: &first, then: st}}
				return Value{}, &t.need
			}
			return Value{}, err
		}
		if !langInit {
			if !hasBuiltinInit(c) {
				return self, nil
			}
			if err := builtinInit(t, c, self, args, kw); err != nil {
				if nc, ok := err.(*NeedCall); ok {
					first := *nc
					t.need = NeedCall{Then: &chainStep{first: &first, then: &yieldStep{self}}}
					return Value{}, &t.need
				}
				return Value{}, err
			}
			return self, nil
		}
		if !TypeOf(self).IsSubclass(c) {
			return self, nil
		}
	} else {
		switch c {
		case EllipsisClass:
			return Ellipsis, nil
		case NotImplementedClass:
			return NotImplemented, nil
		}
		if c.Final && c.Module == "builtins" {
			return Value{}, TypeErrorf("cannot create '%s' instances", c.Name)
		}
		if !langInit && (len(args) > 0 || len(kw) > 0) {
			return Value{}, TypeErrorf("%s() takes no arguments", c.Name)
		}
		self = NewInstance(c).Value()
		if t.Observer != nil {
			t.Observer.Born(self)
		}
		if !langInit {
			return self, nil
		}
	}
	st := &newStep{c: c, self: self, stage: 1}
	err := t.needMethod(st, initFn, self, args...)
	if nc, ok := err.(*NeedCall); ok {
		nc.Kw = copyKw(kw)
	}
	return Value{}, err
}

func hasBuiltinInit(c *Class) bool {
	f := c.special(dInit)
	return f.Is(ItabBuiltin) && (*Builtin)(f.P).Owner != ObjectClass && (*Builtin)(f.P) != excInit
}

// chainStep carries out first and goes on as then, which gets its result.
type chainStep struct {
	first *NeedCall
	then  Stepper
}

func (s *chainStep) Step(t *Thread, in Value, err error) Action {
	if c := s.first; c != nil {
		s.first = nil
		return Action{Kind: ActCall, Call: c}
	}
	return s.then.Step(t, in, err)
}

// yieldStep returns a value whatever the call before returned.
type yieldStep struct{ v Value }

func (s *yieldStep) Roots(visit func(*Value)) { visit(&s.v) }
func (s *yieldStep) Step(t *Thread, in Value, err error) Action {
	if err != nil {
		return Raise(err)
	}
	return Return(s.v)
}

// BuildClass ends a class statement. ns holds what the body defined, in order;
// "__classcell__", if there, is the *Cell behind __class__. kw are the keyword
// arguments behind the bases, metaclass included. It may return a *NeedCall.
func BuildClass(t *Thread, name string, bases []Value, ns *Dict, kw []Kwarg) (Value, error) {
	var meta *Class
	var rest []Kwarg
	for _, k := range kw {
		if k.Name != "metaclass" {
			rest = append(rest, k)
			continue
		}
		if meta = k.Value.AsClass(); meta == nil {
			// Any callable serves as a metaclass.
			return CallAny(t, k.Value, []Value{Str(name), Tuple(bases...), ns.Value()}, nil)
		}
	}
	var real []Value
	for _, b := range bases {
		if _, alias := As[*Alias](b); !alias && b.AsClass() == nil {
			ent, err := mroEntries(t, b, bases)
			if err != nil {
				return Value{}, err
			}
			for _, e := range ent {
				real = append(real, e)
				if c := e.AsClass(); c != nil && c.Meta != nil && (meta == nil || c.Meta.IsSubclass(meta)) {
					meta = c.Meta
				}
			}
			continue
		}
		real = append(real, b)
		if c := b.AsClass(); c != nil {
			if m := c.Meta; m != nil && (meta == nil || m.IsSubclass(meta)) {
				meta = m
			}
		}
	}
	var solid []*Class
	for _, b := range real {
		if c := b.AsClass(); c != nil {
			solid = append(solid, c)
		}
	}
	meta, err := metaOf(meta, solid)
	if err != nil {
		return Value{}, err
	}
	if meta != TypeClass {
		_, langNew := meta.custom(dNew)
		_, langInit := meta.custom(dInit)
		langCall := false
		if mm := meta.Meta; mm != nil {
			_, langCall = mm.custom(dCall)
		}
		if langNew || langInit || langCall || meta.Slots != nil && meta.Slots.New != nil {
			return CallClass(t, meta, []Value{Str(name), Tuple(real...), ns.Value()}, rest)
		}
	}
	return newClass(t, meta, name, real, ns, rest)
}

// metaOf is the metaclass of a new class: the most derived of the given one (nil:
// type) and the bases'.
func metaOf(meta *Class, bases []*Class) (*Class, error) {
	if meta == nil {
		meta = TypeClass
	}
	for _, b := range bases {
		switch m := b.MetaClass(); {
		case meta.IsSubclass(m):
		case m.IsSubclass(meta):
			meta = m
		default:
			return nil, TypeErrorf("metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass of the metaclasses of all its bases")
		}
	}
	return meta, nil
}

// newClass is type.__new__, followed by __set_name__ and __init_subclass__.
func newClass(t *Thread, meta *Class, name string, bases []Value, ns *Dict, kw []Kwarg) (Value, error) {
	c := &Class{Name: name, Qualname: name, Meta: meta, attrs: map[string]Value{}, Module: "__main__"}
	if meta == TypeClass {
		c.Meta = nil
	}
	for _, b := range bases {
		k := b.AsClass()
		if a, ok := As[*Alias](b); ok {
			k = a.Origin.AsClass()
		}
		if k == nil {
			ent, err := mroEntries(t, b, bases)
			if err != nil {
				return Value{}, err
			}
			for _, e := range ent {
				if ek := e.AsClass(); ek != nil {
					c.Bases = append(c.Bases, ek)
				}
			}
			continue
		}
		if k.Final {
			return Value{}, TypeErrorf("type '%s' is not an acceptable base type", k.Name)
		}
		for _, have := range c.Bases {
			if have == k {
				return Value{}, TypeErrorf("duplicate base class %s", k.Name)
			}
		}
		c.Bases = append(c.Bases, k)
	}
	if len(c.Bases) == 0 {
		c.Bases = []*Class{ObjectClass}
	}
	// Only one base may lay instances out.
	var solid *Slots
	for _, b := range c.Bases {
		if b.Slots != nil && b.Slots.New != nil {
			if solid != nil && solid != b.Slots {
				return Value{}, TypeErrorf("multiple bases have instance lay-out conflict")
			}
			solid = b.Slots
		}
	}
	mro, err := linearize(c)
	if err != nil {
		return Value{}, err
	}
	var setNames []attempt
	for i := 0; ; {
		k, v, next, ok := ns.Next(i)
		if !ok {
			break
		}
		i = next
		s, isStr := k.AsString()
		if !isStr {
			continue
		}
		switch s {
		case "__classcell__":
			continue
		case "__qualname__":
			if q, ok := v.AsString(); ok {
				c.Qualname = q
			}
			continue
		case "__module__":
			if m, ok := v.AsString(); ok {
				c.Module = m
			}
		case "__doc__":
			if d, ok := v.AsString(); ok {
				c.Doc = d
			}
		case "__slots__":
			items := []Value{v}
			if _, one := v.AsString(); !one {
				if items, _, err = goItems(t, v); err != nil {
					return Value{}, err
				}
			}
			c.SlotNames = []string{}
			for _, it := range items {
				n, ok := it.AsString()
				if !ok {
					return Value{}, TypeErrorf("__slots__ items must be strings, not '%s'", typeName(it))
				}
				if !isIdentifier(n) {
					return Value{}, TypeErrorf("__slots__ must be identifiers")
				}
				if _, has := ns.GetStr(n); has && n != "__qualname__" && n != "__module__" {
					return Value{}, ValueErrorf("'%s' in __slots__ conflicts with class variable", n)
				}
				c.SlotNames = append(c.SlotNames, n)
			}
		case "__init_subclass__", "__class_getitem__":
			if _, isFn := As[Function](v); isFn {
				v = (&ClassMethod{Fn: v}).Value()
			}
		case "__new__":
			if _, isFn := As[Function](v); isFn {
				v = (&StaticMethod{Fn: v}).Value()
			}
		}
		c.names = append(c.names, s)
		c.attrs[s] = v
		if p, ok := As[*Property](Payload(v)); ok && p.Name == "" {
			p.Name = s
		}
		if in := v.AsInstance(); in != nil {
			if f, ok := in.Class().Find("__set_name__"); ok {
				setNames = append(setNames, attempt{fn: f.Value, self: v, other: k})
			}
		}
	}
	// A class with __eq__ and no __hash__ is unhashable.
	if _, eq := c.attrs["__eq__"]; eq {
		if _, h := c.attrs["__hash__"]; !h {
			c.names = append(c.names, "__hash__")
			c.attrs["__hash__"] = None
		}
	}
	c.finish(mro)
	if c.SlotNames != nil {
		c.setAllowed()
	}
	c.CountAbstract()
	if cell, ok := ns.GetStr("__classcell__"); ok {
		if cl, ok := As[*Cell](cell); ok {
			cl.V = c.Value()
		}
	}
	if t.Observer != nil {
		t.Observer.Born(c.Value())
	}
	st := &classStep{c: c, names: setNames, kw: kw}
	if f, ok := c.findAfter(c, "__init_subclass__"); ok && f.Owner != ObjectClass {
		st.initSub = f.Value
	} else if len(kw) > 0 {
		return Value{}, TypeErrorf("%s.__init_subclass__() takes no keyword arguments", name)
	}
	if len(st.names) == 0 && st.initSub.IsUnset() {
		return c.Value(), nil
	}
	return Value{}, t.Run(st)
}

// CountAbstract gathers the abstract methods that c does not override. Only
// classes whose metaclass is ABCMeta (or derives from it) count them; the
// marker is __isabstractmethod__ on the function.
func (c *Class) CountAbstract() {
	c.Abstract = nil
	if !c.isABC() {
		return
	}
	if _, ok := c.Own("__subclasshook__"); ok { // its isinstance takes code in the language
		if m, ok := c.Meta.Find("_hooked"); ok && m.Value.AsClass() != nil {
			c.Meta = m.Value.AsClass()
		}
	}
	t := offline()
	isAbstract := func(v Value) bool {
		if in := v.AsInstance(); in != nil {
			m, ok := in.Class().Find("__isabstractmethod__")
			return ok && m.Value == True
		}
		if v.IsTagged() || v.Is(ItabClass) {
			return false
		}
		m, ok, err := objectAttr(t, v, "__isabstractmethod__")
		return ok && err == nil && m == True
	}
	seen := map[string]bool{}
	for _, k := range c.MRO {
		for _, n := range k.names {
			if !seen[n] {
				seen[n] = true
				if isAbstract(k.attrs[n]) {
					c.Abstract = append(c.Abstract, n)
				}
			}
		}
	}
	sortStrings(c.Abstract)
}

// isABC reports whether c's metaclass is ABCMeta or derives from it.
func (c *Class) isABC() bool {
	return c.Meta != nil && slices.ContainsFunc(c.Meta.MRO, func(m *Class) bool { return m.Name == "ABCMeta" })
}

func mroEntries(t *Thread, b Value, bases []Value) ([]Value, error) {
	if c := classBearer(b); c != nil {
		if f, ok := c.Find("__mro_entries__"); ok {
			var v Value
			var err error
			if f.Value.Is(ItabBuiltin) {
				v, err = (*Builtin)(f.Value.P).Call(t, []Value{b, Tuple(bases...)}, nil)
			} else {
				v, err = callSpecial(t, f.Value, b, Tuple(bases...))
			}
			if err != nil {
				return nil, err
			}
			items, _, err := goItems(t, v)
			return items, err
		}
	}
	return nil, TypeErrorf("bases must be types")
}

// classStep tells descriptors their names and base classes of the new class.
type classStep struct {
	c       *Class
	names   []attempt
	naming  *attempt // whose __set_name__ runs
	kw      []Kwarg
	initSub Value
}

func (s *classStep) Step(t *Thread, in Value, err error) Action {
	if r, ok := err.(*Raised); ok && s.naming != nil {
		n := RuntimeErrorf("Error calling __set_name__ on '%s' instance %s in '%s'", typeName(s.naming.self), plainRepr(s.naming.other), s.c.Name)
		n.Cause, n.Context, n.Suppress = r, r, true
		return Raise(n)
	}
	if err != nil {
		return Raise(err)
	}
	s.naming = nil
	if len(s.names) > 0 {
		at := s.names[0]
		s.names, s.naming = s.names[1:], &at
		return Raise(t.needMethod(nil, at.fn, at.self, s.c.Value(), at.other))
	}
	if f := s.initSub; !f.IsUnset() {
		s.initSub = Value{}
		if cm, ok := As[*ClassMethod](f); ok {
			f = cm.Fn
		}
		return Action{Kind: ActCall, Call: &NeedCall{Fn: f, Args: []Value{s.c.Value()}, Kw: s.kw}}
	}
	return Return(s.c.Value())
}
