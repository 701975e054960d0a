package torch

import (
	"math"
	"strconv"
	"strings"

	"github.com/larkspur-ml/larkspur/tensor"
)

// PrintOptions are the settings of torch.set_printoptions.
type PrintOptions struct {
	Precision int
	Threshold int64 // more elements than this are summarised
	EdgeItems int64 // shown at each end of a summarised dimension
	LineWidth int
	SciMode   int // -1 never, 0 by the values, +1 always
}

// DefaultPrintOptions are torch's.
var DefaultPrintOptions = PrintOptions{Precision: 4, Threshold: 1000, EdgeItems: 3, LineWidth: 80}

// printer formats one tensor. Elements are read through at, so that neither a
// contiguous copy nor a view is made.
type printer struct {
	opt       PrintOptions
	size      []int64
	at        func(idx []int64) tensor.Number
	float     bool
	summarise bool

	width   int
	intMode bool // all finite values are whole: printed as "3."
	sci     bool
	idx     []int64
}

// formatTensor gives what stands between "tensor(" and the suffixes. indent is
// the column at which it starts.
func formatTensor(opt PrintOptions, dt tensor.DType, size []int64, at func([]int64) tensor.Number, indent int) string {
	p := &printer{opt: opt, size: size, at: at, float: dt.Category() == tensor.CatFloat, idx: make([]int64, len(size))}
	n := int64(1)
	for _, s := range size {
		n *= s
	}
	if n == 0 {
		return "[]"
	}
	p.summarise = n > opt.Threshold
	p.measure()
	var b strings.Builder
	p.write(&b, 0, indent)
	return b.String()
}

// each visits the elements that will be shown.
func (p *printer) each(dim int, f func(tensor.Number)) {
	if dim == len(p.size) {
		f(p.at(p.idx))
		return
	}
	for i := int64(0); i < p.size[dim]; i++ {
		if p.cut(dim) && i == p.opt.EdgeItems {
			i = p.size[dim] - p.opt.EdgeItems
		}
		p.idx[dim] = i
		p.each(dim+1, f)
	}
	p.idx[dim] = 0
}

func (p *printer) cut(dim int) bool { return p.summarise && p.size[dim] > 2*p.opt.EdgeItems }

// measure decides notation and width from the elements shown: scientific where
// their magnitudes span more than three decades or leave [1e-4, 1e8].
func (p *printer) measure() {
	p.width = 1
	if !p.float {
		p.each(0, func(n tensor.Number) { p.width = max(p.width, len(n.String())) })
		return
	}
	p.intMode = true
	lo, hi := math.Inf(1), 0.0
	var shown []float64
	p.each(0, func(n tensor.Number) {
		v := n.Float64()
		if math.IsNaN(v) || math.IsInf(v, 0) || v == 0 {
			return
		}
		if v != math.Ceil(v) {
			p.intMode = false
		}
		lo, hi = min(lo, math.Abs(v)), max(hi, math.Abs(v))
		shown = append(shown, v)
	})
	if len(shown) == 0 {
		return
	}
	p.sci = hi/lo > 1000 || hi > 1e8 || !p.intMode && lo < 1e-4
	for _, v := range shown {
		p.width = max(p.width, len(p.text(v)))
	}
	// PyTorch measures in the notation that it would choose, also where the option then overrules the choice.
	if p.opt.SciMode != 0 {
		p.sci = p.opt.SciMode > 0
	}
}

func (p *printer) text(v float64) string {
	switch {
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	case p.sci:
		return strconv.FormatFloat(v, 'e', p.opt.Precision, 64)
	case p.intMode:
		return strconv.FormatFloat(v, 'f', 0, 64) + "."
	}
	return strconv.FormatFloat(v, 'f', p.opt.Precision, 64)
}

func (p *printer) element(n tensor.Number) string {
	var s string
	if p.float {
		s = p.text(n.Float64())
	} else {
		s = n.String()
	}
	return strings.Repeat(" ", max(0, p.width-len(s))) + s
}

func (p *printer) write(b *strings.Builder, dim, indent int) {
	switch len(p.size) - dim {
	case 0:
		b.WriteString(p.element(p.at(p.idx)))
	case 1:
		p.vector(b, dim, indent)
	default:
		b.WriteByte('[')
		sep := "," + strings.Repeat("\n", len(p.size)-dim-1) + strings.Repeat(" ", indent+1)
		for i := int64(0); i < p.size[dim]; i++ {
			if i > 0 {
				b.WriteString(sep)
			}
			if p.cut(dim) && i == p.opt.EdgeItems {
				b.WriteString("...")
				b.WriteString(sep)
				i = p.size[dim] - p.opt.EdgeItems
			}
			p.idx[dim] = i
			p.write(b, dim+1, indent+1)
		}
		p.idx[dim] = 0
		b.WriteByte(']')
	}
}

// vector writes a row, folded at the line width.
func (p *printer) vector(b *strings.Builder, dim, indent int) {
	var items []string
	for i := int64(0); i < p.size[dim]; i++ {
		if p.cut(dim) && i == p.opt.EdgeItems {
			items = append(items, " ...")
			i = p.size[dim] - p.opt.EdgeItems
		}
		p.idx[dim] = i
		items = append(items, p.element(p.at(p.idx)))
	}
	p.idx[dim] = 0
	perLine := max(1, (p.opt.LineWidth-indent)/(p.width+2))
	b.WriteByte('[')
	for i, s := range items {
		switch {
		case i == 0:
		case i%perLine == 0:
			b.WriteString(",\n" + strings.Repeat(" ", indent+1))
		default:
			b.WriteString(", ")
		}
		b.WriteString(s)
	}
	b.WriteByte(']')
}

// withSuffixes appends "dtype=…"-like parts and the closing parenthesis, on a
// new line where the last one would grow too long.
func withSuffixes(text string, suffixes []string, indent, lineWidth int) string {
	last := len(text) - strings.LastIndexByte(text, '\n') + 1
	var b strings.Builder
	b.WriteString(text)
	for _, s := range suffixes {
		if last+len(s)+2 > lineWidth {
			b.WriteString(",\n" + strings.Repeat(" ", indent) + s)
			last = indent + len(s)
		} else {
			b.WriteString(", " + s)
			last += len(s) + 2
		}
	}
	b.WriteByte(')')
	return b.String()
}
