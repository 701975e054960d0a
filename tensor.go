package larkspur

import (
	"fmt"
	"unsafe"

	"github.com/larkspur-ml/larkspur/device/cpu"
	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/tensor"
)

// A Tensor is a tensor as Go code holds it. It keeps its memory alive.
type Tensor struct {
	rt *Runtime
	t  *eager.Tensor
}

// Number is the element types that Go slices can share with tensors.
type Number interface {
	~float32 | ~float64 | ~int64 | ~int32 | ~int16 | ~int8 | ~uint8
}

// NewTensor makes a tensor over data, in row-major order, without copying: the
// script and Go see each other's writes. No shape means one dimension.
func NewTensor[T Number](rt *Runtime, data []T, shape ...int) (*Tensor, error) {
	if len(shape) == 0 {
		shape = []int{len(data)}
	}
	n := 1
	size := make([]int64, len(shape))
	for i, s := range shape {
		if s < 0 {
			return nil, newError(fmt.Errorf("negative dimension %d in shape %v", s, shape))
		}
		n *= s
		size[i] = int64(s)
	}
	if n != len(data) {
		return nil, newError(fmt.Errorf("shape %v is invalid for a slice of %d elements", shape, len(data)))
	}
	dt, err := dtypeFor[T]()
	if err != nil {
		return nil, newError(err)
	}
	t, err := rt.torch.FromBuffer(cpu.Wrap(data), dt, size)
	if err != nil {
		return nil, newError(err)
	}
	return &Tensor{rt, t}, nil
}

func dtypeFor[T Number]() (tensor.DType, error) {
	var z T
	switch any(z).(type) {
	case float32:
		return tensor.Float32, nil
	case float64:
		return tensor.Float64, nil
	case int64:
		return tensor.Int64, nil
	case int32:
		return tensor.Int32, nil
	case int16:
		return tensor.Int16, nil
	case int8:
		return tensor.Int8, nil
	case uint8:
		return tensor.Uint8, nil
	}
	return 0, fmt.Errorf("no dtype for elements of type %T", z)
}

// Shape is the size of each dimension.
func (t *Tensor) Shape() []int {
	s := make([]int, len(t.t.Size))
	for i, n := range t.t.Size {
		s[i] = int(n)
	}
	return s
}

// DType is the element type's name, as torch spells it: "float32".
func (t *Tensor) DType() string { return t.t.DType.String() }

// String is the tensor as the language prints it.
func (t *Tensor) String() string { return t.rt.torch.Repr(t.t) }

// Slice returns the elements in row-major order; T must be the element type. A
// contiguous tensor is shared, not copied (shared says which): the slice keeps
// the storage alive, and both see each other's writes.
func Slice[T Number](t *Tensor) (data []T, shared bool, err error) {
	dt, err := dtypeFor[T]()
	if err != nil {
		return nil, false, newError(err)
	}
	if dt != t.t.DType {
		var z T
		return nil, false, newError(fmt.Errorf("a tensor of dtype %s as a slice of %T", t.t.DType, z))
	}
	raw, shared := t.rt.torch.HostBytes(t.t)
	if len(raw) == 0 {
		return []T{}, shared, nil
	}
	var z T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(raw))), len(raw)/int(unsafe.Sizeof(z))), shared, nil
}

// Float32s is Slice for float32 tensors, copied where it cannot be shared.
func (t *Tensor) Float32s() ([]float32, error) {
	data, _, err := Slice[float32](t)
	return data, err
}
