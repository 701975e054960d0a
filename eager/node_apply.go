package eager

import (
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// apply runs the node's step. history: saved tensors come back with their place on the tape.
func (n *Node) apply(x *Context, grad []*Tensor, history bool) ([]*Tensor, error) {
	if n.inner != nil {
		return n.inner(x, n, grad)
	}
	if n.half != nil {
		return n.half.apply(x, n, grad, history)
	}
	if n.freed {
		return nil, freedError()
	}
	c := n.call
	if c.Def.VJP == nil {
		return nil, raise(tensor.NotImplementedError, "the derivative for '%s' is not implemented.", c.Def.Base)
	}
	in, out, g := make([]op.Tensor, len(n.in)), make([]op.Tensor, len(n.out)), make([]op.Tensor, len(grad))
	load := func(dst []op.Tensor, src []Saved, meta func(i int) *tensor.Meta) error {
		for i := range src {
			m := meta(i)
			if m == nil {
				continue
			}
			if src[i].ver == nil {
				dst[i] = op.Bare{M: m}
				continue
			}
			t, err := src[i].unpack(history)
			if err != nil {
				return err
			}
			if m := t.meta.Load(); x.sizes != nil && m != nil {
				x.SetMeta(t, m)
			}
			dst[i] = t
		}
		return nil
	}
	if err := load(in, n.in, func(i int) *tensor.Meta { return c.In[i] }); err != nil {
		return nil, err
	}
	if err := load(out, n.out, func(i int) *tensor.Meta { return &c.Out[i] }); err != nil {
		return nil, err
	}
	for i, t := range grad {
		if t != nil {
			g[i] = t
		}
	}
	r, err := op.RunVJP(x, c, in, out, g)
	if err != nil {
		return nil, err
	}
	res := make([]*Tensor, len(n.next))
	for i, t := range r {
		if t != nil {
			res[i] = t.(*Tensor)
		}
	}
	return res, nil
}

// release drops what the node saved.
func (n *Node) release() {
	if n.wraps != nil {
		n.wraps.release()
	}
	n.in, n.out = nil, nil
	n.freed = n.freed || n.savesData
	if !n.savesData && n.call != nil {
		n.room(readSet{}, len(n.call.In), len(n.outs))
	}
}
