package graph

import (
	"fmt"
	"strings"

	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// Joint is a graph with its gradients.
type Joint struct {
	// G has the inputs of the forward graph, then a tangent for each differentiated
	// output; its outputs are the forward's, then the gradients.
	G        *Graph
	Forward  int   // inputs of the forward
	Outs     int   // outputs of the forward
	Grads    []int // by wrt: position among G's outputs, -1: no gradient reaches it
	GradMeta []tensor.Meta
	// Numbers lists the run-time number slots whose recorded values the backward has
	// built in: whoever replays must guard that they are the same.
	Numbers []int
	// Loose are inputs and outputs whose memory may be changed between forward and
	// backward: what of them is saved is a copy.
	Loose map[*Value]bool
}

// DiffOptions say where gradients stop.
type DiffOptions struct {
	// Stop reports that operand k of a node takes no gradient (detached, or made
	// without grad mode). nil: none.
	Stop func(n *Node, k int) bool
	// Default is the default dtype; zero: float32.
	Default tensor.DType
}

// Differentiate adds to a copy of g the gradients of outs with respect to wrt. An
// out or wrt is memory of g seen through a geometry; out i's gradient arrives as
// tangent i, a row-major tensor of its size, and wrt k's leaves row-major in its
// size. g's context must not be frozen where sizes are symbolic and a VJP asks.
//
// The gradient of a value is kept as parts, each over the geometry through which a
// node read it. Parts over the geometry the value was written through are added;
// others are permuted to it, or put into zeros of the whole memory.
func Differentiate(g *Graph, outs, wrt []Operand, o DiffOptions) (j *Joint, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *tensor.Error:
			err = e
		case diffError:
			err = fmt.Errorf("%s", string(e))
		case string:
			if !strings.HasPrefix(e, "BUG: a guard was asked for") {
				panic(e)
			}
			err = fmt.Errorf("the gradient needs a guard: %s", e)
		default:
			panic(e)
		}
	}()
	h := g.Clone()
	d := &differ{b: &Builder{G: h, Default: o.Default}, parts: map[*Value][]part{}, active: map[*Value]bool{}}
	if d.b.Default == tensor.Invalid {
		d.b.Default = tensor.Float32
	}
	to := map[*Value]*Value{}
	for i, v := range g.Inputs {
		to[v] = h.Inputs[i]
	}
	from := map[*Node]*Node{}
	for i, n := range g.Nodes {
		from[h.Nodes[i]] = n
		for k, v := range n.Out {
			to[v] = h.Nodes[i].Out[k]
		}
	}
	d.stop = func(n *Node, k int) bool { return o.Stop != nil && o.Stop(from[n], k) }
	j = &Joint{G: h, Forward: len(g.Inputs), Outs: len(g.Outputs)}
	for _, w := range wrt {
		d.active[to[w.Value]] = true
	}
	nodes := h.Nodes[:len(h.Nodes):len(h.Nodes)]
	for _, n := range nodes {
		if d.carries(n) {
			for _, v := range n.Out {
				d.active[v] = d.active[v] || v.DType.IsFloat()
			}
		}
	}
	for i := range outs {
		m := outs[i].Meta
		t := d.b.Input(tensor.Meta{DType: m.DType, Dev: m.Dev, Size: m.Size, Stride: rowMajor(m.Size)}, m.Numel())
		v := to[outs[i].Value]
		d.parts[v] = append(d.parts[v], part{m, t})
	}
	for i := len(nodes) - 1; i >= 0; i-- {
		d.node(nodes[i])
	}
	j.Numbers = d.numbers
	for _, w := range wrt {
		t := d.gather(to[w.Value], &w.Meta)
		if t == nil {
			j.Grads, j.GradMeta = append(j.Grads, -1), append(j.GradMeta, tensor.Meta{})
			continue
		}
		t = d.g().Op("_contiguous", t).(*Tensor) // a result of its own
		j.Grads = append(j.Grads, len(h.Outputs))
		h.Outputs = append(h.Outputs, t.Store.Value)
		j.GradMeta = append(j.GradMeta, t.M)
	}
	h.Renumber()
	return j, nil
}

type diffError string

type part struct {
	over tensor.Meta // geometry over the value's memory
	grad *Tensor     // of its size
}

type differ struct {
	b       *Builder
	parts   map[*Value][]part
	active  map[*Value]bool
	stop    func(n *Node, k int) bool
	numbers []int
}

func (d *differ) g() *op.G { return &op.G{Graph: d.b} }

// wants: the gradient goes on through operand k.
func (d *differ) wants(n *Node, k int) bool {
	v := n.In[k].Value
	return v != nil && d.active[v] && v.DType.IsFloat() && !d.stop(n, k)
}

func (d *differ) carries(n *Node) bool {
	if n.Target == nil && n.Call.Def.VJP == nil {
		return false
	}
	for k := range n.In {
		if d.wants(n, k) {
			return true
		}
	}
	return false
}

// node sends the gradient of a node's outputs to its operands.
func (d *differ) node(n *Node) {
	any := false
	for _, v := range n.Out {
		any = any || len(d.parts[v]) > 0
	}
	if !any || !d.carries(n) {
		return
	}
	if n.Target != nil {
		d.put(n)
		return
	}
	c := *n.Call
	c.T = make([]op.Tensor, len(n.In))
	c.Need = make([]bool, len(n.In))
	for k := range n.In {
		if v := n.In[k].Value; v != nil {
			c.T[k] = &Tensor{&Storage{v}, n.In[k].Meta}
			c.Need[k] = d.wants(n, k)
		}
	}
	out, grad := make([]op.Tensor, len(n.Out)), make([]op.Tensor, len(n.Out))
	for k, v := range n.Out {
		out[k] = &Tensor{&Storage{v}, n.OutMeta[k]}
		if t := d.gather(v, &n.OutMeta[k]); t != nil {
			grad[k] = t
		}
	}
	r, err := op.RunVJP(d.b, &c, c.T, out, grad)
	if err != nil {
		panic(diffError(fmt.Sprintf("the gradient of %s: %s", c.Def.Name, err)))
	}
	if !n.Fixed {
		for i := range c.Numbers(nil) {
			d.numbers = append(d.numbers, n.Num+i)
		}
	}
	for k, t := range r {
		if t != nil && c.Need[k] {
			d.add(n.In[k].Value, n.In[k].Meta, t.(*Tensor))
		}
	}
}

// add notes a part; parts over one geometry are one.
func (d *differ) add(v *Value, over tensor.Meta, t *Tensor) {
	for i := range d.parts[v] {
		p := &d.parts[v][i]
		if sameMeta(&p.over, &over) {
			p.grad = d.g().Add(p.grad, t).(*Tensor)
			return
		}
	}
	d.parts[v] = append(d.parts[v], part{over, t})
}

// put: what was overwritten gets none, the source gets what is there.
func (d *differ) put(n *Node) {
	v := n.Out[0]
	flat := tensor.Meta{DType: v.DType, Dev: n.Call.Dev, Size: []sym.Int{v.Len}, Stride: []sym.Int{sym.C(1)}}
	t := d.gather(v, &flat)
	if t == nil {
		return
	}
	g := d.g()
	if !sameMeta(&t.M, &flat) || !t.Store.Value.Len.KnownEq(v.Len) {
		t = g.Op("_contiguous", t).(*Tensor)
	}
	if d.wants(n, 1) {
		x := n.In[1].Meta
		s := g.Cast(g.SumTo(&Tensor{t.Store, retyped(n.Target, t.M.DType)}, x.Size), x.DType)
		d.add(n.In[1].Value, x, s.(*Tensor))
	}
	if d.wants(n, 0) {
		z := g.Op("zeros", []sym.Int{}, op.KW{Name: "dtype", V: t.M.DType}, op.KW{Name: "device", V: t.M.Dev}).(*Tensor)
		m := op.Expand(&z.M, n.Target.Size)
		target := retyped(n.Target, t.M.DType)
		rest := d.b.G.Put(t.Store.Value, &target, Operand{Value: z.Store.Value, Meta: m}, d.b.Default)
		d.add(n.In[0].Value, n.In[0].Meta, &Tensor{&Storage{rest}, flat})
	}
}

func retyped(m *tensor.Meta, dt tensor.DType) tensor.Meta {
	r := *m
	r.DType = dt
	return r
}

// gather is the gradient of a value over geometry m, nil if there is none.
func (d *differ) gather(v *Value, m *tensor.Meta) *Tensor {
	g := d.g()
	var sum *Tensor
	var rest []part
	for _, p := range d.parts[v] {
		p = d.unexpand(p)
		t := permuted(p, m)
		if t == nil {
			rest = append(rest, p)
			continue
		}
		if sum == nil {
			sum = t
		} else {
			sum = g.Add(sum, t).(*Tensor)
		}
	}
	if len(rest) == 0 {
		return sum
	}
	z := g.Op("zeros", []sym.Int{v.Len}, op.KW{Name: "dtype", V: v.DType}, op.KW{Name: "device", V: m.Dev}).(*Tensor)
	for i, p := range rest {
		if !injective(&p.over, func(e sym.Int) bool { return e.KnownGe0() || e.Ge(sym.C(0)) }) {
			panic(diffError("a view that reaches an address twice has no gradient here"))
		}
		w := &Tensor{z.Store, p.over}
		t := p.grad
		if i > 0 {
			t = g.Add(w, t).(*Tensor)
		}
		g.Put(w, t)
	}
	t := &Tensor{z.Store, *m}
	t = &Tensor{&Storage{z.Store.Value}, t.M}
	if sum != nil {
		t = g.Add(sum, t).(*Tensor)
	}
	return t
}

// unexpand sums a part over the dims that its reader only repeated.
func (d *differ) unexpand(p part) part {
	var dims []int
	m := tensor.Meta{DType: p.over.DType, Dev: p.over.Dev, Off: p.over.Off}
	for i, s := range p.over.Stride {
		if s.Is(0) && !p.over.Size[i].KnownEq(sym.C(1)) {
			dims = append(dims, i)
			continue
		}
		m.Size, m.Stride = append(m.Size, p.over.Size[i]), append(m.Stride, s)
	}
	if len(dims) == 0 {
		return p
	}
	return part{m, d.g().Op("sum", p.grad, dims, false).(*Tensor)}
}

// permuted is a part's gradient over geometry m, where they differ in the order of
// dims and in dims of size 1 only.
func permuted(p part, m *tensor.Meta) *Tensor {
	if !p.over.Off.KnownEq(m.Off) {
		return nil
	}
	one := sym.C(1)
	r := tensor.Meta{DType: p.grad.M.DType, Dev: p.grad.M.Dev, Size: m.Size, Stride: make([]sym.Int, len(m.Size)), Off: p.grad.M.Off}
	used := make([]bool, len(p.over.Size))
next:
	for e, s := range m.Size {
		if s.KnownEq(one) {
			continue
		}
		for i := range p.over.Size {
			if !used[i] && p.over.Size[i].KnownEq(s) && p.over.Stride[i].KnownEq(m.Stride[e]) {
				used[i] = true
				r.Stride[e] = p.grad.M.Stride[i]
				continue next
			}
		}
		return nil
	}
	for i, s := range p.over.Size {
		if !used[i] && !s.KnownEq(one) {
			return nil
		}
	}
	return &Tensor{p.grad.Store, r}
}

// rowMajor is the strides of a contiguous tensor.
func rowMajor(size []sym.Int) []sym.Int {
	st, z := make([]sym.Int, len(size)), sym.C(1)
	for d := len(size) - 1; d >= 0; d-- {
		st[d] = z
		if n, ok := size[d].Const(); ok {
			z = z.Mul(sym.C(max(n, 1)))
		} else {
			z = z.Mul(size[d])
		}
	}
	return st
}
