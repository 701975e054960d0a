package graph

import (
	"sort"
	"strconv"

	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// Binder makes symbols for the geometry of graph inputs and finds their values
// again for other inputs. A size is a symbol; a stride that is inner stride
// times inner size is that expression (so that contiguous inputs cost no
// guard), 0 is a constant, else a symbol of at least 1; an offset is a constant
// only if 0.
type Binder struct {
	Ctx    *sym.Ctx
	inputs []boundInput
}

type boundInput struct {
	dtype  tensor.DType
	size   []sym.Int
	stride []sym.Int
	off    sym.Int
	// order lists the dimensions by increasing stride, as when recorded.
	order []int
}

// NewBinder starts a context.
func NewBinder() *Binder { return &Binder{Ctx: sym.NewCtx()} }

// Input makes the symbolic geometry of the next input.
func (b *Binder) Input(g *tensor.Geometry, dev tensor.Device) *tensor.Meta {
	k := strconv.Itoa(len(b.inputs))
	n := len(g.Size)
	in := boundInput{dtype: g.DType, order: strideOrder(g.Stride)}
	in.size, in.stride = make([]sym.Int, n), make([]sym.Int, n)
	for d, s := range g.Size {
		in.size[d] = b.Ctx.New("s"+k+"_"+strconv.Itoa(d), s, 0)
	}
	z := sym.C(1)
	for _, d := range in.order {
		switch s := g.Stride[d]; {
		case s == 0:
			in.stride[d] = sym.C(0)
			continue
		case s == z.Hint():
			in.stride[d] = z
		default:
			in.stride[d] = b.Ctx.New("t"+k+"_"+strconv.Itoa(d), s, 1)
		}
		z = in.stride[d].Mul(in.size[d])
	}
	if g.Off != 0 {
		in.off = b.Ctx.New("o"+k, g.Off, 0)
	}
	b.inputs = append(b.inputs, in)
	return &tensor.Meta{DType: g.DType, Dev: dev, Size: in.size, Stride: in.stride, Off: in.off}
}

// strideOrder lists the dimensions by increasing stride, inner dimensions first
// among equals.
func strideOrder(stride []int64) []int {
	o := make([]int, len(stride))
	for i := range o {
		o[i] = len(o) - 1 - i
	}
	sort.SliceStable(o, func(a, b int) bool { return stride[o[a]] < stride[o[b]] })
	return o
}

// Values binds the symbols to other inputs. ok is false where one does not fit:
// rank, dtype, a stride that is no longer the expression, an offset that was 0.
func (b *Binder) Values(inputs []*tensor.Geometry) (v []int64, ok bool) {
	if len(inputs) != len(b.inputs) {
		return nil, false
	}
	v = make([]int64, 0, len(b.Ctx.Symbols()))
	for i := range b.inputs {
		in, g := &b.inputs[i], inputs[i]
		if g.DType != in.dtype || len(g.Size) != len(in.size) {
			return nil, false
		}
		v = append(v, g.Size...)
		for _, d := range in.order {
			if in.symbol(in.stride[d], len(v)) {
				v = append(v, g.Stride[d])
			}
		}
		if !in.off.IsConst() {
			v = append(v, g.Off)
		}
	}
	for i := range b.inputs {
		in, g := &b.inputs[i], inputs[i]
		for d := range in.stride {
			if x, ok := in.stride[d].Eval(v); !ok || x != g.Stride[d] {
				return nil, false
			}
		}
		if x, _ := in.off.Eval(v); x != g.Off {
			return nil, false
		}
	}
	return v, true
}

// symbol reports whether e is the symbol with index i.
func (in *boundInput) symbol(e sym.Int, i int) bool {
	k, ok := e.Symbol()
	return ok && k == i
}
