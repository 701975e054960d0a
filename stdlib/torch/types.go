package torch

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tensor"
)

// classes are the native classes of a Runtime.
type classes struct {
	Tensor, Parameter                         *value.Class
	DType, Device, Layout, MemFormat, Size    *value.Class
	FInfo, IInfo, Generator, Storage          *value.Class
	Node, Handle, Missing, GPUObject          *value.Class
	returns                                   map[string]*value.Class // named tuples by op
	nodes                                     map[string]*value.Class // classes of tape nodes by name
	dtypes                                    map[tensor.DType]value.Value
	strided, sparse                           value.Value
	contiguous, preserve, chanLast, chanLast3 value.Value
	cpu                                       value.Value
}

// layout and memoryFormat are the states of torch.strided and
// torch.channels_last and their like.
type (
	layout       string
	memoryFormat string
)

// deviceState is the state of a torch.device; "cuda" and "cuda:0" differ in text only.
type deviceState struct {
	tensor.Device
	indexed bool
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func (r *Runtime) initClasses() {
	k := &r.classes
	k.returns, k.nodes = map[string]*value.Class{}, map[string]*value.Class{}
	class := func(name string, s *value.Slots, bases ...*value.Class) *value.Class {
		c := value.NewClass(name, "torch", bases...)
		c.Slots = s
		return c
	}
	text := func(f func(v value.Value) string) *value.Slots {
		return &value.Slots{New: noNew, Repr: func(_ *value.Thread, x value.Value) (string, error) { return f(x), nil }}
	}
	k.DType = class("dtype", text(func(v value.Value) string { d, _ := asDType(v); return "torch." + d.String() }))
	k.Layout = class("layout", text(func(v value.Value) string { l, _ := native[layout](v); return string(l) }))
	k.MemFormat = class("memory_format", text(func(v value.Value) string { l, _ := native[memoryFormat](v); return string(l) }))
	k.dtypes = map[tensor.DType]value.Value{}
	for _, d := range append(tensor.DTypes(), tensor.Complex64, tensor.Float8E4M3, tensor.Float8E5M2) {
		k.dtypes[d] = object(k.DType, d)
	}
	dtypeAttr := func(name string, f func(d tensor.DType) value.Value) {
		property(k.DType, name, func(t *value.Thread, v value.Value) (value.Value, error) {
			d, _ := asDType(v)
			return f(d), nil
		}, nil)
	}
	dtypeAttr("is_floating_point", func(d tensor.DType) value.Value { return value.Bool(d.IsFloat()) })
	dtypeAttr("is_complex", func(d tensor.DType) value.Value { return value.Bool(d.IsComplex()) })
	dtypeAttr("is_signed", func(d tensor.DType) value.Value { return value.Bool(d.IsSigned()) })
	dtypeAttr("itemsize", func(d tensor.DType) value.Value { return value.Int(int64(d.Size())) })

	k.strided, k.sparse = object(k.Layout, layout("torch.strided")), object(k.Layout, layout("torch.sparse_coo"))
	k.contiguous = object(k.MemFormat, memoryFormat("torch.contiguous_format"))
	k.preserve = object(k.MemFormat, memoryFormat("torch.preserve_format"))
	k.chanLast = object(k.MemFormat, memoryFormat("torch.channels_last"))
	k.chanLast3 = object(k.MemFormat, memoryFormat("torch.channels_last_3d"))

	r.initDevice(class)
	for _, c := range []*value.Class{k.DType, k.Layout, k.MemFormat, k.Device} { // immutable: their own copies
		same := func(_ *value.Thread, v value.Value, _ []value.Value, _ []value.Kwarg) (value.Value, error) {
			return v, nil
		}
		method(c, "__copy__", 0, 0, same)
		method(c, "__deepcopy__", 1, 1, same)
	}
	r.initSize(class)
	r.initInfo(class)
	r.initGenerator(class)
	r.initMissing(class)
	r.initTensor(class)
	r.initTape(class)
}

type classMaker func(name string, s *value.Slots, bases ...*value.Class) *value.Class

func noNew(_ *value.Thread, c *value.Class, _ []value.Value, _ []value.Kwarg) (value.Value, error) {
	return value.Value{}, value.TypeErrorf("cannot create '%s.%s' instances", c.Module, c.Name)
}

// object makes an instance of a native class.
func object(c *value.Class, native any) value.Value {
	in := value.NewInstance(c)
	in.Native = native
	return in.Value()
}

// property adds an attribute that Go code computes. set may be nil.
func property(c *value.Class, name string, get func(t *value.Thread, self value.Value) (value.Value, error), set func(t *value.Thread, self, v value.Value) error) {
	p := &value.Property{Name: name}
	p.Get = (&value.Builtin{Name: name, Counted: true, Min: 1, Max: 1, Fn: func(t *value.Thread, args []value.Value, _ []value.Kwarg) (value.Value, error) {
		return get(t, args[0])
	}}).Value()
	if set != nil {
		p.Set = (&value.Builtin{Name: name, Counted: true, Min: 2, Max: 2, Fn: func(t *value.Thread, args []value.Value, _ []value.Kwarg) (value.Value, error) {
			return value.None, set(t, args[0], args[1])
		}}).Value()
	}
	c.SetRaw(name, p.Value())
}

// method adds a method with at least min and at most max positional arguments
// (max < 0: any number); keyword arguments are for fn to check.
func method(c *value.Class, name string, min, max int, fn func(t *value.Thread, self value.Value, args []value.Value, kw []value.Kwarg) (value.Value, error)) {
	c.Def(&value.Builtin{Name: name, WantsKw: true, Min: min, Max: max, Counted: true,
		Fn: func(t *value.Thread, args []value.Value, kw []value.Kwarg) (value.Value, error) {
			return fn(t, args[0], args[1:], kw)
		}})
}

// function makes a module-level builtin with named parameters, in torch's way
// of naming what is wrong.
func function(name string, params []string, min int, fn func(t *value.Thread, a []value.Value) (value.Value, error)) value.Value {
	b := value.NewBuiltin(name, func(t *value.Thread, args []value.Value, kw []value.Kwarg) (value.Value, error) {
		a, err := place(name, params, min, args, kw)
		if err != nil {
			return value.Value{}, err
		}
		return fn(t, a)
	})
	return b.Value()
}

// place puts arguments at the positions of their parameters; absent ones are unset.
func place(name string, params []string, min int, args []value.Value, kw []value.Kwarg) ([]value.Value, error) {
	if len(args) > len(params) {
		return nil, value.TypeErrorf("%s() takes %d positional argument%s but %d %s given", name, len(params), plural(len(params)), len(args), wasWere(len(args)))
	}
	a := make([]value.Value, len(params))
	copy(a, args)
	for _, v := range args {
		if lacks, ok := native[missing](v); ok {
			return nil, missingError(string(lacks))
		}
	}
next:
	for _, k := range kw {
		for i, p := range params {
			if p != k.Name {
				continue
			}
			if !a[i].IsUnset() {
				return nil, value.TypeErrorf("%s() got multiple values for argument '%s'", name, p)
			}
			if lacks, ok := native[missing](k.Value); ok {
				return nil, missingError(string(lacks))
			}
			a[i] = k.Value
			continue next
		}
		return nil, value.TypeErrorf("%s() got an unexpected keyword argument '%s'", name, k.Name)
	}
	for i := 0; i < min; i++ {
		if a[i].IsUnset() {
			return nil, value.TypeErrorf("%s() missing 1 required positional argument: '%s'", name, params[i])
		}
	}
	return a, nil
}

// given reports an argument that is there and not None.
func given(v value.Value) bool { return !v.IsUnset() && !v.IsNone() }

// asDType reads a dtype, or one of Python's number types that stand for one.
func asDType(v value.Value) (tensor.DType, bool) {
	if d, ok := native[tensor.DType](v); ok {
		return d, true
	}
	switch v.AsClass() {
	case nil:
	case value.FloatClass:
		return tensor.Float64, true
	case value.IntClass:
		return tensor.Int64, true
	case value.BoolClass:
		return tensor.Bool, true
	}
	return tensor.Invalid, false
}

// DType is the object of a dtype.
func (r *Runtime) DType(d tensor.DType) value.Value { return r.classes.dtypes[d] }

func (r *Runtime) initDevice(class classMaker) {
	k := &r.classes
	k.GPUObject = class("_CudaHandle", &value.Slots{})
	k.Device = class("device", &value.Slots{
		New: func(t *value.Thread, _ *value.Class, args []value.Value, kw []value.Kwarg) (value.Value, error) {
			a, err := place("device", []string{"type", "index"}, 1, args, kw)
			if err != nil {
				return value.Value{}, err
			}
			d, ok, err := r.parseDevice(a[0])
			if err != nil {
				return value.Value{}, err
			}
			if !ok {
				return value.Value{}, value.TypeErrorf("device(): argument 'type' (position 1) must be str, not %s", typeName(a[0]))
			}
			if given(a[1]) {
				if !a[1].IsInt() || a[1].Int64() < 0 {
					return value.Value{}, value.RuntimeErrorf("Device index must not be negative")
				}
				if d.indexed {
					return value.Value{}, value.RuntimeErrorf("type (string) must not include an index because index was passed explicitly: %s", d.Device)
				}
				d.Index, d.indexed = int16(a[1].Int64()), true
			}
			return object(k.Device, d), nil
		},
		Repr: func(_ *value.Thread, x value.Value) (string, error) {
			d, _ := native[deviceState](x)
			if d.indexed {
				return fmt.Sprintf("device(type='%s', index=%d)", d.Type, d.Index), nil
			}
			return fmt.Sprintf("device(type='%s')", d.Type), nil
		},
		Str: func(_ *value.Thread, x value.Value) (string, error) {
			d, _ := native[deviceState](x)
			return d.text(), nil
		},
		Compare: func(_ *value.Thread, op value.Cmp, x, y value.Value) (value.Value, error) {
			a, _ := native[deviceState](x)
			b, ok := native[deviceState](y)
			if !ok || op != value.Eq && op != value.Ne {
				return value.NotImplemented, nil
			}
			return value.Bool((a == b) == (op == value.Eq)), nil
		},
		Hash: func(_ *value.Thread, x value.Value) (uint64, error) {
			d, _ := native[deviceState](x)
			h := uint64(d.Type)<<20 | uint64(uint16(d.Index))<<1
			if d.indexed {
				h |= 1
			}
			return h, nil
		},
	})
	property(k.Device, "type", func(_ *value.Thread, v value.Value) (value.Value, error) {
		d, _ := native[deviceState](v)
		return value.Str(d.Type.String()), nil
	}, nil)
	property(k.Device, "index", func(_ *value.Thread, v value.Value) (value.Value, error) {
		d, _ := native[deviceState](v)
		if !d.indexed {
			return value.None, nil
		}
		return value.Int(int64(d.Index)), nil
	}, nil)
	k.cpu = object(k.Device, deviceState{})
}

func (d deviceState) text() string {
	if d.indexed {
		return d.Type.String() + ":" + strconv.Itoa(int(d.Index))
	}
	return d.Type.String()
}

// parseDevice reads "cuda:0", a device object or the number of a GPU.
func (r *Runtime) parseDevice(v value.Value) (d deviceState, ok bool, err error) {
	if d, ok := native[deviceState](v); ok {
		return d, true, nil
	}
	if s, isStr := v.AsString(); isStr {
		dev, err := tensor.ParseDevice(s)
		if err != nil {
			return d, false, raise(err)
		}
		return deviceState{dev, strings.Contains(s, ":")}, true, nil
	}
	if v.IsInt() {
		return deviceState{tensor.Device{Type: tensor.CUDA, Index: int16(v.Int64())}, true}, true, nil
	}
	return d, false, nil
}

// asDevice reads a device on which a tensor is to be.
func (r *Runtime) asDevice(v value.Value) (d tensor.Device, ok bool, err error) {
	s, ok, err := r.parseDevice(v)
	if !ok || err != nil {
		return d, ok, err
	}
	return s.Device, true, r.available(s.Device)
}

// available raises PyTorch's error for a device that is not there.
func (r *Runtime) available(d tensor.Device) error {
	if d.Type == tensor.CPU {
		return nil
	}
	if d.Type == tensor.CUDA {
		_, err := r.gpu(int(d.Index))
		return err
	}
	if r.opts.Alloc != nil {
		if _, err := r.opts.Alloc(d); err == nil {
			return nil
		}
	}
	return value.Errorf(value.ExcNotImplementedError, "device '%s' exists in PyTorch, but not in Larkspur", d)
}

func noCUDA() error {
	return value.Errorf(value.ExcAssertionError, "Torch not compiled with CUDA enabled")
}

// device is the object of a tensor's device.
func (r *Runtime) device(d tensor.Device) value.Value {
	if d.Type == tensor.CPU {
		return r.classes.cpu
	}
	return object(r.classes.Device, deviceState{d, d.Type == tensor.CUDA})
}

// initSize makes torch.Size, a tuple of ints.
func (r *Runtime) initSize(class classMaker) {
	k := &r.classes
	k.Size = class("Size", &value.Slots{
		New: func(t *value.Thread, c *value.Class, args []value.Value, kw []value.Kwarg) (value.Value, error) {
			if len(args) == 0 {
				return sizeOf(c, nil), nil
			}
			elems, ok := sequence(args[0])
			if !ok {
				return value.Value{}, value.TypeErrorf("'%s' object is not iterable", typeName(args[0]))
			}
			for i, e := range elems {
				n, ok, err := value.AsIndex(t, e)
				if err != nil {
					return value.Value{}, err
				}
				if !ok {
					return value.Value{}, value.TypeErrorf("torch.Size() takes an iterable of 'int' (item %d is '%s')", i, typeName(e))
				}
				elems[i] = value.Int(n)
			}
			return sizeOf(c, elems), nil
		},
		Repr: func(t *value.Thread, x value.Value) (string, error) {
			elems, _ := sequence(x)
			var b strings.Builder
			b.WriteString("torch.Size([")
			for i, e := range elems {
				if i > 0 {
					b.WriteString(", ")
				}
				b.WriteString(strconv.FormatInt(e.Int64(), 10))
			}
			b.WriteString("])")
			return b.String(), nil
		},
		GetItem: func(t *value.Thread, x, key value.Value) (value.Value, error) {
			v, err := value.GetItem(t, value.Payload(x), key)
			if err != nil || !key.Is(value.ItabSlice) {
				return v, err
			}
			elems, _ := sequence(v)
			return sizeOf(k.Size, elems), nil
		},
		Binary: func(t *value.Thread, op value.Op, x, y value.Value, reflected bool) (value.Value, error) {
			if reflected {
				return value.Binary(t, op, x, value.Payload(y))
			}
			v, err := value.Binary(t, op, value.Payload(x), value.Payload(y))
			if err != nil {
				return v, err
			}
			if elems, ok := sequence(v); ok {
				return sizeOf(k.Size, elems), nil
			}
			return v, nil
		},
	}, value.TupleClass)
	method(k.Size, "numel", 0, 0, func(t *value.Thread, self value.Value, _ []value.Value, _ []value.Kwarg) (value.Value, error) {
		elems, _ := sequence(self)
		n := int64(1)
		for _, e := range elems {
			n *= e.Int64()
		}
		return value.Int(n), nil
	})
}

func sizeOf(c *value.Class, elems []value.Value) value.Value {
	in := value.NewInstance(c)
	in.Native = value.Tuple(elems...).Starlark()
	return in.Value()
}

// size is a torch.Size.
func (r *Runtime) size(dims []int64) value.Value {
	var buf [8]value.Value
	elems := buf[:0]
	for _, n := range dims {
		elems = append(elems, value.Int(n))
	}
	return sizeOf(r.classes.Size, elems)
}

// intTuple is a plain tuple of ints.
func intTuple(l []int64) value.Value {
	elems := make([]value.Value, len(l))
	for i, n := range l {
		elems[i] = value.Int(n)
	}
	return value.Tuple(elems...)
}

// number types' limits

type finfo struct {
	d                                       tensor.DType
	bits                                    int64
	eps, max, tiny, resolution, smallestSub float64
}

var finfos = map[tensor.DType]finfo{
	tensor.Float16:  {tensor.Float16, 16, 0x1p-10, 65504, 0x1p-14, 0.001, 0x1p-24},
	tensor.BFloat16: {tensor.BFloat16, 16, 0x1p-7, 0x1.fep+127, 0x1p-126, 0.01, 0x1p-133},
	tensor.Float32:  {tensor.Float32, 32, 0x1p-23, math.MaxFloat32, 0x1p-126, 1e-06, math.SmallestNonzeroFloat32},
	tensor.Float64:  {tensor.Float64, 64, 0x1p-52, math.MaxFloat64, 0x1p-1022, 1e-15, math.SmallestNonzeroFloat64},
}

func (r *Runtime) initInfo(class classMaker) {
	k := &r.classes
	g := func(f float64) string {
		s := strconv.FormatFloat(f, 'g', 6, 64)
		return s
	}
	k.FInfo = class("finfo", &value.Slots{
		New: func(t *value.Thread, c *value.Class, args []value.Value, kw []value.Kwarg) (value.Value, error) {
			a, err := place("finfo", []string{"type"}, 0, args, kw)
			if err != nil {
				return value.Value{}, err
			}
			d := r.Context(t).Default
			if given(a[0]) {
				var ok bool
				if d, ok = asDType(a[0]); !ok {
					return value.Value{}, value.TypeErrorf("finfo(): argument 'type' (position 1) must be torch.dtype, not %s", typeName(a[0]))
				}
			}
			if err := elementary(d); err != nil {
				return value.Value{}, err
			}
			f, ok := finfos[d]
			if !ok {
				return value.Value{}, value.TypeErrorf("torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'")
			}
			return object(c, f), nil
		},
		Repr: func(_ *value.Thread, x value.Value) (string, error) {
			f, _ := native[finfo](x)
			return fmt.Sprintf("finfo(resolution=%s, min=%s, max=%s, eps=%s, smallest_normal=%s, tiny=%s, dtype=%s)",
				value.FloatRepr(f.resolution), g(-f.max), g(f.max), g(f.eps), g(f.tiny), g(f.tiny), f.d), nil
		},
	})
	fattr := func(name string, get func(f finfo) value.Value) {
		property(k.FInfo, name, func(_ *value.Thread, v value.Value) (value.Value, error) {
			f, _ := native[finfo](v)
			return get(f), nil
		}, nil)
	}
	fattr("bits", func(f finfo) value.Value { return value.Int(f.bits) })
	fattr("eps", func(f finfo) value.Value { return value.Float(f.eps) })
	fattr("max", func(f finfo) value.Value { return value.Float(f.max) })
	fattr("min", func(f finfo) value.Value { return value.Float(-f.max) })
	fattr("tiny", func(f finfo) value.Value { return value.Float(f.tiny) })
	fattr("smallest_normal", func(f finfo) value.Value { return value.Float(f.tiny) })
	fattr("resolution", func(f finfo) value.Value { return value.Float(f.resolution) })
	fattr("dtype", func(f finfo) value.Value { return value.Str(f.d.String()) })

	limits := func(d tensor.DType) (bits int64, lo, hi int64) {
		bits = int64(8 * d.Size())
		if !d.IsSigned() {
			return bits, 0, 1<<bits - 1
		}
		return bits, -1 << (bits - 1), 1<<(bits-1) - 1
	}
	k.IInfo = class("iinfo", &value.Slots{
		New: func(t *value.Thread, c *value.Class, args []value.Value, kw []value.Kwarg) (value.Value, error) {
			a, err := place("iinfo", []string{"type"}, 1, args, kw)
			if err != nil {
				return value.Value{}, err
			}
			d, ok := asDType(a[0])
			if !ok {
				return value.Value{}, value.TypeErrorf("iinfo(): argument 'type' (position 1) must be torch.dtype, not %s", typeName(a[0]))
			}
			if !d.IsInt() {
				return value.Value{}, value.TypeErrorf("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
			}
			return object(c, d), nil
		},
		Repr: func(_ *value.Thread, x value.Value) (string, error) {
			d, _ := native[tensor.DType](x)
			_, lo, hi := limits(d)
			return fmt.Sprintf("iinfo(min=%d, max=%d, dtype=%s)", lo, hi, d), nil
		},
	})
	iattr := func(name string, get func(d tensor.DType) value.Value) {
		property(k.IInfo, name, func(_ *value.Thread, v value.Value) (value.Value, error) {
			d, _ := native[tensor.DType](v)
			return get(d), nil
		}, nil)
	}
	iattr("bits", func(d tensor.DType) value.Value { b, _, _ := limits(d); return value.Int(b) })
	iattr("min", func(d tensor.DType) value.Value { _, lo, _ := limits(d); return value.Int(lo) })
	iattr("max", func(d tensor.DType) value.Value { _, _, hi := limits(d); return value.Int(hi) })
	iattr("dtype", func(d tensor.DType) value.Value { return value.Str(d.String()) })
}
