package eager

import (
	"slices"
	"sync/atomic"

	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// accumulate adds a gradient to a leaf's .grad.
func (x *Context) accumulate(leaf *Tensor, g pending, create bool) error {
	if x.Observer == nil {
		return x.addGrad(leaf, g, create)
	}
	x.Observer.OnGrad(leaf, false)
	before := leaf.ag.grad
	err := x.addGrad(leaf, g, create)
	if leaf.ag.grad != before {
		x.Observer.OnGrad(leaf, true)
	}
	return err
}

func (x *Context) addGrad(leaf *Tensor, g pending, create bool) error {
	a := leaf.ag
	if x.sizes != nil {
		Pin(leaf)
		if a.grad == nil && !create {
			Pin(g.t)
		}
	}
	switch {
	case a.grad == nil && create:
		t, err := x.Op("clone", g.t)
		a.grad = t
		return err
	case a.grad == nil:
		if g.owned && fits(g.t, leaf) {
			a.grad = g.t
			return nil
		}
		return x.noGrad(func() error {
			base := tensor.Geometry{DType: leaf.DType, Size: leaf.Size, Stride: leaf.Stride}
			if !base.Dense() {
				base.Stride = tensor.Strides(leaf.Size)
			}
			t, err := x.like(&base, leaf.Device(), g.t)
			if err == nil {
				t.view = nil // of memory that nobody else has
				a.grad = t
			}
			return err
		})
	case create:
		t, err := x.Op("add", a.grad, g.t)
		a.grad = t
		return err
	}
	return x.noGrad(func() error {
		_, err := x.ApplyInPlace(op.Lookup("add"), []op.Arg{op.T(a.grad), op.T(g.t)})
		return err
	})
}

// fits: g can be the gradient of leaf as it is: same dtype, the layout that a gradient of leaf should have, all of its storage.
func fits(g, leaf *Tensor) bool {
	if g.DType != leaf.DType || g.ag != nil || g.Off != 0 || int64(g.Store.Buf.Len()) > g.Numel()*int64(g.DType.Size()) {
		return false
	}
	if leaf.Dense() {
		return sameWindow(&g.Geometry, &tensor.Geometry{DType: g.DType, Size: leaf.Size, Stride: leaf.Stride})
	}
	return g.IsContiguous()
}

// retainInto stores the gradient of a tensor that is no leaf.
func (x *Context) retainInto(t, g *Tensor, create bool) error {
	a := t.auto()
	if a.grad == nil {
		c, err := x.Op("clone", g)
		a.grad = c
		return err
	}
	s, err := x.Op("add", a.grad, g)
	a.grad = s
	return err
}

// Grad is the accumulated gradient, nil if there is none.
func (t *Tensor) Grad() *Tensor {
	if t.ag == nil {
		return nil
	}
	return t.ag.grad
}

// SetGrad replaces the gradient; nil removes it.
func (t *Tensor) SetGrad(g *Tensor) error {
	if g == nil {
		if t.ag != nil {
			t.ag.grad = nil
		}
		return nil
	}
	switch {
	case g == t:
		return raise(tensor.RuntimeError, "can't assign Variable as its own grad")
	case g.DType != t.DType:
		return raise(tensor.RuntimeError, "assigned grad has data of a different type")
	case g.Device() != t.Device():
		return raise(tensor.RuntimeError, "assigned grad has data located on a different device")
	case !slices.Equal(g.Size, t.Size):
		return raise(tensor.RuntimeError, "assigned grad has data of a different size")
	}
	t.auto().grad = g
	return nil
}

// SetRequiresGrad is requires_grad = v.
func (t *Tensor) SetRequiresGrad(v bool) error {
	if !t.IsLeaf() {
		if v {
			return nil
		}
		return raise(tensor.RuntimeError, "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach().")
	}
	if v && !t.DType.IsFloat() {
		return raise(tensor.RuntimeError, "only Tensors of floating point dtype can require gradients")
	}
	if v && t.Inference {
		return raise(tensor.RuntimeError, "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
	}
	if t.ag == nil && !v {
		return nil
	}
	t.auto().requires = v
	t.changed()
	return nil
}

// Detach is a view off the tape that shares memory and version.
func (x *Context) Detach(t *Tensor) *Tensor {
	d := &Tensor{Tensor: t.Tensor, ver: t.ver, Inference: t.Inference || x.Inference}
	if m := t.meta.Load(); m != nil {
		x.SetMeta(d, m)
	}
	// Writing to a detached tensor is never recorded, so it need not know its base; the shared version tells the tape.
	if x.Observer != nil {
		x.Observer.OnHandle(t, d)
	}
	return d
}

// Data is Detach with a version of its own: writes through it are hidden from the tape (.data).
func (x *Context) Data(t *Tensor) *Tensor {
	d := x.Detach(t)
	d.ver = new(atomic.Uint32)
	return d
}

// SetData makes t a window on other's memory (t.data = other).
func (t *Tensor) SetData(other *Tensor) error {
	if t.ag != nil && t.ag.requires && !other.DType.IsFloat() {
		return raise(tensor.RuntimeError, "data set to a tensor that requires gradients must be floating point or complex dtype")
	}
	t.Store = other.Store
	t.setGeometry(other.Geometry)
	if t.ag != nil && t.ag.acc != nil {
		t.ag.acc.outs[0] = metaOf(t)
	}
	return nil
}

// DetachInPlace takes t off the tape.
func (t *Tensor) DetachInPlace() error {
	if t.view != nil {
		return raise(tensor.RuntimeError, "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as True, "+
			"gradients are views of DDP buckets, and hence detach_() cannot be called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution.")
	}
	if t.ag != nil {
		t.ag.node, t.ag.out, t.ag.requires = nil, 0, false
		t.changed()
	}
	return nil
}

// IsView reports a tensor that shares another's storage, and Base is that other (_is_view, _base).
func (t *Tensor) IsView() bool { return t.view != nil }

// Base is the tensor of which t is a view, nil if it is none.
func (t *Tensor) Base() *Tensor {
	if t.view == nil {
		return nil
	}
	return t.view.base
}

// RegisterHook adds a hook on t's gradient.
func (t *Tensor) RegisterHook(fn any, name string) (*Hook, error) {
	if !t.RequiresGrad() {
		return nil, raise(tensor.RuntimeError, "cannot register a hook on a tensor that doesn't require gradient")
	}
	h := &Hook{Fn: fn, Name: name}
	return h, t.addHook(h)
}

func (t *Tensor) addHook(h *Hook) error {
	n, err := t.node()
	if err != nil {
		return err
	}
	if n != nil {
		n.addHook(t.ag.out, h)
		return nil
	}
	a := t.auto()
	a.hooks = append(slices.DeleteFunc(slices.Clone(a.hooks), func(h *Hook) bool { return h.removed }), h)
	t.changed()
	return nil
}

// RetainGrad makes a backward pass store the gradient of a tensor that is no leaf.
func (t *Tensor) RetainGrad() error {
	if !t.RequiresGrad() {
		return raise(tensor.RuntimeError, "can't retain_grad on Tensor that has requires_grad=False")
	}
	if t.IsLeaf() || t.ag.retain {
		return nil
	}
	t.ag.retain = true
	return t.addHook(&Hook{retain: t})
}

// RetainsGrad reports whether RetainGrad took effect.
func (t *Tensor) RetainsGrad() bool { return t.ag != nil && t.ag.retain }

// NewCustom makes the node of a function whose backward pass is the language's and hangs the outputs on it. saves says whether it
// keeps tensors, so that a second pass after release is an error.
func (x *Context) NewCustom(name string, fn, data any, inputs, outputs []*Tensor, saves bool) (*Node, error) {
	n := &Node{Name: name, seq: x.nextSeq(), custom: fn, Data: data, next: make([]Edge, len(inputs)), outs: make([]outMeta, len(outputs)), savesData: saves}
	for i, t := range inputs {
		if t != nil && t.RequiresGrad() {
			var err error
			if n.next[i], err = t.edge(); err != nil {
				return nil, err
			}
		}
	}
	for i, t := range outputs {
		n.outs[i] = metaOf(t)
		if t.view != nil {
			t.view.creation, t.view.made = createdCustom, name
		}
	}
	n.attach(outputs)
	return n, nil
}

// ErrFreed is the error of using what a released node had saved.
func (n *Node) ErrFreed() error {
	if n.freed {
		return freedError()
	}
	return nil
}
