package tracer

import (
	"fmt"
	"weak"

	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/guards"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

func isGenerator(v value.Value) bool { return v.Is(vm.ItabGenerator) }

// modes is what ops look at besides their operands.
type modes struct {
	grad, inference bool
	autocast        tensor.DType
	def             tensor.DType
	dev             tensor.Device
}

func modesOf(x *eager.Context) modes {
	return modes{x.GradMode, x.Inference, x.Autocast, x.Default, x.Dev}
}

// String is the modes as programs name them: "grad, default float32 on cpu".
func (m modes) String() string {
	s := "no_grad"
	switch {
	case m.inference:
		s = "inference_mode"
	case m.grad:
		s = "grad"
	}
	if m.autocast != tensor.Invalid {
		s += fmt.Sprintf(", autocast to %v", m.autocast)
	}
	return s + fmt.Sprintf(", default %v on %v", m.def, m.dev)
}

// meta is what a guard says of a tensor.
type meta struct {
	g tensor.Geometry
	t eager.Traits
	// moved: the offset may be any, it is bound at each run.
	moved bool
	// dims are those of any size (bits). Strides follow where they are, from the
	// inside out (order), the stride inside times its size (follow: bits). whole: the
	// tensor is all of its memory.
	dims, follow uint64
	order        []int
	whole        bool
}

func metaOf(t *eager.Tensor) *meta {
	g := t.Geometry
	g.Size, g.Stride = append([]int64(nil), g.Size...), append([]int64(nil), g.Stride...)
	return &meta{g: g, t: t.Traits(), moved: g.Off != 0}
}

func (m *meta) String() string {
	s := fmt.Sprintf("%s %v:%v", m.g.DType, m.g.Size, m.g.Stride)
	for d := range m.g.Size {
		if m.dims>>d&1 != 0 {
			s += fmt.Sprintf(" any size %d", d)
		}
	}
	if !m.moved {
		s += "@0"
	}
	if m.t.Requires {
		s += " requires_grad"
	}
	if m.t.OnTape {
		s += " with grad_fn"
	}
	return s
}

func (m *meta) holds(t *eager.Tensor) bool {
	if t.DType != m.g.DType || t.Off != m.g.Off && !m.moved || len(t.Size) != len(m.g.Size) {
		return false
	}
	if m.dims != 0 {
		return m.holdsAny(t)
	}
	for d := range t.Size {
		if t.Size[d] != m.g.Size[d] || t.Stride[d] != m.g.Stride[d] {
			return false
		}
	}
	return t.Traits() == m.t
}

// val is one state of a storage's memory: a graph value to be.
type val struct {
	id    int
	dtype tensor.DType
	len   sym.Int // elements
	node  *node   // nil: an input
	out   int
	input *storage
	// What a memory holds when the backward half runs; now: it is this, as the program cannot reach it.
	late *storage
	now  *val
}

// is is the value that v stands for.
func (v *val) is() *val {
	if v != nil && v.now != nil {
		return v.now
	}
	return v
}

// node is an op of the graph to be.
type node struct {
	call   *op.Call
	in     []operand
	out    []*val
	meta   []tensor.Meta
	target *tensor.Meta
	gen    *tensor.Generator // of ops with state; nil: the default one
}

type operand struct {
	v *val
	m *tensor.Meta
}

// storage is a tensor memory in use.
type storage struct {
	cur    *val
	before *val           // of the outside: its memory before the region
	owner  *guards.Source // nil: born here
	at     int64          // offset of the tensor through which it was reached
	off    sym.Int        // the same for the graph
	wrote  bool
	// symbolic: tensors with symbolic geometry lie on it.
	symbolic bool
	times    int // writes so far: what its version has grown by
}

func (r *recorder) newVal(d tensor.DType, n sym.Int) *val {
	r.values++
	return &val{id: r.values - 1, dtype: d, len: n}
}

// on notes the device of what is recorded: there is one for a region.
func (r *recorder) on(d tensor.Device) bool {
	switch {
	case !r.placed:
		r.placed, r.e.dev = true, d
	case r.e.dev != d:
		r.kill("tensors on several devices, %s and %s", r.e.dev, d)
		return false
	}
	return true
}

// input registers the storage of a tensor from outside.
func (r *recorder) input(t *eager.Tensor, s *guards.Source) {
	if st := r.memory(t.Store); st != nil {
		if st.owner == nil {
			r.kill("a tensor from outside over memory of the region")
			return
		}
		r.add(guards.Guard{A: st.owner.Ref(), B: s.Ref(), Test: guards.TestStorage, J: int(t.Off - st.at), Dst: -1, Source: s})
		return
	}
	if !r.on(t.Device()) {
		return
	}
	v := r.newVal(t.DType, r.length(t, s))
	st := &storage{cur: v, before: v, owner: s, at: t.Off, symbolic: t.Meta().Symbolic()}
	v.input = st
	if t.Off != 0 {
		st.off = r.bound("o", t.Off, 0, bind{tensor: s.Ref()})
	}
	r.storages[weak.Make(t.Store)] = st
	r.inputs = append(r.inputs, st)
}

// operand is a tensor as an operand: the memory that it sees now.
func (r *recorder) operand(t *eager.Tensor) (operand, bool) {
	st := r.memory(t.Store)
	if st == nil {
		r.kill("a tensor of unknown origin")
		return operand{}, false
	}
	if st.cur.dtype != t.DType {
		r.kill("memory seen through another dtype")
		return operand{}, false
	}
	return operand{st.cur, r.geometry(st, t)}, true
}

// geometry is a tensor's as the graph has it.
func (r *recorder) geometry(st *storage, t *eager.Tensor) *tensor.Meta {
	m := t.Meta()
	if st.symbolic && !m.Symbolic() && !r.makes(t) && !r.metas[m] && r.src[idOf(r.tr.opts.Wrap(t))] == nil {
		r.kill("a handle of plain numbers on memory of symbolic size")
	}
	return st.meta(t)
}

// meta is a tensor's geometry: over memory of the outside its offset counts from
// that of the tensor through which the memory was reached.
func (st *storage) meta(t *eager.Tensor) *tensor.Meta {
	if st.owner == nil || st.off.IsConst() {
		return t.Meta()
	}
	m := *t.Meta()
	m.Off = st.off.Add(m.Off.Sub(sym.C(st.at)))
	return &m
}

// OnOp implements eager.Observer.
func (r *recorder) OnOp(c *op.Call, out []*eager.Tensor) {
	if !r.alive() {
		return
	}
	for _, t := range out {
		r.made(t)
		r.metas[t.Meta()] = true
	}
	if c.Def.View != nil {
		st := r.memory(out[0].Store)
		if st == nil {
			r.kill("a view of a tensor of unknown origin")
		} else if !st.off.IsConst() && c.Def.Base == "as_strided" {
			r.kill("as_strided at an offset that may change")
		} else if out[0].Meta().Symbolic() {
			st.symbolic = true
		}
		return
	}
	if c.Def.Sized {
		r.breakAt(cause{DataSize, c.Def.Base})
		return
	}
	if len(out) > 0 && !r.on(out[0].Device()) {
		return
	}
	n := r.node(c)
	if n == nil {
		return
	}
	for j, t := range out {
		m := &c.Out[j]
		v := r.newVal(t.DType, sym.C(int64(t.Store.Buf.Len())/int64(t.DType.Size())))
		if m.Symbolic() {
			v.len = graph.Reach(m)
		}
		v.node, v.out = n, j
		n.out = append(n.out, v)
		r.storages[weak.Make(t.Store)] = &storage{cur: v, symbolic: m.Symbolic()}
	}
	n.meta = n.call.Out
	r.nodes = append(r.nodes, n)
}

// node copies a Call without its tensors.
func (r *recorder) node(c *op.Call) *node {
	n := &node{}
	nc := *c
	nc.T, nc.Need, nc.InPlace = nil, nil, false
	nc.Out = append([]tensor.Meta(nil), c.Out...)
	nc.In = append([]*tensor.Meta(nil), c.In...)
	for k, o := range c.T {
		if o == nil {
			n.in = append(n.in, operand{})
			continue
		}
		t, ok := o.(*eager.Tensor)
		if !ok {
			r.kill("BUG: an operand that is no tensor")
			return nil
		}
		x, ok := r.operand(t)
		if !ok {
			return nil
		}
		nc.In[k] = x.m
		n.in = append(n.in, x)
	}
	if len(c.T) < len(c.In) {
		r.kill("BUG: a call without its operands")
		return nil
	}
	nc.Args = append([]op.Arg(nil), c.Args...)
	k := 0
	for _, i := range c.Def.Operands {
		a := &nc.Args[i]
		switch a.Kind {
		case op.ArgTensor:
			a.P = op.Bare{M: nc.In[k]}
			k++
		case op.ArgTensors:
			l := a.P.([]op.Tensor)
			b := make([]op.Tensor, len(l))
			for j, t := range l {
				if t != nil {
					b[j] = op.Bare{M: nc.In[k]}
				}
				k++
			}
			a.P = b
		default:
			k++
		}
	}
	if c.Def.State {
		for i := range nc.Args {
			if g, ok := nc.Args[i].P.(*tensor.Generator); ok && g != nil {
				n.gen = g
			}
		}
	}
	n.call = &nc
	return n
}

// OnWrite implements eager.Observer.
func (r *recorder) OnWrite(dst, src *eager.Tensor, c *op.Call) {
	if !r.alive() {
		return
	}
	st := r.memory(dst.Store)
	if st == nil {
		r.kill("a write to a tensor of unknown origin")
		return
	}
	if st.cur.dtype != dst.DType {
		r.kill("memory seen through another dtype")
		return
	}
	r.hidden = dst.Own()
	whole := covers(st.meta(dst), st.cur.len)
	if c != nil {
		n := r.node(c)
		if n == nil {
			return
		}
		if whole {
			r.write(st, n, *dst.Meta())
			return
		}
		if c.Def.State {
			r.kill("random numbers written into part of a tensor")
			return
		}
		// Into memory of its own, then put.
		m := contiguous(dst)
		n.call.Out = []tensor.Meta{m}
		n.meta = n.call.Out
		v := r.newVal(dst.DType, m.Numel())
		v.node = n
		n.out = []*val{v}
		r.nodes = append(r.nodes, n)
		r.put(st, dst, operand{v, &m})
		return
	}
	x, ok := r.source2(src)
	if !ok {
		return
	}
	if whole {
		call, err := op.NewCall(op.Lookup("clone"), []op.Arg{op.T(op.Bare{M: x.m})}, r.x.Default)
		if err == nil {
			err = call.Infer()
		}
		if err != nil {
			r.kill("BUG: %s", err)
			return
		}
		call.T = nil
		n := &node{call: call, in: []operand{x}}
		r.write(st, n, *dst.Meta())
		return
	}
	r.put(st, dst, x)
}

func (r *recorder) source2(t *eager.Tensor) (operand, bool) { return r.operand(t) }

// write makes n's result the new memory of a storage, laid out as m.
func (r *recorder) write(st *storage, n *node, m tensor.Meta) {
	n.call.Out = []tensor.Meta{m}
	n.meta = n.call.Out
	v := r.newVal(m.DType, st.cur.len)
	v.node = n
	n.out = []*val{v}
	r.nodes = append(r.nodes, n)
	r.wrote(st, v)
}

func (r *recorder) wrote(st *storage, v *val) {
	st.cur, st.wrote = v, true
	if !r.hidden {
		st.times++
	}
	r.writes++
}

// put writes x into a copy of a storage's memory through dst's geometry.
func (r *recorder) put(st *storage, dst *eager.Tensor, x operand) {
	flat := tensor.Meta{DType: st.cur.dtype, Dev: dst.Device(), Size: []sym.Int{st.cur.len}, Stride: []sym.Int{sym.C(1)}}
	c := &op.Call{Def: op.Lookup("clone"), Args: make([]op.Arg, len(op.Lookup("clone").Params)), Default: r.x.Default,
		In: []*tensor.Meta{&flat, x.m}, Out: []tensor.Meta{flat}, DType: st.cur.dtype, Dev: dst.Device()}
	n := &node{call: c, in: []operand{{st.cur, &flat}, x}, meta: c.Out, target: st.meta(dst)}
	v := r.newVal(st.cur.dtype, st.cur.len)
	v.node = n
	n.out = []*val{v}
	r.nodes = append(r.nodes, n)
	r.wrote(st, v)
}

// covers reports a geometry that touches each of n elements of memory once.
func covers(m *tensor.Meta, n sym.Int) bool {
	if g := m.AtHand(); !m.Symbolic() && n.IsConst() {
		return g.Off == 0 && g.Numel() == n.Must() && g.Dense()
	}
	return m.Off.KnownEq(sym.C(0)) && m.Numel().KnownEq(n) && graph.Dense(m)
}

// contiguous is a fresh row-major geometry of a tensor's size.
func contiguous(t *eager.Tensor) tensor.Meta {
	m := t.Meta()
	return tensor.Meta{DType: m.DType, Dev: m.Dev, Size: m.Size, Stride: op.Contig(m.Size)}
}

// OnRead implements eager.Observer: the host looks at values.
func (r *recorder) OnRead(t *eager.Tensor) { r.breakAt(cause{Reason: TensorValue}) }

// OnData implements eager.Observer: the values are constants of the recording, of which
// the program gets a copy.
func (r *recorder) OnData(t *eager.Tensor) {
	if !r.alive() {
		return
	}
	x := r.x
	x.Observer = nil
	c, err := x.FromBytes(t.DType, t.Size, append([]byte(nil), t.Bytes()...))
	x.Observer = r
	if err != nil {
		r.kill("%s", err)
		return
	}
	obj := r.tr.opts.Wrap(c)
	s := &guards.Source{Step: "constant", ID: -1, Obj: obj}
	r.src[idOf(obj)] = s
	r.input(c, s)
	mode := x.GradMode
	x.GradMode = false
	y, err := x.Op("clone", c)
	x.GradMode = mode
	if err != nil || r.why != "" {
		r.kill("a constant cannot be copied: %v", err)
		return
	}
	r.made(t)
	r.storages[weak.Make(t.Store)] = &storage{cur: r.memory(y.Store).cur}
}

// OnHandle implements eager.Observer.
func (r *recorder) OnHandle(t, d *eager.Tensor) {
	if !r.alive() {
		return
	}
	r.made(d)
	if r.memory(t.Store) == nil {
		r.kill("another handle on a tensor of unknown origin")
	}
}

// OnBackward implements eager.Observer.
func (r *recorder) OnBackward(b *eager.Backward) {
	if !r.alive() {
		return
	}
	if !b.Since(r.seq) {
		r.breakAt(cause{Reason: OuterTape})
	}
	r.own++ // what nodes of the region keep may be released
}

// OnTape implements eager.Observer: what a tensor of the outside is to autograd
// cannot be put back.
func (r *recorder) OnTape(t *eager.Tensor) {
	if !r.alive() {
		return
	}
	if b := t.Base(); b != nil {
		t = b
	}
	if !r.makes(t) {
		r.rehang(t)
	}
}

// OnGrad implements eager.Observer.
func (r *recorder) OnGrad(leaf *eager.Tensor, set bool) {
	if !r.alive() {
		return
	}
	obj := r.tr.opts.Wrap(leaf)
	if !set {
		g := value.None
		if t := leaf.Grad(); t != nil {
			g = r.tr.opts.Wrap(t)
		}
		r.grad(obj, leaf, g)
		return
	}
	r.writeGrad(obj, leaf, r.tr.opts.Wrap(leaf.Grad()))
}

const gradSlot = "\x00grad"

// grad reads the gradient of a tensor.
func (r *recorder) grad(obj value.Value, t *eager.Tensor, got value.Value) value.Value {
	if r.isBorn(obj) {
		return got
	}
	return r.slot(obj, gradSlot, ".grad", guards.LoadGrad, got)
}

func (r *recorder) writeGrad(obj value.Value, t *eager.Tensor, new value.Value) {
	if r.isBorn(obj) {
		return
	}
	if r.source(obj) == nil {
		return
	}
	r.touch(obj)
	r.over(slotKey{idOf(obj), gradSlot}, effect{kind: effGrad, obj: obj, val: new})
}
