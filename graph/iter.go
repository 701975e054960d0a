package graph

import (
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// Iter is an iteration space with every operand's strides over it: what Body,
// Reduce and Rows are lowered from. Dimensions that all operands allow are
// merged, those of size 1 dropped, and the order is that of memory where the
// meaning does not fix it.
type Iter struct {
	Size []sym.Int
	Row  int // the last Row dimensions are the row (reduced) ones
	// Across: rows are short or strided, so the innermost kept dimension is the
	// better vector axis. It is part of the layout class.
	Across bool
	// Ops are the operands, then the outputs. Absent operands and numbers have a
	// nil Stride and Absent set.
	Ops []IterOp
	// Dims are the frame's dimensions that each dimension of the Iter stands for,
	// outermost first; nil where nobody asked (NewIter).
	Dims [][]int
}

// IterOp is one operand over the iteration space.
type IterOp struct {
	Absent bool
	Off    sym.Int
	Stride []sym.Int // by dimension of the Iter
}

// Kept is the number of dimensions that are not row dimensions.
func (it *Iter) Kept() int { return len(it.Size) - it.Row }

// HasIter reports whether a Def is lowered from an Iter.
func HasIter(d *op.Def) bool { return d.Body != nil || d.Reduce != nil || d.Rows != nil }

// NewIter derives the iteration space of an inferred Call. It takes no guard:
// merging uses algebra, and the order of loops only hints.
func NewIter(c *op.Call) *Iter { return newIter(c, new(iterBuf)) }

// iterBuf is the memory of a small Iter: eager execution makes one an op, and
// reuses it.
type iterBuf struct {
	it     Iter
	order  [8]int
	size   [8]sym.Int
	st     [8]sym.Int
	ops    [6]IterOp
	stride [24]sym.Int
}

// take takes n elements of a, zeroed, or makes them.
func take[T any](a []T, n int) []T {
	if n > len(a) {
		return make([]T, n)
	}
	clear(a[:n])
	return a[:n:n]
}

func newIter(c *op.Call, b *iterBuf) *Iter {
	d := c.Def
	switch {
	case d.Body != nil:
		it := frame(c, c.Out[0].Size, nil, nil, b)
		it.sort(0, len(it.Size), len(it.Ops)-1)
		it.merge()
		it.lengthen(0, len(it.Size))
		return it
	case d.Reduce != nil:
		it := frame(c, c.In[0].Size, c.ReduceDims(), nil, b)
		it.sort(0, it.Kept(), 0)
		ordered := d.Reduce.Ordered
		for _, f := range d.Reduce.Ops {
			ordered = ordered || f.HasIndex()
		}
		if !ordered {
			it.sort(it.Kept(), len(it.Size), 0)
		}
		it.merge()
		if !ordered {
			it.lengthen(it.Kept(), len(it.Size))
		}
		it.choose(false)
		return it
	case d.Rows != nil:
		size := []sym.Int(nil)
		if d.Rows.Frame != nil {
			size = d.Rows.Frame(c)
		} else {
			size = c.In[0].Size
		}
		it := frame(c, size, d.Rows.Dims(c), d.Rows.Align, b)
		it.sort(0, it.Kept(), 0)
		it.merge()
		it.choose(d.Rows.Serial)
		return it
	}
	panic("BUG: op " + d.Name + " has no iteration space")
}

// frame lays the operands over size, kept dimensions first.
func frame(c *op.Call, size []sym.Int, rows []int, align func(*op.Call, int) []int, b *iterBuf) *Iter {
	n := len(size)
	b.it = Iter{Row: len(rows)}
	it := &b.it
	order := take(b.order[:], n) // frame dims in Iter order
	kept := 0
	for d, j := 0, 0; d < n; d++ {
		if j < len(rows) && rows[j] == d {
			j++
			continue
		}
		order[kept] = d
		kept++
	}
	copy(order[kept:], rows)
	// size-1 dims never enter the loops
	w := 0
	row := 0
	for i, d := range order {
		if size[d].KnownEq(sym.C(1)) {
			continue
		}
		if i >= kept {
			row++
		}
		order[w] = d
		w++
	}
	order, it.Row = order[:w], row
	it.Size = take(b.size[:], w)
	for i, d := range order {
		it.Size[i] = size[d]
	}
	nop := len(c.In) + len(c.Out)
	it.Ops = take(b.ops[:], nop)
	back := take(b.stride[:], nop*w)
	st := take(b.st[:], n)
	for k := range nop {
		o := &it.Ops[k]
		if !walk(c, k, size, rows, align, o, st) {
			continue
		}
		o.Stride = back[k*w : (k+1)*w : (k+1)*w]
		for i, d := range order {
			o.Stride[i] = st[d]
		}
	}
	return it
}

// walk finds offset and strides over the frame of operand k (outputs follow the
// operands); false and Absent where it has no memory.
func walk(c *op.Call, k int, size []sym.Int, rows []int, align func(*op.Call, int) []int, o *IterOp, st []sym.Int) bool {
	n := len(size)
	var m *tensor.Meta
	if k < len(c.In) {
		m = c.In[k]
		if m == nil || c.IsNum(k) {
			o.Absent = true
			return false
		}
	} else {
		m = &c.Out[k-len(c.In)]
	}
	o.Off = m.Off
	clear(st)
	var al []int
	if align != nil {
		al = align(c, k)
	}
	switch {
	case al != nil:
		for j, d := range al {
			if d >= 0 {
				st[d] = m.Stride[j]
			}
		}
	case k >= len(c.In) && len(rows) > 0 && len(m.Size) == n-len(rows):
		for j, d, r := 0, 0, 0; d < n; d++ {
			if r < len(rows) && rows[r] == d {
				r++
				continue
			}
			st[d] = m.Stride[j]
			j++
		}
	case k >= len(c.In) && c.Def.Reduce != nil: // keepdim
		for j := range m.Size {
			st[j] = m.Stride[j]
		}
		for _, d := range rows {
			st[d] = sym.C(0)
		}
	default:
		lead := n - len(m.Size)
		for j := range m.Size {
			if m.Size[j] == size[j+lead] || m.Size[j].KnownEq(size[j+lead]) {
				st[j+lead] = m.Stride[j]
			}
		}
	}
	return true
}

// sort orders dims lo … hi-1 by decreasing stride of operand first, ties and
// zeros decided by the others.
func (it *Iter) sort(lo, hi, first int) {
	if hi-lo < 2 {
		return
	}
	for i := lo + 1; i < hi; i++ {
		for j := i; j > lo && it.inside(j-1, j, first); j-- {
			it.swap(j-1, j)
		}
	}
}

func (it *Iter) swap(a, b int) {
	it.Size[a], it.Size[b] = it.Size[b], it.Size[a]
	for k := range it.Ops {
		if s := it.Ops[k].Stride; s != nil {
			s[a], s[b] = s[b], s[a]
		}
	}
	if it.Dims != nil {
		it.Dims[a], it.Dims[b] = it.Dims[b], it.Dims[a]
	}
}

// inside: dim a should stand inside dim b, though it stands outside now.
func (it *Iter) inside(a, b, first int) bool {
	n := len(it.Ops)
	for i := range n {
		s := it.Ops[(first+i)%n].Stride
		if s == nil {
			continue
		}
		x, y := hint(s[a]), hint(s[b])
		if x == 0 || y == 0 || x == y {
			continue
		}
		return x < y
	}
	return false
}

func hint(s sym.Int) int64 {
	v := s.Hint()
	if v < 0 {
		return -v
	}
	return v
}

// merge joins neighbouring dims of one group that every operand walks as one.
func (it *Iter) merge() {
	kept := it.Kept()
	w := 0
	row := 0
	for i := range it.Size {
		isRow := i >= kept
		if w > 0 && isRow == (row > 0) && it.joins(w-1, i) {
			it.Size[w-1] = it.Size[w-1].Mul(it.Size[i])
			if it.Dims != nil {
				it.Dims[w-1] = append(it.Dims[w-1], it.Dims[i]...)
			}
			for k := range it.Ops {
				if s := it.Ops[k].Stride; s != nil {
					s[w-1] = s[i]
				}
			}
			continue
		}
		it.Size[w] = it.Size[i]
		if it.Dims != nil {
			it.Dims[w] = it.Dims[i]
		}
		for k := range it.Ops {
			if s := it.Ops[k].Stride; s != nil {
				s[w] = s[i]
			}
		}
		w++
		if isRow {
			row++
		}
	}
	it.Size, it.Row = it.Size[:w], row
	if it.Dims != nil {
		it.Dims = it.Dims[:w]
	}
	for k := range it.Ops {
		if s := it.Ops[k].Stride; s != nil {
			it.Ops[k].Stride = s[:w]
		}
	}
}

func (it *Iter) joins(a, b int) bool {
	n := it.Size[b]
	for k := range it.Ops {
		s := it.Ops[k].Stride
		if s == nil {
			continue
		}
		if p, ok := s[a].Const(); ok {
			if q, ok := s[b].Const(); ok {
				if m, ok := n.Const(); ok {
					if p != q*m {
						return false
					}
					continue
				}
			}
		}
		if !s[a].KnownEq(s[b].Mul(n)) {
			return false
		}
	}
	return true
}

// shortAxis is the length under which a vector axis wastes most of a block.
const shortAxis = 32

// lengthen makes the longest of dims lo … hi-1 the innermost where that is short.
func (it *Iter) lengthen(lo, hi int) {
	if hi-lo < 2 {
		return
	}
	last, best := it.Size[hi-1].Hint(), hi-1
	if last >= shortAxis {
		return
	}
	for d := lo; d < hi-1; d++ {
		if it.Size[d].Hint() > max(it.Size[best].Hint(), 4*last) {
			best = d
		}
	}
	for d := best; d < hi-1; d++ {
		it.swap(d, d+1)
	}
}

// choose decides which axis is the vector one and sets Across; serial says that
// the row is walked in order.
func (it *Iter) choose(serial bool) {
	kept := it.Kept()
	if kept == 0 {
		return
	}
	if it.Row == 0 || serial {
		it.lengthen(0, kept)
		it.Across = true
		return
	}
	in := it.lead()
	last := len(it.Size) - 1
	row, out := it.Size[last].Hint(), it.Size[kept-1].Hint()
	if row < shortAxis {
		if longest := it.longest(0, kept); longest > 2*row {
			it.lengthen(0, kept)
			it.Across = true
		}
		return
	}
	if in == nil {
		return
	}
	it.Across = hint(in.Stride[kept-1]) == 1 && hint(in.Stride[last]) != 1 && out >= shortAxis/2
}

func (it *Iter) longest(lo, hi int) int64 {
	n := int64(0)
	for d := lo; d < hi; d++ {
		n = max(n, it.Size[d].Hint())
	}
	return n
}

// lead is the first operand that moves along the row, nil if there is none.
func (it *Iter) lead() *IterOp {
	if o := &it.Ops[0]; !o.Absent && o.Stride != nil {
		return o
	}
	for k := range it.Ops {
		if o := &it.Ops[k]; !o.Absent && hint(o.Stride[len(o.Stride)-1]) != 0 {
			return o
		}
	}
	return nil
}
