package value

import (
	"bytes"
	"encoding/hex"
	"strings"

	"go.starlark.net/starlark"
)

// needle is what find and its like look for: bytes, or one byte as an int.
func needle(t *Thread, v Value) (string, error) {
	if s, ok := bytesLike(v); ok {
		return s, nil
	}
	n, ok, err := AsIndex(t, v)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", TypeErrorf("argument should be integer or bytes-like object, not '%s'", typeName(v))
	}
	if n < 0 || n > 255 {
		return "", ValueErrorf("byte must be in range(0, 256)")
	}
	return string([]byte{byte(n)}), nil
}

func bytesValue(s string) Value { return FromStarlark(starlark.Bytes(s)) }

func bytesHex(t *Thread, s string, a []Value) (Value, error) {
	digits := hex.EncodeToString([]byte(s))
	if len(a) == 0 || a[0].IsUnset() {
		return Str(digits), nil
	}
	sep, ok := Payload(a[0]).AsString()
	if !ok {
		if sep, ok = bytesLike(a[0]); !ok {
			return Value{}, TypeErrorf("sep must be str or bytes.")
		}
	}
	if len(sep) != 1 {
		return Value{}, ValueErrorf("sep must be length 1.")
	}
	every, err := wantIndex(t, argOr(a, 1, Int(1)))
	if err != nil {
		return Value{}, err
	}
	if every == 0 {
		return Str(digits), nil
	}
	var b strings.Builder
	n := int64(len(s))
	for i := int64(0); i < n; i++ {
		if i > 0 && (every > 0 && (n-i)%every == 0 || every < 0 && i%-every == 0) {
			b.WriteString(sep)
		}
		b.WriteString(digits[2*i : 2*i+2])
	}
	return Str(b.String()), nil
}

// fromHex reads pairs of hexadecimal digits with blanks between them.
func fromHex(s string) ([]byte, error) {
	var out []byte
	nibble := func(i int) (byte, bool) {
		if i >= len(s) {
			return 0, false
		}
		n := strings.IndexByte("0123456789abcdef", s[i]|0x20)
		if s[i] < '0' {
			n = -1
		}
		return byte(n), n >= 0
	}
	for i := 0; i < len(s); {
		if strings.IndexByte(" \t\n\r\v\f", s[i]) >= 0 {
			i++
			continue
		}
		hi, ok := nibble(i)
		if !ok {
			return nil, ValueErrorf("non-hexadecimal number found in fromhex() arg at position %d", i)
		}
		lo, ok := nibble(i + 1)
		if !ok {
			return nil, ValueErrorf("non-hexadecimal number found in fromhex() arg at position %d", i+1)
		}
		out = append(out, hi<<4|lo)
		i += 2
	}
	return out, nil
}

func bytesSplit(name string, right bool) *Builtin {
	m := methodOf(asBytes, &BytesClass)
	return m(name, 0, 2, "sep maxsplit", func(t *Thread, s string, a []Value) (Value, error) {
		n, err := wantIndex(t, argOr(a, 1, Int(-1)))
		if err != nil {
			return Value{}, err
		}
		var parts []string
		if argOr(a, 0, None).IsNone() {
			parts = splitSpace(s, int(n), right)
		} else {
			sep, ok := bytesLike(a[0])
			if !ok {
				return Value{}, TypeErrorf("a bytes-like object is required, not '%s'", typeName(a[0]))
			}
			if sep == "" {
				return Value{}, ValueErrorf("empty separator")
			}
			parts = splitOn(s, sep, int(n), right)
		}
		return bytesList(parts), nil
	})
}

func bytesList(parts []string) Value {
	out := make([]Value, len(parts))
	for i, p := range parts {
		out[i] = bytesValue(p)
	}
	return NewList(out).Value()
}

// moreBytesMethods are those that text has too, over ASCII.
func moreBytesMethods() []*Builtin {
	m := methodOf(asBytes, &BytesClass)
	like := func(v Value) (string, error) {
		s, ok := bytesLike(v)
		if !ok {
			return "", TypeErrorf("a bytes-like object is required, not '%s'", typeName(v))
		}
		return s, nil
	}
	change := func(name string, f func(s string) string) *Builtin {
		return m(name, 0, 0, "", func(t *Thread, s string, a []Value) (Value, error) { return bytesValue(f(s)), nil })
	}
	test := func(name string, f func(s string) bool) *Builtin {
		return m(name, 0, 0, "", func(t *Thread, s string, a []Value) (Value, error) { return Bool(f(s)), nil })
	}
	all := func(name string, in func(c byte) bool) *Builtin {
		return test(name, func(s string) bool {
			for i := range len(s) {
				if !in(s[i]) {
					return false
				}
			}
			return s != ""
		})
	}
	upper := func(c byte) bool { return 'A' <= c && c <= 'Z' }
	lower := func(c byte) bool { return 'a' <= c && c <= 'z' }
	alpha := func(c byte) bool { return upper(c) || lower(c) }
	decimal := func(c byte) bool { return '0' <= c && c <= '9' }
	just := func(name string, align byte) *Builtin {
		return m(name, 1, 2, "", func(t *Thread, s string, a []Value) (Value, error) {
			w, err := wantIndex(t, a[0])
			if err != nil {
				return Value{}, err
			}
			fill := " "
			if len(a) > 1 {
				if f, ok := bytesLike(a[1]); ok && len(f) == 1 {
					fill = f
				} else {
					return Value{}, TypeErrorf("%s() argument 2 must be a byte string of length 1, not %s", name, typeName(a[1]))
				}
			}
			n := int(w) - len(s)
			if n <= 0 {
				return bytesValue(s), nil
			}
			if err := t.Room(w); err != nil {
				return Value{}, err
			}
			left := 0
			switch align {
			case '>':
				left = n
			case '^':
				left = n/2 + n&int(w)&1
			}
			return bytesValue(strings.Repeat(fill, left) + s + strings.Repeat(fill, n-left)), nil
		})
	}
	partition := func(name string, last bool) *Builtin {
		return m(name, 1, 1, "", func(t *Thread, s string, a []Value) (Value, error) {
			sep, err := like(a[0])
			if err != nil {
				return Value{}, err
			}
			if sep == "" {
				return Value{}, ValueErrorf("empty separator")
			}
			i := strings.Index(s, sep)
			if last {
				i = strings.LastIndex(s, sep)
			}
			switch {
			case i >= 0:
				return Tuple(bytesValue(s[:i]), bytesValue(sep), bytesValue(s[i+len(sep):])), nil
			case last:
				return Tuple(bytesValue(""), bytesValue(""), bytesValue(s)), nil
			}
			return Tuple(bytesValue(s), bytesValue(""), bytesValue("")), nil
		})
	}
	cut := func(name string, f func(s, x string) string) *Builtin {
		return m(name, 1, 1, "", func(t *Thread, s string, a []Value) (Value, error) {
			x, err := like(a[0])
			return bytesValue(f(s, x)), err
		})
	}
	title := func(s string) string {
		b := []byte(s)
		for i, c := range b {
			if i > 0 && alpha(b[i-1]) {
				b[i] = asciiLower(string(c))[0]
			} else {
				b[i] = asciiUpper(string(c))[0]
			}
		}
		return string(b)
	}
	return []*Builtin{
		change("title", title),
		change("capitalize", func(s string) string {
			if s == "" {
				return s
			}
			return asciiUpper(s[:1]) + asciiLower(s[1:])
		}),
		change("swapcase", func(s string) string {
			b := []byte(s)
			for i, c := range b {
				if alpha(c) {
					b[i] = c ^ 0x20
				}
			}
			return string(b)
		}),
		all("isalpha", alpha), all("isdigit", decimal),
		all("isalnum", func(c byte) bool { return alpha(c) || decimal(c) }),
		all("isspace", func(c byte) bool { return strings.IndexByte(" \t\n\r\v\f", c) >= 0 }),
		test("isascii", isASCII),
		test("isupper", func(s string) bool { return strings.IndexFunc(s, isLowerASCII) < 0 && s != asciiLower(s) }),
		test("islower", func(s string) bool { return strings.IndexFunc(s, isUpperASCII) < 0 && s != asciiUpper(s) }),
		test("istitle", func(s string) bool { return s == title(s) && (s != asciiLower(s) || s != asciiUpper(s)) }),
		just("ljust", '<'), just("rjust", '>'), just("center", '^'),
		partition("partition", false), partition("rpartition", true),
		cut("removeprefix", strings.TrimPrefix), cut("removesuffix", strings.TrimSuffix),
		m("zfill", 1, 1, "", func(t *Thread, s string, a []Value) (Value, error) {
			w, err := wantIndex(t, a[0])
			if err != nil || int(w) <= len(s) {
				return bytesValue(s), err
			}
			if err := t.Room(w); err != nil {
				return Value{}, err
			}
			sign := ""
			if s != "" && (s[0] == '+' || s[0] == '-') {
				sign, s = s[:1], s[1:]
			}
			return bytesValue(sign + strings.Repeat("0", int(w)-len(s)-len(sign)) + s), nil
		}),
		m("expandtabs", 0, 1, "tabsize", func(t *Thread, s string, a []Value) (Value, error) {
			size, err := wantIndex(t, argOr(a, 0, Int(8)))
			if err != nil {
				return Value{}, err
			}
			if err := t.Room(int64(len(s)) + int64(strings.Count(s, "\t"))*max(size, 0)); err != nil {
				return Value{}, err
			}
			var b strings.Builder
			col := 0
			for i := range len(s) {
				switch c := s[i]; c {
				case '\t':
					if size > 0 {
						n := int(size) - col%int(size)
						b.WriteString(strings.Repeat(" ", n))
						col += n
					}
				default:
					b.WriteByte(c)
					if col++; c == '\n' || c == '\r' {
						col = 0
					}
				}
			}
			return bytesValue(b.String()), nil
		}),
		m("splitlines", 0, 1, "keepends", func(t *Thread, s string, a []Value) (Value, error) {
			keep, err := Truth(t, argOr(a, 0, False))
			if err != nil {
				return Value{}, err
			}
			var parts []string
			for s != "" {
				i := strings.IndexAny(s, "\r\n")
				if i < 0 {
					parts = append(parts, s)
					break
				}
				end := i + 1
				if strings.HasPrefix(s[i:], "\r\n") {
					end++
				}
				if keep {
					parts = append(parts, s[:end])
				} else {
					parts = append(parts, s[:i])
				}
				s = s[end:]
			}
			return bytesList(parts), nil
		}),
		m("translate", 1, 2, "table delete", func(t *Thread, s string, a []Value) (Value, error) {
			table, drop := "", ""
			var err error
			if !a[0].IsNone() {
				if table, err = like(a[0]); err != nil {
					return Value{}, err
				}
				if len(table) != 256 {
					return Value{}, ValueErrorf("translation table must be 256 characters long")
				}
			}
			if len(a) > 1 && !a[1].IsUnset() {
				if drop, err = like(a[1]); err != nil {
					return Value{}, err
				}
			}
			var b bytes.Buffer
			for i := range len(s) {
				if c := s[i]; strings.IndexByte(drop, c) < 0 {
					if table != "" {
						c = table[c]
					}
					b.WriteByte(c)
				}
			}
			return bytesValue(b.String()), nil
		}),
	}
}

func isUpperASCII(r rune) bool { return 'A' <= r && r <= 'Z' }
func isLowerASCII(r rune) bool { return 'a' <= r && r <= 'z' }

// rawText replaces bytes among the operands of bytes % y by strings of the same bytes.
func rawText(y Value) Value {
	one := func(v Value) Value {
		if s, ok := bytesLike(v); ok {
			return Str(s)
		}
		return v
	}
	tup, ok := Payload(y).AsTuple()
	if !ok {
		return one(y)
	}
	out := make([]Value, len(tup))
	for i, e := range tup {
		out[i] = one(FromStarlark(e))
	}
	return Tuple(out...)
}

// bytesMakeTrans is bytes.maketrans and bytearray.maketrans.
func bytesMakeTrans(t *Thread, args []Value, kw []Kwarg) (Value, error) {
	from, ok1 := bytesLike(args[0])
	to, ok2 := bytesLike(args[1])
	if !ok1 || !ok2 {
		bad := args[0]
		if ok1 {
			bad = args[1]
		}
		return Value{}, TypeErrorf("a bytes-like object is required, not '%s'", typeName(bad))
	}
	if len(from) != len(to) {
		return Value{}, ValueErrorf("maketrans arguments must have same length")
	}
	table := make([]byte, 256)
	for i := range table {
		table[i] = byte(i)
	}
	for i := range len(from) {
		table[from[i]] = to[i]
	}
	return BytesOf(table), nil
}
