package sym

import (
	"fmt"
	"math/bits"
)

// Int is an integer or an expression. The zero value is 0. Ints of one Ctx may
// be compared with ==.
type Int struct {
	c int64
	e *expr
}

// C is a constant.
func C(v int64) Int { return Int{c: v} }

// Ints makes constants.
func Ints(v ...int64) []Int {
	o := make([]Int, len(v))
	for i, x := range v {
		o[i].c = x
	}
	return o
}

// Const reports the value of a constant.
func (a Int) Const() (int64, bool) { return a.c, a.e == nil }

// Is reports whether a is the constant v.
func (a Int) Is(v int64) bool { return a.e == nil && a.c == v }

// IsConst reports whether a is a constant.
func (a Int) IsConst() bool { return a.e == nil }

// Asked reports an expression of a recording: comparisons may take guards.
func (a Int) Asked() bool { return a.e != nil && a.e.ctx.pins && !a.e.ctx.frozen }

// Must is the value of a constant; a symbolic Int here is our own fault.
func (a Int) Must() int64 {
	if a.e != nil {
		if c := a.e.ctx; c.pins && !c.frozen {
			h := a.Hint()
			a.Eq(C(h))
			return h
		}
		panic("BUG: symbolic integer where a constant is needed: " + a.String())
	}
	return a.c
}

// Ctx is the context of an expression, nil for a constant.
func (a Int) Ctx() *Ctx {
	if a.e == nil {
		return nil
	}
	return a.e.ctx
}

// Prod multiplies.
func Prod(s []Int) Int {
	n := C(1)
	for _, x := range s {
		n = n.Mul(x)
	}
	return n
}

// FloorDiv is Python's //; b must not be 0.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func (a Int) Neg() Int { return a.Mul(C(-1)) }

// Add, Sub, Mul are exact on constants up to 64 bits; overflow of expressions
// shows when they are evaluated.
func (a Int) Add(b Int) Int {
	if a.e == nil && b.e == nil {
		return Int{c: a.c + b.c}
	}
	if a.Is(0) {
		return b
	}
	if b.Is(0) {
		return a
	}
	return ctxOf(a, b).sum(a, b, 1)
}

func (a Int) Sub(b Int) Int {
	if a.e == nil && b.e == nil {
		return Int{c: a.c - b.c}
	}
	if b.Is(0) {
		return a
	}
	if a == b {
		return Int{}
	}
	return ctxOf(a, b).sum(a, b, -1)
}

func (a Int) Mul(b Int) Int {
	if a.e == nil && b.e == nil {
		return Int{c: a.c * b.c}
	}
	switch {
	case a.Is(1), b.Is(0):
		return b
	case b.Is(1), a.Is(0):
		return a
	}
	return ctxOf(a, b).product(a, b)
}

// Div is floor division. It is only valid where b != 0, which the caller has
// established or guarded.
func (a Int) Div(b Int) Int {
	if a.e == nil && b.e == nil {
		return C(FloorDiv(a.c, b.c))
	}
	if b.Is(1) || a.Is(0) {
		return a
	}
	return ctxOf(a, b).div(a, b)
}

// DivExact is a/b where b divides a as a polynomial.
func (a Int) DivExact(b Int) (Int, bool) {
	if b.Is(0) {
		return a, false
	}
	if a.e == nil && b.e == nil {
		return C(a.c / b.c), a.c%b.c == 0
	}
	return ctxOf(a, b).divExact(a, b)
}

// Mod is a - b*(a//b), so that n - n%k cancels.
func (a Int) Mod(b Int) Int { return a.Sub(a.Div(b).Mul(b)) }

// Max and Min make no guard: they stay in the expression where algebra cannot decide.
func (a Int) Max(b Int) Int {
	if a.e == nil && b.e == nil {
		return C(max(a.c, b.c))
	}
	if d := a.Sub(b); d.KnownGe0() {
		return a
	} else if d.Neg().KnownGe0() {
		return b
	}
	return ctxOf(a, b).max(a, b)
}

func (a Int) Min(b Int) Int { return a.Neg().Max(b.Neg()).Neg() }

// CeilDiv is (a+b-1)//b.
func (a Int) CeilDiv(b Int) Int { return a.Add(b).Sub(C(1)).Div(b) }

func ctxOf(a, b Int) *Ctx {
	if a.e != nil {
		if b.e != nil && a.e.ctx != b.e.ctx {
			panic("BUG: expressions of two contexts")
		}
		return a.e.ctx
	}
	return b.e.ctx
}

// Eval is the value under bindings (one per symbol, in creation order). ok is
// false where a division by zero or a 64-bit overflow shows that the
// expression means nothing there.
func (a Int) Eval(v []int64) (int64, bool) {
	if a.e == nil {
		return a.c, true
	}
	return a.e.eval(v)
}

// Hint is the value at recording.
func (a Int) Hint() int64 {
	if a.e == nil {
		return a.c
	}
	if !a.e.hintOK {
		panic("BUG: no value at the recorded sizes: " + a.String())
	}
	return a.e.hint
}

func mulOK(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	// signed correction of the high word
	h := int64(hi)
	if a < 0 {
		h -= b
	}
	if b < 0 {
		h -= a
	}
	r := int64(lo)
	return r, h == r>>63
}

func addOK(a, b int64) (int64, bool) {
	r := a + b
	return r, (a^r)&(b^r) >= 0
}

func (a Int) String() string {
	if a.e == nil {
		return fmt.Sprint(a.c)
	}
	return a.e.text()
}

// Symbol reports which symbol an expression is, if it is nothing else.
func (a Int) Symbol() (index int, ok bool) {
	if a.e == nil || len(a.e.t) != 1 {
		return 0, false
	}
	t := a.e.t[0]
	if t.k != 1 || t.m == nil || len(t.m.atoms) != 1 || t.m.atoms[0].kind != kSym {
		return 0, false
	}
	return int(t.m.atoms[0].sym), true
}
