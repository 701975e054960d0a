package loop

import "math"

// Folds. A sum of float32 is kept in float64, one of float64 as a sum and the
// rounding errors that were lost (two-sum), so that neither the order nor the
// number of terms matters to the documented bound. A fold over lanes reduces
// each block (float64 pairwise) and adds that to the accumulator.
//
//	foldInit  acc = identity            before the loop
//	foldStep  acc = acc op in           at the end of a serial iteration
//	foldLanes acc = acc op (op of in)   at the end of a block
//	foldEnd   out = acc                 behind the loop

// foldRegs are a fold's accumulators: two for float64 sums (sum, error) and
// index folds (value, index; noIndex before the first).
type foldRegs struct{ a, b int32 }

const noIndex = math.MinInt64

func accType(f Fold) Type {
	if f.Type == F32 && (f.Op == FoldAdd || f.Op == FoldMul) {
		return F64
	}
	return f.Type
}

func identityBits(op FoldOp, t Type) uint64 {
	low := map[Type]uint64{I32: uint64(1 << 31), I64: 1 << 63, F32: uint64(math.Float32bits(float32(math.Inf(-1)))), F64: math.Float64bits(math.Inf(-1))}
	high := map[Type]uint64{I32: 1<<31 - 1, I64: 1<<63 - 1, F32: uint64(math.Float32bits(float32(math.Inf(1)))), F64: math.Float64bits(math.Inf(1))}
	switch op {
	case FoldMul:
		return map[Type]uint64{I32: 1, I64: 1, F32: uint64(math.Float32bits(1)), F64: math.Float64bits(1)}[t]
	case FoldMin, FoldArgMin:
		return high[t]
	case FoldMax, FoldArgMax:
		return low[t]
	case FoldAnd:
		return 1
	}
	return 0
}

func setConst(st *state, in *inst, n int) {
	switch Type(in.c) {
	case B1:
		fill(lanes[bool](st, in.d, n), in.aux != 0)
	case I32, F32:
		fill(lanes[uint32](st, in.d, n), uint32(in.aux))
	default:
		fill(lanes[uint64](st, in.d, n), uint64(in.aux))
	}
}

func fill[T any](d []T, x T) {
	for i := range d {
		d[i] = x
	}
}

func (c *evalCompiler) accReg(t Type, lane bool, bits uint64) int32 {
	r := c.newReg(t, lane)
	c.emit(inst{fn: setConst, d: r, c: int32(t), aux: int64(bits), pure: true})
	return r
}

func (c *evalCompiler) foldInit(f Fold, lane bool) foldRegs {
	t := accType(f)
	r := foldRegs{a: c.accReg(t, lane, identityBits(f.Op, t)), b: -1}
	switch {
	case f.Op.HasIndex():
		r.b = c.accReg(I64, lane, 1<<63)
	case f.Op == FoldAdd && f.Type == F64:
		r.b = c.accReg(F64, lane, 0)
	}
	return r
}

// foldStep combines lane by lane.
func (c *evalCompiler) foldStep(f Fold, r foldRegs, lane bool) {
	v, x := c.reg(f.In), int32(-1)
	if lane {
		v = c.spread(f.In)
	}
	if f.Op.HasIndex() {
		x = c.reg(f.InIdx)
		if lane {
			x = c.spread(f.InIdx)
		}
	}
	c.use(v)
	c.use(x)
	c.use(r.a)
	c.use(r.b)
	in := inst{fn: stepFns[f.Op][f.Type], d: r.a, a: v, b: r.b, c: x}
	switch f.Op {
	case FoldMin, FoldMax, FoldAnd, FoldOr:
		in = inst{fn: plainFns[foldPrim[f.Op]][f.Type], d: r.a, a: r.a, b: v}
	case FoldMul:
		if f.Type != F32 {
			in = inst{fn: plainFns[OpMul][f.Type], d: r.a, a: r.a, b: v}
		}
	case FoldAdd:
		if f.Type.IsInt() {
			in = inst{fn: plainFns[OpAdd][f.Type], d: r.a, a: r.a, b: v}
		}
	}
	c.emit(in)
}

// foldLanes reduces the lanes of a block into single accumulators.
func (c *evalCompiler) foldLanes(f Fold, r foldRegs) {
	v, x := c.spread(f.In), int32(-1)
	if f.Op.HasIndex() {
		x = c.spread(f.InIdx)
	}
	c.use(v)
	c.use(x)
	c.emit(inst{fn: reduceFns[f.Op][f.Type], d: r.a, a: v, b: r.b, c: x})
}

func (c *evalCompiler) foldEnd(f Fold, r foldRegs, lane bool) {
	c.use(r.a)
	c.use(r.b)
	if f.Op.HasIndex() {
		c.emit(inst{fn: copyFn[f.Type], d: c.define(f.Out, f.Type, lane), a: r.a, pure: true})
		c.use(r.b)
		c.emit(inst{fn: endIndex, d: c.define(f.OutIx, I64, lane), a: r.b, pure: true})
		return
	}
	fn := copyFn[f.Type]
	if t := accType(f); t != f.Type {
		fn = castFns[t][f.Type]
	} else if r.b >= 0 {
		fn = endSum
	}
	c.emit(inst{fn: fn, d: c.define(f.Out, f.Type, lane), a: r.a, b: r.b, pure: true})
}

func endIndex(st *state, in *inst, n int) {
	d, a := lanes[int64](st, in.d, n), lanes[int64](st, in.a, n)
	for i, x := range a {
		if x == noIndex {
			x = 0
		}
		d[i] = x
	}
}

func endSum(st *state, in *inst, n int) {
	d, a, b := lanes[float64](st, in.d, n), lanes[float64](st, in.a, n), lanes[float64](st, in.b, n)
	for i, s := range a {
		// after an overflow the error is meaningless, the sum is not
		if e := b[i]; e-e == 0 {
			s += e
		}
		d[i] = s
	}
}

func stepAddF32(st *state, in *inst, n int) {
	d, a := lanes[float64](st, in.d, n), lanes[float32](st, in.a, n)
	for i := range d {
		d[i] += float64(a[i])
	}
}

func stepMulF32(st *state, in *inst, n int) {
	d, a := lanes[float64](st, in.d, n), lanes[float32](st, in.a, n)
	for i := range d {
		d[i] *= float64(a[i])
	}
}

func stepAddF64(st *state, in *inst, n int) {
	d, a, e := lanes[float64](st, in.d, n), lanes[float64](st, in.a, n), lanes[float64](st, in.b, n)
	for i := range d {
		d[i], e[i] = twoSum(d[i], a[i], e[i])
	}
}

// twoSum adds x to s and what rounding lost to e (Knuth).
func twoSum(s, x, e float64) (float64, float64) {
	t := s + x
	z := t - s
	return t, e + ((s - (t - z)) + (x - z))
}

// better reports that x replaces the best so far: NaN first, then by order, the
// earlier of equals stays.
func better[T number](x, best T, wantMax bool) bool {
	if best != best {
		return false
	}
	if x != x {
		return true
	}
	if wantMax {
		return x > best
	}
	return x < best
}

func stepArg[T number](wantMax bool) blockFn {
	return func(st *state, in *inst, n int) {
		d, a, k, x := lanes[T](st, in.d, n), lanes[T](st, in.a, n), lanes[int64](st, in.b, n), lanes[int64](st, in.c, n)
		for i := range d {
			if k[i] == noIndex || better(a[i], d[i], wantMax) {
				d[i], k[i] = a[i], x[i]
			}
		}
	}
}

func reduceArg[T number](wantMax bool) blockFn {
	return func(st *state, in *inst, n int) {
		d, k := (*T)(st.p[in.d]), (*int64)(st.p[in.b])
		a, x := lanes[T](st, in.a, n), lanes[int64](st, in.c, n)
		best, at := *d, *k
		for i, v := range a {
			if at == noIndex || better(v, best, wantMax) {
				best, at = v, x[i]
			}
		}
		*d, *k = best, at
	}
}

// argBool orders false before true.
func reduceArgBool(wantMax bool) blockFn {
	return func(st *state, in *inst, n int) {
		d, k := (*bool)(st.p[in.d]), (*int64)(st.p[in.b])
		a, x := lanes[bool](st, in.a, n), lanes[int64](st, in.c, n)
		for i, v := range a {
			if *k == noIndex || v != *d && v == wantMax {
				*d, *k = v, x[i]
			}
		}
	}
}

func stepArgBool(wantMax bool) blockFn {
	return func(st *state, in *inst, n int) {
		d, a, k, x := lanes[bool](st, in.d, n), lanes[bool](st, in.a, n), lanes[int64](st, in.b, n), lanes[int64](st, in.c, n)
		for i := range d {
			if k[i] == noIndex || a[i] != d[i] && a[i] == wantMax {
				d[i], k[i] = a[i], x[i]
			}
		}
	}
}

func reduceAddF32(st *state, in *inst, n int) {
	d, a := (*float64)(st.p[in.d]), lanes[float32](st, in.a, n)
	var s0, s1, s2, s3 float64
	for len(a) >= 4 {
		s0 += float64(a[0])
		s1 += float64(a[1])
		s2 += float64(a[2])
		s3 += float64(a[3])
		a = a[4:]
	}
	for _, x := range a {
		s0 += float64(x)
	}
	*d += (s0 + s1) + (s2 + s3)
}

// reduceMulF32 multiplies in float64 with the exponent range of one: a block's
// product is folded term by term.
func reduceMulF32(st *state, in *inst, n int) {
	d := (*float64)(st.p[in.d])
	p := *d
	for _, x := range lanes[float32](st, in.a, n) {
		p *= float64(x)
	}
	*d = p
}

func reduceAddF64(st *state, in *inst, n int) {
	d, e := (*float64)(st.p[in.d]), (*float64)(st.p[in.b])
	*d, *e = twoSum(*d, pairwise(lanes[float64](st, in.a, n)), *e)
}

// pairwise sums by halves down to 32 terms in four chains.
func pairwise(a []float64) float64 {
	if len(a) > 32 {
		h := len(a) / 2 &^ 3
		return pairwise(a[:h]) + pairwise(a[h:])
	}
	var s0, s1, s2, s3 float64
	for len(a) >= 4 {
		s0 += a[0]
		s1 += a[1]
		s2 += a[2]
		s3 += a[3]
		a = a[4:]
	}
	for _, x := range a {
		s0 += x
	}
	return (s0 + s1) + (s2 + s3)
}

func reduceAdd[T number](st *state, in *inst, n int) {
	d := (*T)(st.p[in.d])
	s := *d
	for _, x := range lanes[T](st, in.a, n) {
		s += x
	}
	*d = s
}

func reduceMul[T number](st *state, in *inst, n int) {
	d := (*T)(st.p[in.d])
	s := *d
	for _, x := range lanes[T](st, in.a, n) {
		s *= x
	}
	*d = s
}

func reduceMin[T number](st *state, in *inst, n int) {
	d := (*T)(st.p[in.d])
	a := lanes[T](st, in.a, n)
	s := *d
	if s != s {
		return
	}
	for _, x := range a {
		if !(x >= s) {
			s = x
			if x != x {
				break
			}
		}
	}
	*d = s
}

func reduceMax[T number](st *state, in *inst, n int) {
	d := (*T)(st.p[in.d])
	a := lanes[T](st, in.a, n)
	s := *d
	if s != s {
		return
	}
	for _, x := range a {
		if !(x <= s) {
			s = x
			if x != x {
				break
			}
		}
	}
	*d = s
}

func reduceAnd(st *state, in *inst, n int) {
	d := (*bool)(st.p[in.d])
	for _, x := range lanes[bool](st, in.a, n) {
		if !x {
			*d = false
			return
		}
	}
}

func reduceOr(st *state, in *inst, n int) {
	d := (*bool)(st.p[in.d])
	for _, x := range lanes[bool](st, in.a, n) {
		if x {
			*d = true
			return
		}
	}
}

var foldPrim = map[FoldOp]Op{FoldMin: OpMin, FoldMax: OpMax, FoldAnd: OpAnd, FoldOr: OpOr}

var stepFns = map[FoldOp]opTypes{
	FoldAdd:    perType(nil, nil, stepAddF32, stepAddF64),
	FoldMul:    perType(nil, nil, stepMulF32, nil),
	FoldArgMin: {B1: stepArgBool(false), I32: stepArg[int32](false), I64: stepArg[int64](false), F32: stepArg[float32](false), F64: stepArg[float64](false)},
	FoldArgMax: {B1: stepArgBool(true), I32: stepArg[int32](true), I64: stepArg[int64](true), F32: stepArg[float32](true), F64: stepArg[float64](true)},
}

var reduceFns = map[FoldOp]opTypes{
	FoldAdd:    perType(reduceAdd[int32], reduceAdd[int64], reduceAddF32, reduceAddF64),
	FoldMul:    perType(reduceMul[int32], reduceMul[int64], reduceMulF32, reduceMul[float64]),
	FoldMin:    perType(reduceMin[int32], reduceMin[int64], reduceMin[float32], reduceMin[float64]),
	FoldMax:    perType(reduceMax[int32], reduceMax[int64], reduceMax[float32], reduceMax[float64]),
	FoldAnd:    {B1: reduceAnd},
	FoldOr:     {B1: reduceOr},
	FoldArgMin: {B1: reduceArgBool(false), I32: reduceArg[int32](false), I64: reduceArg[int64](false), F32: reduceArg[float32](false), F64: reduceArg[float64](false)},
	FoldArgMax: {B1: reduceArgBool(true), I32: reduceArg[int32](true), I64: reduceArg[int64](true), F32: reduceArg[float32](true), F64: reduceArg[float64](true)},
}
