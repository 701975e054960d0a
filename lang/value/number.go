package value

import (
	"math"
	"math/big"
	"math/bits"
	"sync/atomic"

	"go.starlark.net/starlark"
)

type numKind uint8

const (
	notNum numKind = iota
	smallNum
	bigNum
	floatNum
)

func kindOf(x Value) numKind {
	switch {
	case x.IsInt(), x.IsBool():
		return smallNum
	case x.IsFloat():
		return floatNum
	case x.Is(ItabBigInt):
		return bigNum
	}
	return notNum
}

// AsBig returns an int of any size (or a bool) as a big.Int that must not be
// changed.
func AsBig(x Value) (*big.Int, bool) {
	switch kindOf(x) {
	case smallNum:
		return big.NewInt(x.Int64()), true
	case bigNum:
		return x.iface().(starlark.Int).BigInt(), true
	}
	return nil, false
}

// bigToFloat rounds half to even; it raises OverflowError past the range.
func bigToFloat(b *big.Int) (float64, error) {
	f, _ := new(big.Float).SetInt(b).Float64()
	if math.IsInf(f, 0) {
		return 0, OverflowErrorf("int too large to convert to float")
	}
	return f, nil
}

// numFloat is the float of a number of any kind.
func numFloat(x Value) (float64, error) {
	switch kindOf(x) {
	case floatNum:
		return x.Float64(), nil
	case bigNum:
		return bigToFloat(x.iface().(starlark.Int).BigInt())
	}
	return float64(x.Int64()), nil
}

// arith computes x op y for two numbers of built-in types.
func arith(op Op, x, y Value) (v Value, ok bool, err error) {
	kx, ky := kindOf(x), kindOf(y)
	if kx == notNum || ky == notNum {
		return Value{}, false, nil
	}
	if kx == smallNum && ky == smallNum {
		if x.IsBool() && y.IsBool() {
			switch op {
			case OpAnd:
				return Bool(x.N&y.N != 0), true, nil
			case OpOr:
				return Bool(x.N|y.N != 0), true, nil
			case OpXor:
				return Bool(x.N != y.N), true, nil
			}
		}
		return intArith(op, x.Int64(), y.Int64())
	}
	if kx == floatNum || ky == floatNum {
		a, err := numFloat(x)
		if err != nil {
			return Value{}, true, err
		}
		b, err := numFloat(y)
		if err != nil {
			return Value{}, true, err
		}
		return floatArith(op, a, b)
	}
	a, _ := AsBig(x)
	b, _ := AsBig(y)
	return bigArith(op, a, b)
}

func intArith(op Op, a, b int64) (v Value, ok bool, err error) {
	switch op {
	case OpAdd:
		if s := a + b; (s^a)&(s^b) >= 0 {
			return Int(s), true, nil
		}
	case OpSub:
		if s := a - b; (a^b)&(s^a) >= 0 {
			return Int(s), true, nil
		}
	case OpMul:
		hi, lo := bits.Mul64(uint64(a), uint64(b))
		if a < 0 {
			hi -= uint64(b)
		}
		if b < 0 {
			hi -= uint64(a)
		}
		if int64(hi) == int64(lo)>>63 {
			return Int(int64(lo)), true, nil
		}
	case OpFloorDiv:
		if b == 0 {
			return Value{}, true, Errorf(ExcZeroDivisionError, "integer division or modulo by zero")
		}
		if !(a == math.MinInt64 && b == -1) {
			q := a / b
			if a%b != 0 && (a < 0) != (b < 0) {
				q--
			}
			return Int(q), true, nil
		}
	case OpMod:
		if b == 0 {
			return Value{}, true, Errorf(ExcZeroDivisionError, "integer modulo by zero")
		}
		if b == -1 {
			return Int(0), true, nil
		}
		r := a % b
		if r != 0 && (r < 0) != (b < 0) {
			r += b
		}
		return Int(r), true, nil
	case OpDiv:
		if b == 0 {
			return Value{}, true, Errorf(ExcZeroDivisionError, "division by zero")
		}
		if exactFloat(a) && exactFloat(b) {
			return Float(float64(a) / float64(b)), true, nil
		}
	case OpAnd:
		return Int(a & b), true, nil
	case OpOr:
		return Int(a | b), true, nil
	case OpXor:
		return Int(a ^ b), true, nil
	case OpRsh:
		if b < 0 {
			return Value{}, true, ValueErrorf("negative shift count")
		}
		return Int(a >> uint64(min(b, 63))), true, nil
	case OpLsh:
		if b >= 0 && (a == 0 || b < 62 && a<<uint(b)>>uint(b) == a) {
			if a == 0 {
				return Int(0), true, nil
			}
			return Int(a << uint(b)), true, nil
		}
	case OpPow:
		if b < 0 {
			if a == 0 {
				return Value{}, true, Errorf(ExcZeroDivisionError, "0.0 cannot be raised to a negative power")
			}
			return Float(pow(float64(a), float64(b))), true, nil
		}
		if r, ok := smallPow(a, b); ok {
			return Int(r), true, nil
		}
	case OpMatMul:
		return Value{}, false, nil
	}
	return bigArith(op, big.NewInt(a), big.NewInt(b))
}

func exactFloat(i int64) bool { return i > -1<<53 && i < 1<<53 }

func smallPow(a, b int64) (int64, bool) {
	r := int64(1)
	for {
		if b&1 != 0 {
			hi, lo := bits.Mul64(uint64(abs64(r)), uint64(abs64(a)))
			if hi != 0 || lo > math.MaxInt64 {
				return 0, false
			}
			r *= a
		}
		if b >>= 1; b == 0 {
			return r, true
		}
		if abs64(a) >= 1<<31 || a == math.MinInt64 {
			return 0, false
		}
		a *= a
	}
}

func abs64(i int64) int64 {
	if i < 0 {
		return -i
	}
	return i
}

// maxBits bounds the ints that shifts, products and powers may make: 8 MiB of
// digits, about the most that one operation, which goes on for a while when it
// is interrupted (see bigWork), works on in seconds.
const maxBits = 1 << 26

func bigArith(op Op, a, b *big.Int) (v Value, ok bool, err error) {
	z := new(big.Int)
	switch op {
	case OpAdd:
		z.Add(a, b)
	case OpSub:
		z.Sub(a, b)
	case OpMul:
		if a.BitLen()+b.BitLen() > maxBits {
			return Value{}, true, Errorf(ExcMemoryError, "int too large")
		}
		if min(a.BitLen(), b.BitLen()) > slowBits {
			return Value{}, true, &bigWork{func(*atomic.Bool) *big.Int { return z.Mul(a, b) }}
		}
		z.Mul(a, b)
	case OpFloorDiv, OpMod:
		if b.Sign() == 0 {
			msg := "integer division or modulo by zero"
			if op == OpMod {
				msg = "integer modulo by zero"
			}
			return Value{}, true, Errorf(ExcZeroDivisionError, "%s", msg)
		}
		if a.BitLen() > slowBits {
			return Value{}, true, &bigWork{func(*atomic.Bool) *big.Int {
				q, r := bigFloorDiv(a, b)
				if op == OpMod {
					return r
				}
				return q
			}}
		}
		q, r := bigFloorDiv(a, b)
		if z = q; op == OpMod {
			z = r
		}
	case OpDiv:
		if b.Sign() == 0 {
			return Value{}, true, Errorf(ExcZeroDivisionError, "division by zero")
		}
		f, _ := new(big.Rat).SetFrac(a, b).Float64()
		if math.IsInf(f, 0) {
			return Value{}, true, OverflowErrorf("integer division result too large for a float")
		}
		return Float(f), true, nil
	case OpAnd:
		z.And(a, b)
	case OpOr:
		z.Or(a, b)
	case OpXor:
		z.Xor(a, b)
	case OpLsh, OpRsh:
		if b.Sign() < 0 {
			return Value{}, true, ValueErrorf("negative shift count")
		}
		if op == OpRsh {
			if !b.IsInt64() || b.Int64() > maxBits {
				return Int(int64(min(a.Sign(), 0))), true, nil
			}
			z.Rsh(a, uint(b.Int64()))
			break
		}
		if a.Sign() == 0 {
			break
		}
		if !b.IsInt64() || b.Int64() > maxBits-int64(a.BitLen()) {
			return Value{}, true, OverflowErrorf("too many digits in integer")
		}
		z.Lsh(a, uint(b.Int64()))
	case OpPow:
		if b.Sign() < 0 {
			fa, err := bigToFloat(a)
			if err != nil {
				return Value{}, true, err
			}
			fb, err := bigToFloat(b)
			if err != nil {
				return Value{}, true, err
			}
			return floatArith(OpPow, fa, fb)
		}
		if a.BitLen() > 1 && (!b.IsInt64() || b.Int64() > maxBits/int64(a.BitLen()-1)) {
			return Value{}, true, Errorf(ExcMemoryError, "int too large")
		}
		if a.BitLen() <= 1 { // 0, 1, -1
			if a.Sign() < 0 && b.Bit(0) == 0 {
				return Int(1), true, nil
			}
			if b.Sign() == 0 {
				return Int(1), true, nil
			}
			return BigInt(a), true, nil
		}
		if n := b.Int64(); n*int64(a.BitLen()) > slowBits {
			return Value{}, true, &bigWork{func(dropped *atomic.Bool) *big.Int { return bigPow(a, n, dropped) }}
		}
		z.Exp(a, b, nil)
	default:
		return Value{}, false, nil
	}
	return BigInt(z), true, nil
}

func bigFloorDiv(a, b *big.Int) (q, r *big.Int) {
	q, r = new(big.Int).QuoRem(a, b, new(big.Int))
	if r.Sign() != 0 && r.Sign() != b.Sign() {
		q.Sub(q, big.NewInt(1))
		r.Add(r, b)
	}
	return q, r
}

// floatFloorDiv is CPython's float_divmod: the quotient is corrected so that
// q*b + r is a as nearly as it can be, and r has the sign of b.
func floatFloorDiv(a, b float64) (q, r float64) {
	r = math.Mod(a, b)
	d := (a - r) / b
	if r != 0 {
		if (b < 0) != (r < 0) {
			r += b
			d--
		}
	} else {
		r = math.Copysign(0, b)
	}
	if d != 0 {
		q = math.Floor(d)
		if d-q > 0.5 {
			q++
		}
	} else {
		q = math.Copysign(0, a/b)
	}
	return q, r
}

func floatArith(op Op, a, b float64) (v Value, ok bool, err error) {
	switch op {
	case OpAdd:
		return Float(a + b), true, nil
	case OpSub:
		return Float(a - b), true, nil
	case OpMul:
		return Float(a * b), true, nil
	case OpDiv:
		if b == 0 {
			return Value{}, true, Errorf(ExcZeroDivisionError, "float division by zero")
		}
		return Float(a / b), true, nil
	case OpFloorDiv, OpMod:
		if b == 0 {
			msg := "float floor division by zero"
			if op == OpMod {
				msg = "float modulo"
			}
			return Value{}, true, Errorf(ExcZeroDivisionError, "%s", msg)
		}
		q, r := floatFloorDiv(a, b)
		if op == OpMod {
			return Float(r), true, nil
		}
		return Float(q), true, nil
	case OpPow:
		if a < 0 && b != math.Trunc(b) && !math.IsInf(a, 0) && !math.IsInf(b, 0) && !math.IsNaN(b) {
			z, err := complexPow(complex(a, 0), complex(b, 0))
			return Complex(z), true, err
		}
		f, err := floatPow(a, b)
		return Float(f), true, err
	}
	return Value{}, false, nil
}

func floatPow(a, b float64) (float64, error) {
	if a == 0 && b < 0 {
		return 0, Errorf(ExcZeroDivisionError, "0.0 cannot be raised to a negative power")
	}
	f := pow(a, b)
	if math.IsInf(f, 0) && !math.IsInf(a, 0) && !math.IsInf(b, 0) {
		return 0, OverflowErrorf("(34, 'Numerical result out of range')")
	}
	return f, nil
}

// compareNumbers orders two numbers exactly; unordered reports a NaN.
func compareNumbers(x, y Value) (c int, unordered bool) {
	kx, ky := kindOf(x), kindOf(y)
	switch {
	case kx == smallNum && ky == smallNum:
		return cmpInt(x.Int64(), y.Int64()), false
	case kx == floatNum && ky == floatNum:
		a, b := x.Float64(), y.Float64()
		if a != a || b != b {
			return 0, true
		}
		return cmpFloat(a, b), false
	case kx == floatNum:
		c, u := compareFloatBig(x.Float64(), y)
		return c, u
	case ky == floatNum:
		c, u := compareFloatBig(y.Float64(), x)
		return -c, u
	}
	a, _ := AsBig(x)
	b, _ := AsBig(y)
	return a.Cmp(b), false
}

func compareFloatBig(f float64, i Value) (int, bool) {
	switch {
	case f != f:
		return 0, true
	case math.IsInf(f, 0):
		return int(math.Copysign(1, f)), false
	}
	if kindOf(i) == smallNum && exactFloat(i.Int64()) {
		return cmpFloat(f, float64(i.Int64())), false
	}
	b, _ := AsBig(i)
	return new(big.Float).SetFloat64(f).Cmp(new(big.Float).SetInt(b)), false
}

func cmpInt(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// AsIndex is operator.index: an int (or bool, or an object with __index__
// written in Go) as an int64. ok is false for other types; ints outside the
// int64 range saturate.
func AsIndex(t *Thread, x Value) (i int64, ok bool, err error) {
	if x.IsInt() || x.IsBool() {
		return x.Int64(), true, nil
	}
	if x.Is(ItabBigInt) {
		return math.MaxInt64 * int64(x.iface().(starlark.Int).Sign()), true, nil
	}
	if s, ok := As[Symbolic](x); ok {
		return AsIndex(t, s.Concrete())
	}
	if c := classBearer(x); c != nil {
		if f, ok := c.custom(dIndex); ok {
			v, err := callSpecial(t, f, x)
			if err != nil {
				return 0, false, err
			}
			if v = Payload(v); kindOf(v) != smallNum && kindOf(v) != bigNum {
				return 0, false, TypeErrorf("__index__ returned non-int (type %s)", typeName(v))
			}
			return AsIndex(t, v)
		}
		if c.Slots != nil && c.Slots.Index != nil {
			v, err := c.Slots.Index(t, x)
			if err != nil {
				return 0, false, err
			}
			return AsIndex(t, v)
		}
		if p := Payload(x); !p.Is(ItabInstance) {
			return AsIndex(t, p)
		}
	}
	return 0, false, nil
}

// wantIndex is AsIndex that raises for other types.
func wantIndex(t *Thread, x Value) (int64, error) {
	i, ok, err := AsIndex(t, x)
	if err == nil && !ok {
		err = TypeErrorf("'%s' object cannot be interpreted as an integer", typeName(x))
	}
	return i, err
}
