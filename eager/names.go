package eager

import (
	"strconv"
	"strings"

	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Names of nodes. A program sees them: grad_fn is printed with every tensor that has one. They are torch's, which has for many of our
// compositions one op of its own: the last node of such a composition gets that op's name.

// camel turns an op's name into the first part of a node's: log_softmax, LogSoftmax; smooth_l1_loss, SmoothL1Loss.
func camel(base string) string {
	var b strings.Builder
	up := true
	for _, r := range strings.Trim(base, "_") {
		switch {
		case r == '_':
			up = true
			continue
		case up && r >= 'a' && r <= 'z':
			r += 'A' - 'a'
		}
		b.WriteRune(r)
		up = r >= '0' && r <= '9'
	}
	return b.String()
}

// nodeSuffix has the numbers of torch's overloads, in which names end where they are not 0.
var nodeSuffix = map[string]string{
	"prod.dim_int": "1", "squeeze.dim": "1", "max": "1", "min": "1", "div.Tensor_mode": "2", "median.dim": "1", "scatter.value": "1",
	"masked_fill.Tensor": "1", "fill.Tensor": "1", "index_fill.int_Tensor": "1",
}

// nodeNames are names that do not follow from the op's.
var nodeNames = map[string]string{
	"_to_dtype": "ToCopyBackward0", "_to_copy": "ToCopyBackward0", "convolution": "ConvolutionBackward0", "_conv": "ConvolutionBackward0",
	"_conv_input": "ConvolutionBackward0", "_contiguous": "CloneBackward0", "narrow": "SliceBackward0", "numpy_T": "PermuteBackward0", "movedim": "PermuteBackward0", "_norm2": "NormBackward1",
	"_cat": "CatBackward0", "_index": "IndexBackward0", "_var": "VarBackward0", "_std": "StdBackward0", "_mean": "MeanBackward0",
}

// wholeNames are compositions of ours that are one op of torch's. Empty: the name follows from the op's.
var wholeNames = map[string]string{
	"mm": "", "bmm": "", "mv": "", "dot": "", "addmm": "", "addmv": "", "baddbmm": "", "addbmm": "", "stack": "", "repeat": "", "roll": "", "flip": "",
	"mse_loss": "", "binary_cross_entropy": "", "binary_cross_entropy_with_logits": "", "smooth_l1_loss": "", "huber_loss": "", "soft_margin_loss": "",
	"avg_pool2d": "", "avg_pool3d": "", "adaptive_avg_pool2d": "", "adaptive_avg_pool3d": "", "adaptive_max_pool2d": "", "embedding": "", "std": "", "var": "",
	"std_mean": "", "var_mean": "", "logsumexp": "", "glu": "", "prelu": "", "celu": "", "softshrink": "", "unfold": "", "index": "", "gather": "", "cumprod": "",
	"layer_norm": "NativeLayerNormBackward0", "batch_norm": "NativeBatchNormBackward0", "group_norm": "NativeGroupNormBackward0",
	"max_pool2d": "MaxPool2DWithIndicesBackward0", "max_pool3d": "MaxPool3DWithIndicesBackward0", "max_pool1d": "SqueezeBackward1", "avg_pool1d": "SqueezeBackward1",
	"conv1d": "ConvolutionBackward0", "conv2d": "ConvolutionBackward0", "conv3d": "ConvolutionBackward0", "convolution": "ConvolutionBackward0",
	"conv_transpose1d": "ConvolutionBackward0", "conv_transpose2d": "ConvolutionBackward0", "conv_transpose3d": "ConvolutionBackward0",
	"norm": "NormBackward1", "contiguous": "CloneBackward0", "split": "SplitBackward0", "chunk": "SplitBackward0", "unbind": "UnbindBackward0", "tile": "RepeatBackward0",
	"square": "PowBackward0", "relu6": "HardtanhBackward0", "selu": "EluBackward0", "softmin": "SoftmaxBackward0", "constant_pad_nd": "", "median": "", "diag": "", "masked_select": "",
	"pixel_shuffle": "", "pixel_unshuffle": "", "embedding_bag": "", "cosine_similarity": "SumBackward1", "repeat_interleave": "IndexSelectBackward0",
}

// nodeName is the name of the node of a call.
func nodeName(c *op.Call) string {
	d := c.Def
	if n, ok := nodeNames[d.Base]; ok {
		return n
	}
	n := nodeSuffix[d.Name]
	switch d.Base {
	case "sum", "mean": // one Def here, an overload with dim there
		if c.Given("dim") {
			n = "1"
		}
	case "pow", "_pow":
		if len(c.Nums) == 0 || c.IsNum(0) {
			n = "1"
		}
	case "clamp":
		if len(c.Nums) > 0 || len(c.In) == 1 {
			n = "1"
		}
	case "rsub":
		if len(c.Nums) > 0 {
			n = "1"
		}
	case "sub":
		if c.IsNum(0) { // the operator's reflected form
			return "RsubBackward1"
		}
	case "div":
		if c.IsNum(0) {
			return "MulBackward0" // by the reciprocal
		}
	case "_pad_wrap":
		kind := map[string]string{"reflect": "Reflection", "replicate": "Replication"}[c.Str("mode")]
		if kind == "" {
			return "CopySlices"
		}
		return kind + "Pad" + strconv.Itoa(len(c.Syms("pad"))/2) + "DBackward0"
	case "_interpolate":
		return "Upsample" + strings.ToUpper(c.Str("mode")[:1]) + c.Str("mode")[1:] + strconv.Itoa(len(c.In[0].Size)-2) + "DBackward1"
	case "_matmul":
		if len(c.In[0].Size) == 2 {
			return "MmBackward0"
		}
		return "BmmBackward0"
	}
	if n == "" {
		n = "0"
	}
	return camel(d.Base) + "Backward" + n
}

// wholeName is the name that a composition's last node gets; empty: that of its own op.
func wholeName(c *op.Call) string {
	rank := func(k int) int { return len(c.In[k].Size) }
	if c.Def.Name == "unfold.im2col" { // torch.nn.functional's
		return "Im2ColBackward0"
	}
	if c.Def.Base == "adaptive_avg_pool2d" && toOne(c) {
		return "MeanBackward1"
	}
	switch b := c.Def.Base; b {
	case "linear":
		bias := c.In[2] != nil
		switch r := rank(0); {
		case r == 2 && bias:
			return "AddmmBackward0"
		case r == 2:
			return "MmBackward0"
		case r == 3 && bias:
			return "ViewBackward0"
		case bias:
			return "AddBackward0"
		case r == 1:
			return "SqueezeBackward3"
		}
		return "UnsafeViewBackward0"
	case "matmul":
		switch p, q := rank(0), rank(1); {
		case p == 1 && q == 1:
			return "DotBackward0"
		case p == 2 && q == 2:
			return "MmBackward0"
		case p == 2 && q == 1:
			return "MvBackward0"
		case p == 1 && q == 2:
			return "SqueezeBackward3"
		}
		return "UnsafeViewBackward0"
	case "cross_entropy", "nll_loss":
		if b == "cross_entropy" && c.In[1].DType == tensor.Int64 && !c.Num("label_smoothing").Is(0) {
			return "AddBackward0"
		}
		if c.In[1].DType != tensor.Int64 {
			if b == "cross_entropy" && c.Str("reduction") == "mean" {
				return "DivBackward1"
			}
			return ""
		}
		if rank(0) == 4 {
			return "NllLoss2DBackward0"
		}
		return "NllLossBackward0"
	case "pow", "rsub":
		return nodeName(c)
	default:
		n, ok := wholeNames[b]
		if ok && n == "" {
			n = nodeName(c)
		}
		return n
	}
}

// toOne: an adaptive pool leaves one element of each plane, which torch computes as a mean.
func toOne(c *op.Call) bool {
	for _, n := range c.Syms("output_size") {
		if !n.Is(1) {
			return false
		}
	}
	return true
}

// rename names the nodes that a composition has just made for its results. since is the last sequence number before it.
func rename(c *op.Call, out []op.Tensor, since uint64) {
	name := ""
	for _, o := range out {
		t, ok := o.(*Tensor)
		if !ok || t.ag == nil || t.ag.node == nil || t.ag.node.seq <= since || t.ag.node.seq == leafSeq {
			continue
		}
		if name == "" {
			if name = wholeName(c); name == "" {
				return
			}
		}
		t.ag.node.Name = name
	}
}
