package sym

import (
	"slices"
	"strconv"
	"strings"
)

type atomKind uint8

const (
	kSym atomKind = iota
	kDiv
	kMax
)

// atom is a symbol, a floor division or a maximum, interned.
type atom struct {
	kind atomKind
	id   int32 // creation order: the sort order inside monomials
	sym  int32 // kSym: index into the bindings
	neg  bool  // may be negative
	lo   int64 // lower bound where neg is false
	name string
	a, b Int
}

// mono is a product of atoms, sorted by id, interned. The empty product is nil.
type mono struct {
	id    int32
	atoms []*atom
}

func (m *mono) deg() int {
	if m == nil {
		return 0
	}
	return len(m.atoms)
}

func (m *mono) order() int32 {
	if m == nil {
		return -1
	}
	return m.id
}

type term struct {
	m *mono // nil: the constant
	k int64
}

// expr is a sum of terms sorted by monomial id, interned.
type expr struct {
	ctx    *Ctx
	id     int32
	t      []term
	hint   int64
	hintOK bool
	simple bool // symbols only, no floordiv or max: safe to substitute fast

	// cached normal form, valid for ctx.epoch == normAt
	normAt int32
	norm   Int
}

func (e *expr) eval(v []int64) (int64, bool) {
	var s int64
	for _, t := range e.t {
		x := t.k
		if t.m != nil {
			for _, a := range t.m.atoms {
				y, ok := a.eval(v)
				if !ok {
					return 0, false
				}
				if x, ok = mulOK(x, y); !ok {
					return 0, false
				}
			}
		}
		var ok bool
		if s, ok = addOK(s, x); !ok {
			return 0, false
		}
	}
	return s, true
}

func (a *atom) eval(v []int64) (int64, bool) {
	if a.kind == kSym {
		return v[a.sym], true
	}
	p, ok1 := a.a.Eval(v)
	q, ok2 := a.b.Eval(v)
	if !ok1 || !ok2 {
		return 0, false
	}
	if a.kind == kMax {
		return max(p, q), true
	}
	if q == 0 {
		return 0, false
	}
	return FloorDiv(p, q), true
}

func (e *expr) text() string {
	var sb strings.Builder
	n := 0
	put := func(t term) {
		if n++; n > 1 {
			sb.WriteString(" + ")
		}
		if t.m == nil {
			sb.WriteString(strconv.FormatInt(t.k, 10))
			return
		}
		if t.k != 1 {
			sb.WriteString(strconv.FormatInt(t.k, 10))
			sb.WriteByte('*')
		}
		for i, a := range t.m.atoms {
			if i > 0 {
				sb.WriteByte('*')
			}
			sb.WriteString(a.text())
		}
	}
	if len(e.t) > 1 {
		sb.WriteByte('(')
	}
	for _, t := range e.t {
		if t.m != nil {
			put(t)
		}
	}
	if e.t[0].m == nil {
		put(e.t[0])
	}
	if len(e.t) > 1 {
		sb.WriteByte(')')
	}
	return sb.String()
}

func (a *atom) text() string {
	switch a.kind {
	case kSym:
		return a.name
	case kDiv:
		return "(" + a.a.String() + "//" + a.b.String() + ")"
	}
	return "max(" + a.a.String() + ", " + a.b.String() + ")"
}

// Interning. Hash chains keyed by a 64-bit mix; equality is checked.

func mix(h, x uint64) uint64 {
	h ^= x
	h *= 0x9e3779b97f4a7c15
	return h ^ h>>29
}

func (c *Ctx) monoOf(atoms []*atom) *mono {
	if len(atoms) == 0 {
		return nil
	}
	h := uint64(1)
	for _, a := range atoms {
		h = mix(h, uint64(a.id))
	}
	for _, m := range c.monos[h] {
		if slices.Equal(m.atoms, atoms) {
			return m
		}
	}
	m := &mono{id: c.nmono, atoms: slices.Clone(atoms)}
	c.nmono++
	c.monos[h] = append(c.monos[h], m)
	return m
}

// make interns a sorted, distinct, nonzero term list. t may be reused by the caller.
func (c *Ctx) make(t []term) Int {
	if len(t) == 0 {
		return Int{}
	}
	if len(t) == 1 && t[0].m == nil {
		return Int{c: t[0].k}
	}
	h := uint64(2)
	for _, x := range t {
		h = mix(mix(h, uint64(x.m.order())), uint64(x.k))
	}
	for _, e := range c.exprs[h] {
		if slices.Equal(e.t, t) {
			return Int{e: e}
		}
	}
	e := &expr{ctx: c, id: c.nexpr, t: slices.Clone(t), simple: true, normAt: -1}
	c.nexpr++
	for _, x := range t {
		if x.m != nil {
			for _, a := range x.m.atoms {
				e.simple = e.simple && a.kind == kSym
			}
		}
	}
	e.hint, e.hintOK = e.eval(c.hints)
	c.exprs[h] = append(c.exprs[h], e)
	return Int{e: e}
}

func (a Int) terms() []term {
	if a.e != nil {
		return a.e.t
	}
	if a.c == 0 {
		return nil
	}
	return []term{{nil, a.c}}
}

// sum is a + k*b.
func (c *Ctx) sum(a, b Int, k int64) Int {
	x, y := a.terms(), b.terms()
	var buf [16]term
	o := buf[:0]
	for len(x) > 0 || len(y) > 0 {
		switch {
		case len(y) == 0 || len(x) > 0 && x[0].m.order() < y[0].m.order():
			o = append(o, x[0])
			x = x[1:]
		case len(x) == 0 || y[0].m.order() < x[0].m.order():
			o = append(o, term{y[0].m, k * y[0].k})
			y = y[1:]
		default:
			if s := x[0].k + k*y[0].k; s != 0 {
				o = append(o, term{x[0].m, s})
			}
			x, y = x[1:], y[1:]
		}
	}
	return c.make(o)
}

func (c *Ctx) mulMono(x, y *mono) *mono {
	if x == nil {
		return y
	}
	if y == nil {
		return x
	}
	var buf [16]*atom
	o := append(buf[:0], x.atoms...)
	o = append(o, y.atoms...)
	slices.SortFunc(o, func(p, q *atom) int { return int(p.id - q.id) })
	return c.monoOf(o)
}

// collect sorts terms, merges equal monomials and interns.
func (c *Ctx) collect(t []term) Int {
	slices.SortFunc(t, func(p, q term) int { return int(p.m.order() - q.m.order()) })
	o := t[:0]
	for _, x := range t {
		if n := len(o); n > 0 && o[n-1].m == x.m {
			o[n-1].k += x.k
		} else {
			o = append(o, x)
		}
	}
	return c.make(slices.DeleteFunc(o, func(x term) bool { return x.k == 0 }))
}

func (c *Ctx) product(a, b Int) Int {
	x, y := a.terms(), b.terms()
	o := make([]term, 0, len(x)*len(y))
	for _, p := range x {
		for _, q := range y {
			o = append(o, term{c.mulMono(p.m, q.m), p.k * q.k})
		}
	}
	return c.collect(o)
}

// over is x / y as monomials, if y divides x.
func (c *Ctx) over(x, y term) (term, bool) {
	if y.k == 0 || x.k%y.k != 0 {
		return term{}, false
	}
	if y.m == nil {
		return term{x.m, x.k / y.k}, true
	}
	if x.m == nil {
		return term{}, false
	}
	var buf [16]*atom
	rest := append(buf[:0], x.m.atoms...)
	for _, a := range y.m.atoms {
		i := slices.Index(rest, a)
		if i < 0 {
			return term{}, false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return term{c.monoOf(rest), x.k / y.k}, true
}

// lead is the term of highest degree, then the highest atoms: an admissible
// order (graded lexicographic), so long division terminates.
func lead(t []term) term {
	b := t[0]
	for _, m := range t[1:] {
		if d, e := m.m.deg(), b.m.deg(); d > e || d == e && lexAfter(m.m, b.m) {
			b = m
		}
	}
	return b
}

func lexAfter(x, y *mono) bool {
	if x == nil || y == nil {
		return x != nil
	}
	for i := range x.atoms {
		if p, q := x.atoms[i].id, y.atoms[i].id; p != q {
			return p < q
		}
	}
	return false
}

func (c *Ctx) divExact(a, b Int) (Int, bool) {
	r, q := a, Int{}
	bl := lead(b.terms())
	for i := 0; i < 64 && !r.Is(0); i++ {
		t, ok := c.over(lead(r.terms()), bl)
		if !ok {
			return a, false
		}
		x := c.make([]term{t})
		q, r = q.Add(x), r.Sub(x.Mul(b))
	}
	return q, r.Is(0)
}

func (c *Ctx) div(a, b Int) Int {
	if q, ok := c.divExact(a, b); ok {
		return q
	}
	// floordiv(q*b + r, b) = q + floordiv(r, b)
	q, r := Int{}, a
	if bt := b.terms(); len(bt) == 1 {
		var rest []term
		for _, m := range a.terms() {
			if d, ok := c.over(m, bt[0]); ok {
				q = q.Add(c.make([]term{d}))
				continue
			}
			if m.m == nil && b.e == nil {
				k := FloorDiv(m.k, b.c)
				q = q.Add(C(k))
				m.k -= k * b.c
			}
			rest = append(rest, m)
		}
		r = c.make(rest)
		if v, ok := r.Const(); ok && b.e == nil {
			return q.Add(C(FloorDiv(v, b.c)))
		}
	}
	return q.Add(c.atomInt(c.atomOf(kDiv, r, b, !(r.KnownGe0() && b.KnownGe0()))))
}

func (c *Ctx) max(a, b Int) Int {
	if b.e == nil || a.e != nil && a.e.id > b.e.id {
		a, b = b, a
	}
	return c.atomInt(c.atomOf(kMax, a, b, !(a.KnownGe0() || b.KnownGe0())))
}

type atomKey struct {
	kind atomKind
	a, b Int
}

func (c *Ctx) atomOf(k atomKind, a, b Int, neg bool) *atom {
	key := atomKey{k, a, b}
	if x, ok := c.atoms[key]; ok {
		return x
	}
	x := &atom{kind: k, id: c.natom, a: a, b: b, neg: neg, sym: -1}
	if k == kMax && !neg {
		if v, ok := a.Const(); ok {
			x.lo = max(v, 0)
		}
	}
	c.natom++
	c.atoms[key] = x
	return x
}

func (c *Ctx) atomInt(a *atom) Int {
	return c.make([]term{{c.monoOf([]*atom{a}), 1}})
}
