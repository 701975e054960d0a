package op

import "github.com/larkspur-ml/larkspur/tensor"

// Bare stands for a tensor of which only the geometry is kept.
type Bare struct{ M *tensor.Meta }

// Meta implements Tensor.
func (b Bare) Meta() *tensor.Meta { return b.M }

// Bare is a copy of c that keeps neither the tensors alive nor c itself, which a copied
// In may point into.
func (c *Call) Bare() *Call {
	own := *c
	own.T, own.Args = nil, c.BareArgs()
	if n := len(c.In); n <= len(own.in) {
		own.In = append(own.in[:0:n], c.In...)
	}
	return &own
}

// BareArgs is c's arguments without the tensors, so that who keeps the call does not
// keep their memory.
func (c *Call) BareArgs() []Arg {
	if len(c.Def.Operands) == 0 {
		return c.Args
	}
	args := append([]Arg(nil), c.Args...)
	for _, i := range c.Def.Operands {
		switch a := &args[i]; a.Kind {
		case ArgTensor:
			if t, ok := a.P.(Tensor); ok {
				a.P = Bare{t.Meta()}
			}
		case ArgTensors:
			l, _ := a.P.([]Tensor)
			b := make([]Tensor, len(l))
			for j, t := range l {
				if t != nil {
					b[j] = Bare{t.Meta()}
				}
			}
			a.P = b
		}
	}
	return args
}
