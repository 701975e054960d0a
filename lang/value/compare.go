package value

import (
	"math/big"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

var (
	bigZero     = big.NewInt(0)
	bigMinusOne = big.NewInt(-1)
)

// Compare computes x op y. The result need not be a bool.
func Compare(t *Thread, op Cmp, x, y Value) (Value, error) {
	if t.Observer != nil {
		if s, ok := As[Symbolic](x); ok {
			if v, err := s.Compare(t, op, x, y); err != nil || !v.IsUnset() {
				return v, err
			}
		} else if s, ok := As[Symbolic](y); ok {
			if v, err := s.Compare(t, op, x, y); err != nil || !v.IsUnset() {
				return v, err
			}
		}
		x, y = concretePair(x, y)
	}
	cx, cy := classBearer(x), classBearer(y)
	if cx == nil && cy == nil {
		r, err := compareBuiltin(t, op, x, y)
		return Bool(r), err
	}
	a := &attempts{compare: true, cmp: op, x: x, y: y}
	addSide(a, cx, op, x, y, false)
	n := a.n
	addSide(a, cy, op.Swap(), y, x, true)
	if cx != cy && n > 0 && a.n > n && TypeOf(y).IsSubclass(TypeOf(x)) {
		// The subclass on the right goes first.
		var tries [5]attempt
		k := copy(tries[:], a.tries[n:a.n])
		copy(tries[k:], a.tries[:n])
		a.tries = tries
	}
	return a.run(t)
}

func addSide(a *attempts, c *Class, op Cmp, self, other Value, reflected bool) {
	if c == nil {
		return
	}
	if f, ok := c.custom(dLt + dunder(op)); ok {
		a.add(attempt{fn: f, self: self, other: other, reflected: reflected})
		return
	}
	if op == Ne {
		// The default != inverts ==.
		if f, ok := c.custom(dEq); ok {
			a.add(attempt{fn: f, self: self, other: other, reflected: reflected, negate: true})
			return
		}
	}
	if c.Slots != nil && c.Slots.Compare != nil {
		at := attempt{native: c.Slots, self: self, other: other}
		// run swaps the operator of reflected attempts back: self is y here.
		at.reflected = reflected
		a.add(at)
	}
}

// compareFallback compares payloads, then identities.
func compareFallback(t *Thread, op Cmp, x, y, px, py Value) (Value, error) {
	if px != x || py != y {
		r, err := compareBuiltin(t, op, px, py)
		return Bool(r), err
	}
	if op == Eq || op == Ne {
		if _, ok := As[AttrObject](x); ok {
			if eq, known, err := equalBuiltin(t, x, y, t.Dialect == Strict); known || err != nil {
				return Bool(eq == (op == Eq)), err
			}
		}
		if t.Observer != nil {
			t.Observer.Outcome(x, StepIs, y, Same(x, y))
		}
		return Bool(Same(x, y) == (op == Eq)), nil
	}
	return Value{}, orderError(t, op, x, y)
}

func orderError(t *Thread, op Cmp, x, y Value) error {
	if t.Dialect == Strict {
		return TypeErrorf("%s %s %s not implemented", TypeName(t, x), op, TypeName(t, y))
	}
	return TypeErrorf("'%s' not supported between instances of '%s' and '%s'", op, typeName(x), typeName(y))
}

func holds(op Cmp, c int) bool {
	switch op {
	case Lt:
		return c < 0
	case Le:
		return c <= 0
	case Gt:
		return c > 0
	case Ge:
		return c >= 0
	case Eq:
		return c == 0
	}
	return c != 0
}

// compareBuiltin compares values of built-in types.
func compareBuiltin(t *Thread, op Cmp, x, y Value) (bool, error) {
	strict := t.Dialect == Strict
	if t.Observer != nil && op != Eq && op != Ne {
		x, y = concrete(x), concrete(y)
	}
	if op == Eq || op == Ne {
		eq, err := equalValue(t, x, y, strict)
		return eq == (op == Eq), err
	}
	kx, ky := kindOf(x), kindOf(y)
	if kx != notNum && ky != notNum {
		if strict && (x.IsBool() != y.IsBool()) {
			return false, orderError(t, op, x, y)
		}
		c, unordered := compareNumbers(x, y)
		if unordered {
			if strict { // NaN is the greatest, and equal to itself
				return holds(op, nanOrder(x)-nanOrder(y)), nil
			}
			return false, nil
		}
		return holds(op, c), nil
	}
	if x.IsTagged() || y.IsTagged() {
		if hx, ok := hostComparable(x); ok {
			return hostOrder(t, op, hx, y)
		}
		return false, orderError(t, op, x, y)
	}
	switch a := x.iface().(type) {
	case starlark.String:
		if b, ok := y.AsString(); ok {
			return holds(op, compareStrings(string(a), b)), nil
		}
	case starlark.Bytes:
		if b, ok := As[starlark.Bytes](y); ok {
			return holds(op, compareStrings(string(a), string(b))), nil
		}
	case starlark.Tuple:
		if b, ok := y.AsTuple(); ok {
			return compareSequences(t, op, tupleSeq(a), tupleSeq(b))
		}
	case *List:
		if b := y.AsList(); b != nil {
			t.readLen(x)
			t.readLen(y)
			return compareSequences(t, op, listSeq{t, a}, listSeq{t, b})
		}
	case *Set:
		b, ok := As[*Set](y)
		if !ok {
			if v, isView := As[*DictView](y); isView {
				var err error
				if b, err = v.toSet(t); err != nil {
					return false, err
				}
				ok = true
			}
		}
		if ok {
			return compareSets(t, op, a, b)
		}
	case *DictView:
		if a.kind != viewValues {
			s, err := a.toSet(t)
			if err != nil {
				return false, err
			}
			return compareBuiltin(t, op, s.Value(), y)
		}
	}
	if hx, ok := hostComparable(x); ok {
		return hostOrder(t, op, hx, y)
	}
	return false, orderError(t, op, x, y)
}

func nanOrder(x Value) int {
	if x.IsFloat() && x.Float64() != x.Float64() {
		return 1
	}
	return 0
}

// hostComparable reports whether x is of a host's type that can be ordered.
func hostComparable(x Value) (starlark.Value, bool) {
	if x.IsTagged() {
		return nil, false
	}
	switch o := x.iface().(type) {
	case *List, *Dict, *Set, *Range, starlark.String, starlark.Bytes, starlark.Tuple, starlark.Int:
		return nil, false
	case starlark.Comparable, starlark.TotallyOrdered:
		return o, true
	}
	return nil, false
}

func hostOrder(t *Thread, op Cmp, x starlark.Value, y Value) (bool, error) {
	r, err := starlark.CompareDepth(starCompare[op], x, y.Starlark(), t.hostDepth())
	return r, hostError(err)
}

func compareSets(t *Thread, op Cmp, a, b *Set) (bool, error) {
	if op == Gt || op == Ge {
		a, b = b, a
		op = op.Swap()
	}
	t.readLen(a.Value())
	t.readLen(b.Value())
	if a.Len() > b.Len() || op == Lt && a.Len() == b.Len() {
		return false, nil
	}
	return subset(t, a, b)
}

type sequence interface {
	len() int
	at(i int) Value
}

type tupleSeq starlark.Tuple

func (s tupleSeq) len() int       { return len(s) }
func (s tupleSeq) at(i int) Value { return FromStarlark(s[i]) }

type listSeq struct {
	t *Thread
	l *List
}

func (s listSeq) len() int       { return len(s.l.Elems) }
func (s listSeq) at(i int) Value { return s.t.readElem(s.l, i) }

// compareSequences finds the first difference; the elements there decide.
func compareSequences(t *Thread, op Cmp, a, b sequence) (bool, error) {
	if err := t.enterEqual(t.Dialect == Strict, min(a.len(), b.len())); err != nil {
		return false, err
	}
	defer t.leaveEqual()
	for i := 0; i < a.len() && i < b.len(); i++ {
		x, y := a.at(i), b.at(i)
		eq, err := Equal(t, x, y)
		if err != nil {
			return false, err
		}
		if !eq {
			v, err := t.finish(Compare(t, op, x, y))
			if err != nil {
				return false, err
			}
			v, err = t.finish(truthValue(t, v))
			return v.N != 0, err
		}
	}
	return holds(op, cmpInt(int64(a.len()), int64(b.len()))), nil
}

func compareStrings(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// less orders two values for sorting; language-level methods run re-entrantly.
func less(t *Thread, x, y Value) (bool, error) {
	v, err := t.finish(Compare(t, Lt, x, y))
	if err != nil {
		return false, err
	}
	v, err = t.finish(truthValue(t, v))
	return v.N != 0, err
}

// hostCompare serves starlark.Comparable of our containers: hosts see the
// strict dialect's equality.
func hostCompare(op syntax.Token, x, y Value, depth int) (bool, error) {
	t := offline()
	t.comparing = starlark.CompareLimit - depth
	t.Dialect = Strict
	for c, tok := range starCompare {
		if tok == op {
			return compareBuiltin(t, Cmp(c), x, y)
		}
	}
	return false, TypeErrorf("unknown comparison")
}
