package vm

import (
	"unsafe"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/value"
)

func init() {
	op := func(o bytecode.Op, f operation) { operations[o] = f }
	op(bytecode.CALL, func(th *Thread, fr *frame, ins uint64) error {
		base, n := uint64(uint16(ins>>16)), int(uint16(ins>>32))
		return th.call(fr, ins, *reg(fr.R, base), base+bytecode.RegSize, n, nil)
	})
	op(bytecode.CALLK, func(th *Thread, fr *frame, ins uint64) error {
		base, n := uint64(uint16(ins>>16)), int(uint16(ins>>32))
		return th.call(fr, ins, *reg(fr.R, base), base+bytecode.RegSize, n, fr.p.info.Sites[ins>>48].Kw)
	})
	op(bytecode.CALLM, func(th *Thread, fr *frame, ins uint64) error { return th.callMethod(fr, ins, nil) })
	op(bytecode.CALLMK, func(th *Thread, fr *frame, ins uint64) error {
		return th.callMethod(fr, ins, fr.p.info.Sites[ins>>48].Kw)
	})
	op(bytecode.METHOD, func(th *Thread, fr *frame, ins uint64) error {
		x := *fr.b(ins)
		fn, bound, err := th.method(fr, ins, x)
		if err != nil {
			return th.failed(err)
		}
		w := fr.window(uint64(uint16(ins>>16)), 2)
		w[0], w[1] = fn, value.Value{}
		if bound {
			w[1] = x
		}
		return nil
	})
	special[bytecode.METHOD] = func(th *Thread, fr *frame, ins uint64, v value.Value) error {
		w := fr.window(uint64(uint16(ins>>16)), 2)
		w[0], w[1] = v, value.Value{}
		return nil
	}
	op(bytecode.CALLB, func(th *Thread, fr *frame, ins uint64) error { return th.callBound(fr, ins, nil) })
	op(bytecode.CALLBK, func(th *Thread, fr *frame, ins uint64) error {
		return th.callBound(fr, ins, fr.p.info.Sites[ins>>48].Kw)
	})
	op(bytecode.CALLX, callSpread)
	op(bytecode.RET, ret)
	op(bytecode.MKFUNC, makeFunction)
	op(bytecode.CLASS, buildClass)
	special[bytecode.CLASS] = func(th *Thread, fr *frame, ins uint64, v value.Value) error {
		*fr.a(ins) = v
		return nil
	}
}

// call calls fn with n arguments from the register at off on; the last ones
// belong to the names kw. The result goes to register A of ins.
func (th *Thread) call(fr *frame, ins uint64, fn value.Value, off uint64, n int, kw []string) error {
	if !fn.IsTagged() {
		switch fn.N {
		case ItabFunction:
			f := (*Function)(fn.P)
			if kw == nil && th.takes(f, n) {
				return th.callHere(fr, f, off, n)
			}
		case value.ItabMethod:
			m := (*value.BoundMethod)(fn.P)
			if f, ok := m.Fn, m.Fn.Is(ItabFunction); ok && kw == nil && (*Function)(f.P).p.fits == uint32(n)+2 {
				// Shift the arguments up, which the space behind every window allows.
				w := fr.window(off, n+1)
				copy(w[1:], w[:n])
				w[0] = m.Self
				return th.callHere(fr, (*Function)(f.P), off, n+1)
			}
		case value.ItabBuiltin:
			if kw == nil {
				v, err := th.callBuiltin((*value.Builtin)(fn.P), fr.window(off, n), nil)
				if err == nil && th.fr == fr {
					*fr.a(ins) = v
					return nil
				}
				return th.outcome(th.fr, ins, v, err)
			}
		case value.ItabClass:
			if kw == nil {
				if done, err := th.construct(fr, ins, (*value.Class)(fn.P), off, n); done {
					return err
				}
				if th.Observer == nil {
					if v, ok := (*value.Class)(fn.P).PlainRaised(fr.window(off, n)); ok {
						*fr.a(ins) = v
						return nil
					}
				}
			}
		}
	}
	args := fr.window(off, n)
	var named []value.Kwarg
	if kw != nil {
		pos := n - len(kw)
		// A stack: builtins that re-enter the machine must find theirs unharmed.
		first := len(th.kws)
		for i, k := range kw {
			th.kws = append(th.kws, value.Kwarg{Name: k, Value: args[pos+i]})
		}
		named = th.kws[first:len(th.kws):len(th.kws)]
		defer func() { clear(named); th.kws = th.kws[:first] }()
		args = args[:pos]
	}
	if fn.Is(ItabFunction) {
		// The result goes to A as after any call: no slow return is needed.
		v, pushed, err := th.startFunction((*Function)(fn.P), args, named, 0)
		if pushed {
			return nil
		}
		return th.outcome(fr, ins, v, err)
	}
	v, pushed, err := th.start(fn, args, named)
	if pushed {
		return nil
	}
	if err != nil || th.fr != fr {
		return th.deliver(v, err)
	}
	return th.finish(fr, ins, v)
}

// callHere pushes the frame of a function that takes exactly the n arguments,
// which already stand where its window begins.
func (th *Thread) callHere(fr *frame, fn *Function, off uint64, n int) error {
	if err := th.mayCall(fn); err != nil {
		return err
	}
	here := unsafe.Add(fr.R, off)
	place := here
	if fr.gen != nil {
		place = fr.top
	}
	R, fresh := th.room(place, fn.p.frame)
	if R != here {
		copy(unsafe.Slice((*value.Value)(R), n), unsafe.Slice((*value.Value)(here), n))
	}
	if err := th.pushFunction(fn, R, fresh, 0); err != nil {
		return err
	}
	for i, last := n, int(fn.p.fits)-1; i < last; i++ {
		*reg(R, uint64(i)*bytecode.RegSize) = fn.defaults[len(fn.defaults)-last+i]
	}
	return nil
}

// takes reports whether n positional arguments, and defaults behind them, are all
// that a call of f needs.
func (th *Thread) takes(f *Function, n int) bool {
	missing := int(f.p.fits) - 1 - n
	return f.p.fits != 0 && (missing == 0 || missing > 0 && missing <= len(f.defaults) && th.Observer == nil)
}

// construct makes an instance of a class whose construction is plain. A holds
// the instance while __init__ runs.
func (th *Thread) construct(fr *frame, ins uint64, c *value.Class, off uint64, n int) (done bool, err error) {
	init, ok := c.PlainInit()
	if !ok || !init.Is(ItabFunction) || !th.takes((*Function)(init.P), n+1) {
		return false, nil
	}
	in := value.NewInstance(c).Value()
	if th.Observer != nil {
		th.Observer.Born(in)
	}
	w := fr.window(off, n+1)
	copy(w[1:], w[:n])
	w[0] = in
	*fr.a(ins) = in
	if err := th.callHere(fr, (*Function)(init.P), off, n+1); err != nil {
		return true, err
	}
	th.fr.kind |= initFrame
	return true, nil
}

// method finds attribute S of x. bound: fn is a function whose first argument
// is to be x.
func (th *Thread) method(fr *frame, ins uint64, x value.Value) (fn value.Value, bound bool, err error) {
	site := int(ins >> 48)
	name := fr.p.info.Sites[site].Name
	if th.Observer == nil {
		if in := x.AsInstance(); in != nil {
			if e := fr.p.find(site, in); e != nil {
				switch e.kind {
				case icFunc:
					return e.val, true, nil
				case icSlot:
					return in.Slots[e.off/bytecode.RegSize], false, nil
				case icOther:
					if e.val.Is(value.ItabBuiltin) {
						return e.val, true, nil
					}
				}
			}
			l := value.Locate(in, name)
			ver := in.Shape.Class.Version
			switch l.Kind {
			case value.AttrMethod:
				e := icEntry{shape: in.Shape, ver: ver, kind: icOther, val: l.Value}
				if l.Value.Is(ItabFunction) {
					e.kind = icFunc
				}
				if e.kind == icFunc || l.Value.Is(value.ItabBuiltin) {
					fr.p.learn(site, e)
					return l.Value, true, nil
				}
			case value.AttrSlot:
				fr.p.learn(site, icEntry{shape: in.Shape, ver: ver, kind: icSlot, off: uintptr(l.Slot) * bytecode.RegSize})
				return in.Slots[l.Slot], false, nil
			}
		} else if x.Is(value.ItabModule) {
			if v := fr.p.findGlobal(site, (*value.Module)(x.P)); !v.IsUnset() {
				return v, false, nil
			}
		} else if ic := fr.p.ics[site].p.Load(); ic.itab == x.N && ic.itab != 0 && !x.IsTagged() {
			return ic.val, true, nil
		} else if b, ok := th.builtinMethod(x, name); ok {
			fr.p.learnBuiltin(site, x.N, b)
			return b, true, nil
		}
	}
	fn, err = value.GetAttr(&th.Thread, x, name)
	return fn, false, err
}

// builtinMethod finds a method of a value of a built-in type without making a
// bound method.
func (th *Thread) builtinMethod(x value.Value, name string) (value.Value, bool) {
	if th.Dialect == value.Strict {
		return value.StrictMethod(x, name) // its types have other methods
	}
	var c *value.Class
	switch {
	case x.IsTagged():
		return value.Value{}, false
	case x.N == value.ItabList:
		c = value.ListClass
	case x.N == value.ItabDict:
		c = value.DictClass
	case x.N == value.ItabString:
		c = value.StrClass
	default:
		return value.Value{}, false
	}
	f, ok := c.Find(name)
	if !ok || !f.Value.Is(value.ItabBuiltin) {
		return value.Value{}, false
	}
	return f.Value, true
}

// grown appends with doubling: Go's append grows long slices by a quarter.
func grown(s []value.Value, v value.Value) []value.Value {
	if n := len(s); n == cap(s) {
		t := make([]value.Value, n, max(2*n, 4))
		copy(t, s)
		s = t
	}
	return append(s, v)
}

// callMethod does CALLM and CALLMK: self is in A+1, arguments follow.
func (th *Thread) callMethod(fr *frame, ins uint64, kw []string) error {
	base, n := uint64(uint16(ins>>16)), int(uint16(ins>>32))
	self := base + bytecode.RegSize
	if n == 1 && fr.p.ics[ins>>48].p.Load().first.kind == icAppend && th.Observer == nil {
		if l := reg(fr.R, self).AsList(); l != nil && l.Flags == 0 && l.Watch == nil {
			l.Elems = grown(l.Elems, *reg(fr.R, self+bytecode.RegSize))
			*reg(fr.R, base) = value.None
			return nil
		}
	}
	fn, bound, err := th.method(fr, ins, *reg(fr.R, self))
	if err != nil {
		if nc, ok := err.(*value.NeedCall); ok {
			// The attribute itself needs language code: the call comes after it.
			return th.callLater(fr, nc, self+bytecode.RegSize, n, kw)
		}
		return err
	}
	if bound {
		return th.call(fr, ins, fn, self, n+1, kw)
	}
	return th.call(fr, ins, fn, self+bytecode.RegSize, n, kw)
}

// callLater carries out nc and then calls its result with the arguments.
func (th *Thread) callLater(fr *frame, nc *value.NeedCall, off uint64, n int, kw []string) error {
	call := *nc
	s := &attrCall{get: call}
	args := fr.window(off, n)
	pos := n - len(kw)
	s.args = append(s.args, args[:pos]...)
	for i, k := range kw {
		s.kw = append(s.kw, value.Kwarg{Name: k, Value: args[pos+i]})
	}
	return th.failed(&value.NeedCall{Then: s})
}

// attrCall gets an attribute, then calls it.
type attrCall struct {
	get   value.NeedCall
	args  []value.Value
	kw    []value.Kwarg
	state int
}

func (s *attrCall) Step(t *value.Thread, in value.Value, err error) value.Action {
	if err != nil {
		return value.Raise(err)
	}
	s.state++
	switch s.state {
	case 1:
		return value.Action{Kind: value.ActCall, Call: &s.get}
	case 2:
		return value.Action{Kind: value.ActCall, Call: &value.NeedCall{Fn: in, Args: s.args, Kw: s.kw}}
	}
	return value.Return(in)
}

func (s *attrCall) Roots(visit func(*value.Value)) {
	visit(&s.get.Fn)
	for i := range s.get.Args {
		visit(&s.get.Args[i])
	}
	for i := range s.args {
		visit(&s.args[i])
	}
	for i := range s.kw {
		visit(&s.kw[i].Value)
	}
}

// callBound does CALLB and CALLBK, for what METHOD has left in A and A+1.
func (th *Thread) callBound(fr *frame, ins uint64, kw []string) error {
	base, n := uint64(uint16(ins>>16)), int(uint16(ins>>32))
	self := base + bytecode.RegSize
	fn := *reg(fr.R, base)
	if n == 1 && fn.P == listAppend && th.Observer == nil {
		if l := reg(fr.R, self).AsList(); l != nil && l.Flags == 0 && l.Watch == nil {
			l.Elems = grown(l.Elems, *reg(fr.R, self+bytecode.RegSize))
			*reg(fr.R, base) = value.None
			return nil
		}
	}
	if !reg(fr.R, self).IsUnset() {
		return th.call(fr, ins, fn, self, n+1, kw)
	}
	return th.call(fr, ins, fn, self+bytecode.RegSize, n, kw)
}

// callSpread does CALLX.
func callSpread(th *Thread, fr *frame, ins uint64) error {
	w := fr.window(uint64(uint16(ins>>16)), 3)
	list := w[1].AsList()
	if list == nil {
		return value.Errorf(value.ExcSystemError, "CALLX without a list")
	}
	var kw []value.Kwarg
	if d := w[2].AsDict(); d != nil {
		for i := 0; ; {
			k, v, next, ok := d.Next(i)
			if !ok {
				break
			}
			name, ok := value.Payload(k).AsString()
			if !ok {
				return value.TypeErrorf("keywords must be strings")
			}
			kw = append(kw, value.Kwarg{Name: name, Value: v})
			i = next
		}
	}
	if w[0].Is(ItabFunction) {
		v, pushed, err := th.startFunction((*Function)(w[0].P), list.Elems, kw, 0)
		if pushed {
			return nil
		}
		return th.outcome(fr, ins, v, err)
	}
	v, pushed, err := th.start(w[0], list.Elems, kw)
	if pushed {
		return nil
	}
	return th.deliver(v, err)
}

// ret does RET where the frame's kind says that it is no plain return.
func ret(th *Thread, fr *frame, ins uint64) error {
	v := *fr.a(ins)
	kind := fr.kind
	if fr.gen != nil {
		return th.genReturn(fr, v)
	}
	if kind&initFrame != 0 {
		th.pop()
		if !v.IsNone() {
			return value.TypeErrorf("__init__() should return None, not '%s'", value.TypeName(&th.Thread, v))
		}
		return nil
	}
	if fr.p.info.Kind == bytecode.ModuleCode {
		// The last statement's temporaries should not outlive the module.
		clear(fr.regs())
	}
	th.pop()
	if kind&slowReturn != 0 {
		return th.deliver(v, nil)
	}
	return th.finish(th.fr, uint64(th.fr.waiting()), v)
}

func makeFunction(th *Thread, fr *frame, ins uint64) error {
	p := fr.p.children[ins>>48]
	w := fr.window(uint64(uint16(ins>>32)), 3)
	c := p.info
	fn := &Function{p: p, name: c.Name, qualname: c.QualName, doc: value.None}
	if c.Doc != nil {
		fn.doc = value.Str(*c.Doc)
	}
	fn.module = fr.fn.module
	if fr.p.info.Kind != bytecode.FunctionCode {
		if i, ok := fr.p.mod.Lookup("__name__"); ok && !fr.p.mod.Slots[i].IsUnset() {
			fn.module = fr.p.mod.Slots[i]
		}
	}
	if tup, ok := w[0].AsTuple(); ok {
		fn.defaults = make([]value.Value, len(tup))
		for i, e := range tup {
			fn.defaults[i] = value.FromStarlark(e)
		}
	}
	fn.kwDefaults = w[1].AsDict()
	if w[2].AsDict() != nil {
		fn.annots = w[2]
	}
	if len(c.Free) > 0 {
		fn.free = make([]*value.Cell, len(c.Free))
		for i, f := range c.Free {
			if !f.FromCell {
				fn.free[i] = fr.fn.free[f.Index]
				continue
			}
			cell, err := cellOf(*reg(fr.R, uint64(f.Index)*bytecode.RegSize))
			if err != nil {
				return err
			}
			fn.free[i] = cell
		}
	}
	v := fn.Value()
	*fr.a(ins) = v
	if th.Observer != nil {
		th.Observer.Born(v)
	}
	return nil
}
