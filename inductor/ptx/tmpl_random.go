package ptx

import (
	"encoding/binary"
	"math"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/inductor/random"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Random draws as PyTorch's CUDA generator makes them: Philox4x32-10, keyed by the
// seed, counted by thread and by offset/4. The state is 16 bytes on the host, seed
// and offset, and the launch takes its share of the offsets at once. Thread i of n
// makes four numbers at a time, for elements i, i+n, i+2n and i+3n.
//
// Other distributions and float64 are drawn on the host, from a stream that seed and
// offset choose; they are not PyTorch's.

func init() {
	templates["random_uniform"] = func(t *Target, a *loop.TemplateArgs) (bool, error) { return t.draw(a, false) }
	templates["random_normal"] = func(t *Target, a *loop.TemplateArgs) (bool, error) { return t.draw(a, true) }
}

// StateSize is the length of a generator's state.
const StateSize = 16

// Argument words of a draw.
const (
	drawOut = iota
	drawCount
	drawSeed
	drawOffset // over 4
	drawA      // from, or mean, as float32
	drawB      // to, or standard deviation
	drawWords
)

type drawVariant struct {
	dtype  tensor.DType
	normal bool
}

// threads of a block, and of a multiprocessor, in PyTorch's policy.
const (
	drawThreads = 256
	drawResides = 2048
)

func (t *Target) draw(a *loop.TemplateArgs, normal bool) (bool, error) {
	o := &a.Out[0]
	switch o.DType {
	case tensor.Float32, tensor.Float16, tensor.BFloat16:
	default:
		return false, nil
	}
	n := o.Numel()
	if len(a.State) != StateSize || !dense(o) || n >= 1<<31 {
		return false, nil
	}
	if n == 0 {
		return true, nil
	}
	v := drawVariant{o.DType, normal}
	code, err := t.template(v, func() (string, error) { return v.text(), nil })
	if err != nil {
		return false, err
	}
	grid := min(int64(t.m.Processors())*(drawResides/drawThreads), (n+drawThreads-1)/drawThreads)
	offset := binary.LittleEndian.Uint64(a.State[8:])
	w := make([]uint64, drawWords)
	w[drawOut] = uint64(int64(uintptr(o.Mem.Ptr)) + o.Off*int64(o.DType.Size()))
	w[drawCount], w[drawSeed], w[drawOffset] = uint64(n), binary.LittleEndian.Uint64(a.State), offset/4
	w[drawA] = uint64(math.Float32bits(float32(a.Nums[0].Float64())))
	w[drawB] = uint64(math.Float32bits(float32(a.Nums[1].Float64())))
	if err := t.on(a.Queue).Launch(code, int(grid), 1, drawThreads, w); err != nil {
		return false, err
	}
	binary.LittleEndian.PutUint64(a.State[8:], offset+4*uint64((n-1)/(drawThreads*grid*4)+1))
	return true, nil
}

// dense: row-major without gaps.
func dense(o *loop.Operand) bool {
	want := int64(1)
	for d := len(o.Size) - 1; d >= 0; d-- {
		if o.Size[d] != 1 && o.Stride[d] != want {
			return false
		}
		want *= o.Size[d]
	}
	return true
}

// philox is ten rounds on counter c with key k.
func (g *gen) philox(c [4]string, k [2]string) [4]string {
	for r := range 10 {
		if r > 0 {
			k[0] = g.let(b32, "add.u32", k[0], "0x9E3779B9")
			k[1] = g.let(b32, "add.u32", k[1], "0xBB67AE85")
		}
		hi0, lo0 := g.let(b32, "mul.hi.u32", c[0], "0xD2511F53"), g.let(b32, "mul.lo.u32", c[0], "0xD2511F53")
		hi1, lo1 := g.let(b32, "mul.hi.u32", c[2], "0xCD9E8D57"), g.let(b32, "mul.lo.u32", c[2], "0xCD9E8D57")
		c = [4]string{
			g.let(b32, "xor.b32", g.let(b32, "xor.b32", hi1, c[1]), k[0]), lo1,
			g.let(b32, "xor.b32", g.let(b32, "xor.b32", hi0, c[3]), k[1]), lo0,
		}
	}
	return c
}

func (v drawVariant) text() string {
	g := &gen{unit: &unit{k: &loop.Kernel{Name: "draw"}}, args: map[int]string{}, elem: -1, step: -1}
	t := loop.F32
	out, n := g.word(b64, drawOut), g.word(b64, drawCount)
	halves := func(r string) (lo, hi string) {
		lo, hi = g.reg(b32), g.reg(b32)
		g.op("mov.b64", "{"+lo+", "+hi+"}", r)
		return lo, hi
	}
	k0, k1 := halves(g.word(b64, drawSeed))
	idx := g.flatIndex()
	s0, s1 := halves(idx)
	all := g.let(b64, "mul.wide.u32", g.let(b32, "mov.u32", "%nctaid.x"), g.let(b32, "mov.u32", "%ntid.x"))
	round := g.let(b64, "shl.b64", all, "2")
	ctr := g.copyOf(loop.I64, g.word(b64, drawOffset))
	a, b := g.word(f32, drawA), g.word(f32, drawB)
	span := g.let(f32, "sub.rn.f32", b, a)
	const inv = 2.3283064365386963e-10 // 2^-32
	unit := func(x string, scale float64) string {
		return g.let(f32, "fma.rn.f32", g.let(f32, "cvt.rn.f32.u32", x), g.float(t, scale), g.float(t, float64(float32(scale))/2))
	}
	size := int64(v.dtype.Size())
	g.count(idx, n, round, func(i string) {
		c0, c1 := halves(ctr)
		g.op("add.s64", ctr, ctr, "1")
		r := g.philox([4]string{c0, c1, s0, s1}, [2]string{k0, k1})
		var val [4]string
		if v.normal {
			for p := 0; p < 4; p += 2 {
				u, w := unit(r[p], inv), unit(r[p+1], float64(float32(inv*2*math.Pi)))
				s := g.let(f32, "sqrt.rn.f32", g.let(f32, "mul.rn.f32", g.expand(loop.OpLog, t, u, ""), g.float(t, -2)))
				val[p] = g.let(f32, "mul.rn.f32", s, g.expand(loop.OpSin, t, w, ""))
				val[p+1] = g.let(f32, "mul.rn.f32", s, g.expand(loop.OpCos, t, w, ""))
			}
		}
		for e := range val {
			var x string
			if v.normal {
				x = g.let(f32, "fma.rn.f32", val[e], b, a)
			} else {
				x = g.round(g.let(f32, "fma.rn.f32", unit(r[e], inv), span, a), t, v.dtype)
				x = g.let(f32, "selp.b32", a, x, g.let(pred, "setp.eq.f32", x, b)) // (from, to] becomes [from, to)
			}
			at := i
			if e > 0 {
				at = g.let(b64, "mad.lo.s64", all, imm(int64(e)), i)
			}
			ok := g.let(pred, "setp.lt.u64", at, n)
			g.write(v.dtype, g.let(b64, "mad.lo.s64", at, imm(size), out), ok, x)
		}
	})
	return g.entry("k", drawWords, "\n.maxntid 256, 1, 1")
}

// hostState makes a state of the host's generator from a GPU's, whose offset moves on.
func hostState(state []byte) ([]byte, error) {
	seed, offset := binary.LittleEndian.Uint64(state), binary.LittleEndian.Uint64(state[8:])
	binary.LittleEndian.PutUint64(state[8:], offset+4)
	return random.New(seed ^ (offset+1)*0x9E3779B97F4A7C15>>16).Bytes(), nil
}
