package op

import (
	"math"

	"github.com/larkspur-ml/larkspur/tensor"
)

// Fill says what values a sample tensor holds, all derived from its Seed.
type Fill struct {
	Kind   FillKind
	Lo, Hi float64 // FillUniform, FillInt (Hi exclusive)
}

// FillKind is a family of values.
type FillKind uint8

const (
	FillNormal  FillKind = iota // about normal, distinct, away from 0 by 1e-3
	FillUniform                 // Lo … Hi
	FillInt                     // integers Lo … Hi-1
	FillPerm                    // a permutation of 0 … n-1
	FillOnes
	FillRamp // 0, 1, 2, …
)

// SampleTensor describes an input tensor of a sample; it is a Tensor, so that
// sample arguments have the form of real ones. Values and layout are
// deterministic; memory between elements is poison (NaN).
type SampleTensor struct {
	tensor.Geometry
	Fill Fill
	Seed uint64
	Grad bool  // take part in gradient checks (floats only)
	Len  int64 // storage length in elements
	Lay  Lay
}

// Meta makes SampleTensor a Tensor.
func (s *SampleTensor) Meta() *tensor.Meta { return s.Geometry.Meta(tensor.Device{}) }

// Sample is one set of arguments.
type Sample struct {
	Args []Arg // by parameter; a shorter list takes defaults
	// Raises: the call must fail with this kind of error (and torch's too).
	Raises string
	Note   string
}

// Lay is a layout of a sample tensor.
type Lay uint8

const (
	LayContig   Lay = iota
	LayTrans        // dims reversed in memory
	LayStep         // every second element of a longer storage, offset 1
	LayExpanded     // outermost dim has stride 0
	LayOffset       // row-major with offset 3 and padded rows
)

// NewSample makes a sample tensor.
func NewSample(d tensor.DType, lay Lay, seed uint64, f Fill, size ...int64) *SampleTensor {
	n := len(size)
	g := tensor.Geometry{DType: d, Size: append([]int64{}, size...), Stride: make([]int64, n)}
	z := int64(1)
	if lay == LayStep {
		z, g.Off = 2, 1
	}
	if lay == LayOffset {
		g.Off = 3
	}
	for i := range n {
		k := n - 1 - i
		if lay == LayTrans {
			k = i
		}
		if lay == LayExpanded && k == 0 {
			g.Stride[0] = 0
			continue
		}
		g.Stride[k] = z
		z *= max(size[k], 1)
		if lay == LayOffset && i == 0 {
			z += 2
		}
	}
	l := g.Off + 1
	for k := range n {
		l += (max(size[k], 1) - 1) * g.Stride[k]
	}
	return &SampleTensor{Geometry: g, Fill: f, Seed: seed, Grad: d.IsFloat(), Len: l, Lay: lay}
}

// Values lists the storage's elements (not the logical ones), rounded to the
// dtype; elements that no index reaches are NaN (floats) or a large integer.
func (s *SampleTensor) Values() []float64 {
	v := make([]float64, s.Len)
	for i := range v {
		v[i] = math.NaN()
		if !s.DType.IsFloat() {
			v[i] = 77
		}
		if s.DType == tensor.Bool {
			v[i] = 1
		}
	}
	n := int64(1)
	for _, k := range s.Size {
		n *= k
	}
	perm := permutation(n, s.Seed)
	var walk func(d int, at, lin int64)
	walk = func(d int, at, lin int64) {
		if d == len(s.Size) {
			v[at] = s.value(lin, perm)
			return
		}
		for i := range s.Size[d] {
			walk(d+1, at+i*s.Stride[d], lin*s.Size[d]+i)
		}
	}
	walk(0, s.Off, 0)
	return v
}

func (s *SampleTensor) value(i int64, perm []int64) float64 {
	u := unit(s.Seed, uint64(i))
	var x float64
	switch s.Fill.Kind {
	case FillNormal:
		u2 := unit(s.Seed+0x9e37, uint64(i))
		x = (u + u2 + unit(s.Seed+77, uint64(i)) - 1.5) * 2
		x = math.Copysign(math.Abs(x)+1e-3, x)
		if s.DType.IsInt() {
			x = math.Floor(u*9) - 4
			if s.DType == tensor.Uint8 {
				x = math.Floor(u * 9)
			}
		}
	case FillUniform:
		x = s.Fill.Lo + u*(s.Fill.Hi-s.Fill.Lo)
	case FillInt:
		x = s.Fill.Lo + math.Floor(u*(s.Fill.Hi-s.Fill.Lo))
	case FillPerm:
		x = float64(perm[i])
	case FillOnes:
		x = 1
	case FillRamp:
		x = float64(i)
	}
	switch s.DType {
	case tensor.Bool:
		if u < 0.5 {
			return 0
		}
		return 1
	case tensor.Float16:
		return float64(tensor.F16ToF32(tensor.F32ToF16(float32(x))))
	case tensor.BFloat16:
		return float64(tensor.BF16ToF32(tensor.F32ToBF16(float32(x))))
	case tensor.Float32:
		return float64(float32(x))
	case tensor.Float64:
		return x
	}
	return math.Trunc(x)
}

// unit hashes (seed, i) to [0, 1).
func unit(seed, i uint64) float64 {
	z := seed*0xbf58476d1ce4e5b9 + (i+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	return float64(z>>11) / (1 << 53)
}

func permutation(n int64, seed uint64) []int64 {
	p := make([]int64, n)
	for i := range p {
		p[i] = int64(i)
	}
	for i := n - 1; i > 0; i-- {
		j := int64(unit(seed+5, uint64(i)) * float64(i+1))
		p[i], p[j] = p[j], p[i]
	}
	return p
}
