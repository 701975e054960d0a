package loop

import (
	"fmt"
	"math"

	"github.com/larkspur-ml/larkspur/tensor"
)

// The primitives as methods. Operands of a binary primitive have one type;
// nothing is converted silently, so that a body shows where a cast happens.

func (b *Builder) un(op Op, x V) V { return b.let(Let{Op: op, Type: b.types[x], A: x}) }

func (b *Builder) bin(op Op, x, y V) V {
	if b.types[x] != b.types[y] {
		panic(fmt.Sprintf("BUG: %s of %s and %s in kernel %s", op, b.types[x], b.types[y], b.k.Name))
	}
	return b.let(Let{Op: op, Type: b.types[x], A: x, B: y})
}

func (b *Builder) cmp(op Op, x, y V) V {
	if b.types[x] != b.types[y] {
		panic(fmt.Sprintf("BUG: %s of %s and %s in kernel %s", op, b.types[x], b.types[y], b.k.Name))
	}
	return b.let(Let{Op: op, Type: B1, A: x, B: y})
}

// intConst reports the value of an integer constant.
func (b *Builder) intConst(v V) (int64, bool) {
	if l := b.consts[v]; l != nil && l.Type.IsInt() {
		return int64(l.Bits), true
	}
	return 0, false
}

func (b *Builder) Add(x, y V) V {
	if p, ok := b.intConst(x); ok {
		if q, ok := b.intConst(y); ok {
			return b.ConstI(b.types[x], p+q)
		}
		if p == 0 {
			return y
		}
	} else if q, ok := b.intConst(y); ok && q == 0 {
		return x
	}
	return b.bin(OpAdd, x, y)
}

func (b *Builder) Sub(x, y V) V {
	if q, ok := b.intConst(y); ok {
		if p, ok := b.intConst(x); ok {
			return b.ConstI(b.types[x], p-q)
		}
		if q == 0 {
			return x
		}
	}
	return b.bin(OpSub, x, y)
}

func (b *Builder) Mul(x, y V) V {
	if p, ok := b.intConst(x); ok {
		if q, ok := b.intConst(y); ok {
			return b.ConstI(b.types[x], p*q)
		}
		if p == 1 {
			return y
		}
	} else if q, ok := b.intConst(y); ok && q == 1 {
		return x
	}
	return b.bin(OpMul, x, y)
}

func (b *Builder) Div(x, y V) V { return b.bin(OpDiv, x, y) }
func (b *Builder) Mod(x, y V) V { return b.bin(OpMod, x, y) }
func (b *Builder) Min(x, y V) V { return b.bin(OpMin, x, y) }
func (b *Builder) Max(x, y V) V { return b.bin(OpMax, x, y) }

// FloorDiv is Python's // on integers: (x - x mod y) / y.
func (b *Builder) FloorDiv(x, y V) V { return b.Div(b.Sub(x, b.Mod(x, y)), y) }

// FMA is x*y + z.
func (b *Builder) FMA(x, y, z V) V {
	if b.types[x] != b.types[y] || b.types[x] != b.types[z] {
		panic("BUG: fma of several types in kernel " + b.k.Name)
	}
	return b.let(Let{Op: OpFMA, Type: b.types[x], A: x, B: y, C: z})
}

func (b *Builder) Neg(x V) V     { return b.un(OpNeg, x) }
func (b *Builder) Abs(x V) V     { return b.un(OpAbs, x) }
func (b *Builder) Sqrt(x V) V    { return b.un(OpSqrt, x) }
func (b *Builder) Floor(x V) V   { return b.un(OpFloor, x) }
func (b *Builder) Ceil(x V) V    { return b.un(OpCeil, x) }
func (b *Builder) Trunc(x V) V   { return b.un(OpTrunc, x) }
func (b *Builder) Nearest(x V) V { return b.un(OpNearest, x) }

func (b *Builder) Ldexp(x, e V) V { return b.bin(OpLdexp, x, e) }
func (b *Builder) Square(x V) V   { return b.Mul(x, x) }
func (b *Builder) Recip(x V) V    { return b.Div(b.Like(x, 1), x) }

func (b *Builder) Eq(x, y V) V { return b.cmp(OpEq, x, y) }
func (b *Builder) Ne(x, y V) V { return b.cmp(OpNe, x, y) }
func (b *Builder) Lt(x, y V) V { return b.cmp(OpLt, x, y) }
func (b *Builder) Le(x, y V) V { return b.cmp(OpLe, x, y) }
func (b *Builder) Gt(x, y V) V { return b.cmp(OpLt, y, x) }
func (b *Builder) Ge(x, y V) V { return b.cmp(OpLe, y, x) }

// IsNaN is false for every integer.
func (b *Builder) IsNaN(x V) V {
	if !b.types[x].IsFloat() {
		return b.Bool(false)
	}
	return b.Ne(x, x)
}

func (b *Builder) And(x, y V) V { return b.bin(OpAnd, x, y) }
func (b *Builder) Or(x, y V) V  { return b.bin(OpOr, x, y) }
func (b *Builder) Xor(x, y V) V { return b.bin(OpXor, x, y) }
func (b *Builder) Not(x V) V    { return b.un(OpNot, x) }
func (b *Builder) Shl(x, y V) V { return b.bin(OpShl, x, y) }
func (b *Builder) Shr(x, y V) V { return b.bin(OpShr, x, y) }

// Select is c ? x : y, lane by lane.
func (b *Builder) Select(c, x, y V) V {
	if b.types[c] != B1 || b.types[x] != b.types[y] {
		panic(fmt.Sprintf("BUG: select %s of %s and %s in kernel %s", b.types[c], b.types[x], b.types[y], b.k.Name))
	}
	if x == y {
		return x
	}
	return b.let(Let{Op: OpSelect, Type: b.types[x], A: c, B: x, C: y})
}

// Cast converts to type t.
func (b *Builder) Cast(x V, t Type) V {
	if b.types[x] == t {
		return x
	}
	if l := b.consts[x]; l != nil {
		switch l.Type {
		case I32, I64, B1:
			return b.ConstI(t, int64(l.Bits))
		case F32:
			if t.IsFloat() {
				return b.Const(t, float64(math.Float32frombits(uint32(l.Bits))))
			}
		}
	}
	return b.let(Let{Op: OpCast, Type: t, A: x})
}

// Bits reinterprets between an integer and the float of its width.
func (b *Builder) Bits(x V, t Type) V { return b.let(Let{Op: OpBits, Type: t, A: x}) }

// Round gives a value of d's compute type the precision that storing it as d
// would leave: nothing for full-width types.
func (b *Builder) Round(x V, d tensor.DType) V {
	switch d {
	case tensor.Float16, tensor.BFloat16, tensor.Int8, tensor.Int16, tensor.Uint8:
		return b.let(Let{Op: OpRound, Type: b.types[x], A: x, DType: d})
	}
	return x
}

// CastTo converts a value of any type to what dtype d holds.
func (b *Builder) CastTo(x V, d tensor.DType) V { return b.Round(b.Cast(x, TypeOf(d)), d) }

// Elementary functions of floats.
func (b *Builder) Exp(x V) V      { return b.un(OpExp, x) }
func (b *Builder) Exp2(x V) V     { return b.un(OpExp2, x) }
func (b *Builder) Expm1(x V) V    { return b.un(OpExpm1, x) }
func (b *Builder) Log(x V) V      { return b.un(OpLog, x) }
func (b *Builder) Log2(x V) V     { return b.un(OpLog2, x) }
func (b *Builder) Log10(x V) V    { return b.un(OpLog10, x) }
func (b *Builder) Log1p(x V) V    { return b.un(OpLog1p, x) }
func (b *Builder) Sin(x V) V      { return b.un(OpSin, x) }
func (b *Builder) Cos(x V) V      { return b.un(OpCos, x) }
func (b *Builder) Tan(x V) V      { return b.un(OpTan, x) }
func (b *Builder) Asin(x V) V     { return b.un(OpAsin, x) }
func (b *Builder) Acos(x V) V     { return b.un(OpAcos, x) }
func (b *Builder) Atan(x V) V     { return b.un(OpAtan, x) }
func (b *Builder) Atan2(x, y V) V { return b.bin(OpAtan2, x, y) }
func (b *Builder) Sinh(x V) V     { return b.un(OpSinh, x) }
func (b *Builder) Cosh(x V) V     { return b.un(OpCosh, x) }
func (b *Builder) Tanh(x V) V     { return b.un(OpTanh, x) }
func (b *Builder) Erf(x V) V      { return b.un(OpErf, x) }
func (b *Builder) Erfc(x V) V     { return b.un(OpErfc, x) }
func (b *Builder) Erfinv(x V) V   { return b.un(OpErfinv, x) }
func (b *Builder) Gelu(x V) V     { return b.un(OpGelu, x) }
func (b *Builder) Lgamma(x V) V   { return b.un(OpLgamma, x) }
func (b *Builder) Digamma(x V) V  { return b.un(OpDigamma, x) }
func (b *Builder) Pow(x, y V) V   { return b.bin(OpPow, x, y) }

// Unary applies a one-operand float primitive or function given as an Op.
func (b *Builder) Unary(op Op, x V) V {
	if op.Arity() != 1 {
		panic("BUG: " + op.String() + " is not unary")
	}
	return b.un(op, x)
}
