package inductor

import (
	"fmt"

	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/op"
)

// probe is what a meaning does, learnt by building it once into a kernel that is
// thrown away: fusion decides by it.
type probe struct {
	cost    int  // primitives an element, elementary functions counting elementaryCost
	placed  bool // the value depends on where it stands (an index, loads by index)
	asserts bool
	visits  []int  // Rows: passes in which each operand is read
	pick    []bool // Rows: operands read at an index from data
	outs    []int  // Rows: stores of each output
	back    []bool // Rows: outputs read back
	folded  []bool // Rows: outputs stored outside every row
}

const elementaryCost = 15

// probeEnv answers a body with run-time scalars of the right types.
type probeEnv struct {
	b     *loop.Builder
	n     *graph.Node
	loads int
}

func (e *probeEnv) value(name string, t loop.Type) loop.V {
	return e.b.Scalar(e.b.ScalarSlot(name, t))
}

func (e *probeEnv) operand(k int) loop.V {
	c := e.n.Call
	d := c.In[k].DType
	if c.Takes(k) {
		d = c.DType
	}
	return e.value(fmt.Sprint("operand", k), loop.TypeOf(d))
}

func (e *probeEnv) At(k int, at []loop.Ix, mask loop.V) loop.V {
	e.loads++
	return e.operand(k)
}

func (e *probeEnv) Num(name string, t loop.Type) loop.V { return e.value(name, t) }

// probeNode builds a node's meaning.
func probeNode(n *graph.Node) *probe {
	b := loop.NewBuilder("probe")
	e := &probeEnv{b: b, n: n}
	b.Env = e
	p := &probe{}
	d := n.Call.Def
	switch {
	case d.Body != nil:
		x := make([]loop.V, len(n.In))
		for k := range n.In {
			if n.In[k].Value != nil || n.In[k].Num {
				x[k] = e.operand(k)
			}
		}
		d.Body(b, x, n.Call)
	case d.Index != nil:
		var open func(at []loop.Ix, i int)
		open = func(at []loop.Ix, i int) {
			if i == len(n.OutMeta[0].Size) {
				d.Index(b, n.Call, at)
				return
			}
			b.Loop(loop.Grid, n.OutMeta[0].Size[i], func(a loop.Axis) { open(append(at, loop.At(a)), i+1) })
		}
		open(nil, 0)
		p.placed = e.loads > 0
	case d.Rows != nil:
		r := &rowProbe{probeEnv: e, p: p, row: -1}
		p.visits, p.pick = make([]int, len(n.In)), make([]bool, len(n.In))
		p.outs, p.back, p.folded = make([]int, len(n.Out)), make([]bool, len(n.Out)), make([]bool, len(n.Out))
		r.last = make([]int, len(n.In))
		d.Rows.Run(b, n.Call, r)
	}
	p.count(b.Kernel().Body)
	return p
}

func (p *probe) count(body []loop.Stmt) {
	for _, s := range body {
		switch s := s.(type) {
		case *loop.Let:
			switch {
			case s.Op.IsElementary():
				p.cost += elementaryCost
			case s.Op == loop.OpAxis:
				p.placed = true
			case s.Op != loop.OpConst && s.Op != loop.OpScalar && s.Op != loop.OpParam:
				p.cost++
			}
		case *loop.Assert:
			p.asserts = true
		case *loop.Loop:
			p.count(s.Body)
		}
	}
}

// rowProbe is op.Row without loops.
type rowProbe struct {
	*probeEnv
	p    *probe
	pass int
	row  int // inside a row: 0
	last []int
}

func (r *rowProbe) inRow(f func()) {
	r.pass++
	r.row = 0
	f()
	r.row = -1
	r.pass++
}

func (r *rowProbe) EachRow(f func()) { r.inRow(f) }

func (r *rowProbe) FoldRows(ops []loop.FoldOp, f func() []loop.V) (v []loop.V) {
	r.inRow(func() { v = f() })
	return v
}

func (r *rowProbe) Pass(f func()) {
	r.pass++
	f()
	r.pass++
}

func (r *rowProbe) Fold(ops []loop.FoldOp, f func() []loop.V) (v []loop.V) {
	r.Pass(func() { v = f() })
	return v
}

func (r *rowProbe) Scan(init []loop.V, f func(cur []loop.V) []loop.V) (v []loop.V) {
	r.Pass(func() { v = f(init) })
	return v
}

func (r *rowProbe) In(k int) loop.V {
	if r.last[k] != r.pass {
		r.last[k] = r.pass
		r.p.visits[k]++
	}
	return r.operand(k)
}

func (r *rowProbe) Has(k int) bool { return r.n.In[k].Value != nil || r.n.In[k].Num }

func (r *rowProbe) Out(j int, v loop.V) {
	r.p.outs[j]++
	r.p.folded[j] = r.row < 0
}

func (r *rowProbe) Pick(k int, i loop.V, mask loop.V, c *loop.Check) loop.V {
	r.p.pick[k] = true
	return r.operand(k)
}

func (r *rowProbe) Back(j int) loop.V {
	r.p.back[j] = true
	return r.value(fmt.Sprint("back", j), loop.TypeOf(r.n.OutMeta[j].DType))
}

func (r *rowProbe) Pos() loop.V   { return r.value("pos", loop.I64) }
func (r *rowProbe) Len() loop.V   { return r.value("len", loop.I64) }
func (r *rowProbe) Count() loop.V { return r.value("count", loop.I64) }

var _ op.Row = (*rowProbe)(nil)
