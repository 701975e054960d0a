package torch

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Elements as bytes: little-endian, as they lie in a storage.

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

// putNumber appends an element of dtype d.
func putNumber(b []byte, d tensor.DType, n tensor.Number) []byte {
	le := binary.LittleEndian
	switch d {
	case tensor.Bool:
		if n.Is(0) {
			return append(b, 0)
		}
		return append(b, 1)
	case tensor.Uint8, tensor.Int8:
		return append(b, byte(n.Int64()))
	case tensor.Int16:
		return le.AppendUint16(b, uint16(n.Int64()))
	case tensor.Int32:
		return le.AppendUint32(b, uint32(n.Int64()))
	case tensor.Int64:
		return le.AppendUint64(b, uint64(n.Int64()))
	case tensor.Float16:
		return le.AppendUint16(b, tensor.F32ToF16(float32(n.Float64())))
	case tensor.BFloat16:
		return le.AppendUint16(b, tensor.F32ToBF16(float32(n.Float64())))
	case tensor.Float32:
		return le.AppendUint32(b, math.Float32bits(float32(n.Float64())))
	case tensor.Float64:
		return le.AppendUint64(b, math.Float64bits(n.Float64()))
	}
	panic("BUG: no element of " + d.String())
}

// getNumber reads element k of b.
func getNumber(b []byte, d tensor.DType, k int64) tensor.Number {
	b = b[k*int64(d.Size()):]
	le := binary.LittleEndian
	switch d {
	case tensor.Bool:
		return tensor.Truth(b[0] != 0)
	case tensor.Uint8:
		return tensor.Int(int64(b[0]))
	case tensor.Int8:
		return tensor.Int(int64(int8(b[0])))
	case tensor.Int16:
		return tensor.Int(int64(int16(le.Uint16(b))))
	case tensor.Int32:
		return tensor.Int(int64(int32(le.Uint32(b))))
	case tensor.Int64:
		return tensor.Int(int64(le.Uint64(b)))
	case tensor.Float16:
		return tensor.Float(float64(tensor.F16ToF32(le.Uint16(b))))
	case tensor.BFloat16:
		return tensor.Float(float64(tensor.BF16ToF32(le.Uint16(b))))
	case tensor.Float32:
		return tensor.Float(float64(math.Float32frombits(le.Uint32(b))))
	case tensor.Float64:
		return tensor.Float(math.Float64frombits(le.Uint64(b)))
	}
	panic("BUG: no element of " + d.String())
}
