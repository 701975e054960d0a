package loop

// Chains. Cheap primitives of which each is the only reader of the one before
// run as one pass over the block: x = op1(x, b); x = op2(x, c); x = op3(x, e).
// A pass costs loads, a store and its loop, which is as much as two additions,
// so this is what keeps a run of cheap primitives near a hand-written loop.
// Every step is rounded on its own: the result is that of single primitives.
//
// The compiler holds back a primitive whose reader may take it on; the reader
// either continues the chain or has it computed just before itself.

// link is one step of a chain: what is done with the running value x and one
// operand y.
type link uint8

const (
	linkAdd  link = iota
	linkSub       // x - y
	linkRsub      // y - x
	linkMul
	linkDiv  // x / y
	linkRdiv // y / x
	linkMin
	linkMax
	linkMaxC // max with a constant, of which the operand is the negative
	linkNeg  // y unused
	numLinks
)

var linkOf = map[Op]link{OpAdd: linkAdd, OpSub: linkSub, OpMul: linkMul, OpDiv: linkDiv, OpMin: linkMin, OpMax: linkMax, OpNeg: linkNeg, OpFMA: linkMul}

// reversed is the link with the running value on the right.
func (l link) reversed() link {
	switch l {
	case linkSub:
		return linkRsub
	case linkDiv:
		return linkRdiv
	}
	return l
}

const maxChain = 3

// chain is a primitive to be computed with its reader: steps from the lanes of first.
type chain struct {
	let   *Let // the last primitive in it
	first V
	ops   []link
	rest  []V // the other operand of each step
}

func (x *chain) fn() blockFn { return chainFn(x.let.Type, x.ops) }

// chainFn is the function of a chain, nil where there is none.
func chainFn(t Type, ops []link) blockFn {
	switch {
	case len(ops) == 1 && t == F32:
		return chains1[ops[0]]
	case len(ops) == 2 && t == F32:
		return chains2[ops[0]][ops[1]]
	case len(ops) == 2 && t == F64:
		return wideChains[ops[0]][ops[1]]
	case len(ops) == 3 && t == F32 && int(ops[0]) < len(chains3) && int(ops[1]) < len(chains3):
		return chains3[ops[0]][ops[1]][ops[2]]
	}
	return nil
}

func chains(s *Let) bool {
	_, ok := linkOf[s.Op]
	return ok && s.Type.IsFloat()
}

func compares(s *Let) bool { return s.Op == OpEq || s.Op == OpNe || s.Op == OpLt || s.Op == OpLe }

func selects32(s *Let) bool { return s.Op == OpSelect && (s.Type == F32 || s.Type == I32) }

// fusible finds the values of a statement list whose only reader may take them on.
func (c *evalCompiler) fusible(body []Stmt) {
	var local map[V]*Let
	for _, s := range body {
		l, ok := s.(*Let)
		if !ok {
			continue
		}
		switch {
		case chains(l):
			for _, v := range [3]V{l.A, l.B, l.C} {
				if p := local[v]; p != nil && chains(p) {
					c.waits[v] = true
				}
			}
		case selects32(l):
			if p := local[l.A]; p != nil && compares(p) {
				c.waits[l.A] = true
			}
		}
		if (chains(l) || compares(l)) && c.uses[l.V] == 1 {
			if local == nil {
				local = map[V]*Let{}
			}
			local[l.V] = l
		}
	}
}

// chained compiles a primitive that is a step of chains; ok is false where it is
// not one, or has no lanes.
func (c *evalCompiler) chained(s *Let) (ok bool) {
	if c.lane == nil {
		return false
	}
	if !chains(s) {
		return c.compared(s)
	}
	var x *chain
	switch s.Op {
	case OpFMA:
		c.flush(s.C)
		x = c.continued(s, s.A, s.B, linkMul, s.C)
	case OpNeg:
		x = c.continued(s, s.A, 0, linkNeg, 0)
	default:
		x = c.continued(s, s.A, s.B, linkOf[s.Op], 0)
	}
	if x == nil {
		return false
	}
	c.held[s.V] = x
	if !c.waits[s.V] {
		c.flush(s.V)
	}
	return true
}

// continued is the chain that ends in op(a, b) (plus addend, if any): a held one
// of a or b made longer, or a new one; nil where neither has lanes. What it
// cannot take on is computed.
func (c *evalCompiler) continued(s *Let, a, b V, op link, addend V) *chain {
	take := func(v, other V, op link) *chain {
		x := c.held[v]
		if v == 0 || x == nil {
			return nil
		}
		y := c.step(s, x, other, op, addend)
		if len(y.ops) > maxChain || y.fn() == nil {
			return nil
		}
		delete(c.held, v)
		c.flush(other)
		return y
	}
	if x := take(a, b, op); x != nil {
		return x
	}
	if x := take(b, a, op.reversed()); x != nil {
		return x
	}
	c.flush(a)
	c.flush(b)
	switch {
	case c.isLane(a):
		return c.step(s, &chain{first: a}, b, op, addend)
	case c.isLane(b):
		return c.step(s, &chain{first: b}, a, op.reversed(), addend)
	}
	return nil
}

func (c *evalCompiler) step(s *Let, x *chain, other V, op link, addend V) *chain {
	y := &chain{let: s, first: x.first}
	if op == linkMax && c.constants[other] != nil && s.Type == F32 {
		op = linkMaxC
	}
	y.ops = append(append(y.ops, x.ops...), op)
	if other == 0 {
		other = x.first
	}
	y.rest = append(append(y.rest, x.rest...), other)
	if addend != 0 {
		y.ops, y.rest = append(y.ops, linkAdd), append(y.rest, addend)
	}
	return y
}

// flush computes a held chain.
func (c *evalCompiler) flush(v V) {
	x := c.held[v]
	if v == 0 || x == nil {
		return
	}
	delete(c.held, v)
	if len(x.ops) == 1 && (x.fn() == nil || x.ops[0] < linkMin) {
		c.primitive(x.let)
		return
	}
	in := inst{fn: x.fn(), def: x.let, pure: true, a: c.reg(x.first)}
	for i, to := range [maxChain]*int32{&in.b, &in.c, &in.e} {
		if i == len(x.rest) {
			break
		}
		*to = c.reg(x.rest[i])
		if x.ops[i] == linkMaxC {
			*to = c.negated(c.constants[x.rest[i]])
		}
		if !c.isLane(x.rest[i]) {
			in.single |= 1 << i
		}
		c.use(*to)
	}
	c.use(in.a)
	in.d = c.define(v, x.let.Type, true)
	c.emit(in)
}

// negated is a register with the negative of a float32 constant. The processor has
// a minimum near Go's and no such maximum: Go negates both sides and the result.
func (c *evalCompiler) negated(k *Let) int32 {
	r := c.newReg(F32, false)
	c.v.consts = append(c.v.consts, &inst{d: r, aux: int64(k.Bits ^ 1<<31)})
	return r
}

// compared holds back a comparison for the selection that reads it, and compiles
// such a selection.
func (c *evalCompiler) compared(s *Let) bool {
	if compares(s) && c.waits[s.V] {
		if f := comparedFns[s.Op]; f != nil && c.typeOf(s.A) == F32 && (c.isLane(s.A) || c.isLane(s.B)) {
			c.conds[s.V] = s
			return true
		}
		return false
	}
	k := c.conds[s.A]
	if s.Op != OpSelect || k == nil {
		return false
	}
	in := inst{fn: comparedFns[k.Op], def: s, pure: true}
	for i, v := range [4]V{s.B, s.C, k.B, k.A} {
		r := c.reg(v)
		*[4]*int32{&in.b, &in.c, &in.e, &in.a}[i] = r
		if !c.isLane(v) {
			in.single |= 1 << i
		}
		c.use(r)
	}
	in.d = c.define(s.V, s.Type, true)
	c.emit(in)
	return true
}

func (c *evalCompiler) typeOf(v V) Type { return c.v.regs[c.reg(v)].typ }

// countUses counts how often each value is read.
func countUses(uses []int32, body []Stmt) {
	mem := func(m *Access) {
		if m != nil {
			uses[m.Mask]++
			for _, d := range m.Dyn {
				uses[d.Index]++
			}
		}
	}
	for _, s := range body {
		switch s := s.(type) {
		case *Let:
			uses[s.A]++
			uses[s.B]++
			uses[s.C]++
			mem(s.Mem)
		case *Store:
			uses[s.Val]++
			mem(s.Mem)
		case *Atomic:
			uses[s.Val]++
			mem(s.Mem)
		case *Assert:
			uses[s.Cond]++
			uses[s.Val]++
			uses[s.Mask]++
		case *Loop:
			for _, f := range s.Folds {
				uses[f.In]++
				uses[f.InIdx]++
			}
			for _, x := range s.Carry {
				uses[x.Init]++
				uses[x.Next]++
			}
			countUses(uses, s.Body)
		}
	}
}
