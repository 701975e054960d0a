package guards

import (
	"math"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// Frames reaches the frames of a region, numbered from its base, and functions.
type Frames interface {
	Reg(frame, reg int) value.Value
	Fn(frame int) value.Value
	// Code is what a function runs, nil for a value that is none; SameState reports
	// that nothing of it has changed. Bare: it has no defaults and attributes.
	Code(fn value.Value) any
	SameState(fn value.Value, state any) bool
	Bare(fn value.Value) bool
	Cell(fn value.Value, i int) value.Value
	Default(fn value.Value, i int) value.Value
	// SameModes compares grad mode, default dtype and the like.
	SameModes(modes any) bool
	// Watch is where the watch of an object is kept that package value does not
	// know, a function or tensor; nil if it cannot change. ok is false where changes
	// of it are not told.
	Watch(v value.Value) (at **value.Watch, ok bool)
}

// Tensors reaches the metadata of tensors.
type Tensors interface {
	// Matches reports whether v is a tensor with metadata m.
	Matches(v value.Value, m any) bool
	// Size is a size of a tensor, or (-1) the number of elements of its memory.
	Size(v value.Value, d int) (n int64, ok bool)
	// Grad is the gradient of a tensor as a value, None if there is none.
	Grad(v value.Value) value.Value
	// SameStorage: b lies in a's storage, its first element that many behind a's.
	SameStorage(a, b value.Value, apart int64) bool
	// Apart: the tensors share no storage and no memory.
	Apart(a, b value.Value) bool
}

// A World is all that checks look at besides values.
type World interface {
	Frames
	Tensors
}

// Check tests the guards in order. vals has room for the kept values. On failure
// it returns the guard and the value it found.
func Check(list []Guard, w World, t *value.Thread, vals []value.Value) (failed *Guard, got value.Value) {
	for i := range list {
		g := &list[i]
		v, ok := load(g, w, t, vals)
		if !ok || !test(g, v, w, t, vals) {
			return g, v
		}
		if g.Dst >= 0 {
			vals[g.Dst] = v
		}
	}
	return nil, value.Value{}
}

// Survey tells of all guards that fail, so that many numbers that change cost one
// recording. What is reached through one that failed is left out: it may be
// something else altogether.
func Survey(list []Guard, w World, t *value.Thread, vals []value.Value, failed func(g *Guard, got value.Value)) {
	for i := range list {
		g := &list[i]
		if !g.hangsOn(func(id int) bool { return !vals[id].IsUnset() }) {
			continue
		}
		v, ok := load(g, w, t, vals)
		if !ok {
			continue
		}
		if !test(g, v, w, t, vals) {
			failed(g, v)
		} else if g.Dst >= 0 {
			vals[g.Dst] = v
		}
	}
}

func (g *Guard) index(t *value.Thread, vals []value.Value) int {
	if g.Index == nil {
		return g.J
	}
	v, ok := g.Index.Eval(t, vals)
	if !ok || !v.IsInt() || v.Int64() < 0 || v.Int64() > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(v.Int64())
}

// load reaches the guard's value; ok is false where the way to it is gone. An
// absent thing at the end of the way is unset.
func load(g *Guard, w World, t *value.Thread, vals []value.Value) (v value.Value, ok bool) {
	switch g.Load {
	case LoadNone:
		return g.A.Get(vals), true
	case LoadReg:
		return w.Reg(g.I, g.J), true
	case LoadFn:
		return w.Fn(g.I), true
	case LoadMode:
		return value.Value{}, true
	case LoadExpr:
		return g.Expr.Eval(t, vals)
	}
	a := g.A.Get(vals)
	if a.IsTagged() || a.IsUnset() {
		return value.Value{}, false
	}
	switch g.Load {
	case LoadGlobal:
		m, ok := value.As[*value.Module](a)
		if !ok {
			return value.Value{}, false
		}
		v, _ := m.Get(g.Name)
		return v, true
	case LoadSlot:
		in := a.AsInstance()
		if in == nil {
			return value.Value{}, false
		}
		v, _ := in.Get(g.Name)
		return v, true
	case LoadItem:
		l := a.AsList()
		if i := g.index(t, vals); l != nil && i < len(l.Elems) {
			return l.Elems[i], true
		}
	case LoadKey:
		d := a.AsDict()
		if d == nil {
			return value.Value{}, false
		}
		v, ok, err := d.Lookup(t, g.B.Get(vals))
		if !ok {
			v = value.Value{}
		}
		return v, err == nil
	case LoadCell:
		if a.Is(value.ItabCell) {
			return (*value.Cell)(a.P).V, true
		}
	case LoadFnCell:
		v := w.Cell(a, g.J)
		return v, !v.IsUnset()
	case LoadFnDef:
		v := w.Default(a, g.J)
		return v, !v.IsUnset()
	case LoadTuple:
		if tup, ok := a.AsTuple(); ok && g.J < len(tup) {
			return value.FromStarlark(tup[g.J]), true
		}
	case LoadBound:
		if a.Is(value.ItabMethod) {
			if g.J == 0 {
				return (*value.BoundMethod)(a.P).Self, true
			}
			return (*value.BoundMethod)(a.P).Fn, true
		}
	case LoadGrad:
		v := w.Grad(a)
		return v, !v.IsUnset()
	case LoadBase:
		p := value.Payload(a)
		return p, p != a
	case LoadList, LoadNext:
		return iterLoad(g, a)
	case LoadInner:
		if e, ok := value.As[*value.Enumerate](a); ok {
			return e.It, g.J == 0
		}
		if z, ok := value.As[*value.Zip](a); ok && g.J < len(z.Its) {
			return z.Its[g.J], true
		}
	case LoadSize:
		n, ok := w.Size(a, g.J)
		return value.Int(n), ok
	case LoadLen:
		n, ok := length(a)
		return value.Int(int64(n)), ok
	case LoadCount:
		if e, ok := value.As[*value.Enumerate](a); ok {
			return value.Int(e.N), true
		}
	}
	return value.Value{}, false
}

// iterLoad looks into an iterator.
func iterLoad(g *Guard, a value.Value) (value.Value, bool) {
	if it, ok := value.As[*value.ListIter](a); ok && it.Pos >= 0 {
		if g.Load == LoadList {
			return it.List.Value(), true
		}
		if i := it.Pos + g.J; i < len(it.List.Elems) {
			return it.List.Elems[i], true
		}
	}
	if it, ok := value.As[*value.TupleIter](a); ok && g.Load == LoadNext && it.Pos+g.J < len(it.Tuple) {
		return value.FromStarlark(it.Tuple[it.Pos+g.J]), true
	}
	if it, ok := value.As[*value.RangeIter](a); ok && g.Load == LoadNext && it.Pos+g.J < it.N {
		return value.Int(it.R.At(it.Pos + g.J)), true
	}
	return value.Value{}, false
}

// Immediate reports a value that equality says everything of.
func Immediate(v value.Value) bool {
	return v.IsTagged() || v.Is(value.ItabString) || v.Is(value.ItabBytes) || v.Is(value.ItabBigInt)
}

// Equal compares immediates: the same type and the same value, floats by their bits.
func Equal(a, b value.Value) bool {
	if a == b {
		return true
	}
	if a.N != b.N || a.IsTagged() || b.IsTagged() || a.IsUnset() || b.IsUnset() {
		return false
	}
	if s, ok := a.AsString(); ok {
		u, ok := b.AsString()
		return ok && s == u
	}
	if a.Is(value.ItabBytes) || a.Is(value.ItabBigInt) {
		return a.Starlark().String() == b.Starlark().String()
	}
	return false
}

func test(g *Guard, v value.Value, w World, t *value.Thread, vals []value.Value) bool {
	switch g.Test {
	case TestNone:
		return !v.IsUnset()
	case TestEqual:
		return Equal(v, g.Want)
	case TestIs:
		return v == g.Want
	case TestUnset:
		return v.IsUnset()
	case TestInt:
		return v.IsInt()
	case TestFloat:
		return v.IsFloat()
	case TestType:
		return v.Is(g.Itab)
	case TestShape:
		in := v.AsInstance()
		return in != nil && in.Shape == g.Shape
	case TestVersion:
		c := v.AsClass()
		return c != nil && c.Version == g.Version
	case TestTuple:
		tup, ok := v.AsTuple()
		return ok && len(tup) == g.J2
	case TestFunc:
		return v == g.Want && w.SameState(v, g.State)
	case TestCode:
		return !v.IsUnset() && w.Code(v) == g.Code && w.Bare(v)
	case TestTensor:
		in := v.AsInstance()
		return in != nil && in.Shape == g.Shape && w.Matches(v, g.Meta)
	case TestLen:
		n, ok := length(v)
		return ok && n == g.J2
	case TestOrder:
		return sameKeys(v, g.Keys)
	case TestHas, TestHasNot:
		has, ok := contains(v, g.B.Get(vals), t)
		return ok && has == (g.Test == TestHas)
	case TestEnd:
		return ended(g, v, t, vals)
	case TestSame:
		return v == g.B.Get(vals)
	case TestDistinct:
		return v != g.B.Get(vals)
	case TestStorage:
		return w.SameStorage(v, g.B.Get(vals), int64(g.J))
	case TestApart:
		return w.Apart(v, g.B.Get(vals))
	case TestTrue, TestFalse:
		x, ok := g.Expr.Eval(t, vals)
		return ok && x.IsBool() && x.IsTrue() == (g.Test == TestTrue)
	case TestWritable:
		return writable(v)
	case TestMode:
		return w.SameModes(g.Mode)
	}
	return false
}

func length(v value.Value) (int, bool) {
	if l := v.AsList(); l != nil {
		return len(l.Elems), true
	}
	if d := v.AsDict(); d != nil {
		return d.Len(), true
	}
	if s, ok := value.As[*value.Set](v); ok {
		return s.Len(), true
	}
	if z, ok := value.As[*value.Zip](v); ok {
		return len(z.Its), true
	}
	return 0, false
}

func contains(v, k value.Value, t *value.Thread) (has, ok bool) {
	if d := v.AsDict(); d != nil {
		has, err := d.Has(t, k)
		return has, err == nil
	}
	if s, ok := value.As[*value.Set](v); ok {
		has, err := s.Contains(t, k)
		return has, err == nil
	}
	return false, false
}

// Keys lists the keys of a dict or the elements of a set in order.
func Keys(v value.Value) (keys []value.Value, ok bool) {
	if d := v.AsDict(); d != nil {
		for i := 0; ; {
			k, _, next, ok := d.Next(i)
			if !ok {
				return keys, true
			}
			keys, i = append(keys, k), next
		}
	}
	if s, ok := value.As[*value.Set](v); ok {
		for i := 0; ; {
			k, next, ok := s.Next(i)
			if !ok {
				return keys, true
			}
			keys, i = append(keys, k), next
		}
	}
	return nil, false
}

func sameKeys(v value.Value, want []value.Value) bool {
	if n, ok := length(v); !ok || n != len(want) || v.AsList() != nil {
		return false
	}
	keys, _ := Keys(v)
	for i := range keys {
		if keys[i] != want[i] && !Equal(keys[i], want[i]) {
			return false
		}
	}
	return true
}

func ended(g *Guard, v value.Value, t *value.Thread, vals []value.Value) bool {
	if l := v.AsList(); l != nil {
		return g.index(t, vals) >= len(l.Elems)
	}
	if it, ok := value.As[*value.ListIter](v); ok {
		return it.Pos < 0 || it.Pos+g.J >= len(it.List.Elems)
	}
	if it, ok := value.As[*value.TupleIter](v); ok {
		return it.Pos+g.J >= len(it.Tuple)
	}
	if it, ok := value.As[*value.RangeIter](v); ok {
		return it.Pos+g.J >= it.N
	}
	return false
}

func writable(v value.Value) bool {
	const off = value.FlagFrozen | value.FlagIterating
	switch {
	case v.Is(value.ItabInstance):
		return v.AsInstance().Flags&off == 0
	case v.Is(value.ItabList):
		return v.AsList().Flags&off == 0
	case v.Is(value.ItabDict):
		return v.AsDict().Flags&off == 0
	case v.Is(value.ItabCell):
		return (*value.Cell)(v.P).Flags&off == 0
	case v.Is(value.ItabModule):
		return (*value.Module)(v.P).Flags&off == 0
	}
	return true
}
