package torch

import "github.com/larkspur-ml/larkspur/lang/value"

// What may be recorded through: builtins that change nothing but by ops, and that
// read metadata only, each read of it told to the observer (metaRead), or properties
// that cannot change.
var (
	toldMethods = []string{"numel", "nelement", "dim", "ndimension", "size", "stride", "element_size", "is_floating_point", "is_complex", "is_signed",
		"is_contiguous", "backward", "detach", "requires_grad_", "type_as", "to", "float", "double", "half", "bfloat16", "int", "long", "short", "char", "byte", "bool", "cpu", "is_same_size", "copy_", "__getitem__", "__setitem__", "__eq__"}
	toldProperties = []string{"shape", "dtype", "device", "layout", "ndim", "itemsize", "nbytes", "is_cuda", "is_cpu", "is_meta", "requires_grad", "is_leaf",
		"grad", "_grad", "grad_fn", "data", "T", "mT", "H", "mH", "real"}
	toldFunctions = map[string]bool{"is_tensor": true, "is_floating_point": true, "is_complex": true, "is_signed": true, "numel": true, "is_grad_enabled": true,
		"promote_types": true, "can_cast": true, "where": true, "_set_grad_enabled": true,
		"_is_compiling": true, "tensor": true, "as_tensor": true, "grad": true}
)

// tell marks the methods and properties of Tensor.
func (r *Runtime) tell() {
	c := r.classes.Tensor
	mark := func(v value.Value) {
		if b, ok := value.As[*value.Builtin](v); ok {
			b.Told = true
		}
	}
	for _, n := range toldMethods {
		if v, ok := c.Own(n); ok {
			mark(v)
		}
	}
	for _, n := range toldProperties {
		v, _ := c.Own(n)
		p, ok := value.As[*value.Property](v)
		if !ok {
			continue
		}
		mark(p.Get)
		if n == "grad" || n == "_grad" || n == "requires_grad" {
			mark(p.Set)
		}
	}
	for _, d := range r.classes.dtypes {
		for _, n := range []string{"is_floating_point", "is_complex", "is_signed", "itemsize"} {
			f, _ := value.TypeOf(d).Find(n)
			if p, ok := value.As[*value.Property](f.Value); ok {
				mark(p.Get)
			}
		}
	}
}

// told marks a function of a module.
func told(name string, v value.Value) value.Value {
	if b, ok := value.As[*value.Builtin](v); ok && toldFunctions[name] {
		b.Told = true
	}
	return v
}
