package loop

import (
	"fmt"
)

// Verify checks the invariants of the package doc that hold for every launch;
// Bounds checks the sixth, which depends on sizes.
func Verify(k *Kernel) error {
	v := &verifier{k: k, typ: make([]Type, k.NumV+1), open: map[Axis]bool{}}
	v.block(k.Body, path{})
	if v.err != nil {
		return fmt.Errorf("kernel %s: %w", k.Name, v.err)
	}
	return nil
}

type verifier struct {
	k     *Kernel
	typ   []Type // type of values in scope
	stack []V    // values in scope, to be closed again
	open  map[Axis]bool
	used  map[Axis]bool
	err   error
}

type path struct{ vector, inner bool } // inside a Vector loop; inside a Serial or Vector one

func (v *verifier) fail(inv int, format string, a ...any) {
	if v.err == nil {
		v.err = fmt.Errorf("invariant %d: %s", inv, fmt.Sprintf(format, a...))
	}
}

func (v *verifier) define(x V, t Type) {
	switch {
	case x <= 0 || int(x) >= len(v.typ):
		v.fail(1, "v%d is out of range", x)
	case v.typ[x] != NoType:
		v.fail(1, "v%d is defined twice", x)
	default:
		v.typ[x] = t
		v.stack = append(v.stack, x)
	}
}

// use reports the type of a value in scope.
func (v *verifier) use(x V) Type {
	if x <= 0 || int(x) >= len(v.typ) || v.typ[x] == NoType || v.typ[x] == closed {
		v.fail(1, "v%d is used where it is not defined", x)
		return NoType
	}
	return v.typ[x]
}

func (v *verifier) want(x V, t Type, inv int, what string) {
	if u := v.use(x); u != t && v.err == nil {
		v.fail(inv, "%s: v%d is %s, not %s", what, x, u, t)
	}
}

func (v *verifier) param(p P) {
	if p.Par < 0 || int(p.Par) > len(v.k.Params) {
		v.fail(2, "parameter p%d of %d", p.Par-1, len(v.k.Params))
	}
}

// block checks statements; what they define goes out of scope at the end.
func (v *verifier) block(body []Stmt, p path) {
	mark := len(v.stack)
	for _, s := range body {
		v.stmt(s, p)
		if v.err != nil {
			return
		}
	}
	v.leave(mark)
}

func (v *verifier) leave(mark int) {
	for _, x := range v.stack[mark:] {
		v.typ[x] = closed
	}
	v.stack = v.stack[:mark]
}

// closed marks a value that was defined in a scope that has ended.
const closed Type = 0xff

func (v *verifier) stmt(s Stmt, p path) {
	switch s := s.(type) {
	case *Let:
		v.let(s)
	case *Store:
		v.access(s.Mem, true)
		if v.err == nil {
			v.want(s.Val, TypeOf(v.k.Bufs[s.Mem.Buf].DType), 2, "store")
		}
	case *Atomic:
		v.access(s.Mem, true)
		if v.err == nil {
			v.want(s.Val, TypeOf(v.k.Bufs[s.Mem.Buf].DType), 2, "atomic")
		}
	case *Assert:
		v.want(s.Cond, B1, 2, "assert")
		if s.Val != 0 {
			v.use(s.Val)
		}
		if s.Mask != 0 {
			v.want(s.Mask, B1, 2, "mask")
		}
		v.check(s.Check)
	case *Loop:
		v.loop(s, p)
	}
}

func (v *verifier) check(c int32) {
	if c < 0 || int(c) >= len(v.k.Checks) {
		v.fail(2, "check %d of %d", c, len(v.k.Checks))
	}
}

func (v *verifier) let(l *Let) {
	row := opTable[l.Op]
	if l.Op == OpInvalid || l.Op >= numOps {
		v.fail(2, "v%d has no primitive", l.V)
		return
	}
	args := [3]V{l.A, l.B, l.C}
	for i, a := range args {
		if i < row.arity {
			v.use(a)
		} else if a != 0 {
			v.fail(2, "v%d: %s has %d operands", l.V, row.name, row.arity)
		}
	}
	if v.err != nil {
		return
	}
	t := l.Type
	ok := true
	switch row.cls {
	case clsSource:
		switch l.Op {
		case OpConst:
			ok = t != NoType
		case OpParam:
			v.param(l.P)
			ok = t == I64
		case OpScalar:
			ok = l.Slot >= 0 && l.Slot < len(v.k.Scalars) && v.k.Scalars[l.Slot] == t
		case OpAxis:
			if !v.open[Axis(l.Slot)] {
				v.fail(3, "axis a%d is used outside its loop", l.Slot)
			}
			ok = t == I64
		case OpLoad:
			v.access(l.Mem, false)
			ok = v.err != nil || t == TypeOf(v.k.Bufs[l.Mem.Buf].DType)
		}
	case clsCast:
		ok = t != NoType && (l.Op != OpBits || bitPair(v.typ[l.A], t))
	case clsArith:
		ok = t >= I32
		for _, a := range args[:row.arity] {
			ok = ok && v.typ[a] == t
		}
	case clsInt:
		ok = t.IsInt() && v.typ[l.A] == t && v.typ[l.B] == t
	case clsFloat:
		ok = t.IsFloat()
		for _, a := range args[:row.arity] {
			ok = ok && v.typ[a] == t
		}
	case clsCmp:
		ok = t == B1 && v.typ[l.A] == v.typ[l.B] && (v.typ[l.A] != B1 || l.Op == OpEq || l.Op == OpNe)
	case clsLogic:
		ok = !t.IsFloat() && v.typ[l.A] == t && (row.arity == 1 || v.typ[l.B] == t)
	case clsSelect:
		ok = v.typ[l.A] == B1 && v.typ[l.B] == t && v.typ[l.C] == t
	}
	if !ok {
		v.fail(2, "v%d: %s to %s does not type", l.V, row.name, t)
	}
	v.define(l.V, t)
}

func bitPair(a, b Type) bool {
	return a == I32 && b == F32 || a == F32 && b == I32 || a == I64 && b == F64 || a == F64 && b == I64
}

func (v *verifier) access(m *Access, write bool) {
	if m == nil || m.Buf < 0 || m.Buf >= len(v.k.Bufs) {
		v.fail(2, "access to no buffer")
		return
	}
	if r := v.k.Bufs[m.Buf].Role; write && r == In {
		v.fail(5, "buffer %d is read only", m.Buf)
	}
	v.param(m.Off)
	for i, t := range m.Terms {
		v.param(t.Stride)
		if !v.open[t.Axis] {
			v.fail(3, "axis a%d is used outside its loop", t.Axis)
		}
		for _, u := range m.Terms[:i] {
			if u.Axis == t.Axis {
				v.fail(3, "axis a%d occurs twice in an address", t.Axis)
			}
		}
	}
	for _, d := range m.Dyn {
		v.param(d.Stride)
		v.param(d.Lim)
		v.check(d.Check)
		if t := v.use(d.Index); !t.IsInt() && v.err == nil {
			v.fail(2, "index v%d is %s", d.Index, t)
		}
	}
	if m.Mask != 0 {
		v.want(m.Mask, B1, 2, "mask")
	}
}

func (v *verifier) loop(l *Loop, p path) {
	switch {
	case l.Axis < 0 || int(l.Axis) >= v.k.NumAxis || v.open[l.Axis] || v.used[l.Axis]:
		v.fail(3, "axis a%d is opened twice or out of range", l.Axis)
	case l.Kind == Vector && p.vector:
		v.fail(3, "vector loop a%d inside a vector loop", l.Axis)
	case l.Kind == Grid && p.inner:
		v.fail(3, "grid loop a%d inside a %s loop", l.Axis, "serial or vector")
	case len(l.Carry) > 0 && l.Kind != Serial:
		v.fail(4, "loop a%d carries values but is not serial", l.Axis)
	}
	v.param(l.Extent)
	for _, c := range l.Carry {
		v.want(c.Init, c.Type, 2, "carry")
	}
	if v.err != nil {
		return
	}
	if v.used == nil {
		v.used = map[Axis]bool{}
	}
	v.open[l.Axis], v.used[l.Axis] = true, true
	mark := len(v.stack)
	for _, c := range l.Carry {
		v.define(c.Phi, c.Type)
	}
	q := path{p.vector || l.Kind == Vector, p.inner || l.Kind != Grid}
	for _, s := range l.Body {
		v.stmt(s, q)
		if v.err != nil {
			return
		}
	}
	for _, f := range l.Folds {
		v.want(f.In, f.Type, 4, "fold")
		ok := f.Type >= I32
		if f.Op == FoldAnd || f.Op == FoldOr {
			ok = f.Type == B1
		}
		if f.Op.HasIndex() {
			v.want(f.InIdx, I64, 4, "fold index")
			ok = ok || f.Type == B1
		}
		if !ok {
			v.fail(2, "fold %s of %s", f.Op, f.Type)
		}
	}
	for _, c := range l.Carry {
		v.want(c.Next, c.Type, 4, "carry")
	}
	v.leave(mark)
	delete(v.open, l.Axis)
	for _, f := range l.Folds {
		v.define(f.Out, f.Type)
		if f.Op.HasIndex() {
			v.define(f.OutIx, I64)
		}
	}
	for _, c := range l.Carry {
		v.define(c.Out, c.Type)
	}
}
