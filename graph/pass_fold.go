package graph

import (
	"math"
	"unsafe"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// foldConstants evaluates pointwise nodes whose operands are all constants, with
// the very kernel they would run as, and fills with the result.
func foldConstants(g *Graph) bool {
	changed := false
	for _, n := range g.Nodes {
		if n.Target != nil || n.Call.Def.Body == nil || n.State >= 0 || hasEffect(n) {
			continue
		}
		if !n.Fixed && len(n.Call.Numbers(nil)) > 0 {
			continue
		}
		v, ok := n.evaluate()
		if !ok {
			continue
		}
		n.becomeFill(v)
		changed = true
	}
	return changed
}

// foldEnv hands a body the constants of its call.
type foldEnv struct {
	b *loop.Builder
	n *Node
}

func (e foldEnv) At(k int, at []loop.Ix, mask loop.V) loop.V {
	panic("BUG: a body indexes operand " + e.n.Call.Def.Name)
}

func (e foldEnv) Num(name string, t loop.Type) loop.V {
	slot, ok := e.n.Call.NumSlot(name)
	if !ok {
		panic("BUG: op " + e.n.Call.Def.Name + " reads number " + name + ", which is None")
	}
	return constantV(e.b, e.n.Call.Numbers(nil)[slot], t)
}

// constantV is a number as a constant of a type, converted as a run-time scalar is.
func constantV(b *loop.Builder, v tensor.Number, t loop.Type) loop.V {
	switch t {
	case loop.I32, loop.I64:
		return b.ConstI(t, int64(loop.ScalarBits(v, t)))
	case loop.B1:
		return b.Bool(loop.ScalarBits(v, t) != 0)
	}
	return b.Const(t, v.Float64())
}

// evaluate computes one element of a node over constants.
func (n *Node) evaluate() (r tensor.Number, ok bool) {
	c := n.Call
	d := n.OutMeta[0].DType
	b := loop.NewBuilder(c.Def.Name)
	b.Env = foldEnv{b, n}
	x := make([]loop.V, len(n.In))
	for k := range n.In {
		if n.In[k].Value == nil && !n.In[k].Num {
			continue
		}
		v, ok := n.constant(k)
		if !ok {
			return r, false
		}
		dt := c.In[k].DType
		if n.In[k].Value != nil {
			dt = n.In[k].DType
		}
		switch {
		case c.Takes(k) && n.In[k].Num:
			x[k] = constantV(b, v, loop.TypeOf(c.DType))
		case c.Takes(k):
			x[k] = b.CastTo(constantV(b, v, loop.TypeOf(dt)), c.DType)
		default:
			x[k] = constantV(b, v, loop.TypeOf(dt))
		}
	}
	out := b.AddBuf(d, loop.Out, "out")
	val := b.CastTo(c.Def.Body(b, x, c), d)
	b.Store(b.Access(out, nil, nil, sym.C(0), nil, 0), val)
	k := b.Kernel()
	if len(k.Params) > 0 || loop.Verify(k) != nil { // a symbolic size is no constant
		return r, false
	}
	p, err := loop.Portable().Compile(k)
	if err != nil {
		return r, false
	}
	var mem [8]byte
	if p.Run(&loop.Args{Bufs: []loop.Mem{loop.MemOf(mem[:], d)}}, 0, 1) != nil {
		return r, false
	}
	q := unsafe.Pointer(&mem[0])
	switch d {
	case tensor.Float32:
		return tensor.Float(float64(*(*float32)(q))), true
	case tensor.Float64:
		return tensor.Float(*(*float64)(q)), true
	case tensor.Float16:
		return tensor.Float(float64(tensor.F16ToF32(*(*uint16)(q)))), true
	case tensor.BFloat16:
		return tensor.Float(float64(tensor.BF16ToF32(*(*uint16)(q)))), true
	case tensor.Int64:
		return tensor.Int(*(*int64)(q)), true
	case tensor.Int32:
		return tensor.Int(int64(*(*int32)(q))), true
	case tensor.Int16:
		return tensor.Int(int64(*(*int16)(q))), true
	case tensor.Int8:
		return tensor.Int(int64(*(*int8)(q))), true
	case tensor.Uint8:
		return tensor.Int(int64(mem[0])), true
	case tensor.Bool:
		return tensor.Truth(mem[0] != 0), true
	}
	return r, false
}

// becomeFill turns a node into full of the same geometry.
func (n *Node) becomeFill(v tensor.Number) {
	if v.Kind == tensor.NumFloat && math.IsNaN(v.F) {
		v = tensor.Float(math.NaN())
	}
	d := lookup("full")
	m := n.OutMeta[0]
	c := &op.Call{Def: d, Args: make([]op.Arg, len(d.Params)), Default: n.Call.Default, DType: m.DType, Dev: n.Call.Dev, Out: []tensor.Meta{m}}
	for i := range d.Params {
		if p := d.Params[i].Default; p != nil {
			c.Args[i] = *p
		}
	}
	*c.Arg("size") = op.IntList(m.Size)
	*c.Arg("fill_value") = op.Num(v)
	*c.Arg("dtype") = op.DType(m.DType)
	if m.Dev != (tensor.Device{}) {
		*c.Arg("device") = op.Device(m.Dev)
	}
	n.Call, n.In, n.Fixed, n.Num = c, nil, true, 0
}
