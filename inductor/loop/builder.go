package loop

import (
	"fmt"
	"math"

	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// Env is how a body reaches the op it belongs to; the lowering implements it.
type Env interface {
	// At loads operand k of the op at an index, in the operand's compute type.
	// Lanes where mask (0: none) is false read 0 and touch nothing.
	At(k int, at []Ix, mask V) V
	// Num is the named Scalar or float parameter as a run-time value of type t.
	Num(name string, t Type) V
}

// Builder makes a Kernel statement by statement. Equal primitives in one scope
// become one value, and constants are folded where that is exact.
type Builder struct {
	Env
	k      *Kernel
	types  []Type // by V
	consts map[V]*Let
	params map[sym.Int]int32
	scal   map[string]int
	scope  []*scope
}

type scope struct {
	body *[]Stmt
	seen map[letKey]V
}

type letKey struct {
	op      Op
	t       Type
	a, b, c V
	bits    uint64
	p       P
	slot    int
	dt      tensor.DType
}

// NewBuilder starts a kernel.
func NewBuilder(name string) *Builder {
	b := &Builder{k: &Kernel{Name: name}, types: []Type{NoType}, consts: map[V]*Let{}, params: map[sym.Int]int32{}, scal: map[string]int{}}
	b.scope = []*scope{{body: &b.k.Body, seen: map[letKey]V{}}}
	return b
}

// Kernel returns what was built.
func (b *Builder) Kernel() *Kernel {
	b.k.NumV = len(b.types) - 1
	return b.k
}

// Type is the type of a value.
func (b *Builder) Type(v V) Type { return b.types[v] }

// AddBuf declares a buffer and returns its number.
func (b *Builder) AddBuf(d tensor.DType, r Role, name string) int {
	b.k.Bufs = append(b.k.Bufs, Buf{DType: d, Role: r, Name: name})
	return len(b.k.Bufs) - 1
}

// AddCheck declares what a failed check raises.
func (b *Builder) AddCheck(c Check) int32 {
	for i, x := range b.k.Checks {
		if x == c {
			return int32(i)
		}
	}
	b.k.Checks = append(b.k.Checks, c)
	return int32(len(b.k.Checks) - 1)
}

// ScalarSlot declares a run-time scalar under a key; the same key and type give
// the same slot.
func (b *Builder) ScalarSlot(key string, t Type) int {
	key += "/" + t.String()
	s, ok := b.scal[key]
	if !ok {
		s = len(b.k.Scalars)
		b.k.Scalars = append(b.k.Scalars, t)
		b.scal[key] = s
	}
	return s
}

// P makes an integer of the kernel from an expression.
func (b *Builder) P(s sym.Int) P {
	s = s.Norm()
	if v, ok := s.Const(); ok {
		return Imm(v)
	}
	i, ok := b.params[s]
	if !ok {
		b.k.Params = append(b.k.Params, s)
		i = int32(len(b.k.Params))
		b.params[s] = i
	}
	return P{Par: i}
}

func (b *Builder) newV(t Type) V {
	b.types = append(b.types, t)
	return V(len(b.types) - 1)
}

func (b *Builder) push(s Stmt) {
	body := b.scope[len(b.scope)-1].body
	*body = append(*body, s)
}

func (b *Builder) let(l Let) V {
	key := letKey{l.Op, l.Type, l.A, l.B, l.C, l.Bits, l.P, l.Slot, l.DType}
	if l.Op != OpLoad {
		for _, s := range b.scope {
			if v, ok := s.seen[key]; ok {
				return v
			}
		}
	}
	l.V = b.newV(l.Type)
	if l.Op != OpLoad {
		b.scope[len(b.scope)-1].seen[key] = l.V
	}
	p := new(Let)
	*p = l
	if l.Op == OpConst {
		b.consts[l.V] = p
	}
	b.push(p)
	return l.V
}

// Const is a constant of type t: f rounded to a float type, truncated to an integer.
func (b *Builder) Const(t Type, f float64) V {
	var bits uint64
	switch t {
	case B1:
		if f != 0 {
			bits = 1
		}
	case I32, I64:
		return b.ConstI(t, int64(f))
	case F32:
		bits = uint64(math.Float32bits(float32(f)))
	case F64:
		bits = math.Float64bits(f)
	}
	return b.let(Let{Op: OpConst, Type: t, Bits: bits})
}

// ConstI is a constant given as an integer, of any type.
func (b *Builder) ConstI(t Type, v int64) V {
	switch t {
	case I32:
		return b.let(Let{Op: OpConst, Type: t, Bits: uint64(int64(int32(v)))})
	case I64:
		return b.let(Let{Op: OpConst, Type: t, Bits: uint64(v)})
	}
	return b.Const(t, float64(v))
}

// Like is a constant of x's type.
func (b *Builder) Like(x V, f float64) V { return b.Const(b.types[x], f) }

// True and False.
func (b *Builder) Bool(v bool) V {
	if v {
		return b.Const(B1, 1)
	}
	return b.Const(B1, 0)
}

// Size is an integer expression as an i64 value: a run-time operand, never burnt in.
func (b *Builder) Size(s sym.Int) V {
	p := b.P(s)
	if p.Par == 0 {
		return b.ConstI(I64, p.Imm)
	}
	return b.let(Let{Op: OpParam, Type: I64, P: p})
}

// AxisV is a loop variable as an i64 value.
func (b *Builder) AxisV(a Axis) V { return b.let(Let{Op: OpAxis, Type: I64, Slot: int(a)}) }

// Scalar is run-time scalar slot s.
func (b *Builder) Scalar(s int) V { return b.let(Let{Op: OpScalar, Type: b.k.Scalars[s], Slot: s}) }

// Idx is an index as an i64 value.
func (b *Builder) Idx(x Ix) V {
	v := V(0)
	add := func(y V) {
		if v == 0 {
			v = y
		} else {
			v = b.Add(v, y)
		}
	}
	for i, a := range x.Axes {
		t := b.AxisV(a)
		if !x.Coef[i].Is(1) {
			t = b.Mul(t, b.Size(x.Coef[i]))
		}
		add(t)
	}
	if x.Dyn != 0 {
		add(b.Cast(x.Dyn, I64))
	}
	if v == 0 || !x.Off.Is(0) {
		add(b.Size(x.Off))
	}
	return v
}

// Load reads memory.
func (b *Builder) Load(m *Access) V {
	return b.let(Let{Op: OpLoad, Type: TypeOf(b.k.Bufs[m.Buf].DType), Mem: m})
}

// Store writes memory; v is cast to the buffer's compute type.
func (b *Builder) Store(m *Access, v V) {
	b.push(&Store{Mem: m, Val: b.Cast(v, TypeOf(b.k.Bufs[m.Buf].DType))})
}

// Atomic combines into memory.
func (b *Builder) Atomic(op Combine, m *Access, v V) {
	b.push(&Atomic{Mem: m, Op: op, Val: b.Cast(v, TypeOf(b.k.Bufs[m.Buf].DType))})
}

// Assert raises c where cond is false; val (0: none) is what the message's %i shows.
func (b *Builder) Assert(cond, val, mask V, c Check) {
	b.push(&Assert{Cond: cond, Val: val, Mask: mask, Check: b.AddCheck(c)})
}

// Access makes the address of an element: idx per dimension over strides.
// size gives the limits of data-dependent parts.
func (b *Builder) Access(buf int, size, stride []sym.Int, off sym.Int, idx []Ix, mask V) *Access {
	if len(idx) != len(stride) {
		panic(fmt.Sprintf("BUG: %d indices for %d dimensions in kernel %s", len(idx), len(stride), b.k.Name))
	}
	m := &Access{Buf: buf, Mask: mask}
	var axes []Axis
	var coef []sym.Int
	for d, x := range idx {
		off = off.Add(x.Off.Mul(stride[d]))
	next:
		for i, a := range x.Axes {
			c := x.Coef[i].Mul(stride[d])
			for j, o := range axes {
				if o == a {
					coef[j] = coef[j].Add(c)
					continue next
				}
			}
			axes = append(axes, a)
			coef = append(coef, c)
		}
		if x.Dyn != 0 {
			c := Check{tensor.IndexError, "index %i is out of bounds for dimension %d with size %n"}
			if x.Check != nil {
				c = *x.Check
			}
			m.Dyn = append(m.Dyn, Dyn{Index: x.Dyn, Stride: b.P(stride[d]), Lim: b.P(size[d]), Dim: int32(d), Check: b.AddCheck(c)})
		}
	}
	m.Off = b.P(off)
	for i, a := range axes {
		if p := b.P(coef[i]); p != (P{}) {
			m.Terms = append(m.Terms, Term{a, p})
		}
	}
	return m
}

// Loop opens a loop, runs body inside it and closes it.
func (b *Builder) Loop(kind LoopKind, extent sym.Int, body func(a Axis)) {
	b.Fold(kind, extent, nil, func(a Axis) []V { body(a); return nil })
}

func (b *Builder) open(kind LoopKind, extent sym.Int) *Loop {
	l := &Loop{Axis: Axis(b.k.NumAxis), Extent: b.P(extent), Kind: kind}
	b.k.NumAxis++
	b.push(l)
	b.scope = append(b.scope, &scope{body: &l.Body, seen: map[letKey]V{}})
	return l
}

func (b *Builder) close() { b.scope = b.scope[:len(b.scope)-1] }

// Fold opens a loop and folds what body returns: one value for each op, then
// one i64 index for each op that has an index. The results come in that order.
func (b *Builder) Fold(kind LoopKind, extent sym.Int, ops []FoldOp, body func(a Axis) []V) []V {
	l := b.open(kind, extent)
	in := body(l.Axis)
	b.close()
	var out, ix []V
	n := len(ops)
	for i, op := range ops {
		f := Fold{Op: op, In: in[i], Type: b.types[in[i]]}
		f.Out = b.newV(f.Type)
		out = append(out, f.Out)
		if op.HasIndex() {
			f.InIdx = in[n]
			n++
			f.OutIx = b.newV(I64)
			ix = append(ix, f.OutIx)
		}
		l.Folds = append(l.Folds, f)
	}
	return append(out, ix...)
}

// Carry opens a serial loop that hands values from step to step: body gets the
// current ones and returns the next. The results are the last ones.
func (b *Builder) Carry(extent sym.Int, init []V, body func(a Axis, cur []V) []V) []V {
	l := b.open(Serial, extent)
	cur := make([]V, len(init))
	for i, v := range init {
		cur[i] = b.newV(b.types[v])
	}
	next := body(l.Axis, cur)
	b.close()
	out := make([]V, len(init))
	for i, v := range init {
		if b.types[next[i]] != b.types[v] {
			panic("BUG: a carry changes its type in kernel " + b.k.Name)
		}
		out[i] = b.newV(b.types[v])
		l.Carry = append(l.Carry, Carry{Type: b.types[v], Init: v, Phi: cur[i], Next: next[i], Out: out[i]})
	}
	return out
}
