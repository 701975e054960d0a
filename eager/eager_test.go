package eager

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/device/cpu"
	"github.com/larkspur-ml/larkspur/inductor"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// w runs ops in tests; what must not fail ends the test.
type w struct {
	*Context
	t   testing.TB
	dev *cpu.CPU
}

func newW(t testing.TB) *w {
	dev := cpu.New(0)
	k := NewKernels(inductor.New(inductor.Options{Target: loop.Portable(), Parallel: dev.Parallel, Alloc: dev}))
	x := NewContext(k, func(tensor.Device) (tensor.Allocator, error) { return dev, nil })
	x.Threads = dev
	return &w{x, t, dev}
}

func (w *w) f(vals ...float64) *Tensor { return w.shaped([]int64{int64(len(vals))}, vals...) }

func (w *w) shaped(size []int64, vals ...float64) *Tensor {
	w.t.Helper()
	b := make([]byte, 4*len(vals))
	for i, v := range vals {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(float32(v)))
	}
	r, err := w.FromBytes(tensor.Float32, size, b)
	w.must(err)
	return r
}

func (w *w) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *w) leaf(vals ...float64) *Tensor {
	r := w.f(vals...)
	w.must(r.SetRequiresGrad(true))
	return r
}

func (w *w) op(name string, args ...any) *Tensor {
	w.t.Helper()
	r, err := w.Op(name, args...)
	w.must(err)
	return r
}

func arg(v any) op.Arg {
	switch v := v.(type) {
	case *Tensor:
		return op.T(v)
	case float64:
		return op.Num(tensor.Float(v))
	case int:
		return op.Num(tensor.Int(int64(v)))
	}
	panic("BUG: test argument")
}

func (w *w) tryInPlace(name string, args ...any) error {
	a := make([]op.Arg, len(args))
	for i := range args {
		a[i] = arg(args[i])
	}
	_, err := w.ApplyInPlace(op.Lookup(name), a)
	return err
}

func (w *w) inPlace(name string, args ...any) {
	w.t.Helper()
	w.must(w.tryInPlace(name, args...))
}

func (w *w) backward(root *Tensor, opt BackwardOptions) error {
	b, err := w.NewBackward([]*Tensor{root}, nil, opt)
	if err != nil {
		return err
	}
	return b.Run()
}

func (w *w) slice(t *Tensor, from, to int) *Tensor {
	w.t.Helper()
	return w.op("slice.Tensor", t, 0, from, to)
}

func (w *w) show(t *Tensor) string {
	if t == nil {
		return "None"
	}
	var s []string
	w.Values(t, func(n tensor.Number) { s = append(s, fmt.Sprintf("%.5g", n.Float64())) })
	return strings.Join(s, " ")
}

func (w *w) want(label string, t *Tensor, text string) {
	w.t.Helper()
	if got := w.show(t); got != text {
		w.t.Errorf("%s is [%s], want [%s]", label, got, text)
	}
}

func (w *w) fails(label string, err error, kind tensor.ErrKind, text string) {
	w.t.Helper()
	if err == nil {
		w.t.Errorf("%s: no error, want %q", label, text)
		return
	}
	e, ok := err.(*tensor.Error)
	if !ok || e.Kind != kind || e.Msg != text {
		w.t.Errorf("%s:\n got  %v\n want %v: %s", label, err, kind, text)
	}
}

func TestSimpleGradient(t *testing.T) {
	w := newW(t)
	x, y := w.leaf(1, 2, 3), w.leaf(4, 5, 6)
	z := w.op("add", w.op("mul", x, y), x) // x*y + x
	s := w.op("sum", z)
	if n, _, _ := s.GradFn(); n.Name != "SumBackward0" || n.next[0].Node.Name != "AddBackward0" || n.next[0].Node.next[0].Node.Name != "MulBackward0" ||
		n.next[0].Node.next[1].Node.Name != "AccumulateGrad" || n.next[0].Node.next[1].Node.Variable() != x {
		t.Errorf("tape: %v", n.Name)
	}
	w.must(w.backward(s, BackwardOptions{}))
	w.want("x.grad", x.Grad(), "5 6 7")
	w.want("y.grad", y.Grad(), "1 2 3")
	// A second pass through a new tape accumulates in place.
	g := x.Grad()
	w.must(w.backward(w.op("sum", w.op("mul", x, 2.0)), BackwardOptions{}))
	w.want("x.grad", x.Grad(), "7 8 9")
	if x.Grad() != g {
		t.Error("accumulation replaced the gradient")
	}
}

// TestGradientsDoNotAlias: add hands one gradient to both operands; neither leaf may see the other's updates.
func TestGradientsDoNotAlias(t *testing.T) {
	w := newW(t)
	x, y := w.leaf(1, 2), w.leaf(3, 4)
	z := w.op("add", x, y)
	given := w.f(10, 20)
	b, err := w.NewBackward([]*Tensor{z}, []*Tensor{given}, BackwardOptions{})
	w.must(err)
	w.must(b.Run())
	if x.Grad().Store == y.Grad().Store || x.Grad().Store == given.Store || y.Grad().Store == given.Store {
		t.Fatal("gradients share memory")
	}
	w.inPlace("mul", x.Grad(), 0.0)
	w.want("y.grad", y.Grad(), "10 20")
	w.want("given", given, "10 20")
}

func TestSavedVersions(t *testing.T) {
	const hint = " Hint: enable anomaly detection to find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True)."
	w := newW(t)
	x := w.leaf(1, 1, 1)
	y := w.op("add", x, 1.0)
	z := w.op("mul", y, y)
	w.inPlace("add", y, 1.0)
	w.fails("modified output", w.backward(w.op("sum", z), BackwardOptions{}), tensor.RuntimeError,
		"one of the variables needed for gradient computation has been modified by an inplace operation: [torch.FloatTensor [3]], which is output 0 of AddBackward0, is at version 1; expected version 0 instead."+hint)

	x, c := w.leaf(1, 1, 1), w.f(1, 1, 1)
	z = w.op("mul", x, c)
	w.inPlace("add", c, 1.0)
	w.fails("modified constant", w.backward(w.op("sum", z), BackwardOptions{}), tensor.RuntimeError,
		"one of the variables needed for gradient computation has been modified by an inplace operation: [torch.FloatTensor [3]] is at version 1; expected version 0 instead."+hint)

	// add saves nothing, so its operands may change.
	x = w.leaf(1, 1, 1)
	y = w.op("mul", x, 2.0)
	z = w.op("add", y, 1.0)
	w.inPlace("mul", y, 3.0)
	w.must(w.backward(w.op("sum", z), BackwardOptions{}))
	w.want("grad", x.Grad(), "2 2 2")

	// exp saves its result.
	x = w.leaf(0, 0)
	z = w.op("exp", x)
	w.inPlace("mul", z, 2.0)
	w.fails("modified result", w.backward(w.op("sum", z), BackwardOptions{}), tensor.RuntimeError,
		"one of the variables needed for gradient computation has been modified by an inplace operation: [torch.FloatTensor [2]], which is output 0 of ExpBackward0, is at version 1; expected version 0 instead."+hint)

	// A write through .data is hidden from the tape.
	x = w.leaf(1, 2)
	z = w.op("mul", x, x)
	w.inPlace("mul", w.Data(x), 10.0)
	w.must(w.backward(w.op("sum", z), BackwardOptions{}))
	w.want("grad", x.Grad(), "20 40")

	// A write through detach() is not.
	x = w.leaf(1, 2)
	z = w.op("mul", x, x)
	w.inPlace("mul", w.Detach(x), 10.0)
	if err := w.backward(w.op("sum", z), BackwardOptions{}); err == nil {
		t.Error("a write through detach() went unnoticed")
	}
}

func TestSecondBackward(t *testing.T) {
	w := newW(t)
	x := w.leaf(1, 2)
	s := w.op("sum", w.op("mul", x, x))
	w.must(w.backward(s, BackwardOptions{Keep: true}))
	w.must(w.backward(s, BackwardOptions{}))
	w.want("grad", x.Grad(), "4 8")
	w.fails("freed", w.backward(s, BackwardOptions{}), tensor.RuntimeError, freedError().Error())

	// Nothing saved, nothing missing.
	x = w.leaf(1, 2)
	s = w.op("sum", w.op("add", x, 1.0))
	w.must(w.backward(s, BackwardOptions{}))
	w.must(w.backward(s, BackwardOptions{}))
	w.want("grad", x.Grad(), "2 2")
}

func TestRootErrors(t *testing.T) {
	w := newW(t)
	w.fails("no tape", w.backward(w.f(1, 2, 3), BackwardOptions{}), tensor.RuntimeError, "element 0 of tensors does not require grad and does not have a grad_fn")
	w.fails("not scalar", w.backward(w.leaf(1, 2, 3), BackwardOptions{}), tensor.RuntimeError, "grad can be implicitly created only for scalar outputs")
	_, err := w.NewBackward([]*Tensor{w.leaf(1, 2, 3)}, []*Tensor{w.f(1, 2)}, BackwardOptions{})
	w.fails("shape", err, tensor.RuntimeError, "Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has a shape of torch.Size([3]).")
	s := w.op("sum", w.leaf(1, 2))
	_, err = w.NewBackward([]*Tensor{s}, nil, BackwardOptions{Collect: true, Inputs: []*Tensor{w.f(1)}})
	w.fails("input", err, tensor.RuntimeError, "One of the differentiated Tensors does not require grad")
	_, err = w.NewBackward([]*Tensor{s}, nil, BackwardOptions{Collect: true, Inputs: []*Tensor{}})
	w.fails("no inputs", err, tensor.ValueError, "grad requires non-empty inputs.")
	b, err := w.NewBackward([]*Tensor{s}, nil, BackwardOptions{Collect: true, Inputs: []*Tensor{w.leaf(1)}, Keep: true})
	w.must(err)
	w.must(b.Run())
	_, err = b.Grads()
	w.fails("unused", err, tensor.RuntimeError, "One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.")
	b, err = w.NewBackward([]*Tensor{s}, nil, BackwardOptions{Collect: true, Inputs: []*Tensor{w.leaf(1)}, AllowUnused: true})
	w.must(err)
	w.must(b.Run())
	if g, err := b.Grads(); err != nil || g[0] != nil {
		t.Error(g, err)
	}
}

func TestGradOfIntermediate(t *testing.T) {
	w := newW(t)
	x := w.leaf(1, 2)
	y := w.op("mul", x, 3.0)
	other := w.leaf(5, 5)
	s := w.op("sum", w.op("mul", w.op("mul", y, y), other))
	b, err := w.NewBackward([]*Tensor{s}, nil, BackwardOptions{Collect: true, Inputs: []*Tensor{y, x}})
	w.must(err)
	w.must(b.Run())
	g, err := b.Grads()
	w.must(err)
	w.want("dy", g[0], "30 60")
	w.want("dx", g[1], "90 180")
	if x.Grad() != nil || other.Grad() != nil {
		t.Error("grad() stored gradients")
	}
}

func TestDoubleBackward(t *testing.T) {
	w := newW(t)
	x := w.leaf(1, 2, 3)
	s := w.op("sum", w.op("mul", w.op("mul", x, x), x)) // x³
	grad := func(root *Tensor, create bool) *Tensor {
		b, err := w.NewBackward([]*Tensor{root}, nil, BackwardOptions{Collect: true, Inputs: []*Tensor{x}, Create: create})
		w.must(err)
		w.must(b.Run())
		g, err := b.Grads()
		w.must(err)
		return g[0]
	}
	g1 := grad(s, true)
	w.want("3x²", g1, "3 12 27")
	g2 := grad(w.op("sum", g1), true)
	w.want("6x", g2, "6 12 18")
	g3 := grad(w.op("sum", g2), false)
	w.want("6", g3, "6 6 6")
}

func TestDeepChain(t *testing.T) {
	w := newW(t)
	x := w.leaf(1)
	y := x
	for range 100_000 {
		y = w.op("add", y, 1.0)
	}
	w.must(w.backward(w.op("sum", y), BackwardOptions{}))
	w.want("grad", x.Grad(), "1")
}

func TestInPlaceErrors(t *testing.T) {
	const leafText = "a leaf Variable that requires grad is being used in an in-place operation."
	w := newW(t)
	x := w.leaf(1, 2, 3)
	w.fails("leaf", w.tryInPlace("add", x, 1.0), tensor.RuntimeError, leafText)
	w.fails("view of leaf", w.tryInPlace("add", w.slice(x, 0, 2), 1.0), tensor.RuntimeError, "a view of a leaf Variable that requires grad is being used in an in-place operation.")
	w.GradMode = false
	v := w.slice(x, 0, 2)
	w.inPlace("add", x, 1.0) // as an optimiser does
	w.GradMode = true
	w.want("x", x, "2 3 4")
	if err := w.tryInPlace("add", v, 1.0); err == nil || !strings.HasPrefix(err.Error(), "A view was created in no_grad mode and is being modified inplace with grad mode enabled.") {
		t.Error(err)
	}
	parts, err := w.Apply(op.Lookup("chunk"), []op.Arg{op.T(w.op("mul", w.leaf(1, 1, 1, 1), 1.0)), op.IntArg(op.C(2))})
	w.must(err)
	if err := w.tryInPlace("add", parts[0].(*Tensor), 1.0); err == nil || !strings.Contains(err.Error(), "is a view and is being modified inplace. This view is the output of a function that returns multiple views.") {
		t.Error(err)
	}
	ints, err := w.Op("_to_dtype", w.f(1, 2), tensor.Int64)
	w.must(err)
	w.fails("cast", w.tryInPlace("add", ints, 1.5), tensor.RuntimeError, "result type Float can't be cast to the desired output type Long")
	w.fails("broadcast", w.tryInPlace("add", w.f(1, 2, 3), w.shaped([]int64{2, 3}, 1, 2, 3, 4, 5, 6)), tensor.RuntimeError, "output with shape [3] doesn't match the broadcast shape [2, 3]")
	w.fails("expanded", w.tryInPlace("add", w.op("expand", w.shaped([]int64{1, 3}, 1, 2, 3), []int{2, 3}), 1.0), tensor.RuntimeError,
		"unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor before performing the operation.")
	y := w.f(0, 1, 2, 3, 4)
	w.fails("partial overlap", w.tryInPlace("add", w.slice(y, 1, 5), w.slice(y, 0, 4)), tensor.RuntimeError,
		"unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. Please clone() the tensor before performing the operation.")
	w.inPlace("add", y, y)
	w.want("y", y, "0 2 4 6 8")
	w.fails("requires_grad_ of ints", ints.SetRequiresGrad(true), tensor.RuntimeError, "only Tensors of floating point dtype can require gradients")
	w.fails("requires_grad_(False)", w.op("add", x, 1.0).SetRequiresGrad(false), tensor.RuntimeError,
		"you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach().")
	w.fails("out=", w.ApplyOut(op.Lookup("add"), []op.Arg{op.T(x), arg(1.0)}, []*Tensor{w.f(0, 0, 0)}), tensor.RuntimeError,
		"add(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad.")
}

func TestOverlapTooHard(t *testing.T) {
	// Neither dense nor identical: all is read before it is written.
	w := newW(t)
	m := w.shaped([]int64{2, 2}, 1, 2, 3, 4)
	w.inPlace("add", w.op("select.int", m, 1, 0), w.op("select.int", m, 0, 1))
	// column 0 += row 1: [1, 3] + [3, 4]
	w.want("m", m, "4 2 7 4")
}

func TestOutArgument(t *testing.T) {
	w := newW(t)
	o := w.f(0)
	w.must(w.ApplyOut(op.Lookup("add"), []op.Arg{op.T(w.f(1, 2, 3)), arg(1.0)}, []*Tensor{o}))
	w.want("resized", o, "2 3 4")
	ints := w.op("_to_dtype", w.f(1, 2, 3), tensor.Int64)
	w.fails("cast", w.ApplyOut(op.Lookup("add"), []op.Arg{op.T(w.f(1, 2, 3)), arg(1.5)}, []*Tensor{ints}), tensor.RuntimeError, "result type Float can't be cast to the desired output type Long")
	// A strided destination keeps its strides.
	base := w.f(0, 0, 0, 0, 0, 0)
	w.must(w.ApplyOut(op.Lookup("add"), []op.Arg{op.T(w.f(1, 2, 3)), arg(1)}, []*Tensor{w.op("slice.Tensor", base, 0, 0, 6, 2)}))
	w.want("base", base, "2 0 3 0 4 0")
}

func TestViewsAndInPlace(t *testing.T) {
	w := newW(t)
	x := w.leaf(1, 1, 1, 1)
	y := w.op("mul", x, 1.0)
	v := w.slice(y, 0, 2)
	w.inPlace("mul", v, 3.0)
	n, _, _ := y.GradFn()
	vn, _, _ := v.GradFn()
	if n.Name != "CopySlices" || vn.Name != "AsStridedBackward0" || vn.next[0].Node != n || n.next[0].Node.Name != "MulBackward0" || n.next[1].Node != nil {
		t.Errorf("history %s, %s", n.Name, vn.Name)
	}
	w.want("y", y, "3 3 1 1")
	w.must(w.backward(w.op("sum", w.op("mul", y, w.f(1, 2, 3, 4))), BackwardOptions{Keep: true}))
	w.want("grad", x.Grad(), "3 6 3 4")

	// The view sees writes to its base.
	x = w.leaf(1, 2, 3, 4)
	y = w.op("mul", x, 1.0)
	v = w.slice(y, 1, 3)
	w.inPlace("mul", y, w.f(10, 20, 30, 40))
	w.must(w.backward(w.op("sum", v), BackwardOptions{}))
	w.want("grad", x.Grad(), "0 20 30 0")

	// A plain tensor joins the tape when something that needs a gradient is written into a view of it.
	k := w.leaf(5, 6)
	z := w.f(1, 1, 1)
	w.inPlace("mul", w.slice(z, 1, 3), k)
	if !z.RequiresGrad() || z.IsLeaf() {
		t.Error("the base did not join the tape")
	}
	w.must(w.backward(w.op("sum", w.op("mul", z, z)), BackwardOptions{}))
	w.want("grad", k.Grad(), "10 12")

	// copy_ into a view: what was overwritten gets nothing.
	x, k = w.leaf(1, 2, 3), w.leaf(9)
	y = w.op("mul", x, 2.0)
	w.must(w.Write(w.slice(y, 0, 2), k))
	w.want("y", y, "9 9 6")
	w.must(w.backward(w.op("sum", w.op("mul", y, w.f(1, 2, 3))), BackwardOptions{}))
	w.want("x.grad", x.Grad(), "0 0 6")
	w.want("k.grad", k.Grad(), "3")

	// Second derivative through CopySlices.
	x = w.leaf(2, 3)
	y = w.op("mul", x, x)
	v = w.slice(y, 0, 1)
	w.inPlace("mul", v, v.clonedFor(w))
	s := w.op("sum", y) // x0⁴ + x1²
	b, err := w.NewBackward([]*Tensor{s}, nil, BackwardOptions{Collect: true, Inputs: []*Tensor{x}, Create: true})
	w.must(err)
	w.must(b.Run())
	g, err := b.Grads()
	w.must(err)
	w.want("first", g[0], "32 6")
	w.must(w.backward(w.op("sum", g[0]), BackwardOptions{}))
	w.want("second", x.Grad(), "48 2")
}

func (t *Tensor) clonedFor(w *w) *Tensor { return w.op("clone", t) }

func TestInPlaceSavesOldSelf(t *testing.T) {
	w := newW(t)
	x, k := w.leaf(1, 2), w.leaf(3, 4)
	y := w.op("mul", x, 1.0)
	w.inPlace("mul", y, k)
	w.must(w.backward(w.op("sum", y), BackwardOptions{}))
	w.want("x.grad", x.Grad(), "3 4")
	w.want("k.grad", k.Grad(), "1 2")
}

func TestDetachInPlace(t *testing.T) {
	w := newW(t)
	y := w.op("mul", w.leaf(1, 2), 2.0)
	w.must(y.DetachInPlace())
	if y.RequiresGrad() || !y.IsLeaf() {
		t.Error("still on the tape")
	}
	if err := w.slice(y, 0, 1).DetachInPlace(); err == nil || !strings.HasPrefix(err.Error(), "Can't detach views in-place. Use detach() instead.") {
		t.Error(err)
	}
	d := w.op("detach", w.leaf(1, 2))
	if d.RequiresGrad() || d.IsView() {
		t.Error("detach() stays on the tape")
	}
}

func TestInference(t *testing.T) {
	w := newW(t)
	w.Inference, w.GradMode = true, false
	x := w.f(1, 2)
	w.Inference, w.GradMode = false, true
	_, err := w.Op("mul", x, w.leaf(1, 2))
	w.fails("saved", err, tensor.RuntimeError, inferenceError().Error())
	w.fails("written", w.tryInPlace("add", x, 1.0), tensor.RuntimeError, "Inplace update to inference tensor outside InferenceMode is not allowed."+
		"You can make a clone to get a normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.")
}

func TestHooks(t *testing.T) {
	w := newW(t)
	x := w.leaf(1, 2)
	y := w.op("mul", x, 3.0)
	h, err := y.RegisterHook("double", "double")
	w.must(err)
	_, err = x.RegisterHook("watch", "watch")
	w.must(err)
	w.must(y.RetainGrad())
	s := w.op("sum", y)
	run := func() (log []string) {
		b, err := w.NewBackward([]*Tensor{s}, nil, BackwardOptions{Keep: true})
		w.must(err)
		for {
			need, done, err := b.Step()
			w.must(err)
			if done {
				return log
			}
			log = append(log, fmt.Sprint(need.Fn, " ", w.show(need.Grads[0])))
			if need.Fn == "double" {
				w.GradMode = need.GradMode
				d := w.op("mul", need.Grads[0], 2.0)
				w.GradMode = true
				w.must(b.Answer([]*Tensor{d}))
			} else {
				w.must(b.Answer(nil))
			}
		}
	}
	if got := strings.Join(run(), "; "); got != "double 1 1; watch 6 6" {
		t.Error(got)
	}
	w.want("y.grad", y.Grad(), "2 2")
	w.want("x.grad", x.Grad(), "6 6")
	h.Remove()
	if got := strings.Join(run(), "; "); got != "watch 3 3" {
		t.Error(got)
	}
	b, err := w.NewBackward([]*Tensor{s}, nil, BackwardOptions{})
	w.must(err)
	if need, _, _ := b.Step(); need == nil {
		t.Fatal("no hook")
	}
	w.fails("size", b.Answer([]*Tensor{w.f(1)}), tensor.RuntimeError, "hook 'watch' has changed the size of value")
	_, err = w.f(1).RegisterHook(1, "")
	w.fails("no grad", err, tensor.RuntimeError, "cannot register a hook on a tensor that doesn't require gradient")
	w.fails("no grad", w.f(1).RetainGrad(), tensor.RuntimeError, "can't retain_grad on Tensor that has requires_grad=False")
}

func TestCustomFunction(t *testing.T) {
	w := newW(t)
	x := w.leaf(2, 3)
	w.GradMode = false
	y := w.op("mul", x, x)
	w.GradMode = true
	n, err := w.NewCustom("SquareBackward", "square", nil, []*Tensor{x}, []*Tensor{y}, true)
	w.must(err)
	saved, err := Save(x)
	w.must(err)
	s := w.op("sum", y)
	if f, _, _ := y.GradFn(); f != n || n.Name != "SquareBackward" {
		t.Error("no history")
	}
	b, err := w.NewBackward([]*Tensor{s}, nil, BackwardOptions{})
	w.must(err)
	need, _, err := b.Step()
	w.must(err)
	if need.Kind != NeedCustom || need.Fn != "square" || need.Node != n {
		t.Fatal(need)
	}
	xs, err := saved.Tensor(false)
	w.must(err)
	g := w.op("mul", w.op("mul", need.Grads[0], w.op("detach", xs)), 2.0)
	w.must(b.Answer([]*Tensor{g}))
	w.must(b.Run())
	w.want("grad", x.Grad(), "4 6")
	b, err = w.NewBackward([]*Tensor{s}, nil, BackwardOptions{})
	w.must(err)
	_, _, err = b.Step()
	w.fails("freed", err, tensor.RuntimeError, freedError().Error())

	w.GradMode = false
	y = w.op("mul", x, x)
	w.GradMode = true
	_, err = w.NewCustom("MyFnBackward", "f", nil, []*Tensor{x}, []*Tensor{y}, false)
	w.must(err)
	b, err = w.NewBackward([]*Tensor{w.op("sum", y)}, nil, BackwardOptions{})
	w.must(err)
	_, _, err = b.Step()
	w.must(err)
	w.fails("shape", b.Answer([]*Tensor{w.f(1, 2, 3)}), tensor.RuntimeError, "Function MyFnBackward returned an invalid gradient at index 0 - got [3] but expected shape compatible with [2]")
}

func TestAutocast(t *testing.T) {
	w := newW(t)
	x, k := w.shaped([]int64{2, 3}, 1, 2, 3, 4, 5, 6), w.shaped([]int64{3, 3}, 1, 0, 0, 0, 1, 0, 0, 0, 1)
	w.must(k.SetRequiresGrad(true))
	w.Autocast = tensor.BFloat16
	m := w.op("matmul", x, k)
	d64 := w.op("_to_dtype", x, tensor.Float64)
	for _, c := range []struct {
		label string
		t     *Tensor
		want  tensor.DType
	}{
		{"matmul", m, tensor.BFloat16}, {"linear", w.op("linear", x, k), tensor.BFloat16}, {"add", w.op("add", x, m), tensor.Float32},
		{"cat", w.op("cat", []op.Tensor{x, m}), tensor.Float32}, {"cat", w.op("cat", []op.Tensor{m, m}), tensor.BFloat16},
		{"mse_loss", w.op("mse_loss", m, m), tensor.Float32}, {"sum", w.op("sum", m), tensor.BFloat16},
		{"float64 mm", w.op("mm", d64, w.op("t", d64)), tensor.Float64},
	} {
		if c.t.DType != c.want {
			t.Errorf("%s gives %s, want %s", c.label, c.t.DType, c.want)
		}
	}
	w.must(w.backward(w.op("sum", m), BackwardOptions{}))
	if w.Autocast != tensor.BFloat16 || k.Grad().DType != tensor.Float32 {
		t.Error("backward under autocast")
	}
	w.want("grad", k.Grad(), "5 5 5 7 7 7 9 9 9")
}

func TestItem(t *testing.T) {
	w := newW(t)
	_, err := w.Item(w.f(1, 2))
	w.fails("item", err, tensor.ValueError, "only one element tensors can be converted to Python scalars")
	_, err = w.Truth(w.f(1, 2))
	w.fails("truth", err, tensor.RuntimeError, "Boolean value of Tensor with more than one value is ambiguous")
	_, err = w.Truth(w.f())
	w.fails("truth", err, tensor.RuntimeError, "Boolean value of Tensor with no values is ambiguous")
	if n, err := w.Item(w.op("add", w.f(1.5), 1)); err != nil || n.F != 2.5 {
		t.Error(n, err)
	}
	_, err = w.Op("as_strided", w.f(1, 2, 3, 4, 5, 6), []int{20}, []int{1})
	w.fails("as_strided", err, tensor.RuntimeError, "setStorage: sizes [20], strides [1], storage offset 0, and itemsize 4 requiring a storage size of 80 are out of bounds for storage of size 24")
}

// TestFlatMemory trains for 10,000 steps; nothing may be left behind.
func TestFlatMemory(t *testing.T) {
	w := newW(t)
	p := w.leaf(make([]float64, 1000)...)
	x := w.f(make([]float64, 1000)...)
	step := func() {
		d := w.op("sub", w.op("mul", p, x), 1.0)
		w.must(w.backward(w.op("sum", w.op("mul", d, d)), BackwardOptions{}))
		w.GradMode = false
		w.must(func() error {
			_, err := w.ApplyInPlace(op.Lookup("add"), []op.Arg{op.T(p), op.T(p.Grad())})
			return err
		}())
		w.GradMode = true
		w.must(p.SetGrad(nil))
	}
	for range 10_000 {
		step()
	}
	w.dev.Collect()
	s := w.dev.Stats()
	if s.Live > 200<<10 {
		t.Errorf("%d bytes live after 10,000 steps", s.Live)
	}
	if s.Peak > cpu.CollectFloor+1<<20 {
		t.Errorf("peak %d", s.Peak)
	}
	hits, misses := w.Kernels.Counts()
	if misses > 40 || hits < 50_000 {
		t.Errorf("%d kernels made, %d found", misses, hits)
	}
}

// TestMemoryLimit: a tensor over the limit is an error with the figures, and the runtime goes on.
func TestMemoryLimit(t *testing.T) {
	w := newW(t)
	w.dev.SetLimit(1 << 20)
	_, err := w.Op("zeros", []int{1 << 19})
	if e, ok := err.(*tensor.Error); !ok || e.Kind != tensor.RuntimeError ||
		!strings.Contains(e.Msg, "DefaultCPUAllocator: can't allocate memory: you tried to allocate 2097152 bytes. The limit is 1048576 bytes, of which ") {
		t.Error(err)
	}
	for range 50 { // 25 MB in all, half a megabyte at a time
		w.op("zeros", []int{1 << 17})
	}
	if s := w.dev.Stats(); s.Peak > 1<<20 {
		t.Errorf("peak %d", s.Peak)
	}
}
