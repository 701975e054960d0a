package tensor

import (
	"math"
	"strconv"
)

// NumKind is the kind of a Python number.
type NumKind uint8

const (
	NumBool NumKind = iota
	NumInt
	NumFloat
)

// DType is the dtype that a number of this kind stands for; def is the default
// floating-point dtype.
func (k NumKind) DType(def DType) DType {
	switch k {
	case NumBool:
		return Bool
	case NumInt:
		return Int64
	}
	return def
}

// Number is a Python number: bool, int (64 bits) or float. It is a run-time
// operand of kernels, never burnt into them.
type Number struct {
	Kind NumKind
	I    int64 // bool and int
	F    float64
	By   *Trace // of a number from outside a recording; nil: a constant
}

func Int(v int64) Number     { return Number{Kind: NumInt, I: v} }
func Float(v float64) Number { return Number{Kind: NumFloat, F: v} }
func Truth(v bool) Number {
	if v {
		return Number{Kind: NumBool, I: 1}
	}
	return Number{Kind: NumBool}
}

// Float64 is the value as a float.
func (n Number) Float64() float64 {
	n.look()
	if n.Kind == NumFloat {
		return n.F
	}
	return float64(n.I)
}

// Int64 is the value as an integer, floats truncated.
func (n Number) Int64() int64 {
	n.look()
	if n.Kind == NumFloat {
		return int64(n.F)
	}
	return n.I
}

func (n Number) String() string {
	n.look()
	switch n.Kind {
	case NumBool:
		if n.I != 0 {
			return "True"
		}
		return "False"
	case NumInt:
		return strconv.FormatInt(n.I, 10)
	}
	if n.F == math.Trunc(n.F) && math.Abs(n.F) < 1e16 {
		return strconv.FormatFloat(n.F, 'f', 1, 64)
	}
	return strconv.FormatFloat(n.F, 'g', -1, 64)
}
