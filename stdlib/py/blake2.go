package py

import (
	"encoding/binary"
	"math/bits"
)

// blake2 is a BLAKE2 hash (RFC 7693), of 64-bit words (blake2b) or of 32-bit ones (blake2s). Words
// are kept in uint64 either way.
type blake2 struct {
	wide   bool // blake2b
	size   int  // of the digest
	key    []byte
	h      [8]uint64
	count  uint64
	buf    []byte // at most a block, compressed when more follows
	params []byte
}

var blake2IV = [8]uint64{
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
}

var blake2Sigma = [10][16]uint8{
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
	{11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
	{7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
	{9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
	{2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
	{12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
	{13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
	{6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
	{10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
}

// newBlake2 makes one; salt and person are padded with zeros to their full length.
func newBlake2(wide bool, size int, key, salt, person []byte) *blake2 {
	d := &blake2{wide: wide, size: size, key: key, params: make([]byte, 64)}
	d.params[0], d.params[1], d.params[2], d.params[3] = byte(size), byte(len(key)), 1, 1
	if wide {
		copy(d.params[32:48], salt)
		copy(d.params[48:64], person)
	} else {
		copy(d.params[16:24], salt)
		copy(d.params[24:32], person)
	}
	d.Reset()
	return d
}

func (d *blake2) word(b []byte, i int) uint64 {
	if d.wide {
		return binary.LittleEndian.Uint64(b[8*i:])
	}
	return uint64(binary.LittleEndian.Uint32(b[4*i:]))
}

func (d *blake2) iv(i int) uint64 {
	if d.wide {
		return blake2IV[i]
	}
	return blake2IV[i] >> 32 // SHA-256's are the upper halves of SHA-512's
}

func (d *blake2) Size() int { return d.size }

func (d *blake2) BlockSize() int {
	if d.wide {
		return 128
	}
	return 64
}

func (d *blake2) Reset() {
	for i := range d.h {
		d.h[i] = d.iv(i) ^ d.word(d.params, i)
	}
	d.count, d.buf = 0, nil
	if len(d.key) > 0 {
		d.buf = make([]byte, d.BlockSize())
		copy(d.buf, d.key)
	}
}

func (d *blake2) Write(p []byte) (int, error) {
	d.buf = append(d.buf, p...)
	for n := d.BlockSize(); len(d.buf) > n; d.buf = d.buf[n:] {
		d.count += uint64(n)
		d.compress(d.buf[:n], false)
	}
	d.buf = append([]byte(nil), d.buf...)
	return len(p), nil
}

func (d *blake2) Sum(out []byte) []byte {
	c := *d
	c.count += uint64(len(c.buf))
	block := make([]byte, c.BlockSize())
	copy(block, c.buf)
	c.compress(block, true)
	var b []byte
	for _, w := range c.h {
		if c.wide {
			b = binary.LittleEndian.AppendUint64(b, w)
		} else {
			b = binary.LittleEndian.AppendUint32(b, uint32(w))
		}
	}
	return append(out, b[:c.size]...)
}

func (d *blake2) copy() *blake2 {
	c := *d
	c.buf = append([]byte(nil), d.buf...)
	return &c
}

func (d *blake2) compress(block []byte, last bool) {
	var m, v [16]uint64
	for i := range m {
		m[i] = d.word(block, i)
	}
	for i := range 8 {
		v[i], v[i+8] = d.h[i], d.iv(i)
	}
	mask, rounds, turns := ^uint64(0), 12, [4]int{32, 24, 16, 63}
	rotate := bits.RotateLeft64
	if !d.wide {
		mask, rounds, turns = 1<<32-1, 10, [4]int{16, 12, 8, 7}
		rotate = func(x uint64, k int) uint64 { return uint64(bits.RotateLeft32(uint32(x), k)) }
	}
	if d.wide {
		v[12] ^= d.count
	} else {
		v[12] ^= d.count & mask
		v[13] ^= d.count >> 32
	}
	if last {
		v[14] ^= mask
	}
	mix := func(a, b, c, e int, x, y uint64) {
		v[a] = (v[a] + v[b] + x) & mask
		v[e] = rotate(v[e]^v[a], -turns[0])
		v[c] = (v[c] + v[e]) & mask
		v[b] = rotate(v[b]^v[c], -turns[1])
		v[a] = (v[a] + v[b] + y) & mask
		v[e] = rotate(v[e]^v[a], -turns[2])
		v[c] = (v[c] + v[e]) & mask
		v[b] = rotate(v[b]^v[c], -turns[3])
	}
	for r := range rounds {
		s := &blake2Sigma[r%10]
		for i := range 4 {
			mix(i, i+4, i+8, i+12, m[s[2*i]], m[s[2*i+1]])
		}
		for i := range 4 {
			mix(i, (i+1)%4+4, (i+2)%4+8, (i+3)%4+12, m[s[8+2*i]], m[s[9+2*i]])
		}
	}
	for i := range d.h {
		d.h[i] ^= v[i] ^ v[i+8]
	}
}
