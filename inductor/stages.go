package inductor

import (
	"sync"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// Long folds over few rows. The kernel of a reduction is cut along its kept
// dimensions only, so that a full reduction would be one call. A kernel with one fold
// gets three more, which a run takes in its place where the fold is long:
//
//	pieces   for each whole piece of the fold, fold it:  part[piece, row…] = fold
//	tail     the piece that is left, of any length from 0: part[last, row…] = fold
//	combine  fold part over the pieces, in order; then what followed the fold
//
// The length of a piece and the choice depend on sizes alone: results do not depend on
// the number of workers, nor on what ran before. Partial sums and products of float32
// are float64. Sums of float64 stay whole: their rounding errors would be lost.

// pieceWork is the elements of a piece, some 50 µs.
const pieceWork = 1 << 17

// stages is when a kernel runs in stages.
type stages struct{ n, inner, rows, piece sym.Int }

// hold reports whether a run with these sizes is in stages.
func (s *stages) hold(bind []int64) bool {
	n, ok1 := s.n.Eval(bind)
	in, ok2 := s.inner.Eval(bind)
	rows, ok3 := s.rows.Eval(bind)
	p, ok4 := s.piece.Eval(bind)
	if !ok1 || !ok2 || !ok3 || !ok4 || n <= 0 || in <= 0 || rows <= 0 || rows > 1<<12 {
		return false
	}
	return n/p >= 4 && (n >= 2*pieceWork/in || rows < 1<<9 && n >= 4*pieceWork/in/rows)
}

// staging is a kernel that is being cut.
type staging struct {
	k     *loop.Kernel
	spine []*loop.Loop // around the fold
	fold  *loop.Loop
	pre   [][]loop.Stmt // before the loop, by depth
	post  []loop.Stmt   // after the fold
}

// stageable takes a kernel apart; nil where it has another form.
func stageable(k *loop.Kernel) *staging {
	for _, b := range k.Bufs {
		if b.Role == loop.InOut {
			return nil
		}
	}
	s := &staging{k: k}
	body := k.Body
	for {
		at := -1
		for i, t := range body {
			switch t.(type) {
			case *loop.Let:
			case *loop.Store:
				if at < 0 {
					return nil
				}
			case *loop.Loop:
				if at >= 0 {
					return nil
				}
				at = i
			default:
				return nil
			}
		}
		if at < 0 {
			return nil
		}
		l := body[at].(*loop.Loop)
		s.pre = append(s.pre, body[:at])
		if len(l.Carry) > 0 {
			return nil
		}
		if len(l.Folds) > 0 {
			s.fold, s.post = l, body[at+1:]
			break
		}
		if at != len(body)-1 || l.Kind == loop.Serial {
			return nil
		}
		s.spine = append(s.spine, l)
		body = l.Body
	}
	for _, f := range s.fold.Folds {
		if f.Op == loop.FoldAdd && f.Type == loop.F64 {
			return nil
		}
	}
	if !loadsOnly(s.fold.Body) {
		return nil
	}
	return s
}

func loadsOnly(body []loop.Stmt) bool {
	for _, t := range body {
		switch t := t.(type) {
		case *loop.Let:
		case *loop.Loop:
			if len(t.Carry) > 0 || !loadsOnly(t.Body) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// expr is an integer of the kernel as an expression.
func (s *staging) expr(p loop.P) sym.Int {
	if p.Par == 0 {
		return sym.C(p.Imm)
	}
	return s.k.Params[p.Par-1]
}

// stage adds the stages of the kernel in step st, which has been added.
func (p *plan) stage(st *step) {
	s := stageable(st.kernel)
	if s == nil || p.whole {
		return
	}
	c := &stages{n: s.expr(s.fold.Extent), inner: sym.C(1), rows: sym.C(1)}
	for _, l := range s.spine {
		c.rows = c.rows.Mul(s.expr(l.Extent))
	}
	cost := int64(1)
	var look func(body []loop.Stmt)
	look = func(body []loop.Stmt) {
		for _, t := range body {
			switch t := t.(type) {
			case *loop.Loop:
				c.inner = c.inner.Mul(s.expr(t.Extent))
				look(t.Body)
			case *loop.Let:
				if t.Op.IsElementary() {
					cost += 4
				}
			}
		}
	}
	look(s.fold.Body)
	c.piece = sym.C(pieceWork / cost).Div(c.inner.Mul(c.rows).Add(sym.C(1))).Add(sym.C(1))
	if v, ok := c.piece.Const(); ok && v > 64 {
		c.piece = sym.C(v &^ 63)
	}
	_, fixed := c.n.Const()
	_, fixedIn := c.inner.Const()
	if _, ok := c.rows.Const(); ok && fixed && fixedIn && !c.hold(nil) {
		return
	}
	st.unless = c
	count := c.n.Div(c.piece)
	length := count.Add(sym.C(1)).Mul(c.rows)
	bufs := append([]int{}, st.bufs...)
	var parts []tensor.DType
	add := func(t loop.Type) {
		d := map[loop.Type]tensor.DType{loop.B1: tensor.Bool, loop.I32: tensor.Int32, loop.I64: tensor.Int64, loop.F32: tensor.Float32, loop.F64: tensor.Float64}[t]
		parts = append(parts, d)
		bufs = append(bufs, p.add(planBuf{kind: bufTemp, dtype: d, len: length, when: c}))
	}
	for _, f := range s.fold.Folds {
		add(partType(f))
		if f.Op.HasIndex() {
			add(loop.I64)
		}
	}
	for i, k := range []*loop.Kernel{s.part(c, parts, true), s.part(c, parts, false), s.combine(c, parts)} {
		k.Name += [...]string{"_pieces", "_tail", "_combine"}[i]
		if err := loop.Verify(k); err != nil {
			panic("BUG: " + err.Error() + "\n" + k.String())
		}
		t := &step{name: k.Name, kernel: k, bufs: bufs, nums: st.nums, bounds: loop.NewBounds(k), state: -1, when: c, once: new(sync.Once)}
		if l := k.Split(); l != nil {
			t.split, t.hasCut = l.Extent, true
		}
		p.steps = append(p.steps, t)
	}
}

// partType is the type of a fold's partial results: the accumulator's.
func partType(f loop.Fold) loop.Type {
	if f.Type == loop.F32 && (f.Op == loop.FoldAdd || f.Op == loop.FoldMul) {
		return loop.F64
	}
	return f.Type
}

// copier copies statements of a kernel into another.
type copier struct {
	*staging
	out *loop.Kernel
	// the fold's axis is moved by stride*axis + off
	axis   loop.Axis
	stride sym.Int
	off    sym.Int
	moved  bool // axis counts
}

func (s *staging) copier(parts []tensor.DType, role loop.Role) *copier {
	k := *s.k
	k.Params = append([]sym.Int{}, k.Params...)
	k.Bufs = append([]loop.Buf{}, k.Bufs...)
	for _, d := range parts {
		k.Bufs = append(k.Bufs, loop.Buf{DType: d, Role: role, Name: "part"})
	}
	return &copier{staging: s, out: &k, off: sym.C(0)}
}

func (c *copier) p(e sym.Int) loop.P {
	e = e.Norm()
	if v, ok := e.Const(); ok {
		return loop.Imm(v)
	}
	for i, x := range c.out.Params {
		if x == e {
			return loop.P{Par: int32(i + 1)}
		}
	}
	c.out.Params = append(c.out.Params, e)
	return loop.P{Par: int32(len(c.out.Params))}
}

func (c *copier) newV() loop.V {
	c.out.NumV++
	return loop.V(c.out.NumV)
}

func (c *copier) newAxis() loop.Axis {
	c.out.NumAxis++
	return loop.Axis(c.out.NumAxis - 1)
}

// body copies the body of the fold.
func (c *copier) body(in []loop.Stmt) (out []loop.Stmt) {
	for _, t := range in {
		switch t := t.(type) {
		case *loop.Loop:
			l := *t
			l.Body = c.body(t.Body)
			out = append(out, &l)
		case *loop.Let:
			l := *t
			if t.Op == loop.OpAxis && t.Slot == int(c.fold.Axis) {
				l.V = c.newV()
				base := &loop.Let{V: c.newV(), Op: loop.OpParam, Type: loop.I64, P: c.p(c.off)}
				out = append(out, &l, c.size(base))
				if c.moved {
					a := &loop.Let{V: c.newV(), Op: loop.OpAxis, Type: loop.I64, Slot: int(c.axis)}
					w := &loop.Let{V: c.newV(), Op: loop.OpParam, Type: loop.I64, P: c.p(c.stride)}
					base = &loop.Let{V: c.newV(), Op: loop.OpMul, Type: loop.I64, A: a.V, B: w.V}
					out = append(out, a, c.size(w), base)
				}
				out = append(out, &loop.Let{V: t.V, Op: loop.OpAdd, Type: loop.I64, A: l.V, B: base.V})
				continue
			}
			if t.Mem != nil {
				l.Mem = c.access(t.Mem)
			}
			out = append(out, &l)
		}
	}
	return out
}

// size turns an immediate parameter into a constant.
func (c *copier) size(l *loop.Let) *loop.Let {
	if l.P.Par == 0 {
		l.Op, l.Bits, l.P = loop.OpConst, uint64(l.P.Imm), loop.P{}
	}
	return l
}

func (c *copier) access(m *loop.Access) *loop.Access {
	n := *m
	n.Terms = append([]loop.Term{}, m.Terms...)
	for _, t := range m.Terms {
		if t.Axis != c.fold.Axis {
			continue
		}
		s := c.expr(t.Stride)
		n.Off = c.p(c.expr(m.Off).Add(s.Mul(c.off)))
		if c.moved {
			n.Terms = append(n.Terms, loop.Term{Axis: c.axis, Stride: c.p(s.Mul(c.stride))})
		}
	}
	return &n
}

// place is where the partial results of the row at the open axes are.
func (c *copier) place(buf int, off sym.Int, axis loop.Axis, stride sym.Int) *loop.Access {
	m := &loop.Access{Buf: buf, Off: c.p(off)}
	if axis >= 0 {
		m.Terms = append(m.Terms, loop.Term{Axis: axis, Stride: c.p(stride)})
	}
	st := sym.C(1)
	for i := len(c.spine) - 1; i >= 0; i-- {
		m.Terms = append(m.Terms, loop.Term{Axis: c.spine[i].Axis, Stride: c.p(st)})
		st = st.Mul(c.expr(c.spine[i].Extent))
	}
	return m
}

// wrap puts what is innermost into the loops around the fold.
func (c *copier) wrap(inner []loop.Stmt) []loop.Stmt {
	for i := len(c.spine); ; i-- {
		inner = append(append([]loop.Stmt{}, c.pre[i]...), inner...)
		if i == 0 {
			return inner
		}
		l := *c.spine[i-1]
		l.Body = inner
		inner = []loop.Stmt{&l}
	}
}

// part is the kernel of the whole pieces, or of the tail.
func (s *staging) part(st *stages, parts []tensor.DType, whole bool) *loop.Kernel {
	c := s.copier(parts, loop.Out)
	count := st.n.Div(st.piece)
	l := *s.fold
	at, axis := count.Mul(st.rows), loop.Axis(-1)
	if whole {
		c.axis, c.stride, c.moved = c.newAxis(), st.piece, true
		l.Extent = c.p(st.piece)
		at, axis = sym.C(0), c.axis
	} else {
		c.off = count.Mul(st.piece)
		l.Extent = c.p(st.n.Sub(c.off))
	}
	l.Body = c.body(s.fold.Body)
	l.Folds = append([]loop.Fold{}, s.fold.Folds...)
	inner := []loop.Stmt{&l}
	buf := len(s.k.Bufs)
	store := func(v loop.V) {
		inner = append(inner, &loop.Store{Mem: c.place(buf, at, axis, st.rows), Val: v})
		buf++
	}
	for i := range l.Folds {
		f := &l.Folds[i]
		if t := partType(*f); t != f.Type {
			w := &loop.Let{V: c.newV(), Op: loop.OpCast, Type: t, A: f.In}
			l.Body = append(l.Body, w)
			f.In, f.Type = w.V, t
		}
		store(f.Out)
		if f.Op.HasIndex() {
			store(f.OutIx)
		}
	}
	c.out.Body = c.wrap(inner)
	if whole {
		c.out.Body = []loop.Stmt{&loop.Loop{Axis: c.axis, Extent: c.p(count), Kind: loop.Grid, Body: c.out.Body}}
	}
	return c.out
}

// combine is the kernel that folds the partial results.
func (s *staging) combine(st *stages, parts []tensor.DType) *loop.Kernel {
	c := s.copier(parts, loop.In)
	l := &loop.Loop{Axis: c.newAxis(), Extent: c.p(st.n.Div(st.piece).Add(sym.C(1))), Kind: s.fold.Kind, Folds: append([]loop.Fold{}, s.fold.Folds...)}
	inner := []loop.Stmt{l}
	buf := len(s.k.Bufs)
	load := func(t loop.Type) loop.V {
		v := &loop.Let{V: c.newV(), Op: loop.OpLoad, Type: t, Mem: c.place(buf, sym.C(0), l.Axis, st.rows)}
		l.Body = append(l.Body, v)
		buf++
		return v.V
	}
	for i := range l.Folds {
		f := &l.Folds[i]
		t := partType(*f)
		f.In = load(t)
		if f.Op.HasIndex() {
			f.InIdx = load(loop.I64)
		}
		if t != f.Type {
			out := c.newV()
			inner = append(inner, &loop.Let{V: f.Out, Op: loop.OpCast, Type: f.Type, A: out})
			f.Out, f.Type = out, t
		}
	}
	c.out.Body = c.wrap(append(inner, s.post...))
	return c.out
}
