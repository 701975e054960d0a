package eager

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// TestFiniteDifferences compares the tape's gradients with central differences in float64, for every Def with a derivative and each
// of its samples that has a float operand.
func TestFiniteDifferences(t *testing.T) {
	w := newW(t)
	ops, checks := 0, 0
	for _, d := range op.All() {
		if d.VJP == nil && d.Decomp == nil || d.Samples == nil || notSmooth[d.Base] != "" {
			continue
		}
		n := 0
		for i, s := range d.Samples() {
			if s.Raises != "" {
				continue
			}
			if ok, msg := w.differences(d, s); msg != "" {
				t.Errorf("%s, sample %d: %s", d.Name, i, msg)
				break
			} else if ok {
				n++
			}
		}
		if n > 0 {
			ops++
		}
		checks += n
	}
	t.Logf("%d ops, %d samples", ops, checks)
	if ops < 100 {
		t.Errorf("only %d ops were checked", ops)
	}
}

// notSmooth names ops whose value is no differentiable function of the operands, or whose derivative is by definition another.
var notSmooth = map[string]string{
	"detach":       "cuts the tape",
	"_div_trunc":   "jumps",
	"floor_divide": "jumps",
	"remainder":    "jumps",
	"fmod":         "jumps",
	"embedding":    "the row of padding_idx gets no gradient by definition",
}

// constant names operands that get no gradient by definition.
var constant = map[string]bool{"weight of nll_loss": true, "weight of _nll_loss": true, "weight of cross_entropy": true, "weight of _cross_entropy": true, "running_mean of batch_norm": true, "running_var of batch_norm": true}

// real makes a sample tensor real; floats become float64. vals are the storage's elements.
func (w *w) real(s *op.SampleTensor) (t *Tensor, vals []float64) {
	w.t.Helper()
	vals = s.Values()
	g := s.Geometry
	if g.DType.IsFloat() {
		g.DType = tensor.Float64
	}
	z := g.DType.Size()
	b := make([]byte, z*len(vals))
	le := binary.LittleEndian
	for i, v := range vals {
		switch z {
		case 8:
			if g.DType == tensor.Int64 {
				le.PutUint64(b[8*i:], uint64(int64(v)))
			} else {
				le.PutUint64(b[8*i:], math.Float64bits(v))
			}
		case 4:
			le.PutUint32(b[4*i:], uint32(int32(v)))
		case 2:
			le.PutUint16(b[2*i:], uint16(int16(v)))
		case 1:
			b[i] = byte(int8(v))
			if g.DType == tensor.Uint8 {
				b[i] = uint8(v)
			}
		}
	}
	return New(tensor.NewStorage(tensor.HostBuffer(b)), g), vals
}

func poke(t *Tensor, at int64, v float64) {
	binary.LittleEndian.PutUint64(t.Bytes()[8*at:], math.Float64bits(v))
}

func (w *w) differences(d *op.Def, s op.Sample) (checked bool, msg string) {
	defer func() {
		if e := recover(); e != nil {
			msg = fmt.Sprint(e)
			w.GradMode = true
		}
	}()
	var leaves []*Tensor
	args := append([]op.Arg(nil), s.Args...)
	for i := range args {
		if args[i].Kind == op.ArgDType {
			if args[i].DT.IsFloat() {
				args[i].DT = tensor.Float64
			}
			continue
		}
		lift := func(o op.Tensor) op.Tensor {
			if o == nil {
				return nil
			}
			st := o.(*op.SampleTensor)
			if st.DType.Is16() {
				return nil
			}
			t, _ := w.real(st)
			if t.DType.IsFloat() && !hasZeroStride(t) && !constant[d.Params[i].Name+" of "+d.Name] {
				w.must(t.SetRequiresGrad(true))
				leaves = append(leaves, t)
			}
			return t
		}
		switch args[i].Kind {
		case op.ArgTensor:
			o := lift(args[i].P.(op.Tensor))
			if o == nil {
				return false, ""
			}
			args[i].P = o
		case op.ArgTensors:
			l := args[i].P.([]op.Tensor)
			n := make([]op.Tensor, len(l))
			for j := range l {
				if l[j] != nil {
					if n[j] = lift(l[j]); n[j] == nil {
						return false, ""
					}
				}
			}
			args[i].P = n
		}
	}
	if len(leaves) == 0 {
		return false, ""
	}
	gen := w.Generator(tensor.Device{})
	ManualSeed(gen, 1) // random ops draw the same in each evaluation
	out, err := w.Apply(d, args)
	if err != nil {
		if e, ok := err.(*tensor.Error); ok && e.Kind == tensor.NotImplementedError {
			return false, ""
		}
		return false, err.Error()
	}
	// A fixed weighting makes one number of all differentiable outputs.
	weight := func(k int) float64 { return math.Sin(float64(3*k+1)) + 1.5 }
	var roots, grads []*Tensor
	for i, o := range out {
		t := o.(*Tensor)
		if !t.RequiresGrad() || t.IsLeaf() || i > 0 && d.Name[0] == '_' { // an inner op's further outputs are for its VJP alone
			continue
		}
		if t.DType != tensor.Float64 {
			return false, ""
		}
		b := make([]byte, 8*t.Numel())
		for k := range t.Numel() {
			binary.LittleEndian.PutUint64(b[8*k:], math.Float64bits(weight(int(k))))
		}
		g, err := w.FromBytes(t.DType, t.Size, b)
		w.must(err)
		roots, grads = append(roots, t), append(grads, g)
	}
	if len(roots) == 0 {
		return false, ""
	}
	b, err := w.NewBackward(roots, grads, BackwardOptions{})
	w.must(err)
	if err := b.Run(); err != nil {
		return false, "backward: " + err.Error()
	}
	which := map[int]bool{}
	for i, o := range out {
		if t := o.(*Tensor); t.RequiresGrad() && !t.IsLeaf() && (i == 0 || d.Name[0] != '_') {
			which[i] = true
		}
	}
	value := func() (sum float64) {
		w.GradMode = false
		defer func() { w.GradMode = true }()
		ManualSeed(gen, 1)
		out, err := w.Apply(d, args)
		w.must(err)
		for i, o := range out {
			if !which[i] {
				continue
			}
			k := 0
			w.Values(o.(*Tensor), func(n tensor.Number) { sum += weight(k) * n.F; k++ })
		}
		return sum
	}
	const eps = 1e-6
	for li, l := range leaves {
		var got []float64
		if g := l.Grad(); g != nil {
			if g.DType != l.DType || !slices.Equal(g.Size, l.Size) {
				return false, "gradient of another size or dtype"
			}
			w.Values(g, func(n tensor.Number) { got = append(got, n.F) })
		} else {
			got = make([]float64, l.Numel())
		}
		k, step := 0, max(1, int(l.Numel())/6)
		bad := ""
		walk(&l.Geometry, func(at int64) {
			if k++; (k-1)%step != 0 || bad != "" {
				return
			}
			v := l.element(at).F
			poke(l, at, v+eps)
			hi := value()
			poke(l, at, v-eps)
			lo := value()
			poke(l, at, v)
			want := (hi - lo) / (2 * eps)
			if g := got[k-1]; !(math.Abs(g-want) <= 1e-4*(1+math.Abs(want))) && !(math.IsNaN(want) || math.IsNaN(g) && math.Abs(hi) > 1e300) {
				bad = sizeText(l.Size) + " leaf " + string(rune('0'+li)) + ": " + floatText(g) + ", by differences " + floatText(want)
			}
		})
		if bad != "" {
			return false, bad
		}
	}
	return true, ""
}

func floatText(v float64) string { return tensor.Float(v).String() }

func hasZeroStride(t *Tensor) bool {
	for d, s := range t.Size {
		if s > 1 && t.Stride[d] == 0 {
			return true
		}
	}
	return false
}
