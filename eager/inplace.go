package eager

import (
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
	"slices"
)

// ApplyInPlace is X_: the op, a cast check, and a write into operand 0, which is returned. It does not keep args.
func (x *Context) ApplyInPlace(d *op.Def, args []op.Arg) (*Tensor, error) {
	p, key := x.plan(d, args, true)
	if p != nil {
		if self, err := x.followInPlace(p, args); self != nil || err != nil {
			return self, err
		}
	}
	c, err := op.NewCall(d, slices.Clone(args), x.Default)
	if err != nil {
		return nil, err
	}
	self, ok := c.T[0].(*Tensor)
	if !ok {
		return nil, raise(tensor.TypeError, "%s_(): argument 'self' must be Tensor", d.Base)
	}
	if d.Base == "copy" && len(c.T) > 1 && c.T[1] != nil && c.T[1].(*Tensor).Device() != self.Device() {
		return self, x.Write(self, c.T[1])
	}
	need := x.needs(c)
	// An op without a derivative (zero_, floor_) leaves nothing of self's history: the gradient is zero from there on.
	cut := need == nil && x.GradMode && self.DType.IsFloat() && self.RequiresGrad() && d.Decomp == nil && d.View == nil
	check := x.checkInPlace
	if d.Base == "fill" || d.Base == "zero" { // one value for all: overlap does not matter
		check = x.checkHistory
	}
	if err := check(self, need != nil || cut); err != nil {
		return nil, err
	}
	if d.View != nil {
		return self, x.viewInPlace(self, c)
	}
	if d.Decomp != nil {
		return self, x.decompInPlace(self, c, need)
	}
	if err := c.Infer(); err != nil {
		return nil, err
	}
	if err := checkResult(self, c); err != nil {
		return nil, err
	}
	var buf [4]*Tensor
	direct, err := mayOverwrite(self, c.Def, &c.Out[0], operands(buf[:0], c.Def, c.Args))
	if err != nil {
		return nil, err
	}
	var before *Tensor
	var n *Node
	if need != nil {
		own := *c
		own.Need = need
		if x.reads(&own, nil).in(0) {
			if before, err = x.copyOf(self); err != nil {
				return nil, err
			}
		}
		// The node is made before the write: its edges and its operands' versions are those of that moment.
		if n, err = x.newNode(c, need, []*Tensor{self}, nil, before); err != nil {
			return nil, err
		}
	}
	if cut {
		e, err := self.edge()
		if err != nil {
			return nil, err
		}
		n = &Node{Name: nodeName(c), seq: x.nextSeq(), outs: []outMeta{metaOf(self)}, inner: copyBackward(outMeta{}), next: []Edge{e, {}}}
	}
	if direct {
		c.InPlace = true
		c.Out[0] = *self.Meta()
		_, k, err := x.run(c, []*Tensor{self})
		if err != nil {
			return nil, err
		}
		if key.hash != 0 {
			x.learn(key, c, k, nil)
		}
		self.wrote()
		if x.Observer != nil {
			x.Observer.OnWrite(self, nil, c)
		}
	} else {
		out, _, err := x.run(c, nil)
		if err != nil {
			return nil, err
		}
		if x.Observer != nil {
			x.Observer.OnOp(c, out)
		}
		if err := x.store(self, out[0]); err != nil {
			return nil, err
		}
	}
	if n == nil {
		return self, nil
	}
	if len(n.out) > 0 && n.out[0].ver != nil {
		n.out[0].version = self.Version()
	}
	return self, x.rebase(self, n)
}

// followInPlace is ApplyInPlace for a call that has a plan; nil where the tape is to hear of it, or operands overlap.
func (x *Context) followInPlace(p *plan, args []op.Arg) (*Tensor, error) {
	var buf [6]*Tensor
	ts := operands(buf[:0], p.def, args)
	self := ts[0]
	if x.GradMode {
		if self.DType.IsFloat() && self.RequiresGrad() || x.needsOf(p.def, ts) != nil {
			return nil, nil
		}
	}
	check := x.checkInPlace
	if p.def.Base == "fill" || p.def.Base == "zero" {
		check = x.checkHistory
	}
	if err := check(self, false); err != nil {
		return nil, err
	}
	if direct, err := mayOverwrite(self, p.def, p.out[0].meta, ts); err != nil || !direct {
		return nil, err
	}
	if err := x.runPlan(p, args, ts, []*Tensor{self}); err != nil {
		return nil, err
	}
	self.wrote()
	return self, nil
}

// copyOf is self's values off the tape, in the same layout, at self's place on the tape.
func (x *Context) copyOf(self *Tensor) (t *Tensor, err error) {
	err = x.noGrad(func() error {
		t, err = x.Op("clone", self)
		return err
	})
	return t, err
}

// checkInPlace refuses writes that the tape cannot follow, and writes to a tensor that overlaps itself.
func (x *Context) checkInPlace(self *Tensor, recorded bool) error {
	if err := x.checkHistory(self, recorded); err != nil {
		return err
	}
	if self.Numel() == 0 {
		return nil
	}
	for d, s := range self.Size {
		if self.Stride[d] == 0 && (x.sizes == nil && s > 1 || x.sizes != nil && self.Meta().Size[d].Gt(op.C(1))) {
			return raise(tensor.RuntimeError, "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "+
				"Please clone() the tensor before performing the operation.")
		}
	}
	return nil
}

func (x *Context) checkHistory(self *Tensor, recorded bool) error {
	if self.Inference && !x.Inference {
		return raise(tensor.RuntimeError, "Inplace update to inference tensor outside InferenceMode is not allowed."+
			"You can make a clone to get a normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.")
	}
	if !x.GradMode {
		return nil
	}
	if v := self.view; v != nil {
		if !recorded && !v.base.tracked() {
			return nil
		}
		if err := self.viewError(false); err != nil {
			return err
		}
		if v.base.IsLeaf() && v.base.RequiresGrad() {
			return raise(tensor.RuntimeError, "a view of a leaf Variable that requires grad is being used in an in-place operation.")
		}
	}
	if self.IsLeaf() && self.RequiresGrad() {
		return raise(tensor.RuntimeError, "a leaf Variable that requires grad is being used in an in-place operation.")
	}
	return nil
}

// tracked: t itself is on the tape.
func (t *Tensor) tracked() bool { return t.ag != nil && (t.ag.requires || t.ag.node != nil) }

// checkResult compares what the op gives with what self can take.
func checkResult(self *Tensor, c *op.Call) error {
	o := &c.Out[0]
	if !sym.AllEq(o.Size, self.Meta().Size) {
		return raise(tensor.RuntimeError, "output with shape %s doesn't match the broadcast shape %s", sizeText(self.Size), sizeText(o.AtHand().Size))
	}
	if p := c.Def.Promote; p == op.PromoteNone || p == op.PromoteCompare || p == op.PromoteBool {
		return nil
	}
	if !tensor.CanCast(c.DType, self.DType) {
		return castError(c.DType, self.DType)
	}
	return nil
}

func castError(from, to tensor.DType) error {
	return raise(tensor.RuntimeError, "result type %s can't be cast to the desired output type %s", from.ScalarName(), to.ScalarName())
}

// mayOverwrite decides whether the kernel may write to self while it reads its operands: element by element over identical
// windows. Dense windows that intersect otherwise are refused, as torch refuses them; in any other case all is read before it is written.
func mayOverwrite(self *Tensor, d *op.Def, out *tensor.Meta, ts []*Tensor) (bool, error) {
	// A random op must see where it writes: the order of draws follows the layout.
	direct := (d.Body != nil || d.State) && len(d.Returns) == 1 && out.DType == self.DType
	for k, t := range ts {
		if t == nil || t == self || !sameBuffer(t.Store, self.Store) || k == 0 {
			continue
		}
		Pin(self, t)
		if sameWindow(&t.Geometry, &self.Geometry) {
			continue
		}
		direct = false
		if d.Body != nil && partialOverlap(self, t) {
			return false, overlapError()
		}
	}
	return direct, nil
}

// partialOverlap: two different dense windows on the same memory that intersect.
func partialOverlap(dst, src *Tensor) bool {
	if !sameBuffer(dst.Store, src.Store) {
		return false
	}
	if dst != src {
		Pin(dst, src)
	}
	if sameWindow(&dst.Geometry, &src.Geometry) || !dst.Dense() || !src.Dense() {
		return false
	}
	lo, hi := dst.Span()
	a, b := src.Span()
	return a < hi && lo < b
}

func overlapError() error {
	return raise(tensor.RuntimeError, "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. "+
		"Please clone() the tensor before performing the operation.")
}

// decompInPlace computes the parts, recorded, and copies the result into self.
func (x *Context) decompInPlace(self *Tensor, c *op.Call, need []bool) error {
	out, err := x.apply(c, planKey{})
	if err != nil {
		return err
	}
	r := out[0].(*Tensor)
	if r == self {
		return nil
	}
	if !x.sameSize(r, self) {
		return raise(tensor.RuntimeError, "output with shape %s doesn't match the broadcast shape %s", sizeText(self.Size), sizeText(r.Size))
	}
	if !tensor.CanCast(r.DType, self.DType) {
		return castError(r.DType, self.DType)
	}
	return x.Write(self, r)
}

// viewInPlace changes self's own geometry (squeeze_, t_, unsqueeze_).
func (x *Context) viewInPlace(self *Tensor, c *op.Call) error {
	if err := c.Infer(); err != nil {
		return err
	}
	need := x.needs(c)
	var n *Node
	if need != nil {
		var err error
		v := x.newMeta(self.Store, &c.Out[0])
		if n, err = x.newNode(c, need, []*Tensor{v}, nil, nil); err != nil {
			return err
		}
	}
	self.setGeometry(c.Out[0].Concrete())
	if n != nil {
		n.attach([]*Tensor{self})
	}
	return nil
}

// Write stores src, broadcast and cast, through dst's geometry: dst.copy_(src). It implements op.Graph.
func (x *Context) Write(dst, src op.Tensor) error {
	if w := x.composing; w != nil {
		w.bad, x.composing = true, nil
	}
	d, s := dst.(*Tensor), src.(*Tensor)
	recorded := x.GradMode && (d.RequiresGrad() || s.RequiresGrad())
	check := x.checkInPlace
	if d == s {
		check = x.checkHistory
	}
	if err := check(d, recorded); err != nil {
		return err
	}
	if d != s && partialOverlap(d, s) {
		return overlapError()
	}
	var edges [2]Edge
	if recorded {
		Pin(d, s)
		var err error
		for i, t := range []*Tensor{d, s} {
			if edges[i], err = t.edge(); err != nil {
				return err
			}
		}
	}
	if err := x.store(d, s); err != nil {
		return err
	}
	if recorded && d.DType.IsFloat() {
		n := &Node{Name: "CopyBackwards", seq: x.nextSeq(), outs: []outMeta{metaOf(d)}, inner: copyBackward(metaOf(s)), next: make([]Edge, 2)}
		n.next[0], n.next[1] = edges[0], edges[1]
		return x.rebase(d, n)
	}
	return nil
}

// store copies values, off the tape.
func (x *Context) store(dst, src *Tensor) error {
	if sameBuffer(dst.Store, src.Store) && sameWindow(&dst.Geometry, &src.Geometry) {
		dst.wrote()
		if x.Observer != nil { // nothing changes, and yet it counts
			x.Observer.OnWrite(dst, src, nil)
		}
		return nil
	}
	return x.noGrad(func() error {
		if sameBuffer(dst.Store, src.Store) {
			lo, hi := dst.Span()
			if a, b := src.Span(); a < hi && lo < b { // read all, then write
				var err error
				if src, err = x.Op("clone", src); err != nil {
					return err
				}
			}
		}
		m, err := expandTo(src.Meta(), dst.Meta().Size)
		if err != nil {
			return err
		}
		s := src
		if !x.sameSize(src, dst) {
			s = x.newMeta(src.Store, m)
		}
		if dst.Device() != src.Device() {
			return x.transfer(dst, s)
		}
		c, err := op.NewCall(copyDef(), []op.Arg{op.T(s)}, x.Default)
		if err != nil {
			return err
		}
		if err := c.Infer(); err != nil {
			return err
		}
		c.Out[0] = *dst.Meta()
		if _, _, err := x.run(c, []*Tensor{dst}); err != nil {
			return err
		}
		dst.wrote()
		if x.Observer != nil {
			x.Observer.OnWrite(dst, s, nil)
		}
		return nil
	})
}

// copyDef is the op that copies; the store into the destination casts.
func copyDef() *op.Def { return op.Lookup("clone") }

func expandTo(m *tensor.Meta, size []op.SymInt) (e *tensor.Meta, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *tensor.Error:
			err = p
		default:
			panic(p)
		}
	}()
	// torch lets copy_ drop leading dimensions of size 1 of the source.
	lead := len(m.Size) - len(size)
	for lead > 0 && m.Size[0].Eq(op.C(1)) {
		c := *m
		c.Size, c.Stride = c.Size[1:], c.Stride[1:]
		m = &c
		lead--
	}
	if lead > 0 {
		op.Raise(tensor.RuntimeError, "output with shape %s doesn't match the broadcast shape %s", op.ShapeText(size), op.ShapeText(m.Size))
	}
	for d := len(m.Size) - 1; d >= 0; d-- {
		t := size[d+len(size)-len(m.Size)]
		if sym.Case([2]op.SymInt{m.Size[d], t}, [2]op.SymInt{m.Size[d], op.C(1)}) < 0 {
			op.Raise(tensor.RuntimeError, "The size of tensor a (%d) must match the size of tensor b (%d) at non-singleton dimension %d",
				t.Hint(), m.Size[d].Hint(), d+len(size)-len(m.Size))
		}
	}
	r := op.Expand(m, size)
	return &r, nil
}

// ApplyOut is an op with out=: results are computed off the tape and written to the given tensors, which are resized where they do not fit.
func (x *Context) ApplyOut(d *op.Def, args []op.Arg, dst []*Tensor) error {
	c, err := op.NewCall(d, args, x.Default)
	if err != nil {
		return err
	}
	if x.GradMode {
		req := x.needs(c) != nil
		for _, t := range dst {
			req = req || t.RequiresGrad()
		}
		if req {
			return raise(tensor.RuntimeError, "%s(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad.", d.Base)
		}
	}
	return x.noGrad(func() error {
		out, err := x.apply(c, planKey{})
		if err != nil {
			return err
		}
		if len(out) != len(dst) {
			return raise(tensor.TypeError, "%s(): expected %d out tensors, got %d", d.Base, len(out), len(dst))
		}
		for i, o := range out {
			r, t := o.(*Tensor), dst[i]
			if p := d.Promote; !tensor.CanCast(r.DType, t.DType) && p != op.PromoteCompare && p != op.PromoteBool {
				return castError(r.DType, t.DType)
			}
			if !x.sameSize(r, t) {
				if err := x.Resize(t, r.Size); err != nil {
					return err
				}
			}
			if err := x.checkInPlace(t, false); err != nil {
				return err
			}
			if err := x.store(t, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// Resize gives t a contiguous geometry of this size, and its storage more memory if it needs it (resize_). Old contents stay.
func (x *Context) Resize(t *Tensor, size []int64) error {
	Pin(t)
	if t.RequiresGrad() {
		return raise(tensor.RuntimeError, "cannot resize variables that require grad")
	}
	g := tensor.Geometry{DType: t.DType, Size: append([]int64(nil), size...), Stride: tensor.Strides(size), Off: t.Off}
	n, err := bytesFor(&g)
	if err != nil {
		return err
	}
	if int(n) > t.Store.Buf.Len() {
		s, err := x.alloc(t.Device(), n)
		if err != nil {
			return err
		}
		if err := x.moveBytes(s.Buf, 0, t.Store.Buf, 0, t.Store.Buf.Len()); err != nil {
			return err
		}
		t.Store.Buf = s.Buf
	}
	t.setGeometry(g)
	t.wrote()
	return nil
}
