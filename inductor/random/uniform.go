package random

import (
	"math"
	"math/bits"
)

// Float01 is a float32 in [0, 1): the low 24 bits of one word.
func (s *State) Float01() float32 { return float32(s.Uint32()&(1<<24-1)) * (1.0 / (1 << 24)) }

// Double01 is a float64 in [0, 1): the low 53 bits of two words.
func (s *State) Double01() float64 { return float64(s.Uint64()&(1<<53-1)) * (1.0 / (1 << 53)) }

// Uniform32 fills dst with uniform samples of [from, to).
func (s *State) Uniform32(dst []float32, from, to float64) {
	a, w := float32(from), float32(to)-float32(from)
	if a == 0 {
		for i := range dst {
			dst[i] = s.Float01() * w
		}
		return
	}
	for i := range dst {
		dst[i] = fma32(s.Float01(), w, a)
	}
}

// Uniform64 is Uniform32 for float64.
func (s *State) Uniform64(dst []float64, from, to float64) {
	w := to - from
	for i := range dst {
		dst[i] = math.FMA(s.Double01(), w, from)
	}
}

// Uniform16 is Uniform32 for 16-bit floats: 11 (Half) or 8 (BFloat16) bits of a word, the affine map in float32.
func (s *State) Uniform16(dst []uint16, f Format, from, to float64) {
	a, b := f.Round(float32(from)), f.Round(float32(to))
	w := f.Round(b - a)
	for i := range dst {
		dst[i] = f.Bits(fma32(s.unit16(f), w, a))
	}
}

func (s *State) unit16(f Format) float32 {
	if f == Half {
		return float32(s.Uint32()&(1<<11-1)) * (1.0 / (1 << 11))
	}
	return float32(s.Uint32()&(1<<8-1)) * (1.0 / (1 << 8))
}

// Bernoulli draws true with probability p, as bernoulli_(p) with a number and with a float64 tensor do.
func (s *State) Bernoulli(p float64) bool { return s.Double01() < p }

// Bernoulli32 fills dst with 1 where Bernoulli draws true, else with 0.
func (s *State) Bernoulli32(dst []float32, p float64) {
	one := [2]float32{0, 1}
	for len(dst) > 0 {
		// words up to the next twist, in pairs
		n := min(len(dst), int(s.left-1)/2)
		if n <= 0 {
			dst[0] = 0
			if s.Bernoulli(p) {
				dst[0] = 1
			}
			dst = dst[1:]
			continue
		}
		words := s.mt[s.next:][:2*n]
		for i := range dst[:n] {
			u := uint64(temper(words[2*i]))<<32 | uint64(temper(words[2*i+1]))
			hit := 0
			if float64(u&(1<<53-1))*(1.0/(1<<53)) < p {
				hit = 1
			}
			dst[i] = one[hit]
		}
		s.next += uint32(2 * n)
		s.left -= int32(2 * n)
		dst = dst[n:]
	}
}

// BernoulliFloat is Bernoulli where p is an element of a float32 or bfloat16 tensor.
func (s *State) BernoulliFloat(p float32) bool { return s.Float01() < p }

// IntFromTo draws base + word mod span; span is at least 1. wide says that the destination's dtype can hold more than 32 bits
// (int64, float32, float64, bfloat16), so that spans of 2^32 and more take two words.
func (s *State) IntFromTo(base int64, span uint64, wide bool) int64 {
	if wide && span >= 1<<32 {
		return int64(s.Uint64()%span + uint64(base))
	}
	return int64(uint64(s.Uint32())%span + uint64(base))
}

// IntBelow draws for random_() without bounds: [0, limit] where limit is the greatest value of an integer dtype, or the last
// of a float dtype below which all integers are exact. words64 is true for int64 and float64.
func (s *State) IntBelow(limit uint64, words64 bool) uint64 {
	if words64 {
		return s.Uint64() % (limit + 1)
	}
	return uint64(s.Uint32()) % (limit + 1)
}

// FloatBounds narrows [from, to) to bounds that stay inside it after a cast to a float format of that many mantissa digits
// (24, 53, 11, 8), whose cast is round. random_(from, to) on float dtypes draws between these.
func FloatBounds(from, to int64, digits int, round func(float64) float64) (int64, int64) {
	ulp := func(v int64) int64 { return 1 << (bits.Len64(uint64(max(v, -v))) - digits) }
	if up := int64(round(float64(from + 1))); up < from {
		from = up + ulp(from+1)
	}
	if down := int64(round(float64(to - 1))); down >= to {
		to = down - ulp(to-1)
	}
	return from, to
}

// FullInt64 draws any int64: random_ from the least int64 with no upper end.
func (s *State) FullInt64() int64 { return int64(s.Uint64()) }

// Perm fills dst with a random permutation of 0 … len(dst)-1: Fisher and Yates' shuffle from the front, a word a step.
func Perm[T int8 | uint8 | int16 | int32 | int64 | uint16 | float32 | float64](s *State, dst []T) {
	for i := range dst {
		dst[i] = T(i)
	}
	Shuffle(s, dst, 0, len(dst))
}

// Shuffle does the steps from lo to hi of Perm's shuffle.
func Shuffle[T int8 | uint8 | int16 | int32 | int64 | uint16 | float32 | float64](s *State, dst []T, lo, hi int) {
	n := len(dst)
	for i := lo; i < min(hi, n-1); i++ {
		z := i + int(uint64(s.Uint32())%uint64(n-i))
		dst[i], dst[z] = dst[z], dst[i]
	}
}
