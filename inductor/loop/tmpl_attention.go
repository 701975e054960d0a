package loop

import (
	"math"

	"github.com/larkspur-ml/larkspur/tensor"
)

// Attention as one computation, for devices that have it as one kernel; the CPU's
// attention is products and a softmax, so that this, by its definition and in
// float64, is what such a kernel is measured by.
//
//	attention       In q[B,H,M,D] k[B,G,N,D] v[B,G,N,D] mask?(bool)[B,H,M,N]; Out o[B,H,M,D],
//	                lse(f32)[B,H,M]; Nums scale; Flags causal
//	                o = softmax(q k^T scale) v, where mask is true (and, if causal, n <= m);
//	                head h of q uses head h/(H/G) of k and v; lse is the logarithm to base 2
//	                of a row's sum of exponentials
//	attention_grad  In q k v mask? o lse do; Out dq dk dv of q's, k's and v's sizes; Nums and
//	                Flags as attention

func init() {
	RegisterPortable("attention", attentionTemplate)
	RegisterPortable("attention_grad", attentionGradTemplate)
}

// element and setElement are elements of any float dtype.
func (o *Operand) element(off int64) float64 {
	if o.DType == tensor.Float64 {
		return *(*float64)(o.at(off))
	}
	var x [1]float32
	widenRow(x[:], o.DType, o.at(off), 1)
	return float64(x[0])
}

func (o *Operand) setElement(off int64, v float64) {
	if o.DType == tensor.Float64 {
		*(*float64)(o.at(off)) = v
		return
	}
	narrowRow([]float32{float32(v)}, o.DType, o.at(off), 1)
}

// row is the offset of row (b, h, i).
func (o *Operand) row(b, h, i int64) int64 {
	return o.Off + b*o.Stride[0] + h*o.Stride[1] + i*o.Stride[2]
}

// attentionRow are the probabilities of row (b, h, m) and its lse.
func attentionRow(a *TemplateArgs, b, h, m int64, p []float64) (lse float64) {
	q, k, mask := &a.In[0], &a.In[1], &a.In[3]
	scale := a.Nums[0].Float64() * math.Log2E
	top := math.Inf(-1)
	g := h / (q.Size[1] / max(k.Size[1], 1))
	for n := range p {
		x := math.Inf(-1)
		if (!a.Flags[0] || int64(n) <= m) && (mask.DType == tensor.Invalid || *(*uint8)(mask.at(mask.row(b, h, m) + int64(n)*mask.Stride[3])) != 0) {
			x = 0
			for d := range q.Size[3] {
				x += q.element(q.row(b, h, m)+d*q.Stride[3]) * k.element(k.row(b, g, int64(n))+d*k.Stride[3])
			}
			x *= scale
		}
		p[n] = x
		top = max(top, x)
	}
	sum := 0.0
	for _, x := range p {
		sum += math.Exp2(x - top)
	}
	lse = top + math.Log2(sum)
	for n := range p {
		p[n] = math.Exp2(p[n] - lse)
	}
	return lse
}

func attentionTemplate(a *TemplateArgs) error {
	q, v, o, lse := &a.In[0], &a.In[2], &a.Out[0], &a.Out[1]
	heads, rows := q.Size[1], q.Size[2]
	return a.Parallel(q.Size[0]*heads*rows, 1, func(lo, hi int64) error {
		p := make([]float64, v.Size[2])
		for r := lo; r < hi; r++ {
			b, h, m := r/(heads*rows), r/rows%heads, r%rows
			l := attentionRow(a, b, h, m, p)
			lse.setElement(lse.row(b, h, m), l)
			g := h / (heads / max(v.Size[1], 1))
			for d := range v.Size[3] {
				s := 0.0
				for n, x := range p {
					s += x * v.element(v.row(b, g, int64(n))+d*v.Stride[3])
				}
				o.setElement(o.row(b, h, m)+d*o.Stride[3], s)
			}
			if err := a.poll(); err != nil {
				return err
			}
		}
		return nil
	})
}

func attentionGradTemplate(a *TemplateArgs) error {
	q, k, v, o, do := &a.In[0], &a.In[1], &a.In[2], &a.In[4], &a.In[6]
	dq, dk, dv := &a.Out[0], &a.Out[1], &a.Out[2]
	heads, rows, size, n := q.Size[1], q.Size[2], q.Size[3], k.Size[2]
	groups := k.Size[1]
	scale := a.Nums[0].Float64()
	return a.Parallel(q.Size[0]*groups, 1, func(lo, hi int64) error {
		p := make([]float64, n)
		sk, sv := make([]float64, n*size), make([]float64, n*size)
		for r := lo; r < hi; r++ {
			b, g := r/groups, r%groups
			clear(sk)
			clear(sv)
			for h := g * (heads / groups); h < (g+1)*(heads/groups); h++ {
				for m := range rows {
					attentionRow(a, b, h, m, p)
					delta := 0.0
					for d := range size {
						delta += o.element(o.row(b, h, m)+d*o.Stride[3]) * do.element(do.row(b, h, m)+d*do.Stride[3])
					}
					sq := make([]float64, size)
					for j := range n {
						dp := 0.0
						for d := range size {
							w := do.element(do.row(b, h, m) + d*do.Stride[3])
							dp += w * v.element(v.row(b, g, j)+d*v.Stride[3])
							sv[j*size+d] += p[j] * w
						}
						ds := p[j] * (dp - delta) * scale
						for d := range size {
							sq[d] += ds * k.element(k.row(b, g, j)+d*k.Stride[3])
							sk[j*size+d] += ds * q.element(q.row(b, h, m)+d*q.Stride[3])
						}
					}
					for d, x := range sq {
						dq.setElement(dq.row(b, h, m)+int64(d)*dq.Stride[3], x)
					}
					if err := a.poll(); err != nil {
						return err
					}
				}
			}
			for j := range n {
				for d := range size {
					dk.setElement(dk.row(b, g, j)+d*dk.Stride[3], sk[j*size+d])
					dv.setElement(dv.row(b, g, j)+d*dv.Stride[3], sv[j*size+d])
				}
			}
		}
		return nil
	})
}
