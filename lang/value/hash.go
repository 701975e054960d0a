package value

import (
	"math"
	"math/big"
	"math/bits"
	"unsafe"

	"go.starlark.net/starlark"
)

// offline is a thread for work that a host asks for outside any: no machine,
// the model dialect.
func offline() *Thread { return &Thread{} }

// addressOf is the identity of an object.
func addressOf(v Value) uintptr {
	if v.IsTagged() {
		return uintptr(unsafe.Pointer(&TagMem[0])) + uintptr(v.N)
	}
	return uintptr(v.P)
}

func addressHash(v Value) uint64 { return hashInt(uint64(addressOf(v)) >> 4) }

// Hash is the hash that dicts and sets use: equal values have equal hashes
// whatever their types. It raises TypeError for mutable containers.
func Hash(t *Thread, x Value) (uint64, error) {
	switch x.P {
	case unsafe.Pointer(&TagMem[TagInt]), unsafe.Pointer(&TagMem[TagBool]):
		return hashInt(x.N), nil
	case unsafe.Pointer(&TagMem[TagFloat]):
		return hashFloat(x.Float64()), nil
	case unsafe.Pointer(&TagMem[TagNone]):
		return 0xfca86420, nil
	}
	switch x.N {
	case ItabString:
		return hashString(*(*string)(x.P)), nil
	case ItabTuple:
		if err := t.enterHash(); err != nil {
			return 0, err
		}
		defer t.leaveHash()
		h := uint64(0x345678)
		for _, e := range *(*starlark.Tuple)(x.P) {
			eh, err := Hash(t, FromStarlark(e))
			if err != nil {
				return 0, err
			}
			h = (h ^ eh) * 0x9E3779B97F4A7C15
			h ^= h >> 29
		}
		return h, nil
	case ItabBigInt:
		return hashBig(x.iface().(starlark.Int).BigInt()), nil
	case ItabBytes:
		return hashString(*(*string)(x.P)) + 1, nil
	case ItabInstance:
		return hashInstance(t, x)
	}
	switch o := x.iface().(type) {
	case *List, *Dict, *Slice:
		return 0, unhashable(t, x)
	case *Set:
		if !o.Const {
			return 0, unhashable(t, x)
		}
		h := uint64(o.Len())
		for i := range o.d.entries {
			if e := &o.d.entries[i]; !e.key.IsUnset() {
				h += e.hash * (e.hash | 1)
			}
		}
		return h, nil
	case *Range:
		if t != nil && t.Dialect == Strict {
			return 0, TypeErrorf("unhashable: range")
		}
		n := o.Len()
		h := hashInt(uint64(n))
		if n > 0 {
			h = h*31 + hashInt(uint64(o.Start))
		}
		if n > 1 {
			h = h*31 + hashInt(uint64(o.Step))
		}
		return h, nil
	case *BoundMethod:
		return addressHash(o.Fn)*31 + addressHash(o.Self), nil
	case *Union:
		var h uint64
		for _, e := range o.Items {
			eh, err := Hash(t, e)
			if err != nil {
				return 0, err
			}
			h += eh
		}
		return h, nil
	case *Alias:
		h, err := Hash(t, o.Origin)
		if err != nil {
			return 0, err
		}
		for _, e := range o.Args {
			eh, err := Hash(t, e)
			if err != nil {
				return 0, err
			}
			h = h*31 + eh
		}
		return h, nil
	case *Class, *Module, *Cell, *Builtin, *Property, *ClassMethod, *StaticMethod, *Super, *singleton, Iterator:
		if x.Is(ItabClass) {
			if f, ok := customOf(x, dHash); ok && !f.IsNone() {
				return hashResult(callSpecial(t, f, x))
			}
		}
		return addressHash(x), nil
	case AttrObject:
		if s := o.ClassOf().Slots; s != nil && s.Hash != nil {
			return s.Hash(t, x)
		}
		return addressHash(x), nil
	case starlark.Value:
		h, err := o.Hash()
		if err != nil {
			return 0, TypeErrorf("%s", err)
		}
		return uint64(h), nil
	}
	return addressHash(x), nil
}

func unhashable(t *Thread, x Value) error {
	if t != nil && t.Dialect == Strict {
		return TypeErrorf("unhashable type: %s", TypeName(t, x))
	}
	return TypeErrorf("unhashable type: '%s'", typeName(x))
}

func (t *Thread) enterHash() error {
	if t == nil {
		return nil
	}
	return t.enter("in hash")
}

func (t *Thread) leaveHash() {
	if t != nil {
		t.leave()
	}
}

func hashInstance(t *Thread, x Value) (uint64, error) {
	c := x.AsInstance().Class()
	if f, ok := c.custom(dHash); ok {
		if f.IsNone() {
			return 0, TypeErrorf("unhashable type: '%s'", c.Name)
		}
		if t == nil {
			t = offline()
		}
		return hashResult(callSpecial(t, f, x))
	}
	if c.Slots != nil && c.Slots.Hash != nil {
		return c.Slots.Hash(t, x)
	}
	if p := Payload(x); !p.Is(ItabInstance) {
		return Hash(t, p)
	}
	return addressHash(x), nil
}

// hashStep makes what __hash__ returned the result of hash(): big ints are folded.
type hashStep struct{}

func (hashStep) Step(t *Thread, in Value, err error) Action {
	if err != nil {
		return Raise(err)
	}
	v := Payload(in)
	switch {
	case v.IsInt() || v.IsBool():
		if v.Int64() == -1 {
			return Return(Int(-2))
		}
		return Return(Int(v.Int64()))
	case v.Is(ItabBigInt):
		return Return(Int(pyHashBig(v.iface().(starlark.Int).BigInt())))
	}
	return Raise(TypeErrorf("__hash__ method should return an integer"))
}

func hashResult(v Value, err error) (uint64, error) {
	if err != nil {
		return 0, err
	}
	v = Payload(v)
	if v.IsInt() || v.IsBool() || v.Is(ItabBigInt) {
		return Hash(nil, v)
	}
	return 0, TypeErrorf("__hash__ method should return an integer")
}

func hashFloat(f float64) uint64 {
	if i := int64(f); float64(i) == f && f < 1<<63 {
		return hashInt(uint64(i))
	}
	return uint64(pyHashFloat(f)) * 0x9E3779B97F4A7C15
}

func hashBig(b *big.Int) uint64 { return uint64(pyHashBig(b)) * 0x9E3779B97F4A7C15 }

// mersenne is the prime by which CPython reduces the hashes of numbers, so that
// equal numbers of all types hash alike (Python library reference, "Hashing of
// numeric types").
const mersenne = 1<<61 - 1

func pyHashBig(b *big.Int) int64 {
	m := new(big.Int).Mod(new(big.Int).Abs(b), big.NewInt(mersenne)).Int64()
	if b.Sign() < 0 {
		m = -m
	}
	if m == -1 {
		m = -2
	}
	return m
}

func pyHashFloat(f float64) int64 {
	switch {
	case math.IsInf(f, 1):
		return 314159
	case math.IsInf(f, -1):
		return -314159
	case math.IsNaN(f):
		return int64(math.Float64bits(f) >> 3)
	}
	m, e := math.Frexp(math.Abs(f))
	var x uint64
	for m != 0 {
		x = x<<28&mersenne | x>>(61-28)
		m *= 1 << 28
		e -= 28
		y := uint64(m)
		m -= float64(y)
		if x += y; x >= mersenne {
			x -= mersenne
		}
	}
	if e >= 0 {
		e %= 61
	} else {
		e = 61 - 1 - (-1-e)%61
	}
	x = x<<uint(e)&mersenne | x>>uint(61-e)
	r := int64(x)
	if f < 0 {
		r = -r
	}
	if r == -1 {
		r = -2
	}
	return r
}

// pyHashInt is CPython's hash of an int in the int64 range.
func pyHashInt(i int64) int64 {
	neg := i < 0
	u := uint64(i)
	if neg {
		u = -u
	}
	_, r := bits.Div64(0, u, mersenne)
	h := int64(r)
	if neg {
		h = -h
	}
	if h == -1 {
		h = -2
	}
	return h
}

// PyHash is the builtin hash(): CPython's value for numbers; for strings a
// value that differs from process to process, as there.
func PyHash(t *Thread, x Value) (int64, error) {
	if z, ok := asComplex(x); ok {
		return pyHashComplex(z), nil
	}
	p := x
	if in := x.AsInstance(); in != nil {
		if _, ok := in.Class().custom(dHash); !ok {
			p = Payload(x)
		}
	}
	switch {
	case p.IsInt() || p.IsBool():
		return pyHashInt(p.Int64()), nil
	case p.IsFloat():
		return pyHashFloat(p.Float64()), nil
	case p.Is(ItabBigInt):
		return pyHashBig(p.iface().(starlark.Int).BigInt()), nil
	}
	h, err := Hash(t, p)
	return int64(h), err
}
