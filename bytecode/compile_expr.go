package bytecode

import (
	"math/big"

	"github.com/larkspur-ml/larkspur/lang/syntax"
)

// operand returns a register that holds the value of e: a local's own, or a
// new temporary.
func (f *fn) operand(e syntax.Expr) int { return f.expr(e, -1) }

// into evaluates e into register r. A local is written last of all, so that an
// exception on the way leaves it as it was.
func (f *fn) into(e syntax.Expr, r int) {
	if r < f.firstTmp && gradual(e) {
		save := f.top
		t := f.tmp()
		f.expr(e, t)
		f.emit(MOVE, r, t, 0)
		f.top = save
		return
	}
	f.expr(e, r)
}

// gradual reports whether the code for e writes its target before it is done.
func gradual(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.BoolOp, *syntax.Compare, *syntax.Comp, *syntax.Dict, *syntax.List, *syntax.Tuple, *syntax.Set,
		*syntax.YieldFrom, *syntax.Lambda, *syntax.JoinedStr:
		return true
	case *syntax.IfExp:
		return gradual(e.Body) || gradual(e.Orelse)
	case *syntax.UnaryOp:
		return e.Op == syntax.Not && gradual(e.X)
	case *syntax.NamedExpr:
		return gradual(e.Value)
	}
	return false
}

func (f *fn) expr(e syntax.Expr, want int) int {
	old := f.at(e)
	defer func() { f.span = old }()
	switch e := e.(type) {
	case *syntax.Name:
		return f.load(e, want)
	case *syntax.Constant:
		if e.Kind == syntax.ImagConst && f.starlark() {
			f.c.fail(e, "complex numbers are not supported")
		}
		want = f.dst(want)
		f.emit(LOADK, want, f.constant(constantOf(e)), 0)
		return want
	case *syntax.BinOp:
		return f.binary(e, want)
	case *syntax.UnaryOp:
		return f.unary(e, want)
	case *syntax.BoolOp:
		return f.boolOp(e, want)
	case *syntax.Compare:
		return f.compare(e, want)
	case *syntax.Call:
		return f.call(e, want)
	case *syntax.Attribute:
		save := f.top
		x := f.operand(e.X)
		f.top = save
		want = f.dst(want)
		old := f.atAttribute(e, e)
		f.emit(GETATTR, want, x, f.site(e.Attr, nil))
		f.span = old
		return want
	case *syntax.Subscript:
		save := f.top
		x := f.operand(e.X)
		i := f.operand(e.Index)
		f.top = save
		want = f.dst(want)
		f.emit(GETIDX, want, x, i)
		return want
	case *syntax.Slice:
		save := f.top
		base := f.tmps(3)
		for i, part := range []syntax.Expr{e.Lo, e.Hi, e.Step} {
			if part == nil {
				f.emit(LOADK, base+i, f.constant(Constant{Kind: NoneConst}), 0)
			} else {
				f.into(part, base+i)
			}
		}
		f.top = save
		want = f.dst(want)
		f.emit(SLICE, want, base, 0)
		return want
	case *syntax.Tuple:
		if k, ok := constTuple(e); ok {
			want = f.dst(want)
			f.emit(LOADK, want, f.constant(k), 0)
			return want
		}
		return f.sequence(TUPLE, e.Elts, want)
	case *syntax.List:
		return f.sequence(LIST, e.Elts, want)
	case *syntax.Set:
		return f.sequence(SET, e.Elts, want)
	case *syntax.Dict:
		return f.dict(e, want)
	case *syntax.IfExp:
		save := f.top
		no, end := f.label(), f.label()
		f.branch(e.Test, no, false)
		f.top = save
		want = f.dst(want)
		top := f.top
		f.into(e.Body, want)
		f.jump(JMP, 0, 0, end)
		f.mark(no)
		f.top = top
		f.into(e.Orelse, want)
		f.mark(end)
		f.top = top
		return want
	case *syntax.NamedExpr:
		if r, ok := f.local(e.Target); ok {
			if !f.walrus {
				f.walrus, f.again = true, true
			}
			f.into(e.Value, r)
			f.assigned(r)
			if want >= 0 && want != r {
				f.emit(MOVE, want, r, 0)
				return want
			}
			if want < 0 {
				t := f.tmp()
				f.emit(MOVE, t, r, 0)
				return t
			}
			return r
		}
		r := f.expr(e.Value, want)
		f.store(e.Target, r)
		return r
	case *syntax.Lambda:
		return f.function(e, e.Scope, LambdaCode, e.Params, nil, want, func(g *fn) {
			g.emit(RET, g.operand(e.Body), 0, 0)
		})
	case *syntax.Comp:
		return f.comp(e, want)
	case *syntax.JoinedStr:
		outer := f.literal
		if !outer.Start.IsValid() || e.Start.Before(outer.Start) || outer.End.Before(e.End) || f.inValue {
			f.literal = e.Span // else a format spec, which belongs to the literal around it
		}
		r := f.joined(e, want)
		f.literal = outer
		return r
	case *syntax.FormattedValue:
		return f.formatted(e, want)
	case *syntax.Yield:
		save := f.top
		var r int
		if e.Value == nil {
			r = f.tmp()
			f.emit(LOADK, r, f.constant(Constant{Kind: NoneConst}), 0)
		} else {
			r = f.operand(e.Value)
		}
		f.top = save
		want = f.dst(want)
		f.emit(YIELD, want, r, NoReg)
		return want
	case *syntax.YieldFrom:
		return f.yieldFrom(e, want)
	case *syntax.Starred:
		f.c.fail(e, "can't use starred expression here")
		return f.dst(want)
	}
	panic("BUG: expression of an unknown type")
}

func constantOf(e *syntax.Constant) Constant {
	switch e.Kind {
	case syntax.TrueConst:
		return Constant{Kind: BoolConst, Int: 1}
	case syntax.FalseConst:
		return Constant{Kind: BoolConst}
	case syntax.EllipsisConst:
		return Constant{Kind: EllipsisConst}
	case syntax.IntConst:
		return Constant{Kind: IntConst, Int: e.Int}
	case syntax.BigConst:
		return bigConst(e.Big)
	case syntax.FloatConst:
		return Constant{Kind: FloatConst, Float: e.Float}
	case syntax.ImagConst:
		return Constant{Kind: ImagConst, Float: e.Float}
	case syntax.StrConst:
		return Constant{Kind: StrConst, Str: e.Str}
	case syntax.BytesConst:
		return Constant{Kind: BytesConst, Str: e.Str}
	}
	return Constant{Kind: NoneConst}
}

// constTuple folds a tuple of constants.
func constTuple(e *syntax.Tuple) (Constant, bool) {
	k := Constant{Kind: TupleConst, Elts: []Constant{}}
	for _, x := range e.Elts {
		switch x := x.(type) {
		case *syntax.Constant:
			k.Elts = append(k.Elts, constantOf(x))
		case *syntax.Tuple:
			t, ok := constTuple(x)
			if !ok {
				return k, false
			}
			k.Elts = append(k.Elts, t)
		case *syntax.UnaryOp:
			n, ok := negated(x)
			if !ok {
				return k, false
			}
			k.Elts = append(k.Elts, n)
		default:
			return k, false
		}
	}
	return k, true
}

// negated folds -literal.
func negated(e *syntax.UnaryOp) (Constant, bool) {
	x, ok := e.X.(*syntax.Constant)
	if !ok || e.Op != syntax.USub {
		return Constant{}, false
	}
	switch x.Kind {
	case syntax.IntConst:
		return bigConst(new(big.Int).Neg(big.NewInt(x.Int))), true
	case syntax.BigConst:
		return bigConst(new(big.Int).Neg(x.Big)), true
	case syntax.FloatConst:
		return Constant{Kind: FloatConst, Float: -x.Float}, true
	}
	return Constant{}, false
}

// small returns the value of an integer literal that fits an Imm operand.
func small(e syntax.Expr) (int, bool) {
	var k Constant
	switch e := e.(type) {
	case *syntax.Constant:
		k = constantOf(e)
	case *syntax.UnaryOp:
		var ok bool
		if k, ok = negated(e); !ok {
			return 0, false
		}
	default:
		return 0, false
	}
	if k.Kind == IntConst && k.Int == int64(int16(k.Int)) {
		return int(k.Int), true
	}
	return 0, false
}

var binOps = map[syntax.Op]struct{ reg, imm Op }{
	syntax.Add:      {ADD, ADDI},
	syntax.Sub:      {SUB, SUBI},
	syntax.Mult:     {MUL, MULI},
	syntax.MatMult:  {MATMUL, 0},
	syntax.Div:      {DIV, 0},
	syntax.FloorDiv: {FLOORDIV, FLOORDIVI},
	syntax.Mod:      {MOD, MODI},
	syntax.Pow:      {POW, 0},
	syntax.LShift:   {LSHIFT, LSHIFTI},
	syntax.RShift:   {RSHIFT, RSHIFTI},
	syntax.BitOr:    {OR, 0},
	syntax.BitXor:   {XOR, 0},
	syntax.BitAnd:   {AND, ANDI},
}

func (f *fn) binary(e *syntax.BinOp, want int) int {
	// A chain that grows to the left, a + b + c + …, may be long: walk it.
	var chain []*syntax.BinOp
	x := syntax.Expr(e)
	for {
		b, ok := x.(*syntax.BinOp)
		if !ok {
			break
		}
		chain = append(chain, b)
		x = b.X
	}
	save := f.top
	left := f.operand(x)
	for i := len(chain) - 1; i >= 0; i-- {
		b := chain[i]
		ops := binOps[b.Op]
		n, imm := small(b.Y)
		imm = imm && ops.imm != 0
		right := 0
		if !imm {
			right = f.operand(b.Y)
		}
		f.top = save
		r := want
		if i > 0 || want < 0 {
			r = f.tmp()
		}
		f.span = b.Span
		if imm {
			f.emit(ops.imm, r, left, n)
		} else {
			f.emit(ops.reg, r, left, right)
		}
		left = r
	}
	if want >= 0 {
		f.top = save
	}
	return left
}

func (f *fn) unary(e *syntax.UnaryOp, want int) int {
	if k, ok := negated(e); ok {
		want = f.dst(want)
		f.emit(LOADK, want, f.constant(k), 0)
		return want
	}
	save := f.top
	x := f.operand(e.X)
	f.top = save
	want = f.dst(want)
	op := map[syntax.Op]Op{syntax.UAdd: POS, syntax.USub: NEG, syntax.Invert: INVERT, syntax.Not: NOT}[e.Op]
	f.emit(op, want, x, 0)
	return want
}

func (f *fn) boolOp(e *syntax.BoolOp, want int) int {
	want = f.dst(want)
	top := f.top
	end := f.label()
	op := JF
	if e.Or {
		op = JT
	}
	for i, x := range e.Values {
		f.into(x, want)
		f.top = top
		if i < len(e.Values)-1 {
			f.jump(op, want, 0, end)
		}
	}
	f.mark(end)
	return want
}

var cmpOps = map[syntax.CmpOp]struct{ value, not, notImm Op }{
	syntax.Eq:    {EQ, JNEQ, JNEQI},
	syntax.NotEq: {NE, JNNE, JNNEI},
	syntax.Lt:    {LT, JNLT, JNLTI},
	syntax.LtE:   {LE, JNLE, JNLEI},
	syntax.Gt:    {GT, JNGT, JNGTI},
	syntax.GtE:   {GE, JNGE, JNGEI},
	syntax.Is:    {IS, 0, 0},
	syntax.IsNot: {ISNOT, 0, 0},
	syntax.In:    {IN, 0, 0},
	syntax.NotIn: {NOTIN, 0, 0},
}

func (f *fn) compare(e *syntax.Compare, want int) int {
	save := f.top
	if len(e.Ops) == 1 {
		x := f.operand(e.First)
		y := f.operand(e.Rest[0])
		f.top = save
		want = f.dst(want)
		f.emit(cmpOps[e.Ops[0]].value, want, x, y)
		return want
	}
	want = f.dst(want)
	top := f.top
	end := f.label()
	left := f.tmp()
	right := f.tmp()
	f.into(e.First, left)
	for i, op := range e.Ops {
		f.into(e.Rest[i], right)
		f.emit(cmpOps[op].value, want, left, right)
		if i < len(e.Ops)-1 {
			f.jump(JF, want, 0, end)
			left, right = right, left
		}
	}
	f.mark(end)
	f.top = top
	return want
}

// branch jumps to target if the truth of e is sense, and else falls through.
func (f *fn) branch(e syntax.Expr, target label, sense bool) {
	old := f.at(e)
	defer func() { f.span = old }()
	save := f.top
	defer func() { f.top = save }()
	switch e := e.(type) {
	case *syntax.Constant:
		if truth, ok := constTruth(e); ok {
			if truth == sense {
				f.jump(JMP, 0, 0, target)
			}
			return
		}
	case *syntax.UnaryOp:
		if e.Op == syntax.Not {
			f.branch(e.X, target, !sense)
			return
		}
	case *syntax.BoolOp:
		if e.Or == sense { // or, jump if true; and, jump if false: any value decides
			for _, x := range e.Values {
				f.branch(x, target, sense)
			}
			return
		}
		skip := f.label()
		for i, x := range e.Values {
			if i < len(e.Values)-1 {
				f.branch(x, skip, !sense)
			} else {
				f.branch(x, target, sense)
			}
		}
		f.mark(skip)
		return
	case *syntax.Compare:
		if len(e.Ops) == 1 && f.branchCompare(e, target, sense) {
			return
		}
	}
	r := f.operand(e)
	if _, compares := e.(*syntax.Compare); !compares {
		f.span = old // what __bool__ does wrong belongs to the statement, as in CPython
	}
	if sense {
		f.jump(JT, r, 0, target)
	} else {
		f.jump(JF, r, 0, target)
	}
}

// lastCompare is the comparison of a condition that is evaluated last in the text,
// where CPython places the failure of an assertion; nil if there is none.
func lastCompare(e syntax.Expr) (last *syntax.Compare) {
	switch e := e.(type) {
	case *syntax.Compare:
		return e
	case *syntax.UnaryOp:
		if e.Op == syntax.Not {
			return lastCompare(e.X)
		}
	case *syntax.BoolOp:
		for _, x := range e.Values {
			if c := lastCompare(x); c != nil {
				last = c
			}
		}
	}
	return last
}

func (f *fn) branchCompare(e *syntax.Compare, target label, sense bool) bool {
	op := e.Ops[0]
	if op == syntax.Is || op == syntax.IsNot {
		k, ok := e.Rest[0].(*syntax.Constant)
		if !ok || k.Kind != syntax.NoneConst {
			return false
		}
		x := f.operand(e.First)
		if (op == syntax.Is) == sense {
			f.jump(JNONE, x, 0, target)
		} else {
			f.jump(JNNONE, x, 0, target)
		}
		return true
	}
	ops := cmpOps[op]
	if ops.not == 0 {
		return false
	}
	x := f.operand(e.First)
	to := target
	if sense {
		to = f.label()
	}
	if n, ok := small(e.Rest[0]); ok {
		f.jump(ops.notImm, x, n, to)
	} else {
		y := f.operand(e.Rest[0])
		f.jump(ops.not, x, y, to)
	}
	if sense {
		f.jump(JMP, 0, 0, target)
		f.mark(to)
	}
	return true
}

func constTruth(e *syntax.Constant) (truth, ok bool) {
	switch e.Kind {
	case syntax.TrueConst:
		return true, true
	case syntax.FalseConst, syntax.NoneConst:
		return false, true
	case syntax.IntConst:
		return e.Int != 0, true
	}
	return false, false
}

// chunk is how many elements of a display are evaluated into registers before
// the container is made; the others are added one by one.
const chunk = 64

func (f *fn) sequence(op Op, elts []syntax.Expr, want int) int {
	add, extend := LISTAPP, LISTEXT
	if op == SET {
		add, extend = SETADD, SETEXT
	}
	n := 0
	for n < len(elts) && n < chunk {
		if _, star := elts[n].(*syntax.Starred); star {
			break
		}
		n++
	}
	save := f.top
	base := f.top
	for _, x := range elts[:n] {
		f.into(x, f.tmp())
	}
	f.top = save
	want = f.dst(want)
	first := op
	if n < len(elts) && op == TUPLE {
		first = LIST
	}
	f.emit(first, want, min(base, f.asm.code.NumRegs-1), n)
	for _, x := range elts[n:] {
		top := f.top
		if s, ok := x.(*syntax.Starred); ok {
			third := 0
			if extend == LISTEXT {
				third = NoReg
			}
			f.emit(extend, want, f.operand(s.X), third)
		} else {
			f.emit(add, want, f.operand(x), 0)
		}
		f.top = top
	}
	if first != op {
		f.emit(LISTTUP, want, want, 0)
	}
	return want
}

func (f *fn) dict(e *syntax.Dict, want int) int {
	// In Starlark a second entry of a key is an error at that entry.
	strict := f.starlark()
	n := 0
	for !strict && n < len(e.Keys) && n < chunk/2 && e.Keys[n] != nil {
		n++
	}
	save := f.top
	base := f.top
	for i := range n {
		f.into(e.Keys[i], f.tmp())
		f.into(e.Values[i], f.tmp())
	}
	f.top = save
	want = f.dst(want)
	f.emit(DICT, want, min(base, f.asm.code.NumRegs-1), n)
	for i := n; i < len(e.Keys); i++ {
		top := f.top
		if e.Keys[i] == nil {
			f.emit(DICTUPD, want, f.operand(e.Values[i]), 0)
		} else {
			k := f.operand(e.Keys[i])
			v := f.operand(e.Values[i])
			old := f.at(e.Keys[i])
			f.emit(DICTPUT, want, k, v)
			f.span = old
			if strict {
				f.mustBeNew()
			}
		}
		f.top = top
	}
	return want
}

// mustBeNew marks the DICTPUT just emitted.
func (f *fn) mustBeNew() {
	if !f.dead {
		f.items[len(f.items)-1].flags = InPlaceBit
	}
}

func (f *fn) joined(e *syntax.JoinedStr, want int) int {
	save := f.top
	base := f.top
	n := 0
	for _, x := range e.Values {
		r := f.tmp()
		f.into(x, r)
		if n++; n == chunk {
			f.emit(BUILDSTR, base, base, n)
			f.top, n = base+1, 1
		}
	}
	f.top = save
	want = f.dst(want)
	if n == 0 {
		f.emit(LOADK, want, f.str(""), 0)
		return want
	}
	f.emit(BUILDSTR, want, base, n)
	return want
}

func (f *fn) formatted(e *syntax.FormattedValue, want int) int {
	save := f.top
	base := f.tmps(2)
	within := f.inValue
	f.inValue = true
	f.into(e.Value, base)
	f.inValue = false
	flags := int(e.Conversion)
	if e.Spec != nil {
		f.into(e.Spec, base+1)
		flags |= 256
	}
	f.top = save
	want = f.dst(want)
	f.inValue = within
	f.span = f.literal // as in CPython, formatting belongs to the whole literal
	f.emit(FORMAT, want, base, flags)
	return want
}

func (f *fn) yieldFrom(e *syntax.YieldFrom, want int) int {
	save := f.top
	it := f.tmps(3)
	x := f.operand(e.Value)
	f.emit(GETYIELD, it, x, 0)
	f.top = it + 3
	v := f.tmp()
	f.emit(LOADK, v, f.constant(Constant{Kind: NoneConst}), 0)
	done := f.label()
	loop := f.here()
	f.jump(SEND, v, it, done)
	f.emit(YIELD, v, v, it)
	f.jump(LOOP, 0, 0, loop)
	f.mark(done)
	f.top = save
	want = f.dst(want)
	f.emit(MOVE, want, v, 0)
	return want
}
