package tracer

import (
	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/guards"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
	"go.starlark.net/starlark"
)

// A symbol stands for a number or string of the outside while a recording is
// made. Arithmetic makes expressions, comparisons outcomes; everything else asks
// for Concrete, which guards the value.
type symbol struct {
	r  *recorder
	v  value.Value
	e  *guards.Expr
	by *tensor.Trace // once an op has taken the number
}

// Go code that looks at a symbol as at any value sees what it stands for, which is
// then guarded.
func (s *symbol) String() string        { return s.Concrete().Starlark().String() }
func (s *symbol) Type() string          { return s.v.Starlark().Type() }
func (s *symbol) Freeze()               {}
func (s *symbol) Truth() starlark.Bool  { return s.Concrete().Starlark().Truth() }
func (s *symbol) Hash() (uint32, error) { return s.Concrete().Starlark().Hash() }
func (s *symbol) ClassOf() *value.Class { return value.TypeOf(s.v) }
func (s *symbol) Hint() value.Value     { return s.v }

func (r *recorder) symbol(v value.Value, e *guards.Expr) value.Value {
	s := &symbol{r: r, v: v, e: r.intern(e)}
	r.symbols = append(r.symbols, s)
	return value.FromStarlark(s)
}

func asSymbol(v value.Value) *symbol {
	s, _ := value.As[*symbol](v)
	return s
}

// plain is the value that a symbol stands for, unguarded; any other value itself.
func plain(v value.Value) value.Value {
	if s := asSymbol(v); s != nil {
		return s.v
	}
	return v
}

func exprOf(v value.Value) *guards.Expr {
	if s := asSymbol(v); s != nil {
		return s.e
	}
	return &guards.Expr{Kind: guards.ExprConst, V: v}
}

// Concrete implements value.Symbolic.
func (s *symbol) Concrete() value.Value {
	if n, ok := s.r.syms[s.e]; ok && s.r.alive() {
		n.Eq(sym.C(s.v.Int64()))
	} else {
		s.r.pin(s.e, s.v)
	}
	return s.v
}

func isNumber(v value.Value) bool { return v.IsInt() || v.IsFloat() }

// Binary implements value.Symbolic.
func (s *symbol) Binary(t *value.Thread, op value.Op, x, y value.Value) (value.Value, error) {
	a, b := plain(x), plain(y)
	if !s.r.alive() {
		return value.Value{}, nil // done with the values themselves
	}
	_, xs := a.AsString()
	_, ys := b.AsString()
	if op == value.OpAdd && xs && ys {
		v, err := value.Binary(t, op, a, b)
		if err != nil {
			return v, err
		}
		return s.r.symbol(v, &guards.Expr{Kind: guards.ExprConcat, X: exprOf(x), Y: exprOf(y)}), nil
	}
	if !isNumber(a) || !isNumber(b) {
		return value.Value{}, nil
	}
	v, err := value.Binary(t, op, a, b)
	if err != nil || !isNumber(v) {
		return value.Value{}, nil // done again with the values themselves
	}
	e := &guards.Expr{Kind: guards.ExprBinary, Op: uint8(op), X: exprOf(x), Y: exprOf(y)}
	switch op {
	case value.OpAdd, value.OpSub, value.OpMul, value.OpAnd, value.OpOr, value.OpXor:
		return s.r.symbol(v, e), nil
	}
	return s.r.checked(v, e), nil // it may raise, or give another type
}

// Convert implements value.Converted.
func (s *symbol) Convert(t *value.Thread, c *value.Class) (value.Value, error) {
	if !s.r.alive() {
		return value.Value{}, nil
	}
	if c == value.StrClass {
		if !isNumber(s.v) {
			return value.FromStarlark(s), nil
		}
		return s.Format(t, s.v, "")
	}
	if !isNumber(s.v) {
		return value.Value{}, nil
	}
	if c == value.IntClass && s.v.IsInt() || c == value.FloatClass && s.v.IsFloat() {
		return value.FromStarlark(s), nil
	}
	v, err := value.CallAny(t, c.Value(), []value.Value{s.v}, nil)
	if err != nil || !isNumber(v) {
		return value.Value{}, nil
	}
	return s.r.checked(v, &guards.Expr{Kind: guards.ExprCall, V: c.Value(), X: s.e}), nil
}

// Unary implements value.Symbolic.
func (s *symbol) Unary(t *value.Thread, op value.Op, x value.Value) (value.Value, error) {
	if !s.r.alive() || !isNumber(s.v) {
		return value.Value{}, nil
	}
	v, err := value.Unary(t, op, s.v)
	if err != nil || !isNumber(v) {
		return value.Value{}, nil
	}
	return s.r.symbol(v, &guards.Expr{Kind: guards.ExprUnary, Op: uint8(op), X: s.e}), nil
}

// Compare implements value.Symbolic.
func (s *symbol) Compare(t *value.Thread, op value.Cmp, x, y value.Value) (value.Value, error) {
	a, b := plain(x), plain(y)
	if !isNumber(a) || !isNumber(b) {
		if (op == value.Eq || op == value.Ne) && (a.IsNone() || b.IsNone()) {
			return value.Bool(op == value.Ne), nil // its type says so
		}
		return value.Value{}, nil
	}
	v, err := value.Compare(t, op, a, b)
	if err != nil || !v.IsBool() || !s.r.alive() {
		return v, err
	}
	s.r.outcome(&guards.Expr{Kind: guards.ExprCompare, Op: uint8(op), X: exprOf(x), Y: exprOf(y)}, v.IsTrue())
	return v, nil
}

// TruthOf is the outcome of a test of the number.
func (s *symbol) TruthOf(t *value.Thread) (bool, error) {
	if !isNumber(s.v) {
		return value.Truth(t, s.Concrete())
	}
	v, err := s.Compare(t, value.Ne, value.FromStarlark(s), value.Int(0))
	return v.IsTrue(), err
}

// Format implements value.Symbolic.
func (s *symbol) Format(t *value.Thread, x value.Value, spec string) (value.Value, error) {
	v, err := value.Format(t, s.v, spec)
	if err != nil || !s.r.alive() {
		return v, err
	}
	return s.r.symbol(v, &guards.Expr{Kind: guards.ExprFormat, X: s.e, Spec: spec}), nil
}

func (r *recorder) outcome(e *guards.Expr, result bool) {
	if e = r.intern(e); r.told[e] {
		return
	}
	r.told[e] = true
	g := guards.Guard{Test: guards.TestTrue, Expr: e, Dst: -1}
	if !result {
		g.Test = guards.TestFalse
	}
	r.add(g)
}

// burn takes the symbols out of a value that goes where symbols cannot, guarding
// what they stand for. Tuples and slices are looked into.
func (r *recorder) burn(v value.Value) value.Value {
	if s := asSymbol(v); s != nil {
		return s.Concrete()
	}
	if tup, ok := v.AsTuple(); ok {
		for i, e := range tup {
			w := value.FromStarlark(e)
			if b := r.burn(w); b != w {
				tup[i] = b.Starlark()
			}
		}
		return v
	}
	if tup := named(v); !tup.IsUnset() {
		r.burn(tup)
		return v
	}
	if s, ok := value.As[*value.Slice](v); ok {
		s.Lo, s.Hi, s.Step = r.burn(s.Lo), r.burn(s.Hi), r.burn(s.Step)
	}
	return v
}

// named is the tuple behind an instance of a class of tuples (torch.Size), unset for
// any other value.
func named(v value.Value) value.Value {
	if v.Is(value.ItabInstance) {
		if tup, ok := v.AsInstance().Native.(starlark.Tuple); ok {
			return value.FromStarlark(tup)
		}
	}
	return value.Value{}
}

// hasSymbol reports a symbol, or an immutable value with one inside.
func hasSymbol(v value.Value) bool {
	if v.IsTagged() || v.IsUnset() {
		return false
	}
	if asSymbol(v) != nil {
		return true
	}
	if tup, ok := v.AsTuple(); ok {
		for _, e := range tup {
			if hasSymbol(value.FromStarlark(e)) {
				return true
			}
		}
	}
	if tup := named(v); !tup.IsUnset() {
		return hasSymbol(tup)
	}
	if s, ok := value.As[*value.Slice](v); ok {
		return hasSymbol(s.Lo) || hasSymbol(s.Hi) || hasSymbol(s.Step)
	}
	return v.Is(value.ItabMethod) && hasSymbol((*value.BoundMethod)(v.P).Self)
}

// sweepOperands burns the operands of an instruction that would look at numbers
// without asking.
func (r *recorder) sweepOperands(f vm.Frame, w bytecode.Ins) {
	if len(r.symbols) == 0 {
		return
	}
	burn := func(field uint16) {
		p := &f.Regs[int(field)/bytecode.RegSize]
		if !p.IsTagged() {
			*p = r.burn(*p)
		}
	}
	all := func() {
		base, n := window(w)
		for i := base; i < base+n && i < len(f.Regs); i++ {
			if p := &f.Regs[i]; !p.IsTagged() && !p.IsUnset() {
				*p = r.burn(*p)
			}
		}
	}
	switch w.Op() {
	case bytecode.RET, bytecode.YIELD:
		// Steppers and Go code look at what language code gives them.
		if below := r.th.FrameAt(r.cur.depth - 1); below.Native || below.Entry {
			if w.Op() == bytecode.RET {
				burn(w.A())
			} else {
				burn(w.B())
			}
		}
	case bytecode.ITER, bytecode.GETITER, bytecode.GETYIELD, bytecode.UNPACK, bytecode.UNPACKEX, bytecode.LISTEXT, bytecode.GETATTR, bytecode.METHOD:
		// Text and its parts; tuples hand on what is in them.
		if s := asSymbol(f.Regs[int(w.B())/bytecode.RegSize]); s != nil {
			burn(w.B())
		}
	case bytecode.GETIDX:
		if s := asSymbol(f.Regs[int(w.B())/bytecode.RegSize]); s != nil {
			burn(w.B())
		}
		if t := tensorOf(f.Regs[int(w.B())/bytecode.RegSize]); t != nil {
			return // it asks for what it needs
		}
		if f.Regs[int(w.B())/bytecode.RegSize].Is(value.ItabList) {
			if k := f.Regs[int(w.C())/bytecode.RegSize]; asSymbol(k) != nil {
				return // so does IndexOf
			}
		}
		burn(w.C())
	case bytecode.SETIDX:
		burn(w.B())
		if x := f.Regs[int(w.A())/bytecode.RegSize]; x.Is(value.ItabInstance) && tensorOf(x) == nil {
			burn(w.C())
		}
	case bytecode.DELIDX:
		burn(w.B())
	case bytecode.IN, bytecode.NOTIN:
		burn(w.B())
		burn(w.C())
	case bytecode.IS, bytecode.ISNOT:
		x, y := f.Regs[int(w.B())/bytecode.RegSize], f.Regs[int(w.C())/bytecode.RegSize]
		if x.IsNone() || y.IsNone() || x.IsBool() || y.IsBool() {
			return
		}
		burn(w.B())
		burn(w.C())
	case bytecode.DICTPUT:
		burn(w.B())
	case bytecode.DICT:
		base, n := window2(w)
		for i := base; i < base+n; i += 2 {
			f.Regs[i] = r.burn(f.Regs[i])
		}
	case bytecode.FORITER, bytecode.SEND:
		burn(w.B())
	case bytecode.FORMAT:
		base, n := window(w)
		if n > 1 { // the specification
			f.Regs[base+1] = r.burn(f.Regs[base+1])
		}
		if w.C()&255 != 0 { // !r and the like
			f.Regs[base] = r.burn(f.Regs[base])
		}
	case bytecode.CALLM, bytecode.CALLMK:
		self := uint16(int(w.A()) + bytecode.RegSize)
		if s := asSymbol(f.Regs[int(self)/bytecode.RegSize]); s != nil {
			burn(self)
		}
	case bytecode.MOD:
		if x := plain(f.Regs[int(w.B())/bytecode.RegSize]); x.Is(value.ItabString) || x.Is(value.ItabBytes) {
			burn(w.B())
			burn(w.C())
		}
	case bytecode.RAISE, bytecode.ASSERTFAIL, bytecode.EXCMATCH:
		if w.Op() != bytecode.ASSERTFAIL || w.A() != bytecode.NoReg {
			if w.Op() == bytecode.RAISE || w.Op() == bytecode.ASSERTFAIL {
				burn(w.A())
			}
		}
	case bytecode.CALL, bytecode.CALLK, bytecode.CALLB, bytecode.CALLBK:
		fn := f.Regs[int(w.A())/bytecode.RegSize]
		if !inLanguage(fn) && !asksSymbols(fn) {
			all()
		}
	case bytecode.CALLX:
		fn := f.Regs[int(w.A())/bytecode.RegSize]
		if !inLanguage(fn) && !asksSymbols(fn) {
			base := int(w.A()) / bytecode.RegSize
			if l := f.Regs[base+1].AsList(); l != nil {
				for i := range l.Elems {
					l.Elems[i] = r.burn(l.Elems[i])
				}
			}
			if d := f.Regs[base+2].AsDict(); d != nil {
				r.burnDict(d)
			}
		}
	default:
		if keeps[w.Op()] {
			return
		}
		all()
		row := w.Op().Row()
		if row.A == bytecode.Src {
			burn(w.A())
		}
		if row.B == bytecode.Src {
			burn(w.B())
		}
		if row.C == bytecode.Src {
			burn(w.C())
		}
	}
}

// keeps are the other instructions that only move their operands, or hand them to
// operators, which ask them (value.Symbolic).
var keeps = func() map[bytecode.Op]bool {
	m := map[bytecode.Op]bool{}
	for _, o := range []bytecode.Op{bytecode.MOVE, bytecode.CHECK, bytecode.SETG, bytecode.MKCELL, bytecode.SETCELL, bytecode.SETFREE,
		bytecode.NEG, bytecode.POS, bytecode.INVERT, bytecode.NOT, bytecode.JF, bytecode.JT, bytecode.JNONE, bytecode.JNNONE,
		bytecode.LIST, bytecode.TUPLE, bytecode.SLICE, bytecode.LISTAPP, bytecode.LISTTUP, bytecode.SETATTR, bytecode.BUILDSTR,
		bytecode.DICTMERGE, bytecode.DICTUPD} {
		m[o] = true
	}
	for o := bytecode.ADD; o <= bytecode.RSHIFTI; o++ {
		m[o] = true
	}
	for o := bytecode.LT; o <= bytecode.NE; o++ {
		m[o] = true
	}
	for o := bytecode.JNLT; o <= bytecode.JNNEI; o++ {
		m[o] = true
	}
	return m
}()

// movesItems reports a call that hands on what it reads, or puts it into a list or
// tuple, without looking at it.
func movesItems(f vm.Frame, w bytecode.Ins) bool {
	if w.Op() != bytecode.CALL && w.Op() != bytecode.CALLB {
		return false
	}
	fn := f.Regs[int(w.A())/bytecode.RegSize]
	if m, ok := value.As[*value.BoundMethod](fn); ok {
		fn = m.Fn
	}
	if b, ok := value.As[*value.Builtin](fn); ok {
		switch b.Owner {
		case nil:
			return b.Name == "next"
		case value.ListClass:
			return b.Name == "extend" || b.Name == "copy" || b.Name == "pop"
		case value.DictClass:
			return b.Name == "get" || b.Name == "pop" || b.Name == "setdefault"
		}
		return false
	}
	c := fn.AsClass()
	return c != nil && (c == value.ListClass || c == value.TupleClass)
}

// asksSymbols reports a callee that is given symbols and asked what it does with
// them: Observer.Call sees the arguments of builtins, Convert those of int, float and str.
func asksSymbols(fn value.Value) bool {
	if fn.Is(value.ItabMethod) {
		return asksSymbols((*value.BoundMethod)(fn.P).Fn)
	}
	c := fn.AsClass()
	return fn.Is(value.ItabBuiltin) || c != nil && (c == value.IntClass || c == value.FloatClass || c == value.StrClass)
}

func window2(w bytecode.Ins) (base, n int) { return window(w) }

func (r *recorder) burnDict(d *value.Dict) {
	for i := 0; ; {
		k, v, next, ok := d.Next(i)
		if !ok {
			return
		}
		if s := asSymbol(v); s != nil {
			if name, ok := k.AsString(); ok {
				d.SetStr(name, s.Concrete())
			}
		}
		i = next
	}
}

// inLanguage reports a callee to which symbols may be passed: its parameters are
// registers.
func inLanguage(fn value.Value) bool {
	if fn.Is(vm.ItabFunction) {
		return true
	}
	if fn.Is(value.ItabMethod) {
		return inLanguage((*value.BoundMethod)(fn.P).Fn)
	}
	if c := fn.AsClass(); c != nil {
		init, ok := c.PlainInit()
		return ok && init.Is(vm.ItabFunction)
	}
	return false
}

// sweep takes the symbols out of everything the program can reach: frames,
// objects that were made meanwhile, told or not, and places of the outside that
// were written.
func (r *recorder) sweep() {
	if len(r.symbols) == 0 {
		return
	}
	w := &sweeper{r: r, seen: map[value.Value]bool{}}
	for i := min(r.base, r.th.Depth()); i <= r.th.Depth(); i++ {
		w.all(r.th.FrameAt(i).Regs)
		if s := r.th.StepperAt(i); s != nil {
			if rooted, ok := s.(value.Rooted); ok {
				rooted.Roots(func(p *value.Value) { *p = w.value(*p) })
			}
		}
	}
	for i := range r.born {
		w.value(i.value())
	}
	for _, f := range r.leaks {
		f()
	}
	if h := r.th.Handling; h != nil {
		w.all(h.Args)
	}
}

// sweeper walks what was made during a recording.
type sweeper struct {
	r    *recorder
	seen map[value.Value]bool
}

func (w *sweeper) all(vs []value.Value) {
	for i, v := range vs {
		if !v.IsTagged() && !v.IsUnset() {
			if x := w.value(v); x != v {
				vs[i] = x
			}
		}
	}
}

// value is v without symbols; containers are changed in place. Objects of the
// outside are not entered: what was written there is known.
func (w *sweeper) value(v value.Value) value.Value {
	if v.IsTagged() || v.IsUnset() || v.Is(value.ItabString) {
		return v
	}
	if s := asSymbol(v); s != nil {
		return s.v
	}
	if o, ok := w.r.origin[v]; ok {
		return o
	}
	if w.seen[v] || w.r.src[idOf(v)] != nil {
		return v
	}
	w.seen[v] = true
	if tup, ok := v.AsTuple(); ok {
		for i, e := range tup {
			x := value.FromStarlark(e)
			if y := w.value(x); y != x {
				tup[i] = y.Starlark()
			}
		}
		return v
	}
	switch o := v.Starlark().(type) {
	case *value.List:
		w.all(o.Elems)
	case *value.Dict:
		var keys, vals []value.Value
		for i := 0; ; {
			k, x, next, ok := o.Next(i)
			if !ok {
				break
			}
			if y := w.value(x); y != x {
				keys, vals = append(keys, k), append(vals, y)
			}
			i = next
		}
		for i, k := range keys {
			o.Set(nil, k, vals[i])
		}
	case *value.Instance:
		w.all(o.Slots)
		switch n := o.Native.(type) {
		case *value.Raised:
			w.all(n.Args)
		default:
			if p := value.Payload(v); p != v {
				w.value(p)
			}
		}
	case *value.Cell:
		o.V = w.value(o.V)
	case *value.Slice:
		o.Lo, o.Hi, o.Step = w.value(o.Lo), w.value(o.Hi), w.value(o.Step)
	case *value.BoundMethod:
		o.Self, o.Fn = w.value(o.Self), w.value(o.Fn)
	case *vm.Function:
		w.all(o.Defaults())
		for _, c := range o.Cells() {
			w.value(c.Value())
		}
	case *vm.Generator:
		w.all(o.Registers())
	case *value.ListIter:
		w.value(o.List.Value())
	case *value.TupleIter:
		for i, e := range o.Tuple {
			x := value.FromStarlark(e)
			if y := w.value(x); y != x {
				o.Tuple[i] = y.Starlark()
			}
		}
	case *value.Enumerate:
		o.It = w.value(o.It)
	default:
		if rooted, ok := o.(value.Rooted); ok {
			rooted.Roots(func(p *value.Value) { *p = w.value(*p) })
		}
	}
	return v
}

func (r *recorder) unsymbol(vs []value.Value) {
	for i, v := range vs {
		if !v.IsTagged() && !v.IsUnset() {
			if w := r.unwrap(v); w != v {
				vs[i] = w
			}
		}
	}
}

// unwrap takes symbols out of a value and of the immutable values inside it.
func (r *recorder) unwrap(v value.Value) value.Value {
	if v.IsTagged() || v.IsUnset() {
		return v
	}
	if s := asSymbol(v); s != nil {
		return s.v
	}
	if o, ok := r.origin[v]; ok {
		return o
	}
	if tup, ok := v.AsTuple(); ok {
		for i, e := range tup {
			x := value.FromStarlark(e)
			if w := r.unwrap(x); w != x {
				tup[i] = w.Starlark()
			}
		}
	}
	if tup := named(v); !tup.IsUnset() {
		r.unwrap(tup)
	}
	if s, ok := value.As[*value.Slice](v); ok {
		s.Lo, s.Hi, s.Step = r.unwrap(s.Lo), r.unwrap(s.Hi), r.unwrap(s.Step)
	}
	if v.Is(value.ItabMethod) {
		m := (*value.BoundMethod)(v.P)
		m.Self = r.unwrap(m.Self)
	}
	return v
}
