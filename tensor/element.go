package tensor

import (
	"encoding/binary"
	"math"
)

// Elements as bytes: little-endian, as they lie in host memory.

// ReadElement is the element of dtype d at the start of b.
func ReadElement(b []byte, d DType) Number {
	le := binary.LittleEndian
	switch d {
	case Bool:
		return Truth(b[0] != 0)
	case Uint8:
		return Int(int64(b[0]))
	case Int8:
		return Int(int64(int8(b[0])))
	case Int16:
		return Int(int64(int16(le.Uint16(b))))
	case Int32:
		return Int(int64(int32(le.Uint32(b))))
	case Int64:
		return Int(int64(le.Uint64(b)))
	case Float16:
		return Float(float64(F16ToF32(le.Uint16(b))))
	case BFloat16:
		return Float(float64(BF16ToF32(le.Uint16(b))))
	case Float32:
		return Float(float64(math.Float32frombits(le.Uint32(b))))
	case Float64:
		return Float(math.Float64frombits(le.Uint64(b)))
	}
	panic("BUG: no element of " + d.String())
}

// AppendElement appends n as an element of dtype d.
func AppendElement(b []byte, d DType, n Number) []byte {
	le := binary.LittleEndian
	switch d {
	case Bool:
		if n.Is(0) {
			return append(b, 0)
		}
		return append(b, 1)
	case Uint8, Int8:
		return append(b, byte(n.Int64()))
	case Int16:
		return le.AppendUint16(b, uint16(n.Int64()))
	case Int32:
		return le.AppendUint32(b, uint32(n.Int64()))
	case Int64:
		return le.AppendUint64(b, uint64(n.Int64()))
	case Float16:
		return le.AppendUint16(b, F32ToF16(float32(n.Float64())))
	case BFloat16:
		return le.AppendUint16(b, F32ToBF16(float32(n.Float64())))
	case Float32:
		return le.AppendUint32(b, math.Float32bits(float32(n.Float64())))
	case Float64:
		return le.AppendUint64(b, math.Float64bits(n.Float64()))
	}
	panic("BUG: no element of " + d.String())
}
