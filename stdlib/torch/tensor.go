package torch

import (
	"strings"

	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/op"
)

// operators are the ops behind the binary operators, by value.Op.
var operators = [...]string{value.OpAdd: "add", value.OpSub: "sub", value.OpMul: "mul", value.OpDiv: "div",
	value.OpFloorDiv: "floor_divide", value.OpMod: "remainder", value.OpPow: "pow", value.OpMatMul: "matmul",
	value.OpAnd: "bitwise_and", value.OpOr: "bitwise_or", value.OpXor: "bitwise_xor",
	value.OpLsh: "bitwise_left_shift", value.OpRsh: "bitwise_right_shift"}

var comparisons = [...]string{value.Lt: "lt", value.Le: "le", value.Eq: "eq", value.Ne: "ne", value.Gt: "gt", value.Ge: "ge"}

// operatorDefs are looked up once for each Runtime: the operators are on the
// shortest path there is.
type operatorDefs struct {
	binary  [len(operators)]*op.Def
	compare [len(comparisons)]*op.Def
	neg     *op.Def
	invert  *op.Def
	pos     *op.Def
}

func lookupOperators() *operatorDefs {
	d := &operatorDefs{neg: op.Lookup("neg"), invert: op.Lookup("bitwise_not"), pos: op.Lookup("positive")}
	for i, n := range operators {
		d.binary[i] = op.Lookup(n)
	}
	for i, n := range comparisons {
		d.compare[i] = op.Lookup(n)
	}
	return d
}

// operand converts an operator's operand. A Parameter or Tensor is a tensor, a
// Python number promotes weakly, anything else is the other type's business.
func operand(v value.Value) (a op.Arg, ok bool) {
	if t, ok := AsTensor(v); ok {
		return op.T(t), true
	}
	n, ok := number(v)
	return op.Num(n), ok
}

func (r *Runtime) initTensor(class classMaker) {
	defs := lookupOperators()
	k := &r.classes

	apply := func(t *value.Thread, d *op.Def, x, y value.Value) (value.Value, error) {
		if d == nil {
			return value.NotImplemented, nil
		}
		a, ok := operand(x)
		if !ok {
			return value.NotImplemented, nil
		}
		b, ok := operand(y)
		if !ok {
			return value.NotImplemented, nil
		}
		var room [4]op.Arg
		args := room[:min(len(d.Params), len(room))]
		args[0], args[1] = a, b
		for i := 2; i < len(args); i++ {
			if p := d.Params[i].Default; p != nil {
				args[i] = *p
			}
		}
		res, err := r.Context(t).Apply1(d, args)
		if err != nil {
			return value.Value{}, raise(err)
		}
		var buf [2]value.Value
		buf[0], buf[1] = x, y
		return r.result(res, r.subclass(buf[:])), nil
	}
	unary := func(t *value.Thread, d *op.Def, x value.Value) (value.Value, error) {
		a, _ := operand(x)
		res, err := r.Context(t).Apply1(d, []op.Arg{a})
		if err != nil {
			return value.Value{}, raise(err)
		}
		return r.result(res, r.subclass([]value.Value{x})), nil
	}

	k.Tensor = class("Tensor", &value.Slots{
		Symbols: true,
		New:     r.newTensor,
		Binary: func(t *value.Thread, o value.Op, x, y value.Value, reflected bool) (value.Value, error) {
			if int(o) >= len(defs.binary) {
				return value.NotImplemented, nil
			}
			return apply(t, defs.binary[o], x, y)
		},
		InPlace: func(t *value.Thread, o value.Op, x, y value.Value) (value.Value, error) {
			if int(o) >= len(defs.binary) || defs.binary[o] == nil || o == value.OpMatMul {
				return value.NotImplemented, nil
			}
			self, ok := AsTensor(x)
			if !ok {
				return value.NotImplemented, nil
			}
			b, ok := operand(y)
			if !ok {
				return value.NotImplemented, nil
			}
			if err := writable(self); err != nil {
				return value.Value{}, err
			}
			d := defs.binary[o]
			args := make([]op.Arg, len(d.Params))
			args[0], args[1] = op.T(self), b
			for i := 2; i < len(args); i++ {
				if p := d.Params[i].Default; p != nil {
					args[i] = *p
				}
			}
			if _, err := r.Context(t).ApplyInPlace(d, args); err != nil {
				return value.Value{}, raise(err)
			}
			return x, nil
		},
		Unary: func(t *value.Thread, o value.Op, x value.Value) (value.Value, error) {
			switch o {
			case value.OpNeg:
				return unary(t, defs.neg, x)
			case value.OpInvert:
				if a, ok := AsTensor(x); ok && a.DType.IsFloat() {
					return value.Value{}, value.TypeErrorf("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
				}
				return unary(t, defs.invert, x)
			case value.OpPos:
				return unary(t, defs.pos, x)
			}
			return value.NotImplemented, nil
		},
		Compare: func(t *value.Thread, o value.Cmp, x, y value.Value) (value.Value, error) {
			return apply(t, defs.compare[o], x, y)
		},
		GetItem: r.getItem,
		SetItem: r.setItem,
		DelItem: func(t *value.Thread, x, key value.Value) error {
			return value.TypeErrorf("Tensor does not support deleting items")
		},
		Len: func(t *value.Thread, v value.Value) (int, error) {
			x, _ := AsTensor(v)
			if x.Rank() == 0 {
				return 0, value.TypeErrorf("len() of a 0-d tensor")
			}
			x.Meta().Size[0].Must()
			return int(metaRead(t, v, "len", value.Int(x.Size[0])).Int64()), nil
		},
		Contains: func(t *value.Thread, x, elem value.Value) (bool, error) {
			if _, ok := operand(elem); !ok {
				return false, value.RuntimeErrorf("Tensor.__contains__ only supports Tensor or scalar, but you passed in a %s.", value.TypeOf(elem))
			}
			v, err := apply(t, defs.compare[value.Eq], x, elem)
			if err != nil {
				return false, err
			}
			eq, _ := AsTensor(v)
			some, err := r.apply1(t, "any", eq)
			if err != nil {
				return false, err
			}
			n, err := r.item(t, some)
			return n.I != 0, err
		},
		Iter: func(t *value.Thread, v value.Value) (value.Value, error) {
			x, _ := AsTensor(v)
			if x.Rank() == 0 {
				return value.Value{}, value.TypeErrorf("iteration over a 0-d tensor")
			}
			res, err := r.Context(t).Apply(op.Lookup("unbind.int"), []op.Arg{op.T(x)})
			if err != nil {
				return value.Value{}, raise(err)
			}
			sub := r.subclass([]value.Value{v})
			elems := make([]value.Value, len(res))
			for i, e := range res {
				elems[i] = r.result(e.(*eager.Tensor), sub)
			}
			return value.Iter(t, value.Tuple(elems...))
		},
		Truth: func(t *value.Thread, v value.Value) (bool, error) {
			x, _ := AsTensor(v)
			b, err := r.Context(t).Truth(x)
			return b, raise(err)
		},
		Repr: r.reprTensor,
		Format: func(t *value.Thread, v value.Value, spec string) (string, error) {
			x, _ := AsTensor(v)
			if x.Rank() == 0 {
				n, err := r.item(t, x)
				if err != nil {
					return "", err
				}
				s, err := value.Format(t, fromNumber(n), spec)
				if err != nil {
					return "", err
				}
				text, _ := s.AsString()
				return text, nil
			}
			if spec != "" {
				return "", value.TypeErrorf("unsupported format string passed to %s.__format__", typeName(v))
			}
			return r.reprTensor(t, v)
		},
		Index: func(t *value.Thread, v value.Value) (value.Value, error) {
			x, _ := AsTensor(v)
			eager.Pin(x)
			if x.Numel() != 1 || x.DType.IsFloat() {
				return value.Value{}, value.TypeErrorf("only integer tensors of a single element can be converted to an index")
			}
			n, err := r.item(t, x)
			return value.Int(n.Int64()), err
		},
		Int: func(t *value.Thread, v value.Value) (value.Value, error) {
			x, _ := AsTensor(v)
			n, err := r.item(t, x)
			if err != nil {
				return value.Value{}, err
			}
			return value.ToInt(t, fromNumber(n))
		},
		Float: func(t *value.Thread, v value.Value) (float64, error) {
			x, _ := AsTensor(v)
			n, err := r.item(t, x)
			return n.Float64(), err
		},
		GetAttr: func(t *value.Thread, v value.Value, name string) (value.Value, bool, error) {
			if inPyTorch("Tensor", name) {
				return value.Value{}, false, value.AttributeErrorf(name, "'%s' object has no attribute '%s' (Tensor.%s exists in PyTorch, but not in Larkspur)", typeName(v), name, name)
			}
			return value.Value{}, false, nil
		},
	})
	r.bindMethods()
	r.initAttributes()
	r.initTensorMethods()
	r.initConversions()
	r.initSpecialMethods()

	k.Tensor.Def(&value.Builtin{Name: "as_subclass", Counted: true, Min: 1, Max: 1, Fn: func(t *value.Thread, args []value.Value, _ []value.Kwarg) (value.Value, error) {
		x, err := self(args[0], "as_subclass")
		if err != nil {
			return value.Value{}, err
		}
		return r.asSubclass(t, x, args[1], false)
	}})
	k.Tensor.SetRaw("_make_subclass", (&value.StaticMethod{Fn: function("_make_subclass", []string{"cls", "data", "require_grad"}, 2, func(t *value.Thread, a []value.Value) (value.Value, error) {
		x, err := self(a[1], "_make_subclass")
		if err != nil {
			return value.Value{}, err
		}
		return r.asSubclass(t, x, a[0], a[2] == value.True)
	})}).Value())

	k.Parameter = class("Parameter", k.Tensor.Slots, k.Tensor)
	k.Parameter.Module = "torch.nn.parameter"
}

// bindMethods gives Tensor its ops. Methods with code of their own come later
// and replace them.
func (r *Runtime) bindMethods() {
	c := r.classes.Tensor
	seen := map[string]bool{}
	add := func(name string) {
		if seen[name] || strings.HasPrefix(name, "_") {
			return
		}
		seen[name] = true
		if b := r.opNamed(name, op.Method, true); b != nil {
			c.Def(b)
		}
	}
	for _, d := range op.All() {
		add1 := func(n string) {
			if d.Bind&op.Method != 0 {
				add(n)
			}
			if d.Bind&op.InPlace != 0 {
				add(n + "_")
			}
		}
		add1(d.Base)
		for _, n := range d.Aliases {
			add1(n)
		}
	}
	// Special methods by name: super().__add__ and operator tables find them.
	for o, name := range map[string]string{"__add__": "add", "__radd__": "add", "__sub__": "sub", "__rsub__": "rsub", "__mul__": "mul", "__rmul__": "mul",
		"__truediv__": "div", "__matmul__": "matmul", "__pow__": "pow", "__mod__": "remainder", "__floordiv__": "floor_divide",
		"__abs__": "abs", "__neg__": "neg", "__invert__": "bitwise_not", "__and__": "bitwise_and", "__or__": "bitwise_or", "__xor__": "bitwise_xor",
		"__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge", "__ne__": "ne"} {
		if defs := op.Overloads(name); len(defs) > 0 {
			c.Def(r.newOp(o, defs, true, false))
		}
	}
}

// metaRead tells a recorder what was read of a tensor's metadata.
func metaRead(t *value.Thread, self value.Value, name string, got value.Value) value.Value {
	if t.Observer != nil {
		return t.Observer.Read(self, value.StepNative, value.Str(name), got)
	}
	return got
}

// asSubclass is a tensor over x's memory, as an instance of a subclass of Tensor.
func (r *Runtime) asSubclass(t *value.Thread, x *eager.Tensor, class value.Value, requires bool) (value.Value, error) {
	c := class.AsClass()
	if c == nil || !c.IsSubclass(r.classes.Tensor) {
		return value.Value{}, value.TypeErrorf("cls must be a subclass of Tensor, not %s", typeName(class))
	}
	y := r.Context(t).Detach(x)
	if requires {
		if err := y.SetRequiresGrad(true); err != nil {
			return value.Value{}, raise(err)
		}
	}
	return r.wrapAs(c, y), nil
}
