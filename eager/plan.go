package eager

import (
	"math"
	"runtime"
	"slices"

	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// plan is what applying an op comes to for operands of some geometry: promotion,
// shape rule, layout and kernel, worked out once. Programs apply few ops to few
// shapes, over and over, and for small tensors all of that costs more than the
// kernel.
//
// Offsets are no part of what it is found by: views of one shape share a plan.
type plan struct {
	def     *op.Def
	inPlace bool
	dflt    tensor.DType
	given   int      // how many arguments were given, the rest are defaults
	args    []op.Arg // operands left out
	in      []planOperand
	call    op.Call // inferred; without tensors

	out   []planOutput
	bind  []int64
	offs  []int32
	empty bool
	k     *kernel      // nil for views
	name  string       // of nodes, once there was one
	calls []planCall   // of nodes
	parts *composition // of a decomposition, which has nothing of the above
}

// planCall is the call that nodes share whose operands begin where the plan's do
// and whose numbers are the plan's, by the operands whose gradients are wanted.
type planCall struct {
	need  uint64
	call  *op.Call
	reads readSet
}

type planOperand struct {
	kind op.ArgKind // Tensor, Number or None
	dev  tensor.Device
	g    tensor.Geometry
}

type planOutput struct {
	meta  *tensor.Meta
	g     tensor.Geometry
	bytes int64
}

// plans is a cache of a Context, which one goroutine owns.
type plans struct {
	table [planSets][2]slot
	free  *launch
}

type slot struct {
	hash uint64
	p    *plan
}

// planKey is where a plan belongs that is not there yet; hash 0: nowhere.
type planKey struct {
	hash  uint64
	given int
}

const planSets = 512

// planned reports an op that may have plans.
func planned(d *op.Def) bool {
	return !d.State && !d.Sized && len(d.Operands) > 0 && d.Base != "as_strided"
}

// bodyOnly: the numbers among the arguments decide no shape.
func bodyOnly(d *op.Def) bool { return d.Body != nil && d.Shape == nil }

func mix(h, v uint64) uint64 {
	h ^= v
	h *= 0x9e3779b97f4a7c15
	return h ^ h>>29
}

func mixGeometry(h uint64, t *Tensor) uint64 {
	h = mix(h, uint64(t.DType)<<8|uint64(len(t.Size)))
	for d, n := range t.Size {
		h = mix(h, uint64(n)<<20^uint64(t.Stride[d]))
	}
	return h
}

// hashCall is ok for arguments that all can be compared.
func hashCall(d *op.Def, args []op.Arg, dflt tensor.DType, inPlace bool) (h uint64, ok bool) {
	h = uint64(d.ID())<<16 | uint64(dflt)<<8 | uint64(len(args))<<1
	if inPlace {
		h |= 1
	}
	free := bodyOnly(d)
	for i := range args {
		a := &args[i]
		h = mix(h, uint64(a.Kind))
		switch a.Kind {
		case op.ArgNone:
		case op.ArgTensor:
			t, ok := a.P.(*Tensor)
			if !ok {
				return 0, false
			}
			h = mixGeometry(h, t)
		case op.ArgTensors:
			l, _ := a.P.([]op.Tensor)
			h = mix(h, uint64(len(l)))
			for _, o := range l {
				if o == nil {
					h = mix(h, 1)
					continue
				}
				t, ok := o.(*Tensor)
				if !ok {
					return 0, false
				}
				h = mixGeometry(h, t)
			}
		case op.ArgNumber:
			h = mix(h, uint64(a.N.Kind))
			if !free {
				h = mix(h, uint64(a.N.I)^math.Float64bits(a.N.F))
			}
		case op.ArgInt:
			h = mix(h, uint64(a.I.Must()))
		case op.ArgInts:
			for _, v := range a.P.([]sym.Int) {
				h = mix(h, uint64(v.Must()))
			}
		case op.ArgBool:
			h = mix(h, uint64(a.N.I))
		case op.ArgStr:
			for _, c := range []byte(a.P.(string)) {
				h = mix(h, uint64(c))
			}
		case op.ArgDType:
			h = mix(h, uint64(a.DT))
		case op.ArgDevice, op.ArgNumbers:
		default:
			return 0, false
		}
	}
	return h, true
}

func sameNumber(a, b tensor.Number) bool {
	return a.Kind == b.Kind && a.I == b.I && math.Float64bits(a.F) == math.Float64bits(b.F)
}

func (o *planOperand) is(t *Tensor) bool {
	return o.kind == op.ArgTensor && o.g.DType == t.DType && slices.Equal(o.g.Size, t.Size) && slices.Equal(o.g.Stride, t.Stride) && o.dev == t.Device()
}

// is reports that the plan is for these arguments.
func (p *plan) is(d *op.Def, args []op.Arg, dflt tensor.DType, inPlace bool) bool {
	if p.def != d || p.inPlace != inPlace || p.dflt != dflt || len(args) != p.given {
		return false
	}
	k := 0
	for i := range args {
		a, b := &args[i], &p.args[i]
		if a.Kind != b.Kind {
			return false
		}
		switch a.Kind {
		case op.ArgNone:
			if d.Params[i].IsOperand() {
				k++
			}
		case op.ArgTensor:
			if !p.in[k].is(a.P.(*Tensor)) {
				return false
			}
			k++
		case op.ArgTensors:
			l := a.P.([]op.Tensor)
			if len(l) != int(b.N.I) {
				return false
			}
			for _, o := range l {
				if o == nil {
					if p.in[k].kind != op.ArgNone {
						return false
					}
				} else if !p.in[k].is(o.(*Tensor)) {
					return false
				}
				k++
			}
		case op.ArgNumber:
			if a.N.Kind != b.N.Kind || !bodyOnly(d) && !sameNumber(a.N, b.N) {
				return false
			}
			if d.Params[i].IsOperand() {
				k++
			}
		case op.ArgNumbers:
			if !slices.EqualFunc(a.P.([]tensor.Number), b.P.([]tensor.Number), sameNumber) {
				return false
			}
		case op.ArgInt:
			if a.I != b.I {
				return false
			}
		case op.ArgInts:
			if !slices.Equal(a.P.([]sym.Int), b.P.([]sym.Int)) {
				return false
			}
		case op.ArgBool:
			if a.N.I != b.N.I {
				return false
			}
		case op.ArgStr:
			if a.P.(string) != b.P.(string) {
				return false
			}
		case op.ArgDType:
			if a.DT != b.DT {
				return false
			}
		case op.ArgDevice:
			if a.P.(tensor.Device) != b.P.(tensor.Device) {
				return false
			}
		}
	}
	return p.parts.fits(d, args)
}

// plan finds the plan of a call; the key is what learn needs if there is none yet.
func (x *Context) plan(d *op.Def, args []op.Arg, inPlace bool) (*plan, planKey) {
	if x.Observer != nil || x.Dry || x.Autocast != tensor.Invalid || !planned(d) {
		return nil, planKey{}
	}
	if inPlace && d.Decomp != nil {
		return nil, planKey{}
	}
	h, ok := hashCall(d, args, x.Default, inPlace)
	if !ok {
		return nil, planKey{}
	}
	h |= 1
	if x.plans == nil {
		x.plans = new(plans)
		x.plans.free = new(launch)
		return nil, planKey{h, len(args)}
	}
	set := &x.plans.table[h>>32%planSets]
	for i := range set {
		if s := &set[i]; s.hash == h && s.p.is(d, args, x.Default, inPlace) {
			return s.p, planKey{}
		}
	}
	return nil, planKey{h, len(args)}
}

// learn keeps what a Call has come to: an inferred one's kernel, nil for a view, or the parts of a decomposition.
func (x *Context) learn(key planKey, c *op.Call, k *kernel, parts *composition) {
	if parts == nil {
		for _, o := range c.T {
			if t, _ := o.(*Tensor); t != nil && t.Device() != c.Dev {
				return // it is brought to the kernel's device for each run
			}
		}
	}
	p := &plan{def: c.Def, given: key.given, inPlace: c.InPlace, dflt: c.Default, call: *c, k: k, parts: parts}
	p.call.T = nil
	p.call.In = make([]*tensor.Meta, len(c.In))
	p.args = slices.Clone(c.Args)
	for i := range p.args {
		switch a := &p.args[i]; a.Kind {
		case op.ArgTensor:
			a.P = nil
		case op.ArgTensors:
			a.N.I, a.P = int64(len(a.P.([]op.Tensor))), nil
		case op.ArgInts:
			a.P = slices.Clone(a.P.([]sym.Int))
		case op.ArgNumbers:
			a.P = slices.Clone(a.P.([]tensor.Number))
		}
	}
	p.call.Args = nil
	for i, m := range c.In {
		if m != nil {
			own := *m
			p.call.In[i] = &own
		}
		switch t, _ := c.T[i].(*Tensor); {
		case t != nil:
			g := t.Geometry
			g.Size, g.Stride = slices.Clone(g.Size), slices.Clone(g.Stride)
			p.in = append(p.in, planOperand{kind: op.ArgTensor, dev: t.Device(), g: g})
		case c.IsNum(i):
			p.in = append(p.in, planOperand{kind: op.ArgNumber})
		default:
			p.in = append(p.in, planOperand{})
		}
	}
	for i := range c.Out {
		g := c.Out[i].Concrete()
		n, err := bytesFor(&g)
		if err != nil {
			return
		}
		p.out = append(p.out, planOutput{meta: &c.Out[i], g: g, bytes: n})
	}
	if k != nil {
		l := x.plans.free
		if l == nil {
			l = new(launch)
		}
		l.spec.Reset(c)
		p.bind, p.offs = slices.Clone(l.spec.Bind), slices.Clone(l.spec.Offs)
		l.spec.Release()
		p.empty = true
		for i := range p.out {
			if p.out[i].g.Numel() != 0 {
				p.empty = false
			}
		}
	}
	set := &x.plans.table[key.hash>>32%planSets]
	set[1] = set[0]
	set[0] = slot{key.hash, p}
}

// operands appends the tensors among the arguments; numbers and absent ones are nil.
func operands(dst []*Tensor, d *op.Def, args []op.Arg) []*Tensor {
	for _, i := range d.Operands {
		if i >= len(args) { // optional
			dst = append(dst, nil)
			continue
		}
		switch a := &args[i]; a.Kind {
		case op.ArgTensor:
			dst = append(dst, a.P.(*Tensor))
		case op.ArgTensors:
			for _, o := range a.P.([]op.Tensor) {
				t, _ := o.(*Tensor)
				dst = append(dst, t)
			}
		default:
			dst = append(dst, nil)
		}
	}
	return dst
}

// callOf makes the Call of a plan's op for these arguments, as NewCall and Infer would.
func (p *plan) callOf(args []op.Arg, ts []*Tensor) *op.Call {
	c := new(op.Call)
	*c = p.call
	full := make([]op.Arg, max(len(p.def.Params), len(args)))
	copy(full, args)
	for i := len(args); i < len(full); i++ {
		if v := p.def.Params[i].Default; v != nil {
			full[i] = *v
		}
	}
	c.Args = full
	c.T = make([]op.Tensor, len(ts))
	c.In = slices.Clone(p.call.In)
	for i, t := range ts {
		if t != nil {
			c.T[i] = t
			c.In[i] = t.Meta()
		}
	}
	if len(p.call.Nums) > 0 { // numbers' values are not the plan's
		c.Nums = slices.Clone(p.call.Nums)
		k := 0
		for _, i := range p.def.Operands {
			if a := &full[i]; a.Kind == op.ArgTensors {
				k += len(a.P.([]op.Tensor))
				continue
			} else if a.Kind == op.ArgNumber {
				c.Nums[k].N = a.N
			}
			k++
		}
	}
	return c
}

// follow applies the plan's op, which is not in place.
func (x *Context) follow(p *plan, args []op.Arg) (out [2]*Tensor, more []*Tensor, err error) {
	var buf [6]*Tensor
	ts := operands(buf[:0], p.def, args)
	need := x.needsOf(p.def, ts)
	if p.k == nil {
		t := x.viewOf(ts[0], p.outMeta(0, ts[0].Off-p.in[0].g.Off), p.def.Base)
		if err := inStorage(t); err != nil {
			return out, nil, err
		}
		if p.def.VJP == nil {
			t.view = nil
		}
		out[0] = t
	} else {
		if len(p.out) > len(out) {
			more = make([]*Tensor, len(p.out))
		}
		for i := range p.out {
			o := &p.out[i]
			b, err := x.buffer(o.meta.Dev, o.bytes)
			if err != nil {
				return out, nil, err
			}
			t := New(tensor.NewStorage(b), o.g)
			t.meta.Store(o.meta)
			t.Inference = x.Inference
			if more != nil {
				more[i] = t
			} else {
				out[i] = t
			}
		}
		res := more
		if res == nil {
			res = out[:len(p.out)]
		}
		if err := x.runPlan(p, args, ts, res); err != nil {
			return out, nil, err
		}
	}
	if need != nil {
		res := more
		if res == nil {
			res = slices.Clone(out[:len(p.out)])
		}
		n, err := x.nodeByPlan(p, args, ts, need, res)
		if err != nil {
			return out, nil, err
		}
		n.attach(res)
	}
	return out, more, nil
}

// outMeta is the geometry of output i, moved by delta elements.
func (p *plan) outMeta(i int, delta int64) *tensor.Meta {
	m := p.out[i].meta
	if delta == 0 {
		return m
	}
	moved := *m
	moved.Off = sym.C(m.Off.Must() + delta)
	return &moved
}

// runPlan runs the kernel on operands and outputs.
func (x *Context) runPlan(p *plan, args []op.Arg, ts, out []*Tensor) error {
	if p.empty || p.def.Unset {
		return nil
	}
	x.Kernels.hits.Add(1)
	l := x.plans.free
	if l == nil {
		l = new(launch)
	}
	x.plans.free = nil
	a := &l.args
	a.In, a.Out, a.Bind = l.in[:0], l.out[:0], append(l.bind[:0], p.bind...)
	for i, t := range ts {
		if t == nil {
			continue
		}
		a.In = append(a.In, t.Store.Buf)
		if o := p.offs[i]; o >= 0 {
			a.Bind[o] += t.Off - p.in[i].g.Off
		}
	}
	for i, t := range out {
		a.Out = append(a.Out, t.Store.Buf)
		if o := p.offs[len(ts)+i]; o >= 0 {
			a.Bind[o] += t.Off - p.out[i].g.Off
		}
	}
	if len(args) == len(p.def.Params) {
		a.Nums = p.def.Numbers(args, l.nums[:0])
	} else {
		a.Nums = p.callOf(args, ts).Numbers(l.nums[:0])
	}
	err := p.k.exe.Run(x.ctx(), a)
	// Buffers return to their pool when unreachable; kernels work on their bytes.
	for _, t := range ts {
		runtime.KeepAlive(t)
	}
	for _, t := range out {
		runtime.KeepAlive(t)
	}
	clear(a.In)
	clear(a.Out)
	l.args.State = nil
	x.plans.free = l
	return err
}

// needsOf is needs for tensors.
func (x *Context) needsOf(d *op.Def, ts []*Tensor) []bool {
	if !x.GradMode {
		return nil
	}
	var need []bool
	for k, t := range ts {
		if t == nil || !t.DType.IsFloat() || !t.RequiresGrad() {
			continue
		}
		if d.VJP == nil && d.Decomp == nil && !d.Unwritten {
			return nil // not differentiable
		}
		if need == nil {
			need = make([]bool, len(ts))
		}
		need[k] = true
	}
	return need
}
