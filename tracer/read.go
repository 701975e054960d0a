package tracer

import (
	"fmt"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/guards"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// note guards the first read of a place of the outside and returns what the
// program is to see: the value, or the symbol for it. g says how to load it.
// now makes a number symbolic at once.
func (r *recorder) note(g guards.Guard, parent *guards.Source, step string, v value.Value, now bool) value.Value {
	s := &guards.Source{Parent: parent, Step: step, ID: -1}
	g.Source, g.Dst = s, -1
	switch {
	case v.IsUnset():
		g.Test = guards.TestUnset
		r.add(g)
		return v
	case guards.Immediate(v):
		if isNumber(v) && (now || v.IsInt() && r.reg.mark.always() || len(r.reg.dyn) > 0 && r.reg.dyn[s.String()]) {
			g.Test = guards.TestInt
			if v.IsFloat() {
				g.Test = guards.TestFloat
			}
			g.Dst = r.keep()
			s.ID = g.Dst
			r.add(g)
			r.know(g.Dst, v)
			return r.symbol(v, &guards.Expr{Kind: guards.ExprVal, ID: g.Dst, Of: s})
		}
		g.Test, g.Want = guards.TestEqual, v
		r.add(g)
		return v
	}
	if r.isBorn(v) {
		r.kill("an object of the region in a place of the outside: %s", s)
		return v
	}
	if known := r.src[idOf(v)]; known != nil {
		if known.Fixed() {
			g.Test, g.Want = guards.TestIs, v
			r.add(g)
			return v
		}
		if g.Load == guards.LoadKey { // whose key is B
			g.Dst = r.keep()
			r.add(g)
			g = guards.Guard{A: guards.Ref{ID: g.Dst}, Source: s, Dst: -1}
		}
		g.Test, g.B = guards.TestSame, known.Ref()
		r.add(g)
		return r.stand(v)
	}
	r.classify(g, s, v, false)
	return r.stand(v)
}

// stand is what the program sees of a value of the outside: a tuple with symbols
// in it where the tuple at hand has numbers that have changed before.
func (r *recorder) stand(v value.Value) value.Value {
	if w, ok := r.stands[v]; ok {
		return w
	}
	return v
}

// fix makes a source of a value that constants lead to: an attribute of a class
// whose version is guarded, a default of a function that is.
func (r *recorder) fix(v value.Value, parent *guards.Source, step string) {
	if v.IsUnset() || guards.Immediate(v) || r.src[idOf(v)] != nil || r.isBorn(v) {
		return
	}
	s := &guards.Source{Parent: parent, Step: step, ID: -1}
	r.classify(guards.Guard{A: guards.ConstRef(v), Source: s, Dst: -1}, s, v, true)
}

// classify guards what a heap value is and registers its source. fixed: the value
// itself is known already.
func (r *recorder) classify(g guards.Guard, s *guards.Source, v value.Value, fixed bool) {
	constant := func() { // by identity
		s.Obj = v
		if !fixed {
			g.Test, g.Want = guards.TestIs, v
			r.add(g)
		}
	}
	kept := func() { // by what the guard tests
		if fixed {
			s.Obj = v
		} else {
			s.ID = r.keep()
			g.Dst = s.ID
		}
		if g.Test != guards.TestNone {
			r.add(g)
		}
	}
	itab := func() {
		if !fixed {
			g.Test, g.Itab = guards.TestType, v.N
		}
		kept()
	}
	register := func() {
		r.src[idOf(v)] = s
		r.sources, r.objects = append(r.sources, s), append(r.objects, idOf(v))
		if s.Fixed() {
			s.Obj = v
		}
	}
	self := func() guards.Ref {
		if s.Fixed() {
			return guards.ConstRef(v)
		}
		return s.Ref()
	}
	switch {
	case v.Is(value.ItabInstance):
		in := v.AsInstance()
		if t, ok := in.Native.(*eager.Tensor); ok {
			r.sees(t)
			m := metaOf(t)
			g.Test, g.Shape, g.Meta = guards.TestTensor, in.Shape, m
			if dims := r.dimsOf(t, s); dims != 0 {
				m.loosen(dims)
			}
			if fixed {
				g.Load, g.A = guards.LoadNone, guards.ConstRef(v)
			}
			kept()
			register()
			r.class(in.Class())
			if m.dims != 0 {
				r.symbolic(t, m, s)
			}
			r.metas[t.Meta()] = true
			r.input(t, s)
			return
		}
		if _, ok := in.Native.(*value.Raised); ok {
			r.kill("an exception from outside: %s", s)
			return
		}
		if !fixed && len(r.reg.generic) > 0 && r.reg.generic[s.String()] {
			g.Test, g.Shape = guards.TestShape, in.Shape
			kept()
		} else {
			constant()
			r.add(guards.Guard{A: guards.ConstRef(v), Test: guards.TestShape, Shape: in.Shape, Dst: -1, Source: s})
		}
		register()
		r.class(in.Class())
		if p := value.Payload(v); p != v {
			if s.Fixed() { // a number or text stays what it is
				r.fix(p, s, " payload")
			} else {
				// The instance goes on holding this very tuple: nobody would see symbols.
				r.burn(r.note(guards.Guard{Load: guards.LoadBase, A: s.Ref()}, s, " payload", p, false))
			}
		}
	case v.Is(value.ItabClass):
		constant()
		register()
		r.class(v.AsClass())
	case v.Is(value.ItabModule), v.Is(value.ItabBuiltin), v.Is(value.ItabRange), v == value.NotImplemented, v == value.Ellipsis, v.Is(value.ItabForeign):
		constant()
		register()
	case v.Is(vm.ItabFunction):
		fn := (*vm.Function)(v.P)
		if !fixed && fn.Bare() && len(r.reg.generic) > 0 && r.reg.generic[s.String()] {
			g.Test, g.Code = guards.TestCode, fn.Linked()
			kept()
			register()
			return
		}
		s.Obj = v
		if !fixed { // which function, polled where its place is; what it is, marked
			g.Test, g.Want, g.Code = guards.TestIs, v, fn.Linked()
			r.add(g)
		}
		r.add(guards.Guard{A: guards.ConstRef(v), Test: guards.TestFunc, Want: v, State: fn.State(), Dst: -1, Source: s})
		register()
		for i, d := range fn.Defaults() {
			r.fix(d, s, fmt.Sprintf(" default %d", i))
		}
		if kw := fn.KwDefaults(); kw != nil {
			for i := 0; ; {
				k, d, next, ok := kw.Next(i)
				if !ok {
					break
				}
				if guards.Immediate(d) {
					r.add(guards.Guard{Load: guards.LoadKey, A: guards.ConstRef(kw.Value()), B: guards.ConstRef(k), Test: guards.TestEqual, Want: d, Dst: -1, Source: s})
				} else {
					r.burn(r.note(guards.Guard{Load: guards.LoadKey, A: guards.ConstRef(kw.Value()), B: guards.ConstRef(k)}, s, " default", d, false))
				}
				i = next
			}
		}
	case v.Is(value.ItabTuple):
		tup, _ := v.AsTuple()
		if !fixed {
			g.Test, g.J2 = guards.TestTuple, len(tup)
		}
		kept()
		register()
		var other []value.Value
		for i, e := range tup {
			x := value.FromStarlark(e)
			step := fmt.Sprintf("[%d]", i)
			if s.Fixed() {
				r.fix(x, s, step)
				continue
			}
			if w := r.note(guards.Guard{Load: guards.LoadTuple, A: s.Ref(), J: i}, s, step, x, false); w != x {
				if other == nil {
					for _, e := range tup {
						other = append(other, value.FromStarlark(e))
					}
				}
				other[i] = w
			}
		}
		if other != nil {
			w := value.Tuple(other...)
			r.src[idOf(w)], r.stands[v], r.origin[w] = s, w, v
		}
	case v.Is(value.ItabMethod):
		m := (*value.BoundMethod)(v.P)
		itab()
		register()
		for i, x := range []value.Value{m.Self, m.Fn} {
			step := []string{" receiver", " function"}[i]
			if s.Fixed() {
				r.fix(x, s, step)
				continue
			}
			r.burn(r.note(guards.Guard{Load: guards.LoadBound, A: self(), J: i}, s, step, x, false))
		}
	case v.Is(value.ItabList), v.Is(value.ItabDict), v.Is(value.ItabSet), v.Is(value.ItabCell), v.Is(vm.ItabGenerator):
		itab()
		register()
	case fixed && (v.Is(value.ItabProperty)):
		constant()
		register()
	default:
		switch o := v.Starlark().(type) {
		case *value.ListIter, *value.TupleIter, *value.RangeIter:
			itab()
			register()
		case *value.Enumerate:
			itab()
			register()
			r.inner(s, 0, o.It)
		case *value.Zip:
			itab()
			register()
			r.add(guards.Guard{A: self(), Test: guards.TestLen, J2: len(o.Its), Dst: -1, Source: s})
			for i, it := range o.Its {
				r.inner(s, i, it)
			}
		case *value.Alias, *value.Union:
			constant()
			register()
		case *value.StaticMethod:
			if !fixed {
				r.kill("value of type %s from %s", o.Type(), s)
				return
			}
			constant()
			register()
			r.fix(o.Fn, s, " function")
		case *value.ClassMethod:
			if !fixed {
				r.kill("value of type %s from %s", o.Type(), s)
				return
			}
			constant()
			register()
			r.fix(o.Fn, s, " function")
		default:
			if fixed {
				return // unknown if it is used
			}
			r.kill("value of type %s from %s", o.Type(), s)
		}
	}
}

// class guards a class: everything that is looked up through it.
func (r *recorder) class(c *value.Class) {
	if c.Module == "builtins" || r.classes[c] || c.Flags&value.FlagFrozen != 0 {
		return
	}
	r.classes[c] = true
	if r.src[idOf(c.Value())] == nil {
		r.src[idOf(c.Value())] = &guards.Source{Step: "class " + c.Name, ID: -1, Obj: c.Value()}
	}
	r.add(guards.Guard{A: guards.ConstRef(c.Value()), Test: guards.TestVersion, Version: c.Version, Dst: -1, Source: &guards.Source{Step: "class " + c.Name, ID: -1}})
}

// source is the source of an object in use; nil, and the recording is dead,
// where it has none.
func (r *recorder) source(v value.Value) *guards.Source {
	if s := r.src[idOf(v)]; s != nil {
		return s
	}
	switch {
	case v.Is(value.ItabModule):
		s := &guards.Source{Step: (*value.Module)(v.P).Name, ID: -1, Obj: v}
		r.src[idOf(v)] = s
		return s
	case v.Is(value.ItabClass):
		r.class(v.AsClass())
		return &guards.Source{Step: "class " + v.AsClass().Name, ID: -1, Obj: v}
	case v.Is(value.ItabCell):
		if s := r.cell(v); s != nil {
			return s
		}
	}
	r.kill("an object of unknown origin: %s", guards.Text(v))
	return nil
}

// cell finds a cell among those of the function that runs.
func (r *recorder) cell(v value.Value) *guards.Source {
	for i := r.th.Depth(); i >= r.base; i-- {
		f := r.th.FrameAt(i)
		if f.Fn == nil {
			continue
		}
		for j, c := range f.Fn.Cells() {
			if c.Value() != v {
				continue
			}
			fn := f.Fn.Value()
			if r.born[idOf(fn)] {
				return nil
			}
			if r.src[idOf(fn)] == nil { // found through a class: a constructor, an operator
				r.fix(fn, nil, "function "+f.Code.QualName)
			}
			s := r.src[idOf(fn)]
			if s == nil {
				return nil
			}
			r.note(guards.Guard{Load: guards.LoadFnCell, A: s.Ref(), J: j}, s, " cell "+f.Code.Free[j].Name, v, false)
			return r.src[idOf(v)]
		}
	}
	return nil
}

// isBorn reports an object made by the region.
func (r *recorder) isBorn(v value.Value) bool {
	if r.born[idOf(v)] {
		return true
	}
	if in := v.AsInstance(); in != nil {
		switch n := in.Native.(type) {
		case *eager.Tensor:
			return r.makes(n)
		case *value.Raised:
			// An exception of the outside kills the recording where it is reached.
			return true
		}
	}
	return false
}

// slot reads a named place of an object.
func (r *recorder) slot(obj value.Value, name, step string, load guards.Load, v value.Value) value.Value {
	if r.isBorn(obj) {
		return v
	}
	k := slotKey{idOf(obj), name}
	if w, ok := r.slots[k]; ok {
		return r.again(w, v)
	}
	s := r.source(obj)
	if s == nil {
		return v
	}
	w := r.note(guards.Guard{Load: load, A: s.Ref(), Name: name}, s, step, v, false)
	r.slots[k] = w
	return w
}

// again is a read of a place that was read or written before. If the place holds
// something else than what is known of it, somebody writes without telling.
func (r *recorder) again(known, got value.Value) value.Value {
	bare := func(v value.Value) value.Value {
		if o, ok := r.origin[v]; ok {
			return o
		}
		return plain(v)
	}
	if p, q := bare(known), bare(got); p != q && !guards.Equal(p, q) {
		r.kill("a place has changed without a write")
		return got
	}
	return known
}

// Read implements value.Observer. Symbols are given to instructions that only move
// what they read; Go code that reads for itself gets the number, guarded.
func (r *recorder) Read(obj value.Value, step value.Step, key, got value.Value) value.Value {
	if !r.alive() {
		return got
	}
	v := r.read(obj, step, key, got)
	if len(r.symbols) > 0 && !moves[r.cur.op] && !(r.cur.moves && (step == value.StepItem || step == value.StepIter)) {
		return r.burn(v)
	}
	return v
}

// moves are the instructions that do nothing with what they read.
var moves = map[bytecode.Op]bool{bytecode.GETIDX: true, bytecode.GETATTR: true, bytecode.GETG: true, bytecode.GETCELL: true,
	bytecode.GETFREE: true, bytecode.LISTEXT: true, bytecode.LISTTUP: true, bytecode.ADD: true, bytecode.MUL: true, bytecode.FORITER: true, bytecode.UNPACK: true, bytecode.UNPACKEX: true, bytecode.SEND: true}

func (r *recorder) read(obj value.Value, step value.Step, key, got value.Value) value.Value {
	switch step {
	case value.StepGlobal:
		name, _ := key.AsString()
		return r.slot(obj, name, "."+name, guards.LoadGlobal, got)
	case value.StepAttr:
		name, _ := key.AsString()
		switch {
		case obj.Is(value.ItabInstance):
			return r.slot(obj, name, "."+name, guards.LoadSlot, got)
		case obj.Is(value.ItabClass):
			c := obj.AsClass()
			if r.born[idOf(obj)] {
				r.kill("class of the region")
				return got
			}
			r.class(c)
			r.fix(got, r.source(obj), "."+name)
			return got
		}
		r.kill("attribute %s of a %s", name, value.TypeOf(obj).Name)
	case value.StepCell:
		return r.slot(obj, "*", "", guards.LoadCell, got)
	case value.StepItem:
		if obj.Is(value.ItabList) {
			return r.listItem(obj.AsList(), key, got)
		}
		if obj.Is(value.ItabDict) {
			return r.dictItem(obj, key, got)
		}
		r.kill("item of a %s", value.TypeOf(obj).Name)
	case value.StepLen:
		switch {
		case obj.Is(value.ItabList):
			r.listLen(obj.AsList())
		case obj.Is(value.ItabDict), obj.Is(value.ItabSet):
			r.dictLen(obj)
		default:
			r.kill("length of a %s", value.TypeOf(obj).Name)
		}
	case value.StepOrder:
		r.dictOrder(obj)
	case value.StepType:
	case value.StepIter:
		return r.iterItem(obj, got)
	case value.StepNative:
		return r.native(obj, key, got)
	case value.StepLocal, value.StepArg:
	default:
		r.kill("read of %s", step)
	}
	return got
}

// native is a read of tensor metadata or of a mode.
func (r *recorder) native(obj, key, got value.Value) value.Value {
	name, _ := key.AsString()
	if name == "grad_mode" {
		return got // guarded at the start, changed by effects only
	}
	if name == "count" {
		return r.enumerated(obj, got)
	}
	in := obj.AsInstance()
	if in == nil {
		r.kill("native state %s", name)
		return got
	}
	t, ok := in.Native.(*eager.Tensor)
	if !ok {
		r.kill("native state %s of a %s", name, in.Class().Name)
		return got
	}
	if name == "grad" {
		return r.grad(obj, t, got)
	}
	if !r.isBorn(obj) && r.source(obj) == nil {
		return got
	}
	switch name {
	case "grad_fn":
		if got.IsNone() {
			return got // its being off the tape is guarded
		}
		r.breakAt(cause{TensorState, "grad_fn"})
		return got
	case "_version", "_base", "output_nr", "data_ptr", "storage", "untyped_storage":
		r.breakAt(cause{TensorState, name})
		return got
	}
	if !guards.Immediate(got) {
		r.fix(got, &guards.Source{Step: "tensor." + name, ID: -1}, "")
	}
	return got
}

// Absent implements value.Observer.
func (r *recorder) Absent(obj value.Value, step value.Step, key value.Value) {
	if !r.alive() {
		return
	}
	switch step {
	case value.StepGlobal:
		name, _ := key.AsString()
		r.slot(obj, name, "."+name, guards.LoadGlobal, value.Value{})
	case value.StepAttr:
		switch {
		case r.isBorn(obj):
		case obj.Is(value.ItabClass):
			r.class(obj.AsClass())
		case obj.Is(value.ItabInstance), obj.Is(vm.ItabFunction):
			r.source(obj) // its shape or state is guarded
		default:
			r.kill("absent attribute of a %s", value.TypeOf(obj).Name)
		}
	case value.StepCell:
		r.slot(obj, "*", "", guards.LoadCell, value.Value{})
	case value.StepItem:
		if obj.Is(value.ItabList) {
			r.listEnd(obj.AsList(), key)
		} else {
			r.dictAbsent(obj, key)
		}
	case value.StepLocal:
	case value.StepIter:
		r.iterEnd(obj)
	default:
		r.kill("absent %s", step)
	}
}

// Outcome implements value.Observer.
func (r *recorder) Outcome(obj value.Value, step value.Step, key value.Value, result bool) {
	if !r.alive() {
		return
	}
	switch step {
	case value.StepHas:
		r.dictHas(obj, key, result)
	case value.StepIs:
		r.identity(obj, key)
	default:
		r.kill("outcome of %s", step)
	}
}

// identity guards that two objects are different ones; that they are the same
// one is known from their sources.
func (r *recorder) identity(a, b value.Value) {
	if a == b || guards.Immediate(a) || guards.Immediate(b) || a.IsUnset() || b.IsUnset() || r.isBorn(a) || r.isBorn(b) {
		return
	}
	x, y := r.src[idOf(a)], r.src[idOf(b)]
	if x == nil || y == nil {
		if r.loose(a) || r.loose(b) {
			return
		}
		r.kill("identity of an object of unknown origin")
		return
	}
	if !x.Fixed() || !y.Fixed() {
		r.add(guards.Guard{A: x.Ref(), B: y.Ref(), Test: guards.TestDistinct, Dst: -1, Source: x})
	}
}

// loose reports values that are made anew whenever they are reached: they are
// never the same object as one that was kept.
func (r *recorder) loose(v value.Value) bool {
	return v.Is(value.ItabMethod) || v.Is(value.ItabTuple) || v.Is(value.ItabSlice) || v.Is(value.ItabClass) || v.Is(value.ItabBuiltin)
}

// Born implements value.Observer.
func (r *recorder) Born(obj value.Value) {
	if r.done {
		return
	}
	r.born[idOf(obj)] = true
	if p := value.Payload(obj); p != obj {
		r.born[idOf(p)] = true
	}
}

// Printed implements value.Observer: the text is an effect, of the moment.
func (r *recorder) Printed(text value.Value) {
	if r.alive() {
		r.effect(effect{kind: effPrint, obj: value.None, val: text})
	}
}

// Result implements value.Observer: a container that a pure builtin gives and that
// nobody has seen before is new.
func (r *recorder) Result(b *value.Builtin, v value.Value) {
	if !r.alive() || !b.Pure || v.IsTagged() || v.IsUnset() || r.born[idOf(v)] || r.src[idOf(v)] != nil {
		return
	}
	if v.Is(value.ItabList) || v.Is(value.ItabDict) || v.Is(value.ItabSet) {
		r.Born(v)
	}
}
