package amd64

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/cpu"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Func is machine code in memory.
type Func interface {
	Call(arg unsafe.Pointer) error
}

// DeepFunc is a Func that code with a frame of up to 32 KiB is called through: its
// stack is grown for that only where it is needed.
type DeepFunc interface {
	Func
	CallDeep(arg unsafe.Pointer) error
}

// deep calls code that needs the large frame.
type deep struct{ DeepFunc }

func (d deep) Call(arg unsafe.Pointer) error { return d.CallDeep(arg) }

// Options are what a Target works with.
type Options struct {
	// Load makes code callable.
	Load func(code []byte) (Func, error)
	// Fallback runs what is not supported here, and has the templates.
	Fallback loop.Target
	// AVX2 leaves AVX-512 unused.
	AVX2 bool
	// Listing, if set, is told of each kernel's code: the kernel's name, the text,
	// and why it stays with the fallback ("" if it does not).
	Listing func(name, text, why string)
}

// HasAVX2 and HasAVX512 report what the processor and the system can do.
func HasAVX2() bool { return cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasBMI1 && cpu.X86.HasBMI2 }

func HasAVX512() bool {
	return HasAVX2() && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL
}

// Target compiles to machine code of this processor.
type Target struct {
	opts   Options
	avx512 bool
	frame  int32 // greatest
	gemm   *gemm
}

// New makes the target; an error says what is missing.
func New(o Options) (*Target, error) {
	if !HasAVX2() {
		return nil, fmt.Errorf("amd64: the processor has no AVX2")
	}
	f, err := o.Load([]byte{0xc3})
	if err != nil {
		return nil, err
	}
	if err := f.Call(nil); err != nil {
		return nil, err
	}
	t := &Target{opts: o, avx512: HasAVX512() && !o.AVX2, frame: frameSize}
	if _, ok := f.(DeepFunc); ok {
		t.frame = deepFrame
	}
	t.gemm, err = newGemm(o.Load, t.avx512)
	return t, err
}

// Name is the instruction set.
func (t *Target) Name() string {
	if t.avx512 {
		return "avx512"
	}
	return "avx2"
}

// Template has its own matrix product for floats of 16 and 32 bits and convolutions
// of float32, and the fallback's templates for the rest.
func (t *Target) Template(name string) loop.TemplateFunc {
	f := t.opts.Fallback.Template(name)
	if f == nil {
		return nil
	}
	switch name {
	case "matmul":
		return t.gemm.template(f)
	case "conv":
		return t.gemm.convTemplate(f, 0, 1, 2, (*conv).forward)
	case "conv_input":
		return t.gemm.convTemplate(f, 2, 1, 0, (*conv).input)
	case "conv_weight":
		return t.gemm.convTemplate(f, 0, 2, 1, (*conv).weight)
	}
	return f
}

// Compile prepares a kernel. Code is made at the first run of each combination of
// lane loop and stride classes, in some 10 µs.
func (t *Target) Compile(k *loop.Kernel) (loop.Program, error) {
	p := &program{t: t, k: k, spine: spineOf(k), iterWork: 1}
	if l := k.Split(); l != nil {
		p.split = l
	}
	u, err := prepare(k)
	if err != nil {
		if t.opts.Listing != nil {
			t.opts.Listing(k.Name, "", err.Error())
		}
		return t.opts.Fallback.Compile(k)
	}
	p.u = u
	p.pasts, p.vector = pastStores(k, t.avx512), vectorAxes(k.Body, map[loop.Axis]bool{})
	if p.strides = runtimeStrides(k); len(p.strides) > maxStrides {
		p.strides = p.strides[:maxStrides]
	}
	return p, nil
}

// program is a kernel with its variants.
type program struct {
	t        *Target
	k        *loop.Kernel
	u        *unit
	split    *loop.Loop
	spine    []*loop.Loop
	strides  []loop.P // run-time strides, whose classes choose a variant
	iterWork int64
	pasts    []pastStore
	vector   map[loop.Axis]bool

	mu       sync.Mutex
	variants atomic.Pointer[[]*variant]
	fallback loop.Program
}

// variant is the code for one lane loop and one class of each run-time stride.
type variant struct {
	key   variantKey
	fn    Func
	sites []site
	prog  loop.Program // in place of code
	lane  bool         // the split loop is the lane loop
}

// variantKey packs the lane loop and the classes of up to 128 strides; further ones
// count as other.
type variantKey struct {
	lane    int
	past    uint64
	classes [4]uint64
}

// block is the argument of the code; its layout is in gen.go.
type block struct {
	bufs    unsafe.Pointer
	params  unsafe.Pointer
	scalars unsafe.Pointer
	lo, hi  int64
	status  int64
	site    int64
	value   uint64
}

var blocks = sync.Pool{New: func() any { return new(block) }}

func runtimeStrides(k *loop.Kernel) []loop.P {
	seen := map[loop.P]bool{}
	var out []loop.P
	mem := func(m *loop.Access) {
		if m == nil {
			return
		}
		for _, t := range m.Terms {
			if t.Stride.Par != 0 && !seen[t.Stride] {
				seen[t.Stride] = true
				out = append(out, t.Stride)
			}
		}
	}
	var walk func(body []loop.Stmt)
	walk = func(body []loop.Stmt) {
		for _, s := range body {
			switch s := s.(type) {
			case *loop.Let:
				mem(s.Mem)
			case *loop.Store:
				mem(s.Mem)
			case *loop.Atomic:
				mem(s.Mem)
			case *loop.Loop:
				walk(s.Body)
			}
		}
	}
	walk(k.Body)
	return out
}

// Run implements loop.Program.
func (p *program) Run(a *loop.Args, lo, hi int64) error {
	v, err := p.variant(a, lo)
	if err != nil {
		return err
	}
	if v.prog != nil {
		return v.prog.Run(a, lo, hi)
	}
	if p.u.retry && p.overlap(a) {
		f, err := p.other()
		if err != nil {
			return err
		}
		return f.Run(a, lo, hi)
	}
	b := blocks.Get().(*block)
	b.bufs = unsafe.Pointer(unsafe.SliceData(a.Bufs))
	b.params = unsafe.Pointer(unsafe.SliceData(a.Params))
	b.scalars = unsafe.Pointer(unsafe.SliceData(a.Scalars))
	step := hi - lo
	if p.split != nil {
		step = p.chunk(a, v)
	}
	for at := lo; at < hi && err == nil; at += step {
		b.lo, b.hi, b.status = at, min(hi, at+step), statusOK
		if err = v.fn.Call(unsafe.Pointer(b)); err == nil && b.status != statusOK {
			if b.status == statusRetry {
				var f loop.Program
				if f, err = p.other(); err == nil {
					err = f.Run(a, b.lo, b.hi)
				}
				continue
			}
			err = p.failure(v, b, a)
		}
	}
	runtime.KeepAlive(a)
	b.bufs, b.params, b.scalars = nil, nil, nil
	blocks.Put(b)
	return err
}

// callWork is how many primitive applications one call of the code may do: some
// 50 µs, so that the garbage collector is not held up.
const callWork = 1 << 19

// chunk is the number of iterations of one call.
func (p *program) chunk(a *loop.Args, v *variant) int64 {
	n := callWork / max(1, work(p.split.Body, a.Params))
	if v.lane {
		n *= 4
		n = max(n, 1024) &^ 63
	}
	return max(n, 1)
}

func work(body []loop.Stmt, params []int64) int64 {
	w := int64(1)
	for _, s := range body {
		switch s := s.(type) {
		case *loop.Let:
			w++
			if s.Op.IsElementary() {
				w += 15
			}
		case *loop.Loop:
			n := max(s.Extent.Get(params), 0)
			if n > 1<<30 {
				n = 1 << 30
			}
			w += n * work(s.Body, params)
		default:
			w++
		}
	}
	return w
}

// overlap reports that a second run of a range could see what the first wrote.
func (p *program) overlap(a *loop.Args) bool {
	end := func(i int) uintptr {
		return uintptr(a.Bufs[i].Ptr) + uintptr(a.Bufs[i].Len)*uintptr(p.k.Bufs[i].DType.Size())
	}
	for i := range a.Bufs {
		if p.k.Bufs[i].Role == loop.InOut {
			return true
		}
		for j := range a.Bufs {
			if p.k.Bufs[i].Role == loop.In && p.k.Bufs[j].Role != loop.In &&
				uintptr(a.Bufs[i].Ptr) < end(j) && uintptr(a.Bufs[j].Ptr) < end(i) {
				return true
			}
		}
	}
	return false
}

// other is the fallback's program.
func (p *program) other() (loop.Program, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fallback == nil {
		f, err := p.t.opts.Fallback.Compile(p.k)
		if err != nil {
			return nil, err
		}
		p.fallback = f
	}
	return p.fallback, nil
}

// variant finds or makes the code for a run.
func (p *program) variant(a *loop.Args, lo int64) (*variant, error) {
	lane := p.choose(a)
	key := variantKey{lane: lane, past: p.past(a, lane, lo)}
	for i, s := range p.strides {
		key.classes[i/32] |= uint64(strideClass(s.Get(a.Params))) << (i % 32 * 2)
	}
	if vs := p.variants.Load(); vs != nil {
		for _, v := range *vs {
			if v.key == key {
				return v, nil
			}
		}
	}
	p.mu.Lock()
	var old []*variant
	if vs := p.variants.Load(); vs != nil {
		old = *vs
	}
	for _, v := range old {
		if v.key == key {
			p.mu.Unlock()
			return v, nil
		}
	}
	v := &variant{key: key}
	why := error(nil)
	if len(old) >= maxVariants {
		why = unsupported("too many variants")
	} else {
		why = p.make(v, a, lane)
	}
	p.mu.Unlock()
	if why != nil {
		f, err := p.other()
		if err != nil {
			return nil, err
		}
		v.prog = f
		if len(old) >= maxVariants {
			return v, nil
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	old = nil
	if vs := p.variants.Load(); vs != nil {
		old = *vs
	}
	vs := append(old[:len(old):len(old)], v)
	p.variants.Store(&vs)
	return v, nil
}

const (
	maxVariants = 64
	maxStrides  = 128
)

// strideClass: 0 one element for all lanes, 1 contiguous, 2 a gather with 32-bit
// offsets reaches, 3 other.
func strideClass(n int64) int {
	switch {
	case n == 0 || n == 1:
		return int(n)
	case n > -1<<26 && n < 1<<26:
		return 2
	}
	return 3
}

// make compiles one variant; an error means the fallback.
func (p *program) make(v *variant, a *loop.Args, lane int) error {
	classes := map[loop.P]int{}
	for _, s := range runtimeStrides(p.k) {
		classes[s] = 3
	}
	for _, s := range p.strides {
		classes[s] = strideClass(s.Get(a.Params))
	}
	var alt *loop.Loop
	if lane >= 0 {
		alt = p.spine[lane]
	}
	x := analyze(p.u, alt, classes)
	list := p.t.opts.Listing
	past := map[int]bool{}
	for i := range p.pasts {
		if v.key.past>>i&1 != 0 {
			past[p.pasts[i].buf] = true
		}
	}
	code, used, sites, text, err := generate(p.u, x, p.t.avx512, p.t.frame, past, list != nil)
	if err == nil {
		v.fn, err = p.t.opts.Load(code)
		if used > frameSize && err == nil {
			v.fn = deep{v.fn.(DeepFunc)}
		}
	}
	if list != nil {
		why := ""
		if err != nil {
			why = err.Error()
		}
		list(p.k.Name, text, why)
	}
	if err != nil {
		if strings.HasPrefix(err.Error(), "BUG: ") {
			panic(err.Error())
		}
		return err
	}
	v.sites = sites
	if p.split != nil {
		for l := range x.laneOf {
			if l.Axis == p.split.Axis {
				v.lane = x.laneOf[l]
			}
		}
	}
	return nil
}

// failure words what the code reported.
func (p *program) failure(v *variant, b *block, a *loop.Args) error {
	switch b.status {
	case statusZero:
		return tensor.Errorf(tensor.RuntimeError, "ZeroDivisionError")
	case statusOutside:
		return tensor.Errorf(tensor.RuntimeError, "BUG: kernel %s: a masked address is outside its buffer", p.k.Name)
	case statusIndex:
		d := v.sites[b.site].dyn
		c := &p.k.Checks[d.Check]
		return &tensor.Error{Kind: c.Kind, Msg: checkText(c.Msg, strconv.FormatInt(int64(b.value), 10), int64(d.Dim), d.Lim.Get(a.Params))}
	}
	s := v.sites[b.site]
	val := ""
	if s.assert.Val != 0 {
		switch s.typ {
		case loop.I32:
			val = strconv.Itoa(int(int32(b.value)))
		case loop.I64:
			val = strconv.FormatInt(int64(b.value), 10)
		case loop.F32:
			val = tensor.Float(float64(math.Float32frombits(uint32(b.value)))).String()
		case loop.F64:
			val = tensor.Float(math.Float64frombits(b.value)).String()
		case loop.B1:
			val = tensor.Truth(b.value&1 != 0).String()
		}
	}
	c := &p.k.Checks[s.assert.Check]
	return &tensor.Error{Kind: c.Kind, Msg: checkText(c.Msg, val, 0, 0)}
}

func checkText(msg, val string, dim, lim int64) string {
	return strings.NewReplacer("%i", val, "%d", strconv.FormatInt(dim, 10), "%n", strconv.FormatInt(lim, 10)).Replace(msg)
}

// spineOf lists the Grid loops that may be lane loops in place of the Vector
// loops inside them; kernels with atomics keep their order.
func spineOf(k *loop.Kernel) []*loop.Loop {
	if hasAtomic(k.Body) {
		return nil
	}
	var s []*loop.Loop
	body := k.Body
	for len(s) < 14 {
		var grid *loop.Loop
		for _, x := range body {
			if l, ok := x.(*loop.Loop); ok && l.Kind == loop.Grid {
				if grid != nil {
					return s
				}
				grid = l
			}
		}
		if grid == nil || !hasKind(grid.Body, loop.Vector) {
			return s
		}
		s = append(s, grid)
		body = grid.Body
	}
	return s
}

// choose picks the lane loop: the Vector loops unless they are shorter than a few
// registers and a Grid loop around them is longer. The range of a run does not
// matter, so results do not depend on how it is cut.
func (p *program) choose(a *loop.Args) int {
	if len(p.spine) == 0 {
		return -1
	}
	width := int64(0)
	var walk func(body []loop.Stmt)
	walk = func(body []loop.Stmt) {
		for _, s := range body {
			if l, ok := s.(*loop.Loop); ok {
				if l.Kind == loop.Vector {
					width = max(width, l.Extent.Get(a.Params))
				}
				walk(l.Body)
			}
		}
	}
	walk(p.k.Body)
	best, at := width, -1
	if width < 16 {
		for i, l := range p.spine {
			if n := l.Extent.Get(a.Params); n > 2*best {
				best, at = n, i
			}
		}
	}
	return at
}
