package value

import (
	"go.starlark.net/starlark"
)

func asList(v Value) (*List, bool)           { l := v.AsList(); return l, l != nil }
func asTuple(v Value) (starlark.Tuple, bool) { return v.AsTuple() }

func initListMethods() {
	ListClass.Slots = &Slots{New: func(t *Thread, cls *Class, args []Value, kw []Kwarg) (Value, error) {
		return t.born(wrap(cls, ListClass, (&List{}).Value())), nil
	}}
	m := methodOf(asList, &ListClass)
	ListClass.Def(
		&Builtin{Name: "__init__", Max: 1, Counted: true, Told: true, Fn: listInit},
		impure(m("append", 1, 1, "", func(t *Thread, l *List, a []Value) (Value, error) {
			return None, l.Append(t, a[0])
		})),
		&Builtin{Name: "extend", Min: 1, Max: 1, Counted: true, Told: true, Fn: listExtend},
		impure(m("insert", 2, 2, "", func(t *Thread, l *List, a []Value) (Value, error) {
			i, err := wantIndex(t, a[0])
			if err != nil {
				return Value{}, err
			}
			n := int64(len(l.Elems))
			if i < 0 {
				i = max(i+n, 0)
			}
			i = min(i, n)
			elems := make([]Value, 0, max(n+1, 8))
			elems = append(append(append(elems, l.Elems[:i]...), a[1]), l.Elems[i:]...)
			return None, l.replace(t, "insert into", elems)
		})),
		impure(m("pop", 0, 1, "", func(t *Thread, l *List, a []Value) (Value, error) {
			i, err := wantIndex(t, argOr(a, 0, Int(-1)))
			if err != nil {
				return Value{}, err
			}
			t.readLen(l.Value())
			n := int64(len(l.Elems))
			if i < 0 {
				i += n
			}
			if t.Dialect == Strict && (i < 0 || i >= n) {
				if err := l.Writable("pop from"); err != nil {
					return Value{}, err
				}
				return Value{}, t.rangeError("list", argOr(a, 0, Int(-1)).Int64(), int(n), "")
			}
			if n == 0 {
				return Value{}, IndexErrorf("pop from empty list")
			}
			if i < 0 || i >= n {
				return Value{}, IndexErrorf("pop index out of range")
			}
			v := t.readElem(l, int(i))
			return v, l.removeAt(t, int(i))
		})),
		impure(m("remove", 1, 1, "", func(t *Thread, l *List, a []Value) (Value, error) {
			i, err := l.find(t, a[0], 0, len(l.Elems))
			if err != nil {
				return Value{}, err
			}
			if i < 0 {
				if t.Dialect == Strict {
					return Value{}, ValueErrorf("element not found")
				}
				return Value{}, ValueErrorf("list.remove(x): x not in list")
			}
			return None, l.removeAt(t, i)
		})),
		impure(m("clear", 0, 0, "", func(t *Thread, l *List, a []Value) (Value, error) {
			return None, l.replace(t, "clear", nil)
		})),
		m("index", 1, 3, "", func(t *Thread, l *List, a []Value) (Value, error) {
			lo, hi, err := bounds(t, a, len(l.Elems))
			if err != nil {
				return Value{}, err
			}
			i, err := l.find(t, a[0], lo, hi)
			if err == nil && i < 0 {
				if t.Dialect == Strict {
					return Value{}, ValueErrorf("value not in list")
				}
				s, err := reprString(t, a[0])
				if err != nil {
					return Value{}, err
				}
				return Value{}, ValueErrorf("%s is not in list", s)
			}
			return Int(int64(i)), err
		}),
		m("count", 1, 1, "", func(t *Thread, l *List, a []Value) (Value, error) {
			n := 0
			t.readLen(l.Value())
			for i := 0; i < len(l.Elems); i++ {
				eq, err := Equal(t, t.readElem(l, i), a[0])
				if err != nil {
					return Value{}, err
				}
				if eq {
					n++
				}
			}
			return Int(int64(n)), nil
		}),
		m("copy", 0, 0, "", func(t *Thread, l *List, a []Value) (Value, error) {
			return t.born(ListOf(t.readAll(l)...)), nil
		}),
		impure(m("reverse", 0, 0, "", func(t *Thread, l *List, a []Value) (Value, error) {
			elems := append([]Value(nil), t.readAll(l)...)
			reverse(elems)
			return None, l.replace(t, "reverse", elems)
		})),
		&Builtin{Name: "sort", WantsKw: true, Max: 0, Start: func(t *Thread, args []Value, kw []Kwarg) (Stepper, error) {
			l := Payload(args[0]).AsList()
			if l == nil {
				return nil, TypeErrorf("descriptor 'sort' for 'list' objects doesn't apply to a '%s' object", typeName(args[0]))
			}
			if len(args) > 1 {
				return nil, TypeErrorf("sort() takes no positional arguments")
			}
			if err := l.Writable("sort"); err != nil {
				return nil, err
			}
			s := &sortStep{list: l, was: l.Elems, items: append([]Value(nil), t.readAll(l)...)}
			return s, s.options("sort", kw)
		}},
	)
	TupleClass.Slots = &Slots{New: newTuple}
	u := methodOf(asTuple, &TupleClass)
	TupleClass.Def(
		u("index", 1, 3, "", func(t *Thread, tup starlark.Tuple, a []Value) (Value, error) {
			lo, hi, err := bounds(t, a, len(tup))
			if err != nil {
				return Value{}, err
			}
			for i := lo; i < hi; i++ {
				if eq, err := Equal(t, FromStarlark(tup[i]), a[0]); err != nil || eq {
					return Int(int64(i)), err
				}
			}
			return Value{}, ValueErrorf("tuple.index(x): x not in tuple")
		}),
		u("count", 1, 1, "", func(t *Thread, tup starlark.Tuple, a []Value) (Value, error) {
			n := 0
			for _, e := range tup {
				eq, err := Equal(t, FromStarlark(e), a[0])
				if err != nil {
					return Value{}, err
				}
				if eq {
					n++
				}
			}
			return Int(int64(n)), nil
		}),
	)
	RangeClass.Slots = &Slots{New: newRange}
	r := methodOf(As[*Range], &RangeClass)
	RangeClass.Def(
		r("index", 1, 1, "", func(t *Thread, x *Range, a []Value) (Value, error) {
			if !rangeHas(x, a[0]) {
				if p := Payload(a[0]); !p.IsInt() && !p.IsBool() && !p.Is(ItabBigInt) {
					return Value{}, ValueErrorf("sequence.index(x): x not in sequence")
				}
				return Value{}, ValueErrorf("%s is not in range", plainRepr(a[0]))
			}
			return Int((Payload(a[0]).Int64() - x.Start) / x.Step), nil
		}),
		r("count", 1, 1, "", func(t *Thread, x *Range, a []Value) (Value, error) {
			return Int(int64(Bool(rangeHas(x, a[0])).N)), nil
		}),
	)
	SliceClass.Slots = &Slots{New: newSlice}
	sl := methodOf(As[*Slice], &SliceClass)
	SliceClass.Def(sl("indices", 1, 1, "", func(t *Thread, s *Slice, a []Value) (Value, error) {
		n, err := wantIndex(t, a[0])
		if err != nil {
			return Value{}, err
		}
		if n < 0 {
			return Value{}, ValueErrorf("length should not be negative")
		}
		lo, hi, step, err := s.Indices(t, int(n))
		return Tuple(Int(int64(lo)), Int(int64(hi)), Int(int64(step))), err
	}))
}

// born tells an observer of a new object and returns it.
func (t *Thread) born(v Value) Value {
	if t.Observer != nil {
		t.Observer.Born(v)
	}
	return v
}

func bounds(t *Thread, a []Value, n int) (lo, hi int, err error) {
	s := &Slice{Lo: argOr(a, 1, None), Hi: argOr(a, 2, None), Step: None}
	lo, hi, _, err = s.Indices(t, n)
	return lo, hi, err
}

func listInit(t *Thread, args []Value, kw []Kwarg) (Value, error) {
	l := Payload(args[0]).AsList()
	if l == nil {
		return Value{}, TypeErrorf("descriptor '__init__' requires a 'list' object but received a '%s'", typeName(args[0]))
	}
	if len(args) == 1 {
		if len(l.Elems) == 0 {
			return None, nil
		}
		return None, l.replace(t, "clear", nil)
	}
	items, err := collect(t, listInit, args, kw, 1)
	if err != nil {
		return Value{}, err
	}
	return None, l.replace(t, "extend", append([]Value(nil), items...))
}

func listExtend(t *Thread, args []Value, kw []Kwarg) (Value, error) {
	l := Payload(args[0]).AsList()
	if l == nil {
		return Value{}, TypeErrorf("descriptor 'extend' for 'list' objects doesn't apply to a '%s' object", typeName(args[0]))
	}
	items, err := collect(t, listExtend, args, kw, 1)
	if err != nil {
		return Value{}, err
	}
	return None, l.extend(t, items)
}

func (l *List) extend(t *Thread, items []Value) error {
	if err := l.Writable("extend"); err != nil {
		return err
	}
	if t.Observer != nil {
		for _, v := range append([]Value(nil), items...) {
			if err := l.Append(t, v); err != nil {
				return err
			}
		}
		return nil
	}
	if err := t.RoomFor(int64(len(l.Elems) + len(items))); err != nil {
		return err
	}
	l.Elems = append(l.Elems, items...)
	l.Watch.Fire(WatchShape)
	return nil
}

func (l *List) removeAt(t *Thread, i int) error {
	if i == len(l.Elems)-1 {
		if err := l.Writable("pop from"); err != nil {
			return err
		}
		if t.Observer != nil {
			t.Observer.Write(l.Value(), StepItem, Int(int64(i)), l.Elems[i], Value{})
		}
		l.Elems[i] = Value{}
		l.Elems = l.Elems[:i]
		l.Watch.Fire(WatchShape)
		return nil
	}
	if err := l.Writable("pop from"); err != nil {
		return err
	}
	if t.Observer != nil {
		t.Observer.Write(l.Value(), StepOrder, Value{}, Value{}, Value{})
	}
	copy(l.Elems[i:], l.Elems[i+1:])
	l.Elems[len(l.Elems)-1] = Value{}
	l.Elems = l.Elems[:len(l.Elems)-1]
	l.Watch.Fire(WatchShape)
	return nil
}

func (l *List) find(t *Thread, v Value, lo, hi int) (int, error) {
	t.readLen(l.Value())
	for i := lo; i < hi && i < len(l.Elems); i++ {
		if eq, err := Equal(t, t.readElem(l, i), v); err != nil {
			return -1, err
		} else if eq {
			return i, nil
		}
	}
	return -1, nil
}

func setSlice(t *Thread, l *List, s *Slice, v Value) error {
	items, ok, err := goItems(t, v)
	if err != nil {
		if !isIterable(v) {
			return TypeErrorf("can only assign an iterable")
		}
		return err
	}
	if !ok {
		if !isIterable(v) {
			return TypeErrorf("can only assign an iterable")
		}
		return t.Run(&collectStep{fn: setSliceFn, args: []Value{l.Value(), s.Value(), v}, i: 2})
	}
	t.readLen(l.Value())
	lo, hi, step, err := s.IndicesOf(t, func() int { return len(l.Elems) })
	if err != nil {
		return err
	}
	if step == 1 {
		hi = max(lo, hi)
		if err := t.RoomFor(int64(len(l.Elems) - (hi - lo) + len(items))); err != nil {
			return err
		}
		elems := make([]Value, 0, len(l.Elems)-(hi-lo)+len(items))
		elems = append(append(append(elems, l.Elems[:lo]...), items...), l.Elems[hi:]...)
		return l.replace(t, "assign to slice of", elems)
	}
	n := sliceLen(lo, hi, step)
	if n != len(items) {
		return ValueErrorf("attempt to assign sequence of size %d to extended slice of size %d", len(items), n)
	}
	elems := append([]Value(nil), l.Elems...)
	for i := 0; i < n; i++ {
		elems[lo+i*step] = items[i]
	}
	return l.replace(t, "assign to slice of", elems)
}

func setSliceFn(t *Thread, args []Value, kw []Kwarg) (Value, error) {
	s, _ := As[*Slice](args[1])
	return None, setSlice(t, args[0].AsList(), s, args[2])
}

func deleteSlice(t *Thread, l *List, s *Slice) error {
	t.readLen(l.Value())
	lo, hi, step, err := s.IndicesOf(t, func() int { return len(l.Elems) })
	if err != nil {
		return err
	}
	n := sliceLen(lo, hi, step)
	if step < 0 { // the same elements, forwards
		lo, step = lo+(n-1)*step, -step
	}
	elems := make([]Value, 0, len(l.Elems)-n)
	at := 0
	for i := 0; i < n; i++ {
		elems = append(elems, l.Elems[at:lo+i*step]...)
		at = lo + i*step + 1
	}
	elems = append(elems, l.Elems[at:]...)
	return l.replace(t, "delete from", elems)
}

func newTuple(t *Thread, cls *Class, args []Value, kw []Kwarg) (Value, error) {
	if len(kw) > 0 {
		return Value{}, TypeErrorf("tuple() takes no keyword arguments")
	}
	if len(args) > 1 {
		return Value{}, TypeErrorf("tuple expected at most 1 argument, got %d", len(args))
	}
	if len(args) == 0 {
		return wrap(cls, TupleClass, FromStarlark(starlark.Tuple{})), nil
	}
	if args[0].Is(ItabTuple) {
		return wrap(cls, TupleClass, args[0]), nil
	}
	self := func(t *Thread, args []Value, kw []Kwarg) (Value, error) { return newTuple(t, cls, args, kw) }
	items, err := collect(t, self, args, kw, 0)
	if err != nil {
		return Value{}, err
	}
	return wrap(cls, TupleClass, Tuple(items...)), nil
}

func newRange(t *Thread, cls *Class, args []Value, kw []Kwarg) (Value, error) {
	if len(kw) > 0 {
		return Value{}, TypeErrorf("range() takes no keyword arguments")
	}
	if len(args) == 0 || len(args) > 3 {
		if len(args) == 0 {
			return Value{}, TypeErrorf("range expected at least 1 argument, got 0")
		}
		return Value{}, TypeErrorf("range expected at most 3 arguments, got %d", len(args))
	}
	for _, a := range args {
		if Payload(a).Is(ItabBigInt) {
			return Value{}, OverflowErrorf("a range outside 64 bits is not supported")
		}
	}
	r := &Range{Step: 1}
	var err error
	if len(args) == 1 {
		r.Stop, err = wantIndex(t, args[0])
		return r.Value(), err
	}
	if r.Start, err = wantIndex(t, args[0]); err != nil {
		return Value{}, err
	}
	if r.Stop, err = wantIndex(t, args[1]); err != nil {
		return Value{}, err
	}
	if len(args) == 3 {
		if r.Step, err = wantIndex(t, args[2]); err != nil {
			return Value{}, err
		}
		if r.Step == 0 {
			return Value{}, ValueErrorf("range() arg 3 must not be zero")
		}
	}
	return r.Value(), nil
}

func newSlice(t *Thread, cls *Class, args []Value, kw []Kwarg) (Value, error) {
	switch len(args) {
	case 1:
		return (&Slice{None, args[0], None}).Value(), nil
	case 2:
		return (&Slice{args[0], args[1], None}).Value(), nil
	case 3:
		return (&Slice{args[0], args[1], args[2]}).Value(), nil
	}
	return Value{}, TypeErrorf("slice expected at least 1 argument, got %d", len(args))
}
