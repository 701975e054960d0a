package eager

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Saved is a tensor kept for the backward pass, with the version it had and its place on the tape then.
type Saved struct {
	ver     *Tensor // the saved window, with its counter; nil: nothing is saved
	orig    *Tensor // what was saved, for its present history's name; nil for an output of the node itself
	version uint32
	edge    Edge
}

// Save keeps a tensor for a custom function's backward pass (save_for_backward).
func Save(t *Tensor) (*Saved, error) {
	if t.Inference {
		return nil, inferenceError()
	}
	e, err := t.edge()
	if err != nil {
		return nil, err
	}
	s := &Saved{}
	s.set(t, e)
	return s, nil
}

// Tensor gives the saved tensor back, or torch's error if it was written to since.
func (s *Saved) Tensor(history bool) (*Tensor, error) { return s.unpack(history) }

func inferenceError() error {
	return raise(tensor.RuntimeError, "Inference tensors cannot be saved for backward. To work around you can make a clone to get a normal tensor and use it in autograd.")
}

func (s *Saved) set(t *Tensor, e Edge) {
	s.ver = &Tensor{Tensor: t.Tensor, ver: t.ver}
	if m := t.meta.Load(); m != nil {
		s.ver.meta.Store(m)
	}
	s.version = t.Version()
	s.edge = e
	s.orig = t
}

// unpack gives the tensor back if nobody wrote to it. With history it is where it was on the tape.
func (s *Saved) unpack(history bool) (*Tensor, error) {
	if v := s.ver.Version(); v != s.version {
		which := ""
		e := s.edge
		if s.orig != nil {
			if now, err := s.orig.edge(); err == nil {
				e = now
			}
		}
		if e.Node != nil && e.Node.leaf == nil {
			which = fmt.Sprintf(", which is output %d of %s,", e.Out, e.Node.FullName())
		}
		return nil, s.versionError(which, v)
	}
	t := &Tensor{Tensor: s.ver.Tensor, ver: s.ver.ver}
	if m := s.ver.meta.Load(); m != nil {
		t.meta.Store(m)
	}
	if history && s.edge.Node != nil {
		t.ag = &autograd{node: s.edge.Node, out: s.edge.Out}
	}
	return t, nil
}

const wasWritten = "one of the variables needed for gradient computation has been modified by an inplace operation: "

// TellsVersions reports the text of an error that names the counts of writes to a tensor's memory.
func TellsVersions(text string) bool { return strings.HasPrefix(text, wasWritten) }

// versionError is torch's error of a saved tensor that was written to. which tells its history, if it has one.
func (s *Saved) versionError(which string, v uint32) error {
	return raise(tensor.RuntimeError, wasWritten+"[torch.%sTensor %s]%s is at version %d; expected version %d instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, "+
		"with torch.autograd.set_detect_anomaly(True).", s.ver.DType.ScalarName(), sizeText(s.ver.Size), which, v, s.version)
}

func sizeText(size []int64) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, s := range size {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.FormatInt(s, 10))
	}
	b.WriteByte(']')
	return b.String()
}

func freedError() error {
	return raise(tensor.RuntimeError, "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). "+
		"Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time "+
		"or if you need to access saved tensors after calling backward.")
}

// readSet is the set of operands and outputs whose values a VJP reads: bits of operands, then of outputs. Calls with more than
// wordBits of them keep everything.
type readSet struct {
	ins, outs uint64
	all       bool
}

const wordBits = 64

func (r readSet) in(k int) bool  { return r.all || r.ins>>k&1 != 0 }
func (r readSet) out(k int) bool { return r.all || r.outs>>k&1 != 0 }

// reads finds what c's VJP reads, by running it on geometry. A view's reads nothing.
func (x *Context) reads(c *op.Call, k *kernel) readSet {
	if c.Def.View != nil || c.Def.VJP == nil {
		return readSet{}
	}
	if len(c.In) > wordBits || len(c.Out) > wordBits {
		return readSet{all: true}
	}
	var need uint64
	for i, n := range c.Need {
		if n {
			need |= 1 << i
		}
	}
	if k != nil {
		k.mu.Lock()
		defer k.mu.Unlock()
		if r, ok := k.reads[need]; ok {
			return r
		}
	}
	r := probeVJP(c)
	if k != nil {
		if k.reads == nil {
			k.reads = map[uint64]readSet{}
		}
		k.reads[need] = r
	}
	return r
}

// probe is a tensor without memory that notes when it is read.
type probe struct {
	m       *tensor.Meta
	ins     uint64 // the bit that it stands for
	outs    uint64
	touched *readSet
}

func (p *probe) Meta() *tensor.Meta { return p.m }

func (p *probe) read() {
	if p != nil && p.touched != nil {
		p.touched.ins |= p.ins
		p.touched.outs |= p.outs
	}
}

// probeGraph applies ops to geometry.
type probeGraph struct{ def tensor.DType }

func (g probeGraph) DefaultDType() tensor.DType { return g.def }

func (g probeGraph) Write(dst, src op.Tensor) error {
	dst.(*probe).read()
	src.(*probe).read()
	return nil
}

func (g probeGraph) Apply(d *op.Def, args []op.Arg) ([]op.Tensor, error) {
	c, err := op.NewCall(d, args, g.def)
	if err != nil {
		return nil, err
	}
	for _, t := range c.T {
		if t != nil {
			t.(*probe).read()
		}
	}
	if d.Decomp != nil {
		return op.RunDecomp(g, c)
	}
	if err := c.Infer(); err != nil {
		return nil, err
	}
	out := make([]op.Tensor, len(c.Out))
	for i := range c.Out {
		out[i] = &probe{m: &c.Out[i]}
	}
	return out, nil
}

func probeVJP(c *op.Call) readSet {
	var r readSet
	in, out, grad := make([]op.Tensor, len(c.In)), make([]op.Tensor, len(c.Out)), make([]op.Tensor, len(c.Out))
	for i, m := range c.In {
		if m != nil {
			in[i] = &probe{m: m, ins: 1 << i, touched: &r}
		}
	}
	for i := range c.Out {
		m := &c.Out[i]
		out[i] = &probe{m: m, outs: 1 << i, touched: &r}
		if m.DType.IsFloat() {
			grad[i] = &probe{m: m}
		}
	}
	res, err := op.RunVJP(probeGraph{c.Default}, c, in, out, grad)
	if err != nil {
		return readSet{all: true}
	}
	for _, t := range res {
		if p, ok := t.(*probe); ok {
			p.read()
		}
	}
	return r
}
