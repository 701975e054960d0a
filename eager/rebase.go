package eager

import (
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// innerFunc is the backward step of a node that no Def describes. Gradients in and out may be nil.
type innerFunc func(x *Context, n *Node, grad []*Tensor) ([]*Tensor, error)

// rebase makes n, the node of an in-place op, the history of self. Where self is a view, the base gets a node that routes the
// gradient of the written part through n and lets the rest pass (torch's CopySlices), and self reads from the base anew.
//
//	before   base ◀── view            after   base₀ ◀── CopySlices{n} ◀── AsStrided ◀── view
//	                                                         │
//	                                              other operands of n
func (x *Context) rebase(self *Tensor, n *Node) error {
	if x.Observer != nil {
		x.Observer.OnTape(self)
	}
	v := self.view
	if v != nil {
		Pin(self, v.base)
	}
	if v == nil {
		n.attach([]*Tensor{self})
		return nil
	}
	base := v.base
	s := &Node{Name: "CopySlices", seq: x.nextSeq(), outs: []outMeta{metaOf(base)}, next: append([]Edge(nil), n.next...)}
	var err error
	if s.next[0], err = base.edge(); err != nil {
		return err
	}
	s.inner, s.wraps = sliceBackward(n, base.Geometry, self.Geometry), n
	a := base.auto()
	a.node, a.out, a.requires = s, 0, false
	base.changed()
	// The view's history is remade from the base's when it is next asked for: its version is stale now.
	if v.version == self.Version() {
		v.version--
	}
	return nil
}

// like is a new tensor over memory of its own with base's size and strides, holding grad (nil: zeros). All its steps are ops, so that
// they can be differentiated and recorded.
func (x *Context) like(base *tensor.Geometry, dev tensor.Device, grad *Tensor) (*Tensor, error) {
	if grad != nil && base.Contiguous() {
		return x.Op("_contiguous", grad)
	}
	lo, hi := base.Span()
	flat, err := x.Op("full", []int64{hi - lo}, 0.0, op.KW{Name: "dtype", V: base.DType}, op.KW{Name: "device", V: dev})
	if err != nil {
		return nil, err
	}
	t, err := x.strided(flat, base.Size, base.Stride, 0)
	if err != nil || grad == nil {
		return t, err
	}
	return t, x.Write(t, grad)
}

func (x *Context) strided(t *Tensor, size, stride []int64, off int64) (*Tensor, error) {
	return x.Op("as_strided", t, size, stride, off)
}

// window is the part of a tensor made by like that view is of base.
func (x *Context) window(t *Tensor, base, view *tensor.Geometry) (*Tensor, error) {
	return x.strided(t, view.Size, view.Stride, t.Off+view.Off-base.Off)
}

func sliceBackward(fn *Node, base, view tensor.Geometry) innerFunc {
	return func(x *Context, n *Node, grad []*Tensor) ([]*Tensor, error) {
		g := grad[0]
		out := make([]*Tensor, len(n.next))
		if g == nil {
			return out, nil
		}
		all, err := x.like(&base, g.Device(), g)
		if err != nil {
			return nil, err
		}
		part, err := x.window(all, &base, &view)
		if err != nil {
			return nil, err
		}
		copied, err := x.Op("clone", part)
		if err != nil {
			return nil, err
		}
		res, err := fn.apply(x, []*Tensor{copied}, x.GradMode)
		if err != nil {
			return nil, err
		}
		copy(out[1:], res[1:])
		if n.next[0].Node != nil {
			r := res[0]
			if r == nil {
				if r, err = x.Op("full", part.Size, 0.0, op.KW{Name: "dtype", V: part.DType}, op.KW{Name: "device", V: part.Device()}); err != nil {
					return nil, err
				}
			}
			if err := x.Write(part, r); err != nil {
				return nil, err
			}
			out[0] = all
		}
		return out, nil
	}
}

// stridedBackward puts the gradient of a view into zeros of the base's shape. Dimensions along which the view repeats memory are
// summed first.
func stridedBackward(base, view tensor.Geometry) innerFunc {
	return func(x *Context, n *Node, grad []*Tensor) ([]*Tensor, error) {
		g := grad[0]
		if g == nil {
			return []*Tensor{nil}, nil
		}
		all, err := x.like(&base, g.Device(), nil)
		if err != nil {
			return nil, err
		}
		w := view
		w.Size = append([]int64(nil), view.Size...)
		var dims []int
		for d, s := range w.Size {
			if s > 1 && w.Stride[d] == 0 {
				dims = append(dims, d)
				w.Size[d] = 1
			}
		}
		if len(dims) > 0 {
			if g, err = x.Op("sum", g, dims, true); err != nil {
				return nil, err
			}
		}
		part, err := x.window(all, &base, &w)
		if err != nil {
			return nil, err
		}
		return []*Tensor{all}, x.Write(part, g)
	}
}

// copyBackward: what was overwritten has no influence, what was copied has all.
func copyBackward(src outMeta) innerFunc {
	return func(x *Context, n *Node, grad []*Tensor) ([]*Tensor, error) {
		out := make([]*Tensor, 2)
		g := grad[0]
		if g == nil {
			return out, nil
		}
		var err error
		if n.next[0].Node != nil {
			if out[0], err = x.Op("full", g.Size, 0.0, op.KW{Name: "dtype", V: g.DType}, op.KW{Name: "device", V: g.Device()}); err != nil {
				return nil, err
			}
		}
		if n.next[1].Node != nil {
			out[1], err = x.fit(g, &src)
		}
		return out, err
	}
}

// fit sums a gradient to a size that was broadcast to its own and casts it.
func (x *Context) fit(g *Tensor, m *outMeta) (r *Tensor, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *tensor.Error:
			err = e
		default:
			panic(e)
		}
	}()
	gr := op.G{Graph: x}
	var t op.Tensor = g
	if lead := len(m.size) - len(g.Size); lead > 0 { // copy_ dropped leading ones
		t = gr.Op("reshape", t, m.size)
	}
	size := make([]op.SymInt, len(m.size))
	for i, s := range m.size {
		size[i] = op.C(s)
	}
	return gr.Cast(gr.SumTo(t, size), m.dtype).(*Tensor), nil
}
