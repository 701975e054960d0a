package amd64

import "github.com/larkspur-ml/larkspur/inductor/loop"

// value is what the generator knows of a V.
type value struct {
	lane bool    // differs by lane
	uses []int32 // positions, ascending
	last int32   // position of the last use, the end of a loop around it included
	def  int32
}

// info is the analysis of a unit for one choice of lane loops.
type info struct {
	u       *unit
	val     []value
	laneOf  map[*loop.Loop]bool
	begin   map[*loop.Loop]int32
	end     map[*loop.Loop]int32
	inside  map[*loop.Loop]map[loop.V]int // uses in the loop of values from outside it
	wide    bool
	strides map[loop.P]int // class of a run-time stride

	blocked bool // an access in a lane loop handles 64-bit elements lane by lane

	pos  int32
	lane *loop.Loop
	path []*loop.Loop
}

func analyze(u *unit, alt *loop.Loop, strides map[loop.P]int) *info {
	x := &info{u: u, val: make([]value, len(u.types)), laneOf: map[*loop.Loop]bool{}, begin: map[*loop.Loop]int32{}, end: map[*loop.Loop]int32{},
		inside: map[*loop.Loop]map[loop.V]int{}, wide: true, strides: strides}
	x.block(u.body, alt)
	x.wide = !x.wideBlocked(u.body)
	return x
}

// class of the lane axis's stride in an access; see strideClass.
func (x *info) class(m *loop.Access, lane *loop.Loop) (class int, stride loop.P) {
	if lane == nil {
		return 0, loop.P{}
	}
	for _, t := range m.Terms {
		if t.Axis == lane.Axis {
			if t.Stride.Par != 0 {
				return x.strides[t.Stride], t.Stride
			}
			return strideClass(t.Stride.Imm), t.Stride
		}
	}
	return 0, loop.P{}
}

func (x *info) use(v loop.V) {
	if _, ok := x.u.consts[v]; ok {
		return
	}
	d := &x.val[v]
	if n := len(d.uses); n == 0 || d.uses[n-1] != x.pos {
		d.uses = append(d.uses, x.pos)
	}
	d.last = max(d.last, x.pos)
	for i := len(x.path) - 1; i >= 0 && d.def < x.begin[x.path[i]]; i-- {
		x.inside[x.path[i]][v]++
	}
}

func (x *info) define(v loop.V, lane bool) {
	x.val[v].def, x.val[v].last, x.val[v].lane = x.pos, x.pos, lane
}

func (x *info) block(body []loop.Stmt, alt *loop.Loop) {
	for _, s := range body {
		x.pos++
		loop.Operands(s, x.use)
		if x.lane != nil {
			x.access64(s)
		}
		switch s := s.(type) {
		case *loop.Let:
			lane := false
			loop.Operands(s, func(v loop.V) { lane = lane || x.val[v].lane })
			switch s.Op {
			case loop.OpAxis:
				lane = x.lane != nil && x.lane.Axis == loop.Axis(s.Slot)
			case loop.OpLoad:
				c, _ := x.class(s.Mem, x.lane)
				lane = lane || c != 0
			}
			x.define(s.V, lane)
		case *loop.Loop:
			x.loop(s, alt)
		}
	}
}

func (x *info) loop(l *loop.Loop, alt *loop.Loop) {
	lane := false
	if x.lane == nil {
		lane = alt != nil && l.Axis == alt.Axis || l.Kind == loop.Vector || l.Kind == loop.Grid && !hasKind(l.Body, loop.Vector) && !hasKind(l.Body, loop.Grid) ||
			l.Kind == loop.Serial && orderless(l)
	}
	x.laneOf[l] = lane
	inLane := x.lane != nil
	for _, c := range l.Carry {
		x.define(c.Phi, inLane)
	}
	x.pos++
	x.begin[l] = x.pos
	for _, c := range l.Carry {
		x.val[c.Phi].def = x.pos + 1
	}
	x.inside[l] = map[loop.V]int{}
	x.path = append(x.path, l)
	if lane {
		x.lane = l
	}
	x.block(l.Body, alt)
	x.pos++
	loop.Results(l, x.use)
	x.path = x.path[:len(x.path)-1]
	if lane {
		x.lane = nil
	}
	x.end[l] = x.pos
	for _, c := range l.Carry { // alive until the next values are all there
		x.val[c.Phi].last = x.pos
	}
	for v := range x.inside[l] {
		x.val[v].last = max(x.val[v].last, x.pos)
	}
	x.pos++
	for _, f := range l.Folds {
		x.define(f.Out, inLane)
		if f.Op.HasIndex() {
			x.define(f.OutIx, inLane)
		}
	}
	for _, c := range l.Carry {
		x.define(c.Out, inLane)
	}
}

func is64(t loop.Type) bool { return t == loop.I64 || t == loop.F64 }

// access64 notes 64-bit elements or indices that go lane by lane, though the
// value itself may be the same for all lanes.
func (x *info) access64(s loop.Stmt) {
	var m *loop.Access
	switch s := s.(type) {
	case *loop.Let:
		m = s.Mem
	case *loop.Store:
		m = s.Mem
		x.blocked = x.blocked || x.u.k.Bufs[m.Buf].DType.Size() == 8
	case *loop.Atomic:
		m = s.Mem
		x.blocked = x.blocked || x.u.k.Bufs[m.Buf].DType.Size() == 8
	}
	if m != nil {
		for _, d := range m.Dyn {
			x.blocked = x.blocked || x.u.types[d.Index] == loop.I64
		}
	}
}

// wideBlocked looks for a value with lanes and 64 bits.
func (x *info) wideBlocked(body []loop.Stmt) bool {
	if x.blocked {
		return true
	}
	for v := range x.val {
		if x.val[v].lane && is64(x.u.types[v]) {
			return true
		}
	}
	var folds func(body []loop.Stmt) bool
	folds = func(body []loop.Stmt) bool {
		for _, s := range body {
			l, ok := s.(*loop.Loop)
			if !ok {
				continue
			}
			for _, f := range l.Folds {
				// an index or a float64 folded over lanes has lanes in its accumulator
				if x.laneOf[l] && (f.Op.HasIndex() || is64(f.Type)) {
					return true
				}
			}
			if folds(l.Body) {
				return true
			}
		}
		return false
	}
	return folds(body)
}

func hasLoop(body []loop.Stmt) bool {
	for _, s := range body {
		if _, ok := s.(*loop.Loop); ok {
			return true
		}
	}
	return false
}

func hasKind(body []loop.Stmt, k loop.LoopKind) bool {
	for _, s := range body {
		if l, ok := s.(*loop.Loop); ok && (l.Kind == k || hasKind(l.Body, k)) {
			return true
		}
	}
	return false
}

func hasAtomic(body []loop.Stmt) bool {
	for _, s := range body {
		switch s := s.(type) {
		case *loop.Atomic:
			return true
		case *loop.Loop:
			if hasAtomic(s.Body) {
				return true
			}
		}
	}
	return false
}

// orderless reports an innermost Serial loop whose iterations may be computed
// together: no carry, one statement that writes memory, which goes lane by lane
// in order, and nothing read that it writes.
func orderless(l *loop.Loop) bool {
	if len(l.Carry) > 0 {
		return false
	}
	written := -1
	for _, s := range l.Body {
		m := (*loop.Access)(nil)
		switch s := s.(type) {
		case *loop.Loop:
			return false
		case *loop.Store:
			m = s.Mem
		case *loop.Atomic:
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
		if l, ok := s.(*loop.Let); ok && l.Op == loop.OpLoad && l.Mem.Buf == written {
			return false
		}
	}
	return true
}
