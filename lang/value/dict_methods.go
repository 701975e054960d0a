package value

import (
	"go.starlark.net/starlark"
)

type viewKind uint8

const (
	viewKeys viewKind = iota
	viewValues
	viewItems
)

// DictView is what keys(), values() and items() give: a live view.
type DictView struct {
	d    *Dict
	kind viewKind
	object
}

func (v *DictView) Value() Value { return FromStarlark(v) }
func (v *DictView) ClassOf() *Class {
	return [...]*Class{DictKeysClass, DictValuesClass, DictItemsClass}[v.kind]
}
func (v *DictView) String() string             { return reprOffline(v.Value()) }
func (v *DictView) Type() string               { return v.ClassOf().Name }
func (v *DictView) Truth() starlark.Bool       { return v.d.live > 0 }
func (v *DictView) Hash() (uint32, error)      { return 0, TypeErrorf("unhashable type: '%s'", v.Type()) }
func (v *DictView) Len() int                   { return v.d.live }
func (v *DictView) Iterate() starlark.Iterator { return starlark.NewList(v.starlark()).Iterate() }

func (v *DictView) starlark() []starlark.Value {
	items, _ := v.items(offline())
	out := make([]starlark.Value, len(items))
	for i, x := range items {
		out[i] = x.Starlark()
	}
	return out
}

func (v *DictView) items(t *Thread) ([]Value, error) {
	items, _, err := goItems(t, v.Value())
	return items, err
}

func (v *DictView) toSet(t *Thread) (*Set, error) {
	items, err := v.items(t)
	if err != nil {
		return nil, err
	}
	return setOf(t, items)
}

func (v *DictView) contains(t *Thread, x Value) (bool, error) {
	switch v.kind {
	case viewKeys:
		return v.d.Has(t, x)
	case viewItems:
		tup, ok := x.AsTuple()
		if !ok || len(tup) != 2 {
			return false, nil
		}
		val, ok, err := v.d.Lookup(t, FromStarlark(tup[0]))
		if !ok || err != nil {
			return false, err
		}
		return Equal(t, val, FromStarlark(tup[1]))
	}
	items, err := v.items(t)
	if err != nil {
		return false, err
	}
	for _, it := range items {
		if eq, err := Equal(t, it, x); eq || err != nil {
			return eq, err
		}
	}
	return false, nil
}

func asDict(v Value) (*Dict, bool) { d := v.AsDict(); return d, d != nil }

func initDictMethods() {
	DictClass.Slots = &Slots{New: func(t *Thread, cls *Class, args []Value, kw []Kwarg) (Value, error) {
		return t.born(wrap(cls, DictClass, (&Dict{Strict: t.Dialect == Strict}).Value())), nil
	}}
	m := methodOf(asDict, &DictClass)
	view := func(name string, k viewKind) *Builtin {
		return m(name, 0, 0, "", func(t *Thread, d *Dict, a []Value) (Value, error) {
			v := &DictView{d: d, kind: k}
			if t.Dialect == Strict {
				items, err := v.items(t)
				return NewList(items).Value(), err
			}
			return v.Value(), nil
		})
	}
	DictClass.Def(
		&Builtin{Name: "__init__", Max: -1, WantsKw: true, Fn: dictInit},
		&Builtin{Name: "update", Max: -1, WantsKw: true, Fn: dictUpdate},
		view("keys", viewKeys), view("values", viewValues), view("items", viewItems),
		m("get", 1, 2, "", func(t *Thread, d *Dict, a []Value) (Value, error) {
			v, ok, err := d.Lookup(t, a[0])
			if ok || err != nil {
				return v, err
			}
			return argOr(a, 1, None), nil
		}),
		impure(m("pop", 1, 2, "", func(t *Thread, d *Dict, a []Value) (Value, error) {
			v, ok, err := d.take(t, a[0])
			if ok || err != nil {
				return v, err
			}
			if len(a) > 1 {
				return a[1], nil
			}
			if t.Dialect == Strict {
				return Value{}, keyErrorf("missing key")
			}
			return Value{}, KeyErrorOf(a[0])
		})),
		impure(m("popitem", 0, 0, "", func(t *Thread, d *Dict, a []Value) (Value, error) {
			t.readOrder(d.Value())
			if t.Dialect == Strict {
				if k, _, _, ok := d.Next(0); ok {
					v, _, err := d.take(t, k)
					return pair(k, v), err
				}
				return Value{}, keyErrorf("empty dict")
			}
			for i := len(d.entries) - 1; i >= 0; i-- {
				if e := d.entries[i]; !e.key.IsUnset() {
					v, _, err := d.take(t, e.key)
					if err != nil {
						return Value{}, err
					}
					return pair(e.key, v), nil
				}
			}
			return Value{}, KeyErrorOf(Str("popitem(): dictionary is empty"))
		})),
		impure(m("setdefault", 1, 2, "", func(t *Thread, d *Dict, a []Value) (Value, error) {
			v, ok, err := d.Lookup(t, a[0])
			if ok || err != nil {
				return v, err
			}
			v = argOr(a, 1, None)
			return v, d.Set(t, a[0], v)
		})),
		impure(m("clear", 0, 0, "", func(t *Thread, d *Dict, a []Value) (Value, error) { return None, d.Clear(t) })),
		m("copy", 0, 0, "", func(t *Thread, d *Dict, a []Value) (Value, error) {
			t.readOrder(d.Value())
			return t.born(d.Copy().Value()), nil
		}),
		m("__reversed__", 0, 0, "", func(t *Thread, d *Dict, a []Value) (Value, error) {
			return FromStarlark(&DictIter{D: d, Of: d.Value(), Pos: len(d.entries), Len: d.live, Back: true}), nil
		}),
	)
	DictClass.SetRaw("fromkeys", (&ClassMethod{Fn: (&Builtin{Name: "fromkeys", Min: 2, Max: 3, Counted: true, Fn: dictFromKeys}).Value()}).Value())
	// The same methods on x.__dict__ work on the view.
	for _, name := range DictClass.OwnNames() {
		v, _ := DictClass.Own(name)
		if b, ok := As[*Builtin](v); ok && name != "__init__" {
			inner := b.Fn
			b.Fn = func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
				if len(args) > 0 && args[0].N != ItabDict {
					if ad, ok := As[*AttrDict](args[0]); ok {
						return ad.method(t, name, args[1:], kw)
					}
				}
				return inner(t, args, kw)
			}
			if name != "keys" && name != "get" && name != "items" && name != "values" && name != "copy" {
				continue
			}
			ProxyClass.SetRaw(name, v)
		}
	}
	for _, c := range []*Class{DictKeysClass, DictItemsClass} {
		v := methodOf(As[*DictView], &DictKeysClass)
		c.Def(v("isdisjoint", 1, 1, "", func(t *Thread, v *DictView, a []Value) (Value, error) {
			s, err := v.toSet(t)
			if err != nil {
				return Value{}, err
			}
			items, ok, err := goItems(t, a[0])
			if err != nil || !ok {
				return Value{}, err
			}
			for _, it := range items {
				if in, err := s.Contains(t, it); in || err != nil {
					return Bool(!in), err
				}
			}
			return True, nil
		}))
	}
}

func dictFromKeys(t *Thread, args []Value, kw []Kwarg) (Value, error) {
	items, err := collect(t, dictFromKeys, args, kw, 1)
	if err != nil {
		return Value{}, err
	}
	cls := args[0].AsClass()
	d := NewDict(len(items))
	t.born(d.Value())
	for _, k := range items {
		if err := d.Set(t, k, argOr(args, 2, None)); err != nil {
			return Value{}, err
		}
	}
	return t.born(wrap(cls, DictClass, d.Value())), nil
}

func dictInit(t *Thread, args []Value, kw []Kwarg) (Value, error) {
	if len(args) > 2 {
		return Value{}, TypeErrorf("dict expected at most 1 argument, got %d", len(args)-1)
	}
	return dictUpdate(t, args, kw)
}

// dictUpdate is dict.update(mapping or pairs, **kw).
func dictUpdate(t *Thread, args []Value, kw []Kwarg) (Value, error) {
	d := Payload(args[0]).AsDict()
	if d == nil {
		if ad, ok := As[*AttrDict](args[0]); ok {
			return ad.method(t, "update", args[1:], kw)
		}
		return Value{}, TypeErrorf("descriptor 'update' for 'dict' objects doesn't apply to a '%s' object", typeName(args[0]))
	}
	if len(args) > 2 {
		return Value{}, TypeErrorf("update expected at most 1 argument, got %d", len(args)-1)
	}
	if len(args) == 2 {
		if err := dictFrom(t, d, args, kw); err != nil {
			return Value{}, err
		}
	}
	for _, k := range kw {
		if err := d.Set(t, Str(k.Name), k.Value); err != nil {
			return Value{}, err
		}
	}
	return None, nil
}

func dictFrom(t *Thread, d *Dict, args []Value, kw []Kwarg) error {
	src := args[1]
	if b := Payload(src).AsDict(); b != nil {
		if c := classBearer(src); c == nil {
			t.readOrder(src)
			return d.update(t, b)
		} else if _, ok := c.custom(dIter); !ok {
			t.readOrder(b.Value())
			return d.update(t, b)
		}
	}
	if ad, ok := As[*AttrDict](src); ok {
		return d.update(t, ad.snapshot())
	}
	if c := classBearer(src); c != nil {
		if f, ok := c.Find("keys"); ok && (!f.Value.Is(ItabBuiltin) || Payload(src).AsDict() != nil) {
			return t.Run(&fromKeysStep{d: d, src: src, kw: copyKw(kw), keysFn: f.Value})
		}
		if m, ok := As[starlark.IterableMapping](src); ok && src.AsInstance() == nil {
			for _, it := range m.Items() {
				if err := d.Set(t, FromStarlark(it[0]), FromStarlark(it[1])); err != nil {
					return err
				}
			}
			return nil
		}
	} else if m, ok := As[starlark.IterableMapping](src); ok {
		for _, it := range m.Items() {
			if err := d.Set(t, FromStarlark(it[0]), FromStarlark(it[1])); err != nil {
				return err
			}
		}
		return nil
	}
	if !isIterable(src) {
		return TypeErrorf("'%s' object is not iterable", typeName(src))
	}
	items, err := collect(t, dictUpdate, args, kw, 1)
	if err != nil {
		return err
	}
	for i, it := range items {
		kv, ok, err := goItems(t, it)
		if !ok || err != nil {
			if t.Dialect == Strict {
				return TypeErrorf("dictionary update sequence element #%d is not iterable (%s)", i, TypeName(t, it))
			}
			return TypeErrorf("cannot convert dictionary update sequence element #%d to a sequence", i)
		}
		if len(kv) != 2 {
			return ValueErrorf("dictionary update sequence element #%d has length %d; 2 is required", i, len(kv))
		}
		if err := d.Set(t, kv[0], kv[1]); err != nil {
			return err
		}
	}
	return nil
}

// update copies the entries of b into d.
func (d *Dict) update(t *Thread, b *Dict) error {
	if d == b {
		return nil
	}
	if err := d.Writable("insert into"); err != nil {
		return err
	}
	for i := 0; ; {
		k, v, next, ok := b.Next(i)
		if !ok {
			return nil
		}
		if err := d.Set(t, k, t.readItem(b.Value(), k, v)); err != nil {
			return err
		}
		i = next
	}
}

// fromKeysStep copies a mapping written in the language: keys(), then x[k].
type fromKeysStep struct {
	d      *Dict
	src    Value
	kw     []Kwarg
	keysFn Value
	it     Value
	key    Value
	stage  int
}

func (s *fromKeysStep) Roots(visit func(*Value)) { visit(&s.src); visit(&s.it); visit(&s.key) }
func (s *fromKeysStep) Step(t *Thread, in Value, err error) Action {
	for {
		if err != nil {
			return Raise(err)
		}
		switch s.stage {
		case 0:
			s.stage = 1
			return Raise(t.needMethod(nil, s.keysFn, s.src))
		case 1:
			s.stage = 2
			in, err = Iter(t, in)
		case 2:
			s.it, s.stage = in, 3
			return NextOf(s.it)
		case 3:
			if in.IsUnset() {
				for _, k := range s.kw {
					if err := s.d.Set(t, Str(k.Name), k.Value); err != nil {
						return Raise(err)
					}
				}
				return Return(None)
			}
			s.key, s.stage = in, 4
			in, err = GetItem(t, s.src, s.key)
		case 4:
			if err := s.d.Set(t, s.key, in); err != nil {
				return Raise(err)
			}
			s.stage = 3
			return NextOf(s.it)
		}
	}
}
