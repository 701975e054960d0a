package value

import (
	"sort"

	"go.starlark.net/starlark"
)

// The strict dialect takes its string, bytes and scalar builtins from
// go.starlark.net itself, so that results and words are its own; what makes or
// consumes containers is ours.

func strictNames(x Value) []string {
	if x.IsTagged() {
		return nil
	}
	if methods, ok := strictMethods[x.N]; ok {
		names := make([]string, 0, len(methods))
		for n := range methods {
			names = append(names, n)
		}
		sort.Strings(names)
		return names
	}
	if h, ok := x.iface().(starlark.HasAttrs); ok {
		names := append([]string(nil), h.AttrNames()...)
		sort.Strings(names)
		return names
	}
	return nil
}

// strictAttr is x.name in the strict dialect.
func strictAttr(t *Thread, x Value, name string) (Value, error) {
	if x.IsTagged() {
		return Value{}, noAttr(t, x, name)
	}
	if strictMethods[x.N] != nil {
		m, ok := StrictMethod(x, name)
		if !ok {
			return Value{}, noAttr(t, x, name)
		}
		return FromStarlark(&BoundMethod{Fn: m, Self: x}), nil
	}
	switch o := x.iface().(type) {
	case Function, *Builtin, *BoundMethod:
	case *Class, *Module, *Super, AttrObject:
		v, ok, err := objectAttr(t, x, name)
		if err == nil && !ok {
			err = noAttr(t, x, name)
		}
		return v, err
	case starlark.HasAttrs:
		v, err := o.Attr(name)
		if missing, ok := err.(starlark.NoSuchAttrError); ok {
			return Value{}, AttributeErrorf(name, "%s", spelled(string(missing), name, o.AttrNames()))
		}
		if v == nil && err == nil {
			return Value{}, noAttr(t, x, name)
		}
		if err != nil {
			return Value{}, hostError(err)
		}
		return FromStarlark(v), nil
	}
	return Value{}, noAttr(t, x, name)
}

func strictUniverse() map[string]Value {
	initStrictMethods()
	u := map[string]Value{}
	for name, v := range starlark.Universe {
		u[name] = FromStarlark(v)
	}
	fn := func(name string, f BuiltinFn) {
		u[name] = (&Builtin{Name: name, Max: -1, WantsKw: true, Fn: f}).Value()
	}
	model := universe[Model]
	// from runs one of starlark's own checks on the arguments' shape: by its
	// builtin on views of our containers, whose result is then made ours.
	for _, name := range []string{"sorted", "min", "max", "any", "all", "zip", "enumerate", "reversed"} {
		foreign := starlark.Universe[name].(*starlark.Builtin)
		fn(name, func(t *Thread, args []Value, kw []Kwarg) (Value, error) { return callViews(t, foreign, args, kw) })
	}
	foreign := map[string]*starlark.Builtin{}
	for _, name := range []string{"list", "tuple", "set", "dict", "len", "bool", "hash", "str", "repr", "range", "print", "type", "dir", "getattr", "hasattr"} {
		foreign[name] = starlark.Universe[name].(*starlark.Builtin)
	}
	for _, name := range []string{"list", "tuple", "set", "dict", "len", "bool", "hash", "dir", "hasattr"} {
		f := foreign[name]
		fn(name, func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			v, err := callViews(t, f, args, kw)
			if d := v.AsDict(); d != nil {
				d.Strict = true
			}
			return v, err
		})
	}
	fn("getattr", func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
		if len(args) < 2 || len(args) > 3 || len(kw) > 0 {
			return callViews(t, foreign["getattr"], args, kw)
		}
		name, ok := args[1].AsString()
		if !ok {
			return callViews(t, foreign["getattr"], args, kw)
		}
		v, err := GetAttr(t, args[0], name)
		if r, isRaised := err.(*Raised); isRaised && r.Class.IsSubclass(ExcAttributeError) {
			if len(args) == 3 {
				return args[2], nil
			}
			return Value{}, AttributeErrorf(name, "getattr: %s", r.Message())
		}
		return v, err
	})
	fn("hasattr", func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
		if len(args) == 2 && len(kw) == 0 {
			if name, ok := args[1].AsString(); ok {
				_, err := GetAttr(t, args[0], name)
				return Bool(err == nil), nil
			}
		}
		return callViews(t, foreign["hasattr"], args, kw)
	})
	fn("dir", func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
		if len(args) != 1 || len(kw) > 0 {
			return callViews(t, foreign["dir"], args, kw)
		}
		if args[0].IsTagged() {
			return ListOf(), nil
		}
		return strList(Dir(t, args[0])), nil
	})
	fn("str", func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
		if len(args) != 1 || len(kw) > 0 || args[0].Is(ItabBytes) {
			return callViews(t, foreign["str"], args, kw)
		}
		return StrOf(t, args[0])
	})
	fn("repr", func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
		if len(args) != 1 || len(kw) > 0 {
			return callViews(t, foreign["repr"], args, kw)
		}
		s, err := reprString(t, args[0])
		return Str(s), err
	})
	fn("type", func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
		if len(args) != 1 || len(kw) > 0 {
			return callViews(t, foreign["type"], args, kw)
		}
		return Str(TypeName(t, args[0])), nil
	})
	fn("range", func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
		if _, err := callViews(t, foreign["range"], args, kw); err != nil {
			return Value{}, err
		}
		for _, k := range kw {
			args = append(args[:len(args):len(args)], k.Value)
		}
		return newRange(t, RangeClass, args, nil)
	})
	fn("print", func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
		for _, k := range kw {
			if k.Name != "sep" || !k.Value.Is(ItabString) {
				return callViews(t, foreign["print"], args, kw) // whose complaint it is
			}
		}
		return CallAny(t, model["print"], args, kw)
	})
	return u
}

// callViews calls a builtin of go.starlark.net with our containers as they
// are: it uses them through starlark's interfaces and makes new ones, which
// become ours.
func callViews(t *Thread, fn *starlark.Builtin, args []Value, kw []Kwarg) (Value, error) {
	sargs := make(starlark.Tuple, len(args))
	for i, a := range args {
		sargs[i] = ForHost(a)
	}
	var skw []starlark.Tuple
	for _, k := range kw {
		skw = append(skw, starlark.Tuple{starlark.String(k.Name), ForHost(k.Value)})
	}
	r, err := fn.CallInternal(t.HostThread(), sargs, skw)
	if err != nil {
		return Value{}, hostError(err)
	}
	switch o := r.(type) {
	case *starlark.List:
		// Elements are ours already; only the container is new.
		elems := make([]Value, o.Len())
		for i := range elems {
			elems[i] = unhost(o.Index(i))
		}
		return NewList(elems).Value(), nil
	case *starlark.Dict:
		d := NewDict(o.Len())
		d.Strict = true
		for _, it := range o.Items() {
			if err := d.Set(t, FromStarlark(it[0]), FromStarlark(it[1])); err != nil {
				return Value{}, err
			}
		}
		return d.Value(), nil
	case *starlark.Set:
		s := NewSet(o.Len())
		s.d.Strict = true
		it := o.Iterate()
		defer it.Done()
		var e starlark.Value
		for it.Next(&e) {
			if err := s.Add(t, FromStarlark(e)); err != nil {
				return Value{}, err
			}
		}
		return s.Value(), nil
	}
	return unhost(r), nil
}

// unhost undoes ForHost.
func unhost(x starlark.Value) Value {
	if c, ok := x.(*hostCallable); ok {
		return c.v
	}
	return FromStarlark(x)
}
