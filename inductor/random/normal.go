package random

import "math"

// blockLen is the size of a Box-Muller block: 8 radii, 8 angles. Contiguous destinations of at least this size take blocks.
const blockLen = 16

// StdNormal draws one standard normal float64: the cached sample if there is one, else a pair of which the second is cached.
func (s *State) StdNormal() float64 {
	if s.haveDouble {
		s.haveDouble = false
		v := s.nextDouble
		s.nextDouble = 0
		return v
	}
	u1, u2 := s.Double01(), s.Double01()
	r := math.Sqrt(-2 * log(1-u2))
	sin, cos := sinCos(2 * math.Pi * u1)
	s.nextDouble, s.haveDouble = r*sin, true
	return r * cos
}

// Normal draws one normal float64.
func (s *State) Normal(mean, std float64) float64 { return math.FMA(s.StdNormal(), std, mean) }

// Normal32 fills dst. contiguous tells whether the destination is contiguous in row-major order; it decides the sampler.
func (s *State) Normal32(dst []float32, mean, std float64, contiguous bool) {
	if len(dst) < blockLen || !contiguous {
		for i := range dst {
			dst[i] = float32(s.Normal(mean, std))
		}
		return
	}
	m, d := float32(mean), float32(std)
	for i := range dst {
		dst[i] = s.Float01()
	}
	n := len(dst)
	for i := 0; i+blockLen <= n; i += blockLen {
		boxMuller32((*[blockLen]float32)(dst[i:]), m, d)
	}
	if n%blockLen != 0 {
		b := (*[blockLen]float32)(dst[n-blockLen:])
		for i := range b {
			b[i] = s.Float01()
		}
		boxMuller32(b, m, d)
	}
}

// Normal64 is Normal32 for float64.
func (s *State) Normal64(dst []float64, mean, std float64, contiguous bool) {
	if len(dst) < blockLen || !contiguous {
		for i := range dst {
			dst[i] = s.Normal(mean, std)
		}
		return
	}
	for i := range dst {
		dst[i] = s.Double01()
	}
	block := func(b []float64) {
		for j := range blockLen / 2 {
			r := math.Sqrt(-2 * log(1-b[j]))
			sin, cos := sinCos(2 * math.Pi * b[j+8])
			b[j], b[j+8] = math.FMA(r*cos, std, mean), math.FMA(r*sin, std, mean)
		}
	}
	n := len(dst)
	for i := 0; i+blockLen <= n; i += blockLen {
		block(dst[i : i+blockLen])
	}
	if n%blockLen != 0 {
		b := dst[n-blockLen:]
		for i := range b {
			b[i] = s.Double01()
		}
		block(b)
	}
}

// Normal16 is Normal32 for 16-bit floats. In a block BFloat16 rounds after each operation; Half only where a variable is stored.
func (s *State) Normal16(dst []uint16, f Format, mean, std float64, contiguous bool) {
	if len(dst) < blockLen || !contiguous {
		for i := range dst {
			dst[i] = f.Bits(float32(s.Normal(mean, std)))
		}
		return
	}
	m, d := f.Round(float32(mean)), f.Round(float32(std))
	op := func(x float32) float32 { return x }
	if f == BFloat16 {
		op = f.Round
	}
	block := func(b []uint16) {
		for j := range blockLen / 2 {
			u1, u2 := f.Round(1-f.Value(b[j])), f.Value(b[j+8])
			l := op(float32(math.Log(float64(u1))))
			r := f.Round(float32(math.Sqrt(float64(op(-2 * l)))))
			theta := f.Round(float32(2 * math.Pi * float64(u2)))
			sin, cos := math.Sincos(float64(theta))
			scale := func(x float64) uint16 {
				if f == BFloat16 {
					return f.Bits(op(op(r*op(float32(x)))*d) + m)
				}
				return f.Bits(fma32(r*float32(x), d, m))
			}
			b[j], b[j+8] = scale(cos), scale(sin)
		}
	}
	for i := range dst {
		dst[i] = f.Bits(s.unit16(f))
	}
	n := len(dst)
	for i := 0; i+blockLen <= n; i += blockLen {
		block(dst[i : i+blockLen])
	}
	if n%blockLen != 0 {
		b := dst[n-blockLen:]
		for i := range b {
			b[i] = f.Bits(s.unit16(f))
		}
		block(b)
	}
}

// boxMuller32 turns 16 uniforms into 16 normals in single precision. The operations and their fusing are those of the AVX2
// kernel: each multiplication whose only use is an addition became a fused multiply-add there.
func boxMuller32(b *[blockLen]float32, mean, std float32) {
	for j := range blockLen / 2 {
		r := float32(math.Sqrt(float64(-2 * logf(1-b[j]))))
		sin, cos := sinCosf(float32(2*math.Pi) * b[j+8])
		b[j], b[j+8] = fma32(r*cos, std, mean), fma32(r*sin, std, mean)
	}
}

// logf is cephes' single-precision logarithm: x = m 2^e with m in [sqrt 1/2, sqrt 2), a polynomial of degree 8 in m-1, and
// e ln 2 added in two parts. x must be positive and normal.
func logf(x float32) float32 {
	b := math.Float32bits(x)
	e := float32(int32(b>>23) - 126)
	m := math.Float32frombits(b&0x007fffff | 0x3f000000) // [0.5, 1)
	if m < float32(math.Sqrt2/2) {
		e--
		m = (m - 1) + m
	} else {
		m--
	}
	z := m * m
	y := float32(7.0376836292e-2)
	for _, c := range [...]float32{-1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
		-1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1} {
		y = fma32(y, m, c)
	}
	y = fma32(y*m, z, e*float32(-2.12194440e-4))
	y = fma32(-z, 0.5, y)
	return fma32(e, 0.693359375, m+y)
}

// sinCosf is cephes' pair of single-precision polynomials on [-pi/4, pi/4], reduced by three parts of pi/4. x >= 0, below 8192.
func sinCosf(x float32) (sin, cos float32) {
	j := (int32(x*float32(4/math.Pi)) + 1) &^ 1
	y := float32(j)
	x = fma32(y, -0.78515625, x)
	x = fma32(y, -2.4187564849853515625e-4, x)
	x = fma32(y, -3.77489497744594108e-8, x)
	z := x * x

	c := fma32(2.443315711809948e-5, z, -1.388731625493765e-3)
	c = fma32(c, z, 4.166664568298827e-2)
	c = fma32(c*z, z, -(z*0.5)) + 1

	s := fma32(-1.9515295891e-4, z, 8.3321608736e-3)
	s = fma32(s, z, -1.6666654611e-1)
	s = fma32(s*z, x, x)

	if j&2 != 0 {
		s, c = c, s
	}
	if j&4 != 0 {
		s = -s
	}
	if (j-2)&4 == 0 {
		c = -c
	}
	return s, c
}
