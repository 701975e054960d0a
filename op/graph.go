package op

import (
	"github.com/larkspur-ml/larkspur/tensor"
)

// Graph applies ops: eager execution, a recording, or geometry only. Decomp and
// VJP rules see it through G.
type Graph interface {
	// Apply runs a Def: promotion, shape, views, decompositions, all included.
	Apply(d *Def, args []Arg) ([]Tensor, error)
	// Write stores src (broadcast, cast) through dst's geometry into its storage.
	Write(dst, src Tensor) error
	// DefaultDType is the default floating-point dtype.
	DefaultDType() tensor.DType
}

// G is a Graph in the words a rule is written in. Its methods Raise.
type G struct{ Graph }

// KW is a keyword argument of G.Op.
type KW struct {
	Name string
	V    any
}

// Ops applies the op of that name. Arguments are Go values by position, then
// KWs: Tensor, []Tensor, nil, int, int64, sym.Int, []int, []sym.Int, float64,
// bool, string, tensor.DType, tensor.Number, tensor.Device, *tensor.Generator, Arg.
func (g *G) Ops(name string, args ...any) []Tensor {
	d := Lookup(name)
	if d == nil {
		panic("BUG: no op " + name)
	}
	a := make([]Arg, len(d.Params))
	for i := range d.Params {
		if p := d.Params[i].Default; p != nil {
			a[i] = *p
		}
	}
	for i, v := range args {
		if k, ok := v.(KW); ok {
			i = -1
			for j := range d.Params {
				if d.Params[j].Name == k.Name {
					i = j
				}
			}
			if i < 0 {
				panic("BUG: op " + name + " has no parameter " + k.Name)
			}
			v = k.V
		}
		a[i] = toArg(d, &d.Params[i], v)
	}
	out, err := g.Apply(d, a)
	if err != nil {
		panic(asError(err))
	}
	return out
}

// Op is Ops with one result.
func (g *G) Op(name string, args ...any) Tensor { return g.Ops(name, args...)[0] }

// Put is Write that raises.
func (g *G) Put(dst, src Tensor) {
	if err := g.Write(dst, src); err != nil {
		panic(asError(err))
	}
}

// The arithmetic that VJPs use most. b may be a Tensor or a number.
func (g *G) Add(a Tensor, b any) Tensor { return g.Op("add", a, b) }
func (g *G) Sub(a Tensor, b any) Tensor { return g.Op("sub", a, b) }
func (g *G) Mul(a Tensor, b any) Tensor { return g.Op("mul", a, b) }
func (g *G) Div(a Tensor, b any) Tensor { return g.Op("div", a, b) }
func (g *G) Neg(a Tensor) Tensor        { return g.Op("neg", a) }

// Zeros is a new tensor of zeros with t's size, dtype and device.
func (g *G) Zeros(t Tensor) Tensor { return g.Full(t, t.Meta().Size, 0) }

// Full is a new contiguous tensor filled with v, with t's dtype and device.
func (g *G) Full(t Tensor, size []SymInt, v float64) Tensor {
	m := t.Meta()
	return g.Op("full", size, v, KW{"dtype", m.DType}, KW{"device", m.Dev})
}

// Cast is t in dtype d.
func (g *G) Cast(t Tensor, d tensor.DType) Tensor {
	if t.Meta().DType == d {
		return t
	}
	return g.Op("_to_dtype", t, d)
}

// SumTo undoes broadcasting: t summed to size. It takes no guard, since the
// forward op decided "equal" or "is 1" for each dimension.
func (g *G) SumTo(t Tensor, size []SymInt) Tensor {
	m := t.Meta()
	lead := m.Rank() - len(size)
	var dims []int
	same := lead == 0
	for d := range m.Size {
		if d < lead {
			dims = append(dims, d)
			continue
		}
		if m.Size[d].KnownEq(size[d-lead]) {
			continue
		}
		same = false
		if size[d-lead].Eq(C(1)) {
			dims = append(dims, d)
		}
	}
	if same {
		return t
	}
	if len(dims) > 0 {
		t = g.Op("sum", t, dims, true)
	}
	for ; lead > 0; lead-- {
		t = g.Op("select", t, 0, 0)
	}
	return t
}

func asError(err error) *tensor.Error {
	if e, ok := err.(*tensor.Error); ok {
		return e
	}
	return &tensor.Error{Kind: tensor.RuntimeError, Msg: err.Error(), Cause: err}
}

// RunDecomp expands a Call whose Def has a Decomp.
func RunDecomp(g Graph, c *Call) (out []Tensor, err error) {
	defer raised(&err)
	return c.Def.Decomp(&G{g}, c, c.T), nil
}

// RunVJP applies a Call's VJP. The gradients have the operands' sizes and dtypes.
func RunVJP(gr Graph, c *Call, in, out, grad []Tensor) (_ []Tensor, err error) {
	defer raised(&err)
	g := &G{gr}
	r := c.Def.VJP(g, c, in, out, grad)
	for k, t := range r {
		if t == nil || !c.NeedsGrad(k) {
			r[k] = nil
			continue
		}
		r[k] = g.Cast(g.SumTo(t, c.In[k].Size), c.In[k].DType)
	}
	return r, nil
}
