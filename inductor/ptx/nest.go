package ptx

import (
	"fmt"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Templates whose computation is a plain loop nest are written as one, with sizes
// as immediates, and compiled as any other kernel is.

// nestKey names a nest by template and geometry.
type nestKey string

// keyOfArgs is the name and all that a nest's text depends on.
func keyOfArgs(name string, a *loop.TemplateArgs) nestKey {
	s := fmt.Sprint(name, a.Ints, a.Flags)
	for _, l := range [][]loop.Operand{a.In, a.Out} {
		for i := range l {
			s += fmt.Sprint(" ", l[i].DType, l[i].Size, l[i].Stride, l[i].Off)
		}
	}
	return nestKey(s)
}

// nest finds or makes the program of a template's nest and runs it.
func (t *Target) nest(name string, a *loop.TemplateArgs, build func(b *loop.Builder)) error {
	key := keyOfArgs(name, a)
	t.nmu.Lock()
	p := t.nests[key]
	if p == nil {
		b := loop.NewBuilder(name)
		build(b)
		k := b.Kernel()
		var err error
		if p, err = t.Compile(k); err != nil {
			t.nmu.Unlock()
			return err
		}
		if t.nests == nil {
			t.nests = map[nestKey]loop.Program{}
		}
		t.nests[key] = p
	}
	t.nmu.Unlock()
	args := &loop.Args{Queue: a.Queue}
	for _, l := range [][]loop.Operand{a.In, a.Out} {
		for i := range l {
			if l[i].DType != tensor.Invalid {
				args.Bufs = append(args.Bufs, l[i].Mem)
			}
		}
	}
	return p.Run(args, 0, 1)
}

// buffers declares a template's operands in the order in which nest gives them.
func buffers(b *loop.Builder, a *loop.TemplateArgs) (in, out []int) {
	for i := range a.In {
		n := -1
		if a.In[i].DType != tensor.Invalid {
			n = b.AddBuf(a.In[i].DType, loop.In, fmt.Sprint("in", i))
		}
		in = append(in, n)
	}
	for i := range a.Out {
		n := -1
		if a.Out[i].DType != tensor.Invalid {
			n = b.AddBuf(a.Out[i].DType, loop.Out, fmt.Sprint("out", i))
		}
		out = append(out, n)
	}
	return in, out
}

// place is an address under construction.
type place struct{ loop.Access }

func at0(buf int, o *loop.Operand) *place {
	return &place{loop.Access{Buf: buf, Off: loop.Imm(o.Off)}}
}

// by adds axis*stride.
func (p *place) by(a loop.Axis, stride int64) *place {
	if stride == 0 {
		return p
	}
	for i := range p.Terms {
		if p.Terms[i].Axis == a {
			p.Terms[i].Stride.Imm += stride
			return p
		}
	}
	p.Terms = append(p.Terms, loop.Term{Axis: a, Stride: loop.Imm(stride)})
	return p
}

// plus adds a constant.
func (p *place) plus(n int64) *place {
	p.Off.Imm += n
	return p
}
