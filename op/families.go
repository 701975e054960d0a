package op

import (
	"github.com/larkspur-ml/larkspur/tensor"
)

// Sample builders shared by families: each covers at least three layouts, an
// empty and a 0-dim tensor, and the dtypes that matter.

var floatTypes = []tensor.DType{tensor.Float32, tensor.Float64, tensor.BFloat16, tensor.Float16}

func normal() Fill                 { return Fill{Kind: FillNormal} }
func uniform(lo, hi float64) Fill  { return Fill{Kind: FillUniform, Lo: lo, Hi: hi} }
func integers(lo, hi float64) Fill { return Fill{Kind: FillInt, Lo: lo, Hi: hi} }

// anyLay is one tensor of each layout family with the given fill.
func anyLay(d tensor.DType, f Fill, seed uint64) []*SampleTensor {
	return []*SampleTensor{
		NewSample(d, LayContig, seed, f, 3, 4),
		NewSample(d, LayTrans, seed+1, f, 4, 3),
		NewSample(d, LayStep, seed+2, f, 5),
		NewSample(d, LayExpanded, seed+3, f, 3, 4),
		NewSample(d, LayOffset, seed+4, f, 2, 3, 4),
		NewSample(d, LayContig, seed+5, f, 0, 3),
		NewSample(d, LayContig, seed+6, f),
	}
}

// samplesUnary applies f-filled tensors of each dtype; rest are further arguments.
func samplesUnary(f Fill, types []tensor.DType, rest ...Arg) func() []Sample {
	return func() (out []Sample) {
		for i, d := range types {
			l := anyLay(d, f, uint64(100*i+1))
			if i > 0 {
				l = []*SampleTensor{l[0], l[1], l[6]}
			}
			for _, t := range l {
				out = append(out, Sample{Args: append([]Arg{T(t)}, rest...)})
			}
		}
		return out
	}
}

// samplesBinary pairs tensors: equal sizes, broadcasts, mixed dtypes, numbers.
func samplesBinary(a, b Fill, types []tensor.DType, numbers bool) func() []Sample {
	return func() (out []Sample) {
		put := func(x, y Arg) { out = append(out, Sample{Args: []Arg{x, y}}) }
		for i, d := range types {
			s := uint64(100*i + 1)
			put(T(NewSample(d, LayContig, s, a, 3, 4)), T(NewSample(d, LayContig, s+1, b, 3, 4)))
			put(T(NewSample(d, LayTrans, s+2, a, 3, 4)), T(NewSample(d, LayContig, s+3, b, 4)))
			if i > 0 {
				continue
			}
			put(T(NewSample(d, LayTrans, s+4, a, 3, 4)), T(NewSample(d, LayTrans, s+5, b, 3, 4)))
			put(T(NewSample(d, LayOffset, s+6, a, 2, 1, 4)), T(NewSample(d, LayStep, s+7, b, 3, 1)))
			put(T(NewSample(d, LayExpanded, s+8, a, 3, 4)), T(NewSample(d, LayContig, s+9, b, 3, 4)))
			put(T(NewSample(d, LayContig, s+10, a, 0, 3)), T(NewSample(d, LayContig, s+11, b, 1, 3)))
			put(T(NewSample(d, LayContig, s+12, a)), T(NewSample(d, LayContig, s+13, b)))
			put(T(NewSample(d, LayContig, s+14, a, 2, 2)), T(NewSample(d, LayContig, s+15, b)))
			if numbers {
				put(T(NewSample(d, LayContig, s+16, a, 3, 4)), Num(tensor.Int(2)))
				put(T(NewSample(d, LayTrans, s+17, a, 3, 4)), Num(tensor.Float(1.5)))
			}
		}
		if len(types) > 1 {
			put(T(NewSample(types[0], LayContig, 901, a, 3, 4)), T(NewSample(types[1], LayTrans, 902, b, 3, 4)))
			last := types[len(types)-1]
			put(T(NewSample(last, LayContig, 903, a, 3, 4)), T(NewSample(types[0], LayContig, 904, b)))
		}
		return out
	}
}

// samplesReduce reduces over dims none, one, several, negative, kept or not;
// extra are arguments between self and dim, rest follow dim.
func samplesReduce(f Fill, types []tensor.DType, empty bool, args ...[]Arg) func() []Sample {
	return func() (out []Sample) {
		for i, d := range types {
			s := uint64(100*i + 1)
			for j, a := range args {
				l := []*SampleTensor{NewSample(d, LayContig, s, f, 3, 4), NewSample(d, LayTrans, s+1, f, 4, 3), NewSample(d, LayExpanded, s+2, f, 3, 5), NewSample(d, LayOffset, s+3, f, 2, 3, 4)}
				if i > 0 {
					l = l[:2]
				}
				if j == 0 && i == 0 {
					l = append(l, NewSample(d, LayContig, s+4, f), NewSample(d, LayStep, s+5, f, 7))
				}
				if empty && i == 0 {
					l = append(l, NewSample(d, LayContig, s+6, f, 3, 0), NewSample(d, LayContig, s+7, f, 0, 3))
				}
				for _, t := range l {
					out = append(out, Sample{Args: append([]Arg{T(t)}, a...)})
				}
			}
		}
		return out
	}
}

func dims(d ...int64) Arg {
	l := make([]SymInt, len(d))
	for i, v := range d {
		l[i] = C(v)
	}
	return IntList(l)
}

// grads is what a VJP returns: one gradient for each operand.
type grads = []Tensor
