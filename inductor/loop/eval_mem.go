package loop

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unsafe"

	"github.com/larkspur-ml/larkspur/tensor"
)

// access is an Access with its registers found.
type access struct {
	buf   int
	dt    tensor.DType
	size  uintptr
	off   P
	terms []Term
	lane  int // the term of the lane axis, -1: none
	dyn   []dynTerm
	mask  int32 // register, -1: none

	dynLanes, maskLanes bool
	same                bool // the register's type is the storage's
	alias               bool // a contiguous load may point into the buffer
	aimed               bool // a load straight into the memory that it is stored to

	checks *Check // of an Assert
}

type dynTerm struct {
	reg         int32
	wide, lane  bool
	stride, lim P
	dim         int32
	check       *Check
}

// storedAs is the type of registers that hold a dtype's bytes as they are,
// NoType for storage narrower than its type.
func storedAs(d tensor.DType) Type {
	switch d {
	case tensor.Bool, tensor.Int32, tensor.Int64, tensor.Float32, tensor.Float64:
		return TypeOf(d)
	}
	return NoType
}

func (st *state) stride(m *access) int64 {
	if m.lane < 0 {
		return 0
	}
	return m.terms[m.lane].Stride.Get(st.params)
}

// base is the address of the block's first lane but for what differs by lane in
// other ways than the stride. Data indices that are one for all lanes are
// checked here.
func (st *state) base(m *access) int64 {
	a := m.off.Get(st.params)
	for i := range m.terms {
		t := &m.terms[i]
		a += st.axis[t.Axis] * t.Stride.Get(st.params)
	}
	for i := range m.dyn {
		if d := &m.dyn[i]; !d.lane {
			x := st.index(d, 0)
			if lim := d.lim.Get(st.params); uint64(x) >= uint64(lim) {
				if m.mask < 0 || *(*bool)(st.p[m.mask]) {
					st.indexError(d, x, lim)
				}
				return 0
			}
			a += x * d.stride.Get(st.params)
		}
	}
	return a
}

func (st *state) index(d *dynTerm, i int) int64 {
	if d.wide {
		return *(*int64)(unsafe.Add(st.p[d.reg], 8*i))
	}
	return int64(*(*int32)(unsafe.Add(st.p[d.reg], 4*i)))
}

func (st *state) indexError(d *dynTerm, x, lim int64) {
	st.err = &tensor.Error{Kind: d.check.Kind, Msg: checkText(d.check.Msg, strconv.FormatInt(x, 10), int64(d.dim), lim)}
}

func checkText(msg, val string, dim, lim int64) string {
	return strings.NewReplacer("%i", val, "%d", strconv.FormatInt(dim, 10), "%n", strconv.FormatInt(lim, 10)).Replace(msg)
}

// addresses fills st.addr for a block whose addresses are not base + i*stride
// for all lanes. A lane that is masked off gets -1.
func (st *state) addresses(m *access, n int) []int64 {
	a := st.addr[:n]
	x, s := st.base(m), st.stride(m)
	if st.err != nil {
		return nil
	}
	for i := range a {
		a[i] = x
		x += s
	}
	var mask []bool
	if m.mask >= 0 {
		if m.maskLanes {
			mask = unsafe.Slice((*bool)(st.p[m.mask]), n)
		} else if !*(*bool)(st.p[m.mask]) {
			for i := range a {
				a[i] = -1
			}
			return a
		}
	}
	for j := range m.dyn {
		d := &m.dyn[j]
		if !d.lane {
			continue
		}
		lim, str := d.lim.Get(st.params), d.stride.Get(st.params)
		if d.wide {
			for i, x := range unsafe.Slice((*int64)(st.p[d.reg]), n) {
				if uint64(x) >= uint64(lim) {
					if mask != nil && !mask[i] {
						continue
					}
					st.indexError(d, x, lim)
					return nil
				}
				a[i] += x * str
			}
		} else {
			for i, x := range unsafe.Slice((*int32)(st.p[d.reg]), n) {
				if x := int64(x); uint64(x) >= uint64(lim) {
					if mask != nil && !mask[i] {
						continue
					}
					st.indexError(d, x, lim)
					return nil
				} else {
					a[i] += x * str
				}
			}
		}
	}
	if m.mask >= 0 {
		size := uint64(st.bufs[m.buf].Len)
		for i := range a {
			if mask != nil && !mask[i] {
				a[i] = -1
			} else if uint64(a[i]) >= size {
				panic(fmt.Sprintf("BUG: masked address %d outside buffer %d of %d elements", a[i], m.buf, size))
			}
		}
	}
	return a
}

// plain reports an access whose lanes are base + i*stride, all of them on.
func (m *access) plain() bool { return m.mask < 0 && !m.dynLanes }

// aim points the destination of in at the memory of in.dst where that is contiguous.
func (st *state) aim(in *inst) {
	m := in.dst
	if st.stride(m) != 1 {
		st.p[in.d] = st.home[in.d]
		return
	}
	st.p[in.d] = unsafe.Add(st.bufs[m.buf].Ptr, uintptr(st.base(m))*m.size)
}

// gather brings n elements to contiguous memory: it returns where they are,
// which is the buffer itself if they are contiguous there, else dst.
func gather[W uint8 | uint16 | uint32 | uint64](st *state, m *access, n int, dst unsafe.Pointer) unsafe.Pointer {
	ptr := st.bufs[m.buf].Ptr
	if m.plain() {
		b := st.base(m)
		if st.err != nil {
			return dst
		}
		src := unsafe.Add(ptr, b*int64(m.size))
		s := st.stride(m)
		if s == 1 || n == 1 {
			return src
		}
		d := unsafe.Slice((*W)(dst), n)
		if s == 0 {
			x := *(*W)(src)
			for i := range d {
				d[i] = x
			}
			return dst
		}
		off := uintptr(0)
		step := uintptr(s) * unsafe.Sizeof(d[0])
		for i := range d {
			d[i] = *(*W)(unsafe.Add(src, off))
			off += step
		}
		return dst
	}
	a := st.addresses(m, n)
	if a == nil {
		return dst
	}
	d := unsafe.Slice((*W)(dst), n)
	if m.mask < 0 {
		for i, x := range a {
			d[i] = *(*W)(unsafe.Add(ptr, uintptr(x)*unsafe.Sizeof(d[0])))
		}
		return dst
	}
	for i, x := range a {
		if x < 0 {
			d[i] = 0
		} else {
			d[i] = *(*W)(unsafe.Add(ptr, uintptr(x)*unsafe.Sizeof(d[0])))
		}
	}
	return dst
}

// loadSame loads storage that is its own compute type.
func loadSame[W uint8 | uint16 | uint32 | uint64](st *state, in *inst, n int) {
	m := in.mem
	dst := st.home[in.d]
	if m.aimed {
		dst = st.p[in.d] // set by aim
	}
	src := gather[W](st, m, n, dst)
	if st.err != nil {
		return
	}
	if m.alias {
		st.p[in.d] = src
		return
	}
	st.p[in.d] = dst
	if src != dst {
		copy(unsafe.Slice((*W)(dst), n), unsafe.Slice((*W)(src), n))
	}
}

// loadNarrow loads storage that widens.
func loadNarrow[W uint8 | uint16, T float32 | int32 | bool](widen func(dst []T, src []W)) func(st *state, in *inst, n int) {
	return func(st *state, in *inst, n int) {
		src := gather[W](st, in.mem, n, st.tmp)
		if st.err == nil {
			widen(unsafe.Slice((*T)(st.p[in.d]), n), unsafe.Slice((*W)(src), n))
		}
	}
}

var loadFns = map[tensor.DType]func(st *state, in *inst, n int){
	tensor.Float32: loadSame[uint32], tensor.Int32: loadSame[uint32],
	tensor.Float64: loadSame[uint64], tensor.Int64: loadSame[uint64],
	tensor.Bool:     loadNarrow(widenBool),
	tensor.Uint8:    loadNarrow(widenUint8),
	tensor.Int8:     loadNarrow(widenInt8),
	tensor.Int16:    loadNarrow(widenInt16),
	tensor.Float16:  loadNarrow(widenF16),
	tensor.BFloat16: loadNarrow(widenBF16),
}

func loadFn(m *access) func(st *state, in *inst, n int) { return loadFns[m.dt] }

// scatter writes n contiguous elements to their places.
func scatter[W uint8 | uint16 | uint32 | uint64](st *state, m *access, n int, src unsafe.Pointer) {
	ptr := st.bufs[m.buf].Ptr
	v := unsafe.Slice((*W)(src), n)
	if m.plain() {
		b := st.base(m)
		if st.err != nil {
			return
		}
		dst := unsafe.Add(ptr, b*int64(m.size))
		s := st.stride(m)
		if s == 1 || n == 1 {
			if dst != src {
				copy(unsafe.Slice((*W)(dst), n), v)
			}
			return
		}
		off := uintptr(0)
		step := uintptr(s) * unsafe.Sizeof(v[0])
		for _, x := range v {
			*(*W)(unsafe.Add(dst, off)) = x
			off += step
		}
		return
	}
	for i, x := range st.addresses(m, n) {
		if x >= 0 {
			*(*W)(unsafe.Add(ptr, uintptr(x)*unsafe.Sizeof(v[0]))) = v[i]
		}
	}
}

func storeSame[W uint8 | uint16 | uint32 | uint64](st *state, in *inst, n int) {
	scatter[W](st, in.mem, n, st.p[in.a])
}

func storeNarrow[W uint8 | uint16, T float32 | int32](narrow func(dst []W, src []T)) func(st *state, in *inst, n int) {
	return func(st *state, in *inst, n int) {
		m := in.mem
		dst := st.tmp
		if m.plain() && (st.stride(m) == 1 || n == 1) {
			b := st.base(m)
			if st.err != nil {
				return
			}
			narrow(unsafe.Slice((*W)(unsafe.Add(st.bufs[m.buf].Ptr, uintptr(b)*m.size)), n), unsafe.Slice((*T)(st.p[in.a]), n))
			return
		}
		narrow(unsafe.Slice((*W)(dst), n), unsafe.Slice((*T)(st.p[in.a]), n))
		scatter[W](st, m, n, dst)
	}
}

var storeFns = map[tensor.DType]func(st *state, in *inst, n int){
	tensor.Float32: storeSame[uint32], tensor.Int32: storeSame[uint32],
	tensor.Float64: storeSame[uint64], tensor.Int64: storeSame[uint64],
	tensor.Bool:     storeSame[uint8],
	tensor.Uint8:    storeNarrow(narrowUint8),
	tensor.Int8:     storeNarrow(narrowUint8),
	tensor.Int16:    storeNarrow(narrowInt16),
	tensor.Float16:  storeNarrow(narrowF16),
	tensor.BFloat16: storeNarrow(narrowBF16),
}

func storeFn(m *access) func(st *state, in *inst, n int) { return storeFns[m.dt] }

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

func atomicFn(m *access, op Combine) func(st *state, in *inst, n int) { return atomicFns[m.dt] }

// runAssert finds the first lane whose condition is false.
func runAssert(st *state, in *inst, n int) {
	cond := unsafe.Slice((*bool)(st.p[in.a]), n)
	for i, ok := range cond {
		if ok || in.c >= 0 && !*(*bool)(unsafe.Add(st.p[in.c], i)) {
			continue
		}
		val := ""
		if in.b >= 0 {
			switch Type(in.d) {
			case I32:
				val = strconv.Itoa(int(*(*int32)(unsafe.Add(st.p[in.b], 4*i))))
			case I64:
				val = strconv.FormatInt(*(*int64)(unsafe.Add(st.p[in.b], 8*i)), 10)
			case F32:
				val = tensor.Float(float64(*(*float32)(unsafe.Add(st.p[in.b], 4*i)))).String()
			case F64:
				val = tensor.Float(*(*float64)(unsafe.Add(st.p[in.b], 8*i))).String()
			case B1:
				val = tensor.Truth(*(*bool)(unsafe.Add(st.p[in.b], i))).String()
			}
		}
		c := in.mem.checks
		st.err = &tensor.Error{Kind: c.Kind, Msg: checkText(c.Msg, val, 0, 0)}
		return
	}
}

// sources

func loadParam(st *state, in *inst, _ int) { *(*int64)(st.p[in.d]) = in.def.P.Get(st.params) }

func loadScalar(st *state, in *inst, _ int) {
	putBits(st.p[in.d], in.def.Type, st.scalars[in.def.Slot])
}

func axisValue(st *state, in *inst, _ int) { *(*int64)(st.p[in.d]) = st.axis[in.aux] }

func iota64(st *state, in *inst, n int) {
	x := st.axis[in.aux]
	d := unsafe.Slice((*int64)(st.p[in.d]), n)
	for i := range d {
		d[i] = x + int64(i)
	}
}

// widening and narrowing

func widenBool(dst []bool, src []uint8) {
	for i, x := range src[:len(dst)] {
		dst[i] = x != 0
	}
}

func widenUint8(dst []int32, src []uint8) {
	for i, x := range src[:len(dst)] {
		dst[i] = int32(x)
	}
}

func widenInt8(dst []int32, src []uint8) {
	for i, x := range src[:len(dst)] {
		dst[i] = int32(int8(x))
	}
}

func widenInt16(dst []int32, src []uint16) {
	for i, x := range src[:len(dst)] {
		dst[i] = int32(int16(x))
	}
}

// widenF16 moves the exponent by a multiplication, which is exact for
// subnormals too; only infinities and NaN need another path.
func widenF16(dst []float32, src []uint16) {
	for i, x := range src[:len(dst)] {
		f := math.Float32frombits(uint32(x&0x7fff)<<13) * 0x1p112
		b := math.Float32bits(f) | uint32(x&0x8000)<<16
		if x&0x7c00 == 0x7c00 {
			b |= 0x7f800000
		}
		dst[i] = math.Float32frombits(b)
	}
}

func widenBF16(dst []float32, src []uint16) {
	for i, x := range src[:len(dst)] {
		dst[i] = math.Float32frombits(uint32(x) << 16)
	}
}

func narrowUint8(dst []uint8, src []int32) {
	for i, x := range src[:len(dst)] {
		dst[i] = uint8(x)
	}
}

func narrowInt16(dst []uint16, src []int32) {
	for i, x := range src[:len(dst)] {
		dst[i] = uint16(x)
	}
}

func narrowF16(dst []uint16, src []float32) {
	for i, x := range src[:len(dst)] {
		b := math.Float32bits(x)
		if e := b & 0x7fffffff; e >= 0x38800000 && e < 0x477ff000 {
			e += 0xfff + e>>13&1
			dst[i] = uint16(b>>16&0x8000) | uint16((e-0x38000000)>>13)
		} else {
			dst[i] = tensor.F32ToF16(x)
		}
	}
}

func narrowBF16(dst []uint16, src []float32) {
	for i, x := range src[:len(dst)] {
		b := math.Float32bits(x)
		if b&0x7fffffff > 0x7f800000 {
			dst[i] = uint16(b>>16) | 0x40
		} else {
			dst[i] = uint16((b + 0x7fff + b>>16&1) >> 16)
		}
	}
}
