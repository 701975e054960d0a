package graph

import (
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// Storage is the memory that views share while a graph is built: its Value is
// replaced by each write.
type Storage struct{ Value *Value }

// Tensor is a handle on a storage through geometry. It implements op.Tensor.
type Tensor struct {
	Store *Storage
	M     tensor.Meta
}

func (t *Tensor) Meta() *tensor.Meta { return &t.M }

// Builder appends the nodes of ops to a graph, functionally: views compose
// geometry, a write makes a new value of its storage. It implements op.Graph, so
// that VJPs and decompositions run through it. Numbers become constants of the
// graph (Node.Fixed).
type Builder struct {
	G       *Graph
	Default tensor.DType
	// OnNode, if set, is told of each node with the handles it was made from.
	OnNode func(n *Node, in, out []op.Tensor)
}

// NewBuilder starts a graph over a symbol context (nil: constants only).
func NewBuilder(ctx *sym.Ctx) *Builder {
	return &Builder{G: &Graph{Ctx: ctx}, Default: tensor.Float32}
}

// Input adds an input of geometry m in memory of n elements.
func (b *Builder) Input(m tensor.Meta, n sym.Int) *Tensor {
	return &Tensor{&Storage{b.G.NewInput(m.DType, n)}, m}
}

// DefaultDType implements op.Graph.
func (b *Builder) DefaultDType() tensor.DType { return b.Default }

// Apply implements op.Graph.
func (b *Builder) Apply(d *op.Def, args []op.Arg) ([]op.Tensor, error) {
	c, err := op.NewCall(d, args, b.Default)
	if err != nil {
		return nil, err
	}
	if d.Decomp != nil {
		return op.RunDecomp(b, c)
	}
	if err := c.Infer(); err != nil {
		return nil, err
	}
	if d.View != nil {
		return []op.Tensor{&Tensor{c.T[0].(*Tensor).Store, c.Out[0]}}, nil
	}
	return b.node(c), nil
}

// node appends an inferred call that computes.
func (b *Builder) node(c *op.Call) []op.Tensor {
	n := &Node{Call: c, Fixed: true, State: -1}
	for k, t := range c.T {
		switch {
		case c.IsNum(k):
			n.In = append(n.In, Operand{Num: true})
		case t == nil:
			n.In = append(n.In, Operand{})
		default:
			h := t.(*Tensor)
			n.In = append(n.In, Operand{Value: h.Store.Value, Meta: h.M})
		}
	}
	if c.Def.State {
		n.State = b.G.States
		b.G.States++
	}
	b.G.Add(n)
	out := make([]op.Tensor, len(n.Out))
	for j, v := range n.Out {
		v.Len = reach(&c.Out[j])
		out[j] = &Tensor{&Storage{v}, c.Out[j]}
	}
	if b.OnNode != nil {
		b.OnNode(n, c.T, out)
	}
	return out
}

// Reach is the length of the memory that fresh geometry needs.
func Reach(m *tensor.Meta) sym.Int { return reach(m) }

// reach is the length of the memory that fresh geometry needs: its elements,
// since outputs are dense.
func reach(m *tensor.Meta) sym.Int {
	if Dense(m) {
		return m.Numel()
	}
	n := sym.C(1)
	for d, s := range m.Size {
		if s.Is(0) {
			return sym.C(0)
		}
		n = n.Add(s.Sub(sym.C(1)).Mul(m.Stride[d]))
	}
	return n
}

// Write implements op.Graph: a put through dst's geometry.
func (b *Builder) Write(dst, src op.Tensor) (err error) {
	d, s := dst.(*Tensor), src.(*Tensor)
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *tensor.Error:
			err = e
		default:
			panic(e)
		}
	}()
	m := op.Expand(&s.M, d.M.Size)
	d.Store.Value = b.G.Put(d.Store.Value, &d.M, Operand{Value: s.Store.Value, Meta: m}, b.Default)
	return nil
}

// Put appends a put of src, which has t's size and is converted, into memory base
// through geometry t, and returns the new memory.
func (g *Graph) Put(base *Value, t *tensor.Meta, src Operand, def tensor.DType) *Value {
	d := lookup("clone")
	flat := tensor.Meta{DType: base.DType, Dev: t.Dev, Size: []sym.Int{base.Len}, Stride: []sym.Int{sym.C(1)}}
	sm, target := src.Meta, *t
	c := &op.Call{Def: d, Args: make([]op.Arg, len(d.Params)), Default: def, DType: src.DType, Dev: t.Dev,
		In: []*tensor.Meta{&flat, &sm}, Out: []tensor.Meta{flat}}
	n := &Node{Call: c, In: []Operand{{Value: base, Meta: flat}, src}, State: -1, Target: &target, Fixed: true}
	g.Add(n)
	n.Out[0].Len = base.Len
	return n.Out[0]
}

// Return makes tensors the graph's outputs: the memory of each, and its geometry
// there.
func (b *Builder) Return(ts ...op.Tensor) []tensor.Meta {
	var m []tensor.Meta
	for _, t := range ts {
		h := t.(*Tensor)
		b.G.Outputs = append(b.G.Outputs, h.Store.Value)
		m = append(m, h.M)
	}
	return m
}

var _ op.Graph = (*Builder)(nil)
