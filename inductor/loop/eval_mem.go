package loop

import (
	"fmt"
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
