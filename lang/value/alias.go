package value

import (
	"strings"

	"go.starlark.net/starlark"
)

// Union is int | str: what isinstance takes and annotations hold.
type Union struct {
	Items []Value
	object
}

func (u *Union) Value() Value          { return FromStarlark(u) }
func (u *Union) ClassOf() *Class       { return UnionClass }
func (u *Union) Type() string          { return "UnionType" }
func (u *Union) Hash() (uint32, error) { h, err := Hash(nil, u.Value()); return uint32(h), err }
func (u *Union) String() string {
	parts := make([]string, len(u.Items))
	for i, v := range u.Items {
		parts[i] = annotationText(v)
	}
	return strings.Join(parts, " | ")
}

// annotationText is how a type is shown inside an alias or union.
func annotationText(v Value) string {
	if c := v.AsClass(); c != nil {
		if c == NoneClass {
			return "None"
		}
		if c.Module == "builtins" || c.Module == "" {
			return c.Qualname
		}
		return c.Module + "." + c.Qualname
	}
	if v == Ellipsis {
		return "..."
	}
	return plainRepr(v)
}

// typeLike reports whether v may stand in a union of types.
func typeLike(v Value) bool {
	if v.IsNone() || v.Is(ItabClass) {
		return true
	}
	if _, ok := As[*Union](v); ok {
		return true
	}
	_, ok := As[*Alias](v)
	return ok
}

// unionOf is | on types.
func unionOf(op Op, x, y Value) (Value, bool, error) {
	if op != OpOr || x.IsNone() && y.IsNone() || !typeLike(x) || !typeLike(y) {
		return Value{}, false, nil
	}
	u := &Union{}
	add := func(v Value) {
		items := []Value{v}
		if o, ok := As[*Union](v); ok {
			items = o.Items
		}
		for _, it := range items {
			if it.IsNone() {
				it = NoneClass.Value()
			}
			dup := false
			for _, have := range u.Items {
				dup = dup || Same(have, it)
			}
			if !dup {
				u.Items = append(u.Items, it)
			}
		}
	}
	add(x)
	add(y)
	if len(u.Items) == 1 {
		return u.Items[0], true, nil
	}
	return u.Value(), true, nil
}

// Alias is list[int]: a class with arguments, for annotations; calling it
// calls the class.
type Alias struct {
	Origin Value
	Args   []Value
	object
}

func (a *Alias) Value() Value          { return FromStarlark(a) }
func (a *Alias) ClassOf() *Class       { return AliasClass }
func (a *Alias) Type() string          { return "GenericAlias" }
func (a *Alias) Hash() (uint32, error) { h, err := Hash(nil, a.Value()); return uint32(h), err }
func (a *Alias) String() string {
	parts := make([]string, len(a.Args))
	for i, v := range a.Args {
		parts[i] = annotationText(v)
	}
	if len(parts) == 0 {
		parts = []string{"()"}
	}
	return annotationText(a.Origin) + "[" + strings.Join(parts, ", ") + "]"
}

func itemArgs(k Value) []Value {
	if tup, ok := k.AsTuple(); ok {
		args := make([]Value, len(tup))
		for i, e := range tup {
			args[i] = FromStarlark(e)
		}
		return args
	}
	return []Value{k}
}

func aliasAttr(t *Thread, a *Alias, name string) (Value, bool, error) {
	switch name {
	case "__origin__":
		return a.Origin, true, nil
	case "__args__":
		return Tuple(a.Args...), true, nil
	case "__class__", "__doc__":
		return Value{}, false, nil
	}
	v, err := GetAttr(t, a.Origin, name)
	if r, ok := err.(*Raised); ok && r.Class.IsSubclass(ExcAttributeError) {
		return Value{}, false, nil
	}
	return v, err == nil, err
}

// classItem is C[k]: a metaclass's __getitem__, __class_getitem__, or an alias
// of a built-in container.
func classItem(t *Thread, c *Class, k Value) (Value, error) {
	if m := c.Meta; m != nil && m != TypeClass {
		if f, ok := m.custom(dGetitem); ok {
			return Value{}, t.needMethod(nil, f, c.Value(), k)
		}
		if m.Slots != nil && m.Slots.GetItem != nil {
			return m.Slots.GetItem(t, c.Value(), k)
		}
	}
	if f, ok := c.Find("__class_getitem__"); ok {
		fn := f.Value
		if cm, ok := As[*ClassMethod](fn); ok {
			fn = cm.Fn
		}
		if _, lang := As[Function](fn); lang {
			return Value{}, t.Need(nil, fn, c.Value(), k)
		}
		return CallAny(t, fn, []Value{c.Value(), k}, nil)
	}
	for _, base := range []*Class{ListClass, DictClass, TupleClass, SetClass, FrozenSetClass, TypeClass} {
		if c == base || base != TypeClass && c.IsSubclass(base) {
			return (&Alias{Origin: c.Value(), Args: itemArgs(k)}).Value(), nil
		}
	}
	return Value{}, TypeErrorf("type '%s' is not subscriptable", c.Name)
}

// IsInstance is the builtin, with tuples and unions of classes. It may return
// a *NeedCall for a metaclass's __instancecheck__.
func IsInstance(t *Thread, x, class Value) (bool, error) {
	return checkClass(t, class, dInstancecheck, x, "isinstance() arg 2 must be a type, a tuple of types, or a union", func(c *Class) (bool, error) {
		if c.Meta != nil {
			if TypeOf(x) == c { // no class may deny its own instances
				return true, nil
			}
			if f, ok := c.Meta.custom(dInstancecheck); ok {
				return boolOf(t)(callSpecial(t, f, c.Value(), x))
			}
			// A metaclass in Go (torch.FloatTensor's) may have a check of its own.
			if f := c.Meta.special(dInstancecheck); f.Is(ItabBuiltin) && (*Builtin)(f.P).Owner != TypeClass {
				v, err := (*Builtin)(f.P).Call(t, []Value{c.Value(), x}, nil)
				return v == True, err
			}
		}
		if t.Observer != nil {
			t.Observer.Read(x, StepType, Value{}, TypeOf(x).Value())
		}
		return TypeOf(concrete(x)).IsSubclass(c), nil
	})
}

// IsSubclass is the builtin.
func IsSubclass(t *Thread, x, class Value) (bool, error) {
	k := x.AsClass()
	if k == nil {
		return false, TypeErrorf("issubclass() arg 1 must be a class")
	}
	return checkClass(t, class, dSubclasscheck, x, "issubclass() arg 2 must be a class, a tuple of classes, or a union", func(c *Class) (bool, error) {
		if c.Meta != nil {
			if f, ok := c.Meta.custom(dSubclasscheck); ok {
				return boolOf(t)(callSpecial(t, f, c.Value(), x))
			}
		}
		return k.IsSubclass(c), nil
	})
}

func boolOf(t *Thread) func(Value, error) (bool, error) {
	return func(v Value, err error) (bool, error) {
		if err != nil {
			return false, err
		}
		v, err = t.finish(truthValue(t, v))
		return v.N != 0, err
	}
}

// checkClass applies test to a class, or to those of a tuple or union; an object of
// another kind is asked for its own check of x, the method d.
func checkClass(t *Thread, class Value, d dunder, x Value, msg string, test func(*Class) (bool, error)) (bool, error) {
	if c := class.AsClass(); c != nil {
		return test(c)
	}
	if f, ok := customOf(class, d); ok {
		return boolOf(t)(callSpecial(t, f, class, x))
	}
	if tup, ok := class.AsTuple(); ok {
		if err := t.enter("in __instancecheck__"); err != nil {
			return false, err
		}
		defer t.leave()
		for _, e := range tup {
			if ok, err := checkClass(t, FromStarlark(e), d, x, msg, test); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	}
	if u, ok := As[*Union](class); ok {
		for _, e := range u.Items {
			if ok, err := checkClass(t, e, d, x, msg, test); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	}
	if _, ok := As[*Alias](class); ok {
		return false, TypeErrorf("isinstance() argument 2 cannot be a parameterized generic")
	}
	if class.IsNone() {
		return false, TypeErrorf("%s", msg)
	}
	return false, TypeErrorf("%s", msg)
}

var _ starlark.Value = (*Union)(nil)
