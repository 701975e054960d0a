package loop

import (
	"context"
	"sync"
	"unsafe"

	"github.com/larkspur-ml/larkspur/tensor"
)

// The portable target evaluates a kernel a block of lanes at a time: each
// primitive is one Go loop over a few hundred elements, so that the cost of
// choosing the loop is spread over them. It runs on any architecture and is
// what the machine code of other targets is compared with.
//
//	Kernel ──evalCompiler──▶ variant{code tree, register layout} ──state──▶ effect
//
// One loop on each path is the lane loop: the Vector loop, or (a variant) a Grid
// loop around short Vector loops, which then run serially inside it, every lane
// doing its own row; or an innermost Serial loop where that makes no difference. Values inside the lane loop that differ between lanes are
// lane registers; all others are single values, computed by the same block
// functions with a length of one.
//
// A register is a pointer to its first lane. A contiguous load does not copy: it
// points the register into the buffer, and the last primitive before a
// contiguous store writes through it (eval_compile.go says when that is sound).

// Measured (Go 1.26, one core of a shared Xeon, best of many runs; plain Go is the
// fused loop one would write by hand; ns an element unless said):
//
//	                                  here    plain Go
//	add, 8 elements, with Run         100 ns
//	add, 64k                          0.42    0.51
//	7 primitives with max and div     2.25    1.56      eval_bench_test.go: Chain, Clamp, Lerp, Sums
//	6, clamp and leaky rectifier      2.47    1.92
//	5, a tree of sums and products    0.99    0.89
//	8 sums and products in a row      1.72    1.12      a pass for every three: the worst case
//	gelu (erf), 64k                   8.1     58
//	tanh, exp                         6.7, 3.8
//	softmax 256x1024; 65536x4         5.5; 9.7  13
//	[100000, 4] times a column        1.7
//	sum of 1024 strided rows of 1024  0.47
//	scatter_add of 4096 rows of 64    1.3
//
// A pass costs 0.27 (add, mul), 0.5 (mul and add), 0.7 (three of them), 0.8 (with a
// min or max) to 1.0 (with a div) ns an element, and about 10 ns a block.

// Portable is the target that evaluates kernels in Go.
func Portable() Target { return portable }

var portable = &portableTarget{templates: map[string]TemplateFunc{}}

type portableTarget struct {
	mu        sync.RWMutex
	templates map[string]TemplateFunc
}

func (*portableTarget) Name() string { return "portable" }

// Template finds an implementation by name.
func (t *portableTarget) Template(name string) TemplateFunc {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.templates[name]
}

// RegisterPortable adds a template's implementation to the portable target, at
// package initialisation. It is how packages that this one may not import
// (random numbers) supply theirs; a name can be registered once.
func RegisterPortable(name string, f TemplateFunc) {
	portable.mu.Lock()
	defer portable.mu.Unlock()
	if portable.templates[name] != nil {
		panic("BUG: template " + name + " registered twice")
	}
	portable.templates[name] = f
}

// Compile makes a kernel ready. The kernel must verify and must not change
// afterwards.
func (t *portableTarget) Compile(k *Kernel) (Program, error) {
	p := &evalProgram{k: k}
	p.spine = spineOf(k)
	p.variants = make([]lazyVariant, 1+len(p.spine))
	p.variants[0].get(k, nil)
	return p, nil
}

// evalProgram is a kernel for the portable target. variants[0] has the Vector
// loops as lane loops, variants[1+i] the Grid loop spine[i].
type evalProgram struct {
	k        *Kernel
	spine    []*Loop
	variants []lazyVariant
}

type lazyVariant struct {
	once sync.Once
	v    *variant
}

func (l *lazyVariant) get(k *Kernel, lane *Loop) *variant {
	l.once.Do(func() { l.v = compileVariant(k, lane) })
	return l.v
}

// inst is one primitive, or a chain of them, over a block. fn reads and writes registers d, a, b, c.
type inst struct {
	fn         func(st *state, in *inst, n int)
	d, a, b, c int32
	e          int32   // a fourth operand (eval_chain_ops.go)
	single     uint8   // of b, c, e and a from bit 0: one value for all lanes
	uniform    bool    // inside a lane loop but the same for all lanes: one value
	pure       bool    // touches registers only
	load       bool    // reads memory into d
	dst        *access // the destination is this memory where it is contiguous
	mem        *access
	loop       *loopCode
	aux        int64
	def        *Let
	assert     *Assert
}

// loopCode is a loop. pre runs once at its start with the length of the first
// block (lane loops only).
type loopCode struct {
	axis   Axis
	extent P
	split  bool
	pre    []*inst
	body   []*inst
}

// state is the working memory of one run of one variant.
type state struct {
	v       *variant
	p       []unsafe.Pointer // by register: its first lane
	home    []unsafe.Pointer // where the register is when it does not point into a buffer
	axis    []int64
	bufs    []Mem
	params  []int64
	scalars []uint64
	lo, hi  int64
	err     error
	ctx     context.Context
	rounds  int // of loops since ctx was last looked at
	block   int
	addr    []int64        // gather addresses of a block
	tmp     unsafe.Pointer // a block of the widest type, for narrow storage
	memory  []uint64
}

// exec runs a list over n lanes.
func (st *state) exec(code []*inst, n int) {
	for _, in := range code {
		m := n
		if in.uniform {
			m = 1
		}
		if in.dst != nil {
			st.aim(in)
		}
		in.fn(st, in, m)
		if st.err != nil {
			return
		}
	}
}

// runSerial runs a loop step by step; inside a lane loop each step does all n lanes.
func runSerial(st *state, in *inst, n int) {
	l := in.loop
	lo, hi := int64(0), l.extent.Get(st.params)
	if l.split {
		lo, hi = st.lo, st.hi
	}
	for i := lo; i < hi; i++ {
		st.axis[l.axis] = i
		st.exec(l.body, n)
		if st.rounds++; st.rounds >= evalRounds {
			st.look()
		}
		if st.err != nil {
			return
		}
	}
}

// runLanes runs a lane loop block by block.
func runLanes(st *state, in *inst, _ int) {
	l := in.loop
	lo, hi := int64(0), l.extent.Get(st.params)
	if l.split {
		lo, hi = st.lo, st.hi
	}
	if lo >= hi {
		return
	}
	b := int64(st.block)
	if len(l.pre) > 0 {
		st.exec(l.pre, int(min(b, hi-lo)))
	}
	for i := lo; i < hi; i += b {
		st.axis[l.axis] = i
		st.exec(l.body, int(min(b, hi-i)))
		if st.rounds++; st.rounds >= evalRounds {
			st.look()
		}
		if st.err != nil {
			return
		}
	}
}

// evalRounds is the number of loop rounds, each of a block at most, between two
// looks at the context.
const evalRounds = 128

func (st *state) look() {
	st.rounds = 0
	if st.ctx != nil && st.err == nil {
		st.err = st.ctx.Err()
	}
}

// Run implements Program.
func (p *evalProgram) Run(a *Args, lo, hi int64) error {
	v := p.variants[0].v
	if len(p.spine) > 0 {
		v = p.choose(a)
	}
	return p.runVariant(v, a, lo, hi)
}

func (p *evalProgram) runVariant(v *variant, a *Args, lo, hi int64) error {
	st, _ := v.pool.Get().(*state)
	if st == nil {
		st = v.newState()
	}
	st.bufs, st.params, st.scalars, st.lo, st.hi, st.ctx, st.rounds = a.Bufs, a.Params, a.Scalars, lo, hi, a.Ctx, 0
	st.exec(v.pre, 1)
	st.exec(v.body, 1)
	err := st.err
	st.err, st.ctx, st.bufs, st.params, st.scalars = nil, nil, nil, nil, nil
	for _, r := range v.aliased {
		st.p[r] = st.home[r] // the pool must not keep the caller's memory
	}
	v.pool.Put(st)
	return err
}

// narrow is the number of lanes below which the cost of choosing a primitive is
// no longer small against the primitive's work.
const narrow = 64

// choose picks the lane loop by the extents of this run: the Vector loops unless
// they are short, or their accesses stride where the Grid loop's are contiguous.
// The range does not matter, so results do not depend on how a run is cut up.
func (p *evalProgram) choose(a *Args) *variant {
	v := p.variants[0].v
	width := int64(0)
	for _, l := range v.lanes {
		width = max(width, l.Extent.Get(a.Params))
	}
	best, at := width, -1
	if width < narrow {
		for i, l := range p.spine {
			if n := l.Extent.Get(a.Params); n > 2*best {
				best, at = n, i
			}
		}
	} else {
		i := len(p.spine) - 1
		l := p.spine[i]
		if l.Extent.Get(a.Params) >= narrow && v.strided(a.Params, l.Axis) > 0 {
			at = i
		}
	}
	if at < 0 {
		return v
	}
	return p.variants[1+at].get(p.k, p.spine[at])
}

// strided counts accesses that stride in the lane axis but are contiguous in
// another, less those the other way round.
func (v *variant) strided(params []int64, other Axis) int {
	n := 0
	for _, m := range v.accesses {
		if m.lane < 0 {
			continue
		}
		s := m.terms[m.lane].Stride.Get(params)
		o := int64(0)
		for _, t := range m.terms {
			if t.Axis == other {
				o = t.Stride.Get(params)
			}
		}
		switch {
		case s > 1 && o == 1 || s < 0 && o == 1:
			n++
		case s == 1 && (o > 1 || o < 0):
			n--
		}
	}
	return n
}

// spineOf lists the Grid loops that may be lane loops in place of Vector loops
// inside them: those that hold Vector loops, from the top down while there is
// one Grid loop. Kernels with atomics keep their order.
func spineOf(k *Kernel) []*Loop {
	if hasAtomic(k.Body) {
		return nil
	}
	var s []*Loop
	body := k.Body
	for {
		var g *Loop
		for _, x := range body {
			if l, ok := x.(*Loop); ok && l.Kind == Grid {
				if g != nil {
					return s
				}
				g = l
			}
		}
		if g == nil || !hasVector(g.Body) {
			return s
		}
		s = append(s, g)
		body = g.Body
	}
}

func hasAtomic(body []Stmt) bool {
	for _, x := range body {
		switch x := x.(type) {
		case *Atomic:
			return true
		case *Loop:
			if hasAtomic(x.Body) {
				return true
			}
		}
	}
	return false
}

func hasVector(body []Stmt) bool {
	for _, x := range body {
		if l, ok := x.(*Loop); ok && (l.Kind == Vector || hasVector(l.Body)) {
			return true
		}
	}
	return false
}

func hasGrid(body []Stmt) bool {
	for _, x := range body {
		if l, ok := x.(*Loop); ok && (l.Kind == Grid || hasGrid(l.Body)) {
			return true
		}
	}
	return false
}

// errZeroDivision is what integer division by zero raises, as torch raises it.
var errZeroDivision = tensor.Errorf(tensor.RuntimeError, "ZeroDivisionError")
