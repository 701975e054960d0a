package torch

import (
	"runtime"
	"strconv"
	"strings"

	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tensor"
)

// reprTensor is repr(t), in PyTorch's form.
func (r *Runtime) reprTensor(t *value.Thread, v value.Value) (string, error) {
	x, err := self(v, "__repr__")
	if err != nil {
		return "", err
	}
	ctx := r.Context(t)
	r.mu.Lock()
	opt := r.print
	r.mu.Unlock()
	prefix, head := "tensor(", ""
	switch c := v.AsInstance().Class(); {
	case c == r.classes.Parameter:
		head = "Parameter containing:\n"
	case c != r.classes.Tensor:
		prefix = c.Name + "("
	}
	var suffixes []string
	if d := x.Device(); d.Type != tensor.CPU {
		suffixes = append(suffixes, "device='"+d.String()+"'")
	}
	var text string
	if x.Numel() == 0 {
		if x.Rank() != 1 {
			suffixes = append(suffixes, "size="+plainTuple(x.Size))
		}
		if x.DType != ctx.Default {
			suffixes = append(suffixes, "dtype=torch."+x.DType.String())
		}
		text = "[]"
	} else {
		if x.DType != ctx.Default && x.DType != tensor.Int64 && x.DType != tensor.Bool {
			suffixes = append(suffixes, "dtype=torch."+x.DType.String())
		}
		if ctx.Observer != nil {
			ctx.Observer.OnRead(x)
		}
		h, err := ctx.Host(x)
		if err != nil {
			return "", raise(err)
		}
		b := h.Bytes()
		at := func(idx []int64) tensor.Number {
			k := h.Off
			for i, n := range idx {
				k += n * h.Stride[i]
			}
			return tensor.ReadElement(b[k*int64(h.DType.Size()):], h.DType)
		}
		text = formatTensor(opt, x.DType, x.Size, at, len(prefix))
		runtime.KeepAlive(h)
	}
	n, _, err := x.GradFn()
	if err != nil {
		return "", raise(err)
	}
	if n != nil {
		suffixes = append(suffixes, "grad_fn=<"+n.Name+">")
	} else if x.RequiresGrad() {
		suffixes = append(suffixes, "requires_grad=True")
	}
	return head + withSuffixes(prefix+text, suffixes, len(prefix), opt.LineWidth), nil
}

// plainTuple is the text of a tuple of ints.
func plainTuple(l []int64) string {
	parts := make([]string, len(l))
	for i, n := range l {
		parts[i] = strconv.FormatInt(n, 10)
	}
	if len(l) == 1 {
		return "(" + parts[0] + ",)"
	}
	return "(" + strings.Join(parts, ", ") + ")"
}
