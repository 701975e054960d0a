package loop

import (
	"fmt"
	"unsafe"

	"github.com/larkspur-ml/larkspur/tensor"
)

func init() { RegisterPortable("matmul", matmulTemplate) }

// matmulTemplate is described in template.go.
func matmulTemplate(a *TemplateArgs) error {
	for i := range a.In {
		a.In[i].mustFit("matmul")
	}
	a.Out[0].mustFit("matmul")
	if a.Out[0].DType == tensor.Bool {
		return tensor.Errorf(tensor.RuntimeError, `"addmm_impl_cpu_" not implemented for 'Bool'`)
	}
	switch TypeOf(a.Out[0].DType) {
	case F32:
		return matmul[float32](a)
	case F64:
		return matmul[float64](a)
	case I32:
		return matmul[int32](a)
	}
	return matmul[int64](a)
}

// mustFit is the launch check of an operand: its elements lie in its memory.
func (o *Operand) mustFit(name string) {
	if o.DType == tensor.Invalid {
		return
	}
	lo, hi := o.Off, o.Off
	for i, n := range o.Size {
		switch s := o.Stride[i] * (n - 1); {
		case n == 0:
			return
		case s < 0:
			lo += s
		default:
			hi += s
		}
	}
	if lo < 0 || hi >= o.Mem.Len {
		panic(fmt.Sprintf("BUG: operand of %s reaches elements %d to %d of %d", name, lo, hi, o.Mem.Len))
	}
}

// at is the address of element off of the operand's storage. An operand without
// memory has none: a nil pointer with an offset would be an invalid pointer.
func (o *Operand) at(off int64) unsafe.Pointer {
	if o.Mem.Ptr == nil {
		return nil
	}
	return unsafe.Add(o.Mem.Ptr, off*int64(o.DType.Size()))
}

// batchOffset is the offset of batch b (row-major over the leading dims).
func (o *Operand) batchOffset(b int64, dims int, size []int64) int64 {
	off := o.Off
	for d := dims - 1; d >= 0; d-- {
		off += b % size[d] * o.Stride[d]
		b /= size[d]
	}
	return off
}

// matmulJob is the geometry that all batches share.
type matmulJob[T number] struct {
	a          *TemplateArgs
	m, n, k    int
	dims       int // batch dims
	x, y, z    *Operand
	bias       *Operand
	native     bool // both inputs are stored as T
	direct     bool // small enough to do without packing
	asVec      bool // few rows or columns: row by row
	xm, ym, zm matrix
}

func matmul[T number](a *TemplateArgs) error {
	x, y, z := &a.In[0], &a.In[1], &a.Out[0]
	d := len(z.Size) - 2
	j := &matmulJob[T]{a: a, dims: d, x: x, y: y, z: z, m: int(z.Size[d]), n: int(z.Size[d+1]), k: int(x.Size[d+1])}
	if len(a.In) > 2 && a.In[2].DType != tensor.Invalid {
		j.bias = &a.In[2]
	}
	batch := int64(1)
	for _, n := range z.Size[:d] {
		batch *= n
	}
	if batch == 0 || j.m == 0 || j.n == 0 {
		return nil
	}
	t := typeOf[T]()
	j.native = storedAs(x.DType) == t && storedAs(y.DType) == t
	j.direct = j.native && j.k > 0 && j.m*j.n*j.k <= 512
	j.asVec = j.native && j.k > 0 && (j.m <= 3 || j.n <= 3)
	j.xm = matrix{dt: x.DType, rs: int(x.Stride[d]), cs: int(x.Stride[d+1])}
	j.ym = matrix{dt: y.DType, rs: int(y.Stride[d]), cs: int(y.Stride[d+1])}
	j.zm = matrix{dt: z.DType, rs: int(z.Stride[d]), cs: int(z.Stride[d+1])}
	flops := 2 * int64(j.m) * int64(j.n) * max(1, int64(j.k))
	switch {
	case j.direct:
		return a.Parallel(batch, max(1, 200000/flops), func(lo, hi int64) error {
			for b := lo; b < hi; b++ {
				j.small(b)
				if err := a.pollAt(int(b)); err != nil {
					return err
				}
			}
			return a.poll()
		})
	case j.asVec:
		return j.vectors(batch)
	}
	mc, nc := tileSize(j.m, j.n, int(min(batch, 8)))
	mt, nt := (j.m+mc-1)/mc, (j.n+nc-1)/nc
	tiles := batch * int64(mt*nt)
	return a.Parallel(tiles, max(1, 400000*int64(mt*nt)/flops), func(lo, hi int64) error {
		s := getScratch[T]()
		defer putScratch(s)
		g, bat := j.product(s), int64(-1)
		for t := lo; t < hi; t++ {
			if b := t / int64(mt*nt); b != bat {
				bat = b
				j.aim(b, g)
			}
			i0, j0 := int(t%int64(mt*nt))/nt*mc, int(t%int64(nt))*nc
			if err := g.tile(s, i0, min(i0+mc, j.m), j0, min(j0+nc, j.n), a.Done); err != nil {
				return err
			}
		}
		return nil
	})
}

// poll is Done where there is one.
func (a *TemplateArgs) poll() error {
	if a.Done == nil {
		return nil
	}
	return a.Done()
}

// product is a gemm over one worker's scratch; aim points it at a batch.
func (j *matmulJob[T]) product(s *gemmScratch[T]) *gemmOf[T] {
	g := &gemmOf[T]{job: j, x: j.xm, y: j.ym, z: j.zm}
	g.gemm = gemm[T]{m: j.m, n: j.n, k: j.k,
		packA: func(dst []T, i0, i1, k0, k1, kp int) {
			p, rs, cs := block(&g.x, &s.wide, i0, i1, k0, k1)
			packRows(dst, p, i1-i0, k1-k0, rs, cs, kp)
		},
		packB: func(dst []T, j0, j1, k0, k1, kp int) {
			p, rs, cs := block(&g.y, &s.wide, k0, k1, j0, j1)
			packCols(dst, p, k1-k0, j1-j0, rs, cs, kp)
		},
		store: g.put,
	}
	return g
}

type gemmOf[T number] struct {
	gemm[T]
	job     *matmulJob[T]
	x, y, z matrix
	bias    unsafe.Pointer
	bm, bn  int // bias strides
}

func (j *matmulJob[T]) aim(b int64, g *gemmOf[T]) {
	size := j.z.Size[:j.dims]
	g.x.ptr = j.x.at(j.x.batchOffset(b, j.dims, size))
	g.y.ptr = j.y.at(j.y.batchOffset(b, j.dims, size))
	g.z.ptr = j.z.at(j.z.batchOffset(b, j.dims, size))
	if j.bias != nil {
		g.bias, g.bm, g.bn = j.biasAt(b)
	}
}

// biasAt finds the bias of a batch. A bias with fewer dims than the output is
// aligned at the right.
func (j *matmulJob[T]) biasAt(b int64) (p unsafe.Pointer, bm, bn int) {
	o := j.bias
	off := o.Off
	skip := len(j.z.Size) - len(o.Size)
	for d := j.dims - 1; d >= 0; d-- {
		if d >= skip && o.Size[d-skip] != 1 {
			off += b % j.z.Size[d] * o.Stride[d-skip]
		}
		b /= j.z.Size[d]
	}
	stride := func(d int) int {
		if d < skip || o.Size[d-skip] == 1 {
			return 0
		}
		return int(o.Stride[d-skip])
	}
	return o.at(off), stride(j.dims), stride(j.dims + 1)
}

// put stores a tile, with the bias.
func (g *gemmOf[T]) put(acc []T, ld, i0, i1, j0, j1 int) {
	for i := i0; i < i1; i++ {
		g.row(acc[(i-i0)*ld:][:j1-j0], i, j0)
	}
}

// row stores values of row i from column j0 on.
func (g *gemmOf[T]) row(v []T, i, j0 int) {
	g.line(v, i*g.z.rs+j0*g.z.cs, g.z.cs, i*g.bm+j0*g.bn, g.bn)
}

// column stores values of column j from row i0 on.
func (g *gemmOf[T]) column(v []T, i0, j int) {
	g.line(v, i0*g.z.rs+j*g.z.cs, g.z.rs, i0*g.bm+j*g.bn, g.bm)
}

func (g *gemmOf[T]) line(v []T, at, stride, biasAt, biasStride int) {
	if g.bias != nil {
		d := g.job.bias.DType
		addBias(v, d, unsafe.Add(g.bias, biasAt*d.Size()), biasStride)
	}
	narrowRow(v, g.z.dt, unsafe.Add(g.z.ptr, at*g.z.dt.Size()), stride)
}

func addBias[T number](v []T, dt tensor.DType, p unsafe.Pointer, stride int) {
	if storedAs(dt) == typeOf[T]() {
		w := int(unsafe.Sizeof(v[0]))
		for i := range v {
			v[i] += *(*T)(unsafe.Add(p, i*stride*w))
		}
		return
	}
	var buf [64]T
	for at := 0; at < len(v); at += len(buf) {
		b := buf[:min(len(v)-at, len(buf))]
		widenRow(b, dt, unsafe.Add(p, at*stride*dt.Size()), stride)
		for i, x := range b {
			v[at+i] += x
		}
	}
}

// small multiplies a batch of at most 512 products straight from memory.
func (j *matmulJob[T]) small(b int64) {
	g := gemmOf[T]{job: j, x: j.xm, y: j.ym, z: j.zm}
	j.aim(b, &g)
	var buf [512]T
	w := int(unsafe.Sizeof(buf[0]))
	for i := range j.m {
		for j0 := 0; j0 < j.n; j0 += len(buf) {
			v := buf[:min(len(buf), j.n-j0)]
			x := unsafe.Add(g.x.ptr, i*g.x.rs*w)
			for c := range v {
				y := unsafe.Add(g.y.ptr, (j0+c)*g.y.cs*w)
				var s T
				for k := range j.k {
					s += *(*T)(unsafe.Add(x, k*g.x.cs*w)) * *(*T)(unsafe.Add(y, k*g.y.rs*w))
				}
				v[c] = s
			}
			g.row(v, i, j0)
		}
	}
}

// vecRows is how many outputs of a matrix-vector product are one piece of work.
const vecRows = 256

// vectors does products with at most 3 rows or columns as matrix-vector
// products: packing would cost more than the product.
func (j *matmulJob[T]) vectors(batch int64) error {
	short, long := j.m, j.n // x is the vector, y the matrix
	if j.n < j.m {
		short, long = j.n, j.m
	}
	pieces := int64((long + vecRows - 1) / vecRows)
	cost := int64(vecRows) * max(1, int64(j.k)) * int64(short)
	return j.a.Parallel(batch*pieces, max(1, 200000/cost), func(lo, hi int64) error {
		s := getScratch[T]()
		defer putScratch(s)
		g := gemmOf[T]{job: j, x: j.xm, y: j.ym, z: j.zm}
		for t := lo; t < hi; t++ {
			if err := j.a.poll(); err != nil {
				return err
			}
			j.aim(t/pieces, &g)
			o0 := int(t%pieces) * vecRows
			n := min(vecRows, long-o0)
			w := int(unsafe.Sizeof(*new(T)))
			for i := range short {
				acc := grow(&s.acc, n)
				vec := grow(&s.a, j.k)
				if j.n < j.m {
					// column i of y against rows o0… of x
					widenRow(vec, g.y.dt, unsafe.Add(g.y.ptr, i*g.y.cs*w), g.y.rs)
					matvec(acc, vec, unsafe.Add(g.x.ptr, o0*g.x.rs*w), g.x.rs, g.x.cs)
					g.column(acc, o0, i)
				} else {
					widenRow(vec, g.x.dt, unsafe.Add(g.x.ptr, i*g.x.rs*w), g.x.cs)
					matvec(acc, vec, unsafe.Add(g.y.ptr, o0*g.y.cs*w), g.y.cs, g.y.rs)
					g.row(acc, i, o0)
				}
			}
		}
		return nil
	})
}

// matvec is out[o] = Σ_k m[o*os + k*ks] vec[k]. Along k where that is
// contiguous (dot products, 4 rows at once), else along o (4 steps at once).
func matvec[T number](out, vec []T, m unsafe.Pointer, os, ks int) {
	w := int(unsafe.Sizeof(*new(T)))
	n, kn := len(out), len(vec)
	if ks == 1 || os != 1 {
		o := 0
		for ; ks == 1 && o+4 <= n && kn > 0; o += 4 {
			p := unsafe.Add(m, o*os*w)
			r0, r1 := unsafe.Slice((*T)(p), kn), unsafe.Slice((*T)(unsafe.Add(p, os*w)), kn)
			r2, r3 := unsafe.Slice((*T)(unsafe.Add(p, 2*os*w)), kn), unsafe.Slice((*T)(unsafe.Add(p, 3*os*w)), kn)
			var s0, s1, s2, s3, t0, t1, t2, t3 T
			k := 0
			for ; k+1 < kn; k += 2 {
				x, y := vec[k], vec[k+1]
				s0 += r0[k] * x
				s1 += r1[k] * x
				s2 += r2[k] * x
				s3 += r3[k] * x
				t0 += r0[k+1] * y
				t1 += r1[k+1] * y
				t2 += r2[k+1] * y
				t3 += r3[k+1] * y
			}
			if k < kn {
				x := vec[k]
				s0 += r0[k] * x
				s1 += r1[k] * x
				s2 += r2[k] * x
				s3 += r3[k] * x
			}
			out[o], out[o+1], out[o+2], out[o+3] = s0+t0, s1+t1, s2+t2, s3+t3
		}
		for ; o < n; o++ {
			p := unsafe.Add(m, o*os*w)
			var s0, s1 T
			k := 0
			for ; k+1 < kn; k += 2 {
				s0 += *(*T)(unsafe.Add(p, k*ks*w)) * vec[k]
				s1 += *(*T)(unsafe.Add(p, (k+1)*ks*w)) * vec[k+1]
			}
			if k < kn {
				s0 += *(*T)(unsafe.Add(p, k*ks*w)) * vec[k]
			}
			out[o] = s0 + s1
		}
		return
	}
	clear(out)
	k := 0
	for ; k+4 <= kn; k += 4 {
		p := unsafe.Add(m, k*ks*w)
		r0, r1 := unsafe.Slice((*T)(p), n), unsafe.Slice((*T)(unsafe.Add(p, ks*w)), n)
		r2, r3 := unsafe.Slice((*T)(unsafe.Add(p, 2*ks*w)), n), unsafe.Slice((*T)(unsafe.Add(p, 3*ks*w)), n)
		x0, x1, x2, x3 := vec[k], vec[k+1], vec[k+2], vec[k+3]
		for o := range out[:n] {
			out[o] += (r0[o]*x0 + r1[o]*x1) + (r2[o]*x2 + r3[o]*x3)
		}
	}
	for ; k < kn; k++ {
		r, x := unsafe.Slice((*T)(unsafe.Add(m, k*ks*w)), n), vec[k]
		for o := range out[:n] {
			out[o] += r[o] * x
		}
	}
}
