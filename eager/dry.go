package eager

import (
	"github.com/larkspur-ml/larkspur/tensor"
)

// In a Context that is Dry no kernel runs and results have no memory. What ops there
// are, and of which sizes, comes out as ever: a recorder learns a backward pass that
// nobody has asked for yet without its time and its memory. What looks at elements fails.

// absent is a buffer without memory.
type absent struct {
	dev tensor.Device
	n   int
}

func (a *absent) Device() tensor.Device { return a.dev }
func (a *absent) Len() int              { return a.n }
func (a *absent) Bytes() []byte         { return nil }

// buffer is memory for a result.
func (x *Context) buffer(d tensor.Device, bytes int64) (tensor.Buffer, error) {
	if x.Dry {
		return &absent{d, int(bytes)}, nil
	}
	a, err := x.Alloc(d)
	if err != nil {
		return nil, err
	}
	return a.Alloc(int(bytes))
}

// look is told that elements of t are about to be looked at.
func (x *Context) look(t *Tensor) error {
	if x.Observer != nil {
		x.Observer.OnRead(t)
	}
	if x.Dry {
		return raise(tensor.RuntimeError, "elements are looked at where none are computed")
	}
	return nil
}
