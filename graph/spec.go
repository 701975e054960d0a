package graph

import (
	"encoding/binary"
	"strconv"

	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// Key identifies the kernel of one op: Def, dtypes, structural arguments and
// layout class. It is comparable; NewSpec makes it.
type Key struct {
	def  uint16
	n    uint8
	code [45]byte
	more string // what did not fit
}

// Spec is one concrete Call reduced to its kernel's key and arguments.
//
//	spec, err := graph.NewSpec(call)          // after call.Infer
//	exe := cache[spec.Key]
//	if exe == nil { exe, err = compiler.Compile(ctx, spec.Graph()); … }
//	err = exe.Run(ctx, &graph.RunArgs{In: …, Out: …, Bind: spec.Bind, Nums: spec.Nums, State: …})
//
// In are the buffers of the Call's tensor operands that are present and no
// numbers, in order (one each, also where two share a buffer); Out those of its
// outputs. Call.Out may be replaced by the geometry of the tensors to write to
// (in-place ops, out=) before NewSpec; the caller has excluded partial overlap.
type Spec struct {
	Key  Key
	Bind []int64
	Nums []tensor.Number
	// Empty: no element is computed, so that a run may be skipped.
	Empty bool
	// Offs is where in Bind the offset of each operand is, outputs following; -1
	// for those that have none there. Nothing else of a Spec depends on offsets.
	Offs []int32

	call *op.Call
	iter *Iter

	// memory for the common case
	buf  iterBuf
	bind [32]int64
	nums [4]tensor.Number
	offs [6]int32
}

// stride classes: what code is specialised on.
const (
	strideFree = iota // a symbol
	strideZero
	strideOne
)

// NewSpec reduces an inferred Call with constant geometry whose Def computes
// (no View, no Decomp).
func NewSpec(c *op.Call) *Spec {
	s := new(Spec)
	s.Reset(c)
	return s
}

// Reset makes s the Spec of another Call in the same memory: Bind and Nums of the
// former one are lost, its Key and Graph stay good.
func (s *Spec) Reset(c *op.Call) {
	d := c.Def
	s.call, s.iter, s.Empty = c, nil, false
	s.Key = Key{def: uint16(d.ID())}
	var buf [96]byte
	k := append(buf[:0], byte(c.DType), byte(c.Dev.Type))
	if c.InPlace {
		k[1] |= 0x80
	}
	s.Bind = s.bind[:0]
	s.Offs = s.offs[:0]
	for range len(c.In) + len(c.Out) {
		s.Offs = append(s.Offs, -1)
	}
	k = appendArgs(k, c)
	for i, m := range c.In {
		switch {
		case m == nil:
			k = append(k, 0xff)
		case c.IsNum(i):
			k = append(k, 0x80|byte(m.DType))
		default:
			k = append(k, byte(m.DType))
		}
	}
	for i := range c.Out {
		k = append(k, byte(c.Out[i].DType))
	}
	if HasIter(d) {
		k = s.iterClass(k)
	}
	if d.Body == nil {
		k = s.metaClass(k)
	} else {
		s.Empty = numel(c.Out[0].Size) == 0
	}
	s.Bind = appendSymArgs(s.Bind, c)
	s.Nums = c.Numbers(s.nums[:0])
	for i := range s.Nums {
		s.Nums[i].By = nil // kernels read values, they do not look at them
	}
	s.Key.n = uint8(copy(s.Key.code[:], k))
	if len(k) > len(s.Key.code) {
		s.Key.more = string(k[len(s.Key.code):])
	}
}

// Release forgets the Call, so that a kept Spec holds no tensors.
func (s *Spec) Release() { s.call = nil }

func numel(size []sym.Int) int64 {
	n := int64(1)
	for _, v := range size {
		n *= v.Must()
	}
	return n
}

// appendArgs encodes what of the arguments is structure.
func appendArgs(k []byte, c *op.Call) []byte {
	for i := range c.Args {
		p, a := &c.Def.Params[i], &c.Args[i]
		if p.IsOperand() {
			if p.List {
				k = append(k, byte(len(c.In)), byte(len(c.In)>>8))
			}
			continue
		}
		k = append(k, byte(a.Kind))
		switch a.Kind {
		case op.ArgNumber:
			k = append(k, byte(a.N.Kind))
		case op.ArgNumbers:
			k = append(k, byte(len(a.P.([]tensor.Number))))
		case op.ArgInt:
			if p.Type != op.PSymInt {
				k = binary.AppendVarint(k, a.I.Must())
			}
		case op.ArgInts:
			l := a.P.([]sym.Int)
			k = binary.AppendUvarint(k, uint64(len(l)))
			if p.Type != op.PSymInt {
				for _, v := range l {
					k = binary.AppendVarint(k, v.Must())
				}
			}
		case op.ArgBool:
			k = append(k, byte(a.N.I))
		case op.ArgStr:
			t := a.P.(string)
			k = append(append(k, byte(len(t))), t...)
		case op.ArgDType:
			k = append(k, byte(a.DT))
		}
	}
	return k
}

func appendSymArgs(b []int64, c *op.Call) []int64 {
	for i := range c.Args {
		if c.Def.Params[i].Type != op.PSymInt {
			continue
		}
		switch a := &c.Args[i]; a.Kind {
		case op.ArgInt:
			b = append(b, a.I.Must())
		case op.ArgInts:
			for _, v := range a.P.([]sym.Int) {
				b = append(b, v.Must())
			}
		}
	}
	return b
}

// classOf: strides 0 are a class of their own everywhere, strides 1 where the
// dimension may become the vector axis.
func classOf(v int64, inner bool) byte {
	if v == 0 {
		return strideZero
	}
	if v == 1 && inner {
		return strideOne
	}
	return strideFree
}

func (s *Spec) iterClass(k []byte) []byte {
	s.iter = newIter(s.call, &s.buf)
	it := s.iter
	n := len(it.Size)
	k = append(k, byte(n), byte(it.Row))
	if it.Across {
		k[len(k)-1] |= 0x80
	}
	for _, v := range it.Size {
		s.Bind = append(s.Bind, v.Must())
	}
	for i := range it.Ops {
		o := &it.Ops[i]
		if o.Absent {
			continue
		}
		s.Offs[i] = int32(len(s.Bind))
		s.Bind = append(s.Bind, o.Off.Must())
		acc, sh := byte(0), 0
		for d, v := range o.Stride {
			c := classOf(v.Must(), it.inner(d))
			if c == strideFree {
				s.Bind = append(s.Bind, v.Must())
			}
			acc |= c << sh
			if sh += 2; sh == 8 {
				k, acc, sh = append(k, acc), 0, 0
			}
		}
		if sh > 0 {
			k = append(k, acc)
		}
	}
	return k
}

// inner: dimension d may become the vector axis.
func (it *Iter) inner(d int) bool { return d == len(it.Size)-1 || d == it.Kept()-1 }

// metaClass encodes and binds the geometry as the op itself sees it. Where an
// Iter is used, the op sees sizes only.
func (s *Spec) metaClass(k []byte) []byte {
	c := s.call
	iter := s.iter != nil
	for i := range len(c.In) + len(c.Out) {
		m := s.meta(i)
		if m == nil {
			continue
		}
		k = append(k, byte(len(m.Size)))
		for _, v := range m.Size {
			s.Bind = append(s.Bind, v.Must())
		}
		if iter {
			continue
		}
		s.Offs[i] = int32(len(s.Bind))
		s.Bind = append(s.Bind, m.Off.Must())
		for _, v := range m.Stride {
			c := classOf(v.Must(), true)
			k = append(k, c)
			if c == strideFree {
				s.Bind = append(s.Bind, v.Must())
			}
		}
	}
	return k
}

// meta is the geometry of operand i, outputs following; nil where it has none.
func (s *Spec) meta(i int) *tensor.Meta {
	c := s.call
	if i >= len(c.In) {
		return &c.Out[i-len(c.In)]
	}
	if c.In[i] == nil || c.IsNum(i) {
		return nil
	}
	return c.In[i]
}

// Graph makes the one-node graph of the Spec's class. Its symbols are bound by
// Bind, in the order in which NewSpec appended.
func (s *Spec) Graph() *Graph {
	c := s.call
	ctx := sym.NewCtx()
	g := &Graph{Ctx: ctx}
	at := 0
	next := func(name string, lo int64) sym.Int {
		v := s.Bind[at]
		at++
		if lo < 0 {
			return ctx.NewSigned(name+strconv.Itoa(at), v)
		}
		return ctx.New(name+strconv.Itoa(at), v, lo)
	}
	stride := func(v sym.Int, inner bool) sym.Int {
		if classOf(v.Must(), inner) != strideFree {
			return v
		}
		return next("t", -1)
	}
	n := &Node{State: -1}
	if s.iter != nil {
		n.Iter = &Iter{Row: s.iter.Row, Across: s.iter.Across, Ops: make([]IterOp, len(s.iter.Ops))}
		for range s.iter.Size {
			n.Iter.Size = append(n.Iter.Size, next("n", 0))
		}
		for i, o := range s.iter.Ops {
			if o.Absent {
				n.Iter.Ops[i].Absent = true
				continue
			}
			x := IterOp{Off: next("o", 0), Stride: []sym.Int{}}
			for d, v := range o.Stride {
				x.Stride = append(x.Stride, stride(v, s.iter.inner(d)))
			}
			n.Iter.Ops[i] = x
		}
	}
	nc := *c
	nc.T = nil
	nc.In = make([]*tensor.Meta, len(c.In))
	nc.Out = make([]tensor.Meta, len(c.Out))
	n.Call = &nc
	for i := range len(c.In) + len(c.Out) {
		m := s.meta(i)
		if m == nil {
			if c.In[i] != nil {
				nc.In[i] = &tensor.Meta{DType: c.In[i].DType}
			}
			n.In = append(n.In, Operand{Num: c.In[i] != nil})
			continue
		}
		x := &tensor.Meta{DType: m.DType, Dev: m.Dev}
		if c.Def.Body == nil {
			for range m.Size {
				x.Size = append(x.Size, next("s", 0))
			}
			if s.iter == nil {
				x.Off = next("o", 0)
				for _, v := range m.Stride {
					x.Stride = append(x.Stride, stride(v, true))
				}
			}
		}
		if i < len(c.In) {
			nc.In[i] = x
			v := g.NewInput(x.DType, sym.Int{})
			n.In = append(n.In, Operand{Value: v, Meta: *x})
		} else {
			nc.Out[i-len(c.In)] = *x
		}
	}
	nc.Args = append([]op.Arg(nil), c.BareArgs()...) // a graph that is kept keeps no tensors
	for i := range nc.Args {
		if c.Def.Params[i].Type != op.PSymInt {
			continue
		}
		switch a := &nc.Args[i]; a.Kind {
		case op.ArgInt:
			a.I = next("i", -1)
		case op.ArgInts:
			l := make([]sym.Int, len(a.P.([]sym.Int)))
			for j := range l {
				l[j] = next("i", -1)
			}
			a.P = l
		}
	}
	if at != len(s.Bind) {
		panic("BUG: bindings and symbols disagree for " + c.Def.Name)
	}
	g.Add(n)
	g.Nums = len(s.Nums)
	if c.Def.State {
		n.State = 0
		g.States = 1
	}
	g.Outputs = n.Out
	ctx.Freeze()
	return g
}
