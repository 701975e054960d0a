package tensor

// DType is an element type. The zero value is Invalid.
type DType uint8

// The element types in order of width inside each category. Complex64 and the
// float8 types are reserved: they have names and sizes but no op uses them yet.
const (
	Invalid DType = iota
	Bool
	Uint8
	Int8
	Int16
	Int32
	Int64
	Float16
	BFloat16
	Float32
	Float64
	Complex64
	Float8E4M3
	Float8E5M2
	numDTypes
)

// Category orders dtypes for promotion: a higher category wins over a lower one.
type Category uint8

const (
	CatBool Category = iota
	CatInt
	CatFloat
	CatComplex
)

var dtypes = [numDTypes]struct {
	name  string
	size  int
	cat   Category
	alias string
}{
	Invalid:    {"invalid", 0, CatBool, ""},
	Bool:       {"bool", 1, CatBool, ""},
	Uint8:      {"uint8", 1, CatInt, ""},
	Int8:       {"int8", 1, CatInt, ""},
	Int16:      {"int16", 2, CatInt, "short"},
	Int32:      {"int32", 4, CatInt, "int"},
	Int64:      {"int64", 8, CatInt, "long"},
	Float16:    {"float16", 2, CatFloat, "half"},
	BFloat16:   {"bfloat16", 2, CatFloat, ""},
	Float32:    {"float32", 4, CatFloat, "float"},
	Float64:    {"float64", 8, CatFloat, "double"},
	Complex64:  {"complex64", 8, CatComplex, "cfloat"},
	Float8E4M3: {"float8_e4m3fn", 1, CatFloat, ""},
	Float8E5M2: {"float8_e5m2", 1, CatFloat, ""},
}

// scalarTypeNames are the names PyTorch uses in error texts.
var scalarTypeNames = [numDTypes]string{"Undefined", "Bool", "Byte", "Char", "Short", "Int", "Long", "Half", "BFloat16", "Float", "Double", "ComplexFloat", "Float8_e4m3fn", "Float8_e5m2"}

// String is the name as torch spells it, without the "torch." prefix.
func (d DType) String() string {
	if d >= numDTypes {
		return "invalid"
	}
	return dtypes[d].name
}

// ScalarName is the name PyTorch's error texts use: Float, Long, Byte.
func (d DType) ScalarName() string { return scalarTypeNames[d] }

// Size is the width of an element in bytes.
func (d DType) Size() int { return dtypes[d].size }

// Category is the promotion category.
func (d DType) Category() Category { return dtypes[d].cat }

// IsFloat reports a real floating-point type.
func (d DType) IsFloat() bool { return dtypes[d].cat == CatFloat }

// IsInt reports an integer type; bool is none.
func (d DType) IsInt() bool { return dtypes[d].cat == CatInt }

// IsComplex reports a complex type.
func (d DType) IsComplex() bool { return dtypes[d].cat == CatComplex }

// IsSigned reports whether negative values exist.
func (d DType) IsSigned() bool { return d != Bool && d != Uint8 }

// Is16 reports a 16-bit floating-point type: stored narrow, computed in float32.
func (d DType) Is16() bool { return d == Float16 || d == BFloat16 }

// ParseDType finds a dtype by name or alias ("float", "half", "long"), with or
// without the "torch." prefix.
func ParseDType(s string) (DType, bool) {
	if len(s) > 6 && s[:6] == "torch." {
		s = s[6:]
	}
	for d := Bool; d < numDTypes; d++ {
		if dtypes[d].name == s || dtypes[d].alias != "" && dtypes[d].alias == s {
			return d, true
		}
	}
	return Invalid, false
}

// DTypes lists every dtype that ops compute with, in declaration order.
func DTypes() []DType {
	return []DType{Bool, Uint8, Int8, Int16, Int32, Int64, Float16, BFloat16, Float32, Float64}
}

// Promote is the common type of two dtypes, as torch.promote_types gives it.
func Promote(a, b DType) DType {
	if a == b || b == Invalid {
		return a
	}
	if a == Invalid {
		return b
	}
	ca, cb := a.Category(), b.Category()
	if ca != cb {
		if ca > cb {
			return a
		}
		return b
	}
	if ca == CatInt {
		if a == Uint8 || b == Uint8 {
			o := a
			if a == Uint8 {
				o = b
			}
			if o == Int8 {
				return Int16
			}
			return o
		}
		return max(a, b)
	}
	if ca == CatFloat && a.Is16() && b.Is16() {
		return Float32
	}
	return max(a, b)
}

// Promoter accumulates operands and tells their result type by torch's
// category rule: tensors with dimensions beat 0-dim tensors, which beat Python
// numbers, unless the lower one is of a higher category.
type Promoter struct{ dim, zero, num DType }

// Tensor adds an operand that is a tensor of the given rank.
func (p *Promoter) Tensor(d DType, rank int) {
	if rank > 0 {
		p.dim = Promote(p.dim, d)
	} else {
		p.zero = Promote(p.zero, d)
	}
}

// Number adds a Python number; def is the default floating-point dtype.
func (p *Promoter) Number(k NumKind, def DType) { p.num = Promote(p.num, k.DType(def)) }

// Result is the common type, Invalid when nothing was added.
func (p *Promoter) Result() DType { return combine(p.dim, combine(p.zero, p.num)) }

func combine(hi, lo DType) DType {
	switch {
	case hi == Invalid:
		return lo
	case lo == Invalid || hi.IsComplex():
		return hi
	case hi.IsFloat() && !lo.IsComplex():
		return hi
	case hi == Bool || lo.IsFloat() || lo.IsComplex():
		return Promote(hi, lo)
	}
	return hi
}

// CanCast reports whether a result of type from may be written into a tensor
// of type to by an in-place op: only to the same or a higher category.
func CanCast(from, to DType) bool {
	if from.IsComplex() && !to.IsComplex() {
		return false
	}
	if from.IsFloat() && to.Category() < CatFloat {
		return false
	}
	return from == Bool || to != Bool
}
