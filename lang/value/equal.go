package value

import (
	"math"
	"math/big"

	"go.starlark.net/starlark"
)

// taggedEqual compares two immediates.
func taggedEqual(x, y Value, strict bool) bool {
	if x.P == y.P {
		if x.IsFloat() {
			a, b := x.Float64(), y.Float64()
			return a == b || strict && a != a && b != b // Starlark: NaN == NaN
		}
		return x.N == y.N
	}
	if x.IsNone() || y.IsNone() {
		return false
	}
	if strict && (x.IsBool() || y.IsBool()) {
		return false
	}
	if x.IsFloat() {
		return intEqualsFloat(y.Int64(), x.Float64())
	}
	if y.IsFloat() {
		return intEqualsFloat(x.Int64(), y.Float64())
	}
	return x.N == y.N
}

func intEqualsFloat(i int64, f float64) bool {
	return float64(i) == f && f < 1<<63 && int64(f) == i
}

func bigEqualsFloat(b *big.Int, f float64) bool {
	if math.IsInf(f, 0) || math.IsNaN(f) || f != math.Trunc(f) {
		return false
	}
	g, _ := new(big.Float).SetFloat64(f).Int(nil)
	return g.Cmp(b) == 0
}

// Equal is x == y as containers use it: identical values are equal, and
// language-level __eq__ runs re-entrantly. The thread's dialect decides.
func Equal(t *Thread, x, y Value) (bool, error) {
	return equalIn(t, x, y, t != nil && t.Dialect == Strict)
}

func equalIn(t *Thread, x, y Value, strict bool) (bool, error) {
	if x == y && !(strict && bounded(x)) {
		return true, nil
	}
	return equalValue(t, x, y, strict)
}

// equalValue is == without the identity rule at the top (NaN != NaN).
func equalValue(t *Thread, x, y Value, strict bool) (bool, error) {
	if x.IsTagged() && y.IsTagged() {
		return taggedEqual(x, y, strict), nil
	}
	if t != nil && t.Observer != nil {
		for _, v := range [2]Value{x, y} {
			if s, ok := As[Symbolic](v); ok {
				if r, err := s.Compare(t, Eq, x, y); err != nil || !r.IsUnset() {
					return r.IsTrue(), err
				}
			}
		}
		x, y = concrete(x), concrete(y)
	}
	if s, ok := x.AsString(); ok {
		if u, ok := y.AsString(); ok {
			return s == u, nil
		}
	}
	if classBearer(x) != nil || classBearer(y) != nil {
		if t == nil {
			t = offline()
		}
		v, err := t.finish(Compare(t, Eq, x, y))
		if err != nil {
			return false, err
		}
		v, err = t.finish(truthValue(t, v))
		return v.N != 0, err
	}
	eq, _, err := equalBuiltin(t, x, y, strict)
	return eq, err
}

// bounded reports the containers whose comparison counts its depth in the
// strict dialect, so that a cyclic one is unequal to nothing, itself included,
// without an error.
func bounded(x Value) bool {
	return x.Is(ItabList) || x.Is(ItabTuple) || x.Is(ItabDict)
}

// enterEqual counts a level of comparison of containers; leaveEqual undoes it.
// The strict dialect has go.starlark.net's bound on where elements, n of them,
// may be.
func (t *Thread) enterEqual(strict bool, n int) error {
	if t == nil {
		return nil
	}
	if strict && n > 0 && t.comparing+1 >= starlark.CompareLimit {
		return Errorf(ExcRecursionError, "comparison exceeded maximum recursion depth")
	}
	if err := t.enter("in comparison"); err != nil {
		return err
	}
	t.comparing++
	return nil
}

func (t *Thread) leaveEqual() {
	if t != nil {
		t.comparing--
		t.leave()
	}
}

// hostDepth is the depth that a host may yet compare to.
func (t *Thread) hostDepth() int {
	if t == nil {
		return starlark.CompareLimit
	}
	return max(starlark.CompareLimit-t.comparing, 0)
}

// equalBuiltin compares values of built-in types; known is false where the
// types say nothing of each other, and then they are not equal.
func equalBuiltin(t *Thread, x, y Value, strict bool) (eq, known bool, err error) {
	if x.IsTagged() && y.IsTagged() {
		return taggedEqual(x, y, strict), true, nil
	}
	if x.IsTagged() {
		x, y = y, x
	}
	if x.N == 0 || y.N == 0 && y.P == nil {
		return x == y, true, nil
	}
	switch a := x.iface().(type) {
	case starlark.String:
		b, ok := y.AsString()
		return ok && string(a) == b, ok, nil
	case starlark.Bytes:
		b, ok := As[starlark.Bytes](y)
		return ok && a == b, ok, nil
	case starlark.Int:
		if y.IsFloat() {
			return bigEqualsFloat(a.BigInt(), y.Float64()), true, nil
		}
		b, ok := As[starlark.Int](y)
		return ok && a.BigInt().Cmp(b.BigInt()) == 0, true, nil
	case starlark.Tuple:
		b, ok := y.AsTuple()
		if !ok || len(a) != len(b) {
			return false, ok, nil
		}
		if err := t.enterEqual(strict, len(a)); err != nil {
			return false, true, err
		}
		defer t.leaveEqual()
		for i := range a {
			if eq, err := equalIn(t, FromStarlark(a[i]), FromStarlark(b[i]), strict); err != nil || !eq {
				return false, true, err
			}
		}
		return true, true, nil
	case *List:
		b := y.AsList()
		if b == nil {
			return false, false, nil
		}
		t.readLen(x)
		t.readLen(y)
		if len(a.Elems) != len(b.Elems) {
			return false, true, nil
		}
		if err := t.enterEqual(strict, len(a.Elems)); err != nil {
			return false, true, err
		}
		defer t.leaveEqual()
		for i := 0; i < len(a.Elems) && i < len(b.Elems); i++ {
			if eq, err := equalIn(t, t.readElem(a, i), t.readElem(b, i), strict); err != nil || !eq {
				return false, true, err
			}
		}
		return len(a.Elems) == len(b.Elems), true, nil
	case *Dict:
		b := y.AsDict()
		if b == nil {
			return false, false, nil
		}
		t.readLen(x)
		t.readLen(y)
		if a.live != b.live {
			return false, true, nil
		}
		if err := t.enterEqual(strict, a.live); err != nil {
			return false, true, err
		}
		defer t.leaveEqual()
		t.readOrder(x)
		for i := 0; i < len(a.entries); i++ {
			e := a.entries[i]
			if e.key.IsUnset() {
				continue
			}
			v, ok, err := b.Lookup(t, e.key)
			if err != nil || !ok {
				return false, true, err
			}
			if eq, err := equalIn(t, t.readItem(x, e.key, e.val), v, strict); err != nil || !eq {
				return false, true, err
			}
		}
		return true, true, nil
	case *Set:
		b, ok := As[*Set](y)
		if !ok {
			if v, ok := As[*DictView](y); ok && v.kind != viewValues {
				s, err := v.toSet(t)
				if err != nil {
					return false, true, err
				}
				return setEqual(t, a, s)
			}
			return false, false, nil
		}
		return setEqual(t, a, b)
	case *DictView:
		if a.kind == viewValues {
			return x == y, true, nil
		}
		s, err := a.toSet(t)
		if err != nil {
			return false, true, err
		}
		if _, ok := As[*DictView](y); ok {
			return equalBuiltin(t, y, s.Value(), strict)
		}
		if _, ok := As[*Set](y); ok {
			return equalBuiltin(t, s.Value(), y, strict)
		}
		return false, false, nil
	case *Range:
		b, ok := As[*Range](y)
		if !ok {
			return false, false, nil
		}
		n := a.Len()
		return n == b.Len() && (n == 0 || a.Start == b.Start && (n == 1 || a.Step == b.Step)), true, nil
	case *Slice:
		b, ok := As[*Slice](y)
		if !ok {
			return false, false, nil
		}
		for _, p := range [][2]Value{{a.Lo, b.Lo}, {a.Hi, b.Hi}, {a.Step, b.Step}} {
			if eq, err := equalIn(t, p[0], p[1], strict); err != nil || !eq {
				return false, true, err
			}
		}
		return true, true, nil
	case *BoundMethod:
		b, ok := As[*BoundMethod](y)
		return ok && Same(a.Self, b.Self) && Same(a.Fn, b.Fn), true, nil
	case *Union:
		b, ok := As[*Union](y)
		if !ok || len(a.Items) != len(b.Items) {
			return false, true, nil
		}
	items:
		for _, p := range a.Items {
			for _, q := range b.Items {
				if eq, err := equalIn(t, p, q, strict); err != nil {
					return false, true, err
				} else if eq {
					continue items
				}
			}
			return false, true, nil
		}
		return true, true, nil
	case *Alias:
		b, ok := As[*Alias](y)
		if !ok || len(a.Args) != len(b.Args) || !Same(a.Origin, b.Origin) {
			return false, true, nil
		}
		for i := range a.Args {
			if eq, err := equalIn(t, a.Args[i], b.Args[i], strict); err != nil || !eq {
				return false, true, err
			}
		}
		return true, true, nil
	case *Class, *Module, *Instance, *Builtin, *Cell, *Property, Iterator, AttrObject, *singleton:
		return x == y, false, nil
	case starlark.Comparable, starlark.TotallyOrdered:
		eq, err := starlark.EqualDepth(a, y.Starlark(), t.hostDepth())
		return eq, true, hostError(err)
	}
	return x == y, false, nil
}

func setEqual(t *Thread, a, b *Set) (eq, known bool, err error) {
	t.readLen(a.Value())
	t.readLen(b.Value())
	if a.Len() != b.Len() {
		return false, true, nil
	}
	sub, err := subset(t, a, b)
	return sub, true, err
}

// subset reports whether every element of a is in b.
func subset(t *Thread, a, b *Set) (bool, error) {
	t.readOrder(a.Value())
	for i := 0; ; {
		v, next, ok := a.Next(i)
		if !ok {
			return true, nil
		}
		i = next
		if in, err := b.Contains(t, v); err != nil || !in {
			return false, err
		}
	}
}

// The reads of containers, as an observer hears of them.

func (t *Thread) readLen(x Value) {
	if t != nil && t.Observer != nil {
		n := 0
		switch o := x.iface().(type) {
		case *List:
			n = len(o.Elems)
		case *Dict:
			n = o.live
		case *Set:
			n = o.Len()
		}
		t.Observer.Read(x, StepLen, Value{}, Int(int64(n)))
	}
}

func (t *Thread) readOrder(x Value) {
	if t != nil && t.Observer != nil {
		t.Observer.Read(x, StepOrder, Value{}, Value{})
	}
}

func (t *Thread) readItem(x, key, v Value) Value {
	if t != nil && t.Observer != nil {
		return t.Observer.Read(x, StepItem, key, v)
	}
	return v
}

func (t *Thread) readElem(l *List, i int) Value {
	if t != nil && t.Observer != nil {
		return t.Observer.Read(l.Value(), StepItem, Int(int64(i)), l.Elems[i])
	}
	return l.Elems[i]
}
