package amd64

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// The matrix product of 16- and 32-bit floats. The portable template has the
// rest: other types, vectors, and products too small to pack.
//
//	for each gemmNC of n
//	  for each gemmKC of k
//	    pack B[kc, nc] into panels of nr columns                    (in parallel)
//	    for each group of row panels                                (in parallel)
//	      pack A[mc, kc] into panels of mr rows
//	      for each pair of panels   C[mr, nr] (+)= A B
//
// An element of C sums over k in an order that depends on k alone.

const (
	gemmKC = 384
	gemmNC = 2048
)

type gemm struct {
	shape     tileShape
	set, add  Func
	transpose Func
	dot       Func
	pool      sync.Pool
}

func newGemm(load func([]byte) (Func, error), avx512 bool) (*gemm, error) {
	g := &gemm{shape: shapeOf(avx512)}
	g.pool.New = func() any { return new(gemmScratch) }
	for _, k := range []struct {
		to   *Func
		emit func() ([]byte, error)
	}{
		{&g.set, func() ([]byte, error) { return emitGemm(g.shape, false) }},
		{&g.add, func() ([]byte, error) { return emitGemm(g.shape, true) }},
		{&g.transpose, emitTranspose},
		{&g.dot, func() ([]byte, error) { return emitGemv(g.shape.L) }},
	} {
		code, err := k.emit()
		if err == nil {
			*k.to, err = load(code)
		}
		if err != nil {
			return nil, err
		}
	}
	return g, nil
}

// gemmScratch is one worker's memory.
type gemmScratch struct {
	a, b, wide, tile []float32
	at               []int
	args             gemmArgs
	targs            transposeArgs
	vargs            gemvArgs
}

func grow(s *[]float32, n int) []float32 {
	if cap(*s) < n {
		*s = make([]float32, n)
	}
	return (*s)[:n]
}

// matrix is one matrix of an operand.
type matrix struct {
	ptr    unsafe.Pointer // element (0, 0)
	dt     tensor.DType
	rs, cs int // strides in elements
}

func (m *matrix) at(i, j int) unsafe.Pointer {
	return unsafe.Add(m.ptr, (i*m.rs+j*m.cs)*m.dt.Size())
}

func gemmType(d tensor.DType) bool {
	return d == tensor.Float32 || d == tensor.Float16 || d == tensor.BFloat16
}

func (g *gemm) template(fallback loop.TemplateFunc) loop.TemplateFunc {
	return func(a *loop.TemplateArgs) error {
		for i := range a.In {
			if a.In[i].DType != tensor.Invalid && !inside(&a.In[i]) {
				return fallback(a) // nothing to do, or our own fault
			}
		}
		switch {
		case !inside(&a.Out[0]):
			return fallback(a)
		case g.fits(a):
			return g.matmul(a)
		case g.vectors(a):
			return g.gemv(a)
		case tiny(a):
			return nil
		}
		return fallback(a)
	}
}

// tiny does a product of a few elements of float32 on the spot; false if it is none.
func tiny(a *loop.TemplateArgs) bool {
	x, y, z := &a.In[0], &a.In[1], &a.Out[0]
	if len(z.Size) != 2 || x.DType != tensor.Float32 || y.DType != tensor.Float32 || z.DType != tensor.Float32 {
		return false
	}
	m, n, k := z.Size[0], z.Size[1], x.Size[1]
	if m*n*k > 512 {
		return false
	}
	var b *loop.Operand
	if len(a.In) > 2 && a.In[2].DType != tensor.Invalid {
		if b = &a.In[2]; b.DType != tensor.Float32 || len(b.Size) != 2 {
			return false
		}
	}
	at := func(o *loop.Operand, i, j int64) *float32 {
		return (*float32)(unsafe.Add(o.Mem.Ptr, 4*(o.Off+i*o.Stride[0]+j*o.Stride[1])))
	}
	for i := range m {
		for j := range n {
			s := float32(0)
			for l := range k {
				s += *at(x, i, l) * *at(y, l, j)
			}
			if b != nil {
				s += *at(b, i, j)
			}
			*at(z, i, j) = s
		}
	}
	return true
}

// fits reports a product for this code.
func (g *gemm) fits(a *loop.TemplateArgs) bool {
	z := &a.Out[0]
	d := len(z.Size) - 2
	m, n, k := z.Size[d], z.Size[d+1], a.In[0].Size[d+1]
	if !gemmType(a.In[0].DType) || !gemmType(a.In[1].DType) || !gemmType(z.DType) {
		return false
	}
	if len(a.In) > 2 && a.In[2].DType != tensor.Invalid && !gemmType(a.In[2].DType) {
		return false
	}
	return m > 3 && n > 3 && k > 1 && m*n*k > 2048
}

type product struct {
	g       *gemm
	args    *loop.TemplateArgs
	m, n, k int
	x, y, z matrix
	bias    matrix // rs, cs are 0 where it is broadcast
	hasBias bool
	row0    int // row 0 among those of all batches
}

func (g *gemm) matmul(a *loop.TemplateArgs) error {
	x, y, z := &a.In[0], &a.In[1], &a.Out[0]
	d := len(z.Size) - 2
	batch := int64(1)
	for _, n := range z.Size[:d] {
		batch *= n
	}
	p := product{g: g, args: a, m: int(z.Size[d]), n: int(z.Size[d+1]), k: int(x.Size[d+1])}
	var bias *loop.Operand
	if len(a.In) > 2 && a.In[2].DType != tensor.Invalid {
		bias, p.hasBias = &a.In[2], true
	}
	run := func(b int64, par loop.Parallel) error {
		q := p
		q.row0 = int(b) * p.m
		q.x, q.y, q.z = q.view(x, b, z.Size[:d]), q.view(y, b, z.Size[:d]), q.view(z, b, z.Size[:d])
		if bias != nil {
			q.bias = q.view(bias, b, z.Size[:d])
		}
		return q.run(par)
	}
	flops := 2 * int64(p.m) * int64(p.n) * int64(p.k)
	if batch > 1 && flops < 8<<20 {
		return a.Parallel(batch, max(1, (1<<22)/flops), func(lo, hi int64) error {
			for b := lo; b < hi; b++ {
				if err := run(b, loop.Inline); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for b := range batch {
		if err := run(b, a.Parallel); err != nil {
			return err
		}
	}
	return nil
}

// view is the matrix of batch b. An operand with fewer dims is aligned at the
// right, one of size 1 is broadcast.
func (p *product) view(o *loop.Operand, b int64, size []int64) matrix {
	off := o.Off
	skip := len(size) + 2 - len(o.Size)
	for d := len(size) - 1; d >= 0; d-- {
		if d >= skip && o.Size[d-skip] != 1 {
			off += b % size[d] * o.Stride[d-skip]
		}
		b /= size[d]
	}
	m := matrix{dt: o.DType, ptr: unsafe.Add(o.Mem.Ptr, off*int64(o.DType.Size()))}
	if i := len(o.Size) - 2; i >= 0 && o.Size[i] != 1 {
		m.rs = int(o.Stride[i])
	}
	if i := len(o.Size) - 1; i >= 0 && o.Size[i] != 1 {
		m.cs = int(o.Stride[i])
	}
	return m
}

func (p *product) run(par loop.Parallel) error {
	g, s := p.g, p.g.shape
	// C is summed in place where it can be
	c := p.z
	var own *gemmScratch
	if c.dt != tensor.Float32 || c.cs != 1 && p.n > 1 {
		own = g.pool.Get().(*gemmScratch)
		defer g.pool.Put(own)
		c = matrix{dt: tensor.Float32, ptr: unsafe.Pointer(unsafe.SliceData(grow(&own.wide, p.m*p.n))), rs: p.n, cs: 1}
	}
	if p.hasBias {
		p.fillBias(&c)
	}
	shared := g.pool.Get().(*gemmScratch)
	defer g.pool.Put(shared)
	mPanels := (p.m + s.mr - 1) / s.mr
	group := max(1, min(mPanels/8, 140/s.mr))
	groups := int64((mPanels + group - 1) / group)
	for j0 := 0; j0 < p.n; j0 += gemmNC {
		nc := min(gemmNC, p.n-j0)
		nPanels := (nc + s.nr - 1) / s.nr
		for k0 := 0; k0 < p.k; k0 += gemmKC {
			kc := min(gemmKC, p.k-k0)
			b := grow(&shared.a, nPanels*s.nr*kc+16)
			err := par(int64(nPanels), max(1, int64(1<<16/(kc*s.nr))), func(lo, hi int64) error {
				w := g.pool.Get().(*gemmScratch)
				defer g.pool.Put(w)
				for q := int(lo); q < int(hi); q++ {
					j := j0 + q*s.nr
					if err := g.packB(w, b[q*s.nr*kc:], &p.y, k0, kc, j, min(s.nr, j0+nc-j)); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
			add := k0 > 0 || p.hasBias
			perGroup := 2 * int64(group*s.mr) * int64(nc) * int64(kc)
			err = par(groups, max(1, (1<<22)/perGroup), func(lo, hi int64) error {
				w := g.pool.Get().(*gemmScratch)
				defer g.pool.Put(w)
				for q := int(lo); q < int(hi); q++ {
					i := q * group * s.mr
					end := min(p.m, i+group*s.mr)
					if err := p.rows(w, &c, b, i, end, j0, nc, k0, kc, add); err != nil {
						return err
					}
					if j0+nc == p.n && k0+kc == p.k {
						if own != nil {
							p.store(&c, i, end)
						}
						if p.args.Rows != nil {
							if err := p.args.Rows(int64(p.row0+i), int64(p.row0+end)); err != nil {
								return err
							}
						}
					}
					if p.args.Done != nil {
						if err := p.args.Done(); err != nil {
							return err
						}
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// rows computes rows [i0, i1) of a column block.
func (p *product) rows(w *gemmScratch, c *matrix, b []float32, i0, i1, j0, nc, k0, kc int, add bool) error {
	g, s := p.g, p.g.shape
	panels := (i1 - i0 + s.mr - 1) / s.mr
	a := grow(&w.a, panels*s.mr*kc+16)
	for q := range panels {
		i := i0 + q*s.mr
		if err := g.packA(w, a[q*s.mr*kc:], &p.x, i, min(s.mr, i1-i), k0, kc); err != nil {
			return err
		}
	}
	err := g.multiply(w, matrix{ptr: c.at(i0, j0), dt: c.dt, rs: c.rs, cs: 1}, a, b, i1-i0, nc, kc, add)
	runtime.KeepAlive(p)
	return err
}

// multiply is C[m,n] (+)= A B of packed panels. C's rows are contiguous.
func (g *gemm) multiply(w *gemmScratch, c matrix, a, b []float32, m, n, kc int, add bool) error {
	s := g.shape
	fn := g.set
	if add {
		fn = g.add
	}
	tile := grow(&w.tile, s.mr*s.nr)
	args := &w.args
	args.k = int64(kc)
	for j := 0; j < n; j += s.nr {
		args.b = uintptr(unsafe.Pointer(&b[j*kc]))
		for i := 0; i < m; i += s.mr {
			rows, cols := min(s.mr, m-i), min(s.nr, n-j)
			args.a = uintptr(unsafe.Pointer(&a[i*kc]))
			if rows == s.mr && cols == s.nr {
				args.c, args.ldc = uintptr(c.at(i, j)), int64(4*c.rs)
				if err := fn.Call(unsafe.Pointer(args)); err != nil {
					return err
				}
				continue
			}
			// an edge goes through a tile of its own
			args.c, args.ldc = uintptr(unsafe.Pointer(&tile[0])), int64(4*s.nr)
			if add {
				for r := range rows {
					copy(tile[r*s.nr:][:cols], unsafe.Slice((*float32)(c.at(i+r, j)), cols))
				}
			}
			if err := fn.Call(unsafe.Pointer(args)); err != nil {
				return err
			}
			for r := range rows {
				copy(unsafe.Slice((*float32)(c.at(i+r, j)), cols), tile[r*s.nr:][:cols])
			}
		}
	}
	runtime.KeepAlive(b)
	runtime.KeepAlive(a)
	runtime.KeepAlive(tile)
	runtime.KeepAlive(c.ptr)
	return nil
}

// native gives float32 elements of rows x cols from (i, j): the matrix itself, or
// a widened copy.
func native(w *gemmScratch, m *matrix, i, rows, j, cols int) matrix {
	if m.dt == tensor.Float32 {
		return matrix{ptr: m.at(i, j), dt: m.dt, rs: m.rs, cs: m.cs}
	}
	buf := grow(&w.wide, rows*cols)
	for r := range rows {
		for c := range cols {
			h := *(*uint16)(m.at(i+r, j+c))
			if m.dt == tensor.BFloat16 {
				buf[r*cols+c] = tensor.BF16ToF32(h)
			} else {
				buf[r*cols+c] = tensor.F16ToF32(h)
			}
		}
	}
	return matrix{ptr: unsafe.Pointer(&buf[0]), dt: tensor.Float32, rs: cols, cs: 1}
}

// packA packs rows i… of k0… into dst[k*mr+row].
func (g *gemm) packA(w *gemmScratch, dst []float32, x *matrix, i, rows, k0, kc int) error {
	m := native(w, x, i, rows, k0, kc)
	return g.pack(w, dst, m, rows, g.shape.mr, kc)
}

// packB packs columns j… of k0… into dst[k*nr+column].
func (g *gemm) packB(w *gemmScratch, dst []float32, y *matrix, k0, kc, j, cols int) error {
	m := native(w, y, k0, kc, j, cols)
	m.rs, m.cs = m.cs, m.rs
	return g.pack(w, dst, m, cols, g.shape.nr, kc)
}

// pack brings n lines of kc elements into dst[k*width+line]; rs is from line to
// line, cs along a line. Lines that are missing are 0.
func (g *gemm) pack(w *gemmScratch, dst []float32, m matrix, n, width, kc int) error {
	k := 0
	switch {
	case m.cs == 1 && n == width && width >= 8 && kc >= 8:
		// 8 lines at a time; the last 8 may overlap those before
		k = kc &^ 7
		w.targs = transposeArgs{rs: int64(4 * m.rs), ds: int64(4 * width), n: int64(k / 8)}
		for l := 0; l < n; l += 8 {
			at := min(l, n-8)
			w.targs.src = uintptr(m.at(at, 0))
			w.targs.dst = uintptr(unsafe.Pointer(&dst[at]))
			if err := g.transpose.Call(unsafe.Pointer(&w.targs)); err != nil {
				return err
			}
		}
	case m.rs == 1 && n == width:
		for ; k < kc; k++ {
			copy(dst[k*width:][:width], unsafe.Slice((*float32)(m.at(0, k)), width))
		}
	}
	for ; k < kc; k++ {
		d := dst[k*width:][:width]
		for l := range n {
			d[l] = *(*float32)(m.at(l, k))
		}
		clear(d[n:])
	}
	runtime.KeepAlive(dst)
	return nil
}

func value16(m *matrix, i, j int) float32 {
	p := m.at(i, j)
	switch m.dt {
	case tensor.Float16:
		return tensor.F16ToF32(*(*uint16)(p))
	case tensor.BFloat16:
		return tensor.BF16ToF32(*(*uint16)(p))
	}
	return *(*float32)(p)
}

// fillBias puts the bias into C, to be added to.
func (p *product) fillBias(c *matrix) {
	for i := range p.m {
		row := unsafe.Slice((*float32)(c.at(i, 0)), p.n)
		switch {
		case p.bias.rs == 0 && i > 0:
			copy(row, unsafe.Slice((*float32)(c.at(0, 0)), p.n))
		case p.bias.dt == tensor.Float32 && p.bias.cs == 1:
			copy(row, unsafe.Slice((*float32)(p.bias.at(i, 0)), p.n))
		default:
			for j := range row {
				row[j] = value16(&p.bias, i, j)
			}
		}
	}
}

// store converts rows [i0, i1) of C into the output.
func (p *product) store(c *matrix, i0, i1 int) {
	for i := i0; i < i1; i++ {
		row := unsafe.Slice((*float32)(c.at(i, 0)), p.n)
		for j, v := range row {
			q := p.z.at(i, j)
			switch p.z.dt {
			case tensor.Float16:
				*(*uint16)(q) = tensor.F32ToF16(v)
			case tensor.BFloat16:
				*(*uint16)(q) = tensor.F32ToBF16(v)
			default:
				*(*float32)(q) = v
			}
		}
	}
}
