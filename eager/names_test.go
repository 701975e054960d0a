package eager

import (
	"os"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// TestNodeNames compares grad_fn with torch's after many ops.
func TestNodeNames(t *testing.T) {
	w := newW(t)
	r := func(size ...int) *Tensor {
		x := w.op("rand", size)
		w.must(x.SetRequiresGrad(true))
		return x
	}
	x, y, b, i3, s, cw := r(4, 5), r(5, 5), r(5), r(1, 2, 8, 8), r(1, 2, 8), r(3, 2, 3, 3)
	l := w.op("_to_dtype", w.f(0, 1, 2, 3), tensor.Int64)
	l1 := w.op("unsqueeze", l, 1)
	z := w.op("zeros", []int{4, 5})
	gt := w.op("gt", x, 0.0)
	u := func(t *Tensor) *Tensor { return w.op("unsqueeze", t, 0) }
	KW := func(n string, v any) op.KW { return op.KW{Name: n, V: v} }
	m := map[string][]any{
		"linear x y b": {"linear", x, y, b}, "linear x y": {"linear", x, y}, "mm x y": {"mm", x, y}, "matmul x y": {"matmul", x, y}, "relu x": {"relu", x}, "softmax": {"softmax", x, -1}, "log_softmax": {"log_softmax", x, -1},
		"layer_norm": {"layer_norm", x, []int{5}}, "cross_entropy": {"cross_entropy", x, l}, "nll_loss": {"nll_loss", x, l}, "mse_loss": {"mse_loss", x, z}, "max_pool2d": {"max_pool2d", i3, 2}, "avg_pool2d": {"avg_pool2d", i3, 2},
		"adaptive_avg_pool2d": {"adaptive_avg_pool2d", i3, 2}, "conv2d": {"conv2d", i3, cw}, "embedding": {"embedding", x, l}, "sum": {"sum", x}, "sum dim": {"sum", x, 1}, "mean": {"mean", x}, "mean dim": {"mean", x, 1}, "gelu": {"gelu", x}, "silu": {"silu", x},
		"sigmoid": {"sigmoid", x}, "tanh": {"tanh", x}, "var": {"var.dim", x, 1}, "std": {"std.dim", x, 1}, "norm": {"norm", x}, "where": {"where", gt, x, x}, "masked_fill": {"masked_fill", x, gt, 1.0}, "clamp": {"clamp", x, 0.0, 1.0}, "clamp_min": {"clamp", x, 0.0}, "max": {"max", x}, "max dim": {"max.dim", x, 1},
		"amax": {"amax", x, 1}, "cumsum": {"cumsum", x, 1}, "permute": {"permute", x, []int{1, 0}}, "transpose": {"transpose.int", x, 0, 1}, "t": {"t", x}, "squeeze": {"squeeze", x}, "squeeze dim": {"squeeze.dim", u(x), 0}, "unsqueeze": {"unsqueeze", x, 0}, "slice": {"slice.Tensor", x, 0, 1, 4}, "select": {"select.int", x, 0, 0}, "index": {"index", x, []op.Tensor{l}}, "cat": {"cat", []op.Tensor{x, x}}, "stack": {"stack", []op.Tensor{x, x}},
		"pow": {"pow", x, 2}, "pow t": {"pow", x, x}, "pow s": {"pow", 2, x}, "sqrt": {"sqrt", x}, "abs": {"abs", x}, "div": {"div", x, 2}, "sub": {"sub", x, 1}, "rsub": {"rsub", x, 1}, "prod": {"prod", x}, "dropout": {"dropout", x, 0.5, true}, "batch_norm": {"batch_norm", x, nil, nil, nil, nil, true}, "gather": {"gather", x, 1, l1},
		"bmm": {"bmm", u(x), u(y)}, "reshape": {"reshape", x, []int{20}}, "view": {"view", x, []int{20}}, "flatten": {"flatten", x}, "contiguous": {"contiguous", w.op("t", x)}, "clone": {"clone", x}, "double": {"double", x}, "logsumexp": {"logsumexp", x, 1}, "bce_logits": {"binary_cross_entropy_with_logits", x, z}, "bce": {"binary_cross_entropy", x, z},
		"leaky_relu": {"leaky_relu", x}, "elu": {"elu", x}, "softplus": {"softplus", x}, "l1_loss": {"l1_loss", x, z}, "smooth_l1": {"smooth_l1_loss", x, z}, "minimum": {"minimum", x, x}, "maximum": {"maximum", x, x}, "expand": {"expand", u(x), []int{2, 4, 5}}, "split": {"split.Tensor", x, 2}, "chunk": {"chunk", x, 2}, "unbind": {"unbind.int", x, 0}, "pad": {"pad", x, []int{1, 1}}, "group_norm": {"group_norm", i3, 2}, "conv1d": {"conv1d", s, r(2, 2, 3)},
		"addmm": {"addmm", b, x, y}, "hardtanh": {"hardtanh", x}, "erf": {"erf", x}, "sin": {"sin", x}, "log1p": {"log1p", x}, "tril": {"tril", x}, "flip": {"flip", x, []int{0}}, "scatter_add": {"scatter_add", x, 1, l1, x}, "index_select": {"index_select", x, 0, l}, "lerp": {"lerp", x, x, 0.5}, "addcmul": {"addcmul", x, x, x}, "topk": {"topk", x, 2}, "sort": {"sort", x}, "kl": {"kl_div", x, z, KW("reduction", "sum")}, "std all": {"std", x}, "diag": {"diagonal", x}, "repeat": {"repeat", x, []int{2, 1}}, "roll": {"roll", x, []int{1}, []int{0}}, "neg": {"neg", x}, "outer": {"outer", b, b}, "dot": {"dot", b, b}, "mv": {"mv", x, b}, "baddbmm": {"baddbmm", u(x), u(x), u(y)},
	}
	data, err := os.ReadFile("testdata/nodes.txt")
	w.must(err)
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		k, want, _ := strings.Cut(line, " | ")
		a := m[k]
		if a == nil {
			t.Errorf("no case %q", k)
			continue
		}
		o := w.op(a[0].(string), a[1:]...)
		n, _, err := o.GradFn()
		w.must(err)
		if n == nil {
			t.Errorf("%s: no grad_fn, want %s", k, want)
		} else if n.Name != want {
			t.Errorf("%s: %s, want %s", k, n.Name, want)
		}
	}
}
