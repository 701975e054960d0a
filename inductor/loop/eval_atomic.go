package loop

import (
	"unsafe"

	"github.com/larkspur-ml/larkspur/tensor"
)

// Atomics. One run is one goroutine, lanes in order; the order of a serial run
// is kept because variants with another order are not made for such kernels.

func combine[T number](op Combine, old, x T) T {
	switch op {
	case CombineAdd:
		return old + x
	case CombineMul:
		return old * x
	case CombineMin:
		return min(old, x)
	case CombineMax:
		return max(old, x)
	}
	return x
}

// atomicRun combines n values of register type T into storage of type W.
func atomicRun[W any, T any](get func(W) T, put func(T) W, op func(c Combine, old, x T) T) func(st *state, in *inst, n int) {
	return func(st *state, in *inst, n int) {
		ptr := st.bufs[in.mem.buf].Ptr
		v := unsafe.Slice((*T)(st.p[in.a]), n)
		var w W
		for i, a := range st.addresses(in.mem, n) {
			if a >= 0 {
				p := (*W)(unsafe.Add(ptr, uintptr(a)*unsafe.Sizeof(w)))
				*p = put(op(Combine(in.aux), get(*p), v[i]))
			}
		}
	}
}

func same[T any](x T) T { return x }

func combineBool(c Combine, old, x bool) bool {
	switch c {
	case CombineAdd, CombineMax:
		return old || x
	case CombineMul, CombineMin:
		return old && x
	}
	return x
}

var atomicFns = map[tensor.DType]func(st *state, in *inst, n int){
	tensor.Float32:  atomicRun(same[float32], same[float32], combine[float32]),
	tensor.Float64:  atomicRun(same[float64], same[float64], combine[float64]),
	tensor.Int32:    atomicRun(same[int32], same[int32], combine[int32]),
	tensor.Int64:    atomicRun(same[int64], same[int64], combine[int64]),
	tensor.Bool:     atomicRun(same[bool], same[bool], combineBool),
	tensor.Uint8:    atomicRun(func(x uint8) int32 { return int32(x) }, func(x int32) uint8 { return uint8(x) }, combine[int32]),
	tensor.Int8:     atomicRun(func(x int8) int32 { return int32(x) }, func(x int32) int8 { return int8(x) }, combine[int32]),
	tensor.Int16:    atomicRun(func(x int16) int32 { return int32(x) }, func(x int32) int16 { return int16(x) }, combine[int32]),
	tensor.Float16:  atomicRun(tensor.F16ToF32, tensor.F32ToF16, combine[float32]),
	tensor.BFloat16: atomicRun(tensor.BF16ToF32, tensor.F32ToBF16, combine[float32]),
}

// atomicAdd is the commonest case (gradients of gather and embedding) without
// the calls.
func atomicAdd[T number](st *state, in *inst, n int) {
	m := in.mem
	ptr := st.bufs[m.buf].Ptr
	v := unsafe.Slice((*T)(st.p[in.a]), n)
	w := unsafe.Sizeof(v[0])
	if m.plain() {
		b := st.base(m)
		if st.err != nil {
			return
		}
		off, step := uintptr(b)*w, uintptr(st.stride(m))*w
		for _, x := range v {
			*(*T)(unsafe.Add(ptr, off)) += x
			off += step
		}
		return
	}
	for i, a := range st.addresses(m, n) {
		if a >= 0 {
			*(*T)(unsafe.Add(ptr, uintptr(a)*w)) += v[i]
		}
	}
}

var atomicAdds = map[tensor.DType]func(st *state, in *inst, n int){
	tensor.Float32: atomicAdd[float32], tensor.Float64: atomicAdd[float64], tensor.Int32: atomicAdd[int32], tensor.Int64: atomicAdd[int64],
}

func atomicFn(m *access, op Combine) func(st *state, in *inst, n int) {
	if f := atomicAdds[m.dt]; f != nil && op == CombineAdd {
		return f
	}
	return atomicFns[m.dt]
}
