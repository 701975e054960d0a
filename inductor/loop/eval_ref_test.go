package loop

import (
	"errors"
	"math"
	"unsafe"

	"github.com/larkspur-ml/larkspur/tensor"
)

// refRun walks a kernel statement by statement, one lane at a time, with no
// blocks, registers or variants: the meaning in doc.go and kernel.go, spelt out.
// Sums are compensated. Primitives that are not exact are not in it: they have
// their own sweeps.
type refRun struct {
	k    *Kernel
	a    *Args
	val  []uint64
	typ  []Type
	axis []int64
}

var errRef = errors.New("reference: check failed")

func refExec(k *Kernel, a *Args) error {
	r := &refRun{k: k, a: a, val: make([]uint64, k.NumV+1), typ: make([]Type, k.NumV+1), axis: make([]int64, k.NumAxis)}
	return r.body(k.Body)
}

func (r *refRun) f(v V) float64 {
	if r.typ[v] == F32 {
		return float64(math.Float32frombits(uint32(r.val[v])))
	}
	return math.Float64frombits(r.val[v])
}
func (r *refRun) i(v V) int64 { return int64(r.val[v]) }
func (r *refRun) b(v V) bool  { return r.val[v] != 0 }

func floatBits(t Type, f float64) uint64 {
	if t == F32 {
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

func intBits(t Type, i int64) uint64 {
	if t == I32 {
		return uint64(int64(int32(i)))
	}
	return uint64(i)
}

func boolBits(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (r *refRun) body(body []Stmt) error {
	for _, s := range body {
		if err := r.stmt(s); err != nil {
			return err
		}
	}
	return nil
}

// place is the address, ok false where the mask is off.
func (r *refRun) place(m *Access) (at int64, ok bool, err error) {
	if m.Mask != 0 && !r.b(m.Mask) {
		return 0, false, nil
	}
	at = m.Off.Get(r.a.Params)
	for _, t := range m.Terms {
		at += r.axis[t.Axis] * t.Stride.Get(r.a.Params)
	}
	for _, d := range m.Dyn {
		x := r.i(d.Index)
		if x < 0 || x >= d.Lim.Get(r.a.Params) {
			return 0, false, errRef
		}
		at += x * d.Stride.Get(r.a.Params)
	}
	if at < 0 || at >= r.a.Bufs[m.Buf].Len {
		panic("reference: address out of range")
	}
	return at, true, nil
}

func refLoad(p unsafe.Pointer, d tensor.DType, at int64) uint64 {
	p = unsafe.Add(p, at*int64(d.Size()))
	switch d {
	case tensor.Bool:
		return boolBits(*(*uint8)(p) != 0)
	case tensor.Uint8:
		return uint64(*(*uint8)(p))
	case tensor.Int8:
		return uint64(int64(*(*int8)(p)))
	case tensor.Int16:
		return uint64(int64(*(*int16)(p)))
	case tensor.Int32:
		return uint64(int64(*(*int32)(p)))
	case tensor.Int64, tensor.Float64:
		return *(*uint64)(p)
	case tensor.Float32:
		return uint64(*(*uint32)(p))
	case tensor.Float16:
		return uint64(math.Float32bits(tensor.F16ToF32(*(*uint16)(p))))
	}
	return uint64(math.Float32bits(tensor.BF16ToF32(*(*uint16)(p))))
}

func refStore(p unsafe.Pointer, d tensor.DType, at int64, x uint64) {
	p = unsafe.Add(p, at*int64(d.Size()))
	switch d {
	case tensor.Bool, tensor.Uint8, tensor.Int8:
		*(*uint8)(p) = uint8(x)
	case tensor.Int16:
		*(*uint16)(p) = uint16(x)
	case tensor.Int32, tensor.Float32:
		*(*uint32)(p) = uint32(x)
	case tensor.Int64, tensor.Float64:
		*(*uint64)(p) = x
	case tensor.Float16:
		*(*uint16)(p) = tensor.F32ToF16(math.Float32frombits(uint32(x)))
	case tensor.BFloat16:
		*(*uint16)(p) = tensor.F32ToBF16(math.Float32frombits(uint32(x)))
	}
}

func (r *refRun) stmt(s Stmt) error {
	switch s := s.(type) {
	case *Let:
		x, err := r.let(s)
		r.val[s.V], r.typ[s.V] = x, s.Type
		return err
	case *Store:
		at, ok, err := r.place(s.Mem)
		if ok {
			refStore(r.a.Bufs[s.Mem.Buf].Ptr, r.k.Bufs[s.Mem.Buf].DType, at, r.val[s.Val])
		}
		return err
	case *Atomic:
		at, ok, err := r.place(s.Mem)
		if ok {
			d, p, t := r.k.Bufs[s.Mem.Buf].DType, r.a.Bufs[s.Mem.Buf].Ptr, r.typ[s.Val]
			op := [...]Op{CombineAdd: OpAdd, CombineMul: OpMul, CombineMin: OpMin, CombineMax: OpMax}
			x := r.val[s.Val]
			if s.Op != CombineSet {
				x = refArith(op[s.Op], t, refLoad(p, d, at), x)
			}
			refStore(p, d, at, x)
		}
		return err
	case *Assert:
		if !r.b(s.Cond) && (s.Mask == 0 || r.b(s.Mask)) {
			return errRef
		}
	case *Loop:
		return r.loop(s)
	}
	return nil
}

func (r *refRun) loop(l *Loop) error {
	acc, extra := make([]uint64, len(l.Folds)), make([]float64, len(l.Folds))
	for i, f := range l.Folds {
		acc[i] = identityBits(f.Op, f.Type)
		if f.Type == I32 {
			acc[i] = intBits(I32, int64(acc[i]))
		}
		r.typ[f.Out], r.typ[f.OutIx] = f.Type, I64
		r.val[f.OutIx] = 0
	}
	for _, c := range l.Carry {
		r.val[c.Phi], r.typ[c.Phi], r.typ[c.Out] = r.val[c.Init], c.Type, c.Type
	}
	ix := make([]uint64, len(l.Folds))
	for i := range l.Extent.Get(r.a.Params) {
		r.axis[l.Axis] = i
		if err := r.body(l.Body); err != nil {
			return err
		}
		for j, f := range l.Folds {
			switch {
			case f.Op == FoldAdd && f.Type.IsFloat():
				s, e := twoSum(math.Float64frombits(refSum(acc[j], f.Type, i)), r.f(f.In), extra[j])
				acc[j], extra[j] = math.Float64bits(s), e
			case f.Op == FoldMul && f.Type == F32:
				p := 1.0
				if i > 0 {
					p = math.Float64frombits(acc[j])
				}
				acc[j] = math.Float64bits(p * r.f(f.In))
			case f.Op.HasIndex():
				if i == 0 || r.refBetter(f, acc[j]) {
					acc[j], ix[j] = r.val[f.In], r.val[f.InIdx]
				}
			case f.Op == FoldAnd:
				acc[j] &= r.val[f.In]
			case f.Op == FoldOr:
				acc[j] |= r.val[f.In]
			default:
				acc[j] = refArith(map[FoldOp]Op{FoldAdd: OpAdd, FoldMul: OpMul, FoldMin: OpMin, FoldMax: OpMax}[f.Op], f.Type, acc[j], r.val[f.In])
			}
		}
		next := make([]uint64, len(l.Carry))
		for j, c := range l.Carry {
			next[j] = r.val[c.Next]
		}
		for j, c := range l.Carry {
			r.val[c.Phi] = next[j]
		}
	}
	for j, f := range l.Folds {
		if l.Extent.Get(r.a.Params) > 0 {
			switch {
			case f.Op == FoldAdd && f.Type.IsFloat():
				acc[j] = floatBits(f.Type, math.Float64frombits(acc[j])+extra[j])
			case f.Op == FoldMul && f.Type == F32:
				acc[j] = floatBits(F32, math.Float64frombits(acc[j]))
			}
		}
		r.val[f.Out] = acc[j]
		if f.Op.HasIndex() {
			r.val[f.OutIx] = ix[j]
		}
	}
	for _, c := range l.Carry {
		r.val[c.Out] = r.val[c.Phi]
	}
	return nil
}

func refSum(acc uint64, t Type, i int64) uint64 {
	if i == 0 {
		return 0
	}
	return acc
}

func (r *refRun) refBetter(f Fold, best uint64) bool {
	if f.Type.IsFloat() {
		x, y := r.f(f.In), math.Float64frombits(best)
		if f.Type == F32 {
			y = float64(math.Float32frombits(uint32(best)))
		}
		return better(x, y, f.Op == FoldArgMax)
	}
	return better(r.i(f.In), int64(best), f.Op == FoldArgMax)
}

func refFloat(t Type, x uint64) float64 {
	if t == F32 {
		return float64(math.Float32frombits(uint32(x)))
	}
	return math.Float64frombits(x)
}

func refArith(op Op, t Type, x, y uint64) uint64 {
	switch {
	case t.IsFloat():
		a, b := refFloat(t, x), refFloat(t, y)
		switch op {
		case OpAdd:
			return floatBits(t, a+b)
		case OpSub:
			return floatBits(t, a-b)
		case OpMul:
			return floatBits(t, a*b)
		case OpDiv:
			return floatBits(t, a/b)
		case OpMod:
			return floatBits(t, math.Mod(a, b))
		case OpMin:
			return floatBits(t, math.Min(a, b))
		case OpMax:
			return floatBits(t, math.Max(a, b))
		}
	case t == B1:
		switch op {
		case OpAdd, OpMax:
			return x | y
		case OpMul, OpMin:
			return x & y
		}
	}
	a, b := int64(x), int64(y)
	switch op {
	case OpAdd:
		a += b
	case OpSub:
		a -= b
	case OpMul:
		a *= b
	case OpDiv:
		a /= b
	case OpMod:
		a -= b * floorQuo(a, b)
	case OpMin:
		a = min(a, b)
	case OpMax:
		a = max(a, b)
	}
	return intBits(t, a)
}

func floorQuo(a, b int64) int64 {
	q := a / b
	if q*b != a && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func (r *refRun) let(l *Let) (uint64, error) {
	switch l.Op {
	case OpConst:
		return l.Bits, nil
	case OpScalar:
		return r.a.Scalars[l.Slot], nil
	case OpParam:
		return uint64(l.P.Get(r.a.Params)), nil
	case OpAxis:
		return uint64(r.axis[l.Slot]), nil
	case OpLoad:
		at, ok, err := r.place(l.Mem)
		if !ok {
			return 0, err
		}
		return refLoad(r.a.Bufs[l.Mem.Buf].Ptr, r.k.Bufs[l.Mem.Buf].DType, at), nil
	case OpSelect:
		if r.b(l.A) {
			return r.val[l.B], nil
		}
		return r.val[l.C], nil
	}
	t := r.typ[l.A]
	x := r.val[l.A]
	switch l.Op {
	case OpCast:
		switch {
		case l.Type == t:
			return x, nil
		case t.IsFloat() && l.Type.IsFloat():
			return floatBits(l.Type, r.f(l.A)), nil
		case t.IsFloat() && l.Type == B1:
			return boolBits(r.f(l.A) != 0), nil
		case t.IsFloat():
			return intBits(l.Type, int64(r.f(l.A))), nil
		case l.Type.IsFloat():
			if l.Type == F32 {
				return uint64(math.Float32bits(float32(int64(x)))), nil
			}
			return math.Float64bits(float64(int64(x))), nil
		case l.Type == B1:
			return boolBits(x != 0), nil
		}
		return intBits(l.Type, int64(x)), nil
	case OpRound:
		var b [8]byte
		p := unsafe.Pointer(&b)
		refStore(p, l.DType, 0, x)
		return refLoad(p, l.DType, 0), nil
	case OpBits:
		if t == F32 {
			return uint64(int64(int32(x))), nil
		}
		if l.Type == F32 {
			return uint64(uint32(x)), nil
		}
		return x, nil
	case OpNeg, OpAbs, OpNot, OpFloor, OpCeil, OpTrunc, OpNearest, OpSqrt:
		if t.IsFloat() {
			f := r.f(l.A)
			g := map[Op]func(float64) float64{OpNeg: func(x float64) float64 { return -x }, OpAbs: math.Abs, OpFloor: math.Floor,
				OpCeil: math.Ceil, OpTrunc: math.Trunc, OpNearest: math.RoundToEven, OpSqrt: math.Sqrt}[l.Op]
			return floatBits(t, g(f)), nil
		}
		switch {
		case l.Op == OpNot && t == B1:
			return x ^ 1, nil
		case l.Op == OpNot:
			return intBits(t, ^int64(x)), nil
		case l.Op == OpAbs && int64(x) >= 0:
			return x, nil
		}
		return intBits(t, -int64(x)), nil
	}
	y := r.val[l.B]
	switch l.Op {
	case OpEq, OpNe, OpLt, OpLe:
		var lt, eq bool
		if t.IsFloat() {
			a, b := r.f(l.A), r.f(l.B)
			lt, eq = a < b, a == b
		} else {
			lt, eq = int64(x) < int64(y), x == y
		}
		return boolBits(map[Op]bool{OpEq: eq, OpNe: !eq, OpLt: lt, OpLe: lt || eq}[l.Op]), nil
	case OpAnd:
		return x & y, nil
	case OpOr:
		return x | y, nil
	case OpXor:
		return x ^ y, nil
	case OpShl, OpShr:
		w := uint64(32)
		if t == I64 {
			w = 64
		}
		if l.Op == OpShl {
			if y >= w {
				return 0, nil
			}
			return intBits(t, int64(x)<<y), nil
		}
		return uint64(int64(x) >> min(y, 63)), nil
	case OpFMA:
		return refArith(OpAdd, t, refArith(OpMul, t, x, y), r.val[l.C]), nil
	case OpLdexp:
		return floatBits(t, math.Ldexp(r.f(l.A), int(r.f(l.B)))), nil
	case OpDiv, OpMod:
		if t.IsInt() && y == 0 {
			return 0, errRef
		}
	}
	return refArith(l.Op, t, x, y), nil
}
