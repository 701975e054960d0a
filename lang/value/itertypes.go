package value

// Zip, Map, Filter and Enumerate are the iterators over other iterators. Theirs
// may run language code, so each is its own continuation: what it has got so
// far is in its fields.
type Zip struct {
	Its    []Value
	got    []Value
	Strict bool
	done   bool
	iterBase
}

func (z *Zip) String() string  { return "<zip object>" }
func (z *Zip) ClassOf() *Class { return ZipClass }
func (z *Zip) Roots(visit func(*Value)) {
	for i := range z.Its {
		visit(&z.Its[i])
	}
	for i := range z.got {
		visit(&z.got[i])
	}
}

func (z *Zip) Next(t *Thread) (Value, bool, error) {
	z.got = z.got[:0]
	if z.done || len(z.Its) == 0 {
		return Value{}, false, nil
	}
	return z.gather(t)
}

func (z *Zip) gather(t *Thread) (Value, bool, error) {
	for len(z.got) < len(z.Its) {
		v, ok, err := Next(t, z.Its[len(z.got)])
		if nc, isCall := err.(*NeedCall); isCall {
			return Value{}, false, t.after(nc, z)
		}
		if err != nil {
			return Value{}, false, err
		}
		if !ok {
			return Value{}, false, z.end(t)
		}
		z.got = append(z.got, v)
	}
	return Tuple(z.got...), true, nil
}

func (z *Zip) end(t *Thread) error {
	z.done = true
	if !z.Strict {
		return nil
	}
	n := len(z.got)
	what := "arguments 1-"
	if n == 1 {
		what = "argument "
	}
	if n > 0 {
		return ValueErrorf("zip() argument %d is shorter than %s%d", n+1, what, n)
	}
	for i := 1; i < len(z.Its); i++ {
		v, err := t.finishNext(z.Its[i])
		if err != nil {
			return err
		}
		if !v.IsUnset() {
			what := "arguments 1-"
			if i == 1 {
				what = "argument "
			}
			return ValueErrorf("zip() argument %d is longer than %s%d", i+1, what, i)
		}
	}
	return nil
}

// finishNext advances an iterator re-entrantly; unset at the end.
func (t *Thread) finishNext(it Value) (Value, error) {
	v, _, err := Next(t, it)
	return t.finish(v, err)
}

// after returns nc with then run on its result.
func (t *Thread) after(nc *NeedCall, then Stepper) error {
	c := *nc
	if c.Then == nil {
		c.Then = then
		t.need = c
		return &t.need
	}
	t.need = NeedCall{Then: &chainStep{first: &c, then: then}}
	return &t.need
}

func (z *Zip) Step(t *Thread, in Value, err error) Action {
	if err != nil {
		return Raise(err)
	}
	if in.IsUnset() {
		if err := z.end(t); err != nil {
			return Raise(err)
		}
		return Return(Value{})
	}
	z.got = append(z.got, in)
	return iterAction(t, z)(z.gather(t))
}

// iterAction turns what an iterator's code says into an action: the stepper
// stays the same for a further call.
func iterAction(t *Thread, self Stepper) func(v Value, ok bool, err error) Action {
	return func(v Value, ok bool, err error) Action {
		if nc, isCall := err.(*NeedCall); isCall {
			c := *nc
			if c.Then == self {
				c.Then = nil
			} else if ch, isChain := c.Then.(*chainStep); isChain && ch.then == self {
				c = *ch.first
			}
			return Action{Kind: ActCall, Call: &c}
		}
		if err != nil {
			return Raise(err)
		}
		if !ok {
			return Return(Value{})
		}
		return Return(v)
	}
}

// Enumerate counts the items of It.
type Enumerate struct {
	It Value
	N  int64
	iterBase
}

func (e *Enumerate) String() string           { return "<enumerate object>" }
func (e *Enumerate) ClassOf() *Class          { return EnumerateClass }
func (e *Enumerate) Roots(visit func(*Value)) { visit(&e.It) }
func (e *Enumerate) Next(t *Thread) (Value, bool, error) {
	v, ok, err := Next(t, e.It)
	if nc, isCall := err.(*NeedCall); isCall {
		return Value{}, false, t.after(nc, e)
	}
	if err != nil || !ok {
		return Value{}, false, err
	}
	return pair(e.count(t), v), true, nil
}

// count is the number of the item at hand.
func (e *Enumerate) count(t *Thread) Value {
	n := Int(e.N)
	e.N++
	if t.Observer != nil {
		n = t.Observer.Read(FromStarlark(e), StepNative, Str("count"), n)
	}
	return n
}

func (e *Enumerate) Step(t *Thread, in Value, err error) Action {
	if err != nil {
		return Raise(err)
	}
	if in.IsUnset() {
		return Return(in)
	}
	return Return(pair(e.count(t), in))
}

// Map applies Fn to the items of Its.
type Map struct {
	Fn      Value
	Its     []Value
	got     []Value
	calling bool
	iterBase
}

func (m *Map) String() string  { return "<map object>" }
func (m *Map) ClassOf() *Class { return MapClass }
func (m *Map) Roots(visit func(*Value)) {
	visit(&m.Fn)
	for i := range m.Its {
		visit(&m.Its[i])
	}
	for i := range m.got {
		visit(&m.got[i])
	}
}

func (m *Map) Next(t *Thread) (Value, bool, error) {
	m.got, m.calling = m.got[:0], false
	return m.gather(t)
}

func (m *Map) gather(t *Thread) (Value, bool, error) {
	for len(m.got) < len(m.Its) {
		v, ok, err := Next(t, m.Its[len(m.got)])
		if nc, isCall := err.(*NeedCall); isCall {
			return Value{}, false, t.after(nc, m)
		}
		if err != nil || !ok {
			return Value{}, false, err
		}
		m.got = append(m.got, v)
	}
	m.calling = true
	v, err := CallAny(t, m.Fn, m.got, nil)
	if nc, isCall := err.(*NeedCall); isCall {
		return Value{}, false, t.after(nc, m)
	}
	return v, err == nil, err
}

func (m *Map) Step(t *Thread, in Value, err error) Action {
	if err != nil {
		return Raise(err)
	}
	if m.calling || in.IsUnset() {
		return Return(in)
	}
	m.got = append(m.got, in)
	return iterAction(t, m)(m.gather(t))
}

// Filter gives the items of It for which Fn holds (None: which are true).
type Filter struct {
	Fn, It Value
	item   Value
	stage  int // 0: an item comes, 1: the function's result, 2: its truth
	iterBase
}

func (f *Filter) String() string           { return "<filter object>" }
func (f *Filter) ClassOf() *Class          { return FilterClass }
func (f *Filter) Roots(visit func(*Value)) { visit(&f.Fn); visit(&f.It); visit(&f.item) }

func (f *Filter) Next(t *Thread) (Value, bool, error) {
	f.stage = 0
	for {
		v, ok, err := Next(t, f.It)
		if nc, isCall := err.(*NeedCall); isCall {
			return Value{}, false, t.after(nc, f)
		}
		if err != nil || !ok {
			return Value{}, false, err
		}
		if v, ok, err := f.test(t, v); ok || err != nil {
			return v, ok, err
		}
	}
}

// test tries one item; ok is false where it is to be left out.
func (f *Filter) test(t *Thread, item Value) (Value, bool, error) {
	f.item = item
	r := item
	if !f.Fn.IsNone() {
		f.stage = 1
		var err error
		r, err = CallAny(t, f.Fn, []Value{item}, nil)
		if nc, isCall := err.(*NeedCall); isCall {
			return Value{}, false, t.after(nc, f)
		}
		if err != nil {
			return Value{}, false, err
		}
	}
	return f.truth(t, r)
}

func (f *Filter) truth(t *Thread, r Value) (Value, bool, error) {
	f.stage = 2
	b, err := Truth(t, r)
	if nc, isCall := err.(*NeedCall); isCall {
		return Value{}, false, t.after(nc, f)
	}
	f.stage = 0
	return f.item, b, err
}

func (f *Filter) Step(t *Thread, in Value, err error) Action {
	if err != nil {
		return Raise(err)
	}
	act := iterAction(t, f)
	var v Value
	var ok bool
	switch f.stage {
	case 0:
		if in.IsUnset() {
			return Return(in)
		}
		v, ok, err = f.test(t, in)
	case 1:
		v, ok, err = f.truth(t, in)
	case 2:
		f.stage = 0
		v, ok = f.item, in.N != 0
	}
	if err != nil || ok {
		return act(v, ok, err)
	}
	return act(f.Next(t))
}

func initIterMethods() {
	next := &Builtin{Name: "__next__", Counted: true, Fn: func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
		return raiseAtEnd(t, args[0])
	}}
	iter := &Builtin{Name: "__iter__", Counted: true, Fn: func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
		return args[0], nil
	}}
	for _, c := range []*Class{ListIterClass, TupleIterClass, StrIterClass, BytesIterClass, RangeIterClass, DictIterClass,
		dictValueIterClass, dictItemIterClass, listReverseIterClass, SetIterClass, SeqIterClass, CallIterClass, HostIterClass, ZipClass, MapClass, FilterClass, EnumerateClass, ReversedClass} {
		n, i := *next, *iter
		c.Def(&n, &i)
	}
	iterOf := func(t *Thread, v Value) (Value, error) { return t.finish(Iter(t, v)) }
	ZipClass.Slots = &Slots{New: func(t *Thread, cls *Class, args []Value, kw []Kwarg) (Value, error) {
		z := &Zip{}
		for _, k := range kw {
			if k.Name != "strict" {
				return Value{}, TypeErrorf("zip() got an unexpected keyword argument '%s'", k.Name)
			}
			b, err := Truth(t, k.Value)
			if err != nil {
				return Value{}, err
			}
			z.Strict = b
		}
		for i, a := range args {
			if !isIterable(a) {
				if t.Dialect == Strict {
					return Value{}, TypeErrorf("zip: argument #%d is not iterable: %s", i+1, TypeName(t, a))
				}
				return Value{}, TypeErrorf("'%s' object is not iterable", typeName(a))
			}
			it, err := iterOf(t, a)
			if err != nil {
				return Value{}, err
			}
			z.Its = append(z.Its, it)
		}
		return t.born(FromStarlark(z)), nil
	}}
	MapClass.Slots = &Slots{New: func(t *Thread, cls *Class, args []Value, kw []Kwarg) (Value, error) {
		if len(args) < 2 {
			return Value{}, TypeErrorf("map() must have at least two arguments.")
		}
		m := &Map{Fn: args[0]}
		for _, a := range args[1:] {
			it, err := iterOf(t, a)
			if err != nil {
				return Value{}, err
			}
			m.Its = append(m.Its, it)
		}
		return t.born(FromStarlark(m)), nil
	}}
	FilterClass.Slots = &Slots{New: func(t *Thread, cls *Class, args []Value, kw []Kwarg) (Value, error) {
		if len(args) != 2 {
			return Value{}, TypeErrorf("filter expected 2 arguments, got %d", len(args))
		}
		it, err := iterOf(t, args[1])
		if err != nil {
			return Value{}, err
		}
		return t.born(FromStarlark(&Filter{Fn: args[0], It: it})), nil
	}}
	EnumerateClass.Slots = &Slots{New: func(t *Thread, cls *Class, args []Value, kw []Kwarg) (Value, error) {
		args, err := placeArgs("enumerate", args, kw, []string{"iterable", "start"})
		if err != nil {
			return Value{}, err
		}
		if len(args) == 0 || len(args) > 2 {
			return Value{}, TypeErrorf("enumerate() missing required argument 'iterable'")
		}
		n, err := wantIndex(t, argOr(args, 1, Int(0)))
		if err != nil {
			return Value{}, err
		}
		it, err := iterOf(t, args[0])
		if err != nil {
			return Value{}, err
		}
		return t.born(FromStarlark(&Enumerate{It: it, N: n})), nil
	}}
	ReversedClass.Slots = &Slots{New: newReversed}
}

func newReversed(t *Thread, cls *Class, args []Value, kw []Kwarg) (Value, error) {
	if len(args) != 1 {
		return Value{}, TypeErrorf("reversed expected 1 argument, got %d", len(args))
	}
	x := args[0]
	if c := classBearer(x); c != nil {
		if f, ok := c.custom(dReversed); ok {
			if f.IsNone() {
				return Value{}, TypeErrorf("'%s' object is not reversible", c.Name)
			}
			return Value{}, t.needMethod(nil, f, x)
		}
		_, langItem := c.custom(dGetitem)
		if langItem || c.Slots != nil && c.Slots.GetItem != nil {
			n, err := Len(t, x)
			if err != nil {
				if nc, ok := err.(*NeedCall); ok {
					v, err := t.finish(Value{}, nc)
					if err != nil {
						return Value{}, err
					}
					n = int(v.Int64())
				} else {
					return Value{}, err
				}
			}
			return FromStarlark(&SeqIter{Of: x, Pos: n - 1, Step: -1, N: n}), nil
		}
	}
	p := Payload(x)
	if !p.IsTagged() {
		switch o := p.iface().(type) {
		case *List:
			return FromStarlark(&ReversedIter{Of: p, Pos: len(o.Elems) - 1}), nil
		case *Dict:
			return FromStarlark(&DictIter{D: o, Of: p, Pos: len(o.entries), Len: o.live, Back: true}), nil
		case *DictView:
			return FromStarlark(&DictIter{D: o.d, Of: o.d.Value(), Kind: o.kind, Pos: len(o.d.entries), Len: o.d.live, Back: true}), nil
		case *Range:
			n := o.Len()
			if n == 0 {
				return Iter(t, p)
			}
			return Iter(t, (&Range{o.At(n - 1), o.Start - o.Step, -o.Step}).Value())
		}
		if tup, ok := p.AsTuple(); ok {
			return FromStarlark(&ReversedIter{Of: p, Pos: len(tup) - 1}), nil
		}
		if b, ok := asBytes(p); ok {
			return FromStarlark(&SeqIter{Of: p, Pos: len(b) - 1, Step: -1, N: len(b)}), nil
		}
		if s, ok := p.AsString(); ok {
			r := []rune(s)
			elems := make([]Value, len(r))
			for i, c := range r {
				elems[len(r)-1-i] = Str(string(c))
			}
			return Iter(t, Tuple(elems...))
		}
	}
	return Value{}, TypeErrorf("'%s' object is not reversible", typeName(x))
}

// raiseAtEnd advances it and raises StopIteration at its end.
func raiseAtEnd(t *Thread, it Value) (Value, error) {
	v, ok, err := Next(t, it)
	if nc, isCall := err.(*NeedCall); isCall {
		return Value{}, t.after(nc, endStep{})
	}
	if err != nil {
		return Value{}, err
	}
	if !ok {
		return Value{}, stopIteration()
	}
	return v, nil
}

type endStep struct{ Default Value }

func (s endStep) Step(t *Thread, in Value, err error) Action {
	if err != nil {
		return Raise(err)
	}
	if in.IsUnset() {
		if !s.Default.IsUnset() {
			return Return(s.Default)
		}
		return Raise(stopIteration())
	}
	return Return(in)
}
