package torch

import (
	"unsafe"

	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// self reads the receiver of an attribute or method of Tensor.
func self(v value.Value, name string) (*eager.Tensor, error) {
	if x, ok := AsTensor(v); ok {
		return x, nil
	}
	return nil, value.TypeErrorf("descriptor '%s' for 'torch._C._TensorBase' objects doesn't apply to a '%s' object", name, typeName(v))
}

// attr is a read-only attribute of Tensor that shape, dtype and place decide.
func (r *Runtime) attr(name string, get func(x *eager.Tensor) value.Value) {
	property(r.classes.Tensor, name, func(t *value.Thread, v value.Value) (value.Value, error) {
		x, err := self(v, name)
		if err != nil {
			return value.Value{}, err
		}
		return metaRead(t, v, name, get(x)), nil
	}, nil)
}

// shape is x.shape.
func (r *Runtime) shape(t *value.Thread, v value.Value, x *eager.Tensor) value.Value {
	got := metaRead(t, v, "shape", r.size(x.Size))
	if t.Observer != nil && x.Meta().Symbolic() {
		return sizeOf(r.classes.Size, sizeValues(t, x.Meta().Size))
	}
	return got
}

// numel is x.numel().
func numel(t *value.Thread, v value.Value, x *eager.Tensor) value.Value {
	got := metaRead(t, v, "numel", value.Int(x.Numel()))
	if t.Observer != nil {
		return sizeValue(t, x.Meta().Numel())
	}
	return got
}

func (r *Runtime) initAttributes() {
	c := r.classes.Tensor
	property(r.classes.Tensor, "shape", func(t *value.Thread, v value.Value) (value.Value, error) {
		x, err := self(v, "shape")
		if err != nil {
			return value.Value{}, err
		}
		return r.shape(t, v, x), nil
	}, nil)
	r.attr("dtype", func(x *eager.Tensor) value.Value { return r.classes.dtypes[x.DType] })
	r.attr("device", func(x *eager.Tensor) value.Value { return r.device(x.Device()) })
	r.attr("layout", func(*eager.Tensor) value.Value { return r.classes.strided })
	r.attr("ndim", func(x *eager.Tensor) value.Value { return value.Int(int64(x.Rank())) })
	r.attr("itemsize", func(x *eager.Tensor) value.Value { return value.Int(int64(x.DType.Size())) })
	r.attr("nbytes", func(x *eager.Tensor) value.Value { eager.Pin(x); return value.Int(x.Numel() * int64(x.DType.Size())) })
	r.attr("is_cuda", func(x *eager.Tensor) value.Value { return value.Bool(x.Device().Type == tensor.CUDA) })
	r.attr("is_cpu", func(x *eager.Tensor) value.Value { return value.Bool(x.Device().Type == tensor.CPU) })
	r.attr("is_meta", func(x *eager.Tensor) value.Value { return value.Bool(x.Device().Type == tensor.MetaDevice) })
	for _, n := range []string{"is_sparse", "is_quantized", "is_mkldnn", "is_mps", "is_xpu", "is_nested", "is_sparse_csr", "is_vulkan", "is_ipu", "is_ort"} {
		r.attr(n, func(*eager.Tensor) value.Value { return value.False })
	}
	r.attr("requires_grad", func(x *eager.Tensor) value.Value { return value.Bool(x.RequiresGrad()) })
	getGrad, _ := c.Own("requires_grad")
	if p, ok := value.As[*value.Property](getGrad); ok {
		p.Get.Starlark().(*value.Builtin).Told = true
		property(c, "requires_grad", func(t *value.Thread, v value.Value) (value.Value, error) {
			return value.CallAny(t, p.Get, []value.Value{v}, nil)
		},
			func(t *value.Thread, v, to value.Value) error {
				if !to.IsBool() {
					return value.RuntimeErrorf("requires_grad must be a bool")
				}
				x, err := self(v, "requires_grad")
				if err != nil {
					return err
				}
				if err := writable(x); err != nil {
					return err
				}
				tellRequires(t, v, x, to.IsTrue())
				return raise(x.SetRequiresGrad(to.IsTrue()))
			})
	}
	r.attr("is_leaf", func(x *eager.Tensor) value.Value { return value.Bool(x.IsLeaf()) })
	r.attr("retains_grad", func(x *eager.Tensor) value.Value { return value.Bool(x.RetainsGrad()) })
	r.attr("_version", func(x *eager.Tensor) value.Value { return value.Int(int64(x.Version())) })
	r.attr("output_nr", func(x *eager.Tensor) value.Value { _, n, _ := x.GradFn(); return value.Int(int64(n)) })
	r.attr("_base", func(x *eager.Tensor) value.Value { return r.Wrap(x.Base()) })
	property(c, "grad_fn", func(t *value.Thread, v value.Value) (value.Value, error) {
		x, err := self(v, "grad_fn")
		if err != nil {
			return value.Value{}, err
		}
		n, _, err := x.GradFn()
		if err != nil {
			return value.Value{}, raise(err)
		}
		return metaRead(t, v, "grad_fn", r.node(n)), nil
	}, nil)
	r.attr("name", func(*eager.Tensor) value.Value { return value.None })
	r.attr("names", func(x *eager.Tensor) value.Value {
		l := make([]value.Value, x.Rank())
		for i := range l {
			l[i] = value.None
		}
		return value.Tuple(l...)
	})
	property(c, "_backward_hooks", func(_ *value.Thread, v value.Value) (value.Value, error) { return value.None, nil }, func(_ *value.Thread, _, _ value.Value) error { return nil })

	property(c, "grad", func(t *value.Thread, v value.Value) (value.Value, error) {
		x, err := self(v, "grad")
		if err != nil {
			return value.Value{}, err
		}
		return metaRead(t, v, "grad", r.Wrap(x.Grad())), nil
	}, func(t *value.Thread, v, to value.Value) error {
		x, err := self(v, "grad")
		if err != nil {
			return err
		}
		if err := writable(x); err != nil {
			return err
		}
		if to.IsUnset() || to.IsNone() {
			tellGrad(t, v, value.None)
			return raise(x.SetGrad(nil))
		}
		g, ok := AsTensor(to)
		if !ok {
			return value.TypeErrorf("assigned grad expected to be a Tensor or None but got grad of type %s", value.TypeOf(to))
		}
		err = x.SetGrad(g)
		if err == nil {
			tellGrad(t, v, to)
		}
		return raise(err)
	})
	grad, _ := c.Own("grad")
	c.SetRaw("_grad", grad)
	if p, ok := value.As[*value.Property](grad); ok { // del t.grad
		p.Del = (&value.Builtin{Name: "grad", Counted: true, Min: 1, Max: 1, Fn: func(t *value.Thread, args []value.Value, _ []value.Kwarg) (value.Value, error) {
			x, err := self(args[0], "grad")
			if err != nil {
				return value.Value{}, err
			}
			return value.None, raise(x.SetGrad(nil))
		}}).Value()
	}

	property(c, "data", func(t *value.Thread, v value.Value) (value.Value, error) {
		x, err := self(v, "data")
		if err != nil {
			return value.Value{}, err
		}
		return r.result(r.Context(t).Data(x), r.subclass([]value.Value{v})), nil
	}, func(t *value.Thread, v, to value.Value) error {
		x, err := self(v, "data")
		if err != nil {
			return err
		}
		y, ok := AsTensor(to)
		if !ok {
			return value.TypeErrorf("Variable data has to be a tensor, but got %s", typeName(to))
		}
		if err := writable(x); err != nil {
			return err
		}
		return raise(x.SetData(y))
	})

	view := func(name, opName string, pre func(x *eager.Tensor) error, args ...any) {
		property(c, name, func(t *value.Thread, v value.Value) (value.Value, error) {
			x, err := self(v, name)
			if err != nil {
				return value.Value{}, err
			}
			if pre != nil {
				if err := pre(x); err != nil {
					return value.Value{}, err
				}
			}
			y, err := r.apply1(t, opName, append([]any{x}, args...)...)
			if err != nil {
				return value.Value{}, err
			}
			return r.result(y, r.subclass([]value.Value{v})), nil
		}, nil)
	}
	reversed := "numpy_T"
	if op.Lookup(reversed) != nil {
		view("T", reversed, nil)
	}
	matrix := func(name string) func(x *eager.Tensor) error {
		return func(x *eager.Tensor) error {
			if x.Rank() < 2 {
				return value.RuntimeErrorf("tensor.%s is only supported on matrices or batches of matrices. Got %d-D tensor.", name, x.Rank())
			}
			return nil
		}
	}
	view("mT", "transpose.int", matrix("mT"), -2, -1)
	view("mH", "transpose.int", matrix("mH"), -2, -1)
	view("H", "transpose.int", func(x *eager.Tensor) error {
		if x.Rank() != 2 {
			return value.RuntimeErrorf("tensor.H is only supported on matrices (2-D tensors). Got %d-D tensor.%s", x.Rank(), map[bool]string{true: " For batches of matrices, consider using tensor.mH"}[x.Rank() > 2])
		}
		return nil
	}, 0, 1)
	property(c, "real", func(_ *value.Thread, v value.Value) (value.Value, error) { return v, nil }, nil)
	property(c, "imag", func(_ *value.Thread, v value.Value) (value.Value, error) {
		return value.Value{}, value.RuntimeErrorf("imag is not implemented for tensors with non-complex dtypes.")
	}, nil)
	c.SetRaw("__array_priority__", value.Int(1000))
}

// tellGrad tells a recorder of a new gradient.
func tellGrad(t *value.Thread, x, grad value.Value) {
	if t.Observer != nil {
		t.Observer.Write(x, value.StepNative, value.Str("grad"), value.Value{}, grad)
	}
}

// address is where a tensor's first element lies in memory.
func address(x *eager.Tensor) int64 {
	if a, ok := x.Store.Buf.(tensor.Addressed); ok {
		return int64(uintptr(a.Addr())) + x.Off*int64(x.DType.Size())
	}
	b := x.Bytes()
	if len(b) == 0 {
		return 0
	}
	return int64(uintptr(unsafe.Pointer(&b[0]))) + x.Off*int64(x.DType.Size())
}

// tellRequires tells the observer that a tensor is about to want a gradient, or no
// longer.
func tellRequires(t *value.Thread, v value.Value, x *eager.Tensor, on bool) {
	if t.Observer != nil && on != x.RequiresGrad() && x.IsLeaf() && x.DType.IsFloat() {
		t.Observer.Write(v, value.StepNative, value.Str("requires_grad"), value.Bool(!on), value.Bool(on))
	}
}
