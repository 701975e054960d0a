package torch

import (
	"unsafe"

	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tensor"
)

// asBytes reads a bytes object; what it gives must not be changed.
func asBytes(v value.Value) ([]byte, bool) {
	v = value.Payload(v)
	if !v.Is(value.ItabBytes) {
		return nil, false
	}
	s := *(*string)(v.P)
	return unsafe.Slice(unsafe.StringData(s), len(s)), true
}

// asBuffer is the memory of a bytearray, or of what else has Bytes. (A tensor has them too, but does not offer them.)
func asBuffer(v value.Value) ([]byte, bool) {
	if _, isTensor := AsTensor(v); isTensor {
		return nil, false
	}
	if b, ok := native[interface{ Bytes() []byte }](v); ok {
		return b.Bytes(), true
	}
	return nil, false
}

// fromNumber is a number in the language.
func fromNumber(n tensor.Number) value.Value {
	switch n.Kind {
	case tensor.NumBool:
		return value.Bool(n.I != 0)
	case tensor.NumInt:
		return value.Int(n.I)
	}
	return value.Float(n.F)
}
