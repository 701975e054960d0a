package cuda

import (
	"os"
	"path/filepath"
	"runtime"
	"unsafe"

	"github.com/larkspur-ml/larkspur/device"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Products by cuBLASLt, where it is installed. The first of a shape is timed by the
// best few of the library's algorithms and by our own kernel, all on the product's
// memory (each gives the result); what was fastest is kept for the shape. An error of
// the library leaves the shape, or all of them, to our own kernel.

// blasAPI are cuBLASLt's functions.
type blasAPI struct {
	Create, DescCreate, DescSet, LayoutCreate, LayoutSet, PrefCreate, PrefSet, Heuristic, Matmul uintptr
}

func (a *blasAPI) table() map[string]*uintptr {
	return map[string]*uintptr{
		"cublasLtCreate": &a.Create, "cublasLtMatmulDescCreate": &a.DescCreate, "cublasLtMatmulDescSetAttribute": &a.DescSet,
		"cublasLtMatrixLayoutCreate": &a.LayoutCreate, "cublasLtMatrixLayoutSetAttribute": &a.LayoutSet,
		"cublasLtMatmulPreferenceCreate": &a.PrefCreate, "cublasLtMatmulPreferenceSetAttribute": &a.PrefSet,
		"cublasLtMatmulAlgoGetHeuristic": &a.Heuristic, "cublasLtMatmul": &a.Matmul,
	}
}

var (
	blasNames   = []string{"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"}
	blasFolders = []string{"/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib"}
)

// Constants of the library.
const (
	blasF32, blasF16, blasBF16    = 0, 2, 14 // cudaDataType
	blasCompute32                 = 68
	blasTransA, blasTransB        = 3, 4 // of a description
	blasEpilogue, blasBiasPointer = 7, 8
	blasEpilogueBias              = 4
	blasBiasType                  = 26
	blasBatch, blasBatchStep      = 5, 6 // of a layout
	blasWorkspace, blasAlignment  = 1, 5 // of a preference; of a, then b, c, d
	blasTries                     = 4
	blasWorkBytes                 = 32 << 20
)

// blasLeast is how many multiplications are worth a library call.
var blasLeast int64 = 1 << 26

// blasAlgo is cublasLtMatmulHeuristicResult_t.
type blasAlgo struct {
	algo  [8]uint64
	_     uint64 // of workspace
	state int32
	_     float32 // waves
	_     [4]int32
}

// blas is the library with what was found of shapes; it belongs to the goroutine of
// the context.
type blas struct {
	api    blasAPI
	handle uintptr
	work   *buffer
	one    *[2]float32 // alpha and beta
	shapes map[blasKey]*blasPlan
}

// blasKey is what a choice depends on.
type blasKey struct {
	d                   tensor.DType
	m, n, k             int64
	lda, ldb, ldc       int64
	ta, tb, bias        bool
	batch               int64
	stepA, stepB, stepC int64
	align               uint32
}

// blasPlan is a shape's description; algo nil: our own kernel is faster.
type blasPlan struct {
	desc    uintptr
	a, b, c uintptr // layouts
	algo    *blasAlgo
	bias    *uintptr
}

// findBLAS opens the library, once; nil: there is none.
func (g *GPU) findBLAS() *blas {
	g.blasOnce.Do(func() {
		if g.d.opts.NoBLAS {
			return
		}
		lib := uintptr(0)
		if p := g.d.opts.BLAS; p != "" {
			lib, _ = openLibrary(p)
		} else {
			for _, n := range blasNames {
				if h, err := openLibrary(n); err == nil {
					lib = h
					break
				}
				for _, f := range blasFolders {
					p := filepath.Join(f, n)
					if _, err := os.Stat(p); err != nil {
						continue
					}
					if h, err := openLibrary(p); err == nil {
						lib = h
						break
					}
				}
				if lib != 0 {
					break
				}
			}
		}
		if lib == 0 {
			return
		}
		b := &blas{one: &[2]float32{1, 0}, shapes: map[blasKey]*blasPlan{}}
		for name, at := range b.api.table() {
			p, err := symbol(lib, name)
			if err != nil {
				return
			}
			*at = p
		}
		g.blas = b
	})
	return g.blas
}

// open makes the handle, on the goroutine of the context.
func (b *blas) open(g *GPU) error {
	h := new(uintptr)
	err := g.d.call("cublasLtCreate", b.api.Create, ptr(h))
	b.handle = *h
	return err
}

func keyOf(p *device.Product) blasKey {
	bits := p.A | p.B | p.C | p.Bias | 256
	return blasKey{p.DType, p.M, p.N, p.K, p.LDA, p.LDB, p.LDC, p.TransA, p.TransB, p.Bias != 0, p.Batch, p.StepA, p.StepB, p.StepC, uint32(bits & -bits)}
}

// Multiply implements device.Multiplier.
func (g *GPU) Multiply(p *device.Product, own *device.Launch) (bool, error) {
	return g.multiply(p, own, func() {})
}

// multiply chooses; first is called before anything is queued.
func (g *GPU) multiply(p *device.Product, own *device.Launch, first func()) (bool, error) {
	if g.d.opts.NoBLAS || p.M*p.N*p.K*p.Batch < blasLeast {
		return false, nil
	}
	key, s := keyOf(p), g.now()
	g.mu.Lock()
	ours, known := g.chosen[key]
	g.mu.Unlock()
	if known && ours {
		return false, nil
	}
	first()
	if !known {
		if g.findBLAS() == nil {
			return false, nil
		}
		g.mu.Lock()
		w := g.blasWork
		g.mu.Unlock()
		if w == nil {
			b, err := g.alloc.get(blasWorkBytes)
			if err != nil {
				return false, nil // there is no room for it
			}
			w = b.(*buffer)
			g.mu.Lock()
			g.blasWork = w
			g.mu.Unlock()
		}
		err := g.on(func() error {
			ours = true
			if b := g.blas; b.handle != 0 || b.open(g) == nil {
				b.work = w
				ours = b.choose(g, key, p, own, s)
			}
			return nil
		})
		if err != nil {
			return false, err
		}
		g.mu.Lock()
		if g.chosen == nil {
			g.chosen = map[blasKey]bool{}
		}
		g.chosen[key] = ours
		g.mu.Unlock()
		if ours {
			return false, nil
		}
	}
	q := *p
	g.q.put(command{run: func() {
		if g.failed != nil || g.late != nil {
			return
		}
		if err := g.blas.run(g, g.blas.shapes[key], &q, g.blas.shapes[key].algo, s); err != nil {
			g.late = g.fatal(err)
		}
	}})
	return true, nil
}

// choose times the library's algorithms and our own kernel.
func (b *blas) choose(g *GPU, key blasKey, p *device.Product, own *device.Launch, s *stream) (ours bool) {
	plan, algos := b.plan(g, key, p)
	if plan == nil {
		return true
	}
	best := float32(0)
	if own != nil {
		args := own.Args
		best = g.timed(s, func() error {
			g.launch(own.Code.(*function), own.X, own.Y, own.Threads, args, s.h)
			return g.late
		})
	}
	for i := range algos {
		a := &algos[i]
		if a.state != 0 {
			continue
		}
		t := g.timed(s, func() error { return b.run(g, plan, p, a, s) })
		if t > 0 && (best == 0 || t < best) {
			best, plan.algo = t, a
		}
	}
	b.shapes[key] = plan
	return plan.algo == nil
}

// timed is the time of a call in milliseconds, after one that is not timed; 0: it fails.
func (g *GPU) timed(s *stream, f func() error) float32 {
	const times = 3
	d, a := g.d, &g.d.api
	e := [2]*uintptr{new(uintptr), new(uintptr)}
	for _, h := range e {
		if d.call("cuEventCreate", a.EventCreate, ptr(h), 0) != nil {
			return 0
		}
		defer d.call("cuEventDestroy", a.EventDestroy, *h)
	}
	if f() != nil {
		return 0
	}
	if d.call("cuEventRecord", a.EventRecord, *e[0], s.h) != nil {
		return 0
	}
	for range times {
		if f() != nil {
			return 0
		}
	}
	ms := new(float32)
	if d.call("cuEventRecord", a.EventRecord, *e[1], s.h) != nil || d.call("cuEventSynchronize", a.EventSynchronize, *e[1]) != nil ||
		d.call("cuEventElapsedTime", a.EventElapsedTime, ptr(ms), *e[0], *e[1]) != nil {
		return 0
	}
	return max(*ms, 1e-6) / times
}

// plan describes a shape. The library's matrices are column-major, which ours are
// when they are taken for their transposes: C' = B' A'.
func (b *blas) plan(g *GPU, key blasKey, p *device.Product) (*blasPlan, []blasAlgo) {
	typ := map[tensor.DType]uintptr{tensor.Float32: blasF32, tensor.Float16: blasF16, tensor.BFloat16: blasBF16}[p.DType]
	d := g.d
	x := &blasPlan{bias: new(uintptr)}
	desc := new(uintptr)
	ok := d.call("cublasLtMatmulDescCreate", b.api.DescCreate, ptr(desc), blasCompute32, blasF32) == nil
	x.desc = *desc
	set32 := func(f uintptr, of uintptr, attr uintptr, v uint32) {
		c := &v
		ok = ok && d.call("cublasLt attribute", f, of, attr, ptr(c), 4) == nil
		runtime.KeepAlive(c)
	}
	set64 := func(f uintptr, of uintptr, attr uintptr, v uint64) {
		c := &v
		ok = ok && d.call("cublasLt attribute", f, of, attr, ptr(c), 8) == nil
		runtime.KeepAlive(c)
	}
	flag := func(v bool) uint32 {
		if v {
			return 1
		}
		return 0
	}
	set32(b.api.DescSet, x.desc, blasTransA, flag(p.TransB))
	set32(b.api.DescSet, x.desc, blasTransB, flag(p.TransA))
	if p.Bias != 0 {
		set32(b.api.DescSet, x.desc, blasEpilogue, blasEpilogueBias)
		set32(b.api.DescSet, x.desc, blasBiasType, uint32(typ))
		set64(b.api.DescSet, x.desc, blasBiasPointer, p.Bias)
	}
	layout := func(rows, cols, ld, step int64) uintptr {
		h := new(uintptr)
		ok = ok && d.call("cublasLtMatrixLayoutCreate", b.api.LayoutCreate, ptr(h), typ, uintptr(rows), uintptr(cols), uintptr(ld)) == nil
		if p.Batch > 1 && ok {
			set32(b.api.LayoutSet, *h, blasBatch, uint32(p.Batch))
			set64(b.api.LayoutSet, *h, blasBatchStep, uint64(step))
		}
		return *h
	}
	if p.TransB {
		x.a = layout(p.K, p.N, p.LDB, p.StepB)
	} else {
		x.a = layout(p.N, p.K, p.LDB, p.StepB)
	}
	if p.TransA {
		x.b = layout(p.M, p.K, p.LDA, p.StepA)
	} else {
		x.b = layout(p.K, p.M, p.LDA, p.StepA)
	}
	x.c = layout(p.N, p.M, p.LDC, p.StepC)
	pref := new(uintptr)
	ok = ok && d.call("cublasLtMatmulPreferenceCreate", b.api.PrefCreate, ptr(pref)) == nil
	if !ok {
		return nil, nil
	}
	set64(b.api.PrefSet, *pref, blasWorkspace, blasWorkBytes)
	for i := range uintptr(4) {
		set32(b.api.PrefSet, *pref, blasAlignment+i, key.align)
	}
	algos, n := make([]blasAlgo, blasTries), new(int32)
	if !ok || d.call("cublasLtMatmulAlgoGetHeuristic", b.api.Heuristic, b.handle, x.desc, x.a, x.b, x.c, x.c, *pref, blasTries, ptr(&algos[0]), ptr(n)) != nil {
		return nil, nil
	}
	return x, algos[:*n]
}

// run queues a product by an algorithm.
func (b *blas) run(g *GPU, x *blasPlan, p *device.Product, algo *blasAlgo, s *stream) error {
	if p.Bias != 0 {
		*x.bias = uintptr(p.Bias)
		if err := g.d.call("cublasLtMatmulDescSetAttribute", b.api.DescSet, x.desc, blasBiasPointer, ptr(x.bias), 8); err != nil {
			return err
		}
	}
	err := g.d.call("cublasLtMatmul", b.api.Matmul, b.handle, x.desc, ptr(&b.one[0]), uintptr(p.B), x.a, uintptr(p.A), x.b,
		ptr(&b.one[1]), uintptr(p.C), x.c, uintptr(p.C), x.c, ptr(&algo.algo[0]), b.work.addr, blasWorkBytes, s.h)
	runtime.KeepAlive(algo)
	return err
}

// Multiply implements device.Multiplier.
func (b *batch) Multiply(p *device.Product, own *device.Launch) (bool, error) {
	return b.g.multiply(p, own, b.flush)
}

var (
	_ [96]byte          = [unsafe.Sizeof(blasAlgo{})]byte{}
	_ device.Multiplier = (*GPU)(nil)
	_ device.Multiplier = (*batch)(nil)
)
