package value

import (
	"math"
	"math/big"
	"unsafe"

	"go.starlark.net/starlark"
)

// Value is a value of the language in two words. The zero Value is "unset": an
// unbound local, an absent key, an exhausted iterator.
//
//	P               N
//	0               0         unset
//	&TagMem[0]      int64     int
//	&TagMem[1]      float64   float
//	&TagMem[2]      0 or 1    bool
//	&TagMem[3]      0         None
//	data word       itab      any other starlark.Value
type Value struct {
	P unsafe.Pointer
	N uint64
}

const tagSize = 128 // bytes behind each tag address

// TagMem is the memory whose addresses are the tags. It is zero and stays so:
// should an unboxed value be taken for an object by mistake, its fields read
// as zero. The machine's loop writes unsafe.Pointer(&value.TagMem[i]).
var TagMem [4][tagSize]byte

// The indices into TagMem.
const (
	TagInt = iota
	TagFloat
	TagBool
	TagNone
)

type ifaceWords struct {
	tab  uintptr
	data unsafe.Pointer
}

// ItabOf is the second word of values that hold x's type.
func ItabOf(x starlark.Value) uint64 {
	return uint64((*ifaceWords)(unsafe.Pointer(&x)).tab)
}

// The second words of the types that fast paths test for.
var (
	ItabString   = ItabOf(starlark.String(""))
	ItabBytes    = ItabOf(starlark.Bytes(""))
	ItabTuple    = ItabOf(starlark.Tuple(nil))
	ItabBigInt   = ItabOf(starlark.MakeInt(0))
	itabFloat    = ItabOf(starlark.Float(0))
	itabBool     = ItabOf(starlark.Bool(false))
	itabNone     = ItabOf(starlark.None)
	ItabForeign  = ItabOf((*starlark.Builtin)(nil))
	ItabList     = ItabOf((*List)(nil))
	ItabDict     = ItabOf((*Dict)(nil))
	ItabSet      = ItabOf((*Set)(nil))
	ItabSlice    = ItabOf((*Slice)(nil))
	ItabRange    = ItabOf((*Range)(nil))
	ItabClass    = ItabOf((*Class)(nil))
	ItabInstance = ItabOf((*Instance)(nil))
	ItabModule   = ItabOf((*Module)(nil))
	ItabCell     = ItabOf((*Cell)(nil))
	ItabMethod   = ItabOf((*BoundMethod)(nil))
	ItabBuiltin  = ItabOf((*Builtin)(nil))
	ItabProperty = ItabOf((*Property)(nil))
	ItabSuper    = ItabOf((*Super)(nil))
)

// Int returns the value of an int.
func Int(i int64) Value { return Value{unsafe.Pointer(&TagMem[TagInt]), uint64(i)} }

// Float returns the value of a float.
func Float(f float64) Value {
	return Value{unsafe.Pointer(&TagMem[TagFloat]), math.Float64bits(f)}
}

// Bool returns True or False.
func Bool(b bool) Value {
	if b {
		return Value{unsafe.Pointer(&TagMem[TagBool]), 1}
	}
	return Value{unsafe.Pointer(&TagMem[TagBool]), 0}
}

// The constants of the language.
var (
	None           = Value{unsafe.Pointer(&TagMem[TagNone]), 0}
	True           = Bool(true)
	False          = Bool(false)
	NotImplemented = FromStarlark(&singleton{"NotImplemented", "NotImplementedType"})
	Ellipsis       = FromStarlark(&singleton{"Ellipsis", "ellipsis"})
)

// Str returns the value of a string; one allocation of 16 bytes.
func Str(s string) Value {
	p := new(string)
	*p = s
	return Value{unsafe.Pointer(p), ItabString}
}

// Obj returns the value of a pointer whose type has the given second word.
func Obj(p unsafe.Pointer, itab uint64) Value { return Value{p, itab} }

// BigInt returns an int of any size in its normal form. It keeps no reference
// to i.
func BigInt(i *big.Int) Value {
	if i.IsInt64() {
		return Int(i.Int64())
	}
	return FromStarlark(starlark.MakeBigInt(i))
}

// Tuple returns a tuple of the elements, which are copied.
func Tuple(elems ...Value) Value {
	switch len(elems) {
	case 2:
		return pair(elems[0], elems[1])
	case 3:
		x := &tuple3{elems: [3]starlark.Value{elems[0].Starlark(), elems[1].Starlark(), elems[2].Starlark()}}
		x.Tuple = x.elems[:]
		return Value{unsafe.Pointer(&x.Tuple), ItabTuple}
	}
	tup := make(starlark.Tuple, len(elems))
	for i, e := range elems {
		tup[i] = e.Starlark()
	}
	return FromStarlark(tup)
}

// Short tuples are one allocation, slice and elements together.
type (
	tuple2 struct {
		starlark.Tuple
		elems [2]starlark.Value
	}
	tuple3 struct {
		starlark.Tuple
		elems [3]starlark.Value
	}
)

func pair(a, b Value) Value {
	x := &tuple2{elems: [2]starlark.Value{a.Starlark(), b.Starlark()}}
	x.Tuple = x.elems[:]
	return Value{unsafe.Pointer(&x.Tuple), ItabTuple}
}

// FromStarlark returns x in normal form: ints in the int64 range, floats,
// bools and None become tagged. A nil x gives the unset Value.
func FromStarlark(x starlark.Value) Value {
	w := (*ifaceWords)(unsafe.Pointer(&x))
	switch uint64(w.tab) {
	case ItabBigInt:
		if i, ok := x.(starlark.Int).Int64(); ok {
			return Int(i)
		}
	case itabFloat:
		return Value{unsafe.Pointer(&TagMem[TagFloat]), *(*uint64)(w.data)}
	case itabBool:
		return Bool(*(*bool)(w.data))
	case itabNone:
		return None
	}
	return Value{w.data, uint64(w.tab)}
}

// Starlark returns v as a starlark.Value; nil when v is unset. Objects, bools
// and None cost nothing, floats one allocation, ints outside the int32 range two.
func (v Value) Starlark() starlark.Value {
	switch v.P {
	case unsafe.Pointer(&TagMem[TagInt]):
		return starlark.MakeInt64(int64(v.N))
	case unsafe.Pointer(&TagMem[TagFloat]):
		return starlark.Float(math.Float64frombits(v.N))
	case unsafe.Pointer(&TagMem[TagBool]):
		return starlark.Bool(v.N != 0)
	case unsafe.Pointer(&TagMem[TagNone]):
		return starlark.None
	}
	return v.iface()
}

// iface reassembles the interface of an untagged value.
func (v Value) iface() starlark.Value {
	w := ifaceWords{uintptr(v.N), v.P}
	return *(*starlark.Value)(unsafe.Pointer(&w))
}

// IsUnset reports whether v is the zero Value. Only the unset Value has a zero
// second word without a tag.
func (v Value) IsUnset() bool { return v.P == nil && v.N == 0 }

// IsInt reports whether v is an int in the int64 range (and no bool).
func (v Value) IsInt() bool { return v.P == unsafe.Pointer(&TagMem[TagInt]) }

// IsFloat reports whether v is a float.
func (v Value) IsFloat() bool { return v.P == unsafe.Pointer(&TagMem[TagFloat]) }

// IsBool reports whether v is True or False.
func (v Value) IsBool() bool { return v.P == unsafe.Pointer(&TagMem[TagBool]) }

// IsNone reports whether v is None.
func (v Value) IsNone() bool { return v.P == unsafe.Pointer(&TagMem[TagNone]) }

// IsTagged reports whether v is an int in the int64 range, float, bool or None.
func (v Value) IsTagged() bool {
	return uintptr(v.P)-uintptr(unsafe.Pointer(&TagMem[0])) < unsafe.Sizeof(TagMem)
}

// Is reports whether v is an object of the type with this second word.
func (v Value) Is(itab uint64) bool {
	return v.N == itab && uintptr(v.P)-uintptr(unsafe.Pointer(&TagMem[0])) >= unsafe.Sizeof(TagMem)
}

// Int64, Float64 and IsTrue read the payload of a value known to be tagged so.
func (v Value) Int64() int64     { return int64(v.N) }
func (v Value) Float64() float64 { return math.Float64frombits(v.N) }
func (v Value) IsTrue() bool     { return v.N != 0 }

// AsString returns the string that v is; ok is false for every other type,
// including instances of subclasses of str (see Payload).
func (v Value) AsString() (s string, ok bool) {
	if v.Is(ItabString) {
		return *(*string)(v.P), true
	}
	return "", false
}

// AsTuple returns the elements of v if v is a tuple; they must not be changed.
func (v Value) AsTuple() (starlark.Tuple, bool) {
	if v.Is(ItabTuple) {
		return *(*starlark.Tuple)(v.P), true
	}
	return nil, false
}

// AsList, AsDict, AsClass and AsInstance return the object that v is, or nil.
func (v Value) AsList() *List {
	if v.Is(ItabList) {
		return (*List)(v.P)
	}
	return nil
}

func (v Value) AsDict() *Dict {
	if v.Is(ItabDict) {
		return (*Dict)(v.P)
	}
	return nil
}

func (v Value) AsClass() *Class {
	if v.Is(ItabClass) {
		return (*Class)(v.P)
	}
	return nil
}

func (v Value) AsInstance() *Instance {
	if v.Is(ItabInstance) {
		return (*Instance)(v.P)
	}
	return nil
}

// As returns the object that v is if it has type T.
func As[T any](v Value) (T, bool) {
	if v.IsTagged() || v.N == 0 {
		var zero T
		return zero, false
	}
	x, ok := v.iface().(T)
	return x, ok
}

// Same is the language's "is": the same object, or equal immediates of one
// type. Strings are the same when they are equal and share their text.
func Same(x, y Value) bool {
	if x == y {
		return true
	}
	if x.N == ItabString && y.N == ItabString {
		s, ok := x.AsString()
		u, ok2 := y.AsString()
		return ok && ok2 && len(s) == len(u) && unsafe.StringData(s) == unsafe.StringData(u)
	}
	return false
}

// singleton is the type of NotImplemented and Ellipsis.
type singleton struct{ name, typ string }

func (s *singleton) String() string        { return s.name }
func (s *singleton) Type() string          { return s.typ }
func (s *singleton) Freeze()               {}
func (s *singleton) Truth() starlark.Bool  { return true }
func (s *singleton) Hash() (uint32, error) { return starlark.String(s.name).Hash() }
