package value

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"go.starlark.net/starlark"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

func asStr(v Value) (string, bool) { return v.AsString() }

func initStrMethods() {
	StrClass.Slots = &Slots{New: newStr}
	m := methodOf(asStr, &StrClass)
	s1 := func(name string, f func(string) string) *Builtin {
		return m(name, 0, 0, "", func(t *Thread, s string, a []Value) (Value, error) { return Str(f(s)), nil })
	}
	test := func(name string, f func(string) bool) *Builtin {
		return m(name, 0, 0, "", func(t *Thread, s string, a []Value) (Value, error) { return Bool(f(s)), nil })
	}
	strip := func(name string, left, right bool) *Builtin {
		return m(name, 0, 1, "", func(t *Thread, s string, a []Value) (Value, error) {
			c := argOr(a, 0, None)
			if c.IsNone() {
				if left {
					s = strings.TrimLeftFunc(s, isSpace)
				}
				if right {
					s = strings.TrimRightFunc(s, isSpace)
				}
				return Str(s), nil
			}
			set, ok := Payload(c).AsString()
			if !ok {
				return Value{}, TypeErrorf("%s arg must be None or str", name)
			}
			if left {
				s = strings.TrimLeft(s, set)
			}
			if right {
				s = strings.TrimRight(s, set)
			}
			return Str(s), nil
		})
	}
	find := func(name string, last, must bool) *Builtin {
		return m(name, 1, 3, "", func(t *Thread, s string, a []Value) (Value, error) {
			sub, ok := Payload(a[0]).AsString()
			if !ok {
				return Value{}, TypeErrorf("must be str, not %s", typeName(a[0]))
			}
			lo, hi, ok, err := t.strSpan(s, argOr(a, 1, None), argOr(a, 2, None))
			if err != nil {
				return Value{}, err
			}
			i := -1
			if ok {
				if last {
					i = strings.LastIndex(s[lo:hi], sub)
				} else {
					i = strings.Index(s[lo:hi], sub)
				}
			}
			if i < 0 {
				if must {
					return Value{}, ValueErrorf("substring not found")
				}
				return Int(-1), nil
			}
			return Int(int64(t.codeIndex(s, lo+i))), nil
		})
	}
	affix := func(name string, has func(s, x string) bool) *Builtin {
		return m(name, 1, 3, "", func(t *Thread, s string, a []Value) (Value, error) {
			lo, hi, ok, err := t.strSpan(s, argOr(a, 1, None), argOr(a, 2, None))
			if err != nil {
				return Value{}, err
			}
			if tup, isTup := Payload(a[0]).AsTuple(); isTup {
				for _, e := range tup {
					x, isStr := Payload(FromStarlark(e)).AsString()
					if !isStr {
						return Value{}, TypeErrorf("tuple for %s must only contain str, not %s", name, typeName(FromStarlark(e)))
					}
					if ok && has(s[lo:hi], x) {
						return True, nil
					}
				}
				return False, nil
			}
			x, isStr := Payload(a[0]).AsString()
			if !isStr {
				return Value{}, TypeErrorf("%s first arg must be str or a tuple of str, not %s", name, typeName(a[0]))
			}
			return Bool(ok && has(s[lo:hi], x)), nil
		})
	}
	cut := func(name string, f func(s, x string) string) *Builtin {
		return m(name, 1, 1, "", func(t *Thread, s string, a []Value) (Value, error) {
			x, err := strArg(name, a, 0)
			return Str(f(s, x)), err
		})
	}
	partition := func(name string, last bool) *Builtin {
		return m(name, 1, 1, "", func(t *Thread, s string, a []Value) (Value, error) {
			sep, ok := Payload(a[0]).AsString()
			if !ok {
				return Value{}, TypeErrorf("must be str, not %s", typeName(a[0]))
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
				return Tuple(Str(s[:i]), a[0], Str(s[i+len(sep):])), nil
			case last:
				return Tuple(Str(""), Str(""), Str(s)), nil
			}
			return Tuple(Str(s), Str(""), Str("")), nil
		})
	}
	just := func(name string, align byte) *Builtin {
		return m(name, 1, 2, "", func(t *Thread, s string, a []Value) (Value, error) {
			w, err := wantIndex(t, a[0])
			if err != nil {
				return Value{}, err
			}
			fill := ' '
			if len(a) > 1 {
				f, ok := Payload(a[1]).AsString()
				if !ok || utf8.RuneCountInString(f) != 1 {
					return Value{}, TypeErrorf("The fill character must be exactly one character long")
				}
				fill, _ = utf8.DecodeRuneInString(f)
			}
			if err := t.Room(max(w, 0)); err != nil {
				return Value{}, err
			}
			n := int(w) - utf8.RuneCountInString(s)
			if n <= 0 {
				return Str(s), nil
			}
			pad := func(n int) string { return strings.Repeat(string(fill), n) }
			switch align {
			case '<':
				return Str(s + pad(n)), nil
			case '>':
				return Str(pad(n) + s), nil
			}
			left := n/2 + n&int(w)&1
			return Str(pad(left) + s + pad(n-left)), nil
		})
	}
	split := func(name string, right bool) *Builtin {
		return m(name, 0, 2, "sep maxsplit", func(t *Thread, s string, a []Value) (Value, error) {
			limit := int64(-1)
			if len(a) > 1 {
				var err error
				if limit, err = wantIndex(t, argOr(a, 1, Int(-1))); err != nil {
					return Value{}, err
				}
			}
			sepV := argOr(a, 0, None)
			var parts []string
			if sepV.IsNone() {
				parts = splitSpace(s, int(min(limit, 1<<30)), right)
			} else {
				sep, ok := Payload(sepV).AsString()
				if !ok {
					return Value{}, TypeErrorf("must be str or None, not %s", typeName(sepV))
				}
				if sep == "" {
					return Value{}, ValueErrorf("empty separator")
				}
				parts = splitOn(s, sep, int(min(limit, 1<<30)), right)
			}
			return strList(parts), nil
		})
	}
	StrClass.Def(
		s1("upper", upperStr), s1("lower", lowerStr), s1("casefold", foldStr),
		s1("capitalize", capitalize), s1("title", titleCase), s1("swapcase", swapCase),
		strip("strip", true, true), strip("lstrip", true, false), strip("rstrip", false, true),
		find("find", false, false), find("index", false, true), find("rfind", true, false), find("rindex", true, true),
		affix("startswith", strings.HasPrefix), affix("endswith", strings.HasSuffix),
		cut("removeprefix", strings.TrimPrefix), cut("removesuffix", strings.TrimSuffix),
		partition("partition", false), partition("rpartition", true),
		just("ljust", '<'), just("rjust", '>'), just("center", '^'),
		split("split", false), split("rsplit", true),
		m("splitlines", 0, 1, "keepends", func(t *Thread, s string, a []Value) (Value, error) {
			keep, err := Truth(t, argOr(a, 0, False))
			return strList(splitLines(s, keep)), err
		}),
		m("zfill", 1, 1, "", func(t *Thread, s string, a []Value) (Value, error) {
			w, err := wantIndex(t, a[0])
			if err != nil {
				return Value{}, err
			}
			if err := t.Room(max(w, 0)); err != nil {
				return Value{}, err
			}
			n := int(w) - utf8.RuneCountInString(s)
			if n <= 0 {
				return Str(s), nil
			}
			if s != "" && (s[0] == '+' || s[0] == '-') {
				return Str(s[:1] + strings.Repeat("0", n) + s[1:]), nil
			}
			return Str(strings.Repeat("0", n) + s), nil
		}),
		m("replace", 2, 3, "", func(t *Thread, s string, a []Value) (Value, error) {
			old, err := strArg("replace", a, 0)
			if err != nil {
				return Value{}, err
			}
			with, err := strArg("replace", a, 1)
			if err != nil {
				return Value{}, err
			}
			n := int64(-1)
			if len(a) > 2 {
				if n, err = wantIndex(t, a[2]); err != nil {
					return Value{}, err
				}
			}
			if n < 0 {
				n = -1
			}
			if err := roomToReplace(t, s, old, with, n); err != nil {
				return Value{}, err
			}
			return Str(strings.Replace(s, old, with, int(min(n, 1<<30)))), nil
		}),
		m("count", 1, 3, "", func(t *Thread, s string, a []Value) (Value, error) {
			sub, ok := Payload(a[0]).AsString()
			if !ok {
				return Value{}, TypeErrorf("must be str, not %s", typeName(a[0]))
			}
			lo, hi, ok, err := t.strSpan(s, argOr(a, 1, None), argOr(a, 2, None))
			if err != nil || !ok {
				return Int(0), err
			}
			return Int(int64(strings.Count(s[lo:hi], sub))), nil
		}),
		m("expandtabs", 0, 1, "tabsize", func(t *Thread, s string, a []Value) (Value, error) {
			n, err := wantIndex(t, argOr(a, 0, Int(8)))
			if err != nil {
				return Value{}, err
			}
			var b strings.Builder
			col := 0
			for _, r := range s {
				switch r {
				case '\t':
					if n > 0 {
						k := int(n) - col%int(n)
						if err := t.Room(int64(b.Len()) + int64(k)); err != nil {
							return Value{}, err
						}
						b.WriteString(strings.Repeat(" ", k))
						col += k
					}
					continue
				case '\n', '\r':
					col = -1
				}
				b.WriteRune(r)
				col++
			}
			return Str(b.String()), nil
		}),
		m("encode", 0, 2, "encoding errors", func(t *Thread, s string, a []Value) (Value, error) {
			enc, err := strOpt("encode", "encoding", a, 0, "utf-8")
			if err != nil {
				return Value{}, err
			}
			mode, err := strOpt("encode", "errors", a, 1, "strict")
			if err != nil {
				return Value{}, err
			}
			b, err := encode(s, enc, mode)
			return FromStarlark(starlark.Bytes(b)), err
		}),
		test("isalpha", allRunes(unicode.IsLetter)),
		test("isdigit", allRunes(isDigit)),
		test("isdecimal", allRunes(func(r rune) bool { return unicode.Is(unicode.Nd, r) })),
		test("isnumeric", allRunes(unicode.IsNumber)),
		test("isalnum", allRunes(func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })),
		test("isspace", allRunes(isSpace)),
		test("isupper", func(s string) bool { return cased(s, unicode.IsUpper, unicode.IsLower) }),
		test("islower", func(s string) bool { return cased(s, unicode.IsLower, unicode.IsUpper) }),
		test("istitle", isTitle),
		test("isascii", isASCII),
		test("isidentifier", isIdentifier),
		test("isprintable", func(s string) bool {
			for _, r := range s {
				if !printable(r) {
					return false
				}
			}
			return true
		}),
		m("translate", 1, 1, "", func(t *Thread, s string, a []Value) (Value, error) {
			var b strings.Builder
			for _, r := range s {
				v, err := t.finish(GetItem(t, a[0], Int(int64(r))))
				if e, ok := err.(*Raised); ok && e.Class.IsSubclass(ExcLookupError) {
					b.WriteRune(r)
					continue
				}
				if err != nil {
					return Value{}, err
				}
				if x, ok := v.AsString(); ok {
					if err := t.Room(int64(b.Len()) + int64(len(x))); err != nil {
						return Value{}, err
					}
					b.WriteString(x)
				} else if v.IsInt() {
					b.WriteRune(rune(v.Int64()))
				} else if !v.IsNone() {
					return Value{}, TypeErrorf("character mapping must return integer, None or str")
				}
			}
			return Str(b.String()), nil
		}),
		&Builtin{Name: "join", Min: 1, Max: 1, Counted: true, Pure: true, Fn: strJoin},
		&Builtin{Name: "format", Max: -1, WantsKw: true, Pure: true, Fn: func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			s, ok := Payload(args[0]).AsString()
			if !ok {
				return Value{}, TypeErrorf("descriptor 'format' for 'str' objects doesn't apply to a '%s' object", typeName(args[0]))
			}
			return strFormat(t, s, args[1:], kw, Value{})
		}},
		&Builtin{Name: "format_map", Min: 1, Max: 1, Counted: true, Pure: true, Fn: func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			s, _ := Payload(args[0]).AsString()
			return strFormat(t, s, nil, nil, args[1])
		}},
	)
	StrClass.SetRaw("maketrans", (&StaticMethod{Fn: (&Builtin{Name: "maketrans", Min: 1, Max: 3, Counted: true, Pure: true, Fn: makeTrans}).Value()}).Value())
}

func strArg(fn string, a []Value, i int) (string, error) {
	s, ok := Payload(a[i]).AsString()
	if !ok {
		return "", TypeErrorf("%s() argument %d must be str, not %s", fn, i+1, argTypeName(a[i]))
	}
	return s, nil
}

func strOpt(fn, name string, a []Value, i int, def string) (string, error) {
	if i >= len(a) || a[i].IsUnset() {
		return def, nil
	}
	s, ok := Payload(a[i]).AsString()
	if !ok {
		return "", TypeErrorf("%s() argument '%s' must be str, not %s", fn, name, argTypeName(a[i]))
	}
	return s, nil
}

func strList(parts []string) Value {
	elems := make([]Value, len(parts))
	for i, p := range parts {
		elems[i] = Str(p)
	}
	return NewList(elems).Value()
}

// isSpace is str.isspace: Unicode's white space and the separators 0x1c to 0x1f.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

func isDigit(r rune) bool {
	return unicode.Is(unicode.Nd, r) || r == '²' || r == '³' || r == '¹' || r >= '⁰' && r <= '₉' && unicode.Is(unicode.No, r)
}

func allRunes(f func(rune) bool) func(string) bool {
	return func(s string) bool {
		for _, r := range s {
			if !f(r) {
				return false
			}
		}
		return s != ""
	}
}

func cased(s string, want, not func(rune) bool) bool {
	any := false
	for _, r := range s {
		if not(r) || unicode.IsTitle(r) {
			return false
		}
		any = any || want(r)
	}
	return any
}

func isTitle(s string) bool {
	prev, any := false, false
	for _, r := range s {
		switch {
		case unicode.IsUpper(r) || unicode.IsTitle(r):
			if prev {
				return false
			}
			prev, any = true, true
		case unicode.IsLower(r):
			if !prev {
				return false
			}
			any = true
		default:
			prev = false
		}
	}
	return any
}

func isIdentifier(s string) bool {
	for i, r := range s {
		if r == '_' || unicode.IsLetter(r) || i > 0 && (unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)) {
			continue
		}
		return false
	}
	return s != ""
}

// Case mappings that change the number of letters, or depend on what stands around,
// are those of golang.org/x/text/cases; plain ASCII does not need them.
func upperStr(s string) string {
	if isASCII(s) {
		return strings.ToUpper(s)
	}
	return cases.Upper(language.Und).String(s)
}

func lowerStr(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return cases.Lower(language.Und).String(s)
}

func foldStr(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return cases.Fold().String(s)
}

func capitalize(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return titleRune(r) + lowerStr(s[n:])
}

// titleRune is the title case of one letter, which may be several letters.
func titleRune(r rune) string {
	if r < utf8.RuneSelf {
		return string(unicode.ToTitle(r))
	}
	return cases.Title(language.Und).String(string(r))
}

func titleCase(s string) string {
	var b strings.Builder
	prev := false
	for _, r := range s {
		letter := unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsTitle(r)
		switch {
		case !letter:
			b.WriteRune(r)
		case prev:
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteString(titleRune(r))
		}
		prev = letter
	}
	return b.String()
}

func swapCase(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case unicode.IsUpper(r):
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteString(upperStr(string(r)))
		}
	}
	return b.String()
}

func splitSpace(s string, limit int, right bool) []string {
	var parts []string
	if right {
		for {
			s = strings.TrimRightFunc(s, isSpace)
			if s == "" {
				break
			}
			if limit == 0 {
				parts = append(parts, s)
				break
			}
			limit--
			i := strings.LastIndexFunc(s, isSpace)
			if i < 0 {
				parts = append(parts, s)
				break
			}
			_, n := utf8.DecodeRuneInString(s[i:])
			parts = append(parts, s[i+n:])
			s = s[:i]
		}
		reverse(parts)
		return parts
	}
	for {
		s = strings.TrimLeftFunc(s, isSpace)
		if s == "" {
			return parts
		}
		if limit == 0 {
			return append(parts, s)
		}
		limit--
		i := strings.IndexFunc(s, isSpace)
		if i < 0 {
			return append(parts, s)
		}
		parts = append(parts, s[:i])
		s = s[i:]
	}
}

func reverse[T any](s []T) {
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
}

func splitOn(s, sep string, limit int, right bool) []string {
	if limit < 0 {
		return strings.Split(s, sep)
	}
	if !right {
		return strings.SplitN(s, sep, limit+1)
	}
	var parts []string
	for ; limit > 0; limit-- {
		i := strings.LastIndex(s, sep)
		if i < 0 {
			break
		}
		parts = append(parts, s[i+len(sep):])
		s = s[:i]
	}
	parts = append(parts, s)
	reverse(parts)
	return parts
}

func splitLines(s string, keep bool) []string {
	var parts []string
	start := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch r {
		case '\n', '\v', '\f', '\r', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
			end := i + n
			if r == '\r' && end < len(s) && s[end] == '\n' {
				end++
			}
			if keep {
				parts = append(parts, s[start:end])
			} else {
				parts = append(parts, s[start:i])
			}
			start, i = end, end
			continue
		}
		i += n
	}
	if start < len(s) {
		parts = append(parts, s[start:])
	}
	return parts
}

func strJoin(t *Thread, args []Value, kw []Kwarg) (Value, error) {
	sep, ok := Payload(args[0]).AsString()
	if !ok {
		return Value{}, TypeErrorf("descriptor 'join' for 'str' objects doesn't apply to a '%s' object", typeName(args[0]))
	}
	if args[1].IsTagged() || !isIterable(args[1]) {
		return Value{}, TypeErrorf("can only join an iterable")
	}
	items, err := collect(t, strJoin, args, kw, 1)
	if err != nil {
		return Value{}, err
	}
	n := 0
	for i, v := range items {
		s, ok := v.AsString()
		if !ok {
			s, ok = Payload(v).AsString()
		}
		if !ok {
			return Value{}, TypeErrorf("sequence item %d: expected str instance, %s found", i, typeName(v))
		}
		n += len(s) + len(sep)
	}
	if err := t.Room(int64(n)); err != nil {
		return Value{}, err
	}
	if len(items) == 0 {
		return Str(""), nil
	}
	out, room := textOf(n - len(sep))
	for i, v := range items {
		if i > 0 {
			room = room[copy(room, sep):]
		}
		s, ok := v.AsString()
		if !ok {
			s, _ = Payload(v).AsString()
		}
		room = room[copy(room, s):]
	}
	return out, nil
}

func makeTrans(t *Thread, args []Value, kw []Kwarg) (Value, error) {
	d := NewDict(0)
	if len(args) == 1 {
		src := Payload(args[0]).AsDict()
		if src == nil {
			return Value{}, TypeErrorf("if you give only one argument to maketrans it must be a dict")
		}
		for i := 0; ; {
			k, v, next, ok := src.Next(i)
			if !ok {
				return d.Value(), nil
			}
			i = next
			if s, ok := k.AsString(); ok {
				r, n := utf8.DecodeRuneInString(s)
				if n != len(s) || n == 0 {
					return Value{}, ValueErrorf("string keys in translate table must be of length 1")
				}
				k = Int(int64(r))
			}
			if err := d.Set(t, k, v); err != nil {
				return Value{}, err
			}
		}
	}
	a, err := strArg("maketrans", args, 0)
	if err != nil {
		return Value{}, err
	}
	b, err := strArg("maketrans", args, 1)
	if err != nil {
		return Value{}, err
	}
	x, y := []rune(a), []rune(b)
	if len(x) != len(y) {
		return Value{}, ValueErrorf("the first two maketrans arguments must have equal length")
	}
	for i := range x {
		d.Set(t, Int(int64(x[i])), Int(int64(y[i])))
	}
	if len(args) > 2 {
		z, err := strArg("maketrans", args, 2)
		if err != nil {
			return Value{}, err
		}
		for _, r := range z {
			d.Set(t, Int(int64(r)), None)
		}
	}
	return d.Value(), nil
}

// newStr is str(object), str(bytes, encoding, errors) and its subclasses'.
func newStr(t *Thread, cls *Class, args []Value, kw []Kwarg) (Value, error) {
	if len(args) > 3 {
		return Value{}, TypeErrorf("str() takes at most 3 arguments (%d given)", len(args))
	}
	args, err := placeArgs("str", args, kw, []string{"object", "encoding", "errors"})
	if err != nil {
		return Value{}, err
	}
	var v Value
	switch {
	case len(args) == 0:
		v = Str("")
	case len(args) == 1:
		v, err = StrOf(t, args[0])
		if nc, ok := err.(*NeedCall); ok && cls != StrClass {
			first := *nc
			return Value{}, &NeedCall{Then: &chainStep{first: &first, then: &wrapStep{cls}}}
		}
	default:
		var enc, mode, s string
		if enc, err = strOpt("str", "encoding", args, 1, "utf-8"); err != nil {
			return Value{}, err
		}
		if mode, err = strOpt("str", "errors", args, 2, "strict"); err != nil {
			return Value{}, err
		}
		b, ok := As[starlark.Bytes](Payload(args[0]))
		if !ok {
			return Value{}, TypeErrorf("decoding to str: need a bytes-like object, %s found", typeName(args[0]))
		}
		s, err = decode(string(b), enc, mode)
		v = Str(s)
	}
	if err != nil {
		return Value{}, err
	}
	return wrap(cls, StrClass, v), nil
}

// wrap makes an instance of a subclass of a built-in type; for the type itself
// the value stands for itself.
func wrap(cls, base *Class, v Value) Value {
	if cls == base {
		return v
	}
	in := NewInstance(cls)
	if v.IsTagged() {
		in.Native = &v
	} else {
		in.Native = v.iface()
	}
	return in.Value()
}

type wrapStep struct{ cls *Class }

func (s *wrapStep) Step(t *Thread, in Value, err error) Action {
	if err != nil {
		return Raise(err)
	}
	return Return(wrap(s.cls, nil, in))
}

// roomToReplace checks what replacing up to n occurrences (negative: all) makes.
func roomToReplace(t *Thread, s, old, with string, n int64) error {
	if len(with) <= len(old) {
		return nil
	}
	k := int64(strings.Count(s, old))
	if n >= 0 {
		k = min(k, n)
	}
	grow := int64(len(with) - len(old))
	if k > maxText/grow {
		return NewRaised(ExcMemoryError)
	}
	return t.Room(int64(len(s)) + k*grow)
}
