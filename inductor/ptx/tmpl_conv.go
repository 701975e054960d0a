package ptx

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// Convolutions. What tensor cores or tiles of float32 serve is an implicit product
// (tmpl_conv_tile.go); the rest, of any dtype, groups and strides, is a nest in which
// neighbouring threads compute neighbouring positions:
//
//	conv         y[n,o,l]   = Σ_{c,tap} w[o,c,tap] x[n,c,l*stride-pad+tap*dil]
//	conv_input   x[n,c,p]   = Σ_{o,tap} w[o,c,tap] y[n,o,(p+pad-tap*dil)/stride]   where that is whole
//	conv_weight  w[o,c,tap] = Σ_{n,l} y[n,o,l] x[n,c,l*stride-pad+tap*dil]

func init() {
	templates["conv"] = func(t *Target, a *loop.TemplateArgs) (bool, error) { return t.conv(a, convForward) }
	templates["conv_input"] = func(t *Target, a *loop.TemplateArgs) (bool, error) { return t.conv(a, convInput) }
	templates["conv_weight"] = func(t *Target, a *loop.TemplateArgs) (bool, error) { return t.conv(a, convWeight) }
}

type convWay uint8

const (
	convForward convWay = iota
	convInput
	convWeight
)

var convNames = [...]string{"conv", "conv_input", "conv_weight"}

// convolution is the geometry of one: image, kernel and output, whichever of them is
// computed, with 3 spatial dims, unit ones in front.
type convolution struct {
	x, w, y, bias    *loop.Operand
	batch, cg, og    int64 // channels of a group
	groups           int64
	in, out, win     [3]int64
	stride, pad, dil [3]int64
	xs, ws, ys       [5]int64 // strides: batch (or out) and channel, then spatial
}

func newConvolution(a *loop.TemplateArgs, way convWay) *convolution {
	c := &convolution{}
	switch way {
	case convForward:
		c.x, c.w, c.y = &a.In[0], &a.In[1], &a.Out[0]
		if len(a.In) > 2 && a.In[2].DType != tensor.Invalid {
			c.bias = &a.In[2]
		}
	case convInput:
		c.y, c.w, c.x = &a.In[0], &a.In[1], &a.Out[0]
	case convWeight:
		c.x, c.y, c.w = &a.In[0], &a.In[1], &a.Out[0]
	}
	d := len(c.x.Size) - 2
	c.batch, c.groups = c.x.Size[0], a.Ints[3*d]
	c.cg, c.og = c.x.Size[1]/c.groups, c.y.Size[1]/c.groups
	for i := range 3 {
		c.in[i], c.out[i], c.win[i], c.stride[i], c.dil[i] = 1, 1, 1, 1, 1
		k := i - (3 - d)
		if k < 0 {
			continue
		}
		c.in[i], c.out[i], c.win[i] = c.x.Size[2+k], c.y.Size[2+k], c.w.Size[2+k]
		c.stride[i], c.pad[i], c.dil[i] = a.Ints[k], a.Ints[d+k], a.Ints[2*d+k]
	}
	for _, o := range []struct {
		op *loop.Operand
		to *[5]int64
	}{{c.x, &c.xs}, {c.w, &c.ws}, {c.y, &c.ys}} {
		o.to[0], o.to[1] = o.op.Stride[0], o.op.Stride[1]
		for k := range d {
			o.to[5-d+k] = o.op.Stride[2+k]
		}
	}
	return c
}

func (t *Target) conv(a *loop.TemplateArgs, way convWay) (bool, error) {
	c := newConvolution(a, way)
	if a.Out[0].Numel() == 0 {
		return true, nil
	}
	if way != convWeight {
		if done, err := t.convTiled(t.on(a.Queue), c, way == convInput); done || err != nil {
			return done, err
		}
	}
	return true, t.nest(convNames[way], a, func(b *loop.Builder) {
		in, out := buffers(b, a)
		switch way {
		case convForward:
			n := nestConv{c, b, in[0], in[1], out[0], -1}
			if c.bias != nil {
				n.bias = in[2]
			}
			n.forward()
		case convInput:
			(&nestConv{c, b, out[0], in[1], in[0], -1}).input()
		case convWeight:
			(&nestConv{c, b, in[0], out[0], in[1], -1}).weight()
		}
	})
}

// nestConv builds the nests; its numbers are those of the buffers.
type nestConv struct {
	*convolution
	b             *loop.Builder
	x, w, y, bias int
}

// loops opens nested loops around body; the last is over neighbouring lanes.
func (n *nestConv) loops(lanes bool, extents []int64, body func(a []loop.Axis)) {
	var open func(a []loop.Axis)
	open = func(a []loop.Axis) {
		if len(a) == len(extents) {
			body(a)
			return
		}
		kind := loop.Grid
		if lanes && len(a) == len(extents)-1 {
			kind = loop.Vector
		}
		n.b.Loop(kind, sym.C(extents[len(a)]), func(x loop.Axis) { open(append(a, x)) })
	}
	open(nil)
}

// sum folds what body returns over nested loops.
func (n *nestConv) sum(extents []int64, body func(a []loop.Axis) loop.V) loop.V {
	var open func(a []loop.Axis) loop.V
	open = func(a []loop.Axis) loop.V {
		if len(a) == len(extents) {
			return body(a)
		}
		return n.b.Fold(loop.Serial, sym.C(extents[len(a)]), []loop.FoldOp{loop.FoldAdd}, func(x loop.Axis) []loop.V {
			return []loop.V{open(append(a, x))}
		})[0]
	}
	return open(nil)
}

func (n *nestConv) i(v int64) loop.V { return n.b.ConstI(loop.I64, v) }

func (n *nestConv) and(x, y loop.V) loop.V {
	if x == 0 {
		return y
	}
	return n.b.And(x, y)
}

// product is x*y of loaded values.
func (n *nestConv) product(x, y loop.V) loop.V {
	if n.b.Type(x) == loop.B1 {
		return n.b.And(x, y)
	}
	return n.b.Mul(x, y)
}

// window is the place in the image under output position l and tap, and where that
// is inside; x has what the rest of its address asks for.
func (n *nestConv) window(x *place, l, tap []loop.Axis) loop.V {
	mask, b := loop.V(0), n.b
	for i := range 3 {
		x.by(l[i], n.stride[i]*n.xs[2+i]).by(tap[i], n.dil[i]*n.xs[2+i]).plus(-n.pad[i] * n.xs[2+i])
		if n.pad[i] == 0 && (n.out[i]-1)*n.stride[i]+(n.win[i]-1)*n.dil[i] < n.in[i] {
			continue
		}
		at := b.Sub(b.Add(b.Mul(b.AxisV(l[i]), n.i(n.stride[i])), b.Mul(b.AxisV(tap[i]), n.i(n.dil[i]))), n.i(n.pad[i]))
		mask = n.and(mask, n.and(b.Le(n.i(0), at), b.Lt(at, n.i(n.in[i]))))
	}
	return mask
}

func (n *nestConv) forward() {
	n.loops(true, []int64{n.batch, n.groups, n.og, n.out[0], n.out[1], n.out[2]}, func(a []loop.Axis) {
		l := a[3:6]
		v := n.sum([]int64{n.cg, n.win[0], n.win[1], n.win[2]}, func(k []loop.Axis) loop.V {
			x := at0(n.x, n.convolution.x).by(a[0], n.xs[0]).by(a[1], n.cg*n.xs[1]).by(k[0], n.xs[1])
			x.Mask = n.window(x, l, k[1:])
			w := at0(n.w, n.convolution.w).by(a[1], n.og*n.ws[0]).by(a[2], n.ws[0]).by(k[0], n.ws[1])
			for i := range 3 {
				w.by(k[1+i], n.ws[2+i])
			}
			return n.product(n.b.Load(&x.Access), n.b.Load(&w.Access))
		})
		if n.bias >= 0 {
			s := n.convolution.bias.Stride[0]
			v = n.b.Add(v, n.b.Load(&at0(n.bias, n.convolution.bias).by(a[1], n.og*s).by(a[2], s).Access))
		}
		y := at0(n.y, n.convolution.y).by(a[0], n.ys[0]).by(a[1], n.og*n.ys[1]).by(a[2], n.ys[1])
		for i := range 3 {
			y.by(l[i], n.ys[2+i])
		}
		n.b.Store(&y.Access, v)
	})
}

func (n *nestConv) input() {
	b := n.b
	n.loops(true, []int64{n.batch, n.groups, n.cg, n.in[0], n.in[1], n.in[2]}, func(a []loop.Axis) {
		p := a[3:6]
		v := n.sum([]int64{n.og, n.win[0], n.win[1], n.win[2]}, func(k []loop.Axis) loop.V {
			y := at0(n.y, n.convolution.y).by(a[0], n.ys[0]).by(a[1], n.og*n.ys[1]).by(k[0], n.ys[1])
			for i := range 3 {
				if n.win[i] == 1 && n.stride[i] == 1 && n.pad[i] == 0 && n.in[i] == n.out[i] {
					y.by(p[i], n.ys[2+i])
					continue
				}
				at := b.Add(b.Sub(b.AxisV(p[i]), b.Mul(b.AxisV(k[1+i]), n.i(n.dil[i]))), n.i(n.pad[i]))
				ok := b.Le(n.i(0), at)
				if s := n.stride[i]; s > 1 {
					q := b.Div(at, n.i(s))
					ok = b.And(ok, b.Eq(b.Mul(q, n.i(s)), at))
					at = q
				}
				ok = b.And(ok, b.Lt(at, n.i(n.out[i])))
				y.Mask = n.and(y.Mask, ok)
				y.Dyn = append(y.Dyn, loop.Dyn{Index: at, Stride: loop.Imm(n.ys[2+i]), Lim: loop.Imm(n.out[i]), Dim: int32(i),
					Check: b.AddCheck(loop.Check{Kind: tensor.RuntimeError, Msg: "BUG: position %i of %n in a convolution's gradient"})})
			}
			w := at0(n.w, n.convolution.w).by(a[1], n.og*n.ws[0]).by(k[0], n.ws[0]).by(a[2], n.ws[1])
			for i := range 3 {
				w.by(k[1+i], n.ws[2+i])
			}
			return n.product(b.Load(&y.Access), b.Load(&w.Access))
		})
		x := at0(n.x, n.convolution.x).by(a[0], n.xs[0]).by(a[1], n.cg*n.xs[1]).by(a[2], n.xs[1])
		for i := range 3 {
			x.by(p[i], n.xs[2+i])
		}
		b.Store(&x.Access, v)
	})
}

func (n *nestConv) weight() {
	n.loops(false, []int64{n.groups, n.og, n.cg, n.win[0], n.win[1], n.win[2]}, func(a []loop.Axis) {
		tap := a[3:6]
		v := n.sum([]int64{n.batch, n.out[0], n.out[1], n.out[2]}, func(k []loop.Axis) loop.V {
			l := k[1:]
			x := at0(n.x, n.convolution.x).by(k[0], n.xs[0]).by(a[0], n.cg*n.xs[1]).by(a[2], n.xs[1])
			x.Mask = n.window(x, l, tap)
			y := at0(n.y, n.convolution.y).by(k[0], n.ys[0]).by(a[0], n.og*n.ys[1]).by(a[1], n.ys[1])
			for i := range 3 {
				y.by(l[i], n.ys[2+i])
			}
			return n.product(n.b.Load(&x.Access), n.b.Load(&y.Access))
		})
		w := at0(n.w, n.convolution.w).by(a[0], n.og*n.ws[0]).by(a[1], n.ws[0]).by(a[2], n.ws[1])
		for i := range 3 {
			w.by(tap[i], n.ws[2+i])
		}
		n.b.Store(&w.Access, v)
	})
}
