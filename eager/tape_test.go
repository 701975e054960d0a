package eager

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/tensor"
)

type tapeCase struct {
	Prog   [][]any
	Notes  []any
	Values [][]float64
	Grads  any
}

func (w *w) f64(size []int64, vals []float64) *Tensor {
	b := make([]byte, 8*len(vals))
	for i, v := range vals {
		binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(v))
	}
	t, err := w.FromBytes(tensor.Float64, size, b)
	w.must(err)
	return t
}

func floats(v any) (o []float64) {
	for _, e := range v.([]any) {
		o = append(o, e.(float64))
	}
	return o
}

func ints(v any) (o []int) {
	for _, e := range v.([]any) {
		o = append(o, int(e.(float64)))
	}
	return o
}

// step runs one instruction; t is nil with err nil where an operand is missing.
func (w *w) step(regs []*Tensor, ins []any) (t *Tensor, err error) {
	kind := ins[0].(string)
	if kind == "leaf" || kind == "const" {
		var size []int64
		for _, s := range ints(ins[2]) {
			size = append(size, int64(s))
		}
		t = w.f64(size, floats(ins[1]))
		return t, t.SetRequiresGrad(kind == "leaf")
	}
	num := func(i int) int { return int(ins[i].(float64)) }
	a := regs[num(1)]
	if a == nil {
		return nil, nil
	}
	var b *Tensor
	switch kind {
	case "mul", "add", "mul_", "add_", "copy_":
		if b = regs[num(2)]; b == nil {
			return nil, nil
		}
	}
	w.GradMode = !ins[len(ins)-1].(bool)
	defer func() { w.GradMode = true }()
	switch kind {
	case "mul", "add":
		return w.Op(kind, a, b)
	case "exp", "clone", "detach", "t":
		return w.Op(kind, a)
	case "slice":
		return w.Op("slice.Tensor", a, num(2), num(3), num(4))
	case "select":
		return w.Op("select.int", a, num(2), num(3))
	case "unsqueeze":
		return w.Op("unsqueeze", a, num(2))
	case "expand":
		return w.Op("expand", a, ints(ins[2]))
	case "mul_", "add_":
		return a, w.tryInPlace(kind[:3], a, b)
	case "exp_", "zero_":
		return a, w.tryInPlace(kind[:len(kind)-1], a)
	case "copy_":
		return a, w.Write(a, b)
	case "mulc_":
		return a, w.tryInPlace("mul", a, 2.0)
	case "data_mul_":
		return a, w.tryInPlace("mul", w.Data(a), 2.0)
	}
	panic("BUG: instruction " + kind)
}

func firstLine(err error) string { s, _, _ := strings.Cut(err.Error(), "\n"); return "error: " + s }

func near(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-6*(1+math.Abs(b[i])) {
			return false
		}
	}
	return true
}

// TestAgainstTorch replays random programs and compares every note, value and gradient with torch's.
func TestAgainstTorch(t *testing.T) {
	data, err := os.ReadFile("testdata/tape.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []tapeCase
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	w := newW(t)
	bad := 0
	for i := range cases {
		if msg := w.replay(&cases[i]); msg != "" {
			bad++
			if bad <= 8 {
				p, _ := json.Marshal(cases[i].Prog)
				t.Errorf("program %d: %s\n%s", i, msg, p)
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d of %d programs differ", bad, len(cases))
	}
}

func (w *w) replay(c *tapeCase) string {
	var regs []*Tensor
	var leaf []bool
	for i, ins := range c.Prog {
		r, err := w.step(regs, ins)
		var note any
		switch {
		case err != nil:
			note, r = firstLine(err), nil
		case r == nil:
			note = "skipped"
		default:
			var name any
			n, _, err := r.GradFn()
			if err != nil {
				note, r = firstLine(err), nil
				break
			}
			if n != nil {
				name = n.Name
			}
			note = []any{r.RequiresGrad(), r.IsLeaf(), name, float64(r.Version())}
		}
		if !reflect.DeepEqual(note, c.Notes[i]) {
			return fmt.Sprintf("instruction %d: %v, want %v", i, note, c.Notes[i])
		}
		if !strings.HasSuffix(ins[0].(string), "_") {
			regs = append(regs, r)
			leaf = append(leaf, ins[0] == "leaf")
		}
	}
	list := func(t *Tensor) (v []float64) {
		if t != nil {
			w.Values(t, func(n tensor.Number) { v = append(v, n.F) })
		}
		return v
	}
	for i, r := range regs {
		if !near(list(r), c.Values[i]) {
			return fmt.Sprintf("register %d is %v, want %v", i, list(r), c.Values[i])
		}
	}
	root, err := w.weighted(regs)
	if root == nil && err == nil {
		return ""
	}
	if err == nil {
		err = w.backward(root, BackwardOptions{})
	}
	if err != nil {
		if c.Grads != firstLine(err) {
			return fmt.Sprintf("backward: %v, want %v", err, c.Grads)
		}
		return ""
	}
	want, ok := c.Grads.([]any)
	if !ok {
		return fmt.Sprintf("backward succeeded, want %v", c.Grads)
	}
	for i, r := range regs {
		if !leaf[i] {
			continue
		}
		var g []float64
		if want[i] != nil {
			g = floats(want[i])
		}
		if !near(list(r.Grad()), g) {
			return fmt.Sprintf("gradient of register %d is %v, want %v", i, list(r.Grad()), g)
		}
	}
	return ""
}

// weighted is the sum of the elements of all tensors on the tape, each times its register's number.
func (w *w) weighted(regs []*Tensor) (root *Tensor, err error) {
	for i, r := range regs {
		if r == nil || !r.RequiresGrad() {
			continue
		}
		s, err := w.Op("mul", r, float64(i+1))
		if err != nil {
			return nil, err
		}
		if s = w.op("sum", s); root == nil {
			root = s
		} else {
			root = w.op("add", root, s)
		}
	}
	return root, nil
}
