package graph

import (
	"math"

	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// Algebra that is exact in every dtype. x + 0 is exact for integers only: -0.0 +
// 0.0 is 0.0. x * 0 is never 0 where x may be NaN.

// rule gives the operand whose elements over the node's frame are the node's
// result, as they are.
type rule struct {
	op string // Def.Base
	is func(n *Node) (Operand, bool)
}

var rules = []rule{
	{"mul", func(n *Node) (Operand, bool) { return n.other(1, true) }},
	{"div", func(n *Node) (Operand, bool) { return n.other(1, false) }},
	{"add", func(n *Node) (Operand, bool) {
		if n.Call.Given("alpha") && (!n.Fixed || !n.Call.Num("alpha").Is(1)) {
			return Operand{}, false
		}
		if n.Call.DType.IsFloat() {
			return n.other(math.Copysign(0, -1), true)
		}
		return n.other(0, true)
	}},
	{"sub", func(n *Node) (Operand, bool) { return n.other(0, false) }},
	{"neg", func(n *Node) (Operand, bool) { return n.twice("neg") }},
	{"logical_not", func(n *Node) (Operand, bool) {
		if n.In[0].DType != tensor.Bool {
			return Operand{}, false
		}
		return n.twice("logical_not")
	}},
	{"relu", func(n *Node) (Operand, bool) {
		if p := n.In[0].Value.Node; p != nil && p.Target == nil && p.Call.Def.Base == "relu" {
			return n.frameOperand(0)
		}
		return Operand{}, false
	}},
	{"_to_dtype", wideCast},
	{"_to_copy", wideCast},
}

var rulesOf = func() map[string][]rule {
	m := map[string][]rule{}
	for _, r := range rules {
		m[r.op] = append(m[r.op], r)
	}
	return m
}()

// simplify applies the rules.
func simplify(g *Graph) bool {
	users := g.Users()
	changed := false
	for _, n := range g.Nodes {
		if n.Target != nil || len(n.Out) != 1 || n.Call.Def.Body == nil {
			continue
		}
		for _, r := range rulesOf[n.Call.Def.Base] {
			o, ok := r.is(n)
			if ok && o.DType == n.OutMeta[0].DType && o.Dev == n.OutMeta[0].Dev && n.reread(users, o) > 0 {
				changed = true
				break
			}
		}
	}
	return changed
}

// frameOperand is operand k seen over the size of output 0, broadcast dims with
// stride 0.
func (n *Node) frameOperand(k int) (Operand, bool) {
	o := n.In[k]
	if o.Value == nil {
		return o, false
	}
	size := n.OutMeta[0].Size
	lead := len(size) - len(o.Size)
	if lead < 0 {
		return o, false
	}
	m := tensor.Meta{DType: o.DType, Dev: o.Dev, Size: size, Off: o.Off, Stride: make([]sym.Int, len(size))}
	for d := range o.Size {
		if o.Size[d].KnownEq(size[d+lead]) {
			m.Stride[d+lead] = o.Stride[d]
		} else if !o.Size[d].KnownEq(sym.C(1)) {
			return o, false
		}
	}
	o.Meta = m
	return o, true
}

// other is the operand beside a constant v (on either side, or on the right only).
func (n *Node) other(v float64, either bool) (Operand, bool) {
	for k := 1; k >= 0; k-- {
		if k == 0 && !either {
			break
		}
		if c, ok := n.constant(k); ok && c.Float64() == v && math.Signbit(c.Float64()) == math.Signbit(v) && n.In[1-k].Value != nil {
			return n.frameOperand(1 - k)
		}
	}
	return Operand{}, false
}

// constant is the value of operand k where it is the same constant everywhere.
func (n *Node) constant(k int) (tensor.Number, bool) {
	c := n.Call
	if c.IsNum(k) {
		return c.Nums[k].N, n.Fixed
	}
	if n.In[k].Value == nil || n.In[k].Value.Node == nil {
		return tensor.Number{}, false
	}
	v, ok := n.In[k].Value.Node.fill()
	return v, ok
}

// fill is the constant that a node fills its output with.
func (n *Node) fill() (v tensor.Number, ok bool) {
	c := n.Call
	if n.Target != nil || len(n.Out) != 1 {
		return v, false
	}
	d := n.OutMeta[0].DType
	switch c.Def.Base {
	case "zeros", "zeros_like", "new_zeros", "empty", "empty_like", "new_empty", "zero":
		v = tensor.Int(0)
	case "ones", "ones_like", "new_ones":
		v = tensor.Int(1)
	case "full", "full_like", "new_full":
		if !n.Fixed {
			return v, false
		}
		v = c.Num("fill_value")
	default:
		return v, false
	}
	switch {
	case d == tensor.Float64:
		return tensor.Float(v.Float64()), true
	case d == tensor.Float32:
		return tensor.Float(float64(float32(v.Float64()))), true
	case d == tensor.Bool:
		return tensor.Truth(v.Float64() != 0), true
	case d == tensor.Int64 && v.Kind != tensor.NumFloat:
		return tensor.Int(v.I), true
	}
	return v, v.Kind != tensor.NumFloat && v.I >= 0 && v.I <= 1 // exact in every dtype
}

// twice: f(f(x)) is x.
func (n *Node) twice(f string) (Operand, bool) { return n.through(0, f) }

// through is operand k's own operand, where operand k was made by op f.
func (n *Node) through(k int, f string) (Operand, bool) {
	o, ok := n.frameOperand(k)
	if !ok || o.Value.Node == nil {
		return o, false
	}
	p := o.Value.Node
	if p.Target != nil || p.Call.Def.Body == nil || p.Call.Def.Base != f || len(p.Out) != 1 {
		return o, false
	}
	x, ok := p.frameOperand(0)
	if !ok {
		return x, false
	}
	m, ok := ThroughCopy(&p.OutMeta[0], &x.Meta, &o.Meta)
	return Operand{Value: x.Value, Meta: m}, ok
}

// holds lists what a dtype represents exactly: bits of integers and their sign,
// bits of mantissa and exponent of floats.
var holds = map[tensor.DType][3]int{
	tensor.Bool: {1, 0, 0}, tensor.Uint8: {8, 0, 0}, tensor.Int8: {7, 1, 0}, tensor.Int16: {15, 1, 0}, tensor.Int32: {31, 1, 0}, tensor.Int64: {63, 1, 0},
	tensor.BFloat16: {8, 1, 8}, tensor.Float16: {11, 1, 5}, tensor.Float32: {24, 1, 8}, tensor.Float64: {53, 1, 11},
}

// widens: every value of a is one of b.
func widens(a, b tensor.DType) bool {
	x, y := holds[a], holds[b]
	return a == b || x[0] <= y[0] && x[1] <= y[1] && x[2] <= y[2] && y[0] > 0 && b != tensor.Bool
}

// wideCast: a cast to where the operand came from, over a dtype that holds it
// all, is no cast.
func wideCast(n *Node) (Operand, bool) {
	o, ok := n.frameOperand(0)
	if ok && o.DType == n.OutMeta[0].DType {
		return o, true
	}
	for _, f := range []string{"_to_dtype", "_to_copy"} {
		if x, ok := n.through(0, f); ok && widens(x.DType, o.DType) && x.DType == n.OutMeta[0].DType {
			return x, true
		}
	}
	return o, false
}
