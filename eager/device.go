package eager

import (
	"github.com/larkspur-ml/larkspur/device"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Tensors on other devices than the host: what crosses over.

// deviceOf finds a device by the allocator that stands for it.
func (x *Context) deviceOf(d tensor.Device) (device.Device, error) {
	a, err := x.Alloc(d)
	if err != nil {
		return nil, err
	}
	if v, ok := a.(device.Device); ok {
		return v, nil
	}
	return nil, raise(tensor.RuntimeError, "device %s gives memory, and copies none", d)
}

// Host is a tensor of the same elements in memory of the host: t itself, or a copy
// of the part of its storage that it sees. It waits for what t is computed by, and
// raises what went wrong there.
func (x *Context) Host(t *Tensor) (*Tensor, error) {
	if t.Device().Type == tensor.CPU {
		return t, nil
	}
	g := t.Geometry
	lo, hi := int64(0), int64(0)
	if t.Numel() > 0 {
		lo, hi = t.Span()
	}
	g.Off -= lo
	w := int64(t.DType.Size())
	s, err := x.alloc(tensor.Device{}, (hi-lo)*w)
	if err != nil {
		return nil, err
	}
	if err := x.moveBytes(s.Buf, 0, t.Store.Buf, int(lo*w), int((hi-lo)*w)); err != nil {
		return nil, err
	}
	return New(s, g), nil
}

// moveBytes copies n bytes between buffers of any two devices. A copy to the host
// has happened on return.
func (x *Context) moveBytes(dst tensor.Buffer, dstOff int, src tensor.Buffer, srcOff, n int) error {
	if n == 0 || x.Dry {
		return nil
	}
	on := dst.Device()
	if on.Type == tensor.CPU {
		on = src.Device()
	}
	if from := src.Device(); on.Type != tensor.CPU && from.Type != tensor.CPU && from != on { // by way of the host
		h, err := x.alloc(tensor.Device{}, int64(n))
		if err != nil {
			return err
		}
		if err := x.moveBytes(h.Buf, 0, src, srcOff, n); err != nil {
			return err
		}
		src, srcOff = h.Buf, 0
	}
	d, err := x.deviceOf(on)
	if err != nil {
		return err
	}
	return d.Copy(nil, dst, dstOff, src, srcOff, n)
}

// transfer copies values between devices: src is cast and made dense where it is,
// its bytes move, and what is not dense at the other side is stored there.
func (x *Context) transfer(dst, src *Tensor) error {
	var err error
	dense := func(t *Tensor) (*Tensor, error) {
		if t.DType != dst.DType {
			return x.Op("_to_copy", t, op.KW{Name: "dtype", V: dst.DType}, op.KW{Name: "memory_format", V: "contiguous_format"})
		}
		return x.Op("contiguous", t)
	}
	if src, err = dense(src); err != nil {
		return err
	}
	to := dst
	if !dst.IsContiguous() {
		if to, err = x.Empty(dst.Device(), tensor.Geometry{DType: dst.DType, Size: dst.Size, Stride: tensor.Strides(dst.Size)}); err != nil {
			return err
		}
	}
	w := dst.DType.Size()
	if err := x.moveBytes(to.Store.Buf, int(to.Off)*w, src.Store.Buf, int(src.Off)*w, int(src.Numel())*w); err != nil {
		return err
	}
	if to != dst {
		return x.store(dst, to)
	}
	dst.wrote()
	if x.Observer != nil {
		x.Observer.OnWrite(dst, src, nil)
	}
	return nil
}

// convey is _to_copy to another device.
func (x *Context) convey(c *op.Call) (*Tensor, error) {
	src, m := c.T[0].(*Tensor), &c.Out[0]
	g := m.Concrete()
	t, err := x.Empty(m.Dev, g)
	if err != nil {
		return nil, err
	}
	err = x.noGrad(func() error {
		watch := x.Observer
		x.Observer = nil
		defer func() { x.Observer = watch }()
		if src.DType == g.DType && sameDense(&src.Geometry, &g) {
			w := g.DType.Size()
			lo, _ := src.Span()
			return x.moveBytes(t.Store.Buf, 0, src.Store.Buf, int(lo)*w, int(src.Numel())*w)
		}
		return x.transfer(t, src)
	})
	return t, err
}

// sameDense: two geometries of the same elements, in the same order, without gaps.
func sameDense(a, b *tensor.Geometry) bool {
	if a.Numel() == 0 || b.Off != 0 {
		return false
	}
	for d := range a.Size {
		if a.Size[d] > 1 && a.Stride[d] != b.Stride[d] {
			return false
		}
	}
	lo, hi := a.Span()
	return hi-lo == a.Numel()
}

// near is the buffer of an operand where a kernel on d finds it: a number that lies
// on the host as a 0-dim tensor is brought over.
func (x *Context) near(t *Tensor, d tensor.Device) (tensor.Buffer, error) {
	if t.Device() == d || d.Type == tensor.CPU {
		return t.Store.Buf, nil
	}
	s, err := x.alloc(d, int64(t.Store.Buf.Len()))
	if err != nil {
		return nil, err
	}
	return s.Buf, x.moveBytes(s.Buf, 0, t.Store.Buf, 0, t.Store.Buf.Len())
}

// CopyBuffer copies all of src to dst, on the same device: what a replay writes back.
func (x *Context) CopyBuffer(dst, src tensor.Buffer) error {
	if d := dst.Bytes(); d != nil || dst.Len() == 0 {
		copy(d, src.Bytes())
		return nil
	}
	return x.moveBytes(dst, 0, src, 0, min(dst.Len(), src.Len()))
}
