package value

func asSet(v Value) (*Set, bool) { return As[*Set](v) }

func setOf(t *Thread, items []Value) (*Set, error) {
	s := NewSet(len(items))
	s.d.Strict = t.Dialect == Strict
	t.born(s.Value())
	for _, v := range items {
		if err := s.Add(t, v); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// assign makes s equal to n, in place.
func (s *Set) assign(t *Thread, n *Set) error {
	if err := s.d.Writable("change"); err != nil {
		return err
	}
	if t.Observer != nil {
		t.Observer.Write(s.Value(), StepOrder, Value{}, Value{}, Value{})
	}
	s.d.index, s.d.entries, s.d.live = n.d.index, n.d.entries, n.d.live
	s.d.Flags |= n.d.Flags & flagOddKeys
	s.d.Watch.Fire(WatchShape)
	return nil
}

// setOp is | & - ^ on sets and key views.
func setOp(t *Thread, op Op, x, y Value) (Value, bool, error) {
	get := func(v Value) (*Set, bool, error) {
		if s, ok := As[*Set](v); ok {
			t.readOrder(v)
			return s, true, nil
		}
		if w, ok := As[*DictView](v); ok && w.kind != viewValues {
			s, err := w.toSet(t)
			return s, true, err
		}
		return nil, false, nil
	}
	a, ok, err := get(x)
	if !ok || err != nil {
		return Value{}, false, err
	}
	b, ok, err := get(y)
	if !ok || err != nil {
		return Value{}, false, err
	}
	r, err := setCombine(t, op, a, b)
	if err != nil {
		return Value{}, false, err
	}
	r.Const = a.Const
	return t.born(r.Value()), true, nil
}

func setCombine(t *Thread, op Op, a, b *Set) (*Set, error) {
	r := &Set{}
	r.d.Strict = a.d.Strict
	if op == OpOr {
		r = a.copy()
	}
	t.born(r.Value())
	pick := func(from, other *Set, want bool) error {
		for i := 0; i < len(from.d.entries); i++ {
			v, h := from.d.entries[i].key, from.d.entries[i].hash
			if v.IsUnset() {
				continue
			}
			if other != nil {
				e, err := other.d.find(t, v, h)
				if err != nil {
					return err
				}
				if t.Observer != nil {
					t.Observer.Outcome(other.Value(), StepHas, v, e != nil)
				}
				if (e != nil) != want {
					continue
				}
			}
			e, err := r.d.find(t, v, h)
			if err != nil {
				return err
			}
			if e == nil {
				r.put(h, v)
			}
		}
		return nil
	}
	var err error
	switch op {
	case OpOr:
		err = pick(b, nil, true)
	case OpAnd:
		err = pick(a, b, true)
	case OpSub:
		err = pick(a, b, false)
	case OpXor:
		if err = pick(a, b, false); err == nil {
			err = pick(b, a, false)
		}
	}
	return r, err
}

func newSetValue(t *Thread, cls *Class, args []Value, kw []Kwarg) (Value, error) {
	if cls.IsSubclass(SetClass) {
		s := &Set{}
		s.d.Strict = t.Dialect == Strict
		return t.born(wrap(cls, SetClass, s.Value())), nil
	}
	if len(args) > 1 {
		return Value{}, TypeErrorf("frozenset expected at most 1 argument, got %d", len(args))
	}
	s := &Set{}
	if len(args) == 1 {
		self := func(t *Thread, args []Value, kw []Kwarg) (Value, error) { return newSetValue(t, cls, args, kw) }
		items, err := collect(t, self, args, kw, 0)
		if err != nil {
			return Value{}, err
		}
		if s, err = setOf(t, items); err != nil {
			return Value{}, err
		}
	}
	s.Const = true
	return t.born(wrap(cls, FrozenSetClass, s.Value())), nil
}

func setInit(t *Thread, args []Value, kw []Kwarg) (Value, error) {
	s, ok := asSet(Payload(args[0]))
	if !ok {
		return Value{}, TypeErrorf("descriptor '__init__' requires a 'set' object but received a '%s'", typeName(args[0]))
	}
	if len(args) == 1 {
		return None, nil
	}
	items, err := collect(t, setInit, args, kw, 1)
	if err != nil {
		return Value{}, err
	}
	n, err := setOf(t, items)
	if err != nil {
		return Value{}, err
	}
	return None, s.assign(t, n)
}

// setMany is a method that combines the receiver with any number of iterables.
func setMany(name string, op Op, inPlace bool) *Builtin {
	b := &Builtin{Name: name, Max: -1, Pure: !inPlace}
	b.Fn = func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
		s, ok := asSet(Payload(args[0]))
		if !ok {
			return Value{}, TypeErrorf("descriptor '%s' for 'set' objects doesn't apply to a '%s' object", name, typeName(args[0]))
		}
		if op == OpXor && len(args) != 2 {
			return Value{}, TypeErrorf("%s() takes exactly one argument (%d given)", name, len(args)-1)
		}
		t.readOrder(s.Value())
		r := s.copy()
		t.born(r.Value())
		for i := 1; i < len(args); i++ {
			o, isSet := asSet(Payload(args[i]))
			if !isSet {
				items, err := collect(t, b.Fn, args, kw, i)
				if err != nil {
					return Value{}, err
				}
				if o, err = setOf(t, items); err != nil {
					return Value{}, err
				}
			}
			var err error
			if r, err = setCombine(t, op, r, o); err != nil {
				return Value{}, err
			}
		}
		if inPlace {
			return None, s.assign(t, r)
		}
		r.Const = s.Const
		return t.born(r.Value()), nil
	}
	return b
}

func setTest(name string, test func(t *Thread, a, b *Set) (bool, error)) *Builtin {
	b := &Builtin{Name: name, Min: 1, Max: 1, Counted: true, Pure: true}
	b.Fn = func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
		s, ok := asSet(Payload(args[0]))
		if !ok {
			return Value{}, TypeErrorf("descriptor '%s' for 'set' objects doesn't apply to a '%s' object", name, typeName(args[0]))
		}
		items, err := collect(t, b.Fn, args, kw, 1)
		if err != nil {
			return Value{}, err
		}
		o, err := setOf(t, items)
		if err != nil {
			return Value{}, err
		}
		r, err := test(t, s, o)
		return Bool(r), err
	}
	return b
}

func initSetMethods() {
	SetClass.Slots = &Slots{New: newSetValue}
	FrozenSetClass.Slots = &Slots{New: newSetValue}
	for _, c := range []*Class{SetClass, FrozenSetClass} {
		c.Def(
			setMany("union", OpOr, false), setMany("intersection", OpAnd, false),
			setMany("difference", OpSub, false), setMany("symmetric_difference", OpXor, false),
			setTest("issubset", subset),
			setTest("issuperset", func(t *Thread, a, b *Set) (bool, error) { return subset(t, b, a) }),
			setTest("isdisjoint", func(t *Thread, a, b *Set) (bool, error) {
				r, err := setCombine(t, OpAnd, a, b)
				return err == nil && r.Len() == 0, err
			}),
			methodOf(asSet, &SetClass)("copy", 0, 0, "", func(t *Thread, s *Set, a []Value) (Value, error) {
				t.readOrder(s.Value())
				if s.Const {
					return s.Value(), nil
				}
				return t.born(s.copy().Value()), nil
			}),
		)
	}
	m := methodOf(asSet, &SetClass)
	SetClass.Def(
		&Builtin{Name: "__init__", Max: 1, Counted: true, Fn: setInit},
		setMany("update", OpOr, true), setMany("intersection_update", OpAnd, true),
		setMany("difference_update", OpSub, true), setMany("symmetric_difference_update", OpXor, true),
		impure(m("add", 1, 1, "", func(t *Thread, s *Set, a []Value) (Value, error) { return None, s.Add(t, a[0]) })),
		impure(m("discard", 1, 1, "", func(t *Thread, s *Set, a []Value) (Value, error) {
			_, err := s.Remove(t, a[0])
			return None, err
		})),
		impure(m("remove", 1, 1, "", func(t *Thread, s *Set, a []Value) (Value, error) {
			ok, err := s.Remove(t, a[0])
			if err == nil && !ok {
				if t.Dialect == Strict {
					return Value{}, keyErrorf("missing key")
				}
				err = KeyErrorOf(a[0])
			}
			return None, err
		})),
		impure(m("pop", 0, 0, "", func(t *Thread, s *Set, a []Value) (Value, error) {
			if err := s.Writable("delete from"); err != nil {
				return Value{}, err
			}
			t.readOrder(s.Value())
			v, _, ok := s.Next(0)
			if !ok {
				if t.Dialect == Strict {
					return Value{}, keyErrorf("empty set")
				}
				return Value{}, KeyErrorOf(Str("pop from an empty set"))
			}
			_, err := s.Remove(t, v)
			return v, err
		})),
		impure(m("clear", 0, 0, "", func(t *Thread, s *Set, a []Value) (Value, error) { return None, s.d.Clear(t) })),
	)
}
