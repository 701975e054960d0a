package value

import (
	"fmt"
	"slices"
	"sort"

	"go.starlark.net/starlark"
)

// AttrKind says how an attribute was found, for the machine's caches.
type AttrKind uint8

const (
	AttrNone     AttrKind = iota // not found, or not cacheable: use GetAttr
	AttrSlot                     // instance slot number Slot
	AttrClass                    // Value, from the class, as it is
	AttrMethod                   // Value is a function to be bound to the instance
	AttrProperty                 // Value is a *Property whose getter is to be called
)

// Located is the answer of Locate. It holds while the instance has this Shape
// and its class this Version.
type Located struct {
	Kind  AttrKind
	Slot  int
	Value Value
	Owner *Class
}

// Locate finds an attribute of an instance without reading it or running
// anything. Kind is AttrNone where the slow path has to look.
func Locate(in *Instance, name string) Located {
	c := in.Class()
	if _, ok := c.custom(dGetattribute); ok || len(name) > 4 && name[:2] == "__" && specialAttr(name) {
		return Located{}
	}
	f, found := c.Find(name)
	if found {
		if p, ok := As[*Property](f.Value); ok {
			if p.Get.IsUnset() {
				return Located{}
			}
			return Located{Kind: AttrProperty, Value: f.Value, Owner: f.Owner}
		}
		if f.Value.Is(ItabInstance) && isDescriptor(f.Value) {
			return Located{}
		}
	}
	if i, ok := in.Shape.Lookup(name); ok {
		return Located{Kind: AttrSlot, Slot: i}
	}
	if !found {
		return Located{}
	}
	switch {
	case f.Value.Is(ItabBuiltin):
		if (*Builtin)(f.Value.P).Method {
			return Located{Kind: AttrMethod, Value: f.Value, Owner: f.Owner}
		}
		return Located{Kind: AttrClass, Value: f.Value, Owner: f.Owner}
	case f.Value.IsTagged():
		return Located{Kind: AttrClass, Value: f.Value, Owner: f.Owner}
	}
	switch o := f.Value.iface().(type) {
	case Function:
		return Located{Kind: AttrMethod, Value: f.Value, Owner: f.Owner}
	case *StaticMethod:
		return Located{Kind: AttrClass, Value: o.Fn, Owner: f.Owner}
	case *ClassMethod, *Super:
		return Located{}
	}
	return Located{Kind: AttrClass, Value: f.Value, Owner: f.Owner}
}

// PlainGetter is the language function that reading an attribute of an instance of c
// calls, where Locate has found the property v and nothing is done with what it raises.
func PlainGetter(c *Class, v Value) (getter Value, ok bool) {
	if _, custom := c.custom(dGetattr); custom || !v.Is(ItabProperty) {
		return Value{}, false
	}
	getter = (*Property)(v.P).Get
	_, ok = As[Function](getter)
	return getter, ok
}

func specialAttr(name string) bool {
	switch name {
	case "__dict__", "__class__", "__doc__", "__module__", "__weakref__":
		return true
	}
	return false
}

// isDescriptor reports whether v is an instance whose class has __get__.
func isDescriptor(v Value) bool {
	in := v.AsInstance()
	return in != nil && !in.Class().special(dGet).IsUnset()
}

// isDataDescriptor reports whether an attribute on a class goes before what
// the instance stores under its name.
func isDataDescriptor(v Value) bool {
	if v.Is(ItabProperty) {
		return true
	}
	in := v.AsInstance()
	return in != nil && (!in.Class().special(dSet).IsUnset() || !in.Class().special(dDelete).IsUnset())
}

// bind is what reading the class attribute f through self gives. self is unset
// when it is read through the class itself.
func bind(t *Thread, f, self Value, c *Class) (Value, error) {
	if f.IsTagged() {
		return f, nil
	}
	switch o := f.iface().(type) {
	case Function:
		if self.IsUnset() {
			return f, nil
		}
		return FromStarlark(&BoundMethod{Fn: f, Self: self}), nil
	case *Builtin:
		if self.IsUnset() || !o.Method {
			return f, nil
		}
		return FromStarlark(&BoundMethod{Fn: f, Self: self}), nil
	case *ClassMethod:
		if o.Fn.Is(ItabProperty) {
			return bind(t, o.Fn, c.Value(), c.MetaClass())
		}
		return FromStarlark(&BoundMethod{Fn: o.Fn, Self: c.Value()}), nil
	case *StaticMethod:
		return o.Fn, nil
	case *Property:
		if self.IsUnset() {
			return f, nil
		}
		if o.Get.IsUnset() {
			return Value{}, AttributeErrorf(o.Name, "property '%s' of '%s' object has no getter", o.Name, c.Name)
		}
		return CallAnyOrNeed(t, o.Get, self)
	case *Instance:
		if get := o.Class().special(dGet); !get.IsUnset() {
			if self.IsUnset() {
				self = None
			}
			if get.Is(ItabBuiltin) {
				return (*Builtin)(get.P).Call(t, []Value{f, self, c.Value()}, nil)
			}
			return Value{}, t.needMethod(nil, get, f, self, c.Value())
		}
	}
	return f, nil
}

// CallAnyOrNeed calls fn if it is written in Go and asks for the call if not.
func CallAnyOrNeed(t *Thread, fn Value, args ...Value) (Value, error) {
	if _, ok := As[Function](fn); ok {
		return Value{}, t.Need(nil, fn, args...)
	}
	return CallAny(t, fn, args, nil)
}

// GetAttr is x.name.
func GetAttr(t *Thread, x Value, name string) (Value, error) {
	if x.N == ItabInstance && !x.IsTagged() {
		in := (*Instance)(x.P)
		if f, ok := in.Shape.Class.custom(dGetattribute); ok {
			return Value{}, t.needMethod(getattrFallback(in.Shape.Class, x, name), f, x, Str(name))
		}
		return instanceAttr(t, in, name)
	}
	if t.Dialect == Strict {
		return strictAttr(t, x, name)
	}
	v, ok, err := objectAttr(t, x, name)
	if err != nil || ok {
		return v, err
	}
	return Value{}, noAttr(t, x, name)
}

func noAttr(t *Thread, x Value, name string) error {
	if t.Dialect == Strict {
		msg := fmt.Sprintf("%s has no .%s field or method", TypeName(t, x), name)
		return AttributeErrorf(name, "%s", spelled(msg, name, strictNames(x)))
	}
	var r *Raised
	if c := x.AsClass(); c != nil {
		r = AttributeErrorf(name, "type object '%s' has no attribute '%s'", c.Name, name)
	} else if m, ok := As[*Module](x); ok {
		r = AttributeErrorf(name, "module '%s' has no attribute '%s'", m.Name, name)
		if m.Loading {
			r = AttributeErrorf(name, "partially initialized module '%s' has no attribute '%s' (most likely due to a circular import)", m.Name, name)
		}
	} else if _, ok := As[*Super](x); ok {
		r = AttributeErrorf(name, "'super' object has no attribute '%s'", name)
	} else {
		r = AttributeErrorf(name, "'%s' object has no attribute '%s'", typeName(x), name)
	}
	r.Obj = x
	return r
}

// getattrStep calls __getattr__ where __getattribute__ or a property raised
// AttributeError.
type getattrStep struct {
	c     *Class
	x     Value
	name  string
	asked bool
}

func (s *getattrStep) Roots(visit func(*Value)) { visit(&s.x) }

func getattrFallback(c *Class, x Value, name string) Stepper {
	if _, ok := c.custom(dGetattr); ok {
		return &getattrStep{c: c, x: x, name: name}
	}
	return nil
}

func (s *getattrStep) Step(t *Thread, in Value, err error) Action {
	if r, ok := err.(*Raised); ok && !s.asked && r.Class.IsSubclass(ExcAttributeError) {
		s.asked = true
		f, _ := s.c.custom(dGetattr)
		return Raise(t.needMethod(nil, f, s.x, Str(s.name)))
	}
	if err != nil {
		return Raise(err)
	}
	return Return(in)
}

// instanceAttr is object.__getattribute__ followed by __getattr__.
func instanceAttr(t *Thread, in *Instance, name string) (Value, error) {
	x := in.Value()
	c := in.Shape.Class
	v, ok, err := genericAttr(t, in, x, c, name)
	if ok || err != nil {
		if nc, isCall := err.(*NeedCall); isCall && nc.Then == nil {
			nc.Then = getattrFallback(c, x, name)
		}
		return v, err
	}
	if f, ok := c.custom(dGetattr); ok {
		return Value{}, t.needMethod(nil, f, x, Str(name))
	}
	return Value{}, noAttr(t, x, name)
}

// genericAttr looks an instance's attribute up without __getattr__.
func genericAttr(t *Thread, in *Instance, x Value, c *Class, name string) (v Value, ok bool, err error) {
	f, found := c.Find(name)
	if found && isDataDescriptor(f.Value) {
		if t.Observer != nil {
			t.Observer.Read(f.Owner.Value(), StepAttr, Str(name), f.Value)
		}
		v, err := bind(t, f.Value, x, c)
		return v, true, err
	}
	if i, ok := in.Shape.Lookup(name); ok {
		v := in.Slots[i]
		if t.Observer != nil {
			v = t.Observer.Read(x, StepAttr, Str(name), v)
		}
		return v, true, nil
	}
	if t.Observer != nil {
		t.Observer.Absent(x, StepAttr, Str(name))
		for _, k := range c.MRO {
			if found && k == f.Owner {
				t.Observer.Read(k.Value(), StepAttr, Str(name), f.Value)
				break
			}
			t.Observer.Absent(k.Value(), StepAttr, Str(name))
		}
	}
	if found && f.Owner != ObjectClass {
		v, err := bind(t, f.Value, x, c)
		return v, true, err
	}
	switch name {
	case "__dict__":
		if c.allowed != nil || c == ObjectClass {
			return Value{}, false, nil
		}
		return (&AttrDict{Of: x}).Value(), true, nil
	case "__class__":
		return c.Value(), true, nil
	case "__doc__":
		return docOf(c), true, nil
	case "__module__":
		return Str(c.Module), true, nil
	}
	if r, ok := in.Native.(*Raised); ok {
		if v, ok := raisedAttr(r, name); ok {
			return v, true, nil
		}
	} else if p := Payload(x); p != x && !p.Is(ItabInstance) {
		if v, ok, err := payloadAttr(t, p, name); ok || err != nil {
			return v, ok, err
		}
	}
	if c.Slots != nil && c.Slots.GetAttr != nil {
		if v, ok, err := c.Slots.GetAttr(t, x, name); ok || err != nil {
			return v, ok, err
		}
	}
	if found {
		v, err := bind(t, f.Value, x, c)
		return v, true, err
	}
	return Value{}, false, nil
}

func docOf(c *Class) Value {
	if v, ok := c.Own("__doc__"); ok {
		return v
	}
	if c.Doc != "" {
		return Str(c.Doc)
	}
	if d, ok := builtinDocs[c.Name]; ok && c.Module == "builtins" {
		return Str(d)
	}
	return None
}

// payloadAttr serves data attributes of built-in values: int.real and the like.
func payloadAttr(t *Thread, p Value, name string) (Value, bool, error) {
	switch kindOf(p) {
	case smallNum, bigNum:
		switch name {
		case "real", "numerator":
			if p.IsBool() {
				p = Int(p.Int64())
			}
			return p, true, nil
		case "imag":
			return Int(0), true, nil
		case "denominator":
			return Int(1), true, nil
		}
	case floatNum:
		switch name {
		case "real":
			return p, true, nil
		case "imag":
			return Float(0), true, nil
		}
	}
	switch name { // of a subclass of a built-in descriptor
	case "fget", "fset", "fdel", "__func__", "__wrapped__", "__isabstractmethod__":
		switch {
		case p.IsTagged():
		case p.Is(ItabProperty), p.Is(itabClassMethod), p.Is(itabStaticMethod):
			return objectAttr(t, p, name)
		}
	}
	return Value{}, false, nil
}

var (
	itabClassMethod  = ItabOf((*ClassMethod)(nil))
	itabStaticMethod = ItabOf((*StaticMethod)(nil))
)

func raisedAttr(r *Raised, name string) (Value, bool) {
	orNone := func(x *Raised) Value {
		if x == nil {
			return None
		}
		return x.Value()
	}
	switch name {
	case "args":
		return Tuple(r.Args...), true
	case "__cause__":
		return orNone(r.Cause), true
	case "__context__":
		return orNone(r.Context), true
	case "__suppress_context__":
		return Bool(r.Suppress), true
	case "__traceback__":
		if !r.Traced() {
			return None, true
		}
		trace := r.Trace()
		if tb := r.tb; tb == nil || len(tb.Entries) != len(trace) || &tb.Entries[0] != &trace[0] {
			r.tb = &Traceback{Entries: trace}
		}
		return FromStarlark(r.tb), true
	case "__notes__":
		if r.Notes == nil {
			return Value{}, false
		}
		out := make([]Value, len(r.Notes))
		for i, n := range r.Notes {
			out[i] = Str(n)
		}
		return ListOf(out...), true
	case "value":
		if r.Class.IsSubclass(ExcStopIteration) {
			if len(r.Args) > 0 {
				return r.Args[0], true
			}
			return None, true
		}
	case "code":
		if r.Class.IsSubclass(ExcSystemExit) {
			switch len(r.Args) {
			case 0:
				return None, true
			case 1:
				return r.Args[0], true
			}
			return Tuple(r.Args...), true
		}
	case "name":
		if r.Class.IsSubclass(ExcNameError) || r.Class.IsSubclass(ExcAttributeError) || r.Class.IsSubclass(ExcImportError) {
			if r.Name == "" {
				return None, true
			}
			return Str(r.Name), true
		}
	case "obj":
		if r.Class.IsSubclass(ExcAttributeError) {
			if r.Obj.IsUnset() {
				return None, true
			}
			return r.Obj, true
		}
	case "encoding", "object", "start", "end", "reason":
		if i := slices.Index([]string{"encoding", "object", "start", "end", "reason"}, name); len(r.Args) == 5 &&
			(r.Class.IsSubclass(ExcUnicodeDecodeError) || r.Class.IsSubclass(ExcUnicodeEncodeError)) {
			return r.Args[i], true
		}
	case "msg":
		if r.Class.IsSubclass(ExcImportError) || r.Class.IsSubclass(ExcSyntaxError) {
			return Str(r.Message()), true
		}
	case "errno", "strerror", "filename":
		if r.Class.IsSubclass(ExcOSError) {
			if name == "filename" && !r.File.IsUnset() {
				return r.File, true
			}
			i := map[string]int{"errno": 0, "strerror": 1, "filename": 2}[name]
			if len(r.Args) >= 2 && i < len(r.Args) {
				return r.Args[i], true
			}
			return None, true
		}
	}
	return Value{}, false
}

// objectAttr is GetAttr for everything but instances, in the model dialect.
func objectAttr(t *Thread, x Value, name string) (v Value, ok bool, err error) {
	if x.IsUnset() {
		panic("BUG: attribute of an unset value")
	}
	var c *Class
	if !x.IsTagged() {
		switch o := x.iface().(type) {
		case *Class:
			return classAttr(t, o, name)
		case *Module:
			return moduleAttr(t, o, name)
		case *Super:
			return superAttr(t, o, name)
		case Symbolic:
			return objectAttr(t, o.Concrete(), name)
		case AttrObject:
			if v, ok, err := o.AttrGet(t, name); ok || err != nil {
				return v, ok, err
			}
			c = o.ClassOf()
		case *Alias:
			if v, ok, err := aliasAttr(t, o, name); ok || err != nil {
				return v, ok, err
			}
			c = AliasClass
		case *Union:
			if name == "__args__" {
				return Tuple(o.Items...), true, nil
			}
			c = UnionClass
		case hasClass:
			c = o.ClassOf()
		case *BoundMethod:
			switch name {
			case "__self__":
				return o.Self, true, nil
			case "__func__":
				return o.Fn, true, nil
			}
			if v, ok, err := objectAttr(t, o.Fn, name); ok && err == nil && name != "__class__" && name != "__call__" {
				return v, true, nil
			}
		case *Builtin:
			switch name {
			case "__name__":
				return Str(o.Name), true, nil
			case "__qualname__":
				return Str(o.fullName()), true, nil
			case "__doc__":
				if o.Doc == "" {
					return None, true, nil
				}
				return Str(o.Doc), true, nil
			case "__module__":
				return Str("builtins"), true, nil
			}
		case *Property:
			m := map[string]Value{"fget": o.Get, "fset": o.Set, "fdel": o.Del}
			if v, ok := m[name]; ok {
				if v.IsUnset() {
					v = None
				}
				return v, true, nil
			}
			if name == "__doc__" && !o.Doc.IsUnset() {
				return o.Doc, true, nil
			}
			if name == "__isabstractmethod__" {
				for _, f := range []Value{o.Get, o.Set, o.Del} {
					if f.IsUnset() || f.IsTagged() || f.Is(ItabInstance) || f.Is(ItabClass) {
						continue
					}
					if m, ok, err := objectAttr(t, f, name); ok && err == nil && m == True {
						return True, true, nil
					}
				}
				return False, true, nil
			}
		case *ClassMethod:
			if name == "__func__" || name == "__wrapped__" {
				return o.Fn, true, nil
			}
			if name == "__isabstractmethod__" {
				return objectAttr(t, o.Fn, name)
			}
		case *StaticMethod:
			if name == "__func__" || name == "__wrapped__" {
				return o.Fn, true, nil
			}
			if name == "__isabstractmethod__" {
				return objectAttr(t, o.Fn, name)
			}
		case *Slice:
			switch name {
			case "start":
				return o.Lo, true, nil
			case "stop":
				return o.Hi, true, nil
			case "step":
				return o.Step, true, nil
			}
		case *Range:
			switch name {
			case "start":
				return Int(o.Start), true, nil
			case "stop":
				return Int(o.Stop), true, nil
			case "step":
				return Int(o.Step), true, nil
			}
		case *Cell:
			if name == "cell_contents" {
				if o.V.IsUnset() {
					return Value{}, true, ValueErrorf("Cell is empty")
				}
				return o.V, true, nil
			}
		}
	}
	if c == nil {
		c = TypeOf(x)
	}
	if f, found := c.Find(name); found {
		v, err := bind(t, f.Value, x, c)
		return v, true, err
	}
	switch name {
	case "__class__":
		return c.Value(), true, nil
	case "__doc__":
		return docOf(c), true, nil
	}
	if v, ok, err := payloadAttr(t, x, name); ok || err != nil {
		return v, ok, err
	}
	if !x.IsTagged() {
		if c.Slots != nil && c.Slots.GetAttr != nil {
			return c.Slots.GetAttr(t, x, name)
		}
		if _, own := x.iface().(hasClass); !own {
			if h, ok := x.iface().(starlark.HasAttrs); ok && c.Module == "" {
				r, err := h.Attr(name)
				if _, missing := err.(starlark.NoSuchAttrError); missing {
					return Value{}, false, nil
				}
				if r == nil || err != nil {
					return Value{}, false, hostError(err)
				}
				return ownDeep(r), true, nil
			}
		}
	}
	return Value{}, false, nil
}

func classAttr(t *Thread, c *Class, name string) (v Value, ok bool, err error) {
	meta := c.MetaClass()
	mf, inMeta := meta.Find(name)
	if inMeta && isDataDescriptor(mf.Value) {
		v, err := bind(t, mf.Value, c.Value(), meta)
		return v, true, err
	}
	switch name {
	case "__class__":
		return meta.Value(), true, nil
	case "__name__":
		return Str(c.Name), true, nil
	case "__qualname__":
		return Str(c.Qualname), true, nil
	case "__mro__":
		return classTuple(c.MRO), true, nil
	case "__bases__":
		return classTuple(c.Bases), true, nil
	case "__base__":
		if len(c.Bases) == 0 {
			return None, true, nil
		}
		return c.Bases[0].Value(), true, nil
	case "__dict__":
		return (&AttrDict{Of: c.Value(), proxy: true}).Value(), true, nil
	case "__abstractmethods__":
		if c.isABC() {
			s := NewSet(len(c.Abstract))
			s.Const = true
			for _, n := range c.Abstract {
				if err := s.Add(t, Str(n)); err != nil {
					return Value{}, false, err
				}
			}
			return FromStarlark(s), true, nil
		}
	case "__doc__":
		return docOf(c), true, nil
	case "__module__":
		if v, ok := c.Own(name); ok {
			return v, true, nil
		}
		return Str(c.Module), true, nil
	}
	if f, found := c.Find(name); found {
		if t.Observer != nil {
			for _, k := range c.MRO {
				if k == f.Owner {
					break
				}
				t.Observer.Absent(k.Value(), StepAttr, Str(name))
			}
			got := t.Observer.Read(f.Owner.Value(), StepAttr, Str(name), f.Value)
			if got != f.Value {
				return got, true, nil
			}
		}
		v, err := bind(t, f.Value, Value{}, c)
		return v, true, err
	} else if t.Observer != nil {
		for _, k := range c.MRO {
			t.Observer.Absent(k.Value(), StepAttr, Str(name))
		}
	}
	if inMeta {
		v, err := bind(t, mf.Value, c.Value(), meta)
		return v, true, err
	}
	for _, k := range c.MRO {
		if slices.Contains(k.SlotNames, name) {
			return FromStarlark(&slotMember{k, name}), true, nil
		}
	}
	if f, ok := meta.custom(dGetattr); ok {
		return Value{}, true, t.needMethod(nil, f, c.Value(), Str(name))
	}
	return Value{}, false, nil
}

// slotMember is what a class gives for a name in its __slots__.
type slotMember struct {
	class *Class
	name  string
}

// isSlot reports whether name is one of the __slots__ of c or a base.
func (c *Class) isSlot(name string) bool {
	return slices.ContainsFunc(c.MRO, func(k *Class) bool { return slices.Contains(k.SlotNames, name) })
}

func (m *slotMember) String() string {
	return fmt.Sprintf("<member '%s' of '%s' objects>", m.name, m.class.Name)
}
func (m *slotMember) Type() string          { return "member_descriptor" }
func (m *slotMember) Freeze()               {}
func (m *slotMember) Truth() starlark.Bool  { return true }
func (m *slotMember) Hash() (uint32, error) { return starlark.String(m.name).Hash() }
func (m *slotMember) Attr(name string) (starlark.Value, error) {
	switch name {
	case "__name__":
		return starlark.String(m.name), nil
	case "__objclass__":
		return m.class, nil
	}
	return nil, nil
}
func (m *slotMember) AttrNames() []string { return []string{"__name__", "__objclass__"} }

func classTuple(cs []*Class) Value {
	tup := make(starlark.Tuple, len(cs))
	for i, c := range cs {
		tup[i] = c
	}
	return FromStarlark(tup)
}

// moduleField reports the attributes that every module has.
func moduleField(name string) bool {
	switch name {
	case "__name__", "__doc__", "__file__", "__dict__", "__class__":
		return true
	}
	return false
}

func moduleAttr(t *Thread, m *Module, name string) (v Value, ok bool, err error) {
	if i, known := m.index[name]; known && !m.Slots[i].IsUnset() {
		v := m.Slots[i]
		if t.Observer != nil {
			v = t.Observer.Read(m.Value(), StepGlobal, Str(name), v)
		}
		return v, true, nil
	}
	if m.Lazy != nil && !moduleField(name) {
		var v Value
		var ok bool
		var err error
		if t.Unobserved != nil {
			t.Unobserved(func() { v, ok, err = m.Lazy(t, name) })
		} else {
			v, ok, err = m.Lazy(t, name)
		}
		if err != nil {
			return Value{}, false, err
		}
		if ok {
			if m.Flags&FlagFrozen == 0 {
				m.Set(name, v)
				// What is made when it is first asked for was there all along.
				if t.Observer != nil {
					v = t.Observer.Read(m.Value(), StepGlobal, Str(name), v)
				}
			} else if t.Observer != nil {
				t.Observer.Absent(m.Value(), StepGlobal, Str(name))
			}
			return v, true, nil
		}
	}
	if t.Observer != nil {
		t.Observer.Absent(m.Value(), StepGlobal, Str(name))
	}
	switch name {
	case "__name__":
		return Str(m.Name), true, nil
	case "__doc__":
		if m.Doc == "" {
			return None, true, nil
		}
		return Str(m.Doc), true, nil
	case "__file__":
		if m.File != "" {
			return Str(m.File), true, nil
		}
	case "__dict__":
		if load := m.LoadAll; load != nil {
			m.LoadAll = nil
			if t.Unobserved != nil {
				t.Unobserved(func() { err = load(t) })
			} else {
				err = load(t)
			}
			if err != nil {
				return Value{}, false, err
			}
		}
		return (&AttrDict{Of: m.Value()}).Value(), true, nil
	case "__class__":
		return ModuleClass.Value(), true, nil
	}
	if f, ok := m.Get("__getattr__"); ok && name != "__getattr__" {
		v, err := CallAnyOrNeed(t, f, Str(name))
		return v, true, err
	}
	if m.Missing != nil {
		return Value{}, false, m.Missing(name)
	}
	return Value{}, false, nil
}

func superAttr(t *Thread, s *Super, name string) (v Value, ok bool, err error) {
	f, found := s.Of.findAfter(s.After, name)
	if !found {
		if name == "__class__" {
			return SuperClass.Value(), true, nil
		}
		// Attributes that the native base serves without listing them.
		if in := s.Self.AsInstance(); in != nil {
			if r, isExc := in.Native.(*Raised); isExc {
				v, ok := raisedAttr(r, name)
				return v, ok, nil
			}
			if sl := s.Of.Slots; sl != nil && sl.GetAttr != nil {
				return sl.GetAttr(t, s.Self, name)
			}
		}
		return Value{}, false, nil
	}
	if s.IsClass {
		if cm, isCM := As[*ClassMethod](f.Value); isCM {
			return FromStarlark(&BoundMethod{Fn: cm.Fn, Self: s.Self}), true, nil
		}
		// In a metaclass's method the class is the instance.
		if c := s.Self.AsClass(); c != nil && c.MetaClass().IsSubclass(s.After) && s.After.IsSubclass(TypeClass) {
			v, err := bind(t, f.Value, s.Self, s.Of)
			return v, true, err
		}
		v, err := bind(t, f.Value, Value{}, s.Of)
		return v, true, err
	}
	v, err = bind(t, f.Value, s.Self, s.Of)
	return v, true, err
}

// Dir lists the attribute names of x, sorted. It does not ask a language-level
// __dir__; the builtin dir does.
func Dir(t *Thread, x Value) []string {
	set := map[string]bool{}
	addAll := func(names []string) {
		for _, n := range names {
			set[n] = true
		}
	}
	if t.Dialect == Strict && !x.IsTagged() && !x.Is(ItabInstance) {
		return strictNames(x)
	}
	switch {
	case x.IsTagged():
	case x.Is(ItabInstance):
		addAll(x.AsInstance().Shape.Names())
	case x.Is(ItabClass):
		return x.AsClass().Names()
	default:
		switch o := x.iface().(type) {
		case *Module:
			return o.Names()
		case AttrObject:
			addAll(o.AttrDir())
		case *Builtin, *List, *Dict, *Set:
		case starlark.HasAttrs:
			if TypeOf(x).Module == "" {
				addAll(o.AttrNames())
			}
		}
	}
	c := TypeOf(x)
	addAll(c.Names())
	if c.Slots != nil && c.Slots.Dir != nil {
		addAll(c.Slots.Dir(t, x))
	}
	names := make([]string, 0, len(set))
	for n := range set {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}
