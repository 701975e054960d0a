package ptx

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
)

// segment is one launch of a kernel.
type segment struct {
	chain []*loop.Loop // the outer loops, perfectly nested; none: one point
	body  []loop.Stmt  // what is computed at a point
	post  []loop.Stmt  // at the top of the kernel: scalars after a loop with folds

	lanes  bool       // the innermost loop of the chain is a Vector loop
	shared bool       // the body has loops that a unit can share out
	split  *loop.Loop // the only loop of the body, if several blocks may share a point; nothing is stored before it
	flat   bool       // the body is plain statements
	step   loop.Axis  // the axis of vectors in a flat body: the innermost of the chain
}

// segments cuts a kernel at its top-level loops.
func segments(k *loop.Kernel) []*segment {
	var segs []*segment
	var run []loop.Stmt // scalars that belong to no loop
	flush := func() {
		if effects(run) {
			segs = append(segs, finish(&segment{body: run}))
		}
		run = nil
	}
	for _, s := range k.Body {
		l, ok := s.(*loop.Loop)
		if !ok {
			if n := len(segs); n > 0 && segs[n-1].split != nil && segs[n-1].chain == nil && run == nil {
				segs[n-1].post = append(segs[n-1].post, s)
			} else {
				run = append(run, s)
			}
			continue
		}
		flush()
		if len(l.Carry) > 0 {
			segs = append(segs, finish(&segment{body: []loop.Stmt{l}}))
			continue
		}
		if len(l.Folds) > 0 {
			segs = append(segs, finish(&segment{body: []loop.Stmt{l}}))
			continue
		}
		segs = append(segs, finish(chainOf(l)))
	}
	flush()
	return segs
}

// effects: a run of scalars that does more than define values for later.
func effects(run []loop.Stmt) bool {
	for _, s := range run {
		switch s := s.(type) {
		case *loop.Let:
			switch s.Op {
			case loop.OpConst, loop.OpParam, loop.OpScalar:
				continue
			}
		}
		return true
	}
	return false
}

// chainOf follows perfectly nested loops inwards; what a loop computes before the
// next one is computed at each point.
func chainOf(l *loop.Loop) *segment {
	s := &segment{}
	var before []loop.Stmt
	for {
		s.chain = append(s.chain, l)
		next := (*loop.Loop)(nil)
	scan:
		for i, t := range l.Body {
			switch t := t.(type) {
			case *loop.Let:
				continue
			case *loop.Loop:
				if i == len(l.Body)-1 && len(t.Folds) == 0 && len(t.Carry) == 0 {
					next = t
				}
			}
			break scan
		}
		if next == nil || len(l.Body) > 1 && anyStore(l.Body[:len(l.Body)-1]) {
			s.body = append(before, l.Body...)
			return s
		}
		// A row of statements over lanes stays the unit's, unless it is all there is.
		before = append(before, l.Body[:len(l.Body)-1]...)
		l = next
	}
}

func anyStore(body []loop.Stmt) bool {
	for _, s := range body {
		if _, ok := s.(*loop.Let); !ok {
			return true
		}
	}
	return false
}

// finish derives what schedules ask.
func finish(s *segment) *segment {
	for _, l := range s.chain {
		if l.Kind == loop.Vector {
			s.lanes = true
		}
	}
	s.flat = true
	loops := 0
	for _, t := range s.body {
		if l, ok := t.(*loop.Loop); ok {
			s.flat = false
			loops++
			s.shared = s.shared || shareable(l)
		}
	}
	if n := len(s.chain); n > 0 {
		s.step = s.chain[n-1].Axis
	} else {
		s.flat = false
	}
	if loops != 1 {
		return s
	}
before:
	for _, t := range s.body {
		switch t := t.(type) {
		case *loop.Let:
			continue
		case *loop.Loop:
			if len(t.Carry) == 0 && len(t.Folds) > 0 {
				s.split = t
			}
		}
		break before
	}
	return s
}

// shareable: the iterations of l, or of a loop inside it, may be shared out.
func shareable(l *loop.Loop) bool {
	if len(l.Carry) == 0 {
		return true
	}
	for _, s := range l.Body {
		if m, ok := s.(*loop.Loop); ok && shareable(m) {
			return true
		}
	}
	return false
}

// flatten lists loops that can be walked as one: each but the last holds nothing but
// the next, and its folds hand on the next one's.
func flatten(l *loop.Loop) []*loop.Loop {
	list := []*loop.Loop{l}
	for len(l.Body) == 1 {
		m, ok := l.Body[0].(*loop.Loop)
		if !ok || len(m.Carry) > 0 || len(m.Folds) != len(l.Folds) {
			return list
		}
		for i := range m.Folds {
			f, h := &l.Folds[i], &m.Folds[i]
			if f.In != h.Out || f.Op != h.Op || f.InIdx != h.OutIx {
				return list
			}
		}
		list = append(list, m)
		l = m
	}
	return list
}

// together reports what a unit does with a loop: walk it together, because it has carries or a
// loop inside it is better shared out, or share it out.
func together(l *loop.Loop) bool {
	if len(l.Carry) > 0 {
		return true
	}
	if l.Kind == loop.Vector {
		return false
	}
	list := flatten(l)
	for _, s := range list[len(list)-1].Body {
		if m, ok := s.(*loop.Loop); ok && hasVector(m) {
			return true
		}
	}
	return false
}

func hasVector(l *loop.Loop) bool {
	if l.Kind == loop.Vector {
		return true
	}
	for _, s := range l.Body {
		if m, ok := s.(*loop.Loop); ok && hasVector(m) {
			return true
		}
	}
	return false
}

// eachAccess calls f for every access of statements.
func eachAccess(body []loop.Stmt, f func(m *loop.Access, store bool)) {
	for _, s := range body {
		switch s := s.(type) {
		case *loop.Let:
			if s.Mem != nil {
				f(s.Mem, false)
			}
		case *loop.Store:
			f(s.Mem, true)
		case *loop.Atomic:
			f(s.Mem, true)
		case *loop.Loop:
			eachAccess(s.Body, f)
		}
	}
}

// uses calls f for each value that a statement, and what is inside it, reads.
func uses(body []loop.Stmt, f func(v loop.V)) {
	for _, s := range body {
		loop.Operands(s, f)
		if l, ok := s.(*loop.Loop); ok {
			loop.Results(l, f)
			uses(l.Body, f)
		}
	}
}

// defs calls f for each value that statements define at their own level or inside.
func defs(body []loop.Stmt, f func(v loop.V, let *loop.Let)) {
	for _, s := range body {
		switch s := s.(type) {
		case *loop.Let:
			f(s.V, s)
		case *loop.Loop:
			for _, x := range s.Folds {
				f(x.Out, nil)
				if x.OutIx != 0 {
					f(x.OutIx, nil)
				}
			}
			for _, c := range s.Carry {
				f(c.Phi, nil)
				f(c.Out, nil)
			}
			defs(s.Body, f)
		}
	}
}
