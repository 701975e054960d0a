package torch

// exception is a difference from PyTorch that is meant. id is a Def's name or a
// case's ID; what is the kind of difference (sweep_test.go).
type exception struct{ id, what, why string }

const (
	// Strides of a result of several kernels in torch are those of the last one;
	// ours is one kernel, laid out by the operands in order. Only stride() shows it.
	layoutOfParts = "torch computes it in several steps, the last of which decides the strides"
	inPlaceText   = "the in-place form has a text of its own in torch; ours is that of the op or of the write"
	narrowSteps   = "torch rounds to 16 bits between the steps of the derivative, we do at its end"
)

var exceptions = []exception{
	{"log_sigmoid", "no torch name", "torch binds it as torch.nn.functional.logsigmoid, which is compared"},
	{"hardsigmoid", "gradient", "torch multiplies float64 gradients by a float32 sixth"},
	{"isclose", "no error", "torch 1.13 refuses operands of two dtypes; later versions promote, as we do"},
	{"soft_margin_loss", "stride", layoutOfParts},
	{"binary_cross_entropy_with_logits", "stride", layoutOfParts},
	{"kl_div", "stride", layoutOfParts},
	{"index.Tensor", "stride", "torch orders the result by the strides of the index tensors; ours is row-major"},
	{"group_norm", "gradient", narrowSteps},
	{"cumprod", "gradient", narrowSteps},
	{"atan2", "gradient", narrowSteps},
	{"constant_pad_nd", "error kind", "torch names the dimension error of the narrow inside; ours names the size, as later versions do"},
	{"addmm", "error text", inPlaceText},
	{"baddbmm", "error text", inPlaceText},
	{"addmv", "error text", inPlaceText},
	{"t", "error text", inPlaceText},
	{"masked_fill.Scalar", "error text", inPlaceText},
	{"digamma", "gradient", "the trigamma function is not among the primitives"},
}
