package amd64

import (
	"fmt"

	"github.com/larkspur-ml/larkspur/inductor/loop"
)

// unit is a kernel rewritten for the generator: elementary functions expanded,
// constants taken out of the statements, invariants moved out of loops.
type unit struct {
	k      *loop.Kernel
	body   []loop.Stmt
	types  []loop.Type       // by V
	consts map[loop.V]uint64 // bits
	retry  bool              // has a reduction of an angle that may be too large
	choose map[loop.V]bool   // comparisons that only selections of their block use
}

// unsupported is why a kernel stays with the fallback.
type unsupported string

func (u unsupported) Error() string { return "amd64: not supported: " + string(u) }

func prepare(k *loop.Kernel) (u *unit, err error) {
	u = &unit{k: k, types: make([]loop.Type, k.NumV+1), consts: map[loop.V]uint64{}}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case unsupported:
			u, err = nil, e
		default:
			panic(e)
		}
	}()
	u.body = u.block(k.Body)
	for {
		n := dead(u.body)
		if n == 0 {
			break
		}
		u.body = sweep(u.body)
	}
	u.body = u.hoistAll(u.body)
	u.choose = u.choices()
	return u, nil
}

// choices finds the comparisons that only selections use, in the block of the
// comparison: AVX-512 keeps them in mask registers.
func (u *unit) choices() map[loop.V]bool {
	uses, good := map[loop.V]int{}, map[loop.V]int{}
	countUses(u.body, uses)
	set := map[loop.V]bool{}
	var walk func(body []loop.Stmt)
	walk = func(body []loop.Stmt) {
		here := map[loop.V]bool{}
		for _, s := range body {
			switch s := s.(type) {
			case *loop.Let:
				switch s.Op {
				case loop.OpEq, loop.OpNe, loop.OpLt, loop.OpLe:
					here[s.V] = u.types[s.A] != loop.B1
				case loop.OpSelect:
					if here[s.A] {
						good[s.A]++
					}
				}
			case *loop.Loop:
				walk(s.Body)
			}
		}
		for v, ok := range here {
			if ok && good[v] == uses[v] {
				set[v] = true
			}
		}
	}
	walk(u.body)
	return set
}

func (u *unit) newV(t loop.Type) loop.V {
	u.types = append(u.types, t)
	return loop.V(len(u.types) - 1)
}

func (u *unit) constant(t loop.Type, bits uint64) loop.V {
	v := u.newV(t)
	u.consts[v] = bits
	return v
}

func (u *unit) block(body []loop.Stmt) []loop.Stmt {
	var out []loop.Stmt
	for _, s := range body {
		switch s := s.(type) {
		case *loop.Let:
			u.types[s.V] = s.Type
			out = u.let(out, s)
		case *loop.Loop:
			l := *s
			for _, c := range s.Carry {
				u.types[c.Phi], u.types[c.Out] = c.Type, c.Type
			}
			l.Body = u.block(s.Body)
			l.Folds = append([]loop.Fold(nil), s.Folds...)
			for _, f := range s.Folds {
				u.types[f.Out] = f.Type
				if f.Op.HasIndex() {
					u.types[f.OutIx] = loop.I64
				}
			}
			out = append(out, &l)
		default:
			out = append(out, s)
		}
	}
	return out
}

func (u *unit) let(out []loop.Stmt, s *loop.Let) []loop.Stmt {
	t := s.Type
	switch op := s.Op; {
	case op == loop.OpConst:
		u.consts[s.V] = s.Bits
		return out
	case op == loop.OpRcp:
		one := uint64(0x3f800000)
		if t == loop.F64 {
			one = 0x3ff0000000000000
		}
		l := *s
		l.Op, l.A, l.B = loop.OpDiv, u.constant(t, one), s.A
		return append(out, &l)
	case op == loop.OpEx2:
		return u.splice(out, s, loop.OpExp2)
	case op.IsElementary() && t.IsFloat():
		return u.splice(out, s, op)
	}
	l := *s
	return append(out, &l)
}

// splice puts the expansion of op in the place of s.
func (u *unit) splice(out []loop.Stmt, s *loop.Let, op loop.Op) []loop.Stmt {
	e := loop.Expansions[op]
	if e == nil {
		panic(unsupported(fmt.Sprintf("%s of %s", op, s.Type)))
	}
	b := loop.NewBuilder("expansion")
	arg := [2]loop.V{s.A, s.B}
	var in [2]loop.V
	for i := range op.Arity() {
		in[i] = b.Scalar(b.ScalarSlot(string(rune('x'+i)), s.Type))
	}
	r := e(b, s.Type, in[0], in[1])
	if r == 0 {
		panic(unsupported(fmt.Sprintf("%s of %s", op, s.Type)))
	}
	switch op {
	case loop.OpSin, loop.OpCos, loop.OpTan:
		u.retry = true
		out = append(out, &loop.Let{V: u.newV(loop.B1), Op: opTooLarge, Type: loop.B1, A: s.A})
	}
	k := b.Kernel()
	to := make([]loop.V, k.NumV+1)
	for _, x := range k.Body {
		l, ok := x.(*loop.Let)
		if !ok {
			panic("BUG: expansion of " + op.String() + " has statements")
		}
		if l.Op == loop.OpScalar {
			to[l.V] = arg[l.Slot]
			continue
		}
		c := *l
		c.A, c.B, c.C = to[l.A], to[l.B], to[l.C]
		if l.V == r {
			c.V = s.V
		} else {
			c.V = u.newV(l.Type)
		}
		to[l.V] = c.V
		if l.Op == loop.OpConst {
			u.consts[c.V] = l.Bits
			continue
		}
		out = append(out, &c)
	}
	if to[r] != s.V {
		panic("BUG: expansion of " + op.String() + " computes nothing")
	}
	return out
}

// opTooLarge asks the caller to run the range on the fallback if the magnitude of
// A is beyond what the expansion of sine reduces.
const opTooLarge loop.Op = 255

// pure reports a Let that touches nothing and cannot fail.
func pure(s *loop.Let, types []loop.Type) bool {
	switch s.Op {
	case loop.OpLoad, opTooLarge:
		return false
	case loop.OpDiv, loop.OpMod:
		return s.Type.IsFloat()
	}
	return true
}

func countUses(body []loop.Stmt, uses map[loop.V]int) {
	for _, s := range body {
		loop.Operands(s, func(v loop.V) { uses[v]++ })
		if l, ok := s.(*loop.Loop); ok {
			loop.Results(l, func(v loop.V) { uses[v]++ })
			countUses(l.Body, uses)
		}
	}
}

// dead counts pure Lets that nothing reads and marks them by Op OpInvalid.
func dead(body []loop.Stmt) int {
	uses := map[loop.V]int{}
	countUses(body, uses)
	n := 0
	var walk func(body []loop.Stmt)
	walk = func(body []loop.Stmt) {
		for _, s := range body {
			switch s := s.(type) {
			case *loop.Let:
				if uses[s.V] == 0 && pure(s, nil) {
					s.Op = loop.OpInvalid
					n++
				}
			case *loop.Loop:
				walk(s.Body)
			}
		}
	}
	walk(body)
	return n
}

func sweep(body []loop.Stmt) []loop.Stmt {
	out := body[:0]
	for _, s := range body {
		switch s := s.(type) {
		case *loop.Let:
			if s.Op == loop.OpInvalid {
				continue
			}
		case *loop.Loop:
			s.Body = sweep(s.Body)
		}
		out = append(out, s)
	}
	return out
}

// hoistAll moves invariant pure Lets in front of their loops, innermost first.
func (u *unit) hoistAll(body []loop.Stmt) []loop.Stmt {
	var out []loop.Stmt
	for _, s := range body {
		l, ok := s.(*loop.Loop)
		if !ok {
			out = append(out, s)
			continue
		}
		l.Body = u.hoistAll(l.Body)
		inside := map[loop.V]bool{}
		for _, c := range l.Carry {
			inside[c.Phi] = true
		}
		defines(l.Body, inside)
		var keep []loop.Stmt
		for _, s := range l.Body {
			if x, ok := s.(*loop.Let); ok && pure(x, nil) && !(x.Op == loop.OpAxis && loop.Axis(x.Slot) == l.Axis) {
				free := true
				loop.Operands(x, func(v loop.V) { free = free && !inside[v] })
				if free {
					delete(inside, x.V)
					out = append(out, x)
					continue
				}
			}
			keep = append(keep, s)
		}
		l.Body = keep
		out = append(out, l)
	}
	return out
}

func defines(body []loop.Stmt, set map[loop.V]bool) {
	for _, s := range body {
		switch s := s.(type) {
		case *loop.Let:
			set[s.V] = true
		case *loop.Loop:
			for _, f := range s.Folds {
				set[f.Out] = true
				set[f.OutIx] = true
			}
			for _, c := range s.Carry {
				set[c.Out] = true
				set[c.Phi] = true
			}
			defines(s.Body, set)
		}
	}
}
