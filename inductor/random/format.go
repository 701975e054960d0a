package random

import "math"

// Format is a 16-bit floating-point format.
type Format uint8

const (
	Half     Format = iota // IEEE binary16
	BFloat16               // float32 without its low 16 bits
)

// Bits rounds x to f, ties to even.
func (f Format) Bits(x float32) uint16 {
	b := math.Float32bits(x)
	if f == BFloat16 {
		if x != x {
			return 0x7fc0
		}
		return uint16((b + 0x7fff + b>>16&1) >> 16)
	}
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000:
		return sign | 0x7e00
	case b >= 0x477ff000: // rounds to 65536 or more
		return sign | 0x7c00
	case b < 0x38800000: // subnormal: add 0.5 so that the mantissa's end lands on 2^-24
		m := math.Float32frombits(b) + 0.5
		return sign | uint16(math.Float32bits(m)-0x3f000000)
	}
	b += 0xfff + b>>13&1 - 112<<23
	return sign | uint16(b>>13)
}

// Value widens the bits of f, exactly.
func (f Format) Value(h uint16) float32 {
	if f == BFloat16 {
		return math.Float32frombits(uint32(h) << 16)
	}
	sign, b := uint32(h&0x8000)<<16, uint32(h&0x7fff)
	switch {
	case b >= 0x7c00:
		return math.Float32frombits(sign | 0x7f800000 | b&0x3ff<<13)
	case b < 0x400:
		v := float32(b) * (1.0 / (1 << 24))
		return math.Float32frombits(sign | math.Float32bits(v))
	}
	return math.Float32frombits(sign | (b<<13 + 112<<23))
}

// Round is Value(Bits(x)).
func (f Format) Round(x float32) float32 { return f.Value(f.Bits(x)) }

// fma32 is x*y+z rounded once. The product of two float32s is exact in float64; the sum is rounded to odd there, so that
// the final rounding sees on which side of a tie it lies.
func fma32(x, y, z float32) float32 {
	p, c := float64(x)*float64(y), float64(z)
	s := p + c
	t := s - p
	if e := (p - (s - t)) + (c - t); e != 0 {
		if b := math.Float64bits(s); b&1 == 0 {
			if (e > 0) == (s > 0) {
				b++
			} else {
				b--
			}
			s = math.Float64frombits(b)
		}
	}
	return float32(s)
}
