package value

import (
	"strings"
	"unsafe"
)

// sortStep is sorted and list.sort: it gathers, asks for the keys, and merges.
// Comparisons of keys run language code re-entrantly, as nested values do.
type sortStep struct {
	list    *List   // sorted in place; nil: a new list
	was     []Value // its elements when the sort began
	from    Value   // iterable to gather first
	it      Value
	items   []Value
	keys    []Value
	key     Value // key function, or unset
	reverse bool
	stage   int
}

func (s *sortStep) Roots(visit func(*Value)) {
	visit(&s.from)
	visit(&s.it)
	visit(&s.key)
	for i := range s.items {
		visit(&s.items[i])
	}
	for i := range s.keys {
		visit(&s.keys[i])
	}
}

func (s *sortStep) options(fn string, kw []Kwarg) error {
	for _, k := range kw {
		switch k.Name {
		case "key":
			if !k.Value.IsNone() {
				s.key = k.Value
			}
		case "reverse":
			b, err := Truth(offline(), k.Value)
			if err != nil {
				return err
			}
			s.reverse = b
		default:
			return TypeErrorf("'%s' is an invalid keyword argument for %s()", k.Name, fn)
		}
	}
	return nil
}

const (
	sortIter = iota + 1
	sortGather
	sortKeys
)

func (s *sortStep) Step(t *Thread, in Value, err error) Action {
	if err != nil {
		return Raise(err)
	}
	switch s.stage {
	case 0:
		if !s.from.IsUnset() {
			items, ok, err := goItems(t, s.from)
			if err != nil {
				return Raise(err)
			}
			if !ok {
				s.stage = sortIter
				it, err := Iter(t, s.from)
				if err != nil {
					return Raise(err)
				}
				s.it, s.stage = it, sortGather
				return NextOf(s.it)
			}
			s.items = append([]Value(nil), items...)
		}
		return s.nextKey(t)
	case sortIter:
		s.it, s.stage = in, sortGather
		return NextOf(s.it)
	case sortGather:
		if !in.IsUnset() {
			s.items = append(s.items, in)
			return NextOf(s.it)
		}
		return s.nextKey(t)
	}
	s.keys = append(s.keys, in)
	return s.nextKey(t)
}

func (s *sortStep) nextKey(t *Thread) Action {
	s.stage = sortKeys
	if !s.key.IsUnset() {
		for len(s.keys) < len(s.items) {
			v, err := CallAny(t, s.key, []Value{s.items[len(s.keys)]}, nil)
			if err != nil {
				return Raise(err)
			}
			s.keys = append(s.keys, v)
		}
	}
	keys := s.keys
	if s.key.IsUnset() {
		keys = s.items
	}
	order, err := stableSort(t, keys, s.reverse)
	if err != nil {
		return Raise(err)
	}
	out := make([]Value, len(order))
	for i, j := range order {
		out[i] = s.items[j]
	}
	if s.list != nil {
		if len(s.list.Elems) != len(s.was) || unsafe.SliceData(s.list.Elems) != unsafe.SliceData(s.was) {
			return Raise(ValueErrorf("list modified during sort"))
		}
		if err := s.list.replace(t, "sort", out); err != nil {
			return Raise(err)
		}
		return Return(None)
	}
	return Return(t.born(NewList(out).Value()))
}

// stableSort returns the order of keys by a merge sort that finds runs first;
// reverse keeps the order of equal keys too, as Python does.
func stableSort(t *Thread, keys []Value, reversed bool) ([]int, error) {
	n := len(keys)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	before := func(a, b int) (bool, error) {
		x, y := keys[a], keys[b]
		if reversed {
			x, y = y, x
		}
		if t.Observer == nil {
			if x.IsInt() && y.IsInt() {
				return x.Int64() < y.Int64(), nil
			}
			if x.IsFloat() && y.IsFloat() {
				return x.Float64() < y.Float64(), nil
			}
		}
		return less(t, x, y)
	}
	buf := make([]int, n)
	var sort func(a, tmp []int) error
	sort = func(a, tmp []int) error {
		if len(a) <= 8 {
			for i := 1; i < len(a); i++ {
				for j := i; j > 0; j-- {
					lt, err := before(a[j], a[j-1])
					if err != nil {
						return err
					}
					if !lt {
						break
					}
					a[j], a[j-1] = a[j-1], a[j]
				}
			}
			return nil
		}
		m := len(a) / 2
		if err := sort(a[:m], tmp[:m]); err != nil {
			return err
		}
		if err := sort(a[m:], tmp[m:]); err != nil {
			return err
		}
		if lt, err := before(a[m], a[m-1]); err != nil || !lt {
			return err
		}
		if len(a) >= stopStride/16 {
			if err := t.Stopping(); err != nil {
				return err
			}
		}
		copy(tmp, a[:m])
		i, j, k := 0, m, 0
		for i < m && j < len(a) {
			lt, err := before(a[j], tmp[i])
			if err != nil {
				return err
			}
			if lt {
				a[k] = a[j]
				j++
			} else {
				a[k] = tmp[i]
				i++
			}
			if k++; k%stopStride == 0 {
				if err := t.Stopping(); err != nil {
					return err
				}
			}
		}
		copy(a[k:], tmp[i:m])
		return nil
	}
	return order, sort(order, buf)
}

// foldKind is what a foldStep computes.
type foldKind uint8

const (
	foldSum foldKind = iota
	foldMax
	foldMin
	foldAny
	foldAll
)

// foldStep is sum, max, min, any and all: one pass over an iterable.
type foldStep struct {
	kind  foldKind
	it    Value
	from  Value
	key   Value // of max and min, or unset
	def   Value // default of max and min, or unset
	acc   Value // result so far; unset at first
	best  Value // key of acc
	item  Value // whose key or truth is awaited
	stage int
}

func (s *foldStep) Roots(visit func(*Value)) {
	for _, v := range []*Value{&s.it, &s.from, &s.key, &s.def, &s.acc, &s.best, &s.item} {
		visit(v)
	}
}

const (
	foldStart = iota
	foldIter
	foldItem
	foldKey
	foldTest
	foldAdd
)

func (s *foldStep) Step(t *Thread, in Value, err error) Action {
	for {
		if err != nil {
			return Raise(err)
		}
		switch s.stage {
		case foldStart:
			s.stage = foldIter
			in, err = Iter(t, s.from)
			continue
		case foldIter:
			s.it, s.stage = in, foldItem
		case foldItem:
			if in.IsUnset() {
				return s.end()
			}
			if act, done := s.take(t, in); done {
				return act
			}
			continue2 := s.stage != foldItem
			if continue2 {
				in = s.item
				continue
			}
		case foldKey:
			in, err = s.compare(t, in)
			if err != nil {
				continue
			}
			s.choose(in)
		case foldTest:
			if act, done := s.test(in); done {
				return act
			}
		case foldAdd:
			s.acc = in
		}
		s.stage = foldItem
		var ok bool
		in, ok, err = Next(t, s.it)
		if err == nil && !ok {
			return s.end()
		}
	}
}

// take uses one item; done says that act is to be returned to the machine.
func (s *foldStep) take(t *Thread, v Value) (act Action, done bool) {
	switch s.kind {
	case foldSum:
		r, err := Binary(t, OpAdd, s.acc, v)
		if err != nil {
			s.stage = foldAdd
			return Raise(err), true
		}
		s.acc = r
	case foldAny, foldAll:
		b, err := Truth(t, v)
		if err != nil {
			s.stage = foldTest
			return Raise(err), true
		}
		return s.test(Bool(b))
	default:
		s.item = v
		k := v
		if !s.key.IsUnset() {
			var err error
			if k, err = CallAny(t, s.key, []Value{v}, nil); err != nil {
				s.stage = foldKey
				return Raise(err), true
			}
		}
		r, err := s.compare(t, k)
		if err != nil {
			return Raise(err), true
		}
		s.choose(r)
	}
	return Action{}, false
}

// compare reports, as a bool, whether the awaited item with key k is better.
func (s *foldStep) compare(t *Thread, k Value) (Value, error) {
	if s.acc.IsUnset() {
		s.best = k
		return True, nil
	}
	x, y := k, s.best
	op := Lt
	if s.kind == foldMax {
		op = Gt
	}
	v, err := t.finish(Compare(t, op, x, y))
	if err != nil {
		return Value{}, err
	}
	b, err := t.finish(truthValue(t, v))
	if err == nil && b.N != 0 {
		s.best = k
	}
	return b, err
}

func (s *foldStep) choose(better Value) {
	if better.N != 0 {
		s.acc = s.item
	}
}

func (s *foldStep) test(b Value) (Action, bool) {
	if (b.N != 0) == (s.kind == foldAny) {
		return Return(Bool(s.kind == foldAny)), true
	}
	return Action{}, false
}

func (s *foldStep) end() Action {
	switch s.kind {
	case foldAny:
		return Return(False)
	case foldAll:
		return Return(True)
	case foldMax, foldMin:
		if s.acc.IsUnset() {
			if s.def.IsUnset() {
				name := "max"
				if s.kind == foldMin {
					name = "min"
				}
				return Raise(ValueErrorf("%s() arg is an empty sequence", name))
			}
			return Return(s.def)
		}
	}
	return Return(s.acc)
}

// runFold runs the stepper in Go as far as it goes: without language code it
// never reaches the machine.
func runFold(t *Thread, s Stepper) (Value, error) {
	act := s.Step(t, Value{}, nil)
	switch act.Kind {
	case ActReturn:
		return act.Value, nil
	case ActRaise:
		return Value{}, act.Err
	}
	c := *act.Call
	return Value{}, t.after(&c, s)
}

// printStep is print: str() of each argument may be language code.
type printStep struct {
	args     []Value
	sep, end string
	file     Value
	out      strings.Builder
	before   Value // symbolic text before out; unset: none
	i        int
	stage    int
}

// put appends what str() gave, which is a Symbolic string where a number in it is.
func (s *printStep) put(t *Thread, v Value) error {
	if text, ok := v.AsString(); ok {
		s.out.WriteString(text)
		return nil
	}
	s.before = Concat(t, []Value{s.text(t), v})
	s.out.Reset()
	return nil
}

// text is all that has been put.
func (s *printStep) text(t *Thread) Value {
	v := Str(s.out.String())
	if s.before.IsUnset() {
		return v
	}
	return Concat(t, []Value{s.before, v})
}

func (s *printStep) Roots(visit func(*Value)) {
	for i := range s.args {
		visit(&s.args[i])
	}
	visit(&s.file)
	visit(&s.before)
}

func (s *printStep) Step(t *Thread, in Value, err error) Action {
	if err != nil {
		return Raise(err)
	}
	switch s.stage {
	case 1:
		if err := s.put(t, in); err != nil {
			return Raise(err)
		}
		s.i++
	case 2: // file.write has returned
		return Return(None)
	}
	for ; s.i < len(s.args); s.i++ {
		if s.i > 0 {
			s.out.WriteString(s.sep)
		}
		v, err := StrOf(t, s.args[s.i])
		if err != nil {
			s.stage = 1
			return Raise(err)
		}
		if err := s.put(t, v); err != nil {
			return Raise(err)
		}
	}
	s.out.WriteString(s.end)
	text := s.text(t)
	if !s.file.IsUnset() {
		s.stage = 2
		w, err := t.finish(GetAttr(t, s.file, "write"))
		if err != nil {
			return Raise(err)
		}
		return CallOf(w, text)
	}
	if t.Observer != nil {
		t.Observer.Printed(text)
		if h, ok := As[Hinted](text); ok {
			text = h.Hint()
		}
	}
	out, _ := concrete(text).AsString() // nobody may be observing any more
	t.WriteOut(out)
	return Return(None)
}
