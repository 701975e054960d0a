package torch

import (
	"runtime"
	"strings"

	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Functions of torch that are no ops: settings, questions about tensors, and
// ops whose call differs from their Def's.

// torchFunc makes torch.name.
func (r *Runtime) torchFunc(name string) (value.Value, bool) {
	f, ok := torchFuncs[name]
	if !ok {
		return value.Value{}, false
	}
	return told(name, function(name, f.params, f.min, func(t *value.Thread, a []value.Value) (value.Value, error) { return f.fn(r, t, a) })), true
}

type torchFn struct {
	params []string
	min    int
	fn     func(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error)
}

func wantTensor(v value.Value, fn string, pos int) (*eager.Tensor, error) {
	x, ok := AsTensor(v)
	if !ok {
		return nil, value.TypeErrorf("%s(): argument 'input' (position %d) must be Tensor, not %s", fn, pos, typeName(v))
	}
	return x, nil
}

// ask is a question about a tensor's metadata.
func ask(name string, f func(x *eager.Tensor) value.Value) torchFn {
	return torchFn{[]string{"input"}, 1, func(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
		x, err := wantTensor(a[0], name, 1)
		if err != nil {
			return value.Value{}, err
		}
		return metaRead(t, a[0], name, f(x)), nil
	}}
}

var torchFuncs map[string]torchFn

func init() {
	torchFuncs = map[string]torchFn{
		"tensordot": {[]string{"a", "b", "dims"}, 2, func(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
			args := []value.Value{a[0], a[1]}
			if pair, ok := sequence(a[2]); ok && len(pair) == 2 {
				args = append(args, pair...)
			} else if given(a[2]) {
				args = append(args, a[2])
			}
			return r.opNamed("tensordot", op.Fn, false).Call(t, args, nil)
		}},
		"is_tensor": {[]string{"obj"}, 1, func(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
			_, ok := AsTensor(a[0])
			return value.Bool(ok), nil
		}},
		"is_storage": {[]string{"obj"}, 1, func(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
			return value.Bool(value.TypeOf(a[0]) == r.classes.Storage), nil
		}},
		"is_floating_point": ask("is_floating_point", func(x *eager.Tensor) value.Value { return value.Bool(x.DType.IsFloat()) }),
		"is_complex":        ask("is_complex", func(x *eager.Tensor) value.Value { return value.Bool(x.DType.IsComplex()) }),
		"is_conj":           ask("is_conj", func(x *eager.Tensor) value.Value { return value.False }),
		"is_inference":      ask("is_inference", func(x *eager.Tensor) value.Value { return value.Bool(x.Inference) }),
		"numel":             ask("numel", func(x *eager.Tensor) value.Value { eager.Pin(x); return value.Int(x.Numel()) }),
		"is_same_size": {[]string{"input", "other"}, 2, func(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
			x, err := wantTensor(a[0], "is_same_size", 1)
			if err != nil {
				return value.Value{}, err
			}
			y, err := wantTensor(a[1], "is_same_size", 2)
			if err != nil {
				return value.Value{}, err
			}
			return value.Bool(plainTuple(x.Size) == plainTuple(y.Size)), nil
		}},
		"is_nonzero": {[]string{"input"}, 1, func(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
			b, err := value.Truth(t, a[0])
			return value.Bool(b), err
		}},
		"is_grad_enabled": {nil, 0, func(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
			return metaRead(t, r.classes.Tensor.Value(), "grad_mode", value.Bool(r.Context(t).GradMode)), nil
		}},
		"is_inference_mode_enabled": {nil, 0, func(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
			return value.Bool(r.Context(t).Inference), nil
		}},
		"is_autocast_enabled": {nil, 0, constant(value.False)},
		"is_autocast_cpu_enabled": {nil, 0, func(r *Runtime, t *value.Thread, _ []value.Value) (value.Value, error) {
			return value.Bool(r.Context(t).Autocast != tensor.Invalid), nil
		}},
		"get_autocast_cpu_dtype": {nil, 0, func(r *Runtime, t *value.Thread, _ []value.Value) (value.Value, error) {
			return r.DType(tensor.BFloat16), nil
		}},
		"get_autocast_gpu_dtype": {nil, 0, func(r *Runtime, t *value.Thread, _ []value.Value) (value.Value, error) {
			return r.DType(tensor.Float16), nil
		}},
		"are_deterministic_algorithms_enabled": {nil, 0, constant(value.False)},
		"use_deterministic_algorithms":         {[]string{"mode", "warn_only"}, 1, constant(value.None)},
		"set_flush_denormal":                   {[]string{"mode"}, 1, constant(value.False)},
		"set_float32_matmul_precision":         {[]string{"precision"}, 1, setFlag("float32_matmul_precision")},
		"get_float32_matmul_precision":         {nil, 0, getFlag("float32_matmul_precision", value.Str("highest"))},
		"set_default_device":                   {[]string{"device"}, 1, setDefaultDevice},
		"get_default_device": {nil, 0, func(r *Runtime, t *value.Thread, _ []value.Value) (value.Value, error) {
			return r.device(r.Context(t).Dev), nil
		}},
		"set_num_threads": {[]string{"num"}, 1, func(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
			if !a[0].IsInt() {
				return value.Value{}, value.RuntimeErrorf("set_num_threads expects an int, but got %s", typeName(a[0]))
			}
			if a[0].Int64() <= 0 {
				return value.Value{}, value.RuntimeErrorf("set_num_threads expects a positive integer")
			}
			if th := r.opts.Threads; th != nil {
				th.SetThreads(int(min(a[0].Int64(), 1<<16)))
			}
			return value.None, nil
		}},
		"get_num_threads": {nil, 0, func(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
			if th := r.opts.Threads; th != nil {
				return value.Int(int64(th.Threads())), nil
			}
			return value.Int(int64(runtime.GOMAXPROCS(0))), nil
		}},
		"set_num_interop_threads": {[]string{"num"}, 1, constant(value.None)},
		"get_num_interop_threads": {nil, 0, constant(value.Int(1))},
		"get_default_dtype": {nil, 0, func(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
			return r.DType(r.Context(t).Default), nil
		}},
		"set_default_dtype":       {[]string{"d"}, 1, setDefaultDType},
		"set_default_tensor_type": {[]string{"t"}, 1, setDefaultDType},
		"set_printoptions":        {[]string{"precision", "threshold", "edgeitems", "linewidth", "profile", "sci_mode"}, 0, setPrintOptions},
		"typename": {[]string{"o"}, 1, func(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
			if x, ok := AsTensor(a[0]); ok {
				return value.Str(typeString(x.DType)), nil
			}
			c := value.TypeOf(a[0])
			if c.Module == "builtins" || c.Module == "" {
				return value.Str(c.Name), nil
			}
			return value.Str(c.Module + "." + c.Name), nil
		}},
		"promote_types": {[]string{"type1", "type2"}, 2, func(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
			x, ok := asDType(a[0])
			y, ok2 := asDType(a[1])
			if !ok || !ok2 {
				return value.Value{}, value.TypeErrorf("promote_types(): arguments must be torch.dtype")
			}
			return r.DType(tensor.Promote(x, y)), nil
		}},
		"can_cast": {[]string{"from", "to"}, 2, func(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
			x, ok := asDType(a[0])
			y, ok2 := asDType(a[1])
			if !ok || !ok2 {
				return value.Value{}, value.TypeErrorf("can_cast(): arguments must be torch.dtype")
			}
			return value.Bool(tensor.CanCast(x, y)), nil
		}},
		"result_type": {[]string{"tensor1", "tensor2"}, 2, func(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
			var p tensor.Promoter
			for _, v := range a {
				if x, ok := AsTensor(v); ok {
					p.Tensor(x.DType, x.Rank())
				} else if n, ok := number(v); ok {
					p.Number(n.Kind, r.Context(t).Default)
				} else {
					return value.Value{}, value.TypeErrorf("result_type(): arguments must be Tensors or numbers, not %s", typeName(v))
				}
			}
			return r.DType(p.Result()), nil
		}},
		"broadcast_shapes": {[]string{"a", "b", "c", "d", "e", "f", "g", "h"}, 0, func(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
			var out []int64
			for _, v := range a {
				if v.IsUnset() {
					continue
				}
				size, err := r.sizes(t, "broadcast_shapes", []value.Value{v})
				if err != nil {
					return value.Value{}, err
				}
				for len(out) < len(size) {
					out = append([]int64{1}, out...)
				}
				for i := range size {
					o := &out[len(out)-1-i]
					n := size[len(size)-1-i]
					if *o != n && *o != 1 && n != 1 {
						return value.Value{}, value.RuntimeErrorf("Shape mismatch: objects cannot be broadcast to a single shape")
					}
					if n != 1 {
						*o = n
					}
				}
			}
			return r.size(out), nil
		}},
		"nonzero": {[]string{"input", "as_tuple"}, 1, func(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
			x, err := wantTensor(a[0], "nonzero", 1)
			if err != nil {
				return value.Value{}, err
			}
			return r.nonzero(t, x, a[1] == value.True)
		}},
		"unique": {[]string{"input", "sorted", "return_inverse", "return_counts", "dim"}, 1, func(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
			x, err := wantTensor(a[0], "unique", 1)
			if err != nil {
				return value.Value{}, err
			}
			return r.unique(t, "_unique2", x, a[2], a[3], a[4])
		}},
		"unique_consecutive": {[]string{"input", "return_inverse", "return_counts", "dim"}, 1, func(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
			x, err := wantTensor(a[0], "unique_consecutive", 1)
			if err != nil {
				return value.Value{}, err
			}
			return r.unique(t, "unique_consecutive", x, a[1], a[2], a[3])
		}},
		"equal": {[]string{"input", "other"}, 2, func(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
			x, err := wantTensor(a[0], "equal", 1)
			if err != nil {
				return value.Value{}, err
			}
			return r.equal(t, x, a[1])
		}},
		"allclose": {[]string{"input", "other", "rtol", "atol", "equal_nan"}, 2, func(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
			x, err := wantTensor(a[0], "allclose", 1)
			if err != nil {
				return value.Value{}, err
			}
			return r.allclose(t, x, a[1:])
		}},
		"where": {[]string{"condition", "self", "other"}, 1, func(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
			if a[1].IsUnset() && a[2].IsUnset() {
				x, err := wantTensor(a[0], "where", 1)
				if err != nil {
					return value.Value{}, err
				}
				return r.nonzero(t, x, true)
			}
			if a[2].IsUnset() {
				return value.Value{}, value.TypeErrorf("where() missing 1 required positional argument: 'other'")
			}
			return r.newOp("where", bound("where", op.Fn), false, false).Call(t, a, nil)
		}},
	}
	torchFuncs["is_signed"] = ask("is_signed", func(x *eager.Tensor) value.Value { return value.Bool(x.DType.IsSigned()) })
}

func constant(v value.Value) func(*Runtime, *value.Thread, []value.Value) (value.Value, error) {
	return func(*Runtime, *value.Thread, []value.Value) (value.Value, error) { return v, nil }
}

func setFlag(name string) func(*Runtime, *value.Thread, []value.Value) (value.Value, error) {
	return func(r *Runtime, _ *value.Thread, a []value.Value) (value.Value, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.flags[name] = a[0]
		return value.None, nil
	}
}

func getFlag(name string, def value.Value) func(*Runtime, *value.Thread, []value.Value) (value.Value, error) {
	return func(r *Runtime, _ *value.Thread, a []value.Value) (value.Value, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if v, ok := r.flags[name]; ok {
			return v, nil
		}
		return def, nil
	}
}

func setDefaultDevice(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
	d, ok, err := r.asDevice(a[0])
	if err != nil {
		return value.Value{}, err
	}
	if !ok {
		return value.Value{}, value.TypeErrorf("set_default_device(): argument 'device' must be torch.device or str, not %s", typeName(a[0]))
	}
	r.Context(t).Dev = d
	return value.None, nil
}

func setDefaultDType(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
	d, ok := asDType(a[0])
	if !ok {
		if s, isStr := a[0].AsString(); isStr {
			d, ok = parseTypeString(s)
		} else if c := a[0].AsClass(); c != nil {
			d, ok = r.legacyDType(c)
		}
	}
	if !ok {
		return value.Value{}, value.TypeErrorf("invalid dtype object: %s", typeName(a[0]))
	}
	if !d.IsFloat() {
		return value.Value{}, value.TypeErrorf("only floating-point types are supported as the default type")
	}
	if err := elementary(d); err != nil {
		return value.Value{}, err
	}
	r.Context(t).Default = d
	r.mu.Lock()
	r.defaults = d
	r.mu.Unlock()
	return value.None, nil
}

func setPrintOptions(r *Runtime, t *value.Thread, a []value.Value) (value.Value, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.print
	if s, ok := a[4].AsString(); ok {
		switch s {
		case "default":
			o = DefaultPrintOptions
		case "short":
			o = DefaultPrintOptions
			o.Precision, o.EdgeItems = 2, 2
		case "full":
			o = DefaultPrintOptions
			o.Threshold = 1<<63 - 1
		}
	}
	for i, set := range map[int]func(n int64){0: func(n int64) { o.Precision = int(n) }, 1: func(n int64) { o.Threshold = n },
		2: func(n int64) { o.EdgeItems = n }, 3: func(n int64) { o.LineWidth = int(n) }} {
		switch v := a[i]; {
		case !given(v):
		case v.IsInt():
			set(v.Int64())
		case v.IsFloat() && v.Float64() > 1e18: // threshold=inf
			set(1<<63 - 1)
		default:
			return value.Value{}, value.TypeErrorf("set_printoptions(): numbers expected, not %s", typeName(v))
		}
	}
	if v := a[5]; !v.IsUnset() {
		switch {
		case v.IsNone():
			o.SciMode = 0
		case v == value.True:
			o.SciMode = 1
		default:
			o.SciMode = -1
		}
	}
	r.print = o
	return value.None, nil
}

// legacyClass is torch.FloatTensor or one of its like, by name.
func (r *Runtime) legacyClass(name string, d tensor.DType) *value.Class {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.classes.returns["."+name]; c != nil {
		return c
	}
	meta := value.NewClass("tensortype", "torch", value.TypeClass)
	meta.Slots = &value.Slots{}
	method(meta, "__instancecheck__", 1, 1, func(_ *value.Thread, _ value.Value, a []value.Value, _ []value.Kwarg) (value.Value, error) {
		x, ok := AsTensor(a[0])
		return value.Bool(ok && x.DType == d), nil
	})
	c := value.NewClass(name, "torch")
	c.Slots = &value.Slots{New: func(t *value.Thread, _ *value.Class, args []value.Value, kw []value.Kwarg) (value.Value, error) {
		x, err := r.legacy(t, d, args)
		return r.Wrap(x), err
	}}
	c.SetRaw("dtype", r.DType(d))
	c.Meta = meta
	r.classes.returns["."+name] = c
	return c
}

// legacyDType is the dtype of torch.FloatTensor, or of Tensor itself.
func (r *Runtime) legacyDType(c *value.Class) (tensor.DType, bool) {
	if c == r.classes.Tensor {
		return tensor.Float32, true
	}
	if c.Module != "torch" {
		return tensor.Invalid, false
	}
	return parseTypeString(c.Name)
}

// unique gives the values, and the inverse and the counts if they are asked for.
func (r *Runtime) unique(t *value.Thread, name string, x *eager.Tensor, inverse, counts, dim value.Value) (value.Value, error) {
	if given(dim) {
		return value.Value{}, missingError("torch.unique with dim")
	}
	inv, cnt := inverse == value.True, counts == value.True
	d := op.Lookup(name)
	args := []op.Arg{op.T(x), op.Bool(inv), op.Bool(cnt)}
	if name == "_unique2" {
		args = []op.Arg{op.T(x), op.Bool(true), op.Bool(inv), op.Bool(cnt)}
	}
	res, err := r.Context(t).Apply(d, args)
	if err != nil {
		return value.Value{}, raise(err)
	}
	out := []value.Value{r.Wrap(res[0].(*eager.Tensor))}
	if inv {
		out = append(out, r.Wrap(res[1].(*eager.Tensor)))
	}
	if cnt {
		out = append(out, r.Wrap(res[2].(*eager.Tensor)))
	}
	if len(out) == 1 {
		return out[0], nil
	}
	return value.Tuple(out...), nil
}

// equal is whether two tensors have the same size and elements.
func (r *Runtime) equal(t *value.Thread, x *eager.Tensor, other value.Value) (value.Value, error) {
	y, ok := AsTensor(other)
	if !ok {
		return value.Value{}, value.TypeErrorf("equal(): argument 'other' (position 2) must be Tensor, not %s", typeName(other))
	}
	if plainTuple(x.Size) != plainTuple(y.Size) {
		return value.False, nil
	}
	if x.DType != y.DType {
		return value.Value{}, value.RuntimeErrorf("Expected object of scalar type %s but got scalar type %s for argument 'other'", strings.ToLower(x.DType.ScalarName()), strings.ToLower(y.DType.ScalarName()))
	}
	return r.allTrue(t, "eq", x, y)
}

func (r *Runtime) allTrue(t *value.Thread, name string, args ...any) (value.Value, error) {
	e, err := r.apply1(t, name, args...)
	if err == nil {
		e, err = r.apply1(t, "all", e)
	}
	if err != nil {
		return value.Value{}, err
	}
	n, err := r.item(t, e)
	return value.Bool(n.I != 0), err
}

// allclose(other, rtol, atol, equal_nan)
func (r *Runtime) allclose(t *value.Thread, x *eager.Tensor, a []value.Value) (value.Value, error) {
	y, ok := AsTensor(a[0])
	if !ok {
		return value.Value{}, value.TypeErrorf("allclose(): argument 'other' (position 2) must be Tensor, not %s", typeName(a[0]))
	}
	tol := [2]float64{1e-5, 1e-8}
	for i := range tol {
		if given(a[1+i]) {
			n, ok := number(a[1+i])
			if !ok {
				return value.Value{}, value.TypeErrorf("allclose(): argument '%s' must be float, not %s", [2]string{"rtol", "atol"}[i], typeName(a[1+i]))
			}
			tol[i] = n.Float64()
		}
	}
	return r.allTrue(t, "isclose", x, y, tol[0], tol[1], a[3] == value.True)
}
