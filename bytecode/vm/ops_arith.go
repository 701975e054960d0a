package vm

import (
	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// arithOps and cmpOps pair opcodes with operators; the second opcode has an
// immediate operand.
var arithOps = []struct {
	op, imm bytecode.Op
	v       value.Op
}{
	{bytecode.ADD, bytecode.ADDI, value.OpAdd},
	{bytecode.SUB, bytecode.SUBI, value.OpSub},
	{bytecode.MUL, bytecode.MULI, value.OpMul},
	{bytecode.DIV, 0, value.OpDiv},
	{bytecode.FLOORDIV, bytecode.FLOORDIVI, value.OpFloorDiv},
	{bytecode.MOD, bytecode.MODI, value.OpMod},
	{bytecode.POW, 0, value.OpPow},
	{bytecode.MATMUL, 0, value.OpMatMul},
	{bytecode.LSHIFT, bytecode.LSHIFTI, value.OpLsh},
	{bytecode.RSHIFT, bytecode.RSHIFTI, value.OpRsh},
	{bytecode.OR, 0, value.OpOr},
	{bytecode.XOR, 0, value.OpXor},
	{bytecode.AND, bytecode.ANDI, value.OpAnd},
}

var cmpOps = []struct {
	op, jump, imm bytecode.Op
	v             value.Cmp
}{
	{bytecode.LT, bytecode.JNLT, bytecode.JNLTI, value.Lt},
	{bytecode.LE, bytecode.JNLE, bytecode.JNLEI, value.Le},
	{bytecode.GT, bytecode.JNGT, bytecode.JNGTI, value.Gt},
	{bytecode.GE, bytecode.JNGE, bytecode.JNGEI, value.Ge},
	{bytecode.EQ, bytecode.JNEQ, bytecode.JNEQI, value.Eq},
	{bytecode.NE, bytecode.JNNE, bytecode.JNNEI, value.Ne},
}

func init() {
	binary := func(th *Thread, fr *frame, ins uint64, op value.Op, x, y value.Value) error {
		f := value.Binary
		if ins&bytecode.InPlaceBit != 0 {
			f = value.InPlace
		}
		v, err := f(&th.Thread, op, x, y)
		return th.outcome(fr, ins, v, err)
	}
	for _, o := range arithOps {
		operations[o.op] = func(th *Thread, fr *frame, ins uint64) error {
			return binary(th, fr, ins, o.v, *fr.b(ins), *fr.c(ins))
		}
		if o.imm != 0 {
			operations[o.imm] = func(th *Thread, fr *frame, ins uint64) error {
				return binary(th, fr, ins, o.v, *fr.b(ins), value.Int(int64(ins)>>48))
			}
		}
	}
	for _, o := range cmpOps {
		operations[o.op] = func(th *Thread, fr *frame, ins uint64) error {
			v, err := value.Compare(&th.Thread, o.v, *fr.b(ins), *fr.c(ins))
			return th.outcome(fr, ins, v, err)
		}
		operations[o.jump] = func(th *Thread, fr *frame, ins uint64) error {
			v, err := value.Compare(&th.Thread, o.v, *fr.a(ins), *fr.b(ins))
			return th.outcome(fr, ins, v, err)
		}
		operations[o.imm] = func(th *Thread, fr *frame, ins uint64) error {
			v, err := value.Compare(&th.Thread, o.v, *fr.a(ins), value.Int(int64(int16(ins>>32))))
			return th.outcome(fr, ins, v, err)
		}
	}
	for op, v := range map[bytecode.Op]value.Op{bytecode.NEG: value.OpNeg, bytecode.POS: value.OpPos, bytecode.INVERT: value.OpInvert} {
		operations[op] = func(th *Thread, fr *frame, ins uint64) error {
			r, err := value.Unary(&th.Thread, v, *fr.b(ins))
			return th.outcome(fr, ins, r, err)
		}
	}
	operations[bytecode.NOT] = func(th *Thread, fr *frame, ins uint64) error {
		truth, err := value.Truth(&th.Thread, *fr.b(ins))
		return th.outcome(fr, ins, value.Bool(truth), err)
	}
	contains := func(th *Thread, fr *frame, ins uint64) error {
		found, err := value.Contains(&th.Thread, *fr.c(ins), *fr.b(ins))
		return th.outcome(fr, ins, value.Bool(found), err)
	}
	operations[bytecode.IN] = contains
	operations[bytecode.NOTIN] = contains
	is := func(sense bool) operation {
		return func(th *Thread, fr *frame, ins uint64) error {
			x, y := *fr.b(ins), *fr.c(ins)
			same := value.Same(x, y)
			if th.Observer != nil && !x.IsTagged() && !y.IsTagged() {
				th.Observer.Outcome(x, value.StepIs, y, same)
			}
			*fr.a(ins) = value.Bool(same == sense)
			return nil
		}
	}
	operations[bytecode.IS] = is(true)
	operations[bytecode.ISNOT] = is(false)
	operations[bytecode.LEN] = func(th *Thread, fr *frame, ins uint64) error {
		n, err := value.Len(&th.Thread, *fr.b(ins))
		return th.outcome(fr, ins, value.Int(int64(n)), err)
	}
}
