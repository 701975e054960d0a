package tracer

import (
	"fmt"
	"sort"

	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/guards"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// Sizes. A dimension whose size a guard has found changed is a symbol of the graph's
// context in the next recording. Rules see it in the Meta of tensors and ask the
// context, whose answers become guards at the end; the program sees it as a symbolic
// number. The two name each other:
//
//	program                     expression of the check        context
//	x.shape[0]           ──▶    #7 (the check keeps it)   ◀──▶ s0
//	y.view(x.shape[0]*2)        #7 * 2                         2*s0

// holdsAny is holds for a tensor of which some dimensions have any size.
func (m *meta) holdsAny(t *eager.Tensor) bool {
	z := int64(1)
	for _, d := range m.order {
		if m.dims>>d&1 == 0 && t.Size[d] != m.g.Size[d] || m.dims>>d&1 != 0 && t.Size[d] == 0 {
			return false
		}
		want := m.g.Stride[d]
		if m.follow>>d&1 != 0 {
			want = z
		}
		if t.Stride[d] != want {
			return false
		}
		if want != 0 {
			z = want * t.Size[d]
		}
	}
	a, b := t.Traits(), m.t
	if m.whole && int64(a.Bytes) != t.Numel()*int64(t.DType.Size()) {
		return false
	}
	a.Bytes, b.Bytes = 0, 0
	return a == b
}

// dimsOf are the dimensions of a tensor of the outside that are symbolic.
func (r *recorder) dimsOf(t *eager.Tensor, s *guards.Source) uint64 {
	n := len(t.Size)
	if n == 0 || n > 60 || r.reg.static || r.reg.mark.never() || frozenTensor(t) {
		return 0
	}
	dims := r.reg.dims[""]
	if len(r.reg.dims) > 0 {
		dims = r.reg.dims[s.String()]
	}
	if r.reg.mark.always() && !t.RequiresGrad() {
		dims = 1<<n - 1
		for d, v := range t.Size { // what is 0 or 1 is so for a reason
			if v < 2 {
				dims &^= 1 << d
			}
		}
	}
	if in, ok := t.Obj.(*value.Instance); ok { // what torch._dynamo.mark_dynamic and mark_static say
		if v, ok := in.Get("_dynamo_dynamic_dims"); ok && v.IsInt() {
			dims |= uint64(v.Int64())
		}
		if v, ok := in.Get("_dynamo_static_dims"); ok && v.IsInt() {
			dims &^= uint64(v.Int64())
		}
	}
	for d, v := range t.Size {
		if v == 0 { // empty tensors have strides of their own
			dims &^= 1 << d
		}
	}
	return dims & (1<<n - 1)
}

// frozenTensor reports a tensor that other goroutines may use.
func frozenTensor(t *eager.Tensor) bool {
	in, ok := t.Obj.(*value.Instance)
	return !ok || in.Flags&value.FlagFrozen != 0
}

// loosen lets a tensor's guard hold for any size of some dimensions.
func (m *meta) loosen(dims uint64) {
	m.dims = dims
	m.order = make([]int, len(m.g.Size))
	for i := range m.order {
		m.order[i] = len(m.order) - 1 - i
	}
	sort.SliceStable(m.order, func(a, b int) bool { return m.g.Stride[m.order[a]] < m.g.Stride[m.order[b]] })
	z := int64(1)
	for _, d := range m.order {
		if st := m.g.Stride[d]; st != 0 {
			if st == z {
				m.follow |= 1 << d
			}
			z = st * m.g.Size[d]
		}
	}
	m.whole = m.g.Off == 0 && m.g.Dense() && int64(m.t.Bytes) == m.g.Numel()*int64(m.g.DType.Size())
}

// symbolic gives a tensor of the outside the geometry that its guard allows.
func (r *recorder) symbolic(t *eager.Tensor, m *meta, s *guards.Source) {
	n := len(t.Size)
	out := &tensor.Meta{DType: t.DType, Dev: t.Device(), Size: make([]sym.Int, n), Stride: make([]sym.Int, n), Off: sym.C(t.Off)}
	z := sym.C(1)
	for _, d := range m.order {
		out.Size[d] = sym.C(t.Size[d])
		if m.dims>>d&1 != 0 {
			out.Size[d] = r.sizeOf(s, d, t.Size[d])
		}
		out.Stride[d] = sym.C(t.Stride[d])
		if m.follow>>d&1 != 0 {
			out.Stride[d] = z
		}
		if !out.Stride[d].Is(0) {
			z = out.Stride[d].Mul(out.Size[d])
		}
	}
	r.x.SetMeta(t, out)
	r.metas[out] = true
}

// sizeOf is a size of a tensor that the check keeps; dimension -1 is the number of
// elements of its memory.
func (r *recorder) sizeOf(s *guards.Source, d int, v int64) sym.Int {
	step := fmt.Sprintf(".shape[%d]", d)
	if d < 0 {
		step = " memory"
	}
	id := r.keep()
	src := &guards.Source{Parent: s, Step: step, ID: id}
	r.add(guards.Guard{Load: guards.LoadSize, A: s.Ref(), J: d, Test: guards.TestInt, Dst: id, Source: src})
	r.know(id, value.Int(v))
	e := r.intern(&guards.Expr{Kind: guards.ExprVal, ID: id, Of: src})
	n := r.bound("s", v, min(int64(d), 0)+1, bind{expr: e})
	r.syms[e] = n
	return n
}

// length is the number of elements of the memory of a tensor of the outside.
func (r *recorder) length(t *eager.Tensor, s *guards.Source) sym.Int {
	n := int64(t.Store.Buf.Len()) / int64(t.DType.Size())
	m := t.Meta()
	if !m.Symbolic() {
		return sym.C(n)
	}
	if g := t.Geometry; t.Off == 0 && g.Dense() && g.Numel() == n {
		return m.Numel()
	}
	return r.sizeOf(s, -1, n)
}

// bound makes a symbol of the context.
func (r *recorder) bound(name string, hint, lo int64, b bind) sym.Int {
	name = fmt.Sprintf("%s%d", name, len(r.e.binds))
	r.e.binds = append(r.e.binds, b)
	if lo < 0 {
		return r.ctx.NewSigned(name, hint)
	}
	return r.ctx.New(name, hint, lo)
}

// know notes the value at hand of what the check keeps.
func (r *recorder) know(id int, v value.Value) {
	for len(r.known) <= id {
		r.known = append(r.known, value.Value{})
	}
	r.known[id] = v
}

// SymInt is the symbol as an expression of the context.
func (s *symbol) SymInt() (n sym.Int, ok bool) {
	if !s.v.IsInt() {
		return n, false
	}
	if !s.r.alive() || s.r.reg.static {
		return sym.C(s.Concrete().Int64()), true
	}
	return s.r.symOf(s.e), true
}

func (r *recorder) symOf(e *guards.Expr) sym.Int {
	e = r.intern(e)
	if e.Kind == guards.ExprConst {
		return sym.C(e.V.Int64())
	}
	if n, ok := r.syms[e]; ok {
		return n
	}
	x := e
	if e.Kind == guards.ExprVal && e.ID < len(r.computed) && r.computed[e.ID] != nil {
		x = r.computed[e.ID]
	}
	n, ok := sym.Int{}, false
	if x.Kind == guards.ExprBinary && r.isInt(x.X) && r.isInt(x.Y) {
		ok = true
		switch a, b := x.X, x.Y; value.Op(x.Op) {
		case value.OpAdd:
			n = r.symOf(a).Add(r.symOf(b))
		case value.OpSub:
			n = r.symOf(a).Sub(r.symOf(b))
		case value.OpMul:
			n = r.symOf(a).Mul(r.symOf(b))
		case value.OpFloorDiv:
			if b.Kind == guards.ExprConst && b.V.Int64() > 0 {
				n = r.symOf(a).Div(sym.C(b.V.Int64()))
			} else {
				ok = false
			}
		default:
			ok = false
		}
	}
	if !ok {
		v, _ := e.Eval(&r.th.Thread, r.known)
		id := r.kept(e, v)
		n = r.bound("i", v.Int64(), -1, bind{expr: r.intern(&guards.Expr{Kind: guards.ExprVal, ID: id})})
	}
	r.syms[e] = n
	return n
}

// isInt reports an expression whose value at hand is an int of the machine's range,
// as are the values of all its parts.
func (r *recorder) isInt(e *guards.Expr) bool {
	v, ok := e.Eval(&r.th.Thread, r.known)
	return ok && v.IsInt()
}

// SizeSymbol is a size as the program sees it.
func (r *recorder) SizeSymbol(n sym.Int) value.Value {
	h := value.Int(n.Hint())
	if n = n.Norm(); n.IsConst() || !r.alive() {
		return h
	}
	e := r.intern(r.exprOf(n))
	r.syms[e] = n
	return r.symbol(h, e)
}

func exprOp(op value.Op, a, b *guards.Expr) *guards.Expr {
	return &guards.Expr{Kind: guards.ExprBinary, Op: uint8(op), X: a, Y: b}
}

// exprOf is an expression of the context as one of the check.
func (r *recorder) exprOf(n sym.Int) *guards.Expr {
	return sym.Fold(n, &sym.Algebra[*guards.Expr]{
		Const:  func(v int64) *guards.Expr { return constExpr(value.Int(v)) },
		Symbol: func(i int) *guards.Expr { return r.e.binds[i].expr },
		Add:    func(a, b *guards.Expr) *guards.Expr { return exprOp(value.OpAdd, a, b) },
		Mul:    func(a, b *guards.Expr) *guards.Expr { return exprOp(value.OpMul, a, b) },
		Div:    func(a, b *guards.Expr) *guards.Expr { return exprOp(value.OpFloorDiv, a, b) },
		Max:    func(a, b *guards.Expr) *guards.Expr { return &guards.Expr{Kind: guards.ExprMax, X: a, Y: b} },
	})
}

var relCmps = map[sym.Rel]value.Cmp{sym.EQ: value.Eq, sym.NE: value.Ne, sym.LE: value.Le, sym.GT: value.Gt}

// sizeGuards makes guards of what the context was asked.
func (r *recorder) sizeGuards() {
	for _, g := range r.ctx.Guards() {
		e := &guards.Expr{Kind: guards.ExprCompare, Op: uint8(relCmps[g.Rel]), X: r.exprOf(g.E), Y: constExpr(value.Int(0))}
		r.add(guards.Guard{Test: guards.TestTrue, Expr: r.intern(e), Dst: -1, Why: "sizes"})
	}
}

// plainSizes gives up a recording with symbolic sizes: the next one has none.
func (r *recorder) plainSizes(why string) {
	if len(r.syms) > 0 && !r.reg.static {
		r.reg.static = true
		r.retry = true
		r.kill("%s", why)
	}
}

// IndexOf implements value.Indexer.
func (s *symbol) IndexOf(list value.Value, n int) (int, bool) {
	r := s.r
	if !r.alive() || !s.v.IsInt() || s.v.Int64() < 0 || s.v.Int64() >= int64(n) || r.born[idOf(list)] {
		return 0, false
	}
	if st := r.list(list.AsList()); st == nil || st.touched {
		return 0, false
	}
	r.cur.index = s
	return int(s.v.Int64()), true
}

// lenOf is len(x) where that is symbolic: of tensors by their first size, of lists,
// dicts and sets whose length has changed before.
func (r *recorder) lenOf(x value.Value) (v value.Value, ok bool) {
	if t := tensorOf(x); t != nil {
		m := t.Meta()
		if len(m.Size) == 0 || m.Size[0].IsConst() || !r.isBorn(x) && r.source(x) == nil {
			return v, false
		}
		return r.SizeSymbol(m.Size[0]), true
	}
	if len(r.reg.lens) == 0 && !r.reg.mark.always() || r.isBorn(x) || !x.Is(value.ItabList) && !x.Is(value.ItabDict) && !x.Is(value.ItabSet) {
		return v, false
	}
	s := r.source(x)
	if s == nil || r.reg.mark.never() || !r.reg.lens[s.String()] && !r.reg.mark.always() {
		return v, false
	}
	more, known := 0, 0
	if l := x.AsList(); l != nil {
		st := r.list(l)
		if st == nil || st.measured {
			return v, false
		}
		if st.touched {
			more = len(st.cur) - len(st.pre)
		}
		known = len(st.pre)
	} else {
		st := r.dict(x)
		if st == nil || st.measured || st.ordered || st.touched {
			return v, false
		}
		known = len(st.pre)
	}
	e := r.lens[idOf(x)]
	if e == nil {
		id := r.keep()
		src := &guards.Source{Parent: s, Step: " length", ID: id}
		r.add(guards.Guard{Load: guards.LoadLen, A: s.Ref(), Test: guards.TestInt, Dst: id, Source: src})
		r.know(id, value.Int(int64(known)))
		e = r.intern(&guards.Expr{Kind: guards.ExprVal, ID: id, Of: src})
		r.lens[idOf(x)] = e
	}
	if more != 0 {
		e = exprOp(value.OpAdd, e, constExpr(value.Int(int64(more))))
	}
	return r.symbol(value.Int(int64(known+more)), e), true
}
