package op

import (
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// SymInt, Meta and Error save imports in op files.
type (
	SymInt = sym.Int
	Meta   = tensor.Meta
)

// Tensor is a handle on a tensor of some Graph (eager, recording, meta). Its
// Meta must not be changed.
type Tensor interface{ Meta() *tensor.Meta }

// ArgKind says what an Arg holds.
type ArgKind uint8

const (
	ArgNone      ArgKind = iota
	ArgTensor            // P: Tensor
	ArgTensors           // P: []Tensor (entries may be nil where the list is Tensor?[])
	ArgNumber            // N
	ArgInt               // I
	ArgInts              // P: []sym.Int
	ArgNumbers           // P: []tensor.Number
	ArgBool              // N
	ArgStr               // P: string
	ArgDType             // DT
	ArgDevice            // P: tensor.Device
	ArgGenerator         // P: *tensor.Generator
	ArgSubgraph          // reserved
)

// Arg is the value of one parameter.
type Arg struct {
	Kind ArgKind
	DT   tensor.DType
	I    sym.Int
	N    tensor.Number
	P    any
}

func T(t Tensor) Arg {
	if t == nil {
		return Arg{}
	}
	return Arg{Kind: ArgTensor, P: t}
}
func TensorList(t []Tensor) Arg   { return Arg{Kind: ArgTensors, P: t} }
func Num(n tensor.Number) Arg     { return Arg{Kind: ArgNumber, N: n} }
func IntArg(i sym.Int) Arg        { return Arg{Kind: ArgInt, I: i} }
func IntList(v []sym.Int) Arg     { return Arg{Kind: ArgInts, P: v} }
func Bool(v bool) Arg             { return Arg{Kind: ArgBool, N: tensor.Truth(v)} }
func Str(s string) Arg            { return Arg{Kind: ArgStr, P: s} }
func DType(d tensor.DType) Arg    { return Arg{Kind: ArgDType, DT: d} }
func Device(d tensor.Device) Arg  { return Arg{Kind: ArgDevice, P: d} }
func Gen(g *tensor.Generator) Arg { return Arg{Kind: ArgGenerator, P: g} }

// Raise reports a user's fault from inside a rule (package doc).
func Raise(k tensor.ErrKind, format string, a ...any) {
	panic(tensor.Errorf(k, format, a...))
}

// raised turns a Raise into an error; other panics go on.
func raised(err *error) {
	switch e := recover().(type) {
	case nil:
	case *tensor.Error:
		*err = e
	default:
		panic(e)
	}
}
