package loop

import (
	"math"

	"github.com/larkspur-ml/larkspur/tensor"
)

func cast[A, B number](st *state, in *inst, n int) {
	d, a := lanes[B](st, in.d, n), lanes[A](st, in.a, n)
	for i := range d {
		d[i] = B(a[i])
	}
}

func castBool[A number](st *state, in *inst, n int) {
	d, a := lanes[bool](st, in.d, n), lanes[A](st, in.a, n)
	for i := range d {
		d[i] = a[i] != 0
	}
}

func castFromBool[B number](st *state, in *inst, n int) {
	d, a := lanes[B](st, in.d, n), lanes[uint8](st, in.a, n)
	for i := range d {
		d[i] = B(a[i])
	}
}

var castFns = [F64 + 1]opTypes{
	B1:  {B1: copyLanes[bool], I32: castFromBool[int32], I64: castFromBool[int64], F32: castFromBool[float32], F64: castFromBool[float64]},
	I32: {B1: castBool[int32], I32: copyLanes[int32], I64: cast[int32, int64], F32: cast[int32, float32], F64: cast[int32, float64]},
	I64: {B1: castBool[int64], I32: cast[int64, int32], I64: copyLanes[int64], F32: cast[int64, float32], F64: cast[int64, float64]},
	F32: {B1: castBool[float32], I32: cast[float32, int32], I64: cast[float32, int64], F32: copyLanes[float32], F64: cast[float32, float64]},
	F64: {B1: castBool[float64], I32: cast[float64, int32], I64: cast[float64, int64], F32: cast[float64, float32], F64: copyLanes[float64]},
}

func castFn(op Op, from, to Type) blockFn {
	if op == OpBits {
		if typeWidth(from) == 4 {
			return copyLanes[uint32]
		}
		return copyLanes[uint64]
	}
	return castFns[from][to]
}

func roundF16(st *state, in *inst, n int) {
	d, a := lanes[float32](st, in.d, n), lanes[float32](st, in.a, n)
	for i, x := range a {
		b := math.Float32bits(x)
		// normal and no overflow: round the mantissa to 10 bits where it is
		if e := b & 0x7fffffff; e >= 0x38800000 && e < 0x477ff000 {
			d[i] = math.Float32frombits((b + 0xfff + b>>13&1) &^ 0x1fff)
		} else {
			d[i] = tensor.F16ToF32(tensor.F32ToF16(x))
		}
	}
}

func roundBF16(st *state, in *inst, n int) {
	d, a := lanes[float32](st, in.d, n), lanes[float32](st, in.a, n)
	for i, x := range a {
		b := math.Float32bits(x)
		if x == x {
			b += 0x7fff + b>>16&1
		} else {
			b |= 1 << 22
		}
		d[i] = math.Float32frombits(b &^ 0xffff)
	}
}

func roundVia[T, N number | int8 | uint8 | int16](st *state, in *inst, n int) {
	d, a := lanes[T](st, in.d, n), lanes[T](st, in.a, n)
	for i := range d {
		d[i] = T(N(a[i]))
	}
}

func roundF64Via(f func(float32) float32) blockFn {
	return func(st *state, in *inst, n int) {
		d, a := lanes[float64](st, in.d, n), lanes[float64](st, in.a, n)
		for i := range d {
			d[i] = float64(f(float32(a[i])))
		}
	}
}

var roundFns = map[tensor.DType]opTypes{
	tensor.Int8:     {I32: roundVia[int32, int8], I64: roundVia[int64, int8]},
	tensor.Uint8:    {I32: roundVia[int32, uint8], I64: roundVia[int64, uint8]},
	tensor.Int16:    {I32: roundVia[int32, int16], I64: roundVia[int64, int16]},
	tensor.Int32:    {I32: copyLanes[int32], I64: roundVia[int64, int32]},
	tensor.Int64:    {I32: copyLanes[int32], I64: copyLanes[int64]},
	tensor.Float16:  {F32: roundF16, F64: roundF64Via(func(x float32) float32 { return tensor.F16ToF32(tensor.F32ToF16(x)) })},
	tensor.BFloat16: {F32: roundBF16, F64: roundF64Via(func(x float32) float32 { return tensor.BF16ToF32(tensor.F32ToBF16(x)) })},
	tensor.Float32:  {F32: copyLanes[float32], F64: roundVia[float64, float32]},
	tensor.Float64:  {F32: copyLanes[float32], F64: copyLanes[float64]},
	tensor.Bool:     {B1: copyLanes[bool]},
}

func roundFn(t Type, d tensor.DType) blockFn { return roundFns[d][t] }
