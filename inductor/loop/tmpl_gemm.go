package loop

import (
	"sync"
	"unsafe"

	"github.com/larkspur-ml/larkspur/tensor"
)

// The matrix product of the portable target: C[m,n] = A[m,k] B[k,n].
//
//	for each tile of C (gemmMC x gemmNC, by Parallel)
//	  for each gemmKC of k
//	    pack A into panels of 2 rows, B into panels of 4 columns
//	    for each pair of panels   acc[2,4] += panelA panelB
//	  store the tile
//
// A tile sums over k in one order, so the result does not depend on how tiles
// are spread over workers. Packing hides strides, 16-bit storage and, for a
// convolution, the gathering of windows: sources are functions that fill panels.
//
// Measured (Go 1.26, Xeon, one core, float32): the 2x4 kernel unrolled by 4
// runs at 7.5 GFLOP/s and 3x3 at 8.2; 3x4 and 4x4 spill (5.0, 3.5), and without
// unrolling the slice bookkeeping costs a third. Whole products: 256^3 8.1, 64^3
// 6.6, 16^3 4.5, 64 x 32^3 6.7; matrix-vector 1024^2 6.9, transposed 5.5.

const (
	gemmMR = 2
	gemmNR = 4
	gemmKC = 256
	gemmMC = 128
	gemmNC = 128
)

// gemm is one product. packA writes rows [i0, i1) and k [k0, k1) as panels:
// dst[(panel*kp+k)*2+row] where kp is k1-k0 rounded up to 4; packB likewise with
// 4 columns. What lies outside is written as 0. store gets acc[i*ld+j].
type gemm[T number] struct {
	m, n, k int
	packA   func(dst []T, i0, i1, k0, k1, kp int)
	packB   func(dst []T, j0, j1, k0, k1, kp int)
	store   func(acc []T, ld, i0, i1, j0, j1 int)
}

// gemmScratch is one worker's memory.
type gemmScratch[T number] struct {
	a, b, acc []T
	wide      []T // a block of narrow storage widened
}

var gemmPools = [F64 + 1]*sync.Pool{
	I32: {New: func() any { return new(gemmScratch[int32]) }},
	I64: {New: func() any { return new(gemmScratch[int64]) }},
	F32: {New: func() any { return new(gemmScratch[float32]) }},
	F64: {New: func() any { return new(gemmScratch[float64]) }},
}

func typeOf[T number]() Type {
	var x T
	switch any(x).(type) {
	case int32:
		return I32
	case int64:
		return I64
	case float32:
		return F32
	}
	return F64
}

func getScratch[T number]() *gemmScratch[T]  { return gemmPools[typeOf[T]()].Get().(*gemmScratch[T]) }
func putScratch[T number](s *gemmScratch[T]) { gemmPools[typeOf[T]()].Put(s) }

func roundUpTo(n, m int) int { return (n + m - 1) / m * m }

// grow makes *s at least n long; its contents are arbitrary.
func grow[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	return (*s)[:n]
}

// tileSize halves the tile while there are few tiles, by shape alone.
func tileSize(m, n, batch int) (mc, nc int) {
	mc, nc = gemmMC, gemmNC
	for batch*((m+mc-1)/mc)*((n+nc-1)/nc) < 8 && mc*nc > 32*32 {
		if mc >= nc && m > mc/2 || n <= nc/2 {
			mc /= 2
		} else {
			nc /= 2
		}
		if m <= mc/2 && n <= nc/2 {
			break
		}
	}
	return
}

// tile computes C[i0:i1, j0:j1].
func (g *gemm[T]) tile(s *gemmScratch[T], i0, i1, j0, j1 int, done func() error) error {
	mp, np := roundUpTo(i1-i0, gemmMR), roundUpTo(j1-j0, gemmNR)
	acc := grow(&s.acc, mp*np)
	clear(acc)
	for k0 := 0; k0 < g.k; k0 += gemmKC {
		k1 := min(k0+gemmKC, g.k)
		kp := roundUpTo(k1-k0, 4)
		a, b := grow(&s.a, mp*kp), grow(&s.b, np*kp)
		g.packA(a, i0, i1, k0, k1, kp)
		g.packB(b, j0, j1, k0, k1, kp)
		for j := 0; j < np; j += gemmNR {
			if done != nil {
				if err := done(); err != nil {
					return err
				}
			}
			pb := b[j*kp:][:gemmNR*kp]
			for i := 0; i < mp; i += gemmMR {
				micro(a[i*kp:][:gemmMR*kp], pb, (*[4]T)(acc[i*np+j:]), (*[4]T)(acc[(i+1)*np+j:]))
			}
		}
	}
	g.store(acc, np, i0, i1, j0, j1)
	return nil
}

// micro adds the product of a panel of 2 rows and a panel of 4 columns; their
// length is a multiple of 4 steps.
func micro[T number](a, b []T, r0, r1 *[4]T) {
	var c00, c01, c02, c03, c10, c11, c12, c13 T
	for len(a) >= 8 && len(b) >= 16 {
		p, q := (*[8]T)(a), (*[16]T)(b)
		x, y := p[0], p[1]
		c00 += x * q[0]
		c10 += y * q[0]
		c01 += x * q[1]
		c11 += y * q[1]
		c02 += x * q[2]
		c12 += y * q[2]
		c03 += x * q[3]
		c13 += y * q[3]
		x, y = p[2], p[3]
		c00 += x * q[4]
		c10 += y * q[4]
		c01 += x * q[5]
		c11 += y * q[5]
		c02 += x * q[6]
		c12 += y * q[6]
		c03 += x * q[7]
		c13 += y * q[7]
		x, y = p[4], p[5]
		c00 += x * q[8]
		c10 += y * q[8]
		c01 += x * q[9]
		c11 += y * q[9]
		c02 += x * q[10]
		c12 += y * q[10]
		c03 += x * q[11]
		c13 += y * q[11]
		x, y = p[6], p[7]
		c00 += x * q[12]
		c10 += y * q[12]
		c01 += x * q[13]
		c11 += y * q[13]
		c02 += x * q[14]
		c12 += y * q[14]
		c03 += x * q[15]
		c13 += y * q[15]
		a, b = a[8:], b[16:]
	}
	r0[0] += c00
	r0[1] += c01
	r0[2] += c02
	r0[3] += c03
	r1[0] += c10
	r1[1] += c11
	r1[2] += c12
	r1[3] += c13
}

// matrix is a strided view of one matrix of an operand.
type matrix struct {
	ptr    unsafe.Pointer // element (0, 0)
	dt     tensor.DType
	rs, cs int // strides in elements
}

// block gives native elements: the storage itself, or rows [i0, i1) x columns
// [k0, k1) of it widened into scratch. The strides are those of the result.
func block[T number](m *matrix, wide *[]T, i0, i1, k0, k1 int) (p unsafe.Pointer, rs, cs int) {
	at := unsafe.Add(m.ptr, (i0*m.rs+k0*m.cs)*m.dt.Size())
	if storedAs(m.dt) == typeOf[T]() {
		return at, m.rs, m.cs
	}
	r, c := i1-i0, k1-k0
	w := grow(wide, r*c)
	if m.cs == 1 || m.rs != 1 {
		for i := range r {
			widenRow(w[i*c:][:c], m.dt, unsafe.Add(at, i*m.rs*m.dt.Size()), m.cs)
		}
		return unsafe.Pointer(&w[0]), c, 1
	}
	for j := range c {
		widenRow(w[j*r:][:r], m.dt, unsafe.Add(at, j*m.cs*m.dt.Size()), m.rs)
	}
	return unsafe.Pointer(&w[0]), 1, r
}

// widenRow reads len(dst) elements of any dtype whose compute type is T.
func widenRow[T number](dst []T, dt tensor.DType, p unsafe.Pointer, stride int) {
	n := len(dst)
	if n == 0 {
		return
	}
	switch d := any(dst).(type) {
	case []float32:
		switch dt {
		case tensor.Float16:
			if stride == 1 {
				widenF16(d, unsafe.Slice((*uint16)(p), n))
				return
			}
			for i := range d {
				d[i] = tensor.F16ToF32(*(*uint16)(unsafe.Add(p, 2*i*stride)))
			}
			return
		case tensor.BFloat16:
			for i := range d {
				d[i] = tensor.BF16ToF32(*(*uint16)(unsafe.Add(p, 2*i*stride)))
			}
			return
		}
	case []int32:
		switch dt {
		case tensor.Uint8, tensor.Bool:
			for i := range d {
				d[i] = int32(*(*uint8)(unsafe.Add(p, i*stride)))
			}
			return
		case tensor.Int8:
			for i := range d {
				d[i] = int32(*(*int8)(unsafe.Add(p, i*stride)))
			}
			return
		case tensor.Int16:
			for i := range d {
				d[i] = int32(*(*int16)(unsafe.Add(p, 2*i*stride)))
			}
			return
		}
	}
	if stride == 1 {
		copy(dst, unsafe.Slice((*T)(p), n))
		return
	}
	w := int(unsafe.Sizeof(dst[0]))
	for i := range dst {
		dst[i] = *(*T)(unsafe.Add(p, i*stride*w))
	}
}

// narrowRow writes src to len(src) places of any dtype whose compute type is T.
func narrowRow[T number](src []T, dt tensor.DType, p unsafe.Pointer, stride int) {
	n := len(src)
	if n == 0 {
		return
	}
	switch s := any(src).(type) {
	case []float32:
		switch dt {
		case tensor.Float16:
			for i, x := range s {
				*(*uint16)(unsafe.Add(p, 2*i*stride)) = tensor.F32ToF16(x)
			}
			return
		case tensor.BFloat16:
			for i, x := range s {
				*(*uint16)(unsafe.Add(p, 2*i*stride)) = tensor.F32ToBF16(x)
			}
			return
		}
	case []int32:
		switch dt {
		case tensor.Uint8, tensor.Int8:
			for i, x := range s {
				*(*uint8)(unsafe.Add(p, i*stride)) = uint8(x)
			}
			return
		case tensor.Int16:
			for i, x := range s {
				*(*uint16)(unsafe.Add(p, 2*i*stride)) = uint16(x)
			}
			return
		case tensor.Bool:
			for i, x := range s {
				*(*bool)(unsafe.Add(p, i*stride)) = x != 0
			}
			return
		}
	}
	if stride == 1 {
		copy(unsafe.Slice((*T)(p), n), src)
		return
	}
	w := int(unsafe.Sizeof(src[0]))
	for i := range src {
		*(*T)(unsafe.Add(p, i*stride*w)) = src[i]
	}
}

// packRows packs r rows of c steps into panels of 2 rows.
func packRows[T number](dst []T, p unsafe.Pointer, r, c, rs, cs, kp int) {
	w := int(unsafe.Sizeof(dst[0]))
	for i := 0; i < r; i += 2 {
		d := dst[i*kp:][:2*kp]
		x := unsafe.Add(p, i*rs*w)
		if i+1 == r {
			for k := range c {
				d[2*k] = *(*T)(unsafe.Add(x, k*cs*w))
				d[2*k+1] = 0
			}
		} else if y := unsafe.Add(x, rs*w); cs == 1 {
			xs, ys := unsafe.Slice((*T)(x), c), unsafe.Slice((*T)(y), c)
			for k := range xs {
				q := (*[2]T)(d[2*k:])
				q[0], q[1] = xs[k], ys[k]
			}
		} else {
			for k := range c {
				q := (*[2]T)(d[2*k:])
				q[0], q[1] = *(*T)(unsafe.Add(x, k*cs*w)), *(*T)(unsafe.Add(y, k*cs*w))
			}
		}
		clear(d[2*c:])
	}
}

// packCols packs c columns of r steps (the rows of B) into panels of 4 columns.
func packCols[T number](dst []T, p unsafe.Pointer, r, c, rs, cs, kp int) {
	w := int(unsafe.Sizeof(dst[0]))
	for j := 0; j < c; j += 4 {
		d := dst[j*kp:][:4*kp]
		x := unsafe.Add(p, j*cs*w)
		switch {
		case j+4 > c:
			clear(d)
			for jj := range c - j {
				for k := range r {
					d[4*k+jj] = *(*T)(unsafe.Add(x, (k*rs+jj*cs)*w))
				}
			}
		case cs == 1:
			for k := range r {
				*(*[4]T)(d[4*k:]) = *(*[4]T)(unsafe.Add(x, k*rs*w))
			}
		case rs == 1:
			x0, x1 := unsafe.Slice((*T)(x), r), unsafe.Slice((*T)(unsafe.Add(x, cs*w)), r)
			x2, x3 := unsafe.Slice((*T)(unsafe.Add(x, 2*cs*w)), r), unsafe.Slice((*T)(unsafe.Add(x, 3*cs*w)), r)
			for k := range x0 {
				q := (*[4]T)(d[4*k:])
				q[0], q[1], q[2], q[3] = x0[k], x1[k], x2[k], x3[k]
			}
		default:
			for k := range r {
				q := (*[4]T)(d[4*k:])
				y := unsafe.Add(x, k*rs*w)
				q[0], q[1], q[2], q[3] = *(*T)(y), *(*T)(unsafe.Add(y, cs*w)), *(*T)(unsafe.Add(y, 2*cs*w)), *(*T)(unsafe.Add(y, 3*cs*w))
			}
		}
		clear(d[4*r:])
	}
}
