package torch

import (
	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tensor"
)

// hook gives the functions of torch._C that the files in Files stand on.
func (r *Runtime) hook(name string) (value.Value, bool) {
	f, ok := map[string]func(t *value.Thread, a []value.Value, kw []value.Kwarg) (value.Value, error){
		"_set_grad_enabled":  r.setGradEnabled,
		"_set_inference":     r.setInference,
		"_restore_inference": r.restoreInference,
		"_set_anomaly":       r.setAnomaly,
		"_set_autocast":      r.setAutocast,
		"_rng_state": func(t *value.Thread, _ []value.Value, _ []value.Kwarg) (value.Value, error) {
			return r.rngState(t, r.Context(t).Generator(tensor.Device{}))
		},
		"_set_rng_state": func(t *value.Thread, a []value.Value, _ []value.Kwarg) (value.Value, error) {
			return value.None, r.setRNGState(t, r.Context(t).Generator(tensor.Device{}), a[0])
		},
		"_needs_grad":      r.needsGrad,
		"_pick":            pick,
		"_finish_function": r.finishFunction,
		"_unpack":          r.unpack,
	}[name]
	if !ok {
		return r.dynamo(name)
	}
	b := value.NewBuiltin(name, f)
	b.Pure = name == "_pick"
	return told(name, b.Value()), true
}

// pick(x, a, f, b, g, …, h) is f for x ≤ a, else g for x ≤ b, …, else h; a float. As
// one function of numbers it takes no branch that a recording would have to guard.
func pick(t *value.Thread, a []value.Value, _ []value.Kwarg) (value.Value, error) {
	if len(a)%2 != 0 || len(a) == 0 {
		return value.Value{}, value.TypeErrorf("_pick() takes a number, pairs of numbers, and a last one")
	}
	x, err := value.AsFloat64(t, a[0])
	for i := 1; i < len(a) && err == nil; i += 2 {
		v := a[i]
		if i+1 < len(a) {
			var end float64
			if end, err = value.AsFloat64(t, a[i]); err != nil {
				break
			}
			if x > end {
				continue
			}
			v = a[i+1]
		}
		var f float64
		f, err = value.AsFloat64(t, v)
		return value.Float(f), err
	}
	return value.Value{}, err
}

// setGradEnabled switches recording and returns what it was.
func (r *Runtime) setGradEnabled(t *value.Thread, a []value.Value, _ []value.Kwarg) (value.Value, error) {
	on, err := value.Truth(t, a[0])
	if err != nil {
		return value.Value{}, err
	}
	x := r.Context(t)
	old := value.Bool(x.GradMode)
	if t.Observer != nil {
		old = t.Observer.Read(r.classes.Tensor.Value(), value.StepNative, value.Str("grad_mode"), old)
		t.Observer.Write(r.classes.Tensor.Value(), value.StepNative, value.Str("grad_mode"), old, value.Bool(on))
	}
	x.GradMode = on
	return old, nil
}

func (r *Runtime) setInference(t *value.Thread, a []value.Value, _ []value.Kwarg) (value.Value, error) {
	x := r.Context(t)
	old := value.Tuple(value.Bool(x.Inference), value.Bool(x.GradMode))
	on, err := value.Truth(t, a[0])
	if err != nil {
		return value.Value{}, err
	}
	x.Inference = on
	x.GradMode = !on
	return old, nil
}

func (r *Runtime) restoreInference(t *value.Thread, a []value.Value, _ []value.Kwarg) (value.Value, error) {
	x := r.Context(t)
	if l, ok := sequence(a[0]); ok && len(l) == 2 {
		x.Inference, x.GradMode = l[0] == value.True, l[1] == value.True
	}
	return value.None, nil
}

// setAutocast takes the dtype that products are to run in, None for no casting,
// and returns what it was.
func (r *Runtime) setAutocast(t *value.Thread, a []value.Value, _ []value.Kwarg) (value.Value, error) {
	x := r.Context(t)
	old := value.None
	if x.Autocast != tensor.Invalid {
		old = r.DType(x.Autocast)
	}
	low := tensor.Invalid
	if given(a[0]) {
		var ok bool
		if low, ok = asDType(a[0]); !ok || !low.Is16() {
			return value.Value{}, value.RuntimeErrorf("Currently, AutocastCPU only support Bfloat16 as the autocast_cpu_dtype")
		}
	}
	x.Autocast = low
	return old, nil
}

func (r *Runtime) setAnomaly(_ *value.Thread, a []value.Value, _ []value.Kwarg) (value.Value, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := value.Bool(r.anomaly)
	r.anomaly = a[0] == value.True
	return old, nil
}

// needsGrad is ctx.needs_input_grad.
func (r *Runtime) needsGrad(_ *value.Thread, a []value.Value, _ []value.Kwarg) (value.Value, error) {
	args, _ := sequence(a[0])
	out := make([]value.Value, len(args))
	for i, v := range args {
		x, ok := AsTensor(v)
		out[i] = value.Bool(ok && x.RequiresGrad())
	}
	return value.Tuple(out...), nil
}

// finishFunction(ctx, name, backward, args, output) hangs the outputs of a
// custom function on a node and keeps what it saved. It returns the outputs.
func (r *Runtime) finishFunction(t *value.Thread, a []value.Value, _ []value.Kwarg) (value.Value, error) {
	ctx := a[0].AsInstance()
	name, _ := a[1].AsString()
	args, _ := sequence(a[3])
	outs, many := sequence(a[4])
	if !many {
		outs = []value.Value{a[4]}
	}
	attr := func(n string) value.Value { v, _ := ctx.Get(n); return v }
	among := func(list, v value.Value) bool {
		l, _ := sequence(list)
		for _, e := range l {
			if e == v {
				return true
			}
		}
		return false
	}
	x := r.Context(t)
	node := &customNode{name: name, ctx: a[0], materialize: attr("materialize_grads") != value.False}
	var inputs []*eager.Tensor
	need := false
	for _, v := range args {
		in, ok := AsTensor(v)
		node.args = append(node.args, ok)
		if ok {
			inputs = append(inputs, in)
			need = need || in.RequiresGrad()
		}
	}
	need = need && x.GradMode
	var diff []*eager.Tensor
	for i, v := range outs {
		o, ok := AsTensor(v)
		if !ok {
			node.outs, node.place = append(node.outs, tensor.Geometry{}), append(node.place, -1)
			continue
		}
		dirty := among(attr("_dirty"), v)
		if need && dirty && o.IsLeaf() && o.RequiresGrad() {
			return value.Value{}, value.RuntimeErrorf("a leaf Variable that requires grad is being used in an in-place operation.")
		}
		if !dirty && among(a[3], v) { // returned as it came: another handle
			o = x.Detach(o)
			outs[i] = r.Wrap(o)
		}
		node.outs = append(node.outs, o.Geometry)
		if among(attr("_non_differentiable"), v) || !o.DType.IsFloat() {
			node.place = append(node.place, -1)
			continue
		}
		node.place = append(node.place, len(diff))
		diff = append(diff, o)
	}
	if need {
		saved, _ := sequence(attr("_saved"))
		n, err := x.NewCustom(name, a[2], node, inputs, diff, len(saved) > 0)
		if err != nil {
			return value.Value{}, raise(err)
		}
		h := &savedTensors{node: n}
		for i, v := range saved {
			if v.IsNone() {
				h.list = append(h.list, nil)
				continue
			}
			y, ok := AsTensor(v)
			if !ok {
				return value.Value{}, value.TypeErrorf("save_for_backward can only save variables, but argument %d is of type %s", i, typeName(v))
			}
			s, err := eager.Save(y)
			if err != nil {
				return value.Value{}, raise(err)
			}
			h.list = append(h.list, s)
		}
		ctx.Set("_handles", object(r.classes.Node, h))
		ctx.Set("_saved", value.Tuple())
	}
	if !many {
		return outs[0], nil
	}
	return value.Tuple(outs...), nil
}

// savedTensors is what ctx keeps of save_for_backward.
type savedTensors struct {
	node *eager.Node
	list []*eager.Saved
}

func (r *Runtime) unpack(t *value.Thread, a []value.Value, _ []value.Kwarg) (value.Value, error) {
	h, ok := native[*savedTensors](a[0])
	if !ok {
		return value.Value{}, value.TypeErrorf("saved tensors expected")
	}
	if err := h.node.ErrFreed(); err != nil {
		return value.Value{}, raise(err)
	}
	out := make([]value.Value, len(h.list))
	for i, s := range h.list {
		if s == nil {
			out[i] = value.None
			continue
		}
		x, err := s.Tensor(r.Context(t).GradMode)
		if err != nil {
			return value.Value{}, raise(err)
		}
		out[i] = r.Wrap(x)
	}
	return value.Tuple(out...), nil
}
