package torch

import (
	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Methods of Tensor that are no ops.

type tensorMethod func(t *value.Thread, v value.Value, x *eager.Tensor, a []value.Value) (value.Value, error)

// tensorMethod adds a method with named parameters behind the receiver.
func (r *Runtime) method(name string, params []string, min int, fn tensorMethod) {
	r.classes.Tensor.Def(&value.Builtin{Name: name, WantsKw: true, Max: -1,
		Fn: func(t *value.Thread, args []value.Value, kw []value.Kwarg) (value.Value, error) {
			if len(args) == 0 {
				return value.Value{}, value.TypeErrorf("unbound method Tensor.%s() needs an argument", name)
			}
			x, err := self(args[0], name)
			if err != nil {
				return value.Value{}, err
			}
			a := args[1:]
			if len(kw) > 0 || len(a) != len(params) {
				if a, err = place(name, params, min, a, kw); err != nil {
					return value.Value{}, err
				}
			}
			return fn(t, args[0], x, a)
		}})
}

// metaMethod adds a method without parameters that reads metadata.
func (r *Runtime) metaMethod(name string, get func(x *eager.Tensor) value.Value) {
	r.method(name, nil, 0, func(t *value.Thread, v value.Value, x *eager.Tensor, _ []value.Value) (value.Value, error) {
		return metaRead(t, v, name, get(x)), nil
	})
}

func (r *Runtime) initTensorMethods() {
	c := r.classes.Tensor
	for _, n := range []string{"numel", "nelement"} {
		r.method(n, nil, 0, func(t *value.Thread, v value.Value, x *eager.Tensor, _ []value.Value) (value.Value, error) {
			return numel(t, v, x), nil
		})
	}
	for _, n := range []string{"dim", "ndimension"} {
		r.metaMethod(n, func(x *eager.Tensor) value.Value { return value.Int(int64(x.Rank())) })
	}
	r.metaMethod("storage_offset", func(x *eager.Tensor) value.Value { return value.Int(x.Off) })
	r.metaMethod("element_size", func(x *eager.Tensor) value.Value { return value.Int(int64(x.DType.Size())) })
	r.metaMethod("data_ptr", func(x *eager.Tensor) value.Value { return value.Int(address(x)) })
	r.metaMethod("is_floating_point", func(x *eager.Tensor) value.Value { return value.Bool(x.DType.IsFloat()) })
	r.metaMethod("is_complex", func(x *eager.Tensor) value.Value { return value.Bool(x.DType.IsComplex()) })
	r.metaMethod("is_signed", func(x *eager.Tensor) value.Value { return value.Bool(x.DType.IsSigned()) })
	r.metaMethod("is_inference", func(x *eager.Tensor) value.Value { return value.Bool(x.Inference) })
	r.metaMethod("_is_view", func(x *eager.Tensor) value.Value { return value.Bool(x.IsView()) })
	r.metaMethod("is_shared", func(*eager.Tensor) value.Value { return value.False })
	r.metaMethod("is_conj", func(*eager.Tensor) value.Value { return value.False })
	r.metaMethod("is_neg", func(*eager.Tensor) value.Value { return value.False })
	r.metaMethod("has_names", func(*eager.Tensor) value.Value { return value.False })
	r.metaMethod("get_device", func(x *eager.Tensor) value.Value {
		if d := x.Device(); d.Type != tensor.CPU {
			return value.Int(int64(d.Index))
		}
		return value.Int(-1)
	})
	r.method("is_pinned", []string{"device"}, 0, func(*value.Thread, value.Value, *eager.Tensor, []value.Value) (value.Value, error) {
		return value.False, nil
	})
	for name, dims := range map[string]func(x *eager.Tensor) []int64{"size": func(x *eager.Tensor) []int64 { return x.Size }, "stride": func(x *eager.Tensor) []int64 { return x.Stride }} {
		r.method(name, []string{"dim"}, 0, func(t *value.Thread, v value.Value, x *eager.Tensor, a []value.Value) (value.Value, error) {
			if !given(a[0]) {
				if name == "size" {
					return r.shape(t, v, x), nil
				}
				eager.Pin(x)
				return metaRead(t, v, "stride", intTuple(x.Stride)), nil
			}
			d, ok := r.index(t, a[0])
			if !ok {
				return value.Value{}, value.TypeErrorf("%s(): argument 'dim' (position 1) must be int, not %s", name, typeName(a[0]))
			}
			n := int64(x.Rank())
			if n == 0 {
				return value.Value{}, value.IndexErrorf("Dimension specified as %d but tensor has no dimensions", d)
			}
			if d < -n || d >= n {
				return value.Value{}, value.IndexErrorf("Dimension out of range (expected to be in range of [%d, %d], but got %d)", -n, n-1, d)
			}
			if d < 0 {
				d += n
			}
			if t.Observer != nil {
				if name == "size" {
					r.shape(t, v, x)
					return sizeValue(t, x.Meta().Size[d]), nil
				}
				eager.Pin(x)
				return value.GetItem(t, metaRead(t, v, map[string]string{"size": "shape", "stride": "stride"}[name], r.size(dims(x))), value.Int(d))
			}
			return value.Int(dims(x)[d]), nil
		})
	}
	r.method("is_contiguous", []string{"memory_format"}, 0, func(t *value.Thread, v value.Value, x *eager.Tensor, a []value.Value) (value.Value, error) {
		is := op.IsContig(x.Meta())
		if given(a[0]) {
			eager.Pin(x)
			f, _ := native[memoryFormat](a[0])
			is = inFormat(x, f)
		}
		return metaRead(t, v, "is_contiguous", value.Bool(is)), nil
	})
	r.method("is_set_to", []string{"tensor"}, 1, func(t *value.Thread, v value.Value, x *eager.Tensor, a []value.Value) (value.Value, error) {
		y, ok := AsTensor(a[0])
		return value.Bool(ok && x.Store == y.Store && x.Off == y.Off && plainTuple(x.Size) == plainTuple(y.Size) && plainTuple(x.Stride) == plainTuple(y.Stride)), nil
	})
	r.method("is_same_size", []string{"other"}, 1, func(t *value.Thread, v value.Value, x *eager.Tensor, a []value.Value) (value.Value, error) {
		y, ok := AsTensor(a[0])
		return value.Bool(ok && plainTuple(x.Size) == plainTuple(y.Size)), nil
	})

	r.method("item", nil, 0, func(t *value.Thread, v value.Value, x *eager.Tensor, _ []value.Value) (value.Value, error) {
		n, err := r.item(t, x)
		return fromNumber(n), err
	})
	r.method("tolist", nil, 0, func(t *value.Thread, v value.Value, x *eager.Tensor, _ []value.Value) (value.Value, error) {
		flat := make([]value.Value, 0, x.Numel())
		if err := r.Context(t).Values(x, func(n tensor.Number) { flat = append(flat, fromNumber(n)) }); err != nil {
			return value.Value{}, raise(err)
		}
		return nest(flat, x.Size), nil
	})
	r.method("numpy", []string{"force"}, 0, func(*value.Thread, value.Value, *eager.Tensor, []value.Value) (value.Value, error) {
		return value.Value{}, missingError("Tensor.numpy")
	})

	r.method("backward", []string{"gradient", "retain_graph", "create_graph", "inputs"}, 0, func(t *value.Thread, v value.Value, x *eager.Tensor, a []value.Value) (value.Value, error) {
		return r.startBackward(t, []*eager.Tensor{x}, a[0], a[1], a[2], a[3])
	})
	r.method("register_hook", []string{"hook"}, 1, func(t *value.Thread, v value.Value, x *eager.Tensor, a []value.Value) (value.Value, error) {
		h, err := x.RegisterHook(a[0], "hook")
		if err != nil {
			return value.Value{}, raise(err)
		}
		return object(r.classes.Handle, h), nil
	})
	r.method("retain_grad", nil, 0, func(t *value.Thread, v value.Value, x *eager.Tensor, _ []value.Value) (value.Value, error) {
		return value.None, raise(x.RetainGrad())
	})
	r.method("requires_grad_", []string{"requires_grad"}, 0, func(t *value.Thread, v value.Value, x *eager.Tensor, a []value.Value) (value.Value, error) {
		on := true
		if given(a[0]) {
			var err error
			if on, err = value.Truth(t, a[0]); err != nil {
				return value.Value{}, err
			}
		}
		tellRequires(t, v, x, on)
		return v, raise(x.SetRequiresGrad(on))
	})
	r.method("detach", nil, 0, func(t *value.Thread, v value.Value, x *eager.Tensor, _ []value.Value) (value.Value, error) {
		y, err := r.Context(t).Call1(op.Lookup("detach"), op.T(x))
		if err != nil {
			return value.Value{}, raise(err)
		}
		return r.result(y, r.subclass([]value.Value{v})), nil
	})
	r.method("detach_", nil, 0, func(t *value.Thread, v value.Value, x *eager.Tensor, _ []value.Value) (value.Value, error) {
		return v, raise(x.DetachInPlace())
	})

	r.method("copy_", []string{"src", "non_blocking"}, 1, func(t *value.Thread, v value.Value, x *eager.Tensor, a []value.Value) (value.Value, error) {
		y, ok := AsTensor(a[0])
		if !ok {
			n, isNum := number(a[0])
			if !isNum {
				return value.Value{}, value.TypeErrorf("copy_(): argument 'other' (position 1) must be Tensor, not %s", typeName(a[0]))
			}
			var err error
			if y, err = r.scalar(t, n, n.Kind.DType(r.Context(t).Default)); err != nil {
				return value.Value{}, err
			}
		}
		if err := writable(x); err != nil {
			return value.Value{}, err
		}
		return v, raise(r.Context(t).Write(x, y))
	})
	r.method("set_", []string{"source", "storage_offset", "size", "stride"}, 0, func(t *value.Thread, v value.Value, x *eager.Tensor, a []value.Value) (value.Value, error) {
		if err := writable(x); err != nil {
			return value.Value{}, err
		}
		if !given(a[0]) {
			y, err := r.apply1(t, "empty", []int64{0}, dtypeKW(x.DType))
			if err != nil {
				return value.Value{}, err
			}
			return v, raise(x.SetData(y))
		}
		y, ok := AsTensor(a[0])
		if !ok || given(a[1]) {
			return value.Value{}, missingError("Tensor.set_ from a storage")
		}
		return v, raise(x.SetData(y))
	})
	resize := func(t *value.Thread, v value.Value, x *eager.Tensor, size []int64) (value.Value, error) {
		if err := writable(x); err != nil {
			return value.Value{}, err
		}
		return v, raise(r.Context(t).Resize(x, size))
	}
	c.Def(&value.Builtin{Name: "resize_", WantsKw: true, Max: -1, Fn: func(t *value.Thread, args []value.Value, kw []value.Kwarg) (value.Value, error) {
		x, err := self(args[0], "resize_")
		if err != nil {
			return value.Value{}, err
		}
		size, err := r.sizes(t, "resize_", args[1:])
		if err != nil {
			return value.Value{}, err
		}
		return resize(t, args[0], x, size)
	}})
	r.method("resize_as_", []string{"the_template", "memory_format"}, 1, func(t *value.Thread, v value.Value, x *eager.Tensor, a []value.Value) (value.Value, error) {
		y, ok := AsTensor(a[0])
		if !ok {
			return value.Value{}, value.TypeErrorf("resize_as_(): argument 'the_template' (position 1) must be Tensor, not %s", typeName(a[0]))
		}
		return resize(t, v, x, y.Size)
	})
	r.method("share_memory_", nil, 0, func(_ *value.Thread, v value.Value, _ *eager.Tensor, _ []value.Value) (value.Value, error) {
		return v, nil
	})
	r.method("pin_memory", []string{"device"}, 0, func(_ *value.Thread, v value.Value, _ *eager.Tensor, _ []value.Value) (value.Value, error) {
		return v, nil
	})
	r.method("new_tensor", []string{"data", "dtype", "device", "requires_grad"}, 1, func(t *value.Thread, v value.Value, x *eager.Tensor, a []value.Value) (value.Value, error) {
		d := x.DType
		if given(a[1]) {
			d, _ = asDType(a[1])
		}
		y, err := r.fromData(t, a[0], d)
		if err != nil {
			return value.Value{}, err
		}
		if a[3] == value.True {
			err = raise(y.SetRequiresGrad(true))
		}
		return r.Wrap(y), err
	})
	c.Def(&value.Builtin{Name: "new", WantsKw: true, Max: -1, Fn: func(t *value.Thread, args []value.Value, kw []value.Kwarg) (value.Value, error) {
		x, err := self(args[0], "new")
		if err != nil {
			return value.Value{}, err
		}
		y, err := r.legacy(t, x.DType, args[1:])
		return r.Wrap(y), err
	}})
	r.method("unique", []string{"sorted", "return_inverse", "return_counts", "dim"}, 0, func(t *value.Thread, v value.Value, x *eager.Tensor, a []value.Value) (value.Value, error) {
		return r.unique(t, "_unique2", x, a[1], a[2], a[3])
	})
	r.method("unique_consecutive", []string{"return_inverse", "return_counts", "dim"}, 0, func(t *value.Thread, v value.Value, x *eager.Tensor, a []value.Value) (value.Value, error) {
		return r.unique(t, "unique_consecutive", x, a[0], a[1], a[2])
	})
	r.method("equal", []string{"other"}, 1, func(t *value.Thread, v value.Value, x *eager.Tensor, a []value.Value) (value.Value, error) {
		return r.equal(t, x, a[0])
	})
	r.method("allclose", []string{"other", "rtol", "atol", "equal_nan"}, 1, func(t *value.Thread, v value.Value, x *eager.Tensor, a []value.Value) (value.Value, error) {
		return r.allclose(t, x, a)
	})
	r.method("nonzero", []string{"as_tuple"}, 0, func(t *value.Thread, v value.Value, x *eager.Tensor, a []value.Value) (value.Value, error) {
		return r.nonzero(t, x, a[0] == value.True)
	})
	r.method("__deepcopy__", []string{"memo"}, 1, r.deepcopy)
	r.method("__copy__", nil, 0, func(t *value.Thread, v value.Value, x *eager.Tensor, _ []value.Value) (value.Value, error) {
		y := r.Context(t).Detach(x)
		if x.RequiresGrad() {
			if err := y.SetRequiresGrad(true); err != nil {
				return value.Value{}, raise(err)
			}
		}
		return r.copyAttrs(v, r.wrapAs(v.AsInstance().Class(), y)), nil
	})
	r.method("__reversed__", nil, 0, func(t *value.Thread, v value.Value, x *eager.Tensor, _ []value.Value) (value.Value, error) {
		if x.Rank() == 0 {
			return v, nil
		}
		y, err := r.apply1(t, "flip", x, []int{0})
		return r.Wrap(y), err
	})
	for _, name := range []string{"storage", "untyped_storage"} {
		r.method(name, nil, 0, func(_ *value.Thread, v value.Value, x *eager.Tensor, _ []value.Value) (value.Value, error) {
			return object(r.classes.Storage, x), nil
		})
	}
	r.initStorage()
}

// inFormat reports whether x is dense in a memory format.
func inFormat(x *eager.Tensor, f memoryFormat) bool {
	var order []int
	switch {
	case f == "torch.channels_last" && x.Rank() == 4:
		order = []int{0, 2, 3, 1}
	case f == "torch.channels_last_3d" && x.Rank() == 5:
		order = []int{0, 2, 3, 4, 1}
	case f == "torch.channels_last" || f == "torch.channels_last_3d":
		return false
	default:
		return x.IsContiguous()
	}
	z := int64(1)
	for i := len(order) - 1; i >= 0; i-- {
		d := order[i]
		if x.Size[d] != 1 {
			if x.Stride[d] != z {
				return false
			}
			z *= x.Size[d]
		}
	}
	return true
}

// nest folds a flat list into nested lists.
func nest(flat []value.Value, size []int64) value.Value {
	if len(size) == 0 {
		return flat[0]
	}
	if len(size) == 1 {
		return value.NewList(flat).Value()
	}
	n := size[0]
	step := int64(1)
	for _, s := range size[1:] {
		step *= s
	}
	out := make([]value.Value, n)
	for i := int64(0); i < n; i++ {
		out[i] = nest(flat[i*step:(i+1)*step:(i+1)*step], size[1:])
	}
	return value.NewList(out).Value()
}

// sizes reads f(2, 3) or f((2, 3)).
func (r *Runtime) sizes(t *value.Thread, name string, args []value.Value) ([]int64, error) {
	if len(args) == 1 {
		if elems, ok, err := elements(t, args[0]); err != nil {
			return nil, err
		} else if ok {
			args = elems
		}
	}
	out := make([]int64, len(args))
	for i, a := range args {
		n, ok := r.index(t, a)
		if !ok {
			return nil, value.TypeErrorf("%s(): argument 'size' must be tuple of ints, but found element of type %s at pos %d", name, typeName(a), i)
		}
		out[i] = n
	}
	return out, nil
}

func (r *Runtime) nonzero(t *value.Thread, x *eager.Tensor, tuple bool) (value.Value, error) {
	d := op.Lookup("nonzero")
	if tuple {
		d = op.Lookup("nonzero_numpy")
	}
	res, err := r.Context(t).Apply(d, []op.Arg{op.T(x)})
	if err != nil {
		return value.Value{}, raise(err)
	}
	return r.results(d, "nonzero", res, nil), nil
}

// deepcopy is copy.deepcopy of a leaf: values, requires_grad, grad and attributes.
func (r *Runtime) deepcopy(t *value.Thread, v value.Value, x *eager.Tensor, a []value.Value) (value.Value, error) {
	if !x.IsLeaf() {
		return value.Value{}, value.RuntimeErrorf("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment")
	}
	memo := a[0].AsDict()
	key := value.Int(int64(uintptr(v.P)))
	if memo != nil {
		if y, ok, err := memo.Lookup(t, key); ok || err != nil {
			return y, err
		}
	}
	ctx := r.Context(t)
	clone := func(x *eager.Tensor) (*eager.Tensor, error) { return r.apply1(t, "clone", ctx.Detach(x)) }
	y, err := clone(x)
	if err != nil {
		return value.Value{}, err
	}
	if x.RequiresGrad() {
		if err := y.SetRequiresGrad(true); err != nil {
			return value.Value{}, raise(err)
		}
	}
	// A copied Parameter starts without a gradient; other leaves take theirs along.
	if g := x.Grad(); g != nil && !v.AsInstance().Class().IsSubclass(r.classes.Parameter) {
		h, err := clone(g)
		if err == nil {
			err = raise(y.SetGrad(h))
		}
		if err != nil {
			return value.Value{}, err
		}
	}
	out := r.copyAttrs(v, r.wrapAs(v.AsInstance().Class(), y))
	if memo != nil {
		return out, memo.Set(t, key, out)
	}
	return out, nil
}

// copyAttrs copies the attributes that a program stored in a tensor.
func (r *Runtime) copyAttrs(from, to value.Value) value.Value {
	src, dst := from.AsInstance(), to.AsInstance()
	for i, n := range src.Shape.Names() {
		dst.Set(n, src.Slots[i])
	}
	return to
}

// initStorage makes the little of Storage that programs look at.
func (r *Runtime) initStorage() {
	c := value.NewClass("UntypedStorage", "torch")
	r.classes.Storage = c
	of := func(v value.Value) *eager.Tensor { x, _ := native[*eager.Tensor](v); return x }
	c.Slots = &value.Slots{New: noNew,
		Len: func(_ *value.Thread, v value.Value) (int, error) {
			return of(v).Store.Buf.Len() / of(v).DType.Size(), nil
		},
		Compare: func(_ *value.Thread, o value.Cmp, x, y value.Value) (value.Value, error) {
			b, ok := native[*eager.Tensor](y)
			if !ok || o != value.Eq && o != value.Ne {
				return value.NotImplemented, nil
			}
			return value.Bool((of(x).Store == b.Store) == (o == value.Eq)), nil
		},
		Hash: func(_ *value.Thread, v value.Value) (uint64, error) { return uint64(storageAddress(of(v))), nil },
	}
	meta := func(name string, get func(x *eager.Tensor) value.Value) {
		method(c, name, 0, 0, func(_ *value.Thread, v value.Value, _ []value.Value, _ []value.Kwarg) (value.Value, error) {
			return get(of(v)), nil
		})
	}
	meta("data_ptr", func(x *eager.Tensor) value.Value { return value.Int(storageAddress(x)) })
	meta("nbytes", func(x *eager.Tensor) value.Value { return value.Int(int64(x.Store.Buf.Len())) })
	meta("size", func(x *eager.Tensor) value.Value { return value.Int(int64(x.Store.Buf.Len() / x.DType.Size())) })
	property(c, "device", func(_ *value.Thread, v value.Value) (value.Value, error) { return r.device(of(v).Device()), nil }, nil)
	property(c, "dtype", func(_ *value.Thread, v value.Value) (value.Value, error) { return r.DType(of(v).DType), nil }, nil)
}

func storageAddress(x *eager.Tensor) int64 { return address(x) - x.Off*int64(x.DType.Size()) }
