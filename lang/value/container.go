package value

import (
	"math"
	"strings"

	"go.starlark.net/starlark"
)

// Truth is bool(x).
func Truth(t *Thread, x Value) (bool, error) {
	if x.IsTagged() {
		return x.N != 0 && (!x.IsFloat() || x.N<<1 != 0), nil
	}
	switch x.N {
	case ItabString:
		return len(*(*string)(x.P)) > 0, nil
	case ItabList:
		t.readLen(x)
		return len((*List)(x.P).Elems) > 0, nil
	case ItabDict:
		t.readLen(x)
		return (*Dict)(x.P).live > 0, nil
	case ItabTuple:
		return len(*(*starlark.Tuple)(x.P)) > 0, nil
	}
	if c := classBearer(x); c != nil {
		if f, ok := c.custom(dBool); ok {
			return false, t.needMethod(truthStep{x, false}, f, x)
		}
		if c.Slots != nil && c.Slots.Truth != nil {
			return c.Slots.Truth(t, x)
		}
		if f, ok := c.custom(dLen); ok {
			return false, t.needMethod(truthStep{x, true}, f, x)
		}
		if c.Slots != nil && c.Slots.Len != nil {
			n, err := c.Slots.Len(t, x)
			return n > 0, err
		}
		if p := Payload(x); p != x {
			return Truth(t, p)
		}
		return true, nil
	}
	switch o := x.iface().(type) {
	case Symbolic:
		if s, ok := o.(interface{ TruthOf(*Thread) (bool, error) }); ok {
			return s.TruthOf(t)
		}
		return Truth(t, o.Concrete())
	case *Set:
		t.readLen(x)
		return o.Len() > 0, nil
	}
	return bool(x.iface().Truth()), nil
}

// truthValue is Truth with the result as a value, for finish.
func truthValue(t *Thread, x Value) (Value, error) {
	b, err := Truth(t, x)
	return Bool(b), err
}

// truthStep checks what __bool__ or __len__ returned.
type truthStep struct {
	x   Value
	len bool
}

func (s truthStep) Step(t *Thread, in Value, err error) Action {
	switch {
	case err != nil:
		return Raise(err)
	case s.len:
		n, err := lenResult(in)
		if err != nil {
			return Raise(err)
		}
		return Return(Bool(n != 0))
	case !in.IsBool():
		return Raise(TypeErrorf("__bool__ should return bool, returned %s", typeName(in)))
	}
	return Return(in)
}

func lenResult(v Value) (int, error) {
	p := Payload(v)
	if p.Is(ItabBigInt) {
		return 0, OverflowErrorf("cannot fit '%s' into an index-sized integer", typeName(v))
	}
	if !p.IsInt() && !p.IsBool() {
		return 0, TypeErrorf("'%s' object cannot be interpreted as an integer", typeName(v))
	}
	if p.Int64() < 0 {
		return 0, ValueErrorf("__len__() should return >= 0")
	}
	return int(p.Int64()), nil
}

type lenStep struct{}

func (lenStep) Step(t *Thread, in Value, err error) Action {
	if err != nil {
		return Raise(err)
	}
	n, err := lenResult(in)
	if err != nil {
		return Raise(err)
	}
	return Return(Int(int64(n)))
}

// Len is len(x).
func Len(t *Thread, x Value) (int, error) {
	if !x.IsTagged() {
		switch o := x.iface().(type) {
		case starlark.String:
			return t.strLen(string(o)), nil
		case *List:
			if t.Observer != nil {
				return int(t.Observer.Read(x, StepLen, Value{}, Int(int64(len(o.Elems)))).concreteInt()), nil
			}
			return len(o.Elems), nil
		case starlark.Tuple:
			return len(o), nil
		case *Dict:
			t.readLen(x)
			return o.live, nil
		case *Set:
			t.readLen(x)
			return o.Len(), nil
		case *DictView:
			t.readLen(o.d.Value())
			return o.d.live, nil
		case *Range:
			return o.Len(), nil
		case starlark.Bytes:
			return len(o), nil
		case Symbolic:
			return Len(t, o.Concrete())
		}
		if c := classBearer(x); c != nil {
			if f, ok := c.custom(dLen); ok {
				return 0, t.needMethod(lenStep{}, f, x)
			}
			if c.Slots != nil && c.Slots.Len != nil {
				return c.Slots.Len(t, x)
			}
			if p := Payload(x); p != x {
				return Len(t, p)
			}
		}
		if _, ok := As[Iterator](x); !ok {
			if _, isClass := As[*Class](x); !isClass {
				if s, ok := x.iface().(interface{ Len() int }); ok {
					return s.Len(), nil
				}
			}
		}
	}
	if t.Dialect == Strict {
		return 0, TypeErrorf("len: value of type %s has no len", TypeName(t, x))
	}
	return 0, TypeErrorf("object of type '%s' has no len()", typeName(x))
}

func (v Value) concreteInt() int64 { return concrete(v).Int64() }

// Contains is elem in x.
func Contains(t *Thread, x, elem Value) (bool, error) {
	if !x.IsTagged() {
		switch o := x.iface().(type) {
		case *Dict:
			if t.Dialect == Strict {
				ok, err := o.Has(t, elem)
				return ok && err == nil, nil // what cannot be a key is none
			}
			return o.Has(t, elem)
		case *Set:
			if t.Dialect == Strict {
				return o.Contains(t, elem)
			}
			// A set in a set is looked up as the frozenset it equals.
			if s, ok := As[*Set](elem); ok && !s.Const {
				c := s.copy()
				c.Const = true
				elem = c.Value()
			}
			return o.Contains(t, elem)
		case *List:
			t.readLen(x)
			for i := 0; i < len(o.Elems); i++ {
				if eq, err := Equal(t, t.readElem(o, i), elem); err != nil || eq {
					return eq, err
				}
			}
			return false, nil
		case starlark.Tuple:
			for _, e := range o {
				if eq, err := Equal(t, FromStarlark(e), elem); err != nil || eq {
					return eq, err
				}
			}
			return false, nil
		case starlark.String:
			s, ok := Payload(elem).AsString()
			if !ok {
				if t.Dialect == Strict {
					return false, TypeErrorf("'in <string>' requires string as left operand, not %s", TypeName(t, elem))
				}
				return false, TypeErrorf("'in <string>' requires string as left operand, not %s", typeName(elem))
			}
			return strings.Contains(string(o), s), nil
		case starlark.Bytes:
			if b, ok := As[starlark.Bytes](elem); ok {
				return strings.Contains(string(o), string(b)), nil
			}
			if elem.IsInt() || elem.IsBool() && t.Dialect == Model {
				if elem.N > 255 {
					if t.Dialect == Strict {
						return false, ValueErrorf("int in bytes: %d out of range (want value in unsigned 8-bit range)", elem.Int64())
					}
					return false, ValueErrorf("byte must be in range(0, 256)")
				}
				return strings.IndexByte(string(o), byte(elem.N)) >= 0, nil
			}
			if t.Dialect == Strict {
				return false, TypeErrorf("'in bytes' requires bytes or int as left operand, not %s", TypeName(t, elem))
			}
			return false, TypeErrorf("a bytes-like object is required, not '%s'", typeName(elem))
		case *Range:
			if t.Dialect == Strict && !elem.IsInt() && !elem.Is(ItabBigInt) && !elem.IsFloat() {
				return false, TypeErrorf("'in <range>' requires integer as left operand, not %s", TypeName(t, elem))
			}
			if f := elem.Float64(); t.Dialect == Strict && elem.IsFloat() && math.Abs(f) < 1<<62 {
				elem = Int(int64(f)) // any number is taken for its integral part
			}
			return rangeHas(o, elem), nil
		case *DictView:
			return o.contains(t, elem)
		}
		if c := classBearer(x); c != nil {
			if f, ok := c.custom(dContains); ok {
				if f.IsNone() {
					return false, TypeErrorf("'%s' object is not a container", c.Name)
				}
				return false, t.needMethod(toBoolStep{}, f, x, elem)
			}
			if c.Slots != nil && c.Slots.Contains != nil {
				return c.Slots.Contains(t, x, elem)
			}
			if _, ok := c.custom(dIter); !ok {
				if p := Payload(x); p != x {
					return Contains(t, p, elem)
				}
			}
		}
		switch o := x.iface().(type) {
		case starlark.Container:
			ok, err := o.Has(elem.Starlark())
			return ok, hostError(err)
		case starlark.Mapping:
			_, ok, err := o.Get(elem.Starlark())
			return ok && err == nil, nil
		}
		if t.Dialect == Model && isIterable(x) {
			return false, t.Run(&containsStep{from: x, elem: elem})
		}
	}
	if t.Dialect == Strict {
		return false, TypeErrorf("unknown binary op: %s in %s", TypeName(t, elem), TypeName(t, x))
	}
	return false, TypeErrorf("argument of type '%s' is not iterable", typeName(x))
}

func rangeHas(r *Range, elem Value) bool {
	p := Payload(elem)
	if p.IsFloat() {
		f := p.Float64()
		if f != float64(int64(f)) {
			return false
		}
		p = Int(int64(f))
	}
	if !p.IsInt() && !p.IsBool() {
		return false
	}
	i := p.Int64()
	if r.Step > 0 {
		return i >= r.Start && i < r.Stop && (i-r.Start)%r.Step == 0
	}
	return i <= r.Start && i > r.Stop && (r.Start-i)%-r.Step == 0
}

// toBoolStep turns what a language method returned into a bool.
type toBoolStep struct{}

func (toBoolStep) Step(t *Thread, in Value, err error) Action {
	if err != nil {
		return Raise(err)
	}
	if in.IsBool() {
		return Return(in)
	}
	b, err := t.finish(truthValue(t, in))
	if err != nil {
		return Raise(err)
	}
	return Return(b)
}

// containsStep is "in" by iteration.
type containsStep struct {
	from, elem, it Value
	stage          int
}

func (s *containsStep) Roots(visit func(*Value)) { visit(&s.from); visit(&s.elem); visit(&s.it) }
func (s *containsStep) Step(t *Thread, in Value, err error) Action {
	if err != nil {
		return Raise(err)
	}
	switch s.stage {
	case 0:
		s.stage = 1
		if in, err = Iter(t, s.from); err != nil {
			return Raise(err)
		}
		fallthrough
	case 1:
		s.it, s.stage = in, 2
		return NextOf(s.it)
	}
	if in.IsUnset() {
		return Return(False)
	}
	eq, err := Equal(t, in, s.elem)
	if err != nil {
		return Raise(err)
	}
	if eq {
		return Return(True)
	}
	return NextOf(s.it)
}

// GetItem is x[k]; k may be a *Slice.
func GetItem(t *Thread, x, k Value) (Value, error) {
	if x.IsTagged() {
		return Value{}, notSubscriptable(t, x, k)
	}
	switch o := x.iface().(type) {
	case *List:
		if k.IsInt() {
			return t.listItem(o, k.Int64())
		}
		if s, ok := As[*Slice](k); ok {
			t.readLen(x)
			lo, hi, step, err := s.IndicesOf(t, func() int { return len(o.Elems) })
			if err != nil {
				return Value{}, err
			}
			elems := make([]Value, 0, sliceLen(lo, hi, step))
			if t.Observer == nil && step == 1 {
				elems = append(elems, o.Elems[lo:max(lo, hi)]...)
			} else {
				for i := lo; step > 0 && i < hi || step < 0 && i > hi; i += step {
					elems = append(elems, t.readElem(o, i))
				}
			}
			return t.born(NewList(elems).Value()), nil
		}
		if t.Observer != nil {
			if s, ok := As[Indexer](k); ok {
				if i, ok := s.IndexOf(x, len(o.Elems)); ok {
					return t.readElem(o, i), nil
				}
			}
		}
		i, err := indexFor(t, k, "list")
		if err != nil {
			return Value{}, err
		}
		return t.listItem(o, i)
	case *Dict:
		v, ok, err := o.Lookup(t, k)
		if err != nil {
			return Value{}, err
		}
		if !ok {
			return Value{}, t.keyError(x, k)
		}
		return v, nil
	case starlark.Tuple:
		if s, ok := As[*Slice](k); ok {
			lo, hi, step, err := s.Indices(t, len(o))
			if err != nil {
				return Value{}, err
			}
			if step == 1 {
				return FromStarlark(o[lo:max(lo, hi):max(lo, hi)]), nil
			}
			out := make(starlark.Tuple, 0, sliceLen(lo, hi, step))
			for i := lo; step > 0 && i < hi || step < 0 && i > hi; i += step {
				out = append(out, o[i])
			}
			return FromStarlark(out), nil
		}
		i, err := indexFor(t, k, "tuple")
		if err != nil {
			return Value{}, err
		}
		if i, err = t.checkIndex("tuple", i, len(o)); err != nil {
			return Value{}, err
		}
		return FromStarlark(o[i]), nil
	case starlark.String:
		return t.strItem(string(o), k)
	case starlark.Bytes:
		return t.bytesItem(string(o), k)
	case *Range:
		if s, ok := As[*Slice](k); ok {
			lo, hi, step, err := s.Indices(t, o.Len())
			if err != nil {
				return Value{}, err
			}
			return (&Range{o.At(lo), o.At(hi), o.Step * int64(step)}).Value(), nil
		}
		i, err := indexFor(t, k, "range")
		if err != nil {
			return Value{}, err
		}
		n := o.Len()
		if i < 0 {
			i += int64(n)
		}
		if i < 0 || i >= int64(n) {
			if t.Dialect == Strict {
				return Value{}, t.rangeError("range", k.Int64(), n, "")
			}
			return Value{}, IndexErrorf("range object index out of range")
		}
		return Int(o.At(int(i))), nil
	case *Class:
		return classItem(t, o, k)
	case *Alias:
		return (&Alias{Origin: o.Origin, Args: itemArgs(k)}).Value(), nil
	case *AttrDict:
		return o.getItem(t, k)
	case Symbolic:
		return GetItem(t, o.Concrete(), k)
	}
	if c := classBearer(x); c != nil {
		if f, ok := c.custom(dGetitem); ok {
			return Value{}, t.needMethod(nil, f, x, k)
		}
		if c.Slots != nil && c.Slots.GetItem != nil {
			return c.Slots.GetItem(t, x, k)
		}
		if p := Payload(x); p != x {
			if d := p.AsDict(); d != nil {
				v, ok, err := d.Lookup(t, k)
				if ok || err != nil {
					return v, err
				}
				if f, ok := c.custom(dMissing); ok {
					return Value{}, t.needMethod(nil, f, x, k)
				}
				return Value{}, t.keyError(p, k)
			}
			return GetItem(t, p, k)
		}
	}
	return hostGetItem(t, x, k)
}

func (t *Thread) keyError(x, k Value) error {
	if t.Dialect == Strict {
		return keyErrorf("key %s not in %s", k.Starlark(), TypeName(t, x))
	}
	return KeyErrorOf(k)
}

func notSubscriptable(t *Thread, x, k Value) error {
	if t.Dialect == Strict {
		if _, slicing := As[*Slice](k); slicing {
			return TypeErrorf("invalid slice operand %s", TypeName(t, x))
		}
		return TypeErrorf("unhandled index operation %s[%s]", TypeName(t, x), TypeName(t, k))
	}
	return TypeErrorf("'%s' object is not subscriptable", typeName(x))
}

func hostGetItem(t *Thread, x, k Value) (Value, error) {
	switch o := x.iface().(type) {
	case starlark.Mapping:
		v, ok, err := o.Get(k.Starlark())
		if err != nil {
			return Value{}, hostError(err)
		}
		if !ok {
			return Value{}, t.keyError(x, k)
		}
		return FromStarlark(v), nil
	case starlark.Indexable:
		if s, ok := As[*Slice](k); ok {
			sl, ok := o.(starlark.Sliceable)
			if !ok {
				break
			}
			lo, hi, step, err := s.Indices(t, o.Len())
			if err != nil {
				return Value{}, err
			}
			return FromStarlark(sl.Slice(lo, hi, step)), nil
		}
		i, err := indexFor(t, k, typeName(x))
		if err != nil {
			return Value{}, err
		}
		if i, err = t.checkIndex(typeName(x), i, o.Len()); err != nil {
			return Value{}, err
		}
		return FromStarlark(o.Index(int(i))), nil
	}
	return Value{}, notSubscriptable(t, x, k)
}

// strictInt is an index in the strict dialect, or what is wrong with it.
func strictInt(t *Thread, k Value) (i int64, wrong string) {
	switch {
	case k.IsInt() && int64(int32(k.Int64())) == k.Int64():
		return k.Int64(), ""
	case k.IsInt() || k.Is(ItabBigInt):
		return 0, k.Starlark().String() + " out of range"
	}
	return 0, "got " + TypeName(t, k) + ", want int"
}

func indexFor(t *Thread, k Value, what string) (int64, error) {
	if t.Dialect == Strict {
		i, wrong := strictInt(t, concrete(k))
		if wrong != "" {
			return 0, TypeErrorf("%s index: %s", what, wrong)
		}
		return i, nil
	}
	i, ok, err := AsIndex(t, k)
	if err != nil {
		return 0, err
	}
	if Payload(k).Is(ItabBigInt) && what != "range" {
		return 0, IndexErrorf("cannot fit '%s' into an index-sized integer", typeName(k))
	}
	if !ok {
		if what == "string" {
			return 0, TypeErrorf("string indices must be integers, not '%s'", typeName(k))
		}
		return 0, TypeErrorf("%s indices must be integers or slices, not %s", what, typeName(k))
	}
	return i, nil
}

func (t *Thread) checkIndex(what string, i int64, n int) (int64, error) {
	j := i
	if j < 0 {
		j += int64(n)
	}
	if j < 0 || j >= int64(n) {
		return 0, t.rangeError(what, i, n, "")
	}
	return j, nil
}

func (t *Thread) rangeError(what string, i int64, n int, verb string) error {
	if t.Dialect == Strict {
		if int64(int32(i)) != i {
			return IndexErrorf("%s index: %d out of range", what, i)
		}
		if n == 0 {
			return IndexErrorf("index %d out of range: empty %s", i, what)
		}
		return IndexErrorf("%s index %d out of range [%d:%d]", what, i, -n, n-1)
	}
	if what == "byte" {
		return IndexErrorf("index out of range")
	}
	return IndexErrorf("%s %sindex out of range", what, verb)
}

func (t *Thread) listItem(l *List, i int64) (Value, error) {
	j := i
	if j < 0 {
		t.readLen(l.Value())
		j += int64(len(l.Elems))
	}
	if uint64(j) >= uint64(len(l.Elems)) {
		t.readLen(l.Value())
		return Value{}, t.rangeError("list", i, len(l.Elems), "")
	}
	return t.readElem(l, int(j)), nil
}

// Indices resolves the slice for a sequence of n elements, as slice.indices
// does: for step > 0, 0 <= lo, hi <= n; for step < 0, -1 <= lo, hi < n.
func (s *Slice) Indices(t *Thread, n int) (lo, hi, step int, err error) {
	return s.IndicesOf(t, func() int { return n })
}

// IndicesOf is Indices for a container that __index__ of a bound may change: its
// length is asked after them.
func (s *Slice) IndicesOf(t *Thread, length func() int) (lo, hi, step int, err error) {
	get := func(v Value, def int64, what string) (int64, error) {
		if v.IsNone() {
			return def, nil
		}
		if t.Dialect == Strict {
			i, wrong := strictInt(t, concrete(v))
			if wrong != "" {
				return 0, TypeErrorf("invalid %s: %s", what, wrong)
			}
			return i, nil
		}
		i, ok, err := AsIndex(t, v)
		if err == nil && !ok {
			err = TypeErrorf("slice indices must be integers or None or have an __index__ method")
		}
		return i, err
	}
	st, err := get(s.Step, 1, "slice step")
	if err != nil {
		return 0, 0, 0, err
	}
	if st == 0 {
		if t.Dialect == Strict {
			return 0, 0, 0, ValueErrorf("zero is not a valid slice step")
		}
		return 0, 0, 0, ValueErrorf("slice step cannot be zero")
	}
	st = min(max(st, -1<<40), 1<<40)
	start, err := get(s.Lo, 0, "start index")
	if err != nil {
		return 0, 0, 0, err
	}
	stop, err := get(s.Hi, 0, "end index")
	if err != nil {
		return 0, 0, 0, err
	}
	n := length()
	var low, high int64 = 0, int64(n)
	if st < 0 {
		low, high = -1, int64(n)-1
	}
	clamp := func(v Value, i, def int64) int {
		if v.IsNone() {
			return int(def)
		}
		if i < 0 {
			i += int64(n)
		}
		return int(min(max(i, low), high))
	}
	defLo, defHi := low, high
	if st < 0 {
		defLo, defHi = high, low
	}
	return clamp(s.Lo, start, defLo), clamp(s.Hi, stop, defHi), int(st), nil
}

func sliceLen(lo, hi, step int) int {
	switch {
	case step > 0 && lo < hi:
		return (hi-lo-1)/step + 1
	case step < 0 && lo > hi:
		return (lo-hi-1)/-step + 1
	}
	return 0
}

// SetItem is x[k] = v.
func SetItem(t *Thread, x, k, v Value) error {
	if x.IsTagged() {
		return noItemAssignment(t, x)
	}
	switch o := x.iface().(type) {
	case *List:
		if s, ok := As[*Slice](k); ok {
			return setSlice(t, o, s, v)
		}
		i, err := indexFor(t, k, "list")
		if _, wrong := strictInt(t, concrete(k)); wrong != "" && t.Dialect == Strict {
			return TypeErrorf("%s", wrong)
		}
		if err != nil {
			return err
		}
		j := i
		if j < 0 {
			t.readLen(x)
			j += int64(len(o.Elems))
		}
		if uint64(j) >= uint64(len(o.Elems)) {
			t.readLen(x)
			return t.rangeError("list", i, len(o.Elems), "assignment ")
		}
		return o.SetElem(t, int(j), v)
	case *Dict:
		return o.Set(t, k, v)
	case *AttrDict:
		return o.setItem(t, k, v)
	}
	if c := classBearer(x); c != nil {
		if f, ok := c.custom(dSetitem); ok {
			return t.needMethod(nil, f, x, k, v)
		}
		if c.Slots != nil && c.Slots.SetItem != nil {
			return c.Slots.SetItem(t, x, k, v)
		}
		if p := Payload(x); p != x {
			if in := x.AsInstance(); in != nil && in.Flags&FlagFrozen != 0 {
				return frozenError(x)
			}
			return SetItem(t, p, k, v)
		}
	}
	switch o := x.iface().(type) {
	case starlark.HasSetKey:
		return hostError(o.SetKey(k.Starlark(), v.Starlark()))
	case starlark.HasSetIndex:
		i, err := indexFor(t, k, typeName(x))
		if err != nil {
			return err
		}
		if i, err = t.checkIndex(typeName(x), i, o.Len()); err != nil {
			return err
		}
		return hostError(o.SetIndex(int(i), v.Starlark()))
	}
	return noItemAssignment(t, x)
}

func noItemAssignment(t *Thread, x Value) error {
	if t.Dialect == Strict {
		return TypeErrorf("%s value does not support item assignment", TypeName(t, x))
	}
	return TypeErrorf("'%s' object does not support item assignment", typeName(x))
}

func frozenError(x Value) error {
	return RuntimeErrorf("cannot change frozen %s object", typeName(x))
}

// DelItem is del x[k].
func DelItem(t *Thread, x, k Value) error {
	if !x.IsTagged() {
		switch o := x.iface().(type) {
		case *List:
			if s, ok := As[*Slice](k); ok {
				return deleteSlice(t, o, s)
			}
			i, err := indexFor(t, k, "list")
			if err != nil {
				return err
			}
			t.readLen(x)
			j := i
			if j < 0 {
				j += int64(len(o.Elems))
			}
			if uint64(j) >= uint64(len(o.Elems)) {
				return t.rangeError("list", i, len(o.Elems), "assignment ")
			}
			return o.removeAt(t, int(j))
		case *Dict:
			_, ok, err := o.Delete(t, k)
			if err == nil && !ok {
				err = t.keyError(x, k)
			}
			return err
		case *AttrDict:
			return o.delItem(t, k)
		}
		if c := classBearer(x); c != nil {
			if f, ok := c.custom(dDelitem); ok {
				return t.needMethod(nil, f, x, k)
			}
			if c.Slots != nil && c.Slots.DelItem != nil {
				return c.Slots.DelItem(t, x, k)
			}
			if p := Payload(x); p != x {
				return DelItem(t, p, k)
			}
		}
	}
	if x.IsTagged() {
		return TypeErrorf("'%s' object does not support item deletion", typeName(x))
	}
	return TypeErrorf("'%s' object doesn't support item deletion", typeName(x))
}
