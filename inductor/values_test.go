package inductor_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/inductor"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/inductor/random"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// A minimal eager machine over the compiler: enough to run every Def on its
// samples and its VJP against finite differences. It keeps a tape of what it ran.

type val struct {
	m    *tensor.Meta
	st   *store
	base *val // a view's operand
	grad bool
}

type store struct{ b []byte }

func (v *val) Meta() *tensor.Meta { return v.m }

type taped struct {
	c       *op.Call
	in, out []op.Tensor
}

type machine struct {
	t     testing.TB
	comp  *inductor.Compiler
	cache map[graph.Key]graph.Executable
	tape  []taped
	off   int // > 0: do not record
	gen   []byte
}

func newMachine(t testing.TB) *machine {
	return &machine{t: t, comp: inductor.New(inductor.Options{Target: loop.Portable()}), cache: map[graph.Key]graph.Executable{}, gen: random.New(1).Bytes()}
}

func (m *machine) DefaultDType() tensor.DType { return tensor.Float32 }

func needsGrad(ts []op.Tensor) bool {
	for _, t := range ts {
		if t != nil && t.(*val).grad {
			return true
		}
	}
	return false
}

func (m *machine) Apply(d *op.Def, args []op.Arg) ([]op.Tensor, error) {
	c, err := op.NewCall(d, args, tensor.Float32)
	if err != nil {
		return nil, err
	}
	for i, t := range c.T {
		if s, ok := t.(*op.SampleTensor); ok {
			c.T[i] = m.input(s)
			c.In[i] = c.T[i].Meta()
		}
	}
	return m.call(c)
}

func (m *machine) call(c *op.Call) ([]op.Tensor, error) {
	d := c.Def
	record := m.off == 0 && needsGrad(c.T)
	if d.Decomp != nil {
		whole := d.VJP != nil || d.NoGrad != ""
		if whole {
			m.off++
		}
		out, err := op.RunDecomp(m, c)
		if whole {
			m.off--
		}
		if err == nil && record && whole {
			m.record(c, out)
		}
		return out, err
	}
	if err := c.Infer(); err != nil {
		return nil, err
	}
	if d.View != nil {
		o := c.Out[0]
		v := &val{m: &o, st: c.T[0].(*val).st, base: c.T[0].(*val)}
		if m.bytes(&o) > int64(len(v.st.b)) {
			return nil, tensor.Errorf(tensor.RuntimeError, "setStorage: out of bounds for storage of size %d", len(v.st.b))
		}
		out := []op.Tensor{v}
		if record {
			m.record(c, out)
		}
		return out, nil
	}
	var out []op.Tensor
	for i := range c.Out {
		o := c.Out[i]
		out = append(out, &val{m: &o, st: &store{make([]byte, m.bytes(&o))}})
	}
	if err := m.run(c, out); err != nil {
		return nil, err
	}
	if record {
		m.record(c, out)
	}
	return out, nil
}

// bytes is the storage that geometry needs.
func (m *machine) bytes(o *tensor.Meta) int64 {
	n := int64(1)
	for d, s := range o.Size {
		if s.Is(0) {
			return 0
		}
		n += (s.Must() - 1) * o.Stride[d].Must()
	}
	return (n + o.Off.Must()) * int64(o.DType.Size())
}

func (m *machine) record(c *op.Call, out []op.Tensor) {
	for _, o := range out {
		if o.Meta().DType.IsFloat() {
			v := o.(*val)
			if c.Def.Decomp != nil && !v.grad {
				v.grad = true
			}
			v.grad = true
		}
	}
	m.tape = append(m.tape, taped{c, c.T, out})
}

func (m *machine) run(c *op.Call, out []op.Tensor) error {
	s := graph.NewSpec(c)
	exe := m.cache[s.Key]
	if exe == nil {
		var err error
		if exe, err = m.comp.Compile(context.Background(), s.Graph()); err != nil {
			return err
		}
		m.cache[s.Key] = exe
	}
	a := &graph.RunArgs{Bind: s.Bind, Nums: s.Nums}
	for i, t := range c.T {
		if t != nil && !c.IsNum(i) {
			a.In = append(a.In, tensor.HostBuffer(t.(*val).st.b))
		}
	}
	for _, o := range out {
		a.Out = append(a.Out, tensor.HostBuffer(o.(*val).st.b))
	}
	if c.Def.State {
		a.State = []tensor.Buffer{tensor.HostBuffer(m.gen)}
	}
	return exe.Run(context.Background(), a)
}

func (m *machine) Write(dst, src op.Tensor) error {
	c, err := op.NewCall(op.Lookup("clone"), []op.Arg{op.T(src)}, tensor.Float32)
	if err != nil {
		return err
	}
	if err := c.Infer(); err != nil {
		return err
	}
	c.Out[0] = *dst.Meta()
	return m.run(c, []op.Tensor{dst})
}

// input makes a tensor of a sample.
func (m *machine) input(s *op.SampleTensor) *val {
	v := &val{m: s.Meta(), st: &store{make([]byte, s.Len*int64(s.DType.Size()))}}
	for i, x := range s.Values() {
		set(v.st.b, s.DType, int64(i), x)
	}
	v.grad = s.Grad && s.DType.IsFloat()
	return v
}

func set(b []byte, d tensor.DType, i int64, x float64) {
	p := unsafe.Pointer(&b[i*int64(d.Size())])
	switch d {
	case tensor.Bool:
		*(*byte)(p) = 0
		if x != 0 {
			*(*byte)(p) = 1
		}
	case tensor.Uint8:
		*(*uint8)(p) = uint8(int64(x))
	case tensor.Int8:
		*(*int8)(p) = int8(int64(x))
	case tensor.Int16:
		*(*int16)(p) = int16(int64(x))
	case tensor.Int32:
		*(*int32)(p) = int32(x)
	case tensor.Int64:
		*(*int64)(p) = int64(x)
	case tensor.Float16:
		*(*uint16)(p) = tensor.F32ToF16(float32(x))
	case tensor.BFloat16:
		*(*uint16)(p) = tensor.F32ToBF16(float32(x))
	case tensor.Float32:
		*(*float32)(p) = float32(x)
	default:
		*(*float64)(p) = x
	}
}

func get(b []byte, d tensor.DType, i int64) float64 {
	p := unsafe.Pointer(&b[i*int64(d.Size())])
	switch d {
	case tensor.Bool, tensor.Uint8:
		return float64(*(*uint8)(p))
	case tensor.Int8:
		return float64(*(*int8)(p))
	case tensor.Int16:
		return float64(*(*int16)(p))
	case tensor.Int32:
		return float64(*(*int32)(p))
	case tensor.Int64:
		return float64(*(*int64)(p))
	case tensor.Float16:
		return float64(tensor.F16ToF32(*(*uint16)(p)))
	case tensor.BFloat16:
		return float64(tensor.BF16ToF32(*(*uint16)(p)))
	case tensor.Float32:
		return float64(*(*float32)(p))
	}
	return *(*float64)(p)
}

// addrs lists the element addresses in logical order.
func addrs(m *tensor.Meta) (out []int64) {
	var walk func(d int, at int64)
	walk = func(d int, at int64) {
		if d == len(m.Size) {
			out = append(out, at)
			return
		}
		for i := range m.Size[d].Must() {
			walk(d+1, at+i*m.Stride[d].Must())
		}
	}
	walk(0, m.Off.Must())
	return
}

func (v *val) list() []float64 {
	var o []float64
	for _, a := range addrs(v.m) {
		o = append(o, get(v.st.b, v.m.DType, a))
	}
	return o
}

// backward runs the tape from seeds and returns the gradients of wrt.
func (m *machine) backward(outs, seeds []op.Tensor, wrt []*val) ([]op.Tensor, error) {
	m.off++
	defer func() { m.off-- }()
	grad := map[op.Tensor]op.Tensor{}
	g := &op.G{Graph: m}
	acc := func(t, x op.Tensor) {
		if o := grad[t]; o != nil {
			x = g.Add(o, x)
		}
		grad[t] = x
	}
	for i, o := range outs {
		acc(o, seeds[i])
	}
	for i := len(m.tape) - 1; i >= 0; i-- {
		e := m.tape[i]
		gr := make([]op.Tensor, len(e.out))
		any := false
		for j, o := range e.out {
			gr[j] = grad[o]
			any = any || gr[j] != nil
		}
		if !any {
			continue
		}
		if e.c.Def.VJP == nil {
			return nil, fmt.Errorf("no VJP: %s", e.c.Def.Name)
		}
		r, err := op.RunVJP(m, e.c, e.in, e.out, gr)
		if err != nil {
			return nil, fmt.Errorf("vjp of %s: %w", e.c.Def.Name, err)
		}
		for k, x := range r {
			if x != nil && e.in[k] != nil {
				acc(e.in[k], x)
			}
		}
	}
	var out []op.Tensor
	for _, w := range wrt {
		out = append(out, grad[w])
	}
	return out, nil
}

// each calls f for every Def and sample.
func each(t *testing.T, f func(t *testing.T, d *op.Def, i int, s op.Sample)) {
	for _, d := range op.All() {
		if d.Samples == nil {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			for i, s := range d.Samples() {
				func() {
					defer func() {
						if e := recover(); e != nil {
							t.Errorf("sample %d: panic: %v", i, e)
						}
					}()
					f(t, d, i, s)
				}()
			}
		})
	}
}

// arguments makes fresh inputs of a sample.
func (m *machine) arguments(d *op.Def, s op.Sample) (args []op.Arg, in []*val) {
	args = append([]op.Arg(nil), s.Args...)
	conv := func(t op.Tensor) op.Tensor {
		if st, ok := t.(*op.SampleTensor); ok {
			v := m.input(st)
			in = append(in, v)
			return v
		}
		return t
	}
	for i := range args {
		switch p := args[i].P.(type) {
		case op.Tensor:
			args[i].P = conv(p)
		case []op.Tensor:
			l := make([]op.Tensor, len(p))
			for j, t := range p {
				l[j] = conv(t)
			}
			args[i].P = l
		}
	}
	return
}

// TestSamples runs every sample of every op that needs no template.
func TestSamples(t *testing.T) {
	each(t, func(t *testing.T, d *op.Def, i int, s op.Sample) {
		m := newMachine(t)
		args, _ := m.arguments(d, s)
		_, err := m.Apply(d, args)
		if s.Raises != "" {
			if err == nil {
				t.Errorf("sample %d: no error, want %s", i, s.Raises)
			}
			return
		}
		if err != nil && !needsData(err) {
			t.Errorf("sample %d: %v", i, err)
		}
	})
}

// needsData: the size of the result depends on data, which this machine does not read.
func needsData(err error) bool { return strings.Contains(err.Error(), "depends on data") }

// TestGradients holds VJPs against central differences on float64 samples.
func TestGradients(t *testing.T) {
	each(t, func(t *testing.T, d *op.Def, i int, s op.Sample) {
		if d.VJP == nil && d.Decomp == nil || s.Raises != "" || d.State {
			return
		}
		m := newMachine(t)
		args, in := m.arguments(d, s)
		for _, v := range in {
			if v.m.DType.IsFloat() && v.m.DType != tensor.Float64 {
				return
			}
		}
		out, err := m.Apply(d, args)
		if err != nil {
			if needsData(err) {
				return
			}
			t.Errorf("sample %d: %v", i, err)
			return
		}
		var outs, seeds []op.Tensor
		for _, o := range out {
			if o.(*val).grad {
				outs = append(outs, o)
				sd := op.NewSample(o.Meta().DType, op.LayContig, uint64(len(outs)), op.Fill{Kind: op.FillUniform, Lo: 0.5, Hi: 1.5}, sizes(o.Meta())...)
				seeds = append(seeds, m.input(sd))
				break // side outputs (statistics, totals) are not differentiated
			}
		}
		if len(outs) == 0 || outs[0].Meta().DType != tensor.Float64 {
			return
		}
		var wrt []*val
		for _, v := range in {
			if v.grad && v.m.DType == tensor.Float64 {
				wrt = append(wrt, v)
			}
		}
		gr, err := m.backward(outs, seeds, wrt)
		if err != nil {
			if d.Decomp != nil {
				t.Logf("sample %d: %v", i, err)
				return
			}
			t.Errorf("sample %d: %v", i, err)
			return
		}
		loss := func() float64 {
			m.off++
			defer func() { m.off-- }()
			copy(m.gen, random.New(1).Bytes())
			o, err := m.Apply(d, args)
			if err != nil {
				t.Fatal(err)
			}
			for k := range out {
				if out[k] == outs[0] {
					x, w, sum := o[k].(*val).list(), seeds[0].(*val).list(), 0.0
					for j := range x {
						sum += x[j] * w[j]
					}
					return sum
				}
			}
			return 0
		}
		for k, v := range wrt {
			seen := map[int64]float64{} // a stride-0 input: sum the gradients of one address
			var got []float64
			if gr[k] == nil {
				got = make([]float64, len(addrs(v.m)))
			} else {
				got = gr[k].(*val).list()
			}
			for j, a := range addrs(v.m) {
				seen[a] += got[j]
			}
			for a, g := range seen {
				x := get(v.st.b, tensor.Float64, a)
				const h = 1e-6
				set(v.st.b, tensor.Float64, a, x+h)
				p := loss()
				set(v.st.b, tensor.Float64, a, x-h)
				q := loss()
				set(v.st.b, tensor.Float64, a, x)
				want := (p - q) / (2 * h)
				if math.Abs(want-g) > 1e-4*(1+math.Abs(want)) {
					t.Errorf("sample %d input %d address %d: gradient %g, differences say %g", i, k, a, g, want)
					break
				}
			}
		}
	})
}

func sizes(m *tensor.Meta) (o []int64) {
	for _, s := range m.Size {
		o = append(o, s.Must())
	}
	return
}
