package loop

import "unsafe"

// The passes of chains. The steps are type arguments, so that one text makes a
// straight loop for every combination: types of different size have different
// shapes, hence code of their own, in which the size is a constant and the
// choice by it is gone.

type (
	tagAdd  [linkAdd]byte
	tagSub  [linkSub]byte
	tagRsub [linkRsub]byte
	tagMul  [linkMul]byte
	tagDiv  [linkDiv]byte
	tagRdiv [linkRdiv]byte
	tagMin  [linkMin]byte
	tagMax  [linkMax]byte
	tagMaxC [linkMaxC]byte
	tagNeg  [linkNeg]byte
)

// A step is bound[L](arith[L](x, y), y): each does its own links and leaves x as
// it is for the other's. In one function they would be too long to be inlined.
// The conversions round: no target may contract a step with the next one.
func arith[L any, T floating](x, y T) T {
	var l L
	switch link(unsafe.Sizeof(l)) {
	case linkAdd:
		return T(x + y)
	case linkSub:
		return T(x - y)
	case linkRsub:
		return T(y - x)
	case linkMul:
		return T(x * y)
	case linkDiv:
		return T(x / y)
	case linkRdiv:
		return T(y / x)
	case linkNeg:
		return -x
	}
	return x
}

func bound[L any, T floating](x, y T) T {
	var l L
	switch link(unsafe.Sizeof(l)) {
	case linkMin:
		return min(x, y)
	case linkMax:
		return max(x, y)
	case linkMaxC:
		return -min(-x, y)
	}
	return x
}

// operands is where a pass reads an operand: by lanes, or eight copies of a
// single value and an address mask that stays at them.
func operand[T any](p unsafe.Pointer, single bool, copies *[8]T) (unsafe.Pointer, uintptr) {
	if !single {
		return p, ^uintptr(0)
	}
	x := *(*T)(p)
	for i := range copies {
		copies[i] = x
	}
	return unsafe.Pointer(copies), 0
}

func chain1[P any, T floating](st *state, in *inst, n int) {
	var bs [8]T
	d, a := st.p[in.d], st.p[in.a]
	b, mb := operand(st.p[in.b], in.single&1 != 0, &bs)
	size := unsafe.Sizeof(bs[0])
	end := uintptr(n) * size
	off := uintptr(0)
	for ; off+8*size <= end; off += 8 * size {
		w, x, y := (*[8]T)(unsafe.Add(d, off)), (*[8]T)(unsafe.Add(a, off)), (*[8]T)(unsafe.Add(b, off&mb))
		w[0] = bound[P](arith[P](x[0], y[0]), y[0])
		w[1] = bound[P](arith[P](x[1], y[1]), y[1])
		w[2] = bound[P](arith[P](x[2], y[2]), y[2])
		w[3] = bound[P](arith[P](x[3], y[3]), y[3])
		w[4] = bound[P](arith[P](x[4], y[4]), y[4])
		w[5] = bound[P](arith[P](x[5], y[5]), y[5])
		w[6] = bound[P](arith[P](x[6], y[6]), y[6])
		w[7] = bound[P](arith[P](x[7], y[7]), y[7])
	}
	for ; off < end; off += size {
		*(*T)(unsafe.Add(d, off)) = bound[P](arith[P](*(*T)(unsafe.Add(a, off)), *(*T)(unsafe.Add(b, off&mb))), *(*T)(unsafe.Add(b, off&mb)))
	}
}

func chain2[P, Q any, T floating](st *state, in *inst, n int) {
	var bs, cs [8]T
	d, a := st.p[in.d], st.p[in.a]
	b, mb := operand(st.p[in.b], in.single&1 != 0, &bs)
	c, mc := operand(st.p[in.c], in.single&2 != 0, &cs)
	size := unsafe.Sizeof(bs[0])
	end := uintptr(n) * size
	off := uintptr(0)
	for ; off+8*size <= end; off += 8 * size {
		w, x := (*[8]T)(unsafe.Add(d, off)), (*[8]T)(unsafe.Add(a, off))
		y, z := (*[8]T)(unsafe.Add(b, off&mb)), (*[8]T)(unsafe.Add(c, off&mc))
		w[0] = bound[Q](arith[Q](bound[P](arith[P](x[0], y[0]), y[0]), z[0]), z[0])
		w[1] = bound[Q](arith[Q](bound[P](arith[P](x[1], y[1]), y[1]), z[1]), z[1])
		w[2] = bound[Q](arith[Q](bound[P](arith[P](x[2], y[2]), y[2]), z[2]), z[2])
		w[3] = bound[Q](arith[Q](bound[P](arith[P](x[3], y[3]), y[3]), z[3]), z[3])
		w[4] = bound[Q](arith[Q](bound[P](arith[P](x[4], y[4]), y[4]), z[4]), z[4])
		w[5] = bound[Q](arith[Q](bound[P](arith[P](x[5], y[5]), y[5]), z[5]), z[5])
		w[6] = bound[Q](arith[Q](bound[P](arith[P](x[6], y[6]), y[6]), z[6]), z[6])
		w[7] = bound[Q](arith[Q](bound[P](arith[P](x[7], y[7]), y[7]), z[7]), z[7])
	}
	for ; off < end; off += size {
		x := bound[P](arith[P](*(*T)(unsafe.Add(a, off)), *(*T)(unsafe.Add(b, off&mb))), *(*T)(unsafe.Add(b, off&mb)))
		*(*T)(unsafe.Add(d, off)) = bound[Q](arith[Q](x, *(*T)(unsafe.Add(c, off&mc))), *(*T)(unsafe.Add(c, off&mc)))
	}
}

func chain3[P, Q, R any, T floating](st *state, in *inst, n int) {
	var bs, cs, es [8]T
	d, a := st.p[in.d], st.p[in.a]
	b, mb := operand(st.p[in.b], in.single&1 != 0, &bs)
	c, mc := operand(st.p[in.c], in.single&2 != 0, &cs)
	e, me := operand(st.p[in.e], in.single&4 != 0, &es)
	size := unsafe.Sizeof(bs[0])
	end := uintptr(n) * size
	off := uintptr(0)
	for ; off+8*size <= end; off += 8 * size {
		w, x := (*[8]T)(unsafe.Add(d, off)), (*[8]T)(unsafe.Add(a, off))
		y, z, v := (*[8]T)(unsafe.Add(b, off&mb)), (*[8]T)(unsafe.Add(c, off&mc)), (*[8]T)(unsafe.Add(e, off&me))
		w[0] = bound[R](arith[R](bound[Q](arith[Q](bound[P](arith[P](x[0], y[0]), y[0]), z[0]), z[0]), v[0]), v[0])
		w[1] = bound[R](arith[R](bound[Q](arith[Q](bound[P](arith[P](x[1], y[1]), y[1]), z[1]), z[1]), v[1]), v[1])
		w[2] = bound[R](arith[R](bound[Q](arith[Q](bound[P](arith[P](x[2], y[2]), y[2]), z[2]), z[2]), v[2]), v[2])
		w[3] = bound[R](arith[R](bound[Q](arith[Q](bound[P](arith[P](x[3], y[3]), y[3]), z[3]), z[3]), v[3]), v[3])
		w[4] = bound[R](arith[R](bound[Q](arith[Q](bound[P](arith[P](x[4], y[4]), y[4]), z[4]), z[4]), v[4]), v[4])
		w[5] = bound[R](arith[R](bound[Q](arith[Q](bound[P](arith[P](x[5], y[5]), y[5]), z[5]), z[5]), v[5]), v[5])
		w[6] = bound[R](arith[R](bound[Q](arith[Q](bound[P](arith[P](x[6], y[6]), y[6]), z[6]), z[6]), v[6]), v[6])
		w[7] = bound[R](arith[R](bound[Q](arith[Q](bound[P](arith[P](x[7], y[7]), y[7]), z[7]), z[7]), v[7]), v[7])
	}
	for ; off < end; off += size {
		x := bound[P](arith[P](*(*T)(unsafe.Add(a, off)), *(*T)(unsafe.Add(b, off&mb))), *(*T)(unsafe.Add(b, off&mb)))
		x = bound[Q](arith[Q](x, *(*T)(unsafe.Add(c, off&mc))), *(*T)(unsafe.Add(c, off&mc)))
		*(*T)(unsafe.Add(d, off)) = bound[R](arith[R](x, *(*T)(unsafe.Add(e, off&me))), *(*T)(unsafe.Add(e, off&me)))
	}
}

type chainRow [numLinks]blockFn

func row1[T floating]() chainRow {
	return chainRow{
		chain1[tagAdd, T], chain1[tagSub, T], chain1[tagRsub, T], chain1[tagMul, T], chain1[tagDiv, T], chain1[tagRdiv, T],
		chain1[tagMin, T], chain1[tagMax, T], chain1[tagMaxC, T], chain1[tagNeg, T],
	}
}

func row2[P any, T floating]() chainRow {
	return chainRow{
		chain2[P, tagAdd, T], chain2[P, tagSub, T], chain2[P, tagRsub, T], chain2[P, tagMul, T], chain2[P, tagDiv, T], chain2[P, tagRdiv, T],
		chain2[P, tagMin, T], chain2[P, tagMax, T], chain2[P, tagMaxC, T], chain2[P, tagNeg, T],
	}
}

func row3[P, Q any, T floating]() chainRow {
	return chainRow{
		chain3[P, Q, tagAdd, T], chain3[P, Q, tagSub, T], chain3[P, Q, tagRsub, T], chain3[P, Q, tagMul, T], chain3[P, Q, tagDiv, T], chain3[P, Q, tagRdiv, T],
		chain3[P, Q, tagMin, T], chain3[P, Q, tagMax, T], chain3[P, Q, tagMaxC, T], chain3[P, Q, tagNeg, T],
	}
}

func rows3[P any, T floating]() [4]chainRow {
	return [4]chainRow{row3[P, tagAdd, T](), row3[P, tagSub, T](), row3[P, tagRsub, T](), row3[P, tagMul, T]()}
}

// The tables by step. Chains of three begin with two of add, sub, rsub and mul;
// float64 has only the sums of products.
var (
	chains1 = row1[float32]()
	chains2 = [numLinks]chainRow{
		row2[tagAdd, float32](), row2[tagSub, float32](), row2[tagRsub, float32](), row2[tagMul, float32](), row2[tagDiv, float32](), row2[tagRdiv, float32](),
		row2[tagMin, float32](), row2[tagMax, float32](), row2[tagMaxC, float32](), row2[tagNeg, float32](),
	}
	chains3    = [4][4]chainRow{rows3[tagAdd, float32](), rows3[tagSub, float32](), rows3[tagRsub, float32](), rows3[tagMul, float32]()}
	wideChains = [numLinks]chainRow{
		linkMul: {linkAdd: chain2[tagMul, tagAdd, float64], linkSub: chain2[tagMul, tagSub, float64], linkRsub: chain2[tagMul, tagRsub, float64]},
	}
)

// choose is u where the comparison L of x and y holds, else v: a choice between
// integers, without a branch.
func choose[L any](x, y float32, u, v uint32) uint32 {
	var l L
	ok := x < y
	switch unsafe.Sizeof(l) {
	case 1:
		ok = x <= y
	case 2:
		ok = x == y
	case 3:
		ok = x != y
	}
	if ok {
		v = u
	}
	return v
}

// comparing is a comparison of a and e and the selection from b and c by it.
func comparing[L any](st *state, in *inst, n int) {
	var as, bs, cs, es [8]uint32
	d := st.p[in.d]
	b, mb := operand(st.p[in.b], in.single&1 != 0, &bs)
	c, mc := operand(st.p[in.c], in.single&2 != 0, &cs)
	e, me := operand(st.p[in.e], in.single&4 != 0, &es)
	a, ma := operand(st.p[in.a], in.single&8 != 0, &as)
	end := 4 * uintptr(n)
	off := uintptr(0)
	for ; off+32 <= end; off += 32 {
		w, x, y := (*[8]uint32)(unsafe.Add(d, off)), (*[8]float32)(unsafe.Add(a, off&ma)), (*[8]float32)(unsafe.Add(e, off&me))
		u, v := (*[8]uint32)(unsafe.Add(b, off&mb)), (*[8]uint32)(unsafe.Add(c, off&mc))
		w[0] = choose[L](x[0], y[0], u[0], v[0])
		w[1] = choose[L](x[1], y[1], u[1], v[1])
		w[2] = choose[L](x[2], y[2], u[2], v[2])
		w[3] = choose[L](x[3], y[3], u[3], v[3])
		w[4] = choose[L](x[4], y[4], u[4], v[4])
		w[5] = choose[L](x[5], y[5], u[5], v[5])
		w[6] = choose[L](x[6], y[6], u[6], v[6])
		w[7] = choose[L](x[7], y[7], u[7], v[7])
	}
	for ; off < end; off += 4 {
		x, y := *(*float32)(unsafe.Add(a, off&ma)), *(*float32)(unsafe.Add(e, off&me))
		*(*uint32)(unsafe.Add(d, off)) = choose[L](x, y, *(*uint32)(unsafe.Add(b, off&mb)), *(*uint32)(unsafe.Add(c, off&mc)))
	}
}

var comparedFns = map[Op]blockFn{OpLt: comparing[[0]byte], OpLe: comparing[[1]byte], OpEq: comparing[[2]byte], OpNe: comparing[[3]byte]}
