package sym

import (
	"math"
	"slices"
)

// Rel is the relation of a guard: E rel 0.
type Rel uint8

const (
	EQ Rel = iota
	NE
	LE
	GT
)

var relText = [...]string{"== 0", "!= 0", "<= 0", "> 0"}

func (r Rel) String() string { return relText[r] }

func (r Rel) not() Rel { return [...]Rel{NE, EQ, GT, LE}[r] }

func (r Rel) holds(v int64) bool {
	switch r {
	case EQ:
		return v == 0
	case NE:
		return v != 0
	case LE:
		return v <= 0
	}
	return v > 0
}

// Guard is a condition under which a recording stays valid: E Rel 0.
type Guard struct {
	E   Int
	Rel Rel
}

func (g Guard) String() string { return g.E.String() + " " + g.Rel.String() }

// Symbol describes one symbol of a Ctx.
type Symbol struct {
	Name   string
	Hint   int64
	Lo     int64 // lower bound, checked at binding; none where Signed
	Signed bool
}

// Ctx holds the symbols of one recording, the guards taken and what they teach.
type Ctx struct {
	symbols []Symbol
	hints   []int64
	guards  []Guard
	frozen  bool
	pins    bool

	monos               map[uint64][]*mono
	exprs               map[uint64][]*expr
	atoms               map[atomKey]*atom
	nmono, nexpr, natom int32

	epoch int32          // counts equalities learnt
	subst map[*atom]Int  // symbol -> expression
	facts map[*expr]Rel  // EQ or NE guarded, by the form of eqForm
	spans map[*expr]span // order guarded, by the form of ordForm
	asked int
}

// span is what guards say of an expression's value: lo <= e <= hi.
type span struct{ lo, hi int64 }

// NewCtx makes an empty context.
func NewCtx() *Ctx {
	return &Ctx{monos: map[uint64][]*mono{}, exprs: map[uint64][]*expr{}, atoms: map[atomKey]*atom{},
		subst: map[*atom]Int{}, facts: map[*expr]Rel{}, spans: map[*expr]span{}}
}

// New makes a symbol whose value is at least lo (sizes 0, free strides 1).
func (c *Ctx) New(name string, hint, lo int64) Int { return c.symbol(name, hint, lo, lo < 0) }

// NewSigned makes a symbol without a lower bound (numbers of the program).
func (c *Ctx) NewSigned(name string, hint int64) Int { return c.symbol(name, hint, 0, true) }

func (c *Ctx) symbol(name string, hint, lo int64, neg bool) Int {
	a := &atom{kind: kSym, id: c.natom, sym: int32(len(c.symbols)), neg: neg, lo: max(lo, 0), name: name}
	c.natom++
	c.symbols = append(c.symbols, Symbol{name, hint, lo, neg})
	c.hints = append(c.hints, hint)
	return c.atomInt(a)
}

// Symbols lists the symbols in creation order; bindings follow it.
func (c *Ctx) Symbols() []Symbol { return c.symbols }

// Hints are the recorded values, one per symbol.
func (c *Ctx) Hints() []int64 { return c.hints }

// Guards lists the guards in the order taken.
func (c *Ctx) Guards() []Guard { return c.guards }

// Freeze makes any further guard our own fault: lowering must not ask.
func (c *Ctx) Freeze() { c.frozen = true }

// Pins makes Must guard the value of an expression in place of refusing it: rules
// that need a plain integer then hold for that one.
func (c *Ctx) Pins() { c.pins = true }

// Check evaluates the guards under new bindings: the index of the first that
// fails, or -1.
func (c *Ctx) Check(v []int64) int {
	for i, s := range c.symbols {
		if v[i] < s.Lo && !s.Signed {
			return len(c.guards)
		}
	}
	for i, g := range c.guards {
		x, ok := g.E.Eval(v)
		if !ok || !g.Rel.holds(x) {
			return i
		}
	}
	return -1
}

// Norm applies the equalities learnt so far.
func (a Int) Norm() Int {
	if a.e == nil || len(a.e.ctx.subst) == 0 {
		return a
	}
	e, c := a.e, a.e.ctx
	if e.normAt == c.epoch {
		return e.norm
	}
	out, changed := Int{}, false
	for _, t := range e.t {
		x := C(t.k)
		if t.m != nil {
			for _, at := range t.m.atoms {
				y := c.atomInt(at)
				switch at.kind {
				case kSym:
					if r, ok := c.subst[at]; ok {
						y, changed = r.Norm(), true
					}
				default:
					p, q := at.a.Norm(), at.b.Norm()
					if p == at.a && q == at.b || at.kind == kDiv && q.Is(0) {
						break
					}
					changed = true
					if at.kind == kDiv {
						y = p.Div(q)
					} else {
						y = p.Max(q)
					}
				}
				x = x.Mul(y)
			}
		}
		out = out.Add(x)
	}
	if !changed {
		out = a
	}
	e.norm, e.normAt = out, c.epoch
	return out
}

// bound decides d rel 0 from signs and lower bounds alone.
func (d Int) bound(r Rel) (res, ok bool) {
	if d.e == nil {
		return r.holds(d.c), true
	}
	var k, lb int64
	pos, neg := true, true
	for _, t := range d.e.t {
		if t.m == nil {
			k = t.k
			continue
		}
		l := t.k
		for _, a := range t.m.atoms {
			if a.neg {
				pos, neg = false, false
			}
			l *= a.lo
		}
		if t.k < 0 {
			pos = false
			lb += l
		} else {
			neg = false
			lb += l
		}
	}
	switch {
	case pos && k+lb > 0: // d > 0
		return r == NE || r == GT, true
	case neg && k+lb < 0: // d < 0
		return r == NE || r == LE, true
	case neg && k+lb <= 0 && (r == LE || r == GT):
		return r == LE, true
	}
	return false, false
}

// eqForm divides by the content and makes the first coefficient positive:
// neither matters for == 0.
func (d Int) eqForm() Int {
	if d.e == nil {
		return d
	}
	t := d.e.t
	g := int64(0)
	for _, m := range t {
		for x := m.k; x != 0; {
			g, x = x, g%x
		}
	}
	if g < 0 {
		g = -g
	}
	if t[len(t)-1].k < 0 {
		g = -g
	}
	if g == 1 {
		return d
	}
	o := slices.Clone(t)
	for i := range o {
		o[i].k /= g
	}
	return d.e.ctx.make(o)
}

// ordForm splits d > 0 into p >= t, p having no constant term and a positive
// last coefficient; flip says that it is p < t instead.
func (d Int) ordForm() (p Int, t int64, flip bool) {
	ts := d.e.t
	t = 1
	if ts[0].m == nil {
		t -= ts[0].k
		ts = ts[1:]
	}
	o := slices.Clone(ts)
	if flip = o[len(o)-1].k < 0; flip {
		for i := range o {
			o[i].k = -o[i].k
		}
		t = 1 - t // -p >= t  <=>  p < 1-t
	}
	return d.e.ctx.make(o), t, flip
}

// known answers d rel 0 from guards taken; d is normalised (and in eqForm for
// EQ and NE).
func (c *Ctx) known(d Int, r Rel) (res, ok bool) {
	if r <= NE {
		if f, ok := c.facts[d.e]; ok {
			return f == r, true
		}
		// a span that excludes 0 says !=
		p, t, flip := d.ordForm()
		if s, ok := c.spans[p.e]; ok {
			zero := t - 1 // the value of p at which d is 0
			if flip {
				zero = t
			}
			if zero < s.lo || zero > s.hi {
				return r == NE, true
			}
		}
		return false, false
	}
	p, t, flip := d.ordForm()
	s, has := c.spans[p.e]
	if !has {
		return false, false
	}
	var gt bool // d > 0
	switch {
	case s.lo >= t:
		gt = !flip
	case s.hi < t:
		gt = flip
	default:
		return false, false
	}
	return gt == (r == GT), true
}

func (c *Ctx) learnFact(g Guard) {
	d := g.E.Norm()
	if d.e == nil {
		return
	}
	if g.Rel <= NE {
		if d = d.eqForm(); d.e != nil {
			c.facts[d.e] = g.Rel
		}
		return
	}
	p, t, flip := d.ordForm()
	s, ok := c.spans[p.e]
	if !ok {
		s = span{math.MinInt64, math.MaxInt64}
	}
	if (g.Rel == GT) != flip {
		s.lo = max(s.lo, t)
	} else {
		s.hi = min(s.hi, t-1)
	}
	c.spans[p.e] = s
}

// ask decides d rel 0: algebra, facts, else the hint with a guard.
func ask(d Int, r Rel) bool {
	d = d.Norm()
	if v, ok := d.bound(r); ok {
		return v
	}
	c := d.e.ctx
	c.asked++
	if r <= NE {
		d = d.eqForm()
		if v, ok := d.bound(r); ok {
			return v
		}
	}
	if v, ok := c.known(d, r); ok {
		return v
	}
	res := r.holds(d.Hint())
	if !res {
		r = r.not()
	}
	c.take(Guard{d, r})
	return res
}

func (c *Ctx) take(g Guard) {
	if c.frozen {
		panic("BUG: a guard was asked for after recording: " + g.String())
	}
	c.guards = append(c.guards, g)
	c.learnFact(g)
	if g.Rel == EQ {
		c.solve(g.E)
	}
}

// solve turns d == 0 into a substitution for a symbol that occurs once,
// linearly, with coefficient ±1; the newest such symbol, so that inputs of
// earlier operands stay.
func (c *Ctx) solve(d Int) {
	t := d.terms()
	for i := len(t) - 1; i >= 0; i-- {
		m := t[i]
		if m.m == nil || len(m.m.atoms) != 1 || m.m.atoms[0].kind != kSym || m.k != 1 && m.k != -1 {
			continue
		}
		s := m.m.atoms[0]
		rest := d.Sub(c.make([]term{m})).Mul(C(-m.k))
		if mentions(rest, s) {
			continue
		}
		c.subst[s] = rest
		c.epoch++
		clear(c.facts)
		clear(c.spans)
		for _, g := range c.guards {
			c.learnFact(g)
		}
		return
	}
}

func mentions(a Int, s *atom) bool {
	if a.e == nil {
		return false
	}
	for _, t := range a.e.t {
		if t.m == nil {
			continue
		}
		for _, x := range t.m.atoms {
			if x == s || x.kind != kSym && (mentions(x.a, s) || mentions(x.b, s)) {
				return true
			}
		}
	}
	return false
}
