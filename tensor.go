package larkspur

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
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

// Number is the element types that Go slices can share with tensors; bool is one
// byte in both. Tensor.Float64s reads the others too.
type Number interface {
	~float32 | ~float64 | ~int64 | ~int32 | ~int16 | ~int8 | ~uint8 | ~bool
}

// NewTensor makes a tensor over data, in row-major order, without copying: the
// script and Go see each other's writes. No shape means one dimension.
func NewTensor[T Number](rt *Runtime, data []T, shape ...int) (*Tensor, error) {
	if rt == nil {
		return nil, newError(errors.New("NewTensor needs a Runtime"))
	}
	if len(shape) == 0 {
		shape = []int{len(data)}
	}
	n := 1
	size := make([]int64, len(shape))
	for i, s := range shape {
		if s < 0 {
			return nil, newError(fmt.Errorf("negative dimension %d in shape %v", s, shape))
		}
		if s > 0 && n > math.MaxInt/s {
			return nil, newError(fmt.Errorf("shape %v is invalid for a slice of %d elements", shape, len(data)))
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
	switch reflect.TypeOf(z).Kind() {
	case reflect.Float32:
		return tensor.Float32, nil
	case reflect.Float64:
		return tensor.Float64, nil
	case reflect.Int64:
		return tensor.Int64, nil
	case reflect.Int32:
		return tensor.Int32, nil
	case reflect.Int16:
		return tensor.Int16, nil
	case reflect.Int8:
		return tensor.Int8, nil
	case reflect.Uint8:
		return tensor.Uint8, nil
	case reflect.Bool:
		return tensor.Bool, nil
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

// Float64s are the elements of a tensor of any dtype, in row-major order, copied:
// float16 and bfloat16 are exact, True is 1, and an int64 beyond 2^53 is rounded.
func (t *Tensor) Float64s() []float64 {
	out := make([]float64, 0, t.t.Numel())
	t.rt.torch.Values(t.t, func(n tensor.Number) { out = append(out, n.Float64()) })
	return out
}

// Bytes are the elements as they lie in memory, little-endian, in row-major order,
// copied.
func (t *Tensor) Bytes() []byte {
	raw, shared := t.rt.torch.HostBytes(t.t)
	if shared {
		raw = bytes.Clone(raw)
	}
	return raw
}

// Float32s is Slice for float32 tensors, copied where it cannot be shared.
func (t *Tensor) Float32s() ([]float32, error) {
	data, _, err := Slice[float32](t)
	return data, err
}
