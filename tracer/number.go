package tracer

import (
	"math"

	"github.com/larkspur-ml/larkspur/guards"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Expressions over numbers of the outside. Equal ones are one object, so that each
// is guarded and evaluated once.

type exprKey struct {
	kind guards.ExprKind
	op   uint8
	x, y *guards.Expr
	id   int
	v    value.Value
	spec string
}

// intern is the one expression that equals e.
func (r *recorder) intern(e *guards.Expr) *guards.Expr {
	if e == nil || len(e.Args) > 0 {
		return e
	}
	if e.X != nil {
		e.X = r.intern(e.X)
	}
	if e.Y != nil {
		e.Y = r.intern(e.Y)
	}
	k := exprKey{e.Kind, e.Op, e.X, e.Y, e.ID, e.V, e.Spec}
	if known := r.exprs[k]; known != nil {
		return known
	}
	r.exprs[k] = e
	return e
}

func constExpr(v value.Value) *guards.Expr { return &guards.Expr{Kind: guards.ExprConst, V: v} }

// pin guards that an expression has the value at hand.
func (r *recorder) pin(e *guards.Expr, v value.Value) {
	if !r.alive() || e.Kind == guards.ExprConst {
		return
	}
	if e = r.intern(e); r.told[e] {
		return
	}
	r.told[e] = true
	r.add(guards.Guard{Test: guards.TestEqual, Expr: e, Want: v, Dst: -1, Load: guards.LoadExpr, Why: "the value itself was used at " + r.where()})
}

// checked is a symbol whose expression is computed by the check, which also says
// that it does not raise and is of the type of v.
func (r *recorder) checked(v value.Value, e *guards.Expr) value.Value {
	e = r.intern(e)
	return r.symbol(v, &guards.Expr{Kind: guards.ExprVal, ID: r.kept(e, v)})
}

// kept is the number under which the check keeps the value of an expression that
// is of v's type.
func (r *recorder) kept(e *guards.Expr, v value.Value) int {
	if e = r.intern(e); e.Kind == guards.ExprVal {
		return e.ID
	}
	if id, ok := r.kepts[e]; ok {
		return id
	}
	g := guards.Guard{Load: guards.LoadExpr, Expr: e, Test: guards.TestInt, Dst: r.keep()}
	if v.IsFloat() {
		g.Test = guards.TestFloat
	}
	r.add(g)
	r.kepts[e] = g.Dst
	r.know(g.Dst, v)
	if e.Kind == guards.ExprBinary {
		for len(r.computed) <= g.Dst {
			r.computed = append(r.computed, nil)
		}
		r.computed[g.Dst] = e
	}
	return g.Dst
}

// Trace makes the number one that ops may take without looking at it.
func (s *symbol) Trace() *tensor.Trace {
	if !s.r.alive() {
		return nil
	}
	if s.by == nil {
		s.by = s.r.trace(s.e)
	}
	return s.by
}

func (r *recorder) trace(e *guards.Expr) *tensor.Trace {
	t := &tensor.Trace{Tracer: r, Of: e}
	r.traces = append(r.traces, t)
	return t
}

// number is a tensor's number as a value of the language.
func number(n tensor.Number) value.Value {
	switch n.Kind {
	case tensor.NumFloat:
		return value.Float(n.F)
	case tensor.NumBool:
		return value.Bool(n.I != 0)
	}
	return value.Int(n.I)
}

func numberExpr(n tensor.Number) *guards.Expr {
	if n.By != nil {
		if e, ok := n.By.Of.(*guards.Expr); ok {
			return e
		}
	}
	return constExpr(number(n.Bare()))
}

// Looked implements tensor.Tracer.
func (r *recorder) Looked(n tensor.Number) { r.pin(numberExpr(n), number(n.Bare())) }

var relOps = [...]value.Cmp{tensor.RelEq: value.Eq, tensor.RelLt: value.Lt, tensor.RelLe: value.Le}

// Compared implements tensor.Tracer.
func (r *recorder) Compared(n tensor.Number, rel tensor.NumRel, v float64, result bool) {
	if !r.alive() {
		return
	}
	c := value.Float(v)
	if n.Kind != tensor.NumFloat && v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		c = value.Int(int64(v))
	}
	r.outcome(&guards.Expr{Kind: guards.ExprCompare, Op: uint8(relOps[rel]), X: numberExpr(n), Y: constExpr(c)}, result)
}

var numOps = [...]value.Op{tensor.NumAdd: value.OpAdd, tensor.NumSub: value.OpSub, tensor.NumMul: value.OpMul, tensor.NumDiv: value.OpDiv}

// Derived implements tensor.Tracer.
func (r *recorder) Derived(op tensor.NumOp, a, b, result tensor.Number) *tensor.Trace {
	if !r.alive() {
		return nil
	}
	e := &guards.Expr{Kind: guards.ExprBinary, Op: uint8(numOps[op]), X: numberExpr(a), Y: numberExpr(b)}
	return r.trace(&guards.Expr{Kind: guards.ExprVal, ID: r.kept(e, number(result))})
}

// compute does a call of a pure builtin on numbers of which some are symbols: the
// result is an expression. ok is false where the builtin is to be called itself.
func (r *recorder) compute(b *value.Builtin, args []value.Value) (v value.Value, ok bool) {
	if !b.Pure || b.Owner != nil || b.Symbols || len(args) == 0 || len(args) > 8 {
		return v, false
	}
	some := false
	bare := make([]value.Value, len(args))
	for i, a := range args {
		bare[i] = plain(a)
		some = some || asSymbol(a) != nil
		if !isNumber(bare[i]) {
			return v, false
		}
	}
	if !some || b.Fn == nil {
		return v, false
	}
	v, err := b.Call(&r.th.Thread, append([]value.Value(nil), bare...), nil)
	if err != nil || !isNumber(v) && !v.IsBool() {
		return v, false
	}
	e := &guards.Expr{Kind: guards.ExprCall, V: b.Value(), X: exprOf(args[0])}
	switch {
	case len(args) > 2:
		for _, a := range args {
			e.Args = append(e.Args, exprOf(a))
		}
	case len(args) == 2:
		e.Y = exprOf(args[1])
	}
	if v.IsBool() {
		r.pin(e, v)
		return v, true
	}
	return r.checked(v, e), true
}
