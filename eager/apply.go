package eager

import (
	"slices"

	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Apply runs an op: promotion, shape, view, decomposition or kernel, and the tape. It implements op.Graph, so that decompositions
// and VJPs run through it too. args has one entry for each parameter, or a prefix.
func (x *Context) Apply(d *op.Def, args []op.Arg) ([]op.Tensor, error) {
	if x.composing != nil {
		return x.applyComposing(d, args)
	}
	x.Applied++
	p, key := x.plan(d, args, false)
	if p != nil && p.parts != nil {
		if r, ok, err := x.repeat(p, args, nil); ok {
			return r, err
		}
		return x.applyNew(d, args, planKey{})
	}
	if p != nil {
		out, more, err := x.follow(p, args)
		if err != nil {
			return nil, err
		}
		if more == nil {
			more = out[:len(p.out)]
		}
		r := make([]op.Tensor, len(more))
		for i, t := range more {
			r[i] = t
		}
		return r, nil
	}
	return x.applyNew(d, args, key)
}

// Apply1 is Apply for an op with one result. It does not keep args.
func (x *Context) Apply1(d *op.Def, args []op.Arg) (*Tensor, error) {
	if x.composing != nil {
		r, err := x.applyComposing(d, slices.Clone(args))
		if err != nil {
			return nil, err
		}
		return r[0].(*Tensor), nil
	}
	x.Applied++
	p, key := x.plan(d, args, false)
	if p != nil && p.parts != nil {
		var buf [2]op.Tensor
		if r, ok, err := x.repeat(p, args, buf[:0]); err != nil {
			return nil, err
		} else if ok {
			return r[0].(*Tensor), nil
		}
		key, p = planKey{}, nil
	}
	if p != nil {
		out, _, err := x.follow(p, args)
		return out[0], err
	}
	r, err := x.applyNew(d, slices.Clone(args), key)
	if err != nil {
		return nil, err
	}
	return r[0].(*Tensor), nil
}

// applyNew applies an op for which there is no plan; key is where one belongs.
func (x *Context) applyNew(d *op.Def, args []op.Arg, key planKey) ([]op.Tensor, error) {
	if x.Autocast != tensor.Invalid {
		a, err := x.autocast(d, args)
		if err != nil {
			return nil, err
		}
		if castRules[d.Base] != castNone { // the rule is for the op as a whole, not for its parts
			defer func(low tensor.DType) { x.Autocast = low }(x.Autocast)
			x.Autocast = tensor.Invalid
		}
		args = a
	}
	c, err := op.NewCall(d, args, x.Default)
	if err != nil {
		return nil, err
	}
	return x.apply(c, key)
}

// Call1 is Apply for one result.
func (x *Context) Call1(d *op.Def, args ...op.Arg) (*Tensor, error) {
	return x.Apply1(d, args)
}

// Op is Call1 by name, with Go values as arguments (op.G.Ops).
func (x *Context) Op(name string, args ...any) (t *Tensor, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *tensor.Error:
			err = e
		default:
			panic(e)
		}
	}()
	g := op.G{Graph: x}
	return g.Op(name, args...).(*Tensor), nil
}

func (x *Context) apply(c *op.Call, key planKey) ([]op.Tensor, error) {
	d := c.Def
	need := x.needs(c)
	if d.Decomp != nil {
		if need == nil || d.VJP == nil {
			since := x.seq
			if key.hash != 0 {
				x.composing = compose(c)
			}
			w := x.composing
			out, err := op.RunDecomp(x, c)
			x.composing = nil
			if err == nil {
				markMulti(c, out)
				if x.seq > since {
					rename(c, out, since)
				}
				if w != nil {
					if parts := w.finish(c, out); parts != nil {
						x.learn(key, c, nil, parts)
					}
				}
			}
			return out, err
		}
		return x.applyWhole(c, need)
	}
	if err := c.Infer(); err != nil {
		return nil, err
	}
	x.wanted(c)
	if d.View != nil {
		t, err := x.applyView(c, need)
		if err != nil {
			return nil, err
		}
		if key.hash != 0 {
			x.learn(key, c, nil, nil)
		}
		return []op.Tensor{t}, nil
	}
	var out []*Tensor
	var k *kernel
	var err error
	if d.Base == "_to_copy" && c.In[0].Dev != c.Dev {
		var t *Tensor
		t, err = x.convey(c)
		out = []*Tensor{t}
	} else {
		out, k, err = x.run(c, nil)
	}
	if err != nil {
		return nil, err
	}
	if x.Observer != nil {
		x.Observer.OnOp(c, out)
	}
	if need != nil {
		if err := x.record(c, need, out, k); err != nil {
			return nil, err
		}
	}
	if key.hash != 0 {
		x.learn(key, c, k, nil)
	}
	r := make([]op.Tensor, len(out))
	for i, t := range out {
		r[i] = t
	}
	return r, nil
}

// needs tells which operands' gradients must be recorded; nil: none.
func (x *Context) needs(c *op.Call) []bool {
	if !x.GradMode {
		return nil
	}
	var need []bool
	for k, o := range c.T {
		if o == nil {
			continue
		}
		t, ok := o.(*Tensor)
		if !ok || !t.DType.IsFloat() || !t.RequiresGrad() {
			continue
		}
		if c.Def.VJP == nil && c.Def.Decomp == nil && !c.Def.Unwritten {
			return nil // not differentiable
		}
		if need == nil {
			need = make([]bool, len(c.T))
		}
		need[k] = true
	}
	return need
}

// applyWhole runs a decomposition that has a VJP of its own: one node, its parts off the tape.
func (x *Context) applyWhole(c *op.Call, need []bool) ([]op.Tensor, error) {
	var r []op.Tensor
	err := x.noGrad(func() (err error) {
		r, err = op.RunDecomp(x, c)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make([]*Tensor, len(r))
	c.Out = make([]tensor.Meta, len(r))
	for i := range r {
		t := r[i].(*Tensor)
		for _, o := range c.T {
			if o != nil && o.(*Tensor).Store == t.Store {
				// An op that returned its operand (dropout with p = 0): another handle, so that the operand keeps its own place on the tape.
				same := &Tensor{Tensor: t.Tensor, ver: t.ver}
				x.SetMeta(same, t.Meta())
				t = same
				break
			}
		}
		t.view = nil // of a tensor that nobody has
		out[i], r[i] = t, t
		c.Out[i] = *t.Meta()
	}
	since := x.seq
	if err := x.record(c, need, out, nil); err != nil {
		return nil, err
	}
	rename(c, r, since)
	return r, nil
}

// noGrad runs f with the tape off.
func (x *Context) noGrad(f func() error) error {
	defer func(m bool) { x.GradMode = m }(x.GradMode)
	x.GradMode = false
	return f()
}

// markMulti notes that the views in out came from one op with several results: they may not be written in place.
func markMulti(c *op.Call, out []op.Tensor) {
	if len(c.Def.Returns) == 0 || !c.Def.Returns[0].List || !c.Def.Returns[0].Alias {
		return
	}
	for _, o := range out {
		if t, ok := o.(*Tensor); ok && t.view != nil && t.view.creation == createdDefault {
			t.view.creation, t.view.made = createdMulti, c.Def.Base
		}
	}
}

// applyView makes new geometry on operand 0's storage.
func (x *Context) applyView(c *op.Call, need []bool) (*Tensor, error) {
	src := c.T[0].(*Tensor)
	t := x.viewOf(src, &c.Out[0], c.Def.Base)
	if err := inStorage(t); err != nil {
		return nil, err
	}
	if c.Def.VJP == nil {
		t.view = nil // detach: it shares memory and version, and has no history to follow
	}
	if x.Observer != nil {
		x.Observer.OnOp(c, []*Tensor{t})
	}
	if need != nil {
		if err := x.record(c, need, []*Tensor{t}, nil); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// inStorage checks that a view reaches no memory outside its storage (as_strided can try).
func inStorage(t *Tensor) error {
	lo, hi := t.Off, t.Off+1
	for d, s := range t.Size {
		if s == 0 {
			return nil
		}
		if e := (s - 1) * t.Stride[d]; e < 0 {
			lo += e
		} else {
			hi += e
		}
	}
	w := int64(t.DType.Size())
	if have := int64(t.Store.Buf.Len()); lo < 0 || hi < 0 || hi > have/w {
		return raise(tensor.RuntimeError, "setStorage: sizes %s, strides %s, storage offset %d, and itemsize %d requiring a storage size of %d are out of bounds for storage of size %d",
			sizeText(t.Size), sizeText(t.Stride), t.Off, w, hi*w, have)
	}
	return nil
}

// viewOf makes a view without a node.
func (x *Context) viewOf(src *Tensor, m *tensor.Meta, made string) *Tensor {
	t := x.newMeta(src.Store, m)
	t.ver, t.Inference = src.ver, src.Inference
	base := src
	v := &viewInfo{version: src.Version(), made: made}
	if src.view != nil {
		base = src.view.base
		v.creation = src.view.creation
		if v.creation == createdMulti {
			v.made = src.view.made
		}
	}
	switch {
	case x.Inference:
		v.creation = createdInference
	case !x.GradMode:
		v.creation = createdNoGrad
	}
	v.base = base
	t.view = v
	return t
}
