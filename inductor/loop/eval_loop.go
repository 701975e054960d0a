package loop

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
