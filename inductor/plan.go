package inductor

import (
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
	index int // among inputs or outputs
	dtype tensor.DType
	len   sym.Int // temporaries: elements
}

// step is one thing a plan does: a kernel or a template.
type step struct {
	name string

	kernel *loop.Kernel
	bounds *loop.Bounds
	prog   loop.Program
	bufs   []int // kernel buffer -> plan buffer
	nums   []int // kernel scalar -> number slot
	split  loop.P
	hasCut bool

	tmpl  *loop.Template
	fn    loop.TemplateFunc
	in    []operand
	out   []operand
	tnums []int // number slots appended to Nums
	state int
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
	steps []*step
}

func newPlan(g *graph.Graph) *plan {
	p := &plan{g: g, slot: map[*graph.Value]int{}}
	for i, v := range g.Inputs {
		p.slot[v] = p.add(planBuf{bufInput, i, v.DType, sym.Int{}})
	}
	for i, v := range g.Outputs {
		if _, ok := p.slot[v]; !ok {
			p.slot[v] = p.add(planBuf{bufOutput, i, v.DType, sym.Int{}})
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
		i = p.add(planBuf{bufTemp, 0, v.DType, v.Len})
		p.slot[v] = i
	}
	return i
}
