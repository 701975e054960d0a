package value

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// formatStep is str.format: it walks the format string and fills fields in.
// Fields may need language code (attributes, __format__, __str__).
type formatStep struct {
	format string
	args   []Value
	kw     []Kwarg
	m      Value // format_map
	pos    int
	auto   int // next automatic field; -1 once numbers are given
	manual bool
	out    strings.Builder

	wait string // what the pending call's result is: "", "field", "conv", "done"
	path string // rest of the field name: .attr and [item]
	conv byte
	spec string
	val  Value
}

func strFormat(t *Thread, format string, args []Value, kw []Kwarg, m Value) (Value, error) {
	st := &formatStep{format: format, args: args, kw: kw, m: m}
	act := st.Step(t, Value{}, nil)
	switch act.Kind {
	case ActReturn:
		return act.Value, nil
	case ActRaise:
		return Value{}, act.Err
	}
	st.args, st.kw = append([]Value(nil), args...), copyKw(kw)
	c := *act.Call
	return Value{}, &NeedCall{Then: &chainStep{first: &c, then: st}}
}

func (s *formatStep) Roots(visit func(*Value)) {
	for i := range s.args {
		visit(&s.args[i])
	}
	for i := range s.kw {
		visit(&s.kw[i].Value)
	}
	visit(&s.m)
	visit(&s.val)
}

func (s *formatStep) Step(t *Thread, in Value, err error) Action {
	if err != nil {
		return Raise(err)
	}
	for {
		switch s.wait {
		case "":
			done, err := s.literal(t)
			if err != nil {
				return Raise(err)
			}
			if done {
				return Return(Str(s.out.String()))
			}
		case "field":
			s.val = in
		case "conv":
			s.val, s.conv = in, 0
		case "done":
			text, _ := in.AsString()
			s.out.WriteString(text)
			s.wait = ""
			continue
		}
		// s.val is the field's value so far.
		var v Value
		var err error
		switch {
		case s.path != "":
			s.wait = "field"
			v, err = s.step(t)
		case s.conv != 0:
			s.wait = "conv"
			switch s.conv {
			case 's':
				v, err = StrOf(t, s.val)
			case 'r':
				v, err = ReprOf(t, s.val)
			case 'a':
				if v, err = t.finish(ReprOf(t, s.val)); err == nil {
					text, _ := v.AsString()
					v = Str(asciiOnly(text))
				}
			}
		default:
			s.wait = "done"
			v, err = Format(t, s.val, s.spec)
		}
		if err != nil {
			return Raise(err)
		}
		in = v
	}
}

// step follows one .attr or [item] of the field's path.
func (s *formatStep) step(t *Thread) (Value, error) {
	p := s.path
	if p[0] == '.' {
		i := strings.IndexAny(p[1:], ".[")
		if i < 0 {
			i = len(p) - 1
		}
		name := p[1 : 1+i]
		s.path = p[1+i:]
		if name == "" {
			return Value{}, ValueErrorf("Empty attribute in format string")
		}
		return GetAttr(t, s.val, name)
	}
	i := strings.IndexByte(p, ']')
	if p[0] != '[' || i < 0 {
		if p[0] != '[' {
			return Value{}, ValueErrorf("Only '.' or '[' may follow ']' in format field specifier")
		}
		return Value{}, ValueErrorf("expected '}' before end of string")
	}
	key := p[1:i]
	s.path = p[i+1:]
	if key == "" {
		return Value{}, ValueErrorf("Empty attribute in format string")
	}
	k := Str(key)
	if n, err := strconv.ParseInt(key, 10, 64); err == nil && key[0] != '+' && key[0] != '-' {
		k = Int(n)
	}
	return GetItem(t, s.val, k)
}

// literal copies text up to the next field and parses the field.
func (s *formatStep) literal(t *Thread) (done bool, err error) {
	f := s.format
	for s.pos < len(f) {
		c := f[s.pos]
		switch {
		case c != '{' && c != '}':
			i := strings.IndexAny(f[s.pos:], "{}")
			if i < 0 {
				i = len(f) - s.pos
			}
			s.out.WriteString(f[s.pos : s.pos+i])
			s.pos += i
		case s.pos+1 < len(f) && f[s.pos+1] == c:
			s.out.WriteByte(c)
			s.pos += 2
		case c == '}':
			return false, ValueErrorf("Single '}' encountered in format string")
		case s.pos+1 == len(f):
			return false, ValueErrorf("Single '{' encountered in format string")
		default:
			return false, s.field(t)
		}
	}
	return true, nil
}

func (s *formatStep) field(t *Thread) error {
	f := s.format
	start := s.pos + 1
	// The field ends at the brace that closes it; braces in the spec nest.
	depth, i, bracket := 1, start, false
	colon := -1
	for ; i < len(f); i++ {
		switch f[i] {
		case '[':
			if colon < 0 {
				bracket = true
			}
			continue
		case ']':
			bracket = false
			continue
		case '{':
			if !bracket {
				depth++
			}
			continue
		case '}':
			if !bracket {
				depth--
			}
		case ':':
			if colon < 0 && !bracket && depth == 1 {
				colon = i
			}
			continue
		}
		if depth == 0 {
			break
		}
	}
	if depth != 0 {
		return ValueErrorf("expected '}' before end of string")
	}
	s.pos = i + 1
	name, spec := f[start:i], ""
	if colon >= 0 {
		name, spec = f[start:colon], f[colon+1:i]
	}
	s.conv = 0
	if k := strings.IndexByte(name, '!'); k >= 0 && strings.IndexByte(name[k:], ']') < 0 {
		conv := name[k+1:]
		name = name[:k]
		if conv == "" {
			return ValueErrorf("unmatched '{' in format spec")
		}
		if len(conv) != 1 {
			return ValueErrorf("expected ':' after conversion specifier")
		}
		if s.conv = conv[0]; s.conv != 's' && s.conv != 'r' && s.conv != 'a' {
			return ValueErrorf("Unknown conversion specifier %s", conv)
		}
	}
	k := strings.IndexAny(name, ".[")
	if k < 0 {
		k = len(name)
	}
	first := name[:k]
	s.path = name[k:]
	v, err := s.lookup(t, first)
	if err != nil {
		return err
	}
	if strings.IndexByte(spec, '{') >= 0 || strings.IndexByte(spec, '}') >= 0 {
		// Fields inside the specification, one level deep.
		sub := &formatStep{format: spec, args: s.args, kw: s.kw, m: s.m, auto: s.auto, manual: s.manual}
		act := sub.Step(t, Value{}, nil)
		if act.Kind == ActRaise {
			return act.Err
		}
		if act.Kind == ActCall {
			c := *act.Call
			v, err := t.finishCall(&NeedCall{Then: &chainStep{first: &c, then: sub}})
			if err != nil {
				return err
			}
			act.Value = v
		}
		spec, _ = act.Value.AsString()
		s.auto = sub.auto
	}
	s.spec = spec
	s.val = v
	s.wait = "ready"
	return nil
}

func (s *formatStep) lookup(t *Thread, name string) (Value, error) {
	index := -1
	if name == "" {
		if s.manual {
			return Value{}, ValueErrorf("cannot switch from manual field specification to automatic field numbering")
		}
		index = s.auto
		s.auto++
	} else if n, err := strconv.Atoi(name); err == nil && name[0] != '-' && name[0] != '+' {
		if s.auto > 0 {
			return Value{}, ValueErrorf("cannot switch from automatic field numbering to manual field specification")
		}
		s.manual = true
		index = n
	}
	if index >= 0 {
		if !s.m.IsUnset() {
			return Value{}, ValueErrorf("Format string contains positional fields")
		}
		if index >= len(s.args) {
			return Value{}, IndexErrorf("Replacement index %d out of range for positional args tuple", index)
		}
		return s.args[index], nil
	}
	if !s.m.IsUnset() {
		return t.finish(GetItem(t, s.m, Str(name)))
	}
	for _, k := range s.kw {
		if k.Name == name {
			return k.Value, nil
		}
	}
	return Value{}, KeyErrorOf(Str(name))
}

// codecName is an encoding's name as encode and decode have it.
func codecName(enc string) string {
	norm := strings.ReplaceAll(strings.ToLower(enc), "_", "-")
	switch norm {
	case "u8", "cp65001":
		return "utf-8"
	case "l1", "8859", "cp819", "iso8859", "latin":
		return "latin-1"
	case "646", "ansi-x3.4-1968":
		return "ascii"
	case "u16":
		return "utf-16"
	case "u32":
		return "utf-32"
	}
	return norm
}

// encode and decode know the encodings that model files use.
func encode(s, enc, mode string) (string, error) {
	norm := codecName(enc)
	var limit rune
	switch norm {
	case "utf-8", "utf8":
		return s, nil
	case "ascii", "us-ascii":
		limit = 0x80
	case "latin-1", "latin1", "iso-8859-1", "iso8859-1":
		limit = 0x100
	case "utf-8-sig":
		return "\ufeff" + s, nil
	case "unicode-escape", "raw-unicode-escape":
		return encodeEscapes(s, norm[0] == 'r'), nil
	default:
		if unit, order, ok := wide(norm); ok {
			return encodeWide(s, unit, order), nil
		}
		return "", Errorf(ExcLookupError, "unknown encoding: %s", enc)
	}
	name := map[rune]string{0x80: "ascii", 0x100: "latin-1"}[limit]
	var b []byte
	i := 0
	for at, r := range s {
		switch {
		case r < limit:
			b = append(b, byte(r))
		case mode == "ignore":
		case mode == "replace":
			b = append(b, '?')
		case mode == "xmlcharrefreplace":
			b = append(b, fmt.Sprintf("&#%d;", r)...)
		case mode == "backslashreplace":
			b = append(b, escapeRune(r)...)
		default:
			n := 0
			for _, r := range s[at:] {
				if r < limit {
					break
				}
				n++
			}
			return "", NewRaised(ExcUnicodeEncodeError, Str(name), Str(s), Int(int64(i)), Int(int64(i+n)), Str(fmt.Sprintf("ordinal not in range(%d)", limit)))
		}
		i++
	}
	return string(b), nil
}

func escapeRune(r rune) string {
	switch {
	case r < 0x100:
		return `\x` + hexPad(r, 2)
	case r < 0x10000:
		return `\u` + hexPad(r, 4)
	}
	return `\U` + hexPad(r, 8)
}

func decode(s, enc, mode string) (string, error) {
	norm := codecName(enc)
	var b strings.Builder
	// fault answers for bytes lo to hi as mode says.
	fault := func(codec string, lo, hi int, why string) error {
		switch mode {
		case "ignore":
		case "replace":
			b.WriteRune(utf8.RuneError)
		case "backslashreplace":
			for _, c := range []byte(s[lo:hi]) {
				fmt.Fprintf(&b, "\\x%02x", c)
			}
		case "surrogateescape", "strict":
			return NewRaised(ExcUnicodeDecodeError, Str(codec), bytesValue(s), Int(int64(lo)), Int(int64(hi)), Str(why))
		default:
			return Errorf(ExcLookupError, "unknown error handler name '%s'", mode)
		}
		return nil
	}
	switch norm {
	case "utf-8", "utf8":
		if utf8.ValidString(s) {
			return s, nil
		}
		for i := 0; i < len(s); {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || n != 1 {
				b.WriteString(s[i : i+n])
				i += n
				continue
			}
			hi, why := utf8Fault(s, i)
			if err := fault("utf-8", i, hi, why); err != nil {
				return "", err
			}
			i = hi
		}
		return b.String(), nil
	case "ascii", "us-ascii", "latin-1", "latin1", "iso-8859-1", "iso8859-1":
		ascii := norm == "ascii" || norm == "us-ascii"
		for i := range len(s) {
			if ascii && s[i] >= 0x80 {
				if err := fault("ascii", i, i+1, "ordinal not in range(128)"); err != nil {
					return "", err
				}
				continue
			}
			b.WriteRune(rune(s[i]))
		}
		return b.String(), nil
	case "utf-8-sig":
		return decode(strings.TrimPrefix(s, "\ufeff"), "utf-8", mode)
	case "unicode-escape", "raw-unicode-escape":
		err := decodeEscapes(s, norm[0] == 'r', &b, fault)
		return b.String(), err
	}
	if unit, order, ok := wide(norm); ok {
		err := decodeWide(s, unit, order, norm, &b, fault)
		return b.String(), err
	}
	return "", Errorf(ExcLookupError, "unknown encoding: %s", enc)
}

// utf8Fault is the end of the bytes from i on that CPython holds to be one fault, the
// longest beginning of a character, and what is wrong with them.
func utf8Fault(s string, i int) (end int, why string) {
	c := s[i]
	lo, hi, more := byte(0x80), byte(0xBF), 0
	switch {
	case c >= 0xC2 && c < 0xE0:
		more = 1
	case c >= 0xE0 && c < 0xF0:
		more = 2
	case c >= 0xF0 && c < 0xF5:
		more = 3
	default:
		return i + 1, "invalid start byte"
	}
	switch c {
	case 0xE0:
		lo = 0xA0
	case 0xED:
		hi = 0x9F
	case 0xF0:
		lo = 0x90
	case 0xF4:
		hi = 0x8F
	}
	for end = i + 1; end <= i+more; end++ {
		if end >= len(s) {
			return end, "unexpected end of data"
		}
		if s[end] < lo || s[end] > hi {
			return end, "invalid continuation byte"
		}
		lo, hi = 0x80, 0xBF
	}
	return end, "invalid continuation byte"
}
