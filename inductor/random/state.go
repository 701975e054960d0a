package random

import (
	"encoding/binary"
	"errors"
	"math"
)

const (
	mtN = 624
	mtM = 397

	// StateSize is the length of Bytes: PyTorch's legacy generator record (5048 bytes) and the cached float sample.
	StateSize = 5056

	// DefaultSeed is the seed of a generator that was never seeded.
	DefaultSeed = 67280421310721
)

// State is a CPU generator: MT19937 and the second samples of Box-Muller pairs that wait to be used. It must not be shared
// between goroutines without a lock. The zero State is not valid; use New.
type State struct {
	seed uint64
	left int32
	next uint32
	mt   [mtN]uint32

	nextDouble float64
	haveDouble bool
	nextFloat  float32
	haveFloat  bool
}

// New returns a generator seeded as torch.manual_seed(seed) seeds it.
func New(seed uint64) *State {
	s := &State{}
	s.Seed(seed)
	return s
}

// Seed restarts s from seed and drops cached samples. Only the low 32 bits choose the stream (as in PyTorch); InitialSeed
// reports all 64.
func (s *State) Seed(seed uint64) {
	s.seed = seed
	s.mt[0] = uint32(seed)
	for j := 1; j < mtN; j++ {
		p := s.mt[j-1]
		s.mt[j] = 1812433253*(p^p>>30) + uint32(j)
	}
	s.left, s.next = 1, 0
	s.haveDouble, s.nextDouble = false, 0
	s.haveFloat, s.nextFloat = false, 0
}

// InitialSeed is the seed last given.
func (s *State) InitialSeed() uint64 { return s.seed }

// Clone returns an independent copy.
func (s *State) Clone() *State { c := *s; return &c }

// CopyFrom makes s equal to t.
func (s *State) CopyFrom(t *State) { *s = *t }

// Uint32 draws one word.
func (s *State) Uint32() uint32 {
	if s.left--; s.left == 0 {
		s.twist()
	}
	y := s.mt[s.next]
	s.next++
	return temper(y)
}

func temper(y uint32) uint32 {
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// Uint64 draws two words; the first is the high half.
func (s *State) Uint64() uint64 {
	hi := s.Uint32()
	return uint64(hi)<<32 | uint64(s.Uint32())
}

func (s *State) twist() {
	s.left, s.next = mtN, 0
	mix := func(far, a, b uint32) uint32 {
		// without a branch, which would be guessed wrong half of the time
		return far ^ (a&0x80000000|b&0x7fffffff)>>1 ^ -(b&1)&0x9908b0df
	}
	p := &s.mt
	for i := 0; i < mtN-mtM; i++ {
		p[i] = mix(p[i+mtM], p[i], p[i+1])
	}
	for i := mtN - mtM; i < mtN-1; i++ {
		p[i] = mix(p[i+mtM-mtN], p[i], p[i+1])
	}
	p[mtN-1] = mix(p[mtM-1], p[mtN-1], p[0])
}

// The record, offsets in bytes, little-endian:
//
//	   0  uint64 seed     8  int32 left    12  int32 seeded (1)    16  uint64 next
//	  24  uint64 [624] table (a word each)
//	5016  float64 normal_x (the cached sample)   5024  normal_y   5032  normal_rho   5040  int32 normal_is_valid
//	5048  float32 cached float sample            5052  bool valid
const (
	offTable = 24
	offX     = offTable + 8*mtN
	offValid = offX + 24
	offFloat = offX + 32
)

// Bytes is the state as torch.get_rng_state returns it: StateSize bytes.
func (s *State) Bytes() []byte {
	b := make([]byte, StateSize)
	le := binary.LittleEndian
	le.PutUint64(b, s.seed)
	le.PutUint32(b[8:], uint32(s.left))
	le.PutUint32(b[12:], 1)
	le.PutUint64(b[16:], uint64(s.next))
	for i, w := range s.mt {
		le.PutUint64(b[offTable+8*i:], uint64(w))
	}
	if s.haveDouble {
		le.PutUint64(b[offX:], math.Float64bits(s.nextDouble))
		le.PutUint32(b[offValid:], 1)
	}
	if s.haveFloat {
		le.PutUint32(b[offFloat:], math.Float32bits(s.nextFloat))
		b[offFloat+4] = 1
	}
	return b
}

// ErrState reports bytes that are no generator state.
var (
	ErrStateSize  = errors.New("RNG state is wrong size")
	ErrStateValid = errors.New("Invalid mt19937 state")
)

// SetBytes restores what Bytes gave. It also takes the 5048-byte record of older versions. s is unchanged on error.
func (s *State) SetBytes(b []byte) error {
	if len(b) != StateSize && len(b) != offFloat {
		return ErrStateSize
	}
	le := binary.LittleEndian
	t := State{seed: le.Uint64(b), left: int32(le.Uint32(b[8:]))}
	next := le.Uint64(b[16:])
	if le.Uint32(b[12:]) == 0 || t.left < 1 || t.left > mtN || next > mtN {
		return ErrStateValid
	}
	// left and next move together once the table has been twisted; a record in which they do not would run off the table.
	if t.left > 1 && next+uint64(t.left) > mtN+1 {
		return ErrStateValid
	}
	t.next = uint32(next)
	for i := range t.mt {
		t.mt[i] = uint32(le.Uint64(b[offTable+8*i:]))
	}
	if le.Uint32(b[offValid:]) != 0 {
		t.haveDouble, t.nextDouble = true, math.Float64frombits(le.Uint64(b[offX:]))
	}
	if len(b) == StateSize && b[offFloat+4] != 0 {
		t.haveFloat, t.nextFloat = true, math.Float32frombits(le.Uint32(b[offFloat:]))
	}
	*s = t
	return nil
}
