package value

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// List is the list of the language.
type List struct {
	Elems []Value
	Watch *Watch // bits: WatchShape only (a list is watched as a whole)
	Flags uint32
	iters int32 // open iterators of the strict dialect
}

// NewList makes a list that owns elems.
func NewList(elems []Value) *List { return &List{Elems: elems} }

// ListOf is a new list of the given elements, as a value.
func ListOf(elems ...Value) Value {
	if n := len(elems); 0 < n && n <= 4 {
		// One allocation of the list and room for its elements.
		if n <= 2 {
			x := &list2{}
			x.Elems = append(x.room[:0], elems...)
			return x.List.Value()
		}
		x := &list4{}
		x.Elems = append(x.room[:0], elems...)
		return x.List.Value()
	}
	return FromStarlark(&List{Elems: append([]Value(nil), elems...)})
}

// Part is l[lo:hi:step] where the bounds are None or ints and step is None, and
// nobody observes.
func (l *List) Part(lo, hi, step Value) (v Value, ok bool) {
	n := len(l.Elems)
	i, ok1 := bound(lo, 0, n)
	j, ok2 := bound(hi, n, n)
	if !ok1 || !ok2 || !step.IsNone() {
		return Value{}, false
	}
	return ListOf(l.Elems[i:max(i, j)]...), true
}

// bound is the index that one end of a slice without a step stands for.
func bound(x Value, none, n int) (i int, ok bool) {
	switch {
	case x.IsNone():
		return none, true
	case !x.IsInt():
		return 0, false
	}
	k := int64(x.N)
	if k < 0 {
		k = max(k+int64(n), 0)
	}
	return int(min(k, int64(n))), true
}

type (
	list2 struct {
		List
		room [2]Value
	}
	list4 struct {
		List
		room [4]Value
	}
)

// Value is l as a value.
func (l *List) Value() Value { return FromStarlark(l) }

// Writable raises if l may not be changed now. verb is for the message of the
// strict dialect ("append to").
func (l *List) Writable(verb string) error {
	if l.Flags&(FlagFrozen|FlagIterating) == 0 {
		return nil
	}
	if l.Flags&FlagFrozen != 0 {
		return RuntimeErrorf("cannot %s frozen list", verb)
	}
	return RuntimeErrorf("cannot %s list during iteration", verb)
}

// Append adds v at the end. It is the slow path: the machine appends in line
// while Flags is zero.
func (l *List) Append(t *Thread, v Value) error {
	if l.Flags&(FlagFrozen|FlagIterating) != 0 {
		return l.Writable("append to")
	}
	if t != nil && t.Observer != nil {
		t.Observer.Write(l.Value(), StepItem, Int(int64(len(l.Elems))), Value{}, v)
	}
	l.Elems = append(l.Elems, v)
	l.Watch.Fire(WatchShape)
	return nil
}

// SetElem stores an element, the index being in range.
func (l *List) SetElem(t *Thread, i int, v Value) error {
	if err := l.Writable("assign to element of"); err != nil {
		return err
	}
	if t != nil && t.Observer != nil {
		t.Observer.Write(l.Value(), StepItem, Int(int64(i)), l.Elems[i], v)
	}
	if l.Elems[i] != v {
		l.Elems[i] = v
		l.Watch.Fire(WatchShape)
	}
	return nil
}

// replace stores a new sequence of elements; every change of several elements
// at once ends here.
func (l *List) replace(t *Thread, verb string, elems []Value) error {
	if err := l.Writable(verb); err != nil {
		return err
	}
	if t != nil && t.Observer != nil {
		t.Observer.Write(l.Value(), StepOrder, Value{}, Value{}, Value{})
	}
	l.Elems = elems
	l.Watch.Fire(WatchShape)
	return nil
}

// BeginIter and EndIter bracket a loop over l in the strict dialect.
func (l *List) BeginIter() {
	if l.Flags&FlagFrozen == 0 {
		l.iters++
		l.Flags |= FlagIterating
	}
}

func (l *List) EndIter() {
	if l.Flags&FlagFrozen == 0 {
		if l.iters--; l.iters == 0 {
			l.Flags &^= FlagIterating
		}
	}
}

func (l *List) String() string             { return reprOffline(l.Value()) }
func (l *List) Type() string               { return "list" }
func (l *List) Freeze()                    { Freeze(l.Value()) }
func (l *List) Truth() starlark.Bool       { return len(l.Elems) > 0 }
func (l *List) Hash() (uint32, error)      { return 0, fmt.Errorf("unhashable type: list") }
func (l *List) Len() int                   { return len(l.Elems) }
func (l *List) Index(i int) starlark.Value { return l.Elems[i].Starlark() }
func (l *List) SetIndex(i int, v starlark.Value) error {
	return l.SetElem(nil, i, FromStarlark(v))
}
func (l *List) Slice(start, end, step int) starlark.Value {
	var out []Value
	if step > 0 {
		for i := start; i < end; i += step {
			out = append(out, l.Elems[i])
		}
	} else {
		for i := start; i > end; i += step {
			out = append(out, l.Elems[i])
		}
	}
	return &List{Elems: out}
}
func (l *List) Iterate() starlark.Iterator {
	l.BeginIter()
	return &listHostIter{l: l}
}
func (l *List) Attr(name string) (starlark.Value, error) { return hostAttr(l.Value(), name) }
func (l *List) AttrNames() []string                      { return Dir(offline(), l.Value()) }
func (l *List) CompareSameType(op syntax.Token, y starlark.Value, depth int) (bool, error) {
	return hostCompare(op, l.Value(), FromStarlark(y), depth)
}

// listHostIter walks a list for hosts; the list may not change meanwhile.
type listHostIter struct {
	l *List
	i int
}

func (it *listHostIter) Next(p *starlark.Value) bool {
	if it.i >= len(it.l.Elems) {
		return false
	}
	*p = it.l.Elems[it.i].Starlark()
	it.i++
	return true
}
func (it *listHostIter) Done() { it.l.EndIter() }
