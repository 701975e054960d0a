package eager

import (
	"runtime"

	"github.com/larkspur-ml/larkspur/tensor"
)

// FromBytes makes a contiguous tensor and copies little-endian elements into it; raw is shorter only for an error.
func (x *Context) FromBytes(d tensor.DType, size []int64, raw []byte) (*Tensor, error) {
	t, err := x.Empty(tensor.Device{}, tensor.Geometry{DType: d, Size: append([]int64(nil), size...), Stride: tensor.Strides(size)})
	if err != nil {
		return nil, err
	}
	if int64(len(raw)) != t.Numel()*int64(d.Size()) {
		return nil, raise(tensor.ValueError, "%d bytes for a tensor of size %s and dtype %s", len(raw), sizeText(size), d)
	}
	copy(t.Bytes(), raw)
	return t, nil
}

// FromBuffer makes a contiguous tensor over memory that something else owns (zero copy); off counts bytes.
func (x *Context) FromBuffer(b tensor.Buffer, d tensor.DType, size []int64, off int64) (*Tensor, error) {
	g := tensor.Geometry{DType: d, Size: append([]int64(nil), size...), Stride: tensor.Strides(size)}
	if off%int64(d.Size()) != 0 {
		return nil, raise(tensor.ValueError, "offset (%d bytes) must be a multiple of the element size (%d)", off, d.Size())
	}
	g.Off = off / int64(d.Size())
	if _, hi := g.Span(); hi*int64(d.Size()) > int64(b.Len()) && g.Numel() > 0 {
		return nil, raise(tensor.ValueError, "a tensor of size %s and dtype %s at byte %d does not fit into %d bytes", sizeText(size), d, off, b.Len())
	}
	return New(tensor.NewStorage(b), g), nil
}

// Item is the value of a tensor of one element.
func (x *Context) Item(t *Tensor) (tensor.Number, error) {
	if t.Numel() != 1 {
		return tensor.Number{}, raise(tensor.ValueError, "only one element tensors can be converted to Python scalars")
	}
	err := x.look(t)
	if err == nil {
		t, err = x.Host(t)
	}
	if err != nil {
		return tensor.Number{}, err
	}
	n := t.element(t.Off)
	runtime.KeepAlive(t)
	return n, nil
}

// Truth is bool(t).
func (x *Context) Truth(t *Tensor) (bool, error) {
	switch n := t.Numel(); {
	case n == 0:
		return false, raise(tensor.RuntimeError, "Boolean value of Tensor with no values is ambiguous")
	case n > 1:
		return false, raise(tensor.RuntimeError, "Boolean value of Tensor with more than one value is ambiguous")
	}
	n, err := x.Item(t)
	return !n.Is(0), err
}

// Values calls f with each element in logical order (tolist, printing).
func (x *Context) Values(t *Tensor, f func(tensor.Number)) error {
	err := x.look(t)
	if err == nil {
		t, err = x.Host(t)
	}
	if err != nil {
		return err
	}
	walk(&t.Geometry, func(at int64) { f(t.element(at)) })
	runtime.KeepAlive(t)
	return nil
}

// Raw is the elements' bytes in logical order, copied (numpy().tobytes(), saving).
func (x *Context) Raw(t *Tensor) ([]byte, error) {
	err := x.look(t)
	if err == nil {
		t, err = x.Host(t)
	}
	if err != nil {
		return nil, err
	}
	w := int64(t.DType.Size())
	out := make([]byte, 0, t.Numel()*w)
	src := t.Bytes()
	if t.IsContiguous() {
		if n := t.Numel() * w; n > 0 {
			out = append(out, src[t.Off*w:t.Off*w+n]...)
		}
	} else {
		walk(&t.Geometry, func(at int64) { out = append(out, src[at*w:at*w+w]...) })
	}
	runtime.KeepAlive(t)
	return out, nil
}

// walk calls f with the storage index of each element in logical order.
func walk(g *tensor.Geometry, f func(at int64)) {
	n := len(g.Size)
	for _, s := range g.Size {
		if s == 0 {
			return
		}
	}
	idx := make([]int64, n)
	at := g.Off
	for {
		f(at)
		d := n - 1
		for ; d >= 0; d-- {
			idx[d]++
			at += g.Stride[d]
			if idx[d] < g.Size[d] {
				break
			}
			at -= g.Stride[d] * idx[d]
			idx[d] = 0
		}
		if d < 0 {
			return
		}
	}
}

// element reads one element of host memory.
func (t *Tensor) element(at int64) tensor.Number {
	return tensor.ReadElement(t.Bytes()[at*int64(t.DType.Size()):], t.DType)
}
