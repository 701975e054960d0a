package inductor

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Options are what a Compiler works with.
type Options struct {
	Target   loop.Target
	Parallel loop.Parallel    // nil: loop.Inline
	Alloc    tensor.Allocator // temporaries; nil: Go memory
}

// Compiler implements graph.Compiler. It is safe for concurrent use.
type Compiler struct {
	opts Options
}

// New makes a Compiler.
func New(o Options) *Compiler {
	if o.Parallel == nil {
		o.Parallel = loop.Inline
	}
	return &Compiler{o}
}

// Compile lowers a graph and compiles its kernels. An error is our own fault
// ("BUG: …", with the op) or a template that the target lacks.
func (c *Compiler) Compile(ctx context.Context, g *graph.Graph) (_ graph.Executable, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("compiling %s: %v", names(g), e)
		}
	}()
	p := lower(g)
	for _, s := range p.steps {
		if s.tmpl != nil {
			if s.fn = c.opts.Target.Template(s.tmpl.Name); s.fn == nil {
				return nil, tensor.Errorf(tensor.NotImplementedError, "template %s is not implemented for target %s", s.tmpl.Name, c.opts.Target.Name())
			}
			continue
		}
		if s.prog, err = c.opts.Target.Compile(s.kernel); err != nil {
			return nil, fmt.Errorf("compiling %s: %w", names(g), err)
		}
	}
	x := &executable{plan: p, opts: &c.opts}
	x.scratch.New = func() any { return new(scratch) }
	return x, nil
}

func names(g *graph.Graph) string {
	var s []string
	for _, n := range g.Nodes {
		s = append(s, n.Call.Def.Name)
	}
	return strings.Join(s, ", ")
}

// executable runs a plan.
type executable struct {
	plan    *plan
	opts    *Options
	scratch sync.Pool
}

// scratch is the memory of one run, reused.
type scratch struct {
	mem    []loop.Mem
	temp   []tensor.Buffer
	args   loop.Args
	params []int64
}

// grain is the work, in primitive applications, under which a range is not
// worth another worker (about 50 µs).
const grain = 1 << 16

// Run implements graph.Executable.
func (x *executable) Run(ctx context.Context, a *graph.RunArgs) error {
	s := x.scratch.Get().(*scratch)
	defer func() {
		clear(s.mem)
		clear(s.args.Bufs)
		for i, b := range s.temp {
			if b != nil && x.opts.Alloc != nil {
				x.opts.Alloc.Free(b)
			}
			s.temp[i] = nil
		}
		s.temp = s.temp[:0]
		x.scratch.Put(s)
	}()
	p := x.plan
	s.mem = s.mem[:0]
	for i := range p.bufs {
		b := &p.bufs[i]
		var buf tensor.Buffer
		switch b.kind {
		case bufInput:
			buf = a.In[b.index]
		case bufOutput:
			buf = a.Out[b.index]
		default:
			n, ok := b.len.Eval(a.Bind)
			if !ok {
				return tensor.Errorf(tensor.RuntimeError, "size overflow: %s", b.len)
			}
			bytes := int(n) * b.dtype.Size()
			if x.opts.Alloc != nil {
				var err error
				if buf, err = x.opts.Alloc.Alloc(bytes); err != nil {
					return err
				}
				s.temp = append(s.temp, buf)
			} else {
				buf = tensor.HostBuffer(make([]byte, bytes))
			}
		}
		s.mem = append(s.mem, loop.MemOf(buf.Bytes(), b.dtype))
	}
	for _, st := range p.steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if st.tmpl != nil {
			err = x.template(ctx, st, a, s)
		} else {
			err = x.kernel(st, a, s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *executable) kernel(st *step, a *graph.RunArgs, s *scratch) error {
	k := st.kernel
	var ok bool
	if s.params, ok = k.Resolve(s.params, a.Bind); !ok {
		return tensor.Errorf(tensor.RuntimeError, "size overflow in %s", st.name)
	}
	s.args.Params = s.params
	s.args.Bufs = s.args.Bufs[:0]
	for _, b := range st.bufs {
		s.args.Bufs = append(s.args.Bufs, s.mem[b])
	}
	s.args.Scalars = s.args.Scalars[:0]
	for i, n := range st.nums {
		s.args.Scalars = append(s.args.Scalars, loop.ScalarBits(a.Nums[n], k.Scalars[i]))
	}
	if !st.bounds.Check(s.params, s.args.Bufs) {
		return tensor.Errorf(tensor.RuntimeError, "BUG: kernel %s would leave its buffers: parameters %v", st.name, s.params)
	}
	if !st.hasCut {
		return st.prog.Run(&s.args, 0, 1)
	}
	n := st.split.Get(s.params)
	if n <= 0 {
		return nil
	}
	w := work(k.Split().Body, s.params)
	if w*n <= grain {
		return st.prog.Run(&s.args, 0, n)
	}
	args := &s.args
	return x.opts.Parallel(n, max(1, grain/w), func(lo, hi int64) error { return st.prog.Run(args, lo, hi) })
}

// work estimates the primitive applications of one iteration.
func work(body []loop.Stmt, params []int64) int64 {
	w := int64(0)
	for _, s := range body {
		switch s := s.(type) {
		case *loop.Let:
			w++
			if s.Op.IsElementary() {
				w += 15
			}
		case *loop.Loop:
			w += max(s.Extent.Get(params), 0) * work(s.Body, params)
		default:
			w++
		}
	}
	return max(w, 1)
}

func (x *executable) template(ctx context.Context, st *step, a *graph.RunArgs, s *scratch) error {
	t := &loop.TemplateArgs{Parallel: x.opts.Parallel, Flags: st.tmpl.Flags, Nums: append([]tensor.Number(nil), st.tmpl.Nums...)}
	t.Done = ctx.Err
	for _, n := range st.tnums {
		t.Nums = append(t.Nums, a.Nums[n])
	}
	bad, outside := false, false
	for _, e := range st.tmpl.Ints {
		v, ok := e.Eval(a.Bind)
		bad = bad || !ok
		t.Ints = append(t.Ints, v)
	}
	resolve := func(o operand) (r loop.Operand) {
		if o.buf < 0 {
			return r
		}
		r = loop.Operand{Mem: s.mem[o.buf], DType: o.meta.DType}
		lo, hi, empty := int64(0), int64(0), false
		for d := range o.meta.Size {
			n, ok1 := o.meta.Size[d].Eval(a.Bind)
			q, ok2 := o.meta.Stride[d].Eval(a.Bind)
			bad = bad || !ok1 || !ok2
			r.Size, r.Stride = append(r.Size, n), append(r.Stride, q)
			empty = empty || n == 0
			if e := (n - 1) * q; e < 0 {
				lo += e
			} else {
				hi += e
			}
		}
		var ok bool
		r.Off, ok = o.meta.Off.Eval(a.Bind)
		bad = bad || !ok
		if !empty && (r.Off+lo < 0 || r.Off+hi >= r.Mem.Len) {
			outside = true
		}
		return r
	}
	for _, o := range st.in {
		t.In = append(t.In, resolve(o))
	}
	for _, o := range st.out {
		t.Out = append(t.Out, resolve(o))
	}
	if bad {
		return tensor.Errorf(tensor.RuntimeError, "size overflow in %s", st.name)
	}
	if outside {
		return tensor.Errorf(tensor.RuntimeError, "BUG: template %s got an operand that leaves its buffer", st.name)
	}
	if st.state >= 0 {
		t.State = a.State[st.state].Bytes()
	}
	return st.fn(t)
}

// Dump implements graph.Executable.
func (x *executable) Dump(stage string) string {
	var sb strings.Builder
	for i, s := range x.plan.steps {
		switch stage {
		case "plan":
			fmt.Fprintf(&sb, "step %d %s", i, s.name)
			if s.tmpl != nil {
				sb.WriteString(" template")
			}
			sb.WriteByte('\n')
		case "loops":
			if s.kernel != nil {
				sb.WriteString(s.kernel.String())
			}
		}
	}
	return sb.String()
}
