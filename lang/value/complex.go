package value

import (
	"math"
	"math/cmplx"
	"strings"

	"github.com/larkspur-ml/larkspur/lang/elementary"
)

// Complex returns the value of a complex number: an instance of complex whose
// payload is a complex128. The algorithms below are CPython's, so that results
// agree in the last digit; products are rounded before they are added.
func Complex(z complex128) Value { return complexIn(ComplexClass, z) }

func complexIn(cls *Class, z complex128) Value {
	in := NewInstance(cls)
	in.Native = z
	return in.Value()
}

// asComplex is the payload of a complex number.
func asComplex(v Value) (complex128, bool) {
	if in := v.AsInstance(); in != nil {
		z, ok := in.Native.(complex128)
		return z, ok
	}
	return 0, false
}

// AsComplex converts a number of any built-in type; ok is false for others.
func AsComplex(v Value) (z complex128, ok bool, err error) {
	if z, ok := asComplex(v); ok {
		return z, true, nil
	}
	p := Payload(concrete(v))
	if kindOf(p) == notNum {
		return 0, false, nil
	}
	f, err := numFloat(p)
	return complex(f, 0), true, err
}

func initComplexMethods() {
	c := ComplexClass
	c.Slots = &Slots{
		New:     newComplex,
		Binary:  complexBinary,
		Compare: complexCompare,
		Unary: func(t *Thread, op Op, x Value) (Value, error) {
			z, _ := asComplex(x)
			switch op {
			case OpNeg:
				return Complex(complex(-real(z), -imag(z))), nil
			case OpPos:
				return Complex(z), nil
			}
			return NotImplemented, nil
		},
		Truth: func(t *Thread, x Value) (bool, error) { z, _ := asComplex(x); return z != 0, nil },
		Hash:  complexHash,
		Repr:  func(t *Thread, x Value) (string, error) { z, _ := asComplex(x); return complexRepr(z), nil },
		Format: func(t *Thread, x Value, spec string) (string, error) {
			z, _ := asComplex(x)
			return formatComplex(z, spec)
		},
		GetAttr: func(t *Thread, x Value, name string) (Value, bool, error) {
			z, _ := asComplex(x)
			switch name {
			case "real":
				return Float(real(z)), true, nil
			case "imag":
				return Float(imag(z)), true, nil
			}
			return Value{}, false, nil
		},
		SetAttr: func(t *Thread, x Value, name string, v Value) (bool, error) {
			if name == "real" || name == "imag" {
				return true, AttributeErrorf(name, "readonly attribute")
			}
			return false, nil
		},
		Dir: func(t *Thread, x Value) []string { return []string{"imag", "real"} },
	}
	m := methodOf(asComplex, &ComplexClass)
	c.Def(
		m("conjugate", 0, 0, "", func(t *Thread, z complex128, a []Value) (Value, error) {
			return Complex(cmplx.Conj(z)), nil
		}),
		m("__complex__", 0, 0, "", func(t *Thread, z complex128, a []Value) (Value, error) { return Complex(z), nil }),
		m("__abs__", 0, 0, "", func(t *Thread, z complex128, a []Value) (Value, error) { return absComplex(z) }),
	)
}

func absComplex(z complex128) (Value, error) {
	r := elementary.Hypot(real(z), imag(z))
	if math.IsInf(r, 0) && !cmplx.IsInf(z) {
		return Value{}, OverflowErrorf("absolute value too large")
	}
	return Float(r), nil
}

func complexBinary(t *Thread, op Op, x, y Value, reflected bool) (Value, error) {
	a, ok1, err1 := AsComplex(x)
	b, ok2, err2 := AsComplex(y)
	if !ok1 || !ok2 {
		return NotImplemented, nil
	}
	if err1 != nil {
		return Value{}, err1
	}
	if err2 != nil {
		return Value{}, err2
	}
	switch op {
	case OpAdd:
		return Complex(complex(real(a)+real(b), imag(a)+imag(b))), nil
	case OpSub:
		return Complex(complex(real(a)-real(b), imag(a)-imag(b))), nil
	case OpMul:
		return Complex(complexMul(a, b)), nil
	case OpDiv:
		if b == 0 {
			return Value{}, NewRaised(ExcZeroDivisionError, Str("complex division by zero"))
		}
		return Complex(complexDiv(a, b)), nil
	case OpPow:
		z, err := complexPow(a, b)
		return Complex(z), err
	}
	return NotImplemented, nil
}

func complexMul(a, b complex128) complex128 {
	return complex(float64(real(a)*real(b))-float64(imag(a)*imag(b)), float64(real(a)*imag(b))+float64(imag(a)*real(b)))
}

// complexDiv is Smith's algorithm; b is not zero.
func complexDiv(a, b complex128) complex128 {
	if math.Abs(real(b)) >= math.Abs(imag(b)) {
		ratio := imag(b) / real(b)
		denom := real(b) + float64(imag(b)*ratio)
		return complex((real(a)+float64(imag(a)*ratio))/denom, (imag(a)-float64(real(a)*ratio))/denom)
	}
	if math.Abs(imag(b)) >= math.Abs(real(b)) {
		ratio := real(b) / imag(b)
		denom := float64(real(b)*ratio) + imag(b)
		return complex((float64(real(a)*ratio)+imag(a))/denom, (float64(imag(a)*ratio)-real(a))/denom)
	}
	return complex(math.NaN(), math.NaN())
}

// complexPow multiplies for whole exponents up to 100, and else goes by the polar form.
func complexPow(a, b complex128) (complex128, error) {
	if imag(b) == 0 && real(b) == math.Floor(real(b)) && math.Abs(real(b)) <= 100 {
		n := int(math.Abs(real(b)))
		r, p := complex128(1), a
		for mask := 1; n >= mask; mask <<= 1 {
			if n&mask != 0 {
				r = complexMul(r, p)
			}
			p = complexMul(p, p)
		}
		if real(b) < 0 {
			if r == 0 {
				return 0, NewRaised(ExcZeroDivisionError, Str("0.0 to a negative or complex power"))
			}
			r = complexDiv(1, r)
		}
		return r, nil
	}
	if a == 0 {
		if imag(b) != 0 || real(b) < 0 {
			return 0, NewRaised(ExcZeroDivisionError, Str("0.0 to a negative or complex power"))
		}
		return 0, nil
	}
	size := elementary.Hypot(real(a), imag(a))
	length := elementary.Pow(size, real(b))
	at := Atan2(imag(a), real(a))
	phase := at * real(b)
	if imag(b) != 0 {
		length /= elementary.Exp(at * imag(b))
		phase += float64(imag(b) * elementary.Log(size))
	}
	z := complex(length*elementary.Cos(phase), length*elementary.Sin(phase))
	if cmplx.IsInf(z) && !cmplx.IsInf(a) && !cmplx.IsInf(b) {
		return 0, OverflowErrorf("complex exponentiation")
	}
	return z, nil
}

// Atan2 is math.Atan2 from the better arc tangent.
func Atan2(y, x float64) float64 {
	if x == 0 || y == 0 || math.IsInf(x, 0) || math.IsInf(y, 0) || math.IsNaN(x) || math.IsNaN(y) {
		return math.Atan2(y, x)
	}
	q := elementary.Atan(y / x)
	if x < 0 {
		if q <= 0 {
			return q + math.Pi
		}
		return q - math.Pi
	}
	return q
}

func complexCompare(t *Thread, op Cmp, x, y Value) (Value, error) {
	if op != Eq && op != Ne {
		return NotImplemented, nil
	}
	a, _ := asComplex(x)
	b, ok := asComplex(y)
	if !ok {
		p := Payload(concrete(y))
		if kindOf(p) == notNum {
			return NotImplemented, nil
		}
		eq := imag(a) == 0
		if eq {
			var err error
			if eq, err = Equal(t, Float(real(a)), p); err != nil {
				return Value{}, err
			}
		}
		return Bool(eq == (op == Eq)), nil
	}
	return Bool((a == b) == (op == Eq)), nil
}

// pyHashComplex is what hash() of a complex number gives.
func pyHashComplex(z complex128) int64 {
	h := pyHashFloat(real(z))
	if imag(z) != 0 {
		h += 1000003 * pyHashFloat(imag(z))
	}
	if h == -1 {
		return -2
	}
	return h
}

func complexHash(t *Thread, x Value) (uint64, error) {
	z, _ := asComplex(x)
	if imag(z) == 0 { // equal to a float
		return Hash(t, Float(real(z)))
	}
	return hashInt(uint64(pyHashComplex(z))), nil
}

// complexPart words one part of a complex number: a float without ".0".
func complexPart(f float64) string { return strings.TrimSuffix(FloatRepr(f), ".0") }

func complexRepr(z complex128) string {
	im := complexPart(imag(z))
	if real(z) == 0 && !math.Signbit(real(z)) {
		return im + "j"
	}
	if im[0] != '-' {
		im = "+" + im
	}
	return "(" + complexPart(real(z)) + im + "j)"
}

func formatComplex(z complex128, spec string) (string, error) {
	if spec == "" {
		return complexRepr(z), nil
	}
	p, err := ParseSpec(spec)
	if err != nil {
		return "", err
	}
	switch p.Type {
	case 0, 'e', 'E', 'f', 'F', 'g', 'G', 'n':
	default:
		return "", unknownCode(p.Type, "complex")
	}
	switch {
	case p.Align == '=' && p.Fill == '0':
		return "", ValueErrorf("Zero padding is not allowed in complex format specifier")
	case p.Align == '=':
		return "", ValueErrorf("'=' alignment flag is not allowed in complex format specifier")
	}
	part := p
	part.Fill, part.Align, part.Width = 0, 0, 0
	word := func(f float64, sign byte) (string, error) {
		q := part
		if sign != 0 {
			q.Sign = sign
		}
		if q.Type == 0 && q.Precision < 0 {
			return signPrefix(q, math.Signbit(f) && !math.IsNaN(f)) + strings.TrimPrefix(complexPart(f), "-"), nil
		}
		if q.Type == 0 {
			q.Type = 'g'
		}
		return formatFloat(q, f, "complex")
	}
	im, err := word(imag(z), '+')
	if err != nil {
		return "", err
	}
	if p.Type == 0 && real(z) == 0 && !math.Signbit(real(z)) {
		im, err = word(imag(z), 0)
		return pad(p, "", im+"j", '>'), err
	}
	re, err := word(real(z), 0)
	if err != nil {
		return "", err
	}
	s := re + im + "j"
	if p.Type == 0 {
		s = "(" + s + ")"
	}
	return pad(p, "", s, '>'), nil
}

func newComplex(t *Thread, cls *Class, args []Value, kw []Kwarg) (Value, error) {
	args, err := placeArgs("complex", args, kw, []string{"real", "imag"})
	if err != nil {
		return Value{}, err
	}
	re, im := argOr(args, 0, Int(0)), argOr(args, 1, Value{})
	if re.IsUnset() {
		re = Int(0)
	}
	if s, ok := Payload(re).AsString(); ok {
		if !im.IsUnset() {
			return Value{}, TypeErrorf("complex() can't take second arg if first is a string")
		}
		z, err := parseComplex(s)
		return complexIn(cls, z), err
	}
	if !im.IsUnset() {
		if _, ok := Payload(im).AsString(); ok {
			return Value{}, TypeErrorf("complex() second arg can't be a string")
		}
	}
	a, err := complexArg(t, re, "complex() first argument must be a string or a number, not '%s'")
	if err != nil {
		return Value{}, err
	}
	if im.IsUnset() {
		return complexIn(cls, a), nil
	}
	b, err := complexArg(t, im, "complex() second argument must be a number, not '%s'")
	if err != nil {
		return Value{}, err
	}
	// As in CPython, a part that is real changes nothing, not even the sign of a zero.
	if _, ok := asComplex(im); ok {
		a = complex(real(a)-imag(b), imag(a))
	}
	if _, ok := asComplex(re); ok {
		b = complex(real(b)+imag(a), 0)
	}
	return complexIn(cls, complex(real(a), real(b))), nil
}

func complexArg(t *Thread, v Value, wrong string) (complex128, error) {
	if z, ok, err := AsComplex(v); ok {
		return z, err
	}
	if c := classBearer(v); c != nil {
		if f, ok := c.Find("__complex__"); ok {
			m, err := bind(t, f.Value, v, c)
			if err != nil {
				return 0, err
			}
			r, err := t.finish(CallAny(t, m, nil, nil))
			if err != nil {
				return 0, err
			}
			if z, ok := asComplex(r); ok {
				return z, nil
			}
			return 0, TypeErrorf("__complex__ returned non-complex (type %s)", typeName(r))
		}
	}
	f, err := toFloat(t, v)
	if r, ok := err.(*Raised); ok && r.Class == ExcTypeError && strings.HasPrefix(r.Message(), "float() argument") {
		err = TypeErrorf(wrong, typeName(v))
	}
	return complex(f, 0), err
}

// parseComplex reads what complex(s) accepts: a float, an imaginary number, or a
// sum of both, perhaps in brackets.
func parseComplex(s string) (complex128, error) {
	bad := ValueErrorf("complex() arg is a malformed string")
	u := strings.TrimFunc(s, isSpace)
	if strings.HasPrefix(u, "(") && strings.HasSuffix(u, ")") {
		u = strings.TrimFunc(u[1:len(u)-1], isSpace)
	}
	number := func(s string) (float64, bool) {
		if s == "" || strings.IndexFunc(s, isSpace) >= 0 {
			return 0, false
		}
		return ParseFloat(s)
	}
	if !strings.HasSuffix(u, "j") && !strings.HasSuffix(u, "J") {
		f, ok := number(u)
		if !ok {
			return 0, bad
		}
		return complex(f, 0), nil
	}
	u = u[:len(u)-1]
	// The sign between the parts: the last one that is none of an exponent.
	at := 0
	for i := len(u) - 1; i > 0; i-- {
		if (u[i] == '+' || u[i] == '-') && u[i-1] != 'e' && u[i-1] != 'E' {
			at = i
			break
		}
	}
	im := u[at:]
	if im == "" || im == "+" || im == "-" {
		im += "1"
	}
	b, ok := number(im)
	if !ok {
		return 0, bad
	}
	if at == 0 {
		return complex(0, b), nil
	}
	a, ok := number(u[:at])
	if !ok {
		return 0, bad
	}
	return complex(a, b), nil
}
