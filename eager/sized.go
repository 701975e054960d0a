package eager

import (
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// ReadItem makes a Context an op.Reader: decompositions whose result's size comes from data (nonzero) count and read the count.
func (x *Context) ReadItem(t op.Tensor) (tensor.Number, error) {
	if w := x.composing; w != nil {
		w.bad, x.composing = true, nil
	}
	return x.Item(t.(*Tensor))
}
