package op

import (
	"fmt"

	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// toArg converts a Go value for a parameter.
func toArg(d *Def, p *Param, v any) Arg {
	switch x := v.(type) {
	case nil:
		return Arg{}
	case Arg:
		return x
	case Tensor:
		if p.List {
			return TensorList([]Tensor{x})
		}
		return T(x)
	case []Tensor:
		return TensorList(x)
	case int:
		return intArg(p, sym.C(int64(x)))
	case int64:
		return intArg(p, sym.C(x))
	case sym.Int:
		return intArg(p, x)
	case []int:
		l := make([]sym.Int, len(x))
		for i, e := range x {
			l[i] = sym.C(int64(e))
		}
		return IntList(l)
	case []int64:
		return IntList(sym.Ints(x...))
	case []sym.Int:
		return IntList(x)
	case float64:
		return Num(tensor.Float(x))
	case tensor.Number:
		return Num(x)
	case bool:
		if p.Type == PScalar || p.Type == PTensorOrScalar {
			return Num(tensor.Truth(x))
		}
		return Bool(x)
	case string:
		return Str(x)
	case tensor.DType:
		return DType(x)
	case tensor.Device:
		return Device(x)
	case *tensor.Generator:
		return Gen(x)
	}
	panic(fmt.Sprintf("BUG: %T for parameter %s of %s", v, p.Name, d.Name))
}

func intArg(p *Param, v sym.Int) Arg {
	switch p.Type {
	case PScalar, PFloat, PTensorOrScalar:
		return Num(tensor.Int(v.Must()))
	}
	if p.List {
		l := make([]sym.Int, max(p.N, 1))
		for i := range l {
			l[i] = v
		}
		return IntList(l)
	}
	return IntArg(v)
}
