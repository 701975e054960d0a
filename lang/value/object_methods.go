package value

import (
	"slices"
	"strings"
)

// initObjectMethods gives object, type and BaseException the methods that
// language code reaches through super() and by name.
func initObjectMethods() {
	fn := func(name string, min, max int, f BuiltinFn) *Builtin {
		return &Builtin{Name: name, Min: min, Max: max, Counted: true, Fn: f}
	}
	any := func(name string, f BuiltinFn) *Builtin {
		return &Builtin{Name: name, Max: -1, WantsKw: true, Fn: f}
	}
	attrName := func(v Value) (string, error) {
		s, ok := Payload(v).AsString()
		if !ok {
			return "", TypeErrorf("attribute name must be string, not '%s'", typeName(v))
		}
		return s, nil
	}
	ObjectClass.Slots = nil
	ObjectClass.Def(
		any("__init__", func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			if len(args) > 1 || len(kw) > 0 {
				c := TypeOf(args[0])
				if _, lang := c.custom(dNew); !lang && (c.Slots == nil || c.Slots.New == nil) {
					if _, langInit := c.custom(dInit); langInit {
						return Value{}, TypeErrorf("object.__init__() takes exactly one argument (the instance to initialize)")
					}
					return Value{}, TypeErrorf("%s() takes no arguments", c.Name)
				}
			}
			return None, nil
		}),
		fn("__getattribute__", 1, 1, func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			name, err := attrName(args[1])
			if err != nil {
				return Value{}, err
			}
			if in := args[0].AsInstance(); in != nil {
				v, ok, err := genericAttr(t, in, args[0], in.Class(), name)
				if err == nil && !ok {
					err = noAttr(t, args[0], name)
				}
				return v, err
			}
			return GetAttr(t, args[0], name)
		}),
		fn("__setattr__", 2, 2, func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			name, err := attrName(args[1])
			if err != nil {
				return Value{}, err
			}
			if in := args[0].AsInstance(); in != nil {
				return None, setInstanceAttr(t, in, name, args[2])
			}
			return None, SetAttr(t, args[0], name, args[2])
		}),
		fn("__delattr__", 1, 1, func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			name, err := attrName(args[1])
			if err != nil {
				return Value{}, err
			}
			if in := args[0].AsInstance(); in != nil {
				return None, delInstanceAttr(t, in, name)
			}
			return None, DelAttr(t, args[0], name)
		}),
		fn("__repr__", 0, 0, func(t *Thread, args []Value, kw []Kwarg) (Value, error) { return builtinRepr(t, args[0]) }),
		fn("__str__", 0, 0, func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			if r := RaisedOf(args[0]); r != nil {
				return raisedStr(t, r)
			}
			if s, ok := Payload(args[0]).AsString(); ok {
				return Str(s), nil
			}
			if c := classBearer(args[0]); c != nil && c.Slots != nil && c.Slots.Str != nil {
				s, err := c.Slots.Str(t, args[0])
				return Str(s), err
			}
			return ReprOf(t, args[0])
		}),
		fn("__format__", 1, 1, func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			spec, err := attrName(args[1])
			if err != nil {
				return Value{}, err
			}
			p := Payload(args[0])
			if spec == "" {
				return StrOf(t, args[0])
			}
			if p == args[0] && !p.IsTagged() && !p.Is(ItabString) && !p.Is(ItabBigInt) {
				return Value{}, TypeErrorf("unsupported format string passed to %s.__format__", typeName(p))
			}
			s, err := FormatSpec(t, p, spec)
			return Str(s), err
		}),
		fn("__hash__", 0, 0, func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			if p := Payload(args[0]); p != args[0] || !p.Is(ItabInstance) {
				h, err := PyHash(t, p)
				return Int(h), err
			}
			return Int(int64(addressHash(args[0]) >> 1)), nil
		}),
		fn("__eq__", 1, 1, func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			return builtinCompare(t, Eq, args[0], args[1])
		}),
		fn("__ne__", 1, 1, func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			return builtinCompare(t, Ne, args[0], args[1])
		}),
		fn("__dir__", 0, 0, func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			return strList(Dir(t, args[0])), nil
		}),
		fn("__reduce_ex__", 1, 1, func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			return Value{}, TypeErrorf("cannot pickle '%s' object", typeName(args[0]))
		}),
	)
	for _, n := range []string{"__setattr__", "__delattr__"} {
		if v, ok := ObjectClass.Own(n); ok {
			excInit = v.iface().(*Builtin)
			excInit.Told = true
		}
	}
	ObjectClass.SetRaw("__new__", (&StaticMethod{Fn: (&Builtin{Name: "__new__", Max: -1, WantsKw: true, Told: true, Fn: newOf}).Value()}).Value())
	ObjectClass.SetRaw("__init_subclass__", (&ClassMethod{Fn: NewBuiltin("__init_subclass__", func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
		if len(kw) > 0 {
			return Value{}, TypeErrorf("%s.__init_subclass__() takes no keyword arguments", args[0].AsClass().Name)
		}
		return None, nil
	}).Value()}).Value())

	TypeClass.Slots = &Slots{New: newType}
	TypeClass.Def(
		any("__init__", func(t *Thread, args []Value, kw []Kwarg) (Value, error) { return None, nil }),
		any("__call__", func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			c := args[0].AsClass()
			if c == nil {
				return Value{}, TypeErrorf("descriptor '__call__' requires a 'type' object but received a '%s'", typeName(args[0]))
			}
			return makeInstance(t, c, args[1:], kw)
		}),
		fn("__setattr__", 2, 2, func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			name, err := attrName(args[1])
			if err != nil {
				return Value{}, err
			}
			c := args[0].AsClass()
			if c == nil {
				return Value{}, TypeErrorf("descriptor '__setattr__' requires a 'type' object but received a '%s'", typeName(args[0]))
			}
			return None, setTypeAttr(t, c, name, args[2])
		}),
		fn("mro", 0, 0, func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			var out []Value
			for _, k := range args[0].AsClass().MRO {
				out = append(out, k.Value())
			}
			return ListOf(out...), nil
		}),
		fn("__subclasses__", 0, 0, func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			var out []Value
			for _, k := range args[0].AsClass().Subclasses() {
				out = append(out, k.Value())
			}
			return ListOf(out...), nil
		}),
		fn("__instancecheck__", 1, 1, func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			return Bool(TypeOf(args[1]).IsSubclass(args[0].AsClass())), nil
		}),
		fn("__subclasscheck__", 1, 1, func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			c := args[1].AsClass()
			return Bool(c != nil && c.IsSubclass(args[0].AsClass())), nil
		}),
	)
	TypeClass.SetRaw("__prepare__", (&ClassMethod{Fn: NewBuiltin("__prepare__", func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
		return NewDict(0).Value(), nil
	}).Value()}).Value())

	ExcBaseException.Def(
		any("__init__", func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			r := RaisedOf(args[0])
			if r == nil {
				return Value{}, TypeErrorf("descriptor '__init__' requires a 'BaseException' object but received a '%s'", typeName(args[0]))
			}
			if r.File.IsUnset() { // else New has put the file name aside
				r.Args = append([]Value(nil), args[1:]...)
			}
			return None, nil
		}),
		fn("with_traceback", 1, 1, func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			tb, ok := As[*Traceback](args[1])
			if !ok && !args[1].IsNone() {
				return Value{}, TypeErrorf("__traceback__ must be a traceback or None")
			}
			r := RaisedOf(args[0])
			r.SetTrace(nil)
			if ok {
				r.SetTrace(slices.Clone(tb.Entries))
			}
			return args[0], nil
		}),
		fn("add_note", 1, 1, func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			s, ok := args[1].AsString()
			if !ok {
				return Value{}, TypeErrorf("note must be a str, not '%s'", typeName(args[1]))
			}
			r := RaisedOf(args[0])
			r.Notes = append(r.Notes, s)
			return None, nil
		}),
	)
	if v, ok := ExcBaseException.Own("__init__"); ok { // part of the final state of a new exception
		excInit = v.iface().(*Builtin)
		excInit.Told = true
	}
	// An exception's __init__ is language code's to call; its arguments are
	// taken by New, so no class call runs it.
	PropertyClass.Slots = &Slots{New: newProperty}
	ClassMethodClass.Slots = &Slots{New: func(t *Thread, cls *Class, args []Value, kw []Kwarg) (Value, error) {
		if len(args) != 1 {
			return Value{}, TypeErrorf("classmethod expected 1 argument, got %d", len(args))
		}
		return wrap(cls, ClassMethodClass, (&ClassMethod{Fn: args[0]}).Value()), nil
	}}
	StaticMethodClass.Slots = &Slots{New: func(t *Thread, cls *Class, args []Value, kw []Kwarg) (Value, error) {
		if len(args) != 1 {
			return Value{}, TypeErrorf("staticmethod expected 1 argument, got %d", len(args))
		}
		return wrap(cls, StaticMethodClass, (&StaticMethod{Fn: args[0]}).Value()), nil
	}}
	SuperClass.Slots = &Slots{New: func(t *Thread, cls *Class, args []Value, kw []Kwarg) (Value, error) {
		if len(args) != 2 {
			return Value{}, RuntimeErrorf("super(): no arguments")
		}
		c := args[0].AsClass()
		if c == nil {
			return Value{}, TypeErrorf("super() argument 1 must be a type, not %s", typeName(args[0]))
		}
		s, err := NewSuper(c, args[1])
		if err != nil {
			return Value{}, err
		}
		return s.Value(), nil
	}}
	NoneClass.Slots = &Slots{New: func(t *Thread, cls *Class, args []Value, kw []Kwarg) (Value, error) { return None, nil }}
	for _, c := range []*Class{FunctionClass, PropertyClass, ClassMethodClass, StaticMethodClass} {
		c.Def(fn("__get__", 1, 2, descriptorGet))
	}
	with := func(name string, set func(p *Property, v Value)) *Builtin {
		return fn(name, 1, 1, func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			p, ok := As[*Property](Payload(args[0]))
			if !ok {
				return Value{}, TypeErrorf("descriptor '%s' for 'property' objects doesn't apply to a '%s' object", name, typeName(args[0]))
			}
			q := *p
			set(&q, args[1])
			return propertyOf(TypeOf(args[0]), &q), nil
		})
	}
	store := func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
		p, ok := As[*Property](Payload(args[0]))
		if !ok {
			return Value{}, TypeErrorf("descriptor '__set__' for 'property' objects doesn't apply to a '%s' object", typeName(args[0]))
		}
		return None, setDescriptor(t, p.Value(), args[1], p.Name, argOr(args, 2, Value{}))
	}
	PropertyClass.Def(
		with("getter", func(p *Property, v Value) { p.Get = v }),
		with("setter", func(p *Property, v Value) { p.Set = v }),
		with("deleter", func(p *Property, v Value) { p.Del = v }),
		fn("__set__", 2, 2, store), fn("__delete__", 1, 1, store),
		fn("__init__", 0, 4, func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			p, ok := As[*Property](Payload(args[0]))
			if !ok || args[0].AsInstance() == nil {
				return None, nil
			}
			v, err := newProperty(t, PropertyClass, args[1:], kw)
			if err == nil {
				q, _ := As[*Property](v)
				name := p.Name
				*p = *q
				p.Name = name
			}
			return None, err
		}),
	)
}

// descriptorGet is __get__ of the built-in descriptors: what reading them as an
// attribute of args[1], whose class is args[2], gives.
func descriptorGet(t *Thread, args []Value, kw []Kwarg) (Value, error) {
	self, owner := args[1], argOr(args, 2, None).AsClass()
	if owner == nil {
		if self.IsNone() {
			return Value{}, TypeErrorf("__get__(None, None) is invalid")
		}
		owner = TypeOf(self)
	}
	if self.IsNone() && owner != NoneClass {
		self = Value{}
	}
	f := Payload(args[0])
	if self.IsUnset() && f.Is(ItabProperty) {
		return args[0], nil
	}
	return bind(t, f, self, owner)
}

func newProperty(t *Thread, cls *Class, args []Value, kw []Kwarg) (Value, error) {
	args, err := placeArgs("property", args, kw, []string{"fget", "fset", "fdel", "doc"})
	if err != nil {
		if cls == PropertyClass {
			return Value{}, err
		}
		args = nil // a subclass's __init__ takes others
	}
	p := &Property{}
	get := func(i int) Value {
		if v := argOr(args, i, None); !v.IsNone() {
			return v
		}
		return Value{}
	}
	p.Get, p.Set, p.Del, p.Doc = get(0), get(1), get(2), get(3)
	if p.Doc.IsUnset() && !p.Get.IsUnset() {
		if d, ok, err := objectAttr(t, p.Get, "__doc__"); ok && err == nil {
			p.Doc = d
		}
	}
	return propertyOf(cls, p), nil
}

// propertyOf is p as an object of cls.
func propertyOf(cls *Class, p *Property) Value {
	v := wrap(cls, PropertyClass, p.Value())
	if in := v.AsInstance(); in != nil && !p.Doc.IsUnset() && !p.Doc.IsNone() {
		in.Set("__doc__", p.Doc)
	}
	return v
}

// newOf is object.__new__ and, through a class's Slots, every other __new__
// written in Go: the first argument is the class to make an instance of.
func newOf(t *Thread, args []Value, kw []Kwarg) (Value, error) {
	if len(args) == 0 || args[0].AsClass() == nil {
		return Value{}, TypeErrorf("object.__new__(): not enough arguments")
	}
	c := args[0].AsClass()
	if len(c.Abstract) > 0 {
		return makeInstance(t, c, nil, nil) // raises
	}
	if c.Slots != nil && c.Slots.New != nil {
		return c.Slots.New(t, c, args[1:], kw)
	}
	return t.born(NewInstance(c).Value()), nil
}

// newType is type(name, bases, namespace) and type.__new__ of metaclasses.
func newType(t *Thread, meta *Class, args []Value, kw []Kwarg) (Value, error) {
	if len(args) == 1 && meta == TypeClass {
		return TypeOf(args[0]).Value(), nil
	}
	if len(args) != 3 {
		return Value{}, TypeErrorf("type() takes 1 or 3 arguments")
	}
	name, ok := args[0].AsString()
	if !ok {
		return Value{}, TypeErrorf("type.__new__() argument 1 must be str, not %s", typeName(args[0]))
	}
	tup, ok := args[1].AsTuple()
	if !ok {
		return Value{}, TypeErrorf("type.__new__() argument 2 must be tuple, not %s", typeName(args[1]))
	}
	ns := Payload(args[2]).AsDict()
	if ns == nil {
		return Value{}, TypeErrorf("type.__new__() argument 3 must be dict, not %s", typeName(args[2]))
	}
	bases := make([]Value, len(tup))
	for i, b := range tup {
		bases[i] = FromStarlark(b)
		if c := bases[i].AsClass(); c != nil && c.Meta != nil && c.Meta.IsSubclass(meta) {
			meta = c.Meta
		}
	}
	return newClass(t, meta, name, bases, ns, kw)
}

// builtinRepr is object.__repr__: native classes' and exceptions' own, else the
// class and the address.
func builtinRepr(t *Thread, x Value) (Value, error) {
	c := TypeOf(x)
	if x.AsInstance() == nil && classBearer(x) != nil {
		s, err := reprString(t, x)
		return Str(s), err
	}
	if c.Slots != nil && c.Slots.Repr != nil {
		s, err := c.Slots.Repr(t, x)
		return Str(s), err
	}
	w := reprWriter{t: t}
	if r := RaisedOf(x); r != nil {
		err := w.elems(c.Name+"(", ")", len(r.Args), func(i int) Value { return r.Args[i] })
		return Str(w.b.String()), err
	}
	mod := c.Module + "."
	if c.Module == "" || c.Module == "builtins" {
		mod = ""
	}
	return Str("<" + mod + c.Qualname + " object at 0x" + strings.TrimLeft(hexPad64(uint64(addressOf(x))), "0") + ">"), nil
}

func hexPad64(u uint64) string {
	const digits = "0123456789abcdef"
	var b [16]byte
	for i := 15; i >= 0; i-- {
		b[i] = digits[u&15]
		u >>= 4
	}
	return string(b[:])
}

// builtinCompare is a comparison as built-in types define it, for super().
func builtinCompare(t *Thread, op Cmp, x, y Value) (Value, error) {
	px, py := Payload(x), Payload(y)
	if c := classBearer(x); c != nil && c.Slots != nil && c.Slots.Compare != nil {
		return c.Slots.Compare(t, op, x, y)
	}
	if px.Is(ItabInstance) || py.Is(ItabInstance) || px == x && classBearer(x) != nil {
		if op == Eq && Same(x, y) {
			return True, nil
		}
		return NotImplemented, nil
	}
	if op == Eq || op == Ne {
		eq, known, err := equalBuiltin(t, px, py, false)
		if err != nil {
			return Value{}, err
		}
		if !known && !eq {
			return NotImplemented, nil
		}
		return Bool(eq == (op == Eq)), nil
	}
	r, err := compareBuiltin(t, op, px, py)
	if e, ok := err.(*Raised); ok && e.Class == ExcTypeError {
		return NotImplemented, nil
	}
	return Bool(r), err
}

// initOperatorMethods lists the operators of built-in types as methods, so that
// super().__setitem__, int.__add__ and dict.__contains__ exist. They work on
// the payload: what a subclass overrides does not come into it.
func initOperatorMethods() {
	def := func(d dunder, n int, f func(t *Thread, x Value, a []Value) (Value, error), classes ...*Class) {
		for _, c := range classes {
			name := dunderNames[d]
			c.Def(&Builtin{Name: name, Min: n, Max: n, Counted: true, Pure: d != dSetitem && d != dDelitem,
				Fn: func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
					x := args[0]
					if !TypeOf(x).IsSubclass(c) {
						return Value{}, TypeErrorf("descriptor '%s' requires a '%s' object but received a '%s'", name, c.Name, typeName(x))
					}
					return f(t, Payload(x), args[1:])
				}})
		}
	}
	containers := []*Class{ListClass, TupleClass, DictClass, StrClass, BytesClass, RangeClass, SetClass, FrozenSetClass, DictKeysClass, DictValuesClass, DictItemsClass}
	def(dLen, 0, func(t *Thread, x Value, a []Value) (Value, error) {
		n, err := Len(t, x)
		return Int(int64(n)), err
	}, containers...)
	def(dIter, 0, func(t *Thread, x Value, a []Value) (Value, error) { return Iter(t, x) }, containers...)
	def(dContains, 1, func(t *Thread, x Value, a []Value) (Value, error) {
		b, err := Contains(t, x, a[0])
		return Bool(b), err
	}, containers...)
	def(dGetitem, 1, func(t *Thread, x Value, a []Value) (Value, error) { return GetItem(t, x, a[0]) },
		ListClass, TupleClass, DictClass, StrClass, BytesClass, RangeClass)
	def(dSetitem, 2, func(t *Thread, x Value, a []Value) (Value, error) { return None, SetItem(t, x, a[0], a[1]) }, ListClass, DictClass)
	def(dDelitem, 1, func(t *Thread, x Value, a []Value) (Value, error) { return None, DelItem(t, x, a[0]) }, ListClass, DictClass)
	numbers := []*Class{IntClass, FloatClass}
	def(dRepr, 0, func(t *Thread, x Value, a []Value) (Value, error) {
		s, err := reprString(t, x)
		return Str(s), err
	}, append(numbers, append(containers, NoneClass, BuiltinClass, FunctionClass, ModuleClass, TypeClass)...)...)
	// int's own know ints alone: float's reflected ones do the rest.
	foreign := func(x, y Value) bool {
		k, m := kindOf(x), kindOf(y)
		return (k == smallNum || k == bigNum) && m != smallNum && m != bigNum
	}
	binary := func(op Op, classes ...*Class) {
		def(dAdd+dunder(op), 1, func(t *Thread, x Value, a []Value) (Value, error) {
			if foreign(x, Payload(a[0])) {
				return NotImplemented, nil
			}
			v, ok, err := binaryBuiltin(t, op, x, Payload(a[0]))
			if err == nil && !ok {
				if op == OpAdd && isSequence(x) { // a sequence's slot, which knows no NotImplemented
					return Value{}, binaryError(t, "+", op, x, a[0])
				}
				v = NotImplemented
			}
			return v, err
		}, classes...)
		def(dRadd+dunder(op), 1, func(t *Thread, x Value, a []Value) (Value, error) {
			if foreign(x, Payload(a[0])) {
				return NotImplemented, nil
			}
			v, ok, err := binaryBuiltin(t, op, Payload(a[0]), x)
			if err == nil && !ok {
				v = NotImplemented
			}
			return v, err
		}, classes...)
	}
	for op := OpAdd; op <= OpPow; op++ {
		binary(op, numbers...)
	}
	for _, op := range []Op{OpAnd, OpOr, OpXor, OpLsh, OpRsh} {
		binary(op, IntClass)
	}
	for _, op := range []Op{OpAnd, OpOr, OpXor, OpSub} {
		binary(op, SetClass, FrozenSetClass)
	}
	binary(OpOr, DictClass)
	binary(OpAdd, ListClass, TupleClass, StrClass, BytesClass)
	binary(OpMul, ListClass, TupleClass, StrClass, BytesClass)
	binary(OpMod, StrClass)
	for op := Lt; op <= Ge; op++ {
		def(dLt+dunder(op), 1, func(t *Thread, x Value, a []Value) (Value, error) { return builtinCompare(t, op, x, a[0]) },
			IntClass, FloatClass, StrClass, BytesClass, ListClass, TupleClass, SetClass, FrozenSetClass)
	}
	for _, op := range []Cmp{Eq, Ne} {
		def(dLt+dunder(op), 1, func(t *Thread, x Value, a []Value) (Value, error) { return builtinCompare(t, op, x, a[0]) }, DictClass)
	}
	for _, op := range []Op{OpNeg, OpPos} {
		def(dNeg+dunder(op-OpNeg), 0, func(t *Thread, x Value, a []Value) (Value, error) { return Unary(t, op, x) }, numbers...)
	}
	def(dInvert, 0, func(t *Thread, x Value, a []Value) (Value, error) { return Unary(t, OpInvert, x) }, IntClass)
	def(dAbs, 0, func(t *Thread, x Value, a []Value) (Value, error) { return absOf(t, x) }, numbers...)
	def(dInt, 0, func(t *Thread, x Value, a []Value) (Value, error) { return ToInt(t, x) }, numbers...)
	def(dIndex, 0, func(t *Thread, x Value, a []Value) (Value, error) { return ToInt(t, x) }, IntClass)
	def(dFloat, 0, func(t *Thread, x Value, a []Value) (Value, error) {
		f, err := toFloat(t, x)
		return Float(f), err
	}, numbers...)
	def(dBool, 0, func(t *Thread, x Value, a []Value) (Value, error) { return truthValue(t, x) }, numbers...)
	for _, c := range []*Class{ListClass, DictClass, SetClass} {
		c.SetRaw("__hash__", None)
	}
}
