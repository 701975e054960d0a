package eager

import (
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Autocast chooses dtypes op by op, as torch.autocast does on the CPU: products run in a 16-bit type, losses in float32, joins in
// the widest of their operands. What is in no list takes its operands as they come.

type castRule uint8

const (
	castNone castRule = iota
	castLow           // float32 operands to Context.Autocast
	castFull          // 16-bit operands to float32
	castWidest
)

var castRules = func() map[string]castRule {
	m := map[string]castRule{"cat": castWidest, "stack": castWidest, "index_copy": castWidest}
	for _, n := range []string{"conv1d", "conv2d", "conv3d", "convolution", "mm", "bmm", "baddbmm", "addmm", "addbmm", "linear", "matmul"} {
		m[n] = castLow
	}
	for _, n := range []string{"mse_loss", "binary_cross_entropy", "prod", "nll_loss", "smooth_l1_loss", "kl_div", "l1_loss", "huber_loss", "cosine_embedding_loss",
		"triplet_margin_loss", "hinge_embedding_loss", "margin_ranking_loss", "ctc_loss", "poisson_nll_loss", "soft_margin_loss", "multi_margin_loss", "multilabel_margin_loss",
		"avg_pool3d", "cdist", "trace", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"} {
		m[n] = castFull
	}
	return m
}()

// autocast returns args with operands cast by the op's rule. The casts are recorded.
func (x *Context) autocast(d *op.Def, args []op.Arg) ([]op.Arg, error) {
	rule := castRules[d.Base]
	if rule == castNone {
		return args, nil
	}
	low := x.Autocast
	wide := tensor.Invalid
	x.Autocast = tensor.Invalid
	defer func() { x.Autocast = low }()
	if rule == castWidest {
		each(d, args, func(t *Tensor) {
			if t.DType == tensor.Float32 || wide == tensor.Invalid && t.DType == low {
				wide = t.DType
			}
		})
	}
	out := append([]op.Arg(nil), args...)
	var err error
	cast := func(o op.Tensor) op.Tensor {
		t, ok := o.(*Tensor)
		if !ok || err != nil {
			return o
		}
		to := t.DType
		switch {
		case rule == castLow && t.DType == tensor.Float32:
			to = low
		case rule == castFull && t.DType.Is16():
			to = tensor.Float32
		case rule == castWidest && t.DType.Is16() && wide == tensor.Float32:
			to = wide
		}
		if to == t.DType {
			return o
		}
		var c *Tensor
		if c, err = x.Op("_to_dtype", t, to); err != nil {
			return o
		}
		return c
	}
	for _, i := range d.Operands {
		if i >= len(out) {
			break
		}
		switch a := &out[i]; a.Kind {
		case op.ArgTensor:
			a.P = cast(a.P.(op.Tensor))
		case op.ArgTensors:
			l := append([]op.Tensor(nil), a.P.([]op.Tensor)...)
			for j, t := range l {
				if t != nil {
					l[j] = cast(t)
				}
			}
			a.P = l
		}
	}
	return out, err
}

// each calls f with the tensors among an op's operands.
func each(d *op.Def, args []op.Arg, f func(*Tensor)) {
	for _, i := range d.Operands {
		if i >= len(args) {
			break
		}
		switch a := &args[i]; a.Kind {
		case op.ArgTensor:
			f(a.P.(*Tensor))
		case op.ArgTensors:
			for _, t := range a.P.([]op.Tensor) {
				if t != nil {
					f(t.(*Tensor))
				}
			}
		}
	}
}
