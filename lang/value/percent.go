package value

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// percent is the % operator of str and bytes.
func percent(t *Thread, format string, args Value, bytes bool) (Value, error) {
	st := &percentStep{format: format, args: args, bytes: bytes}
	if tup, ok := Payload(args).AsTuple(); ok {
		st.tuple, st.isTuple = tup, true
	}
	act := st.Step(t, Value{}, nil)
	switch act.Kind {
	case ActReturn:
		return act.Value, nil
	case ActRaise:
		return Value{}, act.Err
	}
	c := *act.Call
	return Value{}, &NeedCall{Then: &chainStep{first: &c, then: st}}
}

// percentStep formats piece by piece; str() of an argument may be language code.
type percentStep struct {
	format  string
	args    Value
	tuple   starlark.Tuple
	isTuple bool
	mapped  bool
	pos     int // in format
	next    int // argument
	out     []byte
	spec    Spec
	conv    byte
	waiting bool
	bytes   bool // the format is bytes
}

func (s *percentStep) Roots(visit func(*Value)) { visit(&s.args) }

func (s *percentStep) arg() (Value, error) {
	if s.isTuple {
		if s.next >= len(s.tuple) {
			return Value{}, TypeErrorf("not enough arguments for format string")
		}
		s.next++
		return FromStarlark(s.tuple[s.next-1]), nil
	}
	if s.next > 0 {
		return Value{}, TypeErrorf("not enough arguments for format string")
	}
	s.next++
	return s.args, nil
}

func (s *percentStep) Step(t *Thread, in Value, err error) Action {
	if err != nil {
		return Raise(err)
	}
	if s.waiting {
		s.waiting = false
		text, _ := in.AsString()
		s.emit(text)
	}
	for s.pos < len(s.format) {
		i := strings.IndexByte(s.format[s.pos:], '%')
		if i < 0 {
			s.out = append(s.out, s.format[s.pos:]...)
			s.pos = len(s.format)
			break
		}
		s.out = append(s.out, s.format[s.pos:s.pos+i]...)
		s.pos += i + 1
		act, wait, err := s.directive(t)
		if err != nil {
			return Raise(err)
		}
		if wait {
			s.waiting = true
			return act
		}
	}
	if !s.mapped && (s.isTuple && s.next < len(s.tuple) || !s.isTuple && s.next == 0 && !s.mayBeMapping()) {
		what := "string"
		if s.bytes {
			what = "bytes"
		}
		return Raise(TypeErrorf("not all arguments converted during %s formatting", what))
	}
	return Return(Str(string(s.out)))
}

// mayBeMapping: a format without pieces takes anything that can be subscripted, as
// it might be the mapping of %(name)s.
func (s *percentStep) mayBeMapping() bool {
	return isMapping(s.args) && !(s.bytes && Payload(s.args).Is(ItabBytes))
}

// emit pads the text of %s, %r and %a.
func (s *percentStep) emit(text string) {
	if s.conv == 'a' {
		text = asciiOnly(text)
	}
	if s.spec.Precision >= 0 {
		n := 0
		for i := range text {
			if n == s.spec.Precision {
				text = text[:i]
				break
			}
			n++
		}
	}
	s.out = append(s.out, pad(s.spec, "", text, '>')...)
}

func (s *percentStep) directive(t *Thread) (act Action, wait bool, err error) {
	f := s.format
	fail := func() error { return ValueErrorf("incomplete format") }
	var v Value
	if s.pos < len(f) && f[s.pos] == '(' {
		depth, i := 1, s.pos+1
		for ; i < len(f) && depth > 0; i++ {
			switch f[i] {
			case '(':
				depth++
			case ')':
				depth--
			}
		}
		if depth > 0 {
			return act, false, ValueErrorf("incomplete format key")
		}
		key := f[s.pos+1 : i-1]
		s.pos, s.mapped = i, true
		if s.isTuple || !s.mayBeMapping() {
			return act, false, TypeErrorf("format requires a mapping")
		}
		if v, err = t.finish(GetItem(t, s.args, Str(key))); err != nil {
			return act, false, err
		}
	}
	p := Spec{Precision: -1}
	left := false
flags:
	for ; s.pos < len(f); s.pos++ {
		switch f[s.pos] {
		case '-':
			left = true
		case '+':
			p.Sign = '+'
		case ' ':
			if p.Sign == 0 {
				p.Sign = ' '
			}
		case '#':
			p.Alt = true
		case '0':
			p.Fill = '0'
		default:
			break flags
		}
	}
	number := func() (int, error) {
		if s.pos < len(f) && f[s.pos] == '*' {
			s.pos++
			a, err := s.arg()
			if err != nil {
				return 0, err
			}
			if !a.IsInt() {
				return 0, TypeErrorf("* wants int")
			}
			return int(min(max(a.Int64(), -maxWidth), maxWidth)), nil
		}
		n := 0
		for s.pos < len(f) && f[s.pos] >= '0' && f[s.pos] <= '9' {
			if n = n*10 + int(f[s.pos]-'0'); n > maxWidth {
				return 0, ValueErrorf("width too big")
			}
			s.pos++
		}
		return n, nil
	}
	if p.Width, err = number(); err != nil {
		return act, false, err
	}
	if p.Width < 0 {
		left, p.Width = true, -p.Width
	}
	if s.pos < len(f) && f[s.pos] == '.' {
		s.pos++
		if p.Precision, err = number(); err != nil {
			return act, false, err
		}
		p.Precision = max(p.Precision, 0)
	}
	for s.pos < len(f) && (f[s.pos] == 'l' || f[s.pos] == 'h' || f[s.pos] == 'L') {
		s.pos++
	}
	if s.pos >= len(f) {
		return act, false, fail()
	}
	c := f[s.pos]
	s.pos++
	switch {
	case left:
		p.Align, p.Fill = '<', 0
	case p.Fill == '0':
		p.Align = '='
	default:
		p.Align = '>'
	}
	if c == '%' {
		s.out = append(s.out, '%')
		return act, false, nil
	}
	if v.IsUnset() {
		if v, err = s.arg(); err != nil {
			return act, false, err
		}
	}
	pv := Payload(concrete(v))
	switch c {
	case 's', 'r', 'a':
		if p.Align == '=' {
			p.Align, p.Fill = '>', 0
		}
		s.spec, s.conv = p, c
		var r Value
		if c == 's' {
			r, err = StrOf(t, v)
		} else {
			r, err = ReprOf(t, v)
		}
		if nc, ok := err.(*NeedCall); ok {
			return Raise(nc), true, nil
		}
		if err != nil {
			return act, false, err
		}
		text, _ := r.AsString()
		s.emit(text)
		return act, false, nil
	case 'c':
		p.Fill, p.Type = 0, 0
		if p.Align == '=' {
			p.Align = '>'
		}
		if str, ok := pv.AsString(); ok {
			if utf8.RuneCountInString(str) != 1 {
				return act, false, TypeErrorf("%%c requires int or char")
			}
			s.out = append(s.out, pad(p, "", str, '>')...)
			return act, false, nil
		}
		if pv.Is(ItabBigInt) {
			return act, false, OverflowErrorf("%%c arg not in range(0x110000)")
		}
		if !pv.IsInt() && !pv.IsBool() {
			return act, false, TypeErrorf("%%c requires int or char")
		}
		if pv.Int64() < 0 || pv.Int64() > utf8.MaxRune {
			return act, false, OverflowErrorf("%%c arg not in range(0x110000)")
		}
		s.out = append(s.out, pad(p, "", string(rune(pv.Int64())), '>')...)
		return act, false, nil
	case 'd', 'i', 'u', 'o', 'x', 'X':
		if k := kindOf(pv); k == floatNum && (c == 'd' || c == 'i' || c == 'u') {
			if pv, err = floatToInt(pv.Float64()); err != nil {
				return act, false, err
			}
		} else if k != smallNum && k != bigNum {
			i, ok, err := AsIndex(t, v)
			if err != nil {
				return act, false, err
			}
			if !ok {
				want := "a real number is required"
				if c == 'o' || c == 'x' || c == 'X' {
					want = "an integer is required"
				}
				return act, false, TypeErrorf("%%%c format: %s, not %s", c, want, typeName(v))
			}
			pv = Int(i)
		}
		prec := p.Precision
		p.Precision, p.Type = -1, rune(c)
		if c == 'i' || c == 'u' {
			p.Type = 'd'
		}
		if prec >= 0 {
			// A precision is a least number of digits.
			q := p
			q.Width, q.Fill, q.Align = 0, 0, 0
			text, err := formatInt(t, q, pv)
			if err != nil {
				return act, false, err
			}
			k := 0
			for k < len(text) && (text[k] == '-' || text[k] == '+' || text[k] == ' ') {
				k++
			}
			if p.Alt && c != 'd' && len(text) >= k+2 {
				k += 2
			}
			if n := prec - (len(text) - k); n > 0 {
				text = text[:k] + strings.Repeat("0", n) + text[k:]
			}
			s.out = append(s.out, pad(p, text[:k], text[k:], '>')...)
			return act, false, nil
		}
		text, err := formatInt(t, p, pv)
		s.out = append(s.out, text...)
		return act, false, err
	case 'e', 'E', 'f', 'F', 'g', 'G':
		if kindOf(pv) == notNum {
			fv, ferr := toFloat(t, v)
			if ferr != nil {
				return act, false, TypeErrorf("must be real number, not %s", typeName(v))
			}
			pv = Float(fv)
		}
		fl, err := numFloat(pv)
		if err != nil {
			return act, false, err
		}
		p.Type = rune(c)
		text, err := formatFloat(p, fl, "float")
		s.out = append(s.out, text...)
		return act, false, err
	}
	return act, false, ValueErrorf("unsupported format character '%c' (0x%x) at index %d", c, c, utf8.RuneCountInString(f[:s.pos-1]))
}

func isMapping(v Value) bool {
	p := Payload(v)
	if p.IsTagged() || p.Is(ItabString) || p.Is(ItabTuple) {
		return false
	}
	if p.AsDict() != nil || p.AsList() != nil || p.Is(ItabRange) || p.Is(ItabBytes) {
		return true
	}
	if _, ok := As[*AttrDict](p); ok {
		return true
	}
	if c := classBearer(v); c != nil {
		return !c.special(dGetitem).IsUnset()
	}
	_, ok := As[starlark.Mapping](p)
	return ok
}

// asciiOnly escapes what is not ASCII in a repr.
func asciiOnly(s string) string {
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case r < 0x100:
			b.WriteString(`\x` + hexPad(r, 2))
		case r < 0x10000:
			b.WriteString(`\u` + hexPad(r, 4))
		default:
			b.WriteString(`\U` + hexPad(r, 8))
		}
	}
	return b.String()
}

func hexPad(r rune, n int) string {
	s := strconv.FormatInt(int64(r), 16)
	return strings.Repeat("0", max(n-len(s), 0)) + s
}
