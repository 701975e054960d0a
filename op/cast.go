package op

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Copies. They differ in layout and dtype only; the element is the same.
//
// A write (copy_, in-place ops, put) is clone with Call.Out replaced by the
// geometry and dtype of the destination: the store converts.

func identity(b *loop.Builder, x []loop.V, c *Call) loop.V { return x[0] }

func passGrad(g *G, c *Call, in, out, gr []Tensor) []Tensor { return grads{gr[0]} }

func likeSelf(c *Call) []tensor.Meta {
	return []tensor.Meta{{DType: c.In[0].DType, Size: c.In[0].Size}}
}

func init() {
	all := tensor.DTypes()
	Register(
		&Def{Sig: "clone(Tensor self, *, memory_format? memory_format=None) -> Tensor", Doc: "A copy; strides are kept where the tensor is dense.", Bind: Usual, Layout: LayoutPreserve,
			Shape: func(c *Call) []tensor.Meta { return []tensor.Meta{formatted(c, c.In[0])} }, Body: identity, VJP: passGrad, Samples: samplesUnary(normal(), all)},
		&Def{Sig: "_contiguous(Tensor self) -> Tensor", Doc: "A row-major copy.", Layout: LayoutContiguous,
			Shape: likeSelf, Body: identity, VJP: passGrad, Samples: samplesUnary(normal(), all)},
		&Def{Sig: "_to_dtype(Tensor self, dtype dtype) -> Tensor", Doc: "A copy in another dtype.", Layout: LayoutPreserve,
			Shape: func(c *Call) []tensor.Meta {
				return []tensor.Meta{{DType: c.Arg("dtype").DT, Size: c.In[0].Size}}
			}, Body: identity, VJP: passGrad,
			Samples: func() (out []Sample) {
				for _, d := range all {
					out = append(out, samplesUnary(uniform(0, 9), []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int64, tensor.Bool, tensor.Uint8, tensor.BFloat16}, DType(d))()...)
				}
				return out
			}},
	)
}
