package amd64

import (
	"fmt"
	"strings"

	"github.com/larkspur-ml/larkspur/inductor/asm"
	"github.com/larkspur-ml/larkspur/inductor/loop"
)

// The argument block; see block in run.go.
const (
	argBufs    = 0
	argParams  = 8
	argScalars = 16
	argLo      = 24
	argHi      = 32
	argStatus  = 40
	argSite    = 48
	argValue   = 56
)

// What a run reports.
const (
	statusOK = iota
	statusIndex
	statusAssert
	statusZero
	statusRetry
	statusOutside
)

// site is what a status refers to.
type site struct {
	dyn    *loop.Dyn
	assert *loop.Assert
	typ    loop.Type
}

// gen emits one kernel for one choice of lanes.
type gen struct {
	u      *unit
	x      *info
	a      *asm.Asm
	avx512 bool
	full   asm.Len
	lanes  int // iterations at once
	split  loop.Axis
	pos    int32
	regs   regs
	frame  frame
	phi    map[loop.V]bool // carried values alive

	streams  []*stream
	byKey    map[string]*stream
	counters map[loop.Axis]place // loop variables
	steps    map[stepKey]int32   // byte strides computed at entry

	lane  *loop.Loop // open
	tail  bool
	rest  place // lanes left
	tail4 int32 // AVX2: slots of the masks of a tail
	tail8 int32

	scratch []int32
	past    map[int]bool // buffers stored past the caches
	choices choices
	errs    []errExit
	sites   []site
	exit    asm.Label
}

type errExit struct {
	label  asm.Label
	status int32
	site   int32
}

// place is a 64-bit integer in a general register or the frame.
type place struct {
	reg   asm.GP
	inReg bool
	slot  int32
}

type stepKey struct {
	p     loop.P
	bytes int64
}

func (g *gen) rmOf(p place) asm.RM {
	if p.inReg {
		return asm.G(p.reg)
	}
	return asm.M(g.at(p.slot))
}

func (g *gen) setPlace(p place, r asm.GP) {
	if p.inReg {
		if p.reg != r {
			g.a.RM(asm.MOV, p.reg, asm.G(r))
		}
		return
	}
	g.a.RM(asm.STORE, r, asm.M(g.at(p.slot)))
}

// L is the length of the vectors of a type.
func (g *gen) L(t loop.Type) asm.Len {
	if is64(t) || g.x.wide {
		return g.full
	}
	return g.full - 1
}

// generate makes the code of a unit, with at most limit bytes of frame, of which
// it takes the first used.
func generate(u *unit, x *info, avx512 bool, limit int32, past map[int]bool, list bool) (code []byte, used int32, sites []site, text string, err error) {
	g := &gen{u: u, x: x, avx512: avx512, full: asm.L256, split: -1, frame: frame{limit: limit}, past: past, phi: map[loop.V]bool{}, byKey: map[string]*stream{},
		counters: map[loop.Axis]place{}, steps: map[stepKey]int32{}}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case unsupported:
			err = e
		default:
			panic(e)
		}
	}()
	g.regs.n = 16
	repeat := 32
	if avx512 {
		g.full, g.regs.n, repeat = asm.L512, 32, 0
	}
	g.lanes = g.full.Bytes() / 8
	if x.wide {
		g.lanes *= 2
	}
	g.a = asm.New(repeat)
	if list {
		g.a.List()
	}
	g.regs.of = make([]int8, len(u.types))
	g.regs.slot = make([]int32, len(u.types))
	for i := range g.regs.of {
		g.regs.of[i] = noReg
	}
	g.frame.top = 8
	for range max(4, 2+dataIndices(u.body)) {
		g.scratch = append(g.scratch, g.space(64))
	}
	if l := u.k.Split(); l != nil {
		g.split = l.Axis
	}
	g.exit = g.a.NewLabel()
	g.collect(u.body, nil)
	g.prologue()
	g.pos = 0
	g.block(u.body)
	g.a.Bind(g.exit)
	if len(past) > 0 {
		g.a.Plain(asm.SFENCE) // others find it by ordinary stores
	}
	g.a.Plain(asm.VZEROUPPER)
	g.a.Plain(asm.RET)
	for _, e := range g.errs {
		g.a.Bind(e.label)
		g.a.RM(asm.STORE, asm.RAX, asm.M(asm.At(asm.RDI, argValue)))
		g.a.StoreI(asm.At(asm.RDI, argSite), e.site)
		g.a.StoreI(asm.At(asm.RDI, argStatus), e.status)
		g.a.Jmp(g.exit)
	}
	code, err = g.a.Finish()
	if err != nil {
		return nil, 0, nil, "", fmt.Errorf("BUG: kernel %s: %w", u.k.Name, err)
	}
	return code, g.frame.top, g.sites, g.a.Listing(), nil
}

// dataIndices is the greatest number of data indices in an address.
func dataIndices(body []loop.Stmt) int {
	n := 0
	for _, s := range body {
		var m *loop.Access
		switch s := s.(type) {
		case *loop.Let:
			m = s.Mem
		case *loop.Store:
			m = s.Mem
		case *loop.Atomic:
			m = s.Mem
		case *loop.Loop:
			n = max(n, dataIndices(s.Body))
		}
		if m != nil {
			n = max(n, len(m.Dyn))
		}
	}
	return n
}

// fault is a label that reports a status with the value in rax.
func (g *gen) fault(status int32, s site) asm.Label {
	l := g.a.NewLabel()
	g.errs = append(g.errs, errExit{l, status, int32(len(g.sites))})
	g.sites = append(g.sites, s)
	return l
}

// loadP brings an integer of the kernel into r.
func (g *gen) loadP(r asm.GP, p loop.P) {
	if p.Par == 0 {
		g.a.MovI(r, p.Imm)
		return
	}
	g.a.RM(asm.MOV, r, asm.M(asm.At(asm.RDI, argParams)))
	g.a.RM(asm.MOV, r, asm.M(asm.At(r, 8*(p.Par-1))))
}

// block emits statements, numbering positions as the analysis did.
func (g *gen) block(body []loop.Stmt) {
	for _, s := range body {
		g.pos++
		switch s := s.(type) {
		case *loop.Let:
			g.let(s)
		case *loop.Store:
			g.store(s)
		case *loop.Atomic:
			g.atomic(s)
		case *loop.Assert:
			g.assert(s)
		case *loop.Loop:
			g.loop(s)
		}
		g.endStmt()
	}
}

// stream is an address with the loops that it moves in, outermost first.
type stream struct {
	buf    int
	off    loop.P
	levels []level
	base   int32 // slot of the address before any loop
	size   int64
}

type level struct {
	loop *loop.Loop
	step loop.P // in elements
	slot int32
	reg  asm.GP
	live bool // the loop is open
	in   bool // in its register
}

// collect finds the streams of all accesses.
func (g *gen) collect(body []loop.Stmt, path []*loop.Loop) {
	for _, s := range body {
		switch s := s.(type) {
		case *loop.Let:
			if s.Mem != nil {
				g.addStream(s.Mem, path)
			}
		case *loop.Store:
			g.addStream(s.Mem, path)
		case *loop.Atomic:
			g.addStream(s.Mem, path)
		case *loop.Loop:
			g.collect(s.Body, append(path[:len(path):len(path)], s))
		}
	}
}

func streamKey(m *loop.Access) string {
	var sb strings.Builder
	fmt.Fprint(&sb, m.Buf, m.Off)
	for _, t := range m.Terms {
		fmt.Fprint(&sb, "|", t.Axis, t.Stride)
	}
	return sb.String()
}

func (g *gen) addStream(m *loop.Access, path []*loop.Loop) {
	key := streamKey(m)
	if g.byKey[key] != nil {
		return
	}
	s := &stream{buf: m.Buf, off: m.Off, size: int64(g.u.k.Bufs[m.Buf].DType.Size())}
	for _, l := range path {
		for _, t := range m.Terms {
			if t.Axis == l.Axis && t.Stride != (loop.P{}) {
				s.levels = append(s.levels, level{loop: l, step: t.Stride, slot: g.word()})
			}
		}
	}
	s.base = g.word()
	g.byKey[key] = s
	g.streams = append(g.streams, s)
}

// prologue computes base addresses and the byte strides that are not immediate.
func (g *gen) prologue() {
	a := g.a
	for _, s := range g.streams {
		g.loadP(asm.RAX, s.off)
		g.scale(asm.RAX, s.size)
		a.RM(asm.MOV, asm.RCX, asm.M(asm.At(asm.RDI, argBufs)))
		a.RR(asm.ADD, asm.RAX, asm.M(asm.At(asm.RCX, int32(16*s.buf))))
		a.RM(asm.STORE, asm.RAX, asm.M(g.at(s.base)))
		for _, l := range s.levels {
			g.needStep(l.step, s.size)
			if g.x.laneOf[l.loop] {
				g.needStep(l.step, s.size*int64(g.lanes))
			}
		}
	}
	g.dynSteps(g.u.body)
}

func (g *gen) dynSteps(body []loop.Stmt) {
	mem := func(m *loop.Access) {
		if m != nil {
			for _, d := range m.Dyn {
				g.needStep(d.Stride, int64(g.u.k.Bufs[m.Buf].DType.Size()))
			}
		}
	}
	for _, s := range body {
		switch s := s.(type) {
		case *loop.Let:
			mem(s.Mem)
		case *loop.Store:
			mem(s.Mem)
		case *loop.Atomic:
			mem(s.Mem)
		case *loop.Loop:
			g.dynSteps(s.Body)
		}
	}
}

func (g *gen) scale(r asm.GP, n int64) {
	for s := uint8(0); s < 12; s++ {
		if n == 1<<s {
			if s > 0 {
				g.a.ShiftI(asm.SHL, r, s)
			}
			return
		}
	}
	g.a.ImulI(r, asm.G(r), int32(n))
}

// needStep keeps p*bytes in the frame, unless it is a small immediate.
func (g *gen) needStep(p loop.P, bytes int64) {
	if _, ok := g.immStep(p, bytes); ok {
		return
	}
	k := stepKey{p, bytes}
	if _, ok := g.steps[k]; ok {
		return
	}
	slot := g.word()
	g.steps[k] = slot
	g.loadP(asm.RAX, p)
	g.scale(asm.RAX, bytes)
	g.a.RM(asm.STORE, asm.RAX, asm.M(g.at(slot)))
}

func (g *gen) immStep(p loop.P, bytes int64) (int32, bool) {
	if p.Par != 0 {
		return 0, false
	}
	v := p.Imm * bytes
	return int32(v), v == int64(int32(v)) && (p.Imm == 0 || v/p.Imm == bytes)
}

// addStep is dst += p*bytes.
func (g *gen) addStep(dst place, p loop.P, bytes int64) {
	if v, ok := g.immStep(p, bytes); ok {
		if v != 0 {
			g.a.RI(asm.ADD, g.rmOf(dst), v)
		}
		return
	}
	slot := g.steps[stepKey{p, bytes}]
	if dst.inReg {
		g.a.RR(asm.ADD, dst.reg, asm.M(g.at(slot)))
		return
	}
	g.a.RM(asm.MOV, asm.RAX, asm.M(g.at(slot)))
	g.a.MR(asm.ADD, g.at(dst.slot), asm.RAX)
}

// mulStep is r *= p*bytes.
func (g *gen) mulStep(r asm.GP, p loop.P, bytes int64) {
	if v, ok := g.immStep(p, bytes); ok {
		if v > 0 && v&(v-1) == 0 {
			g.scale(r, int64(v))
			return
		}
		g.a.ImulI(r, asm.G(r), v)
		return
	}
	g.a.RM(asm.IMUL, r, asm.M(g.at(g.steps[stepKey{p, bytes}])))
}

// pointer is a register with the current address of an access, but for its data
// terms; tmp is used if the address is in the frame.
func (g *gen) pointer(m *loop.Access, tmp asm.GP) asm.GP {
	s := g.byKey[streamKey(m)]
	for i := len(s.levels) - 1; i >= 0; i-- {
		if l := &s.levels[i]; l.live {
			if l.in {
				return l.reg
			}
			g.a.RM(asm.MOV, tmp, asm.M(g.at(l.slot)))
			return tmp
		}
	}
	g.a.RM(asm.MOV, tmp, asm.M(g.at(s.base)))
	return tmp
}
