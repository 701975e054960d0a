package value

import (
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"

	"go.starlark.net/starlark"
)

// Strings are UTF-8. Python counts code points, so an index into a string that
// is not ASCII has to be found. The thread remembers, for the few long strings
// used last, where every 64th code point is; short ones are scanned each time.

const (
	strideShift = 6
	shortString = 32 // bytes; scanning that many costs no more than the look-up
)

type strIndex struct {
	slots [8]strEntry
	next  int
}

type strEntry struct {
	s     string // kept, so that its address stays its own
	count int    // code points
	ascii bool
	marks []int32 // byte offset of code point k<<strideShift
}

func isASCII(s string) bool {
	for len(s) >= 8 {
		w := *(*uint64)(unsafe.Pointer(unsafe.StringData(s)))
		if w&0x8080808080808080 != 0 {
			return false
		}
		s = s[8:]
	}
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// entry returns the index of a long string.
func (x *strIndex) entry(s string) *strEntry {
	p := unsafe.StringData(s)
	for i := range x.slots {
		if e := &x.slots[i]; len(e.s) == len(s) && unsafe.StringData(e.s) == p {
			return e
		}
	}
	e := &x.slots[x.next]
	x.next = (x.next + 1) % len(x.slots)
	*e = strEntry{s: s}
	if e.ascii = isASCII(s); e.ascii {
		e.count = len(s)
		return e
	}
	for i := 0; i < len(s); {
		if e.count&(1<<strideShift-1) == 0 {
			e.marks = append(e.marks, int32(i))
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		i += n
		e.count++
	}
	return e
}

// strLen is the length of s in code points (bytes in the strict dialect).
func (t *Thread) strLen(s string) int {
	if t.Dialect == Strict {
		return len(s)
	}
	if len(s) <= shortString {
		return utf8.RuneCountInString(s)
	}
	return t.strs.entry(s).count
}

// strOffset is the byte offset of code point i, 0 <= i <= length.
func (t *Thread) strOffset(s string, i int) int {
	if t.Dialect == Strict {
		return i
	}
	off := 0
	if len(s) > shortString {
		e := t.strs.entry(s)
		if e.ascii || i >= e.count {
			return min(i, len(s))
		}
		off = int(e.marks[i>>strideShift])
		i &= 1<<strideShift - 1
	} else if isASCII(s) {
		return i
	}
	for ; i > 0 && off < len(s); i-- {
		_, n := utf8.DecodeRuneInString(s[off:])
		off += n
	}
	return off
}

// codeIndex is the number of code points in front of byte offset off.
func (t *Thread) codeIndex(s string, off int) int {
	if t.Dialect == Strict || off <= 0 {
		return off
	}
	return utf8.RuneCountInString(s[:off])
}

// strSpan resolves the optional start and end arguments of find, count and the
// like into byte offsets; ok is false where start is behind the end of s.
func (t *Thread) strSpan(s string, start, end Value) (lo, hi int, ok bool, err error) {
	if (start.IsUnset() || start.IsNone()) && (end.IsUnset() || end.IsNone()) {
		return 0, len(s), true, nil
	}
	n := t.strLen(s)
	get := func(v Value, def int) (int, error) {
		if v.IsUnset() || v.IsNone() {
			return def, nil
		}
		i, isInt, err := AsIndex(t, v)
		if err == nil && !isInt {
			err = TypeErrorf("slice indices must be integers or None or have an __index__ method")
		}
		if i < 0 {
			i = max(i+int64(n), 0)
		}
		return int(min(i, int64(n)+1)), err
	}
	a, err := get(start, 0)
	if err != nil {
		return 0, 0, false, err
	}
	b, err := get(end, n)
	if err != nil {
		return 0, 0, false, err
	}
	if b = min(b, n); a > b {
		return 0, 0, false, nil
	}
	return t.strOffset(s, a), t.strOffset(s, b), true, nil
}

// strItem is s[k].
func (t *Thread) strItem(s string, k Value) (Value, error) {
	if sl, ok := As[*Slice](k); ok {
		lo, hi, step, err := sl.Indices(t, t.strLen(s))
		if err != nil {
			return Value{}, err
		}
		if step == 1 {
			if lo >= hi {
				return Str(""), nil
			}
			return charStr(s[t.strOffset(s, lo):t.strOffset(s, hi)]), nil
		}
		var b strings.Builder
		if t.Dialect == Strict || isASCII(s) {
			for i := lo; step > 0 && i < hi || step < 0 && i > hi; i += step {
				b.WriteByte(s[i])
			}
			return Str(b.String()), nil
		}
		runes := []rune(s)
		for i := lo; step > 0 && i < hi || step < 0 && i > hi; i += step {
			b.WriteRune(runes[i])
		}
		return Str(b.String()), nil
	}
	i, err := indexFor(t, k, "string")
	if err != nil {
		return Value{}, err
	}
	n := t.strLen(s)
	if i, err = t.checkIndex("string", i, n); err != nil {
		return Value{}, err
	}
	off := t.strOffset(s, int(i))
	size := 1
	if t.Dialect == Model {
		_, size = utf8.DecodeRuneInString(s[off:])
	}
	return charStr(s[off : off+size]), nil
}

// bytesItem is b[k].
func (t *Thread) bytesItem(s string, k Value) (Value, error) {
	if sl, ok := As[*Slice](k); ok {
		lo, hi, step, err := sl.Indices(t, len(s))
		if err != nil {
			return Value{}, err
		}
		if step == 1 {
			return FromStarlark(starlark.Bytes(s[lo:max(lo, hi)])), nil
		}
		var out []byte
		for i := lo; step > 0 && i < hi || step < 0 && i > hi; i += step {
			out = append(out, s[i])
		}
		return FromStarlark(starlark.Bytes(out)), nil
	}
	what := "byte"
	if t.Dialect == Strict {
		what = "bytes"
	}
	i, err := indexFor(t, k, what)
	if err != nil {
		return Value{}, err
	}
	if i, err = t.checkIndex(what, i, len(s)); err != nil {
		return Value{}, err
	}
	if t.Dialect == Strict {
		return FromStarlark(starlark.Bytes(s[i : i+1])), nil
	}
	return Int(int64(s[i])), nil
}

func repeatString(s string, n int) string { return strings.Repeat(s, n) }

// Concat joins the parts of an f-string, all of them strings.
func Concat(t *Thread, parts []Value) Value {
	for i, p := range parts {
		if p.Is(ItabString) {
			continue
		}
		if _, ok := As[Symbolic](p); ok {
			if t != nil && t.Observer != nil {
				return t.concatSymbolic(parts)
			}
			parts = slices.Clone(parts)
			for j := i; j < len(parts); j++ {
				parts[j] = concrete(parts[j])
			}
			break
		}
	}
	n := 0
	for _, p := range parts {
		s, _ := p.AsString()
		n += len(s)
	}
	if n == 0 {
		return Str("")
	}
	v, room := textOf(n)
	for _, p := range parts {
		s, _ := p.AsString()
		room = room[copy(room, s):]
	}
	return v
}

// concatSymbolic adds parts of which some are symbolic strings.
func (t *Thread) concatSymbolic(parts []Value) Value {
	sum := parts[0]
	for _, p := range parts[1:] {
		v, err := Binary(t, OpAdd, sum, p)
		if err != nil {
			panic("BUG: strings that cannot be added: " + err.Error())
		}
		sum = v
	}
	return sum
}
