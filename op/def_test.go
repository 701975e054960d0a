package op

import (
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/tensor"
)

// TestCoverage: what a user can call has samples in several layouts, with an
// empty and a 0-dim tensor, or is a Decomp of ops that have.
func TestCoverage(t *testing.T) {
	for _, d := range All() {
		if d.Doc == "" {
			t.Errorf("%s: no doc", d.Name)
		}
		if d.Bind == 0 || d.Decomp != nil || len(d.Operands) == 0 {
			continue
		}
		if d.Samples == nil {
			t.Errorf("%s: no samples", d.Name)
			continue
		}
		lays := map[Lay]bool{}
		for _, s := range d.Samples() {
			for _, a := range s.Args {
				switch p := a.P.(type) {
				case *SampleTensor:
					lays[p.Lay] = true
				case []Tensor:
					for _, x := range p {
						if st, ok := x.(*SampleTensor); ok {
							lays[st.Lay] = true
						}
					}
				}
			}
		}
		if len(lays) < 3 {
			t.Errorf("%s: samples in %d layouts", d.Name, len(lays))
		}
	}
}

// TestNames: signatures give names that bind without ambiguity.
func TestNames(t *testing.T) {
	if len(All()) < 120 {
		t.Errorf("%d Defs", len(All()))
	}
	for _, d := range All() {
		seen := map[string]bool{}
		for _, p := range d.Params {
			if seen[p.Name] {
				t.Errorf("%s: two parameters %s", d.Name, p.Name)
			}
			seen[p.Name] = true
		}
		if d.Bind != 0 && strings.HasPrefix(d.Name, "_") && d.Bind&(Method|Fn) == 0 {
			t.Errorf("%s: an internal op is bound", d.Name)
		}
		if d.Bind&InPlace != 0 && len(d.Operands) == 0 {
			t.Errorf("%s: in place without a tensor", d.Name)
		}
		if d.View != nil && len(d.Returns) == 1 && !d.Returns[0].Alias {
			t.Errorf("%s: a view that does not say so", d.Name)
		}
	}
}

func TestSignature(t *testing.T) {
	name, ps, rets := parseSig("f.x(Tensor(a) self, Tensor? w=None, int[2] k=1, Scalar alpha=1, *, str mode='a, b', dtype? dtype=None, float e=1e-05, bool up=True, SymInt[] s=[2, 3]) -> (Tensor values, Tensor indices)")
	if name != "f.x" || len(ps) != 9 || len(rets) != 2 || rets[1].Name != "indices" {
		t.Fatalf("%s %d %v", name, len(ps), rets)
	}
	if !ps[1].Optional || !ps[2].List || ps[2].N != 2 || len(ps[2].Default.P.([]SymInt)) != 2 || ps[3].KwOnly || !ps[4].KwOnly || ps[4].Default.P.(string) != "a, b" {
		t.Errorf("%+v", ps)
	}
	if ps[6].Default.N.F != 1e-5 || ps[7].Default.N.I != 1 || !ps[8].Default.P.([]SymInt)[1].Is(3) {
		t.Errorf("%+v", ps)
	}
	for _, bad := range []string{"f(Tensor x)", "f -> Tensor", "f(Tensr x) -> Tensor", "f(int k=q) -> Tensor"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s parses", bad)
				}
			}()
			parseSig(bad)
		}()
	}
}

// call infers an op on sample tensors.
func call(t *testing.T, name string, args ...Arg) (*Call, error) {
	t.Helper()
	c, err := NewCall(Lookup(name), args, tensor.Float32)
	if err == nil {
		err = c.Infer()
	}
	return c, err
}

func TestInfer(t *testing.T) {
	f := func(d tensor.DType, size ...int64) Arg { return T(NewSample(d, LayContig, 1, Fill{}, size...)) }
	for _, c := range []struct {
		op   string
		args []Arg
		want tensor.DType
		size string
	}{
		{"add", []Arg{f(tensor.Float32, 2, 3), f(tensor.Float64)}, tensor.Float32, "[2, 3]"},
		{"add", []Arg{f(tensor.Int64, 2, 1), f(tensor.Float16, 3)}, tensor.Float16, "[2, 3]"},
		{"add", []Arg{f(tensor.Int32, 2), Num(tensor.Float(1))}, tensor.Float32, "[2]"},
		{"add", []Arg{f(tensor.BFloat16, 2), Num(tensor.Float(1))}, tensor.BFloat16, "[2]"},
		{"div", []Arg{f(tensor.Int64, 2), Num(tensor.Int(2))}, tensor.Float32, "[2]"},
		{"eq", []Arg{f(tensor.Int64, 2), Num(tensor.Float(2))}, tensor.Bool, "[2]"},
		{"sum", []Arg{f(tensor.Bool, 2, 3), dims(1)}, tensor.Int64, "[2]"},
		{"sum", []Arg{f(tensor.Float16, 2, 3), dims(-2), Bool(true)}, tensor.Float16, "[1, 3]"},
		{"argmax", []Arg{f(tensor.Float32, 2, 3)}, tensor.Int64, "[]"},
		{"where", []Arg{f(tensor.Bool, 3), f(tensor.Int64, 2, 1), Num(tensor.Float(0))}, tensor.Float32, "[2, 3]"},
	} {
		k, err := call(t, c.op, c.args...)
		if err != nil {
			t.Errorf("%s: %v", c.op, err)
			continue
		}
		if k.Out[0].DType != c.want || ShapeText(k.Out[0].Size) != c.size {
			t.Errorf("%s: %s%s, want %s%s", c.op, k.Out[0].DType, ShapeText(k.Out[0].Size), c.want, c.size)
		}
	}
	for _, c := range []struct {
		op   string
		args []Arg
		kind tensor.ErrKind
		msg  string
	}{
		{"add", []Arg{f(tensor.Float32, 2, 3), f(tensor.Float32, 4)}, tensor.RuntimeError, "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1"},
		{"sum", []Arg{f(tensor.Float32, 2, 3), dims(2)}, tensor.IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"},
		{"sum", []Arg{f(tensor.Float32, 2, 3), dims(1, -1)}, tensor.RuntimeError, "dim 1 appears multiple times in the list of dims"},
		{"max", []Arg{f(tensor.Float32, 0)}, tensor.RuntimeError, "max(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument."},
		{"mean", []Arg{f(tensor.Int64, 2)}, tensor.RuntimeError, "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Long"},
		{"add", []Arg{{}, f(tensor.Float32)}, tensor.TypeError, "add(): argument 'self' must be Tensor, not NoneType"},
		{"sub", []Arg{f(tensor.Bool, 2), f(tensor.Bool, 2)}, tensor.RuntimeError, "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead."},
	} {
		_, err := call(t, c.op, c.args...)
		e, ok := err.(*tensor.Error)
		if !ok || e.Kind != c.kind || e.Msg != c.msg {
			t.Errorf("%s: got %v", c.op, err)
		}
	}
}

// TestLayout: strides of results follow torch's TensorIterator.
func TestLayout(t *testing.T) {
	x := func(l Lay, size ...int64) Arg { return T(NewSample(tensor.Float32, l, 1, Fill{}, size...)) }
	for _, c := range []struct {
		op   string
		args []Arg
		want string
	}{
		{"neg", []Arg{x(LayTrans, 3, 4)}, "[1, 3]"},
		{"neg", []Arg{x(LayStep, 3)}, "[1]"},
		{"neg", []Arg{x(LayExpanded, 3, 4)}, "[4, 1]"},
		{"add", []Arg{x(LayTrans, 3, 4), x(LayContig, 3, 4)}, "[1, 3]"},
		{"add", []Arg{x(LayContig, 4), x(LayTrans, 3, 4)}, "[1, 3]"},
		{"add", []Arg{Num(tensor.Int(1)), x(LayTrans, 2, 3, 4)}, "[1, 2, 6]"},
		{"clone", []Arg{x(LayTrans, 3, 4)}, "[1, 3]"},
		{"_contiguous", []Arg{x(LayTrans, 3, 4)}, "[4, 1]"},
		{"_softmax", []Arg{x(LayTrans, 3, 4), IntArg(C(1))}, "[4, 1]"},
	} {
		k, err := call(t, c.op, c.args...)
		if err != nil {
			t.Fatal(err)
		}
		if got := ShapeText(k.Out[0].Stride); got != c.want {
			t.Errorf("%s %v: strides %s, want %s", c.op, c.args[0].P, got, c.want)
		}
	}
}
