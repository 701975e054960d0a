package amd64

import (
	"runtime"
	"unsafe"

	"github.com/larkspur-ml/larkspur/inductor/asm"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Products with few rows or columns, of float32, where the long matrix lies along
// k (a linear layer's weights): dot products of four of its lines with up to
// dotRows vectors at once, with nothing packed. Each line is read from memory once.
// With one vector memory bounds them, and the lines of the next four are asked for.

// dotArgs is the argument; offsets in emitDots.
type dotArgs struct {
	w, x, y uintptr
	rs, xs  int64 // bytes from line to line, from vector to vector
	groups  int64 // of 4 lines
	blocks  int64 // of two registers along k
}

const (
	dotLines = 4
	dotRows  = 4       // vectors at once; AVX2 has registers for dotRowsAVX2
	dotMost  = 16      // rows that are few
	dotAhead = 4 << 10 // bytes of a line up to which all of the next four are asked for
)

func dotRowsOf(L asm.Len) int {
	if L == asm.L512 {
		return dotRows
	}
	return 2
}

// emitDots writes y[group][row][line] = Σ w[line][k] x[row][k] over whole blocks of k.
func emitDots(L asm.Len, rows int, long bool) ([]byte, error) {
	a := asm.New(0)
	vb := int32(L.Bytes())
	load := func(r asm.GP, at int32) { a.RM(asm.MOV, r, asm.M(asm.At(asm.RDI, at))) }
	load(asm.RSI, 0)
	load(asm.RDX, 8)
	load(asm.R8, 16)
	load(asm.RCX, 24)
	load(asm.RAX, 32)
	load(asm.RBX, 40)
	load(asm.R12, 48)
	a.ImulI(asm.R12, asm.G(asm.R12), 2*vb)
	vecs := []asm.GP{asm.RDX, asm.R13, asm.R14, asm.R15}[:rows]
	for i := 1; i < rows; i++ {
		a.RM(asm.LEA, vecs[i], asm.M(asm.Idx(vecs[i-1], asm.RAX, 1, 0)))
	}
	lines := []asm.GP{asm.RSI, asm.R9, asm.R10, asm.R11}
	halves := 1 // accumulators of one line and row
	if rows == 1 {
		halves = 2
	}
	acc := func(row, line, h int) uint8 { return uint8((row*dotLines+line)*halves + h) }
	free := acc(rows, 0, 0)
	group := a.Here()
	a.RM(asm.LEA, asm.R9, asm.M(asm.Idx(asm.RSI, asm.RCX, 1, 0)))
	a.RM(asm.LEA, asm.R10, asm.M(asm.Idx(asm.RSI, asm.RCX, 2, 0)))
	a.RM(asm.LEA, asm.R11, asm.M(asm.Idx(asm.R9, asm.RCX, 2, 0)))
	a.RM(asm.LEA, asm.RDI, asm.M(asm.Idx(asm.R11, asm.RCX, 1, 0))) // the next four
	for r := range free {
		a.V3(asm.VXORPS, L, r, r, asm.R(r))
	}
	a.MovI(asm.RAX, 0)
	a.Align(32)
	head := a.Here()
	for h := range int32(2) {
		if vb == 64 || h == 0 { // each line of the cache once
			for i, p := range lines {
				m := asm.Idx(asm.RDI, asm.RAX, dotLines, (h*dotLines+int32(i))*64)
				if long {
					m = asm.Idx(p, asm.RAX, 1, h*vb+1024)
				}
				a.One(asm.PREFETCHT0, asm.M(m))
			}
		}
		at := func(p asm.GP) asm.RM { return asm.M(asm.Idx(p, asm.RAX, 1, h*vb)) }
		if rows == 1 {
			a.V2(asm.VMOVUPS, L, free, at(vecs[0]))
			for i, p := range lines {
				a.V3(asm.VFMADD231PS, L, acc(0, i, int(h)), free, at(p))
			}
			continue
		}
		for i, p := range lines {
			a.V2(asm.VMOVUPS, L, free+uint8(i), at(p))
		}
		for r, p := range vecs {
			a.V2(asm.VMOVUPS, L, free+dotLines, at(p))
			for i := range lines {
				a.V3(asm.VFMADD231PS, L, acc(r, i, 0), free+dotLines, asm.R(free+uint8(i)))
			}
		}
	}
	a.RI(asm.ADD, asm.G(asm.RAX), 2*vb)
	a.RR(asm.CMP, asm.RAX, asm.G(asm.R12))
	a.J(asm.CondL, head)
	t := free
	for row := range rows {
		var q [dotLines]uint8
		for i := range lines {
			r := acc(row, i, 0)
			q[i] = r
			if halves == 2 {
				a.V3(asm.VADDPS, L, r, r, asm.R(r+1))
			}
		}
		sumFour(a, L, q, t)
		a.V2(asm.VMOVUPSst, asm.L128, t, asm.M(asm.At(asm.R8, int32(4*dotLines*row))))
	}
	a.RI(asm.ADD, asm.G(asm.R8), int32(4*dotLines*rows))
	a.RM(asm.LEA, asm.RSI, asm.M(asm.Idx(asm.R11, asm.RCX, 1, 0)))
	a.RI(asm.SUB, asm.G(asm.RBX), 1)
	a.J(asm.CondG, group)
	a.Plain(asm.VZEROUPPER)
	a.Plain(asm.RET)
	return a.Finish()
}

// callDots computes groups of four lines from w with rows vectors from x, in calls of
// some 50 µs, into out[group][row][line].
func (g *gemm) callDots(w *gemmScratch, lines *matrix, line int, x unsafe.Pointer, xs, rows, k, groups int, out []float32, done func() error) error {
	block := 2 * g.shape.L.Bytes() / 4
	step := max(1, (1<<18)/(k*dotLines*rows))
	long := 0
	if 4*k > dotAhead || 4*k != 4*lines.rs {
		long = 1
	}
	for at := 0; at < groups; at += step {
		n := min(step, groups-at)
		w.vargs = dotArgs{w: uintptr(lines.at(line+at*dotLines, 0)), x: uintptr(x), y: uintptr(unsafe.Pointer(&out[at*dotLines*rows])),
			rs: int64(4 * lines.rs), xs: int64(4 * xs), groups: int64(n), blocks: int64(k / block)}
		if err := g.dots[long][rows].Call(unsafe.Pointer(&w.vargs)); err != nil {
			return err
		}
		if done != nil {
			if err := done(); err != nil {
				return err
			}
		}
	}
	runtime.KeepAlive(out)
	return nil
}

// few reports a product for dots.
func (g *gemm) few(a *loop.TemplateArgs) bool {
	x, y, z := &a.In[0], &a.In[1], &a.Out[0]
	d := len(z.Size) - 2
	k := x.Size[d+1]
	if x.DType != tensor.Float32 || y.DType != tensor.Float32 || z.DType != tensor.Float32 || k < 64 {
		return false
	}
	if len(a.In) > 2 && a.In[2].DType != tensor.Invalid && a.In[2].DType != tensor.Float32 {
		return false
	}
	return fewRows(x, y, z, d) || fewColumns(x, y, z, d)
}

// fewEnough: packing would cost more.
func fewEnough(n, k int64) bool { return n <= 3 || n <= dotMost && k >= 128 }

func fewRows(x, y, z *loop.Operand, d int) bool {
	return fewEnough(z.Size[d], x.Size[d+1]) && z.Size[d+1] >= dotLines && y.Stride[d] == 1
}

func fewColumns(x, y, z *loop.Operand, d int) bool {
	return fewEnough(z.Size[d+1], x.Size[d+1]) && z.Size[d] >= dotLines && x.Stride[d+1] == 1
}

// dots computes a product for which few holds.
func (p *product) dots(par loop.Parallel) error {
	g := p.g
	z, zb := p.z, p.bias
	// lines is the matrix along k, short has the vectors
	lines, short, few, many := p.y, p.x, p.m, p.n
	lines.rs, lines.cs = lines.cs, lines.rs
	d := len(p.args.Out[0].Size) - 2
	if !fewRows(&p.args.In[0], &p.args.In[1], &p.args.Out[0], d) {
		lines, short, few, many = p.x, p.y, p.n, p.m
		short.rs, short.cs = short.cs, short.rs
		z.rs, z.cs, zb.rs, zb.cs = z.cs, z.rs, zb.cs, zb.rs
	}
	own := g.pool.Get()
	defer g.pool.Put(own)
	if short.cs != 1 {
		vec := grow(&own.wide, few*p.k)
		for i := range few {
			for k := range p.k {
				vec[i*p.k+k] = *(*float32)(short.at(i, k))
			}
		}
		short = matrix{ptr: unsafe.Pointer(&vec[0]), dt: tensor.Float32, rs: p.k, cs: 1}
	}
	block := 2 * g.shape.L.Bytes() / 4
	whole := p.k / block * block
	most := dotRowsOf(g.shape.L)
	// lines of one piece stay in the cache while several calls read them
	piece := max(1, (1<<15)/(p.k*dotLines))
	groups := (many + dotLines - 1) / dotLines
	err := par(int64(groups), int64(1+(1<<17)/(p.k*few*dotLines)), func(lo, hi int64) error {
		w := g.pool.Get()
		defer g.pool.Put(w)
		for q := int(lo); q < int(hi); {
			n := min(piece, int(hi)-q)
			if few <= most {
				n = int(hi) - q
			}
			j0, first := q*dotLines, 0
			if j0+n*dotLines > many { // the last four lines overlap those before
				if n > 1 {
					n--
				} else {
					first = j0 - (many - dotLines)
					j0 = many - dotLines
				}
			}
			q += n
			out := grow(&w.tile, n*dotLines*most)
			for i := 0; i < few; i += most {
				rows := min(most, few-i)
				if err := g.callDots(w, &lines, j0, short.at(i, 0), short.rs, rows, p.k, n, out, p.args.Done); err != nil {
					return err
				}
				for r := range rows {
					p.putDots(&z, &zb, &lines, &short, out[r*dotLines:], rows, i+r, j0, first, n*dotLines, whole)
				}
			}
		}
		return nil
	})
	runtime.KeepAlive(own)
	return err
}

// putDots adds what is left of k and the bias to n sums of row i, from line j0, and
// stores them, but for those before first.
func (p *product) putDots(z, bias, lines, short *matrix, out []float32, rows, i, j0, first, n, whole int) {
	vec := unsafe.Slice((*float32)(short.at(i, 0)), p.k)
	for j := first; j < n; j++ {
		s := out[j/dotLines*dotLines*rows+j%dotLines]
		if whole < p.k {
			line := unsafe.Slice((*float32)(lines.at(j0+j, 0)), p.k)
			for k := whole; k < p.k; k++ {
				s += line[k] * vec[k]
			}
		}
		if p.hasBias {
			s += *(*float32)(bias.at(i, j0+j))
		}
		*(*float32)(z.at(i, j0+j)) = s
	}
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
