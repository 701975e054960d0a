package loop

// A product whose only use is a sum or difference in the same list is computed
// with it: one pass over the block instead of two. It is rounded in between, so
// the result is that of two primitives.

// fusible finds the products of a statement list that may wait for their use.
func (c *evalCompiler) fusible(body []Stmt) {
	var products map[V]*Let
	for _, s := range body {
		l, ok := s.(*Let)
		if !ok || !l.Type.IsFloat() {
			continue
		}
		switch l.Op {
		case OpMul:
			if c.uses[l.V] == 1 {
				if products == nil {
					products = map[V]*Let{}
				}
				products[l.V] = l
			}
		case OpAdd, OpSub:
			for _, v := range [2]V{l.A, l.B} {
				if p := products[v]; p != nil {
					c.waits[v] = p
					break
				}
			}
		}
	}
}

// countUses counts how often each value is read.
func countUses(uses []int32, body []Stmt) {
	mem := func(m *Access) {
		if m != nil {
			uses[m.Mask]++
			for _, d := range m.Dyn {
				uses[d.Index]++
			}
		}
	}
	for _, s := range body {
		switch s := s.(type) {
		case *Let:
			uses[s.A]++
			uses[s.B]++
			uses[s.C]++
			mem(s.Mem)
		case *Store:
			uses[s.Val]++
			mem(s.Mem)
		case *Atomic:
			uses[s.Val]++
			mem(s.Mem)
		case *Assert:
			uses[s.Cond]++
			uses[s.Val]++
			uses[s.Mask]++
		case *Loop:
			for _, f := range s.Folds {
				uses[f.In]++
				uses[f.InIdx]++
			}
			for _, x := range s.Carry {
				uses[x.Init]++
				uses[x.Next]++
			}
			countUses(uses, s.Body)
		}
	}
}

// fused emits a sum or difference with the product that waited for it; ok is
// false where no operand did.
func (c *evalCompiler) fused(s *Let) (ok bool) {
	if s.Op != OpAdd && s.Op != OpSub {
		return false
	}
	p, other, kind := c.held[s.A], s.B, mulAdd
	if p != nil && s.Op == OpSub {
		kind = mulSub
	}
	if p == nil {
		if p = c.held[s.B]; p == nil {
			return false
		}
		other = s.A
		if s.Op == OpSub {
			kind = subMul
		}
	}
	c.triple(s, kind, p.A, p.B, other)
	return true
}

type fusedKind int

const (
	mulAdd fusedKind = iota // a*b + c
	mulSub                  // a*b - c
	subMul                  // c - a*b
)

// triple emits a primitive of a, b and c of which a or b has lanes.
func (c *evalCompiler) triple(s *Let, kind fusedKind, a, b, x V) {
	if !c.isLane(a) {
		a, b = b, a
	}
	form := 0 // bit 0: b is single, bit 1: c is single
	in := inst{def: s, pure: true}
	in.a, in.b, in.c = c.reg(a), c.reg(b), c.reg(x)
	if !c.isLane(b) {
		form |= 1
	}
	if !c.isLane(x) {
		form |= 2
	}
	in.fn = fusedFns[kind][form][s.Type]
	c.use(in.a)
	c.use(in.b)
	c.use(in.c)
	in.d = c.define(s.V, s.Type, true)
	c.emit(in)
}

func floats(f32, f64 blockFn) opTypes { return opTypes{F32: f32, F64: f64} }

var fusedFns = [3][4]opTypes{
	mulAdd: {floats(mulAddVV[float32], mulAddVV[float64]), floats(mulAddSV[float32], mulAddSV[float64]), floats(mulAddVS[float32], mulAddVS[float64]), floats(mulAddSS[float32], mulAddSS[float64])},
	mulSub: {floats(mulSubVV[float32], mulSubVV[float64]), floats(mulSubSV[float32], mulSubSV[float64]), floats(mulSubVS[float32], mulSubVS[float64]), floats(mulSubSS[float32], mulSubSS[float64])},
	subMul: {floats(subMulVV[float32], subMulVV[float64]), floats(subMulSV[float32], subMulSV[float64]), floats(subMulVS[float32], subMulVS[float64]), floats(subMulSS[float32], subMulSS[float64])},
}

func mulAddVV[T floating](st *state, in *inst, n int) {
	d, a, b, c := lanes[T](st, in.d, n), lanes[T](st, in.a, n), lanes[T](st, in.b, n), lanes[T](st, in.c, n)
	for i := range d {
		d[i] = T(a[i]*b[i]) + c[i]
	}
}
func mulAddSV[T floating](st *state, in *inst, n int) {
	d, a, b, c := lanes[T](st, in.d, n), lanes[T](st, in.a, n), one[T](st, in.b), lanes[T](st, in.c, n)
	for i := range d {
		d[i] = T(a[i]*b) + c[i]
	}
}
func mulAddVS[T floating](st *state, in *inst, n int) {
	d, a, b, c := lanes[T](st, in.d, n), lanes[T](st, in.a, n), lanes[T](st, in.b, n), one[T](st, in.c)
	for i := range d {
		d[i] = T(a[i]*b[i]) + c
	}
}
func mulAddSS[T floating](st *state, in *inst, n int) {
	d, a, b, c := lanes[T](st, in.d, n), lanes[T](st, in.a, n), one[T](st, in.b), one[T](st, in.c)
	for i := range d {
		d[i] = T(a[i]*b) + c
	}
}
func mulSubVV[T floating](st *state, in *inst, n int) {
	d, a, b, c := lanes[T](st, in.d, n), lanes[T](st, in.a, n), lanes[T](st, in.b, n), lanes[T](st, in.c, n)
	for i := range d {
		d[i] = T(a[i]*b[i]) - c[i]
	}
}
func mulSubSV[T floating](st *state, in *inst, n int) {
	d, a, b, c := lanes[T](st, in.d, n), lanes[T](st, in.a, n), one[T](st, in.b), lanes[T](st, in.c, n)
	for i := range d {
		d[i] = T(a[i]*b) - c[i]
	}
}
func mulSubVS[T floating](st *state, in *inst, n int) {
	d, a, b, c := lanes[T](st, in.d, n), lanes[T](st, in.a, n), lanes[T](st, in.b, n), one[T](st, in.c)
	for i := range d {
		d[i] = T(a[i]*b[i]) - c
	}
}
func mulSubSS[T floating](st *state, in *inst, n int) {
	d, a, b, c := lanes[T](st, in.d, n), lanes[T](st, in.a, n), one[T](st, in.b), one[T](st, in.c)
	for i := range d {
		d[i] = T(a[i]*b) - c
	}
}
func subMulVV[T floating](st *state, in *inst, n int) {
	d, a, b, c := lanes[T](st, in.d, n), lanes[T](st, in.a, n), lanes[T](st, in.b, n), lanes[T](st, in.c, n)
	for i := range d {
		d[i] = c[i] - T(a[i]*b[i])
	}
}
func subMulSV[T floating](st *state, in *inst, n int) {
	d, a, b, c := lanes[T](st, in.d, n), lanes[T](st, in.a, n), one[T](st, in.b), lanes[T](st, in.c, n)
	for i := range d {
		d[i] = c[i] - T(a[i]*b)
	}
}
func subMulVS[T floating](st *state, in *inst, n int) {
	d, a, b, c := lanes[T](st, in.d, n), lanes[T](st, in.a, n), lanes[T](st, in.b, n), one[T](st, in.c)
	for i := range d {
		d[i] = c - T(a[i]*b[i])
	}
}
func subMulSS[T floating](st *state, in *inst, n int) {
	d, a, b, c := lanes[T](st, in.d, n), lanes[T](st, in.a, n), one[T](st, in.b), one[T](st, in.c)
	for i := range d {
		d[i] = c - T(a[i]*b)
	}
}
