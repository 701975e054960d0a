package sym

// The comparisons of a shape rule. On constants they are plain; on expressions
// the answer may cost a guard (package doc).

func (a Int) Eq(b Int) bool {
	if a.e == nil && b.e == nil {
		return a.c == b.c
	}
	return a == b || ask(a.Sub(b), EQ)
}

func (a Int) Ne(b Int) bool { return !a.Eq(b) }

func (a Int) Le(b Int) bool {
	if a.e == nil && b.e == nil {
		return a.c <= b.c
	}
	return ask(a.Sub(b), LE)
}

func (a Int) Lt(b Int) bool {
	if a.e == nil && b.e == nil {
		return a.c < b.c
	}
	return ask(a.Sub(b).Add(C(1)), LE)
}

func (a Int) Ge(b Int) bool { return b.Le(a) }
func (a Int) Gt(b Int) bool { return b.Lt(a) }

// KnownEq: equal for every binding that passes the guards so far. No guard.
func (a Int) KnownEq(b Int) bool {
	if a.e == nil && b.e == nil {
		return a.c == b.c
	}
	if a == b {
		return true
	}
	d := a.Sub(b).Norm()
	if v, ok := d.bound(EQ); ok {
		return v
	}
	if d = d.eqForm(); d.e == nil {
		return d.c == 0
	}
	v, ok := d.e.ctx.known(d, EQ)
	return ok && v
}

// KnownGe0: not negative, by algebra alone.
func (a Int) KnownGe0() bool {
	if a.e == nil {
		return a.c >= 0
	}
	d := a.Norm()
	if d.e == nil {
		return d.c >= 0
	}
	v, ok := d.Neg().bound(LE)
	if ok {
		return v
	}
	for _, t := range d.e.t {
		if t.k < 0 {
			return false
		}
		if t.m != nil {
			for _, x := range t.m.atoms {
				if x.neg {
					return false
				}
			}
		}
	}
	return true
}

// Positive: greater than 0, by algebra alone.
func (a Int) Positive() bool {
	v, ok := a.Norm().bound(GT)
	return ok && v
}

// HintEq peeks at the recorded values: it may only choose among conditions each
// of which then takes its own guard.
func (a Int) HintEq(b Int) bool { return a.Hint() == b.Hint() }

// Case returns the first i with pairs[i][0] == pairs[i][1]: by algebra if it
// can, else by the hint with one guard; -1 when none holds (all guarded). The
// caller branches on the index and does not ask again.
func Case(pairs ...[2]Int) int {
	for i, p := range pairs {
		if p[0].KnownEq(p[1]) {
			return i
		}
	}
	for i, p := range pairs {
		if p[0].HintEq(p[1]) {
			p[0].Eq(p[1])
			return i
		}
	}
	for _, p := range pairs {
		p[0].Eq(p[1])
	}
	return -1
}

// Any reports whether one of the equalities holds.
func Any(pairs ...[2]Int) bool { return Case(pairs...) >= 0 }

// AllKnownEq compares lists without a guard.
func AllKnownEq(a, b []Int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !a[i].KnownEq(b[i]) {
			return false
		}
	}
	return true
}

// AllEq compares lists, taking guards.
func AllEq(a, b []Int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !a[i].Eq(b[i]) {
			return false
		}
	}
	return true
}
