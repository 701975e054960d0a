package inductor

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
)

// InPlace implements graph.InPlacer: output out may have the memory of input in
// (in < 0: of something that is no input). It may if
//
//   - from the first step that writes the output on nothing can fail, so that a run
//     that fails has changed nothing;
//   - no later step reads the input, nor does that step, but for a copy of the whole
//     (which is then nothing to do) and for elements that it writes where it read them.
func (x *executable) InPlace(out, in int) bool {
	p := x.plan
	if x.opts.Copy != nil {
		return false
	}
	ob, ib := -1, -1
	for i := range p.bufs {
		switch b := &p.bufs[i]; {
		case b.kind == bufOutput && b.index == out && ob < 0:
			ob = i
		case b.kind == bufInput && b.index == in:
			ib = i
		}
	}
	if ob < 0 {
		return false // it is a copy
	}
	for _, c := range p.copies {
		if c[0] == ib || c[0] == ob || c[1] == out {
			return false
		}
	}
	first := -1
	for i, s := range p.steps {
		if first < 0 {
			if !s.writes(ob) {
				continue
			}
			first = i
			if s.reads(ib) && !s.elementwise(ib, ob) {
				return false
			}
		} else if s.reads(ib) {
			return false
		}
		if s.mayFail() {
			return false
		}
	}
	if first < 0 {
		return false
	}
	for {
		if old := x.settled.Load(); old <= int64(first) || x.settled.CompareAndSwap(old, int64(first)) {
			return true
		}
	}
}

// writes and reads speak of plan buffers; b < 0 is none.
func (s *step) writes(b int) bool {
	for _, o := range s.out {
		if o.buf == b {
			return true
		}
	}
	if k := s.loops(); k != nil {
		for i, q := range k.bufs {
			if q == b && k.kernel.Bufs[i].Role != loop.In {
				return true
			}
		}
	}
	return false
}

func (s *step) reads(b int) bool {
	if b < 0 {
		return false
	}
	for _, o := range s.in {
		if o.buf == b {
			return true
		}
	}
	if k := s.loops(); k != nil {
		for _, q := range k.bufs {
			if q == b {
				return true
			}
		}
	}
	return false
}

// mayFail reports that data can make a step fail. (Memory is had before the first step.)
func (s *step) mayFail() bool {
	if s.tmpl != nil {
		switch s.tmpl.Name {
		case "matmul", "conv", "conv_input", "conv_weight":
		default:
			return true
		}
	}
	k := s.loops()
	if k == nil {
		return false
	}
	fails := len(k.kernel.Checks) > 0
	var walk func(body []loop.Stmt)
	walk = func(body []loop.Stmt) {
		for _, t := range body {
			switch t := t.(type) {
			case *loop.Let:
				switch t.Op {
				case loop.OpDiv, loop.OpMod:
					fails = fails || t.Type.IsInt()
				}
			case *loop.Assert:
				fails = true
			case *loop.Loop:
				walk(t.Body)
			}
		}
	}
	walk(k.kernel.Body)
	return fails
}

// elementwise reports a kernel that reads buffer in and writes buffer out at the same
// places, each iteration its own, and reads before it writes.
func (s *step) elementwise(in, out int) bool {
	if s.kernel == nil {
		return false
	}
	from, to := soleWalk(s, in), soleWalk(s, out)
	if from == nil || to == nil || !sameAccess(from, to) {
		return false
	}
	for _, t := range s.kernel.Body {
		l, ok := t.(*loop.Loop)
		if ok && touches(l.Body, from) {
			return chain(l, from, to)
		}
		if ok && touches(l.Body, to) {
			return false
		}
	}
	return false
}

func touches(body []loop.Stmt, m *loop.Access) (found bool) {
	accesses(body, func(a *loop.Access) { found = found || a == m })
	return found
}

// chain: loops, one in the other, without folds, the innermost of which has both.
func chain(l *loop.Loop, from, to *loop.Access) bool {
	if len(l.Folds) > 0 || len(l.Carry) > 0 {
		return false
	}
	moves := false // the places of two iterations differ
	for _, t := range from.Terms {
		moves = moves || t.Axis == l.Axis && (t.Stride.Par != 0 || t.Stride.Imm != 0)
	}
	if !moves {
		return false
	}
	loaded := false
	for _, t := range l.Body {
		switch t := t.(type) {
		case *loop.Loop:
			return len(l.Body) == 1 && chain(t, from, to)
		case *loop.Let:
			loaded = loaded || t.Mem == from
		case *loop.Store:
			if t.Mem == to {
				return loaded
			}
		}
	}
	return false
}
