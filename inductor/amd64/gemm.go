package amd64

import (
	"maps"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
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
	load      func([]byte) (Func, error)
	transpose Func
	copy      Func
	laneDots  Func
	dots      [2][dotRows + 1]Func // of short and long lines
	pool      scratchPool

	mu    sync.Mutex
	tiles atomic.Pointer[map[tileKind]Func]
}

func newGemm(load func([]byte) (Func, error), avx512 bool) (*gemm, error) {
	g := &gemm{shape: shapeOf(avx512), load: load}
	g.tiles.Store(&map[tileKind]Func{})
	make := func(to *Func, code []byte, err error) error {
		if err == nil {
			*to, err = load(code)
		}
		return err
	}
	code, err := emitTranspose()
	if err = make(&g.transpose, code, err); err != nil {
		return nil, err
	}
	code, err = emitCopy(g.shape.L)
	if err = make(&g.copy, code, err); err != nil {
		return nil, err
	}
	code, err = emitLaneDots(g.shape.L)
	if err = make(&g.laneDots, code, err); err != nil {
		return nil, err
	}
	for r := 1; r <= dotRowsOf(g.shape.L); r++ {
		for long := range 2 {
			code, err = emitDots(g.shape.L, r, long == 1)
			if err = make(&g.dots[long][r], code, err); err != nil {
				return nil, err
			}
		}
	}
	return g, nil
}

// tile is a micro-kernel, made when it is first asked for.
func (g *gemm) tile(k tileKind) (Func, error) {
	if f := (*g.tiles.Load())[k]; f != nil {
		return f, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	old := *g.tiles.Load()
	if f := old[k]; f != nil {
		return f, nil
	}
	code, err := emitTile(g.shape, k)
	if err != nil {
		return nil, err
	}
	f, err := g.load(code)
	if err != nil {
		return nil, err
	}
	m := maps.Clone(old)
	m[k] = f
	g.tiles.Store(&m)
	return f, nil
}

// gemmScratch is one worker's memory.
type gemmScratch struct {
	a, b, wide, tile []float32
	at               []int
	offs             []int64
	args             tileArgs
	targs            transposeArgs
	cargs            copyArgs
	vargs            dotArgs
	largs            laneArgs
}

// scratchPool keeps scratch for good: memory that a collection takes away would have
// to be touched anew, page by page.
type scratchPool struct {
	mu   sync.Mutex
	free []*gemmScratch
}

func (p *scratchPool) Get() *gemmScratch {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		s := p.free[n-1]
		p.free = p.free[:n-1]
		return s
	}
	return new(gemmScratch)
}

const keptScratch = 64 // more workers than that at once leave theirs to the collector

func (p *scratchPool) Put(s *gemmScratch) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) < keptScratch {
		p.free = append(p.free, s)
	}
}

// grow gives n elements at a multiple of 64 bytes.
func grow(s *[]float32, n int) []float32 {
	if cap(*s) < n {
		m := make([]float32, n+n/4+16)
		skip := int(-uintptr(unsafe.Pointer(&m[0])) & 63 / 4)
		*s = m[skip:]
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
		case g.few(a), g.fits(a):
			return g.matmul(a)
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
	if m <= 3 { // worth it only where nothing is packed
		return n >= int64(g.shape.nr) && k > 3 && inPlace(&a.In[1], d)
	}
	return n > 3 && k > 1 && m*n*k > 2048
}

// inPlace: rows of a right operand need no packing.
func inPlace(y *loop.Operand, d int) bool { return y.DType == tensor.Float32 && y.Stride[d+1] == 1 }

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
	dots := g.few(a)
	run := func(b int64, par loop.Parallel) error {
		q := p
		q.row0 = int(b) * p.m
		q.x, q.y, q.z = q.view(x, b, z.Size[:d]), q.view(y, b, z.Size[:d]), q.view(z, b, z.Size[:d])
		if bias != nil {
			q.bias = q.view(bias, b, z.Size[:d])
		}
		if dots {
			return q.dots(par)
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

// even divides n into equal pieces of at most most elements, multiples of unit.
func even(n, most, unit int) int {
	pieces := (n + most - 1) / most
	return min(most, ((n+pieces-1)/pieces+unit-1)/unit*unit)
}

func (p *product) run(par loop.Parallel) error {
	g, s := p.g, p.g.shape
	// C is summed in place where it can be
	c := p.z
	var own *gemmScratch
	if c.dt != tensor.Float32 || c.cs != 1 && p.n > 1 {
		own = g.pool.Get()
		defer g.pool.Put(own)
		c = matrix{dt: tensor.Float32, ptr: unsafe.Pointer(unsafe.SliceData(grow(&own.wide, p.m*p.n))), rs: p.n, cs: 1}
	}
	if p.hasBias {
		p.fillBias(&c)
	}
	shared := g.pool.Get()
	defer g.pool.Put(shared)
	mr := even(p.m, s.mr, 1)
	mPanels := (p.m + mr - 1) / mr
	group := max(1, min(mPanels/8, 140/mr))
	groups := int64((mPanels + group - 1) / group)
	// columns as they lie are read once or twice as quickly as they are packed
	far := p.y.cs == 1 && p.y.dt == tensor.Float32 && mPanels <= 2
	kStep := even(p.k, gemmKC, 4)
	for j0 := 0; j0 < p.n; j0 += gemmNC {
		nc := min(gemmNC, p.n-j0)
		nPanels := (nc + s.nr - 1) / s.nr
		for k0 := 0; k0 < p.k; k0 += kStep {
			kc := min(kStep, p.k-k0)
			y := panels{kc: kc}
			first := 0 // panel that is packed
			if far {
				first = nc / s.nr
				y.far, y.near = p.y.at(k0, j0), first*s.nr
				if len(shared.offs) < kc {
					shared.offs = make([]int64, gemmKC)
				}
				y.offs = shared.offs[:kc]
				for k := range y.offs {
					y.offs[k] = int64(4 * k * p.y.rs)
				}
			}
			y.b = grow(&shared.b, (nPanels-first)*s.nr*kc+tileAhead*s.nr)
			if n := nPanels - first; n > 0 {
				err := par(int64(n), max(1, int64(1<<16/(kc*s.nr))), func(lo, hi int64) error {
					w := g.pool.Get()
					defer g.pool.Put(w)
					for q := int(lo); q < int(hi); q++ {
						j := j0 + (first+q)*s.nr
						if err := g.packB(w, y.b[q*s.nr*kc:], &p.y, k0, kc, j, min(s.nr, j0+nc-j)); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					return err
				}
			}
			add := k0 > 0 || p.hasBias
			perGroup := 2 * int64(group*mr) * int64(nc) * int64(kc)
			err := par(groups, max(1, (1<<22)/perGroup), func(lo, hi int64) error {
				w := g.pool.Get()
				defer g.pool.Put(w)
				for q := int(lo); q < int(hi); q++ {
					i := q * group * mr
					end := min(p.m, i+group*mr)
					if err := p.rows(w, &c, &y, mr, i, end, j0, nc, k0, add); err != nil {
						return err
					}
					if j0+nc == p.n && k0+kc == p.k {
						if own != nil {
							p.store(&c, i, end)
						}
						if err := p.tell(i, end); err != nil {
							return err
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

// tell reports rows that are complete.
func (p *product) tell(lo, hi int) error {
	if p.args.Rows == nil {
		return nil
	}
	return p.args.Rows(int64(p.row0+lo), int64(p.row0+hi))
}

// rows computes rows [i0, i1) of a column block.
func (p *product) rows(w *gemmScratch, c *matrix, y *panels, mr, i0, i1, j0, nc, k0 int, add bool) error {
	a := grow(&w.a, (i1-i0)*y.kc+16)
	for i := i0; i < i1; i += mr {
		if err := p.g.packA(w, a[(i-i0)*y.kc:], &p.x, i, min(mr, i1-i), k0, y.kc); err != nil {
			return err
		}
	}
	err := p.g.multiply(w, matrix{ptr: c.at(i0, j0), dt: c.dt, rs: c.rs, cs: 1}, a, mr, y, i1-i0, nc, add)
	runtime.KeepAlive(p)
	return err
}

// panels are kc rows of B: the columns before near where they lie, the others packed.
type panels struct {
	kc   int
	b    []float32
	far  unsafe.Pointer
	offs []int64 // in bytes
	near int
}

// multiply is C[m,n] (+)= A B; A is packed in panels of mr rows, the last of what is
// left. C's rows are contiguous.
func (g *gemm) multiply(w *gemmScratch, c matrix, a []float32, mr int, y *panels, m, n int, add bool) error {
	s := g.shape
	tile := grow(&w.tile, s.mr*s.nr)
	args := &w.args
	args.k = int64(y.kc)
	k := tileKind{add: add}
	var fn Func
	for j := 0; j < n; j += s.nr {
		far := j < y.near
		if far {
			args.b, args.offs = uintptr(unsafe.Add(y.far, 4*j)), uintptr(unsafe.Pointer(unsafe.SliceData(y.offs)))
		} else {
			args.b = uintptr(unsafe.Pointer(&y.b[(j-y.near)*y.kc]))
		}
		for i := 0; i < m; i += mr {
			rows, cols := min(mr, m-i), min(s.nr, n-j)
			if k.rows != rows || k.far != far {
				k.rows, k.far = rows, far
				var err error
				if fn, err = g.tile(k); err != nil {
					return err
				}
			}
			args.a = uintptr(unsafe.Pointer(&a[i*y.kc]))
			if cols == s.nr {
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
	runtime.KeepAlive(y)
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
	if m.cs != 1 && m.rs == 1 { // along memory
		t := native(w, &matrix{ptr: m.ptr, dt: m.dt, rs: m.cs, cs: m.rs}, j, cols, i, rows)
		t.rs, t.cs = t.cs, t.rs
		return t
	}
	for r := range rows {
		widen(buf[r*cols:][:cols], m.at(i+r, j), m.cs, m.dt)
	}
	return matrix{ptr: unsafe.Pointer(&buf[0]), dt: tensor.Float32, rs: cols, cs: 1}
}

// widen reads 16-bit floats that are step elements apart.
func widen(dst []float32, p unsafe.Pointer, step int, dt tensor.DType) {
	switch {
	case dt == tensor.BFloat16 && step == 1:
		for i, h := range unsafe.Slice((*uint16)(p), len(dst)) {
			dst[i] = math.Float32frombits(uint32(h) << 16)
		}
	case dt == tensor.BFloat16:
		for i := range dst {
			dst[i] = math.Float32frombits(uint32(*(*uint16)(unsafe.Add(p, 2*i*step))) << 16)
		}
	default:
		for i := range dst {
			dst[i] = tensor.F16ToF32(*(*uint16)(unsafe.Add(p, 2*i*step)))
		}
	}
}

// packA packs rows i… of k0… into dst[k*rows+row].
func (g *gemm) packA(w *gemmScratch, dst []float32, x *matrix, i, rows, k0, kc int) error {
	return g.pack(w, dst, native(w, x, i, rows, k0, kc), rows, rows, kc)
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
	case m.cs == 1 && n >= 8 && kc >= 8:
		// 8 lines at a time; the last 8 may overlap those before
		k = kc &^ 7
		if n < width {
			clear(dst[:width*k])
		}
		w.targs = transposeArgs{rs: int64(4 * m.rs), ds: int64(4 * width), n: int64(k / 8)}
		for l := 0; l < n; l += 8 {
			at := min(l, n-8)
			w.targs.src = uintptr(m.at(at, 0))
			w.targs.dst = uintptr(unsafe.Pointer(&dst[at]))
			if err := g.transpose.Call(unsafe.Pointer(&w.targs)); err != nil {
				return err
			}
		}
	case m.rs == 1 && n == g.shape.nr && width == n:
		k = kc
		w.cargs = copyArgs{src: uintptr(m.ptr), dst: uintptr(unsafe.Pointer(&dst[0])), rs: int64(4 * m.cs), ds: int64(4 * width), n: int64(kc)}
		if err := g.copy.Call(unsafe.Pointer(&w.cargs)); err != nil {
			return err
		}
	case m.rs == 1:
		for ; k < kc; k++ {
			d := dst[k*width:][:width]
			copy(d, unsafe.Slice((*float32)(m.at(0, k)), n))
			clear(d[n:])
		}
	}
	if k < kc && n < width {
		clear(dst[k*width:][:(kc-k)*width])
	}
	for l := 0; l < n && k < kc; l++ {
		p := m.at(l, k) // not moved on: behind the last element it would point outside
		for i := range kc - k {
			dst[(k+i)*width+l] = *(*float32)(unsafe.Add(p, 4*i*m.cs))
		}
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
