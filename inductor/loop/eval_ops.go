package loop

import (
	"fmt"
	"math"
	"unsafe"
)

// The primitives over a block. Each is written as a plain loop over slices of
// equal, visible length, which the Go compiler frees of bounds checks (the three
// commonest by fours: 0.27 ns a lane instead of 0.35). VV has
// lanes (or single values) on both sides, VS and SV one value for all lanes on
// the right or left.

type (
	integer  interface{ int32 | int64 }
	floating interface{ float32 | float64 }
	number   interface{ integer | floating }
	blockFn  = func(st *state, in *inst, n int)
)

func lanes[T any](st *state, r int32, n int) []T { return unsafe.Slice((*T)(st.p[r]), n) }
func one[T any](st *state, r int32) T            { return *(*T)(st.p[r]) }

func splat[T any](st *state, in *inst, n int) {
	x := one[T](st, in.a)
	d := lanes[T](st, in.d, n)
	for i := range d {
		d[i] = x
	}
}

func copyLanes[T any](st *state, in *inst, n int) {
	copy(lanes[T](st, in.d, n), lanes[T](st, in.a, n))
}

var splatFn = [...]blockFn{B1: splat[bool], I32: splat[int32], I64: splat[int64], F32: splat[float32], F64: splat[float64]}
var copyFn = [...]blockFn{B1: copyLanes[bool], I32: copyLanes[int32], I64: copyLanes[int64], F32: copyLanes[float32], F64: copyLanes[float64]}

func addVV[T number](st *state, in *inst, n int) {
	d, a, b := lanes[T](st, in.d, n), lanes[T](st, in.a, n), lanes[T](st, in.b, n)
	a, b = a[:len(d)], b[:len(d)]
	i := 0
	for ; i < len(d)-3; i += 4 {
		d[i], d[i+1], d[i+2], d[i+3] = a[i]+b[i], a[i+1]+b[i+1], a[i+2]+b[i+2], a[i+3]+b[i+3]
	}
	for ; i < len(d); i++ {
		d[i] = a[i] + b[i]
	}
}
func addVS[T number](st *state, in *inst, n int) {
	d, a, s := lanes[T](st, in.d, n), lanes[T](st, in.a, n), one[T](st, in.b)
	a = a[:len(d)]
	i := 0
	for ; i < len(d)-3; i += 4 {
		d[i], d[i+1], d[i+2], d[i+3] = a[i]+s, a[i+1]+s, a[i+2]+s, a[i+3]+s
	}
	for ; i < len(d); i++ {
		d[i] = a[i] + s
	}
}
func addSV[T number](st *state, in *inst, n int) {
	d, s, b := lanes[T](st, in.d, n), one[T](st, in.a), lanes[T](st, in.b, n)
	b = b[:len(d)]
	i := 0
	for ; i < len(d)-3; i += 4 {
		d[i], d[i+1], d[i+2], d[i+3] = s+b[i], s+b[i+1], s+b[i+2], s+b[i+3]
	}
	for ; i < len(d); i++ {
		d[i] = s + b[i]
	}
}
func subVV[T number](st *state, in *inst, n int) {
	d, a, b := lanes[T](st, in.d, n), lanes[T](st, in.a, n), lanes[T](st, in.b, n)
	a, b = a[:len(d)], b[:len(d)]
	i := 0
	for ; i < len(d)-3; i += 4 {
		d[i], d[i+1], d[i+2], d[i+3] = a[i]-b[i], a[i+1]-b[i+1], a[i+2]-b[i+2], a[i+3]-b[i+3]
	}
	for ; i < len(d); i++ {
		d[i] = a[i] - b[i]
	}
}
func subVS[T number](st *state, in *inst, n int) {
	d, a, s := lanes[T](st, in.d, n), lanes[T](st, in.a, n), one[T](st, in.b)
	a = a[:len(d)]
	i := 0
	for ; i < len(d)-3; i += 4 {
		d[i], d[i+1], d[i+2], d[i+3] = a[i]-s, a[i+1]-s, a[i+2]-s, a[i+3]-s
	}
	for ; i < len(d); i++ {
		d[i] = a[i] - s
	}
}
func subSV[T number](st *state, in *inst, n int) {
	d, s, b := lanes[T](st, in.d, n), one[T](st, in.a), lanes[T](st, in.b, n)
	b = b[:len(d)]
	i := 0
	for ; i < len(d)-3; i += 4 {
		d[i], d[i+1], d[i+2], d[i+3] = s-b[i], s-b[i+1], s-b[i+2], s-b[i+3]
	}
	for ; i < len(d); i++ {
		d[i] = s - b[i]
	}
}
func mulVV[T number](st *state, in *inst, n int) {
	d, a, b := lanes[T](st, in.d, n), lanes[T](st, in.a, n), lanes[T](st, in.b, n)
	a, b = a[:len(d)], b[:len(d)]
	i := 0
	for ; i < len(d)-3; i += 4 {
		d[i], d[i+1], d[i+2], d[i+3] = a[i]*b[i], a[i+1]*b[i+1], a[i+2]*b[i+2], a[i+3]*b[i+3]
	}
	for ; i < len(d); i++ {
		d[i] = a[i] * b[i]
	}
}
func mulVS[T number](st *state, in *inst, n int) {
	d, a, s := lanes[T](st, in.d, n), lanes[T](st, in.a, n), one[T](st, in.b)
	a = a[:len(d)]
	i := 0
	for ; i < len(d)-3; i += 4 {
		d[i], d[i+1], d[i+2], d[i+3] = a[i]*s, a[i+1]*s, a[i+2]*s, a[i+3]*s
	}
	for ; i < len(d); i++ {
		d[i] = a[i] * s
	}
}
func mulSV[T number](st *state, in *inst, n int) {
	d, s, b := lanes[T](st, in.d, n), one[T](st, in.a), lanes[T](st, in.b, n)
	b = b[:len(d)]
	i := 0
	for ; i < len(d)-3; i += 4 {
		d[i], d[i+1], d[i+2], d[i+3] = s*b[i], s*b[i+1], s*b[i+2], s*b[i+3]
	}
	for ; i < len(d); i++ {
		d[i] = s * b[i]
	}
}
func divVV[T floating](st *state, in *inst, n int) {
	d, a, b := lanes[T](st, in.d, n), lanes[T](st, in.a, n), lanes[T](st, in.b, n)
	for i := range d {
		d[i] = a[i] / b[i]
	}
}
func divVS[T floating](st *state, in *inst, n int) {
	d, a, s := lanes[T](st, in.d, n), lanes[T](st, in.a, n), one[T](st, in.b)
	for i := range d {
		d[i] = a[i] / s
	}
}
func divSV[T floating](st *state, in *inst, n int) {
	d, s, b := lanes[T](st, in.d, n), one[T](st, in.a), lanes[T](st, in.b, n)
	for i := range d {
		d[i] = s / b[i]
	}
}

// The built-in min and max keep NaN and go without a branch: 0.8 ns a lane,
// where selecting bits takes 0.9 to 1.3.

func minVV[T number](st *state, in *inst, n int) {
	d, a, b := lanes[T](st, in.d, n), lanes[T](st, in.a, n), lanes[T](st, in.b, n)
	for i := range d {
		d[i] = min(a[i], b[i])
	}
}
func minVS[T number](st *state, in *inst, n int) {
	d, a, s := lanes[T](st, in.d, n), lanes[T](st, in.a, n), one[T](st, in.b)
	for i := range d {
		d[i] = min(a[i], s)
	}
}
func maxVV[T number](st *state, in *inst, n int) {
	d, a, b := lanes[T](st, in.d, n), lanes[T](st, in.a, n), lanes[T](st, in.b, n)
	for i := range d {
		d[i] = max(a[i], b[i])
	}
}
func maxVS[T number](st *state, in *inst, n int) {
	d, a, s := lanes[T](st, in.d, n), lanes[T](st, in.a, n), one[T](st, in.b)
	for i := range d {
		d[i] = max(a[i], s)
	}
}

func quoVV[T integer](st *state, in *inst, n int) {
	d, a, b := lanes[T](st, in.d, n), lanes[T](st, in.a, n), lanes[T](st, in.b, n)
	for i := range d {
		if b[i] == 0 {
			st.err = errZeroDivision
			return
		}
		d[i] = a[i] / b[i]
	}
}

// modVV has the sign of the divisor, as Python's %.
func modVV[T integer](st *state, in *inst, n int) {
	d, a, b := lanes[T](st, in.d, n), lanes[T](st, in.a, n), lanes[T](st, in.b, n)
	for i := range d {
		y := b[i]
		if y == 0 {
			st.err = errZeroDivision
			return
		}
		r := a[i] % y
		if r != 0 && (r < 0) != (y < 0) {
			r += y
		}
		d[i] = r
	}
}

// fmodVV is C's fmod. float64 holds a float32's remainder exactly.
func fmodVV[T floating](st *state, in *inst, n int) {
	d, a, b := lanes[T](st, in.d, n), lanes[T](st, in.a, n), lanes[T](st, in.b, n)
	for i := range d {
		x, y := a[i], b[i]
		if ax, ay := max(x, -x), max(y, -y); ax < ay {
			d[i] = x
		} else {
			d[i] = T(math.Mod(float64(x), float64(y)))
		}
	}
}

func neg1[T number](st *state, in *inst, n int) {
	d, a := lanes[T](st, in.d, n), lanes[T](st, in.a, n)
	for i := range d {
		d[i] = -a[i]
	}
}

func absInt[T integer](st *state, in *inst, n int) {
	d, a := lanes[T](st, in.d, n), lanes[T](st, in.a, n)
	for i := range d {
		d[i] = max(a[i], -a[i])
	}
}
func absF32(st *state, in *inst, n int) {
	d, a := lanes[uint32](st, in.d, n), lanes[uint32](st, in.a, n)
	for i := range d {
		d[i] = a[i] &^ (1 << 31)
	}
}
func absF64(st *state, in *inst, n int) {
	d, a := lanes[uint64](st, in.d, n), lanes[uint64](st, in.a, n)
	for i := range d {
		d[i] = a[i] &^ (1 << 63)
	}
}

// comparisons

func eqVV[T comparable](st *state, in *inst, n int) {
	d, a, b := lanes[bool](st, in.d, n), lanes[T](st, in.a, n), lanes[T](st, in.b, n)
	for i := range d {
		d[i] = a[i] == b[i]
	}
}
func neVV[T comparable](st *state, in *inst, n int) {
	d, a, b := lanes[bool](st, in.d, n), lanes[T](st, in.a, n), lanes[T](st, in.b, n)
	for i := range d {
		d[i] = a[i] != b[i]
	}
}
func ltVV[T number](st *state, in *inst, n int) {
	d, a, b := lanes[bool](st, in.d, n), lanes[T](st, in.a, n), lanes[T](st, in.b, n)
	for i := range d {
		d[i] = a[i] < b[i]
	}
}
func leVV[T number](st *state, in *inst, n int) {
	d, a, b := lanes[bool](st, in.d, n), lanes[T](st, in.a, n), lanes[T](st, in.b, n)
	for i := range d {
		d[i] = a[i] <= b[i]
	}
}
func eqVS[T comparable](st *state, in *inst, n int) {
	d, a, s := lanes[bool](st, in.d, n), lanes[T](st, in.a, n), one[T](st, in.b)
	for i := range d {
		d[i] = a[i] == s
	}
}
func neVS[T comparable](st *state, in *inst, n int) {
	d, a, s := lanes[bool](st, in.d, n), lanes[T](st, in.a, n), one[T](st, in.b)
	for i := range d {
		d[i] = a[i] != s
	}
}
func ltVS[T number](st *state, in *inst, n int) {
	d, a, s := lanes[bool](st, in.d, n), lanes[T](st, in.a, n), one[T](st, in.b)
	for i := range d {
		d[i] = a[i] < s
	}
}
func leVS[T number](st *state, in *inst, n int) {
	d, a, s := lanes[bool](st, in.d, n), lanes[T](st, in.a, n), one[T](st, in.b)
	for i := range d {
		d[i] = a[i] <= s
	}
}
func ltSV[T number](st *state, in *inst, n int) {
	d, s, b := lanes[bool](st, in.d, n), one[T](st, in.a), lanes[T](st, in.b, n)
	for i := range d {
		d[i] = s < b[i]
	}
}
func leSV[T number](st *state, in *inst, n int) {
	d, s, b := lanes[bool](st, in.d, n), one[T](st, in.a), lanes[T](st, in.b, n)
	for i := range d {
		d[i] = s <= b[i]
	}
}

// logic and bits; b1 as bytes 0 and 1

type word interface{ uint8 | uint32 | uint64 }

func andVV[T word](st *state, in *inst, n int) {
	d, a, b := lanes[T](st, in.d, n), lanes[T](st, in.a, n), lanes[T](st, in.b, n)
	for i := range d {
		d[i] = a[i] & b[i]
	}
}
func orVV[T word](st *state, in *inst, n int) {
	d, a, b := lanes[T](st, in.d, n), lanes[T](st, in.a, n), lanes[T](st, in.b, n)
	for i := range d {
		d[i] = a[i] | b[i]
	}
}
func xorVV[T word](st *state, in *inst, n int) {
	d, a, b := lanes[T](st, in.d, n), lanes[T](st, in.a, n), lanes[T](st, in.b, n)
	for i := range d {
		d[i] = a[i] ^ b[i]
	}
}
func not1[T word](st *state, in *inst, n int) {
	d, a := lanes[T](st, in.d, n), lanes[T](st, in.a, n)
	for i := range d {
		d[i] = ^a[i]
	}
}
func notB1(st *state, in *inst, n int) {
	d, a := lanes[uint8](st, in.d, n), lanes[uint8](st, in.a, n)
	for i := range d {
		d[i] = a[i] ^ 1
	}
}

func shl32(st *state, in *inst, n int) {
	d, a, b := lanes[int32](st, in.d, n), lanes[int32](st, in.a, n), lanes[int32](st, in.b, n)
	for i := range d {
		d[i] = a[i] << uint32(b[i])
	}
}
func shl64(st *state, in *inst, n int) {
	d, a, b := lanes[int64](st, in.d, n), lanes[int64](st, in.a, n), lanes[int64](st, in.b, n)
	for i := range d {
		d[i] = a[i] << uint64(b[i])
	}
}
func shr32(st *state, in *inst, n int) {
	d, a, b := lanes[int32](st, in.d, n), lanes[int32](st, in.a, n), lanes[int32](st, in.b, n)
	for i := range d {
		d[i] = a[i] >> uint32(b[i])
	}
}
func shr64(st *state, in *inst, n int) {
	d, a, b := lanes[int64](st, in.d, n), lanes[int64](st, in.a, n), lanes[int64](st, in.b, n)
	for i := range d {
		d[i] = a[i] >> uint64(b[i])
	}
}

// select3 chooses bits by a mask: a branch on data would cost its misses.
func select3[T word](st *state, in *inst, n int) {
	d, c, a, b := lanes[T](st, in.d, n), lanes[uint8](st, in.a, n), lanes[T](st, in.b, n), lanes[T](st, in.c, n)
	for i := range d {
		m := -T(c[i] & 1)
		y := b[i]
		d[i] = y ^ (a[i]^y)&m
	}
}

type opTypes [F64 + 1]blockFn

func perType(i32, i64, f32, f64 blockFn) opTypes {
	return opTypes{I32: i32, I64: i64, F32: f32, F64: f64}
}

// plainFns has the primitives by the type of their first operand (select: of
// the result) where nothing else decides.
var plainFns = [numOps]opTypes{
	OpAdd: perType(addVV[int32], addVV[int64], addVV[float32], addVV[float64]),
	OpSub: perType(subVV[int32], subVV[int64], subVV[float32], subVV[float64]),
	OpMul: perType(mulVV[int32], mulVV[int64], mulVV[float32], mulVV[float64]),
	OpDiv: perType(quoVV[int32], quoVV[int64], divVV[float32], divVV[float64]),
	OpMod: perType(modVV[int32], modVV[int64], fmodVV[float32], fmodVV[float64]),
	OpFMA: perType(nil, nil, chain2[tagMul, tagAdd, float32], chain2[tagMul, tagAdd, float64]),
	OpNeg: perType(neg1[int32], neg1[int64], neg1[float32], neg1[float64]),
	OpAbs: perType(absInt[int32], absInt[int64], absF32, absF64),
	OpMin: perType(minVV[int32], minVV[int64], minVV[float32], minVV[float64]),
	OpMax: perType(maxVV[int32], maxVV[int64], maxVV[float32], maxVV[float64]),

	OpEq: {B1: eqVV[bool], I32: eqVV[int32], I64: eqVV[int64], F32: eqVV[float32], F64: eqVV[float64]},
	OpNe: {B1: neVV[bool], I32: neVV[int32], I64: neVV[int64], F32: neVV[float32], F64: neVV[float64]},
	OpLt: {B1: ltBool, I32: ltVV[int32], I64: ltVV[int64], F32: ltVV[float32], F64: ltVV[float64]},
	OpLe: {B1: leBool, I32: leVV[int32], I64: leVV[int64], F32: leVV[float32], F64: leVV[float64]},

	OpAnd: {B1: andVV[uint8], I32: andVV[uint32], I64: andVV[uint64]},
	OpOr:  {B1: orVV[uint8], I32: orVV[uint32], I64: orVV[uint64]},
	OpXor: {B1: xorVV[uint8], I32: xorVV[uint32], I64: xorVV[uint64]},
	OpNot: {B1: notB1, I32: not1[uint32], I64: not1[uint64]},
	OpShl: perType(shl32, shl64, nil, nil),
	OpShr: perType(shr32, shr64, nil, nil),

	OpSelect: {B1: select3[uint8], I32: select3[uint32], I64: select3[uint64], F32: select3[uint32], F64: select3[uint64]},
}

func ltBool(st *state, in *inst, n int) {
	d, a, b := lanes[uint8](st, in.d, n), lanes[uint8](st, in.a, n), lanes[uint8](st, in.b, n)
	for i := range d {
		d[i] = (a[i] ^ 1) & b[i]
	}
}
func leBool(st *state, in *inst, n int) {
	d, a, b := lanes[uint8](st, in.d, n), lanes[uint8](st, in.a, n), lanes[uint8](st, in.b, n)
	for i := range d {
		d[i] = a[i] ^ 1 | b[i]
	}
}

type sides struct{ vs, sv opTypes }

var mixedFns = map[Op]sides{
	OpAdd: {perType(addVS[int32], addVS[int64], addVS[float32], addVS[float64]), perType(addSV[int32], addSV[int64], addSV[float32], addSV[float64])},
	OpSub: {perType(subVS[int32], subVS[int64], subVS[float32], subVS[float64]), perType(subSV[int32], subSV[int64], subSV[float32], subSV[float64])},
	OpMul: {perType(mulVS[int32], mulVS[int64], mulVS[float32], mulVS[float64]), perType(mulSV[int32], mulSV[int64], mulSV[float32], mulSV[float64])},
	OpDiv: {perType(nil, nil, divVS[float32], divVS[float64]), perType(nil, nil, divSV[float32], divSV[float64])},
	OpMin: {vs: perType(minVS[int32], minVS[int64], minVS[float32], minVS[float64])},
	OpMax: {vs: perType(maxVS[int32], maxVS[int64], maxVS[float32], maxVS[float64])},
	OpEq:  {vs: perType(eqVS[int32], eqVS[int64], eqVS[float32], eqVS[float64])},
	OpNe:  {vs: perType(neVS[int32], neVS[int64], neVS[float32], neVS[float64])},
	OpLt:  {perType(ltVS[int32], ltVS[int64], ltVS[float32], ltVS[float64]), perType(ltSV[int32], ltSV[int64], ltSV[float32], ltSV[float64])},
	OpLe:  {perType(leVS[int32], leVS[int64], leVS[float32], leVS[float64]), perType(leSV[int32], leSV[int64], leSV[float32], leSV[float64])},
}

// mixedFn is a binary primitive with one value for all lanes on one side, nil
// where there is none; left says that the left side has the lanes.
func mixedFn(op Op, t Type, left bool) blockFn {
	s := mixedFns[op]
	if left {
		return s.vs[t]
	}
	return s.sv[t]
}

// opFn is the block function of a Let whose first operand has type t.
func opFn(s *Let, t Type) blockFn {
	var f blockFn
	switch s.Op {
	case OpCast, OpBits:
		f = castFn(s.Op, t, s.Type)
	case OpRound:
		f = roundFn(t, s.DType)
	case OpSelect:
		f = plainFns[OpSelect][s.Type]
	default:
		if f = plainFns[s.Op][t]; f == nil {
			f = mathFns[s.Op][t]
		}
	}
	if f == nil {
		panic(fmt.Sprintf("BUG: the portable target has no %s of %s to %s", s.Op, t, s.Type))
	}
	return f
}
