package ptx

import (
	"fmt"
	"math/bits"
	"sync"
	"unsafe"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Options are what a Target works with.
type Options struct {
	Machine Machine
	// Fallback runs on the host what is not supported here.
	Fallback loop.Target
	// Listing, if set, is told of each text that is made, and of each kernel that
	// stays with the fallback (why is not empty).
	Listing func(name, text, why string)
}

// Target compiles for one GPU. Memory that its programs get is that GPU's.
type Target struct {
	opts   Options
	m      Machine
	sites  siteTable
	fault  uint64
	tmu    sync.Mutex
	made   map[any]Code // of templates, by variant
	codes  codeCache
	nmu    sync.Mutex
	nests  map[nestKey]loop.Program
	hmu    sync.Mutex
	hosted map[string]bool // templates that were left to the host, as they were listed
}

// New makes the target of a machine.
func New(o Options) *Target {
	t := &Target{opts: o, m: o.Machine}
	t.fault = t.m.Faults(t.sites.raise)
	return t
}

// Name is the language of the code.
func (t *Target) Name() string { return "ptx" }

// Compile prepares a kernel; code is made at the first run of each variant.
func (t *Target) Compile(k *loop.Kernel) (_ loop.Program, err error) {
	p := &program{t: t, k: k, codes: map[codeKey]Code{}}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case unsupported:
			p.host, err = t.fallback(k, e)
		default:
			panic(e)
		}
	}()
	if n := argOwn + 2*len(k.Bufs) + len(k.Params) + len(k.Scalars); n > maxWords {
		panic(unsupported(fmt.Sprintf("%d arguments", n)))
	}
	p.u = newUnit(k, &t.sites)
	p.vec, p.cols = make([]vectors, len(p.u.segs)), make([]vectors, len(p.u.segs))
	for i, s := range p.u.segs {
		p.vec[i] = vectorsOf(k, s)
		p.cols[i] = columnVectors(p.u, i)
	}
	return p, nil
}

// maxWords is what an entry's parameters may hold (4,352 bytes, in every version).
const maxWords = 512

func (t *Target) fallback(k *loop.Kernel, why error) (loop.Program, error) {
	if t.opts.Listing != nil {
		t.opts.Listing(k.Name, "", why.Error())
	}
	return t.opts.Fallback.Compile(k)
}

type codeKey struct {
	seg int
	v   variant
}

// program is a kernel with the code made so far.
type program struct {
	t     *Target
	k     *loop.Kernel
	u     *unit
	vec   []vectors
	cols  []vectors // of columns: neighbouring points
	mu    sync.Mutex
	host  loop.Program
	codes map[codeKey]Code
}

// vectors says how a segment may be vectorised: elements at once (1: not), and the
// accesses whose alignment that asks for.
type vectors struct {
	n  int
	at []*loop.Access
	// axis of each, which does not count
	axis []loop.Axis
}

func vectorsOf(k *loop.Kernel, s *segment) vectors {
	v := vectors{n: 1}
	least := 16
	take := func(body []loop.Stmt, axis loop.Axis) {
		if !canVector(body, axis) {
			return
		}
		eachAccess(body, func(m *loop.Access, _ bool) {
			if vectorial(m, axis) {
				v.at, v.axis = append(v.at, m), append(v.axis, axis)
				least = min(least, k.Bufs[m.Buf].DType.Size())
			}
		})
	}
	if s.flat {
		take(s.body, s.step)
	} else {
		var walk func(body []loop.Stmt)
		walk = func(body []loop.Stmt) {
			for _, t := range body {
				if l, ok := t.(*loop.Loop); ok {
					if !together(l) && len(flatten(l)) == 1 {
						take(l.Body, l.Axis)
					} else if together(l) {
						walk(l.Body)
					}
				}
			}
		}
		walk(s.body)
	}
	if len(v.at) > 0 {
		v.n = min(8, 16/least)
	}
	return v
}

// columnVectors are those of a segment whose lanes may each take neighbouring points: a
// fold over loads along them, and plain statements after it.
func columnVectors(u *unit, at int) vectors {
	v, s := vectors{n: 1}, u.segs[at]
	if !s.lanes || s.split == nil || len(s.chain) == 0 || len(s.body) == 0 || s.body[0] != loop.Stmt(s.split) || len(flatten(s.split)) > 1 || together(s.split) {
		return v
	}
	for _, f := range s.split.Folds {
		if f.Op.HasIndex() || len(s.split.Folds) > 2 {
			return v
		}
	}
	for _, home := range u.keep {
		_ = home
		return v // a value for a later launch would be one of several points
	}
	axis := s.chain[len(s.chain)-1].Axis
	if !canVector(s.split.Body, axis) {
		return v
	}
	most := 4
	eachAccess(s.split.Body, func(m *loop.Access, store bool) {
		if store {
			most = 0
		}
		if vectorial(m, axis) {
			v.at, v.axis = append(v.at, m), append(v.axis, axis)
			most = min(most, 16/u.k.Bufs[m.Buf].DType.Size())
		}
	})
	if len(v.at) > 0 && most > 1 {
		v.n = most
	}
	return v
}

// fits reports that the accesses of a segment are aligned for vectors.
func (v *vectors) fits(k *loop.Kernel, a *loop.Args) bool {
	for i, m := range v.at {
		size := int64(k.Bufs[m.Buf].DType.Size())
		w := min(16, size*int64(v.n))
		if (int64(uintptr(a.Bufs[m.Buf].Ptr))+m.Off.Get(a.Params)*size)%w != 0 {
			return false
		}
		for _, t := range m.Terms {
			if t.Axis != v.axis[i] && t.Stride.Get(a.Params)*size%w != 0 {
				return false
			}
		}
	}
	return true
}

// launch is how a segment is run for given sizes.
type launch struct {
	v       variant
	points  int64
	inner   int64
	x, y, t int
}

// plan chooses layout, vectors and blocks from sizes and machine.
func (p *program) plan(i int, a *loop.Args) (l launch, ok bool) {
	s := p.u.segs[i]
	sm := int64(p.t.m.Processors())
	points, last := int64(1), int64(1)
	for _, c := range s.chain {
		last = max(c.Extent.Get(a.Params), 0)
		points *= last
	}
	l.points, l.v.vec, l.inner = points, 1, last
	if points == 0 {
		return l, false
	}
	work := int64(0) // iterations that a unit can share out
	for _, t := range s.body {
		if c, ok := t.(*loop.Loop); ok && shareable(c) {
			work = max(work, extentOf(c, a.Params))
		}
	}
	vec := 1
	if p.vec[i].n > 1 && p.vec[i].fits(p.k, a) {
		vec = p.vec[i].n
	}
	l.v.wide = points >= 1<<31 || work >= 1<<31
	switch {
	case !s.shared:
		l.v.layout = thread
	case s.lanes:
		l.v.layout = column
		if work <= 8 || points >= sm*1024 || work <= 64 && points >= sm*128 {
			l.v.layout = thread
		}
	case s.chain == nil && work <= 32, work <= 4, work <= 16 && points >= sm*512:
		l.v.layout = thread
	case work <= 1024 && s.chain != nil:
		l.v.layout = warp
	default:
		l.v.layout = block
	}
	switch l.v.layout {
	case thread:
		l.t = 256
		if s.flat && vec > 1 {
			l.v.vec = vec
			l.inner = (last + int64(vec) - 1) / int64(vec)
			l.points = points / last * l.inner
		}
		if l.points < 256 {
			l.t = int(l.points+31) &^ 31
		}
		l.x, l.y = int((l.points+int64(l.t)-1)/int64(l.t)), 1
	case warp:
		l.v.vec = vec
		l.t = 128
		l.x, l.y = int((points*32+127)/128), 1
		if vec > 1 && work%int64(vec) == 0 {
			l.keepRow(p.k, s, (work/int64(vec)+31)/32, 32)
		}
	case block:
		l.v.vec = vec
		l.t = min(max(1<<bits.Len64(uint64((work-1)/16)), 64), 1024)
		l.x, l.y = int(points), 1
		if s.split != nil && points < 2*sm && points <= workTickets {
			l.share(s, a.Params, work, int64(l.t*vec*4), 8*sm/points, 256)
		}
		if vec > 1 && work%int64(vec) == 0 && !l.v.parts {
			for _, t := range []int{128, 256, 512} {
				if l.keepRow(p.k, s, (work/int64(vec)+int64(t)-1)/int64(t), t) {
					l.t = t
					break
				}
			}
		}
	case column:
		l.t = columnThreads
		if c := &p.cols[i]; c.n > 1 && last%int64(c.n) == 0 && points >= 32*int64(c.n) && c.fits(p.k, a) {
			l.v.vec = c.n
			points /= int64(c.n)
			l.points, l.inner = points, last/int64(c.n)
		}
		l.x, l.y = int((points+31)/32), 1
		if s.split != nil && int64(l.x) < 4*sm && l.x <= workTickets {
			l.share(s, a.Params, work, columnThreads/32*8, 8*sm/int64(l.x), columnThreads)
		}
	}
	l.v.threads = 256
	if l.v.layout == block {
		l.v.threads = l.t
	}
	return l, true
}

// keepRow keeps a row of some vectors a thread in registers, if they are few enough.
func (l *launch) keepRow(k *loop.Kernel, s *segment, vectors int64, threads int) bool {
	list, cost := keepable(k, s, l.v.vec)
	most := int64(48)
	if threads == 512 {
		most = 64
	}
	if len(list) == 0 || vectors*int64(cost) > most {
		return false
	}
	l.v.keep, l.v.threads = int(vectors), threads
	return true
}

// share lets several blocks compute a point: enough to fill the machine, each with
// at least grain iterations.
func (l *launch) share(s *segment, params []int64, work, grain, most int64, threads int) {
	if together(s.split) {
		work, grain = s.split.Extent.Get(params), 1
	}
	cell := int64(16 * len(s.split.Folds))
	if l.v.layout == column {
		cell *= 32 * int64(l.v.vec)
	}
	n := min(most, (work+grain-1)/grain, (workSize-workParts)/(cell*int64(l.x)), 1024)
	if n > 1 {
		l.v.parts, l.y, l.t = true, int(n), threads
	}
}

// extentOf is the number of iterations of a loop that a unit shares out, or of the
// largest one inside a loop that it walks together.
func extentOf(l *loop.Loop, params []int64) int64 {
	if !together(l) {
		n := int64(1)
		for _, x := range flatten(l) {
			n *= max(x.Extent.Get(params), 0)
		}
		return n
	}
	n := int64(0)
	for _, s := range l.Body {
		if m, ok := s.(*loop.Loop); ok {
			n = max(n, extentOf(m, params))
		}
	}
	return n
}

// Run implements loop.Program: it queues the kernel's launches. The range is the
// whole one: a GPU's work is not cut by its host.
func (p *program) Run(a *loop.Args, lo, hi int64) error {
	if h := p.onHost(); h != nil {
		return p.t.runHost(h, p.k, a)
	}
	args := make([]uint64, p.u.words())
	q := p.t.on(a.Queue)
	work, err := q.Work(workSize)
	if err != nil {
		return err
	}
	args[argFault], args[argWork] = p.t.fault, work
	n := argOwn
	for _, b := range a.Bufs {
		args[n] = uint64(uintptr(b.Ptr))
		n++
	}
	for _, b := range a.Bufs {
		args[n] = uint64(b.Len)
		n++
	}
	for _, v := range a.Params {
		args[n] = uint64(v)
		n++
	}
	n += copy(args[n:], a.Scalars)
	for i := range p.u.segs {
		l, ok := p.plan(i, a)
		if !ok {
			continue
		}
		code, err := p.code(i, l.v)
		if err != nil {
			if u, ok := err.(unsupported); ok && i == 0 {
				h, err := p.toHost(u)
				if err != nil {
					return err
				}
				return p.t.runHost(h, p.k, a)
			}
			return err
		}
		args[argPoints], args[argInner] = uint64(l.points), uint64(l.inner)
		if err := q.Launch(code, l.x, l.y, l.t, args); err != nil {
			return err
		}
	}
	return nil
}

func (p *program) onHost() loop.Program {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.host
}

func (p *program) toHost(why error) (loop.Program, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	if p.host == nil {
		p.host, err = p.t.fallback(p.k, why)
	}
	return p.host, err
}

// code finds or makes the code of a variant.
func (p *program) code(seg int, v variant) (Code, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := codeKey{seg, v}
	if c, ok := p.codes[key]; ok {
		return c, nil
	}
	if seg == 0 { // all that can fail does so before anything has run
		for i := range p.u.segs[1:] {
			if _, err := p.u.generate(i+1, variant{layout: thread, vec: 1, threads: 256}); err != nil {
				return nil, err
			}
		}
	}
	text, err := p.u.generate(seg, v)
	if err != nil {
		return nil, err
	}
	if p.t.opts.Listing != nil {
		p.t.opts.Listing(p.k.Name, text, "")
	}
	c, err := p.t.codes.load(p.t.m, text)
	if err != nil {
		return nil, fmt.Errorf("%w\nkernel %s, segment %d, %s layout:\n%s", err, p.k.Name, seg, layoutNames[v.layout], text)
	}
	p.codes[key] = c
	return c, nil
}

// codeCache keeps code by text: kernels of several shapes and dtypes often agree.
type codeCache struct {
	mu sync.Mutex
	m  map[string]Code
}

func (c *codeCache) load(m Machine, text string) (Code, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k, ok := c.m[text]; ok {
		return k, nil
	}
	k, err := m.Load(text)
	if err != nil {
		return nil, err
	}
	if c.m == nil {
		c.m = map[string]Code{}
	}
	c.m[text] = k
	return k, nil
}

// runHost runs a kernel on the host: its buffers are copied there and back.
func (t *Target) runHost(h loop.Program, k *loop.Kernel, a *loop.Args) error {
	b := *a
	b.Bufs = make([]loop.Mem, len(a.Bufs))
	host := hostMem{q: t.on(a.Queue)}
	for i, m := range a.Bufs {
		var err error
		if b.Bufs[i], err = host.get(m, k.Bufs[i].DType, k.Bufs[i].Role != loop.In); err != nil {
			return err
		}
	}
	n := int64(1)
	if l := k.Split(); l != nil {
		n = max(l.Extent.Get(a.Params), 0)
	}
	if n > 0 {
		if err := h.Run(&b, 0, n); err != nil {
			return err
		}
	}
	return host.put()
}

// hostMem are copies of device memory; one for each address, so that operands that
// share memory do so on the host.
type hostMem struct {
	q Queue
	l []hostCopy
}

type hostCopy struct {
	addr  uint64
	b     []byte
	dirty bool
}

func (h *hostMem) get(m loop.Mem, d tensor.DType, written bool) (loop.Mem, error) {
	n := int(m.Len) * d.Size()
	if n == 0 {
		return loop.Mem{}, nil
	}
	addr := uint64(uintptr(m.Ptr))
	for i := range h.l {
		c := &h.l[i]
		if addr >= c.addr && addr+uint64(n) <= c.addr+uint64(len(c.b)) {
			c.dirty = c.dirty || written
			return loop.MemOf(c.b[addr-c.addr:][:n], d), nil
		}
	}
	words := make([]uint64, (n+7)/8)
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n)
	if err := h.q.Read(b, addr); err != nil {
		return loop.Mem{}, err
	}
	h.l = append(h.l, hostCopy{addr, b, written})
	return loop.MemOf(b, d), nil
}

func (h *hostMem) put() error {
	for _, c := range h.l {
		if c.dirty {
			if err := h.q.Write(c.addr, c.b); err != nil {
				return err
			}
		}
	}
	return nil
}

// Template has the GPU's own templates, and the fallback's on the host for the rest.
func (t *Target) Template(name string) loop.TemplateFunc {
	f := t.opts.Fallback.Template(name)
	if f == nil {
		return nil
	}
	host := func(a *loop.TemplateArgs) error {
		t.leave(name, a)
		return t.templateHost(f, a)
	}
	if own := templates[name]; own != nil {
		return func(a *loop.TemplateArgs) error {
			done, err := own(t, a)
			if err != nil || done {
				return err
			}
			return host(a)
		}
	}
	return host
}

// templates are the GPU's own. One that does not serve its operands has done
// nothing and reports false.
var templates = map[string]func(t *Target, a *loop.TemplateArgs) (bool, error){}

// leave lists a template that is left to the host, once for each dtype.
func (t *Target) leave(name string, a *loop.TemplateArgs) {
	if t.opts.Listing == nil {
		return
	}
	var d tensor.DType
	if len(a.In) > 0 {
		d = a.In[0].DType
	} else if len(a.Out) > 0 {
		d = a.Out[0].DType
	}
	key := fmt.Sprintf("template %s of %s", name, d)
	t.hmu.Lock()
	seen := t.hosted[key]
	if t.hosted == nil {
		t.hosted = map[string]bool{}
	}
	t.hosted[key] = true
	t.hmu.Unlock()
	if !seen {
		t.opts.Listing(name, "", "no code for "+d.String())
	}
}

func (t *Target) templateHost(f loop.TemplateFunc, a *loop.TemplateArgs) error {
	b := *a
	b.Parallel = loop.Inline
	host := hostMem{q: t.on(a.Queue)}
	operands := func(l []loop.Operand, written bool) ([]loop.Operand, error) {
		out := make([]loop.Operand, len(l))
		for i := range l {
			out[i] = l[i]
			if l[i].Mem.Ptr == nil {
				continue
			}
			var err error
			if out[i].Mem, err = host.get(l[i].Mem, l[i].DType, written); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	var err error
	if b.In, err = operands(a.In, false); err != nil {
		return err
	}
	if b.Out, err = operands(a.Out, true); err != nil {
		return err
	}
	if len(a.State) == StateSize {
		if b.State, err = hostState(a.State); err != nil {
			return err
		}
	}
	if err := f(&b); err != nil {
		return err
	}
	return host.put()
}

var _ loop.Target = (*Target)(nil)
