package ptx

import (
	"fmt"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// layout says which threads compute a point (package doc).
type layout uint8

const (
	thread layout = iota
	warp
	block
	column
)

var layoutNames = [...]string{"thread", "warp", "block", "column"}

// variant is what code is specialised on beside its segment.
type variant struct {
	layout layout
	vec    int  // elements a thread takes at once, where accesses step by one
	wide   bool // points are counted in 64 bits
	parts  bool // several blocks share a point
	// threads of a block: what bounds the registers of each
	threads int
	keep    int // vectors of a row that each thread keeps in registers; 0: none
}

// Argument words in front of the kernel's own.
const (
	argPoints = iota // points of the launch
	argInner         // steps of the innermost loop of the chain: its extent over vec
	argFault         // the fault record
	argWork          // the workspace: tickets, kept values, partial results
	argOwn           // buffers, their lengths, parameters, scalars
)

// unit is a kernel with what all its segments share.
type unit struct {
	k     *loop.Kernel
	segs  []*segment
	types []loop.Type
	lets  map[loop.V]*loop.Let // at the top
	home  map[loop.V]int       // segment that defines a value
	keep  map[loop.V]int       // values that later segments read: workspace slot
	fast  bool                 // floats in memory have 16 bits
	sites *siteTable
}

func newUnit(k *loop.Kernel, sites *siteTable) *unit {
	u := &unit{k: k, segs: segments(k), types: make([]loop.Type, k.NumV+1), lets: map[loop.V]*loop.Let{}, home: map[loop.V]int{}, keep: map[loop.V]int{}, sites: sites}
	for _, s := range k.Body {
		if l, ok := s.(*loop.Let); ok {
			u.lets[l.V] = l
		}
	}
	u.typeAll(k.Body)
	at := map[loop.Stmt]int{}
	for i, s := range u.segs {
		for _, l := range [][]loop.Stmt{s.body, s.post} {
			for _, t := range l {
				at[t] = i
			}
			defs(l, func(v loop.V, _ *loop.Let) { u.home[v] = i })
		}
	}
	for i, s := range u.segs {
		for _, l := range [][]loop.Stmt{s.body, s.post} {
			uses(l, func(v loop.V) {
				h, ok := u.home[v]
				if ok && h != i && !u.cheap(v) {
					if _, ok := u.keep[v]; !ok {
						u.keep[v] = len(u.keep)
					}
				}
			})
		}
	}
	if len(u.keep) > keepSlots {
		panic(unsupported("too many values between loops"))
	}
	u.fast = true
	floats := false
	for _, b := range k.Bufs {
		switch b.DType {
		case tensor.Float32, tensor.Float64:
			u.fast = false
		case tensor.Float16, tensor.BFloat16:
			floats = true
		}
	}
	u.fast = u.fast && floats
	return u
}

// cheap values are made anew in each segment.
func (u *unit) cheap(v loop.V) bool {
	l := u.lets[v]
	return l != nil && (l.Op == loop.OpConst || l.Op == loop.OpParam || l.Op == loop.OpScalar)
}

func (u *unit) typeAll(body []loop.Stmt) {
	for _, s := range body {
		switch s := s.(type) {
		case *loop.Let:
			u.types[s.V] = s.Type
		case *loop.Loop:
			for _, c := range s.Carry {
				u.types[c.Phi], u.types[c.Out] = c.Type, c.Type
			}
			for _, f := range s.Folds {
				u.types[f.Out] = f.Type
				if f.Op.HasIndex() {
					u.types[f.OutIx] = loop.I64
				}
			}
			u.typeAll(s.Body)
		}
	}
}

// gen emits one segment in one variant.
type gen struct {
	asm
	*unit
	seg  *segment
	at   int // the segment's number
	v    variant
	vals []map[loop.V]string // innermost scope last
	axis []string            // loop variables, as 64-bit registers
	args map[int]string      // argument words in registers
	elem int                 // element of a vector that is being computed; -1: no vector
	lane []map[loop.V]string // values of each element
	step loop.Axis           // the axis along which vectors run

	kept *keeping

	vary    map[loop.V]bool        // what differs between a vector's elements
	inverse map[string]string      // reciprocals of divisors of all of them
	ones    map[string]bool        // registers that hold the float 1
	rounded map[string]roundedFrom // registers that hold a rounded value

	live  string // lanes that have a point ("" all)
	first string // the thread that stores for its unit ("" all threads are units)
	tid   string // member of the unit
	size  string // members of the unit
	point string // the unit's point, as a 64-bit register
}

// words is the number of arguments.
func (u *unit) words() int { return argOwn + 2*len(u.k.Bufs) + len(u.k.Params) + len(u.k.Scalars) }

func (g *gen) word(c class, i int) string {
	key := i<<3 | int(c)
	r, ok := g.args[key]
	if !ok {
		r = g.asm.arg(c, i)
		g.args[key] = r
	}
	return r
}

func (g *gen) base(buf int) string   { return g.word(b64, argOwn+buf) }
func (g *gen) length(buf int) string { return g.word(b64, argOwn+len(g.k.Bufs)+buf) }

// p is an integer of the kernel as an operand.
func (g *gen) p(p loop.P) string {
	if p.Par == 0 {
		return imm(p.Imm)
	}
	return g.word(b64, argOwn+2*len(g.k.Bufs)+int(p.Par)-1)
}

func (g *gen) scalar(slot int) string {
	i := argOwn + 2*len(g.k.Bufs) + len(g.k.Params) + slot
	t := g.k.Scalars[slot]
	if t == loop.B1 {
		return g.let(pred, "setp.ne.u32", g.word(b32, i), "0")
	}
	return g.word(classOf[t], i)
}

// set gives a value its register in the current scope.
func (g *gen) set(v loop.V, r string) {
	if g.elem >= 0 {
		g.lane[g.elem][v] = r
		return
	}
	g.vals[len(g.vals)-1][v] = r
}

// get is the register of a value.
func (g *gen) get(v loop.V) string {
	if g.elem >= 0 {
		if r, ok := g.lane[g.elem][v]; ok {
			return r
		}
	}
	for i := len(g.vals) - 1; i >= 0; i-- {
		if r, ok := g.vals[i][v]; ok {
			return r
		}
	}
	panic("BUG: ptx: value " + v.String() + " is not at hand in kernel " + g.k.Name)
}

func (g *gen) enter() { g.vals = append(g.vals, map[loop.V]string{}) }
func (g *gen) leave() { g.vals = g.vals[:len(g.vals)-1] }

// generate makes the text of a segment's variant.
func (u *unit) generate(at int, v variant) (text string, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case unsupported:
			err = e
		default:
			panic(e)
		}
	}()
	g := &gen{unit: u, seg: u.segs[at], at: at, v: v, args: map[int]string{}, axis: make([]string, u.k.NumAxis), elem: -1, step: -1}
	g.vals = []map[loop.V]string{{}}
	g.outside()
	switch v.layout {
	case thread:
		g.threads()
	case warp, block:
		g.rows()
	case column:
		g.columns()
	}
	return g.entry("k", u.words(), fmt.Sprintf("\n.maxntid %d, 1, 1", v.threads)), nil
}

// outside makes what the segment reads of the rest of the kernel.
func (g *gen) outside() {
	seen := map[loop.V]bool{}
	for _, l := range [][]loop.Stmt{g.seg.body, g.seg.post} {
		uses(l, func(v loop.V) {
			if seen[v] {
				return
			}
			seen[v] = true
			if h, ok := g.home[v]; ok && h == g.at {
				return
			}
			if l := g.lets[v]; l != nil && g.cheap(v) {
				g.set(v, g.source(l))
				return
			}
			if slot, ok := g.keep[v]; ok {
				g.set(v, g.reload(slot, g.types[v]))
			}
		})
	}
}

// keepSlots is how many values a kernel may hand from launch to launch.
const keepSlots = 512

func (g *gen) slot(i int) string {
	return g.let(b64, "add.s64", g.word(b64, argWork), imm(int64(workKeep+8*i)))
}

func (g *gen) reload(slot int, t loop.Type) string {
	a := "[" + g.slot(slot) + "]"
	if t == loop.B1 {
		return g.let(pred, "setp.ne.u32", g.let(b32, "ld.global.u32", a), "0")
	}
	return g.let(classOf[t], "ld.global."+bitsSuffix[t], a)
}

// keepAll stores what later segments read, by one thread.
func (g *gen) keepAll(p string) {
	for v := loop.V(1); int(v) < len(g.types); v++ {
		slot, ok := g.keep[v]
		if !ok || g.home[v] != g.at {
			continue
		}
		r, t := g.get(v), g.types[v]
		if t == loop.B1 {
			r, t = g.let(b32, "selp.b32", "1", "0", r), loop.I32
		}
		g.when(p, "st.global."+bitsSuffix[t], "["+g.slot(slot)+"]", r)
	}
}

// source computes a Let that has no operands.
func (g *gen) source(l *loop.Let) string {
	switch l.Op {
	case loop.OpConst:
		return g.constant(l.Type, l.Bits)
	case loop.OpParam:
		return g.let(b64, "mov.s64", g.p(l.P))
	case loop.OpScalar:
		return g.scalar(l.Slot)
	}
	panic("BUG: ptx: " + l.Op.String() + " is no source")
}

// stmts emits statements for one thread; loops inside are walked by it alone.
func (g *gen) stmts(body []loop.Stmt) {
	for _, s := range body {
		g.stmt(s)
	}
}

func (g *gen) stmt(s loop.Stmt) {
	switch s := s.(type) {
	case *loop.Let:
		g.assign(s)
	case *loop.Store:
		g.store(s.Mem, g.get(s.Val))
	case *loop.Atomic:
		g.atomic(s)
	case *loop.Assert:
		g.assert(s)
	case *loop.Loop:
		g.serial(s, g.stmts)
	}
}

func (g *gen) assign(l *loop.Let) {
	switch l.Op {
	case loop.OpConst, loop.OpParam, loop.OpScalar:
		g.set(l.V, g.source(l))
	case loop.OpAxis:
		a := g.axis[l.Slot]
		if g.elem > 0 && loop.Axis(l.Slot) == g.step {
			a = g.let(b64, "add.s64", a, imm(int64(g.elem)))
		}
		g.set(l.V, a)
	case loop.OpLoad:
		g.set(l.V, g.load(l))
	default:
		var x, y, z string
		n := l.Op.Arity()
		if n > 0 {
			x = g.get(l.A)
		}
		if n > 1 {
			y = g.get(l.B)
		}
		if n > 2 {
			z = g.get(l.C)
		}
		g.set(l.V, g.prim(l, g.types[l.A], x, y, z))
	}
}

// copyTo makes a register that may be written again.
func (g *gen) copyOf(t loop.Type, r string) string { return g.let(classOf[t], "mov."+bitsSuffix[t], r) }

func (g *gen) move(t loop.Type, d, r string) { g.op("mov."+bitsSuffix[t], d, r) }

// serial walks a loop in order.
func (g *gen) serial(l *loop.Loop, body func([]loop.Stmt)) {
	var phis []string
	for _, c := range l.Carry {
		phis = append(phis, g.copyOf(c.Type, g.get(c.Init)))
	}
	accs := g.accumulators(l.Folds, true)
	i := g.let(b64, "mov.s64", "0")
	top, end := g.label(), g.label()
	p := g.let(pred, "setp.le.s64", g.copyOf(loop.I64, g.p(l.Extent)), "0")
	g.op("@"+p+" bra", end)
	g.mark(top)
	g.axis[l.Axis] = i
	g.enter()
	for k, c := range l.Carry {
		g.set(c.Phi, g.copyOf(c.Type, phis[k])) // a swap reads all before it writes
	}
	body(l.Body)
	for k := range l.Folds {
		g.accumulate(&accs[k])
	}
	next := make([]string, len(l.Carry))
	for k, c := range l.Carry {
		next[k] = g.get(c.Next)
	}
	for k, c := range l.Carry {
		g.move(c.Type, phis[k], next[k])
	}
	g.leave()
	g.op("add.s64", i, i, "1")
	g.op("setp.lt.s64", p, i, g.p(l.Extent))
	g.op("@"+p+" bra", top)
	g.mark(end)
	for k := range accs {
		g.result(&accs[k])
	}
	for k, c := range l.Carry {
		g.set(c.Out, phis[k])
	}
}
