package loop

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// Random kernels, evaluated by every variant, whole and in ranges, against the
// reference. Data are small integers and halves, so that float sums and products
// are exact and equality is of bits.

type kernelGen struct {
	r     *rand.Rand
	b     *Builder
	bufs  []int64 // elements by buffer
	axes  []Axis  // in scope
	ext   map[Axis]int64
	kinds []LoopKind
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
func (g *kernelGen) in(pool []V) V {
	d := genDTypes[g.r.IntN(len(genDTypes))]
	off := int64(0)
	max := int64(0)
	var idx []Ix
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
		idx = append(idx, At(a))
		size = append(size, sym.C(g.ext[a]))
		stride = append(stride, sym.C(s))
	}
	mask := V(0)
	if b := g.pick(pool, B1); b != 0 && g.r.IntN(3) == 0 {
		mask = b
	}
	if i := g.pickIndex(pool); i != 0 && g.r.IntN(2) == 0 {
		lim, s := int64(4+g.r.IntN(30)), int64(1+g.r.IntN(3))
		// most indices are brought into range; the rest test the check
		if g.r.IntN(8) > 0 {
			i = g.b.Mod(i, g.b.ConstI(g.b.Type(i), lim))
		}
		idx = append(idx, IxData(i, nil))
		size = append(size, sym.C(lim))
		stride = append(stride, sym.C(s))
		max += (lim - 1) * s
	}
	n := off + max + 1
	buf := g.b.AddBuf(d, In, fmt.Sprintf("x%d", len(g.bufs)))
	g.bufs = append(g.bufs, n)
	return g.b.Load(g.b.Access(buf, size, stride, sym.C(off), idx, mask))
}

func (g *kernelGen) pick(pool []V, t Type) V {
	var c []V
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

func (g *kernelGen) pickIndex(pool []V) V {
	if v := g.pick(pool, I64); v != 0 && g.r.IntN(2) == 0 {
		return v
	}
	return g.pick(pool, I32)
}

// out declares an output with a place for every combination of the axes in scope
// and stores v there. It may return a value that was loaded before that store.
func (g *kernelGen) out(v V) (old []V) {
	b := g.b
	var ds []tensor.DType
	for _, d := range genDTypes {
		if TypeOf(d) == b.Type(v) {
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
	idx := make([]Ix, len(perm))
	size, stride := make([]sym.Int, len(perm)), make([]sym.Int, len(perm))
	s := int64(1 + g.r.IntN(2)*g.r.IntN(2))
	for i := len(perm) - 1; i >= 0; i-- {
		a := g.axes[perm[i]]
		idx[i], size[i], stride[i] = At(a), sym.C(g.ext[a]), sym.C(s)
		s *= max(1, g.ext[a])
	}
	buf := b.AddBuf(d, Out, fmt.Sprintf("y%d", len(g.bufs)))
	g.bufs = append(g.bufs, s)
	if g.r.IntN(2) == 0 {
		b.k.Bufs[buf].Role = InOut
		w := b.Load(b.Access(buf, size, stride, sym.C(0), idx, 0))
		old = append(old, w)
		if b.Type(w) == b.Type(v) && b.Type(w) != B1 {
			v = b.Add(v, w)
		}
	}
	b.Store(b.Access(buf, size, stride, sym.C(0), idx, 0), v)
	if g.r.IntN(4) == 0 { // read back what this iteration wrote
		w := b.Load(b.Access(buf, size, stride, sym.C(0), idx, 0))
		v = b.Cast(w, b.Type(v))
		buf := b.AddBuf(d, Out, fmt.Sprintf("y%d", len(g.bufs)))
		g.bufs = append(g.bufs, s)
		b.Store(b.Access(buf, size, stride, sym.C(0), idx, 0), v)
	}
	return old
}

// expr adds a primitive over the pool.
func (g *kernelGen) expr(pool []V) []V {
	b := g.b
	x := pool[g.r.IntN(len(pool))]
	t := b.Type(x)
	y := g.pick(pool, t)
	var v V
	switch k := g.r.IntN(16); {
	case k == 0:
		v = b.Cast(x, []Type{B1, I32, I64, F32, F64}[g.r.IntN(5)])
	case k == 1 && t != B1:
		v = b.Lt(x, y)
	case k == 2:
		v = b.Eq(x, y)
	case k == 3:
		if c := g.pick(pool, B1); c != 0 {
			v = b.Select(c, x, y)
		}
	case k == 4 && t == F32:
		v = b.Round(x, []tensor.DType{tensor.Float16, tensor.BFloat16}[g.r.IntN(2)])
	case k == 4 && t == I32:
		v = b.Round(x, []tensor.DType{tensor.Int8, tensor.Int16, tensor.Uint8}[g.r.IntN(3)])
	case k == 5 && t == F32:
		v = b.Bits(b.And(b.Bits(x, I32), b.ConstI(I32, -1)), F32)
	case k == 5 && t.IsInt():
		v = b.Shr(b.Shl(x, b.ConstI(t, int64(g.r.IntN(3)))), b.ConstI(t, int64(g.r.IntN(5))))
	case k == 6 && t.IsFloat():
		v = b.Unary([]Op{OpFloor, OpCeil, OpTrunc, OpNearest}[g.r.IntN(4)], x)
	case k == 6 && !t.IsFloat():
		v = b.Xor(x, y)
	case k == 7 && t.IsInt():
		d := y
		if g.r.IntN(10) > 0 {
			d = b.Or(y, b.ConstI(t, 1))
		}
		v = []func(x, y V) V{b.Div, b.Mod}[g.r.IntN(2)](x, d)
	case k == 7 && t.IsFloat():
		v = b.Ldexp(x, b.Const(t, float64(g.r.IntN(3)-1)))
	case k == 8 && t == B1:
		v = b.Not(x)
	case t == B1:
		v = []func(x, y V) V{b.And, b.Or}[g.r.IntN(2)](x, y)
	case k == 9:
		v = []func(x V) V{b.Neg, b.Abs}[g.r.IntN(2)](x)
	case k == 10:
		v = b.Mul(x, b.Const(t, float64(1+g.r.IntN(3))))
	case k == 11 && t.IsFloat():
		v = b.FMA(b.Round(b.Cast(x, t), tensor.Float32), b.Const(t, 2), y)
	case k == 12:
		v = b.Sub(b.Const(t, 3), x)
	default:
		v = []func(x, y V) V{b.Add, b.Sub, b.Min, b.Max}[g.r.IntN(4)](x, y)
	}
	if v == 0 {
		return pool
	}
	return append(pool, v)
}

// seeds gives a statement list its first values.
func (g *kernelGen) seeds(pool []V) []V {
	b := g.b
	pool = append(pool[:len(pool):len(pool)], b.ConstI(I64, int64(g.r.IntN(5))), b.Const(F32, 1.5))
	for _, a := range g.axes {
		if g.r.IntN(2) == 0 {
			pool = append(pool, b.AxisV(a))
		}
	}
	if g.r.IntN(3) == 0 {
		pool = append(pool, b.Scalar(b.ScalarSlot("s", F32)), b.Scalar(b.ScalarSlot("i", I64)))
	}
	for range 1 + g.r.IntN(2) {
		pool = append(pool, g.in(pool))
	}
	return pool
}

func (g *kernelGen) body(pool []V, kind LoopKind) []V {
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
		if c := g.pick(pool, B1); c != 0 {
			g.b.Assert(c, 0, 0, Check{tensor.RuntimeError, "no"})
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
func (g *kernelGen) loop(pool []V, outer LoopKind) []V {
	kind := Serial
	switch outer {
	case Grid:
		kind = LoopKind(g.r.IntN(3))
	case Serial:
		if !g.inVector() && g.r.IntN(2) == 0 {
			kind = Vector
		}
	}
	ext := g.extent()
	switch {
	case kind == Vector && g.r.IntN(3) == 0:
		ext = int64(1 + g.r.IntN(2500))
	case kind == Grid && g.r.IntN(4) == 0 && g.depth < 2:
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
	enter := func(a Axis) []V {
		g.axes = append(g.axes, a)
		g.ext[a] = ext
		g.kinds = append(g.kinds, kind)
		return pool
	}
	leave := func() {
		g.axes = g.axes[:len(g.axes)-1]
		g.kinds = g.kinds[:len(g.kinds)-1]
	}
	if kind == Serial && len(pool) > 0 && g.r.IntN(3) == 0 {
		var init []V
		for range 1 + g.r.IntN(2) {
			init = append(init, pool[g.r.IntN(len(pool))])
		}
		res := g.b.Carry(sym.C(ext), init, func(a Axis, cur []V) []V {
			p := append(enter(a)[:len(pool):len(pool)], cur...)
			p = g.body(p, kind)
			leave()
			next := make([]V, len(init))
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
	var ops []FoldOp
	var res []V
	var in, ix []V
	l := g.b.open(kind, sym.C(ext))
	p := g.body(enter(l.Axis), kind)
	if g.r.IntN(2) == 0 {
		for range 1 + g.r.IntN(2) {
			v := p[len(p)-1-g.r.IntN(min(5, len(p)))]
			t := g.b.Type(v)
			op := []FoldOp{FoldAdd, FoldMin, FoldMax, FoldArgMin, FoldArgMax}[g.r.IntN(5)]
			if t == B1 {
				op = []FoldOp{FoldAnd, FoldOr}[g.r.IntN(2)]
			}
			ops = append(ops, op)
			in = append(in, v)
			if op.HasIndex() {
				ix = append(ix, g.b.AxisV(l.Axis))
			}
		}
	}
	leave()
	g.b.close()
	for i, op := range ops {
		f := Fold{Op: op, In: in[i], Type: g.b.types[in[i]]}
		f.Out = g.b.newV(f.Type)
		res = append(res, f.Out)
		if op.HasIndex() {
			f.InIdx, ix = ix[0], ix[1:]
			f.OutIx = g.b.newV(I64)
			res = append(res, f.OutIx)
		}
		l.Folds = append(l.Folds, f)
	}
	return append(pool, res...)
}

func (g *kernelGen) inVector() bool {
	for _, k := range g.kinds {
		if k == Vector {
			return true
		}
	}
	return false
}

// parameterise turns about half of the immediates into run-time parameters.
func parameterise(r *rand.Rand, k *Kernel) []int64 {
	var params []int64
	turn := func(p *P) {
		if p.Par == 0 && r.IntN(2) == 0 {
			params = append(params, p.Imm)
			k.Params = append(k.Params, sym.C(p.Imm))
			*p = P{Par: int32(len(params))}
		}
	}
	mem := func(m *Access) {
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
	var walk func(body []Stmt)
	walk = func(body []Stmt) {
		for _, s := range body {
			switch s := s.(type) {
			case *Let:
				mem(s.Mem)
			case *Store:
				mem(s.Mem)
			case *Loop:
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
		t := TypeOf(d)
		switch {
		case d == tensor.Bool:
			refStore(p, d, i, uint64(x&1))
		case t.IsFloat():
			f := float64(x) / 2
			if r.IntN(300) == 0 {
				f = math.NaN()
			}
			refStore(p, d, i, floatBits(t, f))
		default:
			refStore(p, d, i, uint64(x))
		}
	}
	return unsafe.Slice((*byte)(p), n*int64(d.Size()))
}

func TestRandomKernels(t *testing.T) {
	n := cases(1000)
	failed := map[bool]int{}
	variants := 0
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		g := &kernelGen{r: r, b: NewBuilder(fmt.Sprintf("random%d", seed)), ext: map[Axis]int64{}}
		if r.IntN(3) > 0 {
			g.loop(nil, Grid)
		} else {
			g.body(nil, Grid)
		}
		k := g.b.Kernel()
		params := parameterise(r, k)
		if err := Verify(k); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, k)
		}
		data := make([][]byte, len(k.Bufs))
		for i, b := range k.Bufs {
			data[i] = randomData(r, b.DType, g.bufs[i])
		}
		args := func() (*Args, [][]byte) {
			a := &Args{Params: params, Scalars: []uint64{}}
			for _, s := range k.Scalars {
				a.Scalars = append(a.Scalars, ScalarBits(tensor.Float(2), s))
			}
			c := make([][]byte, len(data))
			for i, b := range k.Bufs {
				mem := make([]uint64, len(data[i])/8+1)
				c[i] = unsafe.Slice((*byte)(unsafe.Pointer(&mem[0])), len(data[i]))
				copy(c[i], data[i])
				a.Bufs = append(a.Bufs, MemOf(c[i], b.DType))
			}
			return a, c
		}
		a, want := args()
		wantErr := refExec(k, a)
		failed[wantErr != nil]++
		p, err := Portable().Compile(k)
		if err != nil {
			t.Fatal(err)
		}
		ep := p.(*evalProgram)
		top := int64(1)
		if s := k.Split(); s != nil {
			top = s.Extent.Get(params)
		}
		check := func(how string, run func(a *Args) error) {
			t.Helper()
			a, got := args()
			err := run(a)
			if (err != nil) != (wantErr != nil) {
				t.Fatalf("seed %d %s: error %v, reference %v\n%s", seed, how, err, wantErr, k)
			}
			if err != nil {
				return
			}
			for i, b := range k.Bufs {
				w := b.DType.Size()
				for j := 0; j < len(want[i]); j += w {
					x, y := refLoad(unsafe.Pointer(&got[i][0]), b.DType, int64(j/w)), refLoad(unsafe.Pointer(&want[i][0]), b.DType, int64(j/w))
					if ty := TypeOf(b.DType); x != y && !(ty.IsFloat() && refFloat(ty, x) != refFloat(ty, x) && refFloat(ty, y) != refFloat(ty, y)) &&
						!(ty.IsFloat() && refFloat(ty, x) == 0 && refFloat(ty, y) == 0) {
						t.Fatalf("seed %d %s: buffer %s[%d] is %x, reference %x\n%s", seed, how, b.Name, j/w, x, y, k)
					}
				}
			}
		}
		check("run", func(a *Args) error { return p.Run(a, 0, top) })
		check("again", func(a *Args) error { return p.Run(a, 0, top) })
		if k.Split() != nil && top > 1 {
			mid := 1 + r.Int64N(top-1)
			check("ranges", func(a *Args) error {
				if err := p.Run(a, mid, top); err != nil {
					return err
				}
				return p.Run(a, 0, mid)
			})
		}
		for i, l := range ep.spine {
			variants++
			check(fmt.Sprintf("lanes over loop %d", i), func(a *Args) error { return ep.runVariant(ep.variants[1+i].get(k, l), a, 0, top) })
		}
		check("vector lanes", func(a *Args) error { return ep.runVariant(ep.variants[0].v, a, 0, top) })
	}
	t.Logf("%d kernels, of which %d raise; %d Grid-lane variants", n, failed[true], variants)
	if failed[true] > n/2 || failed[true] == 0 || variants < n/20 {
		t.Error("the generator makes too few interesting kernels")
	}
}
