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
	words     int // of the state's memory
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
	st := &state{v: v, p: make([]unsafe.Pointer, len(v.regs)), axis: make([]int64, v.naxis), block: v.block,
		addr: make([]int64, v.block), memory: make([]uint64, v.words+v.block)}
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
	k     *Kernel
	v     *variant
	of    []int32 // by V: its register
	alt   *Loop   // the Grid loop that is the lane loop, or nil
	out   *[]*inst
	lane  *laneLoop
	slab  []inst
	peak  int
	uses  []int32
	waits map[V]*Let // products to be computed with their use (eval_fused.go)
	held  map[V]*Let // those of them that have lanes, until then
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
	c.waits, c.held = map[V]*Let{}, map[V]*Let{}
	c.stmts(k.Body, k.Split())
	c.layout()
	return c.v
}

// layout places the registers. Lane registers were given offsets in blocks of
// one lane; the block length follows from how many bytes are live at once.
func (c *evalCompiler) layout() {
	v := c.v
	// about half of a first-level cache
	v.block = 1024
	for v.block > 256 && c.peak*v.block > 24<<10 {
		v.block /= 2
	}
	scalars := 0
	for i := range v.regs {
		if r := &v.regs[i]; !r.lane {
			r.off = scalars
			scalars++
		}
	}
	scalars = (scalars + 7) &^ 7
	for i := range v.regs {
		if r := &v.regs[i]; r.lane {
			r.off = scalars + r.off*v.block/8
		}
	}
	v.words = scalars + c.peak*v.block/8
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
	if s.Op == OpMul && c.waits[s.V] != nil && (c.isLane(s.A) || c.isLane(s.B)) {
		c.held[s.V] = s
		return
	}
	if c.fused(s) {
		return
	}
	if s.Op == OpFMA && (c.isLane(s.A) || c.isLane(s.B)) {
		c.triple(s, mulAdd, s.A, s.B, s.C)
		return
	}
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

// loop compiles a loop as the lane loop or as a serial one.
func (c *evalCompiler) loop(s *Loop, split bool) {
	lane := false
	if c.lane == nil {
		lane = s == c.alt || s.Kind == Vector || s.Kind == Grid && !hasVector(s.Body) && !hasGrid(s.Body) || s.Kind == Serial && orderless(s)
	}
	lc := &loopCode{axis: s.Axis, extent: s.Extent, split: split}
	if lane {
		c.laneLoop(s, lc)
		return
	}
	inLane := c.lane != nil
	type carry struct{ phi int32 }
	carries := make([]carry, len(s.Carry))
	for i, x := range s.Carry {
		src := c.operand(x.Init, inLane)
		carries[i].phi = c.define(x.Phi, x.Type, inLane)
		c.emit(inst{fn: copyFn[x.Type], d: carries[i].phi, a: src, pure: true})
	}
	// accumulators belong to the loop's outside; whether they have lanes is known
	// only after the body, so they are made as lanes when in doubt
	folds := make([]foldRegs, len(s.Folds))
	for i, f := range s.Folds {
		folds[i] = c.foldInit(f, inLane)
	}
	saved := c.out
	c.out = &lc.body
	if inLane {
		c.lane.open = append(c.lane.open, openLoop{start: c.lane.pos})
	}
	c.stmts(s.Body, nil)
	for i, f := range s.Folds {
		c.foldStep(f, folds[i], inLane)
	}
	c.handOver(s, inLane)
	if inLane {
		l := c.lane
		o := l.open[len(l.open)-1]
		l.open = l.open[:len(l.open)-1]
		for _, r := range o.keep {
			c.v.regs[r].last = max(c.v.regs[r].last, l.pos)
		}
	}
	c.out = saved
	c.emit(inst{fn: runSerial, loop: lc, d: -1})
	for i, f := range s.Folds {
		c.foldEnd(f, folds[i], inLane)
	}
	for i, x := range s.Carry {
		c.of[x.Out] = carries[i].phi
	}
}

// orderless reports an innermost Serial loop whose blocks have the effect of its
// steps in order: no carry, one statement that writes memory, which goes lane by
// lane, and nothing read that it writes.
func orderless(l *Loop) bool {
	if len(l.Carry) > 0 {
		return false
	}
	written := -1
	for _, s := range l.Body {
		m := (*Access)(nil)
		switch s := s.(type) {
		case *Loop:
			return false
		case *Store:
			m = s.Mem
		case *Atomic:
			m = s.Mem
		}
		if m != nil {
			if written >= 0 {
				return false
			}
			written = m.Buf
		}
	}
	for _, s := range l.Body {
		if l, ok := s.(*Let); ok && l.Op == OpLoad && l.Mem.Buf == written {
			return false
		}
	}
	return true
}

// handOver gives the carried values to the next iteration, all at once.
func (c *evalCompiler) handOver(s *Loop, inLane bool) {
	phis := map[int32]bool{}
	for _, x := range s.Carry {
		phis[c.reg(x.Phi)] = true
	}
	src := make([]int32, len(s.Carry))
	for i, x := range s.Carry {
		src[i] = c.reg(x.Next)
		if inLane {
			src[i] = c.spread(x.Next)
		}
		if phi := c.reg(x.Phi); phis[src[i]] && src[i] != phi {
			a := c.use(src[i])
			src[i] = c.newReg(x.Type, inLane)
			c.emit(inst{fn: copyFn[x.Type], d: src[i], a: a, pure: true})
		}
	}
	for i, x := range s.Carry {
		phi := c.reg(x.Phi)
		if src[i] == phi {
			continue
		}
		c.use(src[i])
		c.use(phi)
		c.emit(inst{fn: copyFn[x.Type], d: phi, a: src[i], pure: true})
	}
}

func (c *evalCompiler) laneLoop(s *Loop, lc *loopCode) {
	c.v.lanes = append(c.v.lanes, s)
	folds := make([]foldRegs, len(s.Folds))
	for i, f := range s.Folds {
		folds[i] = c.foldInit(f, false)
	}
	saved := c.out
	c.out = &lc.body
	l := &laneLoop{axis: s.Axis, first: len(c.v.regs), splats: map[int32]int32{}}
	c.lane = l
	c.stmts(s.Body, nil)
	for i, f := range s.Folds {
		c.foldLanes(f, folds[i])
	}
	c.lane = nil
	c.out = saved
	lc.pre = l.pre
	c.decide(l)
	c.place(l)
	c.emit(inst{fn: runLanes, loop: lc, d: -1})
	for i, f := range s.Folds {
		c.foldEnd(f, folds[i], false)
	}
}

// decide settles which loads and stores go without a copy.
func (c *evalCompiler) decide(l *laneLoop) {
	for _, d := range l.directs {
		if c.v.regs[d.def.d].last != d.pos || d.def.dst != nil {
			continue
		}
		d.def.dst = d.store.mem
		c.v.aliased = append(c.v.aliased, d.def.d)
		l.stores = append(l.stores, d.at)
		if d.def.mem != nil {
			d.def.mem.aimed = true
		}
	}
	for _, x := range l.loads {
		if !x.in.mem.same || x.in.mem.dt == tensor.Bool {
			continue
		}
		ok := true
		last := c.v.regs[x.in.d].last
		for _, s := range l.stores {
			// at last itself the value is read as it is overwritten, lane by lane
			if s > x.pos && s < last {
				ok = false
			}
		}
		x.in.mem.alias = ok
	}
}

// place gives lane registers their memory: a register may take over that of
// one whose last use is its definition, because primitives go lane by lane.
// Offsets are in bytes a lane.
func (c *evalCompiler) place(l *laneLoop) {
	var ids []int32
	for r := l.first; r < len(c.v.regs); r++ {
		if c.v.regs[r].lane {
			ids = append(ids, int32(r))
		}
	}
	slices.SortStableFunc(ids, func(a, b int32) int { return c.v.regs[a].def - c.v.regs[b].def })
	var live []int32
	free := map[int][]int{}
	top := 0
	for _, r := range ids {
		g := &c.v.regs[r]
		keep := live[:0]
		for _, x := range live {
			if o := c.v.regs[x]; o.last <= g.def {
				w := typeWidth(o.typ)
				free[w] = append(free[w], o.off)
			} else {
				keep = append(keep, x)
			}
		}
		live = keep
		w := typeWidth(g.typ)
		if f := free[w]; len(f) > 0 {
			g.off = f[len(f)-1]
			free[w] = f[:len(f)-1]
		} else {
			g.off = top
			top += w
		}
		live = append(live, r)
	}
	c.peak = max(c.peak, (top+7)&^7)
}

// typeWidth is the bytes of a lane. Registers share memory only with those of
// their own width: going lane by lane, a wider destination would overwrite
// operands not read yet.
func typeWidth(t Type) int {
	switch t {
	case B1:
		return 1
	case I32, F32:
		return 4
	}
	return 8
}
