package amd64_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/larkspur-ml/larkspur/device/cpu"
	"github.com/larkspur-ml/larkspur/inductor/amd64"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// Random kernels on machine code against the portable target, which has its own
// reference. Data are small integers and halves, so that sums and products are
// exact and equality is of bits.

type kernelGen struct {
	r     *rand.Rand
	b     *loop.Builder
	bufs  []int64     // elements by buffer
	axes  []loop.Axis // in scope
	ext   map[loop.Axis]int64
	kinds []loop.LoopKind
	depth int
}

func (g *kernelGen) extent() int64 {
	switch g.r.IntN(8) {
	case 0:
		return 1
	case 1:
		return int64(g.r.IntN(3)) // empty now and then
	case 2, 3:
		return 2 + int64(g.r.IntN(4))
	}
	return 3 + int64(g.r.IntN(12))
}

var genDTypes = tensor.DTypes()

// in declares an input reached by idx and loads it, perhaps masked or by data.
func (g *kernelGen) in(pool []loop.V) loop.V {
	d := genDTypes[g.r.IntN(len(genDTypes))]
	off := int64(0)
	max := int64(0)
	var idx []loop.Ix
	var size, stride []sym.Int
	for _, a := range g.axes {
		if g.r.IntN(4) == 0 {
			continue
		}
		s := int64(g.r.IntN(4))
		if g.r.IntN(3) > 0 {
			s = 1
		}
		if g.r.IntN(6) == 0 {
			s = -s
		}
		reach := s * (g.ext[a] - 1)
		if g.ext[a] == 0 {
			reach = 0
		}
		if reach < 0 {
			off -= reach
		} else {
			max += reach
		}
		idx = append(idx, loop.At(a))
		size = append(size, sym.C(g.ext[a]))
		stride = append(stride, sym.C(s))
	}
	mask := loop.V(0)
	if b := g.pick(pool, loop.B1); b != 0 && g.r.IntN(3) == 0 {
		mask = b
	}
	if i := g.pickIndex(pool); i != 0 && g.r.IntN(2) == 0 {
		lim, s := int64(4+g.r.IntN(30)), int64(1+g.r.IntN(3))
		// most indices are brought into range; the rest test the check
		if g.r.IntN(8) > 0 {
			i = g.b.Mod(i, g.b.ConstI(g.b.Type(i), lim))
		}
		idx = append(idx, loop.IxData(i, nil))
		size = append(size, sym.C(lim))
		stride = append(stride, sym.C(s))
		max += (lim - 1) * s
	}
	n := off + max + 1
	buf := g.b.AddBuf(d, loop.In, fmt.Sprintf("x%d", len(g.bufs)))
	g.bufs = append(g.bufs, n)
	return g.b.Load(g.b.Access(buf, size, stride, sym.C(off), idx, mask))
}

func (g *kernelGen) pick(pool []loop.V, t loop.Type) loop.V {
	var c []loop.V
	for _, v := range pool {
		if g.b.Type(v) == t {
			c = append(c, v)
		}
	}
	if len(c) == 0 {
		return 0
	}
	return c[g.r.IntN(len(c))]
}

func (g *kernelGen) pickIndex(pool []loop.V) loop.V {
	if v := g.pick(pool, loop.I64); v != 0 && g.r.IntN(2) == 0 {
		return v
	}
	return g.pick(pool, loop.I32)
}

// out declares an output with a place for every combination of the axes in scope
// and stores v there. It may return a value that was loaded before that store.
func (g *kernelGen) out(v loop.V) (old []loop.V) {
	b := g.b
	var ds []tensor.DType
	for _, d := range genDTypes {
		if loop.TypeOf(d) == b.Type(v) {
			ds = append(ds, d)
		}
	}
	d := ds[g.r.IntN(len(ds))]
	perm := g.r.Perm(len(g.axes))
	if g.r.IntN(2) == 0 {
		for i := range perm {
			perm[i] = i
		}
	}
	idx := make([]loop.Ix, len(perm))
	size, stride := make([]sym.Int, len(perm)), make([]sym.Int, len(perm))
	s := int64(1 + g.r.IntN(2)*g.r.IntN(2))
	for i := len(perm) - 1; i >= 0; i-- {
		a := g.axes[perm[i]]
		idx[i], size[i], stride[i] = loop.At(a), sym.C(g.ext[a]), sym.C(s)
		s *= max(1, g.ext[a])
	}
	buf := b.AddBuf(d, loop.Out, fmt.Sprintf("y%d", len(g.bufs)))
	g.bufs = append(g.bufs, s)
	if g.r.IntN(2) == 0 {
		b.Kernel().Bufs[buf].Role = loop.InOut
		w := b.Load(b.Access(buf, size, stride, sym.C(0), idx, 0))
		old = append(old, w)
		if b.Type(w) == b.Type(v) && b.Type(w) != loop.B1 {
			v = b.Add(v, w)
		}
	}
	b.Store(b.Access(buf, size, stride, sym.C(0), idx, 0), v)
	if g.r.IntN(4) == 0 { // read back what this iteration wrote
		w := b.Load(b.Access(buf, size, stride, sym.C(0), idx, 0))
		v = b.Cast(w, b.Type(v))
		buf := b.AddBuf(d, loop.Out, fmt.Sprintf("y%d", len(g.bufs)))
		g.bufs = append(g.bufs, s)
		b.Store(b.Access(buf, size, stride, sym.C(0), idx, 0), v)
	}
	return old
}

// expr adds a primitive over the pool.
func (g *kernelGen) expr(pool []loop.V) []loop.V {
	b := g.b
	x := pool[g.r.IntN(len(pool))]
	t := b.Type(x)
	y := g.pick(pool, t)
	var v loop.V
	switch k := g.r.IntN(16); {
	case k == 0:
		v = b.Cast(x, []loop.Type{loop.B1, loop.I32, loop.I64, loop.F32, loop.F64}[g.r.IntN(5)])
	case k == 1 && t != loop.B1:
		v = b.Lt(x, y)
	case k == 2:
		v = b.Eq(x, y)
	case k == 3:
		if c := g.pick(pool, loop.B1); c != 0 {
			v = b.Select(c, x, y)
		}
	case k == 4 && t == loop.F32:
		v = b.Round(x, []tensor.DType{tensor.Float16, tensor.BFloat16}[g.r.IntN(2)])
	case k == 4 && t == loop.I32:
		v = b.Round(x, []tensor.DType{tensor.Int8, tensor.Int16, tensor.Uint8}[g.r.IntN(3)])
	case k == 5 && t == loop.F32:
		v = b.Bits(b.And(b.Bits(x, loop.I32), b.ConstI(loop.I32, -1)), loop.F32)
	case k == 5 && t.IsInt():
		v = b.Shr(b.Shl(x, b.ConstI(t, int64(g.r.IntN(3)))), b.ConstI(t, int64(g.r.IntN(5))))
	case k == 6 && t.IsFloat():
		v = b.Unary([]loop.Op{loop.OpFloor, loop.OpCeil, loop.OpTrunc, loop.OpNearest}[g.r.IntN(4)], x)
	case k == 6 && !t.IsFloat():
		v = b.Xor(x, y)
	case k == 7 && t.IsInt():
		d := y
		if g.r.IntN(10) > 0 {
			d = b.Or(y, b.ConstI(t, 1))
		}
		v = []func(x, y loop.V) loop.V{b.Div, b.Mod}[g.r.IntN(2)](x, d)
	case k == 7 && t.IsFloat():
		v = b.Ldexp(x, b.Const(t, float64(g.r.IntN(3)-1)))
	case k == 8 && t == loop.B1:
		v = b.Not(x)
	case t == loop.B1:
		v = []func(x, y loop.V) loop.V{b.And, b.Or}[g.r.IntN(2)](x, y)
	case k == 9:
		v = []func(x loop.V) loop.V{b.Neg, b.Abs}[g.r.IntN(2)](x)
	case k == 10:
		v = b.Mul(x, b.Const(t, float64(1+g.r.IntN(3))))
	case k == 11 && t.IsFloat():
		v = b.FMA(b.Round(b.Cast(x, t), tensor.Float32), b.Const(t, 2), y)
	case k == 12:
		v = b.Sub(b.Const(t, 3), x)
	default:
		v = []func(x, y loop.V) loop.V{b.Add, b.Sub, b.Min, b.Max}[g.r.IntN(4)](x, y)
	}
	if v == 0 {
		return pool
	}
	return append(pool, v)
}

// seeds gives a statement list its first values.
func (g *kernelGen) seeds(pool []loop.V) []loop.V {
	b := g.b
	pool = append(pool[:len(pool):len(pool)], b.ConstI(loop.I64, int64(g.r.IntN(5))), b.Const(loop.F32, 1.5))
	for _, a := range g.axes {
		if g.r.IntN(2) == 0 {
			pool = append(pool, b.AxisV(a))
		}
	}
	if g.r.IntN(3) == 0 {
		pool = append(pool, b.Scalar(b.ScalarSlot("s", loop.F32)), b.Scalar(b.ScalarSlot("i", loop.I64)))
	}
	for range 1 + g.r.IntN(2) {
		pool = append(pool, g.in(pool))
	}
	return pool
}

func (g *kernelGen) body(pool []loop.V, kind loop.LoopKind) []loop.V {
	pool = g.seeds(pool)
	for range 1 + g.r.IntN(5) {
		pool = g.expr(pool)
		if g.r.IntN(5) == 0 {
			pool = append(pool, g.in(pool))
		}
		if g.r.IntN(6) == 0 {
			pool = append(pool, g.out(pool[len(pool)-1-g.r.IntN(min(3, len(pool)))])...)
		}
	}
	if g.r.IntN(20) == 0 {
		if c := g.pick(pool, loop.B1); c != 0 {
			g.b.Assert(c, 0, 0, loop.Check{Kind: tensor.RuntimeError, Msg: "no"})
		}
	}
	for range g.r.IntN(3) {
		if g.depth < 4 {
			pool = g.loop(pool, kind)
			pool = g.expr(pool)
		}
	}
	if g.r.IntN(3) > 0 {
		g.out(pool[len(pool)-1])
	}
	return pool
}

// loop opens a loop that may stand inside one of the given kind.
func (g *kernelGen) loop(pool []loop.V, outer loop.LoopKind) []loop.V {
	kind := loop.Serial
	switch outer {
	case loop.Grid:
		kind = loop.LoopKind(g.r.IntN(3))
	case loop.Serial:
		if !g.inVector() && g.r.IntN(2) == 0 {
			kind = loop.Vector
		}
	}
	ext := g.extent()
	switch {
	case kind == loop.Vector && g.r.IntN(3) == 0:
		ext = int64(1 + g.r.IntN(2500))
	case kind == loop.Grid && g.r.IntN(4) == 0 && g.depth < 2:
		ext = int64(1 + g.r.IntN(400))
	}
	total := ext
	for _, a := range g.axes {
		total *= g.ext[a]
	}
	if total > 20000 {
		ext = min(ext, 3)
	}
	g.depth++
	defer func() { g.depth-- }()
	enter := func(a loop.Axis) []loop.V {
		g.axes = append(g.axes, a)
		g.ext[a] = ext
		g.kinds = append(g.kinds, kind)
		return pool
	}
	leave := func() {
		g.axes = g.axes[:len(g.axes)-1]
		g.kinds = g.kinds[:len(g.kinds)-1]
	}
	if kind == loop.Serial && len(pool) > 0 && g.r.IntN(3) == 0 {
		var init []loop.V
		for range 1 + g.r.IntN(2) {
			init = append(init, pool[g.r.IntN(len(pool))])
		}
		res := g.b.Carry(sym.C(ext), init, func(a loop.Axis, cur []loop.V) []loop.V {
			p := append(enter(a)[:len(pool):len(pool)], cur...)
			p = g.body(p, kind)
			leave()
			next := make([]loop.V, len(init))
			for i, v := range init {
				next[i] = g.pick(p[len(pool):], g.b.Type(v))
				if g.r.IntN(4) == 0 || next[i] == 0 {
					next[i] = cur[g.r.IntN(len(cur))]
					if g.b.Type(next[i]) != g.b.Type(v) {
						next[i] = cur[i]
					}
				}
				if g.b.Type(v).IsFloat() { // keep values small
					next[i] = g.b.Max(g.b.Min(next[i], g.b.Const(g.b.Type(v), 64)), g.b.Const(g.b.Type(v), -64))
				}
			}
			return next
		})
		return append(pool, res...)
	}
	var ops []loop.FoldOp
	if g.r.IntN(2) == 0 {
		ops = make([]loop.FoldOp, 1+g.r.IntN(2))
	}
	res := g.b.Fold(kind, sym.C(ext), ops, func(a loop.Axis) []loop.V {
		p := g.body(enter(a), kind)
		var in, ix []loop.V
		for i := range ops {
			v := p[len(p)-1-g.r.IntN(min(5, len(p)))]
			op := []loop.FoldOp{loop.FoldAdd, loop.FoldMin, loop.FoldMax, loop.FoldArgMin, loop.FoldArgMax}[g.r.IntN(5)]
			if g.b.Type(v) == loop.B1 {
				op = []loop.FoldOp{loop.FoldAnd, loop.FoldOr}[g.r.IntN(2)]
			}
			ops[i] = op
			in = append(in, v)
			if op.HasIndex() {
				ix = append(ix, g.b.AxisV(a))
			}
		}
		leave()
		return append(in, ix...)
	})
	return append(pool, res...)
}

func (g *kernelGen) inVector() bool {
	for _, k := range g.kinds {
		if k == loop.Vector {
			return true
		}
	}
	return false
}

// parameterise turns about half of the immediates into run-time parameters.
func parameterise(r *rand.Rand, k *loop.Kernel) []int64 {
	var params []int64
	turn := func(p *loop.P) {
		if p.Par == 0 && r.IntN(2) == 0 {
			params = append(params, p.Imm)
			k.Params = append(k.Params, sym.C(p.Imm))
			*p = loop.P{Par: int32(len(params))}
		}
	}
	mem := func(m *loop.Access) {
		if m == nil {
			return
		}
		turn(&m.Off)
		for i := range m.Terms {
			turn(&m.Terms[i].Stride)
		}
		for i := range m.Dyn {
			turn(&m.Dyn[i].Stride)
			turn(&m.Dyn[i].Lim)
		}
	}
	var walk func(body []loop.Stmt)
	walk = func(body []loop.Stmt) {
		for _, s := range body {
			switch s := s.(type) {
			case *loop.Let:
				mem(s.Mem)
			case *loop.Store:
				mem(s.Mem)
			case *loop.Loop:
				turn(&s.Extent)
				walk(s.Body)
			}
		}
	}
	walk(k.Body)
	return params
}

func randomData(r *rand.Rand, d tensor.DType, n int64) []byte {
	buf := make([]uint64, (n*int64(d.Size())+7)/8+1)
	p := unsafe.Pointer(&buf[0])
	for i := range n {
		x := int64(r.IntN(9) - 4)
		f := float64(x) / 2
		if r.IntN(300) == 0 {
			f = math.NaN()
		}
		at := unsafe.Add(p, i*int64(d.Size()))
		switch d {
		case tensor.Bool:
			*(*uint8)(at) = uint8(x & 1)
		case tensor.Uint8, tensor.Int8:
			*(*uint8)(at) = uint8(x)
		case tensor.Int16:
			*(*int16)(at) = int16(x)
		case tensor.Int32:
			*(*int32)(at) = int32(x)
		case tensor.Int64:
			*(*int64)(at) = x
		case tensor.Float16:
			*(*uint16)(at) = tensor.F32ToF16(float32(f))
		case tensor.BFloat16:
			*(*uint16)(at) = tensor.F32ToBF16(float32(f))
		case tensor.Float32:
			*(*float32)(at) = float32(f)
		case tensor.Float64:
			*(*float64)(at) = f
		}
	}
	return unsafe.Slice((*byte)(p), n*int64(d.Size()))
}

// number reads an element; ok is false for NaN, and zeros have no sign.
func number(b []byte, d tensor.DType, i int) (f float64, bits uint64) {
	p := unsafe.Pointer(&b[i*d.Size()])
	switch d {
	case tensor.Float16:
		return float64(tensor.F16ToF32(*(*uint16)(p))), 0
	case tensor.BFloat16:
		return float64(tensor.BF16ToF32(*(*uint16)(p))), 0
	case tensor.Float32:
		return float64(*(*float32)(p)), 0
	case tensor.Float64:
		return *(*float64)(p), 0
	}
	for j := range d.Size() {
		bits |= uint64(b[i*d.Size()+j]) << (8 * j)
	}
	return 0, bits
}

func equal(a, b []byte, d tensor.DType, i int) bool {
	x, m := number(a, d, i)
	y, n := number(b, d, i)
	return m == n && (x == y || x != x && y != y)
}

// stats counts what stayed with the fallback, by reason.
type stats struct {
	code int
	why  map[string]int
	text string
}

func target(t testing.TB, avx2 bool) (*amd64.Target, *stats) {
	t.Helper()
	if !amd64.HasAVX2() || !avx2 && !amd64.HasAVX512() {
		t.Skip("not on this processor")
	}
	s := &stats{why: map[string]int{}}
	tg, err := amd64.New(amd64.Options{
		Load:     func(b []byte) (amd64.Func, error) { return cpu.LoadCode(b) },
		Fallback: loop.Portable(),
		AVX2:     avx2,
		Listing: func(name, text, why string) {
			s.text = text
			if why == "" {
				s.code++
			} else {
				s.why[why]++
			}
		},
	})
	if err != nil {
		t.Skip(err)
	}
	return tg, s
}

// each runs f for the instruction sets of this machine.
func each(t *testing.T, f func(t *testing.T, tg *amd64.Target, s *stats)) {
	for _, avx2 := range []bool{false, true} {
		name := "avx512"
		if avx2 {
			name = "avx2"
		}
		t.Run(name, func(t *testing.T) {
			tg, s := target(t, avx2)
			f(t, tg, s)
		})
	}
}

func TestRandomKernels(t *testing.T) {
	n := 800
	if testing.Short() {
		n = 200
	}
	each(t, func(t *testing.T, tg *amd64.Target, st *stats) {
		raised := 0
		for seed := range n {
			r := rand.New(rand.NewPCG(uint64(seed), 7))
			g := &kernelGen{r: r, b: loop.NewBuilder(fmt.Sprintf("random%d", seed)), ext: map[loop.Axis]int64{}}
			if r.IntN(3) > 0 {
				g.loop(nil, loop.Grid)
			} else {
				g.body(nil, loop.Grid)
			}
			k := g.b.Kernel()
			params := parameterise(r, k)
			if err := loop.Verify(k); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, k)
			}
			data := make([][]byte, len(k.Bufs))
			for i, b := range k.Bufs {
				data[i] = randomData(r, b.DType, g.bufs[i])
			}
			args := func() (*loop.Args, [][]byte) {
				a := &loop.Args{Params: params}
				for _, s := range k.Scalars {
					a.Scalars = append(a.Scalars, loop.ScalarBits(tensor.Float(2), s))
				}
				c := make([][]byte, len(data))
				for i, b := range k.Bufs {
					// exact ends, so that a stray access is likelier to be seen
					mem := make([]uint64, len(data[i])/8+17)
					all := unsafe.Slice((*byte)(unsafe.Pointer(&mem[0])), len(data[i])+128)
					for j := range all {
						all[j] = 0xa5
					}
					c[i] = all
					copy(c[i][64:], data[i])
					a.Bufs = append(a.Bufs, loop.MemOf(c[i][64:64+len(data[i])], b.DType))
				}
				return a, c
			}
			top := int64(1)
			if s := k.Split(); s != nil {
				top = s.Extent.Get(params)
			}
			ref, err := loop.Portable().Compile(k)
			if err != nil {
				t.Fatal(err)
			}
			a, want := args()
			wantErr := ref.Run(a, 0, top)
			if wantErr != nil {
				raised++
			}
			p, err := tg.Compile(k)
			if err != nil {
				t.Fatal(err)
			}
			check := func(how string, run func(a *loop.Args) error) {
				t.Helper()
				a, got := args()
				err := run(a)
				if (err != nil) != (wantErr != nil) {
					t.Fatalf("seed %d %s: error %v, portable %v\n%s\n%s", seed, how, err, wantErr, k, st.text)
				}
				for i, b := range k.Bufs {
					w := b.DType.Size()
					for j := range 64 {
						if e := len(got[i]) - 64; got[i][j] != 0xa5 || got[i][e+j] != 0xa5 {
							t.Fatalf("seed %d %s: memory beside buffer %s was written\n%s\n%s", seed, how, b.Name, k, st.text)
						}
					}
					if err != nil {
						continue
					}
					x, y := got[i][64:len(got[i])-64], want[i][64:len(want[i])-64]
					for j := range len(x) / w {
						if !equal(x, y, b.DType, j) {
							t.Fatalf("seed %d %s: buffer %s[%d] is %x, portable %x\n%s\n%s", seed, how, b.Name, j, x[j*w:j*w+w], y[j*w:j*w+w], k, st.text)
						}
					}
				}
			}
			check("run", func(a *loop.Args) error { return p.Run(a, 0, top) })
			check("again", func(a *loop.Args) error { return p.Run(a, 0, top) })
			if k.Split() != nil && top > 1 {
				mid := 1 + r.Int64N(top-1)
				check("ranges", func(a *loop.Args) error {
					if err := p.Run(a, mid, top); err != nil {
						return err
					}
					return p.Run(a, 0, mid)
				})
			}
		}
		left := 0
		for _, c := range st.why {
			left += c
		}
		t.Logf("%d kernels, %d raise; %d variants of code, %d left to the fallback: %v", n, raised, st.code, left, st.why)
		if left > st.code/10 {
			t.Error("too many kernels are not compiled")
		}
	})
}

// quiet is a target without a listing.
func quiet(t testing.TB) *amd64.Target {
	tg, err := amd64.New(amd64.Options{Load: func(b []byte) (amd64.Func, error) { return cpu.LoadCode(b) }, Fallback: loop.Portable()})
	if err != nil {
		t.Skip(err)
	}
	return tg
}
