package op

import (
	"math"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Advanced indexing, x[…] with tensors. Slices, integers and None are views and
// come before (whoever translates the subscript makes them); here are only the
// tensors, one for each leading dimension, absent where a dimension stays whole.

var (
	inf = math.Inf(1)
	nan = math.NaN()
)

func init() {
	Register(
		&Def{
			Sig: "index.Tensor(Tensor self, Tensor[] indices) -> Tensor", Doc: "self[i, j, …] with integer tensors, masks and absent entries.",
			Sized: true,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				x, l := g.indices(in[0], in[1:])
				return []Tensor{g.Op("_index", x, l)}
			},
			Samples: func() []Sample {
				s := samplesOf("index.Tensor")
				for _, l := range layouts {
					s.add(s.lay(l, 3, 4), ts(s.i(-3, 3, 2))).add(s.lay(l, 3, 4), ts(nil, s.i(0, 4, 2, 2))).add(s.lay(l, 3, 4), ts(s.i(0, 3, 2), s.i(-4, 4, 2)))
				}
				s.add(s.f(2, 3, 4), ts(s.i(0, 2, 2), nil, s.i(0, 4, 3, 1))).add(s.f(2, 3, 4), ts(nil, s.i(0, 3, 2), s.i(0, 4, 2))).add(s.f(3), ts(s.i(0, 3))).add(s.f(3, 2), ts(s.i(0, 1, 0)))
				s.add(s.f(3, 4), ts(s.b(3))).add(s.f(3, 4), ts(s.b(3, 4))).add(s.f(3, 4), ts(nil, s.b(4))).add(s.f(2, 3), ts(s.b(2), s.i(0, 3, 1))).add(s.d64(3, 2), ts(s.it(0, 3, 2, 2)))
				s.raises(tensor.IndexError, s.f(2, 3), ts(s.i(5, 6, 1))).raises(tensor.IndexError, s.f(2, 3), ts(s.i(-5, -4, 1))).raises(tensor.IndexError, s.f(2, 3), ts(s.i(0, 2, 2), s.i(0, 3, 3)))
				s.raises(tensor.IndexError, s.f(2, 3), ts(s.i(0, 1, 1), s.i(0, 1, 1), s.i(0, 1, 1))).raises(tensor.IndexError, s.f(2, 3), ts(s.b(3))).raises(tensor.IndexError, s.f(2, 3), ts(s.f(1)))
				return s.done()
			},
		},
		&Def{
			Sig: "_index(Tensor self, Tensor[] indices) -> Tensor", Doc: "index with int64 tensors of one size (or absent).",
			Shape: func(c *Call) []tensor.Meta {
				return []tensor.Meta{{Size: indexedSize(c.In[0].Size, c.In[1:]), DType: c.In[0].DType}}
			},
			Index: func(b *loop.Builder, c *Call, at []loop.Ix) loop.V {
				return b.At(0, indexedAt(b, c.In[0], c.In[1:], 1, at), 0)
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				o := make([]Tensor, len(c.In))
				o[0] = g.Op("_index_put", g.Full(grad[0], c.In[0].Size, 0), grad[0], in[1:], true)
				return o
			},
		},
		&Def{
			Sig: "index_put(Tensor self, Tensor[] indices, Tensor values, bool accumulate=False) -> Tensor", Doc: "self with self[i, j, …] = values (or added, if accumulate).", Bind: Fn | Method | InPlace,
			Sized: true,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				self, list, v := in[0], in[1:len(in)-1], in[len(in)-1]
				if self.Meta().DType != v.Meta().DType {
					Raise(tensor.RuntimeError, "Index put requires the source and destination dtypes match, got %s for the destination and %s for the source.", self.Meta().DType.ScalarName(), v.Meta().DType.ScalarName())
				}
				// one mask and one value need no count of the mask
				if len(list) == 1 && list[0] != nil && list[0].Meta().DType == tensor.Bool && v.Meta().Rank() == 0 && !c.Bool("accumulate") {
					m, mask := self.Meta(), list[0]
					n := mask.Meta().Rank()
					checkMask(m, mask.Meta(), 0)
					size := append([]SymInt{}, mask.Meta().Size...)
					for len(size) < m.Rank() {
						size = append(size, C(1))
					}
					if n < m.Rank() {
						mask = g.Op("view", g.Op("contiguous", mask), size)
					}
					return []Tensor{g.Op("masked_fill.Tensor", self, mask, v)}
				}
				x, l := g.indices(self, list)
				metas := make([]*tensor.Meta, len(l))
				for i, t := range l {
					if t != nil {
						metas[i] = t.Meta()
					}
				}
				size := indexedSize(x.Meta().Size, metas)
				if !broadcastsTo(v.Meta().Size, size) {
					Raise(tensor.RuntimeError, "shape mismatch: value tensor of shape %s cannot be broadcast to indexing result of shape %s", ShapeText(v.Meta().Size), ShapeText(size))
				}
				return []Tensor{g.Op("_index_put", x, g.Op("expand", v, size), l, c.Bool("accumulate"))}
			},
			Samples: func() []Sample {
				s := samplesOf("index_put")
				for _, l := range layouts {
					s.add(s.lay(l, 3, 4), ts(s.perm(3)), s.f(3, 4)).add(s.lay(l, 3, 4), ts(s.i(0, 3, 5)), s.f(4), true).add(s.lay(l, 3, 4), ts(s.i(0, 3, 2), s.i(-4, 4, 2)), s.f(2), true)
				}
				s.add(s.f(3, 4), ts(nil, s.perm(4)), s.f(1, 4)).add(s.f(3), ts(s.i(0, 3)), s.f()).add(s.f(3, 2), ts(s.i(0, 1, 0)), s.f(2)).add(s.f(3, 4), ts(s.b(3, 4)), s.f()).add(s.f(3, 4), ts(s.b(3)), s.f()).add(s.f(3, 4), ts(s.b(3)), s.f(1, 4))
				s.raises(tensor.RuntimeError, s.f(2, 3), ts(s.i(0, 1, 1)), s.f(2, 2)).raises(tensor.IndexError, s.f(2, 3), ts(s.i(5, 6, 1)), s.f(3)).raises(tensor.RuntimeError, s.f(2, 3), ts(s.i(0, 1, 1)), s.d64(3))
				return s.done()
			},
		},
		&Def{
			Sig: "_index_put(Tensor self, Tensor values, Tensor[] indices, bool accumulate) -> Tensor", Doc: "index_put with int64 tensors of one size and values of the indexed size.",
			Shape: shapeLike0, Layout: LayoutPreserve,
			Scatter: &Scatter{
				Combine: func(c *Call) loop.Combine {
					if c.Bool("accumulate") {
						return loop.CombineAdd
					}
					return loop.CombineSet
				},
				At: func(b *loop.Builder, c *Call, at []loop.Ix) ([]loop.Ix, loop.V) {
					return indexedAt(b, c.In[0], c.In[2:], 2, at), b.At(1, at, 0)
				},
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				o := make([]Tensor, len(c.In))
				o[0] = grad[0]
				if !c.Bool("accumulate") && c.NeedsGrad(0) {
					o[0] = g.Op("_index_put", grad[0], g.Op("expand", g.Full(grad[0], nil, 0), c.In[1].Size), in[2:], false)
				}
				if c.NeedsGrad(1) {
					o[1] = g.Op("_index", grad[0], in[2:])
				}
				return o
			},
		},
	)
}

// indices turns masks into integers, checks, broadcasts and casts the index
// tensors of x.
func (g *G) indices(x Tensor, list []Tensor) (Tensor, []Tensor) {
	m := x.Meta()
	var l []Tensor
	for _, t := range list {
		if t == nil {
			l = append(l, nil)
			continue
		}
		switch d := t.Meta().DType; d {
		case tensor.Bool, tensor.Uint8:
			checkMask(m, t.Meta(), len(l))
			l = append(l, g.Ops("unbind.int", g.Op("nonzero", t), 1)...)
			if t.Meta().Rank() == 0 { // a 0-dim mask adds a dimension of its own
				Raise(tensor.NotImplementedError, "indexing with a 0-dim bool tensor is not supported")
			}
		case tensor.Int64:
			l = append(l, t)
		case tensor.Int32:
			l = append(l, g.Cast(t, tensor.Int64))
		default:
			Raise(tensor.IndexError, "tensors used as indices must be long, byte or bool tensors")
		}
	}
	if len(l) > m.Rank() {
		Raise(tensor.IndexError, "too many indices for tensor of dimension %d", m.Rank())
	}
	var size []SymInt
	first := true
	for _, t := range l {
		if t == nil {
			continue
		}
		if first {
			size, first = t.Meta().Size, false
			continue
		}
		s := t.Meta().Size
		if !canBroadcast(size, s) {
			text := ""
			for _, u := range l {
				if u != nil {
					text += ", " + ShapeText(u.Meta().Size)
				}
			}
			Raise(tensor.IndexError, "shape mismatch: indexing tensors could not be broadcast together with shapes %s", text[2:])
		}
		size = Broadcast(size, s)
	}
	if first {
		Raise(tensor.IndexError, "index needs at least one tensor")
	}
	for i, t := range l {
		if t != nil && !same(t.Meta().Size, size) {
			l[i] = g.Op("expand", t, size)
		}
	}
	return x, l
}

func checkMask(m, mask *tensor.Meta, at int) {
	for j := range mask.Size {
		if at+j >= m.Rank() {
			Raise(tensor.IndexError, "too many indices for tensor of dimension %d", m.Rank())
		}
		if !mask.Size[j].Eq(m.Size[at+j]) {
			Raise(tensor.IndexError, "The shape of the mask %s at index %d does not match the shape of the indexed tensor %s at index %d", ShapeText(mask.Size), j, ShapeText(m.Size), at+j)
		}
	}
}

// canBroadcast peeks at hints; the Broadcast that follows takes the guards.
func canBroadcast(a, b []SymInt) bool {
	for i := 1; i <= min(len(a), len(b)); i++ {
		x, y := a[len(a)-i].Hint(), b[len(b)-i].Hint()
		if x != y && x != 1 && y != 1 {
			return false
		}
	}
	return true
}

func broadcastsTo(a, to []SymInt) bool {
	if len(a) > len(to) {
		return false
	}
	for i := 1; i <= len(a); i++ {
		x, y := a[len(a)-i].Hint(), to[len(to)-i].Hint()
		if x != y && x != 1 {
			return false
		}
	}
	return true
}

// indexPlace says where the indexed dimensions' common size goes in the result:
// in the place of the first where they are adjacent, else in front.
func indexPlace(list []*tensor.Meta) (place, rank int) {
	first, last, n := -1, -1, 0
	for d, t := range list {
		if t == nil {
			continue
		}
		if first < 0 {
			first, rank = d, t.Rank()
		}
		last = d
		n++
	}
	if last-first+1 != n {
		first = 0
	}
	return first, rank
}

func indexedSize(size []SymInt, list []*tensor.Meta) []SymInt {
	place, _ := indexPlace(list)
	var common, o []SymInt
	put := false
	for _, t := range list {
		if t != nil {
			common = t.Size
			break
		}
	}
	add := func() {
		if !put {
			o, put = append(o, common...), true
		}
	}
	for d, s := range size {
		if len(o) == place {
			add()
		}
		if d < len(list) && list[d] != nil {
			continue
		}
		o = append(o, s)
	}
	add()
	if o == nil {
		o = []SymInt{}
	}
	return o
}

// indexedAt is the index into the indexed tensor m for an index into the result;
// the index tensors are operands from k on.
func indexedAt(b *loop.Builder, m *tensor.Meta, list []*tensor.Meta, k int, at []loop.Ix) []loop.Ix {
	place, rank := indexPlace(list)
	rest := append(append([]loop.Ix{}, at[:place]...), at[place+rank:]...)
	common := at[place : place+rank]
	ix := make([]loop.Ix, m.Rank())
	n := 0
	for d := range ix {
		if d < len(list) && list[d] != nil {
			ix[d] = loop.IxData(wrapIndex(b, b.At(k+d, common, 0), m.Size[d]), nil)
			continue
		}
		ix[d] = rest[n]
		n++
	}
	return ix
}

// wrapIndex maps a negative index that is in range; one that is not stays as it
// is, so that the error shows it.
func wrapIndex(b *loop.Builder, i loop.V, n SymInt) loop.V {
	i = b.Cast(i, loop.I64)
	zero := b.ConstI(loop.I64, 0)
	w := b.Add(i, b.Size(n))
	return b.Select(b.And(b.Lt(i, zero), b.Ge(w, zero)), w, i)
}
