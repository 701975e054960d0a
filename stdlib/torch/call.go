package torch

import (
	"slices"
	"strings"

	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// opFunc is the builtin of some overloads of an op.
type opFunc struct {
	r      *Runtime
	name   string // as PyTorch's errors have it
	defs   []*op.Def
	method bool
	// write: the in-place form, which stores into operand 0 and returns it.
	write bool
	// out says that out= is taken.
	out bool
	// wantsGrad is the index of requires_grad in defs[0].Params, -1 without.
	wantsGrad []int
	anyGrad   bool // some overload has it
}

// bound returns those overloads of name that are bound under one of kinds.
func bound(name string, kinds op.Bind) []*op.Def {
	var defs []*op.Def
	for _, d := range op.Overloads(name) {
		if d.Bind&kinds != 0 {
			defs = append(defs, d)
		}
	}
	return defs
}

// opNamed makes the builtin of a name, nil if the table has none: X for kinds,
// or X_ for the in-place form of X.
func (r *Runtime) opNamed(name string, kinds op.Bind, method bool) *value.Builtin {
	if defs := bound(name, kinds); len(defs) > 0 {
		return r.newOp(name, defs, method, false)
	}
	if base, ok := strings.CutSuffix(name, "_"); ok && !strings.HasSuffix(base, "_") {
		if defs := bound(base, op.InPlace); len(defs) > 0 {
			return r.newOp(name, defs, method, true)
		}
		// dropout_, threshold_ and, of torch._C._nn, leaky_relu_: functions whose in-place form writes the result of
		// the other.
		if defs := bound(base, op.Fn|op.NN); len(defs) > 0 && (kinds == op.Fn && inPyTorch("torch", name) || kinds == op.NN) {
			return r.newOp(name, defs, method, true)
		}
	}
	// torch has some functions of torch.nn.functional under the same name.
	if kinds == op.Fn && inPyTorch("torch", name) {
		if defs := bound(name, op.NN); len(defs) > 0 {
			return r.newOp(name, defs, method, false)
		}
	}
	return nil
}

func (r *Runtime) newOp(name string, defs []*op.Def, method, write bool) *value.Builtin {
	f := &opFunc{r: r, name: name, defs: defs, method: method, write: write, wantsGrad: make([]int, len(defs))}
	for i, d := range defs {
		f.wantsGrad[i] = -1
		f.out = f.out || d.Bind&op.OutArg != 0 && !write
		for p := range d.Params {
			if d.Params[p].Name == "requires_grad" {
				f.wantsGrad[i], f.anyGrad = p, true
			}
		}
	}
	return &value.Builtin{Name: name, Doc: docText(defs), Sig: sigText(defs[0], method), Fn: f.call, WantsKw: true, Max: -1, Told: f.told(), Symbols: true}
}

// told reports whether observers hear of all that the op does: a change of a
// tensor's own geometry they do not, and the size of a result that comes from data
// holds for this data alone.
func (f *opFunc) told() bool {
	for _, d := range f.defs {
		if d.Sized || f.write && d.View != nil {
			return false
		}
	}
	return true
}

func docText(defs []*op.Def) string {
	var b strings.Builder
	for i, d := range defs {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(d.Sig)
		b.WriteString("\n    ")
		b.WriteString(d.Doc)
	}
	return b.String()
}

func sigText(d *op.Def, method bool) string {
	head, _, _ := strings.Cut(d.Sig, " -> ")
	return head[strings.IndexByte(head, '('):]
}

func (f *opFunc) call(t *value.Thread, args []value.Value, kw []value.Kwarg) (value.Value, error) {
	r := f.r
	x := r.Context(t)
	var out value.Value
	if f.out && len(kw) > 0 {
		out, kw = takeKw(kw, "out")
	}
	var room [6]op.Arg
	d, a, err := r.bindAny(t, f.name, f.defs, args, kw, f.method, room[:])
	if err != nil {
		return value.Value{}, err
	}
	if f.write {
		self, ok := a[0].P.(*eager.Tensor)
		if !ok {
			return value.Value{}, value.TypeErrorf("%s(): argument 'input' (position 1) must be Tensor, not %s", f.name, typeName(args[0]))
		}
		if err := writable(self); err != nil {
			return value.Value{}, err
		}
		if _, err := x.ApplyInPlace(d, a); err != nil {
			return value.Value{}, raise(err)
		}
		return r.Wrap(self), nil
	}
	if given(out) {
		return r.callOut(x, d, slices.Clone(a), out)
	}
	if len(d.Returns) == 1 && !d.Returns[0].List && len(d.Operands) > 0 && !f.anyGrad {
		res, err := x.Apply1(d, a)
		if err != nil {
			return value.Value{}, raise(err)
		}
		return r.result(res, r.subclass(args)), nil
	}
	kept := slices.Clone(a)
	for i := range kept {
		if kept[i].Kind == op.ArgDevice {
			if err := r.available(kept[i].P.(tensor.Device)); err != nil {
				return value.Value{}, err
			}
		}
	}
	res, err := x.Apply(d, kept)
	if err != nil {
		return value.Value{}, raise(err)
	}
	for i, p := range f.wantsGrad {
		if p >= 0 && f.defs[i] == d && kept[p].N.I != 0 {
			for _, o := range res {
				if err := o.(*eager.Tensor).SetRequiresGrad(true); err != nil {
					return value.Value{}, raise(err)
				}
			}
		}
	}
	return r.results(d, f.name, res, r.subclass(args)), nil
}

func takeKw(kw []value.Kwarg, name string) (value.Value, []value.Kwarg) {
	for i, k := range kw {
		if k.Name == name {
			rest := append(append([]value.Kwarg(nil), kw[:i]...), kw[i+1:]...)
			return k.Value, rest
		}
	}
	return value.Value{}, kw
}

// subclass is the class that results take after the arguments: a subclass of
// Tensor that a program derived, else nil. Parameters make plain tensors.
func (r *Runtime) subclass(args []value.Value) *value.Class {
	for _, a := range args {
		if !a.Is(value.ItabInstance) {
			continue
		}
		c := a.AsInstance().Class()
		if c != r.classes.Tensor && c != r.classes.Parameter && c.IsSubclass(r.classes.Tensor) && !c.IsSubclass(r.classes.Parameter) {
			return c
		}
	}
	return nil
}

// result is the object of one tensor.
func (r *Runtime) result(t *eager.Tensor, sub *value.Class) value.Value {
	if sub != nil && t.Obj == nil {
		return r.wrapAs(sub, t)
	}
	return r.Wrap(t)
}

// results gives an op's tensors to the language: one, a tuple, or a named tuple.
func (r *Runtime) results(d *op.Def, name string, res []op.Tensor, sub *value.Class) value.Value {
	if len(d.Returns) == 1 && !d.Returns[0].List {
		return r.result(res[0].(*eager.Tensor), sub)
	}
	if len(d.Returns) == 0 {
		return value.None
	}
	elems := make([]value.Value, len(res))
	for i, o := range res {
		t, _ := o.(*eager.Tensor)
		elems[i] = r.result(t, sub)
	}
	if len(d.Returns) > 1 && d.Returns[0].Name != "" {
		return sizeOf(r.returnType(d, name), elems)
	}
	return value.Tuple(elems...)
}

// returnType is the named tuple of an op's results: torch.return_types.max.
func (r *Runtime) returnType(d *op.Def, name string) *value.Class {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.classes.returns[name]; c != nil {
		return c
	}
	c := value.NewClass(name, "torch.return_types", value.TupleClass)
	names := make([]string, len(d.Returns))
	for i, ret := range d.Returns {
		names[i] = ret.Name
		property(c, ret.Name, func(t *value.Thread, v value.Value) (value.Value, error) {
			return value.GetItem(t, value.Payload(v), value.Int(int64(i)))
		}, nil)
	}
	c.Slots = &value.Slots{
		New: func(t *value.Thread, c *value.Class, args []value.Value, kw []value.Kwarg) (value.Value, error) {
			if len(args) == 1 && len(kw) == 0 {
				if elems, ok := sequence(args[0]); ok && len(elems) == len(names) {
					return sizeOf(c, elems), nil
				}
			}
			return value.Value{}, value.TypeErrorf("torch.return_types.%s() takes a %d-sequence", name, len(names))
		},
		Repr: func(t *value.Thread, v value.Value) (string, error) {
			elems, _ := sequence(v)
			var b strings.Builder
			b.WriteString("torch.return_types." + name + "(\n")
			for i, e := range elems {
				s, err := value.ReprOf(t, e)
				if err != nil {
					return "", err
				}
				text, _ := s.AsString()
				if i > 0 {
					b.WriteString(",\n")
				}
				b.WriteString(names[i] + "=" + text)
			}
			b.WriteString(")")
			return b.String(), nil
		},
	}
	r.classes.returns[name] = c
	return c
}

// callOut is a call with out=.
func (r *Runtime) callOut(x *eager.Context, d *op.Def, a []op.Arg, out value.Value) (value.Value, error) {
	var dst []*eager.Tensor
	if t, ok := AsTensor(out); ok {
		dst = append(dst, t)
	} else if elems, ok := sequence(out); ok {
		for i, e := range elems {
			t, ok := AsTensor(e)
			if !ok {
				return value.Value{}, value.TypeErrorf("%s(): argument 'out' must be tuple of Tensors, but found element of type %s at pos %d", d.Base, typeName(e), i)
			}
			dst = append(dst, t)
		}
	} else {
		return value.Value{}, value.TypeErrorf("%s(): argument 'out' must be Tensor, not %s", d.Base, typeName(out))
	}
	for _, t := range dst {
		if err := writable(t); err != nil {
			return value.Value{}, err
		}
	}
	if err := x.ApplyOut(d, a, dst); err != nil {
		return value.Value{}, raise(err)
	}
	if len(dst) == 1 && (len(d.Returns) == 1 && !d.Returns[0].List) {
		return r.Wrap(dst[0]), nil
	}
	res := make([]op.Tensor, len(dst))
	for i, t := range dst {
		res[i] = t
	}
	return r.results(d, d.Base, res, nil), nil
}

// writable raises for a tensor of a frozen module, or a view of one.
func writable(t *eager.Tensor) error {
	for x := t; x != nil; x = x.Base() {
		if in, ok := x.Obj.(*value.Instance); ok && in.Flags&value.FlagFrozen != 0 {
			return value.RuntimeErrorf("cannot modify a frozen tensor")
		}
	}
	return nil
}

// apply1 runs an op that this package needs itself.
func (r *Runtime) apply1(t *value.Thread, name string, args ...any) (*eager.Tensor, error) {
	res, err := r.Context(t).Op(name, args...)
	return res, raise(err)
}
