package value

import (
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
	"unsafe"
)

// Strings have no room for their hash, so that it is computed anew at every
// look-up; most keys are short, and those are hashed here in a few instructions:
// both ends of the text, which overlap, are mixed with keys that are drawn when
// the process starts, as wyhash does. Longer ones go to the runtime's hash.

var (
	hashSeed           = maphash.MakeSeed()
	hashKey0, hashKey1 = rand.Uint64(), rand.Uint64()
)

// HashStr is the hash under which dicts keep a string.
func HashStr(s string) uint64 { return hashString(s) }

func hashString(s string) uint64 {
	n := len(s)
	if n > 16 {
		return maphash.String(hashSeed, s)
	}
	p := unsafe.Pointer(unsafe.StringData(s))
	var a, b uint64
	switch {
	case n >= 8:
		a = *(*uint64)(p)
		b = *(*uint64)(unsafe.Add(p, n-8))
	case n >= 4:
		a = uint64(*(*uint32)(p))
		b = uint64(*(*uint32)(unsafe.Add(p, n-4)))
	case n > 0:
		a = uint64(*(*byte)(p))<<16 | uint64(*(*byte)(unsafe.Add(p, n>>1)))<<8 | uint64(*(*byte)(unsafe.Add(p, n-1)))
	}
	hi, lo := bits.Mul64(a^hashKey0, b^hashKey1^uint64(n)*0x9E3779B97F4A7C15)
	return hashInt(hi ^ lo)
}
