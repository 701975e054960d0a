package value

import (
	"strings"

	"go.starlark.net/starlark"
)

func asBytes(v Value) (string, bool) {
	b, ok := As[starlark.Bytes](v)
	return string(b), ok
}

// BytesLike is implemented by the payloads of host objects that hold bytes, such as
// bytearray's; the memory may not be kept.
type BytesLike interface{ BytesLike() []byte }

// bytesLike is the bytes that v is or holds.
func bytesLike(v Value) (string, bool) {
	if in := v.AsInstance(); in != nil {
		if b, ok := in.Native.(BytesLike); ok {
			return string(b.BytesLike()), true
		}
	}
	return asBytes(Payload(v))
}

// BytesOf is b as a value of type bytes; it copies.
func BytesOf(b []byte) Value { return FromStarlark(starlark.Bytes(b)) }

func initBytesMethods() {
	BytesClass.Slots = &Slots{New: newBytes}
	m := methodOf(asBytes, &BytesClass)
	val := func(s string) Value { return FromStarlark(starlark.Bytes(s)) }
	arg := func(a []Value, i int) (string, error) {
		s, ok := bytesLike(a[i])
		if !ok {
			return "", TypeErrorf("a bytes-like object is required, not '%s'", typeName(a[i]))
		}
		return s, nil
	}
	strip := func(name string, left, right bool) *Builtin {
		return m(name, 0, 1, "", func(t *Thread, s string, a []Value) (Value, error) {
			set := " \t\n\r\v\f"
			if len(a) > 0 && !a[0].IsNone() {
				var err error
				if set, err = arg(a, 0); err != nil {
					return Value{}, err
				}
			}
			in := func(c byte) bool { return strings.IndexByte(set, c) >= 0 }
			for left && s != "" && in(s[0]) {
				s = s[1:]
			}
			for right && s != "" && in(s[len(s)-1]) {
				s = s[:len(s)-1]
			}
			return val(s), nil
		})
	}
	find := func(name string, last, must bool) *Builtin {
		return m(name, 1, 3, "", func(t *Thread, s string, a []Value) (Value, error) {
			sub, err := needle(t, a[0])
			if err != nil {
				return Value{}, err
			}
			sl := &Slice{Lo: argOr(a, 1, None), Hi: argOr(a, 2, None), Step: None}
			lo, hi, _, err := sl.Indices(t, len(s))
			if err != nil {
				return Value{}, err
			}
			i := -1
			if lo <= hi {
				if last {
					i = strings.LastIndex(s[lo:hi], sub)
				} else {
					i = strings.Index(s[lo:hi], sub)
				}
			}
			if i < 0 {
				if must {
					return Value{}, ValueErrorf("subsection not found")
				}
				return Int(-1), nil
			}
			return Int(int64(lo + i)), nil
		})
	}
	affix := func(name string, has func(s, x string) bool) *Builtin {
		return m(name, 1, 3, "", func(t *Thread, s string, a []Value) (Value, error) {
			sl := &Slice{Lo: argOr(a, 1, None), Hi: argOr(a, 2, None), Step: None}
			lo, hi, _, err := sl.Indices(t, len(s))
			if err != nil {
				return Value{}, err
			}
			if lo > hi {
				return False, nil
			}
			s = s[lo:hi]
			if tup, ok := Payload(a[0]).AsTuple(); ok {
				for _, e := range tup {
					x, ok := bytesLike(FromStarlark(e))
					if !ok {
						return Value{}, TypeErrorf("a bytes-like object is required, not '%s'", typeName(FromStarlark(e)))
					}
					if has(s, x) {
						return True, nil
					}
				}
				return False, nil
			}
			x, err := arg(a, 0)
			if err != nil {
				return Value{}, TypeErrorf("%s first arg must be bytes or a tuple of bytes, not %s", name, typeName(a[0]))
			}
			return Bool(has(s, x)), nil
		})
	}
	BytesClass.Def(
		strip("strip", true, true), strip("lstrip", true, false), strip("rstrip", false, true),
		find("find", false, false), find("rfind", true, false), find("index", false, true), find("rindex", true, true),
		affix("startswith", strings.HasPrefix), affix("endswith", strings.HasSuffix),
		m("decode", 0, 2, "encoding errors", func(t *Thread, s string, a []Value) (Value, error) {
			enc, err := strOpt("decode", "encoding", a, 0, "utf-8")
			if err != nil {
				return Value{}, err
			}
			mode, err := strOpt("decode", "errors", a, 1, "strict")
			if err != nil {
				return Value{}, err
			}
			u, err := decode(s, enc, mode)
			return Str(u), err
		}),
		m("hex", 0, 2, "sep bytes_per_sep", bytesHex),
		m("upper", 0, 0, "", func(t *Thread, s string, a []Value) (Value, error) { return val(asciiUpper(s)), nil }),
		m("lower", 0, 0, "", func(t *Thread, s string, a []Value) (Value, error) { return val(asciiLower(s)), nil }),
		m("count", 1, 3, "", func(t *Thread, s string, a []Value) (Value, error) {
			x, err := needle(t, a[0])
			if err != nil {
				return Value{}, err
			}
			sl := &Slice{Lo: argOr(a, 1, None), Hi: argOr(a, 2, None), Step: None}
			lo, hi, _, err := sl.Indices(t, len(s))
			if err != nil || lo > hi {
				return Int(0), err
			}
			if x == "" {
				return Int(int64(hi - lo + 1)), nil
			}
			return Int(int64(strings.Count(s[lo:hi], x))), nil
		}),
		m("replace", 2, 3, "", func(t *Thread, s string, a []Value) (Value, error) {
			x, err := arg(a, 0)
			if err != nil {
				return Value{}, err
			}
			y, err := arg(a, 1)
			if err != nil {
				return Value{}, err
			}
			n, err := wantIndex(t, argOr(a, 2, Int(-1)))
			if err != nil {
				return Value{}, err
			}
			if err := roomToReplace(t, s, x, y, n); err != nil {
				return Value{}, err
			}
			return val(strings.Replace(s, x, y, int(min(n, maxText)))), nil
		}),
		bytesSplit("split", false), bytesSplit("rsplit", true),
		&Builtin{Name: "join", Min: 1, Max: 1, Counted: true, Pure: true, Fn: bytesJoin},
		m("elems", 0, 0, "", func(t *Thread, s string, a []Value) (Value, error) {
			return FromStarlark(&BytesIter{S: s}), nil
		}),
	)
	BytesClass.Def(moreBytesMethods()...)
	BytesClass.SetRaw("maketrans", (&StaticMethod{Fn: (&Builtin{Name: "maketrans", Min: 2, Max: 2, Counted: true, Pure: true, Fn: bytesMakeTrans}).Value()}).Value())
	BytesClass.SetRaw("fromhex", (&ClassMethod{Fn: (&Builtin{Name: "fromhex", Min: 2, Max: 2, Counted: true, Pure: true,
		Fn: func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			s, err := strArg("fromhex", args, 1)
			if err != nil {
				return Value{}, err
			}
			b, err := fromHex(s)
			if err != nil {
				return Value{}, err
			}
			return CallAny(t, args[0], []Value{BytesOf(b)}, nil)
		}}).Value()}).Value())
}

func asciiUpper(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'a' && c <= 'z' {
			b[i] = c - 32
		}
	}
	return string(b)
}

func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 32
		}
	}
	return string(b)
}

func bytesJoin(t *Thread, args []Value, kw []Kwarg) (Value, error) {
	sep, ok := asBytes(Payload(args[0]))
	if !ok {
		return Value{}, TypeErrorf("descriptor 'join' for 'bytes' objects doesn't apply to a '%s' object", typeName(args[0]))
	}
	items, err := collect(t, bytesJoin, args, kw, 1)
	if err != nil {
		return Value{}, err
	}
	total := int64(0)
	parts := make([]string, len(items))
	for i, v := range items {
		if parts[i], ok = bytesLike(v); !ok {
			return Value{}, TypeErrorf("sequence item %d: expected a bytes-like object, %s found", i, typeName(v))
		}
		total += int64(len(parts[i]) + len(sep))
	}
	if err := t.Room(total); err != nil {
		return Value{}, err
	}
	return FromStarlark(starlark.Bytes(strings.Join(parts, sep))), nil
}

func newBytes(t *Thread, cls *Class, args []Value, kw []Kwarg) (Value, error) {
	self := func(t *Thread, args []Value, kw []Kwarg) (Value, error) { return newBytes(t, cls, args, kw) }
	args, err := placeArgs("bytes", args, kw, []string{"source", "encoding", "errors"})
	if err != nil {
		return Value{}, err
	}
	if len(args) == 0 {
		return wrap(cls, BytesClass, FromStarlark(starlark.Bytes(""))), nil
	}
	enc, err := strOpt("bytes", "encoding", args, 1, "utf-8")
	if err != nil {
		return Value{}, err
	}
	mode, err := strOpt("bytes", "errors", args, 2, "strict")
	if err != nil {
		return Value{}, err
	}
	x := Payload(args[0])
	if s, ok := x.AsString(); ok {
		if len(args) < 2 {
			return Value{}, TypeErrorf("string argument without an encoding")
		}
		b, err := encode(s, enc, mode)
		return wrap(cls, BytesClass, FromStarlark(starlark.Bytes(b))), err
	}
	if _, ok := asBytes(x); ok {
		return wrap(cls, BytesClass, x), nil
	}
	if b, ok := bytesLike(x); ok {
		return wrap(cls, BytesClass, FromStarlark(starlark.Bytes(b))), nil
	}
	if c := classBearer(args[0]); c != nil {
		if f, ok := c.Find("__bytes__"); ok {
			v, err := bind(t, f.Value, args[0], c)
			if err != nil {
				return Value{}, err
			}
			return CallAny(t, v, nil, nil)
		}
	}
	if n, ok, err := AsIndex(t, x); ok || err != nil {
		if err != nil {
			return Value{}, err
		}
		if n < 0 {
			return Value{}, ValueErrorf("negative count")
		}
		if err := t.Room(n); err != nil {
			return Value{}, err
		}
		return wrap(cls, BytesClass, BytesOf(make([]byte, n))), nil
	}
	if !isIterable(args[0]) {
		return Value{}, TypeErrorf("cannot convert '%s' object to bytes", typeName(args[0]))
	}
	items, err := collect(t, self, args, nil, 0)
	if err != nil {
		return Value{}, err
	}
	b := make([]byte, len(items))
	for i, v := range items {
		n, err := wantIndex(t, v)
		if err != nil {
			return Value{}, err
		}
		if n < 0 || n > 255 {
			return Value{}, ValueErrorf("bytes must be in range(0, 256)")
		}
		b[i] = byte(n)
	}
	return wrap(cls, BytesClass, BytesOf(b)), nil
}
