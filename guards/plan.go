package guards

import "github.com/larkspur-ml/larkspur/lang/value"

// A Plan is a recording's guards sorted by how a look-up deals with them.
//
//	Args    polled: registers, modes, volatile places, and what hangs on them
//	Marked  hold until their Trip fires, and are not looked at before
//	Late    polled, and hang on marked ones
//
// Within each part the order is that of the first reads, so that earlier guards
// still protect the loads of later ones. Each element is a number in All. A Plan
// does not change: what a poll finds volatile makes another one.
type Plan struct {
	All                []Guard
	Args, Marked, Late []int
	// ArgIDs are the values that Args keep, and LateIDs those of Late.
	ArgIDs, LateIDs []int

	poll []bool // cannot be marked
}

// NewPlan sorts guards whose frames may be gone: it marks and reads what constants
// lead to. writes reports guards whose place the recording itself writes: they would
// fire at each replay. vals gets the values that marked guards keep. ok is false
// where one of them does not hold.
func NewPlan(all []Guard, w World, th *value.Thread, t *Trip, vals []value.Value, writes func(g *Guard, parent value.Value) bool) (p *Plan, ok bool) {
	p = &Plan{All: all, poll: make([]bool, len(all))}
	stable := make([]bool, len(vals))
	for i := range all {
		g := &all[i]
		if !g.hangsOn(func(id int) bool { return stable[id] }) {
			p.poll[i] = true
			continue
		}
		a := g.parent(vals)
		if writes != nil && writes(g, a) || !g.markLoad(a, w, t) {
			p.poll[i] = true
			continue
		}
		v, ok := load(g, w, th, vals)
		if !ok {
			return nil, false
		}
		if !g.markTest(v, vals, w, t) {
			p.poll[i] = true
			continue
		}
		if !test(g, v, w, th, vals) {
			return nil, false
		}
		if g.Dst >= 0 {
			vals[g.Dst] = v
			stable[g.Dst] = true
		}
	}
	p.sort(len(vals))
	return p, true
}

// sort fills the parts from what can be marked.
func (p *Plan) sort(nvals int) {
	const (
		arg = iota
		marked
		late
	)
	of := make([]uint8, nvals)
	p.Args, p.Marked, p.Late, p.ArgIDs, p.LateIDs = nil, nil, nil, nil, nil
	for i := range p.All {
		g := &p.All[i]
		kind := uint8(marked)
		switch {
		case !p.poll[i] && g.hangsOn(func(id int) bool { return of[id] == marked }):
			p.Marked = append(p.Marked, i)
		case g.hangsOn(func(id int) bool { return of[id] == arg }):
			kind = arg
			p.Args = append(p.Args, i)
			if g.Dst >= 0 {
				p.ArgIDs = append(p.ArgIDs, g.Dst)
			}
		default:
			kind = late
			p.Late = append(p.Late, i)
			if g.Dst >= 0 {
				p.LateIDs = append(p.LateIDs, g.Dst)
			}
		}
		if g.Dst >= 0 {
			of[g.Dst] = kind
		}
	}
}

// without is the plan in which guard i is polled.
func (p *Plan) without(i, nvals int) *Plan {
	q := &Plan{All: p.All, poll: append([]bool(nil), p.poll...)}
	q.poll[i] = true
	q.sort(nvals)
	return q
}

// Poll looks at the marked guards, marking what they look at on the way. vals gets
// what they keep. The Trip has been cleared. The plan that comes back is another one
// where places have become volatile: their guards are polled from now on, and have
// not been looked at.
func (p *Plan) Poll(w World, th *value.Thread, t *Trip, vals []value.Value) (now *Plan, failed *Guard, got value.Value) {
again:
	for _, i := range p.Marked {
		g := &p.All[i]
		if !g.markLoad(g.parent(vals), w, t) {
			p = p.without(i, len(vals))
			goto again
		}
		v, ok := load(g, w, th, vals)
		if ok && !g.markTest(v, vals, w, t) {
			p = p.without(i, len(vals))
			goto again
		}
		if !ok || !test(g, v, w, th, vals) {
			return p, g, v
		}
		if g.Dst >= 0 {
			vals[g.Dst] = v
		}
	}
	return p, nil, value.Value{}
}

// Check tests guards of one part.
func (p *Plan) Check(part []int, w World, th *value.Thread, vals []value.Value) bool {
	for _, i := range part {
		g := &p.All[i]
		v, ok := load(g, w, th, vals)
		if !ok || !test(g, v, w, th, vals) {
			return false
		}
		if g.Dst >= 0 {
			vals[g.Dst] = v
		}
	}
	return true
}

// parent is what a guard loads from, or looks at.
func (g *Guard) parent(vals []value.Value) value.Value {
	switch g.Load {
	case LoadReg, LoadFn, LoadMode, LoadExpr:
		return value.Value{}
	case LoadNone:
		if g.Test == TestTrue || g.Test == TestFalse || g.Test == TestMode {
			return value.Value{}
		}
	}
	return g.A.Get(vals)
}

// hangsOn reports whether of says yes to all kept values that a guard looks at.
func (g *Guard) hangsOn(of func(id int) bool) bool {
	ref := func(r Ref) bool { return r.ID < 0 || of(r.ID) }
	switch g.Load {
	case LoadReg, LoadFn, LoadMode, LoadExpr:
	case LoadNone:
		if g.Test != TestTrue && g.Test != TestFalse && g.Test != TestMode && !ref(g.A) {
			return false
		}
	default:
		if !ref(g.A) {
			return false
		}
	}
	if g.Load == LoadKey && !ref(g.B) {
		return false
	}
	switch g.Test {
	case TestHas, TestHasNot, TestSame, TestDistinct, TestStorage, TestApart:
		if !ref(g.B) {
			return false
		}
	}
	return g.Expr.hangsOn(of) && g.Index.hangsOn(of)
}

func (e *Expr) hangsOn(of func(id int) bool) bool {
	if e == nil {
		return true
	}
	if e.Kind == ExprVal {
		return of(e.ID)
	}
	for _, a := range e.Args {
		if !a.hangsOn(of) {
			return false
		}
	}
	return e.X.hangsOn(of) && e.Y.hangsOn(of)
}

// SameGuard reports guards that do the same: a look-up tests them once for all
// recordings that share them.
func SameGuard(a, b *Guard) bool {
	if a.Load != b.Load || a.Test != b.Test || a.A != b.A || a.B != b.B || a.I != b.I || a.J != b.J || a.J2 != b.J2 ||
		a.Name != b.Name || a.Dst != b.Dst || a.Itab != b.Itab || a.Shape != b.Shape || a.Version != b.Version ||
		a.Code != b.Code || a.State != b.State || a.Mode != b.Mode || a.Expr != b.Expr || a.Index != b.Index || len(a.Keys) != len(b.Keys) {
		return false
	}
	if a.Want != b.Want && !Equal(a.Want, b.Want) {
		return false
	}
	for i := range a.Keys {
		if a.Keys[i] != b.Keys[i] {
			return false
		}
	}
	if a.Meta == b.Meta {
		return true
	}
	x, ok := a.Meta.(interface{ Same(any) bool })
	return ok && x.Same(b.Meta)
}
