package value

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
)

func asIntBig(v Value) (Value, bool) {
	k := kindOf(v)
	return v, k == smallNum || k == bigNum
}

func asFloat(v Value) (float64, bool) { return v.Float64(), v.IsFloat() }

func initNumberMethods() {
	IntClass.Slots = &Slots{New: newInt}
	BoolClass.Slots = &Slots{New: newBool}
	FloatClass.Slots = &Slots{New: newFloat}
	m := methodOf(asIntBig, &IntClass)
	self := func(t *Thread, x Value, a []Value) (Value, error) {
		if x.IsBool() {
			x = Int(x.Int64())
		}
		return x, nil
	}
	IntClass.Def(
		m("bit_length", 0, 0, "", func(t *Thread, x Value, a []Value) (Value, error) {
			b, _ := AsBig(x)
			return Int(int64(b.BitLen())), nil
		}),
		m("bit_count", 0, 0, "", func(t *Thread, x Value, a []Value) (Value, error) {
			b, _ := AsBig(x)
			n := 0
			for _, w := range b.Bits() {
				n += bits.OnesCount(uint(w))
			}
			return Int(int64(n)), nil
		}),
		m("conjugate", 0, 0, "", self), m("__trunc__", 0, 0, "", self),
		m("__round__", 0, 1, "ndigits", func(t *Thread, x Value, a []Value) (Value, error) {
			return roundFn(t, append([]Value{x}, a...), nil)
		}),
		m("__floor__", 0, 0, "", self), m("__ceil__", 0, 0, "", self),
		m("as_integer_ratio", 0, 0, "", func(t *Thread, x Value, a []Value) (Value, error) {
			if x.IsBool() {
				x = Int(x.Int64())
			}
			return pair(x, Int(1)), nil
		}),
		m("to_bytes", 0, 3, "length byteorder signed", intToBytes),
	)
	IntClass.SetRaw("from_bytes", (&ClassMethod{Fn: (&Builtin{Name: "from_bytes", Max: -1, WantsKw: true, Pure: true, Fn: intFromBytes}).Value()}).Value())
	f := methodOf(asFloat, &FloatClass)
	FloatClass.Def(
		f("is_integer", 0, 0, "", func(t *Thread, x float64, a []Value) (Value, error) {
			return Bool(x == math.Trunc(x) && !math.IsInf(x, 0)), nil
		}),
		f("conjugate", 0, 0, "", func(t *Thread, x float64, a []Value) (Value, error) { return Float(x), nil }),
		f("__trunc__", 0, 0, "", func(t *Thread, x float64, a []Value) (Value, error) { return floatToInt(x) }),
		f("__round__", 0, 1, "ndigits", func(t *Thread, x float64, a []Value) (Value, error) {
			return roundFn(t, append([]Value{Float(x)}, a...), nil)
		}),
		f("__floor__", 0, 0, "", func(t *Thread, x float64, a []Value) (Value, error) { return floatToInt(math.Floor(x)) }),
		f("__ceil__", 0, 0, "", func(t *Thread, x float64, a []Value) (Value, error) { return floatToInt(math.Ceil(x)) }),
		f("hex", 0, 0, "", func(t *Thread, x float64, a []Value) (Value, error) { return Str(floatHex(x)), nil }),
		f("as_integer_ratio", 0, 0, "", func(t *Thread, x float64, a []Value) (Value, error) {
			if math.IsInf(x, 0) {
				return Value{}, OverflowErrorf("cannot convert Infinity to integer ratio")
			}
			if math.IsNaN(x) {
				return Value{}, ValueErrorf("cannot convert NaN to integer ratio")
			}
			r := new(big.Rat)
			r.SetFloat64(x)
			return pair(BigInt(r.Num()), BigInt(r.Denom())), nil
		}),
	)
	FloatClass.SetRaw("fromhex", (&ClassMethod{Fn: (&Builtin{Name: "fromhex", Min: 2, Max: 2, Counted: true, Pure: true,
		Fn: func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
			s, err := strArg("fromhex", args, 1)
			if err != nil {
				return Value{}, err
			}
			x, err := floatFromHex(s)
			return Float(x), err
		}}).Value()}).Value())
}

func floatHex(x float64) string {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return FloatRepr(x)
	case x == 0:
		if math.Signbit(x) {
			return "-0x0.0p+0"
		}
		return "0x0.0p+0"
	}
	b := math.Float64bits(x)
	e, frac, lead := int(b>>52&0x7ff), b&(1<<52-1), "1"
	if e == 0 {
		lead, e = "0", 1
	}
	digits := strconv.FormatUint(frac, 16)
	digits = strings.Repeat("0", 13-len(digits)) + digits
	s := "0x" + lead + "." + digits + "p" + map[bool]string{true: "+", false: ""}[e >= 1023] + strconv.Itoa(e-1023)
	if x < 0 {
		s = "-" + s
	}
	return s
}

func floatFromHex(s string) (float64, error) {
	u := strings.ToLower(strings.TrimFunc(s, isSpace))
	sign := 1.0
	if u != "" && (u[0] == '-' || u[0] == '+') {
		if u[0] == '-' {
			sign = -1
		}
		u = u[1:]
	}
	switch u {
	case "inf", "infinity":
		return math.Inf(int(sign)), nil
	case "nan":
		return math.NaN(), nil
	}
	u = strings.TrimPrefix(u, "0x")
	if !strings.Contains(u, "p") {
		u += "p0"
	}
	f, err := strconv.ParseFloat("0x"+u, 64)
	if err != nil {
		if math.IsInf(f, 0) {
			return 0, OverflowErrorf("hexadecimal value too large to represent as a float")
		}
		return 0, ValueErrorf("invalid hexadecimal floating-point string")
	}
	return sign * f, nil
}

// floatToInt truncates towards zero.
func floatToInt(f float64) (Value, error) {
	switch {
	case math.IsNaN(f):
		return Value{}, ValueErrorf("cannot convert float NaN to integer")
	case math.IsInf(f, 0):
		return Value{}, OverflowErrorf("cannot convert float infinity to integer")
	case f > -1<<62 && f < 1<<62:
		return Int(int64(f)), nil
	}
	b, _ := new(big.Float).SetFloat64(f).Int(nil)
	return BigInt(b), nil
}

func intToBytes(t *Thread, x Value, a []Value) (Value, error) {
	n, err := wantIndex(t, argOr(a, 0, Int(1)))
	if err != nil {
		return Value{}, err
	}
	order, err := strOpt("to_bytes", "byteorder", a, 1, "big")
	if err != nil {
		return Value{}, err
	}
	signed, err := Truth(t, argOr(a, 2, False))
	if err != nil {
		return Value{}, err
	}
	if n < 0 || n > maxWidth {
		return Value{}, ValueErrorf("length argument must be non-negative")
	}
	b, _ := AsBig(x)
	if b.Sign() < 0 && !signed {
		return Value{}, OverflowErrorf("can't convert negative int to unsigned")
	}
	limit := new(big.Int).Lsh(big.NewInt(1), uint(n)*8)
	v := new(big.Int).Set(b)
	if signed {
		half := new(big.Int).Rsh(limit, 1)
		if n == 0 && b.Sign() != 0 || n > 0 && (v.Cmp(half) >= 0 || v.Cmp(new(big.Int).Neg(half)) < 0) {
			return Value{}, OverflowErrorf("int too big to convert")
		}
		if v.Sign() < 0 {
			v.Add(v, limit)
		}
	} else if v.Cmp(limit) >= 0 {
		return Value{}, OverflowErrorf("int too big to convert")
	}
	out := v.FillBytes(make([]byte, n))
	switch order {
	case "little":
		reverse(out)
	case "big":
	default:
		return Value{}, ValueErrorf("byteorder must be either 'little' or 'big'")
	}
	return FromStarlark(starlark.Bytes(out)), nil
}

func intFromBytes(t *Thread, args []Value, kw []Kwarg) (Value, error) {
	a, err := placeArgs("from_bytes", args[1:], kw, []string{"bytes", "byteorder", "signed"})
	if err != nil {
		return Value{}, err
	}
	if len(a) == 0 {
		return Value{}, TypeErrorf("from_bytes() missing required argument 'bytes' (pos 1)")
	}
	v, err := newBytes(t, BytesClass, a[:1], nil)
	if err != nil {
		return Value{}, err
	}
	raw, _ := As[starlark.Bytes](v)
	order, err := strOpt("from_bytes", "byteorder", a, 1, "big")
	if err != nil {
		return Value{}, err
	}
	signed, err := Truth(t, argOr(a, 2, False))
	if err != nil {
		return Value{}, err
	}
	b := []byte(raw)
	switch order {
	case "little":
		reverse(b)
	case "big":
	default:
		return Value{}, ValueErrorf("byteorder must be either 'little' or 'big'")
	}
	i := new(big.Int).SetBytes(b)
	if signed && len(b) > 0 && b[0] >= 0x80 {
		i.Sub(i, new(big.Int).Lsh(big.NewInt(1), uint(len(b))*8))
	}
	return BigInt(i), nil
}

// maxDigits is CPython's limit for conversions between int and decimal text, and minDigits
// the smallest that programs may set.
const (
	maxDigits = 4300
	minDigits = 640
)

// digitLimit is how many digits an int may have in decimal text.
func (t *Thread) digitLimit() int {
	switch {
	case t == nil || t.IntDigits == 0:
		return maxDigits
	case t.IntDigits < 0:
		return math.MaxInt
	}
	return t.IntDigits
}

// IntText is b in decimal, if that is not too long.
func (t *Thread) IntText(b *big.Int) (string, error) {
	if n := t.digitLimit(); b.BitLen() > 3*n && t.Dialect == Model {
		// 10^n has n+1 digits.
		if b.BitLen() > 4*n || b.CmpAbs(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)) >= 0 {
			return "", ValueErrorf("Exceeds the limit (%d digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit", n)
		}
	}
	return b.String(), nil
}

// ParseInt reads an int literal in the given base as int() does; base 0 looks
// at the prefix.
func ParseInt(s string, base int) (Value, bool) {
	u := strings.TrimFunc(s, isSpace)
	neg := false
	if u != "" && (u[0] == '+' || u[0] == '-') {
		neg = u[0] == '-'
		u = u[1:]
	}
	prefixed := false
	if len(u) > 2 && u[0] == '0' {
		b := map[byte]int{'x': 16, 'X': 16, 'o': 8, 'O': 8, 'b': 2, 'B': 2}[u[1]]
		if b != 0 && (base == 0 || base == b) {
			base, u, prefixed = b, u[2:], true
			u = strings.TrimPrefix(u, "_")
		}
	}
	if base == 0 {
		base = 10
		if len(u) > 1 && u[0] == '0' && !prefixed && strings.Trim(u, "0_") != "" {
			return Value{}, false
		}
	}
	if strings.IndexByte(u, '_') >= 0 {
		if u[0] == '_' || u[len(u)-1] == '_' || strings.Contains(u, "__") {
			return Value{}, false
		}
		u = strings.ReplaceAll(u, "_", "")
	}
	if u == "" || u[0] == '+' || u[0] == '-' {
		return Value{}, false
	}
	if !isASCII(u) {
		u = asciiDigits(u)
	}
	if i, err := strconv.ParseInt(u, base, 64); err == nil {
		if neg {
			i = -i
		}
		return Int(i), true
	}
	b, ok := new(big.Int).SetString(u, base)
	if !ok {
		return Value{}, false
	}
	if neg {
		b.Neg(b)
	}
	return BigInt(b), true
}

// asciiDigits replaces the decimal digits of other scripts.
func asciiDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 || !isDigit(r) {
			return r
		}
		for z := r; z > r-10; z-- {
			if !isDigit(z - 1) {
				return '0' + (r - z)
			}
		}
		return r
	}, s)
}

func newInt(t *Thread, cls *Class, args []Value, kw []Kwarg) (Value, error) {
	if len(args) > 2 {
		return Value{}, TypeErrorf("int() takes at most 2 arguments (%d given)", len(args))
	}
	args, err := placeArgs("int", args, kw, []string{"x", "base"})
	if err != nil {
		return Value{}, err
	}
	v := Int(0)
	switch {
	case len(args) == 0:
	case len(args) == 1:
		v, err = ToInt(t, args[0])
		if nc, ok := err.(*NeedCall); ok && cls != IntClass {
			first := *nc
			return Value{}, &NeedCall{Then: &chainStep{first: &first, then: &wrapStep{cls}}}
		}
	default:
		s, isStr := Payload(args[0]).AsString()
		if b, ok := As[starlark.Bytes](Payload(args[0])); ok {
			s, isStr = string(b), true
		}
		base, err := wantIndex(t, args[1])
		if err != nil {
			return Value{}, err
		}
		if base != 0 && (base < 2 || base > 36) {
			return Value{}, ValueErrorf("int() base must be >= 2 and <= 36, or 0")
		}
		if !isStr {
			return Value{}, TypeErrorf("int() can't convert non-string with explicit base")
		}
		var ok bool
		if v, ok = ParseInt(s, int(base)); !ok {
			return Value{}, ValueErrorf("invalid literal for int() with base %d: %s", base, plainRepr(args[0]))
		}
	}
	if err != nil {
		return Value{}, err
	}
	return wrap(cls, IntClass, v), nil
}

// ToInt is int(x) with one argument.
func ToInt(t *Thread, x Value) (Value, error) {
	if c := classBearer(x); c != nil {
		for _, d := range []dunder{dInt, dIndex} {
			if f, ok := c.custom(d); ok {
				return Value{}, t.needMethod(intStep{dunderNames[d]}, f, x)
			}
			if d == dInt && c.Slots != nil && c.Slots.Int != nil {
				return c.Slots.Int(t, x)
			}
			if d == dIndex && c.Slots != nil && c.Slots.Index != nil {
				return c.Slots.Index(t, x)
			}
		}
		if f, ok := c.Find("__trunc__"); ok && !f.Value.Is(ItabBuiltin) {
			return Value{}, t.needMethod(nil, f.Value, x)
		}
	}
	p := Payload(concrete(x))
	switch kindOf(p) {
	case smallNum:
		return Int(p.Int64()), nil
	case bigNum:
		return p, nil
	case floatNum:
		return floatToInt(p.Float64())
	}
	s, isStr := p.AsString()
	if b, ok := As[starlark.Bytes](p); ok {
		s, isStr = string(b), true
	}
	if isStr {
		if max := t.digitLimit(); len(s) > max {
			if n := len(strings.ReplaceAll(strings.TrimLeft(strings.TrimFunc(s, isSpace), "+-"), "_", "")); n > max {
				return Value{}, ValueErrorf("Exceeds the limit (%d digits) for integer string conversion: value has %d digits; use sys.set_int_max_str_digits() to increase the limit", max, n)
			}
		}
		if v, ok := ParseInt(s, 10); ok {
			return v, nil
		}
		return Value{}, ValueErrorf("invalid literal for int() with base 10: %s", plainRepr(p))
	}
	return Value{}, TypeErrorf("int() argument must be a string, a bytes-like object or a real number, not '%s'", typeName(x))
}

type intStep struct{ method string }

func (s intStep) Step(t *Thread, in Value, err error) Action {
	if err != nil {
		return Raise(err)
	}
	p := Payload(in)
	if k := kindOf(p); k != smallNum && k != bigNum {
		if s.method == "__hash__" {
			return Raise(TypeErrorf("__hash__ method should return an integer"))
		}
		return Raise(TypeErrorf("%s returned non-int (type %s)", s.method, typeName(in)))
	}
	if p.IsBool() {
		p = Int(p.Int64())
	}
	return Return(p)
}

func newBool(t *Thread, cls *Class, args []Value, kw []Kwarg) (Value, error) {
	if len(kw) > 0 {
		return Value{}, TypeErrorf("bool() takes no keyword arguments")
	}
	switch len(args) {
	case 0:
		return False, nil
	case 1:
		return truthValue(t, args[0])
	}
	return Value{}, TypeErrorf("bool expected at most 1 argument, got %d", len(args))
}

func newFloat(t *Thread, cls *Class, args []Value, kw []Kwarg) (Value, error) {
	if len(kw) > 0 {
		return Value{}, TypeErrorf("float() takes no keyword arguments")
	}
	if len(args) > 1 {
		return Value{}, TypeErrorf("float expected at most 1 argument, got %d", len(args))
	}
	if len(args) == 0 {
		return wrap(cls, FloatClass, Float(0)), nil
	}
	x := args[0]
	if c := classBearer(x); c != nil {
		if f, ok := c.custom(dFloat); ok {
			return Value{}, t.needMethod(&floatStep{cls, TypeOf(x).Name}, f, x)
		}
	}
	p := Payload(concrete(x))
	s, isStr := p.AsString()
	if b, ok := As[starlark.Bytes](p); ok {
		s, isStr = string(b), true
	}
	if isStr {
		f, ok := ParseFloat(s)
		if !ok {
			return Value{}, ValueErrorf("could not convert string to float: %s", plainRepr(p))
		}
		return wrap(cls, FloatClass, Float(f)), nil
	}
	f, err := toFloat(t, x)
	if err != nil {
		return Value{}, err
	}
	return wrap(cls, FloatClass, Float(f)), nil
}

type floatStep struct {
	cls *Class
	of  string // the class that has __float__
}

func (s *floatStep) Step(t *Thread, in Value, err error) Action {
	if err != nil {
		return Raise(err)
	}
	p := Payload(in)
	if !p.IsFloat() {
		return Raise(TypeErrorf("%s.__float__ returned non-float (type %s)", s.of, typeName(in)))
	}
	return Return(wrap(s.cls, FloatClass, p))
}

// toFloat is the float of a number or of an object with __float__ or
// __index__; language code runs re-entrantly.
func toFloat(t *Thread, x Value) (float64, error) {
	p := Payload(concrete(x))
	if kindOf(p) != notNum {
		return numFloat(p)
	}
	if c := classBearer(x); c != nil {
		if f, ok := c.custom(dFloat); ok {
			v, err := callSpecial(t, f, x)
			if err != nil {
				return 0, err
			}
			if v = Payload(v); v.IsFloat() {
				return v.Float64(), nil
			}
			return 0, TypeErrorf("%s.__float__ returned non-float (type %s)", c.Name, typeName(v))
		}
		if c.Slots != nil && c.Slots.Float != nil {
			return c.Slots.Float(t, x)
		}
	}
	if i, ok, err := AsIndex(t, x); ok || err != nil {
		return float64(i), err
	}
	return 0, TypeErrorf("float() argument must be a string or a real number, not '%s'", typeName(x))
}

// AsFloat64 is toFloat for native packages: math functions and the like. The
// error is Python's "must be real number".
func AsFloat64(t *Thread, x Value) (float64, error) {
	f, err := toFloat(t, x)
	if r, ok := err.(*Raised); ok && r.Class == ExcTypeError && strings.HasPrefix(r.Message(), "float() argument") {
		err = TypeErrorf("must be real number, not %s", typeName(x))
	}
	return f, err
}

// ParseFloat reads a float literal as float() does.
func ParseFloat(s string) (float64, bool) {
	u := strings.TrimFunc(s, isSpace)
	if u == "" {
		return 0, false
	}
	if strings.IndexByte(u, '_') >= 0 {
		for i := 0; i < len(u); i++ {
			if u[i] == '_' && (i == 0 || i == len(u)-1 || !digit(u[i-1]) || !digit(u[i+1])) {
				return 0, false
			}
		}
		u = strings.ReplaceAll(u, "_", "")
	}
	if !isASCII(u) {
		u = asciiDigits(u)
	}
	switch strings.ToLower(strings.TrimLeft(u, "+-")) {
	case "inf", "infinity", "nan":
		if n := len(u) - len(strings.TrimLeft(u, "+-")); n > 1 {
			return 0, false
		}
		u = strings.TrimLeft(u, "+")
		if strings.EqualFold(u, "-nan") {
			return math.NaN(), true
		}
	default:
		for i := 0; i < len(u); i++ {
			if c := u[i]; !digit(c) && c != '+' && c != '-' && c != '.' && c != 'e' && c != 'E' {
				return 0, false
			}
		}
	}
	f, err := strconv.ParseFloat(u, 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
