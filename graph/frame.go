package graph

import (
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// Frame is the index space of a node before its dimensions are sorted and merged:
// what fusion compares and composes.
type Frame struct {
	Size []sym.Int
	Rows []int    // the row (reduced) dimensions, ascending
	Ops  []IterOp // operands, then outputs, over Size
}

// NewFrame derives the frame of an inferred Call. An Index op's operands have no
// walk: they are Absent.
func NewFrame(c *op.Call) *Frame {
	d := c.Def
	f := &Frame{}
	var align func(*op.Call, int) []int
	switch {
	case d.Body != nil, d.Index != nil:
		f.Size = c.Out[0].Size
	case d.Reduce != nil:
		f.Size, f.Rows = c.In[0].Size, c.ReduceDims()
	case d.Rows != nil:
		if f.Size = c.In[0].Size; d.Rows.Frame != nil {
			f.Size = d.Rows.Frame(c)
		}
		f.Rows, align = d.Rows.Dims(c), d.Rows.Align
	default:
		panic("BUG: op " + d.Name + " has no frame")
	}
	f.Ops = make([]IterOp, len(c.In)+len(c.Out))
	for k := range f.Ops {
		o := &f.Ops[k]
		if d.Index != nil && k < len(c.In) {
			o.Absent = true
			continue
		}
		st := make([]sym.Int, len(f.Size))
		if walk(c, k, f.Size, f.Rows, align, o, st) {
			o.Stride = st
		}
	}
	return f
}

// Flat is a pointwise frame as one dimension, where all operands and the output
// walk memory in one order; ok is false where they do not.
func (f *Frame) Flat(c *op.Call) (_ *Frame, ok bool) {
	if c.Def.Body == nil {
		return nil, false
	}
	it := NewIter(c)
	if len(it.Size) > 1 {
		return nil, false
	}
	if len(it.Size) == 0 {
		it.Size = []sym.Int{sym.C(1)}
		for k := range it.Ops {
			if o := &it.Ops[k]; !o.Absent {
				o.Stride = []sym.Int{sym.C(1)}
			}
		}
	}
	return &Frame{Size: it.Size, Ops: it.Ops}, true
}

// Arrange makes the loops of a kernel over a frame of the given size whose last
// nrow dims (of order, which lists the frame's dims outermost first) are row dims:
// dims of size 1 are dropped, the others sorted by memory order with operand first
// asked first, merged unless keep is set, and the vector axis chosen. It takes no
// guard. fixed rows keep their order.
func Arrange(size []sym.Int, order []int, nrow int, ops []IterOp, first int, keep, fixed, serial bool) *Iter {
	it := &Iter{}
	one := sym.C(1)
	kept := len(order) - nrow
	var dims []int
	for i, d := range order {
		if size[d].KnownEq(one) {
			continue
		}
		if i >= kept {
			it.Row++
		}
		dims = append(dims, d)
		it.Size = append(it.Size, size[d])
		it.Dims = append(it.Dims, []int{d})
	}
	it.Ops = make([]IterOp, len(ops))
	for k := range ops {
		it.Ops[k].Off, it.Ops[k].Absent = ops[k].Off, ops[k].Absent
		if ops[k].Absent {
			continue
		}
		it.Ops[k].Stride = make([]sym.Int, len(dims))
		for i, d := range dims {
			it.Ops[k].Stride[i] = ops[k].Stride[d]
		}
	}
	n := len(it.Size)
	it.sort(0, it.Kept(), first)
	if !fixed {
		it.sort(it.Kept(), n, first)
	}
	if !keep {
		it.merge()
	}
	if nrow == 0 {
		it.lengthen(0, len(it.Size))
		return it
	}
	if !fixed {
		it.lengthen(it.Kept(), len(it.Size))
	}
	if len(it.Ops) > 0 {
		it.choose(serial)
	}
	return it
}
