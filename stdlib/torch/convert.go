package torch

import (
	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Conversions: to, type, cpu, cuda, float and the like. All end in _to_copy, or
// in nothing where dtype and device are right already.

func dtypeKW(d tensor.DType) op.KW { return op.KW{Name: "dtype", V: d} }

// elementary refuses the dtypes that have a name here and no elements: those of
// complex numbers and of eight-bit floats.
func elementary(d tensor.DType) error {
	if _, ok := finfos[d]; !ok && d.Category() >= tensor.CatFloat {
		return missingError("a tensor of torch." + d.String())
	}
	return nil
}

// convert is x itself if it is as asked for, unless always; format "" keeps the layout.
func (r *Runtime) convert(t *value.Thread, x *eager.Tensor, d tensor.DType, dev tensor.Device, always bool, format memoryFormat) (*eager.Tensor, error) {
	if err := r.available(dev); err != nil {
		return nil, err
	}
	other := format != "" && format != "torch.preserve_format" && !inFormat(x, format)
	if x.DType == d && x.Device() == dev && !always && !other {
		return x, nil
	}
	if err := elementary(d); err != nil {
		return nil, err
	}
	args := []any{x, dtypeKW(d), op.KW{Name: "device", V: dev}}
	if format != "" {
		args = append(args, op.KW{Name: "memory_format", V: string(format)})
	}
	return r.apply1(t, "_to_copy", args...)
}

// to reads the overloads of Tensor.to: a dtype, a device, a device and a dtype, another tensor; then non_blocking and copy.
func (r *Runtime) to(t *value.Thread, args []value.Value, kw []value.Kwarg) (value.Value, error) {
	x, err := self(args[0], "to")
	if err != nil {
		return value.Value{}, err
	}
	d, dev, always, format := x.DType, x.Device(), false, memoryFormat("")
	bad := func(v value.Value) error {
		return value.TypeErrorf("to() received an invalid combination of arguments - got (%s), but expected one of:\n * (torch.device device, torch.dtype dtype, bool non_blocking, bool copy, *, torch.memory_format memory_format)\n"+
			" * (torch.dtype dtype, bool non_blocking, bool copy, *, torch.memory_format memory_format)\n * (Tensor tensor, bool non_blocking, bool copy, *, torch.memory_format memory_format)\n", typeName(v))
	}
	set := func(name string, v value.Value) error {
		if lacks, ok := native[missing](v); ok {
			return missingError(string(lacks))
		}
		switch name {
		case "dtype":
			if v.IsNone() {
				return nil
			}
			var ok bool
			if d, ok = asDType(v); !ok {
				return bad(v)
			}
		case "device":
			if v.IsNone() {
				return nil
			}
			var ok bool
			var err error
			if dev, ok, err = r.asDevice(v); err != nil || !ok {
				if err == nil {
					err = bad(v)
				}
				return err
			}
		case "other", "tensor":
			y, ok := AsTensor(v)
			if !ok {
				return bad(v)
			}
			d, dev = y.DType, y.Device()
		case "copy":
			b, err := value.Truth(t, v)
			always = b
			return err
		case "memory_format":
			if v.IsNone() {
				return nil
			}
			var ok bool
			if format, ok = native[memoryFormat](v); !ok {
				return bad(v)
			}
		case "non_blocking":
		default:
			return value.TypeErrorf("to() got an unexpected keyword argument '%s'", name)
		}
		return nil
	}
	rest := args[1:]
	flags := []string{"non_blocking", "copy"}
	for i, v := range rest {
		if lacks, ok := native[missing](v); ok {
			return value.Value{}, missingError(string(lacks))
		}
		name := ""
		_, isT := AsTensor(v)
		_, isD := asDType(v)
		_, isM := native[memoryFormat](v)
		switch {
		case v.IsBool() && i > 0 && len(flags) > 0:
			name, flags = flags[0], flags[1:]
		case isT && i == 0:
			name = "other"
		case isD && i < 2:
			name = "dtype"
		case isM:
			name = "memory_format"
		case v.IsNone() && i == 0:
			name = "device"
		case v.IsNone() && i == 1:
			name = "dtype"
		case i == 0:
			if _, ok, err := r.parseDevice(v); err != nil {
				return value.Value{}, err
			} else if !ok {
				return value.Value{}, bad(v)
			}
			name = "device"
		default:
			return value.Value{}, bad(v)
		}
		if err := set(name, v); err != nil {
			return value.Value{}, err
		}
	}
	if len(rest) == 0 && len(kw) == 0 {
		return value.Value{}, value.TypeErrorf("to() received an invalid combination of arguments - got (), but expected one of:\n * (torch.device device, torch.dtype dtype, bool non_blocking, bool copy, *, torch.memory_format memory_format)\n" +
			" * (torch.dtype dtype, bool non_blocking, bool copy, *, torch.memory_format memory_format)\n * (Tensor tensor, bool non_blocking, bool copy, *, torch.memory_format memory_format)\n")
	}
	for _, k := range kw {
		if err := set(k.Name, k.Value); err != nil {
			return value.Value{}, err
		}
	}
	y, err := r.convert(t, x, d, dev, always, format)
	if err != nil {
		return value.Value{}, err
	}
	return r.result(y, r.subclass(args[:1])), nil
}

func (r *Runtime) initConversions() {
	c := r.classes.Tensor
	c.Def(&value.Builtin{Name: "to", WantsKw: true, Counted: true, Min: 0, Max: -1, Fn: r.to})
	cast := func(name string, d tensor.DType) {
		r.method(name, []string{"memory_format"}, 0, func(t *value.Thread, v value.Value, x *eager.Tensor, a []value.Value) (value.Value, error) {
			f, _ := native[memoryFormat](a[0])
			y, err := r.convert(t, x, d, x.Device(), false, f)
			if err != nil {
				return value.Value{}, err
			}
			return r.result(y, r.subclass([]value.Value{v})), nil
		})
	}
	for name, d := range map[string]tensor.DType{"float": tensor.Float32, "double": tensor.Float64, "half": tensor.Float16, "bfloat16": tensor.BFloat16,
		"int": tensor.Int32, "long": tensor.Int64, "short": tensor.Int16, "char": tensor.Int8, "byte": tensor.Uint8, "bool": tensor.Bool} {
		cast(name, d)
	}
	r.method("type", []string{"dtype", "non_blocking"}, 0, func(t *value.Thread, v value.Value, x *eager.Tensor, a []value.Value) (value.Value, error) {
		if !given(a[0]) {
			return value.Str(typeString(x.DType)), nil
		}
		d, ok := asDType(a[0])
		if s, isStr := a[0].AsString(); isStr {
			if d, ok = parseTypeString(s); !ok {
				return value.Value{}, value.ValueErrorf("invalid type: '%s'", s)
			}
		}
		if c := a[0].AsClass(); c != nil && !ok {
			d, ok = r.legacyDType(c)
		}
		if !ok {
			return value.Value{}, value.TypeErrorf("dtype must be a type, str, or dtype object")
		}
		y, err := r.convert(t, x, d, x.Device(), false, "")
		return r.Wrap(y), err
	})
	r.method("type_as", []string{"other"}, 1, func(t *value.Thread, v value.Value, x *eager.Tensor, a []value.Value) (value.Value, error) {
		y, ok := AsTensor(a[0])
		if !ok {
			return value.Value{}, value.TypeErrorf("type_as(): argument 'other' (position 1) must be Tensor, not %s", typeName(a[0]))
		}
		z, err := r.convert(t, x, y.DType, y.Device(), false, "")
		return r.Wrap(z), err
	})
	r.method("cpu", []string{"memory_format"}, 0, func(t *value.Thread, v value.Value, x *eager.Tensor, a []value.Value) (value.Value, error) {
		f, _ := native[memoryFormat](a[0])
		y, err := r.convert(t, x, x.DType, tensor.Device{}, false, f)
		return r.Wrap(y), err
	})
	r.method("cuda", []string{"device", "non_blocking", "memory_format"}, 0, func(t *value.Thread, v value.Value, x *eager.Tensor, a []value.Value) (value.Value, error) {
		dev := tensor.Device{Type: tensor.CUDA}
		if given(a[0]) {
			d, ok, err := r.parseDevice(a[0])
			if err != nil {
				return value.Value{}, err
			}
			if ok {
				dev = d.Device
			}
		}
		if err := r.available(dev); err != nil {
			return value.Value{}, err
		}
		y, err := r.convert(t, x, x.DType, dev, false, "")
		return r.Wrap(y), err
	})
}
