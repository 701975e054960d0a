package loop

import (
	"math"

	"github.com/larkspur-ml/larkspur/tensor"
)

// Widening and narrowing between storage and registers, a block at a time.

func widenBool(dst []bool, src []uint8) {
	for i, x := range src[:len(dst)] {
		dst[i] = x != 0
	}
}

func widenUint8(dst []int32, src []uint8) {
	for i, x := range src[:len(dst)] {
		dst[i] = int32(x)
	}
}

func widenInt8(dst []int32, src []uint8) {
	for i, x := range src[:len(dst)] {
		dst[i] = int32(int8(x))
	}
}

func widenInt16(dst []int32, src []uint16) {
	for i, x := range src[:len(dst)] {
		dst[i] = int32(int16(x))
	}
}

// widenF16 moves the exponent by a multiplication, which is exact for
// subnormals too; only infinities and NaN need another path.
func widenF16(dst []float32, src []uint16) {
	for i, x := range src[:len(dst)] {
		f := math.Float32frombits(uint32(x&0x7fff)<<13) * 0x1p112
		b := math.Float32bits(f) | uint32(x&0x8000)<<16
		if x&0x7c00 == 0x7c00 {
			b |= 0x7f800000
		}
		dst[i] = math.Float32frombits(b)
	}
}

func widenBF16(dst []float32, src []uint16) {
	for i, x := range src[:len(dst)] {
		dst[i] = math.Float32frombits(uint32(x) << 16)
	}
}

func narrowUint8(dst []uint8, src []int32) {
	for i, x := range src[:len(dst)] {
		dst[i] = uint8(x)
	}
}

func narrowInt16(dst []uint16, src []int32) {
	for i, x := range src[:len(dst)] {
		dst[i] = uint16(x)
	}
}

func narrowF16(dst []uint16, src []float32) {
	for i, x := range src[:len(dst)] {
		b := math.Float32bits(x)
		if e := b & 0x7fffffff; e >= 0x38800000 && e < 0x477ff000 {
			e += 0xfff + e>>13&1
			dst[i] = uint16(b>>16&0x8000) | uint16((e-0x38000000)>>13)
		} else {
			dst[i] = tensor.F32ToF16(x)
		}
	}
}

func narrowBF16(dst []uint16, src []float32) {
	for i, x := range src[:len(dst)] {
		b := math.Float32bits(x)
		if b&0x7fffffff > 0x7f800000 {
			dst[i] = uint16(b>>16) | 0x40
		} else {
			dst[i] = uint16((b + 0x7fff + b>>16&1) >> 16)
		}
	}
}
