package loop

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/larkspur-ml/larkspur/tensor"
)

// variant is a kernel compiled for one choice of lane loops.
type variant struct {
	pre, body []*inst
	regs      []register
	naxis     int
	block     int
	words     int  // of the state's memory
	narrow    bool // has storage that is converted
	gathers   bool // has accesses that differ by lane in other ways than a stride
	consts    []*inst
	aliased   []int32 // registers that may point into buffers
	lanes     []*Loop
	accesses  []*access
	pool      sync.Pool
}

// register is a typed place for one value or one block of lanes.
type register struct {
	typ       Type
	lane      bool
	def, last int // positions inside its lane loop
	off       int // in words
}

func (v *variant) newState() *state {
	st := &state{v: v, p: make([]unsafe.Pointer, len(v.regs)), axis: make([]int64, v.naxis), block: v.block}
	words := v.words
	if v.narrow {
		words += v.block
	}
	st.memory = make([]uint64, words+1)
	if v.gathers {
		st.addr = make([]int64, v.block)
	}
	for i, r := range v.regs {
		st.p[i] = unsafe.Pointer(&st.memory[r.off])
	}
	st.tmp = unsafe.Pointer(&st.memory[v.words])
	st.home = slices.Clone(st.p)
	for _, c := range v.consts {
		putBits(st.p[c.d], v.regs[c.d].typ, uint64(c.aux))
	}
	return st
}

// putBits stores a value given as the bits of a constant or a scalar slot.
func putBits(p unsafe.Pointer, t Type, bits uint64) {
	switch t {
	case B1:
		*(*bool)(p) = bits&1 != 0
	case I32, F32:
		*(*uint32)(p) = uint32(bits)
	default:
		*(*uint64)(p) = bits
	}
}

// evalCompiler makes a variant. In a lane loop it keeps, besides the code, the
// positions at which registers are defined and last used: at its end they decide
// which share memory, which loads may point into their buffer (no store between
// the load and the value's last use) and which values may be computed straight
// into the buffer that they are stored to (the store is their last use and
// nothing between touches memory).
type evalCompiler struct {
	k    *Kernel
	v    *variant
	of   []int32 // by V: its register
	alt  *Loop   // the Grid loop that is the lane loop, or nil
	out  *[]*inst
	lane *laneLoop
	slab []inst
	peak int
	uses []int32
	// eval_chain.go
	waits     map[V]bool   // values whose reader may take them on
	held      map[V]*chain // those of them that have lanes, until then
	conds     map[V]*Let   // comparisons held back for their selection
	constants map[V]*Let
}

type laneLoop struct {
	axis    Axis
	pos     int
	first   int // registers from here on belong to this loop
	pre     []*inst
	splats  map[int32]int32
	open    []openLoop
	stores  []int
	loads   []laneLoad
	directs []direct
}

// openLoop is a loop inside the lane loop: registers from outside it that are
// used in it live until its end.
type openLoop struct {
	start int
	keep  []int32
}

type laneLoad struct {
	in  *inst
	pos int
}

type direct struct {
	def   *inst
	at    int // position of def
	store *inst
	pos   int // position of the store
}

const forever = math.MaxInt

func compileVariant(k *Kernel, lane *Loop) *variant {
	c := &evalCompiler{k: k, v: &variant{naxis: k.NumAxis}, of: make([]int32, k.NumV+1), alt: lane}
	for i := range c.of {
		c.of[i] = -1
	}
	c.out = &c.v.body
	c.uses = make([]int32, k.NumV+1)
	countUses(c.uses, k.Body)
	c.waits, c.held = map[V]bool{}, map[V]*chain{}
	c.conds, c.constants = map[V]*Let{}, map[V]*Let{}
	c.stmts(k.Body, k.Split())
	c.layout()
	return c.v
}

func (c *evalCompiler) newInst() *inst {
	if len(c.slab) == 0 {
		c.slab = make([]inst, 16)
	}
	in := &c.slab[0]
	c.slab = c.slab[1:]
	return in
}

// emit appends an instruction and returns it. In a lane loop it takes a position.
func (c *evalCompiler) emit(in inst) *inst {
	p := c.newInst()
	*p = in
	*c.out = append(*c.out, p)
	if c.lane != nil {
		c.lane.pos++
	}
	return p
}

func (c *evalCompiler) newReg(t Type, lane bool) int32 {
	r := register{typ: t, lane: lane, def: -1, last: -1}
	if lane {
		r.def, r.last = c.lane.pos, c.lane.pos
	}
	c.v.regs = append(c.v.regs, r)
	return int32(len(c.v.regs) - 1)
}

// define makes the register of v.
func (c *evalCompiler) define(v V, t Type, lane bool) int32 {
	r := c.newReg(t, lane)
	c.of[v] = r
	return r
}

func (c *evalCompiler) reg(v V) int32 {
	r := c.of[v]
	if r < 0 {
		panic(fmt.Sprintf("BUG: kernel %s uses v%d before its definition", c.k.Name, v))
	}
	return r
}

func (c *evalCompiler) isLane(v V) bool { return v != 0 && c.v.regs[c.reg(v)].lane }

// use notes that the next instruction reads r.
func (c *evalCompiler) use(r int32) int32 {
	if r < 0 || !c.v.regs[r].lane {
		return r
	}
	g := &c.v.regs[r]
	g.last = max(g.last, c.lane.pos)
	for i := range c.lane.open {
		if o := &c.lane.open[i]; g.def < o.start {
			o.keep = append(o.keep, r)
			break
		}
	}
	return r
}

// operand is the register of v, spread over the lanes if it must be.
func (c *evalCompiler) operand(v V, lane bool) int32 {
	if !lane {
		return c.use(c.reg(v))
	}
	return c.use(c.spread(v))
}

// spread is a lane register that holds v.
func (c *evalCompiler) spread(v V) int32 {
	r := c.reg(v)
	g := c.v.regs[r]
	if g.lane {
		return r
	}
	l := c.lane
	if int(r) < l.first {
		if s, ok := l.splats[r]; ok {
			return s
		}
		s := c.newReg(g.typ, true)
		c.v.regs[s].def, c.v.regs[s].last = -1, forever
		in := c.newInst()
		*in = inst{fn: splatFn[g.typ], d: s, a: r}
		l.pre = append(l.pre, in)
		l.splats[r] = s
		return s
	}
	s := c.newReg(g.typ, true)
	c.emit(inst{fn: splatFn[g.typ], d: s, a: r, pure: true})
	return s
}

func (c *evalCompiler) stmts(body []Stmt, split *Loop) {
	if c.lane != nil {
		c.fusible(body)
	}
	for _, s := range body {
		switch s := s.(type) {
		case *Let:
			c.let(s)
		case *Store:
			c.store(s)
		case *Atomic:
			c.atomic(s)
		case *Assert:
			c.assert(s)
		case *Loop:
			c.loop(s, s == split)
		}
	}
}

func (c *evalCompiler) let(s *Let) {
	inLane := c.lane != nil
	switch s.Op {
	case OpConst:
		c.constants[s.V] = s
		d := c.define(s.V, s.Type, false)
		c.v.consts = append(c.v.consts, &inst{d: d, aux: int64(s.Bits)})
		return
	case OpParam, OpScalar:
		d := c.define(s.V, s.Type, false)
		in := c.newInst()
		*in = inst{fn: loadParam, d: d, def: s}
		if s.Op == OpScalar {
			in.fn = loadScalar
		}
		c.v.pre = append(c.v.pre, in)
		return
	case OpAxis:
		if inLane && Axis(s.Slot) == c.lane.axis {
			c.emit(inst{fn: iota64, d: c.define(s.V, I64, true), aux: int64(s.Slot), pure: true})
		} else {
			c.emit(inst{fn: axisValue, d: c.define(s.V, I64, false), aux: int64(s.Slot), pure: true, uniform: inLane})
		}
		return
	case OpLoad:
		m, lane := c.access(s.Mem)
		in := inst{fn: loadFn(m), mem: m, uniform: inLane && !lane, load: true}
		in.d = c.define(s.V, s.Type, lane)
		if lane {
			m.same = storedAs(m.dt) == s.Type
			c.v.aliased = append(c.v.aliased, in.d)
			p := c.lane.pos
			c.lane.loads = append(c.lane.loads, laneLoad{c.emit(in), p})
		} else {
			c.emit(in)
		}
		return
	}
	if c.chained(s) {
		return
	}
	c.primitive(s)
}

// primitive compiles a Let that computes, by itself.
func (c *evalCompiler) primitive(s *Let) {
	inLane := c.lane != nil
	n := s.Op.Arity()
	args := [3]V{s.A, s.B, s.C}
	lane := c.isLane(s.A) || n > 1 && c.isLane(s.B) || n > 2 && c.isLane(s.C)
	at := s.Type
	if s.A != 0 {
		at = c.v.regs[c.reg(s.A)].typ
	}
	in := inst{def: s, uniform: inLane && !lane, pure: true, b: -1, c: -1}
	if n == 2 && lane && !(c.isLane(s.A) && c.isLane(s.B)) {
		// one operand is the same for all lanes
		if f := mixedFn(s.Op, at, c.isLane(s.A)); f != nil {
			in.fn = f
			in.a, in.b = c.use(c.reg(s.A)), c.use(c.reg(s.B))
			in.d = c.define(s.V, s.Type, true)
			c.emit(in)
			return
		}
	}
	in.fn = opFn(s, at)
	regs := [3]*int32{&in.a, &in.b, &in.c}
	for i := range n {
		// spreading may take a position, so uses are noted after all of it
		if lane {
			*regs[i] = c.spread(args[i])
		} else {
			*regs[i] = c.reg(args[i])
		}
	}
	for i := range n {
		c.use(*regs[i])
	}
	in.d = c.define(s.V, s.Type, lane)
	c.emit(in)
}

// access resolves the registers of an address; lane says whether lanes differ in it.
func (c *evalCompiler) access(a *Access) (m *access, lane bool) {
	b := c.k.Bufs[a.Buf]
	m = &access{buf: a.Buf, dt: b.DType, size: uintptr(b.DType.Size()), off: a.Off, terms: a.Terms, lane: -1, mask: -1}
	for i, t := range a.Terms {
		if c.lane != nil && t.Axis == c.lane.axis {
			m.lane = i
			lane = true
		}
	}
	// under a mask of lanes an index is only checked in the lanes that are on
	maskLanes := c.isLane(a.Mask)
	var dyn []int32
	for _, d := range a.Dyn {
		if maskLanes {
			dyn = append(dyn, c.spread(d.Index))
		} else {
			dyn = append(dyn, c.reg(d.Index))
		}
	}
	for i, d := range a.Dyn {
		r := c.use(dyn[i])
		g := c.v.regs[r]
		m.dyn = append(m.dyn, dynTerm{reg: r, wide: g.typ == I64, lane: g.lane, stride: d.Stride, lim: d.Lim, dim: d.Dim, check: &c.k.Checks[d.Check]})
		if g.lane {
			m.dynLanes = true
			lane = true
		}
	}
	if a.Mask != 0 {
		m.mask = c.use(c.reg(a.Mask))
		m.maskLanes = maskLanes
		lane = lane || maskLanes
	}
	c.v.narrow = c.v.narrow || storedAs(m.dt) == NoType || m.dt == tensor.Bool
	c.v.gathers = c.v.gathers || m.mask >= 0 || m.dynLanes
	if m.lane >= 0 {
		c.v.accesses = append(c.v.accesses, m)
	}
	return m, lane
}

func (c *evalCompiler) store(s *Store) {
	val := c.reg(s.Val)
	inLane := c.lane != nil
	if inLane {
		val = c.spread(s.Val)
	}
	m, _ := c.access(s.Mem)
	c.use(val)
	in := inst{fn: storeFn(m), a: val, mem: m}
	m.same = storedAs(m.dt) == c.v.regs[val].typ
	if !inLane {
		c.emit(in)
		return
	}
	l := c.lane
	pos := l.pos
	p := c.emit(in)
	l.stores = append(l.stores, pos)
	if m.same && m.mask < 0 && len(m.dyn) == 0 && m.lane >= 0 {
		// look back for the definition
		code := *c.out
		for i := len(code) - 2; i >= 0; i-- {
			d := code[i]
			if d.d == val && (d.pure || d.load) && !d.uniform {
				l.directs = append(l.directs, direct{d, pos - (len(code) - 1 - i), p, pos})
				break
			}
			if !d.pure {
				break
			}
		}
	}
}

func (c *evalCompiler) atomic(s *Atomic) {
	val := c.reg(s.Val)
	if c.lane != nil {
		val = c.spread(s.Val)
	}
	m, _ := c.access(s.Mem)
	c.use(val)
	in := inst{fn: atomicFn(m, s.Op), a: val, mem: m, aux: int64(s.Op)}
	c.v.gathers = true
	if c.lane != nil {
		c.lane.stores = append(c.lane.stores, c.lane.pos)
	}
	c.emit(in)
}

func (c *evalCompiler) assert(s *Assert) {
	lane := c.isLane(s.Cond) || c.isLane(s.Val) || c.isLane(s.Mask)
	in := inst{fn: runAssert, a: -1, b: -1, c: -1, assert: s, uniform: c.lane != nil && !lane}
	get := func(v V) int32 {
		switch {
		case v == 0:
			return -1
		case lane:
			return c.spread(v)
		}
		return c.reg(v)
	}
	in.a, in.b, in.c = get(s.Cond), get(s.Val), get(s.Mask)
	in.mem = &access{checks: &c.k.Checks[s.Check]}
	if s.Val != 0 {
		in.d = int32(c.v.regs[c.reg(s.Val)].typ)
	}
	c.use(in.a)
	c.use(in.b)
	c.use(in.c)
	c.emit(in)
}
