package ptx

import (
	"fmt"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// A row in registers. Where each thread of a unit has few vectors of a row, a loop
// over it is unrolled: the loads of all vectors are made first, and what they gave
// stays in registers, as the words that memory holds, for the loops that follow. A
// value that is stored and loaded again is taken from there too, and not stored at
// all if a later loop stores to the same place.

// keeping is what a row's loops have in registers.
type keeping struct {
	chunk int                   // vector that is being computed
	words map[string][][]string // by access: of each vector, its words
	last  map[string]*loop.Loop // the last loop that stores there
	loops map[string]int        // loops that load it
	now   *loop.Loop
	list  []*loop.Loop
	ahead bool            // the loads of later loops were made
	dead  map[string]bool // stores that only these loops read
}

// keyOf names the place of an access, the loop's own axis aside.
func keyOf(m *loop.Access, axis loop.Axis) string {
	s := fmt.Sprintf("%d@%v", m.Buf, m.Off)
	for _, t := range m.Terms {
		if t.Axis != axis {
			s += fmt.Sprintf(" a%d*%v", t.Axis, t.Stride)
		}
	}
	return s
}

// keepable lists the loops of a segment that can be kept in registers: all that its
// unit shares out, of one extent; nil if there is one that cannot. cost is the words
// of registers a vector asks for.
func keepable(k *loop.Kernel, s *segment, vec int) (list []*loop.Loop, cost int) {
	seen := map[string]bool{}
	for _, t := range s.body {
		l, ok := t.(*loop.Loop)
		if !ok {
			continue
		}
		if together(l) || len(flatten(l)) > 1 || !canVector(l.Body, l.Axis) || len(list) > 0 && l.Extent != list[0].Extent {
			return nil, 0
		}
		list = append(list, l)
		whole := true
		eachAccess(l.Body, func(m *loop.Access, store bool) {
			if n, ok := strideOf(m, l.Axis); n != 0 || !ok {
				whole = whole && vectorial(m, l.Axis)
			}
			if !store && vectorial(m, l.Axis) { // what is only stored stays for a moment
				if key := keyOf(m, l.Axis); !seen[key] {
					seen[key] = true
					cost += vec * k.Bufs[m.Buf].DType.Size() / 4
				}
			}
		})
		if !whole {
			return nil, 0 // what it loads elsewhere could be what another loop stores
		}
	}
	return list, cost
}

func newKeeping(u *unit, list []*loop.Loop) *keeping {
	k := &keeping{list: list, dead: map[string]bool{}, words: map[string][][]string{}, last: map[string]*loop.Loop{}, loops: map[string]int{}}
	for _, l := range list {
		eachAccess(l.Body, func(m *loop.Access, store bool) {
			if !vectorial(m, l.Axis) {
				return
			}
			if key := keyOf(m, l.Axis); store {
				k.last[key] = l
			} else {
				k.loops[key]++
			}
		})
	}
	// a buffer that nothing outside of the kernel reads, and these loops at one place
	for b := range u.k.Bufs {
		if !u.k.Bufs[b].Local {
			continue
		}
		all, here, places := 0, 0, map[string]bool{}
		eachAccess(u.k.Body, func(m *loop.Access, _ bool) {
			if m.Buf == b {
				all++
			}
		})
		for _, l := range list {
			eachAccess(l.Body, func(m *loop.Access, _ bool) {
				if m.Buf == b && vectorial(m, l.Axis) {
					here++
					places[keyOf(m, l.Axis)] = true
				}
			})
		}
		if all == here && len(places) == 1 {
			for key := range places {
				k.dead[key] = true
			}
		}
	}
	return k
}

// unroll is share for a row in registers.
func (g *gen) unroll(l *loop.Loop, n, from string, accs []acc) {
	k := g.kept
	k.now = l
	for i := range accs {
		g.grow(&accs[i], g.v.vec)
	}
	at, ok := make([]string, g.v.keep), make([]string, g.v.keep)
	unit := g.v.threads
	if g.v.layout == warp {
		unit = 32
	}
	for c := range at {
		i := g.let(b64, "add.s64", from, imm(int64(c*unit)))
		at[c] = g.let(b64, "mul.lo.s64", i, imm(int64(g.v.vec)))
		ok[c] = g.let(pred, "setp.lt.s64", at[c], n)
	}
	// What this loop loads, and of the loops after it what nothing stores to: their
	// loads wait for memory while this one folds.
	for i, m := range k.list {
		if i > 0 && g.v.keep > 4 || k.ahead && m != l {
			break
		}
		for _, s := range m.Body {
			x, is := s.(*loop.Let)
			if !is || x.Op != loop.OpLoad || !vectorial(x.Mem, m.Axis) {
				continue
			}
			key := keyOf(x.Mem, m.Axis)
			if k.words[key] != nil || k.loops[key] < 2 && g.v.keep > 4 || m != l && g.k.Bufs[x.Mem.Buf].Role != loop.In {
				continue
			}
			for c := range at {
				g.axis[m.Axis] = at[c]
				k.words[key] = append(k.words[key], g.loadWords(x.Mem, ok[c]))
			}
		}
	}
	k.ahead = true
	for c := range at {
		skip := g.label()
		g.op("@!"+ok[c]+" bra", skip)
		g.axis[l.Axis] = at[c]
		k.chunk = c
		g.vector(l.Body, l.Axis, accs)
		g.mark(skip)
	}
}

// hold keeps what is stored, and reports whether a later loop will store there.
func (g *gen) hold(m *loop.Access, words []string) (later bool) {
	k := g.kept
	key := keyOf(m, k.now.Axis)
	if k.words[key] == nil {
		k.words[key] = make([][]string, g.v.keep) // each chunk's when its turn comes
	}
	k.words[key][k.chunk] = words
	return k.last[key] != k.now || k.dead[key]
}

// held are the words of a load that are in registers.
func (g *gen) held(m *loop.Access, axis loop.Axis) []string {
	if g.kept == nil {
		return nil
	}
	if w := g.kept.words[keyOf(m, axis)]; w != nil {
		return w[g.kept.chunk]
	}
	return nil
}

// wordClass is the class of the registers that hold a vector's words, the type of
// their memory accesses, and their size.
func wordClass(d tensor.DType) (c class, t string, size int) {
	switch d {
	case tensor.Float32:
		return f32, "f32", 4
	case tensor.Float64:
		return f64, "f64", 8
	case tensor.Int64:
		return b64, "b64", 8
	}
	return b32, "b32", 4
}

// loadWords reads vec neighbouring elements as words, zeros where ok does not hold.
func (g *gen) loadWords(m *loop.Access, ok string) []string {
	g.elem = -1
	addr, _ := g.address(m)
	d := g.k.Bufs[m.Buf].DType
	c, t, per := wordClass(d)
	var all []string
	n := g.v.vec * d.Size()
	for at := 0; at < n; at += 16 {
		k := min(16, n-at) / per
		rs := make([]string, k)
		for i := range rs {
			rs[i] = g.reg(c)
			if ok != "" {
				zero := map[class]string{b32: "0", b64: "0", f32: immF32(0), f64: immF64(0)}[c]
				g.op("mov"+classTypes[c], rs[i], zero)
			}
		}
		place := fmt.Sprintf("[%s+%d]", addr, at)
		if k == 1 {
			g.when(ok, "ld.global."+t, rs[0], place)
		} else {
			g.when(ok, fmt.Sprintf("ld.global.v%d.%s", k, t), "{"+join(rs)+"}", place)
		}
		all = append(all, rs...)
	}
	return all
}

// storeWords writes them.
func (g *gen) storeWords(m *loop.Access, rs []string) {
	g.elem = -1
	addr, _ := g.address(m)
	_, t, per := wordClass(g.k.Bufs[m.Buf].DType)
	for at := 0; at < len(rs); {
		k := min(16/per, len(rs)-at)
		place := fmt.Sprintf("[%s+%d]", addr, at*per)
		if k == 1 {
			g.when(g.live, "st.global."+t, place, rs[at])
		} else {
			g.when(g.live, fmt.Sprintf("st.global.v%d.%s", k, t), place, "{"+join(rs[at:at+k])+"}")
		}
		at += k
	}
}

// unpack are the elements of words.
func (g *gen) unpack(d tensor.DType, words []string) []string {
	var out []string
	switch d {
	case tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64:
		return words
	case tensor.BFloat16, tensor.Float16:
		for _, r := range words {
			out = append(out, g.fromBits(d, r, 0), g.fromBits(d, r, 1))
		}
	case tensor.Int16:
		for _, r := range words {
			out = append(out, g.let(b32, "bfe.s32", r, "0", "16"), g.let(b32, "bfe.s32", r, "16", "16"))
		}
	case tensor.Int8, tensor.Uint8, tensor.Bool:
		t := "bfe.u32"
		if d == tensor.Int8 {
			t = "bfe.s32"
		}
		for _, r := range words {
			for i := range int64(4) {
				x := g.let(b32, t, r, imm(8*i), "8")
				if d == tensor.Bool {
					x = g.let(pred, "setp.ne.u32", x, "0")
				}
				out = append(out, x)
			}
		}
	default:
		panic(unsupported("loads of " + d.String()))
	}
	return out
}

// pack rounds elements to words.
func (g *gen) pack(d tensor.DType, vals []string) []string {
	var out []string
	switch d {
	case tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64:
		return vals
	case tensor.BFloat16, tensor.Float16:
		for i := 0; i < len(vals); i += 2 {
			out = append(out, g.toBits(d, g.unrounded(d, vals[i]), g.unrounded(d, vals[i+1])))
		}
	case tensor.Int16:
		for i := 0; i < len(vals); i += 2 {
			out = append(out, g.let(b32, "bfi.b32", vals[i+1], vals[i], "16", "16"))
		}
	case tensor.Int8, tensor.Uint8, tensor.Bool:
		for i := 0; i < len(vals); i += 4 {
			r := ""
			for j := range 4 {
				x := vals[i+j]
				if d == tensor.Bool {
					x = g.let(b32, "selp.b32", "1", "0", x)
				}
				if j == 0 {
					r = g.let(b32, "and.b32", x, "255")
				} else {
					r = g.let(b32, "bfi.b32", x, r, imm(int64(8*j)), "8")
				}
			}
			out = append(out, r)
		}
	default:
		panic(unsupported("stores of " + d.String()))
	}
	return out
}
