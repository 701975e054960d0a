package value

import (
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

var starToken = map[Op]syntax.Token{OpAdd: syntax.PLUS, OpSub: syntax.MINUS, OpMul: syntax.STAR, OpDiv: syntax.SLASH,
	OpFloorDiv: syntax.SLASHSLASH, OpMod: syntax.PERCENT, OpAnd: syntax.AMP, OpOr: syntax.PIPE,
	OpXor: syntax.CIRCUMFLEX, OpLsh: syntax.LTLT, OpRsh: syntax.GTGT, OpNeg: syntax.MINUS, OpPos: syntax.PLUS, OpInvert: syntax.TILDE}

var starCompare = [...]syntax.Token{syntax.LT, syntax.LE, syntax.EQL, syntax.NEQ, syntax.GT, syntax.GE}

// Binary computes x op y.
func Binary(t *Thread, op Op, x, y Value) (Value, error) {
	if x.IsInt() && y.IsInt() && t.Dialect == Model {
		v, _, err := intArith(op, x.Int64(), y.Int64())
		if op != OpMatMul {
			if err != nil {
				return t.doAside(v, err)
			}
			return v, nil
		}
	}
	if x.IsFloat() && y.IsFloat() && t.Dialect == Model {
		if v, ok, err := floatArith(op, x.Float64(), y.Float64()); ok {
			return v, err
		}
	}
	if t.Observer != nil {
		if v, err := symbolicBinary(t, op, x, y); err != nil || !v.IsUnset() {
			return v, err
		}
		x, y = concretePair(x, y)
	} else if op == OpAdd && t.Dialect == Model && x.Is(ItabString) && y.Is(ItabString) {
		v, _, err := concatBuiltin(t, x, y)
		return v, err
	}
	if cx, cy := classBearer(x), classBearer(y); cx != nil || cy != nil {
		// Tensor arithmetic and its like: native on the left, nothing special on the right.
		if cx != nil && cx.Slots != nil && cx.Slots.Binary != nil && (cy == nil || cy == cx) {
			if _, ok := cx.custom(dAdd + dunder(op)); !ok {
				if v, err := cx.Slots.Binary(t, op, x, y, false); err != nil || v != NotImplemented {
					return v, err
				}
			}
		}
		return newAttempts(t, op, x, y, false).run(t)
	}
	v, ok, err := binaryBuiltin(t, op, x, y)
	if err != nil {
		return Value{}, err
	}
	if ok {
		return v, nil
	}
	return Value{}, binaryError(t, op.String(), op, x, y)
}

// InPlace computes x op= y: the result is to be stored in x's place. Lists and
// sets change in place.
func InPlace(t *Thread, op Op, x, y Value) (Value, error) {
	if t.Observer != nil {
		_, sx := As[Symbolic](x)
		_, sy := As[Symbolic](y)
		switch {
		case sx, sy && x.IsTagged():
			if v, err := symbolicBinary(t, op, x, y); err != nil || !v.IsUnset() {
				return v, err
			}
			x, y = concretePair(x, y)
		case sy:
			_, y = concretePair(x, y)
		}
	}
	if x.IsTagged() && y.IsTagged() {
		v, ok, err := binaryBuiltin(t, op, x, y)
		if err == nil && !ok {
			err = inPlaceError(t, op, x, y)
		}
		return v, err
	}
	if l := x.AsList(); l != nil && op == OpAdd && t.Dialect == Strict {
		if _, ok := y.Starlark().(starlark.Iterable); !ok {
			return Binary(t, op, x, y)
		}
	}
	if classBearer(x) != nil || classBearer(y) != nil {
		return newAttempts(t, op, x, y, true).run(t)
	}
	if v, ok, err := inPlaceBuiltin(t, op, x, y); ok || err != nil {
		return v, err
	}
	v, ok, err := binaryBuiltin(t, op, x, y)
	if err == nil && !ok {
		err = inPlaceError(t, op, x, y)
	}
	return v, err
}

// inPlaceError words an unknown x op= y.
func inPlaceError(t *Thread, op Op, x, y Value) error {
	if t.Dialect == Strict {
		return binaryError(t, op.String(), op, x, y)
	}
	return binaryError(t, op.String()+"=", op, x, y)
}

func symbolicBinary(t *Thread, op Op, x, y Value) (Value, error) {
	if s, ok := As[Symbolic](x); ok {
		return s.Binary(t, op, x, y)
	}
	if s, ok := As[Symbolic](y); ok {
		return s.Binary(t, op, x, y)
	}
	return Value{}, nil
}

// concretePair is the operands as the other one's class may see them: native
// classes that take symbolic numbers look after them themselves.
func concretePair(x, y Value) (Value, Value) {
	if takesSymbols(x) || takesSymbols(y) {
		return x, y
	}
	return concrete(x), concrete(y)
}

func takesSymbols(x Value) bool {
	if !x.Is(ItabInstance) {
		return false
	}
	c := (*Instance)(x.P).Shape.Class
	return c.Slots != nil && c.Slots.Symbols
}

// concrete guards and unwraps a symbolic value.
func concrete(x Value) Value {
	if s, ok := As[Symbolic](x); ok {
		return s.Concrete()
	}
	return x
}

func binaryError(t *Thread, text string, op Op, x, y Value) error {
	if t.Dialect == Strict {
		return TypeErrorf("unknown binary op: %s %s %s", TypeName(t, x), text, TypeName(t, y))
	}
	if op == OpPow && text == "**" {
		text = "** or pow()"
	}
	if op == OpAdd && !Payload(x).IsTagged() {
		switch p := Payload(x); {
		case p.Is(ItabString):
			return TypeErrorf(`can only concatenate str (not "%s") to str`, typeName(y))
		case p.Is(ItabList):
			return TypeErrorf(`can only concatenate list (not "%s") to list`, typeName(y))
		case p.Is(ItabTuple):
			return TypeErrorf(`can only concatenate tuple (not "%s") to tuple`, typeName(y))
		case p.Is(ItabBytes):
			return TypeErrorf("can't concat %s to bytes", typeName(y))
		}
	}
	if op == OpMul {
		if isSequence(Payload(x)) {
			return TypeErrorf("can't multiply sequence by non-int of type '%s'", typeName(y))
		}
		if isSequence(Payload(y)) {
			return TypeErrorf("can't multiply sequence by non-int of type '%s'", typeName(x))
		}
	}
	return TypeErrorf("unsupported operand type(s) for %s: '%s' and '%s'", text, typeName(x), typeName(y))
}

func isSequence(x Value) bool {
	return x.Is(ItabString) || x.Is(ItabList) || x.Is(ItabTuple) || x.Is(ItabBytes)
}

// attempt is one way to compute an operation on objects that bear a class.
type attempt struct {
	fn        Value // language-level method to call on self with other; unset: native
	self      Value
	other     Value
	native    *Slots
	reflected bool
	negate    bool
	inplace   bool // native.InPlace: only ever the left operand's
}

// attempts is the sequence of ways that Python's rules give for one operation:
// it is the continuation of the language-level methods it calls.
type attempts struct {
	op      Op
	cmp     Cmp
	compare bool
	inplace bool
	x, y    Value
	tries   [5]attempt
	n, i    int
}

func (a *attempts) add(at attempt) {
	a.tries[a.n] = at
	a.n++
}

func (a *attempts) Roots(visit func(*Value)) {
	visit(&a.x)
	visit(&a.y)
	for i := range a.tries {
		visit(&a.tries[i].fn)
		visit(&a.tries[i].self)
		visit(&a.tries[i].other)
	}
}

func newAttempts(t *Thread, op Op, x, y Value, inplace bool) *attempts {
	a := &attempts{op: op, x: x, y: y, inplace: inplace}
	cx, cy := classBearer(x), classBearer(y)
	if inplace && cx != nil {
		if f, ok := cx.custom(dIadd + dunder(op)); ok {
			a.add(attempt{fn: f, self: x, other: y})
		} else if cx.Slots != nil && cx.Slots.InPlace != nil {
			a.add(attempt{native: cx.Slots, self: x, other: y, inplace: true})
		}
	}
	left := func() {
		if cx == nil {
			return
		}
		if f, ok := cx.custom(dAdd + dunder(op)); ok {
			a.add(attempt{fn: f, self: x, other: y})
		} else if cx.Slots != nil && cx.Slots.Binary != nil {
			a.add(attempt{native: cx.Slots, self: x, other: y})
		}
	}
	right := func() {
		if cy == nil || cx == cy && cy.Slots == nil {
			return
		}
		if f, ok := cy.custom(dRadd + dunder(op)); ok {
			a.add(attempt{fn: f, self: y, other: x})
		} else if cy.Slots != nil && cy.Slots.Binary != nil && !(cx != nil && cx.Slots == cy.Slots) {
			a.add(attempt{native: cy.Slots, self: x, other: y, reflected: true})
		}
	}
	if reflectedFirst(x, y, dRadd+dunder(op)) {
		right()
		left()
	} else {
		left()
		right()
	}
	return a
}

// reflectedFirst: y's class derives from x's and has a method of its own.
func reflectedFirst(x, y Value, d dunder) bool {
	cx, cy := TypeOf(x), TypeOf(y)
	if cx == cy || !cy.IsSubclass(cx) {
		return false
	}
	f, ok := cy.custom(d)
	return ok && f != cx.special(d)
}

// run tries one way after another until one does not answer NotImplemented.
func (a *attempts) run(t *Thread) (Value, error) {
	for a.i < a.n {
		at := &a.tries[a.i]
		a.i++
		if at.native == nil {
			return Value{}, t.needMethod(a, at.fn, at.self, at.other)
		}
		var v Value
		var err error
		switch {
		case a.compare:
			op := a.cmp
			if at.reflected {
				op = op.Swap()
			}
			v, err = at.native.Compare(t, op, at.self, at.other)
		case at.inplace:
			v, err = at.native.InPlace(t, a.op, at.self, at.other)
		default:
			v, err = at.native.Binary(t, a.op, at.self, at.other, at.reflected)
		}
		if err != nil || v != NotImplemented {
			return v, err
		}
	}
	return a.fallback(t)
}

func (a *attempts) Step(t *Thread, in Value, err error) Action {
	if err != nil {
		return Raise(err)
	}
	if !in.IsUnset() && in != NotImplemented {
		if a.tries[a.i-1].negate {
			b, err := t.finish(truthValue(t, in))
			if err != nil {
				return Raise(err)
			}
			return Return(Bool(b.N == 0))
		}
		return Return(in)
	}
	v, err := a.run(t)
	if err != nil {
		if nc, ok := err.(*NeedCall); ok && nc.Then == a {
			c := *nc
			c.Then = nil
			return Action{Kind: ActCall, Call: &c}
		}
		return Raise(err)
	}
	return Return(v)
}

// fallback is what happens when nobody knew the operation: the payloads of
// instances that derive from built-in types, else the error.
func (a *attempts) fallback(t *Thread) (Value, error) {
	px, py := Payload(a.x), Payload(a.y)
	if a.op == OpMod && !a.compare && (px.Is(ItabString) || px.Is(ItabBytes)) {
		py = a.y // what is formatted may have a __str__ of its own
	}
	if a.compare {
		return compareFallback(t, a.cmp, a.x, a.y, px, py)
	}
	if a.inplace {
		if v, ok, err := inPlaceBuiltin(t, a.op, px, py); ok || err != nil {
			if v == px {
				v = a.x
			}
			return v, err
		}
	}
	if v, ok, err := binaryBuiltin(t, a.op, px, py); ok || err != nil {
		return v, err
	}
	if v, ok, err := unionOf(a.op, a.x, a.y); ok || err != nil {
		return v, err
	}
	if v, ok, err := binaryHost(t, a.op, a.x, a.y); ok || err != nil {
		return v, err
	}
	text := a.op.String()
	if a.inplace {
		text += "="
	}
	return Value{}, binaryError(t, text, a.op, a.x, a.y)
}

// binaryBuiltin computes x op y for operands of built-in types; ok is false
// where they do not support it.
func binaryBuiltin(t *Thread, op Op, x, y Value) (v Value, ok bool, err error) {
	if t.Dialect == Strict {
		return binaryStrict(t, op, x, y)
	}
	if v, ok, err := arith(op, x, y); ok || err != nil {
		if err != nil {
			v, err = t.doAside(v, err)
		}
		return v, ok, err
	}
	return binaryContainers(t, op, x, y)
}

func binaryContainers(t *Thread, op Op, x, y Value) (v Value, ok bool, err error) {
	switch op {
	case OpAdd:
		return concatBuiltin(t, x, y)
	case OpMul:
		if isSequence(y) && !isSequence(x) {
			x, y = y, x
		}
		if !isSequence(x) {
			return Value{}, false, nil
		}
		n, ok, err := AsIndex(t, y)
		if err != nil || !ok {
			return Value{}, false, err
		}
		if y.Is(ItabBigInt) {
			return Value{}, true, OverflowErrorf("cannot fit 'int' into an index-sized integer")
		}
		v, err := repeat(t, x, n)
		return v, true, err
	case OpMod:
		if s, ok := x.AsString(); ok {
			v, err := percent(t, s, y, false)
			return v, true, err
		}
		if b, ok := As[starlark.Bytes](x); ok {
			v, err := percent(t, string(b), rawText(y), true)
			if err != nil {
				return v, true, err
			}
			s, _ := v.AsString()
			return FromStarlark(starlark.Bytes(s)), true, nil
		}
	case OpOr, OpAnd, OpSub, OpXor:
		if a := x.AsDict(); a != nil && op == OpOr {
			if b := y.AsDict(); b != nil {
				t.readOrder(x)
				d := a.Copy()
				return d.Value(), true, d.update(t, b)
			}
		}
		if v, ok, err := setOp(t, op, x, y); ok || err != nil {
			return v, ok, err
		}
		if v, ok, err := unionOf(op, x, y); ok || err != nil {
			return v, ok, err
		}
	}
	return binaryHost(t, op, x, y)
}

// binaryHost asks host values that implement starlark.HasBinary.
func binaryHost(t *Thread, op Op, x, y Value) (v Value, ok bool, err error) {
	tok, known := starToken[op]
	if !known {
		return Value{}, false, nil
	}
	if h, ok := As[starlark.HasBinary](x); ok {
		r, err := h.Binary(tok, y.Starlark(), starlark.Left)
		if err != nil || r != nil {
			return FromStarlark(r), true, hostError(err)
		}
	}
	if h, ok := As[starlark.HasBinary](y); ok {
		r, err := h.Binary(tok, x.Starlark(), starlark.Right)
		if err != nil || r != nil {
			return FromStarlark(r), true, hostError(err)
		}
	}
	return Value{}, false, nil
}

// binaryStrict leaves everything but our own containers to go.starlark.net,
// whose rules and words are the dialect's.
func binaryStrict(t *Thread, op Op, x, y Value) (v Value, ok bool, err error) {
	own := func(v Value) bool {
		if v.IsTagged() {
			return false
		}
		switch v.iface().(type) {
		case *List, *Dict, *Set:
			return true
		}
		return false
	}
	if own(x) && own(y) || op == OpMul && (own(x) && y.IsInt() || own(y) && x.IsInt()) {
		if op == OpMul {
			n := y
			if x.IsInt() {
				n, x = x, y
			}
			if !x.Is(ItabList) {
				return Value{}, false, nil
			}
			v, err := repeat(t, x, n.Int64())
			return v, true, err
		}
		return binaryContainers(t, op, x, y)
	}
	tok, known := starToken[op]
	if !known {
		return Value{}, false, nil
	}
	if s, isStr := x.AsString(); isStr && op == OpMod {
		r, err := starlark.Binary(tok, starlark.String(s), twinDeep(y))
		if err != nil {
			return Value{}, true, hostError(err)
		}
		return FromStarlark(r), true, nil
	}
	sx, sy := x.Starlark(), y.Starlark()
	if own(x) {
		sx = twinDeep(x) // a host's operator asks for the concrete type
	}
	if own(y) {
		sy = twinDeep(y)
	}
	r, err := starlark.Binary(tok, sx, sy)
	if err != nil {
		return Value{}, true, hostError(err)
	}
	return ownDeep(r), true, nil
}

func concatBuiltin(t *Thread, x, y Value) (v Value, ok bool, err error) {
	if s, ok := x.AsString(); ok {
		if u, ok := y.AsString(); ok {
			if err := t.Room(int64(len(s) + len(u))); err != nil {
				return Value{}, true, err
			}
			return t.cat.concat(s, u), true, nil
		}
		return Value{}, false, nil
	}
	if a := x.AsList(); a != nil {
		b := y.AsList()
		if b == nil {
			return Value{}, false, nil
		}
		if err := t.RoomFor(int64(len(a.Elems) + len(b.Elems))); err != nil {
			return Value{}, true, err
		}
		elems := make([]Value, 0, len(a.Elems)+len(b.Elems))
		elems = append(append(elems, t.readAll(a)...), t.readAll(b)...)
		return t.born(NewList(elems).Value()), true, nil
	}
	if a, ok := x.AsTuple(); ok {
		b, ok := y.AsTuple()
		if !ok {
			return Value{}, false, nil
		}
		if err := t.RoomFor(int64(len(a) + len(b))); err != nil {
			return Value{}, true, err
		}
		tup := make(starlark.Tuple, 0, len(a)+len(b))
		return FromStarlark(append(append(tup, a...), b...)), true, nil
	}
	if a, ok := As[starlark.Bytes](x); ok {
		if b, ok := As[starlark.Bytes](y); ok {
			if err := t.Room(int64(len(a) + len(b))); err != nil {
				return Value{}, true, err
			}
			return FromStarlark(a + b), true, nil
		}
		return Value{}, false, nil
	}
	return binaryHost(t, OpAdd, x, y)
}

// readAll is the elements of l as an observer gives them. Without one it is
// l.Elems itself and may not be changed.
func (t *Thread) readAll(l *List) []Value {
	if t.Observer == nil {
		return l.Elems
	}
	t.readLen(l.Value())
	out := make([]Value, len(l.Elems))
	for i := range out {
		out[i] = t.readElem(l, i)
	}
	return out
}

func repeat(t *Thread, x Value, n int64) (Value, error) {
	n = max(n, 0)
	check := func(size int, room func(int64) error) error {
		if size > 0 && n > maxText/int64(size) {
			if t.Dialect == Strict {
				return ValueErrorf("excessive repeat (%d * %d elements)", size, n)
			}
			return NewRaised(ExcMemoryError)
		}
		return room(n * int64(size))
	}
	switch o := x.iface().(type) {
	case starlark.String:
		if err := check(len(o), t.Room); err != nil {
			return Value{}, err
		}
		return Str(repeatString(string(o), int(n))), nil
	case starlark.Bytes:
		if err := check(len(o), t.Room); err != nil {
			return Value{}, err
		}
		return FromStarlark(starlark.Bytes(repeatString(string(o), int(n)))), nil
	case *List:
		if err := check(len(o.Elems), t.RoomFor); err != nil {
			return Value{}, err
		}
		src := t.readAll(o)
		elems := make([]Value, 0, len(src)*int(n))
		for i := 0; i < int(n) && len(src) > 0; i++ {
			elems = append(elems, src...)
		}
		return t.born(NewList(elems).Value()), nil
	case starlark.Tuple:
		if err := check(len(o), t.RoomFor); err != nil {
			return Value{}, err
		}
		tup := make(starlark.Tuple, 0, len(o)*int(n))
		for i := 0; i < int(n) && len(o) > 0; i++ {
			tup = append(tup, o...)
		}
		return FromStarlark(tup), nil
	}
	panic("BUG: repeat of " + x.iface().Type())
}

func inPlaceBuiltin(t *Thread, op Op, x, y Value) (v Value, ok bool, err error) {
	if x.IsTagged() {
		return Value{}, false, nil
	}
	switch o := x.iface().(type) {
	case *List:
		switch op {
		case OpAdd:
			if t.Dialect == Strict {
				if err := o.Writable("apply += to"); err != nil {
					return Value{}, true, err
				}
			}
			items, ok, err := goItems(t, y)
			if err != nil {
				return Value{}, true, err
			}
			if !ok {
				// A generator or a language-level iterator: through list.extend.
				return Value{}, true, t.Run(&extendStep{list: x, from: y})
			}
			return x, true, o.extend(t, items)
		case OpMul:
			if t.Dialect == Strict {
				return Value{}, false, nil // x *= n makes a new list
			}
			n, ok, err := AsIndex(t, y)
			if err != nil || !ok {
				return Value{}, false, err
			}
			r, err := repeat(t, x, n)
			if err != nil {
				return Value{}, true, err
			}
			return x, true, o.replace(t, "multiply", r.AsList().Elems)
		}
	case *Dict:
		if b := y.AsDict(); b != nil && op == OpOr {
			if t.Dialect == Strict {
				if err := o.Writable("apply |= to"); err != nil {
					return Value{}, true, err
				}
			}
			return x, true, o.update(t, b)
		}
		if op == OpOr && t.Dialect == Model && !y.IsTagged() && isIterable(y) {
			update, err := GetAttr(t, x, "update")
			if err != nil {
				return Value{}, true, err
			}
			v, err := CallAny(t, update, []Value{y}, nil)
			if nc, ok := err.(*NeedCall); ok {
				return Value{}, true, t.after(nc, &yieldStep{x})
			}
			if err != nil {
				return v, true, err
			}
			return x, true, nil
		}
	case *Set:
		if o.Const || t.Dialect == Strict { // where it is a new set
			return Value{}, false, nil
		}
		r, ok, err := setOp(t, op, x, y)
		if err != nil || !ok {
			return Value{}, false, err
		}
		n, _ := As[*Set](r)
		return x, true, o.assign(t, n)
	}
	return Value{}, false, nil
}

// extendStep is list += iterable where the iterable runs language code.
type extendStep struct {
	list, from Value
	begun      bool
}

func (s *extendStep) Roots(visit func(*Value)) { visit(&s.list); visit(&s.from) }
func (s *extendStep) Step(t *Thread, in Value, err error) Action {
	if err != nil {
		return Raise(err)
	}
	if s.begun {
		return Return(s.list)
	}
	s.begun = true
	_, err = listExtend(t, []Value{s.list, s.from}, nil)
	if err != nil {
		return Raise(err)
	}
	return Return(s.list)
}

// Unary computes op x.
func Unary(t *Thread, op Op, x Value) (Value, error) {
	if t.Observer != nil {
		if s, ok := As[Symbolic](x); ok {
			if v, err := s.Unary(t, op, x); err != nil || !v.IsUnset() {
				return v, err
			}
			x = s.Concrete()
		}
	}
	if c := classBearer(x); c != nil {
		if f, ok := c.custom(dNeg + dunder(op-OpNeg)); ok {
			return Value{}, t.needMethod(nil, f, x)
		}
		if c.Slots != nil && c.Slots.Unary != nil {
			v, err := c.Slots.Unary(t, op, x)
			if err != nil || v != NotImplemented {
				return v, err
			}
		}
	}
	p := Payload(x)
	if t.Dialect == Strict {
		r, err := starlark.Unary(starToken[op], p.Starlark())
		if err != nil {
			return Value{}, hostError(err)
		}
		return FromStarlark(r), nil
	}
	switch kindOf(p) {
	case smallNum:
		i := p.Int64()
		switch op {
		case OpNeg:
			if i != -i || i == 0 {
				return Int(-i), nil
			}
			v, _, err := intArith(OpSub, 0, i)
			return v, err
		case OpInvert:
			return Int(^i), nil
		}
		return Int(i), nil
	case floatNum:
		switch op {
		case OpNeg:
			return Float(-p.Float64()), nil
		case OpPos:
			return p, nil
		}
	case bigNum:
		b, _ := AsBig(p)
		switch op {
		case OpNeg:
			v, _, err := bigArith(OpSub, bigZero, b)
			return v, err
		case OpInvert:
			v, _, err := bigArith(OpSub, bigMinusOne, b)
			return v, err
		}
		return p, nil
	}
	if h, ok := As[starlark.HasUnary](p); ok {
		if r, err := h.Unary(starToken[op]); err != nil || r != nil {
			return FromStarlark(r), hostError(err)
		}
	}
	return Value{}, TypeErrorf("bad operand type for unary %s: '%s'", op, typeName(x))
}
