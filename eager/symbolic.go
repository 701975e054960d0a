package eager

import (
	"weak"

	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// While a recorder traces sizes, the Meta of some tensors is symbolic: rules see
// expressions, kernels run on the numbers at hand, which are the expressions' hints.
// All of it is taken back when the trace ends.

// trace is what has to be taken back.
type trace struct {
	undo []func()
	some bool // symbolic geometry was met
	lost string
}

// TraceSizes makes the Context work with symbolic geometry until Untrace.
func (x *Context) TraceSizes() { x.sizes = &trace{} }

// Untrace makes everything concrete again.
func (x *Context) Untrace() {
	if t := x.sizes; t != nil {
		x.sizes = nil
		for _, f := range t.undo {
			f()
		}
	}
}

// SetMeta gives a tensor a geometry whose values at hand are its own.
func (x *Context) SetMeta(t *Tensor, m *tensor.Meta) {
	t.meta.Store(m)
	if x.sizes != nil && m.Symbolic() {
		x.sizes.some = true
		x.sizes.plain(t)
	}
}

// plain takes a tensor's symbolic geometry back at the end, if it lives so long.
func (s *trace) plain(t *Tensor) {
	w := weak.Make(t)
	s.undo = append(s.undo, func() {
		if t := w.Value(); t != nil {
			t.meta.Store(nil)
		}
	})
}

// GiveUp says that sizes were used as plain numbers in a place that cannot guard them.
func (x *Context) GiveUp(why string) {
	if x.sizes != nil && x.sizes.some && x.sizes.lost == "" {
		x.sizes.lost = why
	}
}

// Lost is what GiveUp was told since TraceSizes.
func (x *Context) Lost() string {
	if x.sizes == nil {
		return ""
	}
	return x.sizes.lost
}

// keepNode has a node's call made concrete at the end.
func (x *Context) keepNode(n *Node) {
	if x.sizes == nil {
		return
	}
	symbolic := symbolicCall(n.call)
	for i := range n.call.Args {
		_, isBare := n.call.Args[i].P.(op.Bare)
		_, isList := n.call.Args[i].P.([]op.Tensor)
		symbolic = symbolic || isBare || isList
	}
	if symbolic {
		w := weak.Make(n)
		x.sizes.undo = append(x.sizes.undo, func() {
			if n := w.Value(); n != nil {
				n.call = atHand(n.call)
			}
		})
	}
	for _, l := range [2][]Saved{n.in, n.out} {
		for i := range l {
			if v := l[i].ver; v != nil {
				if m := v.meta.Load(); m != nil && m.Symbolic() {
					x.sizes.plain(v)
				}
			}
		}
	}
}

// Pin makes a tensor's geometry a constant of the recording, for code that works with
// plain numbers.
func Pin(ts ...*Tensor) {
	for _, t := range ts {
		if t != nil {
			if m := t.meta.Load(); m != nil && m.Symbolic() {
				m.Concrete()
			}
		}
	}
}

// wanted guards what a call's outputs are checked for: that no size is negative. What
// reaches memory by numbers of its own (as_strided) is checked for these only.
func (x *Context) wanted(c *op.Call) {
	if x.sizes == nil {
		return
	}
	for i := range c.Out {
		for _, s := range c.Out[i].Size {
			if !s.KnownGe0() {
				s.Ge(sym.C(0))
			}
		}
		if c.Def.Base == "as_strided" && c.Out[i].Symbolic() {
			c.Out[i].Concrete()
			c.In[0].Concrete()
		}
	}
}

// symbolicCall reports a call with expressions among sizes or arguments.
func symbolicCall(c *op.Call) bool {
	for _, m := range c.In {
		if m != nil && m.Symbolic() {
			return true
		}
	}
	for i := range c.Out {
		if c.Out[i].Symbolic() {
			return true
		}
	}
	for i := range c.Args {
		a := &c.Args[i]
		if !a.I.IsConst() {
			return true
		}
		if l, ok := a.P.([]sym.Int); ok {
			for _, v := range l {
				if !v.IsConst() {
					return true
				}
			}
		}
	}
	return false
}

// atHand is the call with the values that expressions have now.
func atHand(c *op.Call) *op.Call {
	n := *c
	plain := func(m *tensor.Meta) *tensor.Meta {
		if m == nil || !m.Symbolic() {
			return m
		}
		g := m.AtHand()
		return g.Meta(m.Dev)
	}
	n.In = make([]*tensor.Meta, len(c.In))
	for i, m := range c.In {
		n.In[i] = plain(m)
	}
	n.Out = make([]tensor.Meta, len(c.Out))
	for i := range c.Out {
		n.Out[i] = *plain(&c.Out[i])
	}
	n.Args = append([]op.Arg(nil), c.Args...)
	for i := range n.Args {
		a := &n.Args[i]
		a.I = sym.C(a.I.Hint())
		switch l := a.P.(type) {
		case []sym.Int:
			o := make([]sym.Int, len(l))
			for j, v := range l {
				o[j] = sym.C(v.Hint())
			}
			a.P = o
		case op.Bare:
			a.P = op.Bare{M: plain(l.M)}
		case []op.Tensor:
			o := make([]op.Tensor, len(l))
			for j, t := range l {
				o[j] = t
				if b, ok := t.(op.Bare); ok {
					o[j] = op.Bare{M: plain(b.M)}
				}
			}
			a.P = o
		}
	}
	return &n
}

// sameSize compares sizes: where they are traced the answer is guarded.
func (x *Context) sameSize(a, b *Tensor) bool {
	if x.sizes == nil {
		return sameInts(a.Size, b.Size)
	}
	return sym.AllEq(a.Meta().Size, b.Meta().Size)
}

func sameInts(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
