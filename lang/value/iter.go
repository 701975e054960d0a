package value

import (
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// The iterators of built-in types: a container and a position. A recorder can
// name one, and a snapshot can make it anew.
type (
	// ListIter walks a list, which may change meanwhile.
	ListIter struct {
		List *List
		Pos  int // -1 once exhausted
		iterBase
	}
	// TupleIter walks a tuple.
	TupleIter struct {
		Tuple starlark.Tuple
		Pos   int
		iterBase
	}
	// StrIter walks the code points of a string; Pos is in bytes.
	StrIter struct {
		S   string
		Pos int
		iterBase
	}
	// BytesIter walks the bytes of a bytes value.
	BytesIter struct {
		S   string
		Pos int
		iterBase
	}
	// RangeIter walks a range.
	RangeIter struct {
		R   *Range
		Pos int
		N   int
		iterBase
	}
	// DictIter walks the keys, values or items of a dict, or the elements of
	// a set (Of is the set then).
	DictIter struct {
		D    *Dict
		Of   Value
		Kind viewKind
		Pos  int
		Len  int // at the start; a change of length is an error
		Back bool
		iterBase
	}
	// SeqIter calls __getitem__ with 0, 1, … until IndexError; or walks a
	// host's sequence by index.
	SeqIter struct {
		Of   Value
		Pos  int
		Step int // -1 for reversed
		N    int // length; -1: until IndexError
		iterBase
	}
	// CallIter is iter(callable, sentinel).
	CallIter struct {
		Fn, Sentinel Value
		Done         bool
		iterBase
	}
	// HostIter walks a host's iterable.
	HostIter struct {
		Of   Value
		It   starlark.Iterator
		done bool
		iterBase
	}
	// ReversedIter walks a list or tuple backwards.
	ReversedIter struct {
		Of  Value
		Pos int // index of the next item; -1 at the end
		iterBase
	}
)

// iterBase supplies what iterators need of starlark.Value.
type iterBase struct{}

func (iterBase) Type() string          { return "iterator" }
func (iterBase) Freeze()               {}
func (iterBase) Truth() starlark.Bool  { return true }
func (iterBase) Hash() (uint32, error) { return 0, nil }

func (it *ListIter) String() string     { return "<list_iterator object>" }
func (it *TupleIter) String() string    { return "<tuple_iterator object>" }
func (it *StrIter) String() string      { return "<str_iterator object>" }
func (it *BytesIter) String() string    { return "<bytes_iterator object>" }
func (it *RangeIter) String() string    { return "<range_iterator object>" }
func (it *DictIter) String() string     { return "<dict_keyiterator object>" }
func (it *SeqIter) String() string      { return "<iterator object>" }
func (it *CallIter) String() string     { return "<callable_iterator object>" }
func (it *HostIter) String() string     { return "<iterator object>" }
func (it *ReversedIter) String() string { return "<reversed object>" }

func (it *ListIter) ClassOf() *Class  { return ListIterClass }
func (it *TupleIter) ClassOf() *Class { return TupleIterClass }
func (it *StrIter) ClassOf() *Class   { return StrIterClass }
func (it *BytesIter) ClassOf() *Class { return BytesIterClass }
func (it *RangeIter) ClassOf() *Class { return RangeIterClass }
func (it *DictIter) ClassOf() *Class {
	if it.Of.Is(ItabSet) {
		return SetIterClass
	}
	switch it.Kind {
	case viewValues:
		return dictValueIterClass
	case viewItems:
		return dictItemIterClass
	}
	return DictIterClass
}
func (it *SeqIter) ClassOf() *Class  { return SeqIterClass }
func (it *CallIter) ClassOf() *Class { return CallIterClass }
func (it *HostIter) ClassOf() *Class { return HostIterClass }
func (it *ReversedIter) ClassOf() *Class {
	if it.Of.Is(ItabList) {
		return listReverseIterClass
	}
	return ReversedClass
}

// readIter tells an observer of an item that an iterator gives, or of its end.
func (t *Thread) readIter(it starlark.Value, pos int, v Value, ok bool) Value {
	if t.Observer == nil {
		return v
	}
	if !ok {
		t.Observer.Absent(FromStarlark(it), StepIter, Int(int64(pos)))
		return v
	}
	return t.Observer.Read(FromStarlark(it), StepIter, Int(int64(pos)), v)
}

func (it *ListIter) Next(t *Thread) (Value, bool, error) {
	i := it.Pos
	if i < 0 || i >= len(it.List.Elems) {
		t.readIter(it, i, Value{}, false)
		if it.Pos >= 0 && t.Dialect == Strict {
			it.List.EndIter()
		}
		it.Pos = -1
		return Value{}, false, nil
	}
	it.Pos++
	return t.readIter(it, i, it.List.Elems[i], true), true, nil
}

func (it *TupleIter) Next(t *Thread) (Value, bool, error) {
	i := it.Pos
	if i >= len(it.Tuple) {
		t.readIter(it, i, Value{}, false)
		return Value{}, false, nil
	}
	it.Pos++
	return t.readIter(it, i, FromStarlark(it.Tuple[i]), true), true, nil
}

func (it *StrIter) Next(t *Thread) (Value, bool, error) {
	if it.Pos >= len(it.S) {
		t.readIter(it, it.Pos, Value{}, false)
		return Value{}, false, nil
	}
	i := it.Pos
	_, n := utf8.DecodeRuneInString(it.S[i:])
	it.Pos += n
	return t.readIter(it, i, charStr(it.S[i:i+n]), true), true, nil
}

func (it *BytesIter) Next(t *Thread) (Value, bool, error) {
	if it.Pos >= len(it.S) {
		t.readIter(it, it.Pos, Value{}, false)
		return Value{}, false, nil
	}
	it.Pos++
	return t.readIter(it, it.Pos-1, Int(int64(it.S[it.Pos-1])), true), true, nil
}

func (it *RangeIter) Next(t *Thread) (Value, bool, error) {
	i := it.Pos
	if i >= it.N {
		t.readIter(it, i, Value{}, false)
		return Value{}, false, nil
	}
	it.Pos++
	return t.readIter(it, i, Int(it.R.At(i)), true), true, nil
}

func (it *DictIter) Next(t *Thread) (Value, bool, error) {
	if it.Pos < 0 {
		return Value{}, false, nil
	}
	if it.D.live != it.Len {
		it.Pos = -1
		what := "dictionary"
		if it.Of.Is(ItabSet) {
			what = "Set"
		}
		return Value{}, false, RuntimeErrorf("%s changed size during iteration", what)
	}
	if it.Back {
		for it.Pos > 0 {
			it.Pos--
			if it.Pos < len(it.D.entries) {
				if e := &it.D.entries[it.Pos]; !e.key.IsUnset() {
					return t.readIter(it, it.Pos, it.pick(e.key, e.val), true), true, nil
				}
			}
		}
		it.Pos = -1
		return Value{}, false, nil
	}
	i := it.Pos
	k, v, next, ok := it.D.Next(i)
	if !ok {
		t.readIter(it, i, Value{}, false)
		it.Pos = -1
		if t.Dialect == Strict {
			it.D.EndIter()
		}
		return Value{}, false, nil
	}
	it.Pos = next
	return t.readIter(it, i, it.pick(k, v), true), true, nil
}

func (it *DictIter) pick(k, v Value) Value {
	switch it.Kind {
	case viewValues:
		return v
	case viewItems:
		return pair(k, v)
	}
	return k
}

func (it *SeqIter) Next(t *Thread) (Value, bool, error) {
	if it.Pos < 0 || it.N >= 0 && it.Pos >= it.N {
		it.Pos = -1
		return Value{}, false, nil
	}
	i := it.Pos
	it.Pos += it.Step
	v, err := GetItem(t, it.Of, Int(int64(i)))
	if nc, ok := err.(*NeedCall); ok {
		if nc.Then == nil {
			nc.Then = untilIndexError{it}
		}
		return Value{}, false, nc
	}
	if r, ok := err.(*Raised); ok && (r.Class.IsSubclass(ExcIndexError) || r.Class.IsSubclass(ExcStopIteration)) {
		it.Pos = -1
		return Value{}, false, nil
	}
	return v, err == nil, err
}

type untilIndexError struct{ it *SeqIter }

func (s untilIndexError) Step(t *Thread, in Value, err error) Action {
	if r, ok := err.(*Raised); ok && (r.Class.IsSubclass(ExcIndexError) || r.Class.IsSubclass(ExcStopIteration)) {
		s.it.Pos = -1
		return Return(Value{})
	}
	if err != nil {
		return Raise(err)
	}
	return Return(in)
}

func (it *CallIter) Next(t *Thread) (Value, bool, error) {
	if it.Done {
		return Value{}, false, nil
	}
	return Value{}, false, t.Need(it, it.Fn)
}

func (it *CallIter) Step(t *Thread, in Value, err error) Action {
	if isStop(err) {
		it.Done = true
		return Return(Value{})
	}
	if err != nil {
		return Raise(err)
	}
	eq, err := Equal(t, in, it.Sentinel)
	if err != nil {
		return Raise(err)
	}
	if eq {
		it.Done = true
		return Return(Value{})
	}
	return Return(in)
}

func (it *HostIter) Next(t *Thread) (Value, bool, error) {
	var v starlark.Value
	if it.done || !it.It.Next(&v) {
		it.Close()
		return Value{}, false, nil
	}
	return FromStarlark(v), true, nil
}

// Close ends the iteration for the host.
func (it *HostIter) Close() {
	if !it.done {
		it.done = true
		it.It.Done()
	}
}

func (it *ReversedIter) Next(t *Thread) (Value, bool, error) {
	i := it.Pos
	var v Value
	if l := it.Of.AsList(); l != nil {
		if i >= len(l.Elems) {
			it.Pos = -1
			i = -1
		}
		if i >= 0 {
			v = l.Elems[i]
		}
	} else if tup, ok := it.Of.AsTuple(); ok && i >= 0 {
		v = FromStarlark(tup[i])
	}
	if i < 0 {
		t.readIter(it, i, Value{}, false)
		return Value{}, false, nil
	}
	it.Pos--
	return t.readIter(it, i, v, true), true, nil
}

// Closer is implemented by iterators that hold something open: the machine
// closes them when a loop is left early. In the strict dialect an open iterator
// keeps its list, dict or set from changing.
type Closer interface{ Close() }

// Close ends the strict dialect's hold on the list, Dict's on the dict or set.
func (it *ListIter) Close() {
	if it.Pos >= 0 {
		it.Pos = -1
		it.List.EndIter()
	}
}

func (it *DictIter) Close() {
	if it.Pos >= 0 {
		it.Pos = -1
		it.D.EndIter()
	}
}

// Iter is iter(x).
func Iter(t *Thread, x Value) (Value, error) {
	if !x.IsTagged() {
		switch o := x.iface().(type) {
		case *List:
			if t.Dialect == Strict {
				o.BeginIter()
			}
			return t.born(FromStarlark(&ListIter{List: o})), nil
		case starlark.Tuple:
			return t.born(FromStarlark(&TupleIter{Tuple: o})), nil
		case *Range:
			return t.born(FromStarlark(&RangeIter{R: o, N: o.Len()})), nil
		case *Dict:
			if t.Dialect == Strict {
				o.BeginIter()
			}
			return t.born(FromStarlark(&DictIter{D: o, Of: x, Len: o.live})), nil
		case *Set:
			if t.Dialect == Strict {
				o.BeginIter()
			}
			return t.born(FromStarlark(&DictIter{D: &o.d, Of: x, Len: o.Len()})), nil
		case *DictView:
			return t.born(FromStarlark(&DictIter{D: o.d, Of: o.d.Value(), Kind: o.kind, Len: o.d.live})), nil
		case starlark.String:
			if t.Dialect == Strict {
				break
			}
			return t.born(FromStarlark(&StrIter{S: string(o)})), nil
		case starlark.Bytes:
			if t.Dialect == Strict {
				break
			}
			return t.born(FromStarlark(&BytesIter{S: string(o)})), nil
		case *AttrDict:
			return Iter(t, o.snapshot().Value())
		case Iterator, Generator:
			return x, nil
		}
		if c := classBearer(x); c != nil {
			if f, ok := c.custom(dIter); ok {
				if f.IsNone() {
					return Value{}, TypeErrorf("'%s' object is not iterable", c.Name)
				}
				return Value{}, t.needMethod(iterCheck{}, f, x)
			}
			if c.Slots != nil && c.Slots.Iter != nil {
				return c.Slots.Iter(t, x)
			}
			if p := Payload(x); p != x && !p.Is(ItabInstance) {
				if v, err := Iter(t, p); err == nil {
					return v, nil
				}
			}
			if _, ok := c.custom(dGetitem); ok || c.Slots != nil && c.Slots.GetItem != nil {
				return t.born(FromStarlark(&SeqIter{Of: x, Step: 1, N: -1})), nil
			}
			if _, ok := c.custom(dNext); ok && x.Is(ItabInstance) && t.Dialect == Strict {
				return x, nil
			}
		}
		if h, ok := As[starlark.Iterable](x); ok && classBearer(x) == nil {
			if it := h.Iterate(); it != nil {
				return FromStarlark(&HostIter{Of: x, It: it}), nil
			}
		}
	}
	if t.Dialect == Strict {
		return Value{}, TypeErrorf("%s value is not iterable", TypeName(t, x))
	}
	return Value{}, TypeErrorf("'%s' object is not iterable", typeName(x))
}

// Iterable reports whether Iter would find a way.
func Iterable(x Value) bool { return isIterable(x) }

func isIterable(x Value) bool {
	if x.IsTagged() {
		return false
	}
	switch x.iface().(type) {
	case *List, starlark.Tuple, *Range, *Dict, *Set, *DictView, starlark.String, starlark.Bytes, *AttrDict, Iterator, Generator:
		return true
	}
	if c := classBearer(x); c != nil {
		if f, ok := c.custom(dIter); ok {
			return !f.IsNone()
		}
		if _, ok := c.custom(dGetitem); ok {
			return true
		}
		if c.Slots != nil && (c.Slots.Iter != nil || c.Slots.GetItem != nil) {
			return true
		}
		if p := Payload(x); p != x {
			return isIterable(p)
		}
		return false
	}
	_, ok := As[starlark.Iterable](x)
	return ok
}

// iterCheck checks that __iter__ returned an iterator.
type iterCheck struct{}

func (iterCheck) Step(t *Thread, in Value, err error) Action {
	if err != nil {
		return Raise(err)
	}
	if !isIterator(in) {
		return Raise(TypeErrorf("iter() returned non-iterator of type '%s'", typeName(in)))
	}
	return Return(in)
}

func isIterator(x Value) bool {
	if x.IsTagged() {
		return false
	}
	switch x.iface().(type) {
	case Iterator, Generator:
		return true
	}
	c := classBearer(x)
	return c != nil && (!c.special(dNext).IsUnset() || c.Slots != nil && c.Slots.Next != nil)
}

// Next advances an iterator: ok is false at the end. For a generator or a
// language-level __next__ the answer is a *NeedCall; the machine handles both
// before it asks here.
func Next(t *Thread, it Value) (v Value, ok bool, err error) {
	if !it.IsTagged() {
		switch o := it.iface().(type) {
		case Iterator:
			if err := t.tick(); err != nil {
				return Value{}, false, err
			}
			if err := t.enter("while advancing an iterator"); err != nil {
				return Value{}, false, err
			}
			v, ok, err = o.Next(t)
			t.leave()
			return v, ok, err
		case Generator:
			return Value{}, false, t.NeedNext(nil, it)
		}
		if c := classBearer(it); c != nil {
			if f, ok := c.custom(dNext); ok {
				return Value{}, false, t.needMethod(stopGuard{}, f, it)
			}
			if c.Slots != nil && c.Slots.Next != nil {
				return c.Slots.Next(t, it)
			}
		}
	}
	return Value{}, false, TypeErrorf("'%s' object is not an iterator", typeName(it))
}

// stopGuard turns StopIteration out of __next__ into the end of the iteration.
type stopGuard struct{}

func (stopGuard) Step(t *Thread, in Value, err error) Action {
	if isStop(err) {
		return Return(Value{})
	}
	if err != nil {
		return Raise(err)
	}
	return Return(in)
}

// goItems returns the items of x if they can be had without language code; ok
// is false otherwise. The slice may be x's own and is not to be changed.
func goItems(t *Thread, x Value) (items []Value, ok bool, err error) {
	if x.IsTagged() {
		_, err := Iter(t, x)
		return nil, false, err
	}
	switch o := x.iface().(type) {
	case *List:
		return t.readAll(o), true, nil
	case starlark.Tuple:
		items = make([]Value, len(o))
		for i, e := range o {
			items[i] = FromStarlark(e)
		}
		return items, true, nil
	case *Range:
		n := o.Len()
		if err := t.RoomFor(int64(n)); err != nil {
			return nil, false, err
		}
		items = make([]Value, n)
		for i := range items {
			items[i] = Int(o.At(i))
			if i%stopStride == stopStride-1 {
				if err := t.Stopping(); err != nil {
					return nil, false, err
				}
			}
		}
		return items, true, nil
	case *Dict, *Set, *DictView, starlark.String, starlark.Bytes, *AttrDict:
		it, err := Iter(t, x)
		if err != nil {
			return nil, false, err
		}
		i := it.iface().(Iterator)
		for {
			v, more, err := i.Next(t)
			if err != nil || !more {
				return items, err == nil, err
			}
			items = append(items, v)
		}
	case *Instance:
		if _, custom := o.Class().custom(dIter); !custom {
			if p := Payload(x); p != x {
				return goItems(t, p)
			}
		}
	case Iterator, Generator, AttrObject:
		return nil, false, nil
	case starlark.Iterable:
		h := o.Iterate()
		if h == nil {
			break
		}
		defer h.Done()
		var v starlark.Value
		for h.Next(&v) {
			items = append(items, FromStarlark(v))
		}
		return items, true, nil
	}
	return nil, false, nil
}

// collect returns the items of args[i]. Where that takes language code it
// returns a *NeedCall that gathers them and then calls fn again with a list in
// the argument's place.
func collect(t *Thread, fn BuiltinFn, args []Value, kw []Kwarg, i int) ([]Value, error) {
	items, ok, err := goItems(t, args[i])
	if ok || err != nil {
		return items, err
	}
	return nil, t.Run(&collectStep{fn: fn, args: append([]Value(nil), args...), kw: append([]Kwarg(nil), kw...), i: i})
}

type collectStep struct {
	fn    BuiltinFn
	args  []Value
	kw    []Kwarg
	i     int
	it    Value
	items []Value
	stage int
}

func (s *collectStep) Roots(visit func(*Value)) {
	for i := range s.args {
		visit(&s.args[i])
	}
	for i := range s.kw {
		visit(&s.kw[i].Value)
	}
	for i := range s.items {
		visit(&s.items[i])
	}
	visit(&s.it)
}

func (s *collectStep) Step(t *Thread, in Value, err error) Action {
	if err != nil {
		return Raise(err)
	}
	switch s.stage {
	case 0:
		s.stage = 1
		if in, err = Iter(t, s.args[s.i]); err != nil {
			return Raise(err)
		}
		fallthrough
	case 1:
		s.it, s.stage = in, 2
	case 2:
		if in.IsUnset() {
			return s.done(t)
		}
		s.items = append(s.items, in)
	case 3: // fn has run language code of its own
		return Return(in)
	}
	for {
		v, ok, err := Next(t, s.it)
		if err != nil {
			return Raise(err)
		}
		if !ok {
			return s.done(t)
		}
		s.items = append(s.items, v)
	}
}

func (s *collectStep) done(t *Thread) Action {
	s.stage = 3
	s.args[s.i] = t.born(NewList(s.items).Value())
	s.items = nil
	v, err := s.fn(t, s.args, s.kw)
	if err != nil {
		return Raise(err)
	}
	return Return(v)
}

// Gives says what the iterator of a dict gives: "keys", "values" or "items".
func (it *DictIter) Gives() string {
	switch it.Kind {
	case viewValues:
		return "values"
	case viewItems:
		return "items"
	}
	return "keys"
}
