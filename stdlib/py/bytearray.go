package py

import (
	"bytes"
	"errors"
	"strings"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// ByteArray is the state of a bytearray. Bytes is its memory, which torch's
// frombuffer shares.
type ByteArray struct{ b []byte }

// Bytes returns the memory itself.
func (x *ByteArray) Bytes() []byte { return x.b }

// BytesLike makes bytearrays arguments of the methods of bytes.
func (x *ByteArray) BytesLike() []byte { return x.b }

var byteArrayClass = value.NewClass("bytearray", "builtins")

func byteArrayOf(v val) *ByteArray {
	x, _ := native[*ByteArray](v)
	return x
}

func newByteArray(b []byte) val { return object(byteArrayClass, &ByteArray{b}) }

func asByte(t *thread, v val) (byte, error) {
	i, err := asInt(t, v)
	if err == nil && (i < 0 || i > 255) {
		err = value.ValueErrorf("byte must be in range(0, 256)")
	}
	return byte(i), err
}

func init() {
	c := byteArrayClass
	_, _, params := parseSig("bytearray(source=b'', encoding=None, errors=None)")
	c.Slots = &value.Slots{
		New: func(t *thread, cls *value.Class, args []val, kw []value.Kwarg) (val, error) {
			return bind(t, "bytearray", params, args, kw, func(t *thread, a []val) (val, error) {
				return makeByteArray(t, cls, a)
			})
		},
		Len:   func(t *thread, x val) (int, error) { return len(byteArrayOf(x).b), nil },
		Truth: func(t *thread, x val) (bool, error) { return len(byteArrayOf(x).b) > 0, nil },
		Hash: func(t *thread, x val) (uint64, error) {
			return 0, value.TypeErrorf("unhashable type: 'bytearray'")
		},
		Repr: func(t *thread, x val) (string, error) {
			s, err := value.ReprOf(t, value.BytesOf(byteArrayOf(x).b))
			if err != nil {
				return "", err
			}
			text, _ := s.AsString()
			return "bytearray(" + text + ")", nil
		},
		Iter: func(t *thread, x val) (val, error) {
			return value.Iter(t, value.BytesOf(byteArrayOf(x).b))
		},
		Contains: func(t *thread, x, e val) (bool, error) {
			if b, ok := asBytes(e); ok {
				return bytes.Contains(byteArrayOf(x).b, b), nil
			}
			n, err := asByte(t, e)
			return bytes.IndexByte(byteArrayOf(x).b, n) >= 0, err
		},
		GetItem: func(t *thread, x, k val) (val, error) {
			b := byteArrayOf(x).b
			if s, ok := value.As[*value.Slice](k); ok {
				v, err := value.GetItem(t, value.BytesOf(b), s.Value())
				if err != nil {
					return val{}, err
				}
				part, _ := asBytes(v)
				return newByteArray(part), nil
			}
			i, err := byteIndex(t, b, k)
			if err != nil {
				return val{}, err
			}
			return value.Int(int64(b[i])), nil
		},
		SetItem: setBytes,
		DelItem: func(t *thread, x, k val) error {
			l := byteList(byteArrayOf(x).b)
			if err := value.DelItem(t, l, k); err != nil {
				return err
			}
			return byteArrayOf(x).take(t, l)
		},
		Compare: func(t *thread, op value.Cmp, x, y val) (val, error) {
			b, ok := asBytes(y)
			if !ok {
				return value.NotImplemented, nil
			}
			c := bytes.Compare(byteArrayOf(x).b, b)
			return value.Bool([...]bool{c < 0, c <= 0, c == 0, c != 0, c > 0, c >= 0}[op]), nil
		},
		Binary: func(t *thread, op value.Op, x, y val, reflected bool) (val, error) {
			a, ok1 := asBytes(x)
			b, ok2 := asBytes(y)
			switch {
			case op == value.OpAdd && ok1 && ok2:
				if reflected {
					return value.BytesOf(append(append([]byte(nil), a...), b...)), nil
				}
				return newByteArray(append(append([]byte(nil), a...), b...)), nil
			case op == value.OpMul && ok1 != ok2:
				if ok2 {
					a, y = b, x
				}
				n, err := asInt(t, y)
				if err != nil {
					return val{}, err
				}
				return newByteArray(bytes.Repeat(a, int(max(n, 0)))), nil
			}
			return value.NotImplemented, nil
		},
		InPlace: func(t *thread, op value.Op, x, y val) (val, error) {
			b, ok := asBytes(y)
			if op != value.OpAdd || !ok {
				return value.NotImplemented, nil
			}
			st := byteArrayOf(x)
			st.b = append(st.b, b...)
			return x, nil
		},
	}
	on := func(sig string, f func(t *thread, x *ByteArray, a []val) (val, error)) *value.Builtin {
		return method(sig, func(t *thread, a []val) (val, error) {
			x := byteArrayOf(a[0])
			if x == nil {
				return val{}, value.TypeErrorf("a bytearray is required, not '%s'", typeName(a[0]))
			}
			return f(t, x, a[1:])
		})
	}
	c.Def(
		on("append(item, /)", func(t *thread, x *ByteArray, a []val) (val, error) {
			b, err := asByte(t, a[0])
			if err == nil {
				x.b = append(x.b, b)
			}
			return value.None, err
		}),
		on("extend(iterable, /)", func(t *thread, x *ByteArray, a []val) (val, error) {
			if b, ok := asBytes(a[0]); ok {
				x.b = append(x.b, b...)
				return value.None, nil
			}
			return gather(t, a[0], func(t *thread, items []val) (val, error) {
				for _, v := range items {
					b, err := asByte(t, v)
					if err != nil {
						return val{}, err
					}
					x.b = append(x.b, b)
				}
				return value.None, nil
			})
		}),
		on("pop(index=-1, /)", func(t *thread, x *ByteArray, a []val) (val, error) {
			if len(x.b) == 0 {
				return val{}, value.IndexErrorf("pop from empty bytearray")
			}
			k := a[0]
			if k.IsUnset() {
				k = value.Int(-1)
			}
			i, err := byteIndex(t, x.b, k)
			if err != nil {
				return val{}, value.IndexErrorf("pop index out of range")
			}
			b := x.b[i]
			x.b = append(x.b[:i], x.b[i+1:]...)
			return value.Int(int64(b)), nil
		}),
		on("insert(index, item, /)", func(t *thread, x *ByteArray, a []val) (val, error) {
			l := byteList(x.b)
			m, err := value.GetAttr(t, l, "insert")
			if err != nil {
				return val{}, err
			}
			if _, err := value.CallAny(t, m, a, nil); err != nil {
				return val{}, err
			}
			return value.None, x.take(t, l)
		}),
		on("clear()", func(t *thread, x *ByteArray, a []val) (val, error) { x.b = nil; return value.None, nil }),
		on("reverse()", func(t *thread, x *ByteArray, a []val) (val, error) {
			for i, j := 0, len(x.b)-1; i < j; i, j = i+1, j-1 {
				x.b[i], x.b[j] = x.b[j], x.b[i]
			}
			return value.None, nil
		}),
		on("copy()", func(t *thread, x *ByteArray, a []val) (val, error) {
			return newByteArray(append([]byte(nil), x.b...)), nil
		}),
		on("remove(value, /)", func(t *thread, x *ByteArray, a []val) (val, error) {
			b, err := asByte(t, a[0])
			if err != nil {
				return val{}, err
			}
			i := bytes.IndexByte(x.b, b)
			if i < 0 {
				return val{}, value.ValueErrorf("value not found in bytearray")
			}
			x.b = append(x.b[:i], x.b[i+1:]...)
			return value.None, nil
		}),
	)
	for _, name := range []string{"fromhex", "maketrans"} {
		if f, ok := value.BytesClass.Own(name); ok {
			c.SetRaw(name, f)
		}
	}
	// The methods of bytes that read: their results are bytearrays where they are bytes.
	for _, name := range value.BytesClass.OwnNames() {
		if f, ok := value.BytesClass.Own(name); !ok || !f.Is(value.ItabBuiltin) || strings.HasPrefix(name, "__") || name == "elems" {
			continue
		}
		c.Def(&value.Builtin{Name: name, WantsKw: true, Max: -1, Fn: func(t *thread, args []val, kw []value.Kwarg) (val, error) {
			x := byteArrayOf(args[0])
			if x == nil {
				return val{}, value.TypeErrorf("a bytearray is required, not '%s'", typeName(args[0]))
			}
			m, err := value.GetAttr(t, value.BytesOf(x.b), name)
			if err != nil {
				return val{}, err
			}
			rest := append([]val(nil), args[1:]...)
			for i, a := range rest {
				if b := byteArrayOf(a); b != nil {
					rest[i] = value.BytesOf(b.b)
				}
			}
			v, err := value.CallAny(t, m, rest, kw)
			if err != nil {
				return val{}, err
			}
			return widen(v), nil
		}})
	}
}

// widen turns bytes into bytearrays, also those in a list.
func widen(v val) val {
	if v.Is(value.ItabBytes) {
		b, _ := asBytes(v)
		return newByteArray(b)
	}
	if l := v.AsList(); l != nil {
		for i, e := range l.Elems {
			l.Elems[i] = widen(e)
		}
	}
	if tup, ok := v.AsTuple(); ok {
		out := make([]val, len(tup))
		for i, e := range tup {
			out[i] = widen(value.FromStarlark(e))
		}
		return value.Tuple(out...)
	}
	return v
}

func makeByteArray(t *thread, cls *value.Class, a []val) (val, error) {
	src := a[0]
	if src.IsUnset() {
		return object(cls, &ByteArray{}), nil
	}
	if s, ok := value.Payload(src).AsString(); ok {
		if !given(a[1]) {
			return val{}, value.TypeErrorf("string argument without an encoding")
		}
		enc, err := asStr("bytearray", a[1])
		if err != nil {
			return val{}, err
		}
		on, err := strOr("bytearray", a[2], "strict")
		if err != nil {
			return val{}, err
		}
		c, err := newCodec(enc, on)
		if err != nil {
			return val{}, err
		}
		b, err := c.encode(s)
		return object(cls, &ByteArray{b}), err
	}
	if b, ok := asBytes(src); ok {
		return object(cls, &ByteArray{append([]byte(nil), b...)}), nil
	}
	if n, ok, err := value.AsIndex(t, src); ok || err != nil {
		if err != nil {
			return val{}, err
		}
		if n < 0 {
			return val{}, value.ValueErrorf("negative count")
		}
		if n > 1<<34 {
			return val{}, value.NewRaised(value.ExcMemoryError)
		}
		return object(cls, &ByteArray{make([]byte, n)}), nil
	}
	return gather(t, src, func(t *thread, items []val) (val, error) {
		b := make([]byte, len(items))
		for i, v := range items {
			var err error
			if b[i], err = asByte(t, v); err != nil {
				return val{}, err
			}
		}
		return object(cls, &ByteArray{b}), nil
	})
}

func byteIndex(t *thread, b []byte, k val) (int, error) {
	i, ok, err := value.AsIndex(t, k)
	if err != nil {
		return 0, err
	}
	if !ok {
		return 0, value.TypeErrorf("bytearray indices must be integers or slices, not %s", typeName(k))
	}
	if i < 0 {
		i += int64(len(b))
	}
	if i < 0 || i >= int64(len(b)) {
		return 0, value.IndexErrorf("bytearray index out of range")
	}
	return int(i), nil
}

func byteList(b []byte) val {
	out := make([]val, len(b))
	for i, x := range b {
		out[i] = value.Int(int64(x))
	}
	return value.NewList(out).Value()
}

// take stores the elements of a list of bytes.
func (x *ByteArray) take(t *thread, list val) error {
	l := list.AsList()
	b := make([]byte, len(l.Elems))
	for i, v := range l.Elems {
		var err error
		if b[i], err = asByte(t, v); err != nil {
			return err
		}
	}
	x.b = b
	return nil
}

func setBytes(t *thread, x, k, v val) error {
	st := byteArrayOf(x)
	if !k.Is(value.ItabSlice) {
		i, err := byteIndex(t, st.b, k)
		if err != nil {
			return err
		}
		b, err := asByte(t, v)
		if err == nil {
			st.b[i] = b
		}
		return err
	}
	if s, ok := value.As[*value.Slice](k); ok && s.Step.IsNone() {
		if b, ok := asBytes(v); ok {
			lo, hi, _, err := s.Indices(t, len(st.b))
			if err != nil {
				return err
			}
			hi = max(lo, hi)
			if int(hi-lo) == len(b) { // in place, so that tensors over the memory see it
				copy(st.b[lo:hi], b)
				return nil
			}
			st.b = append(append(append([]byte(nil), st.b[:lo]...), b...), st.b[hi:]...)
			return nil
		}
	}
	l := byteList(st.b)
	if b, ok := asBytes(v); ok {
		v = byteList(b)
	}
	if err := value.SetItem(t, l, k, v); err != nil {
		var r *value.Raised
		if errors.As(err, &r) && r.Class == value.ExcValueError {
			err = value.ValueErrorf("%s", strings.Replace(r.Message(), "sequence", "bytes", 1))
		}
		return err
	}
	return st.take(t, l)
}

func init() {
	byteArrayClass.SetRaw("__hash__", value.None)
}
