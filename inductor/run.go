package inductor

import (
	"context"
	"slices"
	"unsafe"

	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// scratch is the working memory of one run, reused by later ones. What depends
// on bindings only (parameters, sizes of the arena, template operands) is kept
// with the bindings it was made for: a run with the same ones, and buffers of the
// same lengths, resolves and checks nothing.
type scratch struct {
	ctx    context.Context // of the last template
	done   func() error
	bind   []int64
	valid  bool
	lens   []int64 // length of each plan buffer when bounds were checked
	params [][]int64
	skip   []bool  // steps that these sizes do not take
	work   []int64 // of one iteration of a kernel that may be cut
	offs   []int   // offset of each slot in the arena
	total  int
	arena  []byte // small arenas are kept
	mem    []loop.Mem
	args   []loop.Args
	tmpl   []*loop.TemplateArgs
	after  []*rowRun
}

// keptArena is the largest arena that stays with a scratch instead of going back
// to the allocator.
const keptArena = 64 << 10

// align is the alignment of temporaries.
const align = 64

func (x *executable) newScratch() *scratch {
	p := x.plan
	s := &scratch{params: make([][]int64, len(p.steps)), work: make([]int64, len(p.steps)), skip: make([]bool, len(p.steps)), args: make([]loop.Args, len(p.steps)), tmpl: make([]*loop.TemplateArgs, len(p.steps)), after: make([]*rowRun, len(p.steps)),
		lens: make([]int64, len(p.bufs)), mem: make([]loop.Mem, len(p.bufs)), offs: make([]int, len(p.slots))}
	for i, st := range p.steps {
		if k := st.loops(); k != nil {
			s.args[i].Bufs = make([]loop.Mem, len(k.bufs))
			s.args[i].Scalars = make([]uint64, len(k.nums))
		}
	}
	return s
}

func (x *executable) release(s *scratch) {
	clear(s.mem) // the pool must not keep the caller's memory
	for i := range s.args {
		clear(s.args[i].Bufs)
		s.args[i].Ctx, s.args[i].Queue = nil, nil
		if t := s.tmpl[i]; t != nil {
			t.State, t.Done, t.Queue = nil, nil, nil
			for k := range t.In {
				t.In[k].Mem.Ptr = nil
			}
			for k := range t.Out {
				t.Out[k].Mem.Ptr = nil
			}
		}
	}
	x.scratch.Put(s)
}

// resolve computes what the bindings give.
func (x *executable) resolve(s *scratch, bind []int64) error {
	p := x.plan
	s.valid = false
	s.bind = append(s.bind[:0], bind...)
	for i, st := range p.steps {
		if st.tmpl != nil {
			t, err := st.resolve(bind)
			if err != nil {
				return err
			}
			t.Parallel = x.opts.Parallel
			s.tmpl[i] = t
			if st.after == nil {
				continue
			}
		}
		if s.skip[i] = st.when != nil && !st.when.hold(bind) || st.unless != nil && st.unless.hold(bind); s.skip[i] {
			continue
		}
		var ok bool
		k := st.loops()
		if s.params[i], ok = k.kernel.Resolve(s.params[i], bind); !ok {
			return tensor.Errorf(tensor.RuntimeError, "size overflow in %s", st.name)
		}
		s.args[i].Params = s.params[i]
		if k.hasCut {
			s.work[i] = work(k.kernel.Split().Body, s.params[i])
		}
		if st.after != nil {
			s.after[i] = rowsOf(st, &s.tmpl[i].Out[0], s.params[i])
		}
	}
	s.total = 0
	for i, l := range p.slots {
		most := int64(0)
		for _, b := range l {
			if w := p.bufs[b].when; w != nil && !w.hold(bind) {
				continue
			}
			n, ok := p.bufs[b].len.Eval(bind)
			if !ok || n < 0 || n > 1<<46 {
				return tensor.Errorf(tensor.RuntimeError, "size overflow: %s", p.bufs[b].len)
			}
			most = max(most, n*int64(p.bufs[b].dtype.Size()))
		}
		s.offs[i] = s.total
		s.total += int(most+align-1) &^ (align - 1)
	}
	return nil
}

// Run implements graph.Executable.
func (x *executable) Run(ctx context.Context, a *graph.RunArgs) (err error) {
	s := x.scratch.Get().(*scratch)
	defer x.release(s)
	p := x.plan
	fresh := !s.valid || !slices.Equal(s.bind, a.Bind)
	if fresh {
		if err := x.resolve(s, a.Bind); err != nil {
			return err
		}
	}
	var arena loop.Mem // in bytes
	if s.total > 0 {
		switch {
		case x.opts.Copy == nil && s.total <= keptArena:
			if len(s.arena) < s.total {
				s.arena = make([]byte, s.total)
			}
			arena = loop.MemOf(s.arena, tensor.Uint8)
		case x.opts.Alloc != nil:
			b, err := x.opts.Alloc.Alloc(s.total)
			if err != nil {
				return err
			}
			defer x.opts.Alloc.Free(b)
			arena = memOf(b, tensor.Uint8)
		default:
			arena = loop.MemOf(make([]byte, s.total), tensor.Uint8)
		}
	}
	same := !fresh
	for i := range p.bufs {
		b := &p.bufs[i]
		var m loop.Mem
		switch b.kind {
		case bufInput:
			m = memOf(a.In[b.index], b.dtype)
		case bufOutput:
			m = memOf(a.Out[b.index], b.dtype)
		default:
			end := s.total
			if b.index+1 < len(s.offs) {
				end = s.offs[b.index+1]
			}
			if n := end - s.offs[b.index]; n > 0 { // a pointer past the arena may be another object's
				m = loop.Mem{Ptr: unsafe.Add(arena.Ptr, s.offs[b.index]), Len: int64(n / b.dtype.Size())}
			}
		}
		s.mem[i] = m
		if s.lens[i] != m.Len {
			s.lens[i], same = m.Len, false
		}
	}
	s.valid = false // until the checks below have passed
	var queue any
	if x.batch != nil && x.batched.TryLock() {
		x.batch.Begin()
		queue = x.batch
		defer x.batched.Unlock()
		defer func() {
			if e := x.batch.End(); err == nil {
				err = e
			}
		}()
	}
	settled := false
	for i, st := range p.steps {
		if s.skip[i] {
			continue
		}
		if a.InPlace && !settled && int64(i) >= x.settled.Load() {
			settled = true
			ctx = context.WithoutCancel(ctx) // half of the changes are none that a caller could undo
		}
		if st.copies && s.mem[st.bufs[0]] == s.mem[st.bufs[1]] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		switch {
		case st.after != nil:
			err = x.templateAfter(ctx, st, a, s, i, same)
		case st.tmpl != nil:
			s.tmpl[i].Queue = queue
			err = x.template(ctx, st, a, s, i)
		default:
			s.args[i].Queue = queue
			err = x.kernel(ctx, st, a, s, i, same)
		}
		if err != nil {
			return err
		}
	}
	s.valid = true
	for _, c := range p.copies {
		var src tensor.Buffer
		switch b := &p.bufs[c[0]]; b.kind {
		case bufInput:
			src = a.In[b.index]
		case bufOutput:
			src = a.Out[b.index]
		}
		if x.opts.Copy == nil {
			copy(a.Out[c[1]].Bytes(), src.Bytes())
		} else {
			put := x.opts.Copy
			if queue != nil {
				put = x.batch.Copy
			}
			if err := put(a.Out[c[1]], src, min(a.Out[c[1]].Len(), src.Len())); err != nil {
				return err
			}
		}
	}
	return nil
}

// memOf is a buffer's memory: the host's, or addresses on a device.
func memOf(b tensor.Buffer, d tensor.DType) loop.Mem {
	if a, ok := b.(tensor.Addressed); ok {
		return loop.Mem{Ptr: a.Addr(), Len: int64(b.Len() / d.Size())}
	}
	return loop.MemOf(b.Bytes(), d)
}

// grain is the work, in primitive applications, under which a range is not
// worth another worker (about 50 µs).
const grain = 1 << 16

// uncut is the work after which a run looks whether it is to go on (some milliseconds).
const uncut = 1 << 22

func (x *executable) kernel(ctx context.Context, st *step, a *graph.RunArgs, s *scratch, i int, checked bool) error {
	if err := x.ready(ctx, st, a, s, i, checked); err != nil {
		return err
	}
	return x.launch(ctx, st, s, i)
}

// ready fills in the arguments of the kernel of step i.
func (x *executable) ready(ctx context.Context, st *step, a *graph.RunArgs, s *scratch, i int, checked bool) error {
	k := st.kernel
	if st.once != nil {
		st.once.Do(func() { st.prog, st.err = x.opts.Target.Compile(k) })
		if st.err != nil {
			return st.err
		}
	}
	args := &s.args[i]
	args.Ctx = ctx
	for j, b := range st.bufs {
		args.Bufs[j] = s.mem[b]
	}
	for j, n := range st.nums {
		args.Scalars[j] = loop.ScalarBits(a.Nums[n], k.Scalars[j])
	}
	if !checked && !st.bounds.Check(args.Params, args.Bufs) {
		return tensor.Errorf(tensor.RuntimeError, "BUG: kernel %s would leave its buffers: parameters %v", st.name, args.Params)
	}
	return nil
}

func (x *executable) launch(ctx context.Context, st *step, s *scratch, i int) error {
	args := &s.args[i]
	if !st.hasCut || x.opts.Copy != nil {
		return st.prog.Run(args, 0, 1)
	}
	n := st.split.Get(args.Params)
	if n <= 0 {
		return nil
	}
	w := s.work[i]
	if w*n <= grain {
		return st.prog.Run(args, 0, n)
	}
	most := max(1, uncut/w)
	return x.opts.Parallel(n, max(1, grain/w), func(lo, hi int64) error {
		for ; hi-lo > most; lo += most {
			if err := st.prog.Run(args, lo, lo+most); err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		return st.prog.Run(args, lo, hi)
	})
}

// work estimates the primitive applications of one iteration.
func work(body []loop.Stmt, params []int64) int64 {
	w := int64(0)
	for _, s := range body {
		switch s := s.(type) {
		case *loop.Let:
			w++
			if s.Op.IsElementary() {
				w += elementaryCost
			}
		case *loop.Loop:
			w += max(s.Extent.Get(params), 0) * work(s.Body, params)
		default:
			w++
		}
	}
	return max(w, 1)
}

// resolve makes a template's arguments but for memory and numbers.
func (st *step) resolve(bind []int64) (*loop.TemplateArgs, error) {
	t := &loop.TemplateArgs{Flags: st.tmpl.Flags}
	bad := false
	for _, e := range st.tmpl.Ints {
		v, ok := e.Eval(bind)
		bad = bad || !ok
		t.Ints = append(t.Ints, v)
	}
	operand := func(o operand) (r loop.Operand) {
		if o.buf < 0 {
			return r
		}
		r.DType = o.meta.DType
		for d := range o.meta.Size {
			n, ok1 := o.meta.Size[d].Eval(bind)
			q, ok2 := o.meta.Stride[d].Eval(bind)
			bad = bad || !ok1 || !ok2
			r.Size, r.Stride = append(r.Size, n), append(r.Stride, q)
		}
		var ok bool
		r.Off, ok = o.meta.Off.Eval(bind)
		bad = bad || !ok
		return r
	}
	for _, o := range st.in {
		t.In = append(t.In, operand(o))
	}
	for _, o := range st.out {
		t.Out = append(t.Out, operand(o))
	}
	if bad {
		return nil, tensor.Errorf(tensor.RuntimeError, "size overflow in %s", st.name)
	}
	return t, nil
}

// fits reports whether an operand stays inside its memory.
func fits(r *loop.Operand) bool {
	lo, hi := r.Off, r.Off
	for d, n := range r.Size {
		if n == 0 {
			return true
		}
		if e := (n - 1) * r.Stride[d]; e < 0 {
			lo += e
		} else {
			hi += e
		}
	}
	return lo >= 0 && hi < r.Mem.Len
}

func (x *executable) template(ctx context.Context, st *step, a *graph.RunArgs, s *scratch, i int) error {
	t := s.tmpl[i]
	if s.ctx != ctx {
		s.ctx, s.done = ctx, ctx.Err // a method value is memory
	}
	t.Done = s.done
	t.Nums = append(t.Nums[:0], st.tmpl.Nums...)
	for _, n := range st.tnums {
		if n.slot < 0 {
			t.Nums = append(t.Nums, n.n)
		} else {
			t.Nums = append(t.Nums, a.Nums[n.slot])
		}
	}
	ok := true
	for k, o := range st.in {
		if o.buf >= 0 {
			t.In[k].Mem = s.mem[o.buf]
			ok = ok && fits(&t.In[k])
		}
	}
	for k, o := range st.out {
		t.Out[k].Mem = s.mem[o.buf]
		ok = ok && fits(&t.Out[k])
	}
	if !ok {
		return tensor.Errorf(tensor.RuntimeError, "BUG: template %s got an operand that leaves its buffer", st.name)
	}
	if st.state >= 0 {
		t.State = a.State[st.state].Bytes()
	}
	return st.fn(t)
}
