package inductor

import (
	"fmt"

	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// probe is what a meaning does, learnt by building it once into a kernel that is
// thrown away: fusion decides by it.
type probe struct {
	cost    int  // primitives an element, elementary functions counting elementaryCost
	placed  bool // the value depends on where it stands (an index, loads by index)
	asserts bool
	used    []bool // operands that the value depends on
	divides bool   // integers, which raises for 0
	// at is, for an Index, where each operand is read, over the frame's dims: nil if
	// that is at several places or depends on data.
	at     [][]graph.Coord
	visits []int  // Rows: passes in which each operand is read
	pick   []bool // Rows: operands read at an index from data
	outs   []int  // Rows: stores of each output
	back   []bool // Rows: outputs read back
	folded []bool // Rows: outputs stored outside every row
}

const elementaryCost = 15

// probeEnv answers a body with run-time scalars of the right types.
type probeEnv struct {
	b     *loop.Builder
	n     *graph.Node
	used  []bool
	loads int
	p     *probe
	dim   map[loop.Axis]int // of an Index's loops
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
	if e.p.at != nil {
		if e.used[k] {
			e.p.at[k] = nil
		} else {
			e.p.at[k] = e.coords(at)
		}
	}
	e.used[k] = true
	return e.operand(k)
}

// coords are indices as a map over the frame, nil where they depend on more.
func (e *probeEnv) coords(at []loop.Ix) []graph.Coord {
	c := make([]graph.Coord, len(at))
	for d, x := range at {
		if x.Dyn != 0 {
			return nil
		}
		c[d] = graph.Coord{Off: x.Off, Coef: make([]sym.Int, len(e.n.OutMeta[0].Size))}
		for i, a := range x.Axes {
			g, ok := e.dim[a]
			if !ok {
				return nil // a loop of the body's own: a window
			}
			c[d].Coef[g] = c[d].Coef[g].Add(x.Coef[i])
		}
	}
	return c
}

func (e *probeEnv) Num(name string, t loop.Type) loop.V { return e.value(name, t) }

// probeNode builds a node's meaning.
func probeNode(n *graph.Node) *probe {
	b := loop.NewBuilder("probe")
	p := &probe{}
	e := &probeEnv{b: b, n: n, used: make([]bool, len(n.In)), p: p}
	b.Env = e
	d := n.Call.Def
	switch {
	case d.Body != nil:
		x := make([]loop.V, len(n.In))
		for k := range n.In {
			if n.In[k].Value != nil || n.In[k].Num {
				x[k] = e.operand(k)
			}
		}
		v := d.Body(b, x, n.Call)
		for k := range x {
			e.used[k] = x[k] != 0 && (x[k] == v || mentions(b.Kernel().Body, x[k]))
		}
	case d.Index != nil:
		p.at, e.dim = make([][]graph.Coord, len(n.In)), map[loop.Axis]int{}
		var open func(at []loop.Ix, i int)
		open = func(at []loop.Ix, i int) {
			if i == len(n.OutMeta[0].Size) {
				d.Index(b, n.Call, at)
				return
			}
			b.Loop(loop.Grid, n.OutMeta[0].Size[i], func(a loop.Axis) {
				e.dim[a] = i
				open(append(at, loop.At(a)), i+1)
			})
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
	p.used = e.used
	if d.Reduce != nil || d.Rows != nil {
		for k := range p.used {
			p.used[k] = true
		}
	}
	p.count(b.Kernel().Body)
	return p
}

// mentions: a statement uses v.
func mentions(body []loop.Stmt, v loop.V) bool {
	for _, s := range body {
		switch s := s.(type) {
		case *loop.Let:
			if s.A == v || s.B == v || s.C == v {
				return true
			}
		case *loop.Assert:
			if s.Cond == v || s.Val == v || s.Mask == v {
				return true
			}
		}
	}
	return false
}

func (p *probe) count(body []loop.Stmt) {
	for _, s := range body {
		switch s := s.(type) {
		case *loop.Let:
			p.divides = p.divides || (s.Op == loop.OpDiv || s.Op == loop.OpMod) && s.Type.IsInt()
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
