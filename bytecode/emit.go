package bytecode

import (
	"fmt"
	"math/big"
	"strconv"

	"github.com/larkspur-ml/larkspur/lang/syntax"
)

// A label is a place in code that is being made.
type label int

type labelState struct {
	at    int   // number of the item it stands before, or -1
	refs  int   // jumps to it so far
	bound bound // locals bound on every jump so far
}

// An item is an instruction whose jump is not resolved yet.
type item struct {
	op      Op
	flags   Ins
	a, b, c int
	to      label // or -1
	span    syntax.Span
}

// bound is the set of registers that certainly hold a value.
type bound []uint64

func (b bound) has(r int) bool { return r/64 < len(b) && b[r/64]>>(r%64)&1 != 0 }

func (b bound) with(r int) bound {
	n := make(bound, max(len(b), r/64+1))
	copy(n, b)
	n[r/64] |= 1 << (r % 64)
	return n
}

func (b bound) without(r int) bound {
	if !b.has(r) {
		return b
	}
	n := append(bound(nil), b...)
	n[r/64] &^= 1 << (r % 64)
	return n
}

func (b bound) and(c bound) bound {
	n := make(bound, min(len(b), len(c)))
	for i := range n {
		n[i] = b[i] & c[i]
	}
	return n
}

// A region is a range of items that a handler covers. Code for leaving it early
// stands outside: the range then has holes.
type region struct {
	kind   HandlerKind
	target label
	reg    int
	start  int // of the open piece, or -1
	pieces [][2]int
}

// asm builds the code of one Code.
type asm struct {
	code    *Code
	items   []item
	labels  []labelState
	regions []*region // closed ones, innermost first
	inline  []Inline  // with numbers of items
	top     int       // first free register
	dead    bool      // the next instruction cannot be reached
	bound   bound
	span    syntax.Span
	consts  map[string]int
	tooMany bool
}

func (a *asm) emit(op Op, x, y, z int) {
	if a.dead {
		return
	}
	a.items = append(a.items, item{op: op, a: x, b: y, c: z, to: -1, span: a.span})
	if op.Row().Flags&Terminal != 0 {
		a.dead = true
	}
}

// jump emits a jump to l; x and y are the operands A and B.
func (a *asm) jump(op Op, x, y int, l label) {
	if a.dead {
		return
	}
	s := &a.labels[l]
	if s.at < 0 { // forwards
		if s.refs == 0 {
			s.bound = a.bound
		} else {
			s.bound = s.bound.and(a.bound)
		}
	}
	s.refs++
	a.items = append(a.items, item{op: op, a: x, b: y, to: l, span: a.span})
	if op.Row().Flags&Terminal != 0 {
		a.dead = true
	}
}

func (a *asm) label() label {
	a.labels = append(a.labels, labelState{at: -1})
	return label(len(a.labels) - 1)
}

// mark puts l here.
func (a *asm) mark(l label) {
	s := &a.labels[l]
	s.at = len(a.items)
	if s.refs > 0 {
		if a.dead {
			a.bound = s.bound
		} else {
			a.bound = a.bound.and(s.bound)
		}
		a.dead = false
	}
}

// here makes and marks a label.
func (a *asm) here() label {
	l := a.label()
	a.mark(l)
	return l
}

func (a *asm) tmp() int {
	r := a.top
	a.top++
	if a.top > a.code.NumRegs {
		a.code.NumRegs = a.top
	}
	if r >= MaxReg {
		a.tooMany = true
		a.top = MaxReg - 8
		return a.top
	}
	return r
}

// tmps returns the first of n free registers in a row.
func (a *asm) tmps(n int) int {
	r := a.tmp()
	for i := 1; i < n; i++ {
		a.tmp()
	}
	return r
}

func (a *asm) open(kind HandlerKind, target label, reg int) *region {
	return &region{kind: kind, target: target, reg: reg, start: len(a.items)}
}

// suspend ends the open piece of r, resume begins another one.
func (a *asm) suspend(r *region) {
	if r != nil && r.start >= 0 {
		if r.start < len(a.items) {
			r.pieces = append(r.pieces, [2]int{r.start, len(a.items)})
		}
		r.start = -1
	}
}

func (a *asm) resume(r *region) {
	if r != nil {
		r.start = len(a.items)
	}
}

// close ends r. Regions close innermost first.
func (a *asm) close(r *region) {
	a.suspend(r)
	a.regions = append(a.regions, r)
}

// enter starts the code of r's handler, if anything in r can lead there.
func (a *asm) enter(r *region, at bound) {
	s := &a.labels[r.target]
	s.at = len(a.items)
	a.dead = len(r.pieces) == 0
	a.bound = at
}

func (a *asm) constant(k Constant) int {
	key := k.key()
	if i, ok := a.consts[key]; ok {
		return i
	}
	i := len(a.code.Consts)
	a.code.Consts = append(a.code.Consts, k)
	if a.consts == nil {
		a.consts = map[string]int{}
	}
	a.consts[key] = i
	return i
}

func (a *asm) str(s string) int { return a.constant(Constant{Kind: StrConst, Str: s}) }

func (k Constant) key() string {
	switch k.Kind {
	case IntConst, BoolConst:
		return fmt.Sprint(k.Kind, ":", k.Int)
	case BigConst:
		return "B" + k.Big.String()
	case FloatConst, ImagConst:
		return fmt.Sprint(k.Kind, ":", strconv.FormatFloat(k.Float, 'x', -1, 64))
	case StrConst, BytesConst:
		return fmt.Sprint(k.Kind, ":", k.Str)
	case TupleConst:
		s := "T"
		for _, e := range k.Elts {
			x := e.key()
			s += fmt.Sprint(len(x), "|", x)
		}
		return s
	}
	return fmt.Sprint(k.Kind)
}

func bigConst(i *big.Int) Constant {
	if i.IsInt64() {
		return Constant{Kind: IntConst, Int: i.Int64()}
	}
	return Constant{Kind: BigConst, Big: i}
}

func (a *asm) site(name string, kw []string) int {
	a.code.Sites = append(a.code.Sites, SiteInfo{Name: name, Kw: kw})
	return len(a.code.Sites) - 1
}

// finish resolves jumps and handlers and writes the code. A conditional jump
// that is too far for 16 bits goes by way of a JMP behind it:
//
//	JF a, far   ⇒   JF a, +1;  JMP +1;  JMP far
func (a *asm) finish() {
	a.dead = false
	a.emit(END, 0, 0, 0)
	n := len(a.items)
	long := make([]bool, n)
	pos := make([]int, n+1)
	for changed := true; changed; {
		changed = false
		p := 0
		for i := range a.items {
			pos[i] = p
			p++
			if long[i] {
				p += 2
			}
		}
		pos[n] = p
		for i, it := range a.items {
			if it.to < 0 || long[i] || it.op.Row().B == Jump32 {
				continue
			}
			if d := pos[a.labels[it.to].at] - pos[i] - 1; d != int(int16(d)) {
				long[i] = true
				changed = true
			}
		}
	}
	c := a.code
	put := func(w Ins, s syntax.Span) {
		c.Ins = append(c.Ins, w)
		c.Spans = append(c.Spans, s)
	}
	for i, it := range a.items {
		switch {
		case it.to < 0:
			put(encode(it.op, it.a, it.b, it.c)|it.flags, it.span)
		case it.op.Row().B == Jump32:
			put(encode(it.op, it.a, pos[a.labels[it.to].at]-pos[i]-1, 0), it.span)
		case long[i]:
			put(encode(it.op, it.a, it.b, 1), it.span)
			put(encode(JMP, 0, 1, 0), it.span)
			put(encode(JMP, 0, pos[a.labels[it.to].at]-pos[i]-3, 0), it.span)
		default:
			put(encode(it.op, it.a, it.b, pos[a.labels[it.to].at]-pos[i]-1)|it.flags, it.span)
		}
	}
	for _, r := range a.regions {
		for _, p := range r.pieces {
			h := Handler{Kind: r.kind, Start: pos[p[0]], End: pos[p[1]], Reg: r.reg}
			if r.kind == CatchHandler {
				h.Target = pos[a.labels[r.target].at]
			}
			c.Handlers = append(c.Handlers, h)
		}
	}
	for _, in := range a.inline {
		in.Start, in.End = pos[in.Start], pos[in.End]
		c.Inline = append(c.Inline, in)
	}
}
