package loop

import (
	"cmp"
	"math"
	"slices"
	"unsafe"

	"github.com/larkspur-ml/larkspur/tensor"
)

// Sorting along a dimension, and the ops whose output size depends on data.
// Elements become unsigned keys in torch's order: NaN greatest, -0 equal to 0.
//
//	sort          In x; Out values, indices(i64), both of x's size; Ints dim; Flags descending, stable
//	              (always stable)
//	topk          In x; Out values, indices: x's size but k along dim; Ints dim, k; Flags largest, sorted
//	              (always sorted; of equals the first)
//	nonzero_count In x; Out a 0-dim int64: how many elements are not 0
//	nonzero       In x; Out int64 [count, dims of x], in row-major order
//	masked_select In x, mask (bool, x's size, broadcast by stride 0); Out [count]
//	unique_count  In x; Out a 0-dim int64: how many distinct values
//	unique        In x; Out values [count] ascending, inverse? int64 of x's size, counts? int64 [count]
//	              (each NaN is distinct, as in torch)

func init() {
	RegisterPortable("sort", sortTemplate)
	RegisterPortable("topk", topkTemplate)
	RegisterPortable("nonzero_count", nonzeroCount)
	RegisterPortable("nonzero", nonzeroTemplate)
	RegisterPortable("masked_select", maskedSelect)
	RegisterPortable("unique_count", uniqueCount)
	RegisterPortable("unique", uniqueTemplate)
}

// pair is a key and where it was.
type pair struct {
	key uint64
	at  int64
}

// orderKey maps an element of a dtype to a key that compares as torch sorts.
func orderKey(d tensor.DType, p unsafe.Pointer) uint64 {
	float := func(f float64) uint64 {
		if f != f {
			return math.MaxUint64
		}
		b := math.Float64bits(f + 0) // -0 + 0 is 0
		if b>>63 != 0 {
			return ^b
		}
		return b | 1<<63
	}
	switch d {
	case tensor.Bool, tensor.Uint8:
		return uint64(*(*uint8)(p))
	case tensor.Int8:
		return uint64(*(*int8)(p)) ^ 1<<63
	case tensor.Int16:
		return uint64(*(*int16)(p)) ^ 1<<63
	case tensor.Int32:
		return uint64(*(*int32)(p)) ^ 1<<63
	case tensor.Int64:
		return uint64(*(*int64)(p)) ^ 1<<63
	case tensor.Float16:
		return float(float64(tensor.F16ToF32(*(*uint16)(p))))
	case tensor.BFloat16:
		return float(float64(tensor.BF16ToF32(*(*uint16)(p))))
	case tensor.Float32:
		return float(float64(*(*float32)(p)))
	case tensor.Float64:
		return float(*(*float64)(p))
	}
	panic("BUG: no order of " + d.String())
}

// pollSpan is the number of elements that a template walks between two polls.
const pollSpan = 1 << 14

// pollAt polls at every pollSpan-th of counted elements.
func (a *TemplateArgs) pollAt(i int) error {
	if i%pollSpan != pollSpan-1 {
		return nil
	}
	return a.poll()
}

// sortPairs sorts stably: by comparison when short, else by bytes from the
// lowest, skipping bytes in which all keys agree.
func sortPairs(t *TemplateArgs, a []pair, spare *[]pair) error {
	if len(a) < 256 {
		slices.SortFunc(a, func(x, y pair) int {
			if c := cmp.Compare(x.key, y.key); c != 0 {
				return c
			}
			return cmp.Compare(x.at, y.at)
		})
		return nil
	}
	b := grow(spare, len(a))
	src, dst := a, b
	same, all := ^uint64(0), a[0].key
	for _, p := range a {
		same &= ^(p.key ^ all)
	}
	for shift := 0; shift < 64; shift += 8 {
		if same>>shift&255 == 255 {
			continue
		}
		var count [257]int
		for i := range src {
			count[src[i].key>>shift&255+1]++
		}
		for i := 1; i < 257; i++ {
			count[i] += count[i-1]
		}
		for rest := src; len(rest) > 0; {
			part := rest[:min(pollSpan, len(rest))]
			rest = rest[len(part):]
			for _, p := range part {
				k := p.key >> shift & 255
				dst[count[k]] = p
				count[k]++
			}
			if err := t.poll(); err != nil {
				return err
			}
		}
		src, dst = dst, src
	}
	if &src[0] != &a[0] {
		copy(a, src)
	}
	return nil
}

// eachRow calls f for every 1-dim row along dim with the offsets of its first
// element in each operand; operands agree in all other dims.
func eachRow(lo, hi int64, dim int, ops []*Operand, f func(off []int64) error) error {
	size := ops[0].Size
	off := make([]int64, len(ops))
	for r := lo; r < hi; r++ {
		q := r
		for i, o := range ops {
			off[i] = o.Off
		}
		for d := len(size) - 1; d >= 0; d-- {
			if d == dim {
				continue
			}
			x := q % size[d]
			q /= size[d]
			for i, o := range ops {
				off[i] += x * o.Stride[d]
			}
		}
		if err := f(off); err != nil {
			return err
		}
	}
	return nil
}

// rowsOf is the number of rows along dim and their length; a 0-dim operand is one
// row of one.
func rowsOf(o *Operand, dim int) (rows, n int64) {
	rows, n = 1, 1
	for d, s := range o.Size {
		if d == dim {
			n = s
		} else {
			rows *= s
		}
	}
	return
}

func (o *Operand) along(dim int) int64 {
	if dim < len(o.Stride) {
		return o.Stride[dim]
	}
	return 0
}

// copyElement copies the bytes of one element.
func copyElement(size int, dst, src unsafe.Pointer) {
	switch size {
	case 1:
		*(*uint8)(dst) = *(*uint8)(src)
	case 2:
		*(*uint16)(dst) = *(*uint16)(src)
	case 4:
		*(*uint32)(dst) = *(*uint32)(src)
	default:
		*(*uint64)(dst) = *(*uint64)(src)
	}
}

func sortTemplate(a *TemplateArgs) error {
	return sortRows(a, int(a.Ints[0]), -1, len(a.Flags) > 0 && a.Flags[0])
}

func topkTemplate(a *TemplateArgs) error {
	return sortRows(a, int(a.Ints[0]), a.Ints[1], len(a.Flags) == 0 || a.Flags[0])
}

// sortRows writes the first k (all: k < 0) of each row in order.
func sortRows(a *TemplateArgs, dim int, k int64, descending bool) error {
	x, val, idx := &a.In[0], &a.Out[0], &a.Out[1]
	x.mustFit("sort")
	val.mustFit("sort")
	idx.mustFit("sort")
	rows, n := rowsOf(x, dim)
	if k < 0 {
		k = n
	}
	if rows == 0 || n == 0 || k == 0 {
		return nil
	}
	flip := uint64(0)
	if descending {
		flip = math.MaxUint64
	}
	size := x.DType.Size()
	return a.Parallel(rows, 1+20000/n, func(lo, hi int64) error {
		ps := make([]pair, n)
		var spare []pair
		xs, vs, is := x.along(dim), val.along(dim), idx.along(dim)
		return eachRow(lo, hi, dim, []*Operand{x, val, idx}, func(off []int64) error {
			for i := range ps {
				ps[i] = pair{orderKey(x.DType, x.at(off[0]+int64(i)*xs)) ^ flip, int64(i)}
				if err := a.pollAt(i); err != nil {
					return err
				}
			}
			first, err := ps, error(nil)
			if k < n/4 {
				first, err = smallest(a, ps, int(k))
			} else {
				err = sortPairs(a, ps, &spare)
			}
			if err != nil {
				return err
			}
			for i, p := range first[:k] {
				if err := a.pollAt(i); err != nil {
					return err
				}
				copyElement(size, val.at(off[1]+int64(i)*vs), x.at(off[0]+p.at*xs))
				*(*int64)(idx.at(off[2] + int64(i)*is)) = p.at
			}
			return a.poll()
		})
	})
}

func (p pair) after(q pair) bool { return p.key > q.key || p.key == q.key && p.at > q.at }

// smallest brings the k least pairs to the front in order, by a heap of k with
// the greatest on top.
func smallest(t *TemplateArgs, a []pair, k int) ([]pair, error) {
	h := a[:k]
	down := func(i int) {
		for {
			c := 2*i + 1
			if c >= k {
				return
			}
			if c+1 < k && h[c+1].after(h[c]) {
				c++
			}
			if !h[c].after(h[i]) {
				return
			}
			h[i], h[c] = h[c], h[i]
			i = c
		}
	}
	for i := k/2 - 1; i >= 0; i-- {
		down(i)
	}
	for i, p := range a[k:] {
		if h[0].after(p) {
			h[0] = p
			down(0)
		}
		if err := t.pollAt(i); err != nil {
			return nil, err
		}
	}
	var spare []pair
	slices.SortFunc(h, func(x, y pair) int { return cmp.Compare(x.at, y.at) })
	return h, sortPairs(t, h, &spare)
}

// isZero tests an element; NaN is not zero, -0 is.
func isZero(d tensor.DType, p unsafe.Pointer) bool {
	switch d.Size() {
	case 1:
		return *(*uint8)(p) == 0
	case 2:
		x := *(*uint16)(p)
		return x == 0 || d.IsFloat() && x == 1<<15
	case 4:
		x := *(*uint32)(p)
		return x == 0 || d.IsFloat() && x == 1<<31
	}
	x := *(*uint64)(p)
	return x == 0 || d.IsFloat() && x == 1<<63
}

// walk visits the elements of operands of one size in row-major order. Its error
// is that of a poll.
func walk(a *TemplateArgs, ops []*Operand, f func(idx, off []int64)) error {
	size := ops[0].Size
	for _, s := range size {
		if s == 0 {
			return nil
		}
	}
	idx, off := make([]int64, len(size)), make([]int64, len(ops))
	for i, o := range ops {
		off[i] = o.Off
	}
	for n := 0; ; n++ {
		f(idx, off)
		if err := a.pollAt(n); err != nil {
			return err
		}
		d := len(size) - 1
		for ; d >= 0; d-- {
			idx[d]++
			for i, o := range ops {
				off[i] += o.Stride[d]
			}
			if idx[d] < size[d] {
				break
			}
			for i, o := range ops {
				off[i] -= size[d] * o.Stride[d]
			}
			idx[d] = 0
		}
		if d < 0 {
			return nil
		}
	}
}

func putInt64(o *Operand, off, v int64) { *(*int64)(o.at(off)) = v }

func nonzeroCount(a *TemplateArgs) error {
	x, n := &a.In[0], int64(0)
	x.mustFit("nonzero")
	if err := walk(a, []*Operand{x}, func(_, off []int64) {
		if !isZero(x.DType, x.at(off[0])) {
			n++
		}
	}); err != nil {
		return err
	}
	a.Out[0].mustFit("nonzero")
	putInt64(&a.Out[0], a.Out[0].Off, n)
	return nil
}

// errChanged is a programming error of the host: data changed between the two
// passes over it.
var errChanged = tensor.Errorf(tensor.RuntimeError, "data changed while its result was being computed")

func nonzeroTemplate(a *TemplateArgs) error {
	x, out, n := &a.In[0], &a.Out[0], int64(0)
	x.mustFit("nonzero")
	out.mustFit("nonzero")
	if err := walk(a, []*Operand{x}, func(idx, off []int64) {
		if isZero(x.DType, x.at(off[0])) {
			return
		}
		if n < out.Size[0] {
			for d, i := range idx {
				putInt64(out, out.Off+n*out.Stride[0]+int64(d)*out.Stride[1], i)
			}
		}
		n++
	}); err != nil {
		return err
	}
	if n != out.Size[0] {
		return errChanged
	}
	return nil
}

func maskedSelect(a *TemplateArgs) error {
	x, mask, out, n := &a.In[0], &a.In[1], &a.Out[0], int64(0)
	x.mustFit("masked_select")
	mask.mustFit("masked_select")
	out.mustFit("masked_select")
	size := x.DType.Size()
	if err := walk(a, []*Operand{x, mask}, func(_, off []int64) {
		if *(*uint8)(mask.at(off[1])) == 0 {
			return
		}
		if n < out.Size[0] {
			copyElement(size, out.at(out.Off+n*out.Stride[0]), x.at(off[0]))
		}
		n++
	}); err != nil {
		return err
	}
	if n != out.Size[0] {
		return errChanged
	}
	return nil
}

// sortedAll is every element of x in order, with its row-major number, and the
// offset of each element by that number.
func sortedAll(a *TemplateArgs, x *Operand) (ps []pair, off []int64, err error) {
	x.mustFit("unique")
	err = walk(a, []*Operand{x}, func(_, o []int64) {
		ps = append(ps, pair{orderKey(x.DType, x.at(o[0])), int64(len(ps))})
		off = append(off, o[0])
	})
	if err != nil {
		return nil, nil, err
	}
	var spare []pair
	return ps, off, sortPairs(a, ps, &spare)
}

// newValue says that element i of sorted pairs differs from the one before it.
func newValue(d tensor.DType, ps []pair, i int) bool {
	return i == 0 || ps[i].key != ps[i-1].key || d.IsFloat() && ps[i].key == math.MaxUint64
}

func uniqueCount(a *TemplateArgs) error {
	ps, _, err := sortedAll(a, &a.In[0])
	if err != nil {
		return err
	}
	n := int64(0)
	for i := range ps {
		if newValue(a.In[0].DType, ps, i) {
			n++
		}
	}
	a.Out[0].mustFit("unique")
	putInt64(&a.Out[0], a.Out[0].Off, n)
	return nil
}

func uniqueTemplate(a *TemplateArgs) error {
	x, val := &a.In[0], &a.Out[0]
	for i := range a.Out {
		a.Out[i].mustFit("unique")
	}
	part := func(i int) *Operand {
		if i < len(a.Out) && a.Out[i].DType != tensor.Invalid {
			return &a.Out[i]
		}
		return nil
	}
	inverse, counts := part(1), part(2)
	ps, off, err := sortedAll(a, x)
	if err != nil {
		return err
	}
	number := make([]int64, len(ps))
	n := int64(-1)
	count := int64(0)
	size := x.DType.Size()
	finish := func() {
		if counts != nil && n >= 0 {
			putInt64(counts, counts.Off+n*counts.Stride[0], count)
		}
	}
	for i, p := range ps {
		if newValue(x.DType, ps, i) {
			if n+1 >= val.Size[0] {
				return errChanged
			}
			finish()
			n++
			count = 0
			copyElement(size, val.at(val.Off+n*val.Stride[0]), x.at(off[p.at]))
		}
		count++
		number[p.at] = n
		if err := a.pollAt(i); err != nil {
			return err
		}
	}
	if n+1 != val.Size[0] {
		return errChanged
	}
	finish()
	if inverse != nil {
		k := 0
		return walk(a, []*Operand{inverse}, func(_, o []int64) {
			putInt64(inverse, o[0], number[k])
			k++
		})
	}
	return nil
}
