package inductor

import (
	"fmt"
	"strings"
	"sync"

	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// bufKind says where a plan buffer's memory comes from.
type bufKind uint8

const (
	bufInput bufKind = iota
	bufOutput
	bufTemp
)

// planBuf is one memory of a plan.
type planBuf struct {
	kind  bufKind
	index int // among inputs or outputs; temporaries: the slot of the arena
	dtype tensor.DType
	len   sym.Int // temporaries: elements
	when  *stages // partial results: nil or when they are needed
}

// step is one thing a plan does: a kernel or a template.
type step struct {
	name string

	kernel  *loop.Kernel
	bounds  *loop.Bounds
	prog    loop.Program
	bufs    []int // kernel buffer -> plan buffer
	nums    []int // kernel scalar -> number slot
	split   loop.P
	hasCut  bool
	when    *stages    // a stage: run where they hold, compiled at the first run
	unless  *stages    // run where they do not hold
	once    *sync.Once // of a stage's compilation
	err     error      // its outcome
	oneNest bool       // every iteration loads before it stores (kernelBuilder)

	tmpl   *loop.Template
	fn     loop.TemplateFunc
	in     []operand
	out    []operand
	tnums  []templateNumber // appended to Nums
	state  int
	copies bool  // copies one whole buffer to another
	after  *step // the kernel that follows a template row by row (after.go)
}

// loops is the step that has the kernel: itself, or the one that follows its template;
// nil if there is none.
func (s *step) loops() *step {
	switch {
	case s.kernel != nil:
		return s
	case s.after != nil:
		return s.after
	}
	return nil
}

// templateNumber is a number slot, or (slot < 0) a constant.
type templateNumber struct {
	slot int
	n    tensor.Number
}

// operand is a template operand: plan buffer and geometry; buf < 0: absent.
type operand struct {
	buf  int
	meta tensor.Meta
}

// plan is the lowered form of a graph.
type plan struct {
	g     *graph.Graph
	bufs  []planBuf
	slot  map[*graph.Value]int
	whole bool // no stages: the device cuts kernels itself
	steps []*step
	// slots of the arena: the temporaries that share each, in turn
	slots [][]int
	// copies are outputs that are an input, or an output once more: plan buffer and
	// output.
	copies [][2]int
}

func newPlan(g *graph.Graph) *plan {
	p := &plan{g: g, slot: make(map[*graph.Value]int, len(g.Inputs)+len(g.Outputs))}
	for i, v := range g.Inputs {
		p.slot[v] = p.add(planBuf{kind: bufInput, index: i, dtype: v.DType})
	}
	for i, v := range g.Outputs {
		if b, ok := p.slot[v]; ok {
			p.copies = append(p.copies, [2]int{b, i})
		} else {
			p.slot[v] = p.add(planBuf{kind: bufOutput, index: i, dtype: v.DType})
		}
	}
	return p
}

func (p *plan) add(b planBuf) int {
	p.bufs = append(p.bufs, b)
	return len(p.bufs) - 1
}

// buf is the plan buffer of a value; a value met first is a temporary.
func (p *plan) buf(v *graph.Value) int {
	i, ok := p.slot[v]
	if !ok {
		i = p.add(planBuf{kind: bufTemp, dtype: v.DType, len: v.Len})
		p.slot[v] = i
	}
	return i
}

// share lets puts and scatters work in the memory of their base, where nobody
// reads the base later: a loop of slice writes then copies nothing.
func (p *plan) share(f *fuser, order []*group) {
	last := map[*graph.Value]int{}
	for i, g := range order {
		for _, u := range g.units {
			for _, r := range u.reads {
				last[r.v] = i
			}
		}
	}
	for i := len(order) - 1; i >= 0; i-- {
		u := order[i].units[0]
		if u.kind != kindPut && u.n.Call.Def.Scatter == nil {
			continue
		}
		base, out := u.n.In[0].Value, u.n.Out[0]
		if base == nil || base.Node == nil || f.outputs[base] || last[base] != i || !base.Len.KnownEq(out.Len) {
			continue
		}
		if u.kind != kindPut {
			a, b := &u.n.In[0].Meta, &u.n.OutMeta[0]
			if a.DType != b.DType || !sym.AllKnownEq(a.Size, b.Size) || !sym.AllKnownEq(a.Stride, b.Stride) || !a.Off.KnownEq(b.Off) {
				continue
			}
		}
		reads := 0
		for _, r := range u.reads {
			if r.v == base {
				reads++
			}
		}
		if reads == 1 {
			p.slot[base] = p.buf(out)
		}
	}
}

const (
	smallWork  = 1 << 15 // primitive applications of a nest that may share a launch
	bundleWork = 1 << 16
	bundleBufs = 48
)

// work estimates a group's primitive applications at the recorded sizes.
func (g *group) work() int64 {
	n := int64(1)
	for _, s := range g.size {
		n *= max(s.Hint(), 1)
	}
	return n * int64(g.cost+1)
}

// bundle lowers group i and, in the same kernel, small ones that follow it. It
// returns the next group.
func (p *plan) bundle(f *fuser, order []*group, i int) int {
	g := order[i]
	if g.alone && g.units[0].kind != kindPut {
		p.alone(g.units[0])
		return i + 1
	}
	if g.alone {
		p.copyBase(g.units[0].n)
	}
	x := p.kernel()
	nests, work := 0, int64(0)
	for ; i < len(order); i++ {
		g := order[i]
		w := g.work()
		if nests > 0 && (f.nobundle || g.alone && !p.inPlace(g.units[0]) || w > smallWork || work+w > bundleWork || len(x.bufs)+g.bufs > bundleBufs) {
			break
		}
		x.oneNest = nests == 0 && !g.folds && g.prog == nil
		p.groupNest(x, f, g).emit()
		nests++
		work += w
		if w > smallWork {
			i++
			break
		}
	}
	x.finish()
	return i
}

// inPlace: a put whose base is its output's memory already.
func (p *plan) inPlace(u *unit) bool {
	return u.kind == kindPut && p.buf(u.n.In[0].Value) == p.buf(u.n.Out[0])
}

// text is the plan as --dump=plan shows it.
func (p *plan) text() string {
	var sb strings.Builder
	name := func(b int) string {
		q := &p.bufs[b]
		switch q.kind {
		case bufInput:
			return fmt.Sprintf("in%d", q.index)
		case bufOutput:
			return fmt.Sprintf("out%d", q.index)
		}
		return fmt.Sprintf("t%d", b)
	}
	list := func(l []int) string {
		var s []string
		for _, b := range l {
			s = append(s, name(b))
		}
		return strings.Join(s, " ")
	}
	for i, s := range p.steps {
		if s.tmpl != nil {
			fmt.Fprintf(&sb, "step %d %s template", i, s.name)
			for _, o := range s.in {
				if o.buf >= 0 {
					sb.WriteString(" " + name(o.buf))
				}
			}
			sb.WriteString(" ->")
			for _, o := range s.out {
				sb.WriteString(" " + name(o.buf))
			}
			if s.after != nil {
				in, out := s.after.roles()
				fmt.Fprintf(&sb, ", after it %s -> %s", list(in), list(out))
			}
			sb.WriteByte('\n')
			continue
		}
		in, out := s.roles()
		fmt.Fprintf(&sb, "step %d %s %s -> %s\n", i, s.name, list(in), list(out))
	}
	for _, c := range p.copies {
		fmt.Fprintf(&sb, "copy %s -> out%d\n", name(c[0]), c[1])
	}
	for i, l := range p.slots {
		fmt.Fprintf(&sb, "arena slot %d:", i)
		for _, b := range l {
			fmt.Fprintf(&sb, " %s %s[%s]", name(b), p.bufs[b].dtype, p.bufs[b].len)
		}
		sb.WriteByte('\n')
	}
	return sb.String()
}

// roles lists what a kernel reads and writes.
func (s *step) roles() (in, out []int) {
	for j, b := range s.kernel.Bufs {
		if b.Role == loop.In {
			in = append(in, s.bufs[j])
		} else {
			out = append(out, s.bufs[j])
		}
	}
	return in, out
}
