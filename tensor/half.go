package tensor

import "math"

// The two 16-bit formats convert by value here, once; targets have their own
// vector forms, which must agree bit for bit (NaN payloads aside).

// F16ToF32 widens an IEEE binary16.
func F16ToF32(h uint16) float32 {
	s := uint32(h>>15) << 31
	e := uint32(h>>10) & 31
	m := uint32(h & 1023)
	switch {
	case e == 31:
		return math.Float32frombits(s | 0x7f800000 | m<<13)
	case e != 0:
		return math.Float32frombits(s | (e+112)<<23 | m<<13)
	}
	// a subnormal is m * 2^-24, exact in float32
	f := float32(m) * 0x1p-24
	return math.Float32frombits(math.Float32bits(f) | s)
}

// F32ToF16 rounds to the nearest binary16, ties to even.
func F32ToF16(f float32) uint16 {
	b := math.Float32bits(f)
	s := uint16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000:
		return s | 0x7e00
	case b >= 0x477ff000: // rounds to 65536 or more
		return s | 0x7c00
	case b < 0x38800000: // subnormal: let the float adder round at 2^-24
		t := math.Float32bits(math.Float32frombits(b) + 0.5)
		return s | uint16(t-0x3f000000)
	}
	b += 0xfff + b>>13&1
	return s | uint16((b-0x38000000)>>13)
}

// BF16ToF32 widens a bfloat16.
func BF16ToF32(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// F32ToBF16 rounds to the nearest bfloat16, ties to even.
func F32ToBF16(f float32) uint16 {
	b := math.Float32bits(f)
	if b&0x7fffffff > 0x7f800000 {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}
