package op

import (
	"fmt"

	"github.com/larkspur-ml/larkspur/tensor"
)

// sampler collects the samples of one Def. Arguments are written as Go values,
// as in G.Ops; each tensor it makes has values of its own, the same in each run.
type sampler struct {
	d    *Def
	seed uint64
	list []Sample
}

// layouts are those that every op is tried in.
var layouts = []Lay{LayContig, LayTrans, LayStep, LayOffset}

func samplesOf(name string) *sampler {
	d := byName[name]
	if d == nil {
		panic("BUG: samples of unknown op " + name)
	}
	return &sampler{d: d}
}

func (s *sampler) make(d tensor.DType, lay Lay, f Fill, size []int64) *SampleTensor {
	s.seed++
	return NewSample(d, lay, s.seed*7919+uint64(len(s.d.Name)), f, size...)
}

// f, d, h are float32, float64 and bfloat16 tensors.
func (s *sampler) f(size ...int64) *SampleTensor {
	return s.make(tensor.Float32, LayContig, Fill{}, size)
}
func (s *sampler) d64(size ...int64) *SampleTensor {
	return s.make(tensor.Float64, LayContig, Fill{}, size)
}
func (s *sampler) bf(size ...int64) *SampleTensor {
	return s.make(tensor.BFloat16, LayContig, Fill{}, size)
}

// lay is a float32 tensor in a layout.
func (s *sampler) lay(l Lay, size ...int64) *SampleTensor {
	return s.make(tensor.Float32, l, Fill{}, size)
}

// pos is a float32 tensor of values in (0, 1).
func (s *sampler) pos(size ...int64) *SampleTensor {
	return s.make(tensor.Float32, LayContig, Fill{Kind: FillUniform, Lo: 0.05, Hi: 0.95}, size)
}

// i is an int64 tensor of values lo … hi-1.
func (s *sampler) i(lo, hi float64, size ...int64) *SampleTensor {
	return s.make(tensor.Int64, LayContig, Fill{Kind: FillInt, Lo: lo, Hi: hi}, size)
}

// it is i with its dimensions reversed in memory.
func (s *sampler) it(lo, hi float64, size ...int64) *SampleTensor {
	return s.make(tensor.Int64, LayTrans, Fill{Kind: FillInt, Lo: lo, Hi: hi}, size)
}

// perm is an int64 tensor holding a permutation.
func (s *sampler) perm(n int64) *SampleTensor {
	return s.make(tensor.Int64, LayContig, Fill{Kind: FillPerm}, []int64{n})
}

// distinct is a float32 tensor whose elements all differ: a permutation.
func (s *sampler) distinct(l Lay, size ...int64) *SampleTensor {
	return s.make(tensor.Float32, l, Fill{Kind: FillPerm}, size)
}

// b is a bool tensor.
func (s *sampler) b(size ...int64) *SampleTensor {
	return s.make(tensor.Bool, LayContig, Fill{}, size)
}

func (s *sampler) sample(args []any) Sample {
	return Sample{Args: goArgs(s.d, args)}
}

// add adds a sample.
func (s *sampler) add(args ...any) *sampler {
	s.list = append(s.list, s.sample(args))
	return s
}

// raises adds a sample that must fail with that kind of error.
func (s *sampler) raises(kind tensor.ErrKind, args ...any) *sampler {
	x := s.sample(args)
	x.Raises = kind.String()
	s.list = append(s.list, x)
	return s
}

// each adds a sample for every layout of a first operand of this size, and one
// in float64.
func (s *sampler) each(size []int64, rest ...any) *sampler {
	for _, l := range layouts {
		s.add(append([]any{s.lay(l, size...)}, rest...)...)
	}
	return s.add(append([]any{s.d64(size...)}, rest...)...)
}

func (s *sampler) done() []Sample { return s.list }

// ts is a tensor list.
func ts(t ...*SampleTensor) []Tensor {
	o := make([]Tensor, len(t))
	for i, x := range t {
		if x != nil {
			o[i] = x
		}
	}
	return o
}

// goArgs makes a Def's arguments from Go values by position, then KWs;
// parameters not given take their defaults.
func goArgs(d *Def, args []any) []Arg {
	a := make([]Arg, len(d.Params))
	for i := range d.Params {
		if p := d.Params[i].Default; p != nil {
			a[i] = *p
		}
	}
	for i, v := range args {
		if k, ok := v.(KW); ok {
			i = -1
			for j := range d.Params {
				if d.Params[j].Name == k.Name {
					i = j
				}
			}
			if i < 0 {
				panic("BUG: op " + d.Name + " has no parameter " + k.Name)
			}
			v = k.V
		}
		if i >= len(a) {
			panic(fmt.Sprintf("BUG: %d arguments for op %s", len(args), d.Name))
		}
		if l, ok := v.([]float64); ok {
			n := make([]tensor.Number, len(l))
			for j, x := range l {
				n[j] = tensor.Float(x)
			}
			v = Arg{Kind: ArgNumbers, P: n}
		}
		if t, ok := v.(*SampleTensor); ok && t == nil {
			v = nil
		}
		a[i] = toArg(d, &d.Params[i], v)
	}
	return a
}

// distinctRows is an int64 index of size [rows, cols] whose columns hold
// different values below n >= rows*cols: a scatter through it meets no place twice.
func distinctRows(n, rows, cols int64) *SampleTensor {
	t := NewSample(tensor.Int64, LayContig, 1, Fill{Kind: FillPerm, Hi: float64(n)}, rows)
	t.Geometry.Size, t.Geometry.Stride = []int64{rows, cols}, []int64{1, 0}
	return t
}

// turned swaps the two dimensions.
func (s *SampleTensor) turned() *SampleTensor {
	s.Size[0], s.Size[1] = s.Size[1], s.Size[0]
	s.Stride[0], s.Stride[1] = s.Stride[1], s.Stride[0]
	return s
}

// ramp is the sorted float32 vector 0, 1, … in a layout.
func ramp(l Lay, n int64) *SampleTensor {
	return NewSample(tensor.Float32, l, 0, Fill{Kind: FillRamp}, n)
}
