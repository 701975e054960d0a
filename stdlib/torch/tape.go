package torch

import (
	"unsafe"

	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tensor"
)

// The tape as programs see it: grad_fn, hooks, backward and grad. The pass itself
// is eager's; here is the stepper that carries out what it asks of the language.

// backwardStep runs a backward pass; hooks and custom functions are calls that it
// asks the machine for, so a pass is data like any frame.
type backwardStep struct {
	r    *Runtime
	b    *eager.Backward
	need *eager.Need // being carried out
	mode bool        // grad mode of the caller, while a need is
	// collect: the result is the tuple of gradients (autograd.grad).
	collect bool
}

func (s *backwardStep) Step(t *value.Thread, in value.Value, err error) value.Action {
	x := s.r.Context(t)
	if need := s.need; need != nil {
		s.need = nil
		x.GradMode = s.mode
		if err != nil {
			return value.Raise(err)
		}
		ans, err := s.answer(t, need, in)
		if err == nil {
			err = raise(s.b.Answer(ans))
		}
		if err != nil {
			return value.Raise(err)
		}
	} else if err != nil {
		return value.Raise(err)
	}
	need, done, err := s.b.Step()
	switch {
	case err != nil:
		return value.Raise(raise(err))
	case done && s.collect:
		grads, err := s.b.Grads()
		if err != nil {
			return value.Raise(raise(err))
		}
		return value.Return(s.r.tuple(grads))
	case done:
		return value.Return(value.None)
	}
	s.need, s.mode = need, x.GradMode
	fn, _ := need.Fn.(value.Value)
	args, err := s.args(t, need)
	if err != nil {
		return value.Raise(err)
	}
	x.GradMode = need.GradMode
	return value.CallOf(fn, args...)
}

func (r *Runtime) tuple(ts []*eager.Tensor) value.Value {
	elems := make([]value.Value, len(ts))
	for i, t := range ts {
		elems[i] = r.Wrap(t)
	}
	return value.Tuple(elems...)
}

// args are the arguments of the call that a need stands for.
func (s *backwardStep) args(t *value.Thread, need *eager.Need) ([]value.Value, error) {
	r := s.r
	switch need.Kind {
	case eager.NeedTensorHook:
		return []value.Value{r.Wrap(need.Grads[0])}, nil
	case eager.NeedNodeHook:
		return []value.Value{r.tuple(need.Inputs), r.tuple(need.Grads)}, nil
	}
	data := need.Node.Data.(*customNode)
	args := []value.Value{data.ctx}
	for i, o := range data.outs {
		var g *eager.Tensor
		if p := data.place[i]; p >= 0 {
			g = need.Grads[p]
		}
		if g == nil && data.materialize && o.DType != tensor.Invalid {
			var err error
			if g, err = r.apply1(t, "zeros", o.Size, dtypeKW(o.DType)); err != nil {
				return nil, err
			}
		}
		args = append(args, r.Wrap(g))
	}
	return args, nil
}

// answer reads what the language returned.
func (s *backwardStep) answer(t *value.Thread, need *eager.Need, in value.Value) ([]*eager.Tensor, error) {
	if need.Kind == eager.NeedTensorHook {
		if in.IsNone() {
			return nil, nil
		}
		g, ok := AsTensor(in)
		if !ok {
			return nil, value.TypeErrorf("hook '%s' has returned a %s, expected a Tensor or None", "hook", typeName(in))
		}
		return []*eager.Tensor{g}, nil
	}
	if in.IsNone() && need.Kind == eager.NeedNodeHook {
		return nil, nil
	}
	elems, ok := sequence(in)
	if !ok {
		elems = []value.Value{in}
	}
	out := make([]*eager.Tensor, len(elems))
	for i, e := range elems {
		if e.IsNone() {
			continue
		}
		g, ok := AsTensor(e)
		if !ok {
			return nil, value.TypeErrorf("expected Variable or None (got %s)", typeName(e))
		}
		out[i] = g
	}
	if data, ok := need.Node.Data.(*customNode); ok && need.Kind == eager.NeedCustom {
		return data.spread(out)
	}
	return out, nil
}

// customNode is behind the node of an autograd.Function.
type customNode struct {
	name        string
	ctx         value.Value
	materialize bool
	// outs are all results of forward; place has, for each, its number among the
	// node's outputs, -1 for those that have no gradient.
	outs  []tensor.Geometry
	place []int
	// args has, for each argument of apply, whether it is a tensor: backward
	// returns a gradient for each, the node has inputs for tensors only.
	args []bool
}

// spread keeps the gradients of the arguments that are tensors.
func (c *customNode) spread(grads []*eager.Tensor) ([]*eager.Tensor, error) {
	for len(grads) > len(c.args) && grads[len(grads)-1] == nil {
		grads = grads[:len(grads)-1] // trailing None are let pass
	}
	if len(grads) != len(c.args) {
		return nil, value.RuntimeErrorf("function %s returned an incorrect number of gradients (expected %d, got %d)", c.name, len(c.args), len(grads))
	}
	var out []*eager.Tensor
	for i, isTensor := range c.args {
		switch {
		case isTensor:
			out = append(out, grads[i])
		case grads[i] != nil:
			return nil, value.RuntimeErrorf("function %s returned a gradient different from None at position %d, but the corresponding forward input was not a Variable", c.name, i+1)
		}
	}
	return out, nil
}

// initTape makes the classes of grad_fn objects and hook handles.
func (r *Runtime) initTape(class classMaker) {
	k := &r.classes
	node := func(v value.Value) *eager.Node { n, _ := native[*eager.Node](v); return n }
	k.Node = class("Node", &value.Slots{
		New: noNew,
		Repr: func(_ *value.Thread, v value.Value) (string, error) {
			return "<" + node(v).Name + " object at " + hex(uintptr(v.P)) + ">", nil
		},
		Compare: func(_ *value.Thread, o value.Cmp, x, y value.Value) (value.Value, error) {
			n, ok := native[*eager.Node](y)
			if !ok || o != value.Eq && o != value.Ne {
				return value.NotImplemented, nil
			}
			return value.Bool((n == node(x)) == (o == value.Eq)), nil
		},
		Hash: func(_ *value.Thread, v value.Value) (uint64, error) {
			return uint64(uintptr(unsafe.Pointer(node(v)))) >> 4 * 0x9E3779B97F4A7C15, nil
		},
	})
	k.Node.Module = "torch.autograd"
	method(k.Node, "name", 0, 0, func(_ *value.Thread, v value.Value, _ []value.Value, _ []value.Kwarg) (value.Value, error) {
		if node(v).Variable() != nil {
			return value.Str("torch::autograd::AccumulateGrad"), nil
		}
		return value.Str(node(v).Name), nil
	})
	property(k.Node, "next_functions", func(_ *value.Thread, v value.Value) (value.Value, error) {
		var l []value.Value
		for _, e := range node(v).Next() {
			l = append(l, value.Tuple(r.node(e.Node), value.Int(int64(e.Out))))
		}
		return value.Tuple(l...), nil
	}, nil)
	property(k.Node, "variable", func(_ *value.Thread, v value.Value) (value.Value, error) {
		x := node(v).Variable()
		if x == nil {
			return value.Value{}, value.AttributeErrorf("variable", "'%s' object has no attribute 'variable'", node(v).Name)
		}
		return r.Wrap(x), nil
	}, nil)
	property(k.Node, "metadata", func(_ *value.Thread, v value.Value) (value.Value, error) { return value.NewDict(0).Value(), nil }, nil)
	method(k.Node, "register_hook", 1, 1, func(_ *value.Thread, v value.Value, args []value.Value, _ []value.Kwarg) (value.Value, error) {
		return object(k.Handle, node(v).AddPostHook(args[0], "hook")), nil
	})

	k.Handle = class("RemovableHandle", &value.Slots{New: noNew})
	k.Handle.Module = "torch.utils.hooks"
	remove := func(v value.Value) {
		if h, ok := native[*eager.Hook](v); ok {
			h.Remove()
		}
	}
	method(k.Handle, "remove", 0, 0, func(_ *value.Thread, v value.Value, _ []value.Value, _ []value.Kwarg) (value.Value, error) {
		remove(v)
		return value.None, nil
	})
	method(k.Handle, "__enter__", 0, 0, func(_ *value.Thread, v value.Value, _ []value.Value, _ []value.Kwarg) (value.Value, error) {
		return v, nil
	})
	method(k.Handle, "__exit__", 3, 3, func(_ *value.Thread, v value.Value, _ []value.Value, _ []value.Kwarg) (value.Value, error) {
		remove(v)
		return value.None, nil
	})
}

// node is the object of a tape node. A custom function's is its ctx, as in PyTorch.
func (r *Runtime) node(n *eager.Node) value.Value {
	if n == nil {
		return value.None
	}
	return object(r.nodeClass(n.Name), n)
}

// nodeClass is the class of nodes of a name, MulBackward0: a program asks for
// it as type(y.grad_fn).__name__.
func (r *Runtime) nodeClass(name string) *value.Class {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.classes.nodes[name]
	if c == nil {
		c = value.NewClass(name, "", r.classes.Node)
		c.Slots = r.classes.Node.Slots
		r.classes.nodes[name] = c
	}
	return c
}

// tensorsOf reads a tensor or a sequence of tensors; none stands for None where it is allowed.
func tensorsOf(t *value.Thread, v value.Value, what string, none bool) ([]*eager.Tensor, error) {
	if x, ok := AsTensor(v); ok {
		return []*eager.Tensor{x}, nil
	}
	elems, ok, err := elements(t, v)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, value.TypeErrorf("%s must be a Tensor or a sequence of Tensors, but got %s", what, typeName(v))
	}
	out := make([]*eager.Tensor, len(elems))
	for i, e := range elems {
		x, ok := AsTensor(e)
		if !ok && !(none && e.IsNone()) {
			return nil, value.TypeErrorf("element %d of %s is not a Tensor but a %s", i, what, typeName(e))
		}
		out[i] = x
	}
	return out, nil
}

// startBackward is Tensor.backward and autograd.backward.
func (r *Runtime) startBackward(t *value.Thread, roots []*eager.Tensor, grads, retain, create, inputs value.Value) (value.Value, error) {
	var o eager.BackwardOptions
	var g []*eager.Tensor
	var err error
	if given(grads) {
		if g, err = tensorsOf(t, grads, "gradients", true); err != nil {
			return value.Value{}, err
		}
		if len(g) != len(roots) {
			return value.Value{}, value.RuntimeErrorf("got %d tensors and %d gradients", len(roots), len(g))
		}
	}
	if given(create) {
		if o.Create, err = value.Truth(t, create); err != nil {
			return value.Value{}, err
		}
	}
	o.Keep = o.Create
	if given(retain) {
		if o.Keep, err = value.Truth(t, retain); err != nil {
			return value.Value{}, err
		}
	}
	if given(inputs) {
		if o.Inputs, err = tensorsOf(t, inputs, "inputs", false); err != nil {
			return value.Value{}, err
		}
	}
	b, err := r.Context(t).NewBackward(roots, g, o)
	if err != nil {
		return value.Value{}, raise(err)
	}
	return r.runBackward(t, &backwardStep{r: r, b: b})
}

// runBackward goes as far as the pass gets without the language, which is
// nearly always to its end.
func (r *Runtime) runBackward(t *value.Thread, s *backwardStep) (value.Value, error) {
	switch act := s.Step(t, value.Value{}, nil); act.Kind {
	case value.ActReturn:
		return act.Value, nil
	case value.ActRaise:
		return value.Value{}, act.Err
	default:
		return value.Value{}, t.Need(s, act.Call.Fn, act.Call.Args...)
	}
}

// gradFunc is torch.autograd.grad.
func (r *Runtime) gradFunc() value.Value {
	return function("grad", []string{"outputs", "inputs", "grad_outputs", "retain_graph", "create_graph", "only_inputs", "allow_unused", "is_grads_batched", "materialize_grads"}, 2, func(t *value.Thread, a []value.Value) (value.Value, error) {
		roots, err := tensorsOf(t, a[0], "outputs", false)
		if err != nil {
			return value.Value{}, err
		}
		o := eager.BackwardOptions{Collect: true}
		if o.Inputs, err = tensorsOf(t, a[1], "inputs", false); err != nil {
			return value.Value{}, err
		}
		var g []*eager.Tensor
		if given(a[2]) {
			if g, err = tensorsOf(t, a[2], "grad_outputs", true); err != nil {
				return value.Value{}, err
			}
		}
		truth := func(i int, def bool) bool {
			if !given(a[i]) || err != nil {
				return def
			}
			var b bool
			b, err = value.Truth(t, a[i])
			return b
		}
		o.Create = truth(4, false)
		o.Keep = truth(3, o.Create)
		o.AllowUnused = truth(6, false)
		if truth(7, false) {
			return value.Value{}, missingError("torch.autograd.grad(is_grads_batched=True)")
		}
		if err != nil {
			return value.Value{}, err
		}
		b, err := r.Context(t).NewBackward(roots, g, o)
		if err != nil {
			return value.Value{}, raise(err)
		}
		return r.runBackward(t, &backwardStep{r: r, b: b, collect: true})
	})
}

// hex is the text of an address.
func hex(p uintptr) string {
	const digits = "0123456789abcdef"
	var b [18]byte
	i := len(b)
	for {
		i--
		b[i] = digits[p&15]
		if p >>= 4; p == 0 {
			return "0x" + string(b[i:])
		}
	}
}
