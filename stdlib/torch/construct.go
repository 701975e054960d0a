package torch

import (
	"strconv"
	"strings"
	"unsafe"

	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Tensors from data of the language.

// maxNesting bounds the recursion over nested lists: no tensor has more dimensions.
const maxNesting = 64

// data is nested lists of numbers, flattened.
type data struct {
	r    *Runtime
	t    *value.Thread
	size []int64
	nums []tensor.Number
	kind tensor.DType // common type of the elements, Invalid for none
	def  tensor.DType
	big  bool // an integer among them does not fit into 64 bits
}

// fromData makes a tensor from numbers, 0-dimensional tensors, and nested lists
// and tuples of them. d is Invalid where the data decides the dtype.
func (r *Runtime) fromData(t *value.Thread, v value.Value, d tensor.DType) (*eager.Tensor, error) {
	x := r.Context(t)
	if src, ok := AsTensor(v); ok {
		if d == tensor.Invalid {
			d = src.DType
		}
		if err := elementary(d); err != nil {
			return nil, err
		}
		y, err := r.apply1(t, "_to_dtype", x.Detach(src), d)
		return y, err
	}
	in := &data{r: r, t: t, def: x.Default}
	if err := in.shape(v); err != nil {
		return nil, err
	}
	if err := in.walk(v, 0); err != nil {
		return nil, err
	}
	if d == tensor.Invalid {
		if d = in.kind; d == tensor.Invalid {
			d = x.Default
		}
	}
	if err := elementary(d); err != nil {
		return nil, err
	}
	if in.big && !d.IsFloat() {
		return nil, value.RuntimeErrorf("Overflow when unpacking long")
	}
	raw := make([]byte, 0, len(in.nums)*d.Size())
	for _, n := range in.nums {
		if !d.IsFloat() && d != tensor.Bool && n.Kind == tensor.NumFloat {
			if n.F != n.F || n.F > 1<<63 || n.F < -(1<<63) {
				return nil, value.ValueErrorf("cannot convert float %s to integer", strings.ToLower(strconv.FormatFloat(n.F, 'g', -1, 64)))
			}
		}
		if d == tensor.Uint8 && n.Int64() < 0 || d.IsInt() && d.Size() < 8 && outOfRange(d, n.Int64()) {
			return nil, value.RuntimeErrorf("value cannot be converted to type %s without overflow", cName(d))
		}
		raw = tensor.AppendElement(raw, d, n)
	}
	y, err := x.FromBytes(d, in.size, raw)
	if err == nil && x.Observer != nil {
		x.Observer.OnData(y)
	}
	return y, raise(err)
}

func outOfRange(d tensor.DType, i int64) bool {
	bits := 8 * d.Size()
	if d == tensor.Uint8 {
		return i < 0 || i > 255
	}
	return i < -1<<(bits-1) || i > 1<<(bits-1)-1
}

func cName(d tensor.DType) string {
	switch d {
	case tensor.Uint8:
		return "uint8_t"
	case tensor.Int8:
		return "int8_t"
	case tensor.Int16:
		return "int16_t"
	case tensor.Int32:
		return "int"
	}
	return d.String()
}

// shape follows the first elements down.
func (in *data) shape(v value.Value) error {
	for range maxNesting {
		if x, ok := AsTensor(v); ok {
			in.size = append(in.size, x.Size...)
			return nil
		}
		elems, ok, err := elements(in.t, v)
		if err != nil || !ok {
			return err
		}
		in.size = append(in.size, int64(len(elems)))
		if len(elems) == 0 {
			return nil
		}
		v = elems[0]
	}
	return value.ValueErrorf("too many dimensions '%s'", typeName(v))
}

func (in *data) walk(v value.Value, dim int) error {
	if x, ok := AsTensor(v); ok {
		return in.tensor(x, dim)
	}
	if dim == len(in.size) {
		n, ok := number(value.Payload(v))
		if !ok {
			if _, isSeq := sequence(v); isSeq {
				if in.kind.IsFloat() {
					return value.TypeErrorf("must be real number, not %s", typeName(v))
				}
				return value.TypeErrorf("'%s' object cannot be interpreted as an integer", typeName(v))
			}
			if b, big := value.AsBig(v); big {
				f, _ := b.Float64()
				in.big = true
				in.nums = append(in.nums, tensor.Float(f))
				in.kind = tensor.Promote(in.kind, tensor.Int64)
				return nil
			}
			if s, isStr := v.AsString(); isStr {
				if len(in.size) == 0 || len(s) != 1 || len(in.nums) > 0 { // sizes are found along first elements
					return value.TypeErrorf("new(): invalid data type 'str'")
				}
				return value.ValueErrorf("too many dimensions 'str'")
			}
			return value.RuntimeErrorf("Could not infer dtype of %s", typeName(v))
		}
		in.add(n)
		return nil
	}
	elems, ok, err := elements(in.t, v)
	if err != nil {
		return err
	}
	if !ok {
		if v.IsNone() {
			return value.RuntimeErrorf("Could not infer dtype of NoneType")
		}
		return value.TypeErrorf("not a sequence")
	}
	if int64(len(elems)) != in.size[dim] {
		return value.ValueErrorf("expected sequence of length %d at dim %d (got %d)", in.size[dim], dim, len(elems))
	}
	for _, e := range elems {
		if err := in.walk(e, dim+1); err != nil {
			return err
		}
	}
	return nil
}

func (in *data) add(n tensor.Number) {
	in.nums = append(in.nums, n)
	in.kind = tensor.Promote(in.kind, n.Kind.DType(in.def))
}

// tensor adds the elements of a tensor inside a list.
func (in *data) tensor(x *eager.Tensor, dim int) error {
	if x.Numel() == 1 && dim == len(in.size) {
		n, err := in.r.item(in.t, x)
		if err != nil {
			return err
		}
		in.nums = append(in.nums, n)
		in.kind = tensor.Promote(in.kind, x.DType)
		return nil
	}
	rest := in.size[dim:]
	if len(rest) != x.Rank() {
		return value.ValueErrorf("only one element tensors can be converted to Python scalars")
	}
	for i, n := range x.Size {
		if n != rest[i] {
			return value.ValueErrorf("expected sequence of length %d at dim %d (got %d)", rest[i], dim+i, n)
		}
	}
	in.kind = tensor.Promote(in.kind, x.DType)
	return raise(in.r.Context(in.t).Values(x, func(n tensor.Number) { in.nums = append(in.nums, n) }))
}

// tensorFunc is torch.tensor, and torch.as_tensor where share is set.
func (r *Runtime) tensorFunc(name string, share bool) value.Value {
	return function(name, []string{"data", "dtype", "device", "requires_grad", "pin_memory"}, 1, func(t *value.Thread, a []value.Value) (value.Value, error) {
		d := tensor.Invalid
		if given(a[1]) {
			var ok bool
			if d, ok = asDType(a[1]); !ok {
				return value.Value{}, value.TypeErrorf("%s(): argument 'dtype' must be torch.dtype, not %s", name, typeName(a[1]))
			}
		}
		var dev tensor.Device
		if given(a[2]) {
			var ok bool
			var err error
			if dev, ok, err = r.asDevice(a[2]); err != nil {
				return value.Value{}, err
			} else if !ok {
				return value.Value{}, value.TypeErrorf("%s(): argument 'device' must be torch.device, not %s", name, typeName(a[2]))
			}
		}
		if x, ok := AsTensor(a[0]); ok && share {
			if d == tensor.Invalid {
				d = x.DType
			}
			if d == x.DType && (!given(a[2]) || dev == x.Device()) {
				return a[0], nil
			}
			y, err := r.convert(t, x, d, dev, false, "")
			return r.Wrap(y), err
		}
		x, err := r.fromData(t, a[0], d)
		if err != nil {
			return value.Value{}, err
		}
		if dev != x.Device() {
			if x, err = r.convert(t, x, x.DType, dev, false, ""); err != nil {
				return value.Value{}, err
			}
		}
		if given(a[3]) && a[3] == value.True {
			if !x.DType.IsFloat() {
				return value.Value{}, value.RuntimeErrorf("Only Tensors of floating point and complex dtype can require gradients")
			}
			if err := x.SetRequiresGrad(true); err != nil {
				return value.Value{}, raise(err)
			}
		}
		return r.Wrap(x), nil
	})
}

// newTensor is Tensor(…) and the constructor of subclasses: sizes, data, or a tensor.
func (r *Runtime) newTensor(t *value.Thread, c *value.Class, args []value.Value, kw []value.Kwarg) (value.Value, error) {
	if c == r.classes.Parameter || c.IsSubclass(r.classes.Parameter) {
		return r.newParameter(t, c, args, kw)
	}
	if v, rest := takeKw(kw, "device"); given(v) {
		if _, _, err := r.asDevice(v); err != nil {
			return value.Value{}, err
		}
		kw = rest
	}
	if v, rest := takeKw(kw, "data"); given(v) {
		args, kw = append(append([]value.Value(nil), args...), v), rest
	}
	if c == r.classes.Tensor && len(kw) > 0 {
		return value.Value{}, value.TypeErrorf("new() got an unexpected keyword argument '%s'", kw[0].Name)
	}
	x, err := r.legacy(t, r.Context(t).Default, args)
	if err != nil {
		return value.Value{}, err
	}
	if x.Obj != nil {
		x = r.Context(t).Detach(x)
	}
	return r.wrapAs(c, x), nil
}

// legacy is FloatTensor(2, 3), FloatTensor([1, 2]), FloatTensor(t), FloatTensor().
func (r *Runtime) legacy(t *value.Thread, d tensor.DType, args []value.Value) (*eager.Tensor, error) {
	x := r.Context(t)
	var size []int64
	switch {
	case len(args) == 0:
		size = []int64{0}
	case len(args) == 1 && !args[0].IsInt():
		if y, ok := AsTensor(args[0]); ok {
			if y.DType != d {
				return nil, value.TypeErrorf("expected %s (got %s)", typeString(d), typeString(y.DType))
			}
			return x.Detach(y), nil
		}
		if args[0].Is(value.ItabInstance) && args[0].AsInstance().Class() == r.classes.Size {
			elems, _ := sequence(args[0])
			for _, e := range elems {
				size = append(size, e.Int64())
			}
			break
		}
		if _, ok := sequence(args[0]); !ok {
			return nil, value.TypeErrorf("new(): data must be a sequence (got %s)", typeName(args[0]))
		}
		return r.fromData(t, args[0], d)
	default:
		for i, v := range args {
			n, ok := r.index(t, v)
			if !ok {
				return nil, value.TypeErrorf("new() received an invalid combination of arguments - got (%s) at position %d, expected ints", typeName(v), i+1)
			}
			size = append(size, n)
		}
	}
	return r.apply1(t, "empty", size, dtypeKW(d))
}

// newParameter is torch.nn.Parameter(data=None, requires_grad=True).
func (r *Runtime) newParameter(t *value.Thread, c *value.Class, args []value.Value, kw []value.Kwarg) (value.Value, error) {
	a, err := place("__new__", []string{"data", "requires_grad"}, 0, args, kw)
	if err != nil {
		return value.Value{}, err
	}
	x := r.Context(t)
	var y *eager.Tensor
	if given(a[0]) {
		src, ok := AsTensor(a[0])
		if !ok {
			return value.Value{}, value.TypeErrorf("Parameter data must be a Tensor, not %s", typeName(a[0]))
		}
		y = x.Detach(src)
	} else if y, err = r.apply1(t, "empty", []int64{0}); err != nil {
		return value.Value{}, err
	}
	req := true
	if given(a[1]) {
		if req, err = value.Truth(t, a[1]); err != nil {
			return value.Value{}, err
		}
	}
	if req {
		if !y.DType.IsFloat() {
			return value.Value{}, value.RuntimeErrorf("Only Tensors of floating point and complex dtype can require gradients")
		}
		if err := y.SetRequiresGrad(true); err != nil {
			return value.Value{}, raise(err)
		}
	}
	return r.wrapAs(c, y), nil
}

// frombuffer is torch.frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False). A bytearray's memory is
// shared where the elements are aligned in it; the bytes of an immutable object are copied.
func (r *Runtime) frombuffer() value.Value {
	return function("frombuffer", []string{"buffer", "dtype", "count", "offset", "requires_grad"}, 2, func(t *value.Thread, a []value.Value) (value.Value, error) {
		b, ok := asBytes(a[0])
		shared := false
		if !ok {
			b, ok = asBuffer(a[0])
			shared = ok
		}
		if !ok {
			return value.Value{}, value.ValueErrorf("object does not implement Python buffer protocol.")
		}
		d, ok := asDType(a[1])
		if !ok {
			return value.Value{}, value.TypeErrorf("frombuffer(): argument 'dtype' must be torch.dtype, not %s", typeName(a[1]))
		}
		if err := elementary(d); err != nil {
			return value.Value{}, err
		}
		count, offset := int64(-1), int64(0)
		for i, p := range []*int64{&count, &offset} {
			if given(a[2+i]) {
				if *p, ok = r.index(t, a[2+i]); !ok {
					return value.Value{}, value.TypeErrorf("frombuffer(): argument '%s' must be int, not %s", []string{"count", "offset"}[i], typeName(a[2+i]))
				}
			}
		}
		n, w := int64(len(b)), int64(d.Size())
		switch {
		case n == 0 || count == 0:
			return value.Value{}, value.ValueErrorf("both buffer length (%d) and count (%d) must not be 0", n, count)
		case offset < 0 || offset >= n:
			return value.Value{}, value.ValueErrorf("offset (%d bytes) must be non-negative and no greater than buffer length (%d bytes) minus 1", offset, n)
		case count < 0 && (n-offset)%w != 0:
			return value.Value{}, value.ValueErrorf("buffer length (%d bytes) after offset (%d bytes) must be a multiple of element size (%d)", n-offset, offset, w)
		case count > 0 && count > (n-offset)/w:
			return value.Value{}, value.ValueErrorf("requested buffer length (%d * %d bytes) after offset (%d bytes) must not be greater than actual buffer length (%d bytes)", count, w, offset, n)
		}
		if count < 0 {
			count = (n - offset) / w
		}
		b = b[offset : offset+count*w]
		var x *eager.Tensor
		var err error
		if shared && uintptr(unsafe.Pointer(&b[0]))%uintptr(w) == 0 {
			x, err = r.Context(t).FromBuffer(tensor.HostBuffer(b), d, []int64{count}, 0)
		} else {
			x, err = r.Context(t).FromBytes(d, []int64{count}, b)
		}
		if err != nil {
			return value.Value{}, raise(err)
		}
		if a[4] == value.True {
			if err := x.SetRequiresGrad(true); err != nil {
				return value.Value{}, raise(err)
			}
		}
		return r.Wrap(x), nil
	})
}

// typeString is t.type(): torch.FloatTensor.
func typeString(d tensor.DType) string { return "torch." + d.ScalarName() + "Tensor" }

// parseTypeString reads "torch.FloatTensor".
func parseTypeString(s string) (tensor.DType, bool) {
	s = strings.TrimPrefix(s, "torch.")
	for _, d := range tensor.DTypes() {
		if s == d.ScalarName()+"Tensor" {
			return d, true
		}
	}
	return tensor.Invalid, false
}
