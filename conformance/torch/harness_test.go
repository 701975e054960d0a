package torch

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/device"
	"github.com/larkspur-ml/larkspur/device/cpu"
	"github.com/larkspur-ml/larkspur/device/cuda"
	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/inductor"
	"github.com/larkspur-ml/larkspur/inductor/amd64"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/inductor/ptx"
	"github.com/larkspur-ml/larkspur/inductor/ptx/sim"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// testCase is one Def with one sample, as both sides see it.
type testCase struct {
	ID     string    `json:"id"`
	Op     string    `json:"op"`
	Base   string    `json:"base"`
	Bind   []string  `json:"bind"`
	Args   []caseArg `json:"args"`
	Raises string    `json:"raises,omitempty"`
	// InPlace: the form with "_", on the first operand itself.
	InPlace bool      `json:"inplace,omitempty"`
	Hash    string    `json:"hash"`
	def     *op.Def   // for our side
	sample  op.Sample //
}

// caseArg is one argument: a value, its parameter's name, whether it is keyword
// only, and whether it is the parameter's default.
type caseArg struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	KW      bool   `json:"kw,omitempty"`
	Default bool   `json:"default,omitempty"`
	V       any    `json:"v,omitempty"`
}

// caseTensor is an input tensor: its storage as bytes, and geometry.
type caseTensor struct {
	DType  string  `json:"dtype"`
	Size   []int64 `json:"size"`
	Stride []int64 `json:"stride"`
	Off    int64   `json:"off"`
	Grad   bool    `json:"grad"`
	Data   string  `json:"data"`
}

var bindNames = []struct {
	b op.Bind
	n string
}{{op.Fn, "fn"}, {op.Method, "method"}, {op.InPlace, "inplace"}, {op.NN, "nn"}, {op.Special, "special"}}

// cases lists every Def × sample in table order.
func cases() []*testCase {
	var out []*testCase
	for _, d := range op.All() {
		if d.Samples == nil {
			continue
		}
		for i, s := range d.Samples() {
			c := &testCase{ID: fmt.Sprintf("%s#%d", d.Name, i), Op: d.Name, Base: d.Base, Raises: s.Raises, def: d, sample: s, Bind: []string{}}
			for _, b := range bindNames {
				if d.Bind&b.b != 0 {
					c.Bind = append(c.Bind, b.n)
				}
			}
			for j := range d.Params {
				p := &d.Params[j]
				var a op.Arg
				switch {
				case j < len(s.Args):
					a = s.Args[j]
				case p.Default != nil:
					a = *p.Default
				}
				c.Args = append(c.Args, encodeArg(p, a))
			}
			c.seal()
			out = append(out, c)
			if d.Bind&op.InPlace == 0 || s.Args[0].Kind != op.ArgTensor {
				continue
			}
			in := *c
			in.ID, in.InPlace, in.Args = c.ID+"_", true, slices.Clone(c.Args)
			for k := range in.Args { // a leaf that wants a gradient may not be written
				in.Args[k].V = withoutGrad(in.Args[k].V)
			}
			in.seal()
			out = append(out, &in)
		}
	}
	return out
}

// seal computes the hash by which a stored vector is recognised.
func (c *testCase) seal() {
	raw, err := json.Marshal(c.Args)
	if err != nil {
		panic(err)
	}
	h := fnv.New64a()
	h.Write(raw)
	c.Hash = fmt.Sprintf("%016x", h.Sum64())
}

func withoutGrad(v any) any {
	switch v := v.(type) {
	case caseTensor:
		v.Grad = false
		return v
	case []any:
		o := make([]any, len(v))
		for i, x := range v {
			o[i] = withoutGrad(x)
		}
		return o
	}
	return v
}

func encodeArg(p *op.Param, a op.Arg) caseArg {
	o := caseArg{Name: p.Name, KW: p.KwOnly}
	switch a.Kind {
	case op.ArgNone:
		o.Kind = "none"
	case op.ArgTensor:
		o.Kind, o.V = "tensor", encodeTensor(a.P.(*op.SampleTensor))
	case op.ArgTensors:
		l := []any{}
		for _, t := range a.P.([]op.Tensor) {
			if t == nil {
				l = append(l, nil)
				continue
			}
			l = append(l, encodeTensor(t.(*op.SampleTensor)))
		}
		o.Kind, o.V = "tensors", l
	case op.ArgNumber:
		o.Kind, o.V = "number", numberText(a.N)
	case op.ArgInt:
		o.Kind, o.V = "int", a.I.Must()
	case op.ArgInts:
		l := []int64{}
		for _, v := range a.P.([]op.SymInt) {
			l = append(l, v.Must())
		}
		o.Kind, o.V = "ints", l
	case op.ArgNumbers:
		l := []string{}
		for _, v := range a.P.([]tensor.Number) {
			l = append(l, numberText(v))
		}
		o.Kind, o.V = "numbers", l
	case op.ArgBool:
		o.Kind, o.V = "bool", a.N.I != 0
	case op.ArgStr:
		o.Kind, o.V = "str", a.P.(string)
		if p.Type == op.PMemoryFormat {
			o.Kind = "memory_format"
		}
	case op.ArgDType:
		o.Kind, o.V = "dtype", a.DT.String()
	case op.ArgDevice:
		o.Kind, o.V = "device", a.P.(tensor.Device).String()
	default:
		panic(fmt.Sprintf("BUG: argument kind %d in a sample", a.Kind))
	}
	if p.Default != nil {
		d := *p.Default
		x, _ := json.Marshal(o.V)
		plain := caseArg{}
		if d.Kind == a.Kind {
			q := *p
			q.Default = nil
			plain = encodeArg(&q, d)
			y, _ := json.Marshal(plain.V)
			o.Default = string(x) == string(y)
		}
	}
	return o
}

// numberText is a number as Python reads it.
func numberText(n tensor.Number) string {
	if n.Kind == tensor.NumFloat {
		switch {
		case math.IsInf(n.F, 1):
			return "float('inf')"
		case math.IsInf(n.F, -1):
			return "float('-inf')"
		case math.IsNaN(n.F):
			return "float('nan')"
		}
		return fmt.Sprintf("float('%v')", n.F)
	}
	return n.String()
}

func encodeTensor(s *op.SampleTensor) caseTensor {
	return caseTensor{s.DType.String(), s.Size, s.Stride, s.Off, s.Grad && s.DType.IsFloat(), base64.StdEncoding.EncodeToString(sampleBytes(s))}
}

// sampleBytes is a sample's storage as memory.
func sampleBytes(s *op.SampleTensor) []byte {
	vals := s.Values()
	z := s.DType.Size()
	b := make([]byte, z*len(vals))
	le := binary.LittleEndian
	for i, v := range vals {
		p := b[z*i:]
		switch s.DType {
		case tensor.Float64:
			le.PutUint64(p, math.Float64bits(v))
		case tensor.Float32:
			le.PutUint32(p, math.Float32bits(float32(v)))
		case tensor.Float16:
			le.PutUint16(p, tensor.F32ToF16(float32(v)))
		case tensor.BFloat16:
			le.PutUint16(p, tensor.F32ToBF16(float32(v)))
		case tensor.Int64:
			le.PutUint64(p, uint64(int64(v)))
		case tensor.Int32:
			le.PutUint32(p, uint32(int32(v)))
		case tensor.Int16:
			le.PutUint16(p, uint16(int16(v)))
		default:
			p[0] = byte(int64(v))
		}
	}
	return b
}

// machine is an eager context on the portable target.
type machine struct {
	*eager.Context
	gpu    device.Device // nil: the CPU
	sync   func() error
	onHost map[string]bool // kernels that the GPU's target left to the host
}

// targets are those that this processor can run.
func targets() []string {
	if *onCUDA {
		return []string{"cuda"}
	}
	n := []string{"portable", "ptx"}
	if amd64.HasAVX2() {
		n = append(n, "avx2")
	}
	if amd64.HasAVX512() {
		n = append(n, "avx512")
	}
	return n
}

func loopTarget(t testing.TB, name string) loop.Target {
	if name == "portable" {
		return loop.Portable()
	}
	load := func(code []byte) (amd64.Func, error) { return cpu.LoadCode(code) }
	x, err := amd64.New(amd64.Options{Load: load, Fallback: loop.Portable(), AVX2: name == "avx2"})
	if err != nil {
		t.Skip(err)
	}
	return x
}

func newMachine(t testing.TB, name string) *machine {
	dev := cpu.New(0)
	switch name {
	case "ptx":
		m := sim.New(4)
		return newGPU(dev, sim.Device{Machine: m}, m, m.Sync)
	case "cuda":
		gpu, err := cudaDriver.Open(0)
		if err != nil {
			t.Fatal(err)
		}
		return newGPU(dev, gpu, gpu, gpu.Synchronize)
	}
	k := eager.NewKernels(inductor.New(inductor.Options{Target: loopTarget(t, name), Parallel: dev.Parallel, Alloc: dev}))
	x := eager.NewContext(k, func(tensor.Device) (tensor.Allocator, error) { return dev, nil })
	x.Threads = dev
	return &machine{Context: x}
}

var (
	onCUDA     = flag.Bool("cuda", false, "sweep on the GPU of this machine only")
	cudaDriver = cuda.New(cuda.Options{})
)

// newGPU is an eager context whose tensors are on a GPU, or the interpreter of PTX.
func newGPU(host *cpu.CPU, gpu device.Device, pm ptx.Machine, sync func() error) *machine {
	alloc := func(d tensor.Device) (tensor.Allocator, error) {
		if d.Type == tensor.CUDA {
			return gpu, nil
		}
		return host, nil
	}
	m := &machine{gpu: gpu, sync: sync, onHost: map[string]bool{}}
	target := ptx.New(ptx.Options{Machine: pm, Fallback: loop.Portable(), Listing: func(name, _, why string) {
		if why != "" {
			m.onHost[name+": "+why] = true
		}
	}})
	copies := func(dst, src tensor.Buffer, n int) error { return gpu.Copy(nil, dst, 0, src, 0, n) }
	c := &inductor.Router{CPU: inductor.New(inductor.Options{Target: loop.Portable()}), On: func(tensor.Device) (graph.Compiler, error) {
		return inductor.New(inductor.Options{Target: target, Alloc: gpu, Copy: copies}), nil
	}}
	m.Context = eager.NewContext(eager.NewKernels(c), alloc)
	m.Dev = gpu.Device()
	m.Generators[m.Dev] = eager.NewGenerator(tensor.Device{}, 1) // the CPU's stream, which the vectors were drawn from
	return m
}

// onDevice moves what a case works on to the machine's device.
func (m *machine) onDevice(t *eager.Tensor) *eager.Tensor {
	if m.gpu == nil {
		return t
	}
	raw := t.Bytes()
	b, err := m.gpu.Alloc(len(raw))
	if err == nil {
		err = m.gpu.Copy(nil, b, 0, t.Store.Buf, 0, len(raw))
	}
	if err != nil {
		panic(err)
	}
	return eager.New(tensor.NewStorage(b), t.Geometry)
}

// toHost is a result in memory of the host.
func (m *machine) toHost(r *result) {
	if m.gpu == nil {
		return
	}
	for _, l := range [][]*eager.Tensor{r.out, r.grads} {
		for i, t := range l {
			if t == nil {
				continue
			}
			if t.Device().Type != tensor.CUDA && !r.cpu {
				r.bug = "a result is on " + t.Device().String()
				return
			}
			h, err := m.Host(t)
			if err != nil {
				e, ok := err.(*tensor.Error)
				if r.err = e; !ok {
					r.bug = err.Error()
				}
				return
			}
			l[i] = h
		}
	}
	if err := m.sync(); err != nil && r.bug == "" {
		e, ok := err.(*tensor.Error)
		if r.err = e; !ok {
			r.bug = err.Error()
		}
	}
}

// result is what one case gave.
type result struct {
	err   *tensor.Error
	bug   string
	out   []*eager.Tensor
	cpu   bool            // the sample asks for the CPU
	grads []*eager.Tensor // by tensor operand, nil: none
	types []tensor.DType  // of the operands
}

// weight is the gradient of element i of an output.
func weight(i int) float64 { return float64((7*i+3)%11-5) / 4 }

func (m *machine) weights(t *eager.Tensor) (*eager.Tensor, error) {
	n := int(t.Numel())
	s := &op.SampleTensor{Geometry: tensor.Geometry{DType: t.DType, Size: t.Size}}
	z := t.DType.Size()
	b := make([]byte, z*n)
	le := binary.LittleEndian
	for i := range n {
		v := weight(i)
		switch s.DType {
		case tensor.Float64:
			le.PutUint64(b[z*i:], math.Float64bits(v))
		case tensor.Float32:
			le.PutUint32(b[z*i:], math.Float32bits(float32(v)))
		case tensor.Float16:
			le.PutUint16(b[z*i:], tensor.F32ToF16(float32(v)))
		case tensor.BFloat16:
			le.PutUint16(b[z*i:], tensor.F32ToBF16(float32(v)))
		}
	}
	return m.FromBytes(t.DType, t.Size, b)
}

// run executes a case and its backward pass.
func (m *machine) run(c *testCase) (r result) {
	defer func() {
		if r.bug == "" && r.err == nil {
			m.toHost(&r)
		}
	}()
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *tensor.Error: // of an earlier launch
			r.err = e
		default:
			r.bug = fmt.Sprint(e)
		}
	}()
	var ins []*eager.Tensor
	real := func(t op.Tensor) op.Tensor {
		s := t.(*op.SampleTensor)
		x := eager.New(tensor.NewStorage(tensor.HostBuffer(sampleBytes(s))), s.Geometry)
		x = m.onDevice(x)
		if s.Grad && s.DType.IsFloat() && !c.InPlace {
			if err := x.SetRequiresGrad(true); err != nil {
				panic(err)
			}
		}
		ins = append(ins, x)
		r.types = append(r.types, s.DType)
		return x
	}
	args := append([]op.Arg{}, c.sample.Args...)
	for i := range c.def.Params {
		if c.def.Params[i].Type != op.PDevice || m.gpu == nil {
			continue
		}
		if i < len(args) && args[i].Kind == op.ArgDevice {
			r.cpu = true
			continue
		}
		for len(args) <= i {
			a := op.Arg{}
			if d := c.def.Params[len(args)].Default; d != nil {
				a = *d
			}
			args = append(args, a)
		}
		if strings.HasPrefix(c.Op, "to.") || c.Op == "_to_copy" {
			continue // theirs is the operand's
		}
		args[i] = op.Device(m.Dev)
	}
	for i := range args {
		switch args[i].Kind {
		case op.ArgTensor:
			args[i] = op.T(real(args[i].P.(op.Tensor)))
		case op.ArgTensors:
			var l []op.Tensor
			for _, t := range args[i].P.([]op.Tensor) {
				if t == nil {
					l = append(l, nil)
				} else {
					l = append(l, real(t))
				}
			}
			args[i] = op.TensorList(l)
		}
	}
	eager.ManualSeed(m.Generator(m.Dev), 1234)
	fail := func(err error) result {
		e, ok := err.(*tensor.Error)
		if !ok {
			r.bug = "not a tensor.Error: " + err.Error()
			return r
		}
		r.err = e
		return r
	}
	var out []op.Tensor
	var err error
	if c.InPlace {
		var t *eager.Tensor
		if t, err = m.ApplyInPlace(c.def, args); t != nil {
			out = []op.Tensor{t}
		}
	} else {
		out, err = m.Apply(c.def, args)
	}
	if err != nil {
		return fail(err)
	}
	for _, t := range out {
		r.out = append(r.out, t.(*eager.Tensor))
	}
	var roots, ws []*eager.Tensor
	for _, t := range r.out {
		if t.DType.IsFloat() && t.RequiresGrad() {
			w, err := m.weights(t)
			if err != nil {
				return fail(err)
			}
			w = m.onDevice(w)
			roots, ws = append(roots, t), append(ws, w)
		}
	}
	r.grads = make([]*eager.Tensor, len(ins))
	if len(roots) == 0 {
		return r
	}
	b, err := m.NewBackward(roots, ws, eager.BackwardOptions{})
	if err == nil {
		err = b.Run()
	}
	if err != nil {
		r.bug = "backward: " + err.Error()
		return r
	}
	for i, t := range ins {
		r.grads[i] = t.Grad()
	}
	return r
}
