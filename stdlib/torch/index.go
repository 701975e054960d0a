package torch

import (
	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Subscripts. What can be a view is one: integers, slices, None and Ellipsis are
// applied from left to right; tensors, masks and lists of numbers are gathered and
// applied at the end, by index or index_put.
//
//	x[1, :, None, i, ..., mask]  →  select, slice, unsqueeze  →  index(view, [-, -, i, …, mask])

// maxLegacy is the length from which a list is an index and never a tuple of
// indices (numpy's old rule, which torch keeps).
const maxLegacy = 32

// subscript splits a key into the indices of successive dimensions.
func subscript(t *value.Thread, key value.Value) ([]value.Value, error) {
	if tup, ok := value.Payload(key).AsTuple(); ok {
		elems := make([]value.Value, len(tup))
		for i, e := range tup {
			elems[i] = value.FromStarlark(e)
		}
		return elems, nil
	}
	if value.Payload(key).AsList() != nil {
		elems, _, err := elements(t, key)
		if err != nil {
			return nil, err
		}
		if len(elems) < maxLegacy {
			for _, e := range elems {
				_, isTensor := AsTensor(e)
				_, isSeq := sequence(e)
				if isTensor || isSeq || e.IsNone() || e == value.Ellipsis || e.Is(value.ItabSlice) {
					return elems, nil
				}
			}
		}
	}
	return []value.Value{key}, nil
}

// indexing is a subscript being applied.
type indexing struct {
	r   *Runtime
	t   *value.Thread
	x   *eager.Context
	src *eager.Tensor
	dim int
	// real counts dimensions of the subscripted tensor, for errors.
	real int
	// by has the index tensors, by dimension of src; nil entries in between.
	by []op.Tensor
}

// slicing applies the indices of key to self as far as they are views.
func (r *Runtime) slicing(t *value.Thread, self *eager.Tensor, key value.Value) (*indexing, error) {
	keys, err := subscript(t, key)
	if err != nil {
		return nil, err
	}
	ix := &indexing{r: r, t: t, x: r.Context(t), src: self}
	used := 0
	for _, k := range keys {
		switch {
		case k.IsNone() || k == value.Ellipsis || k.IsBool():
		default:
			used++
			if m, ok := AsTensor(k); ok && (m.DType == tensor.Bool || m.DType == tensor.Uint8) {
				used += m.Rank() - 1
			}
		}
	}
	if used > self.Rank() {
		if self.Rank() == 0 && len(keys) == 1 && (keys[0].IsInt() || keys[0].Is(value.ItabSlice)) {
			if keys[0].Is(value.ItabSlice) {
				return nil, value.IndexErrorf("slice() cannot be applied to a 0-dim tensor.")
			}
			return nil, value.IndexErrorf("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor to a number")
		}
		return nil, value.IndexErrorf("too many indices for tensor of dimension %d", self.Rank())
	}
	for _, k := range keys {
		if err := ix.apply(k, self.Rank()-used); err != nil {
			return nil, err
		}
	}
	return ix, nil
}

func (ix *indexing) view(d *op.Def, args ...op.Arg) error {
	y, err := ix.x.Call1(d, args...)
	if err != nil {
		return raise(err)
	}
	ix.src = y
	return nil
}

var (
	defSelect    = op.Lookup("select.int")
	defSlice     = op.Lookup("slice.Tensor")
	defUnsqueeze = op.Lookup("unsqueeze")
	defIndex     = op.Lookup("index.Tensor")
	defIndexPut  = op.Lookup("index_put")
	defAlias     = op.Lookup("alias")
)

func (ix *indexing) apply(k value.Value, rest int) error {
	if n, ok := symbolicInt(k); ok {
		return ix.take(n)
	}
	switch k = concrete(k); {
	case k.IsInt():
		return ix.take(op.C(k.Int64()))
	case k.IsBool():
		return ix.truth(k.IsTrue())
	case k.IsNone():
		err := ix.view(defUnsqueeze, op.T(ix.src), op.IntArg(op.C(int64(ix.dim))))
		ix.dim++
		return err
	case k == value.Ellipsis:
		ix.dim += rest
		ix.real += rest
		return nil
	case k.Is(value.ItabSlice):
		return ix.slice(k)
	}
	if m, ok := AsTensor(k); ok {
		if m.Rank() == 0 && !m.DType.IsFloat() {
			n, err := ix.r.item(ix.t, m)
			if err != nil {
				return err
			}
			if m.DType == tensor.Bool {
				return ix.truth(n.I != 0)
			}
			return ix.take(op.C(n.I))
		}
		ix.real++
		if m.DType == tensor.Bool || m.DType == tensor.Uint8 {
			ix.real += m.Rank() - 1
		}
		ix.record(m)
		return nil
	}
	if _, ok := sequence(k); ok {
		ix.real++
		m, err := ix.r.fromData(ix.t, k, tensor.Invalid)
		if err != nil {
			return err
		}
		if m.Numel() == 0 && m.DType.IsFloat() { // [] indexes nothing
			if m, err = ix.r.apply1(ix.t, "_to_dtype", m, tensor.Int64); err != nil {
				return err
			}
		}
		ix.record(m)
		return nil
	}
	if _, isStr := k.AsString(); isStr {
		return value.TypeErrorf("new(): invalid data type 'str'")
	}
	i, ok, err := value.AsIndex(ix.t, k)
	if err != nil {
		return err
	}
	if ok {
		return ix.take(op.C(i))
	}
	return value.IndexErrorf("only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got %s)", typeName(k))
}

func (ix *indexing) take(i op.SymInt) error {
	n := ix.src.Meta().Size[ix.dim]
	if i.Lt(n.Neg()) || i.Ge(n) {
		return value.IndexErrorf("index %d is out of bounds for dimension %d with size %d", i.Hint(), ix.real, n.Hint())
	}
	ix.real++
	return ix.view(defSelect, op.T(ix.src), op.IntArg(op.C(int64(ix.dim))), op.IntArg(i))
}

func (ix *indexing) slice(k value.Value) error {
	s := (*value.Slice)(k.P)
	ix.real++
	bound := func(v value.Value, def int64) (op.Arg, error) {
		if v.IsNone() || v.IsUnset() {
			return op.IntArg(op.C(def)), nil
		}
		if n, ok := symbolicInt(v); ok {
			return op.IntArg(n), nil
		}
		i, ok, err := value.AsIndex(ix.t, v)
		if err != nil {
			return op.Arg{}, err
		}
		if !ok {
			return op.Arg{}, value.TypeErrorf("slice indices must be integers or None or have an __index__ method")
		}
		return op.IntArg(op.C(i)), nil
	}
	step, err := bound(concrete(s.Step), 1)
	if err != nil {
		return err
	}
	if step.I.Must() == 0 {
		return value.ValueErrorf("slice step cannot be zero")
	}
	if step.I.Must() < 0 {
		return value.ValueErrorf("step must be greater than zero")
	}
	lo, err := bound(s.Lo, 0)
	if err != nil {
		return err
	}
	hi, err := bound(s.Hi, 1<<63-1)
	if err != nil {
		return err
	}
	if !given(s.Lo) && !given(s.Hi) && step.I.Must() == 1 {
		ix.dim++ // a whole dimension needs no view
		return nil
	}
	if !given(s.Hi) {
		hi = op.IntArg(ix.src.Meta().Size[ix.dim])
	}
	err = ix.view(defSlice, op.T(ix.src), op.IntArg(op.C(int64(ix.dim))), lo, hi, step)
	ix.dim++
	return err
}

// truth is x[True] or x[False]: a new dimension of size 1 or 0.
func (ix *indexing) truth(b bool) error {
	if err := ix.view(defUnsqueeze, op.T(ix.src), op.IntArg(op.C(int64(ix.dim)))); err != nil {
		return err
	}
	var raw []byte
	size := []int64{0}
	if b {
		raw, size[0] = make([]byte, 8), 1
	}
	m, err := ix.x.FromBytes(tensor.Int64, size, raw)
	if err != nil {
		return raise(err)
	}
	ix.record(m)
	return nil
}

func (ix *indexing) record(m *eager.Tensor) {
	for len(ix.by) < ix.dim {
		ix.by = append(ix.by, nil)
	}
	ix.by = append(ix.by, m)
	ix.dim++
}

func (r *Runtime) getItem(t *value.Thread, v, key value.Value) (value.Value, error) {
	x, err := self(v, "__getitem__")
	if err != nil {
		return value.Value{}, err
	}
	ix, err := r.slicing(t, x, key)
	if err != nil {
		return value.Value{}, err
	}
	switch {
	case len(ix.by) > 0:
		err = ix.view(defIndex, op.T(ix.src), op.TensorList(ix.by))
	case ix.src == x:
		err = ix.view(defAlias, op.T(x))
	}
	if err != nil {
		return value.Value{}, err
	}
	return r.result(ix.src, r.subclass([]value.Value{v})), nil
}

func (r *Runtime) setItem(t *value.Thread, v, key, to value.Value) error {
	x, err := self(v, "__setitem__")
	if err != nil {
		return err
	}
	if err := writable(x); err != nil {
		return err
	}
	src, isTensor := AsTensor(to)
	n, isNumber := number(to)
	if !isTensor && !isNumber {
		return value.TypeErrorf("can't assign a %s to a torch.%sTensor", typeName(to), x.DType.ScalarName())
	}
	ix, err := r.slicing(t, x, key)
	if err != nil {
		return err
	}
	if len(ix.by) == 0 {
		if isNumber {
			_, err = ix.x.ApplyInPlace(op.Lookup("fill.Scalar"), []op.Arg{op.T(ix.src), op.Num(n)})
		} else {
			if src, err = r.broadcast(t, src, ix.src); err == nil {
				err = ix.x.Write(ix.src, src)
			}
		}
		return raise(err)
	}
	if isNumber {
		src, err = r.scalar(t, n, x.DType)
	} else if src.DType != x.DType {
		src, err = r.apply1(t, "_to_dtype", src, x.DType)
	}
	if err != nil {
		return err
	}
	_, err = ix.x.ApplyInPlace(defIndexPut, []op.Arg{op.T(ix.src), op.TensorList(ix.by), op.T(src), op.Bool(false)})
	return raise(err)
}

// broadcast checks that src can be stored in dst: leading dimensions of size 1
// may be dropped, the rest must expand.
func (r *Runtime) broadcast(t *value.Thread, src, dst *eager.Tensor) (*eager.Tensor, error) {
	if src.Meta().Symbolic() || dst.Meta().Symbolic() {
		return src, nil // the copy asks
	}
	lead := 0
	for lead < src.Rank() && src.Size[lead] == 1 && src.Rank()-lead > dst.Rank() {
		lead++
	}
	rest := src.Size[lead:]
	fits := len(rest) <= dst.Rank()
	for i := 1; fits && i <= len(rest); i++ {
		n := rest[len(rest)-i]
		fits = n == 1 || n == dst.Size[dst.Rank()-i]
	}
	if fits {
		return src, nil
	}
	return r.apply1(t, "expand", src, dst.Size) // for its error
}

// scalar is a 0-dimensional tensor of a number.
func (r *Runtime) scalar(t *value.Thread, n tensor.Number, d tensor.DType) (*eager.Tensor, error) {
	x, err := r.Context(t).FromBytes(d, nil, tensor.AppendElement(nil, d, n))
	return x, raise(err)
}
