package value

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Spec is a format specification of Python's mini-language:
//
//	[[fill]align][sign][z][#][0][width][grouping][.precision][type]
type Spec struct {
	Fill      rune // 0: not given
	Align     byte // < > = ^, 0: not given
	Sign      byte // + - space, 0: not given
	NoNegZero bool // z
	Alt       bool // #
	Width     int
	Group     byte // , or _
	Precision int  // -1: not given
	Type      rune
}

const maxWidth = 1 << 24 // what a width or precision may ask for

// ParseSpec parses a format specification.
func ParseSpec(s string) (Spec, error) {
	p := Spec{Precision: -1}
	isAlign := func(c byte) bool { return c == '<' || c == '>' || c == '=' || c == '^' }
	if s == "" {
		return p, nil
	}
	if r, n := utf8.DecodeRuneInString(s); len(s) > n && isAlign(s[n]) {
		p.Fill, p.Align = r, s[n]
		s = s[n+1:]
	} else if isAlign(s[0]) {
		p.Align = s[0]
		s = s[1:]
	}
	if s != "" && (s[0] == '+' || s[0] == '-' || s[0] == ' ') {
		p.Sign, s = s[0], s[1:]
	}
	if s != "" && s[0] == 'z' {
		p.NoNegZero, s = true, s[1:]
	}
	if s != "" && s[0] == '#' {
		p.Alt, s = true, s[1:]
	}
	if s != "" && s[0] == '0' {
		if p.Fill == 0 {
			p.Fill = '0'
			if p.Align == 0 {
				p.Align = '='
			}
		}
		s = s[1:]
	}
	number := func(def int) (int, error) {
		i := 0
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		if i == 0 {
			return def, nil
		}
		n, err := strconv.Atoi(s[:i])
		if err != nil || n > maxWidth {
			return 0, ValueErrorf("Too many decimal digits in format string")
		}
		s = s[i:]
		return n, nil
	}
	var err error
	if p.Width, err = number(0); err != nil {
		return p, err
	}
	for s != "" && (s[0] == ',' || s[0] == '_') {
		if p.Group != 0 {
			if p.Group == s[0] {
				return p, ValueErrorf("Cannot specify '%c' with '%c'.", p.Group, s[0])
			}
			return p, ValueErrorf("Cannot specify both ',' and '_'.")
		}
		p.Group, s = s[0], s[1:]
	}
	if s != "" && s[0] == '.' {
		s = s[1:]
		if p.Precision, err = number(-1); err != nil {
			return p, err
		}
		if p.Precision < 0 {
			return p, ValueErrorf("Format specifier missing precision")
		}
	}
	if s != "" {
		r, n := utf8.DecodeRuneInString(s)
		if len(s) > n {
			return p, ValueErrorf("Invalid format specifier")
		}
		p.Type = r
	}
	switch p.Type {
	case 0, 'd', 'e', 'f', 'g', 'E', 'F', 'G', '%':
	case 'b', 'o', 'x', 'X':
		if p.Group == ',' {
			return p, ValueErrorf("Cannot specify ',' with '%c'.", p.Type)
		}
	default:
		if p.Group != 0 {
			return p, cannotGroup(p.Group, p.Type)
		}
	}
	return p, nil
}

func cannotGroup(g byte, c rune) error {
	if c > ' ' && c < 0x80 {
		return ValueErrorf("Cannot specify '%c' with '%c'.", g, c)
	}
	return ValueErrorf("Cannot specify '%c' with '\\x%x'.", g, c)
}

// Format is format(x, spec), a value of type str.
func Format(t *Thread, x Value, spec string) (Value, error) {
	if t.Observer != nil {
		if s, ok := As[Symbolic](x); ok {
			return s.Format(t, x, spec)
		}
	}
	if c := classBearer(x); c != nil {
		if f, ok := c.custom(dFormat); ok {
			return Value{}, t.needMethod(stringStep{"__format__"}, f, x, Str(spec))
		}
		if c.Slots != nil && c.Slots.Format != nil {
			s, err := c.Slots.Format(t, x, spec)
			return Str(s), err
		}
		p := Payload(x)
		if spec == "" || p == x {
			if spec != "" {
				return Value{}, TypeErrorf("unsupported format string passed to %s.__format__", typeName(x))
			}
			return StrOf(t, x)
		}
		x = p
	}
	if spec == "" {
		return StrOf(t, x)
	}
	s, err := FormatSpec(t, x, spec)
	if err != nil {
		return Value{}, err
	}
	return Str(s), nil
}

// FormatSpec formats an int, float, bool or str by a specification that is not
// empty; other types raise TypeError.
func FormatSpec(t *Thread, x Value, spec string) (string, error) {
	kind := kindOf(x)
	str, isStr := x.AsString()
	if kind == notNum && !isStr {
		return "", TypeErrorf("unsupported format string passed to %s.__format__", typeName(x))
	}
	p, err := ParseSpec(spec)
	if err != nil {
		if r, ok := err.(*Raised); ok && r.Message() == "Invalid format specifier" {
			err = ValueErrorf("Invalid format specifier '%s' for object of type '%s'", spec, typeName(x))
		}
		return "", err
	}
	switch {
	case isStr:
		return formatStr(p, str)
	case kind == floatNum:
		return formatFloat(p, x.Float64(), typeName(x))
	}
	switch p.Type {
	case 'e', 'E', 'f', 'F', 'g', 'G', '%':
		f, err := numFloat(x)
		if err != nil {
			return "", err
		}
		return formatFloat(p, f, typeName(x))
	}
	return formatInt(t, p, x)
}

func formatStr(p Spec, s string) (string, error) {
	switch {
	case p.Type != 0 && p.Type != 's':
		return "", unknownCode(p.Type, "str")
	case p.Sign == ' ':
		return "", ValueErrorf("Space not allowed in string format specifier")
	case p.Sign != 0:
		return "", ValueErrorf("Sign not allowed in string format specifier")
	case p.NoNegZero:
		return "", ValueErrorf("Negative zero coercion (z) not allowed in string format specifier")
	case p.Alt:
		return "", ValueErrorf("Alternate form (#) not allowed in string format specifier")
	case p.Align == '=' && p.Fill == '0':
		// "010" on a string pads on the right with zeros.
		if p.Align == '=' {
			p.Align = '<'
		}
	case p.Align == '=':
		return "", ValueErrorf("'=' alignment not allowed in string format specifier")
	}
	if p.Group != 0 {
		return "", cannotGroup(p.Group, 's')
	}
	if p.Precision >= 0 {
		n := 0
		for i := range s {
			if n == p.Precision {
				s = s[:i]
				break
			}
			n++
		}
	}
	return pad(p, "", s, '<'), nil
}

// pad places the prefix (sign and base) and the body in the width.
func pad(p Spec, prefix, body string, def byte) string {
	align := p.Align
	if align == 0 {
		align = def
	}
	fill := p.Fill
	if fill == 0 {
		fill = ' '
	}
	n := p.Width - utf8.RuneCountInString(prefix) - utf8.RuneCountInString(body)
	if n <= 0 {
		return prefix + body
	}
	f := func(n int) string { return strings.Repeat(string(fill), n) }
	switch align {
	case '<':
		return prefix + body + f(n)
	case '^':
		return f(n/2) + prefix + body + f(n-n/2)
	case '=':
		return prefix + f(n) + body
	}
	return f(n) + prefix + body
}

func signPrefix(p Spec, neg bool) string {
	switch {
	case neg:
		return "-"
	case p.Sign == '+':
		return "+"
	case p.Sign == ' ':
		return " "
	}
	return ""
}

// group separates digits by threes (or every), and with zero fill pads within
// the groups to the width left.
func group(p Spec, digits string, every int, used int) string {
	if p.Group == 0 {
		return digits
	}
	if p.Fill == '0' && p.Align == '=' {
		// Zeros count as digits: add them until the width is reached.
		for {
			n := len(digits)
			if n+(n-1)/every+used >= p.Width {
				break
			}
			digits = "0" + digits
		}
	}
	var b strings.Builder
	for i, c := range []byte(digits) {
		if i > 0 && (len(digits)-i)%every == 0 {
			b.WriteByte(p.Group)
		}
		b.WriteByte(c)
	}
	return b.String()
}

func formatInt(t *Thread, p Spec, x Value) (s string, err error) {
	switch p.Type {
	case 0, 'd', 'n', 'b', 'o', 'x', 'X', 'c':
	default:
		return "", unknownCode(p.Type, typeName(x))
	}
	if p.Precision >= 0 {
		return "", ValueErrorf("Precision not allowed in integer format specifier")
	}
	if p.NoNegZero {
		return "", ValueErrorf("Negative zero coercion (z) not allowed in integer format specifier")
	}
	base, every, prefix := 10, 3, ""
	switch p.Type {
	case 0, 'd', 'n':
		if p.Type == 'n' && p.Group != 0 {
			return "", ValueErrorf("Cannot specify '%c' with 'n'.", p.Group)
		}
	case 'b':
		base, every, prefix = 2, 4, "0b"
	case 'o':
		base, every, prefix = 8, 4, "0o"
	case 'x':
		base, every, prefix = 16, 4, "0x"
	case 'X':
		base, every, prefix = 16, 4, "0X"
	case 'c':
		if p.Sign != 0 {
			return "", ValueErrorf("Sign not allowed with integer format specifier 'c'")
		}
		if p.Alt {
			return "", ValueErrorf("Alternate form (#) not allowed with integer format specifier 'c'")
		}
		if p.Group != 0 {
			return "", ValueErrorf("Cannot specify '%c' with 'c'.", p.Group)
		}
		if x.Is(ItabBigInt) {
			return "", OverflowErrorf("Python int too large to convert to C long")
		}
		if !x.IsInt() && !x.IsBool() || x.Int64() < 0 || x.Int64() > utf8.MaxRune {
			return "", OverflowErrorf("%%c arg not in range(0x110000)")
		}
		return pad(p, "", string(rune(x.Int64())), '>'), nil
	}
	var digits string
	neg := false
	if i := x.Int64(); kindOf(x) == smallNum && i != math.MinInt64 {
		if neg = i < 0; neg {
			i = -i
		}
		digits = strconv.FormatInt(i, base)
	} else {
		b, _ := AsBig(x)
		neg = b.Sign() < 0
		b = new(big.Int).Abs(b)
		if base != 10 {
			digits = b.Text(base)
		} else if digits, err = t.IntText(b); err != nil {
			return "", err
		}
	}
	if p.Type == 'X' {
		digits = strings.ToUpper(digits)
	}
	pre := signPrefix(p, neg)
	if p.Alt {
		pre += prefix
	}
	return pad(p, pre, group(p, digits, every, len(pre)), '>'), nil
}

func unknownCode(c rune, typ string) error {
	if c > ' ' && c < 0x7f {
		return ValueErrorf("Unknown format code '%c' for object of type '%s'", c, typ)
	}
	return ValueErrorf("Unknown format code '\\x%x' for object of type '%s'", c, typ)
}

func formatFloat(p Spec, f float64, typ string) (string, error) {
	verb, prec := p.Type, p.Precision
	percent := false
	switch verb {
	case 0, 'e', 'E', 'f', 'F', 'g', 'G', 'n':
		if verb == 'n' && p.Group != 0 {
			return "", ValueErrorf("Cannot specify '%c' with 'n'.", p.Group)
		}
	case '%':
		percent = true
		verb = 'f'
		f *= 100
	default:
		return "", unknownCode(p.Type, typ)
	}
	neg := math.Signbit(f) && !math.IsNaN(f)
	body := ""
	switch {
	case math.IsNaN(f):
		body = "nan"
	case math.IsInf(f, 0):
		body = "inf"
	default:
		body = floatDigits(math.Abs(f), byte(verb), prec, p.Alt)
	}
	if p.NoNegZero && neg && strings.Trim(body, "0.") == "" {
		neg = false
	}
	if verb == 'E' || verb == 'F' || verb == 'G' {
		body = strings.ToUpper(body)
	}
	if percent {
		body += "%"
	}
	pre := signPrefix(p, neg)
	// Only the digits in front of the point are grouped.
	i := 0
	for i < len(body) && body[i] >= '0' && body[i] <= '9' {
		i++
	}
	if i > 0 && p.Group != 0 {
		body = group(p, body[:i], 3, len(pre)+len(body)-i) + body[i:]
	}
	return pad(p, pre, body, '>'), nil
}

// floatDigits is C's printf for a finite, non-negative float; verb 0 is
// Python's own: like g with at least one digit behind the point, or repr.
func floatDigits(f float64, verb byte, prec int, alt bool) string {
	switch verb {
	case 'e', 'E':
		if prec < 0 {
			prec = 6
		}
		s := strconv.FormatFloat(f, 'e', prec, 64)
		if alt && prec == 0 {
			s = s[:1] + "." + s[1:]
		}
		return s
	case 'f', 'F':
		if prec < 0 {
			prec = 6
		}
		s := strconv.FormatFloat(f, 'f', prec, 64)
		if alt && prec == 0 {
			s += "."
		}
		return s
	case 0:
		if prec < 0 {
			s := FloatRepr(f)
			if alt && !strings.Contains(s, ".") {
				if i := strings.IndexByte(s, 'e'); i >= 0 {
					return s[:i] + "." + s[i:]
				}
			}
			return s
		}
		// With a precision: g, but a switch to exponents one digit earlier
		// and ".0" behind whole numbers.
		return generalDigits(f, prec, alt, true)
	}
	if prec < 0 {
		prec = 6
	}
	return generalDigits(f, prec, alt, false)
}

func generalDigits(f float64, prec int, alt, repr bool) string {
	if prec == 0 {
		prec = 1
	}
	e := strconv.FormatFloat(f, 'e', prec-1, 64)
	i := strings.IndexByte(e, 'e')
	exp, _ := strconv.Atoi(e[i+1:])
	limit := prec
	if repr {
		limit = prec - 1
		if f == 0 {
			limit = max(limit, 1)
		}
	}
	if exp < -4 || exp >= limit {
		m, x := e[:i], e[i:]
		if !alt {
			if strings.IndexByte(m, '.') >= 0 {
				m = strings.TrimRight(strings.TrimRight(m, "0"), ".")
			}
		} else if strings.IndexByte(m, '.') < 0 {
			m += "."
		}
		return m + x
	}
	s := strconv.FormatFloat(f, 'f', max(prec-1-exp, 0), 64)
	if alt {
		if strings.IndexByte(s, '.') < 0 {
			s += "."
		}
		return s
	}
	if strings.IndexByte(s, '.') >= 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if repr && strings.IndexByte(s, '.') < 0 {
		s += ".0"
	}
	return s
}
