package loop

// Op is a scalar primitive.
type Op uint8

const (
	OpInvalid Op = iota
	// sources
	OpConst  // Bits
	OpScalar // run-time scalar Slot
	OpParam  // integer parameter P, as i64
	OpAxis   // loop variable Slot, as i64
	OpLoad   // Mem
	// conversion
	OpCast  // to Type: float to int truncates (out of range: unspecified), to b1 is x != 0
	OpRound // through DType and back: f16, bf16, f32 round; i8, i16, u8 wrap. Type unchanged
	OpBits  // reinterpret i32 <-> f32, i64 <-> f64
	// arithmetic; integers wrap
	OpAdd
	OpSub
	OpMul
	OpDiv // floats: IEEE. ints: toward zero, 0 raises ZeroDivisionError
	OpMod // ints: sign of the divisor (Python), 0 raises; floats: exact C fmod (sign of the dividend)
	OpFMA // a*b + c, floats; whether it is rounded once is the target's choice
	OpNeg
	OpAbs
	OpMin // NaN if either is
	OpMax
	OpSqrt
	OpFloor
	OpCeil
	OpTrunc
	OpNearest // ties to even
	OpLdexp   // a * 2^b, b an integer-valued float; saturates to 0 and inf
	OpEx2     // 2^a, relative error < 2^-16: for 16-bit storage only
	OpRcp     // 1/a, the same
	// comparison, to b1; NaN compares false but for Ne
	OpEq
	OpNe
	OpLt
	OpLe
	// logic on b1, bits on ints
	OpAnd
	OpOr
	OpXor
	OpNot
	OpShl    // ints; counts outside 0 … width-1 give 0
	OpShr    // arithmetic; such counts give the sign
	OpSelect // A ? B : C

	// Elementary functions of floats. A target either evaluates them within the
	// bounds of ARCHITECTURE.md section 7 or asks for their Expansion into the
	// primitives above (elementary.go).
	OpExp
	OpExp2
	OpExpm1
	OpLog
	OpLog2
	OpLog10
	OpLog1p
	OpSin
	OpCos
	OpTan
	OpAsin
	OpAcos
	OpAtan
	OpAtan2
	OpSinh
	OpCosh
	OpTanh
	OpErf
	OpErfc
	OpErfinv
	OpGelu // x Phi(x), Phi the normal distribution function
	OpLgamma
	OpDigamma
	OpPow // floats: C pow; ints: a to the power of b >= 0, b < 0 gives 0 unless |a| = 1
	numOps
)

// class says what types a primitive takes.
type class uint8

const (
	clsSource class = iota
	clsCast
	clsArith // int or float, all operands of the result's type
	clsInt
	clsFloat
	clsCmp   // any one type (Eq, Ne also b1), result b1
	clsLogic // b1 or int
	clsSelect
)

var opTable = [numOps]struct {
	name  string
	arity int
	cls   class
}{
	OpConst: {"const", 0, clsSource}, OpScalar: {"scalar", 0, clsSource}, OpParam: {"param", 0, clsSource},
	OpAxis: {"axis", 0, clsSource}, OpLoad: {"load", 0, clsSource},
	OpCast: {"cast", 1, clsCast}, OpRound: {"round", 1, clsArith}, OpBits: {"bits", 1, clsCast},
	OpAdd: {"add", 2, clsArith}, OpSub: {"sub", 2, clsArith}, OpMul: {"mul", 2, clsArith}, OpDiv: {"div", 2, clsArith},
	OpMod: {"mod", 2, clsArith}, OpFMA: {"fma", 3, clsFloat}, OpNeg: {"neg", 1, clsArith}, OpAbs: {"abs", 1, clsArith},
	OpMin: {"min", 2, clsArith}, OpMax: {"max", 2, clsArith}, OpSqrt: {"sqrt", 1, clsFloat}, OpFloor: {"floor", 1, clsFloat},
	OpCeil: {"ceil", 1, clsFloat}, OpTrunc: {"trunc", 1, clsFloat}, OpNearest: {"nearest", 1, clsFloat},
	OpLdexp: {"ldexp", 2, clsFloat}, OpEx2: {"ex2", 1, clsFloat}, OpRcp: {"rcp", 1, clsFloat},
	OpEq: {"eq", 2, clsCmp}, OpNe: {"ne", 2, clsCmp}, OpLt: {"lt", 2, clsCmp}, OpLe: {"le", 2, clsCmp},
	OpAnd: {"and", 2, clsLogic}, OpOr: {"or", 2, clsLogic}, OpXor: {"xor", 2, clsLogic}, OpNot: {"not", 1, clsLogic},
	OpShl: {"shl", 2, clsInt}, OpShr: {"shr", 2, clsInt}, OpSelect: {"select", 3, clsSelect},
	OpExp: {"exp", 1, clsFloat}, OpExp2: {"exp2", 1, clsFloat}, OpExpm1: {"expm1", 1, clsFloat},
	OpLog: {"log", 1, clsFloat}, OpLog2: {"log2", 1, clsFloat}, OpLog10: {"log10", 1, clsFloat}, OpLog1p: {"log1p", 1, clsFloat},
	OpSin: {"sin", 1, clsFloat}, OpCos: {"cos", 1, clsFloat}, OpTan: {"tan", 1, clsFloat},
	OpAsin: {"asin", 1, clsFloat}, OpAcos: {"acos", 1, clsFloat}, OpAtan: {"atan", 1, clsFloat}, OpAtan2: {"atan2", 2, clsFloat},
	OpSinh: {"sinh", 1, clsFloat}, OpCosh: {"cosh", 1, clsFloat}, OpTanh: {"tanh", 1, clsFloat},
	OpErf: {"erf", 1, clsFloat}, OpErfc: {"erfc", 1, clsFloat}, OpErfinv: {"erfinv", 1, clsFloat},
	OpGelu:   {"gelu", 1, clsFloat},
	OpLgamma: {"lgamma", 1, clsFloat}, OpDigamma: {"digamma", 1, clsFloat}, OpPow: {"pow", 2, clsArith},
}

func (o Op) String() string { return opTable[o].name }

// Arity is the number of value operands.
func (o Op) Arity() int { return opTable[o].arity }

// IsElementary reports a function that a target may ask to have expanded.
func (o Op) IsElementary() bool { return o >= OpExp && o < numOps }

// Expansion writes elementary o over x (and y) with primitives; see Expansions.
type Expansion func(b *Builder, t Type, x, y V) V

// Expansions holds the expansion of each elementary function that has one.
// It is filled at package initialisation by elementary*.go.
var Expansions [numOps]Expansion
