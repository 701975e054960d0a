package op

import (
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// Call is one application of a Def.
type Call struct {
	Def  *Def
	Args []Arg // one for each Param
	// In are the tensor operands in parameter order, lists in place. An absent
	// optional operand is nil; a number given for "Tensor|Scalar" is a 0-dim Meta
	// of the dtype it stands for.
	In []*tensor.Meta
	// T are the operands' handles (numbers: nil); nil when lowering.
	T []Tensor
	// Nums holds the value of operand k where it is a number; len 0: none is.
	Nums []Operand
	// Need says for VJPs which operands' gradients are wanted; nil: all.
	Need []bool

	Default tensor.DType  // the default floating-point dtype
	DType   tensor.DType  // dtype of computation, by Def.Promote
	Dev     tensor.Device // where the outputs go
	Out     []tensor.Meta
	// InPlace: output 0 is written over operand 0's own memory, with its geometry.
	InPlace bool

	in [3]*tensor.Meta // memory of In for few operands (not of T: copies of a Call let go of tensors)
}

// Operand is a number in an operand's place.
type Operand struct {
	IsNum bool
	N     tensor.Number
}

// IsNum reports whether operand k is a number.
func (c *Call) IsNum(k int) bool { return len(c.Nums) > 0 && c.Nums[k].IsNum }

// NeedsGrad reports whether operand k's gradient is wanted.
func (c *Call) NeedsGrad(k int) bool {
	return c.In[k] != nil && !c.IsNum(k) && c.In[k].DType.Category() >= tensor.CatFloat && (c.Need == nil || c.Need[k])
}

// param finds a parameter by name.
func (c *Call) param(name string) int {
	for i := range c.Def.Params {
		if c.Def.Params[i].Name == name {
			return i
		}
	}
	panic("BUG: op " + c.Def.Name + " has no parameter " + name)
}

// Arg is an argument by name.
func (c *Call) Arg(name string) *Arg { return &c.Args[c.param(name)] }

// Given reports an argument that is not None.
func (c *Call) Given(name string) bool { return c.Arg(name).Kind != ArgNone }

// Int is a structural int argument.
func (c *Call) Int(name string) int { return int(c.Arg(name).I.Must()) }

// Sym is a SymInt argument.
func (c *Call) Sym(name string) sym.Int { return c.Arg(name).I }

// Syms is a SymInt[] or int[] argument, nil for None.
func (c *Call) Syms(name string) []sym.Int {
	l, _ := c.Arg(name).P.([]sym.Int)
	return l
}

// Ints is an int[] argument, nil for None.
func (c *Call) Ints(name string) []int {
	l := c.Syms(name)
	if l == nil {
		return nil
	}
	o := make([]int, len(l))
	for i, v := range l {
		o[i] = int(v.Must())
	}
	return o
}

// Bool, Str, DTypeOr, Num are arguments of those types.
func (c *Call) Bool(name string) bool { return c.Arg(name).N.I != 0 }
func (c *Call) Str(name string) string {
	s, _ := c.Arg(name).P.(string)
	return s
}
func (c *Call) DTypeOr(name string, d tensor.DType) tensor.DType {
	if a := c.Arg(name); a.Kind == ArgDType {
		return a.DT
	}
	return d
}
func (c *Call) Num(name string) tensor.Number { return c.Arg(name).N }

// Dim is a dimension argument wrapped into 0 … rank-1 (rank 0 counts as 1).
func (c *Call) Dim(name string, rank int) int { return WrapDim(c.Int(name), rank) }

// Dims is a list of dimensions wrapped, checked distinct, sorted; absent or
// empty means all.
func (c *Call) Dims(name string, rank int) []int {
	a := c.Arg(name)
	var l []int
	switch a.Kind {
	case ArgInt:
		l = []int{int(a.I.Must())}
	case ArgInts:
		l = c.Ints(name)
	}
	if len(l) == 0 {
		o := make([]int, rank)
		for i := range o {
			o[i] = i
		}
		return o
	}
	seen := make([]bool, max(rank, 1))
	for _, d := range l {
		w := WrapDim(d, rank)
		if seen[w] {
			Raise(tensor.RuntimeError, "dim %d appears multiple times in the list of dims", w)
		}
		seen[w] = true
	}
	var o []int
	for d := range rank {
		if seen[d] {
			o = append(o, d)
		}
	}
	return o
}

// Has reports whether the named operand is present.
func (c *Call) Has(name string) bool { return c.Arg(name).Kind != ArgNone }

// Operand is the index in In of the named operand (of the first of a list).
func (c *Call) Operand(name string) int {
	k := 0
	for i := range c.Def.Params {
		p := &c.Def.Params[i]
		if p.Name == name {
			return k
		}
		if !p.IsOperand() {
			continue
		}
		if p.List {
			if l, ok := c.Args[i].P.([]Tensor); ok {
				k += len(l)
			}
			continue
		}
		k++
	}
	panic("BUG: op " + c.Def.Name + " has no operand " + name)
}

// WrapDim maps a negative dimension.
func WrapDim(d, rank int) int {
	n := max(rank, 1)
	if d < -n || d >= n {
		Raise(tensor.IndexError, "Dimension out of range (expected to be in range of [%d, %d], but got %d)", -n, n-1, d)
	}
	if d < 0 {
		d += n
	}
	return d
}

// NewCall makes a Call from arguments, one for each parameter (a missing tail
// or a zero Arg takes the default). It does not infer.
func NewCall(d *Def, args []Arg, def tensor.DType) (*Call, error) {
	c := &Call{Def: d, Default: def}
	if len(args) < len(d.Params) {
		a := make([]Arg, len(d.Params))
		copy(a, args)
		for i := len(args); i < len(a); i++ {
			if d.Params[i].Default != nil {
				a[i] = *d.Params[i].Default
			}
		}
		args = a
	}
	c.Args = args
	n := 0
	for _, i := range d.Operands {
		if l, ok := args[i].P.([]Tensor); ok {
			n += len(l)
		} else {
			n++
		}
	}
	if c.In = c.in[:0]; n > len(c.in) {
		c.In = make([]*tensor.Meta, 0, n)
	}
	c.T = make([]Tensor, 0, n)
	for _, i := range d.Operands {
		a := &args[i]
		switch a.Kind {
		case ArgTensor:
			t := a.P.(Tensor)
			c.In, c.T = append(c.In, t.Meta()), append(c.T, t)
		case ArgTensors:
			for _, t := range a.P.([]Tensor) {
				if t == nil {
					c.In, c.T = append(c.In, nil), append(c.T, nil)
					continue
				}
				c.In, c.T = append(c.In, t.Meta()), append(c.T, t)
			}
		case ArgNumber:
			for len(c.Nums) < len(c.In) {
				c.Nums = append(c.Nums, Operand{})
			}
			c.Nums = append(c.Nums, Operand{true, a.N})
			c.In, c.T = append(c.In, &tensor.Meta{DType: a.N.Kind.DType(def)}), append(c.T, nil)
		case ArgNone:
			if !d.Params[i].Optional {
				return nil, tensor.Errorf(tensor.TypeError, "%s(): argument '%s' must be Tensor, not NoneType", d.Base, d.Params[i].Name)
			}
			c.In, c.T = append(c.In, nil), append(c.T, nil)
		default:
			return nil, tensor.Errorf(tensor.TypeError, "%s(): argument '%s' must be Tensor", d.Base, d.Params[i].Name)
		}
	}
	if len(c.Nums) > 0 {
		for len(c.Nums) < len(c.In) {
			c.Nums = append(c.Nums, Operand{})
		}
	}
	return c, nil
}

// isNumber reports a parameter whose value is a run-time operand.
func (p *Param) isNumber() bool {
	return p.Type == PScalar || p.Type == PFloat || p.Type == PTensorOrScalar
}

// Numbers appends the call's run-time numbers to dst in slot order: number
// arguments and number operands, by parameter.
func (c *Call) Numbers(dst []tensor.Number) []tensor.Number {
	return c.Def.Numbers(c.Args, dst)
}

// Numbers appends the run-time numbers among the arguments to dst, as Call.Numbers
// does. args has one entry for each parameter.
func (d *Def) Numbers(args []Arg, dst []tensor.Number) []tensor.Number {
	for i := range d.Params {
		if !d.Params[i].isNumber() {
			continue
		}
		switch a := &args[i]; a.Kind {
		case ArgNumber:
			dst = append(dst, a.N)
		case ArgNumbers:
			dst = append(dst, a.P.([]tensor.Number)...)
		}
	}
	return dst
}

// NumSlot is the slot (from 0) of the named number argument; ok is false where
// it is None.
func (c *Call) NumSlot(name string) (slot int, ok bool) {
	for i := range c.Def.Params {
		p := &c.Def.Params[i]
		if !p.isNumber() {
			if p.Name == name {
				panic("BUG: " + name + " of op " + c.Def.Name + " is no number")
			}
			continue
		}
		n := 0
		switch a := &c.Args[i]; a.Kind {
		case ArgNumber:
			n = 1
		case ArgNumbers:
			n = len(a.P.([]tensor.Number))
		}
		if p.Name == name {
			return slot, n > 0
		}
		slot += n
	}
	panic("BUG: op " + c.Def.Name + " has no parameter " + name)
}

// OperandSlot is the slot of operand k, which is a number.
func (c *Call) OperandSlot(k int) int {
	at := 0
	for _, i := range c.Def.Operands {
		n := 1
		if l, ok := c.Args[i].P.([]Tensor); ok {
			n = len(l)
		}
		if k < at+n {
			s, _ := c.NumSlot(c.Def.Params[i].Name)
			return s
		}
		at += n
	}
	panic("BUG: operand out of range")
}

// ReduceDims are the dimensions of operand 0 that a Reduce folds.
func (c *Call) ReduceDims() []int {
	rank := len(c.In[0].Size)
	for i := range c.Def.Params {
		if c.Def.Params[i].Name == "dim" {
			return c.Dims("dim", rank)
		}
	}
	o := make([]int, rank)
	for i := range o {
		o[i] = i
	}
	return o
}

// Of is operand k for use as an argument of another op: its handle, or the
// number that stands there.
func (c *Call) Of(k int, in []Tensor) any {
	if c.IsNum(k) {
		return c.Nums[k].N
	}
	return in[k]
}
