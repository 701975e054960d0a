package amd64

import (
	"runtime"
	"unsafe"

	"github.com/larkspur-ml/larkspur/inductor/asm"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Products with few rows or columns, of float32, where the long matrix lies along
// k (a linear layer's weights): dot products of four of its lines at once, with
// nothing packed. Memory bounds them.

// gemvArgs is the argument; offsets in emitGemv.
type gemvArgs struct {
	w, x, y uintptr
	rs      int64 // bytes from line to line
	groups  int64 // of 4 lines
	blocks  int64 // of two vectors along k
}

const gemvLines = 4

// emitGemv writes y[line] = Σ w[line][k] x[k] over whole blocks of k.
func emitGemv(L asm.Len) ([]byte, error) {
	a := asm.New(0)
	vb := int32(L.Bytes())
	load := func(r asm.GP, at int32) { a.RM(asm.MOV, r, asm.M(asm.At(asm.RDI, at))) }
	load(asm.RSI, 0)
	load(asm.RDX, 8)
	load(asm.R8, 16)
	load(asm.RCX, 24)
	load(asm.RBX, 32)
	load(asm.R12, 40)
	a.ImulI(asm.R12, asm.G(asm.R12), 2*vb)
	group := a.Here()
	lines := []asm.GP{asm.RSI, asm.R9, asm.R10, asm.R11}
	a.RM(asm.LEA, asm.R9, asm.M(asm.Idx(asm.RSI, asm.RCX, 1, 0)))
	a.RM(asm.LEA, asm.R10, asm.M(asm.Idx(asm.RSI, asm.RCX, 2, 0)))
	a.RM(asm.LEA, asm.R11, asm.M(asm.Idx(asm.R9, asm.RCX, 2, 0)))
	for i := range uint8(8) {
		a.V3(asm.VXORPS, L, i, i, asm.R(i))
	}
	a.MovI(asm.RAX, 0)
	a.Align(32)
	head := a.Here()
	for h := range uint8(2) {
		a.V2(asm.VMOVUPS, L, 8+h, asm.M(asm.Idx(asm.RDX, asm.RAX, 1, int32(h)*vb)))
		for i, p := range lines {
			a.V3(asm.VFMADD231PS, L, uint8(2*i)+h, 8+h, asm.M(asm.Idx(p, asm.RAX, 1, int32(h)*vb)))
		}
	}
	a.RI(asm.ADD, asm.G(asm.RAX), 2*vb)
	a.RR(asm.CMP, asm.RAX, asm.G(asm.R12))
	a.J(asm.CondL, head)
	const t = 10
	for i := range uint8(gemvLines) {
		r := 2 * i
		a.V3(asm.VADDPS, L, r, r, asm.R(r+1))
		if L == asm.L512 {
			a.V2I(asm.VEXTRACTF64X4, L, r, asm.R(t), 1)
			a.V3(asm.VADDPS, asm.L256, r, r, asm.R(t))
		}
		a.V2I(asm.VEXTRACTF128, asm.L256, r, asm.R(t), 1)
		a.V3(asm.VADDPS, asm.L128, r, r, asm.R(t))
		for _, imm := range []uint8{0x4e, 0xb1} {
			a.V3I(asm.VSHUFPS, asm.L128, t, r, asm.R(r), imm)
			a.V3(asm.VADDPS, asm.L128, r, r, asm.R(t))
		}
		a.V2(asm.VMOVSSst, 0, r, asm.M(asm.At(asm.R8, 4*int32(i))))
	}
	a.RI(asm.ADD, asm.G(asm.R8), 4*gemvLines)
	a.RM(asm.LEA, asm.RSI, asm.M(asm.Idx(asm.R11, asm.RCX, 1, 0)))
	a.RI(asm.SUB, asm.G(asm.RBX), 1)
	a.J(asm.CondG, group)
	a.Plain(asm.VZEROUPPER)
	a.Plain(asm.RET)
	return a.Finish()
}

// vectors reports a product for gemv.
func (g *gemm) vectors(a *loop.TemplateArgs) bool {
	x, y, z := &a.In[0], &a.In[1], &a.Out[0]
	d := len(z.Size) - 2
	m, n, k := z.Size[d], z.Size[d+1], x.Size[d+1]
	if x.DType != tensor.Float32 || y.DType != tensor.Float32 || z.DType != tensor.Float32 || k < 64 {
		return false
	}
	for _, b := range z.Size[:d] {
		if b != 1 {
			return false
		}
	}
	if len(a.In) > 2 && a.In[2].DType != tensor.Invalid && a.In[2].DType != tensor.Float32 {
		return false
	}
	return m <= 3 && n >= 8 && y.Stride[d] == 1 || n <= 3 && m >= 8 && x.Stride[d+1] == 1
}

func (g *gemm) gemv(a *loop.TemplateArgs) error {
	x, y, z := &a.In[0], &a.In[1], &a.Out[0]
	d := len(z.Size) - 2
	p := product{g: g, args: a, m: int(z.Size[d]), n: int(z.Size[d+1]), k: int(x.Size[d+1])}
	size := z.Size[:d]
	p.x, p.y, p.z = p.view(x, 0, size), p.view(y, 0, size), p.view(z, 0, size)
	if len(a.In) > 2 && a.In[2].DType != tensor.Invalid {
		p.bias, p.hasBias = p.view(&a.In[2], 0, size), true
	}
	// long is the matrix of lines along k, short has the vectors
	long, short, few, many := p.y, p.x, p.m, p.n
	long.rs, long.cs = long.cs, long.rs
	if !(p.m <= 3 && y.Stride[d] == 1) {
		long, few, many = p.x, p.n, p.m
		short = p.y
		short.rs, short.cs = short.cs, short.rs
		p.z.rs, p.z.cs, p.bias.rs, p.bias.cs = p.z.cs, p.z.rs, p.bias.cs, p.bias.rs
	}
	block := 2 * g.shape.L.Bytes() / 4
	blocks := p.k / block
	return a.Parallel(int64((many+gemvLines-1)/gemvLines), int64(1+(1<<17)/(p.k*few*gemvLines)), func(lo, hi int64) error {
		w := g.pool.Get().(*gemmScratch)
		defer g.pool.Put(w)
		j0, j1 := int(lo)*gemvLines, min(many, int(hi)*gemvLines)
		out := grow(&w.tile, j1-j0+gemvLines)
		for i := range few {
			vec := grow(&w.wide, p.k)
			for k := range vec {
				vec[k] = *(*float32)(short.at(i, k))
			}
			// the last lines of a number that 4 does not divide are done singly
			whole := (j1 - j0) / gemvLines
			done := 0
			step := max(1, (1<<20)/(p.k*gemvLines)) // some 50 µs a call
			for at := 0; at < whole && blocks > 0; at += step {
				n := min(step, whole-at)
				w.vargs = gemvArgs{w: uintptr(long.at(j0+at*gemvLines, 0)), x: uintptr(unsafe.Pointer(&vec[0])), y: uintptr(unsafe.Pointer(&out[at*gemvLines])),
					rs: int64(4 * long.rs), groups: int64(n), blocks: int64(blocks)}
				if err := g.dot.Call(unsafe.Pointer(&w.vargs)); err != nil {
					return err
				}
				done = (at + n) * gemvLines
				if a.Done != nil {
					if err := a.Done(); err != nil {
						return err
					}
				}
			}
			for j := j0; j < j1; j++ {
				k0, s := blocks*block, float32(0)
				if j-j0 < done {
					s = out[j-j0]
				} else {
					k0 = 0
				}
				if k0 < p.k {
					line := unsafe.Slice((*float32)(long.at(j, 0)), p.k)
					var s0, s1, s2, s3 float32
					for ; k0+4 <= p.k; k0 += 4 {
						s0 += line[k0] * vec[k0]
						s1 += line[k0+1] * vec[k0+1]
						s2 += line[k0+2] * vec[k0+2]
						s3 += line[k0+3] * vec[k0+3]
					}
					for ; k0 < p.k; k0++ {
						s0 += line[k0] * vec[k0]
					}
					s += (s0 + s1) + (s2 + s3)
				}
				if p.hasBias {
					s += *(*float32)(p.bias.at(i, j))
				}
				*(*float32)(p.z.at(i, j)) = s
			}
			runtime.KeepAlive(vec)
		}
		runtime.KeepAlive(out)
		return nil
	})
}

// inside reports that all elements of an operand lie in its memory.
func inside(o *loop.Operand) bool {
	lo, hi := o.Off, o.Off
	for i, n := range o.Size {
		switch s := o.Stride[i] * (n - 1); {
		case n == 0:
			return false
		case s < 0:
			lo += s
		default:
			hi += s
		}
	}
	return lo >= 0 && hi < o.Mem.Len
}
