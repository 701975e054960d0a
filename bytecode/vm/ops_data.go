package vm

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/value"
)

func init() {
	op := func(o bytecode.Op, f operation) { operations[o] = f }
	born := func(th *Thread, v value.Value) value.Value {
		if th.Observer != nil {
			th.Observer.Born(v)
		}
		return v
	}
	op(bytecode.LIST, func(th *Thread, fr *frame, ins uint64) error {
		w := fr.window(uint64(uint16(ins>>32)), int(ins>>48))
		*fr.a(ins) = born(th, value.ListOf(w...))
		return nil
	})
	op(bytecode.TUPLE, func(th *Thread, fr *frame, ins uint64) error {
		*fr.a(ins) = tupleOf(fr.window(uint64(uint16(ins>>32)), int(ins>>48)))
		return nil
	})
	op(bytecode.SET, func(th *Thread, fr *frame, ins uint64) error {
		s := value.NewSet(0)
		born(th, s.Value())
		for _, v := range fr.window(uint64(uint16(ins>>32)), int(ins>>48)) {
			if err := s.Add(&th.Thread, v); err != nil {
				return err
			}
		}
		*fr.a(ins) = s.Value()
		return nil
	})
	op(bytecode.DICT, func(th *Thread, fr *frame, ins uint64) error {
		n := int(ins >> 48)
		d := value.NewDict(n)
		d.Strict = th.Dialect == value.Strict
		born(th, d.Value())
		w := fr.window(uint64(uint16(ins>>32)), 2*n)
		for i := 0; i < 2*n; i += 2 {
			if err := d.Set(&th.Thread, w[i], w[i+1]); err != nil {
				return err
			}
		}
		*fr.a(ins) = d.Value()
		return nil
	})
	op(bytecode.SLICE, func(th *Thread, fr *frame, ins uint64) error {
		w := fr.window(uint64(uint16(ins>>32)), 3)
		if next := uint64(*(*bytecode.Ins)(fr.ip)); bytecode.Op(uint8(next)) == bytecode.GETIDX && uint16(next>>48) == uint16(ins>>16) &&
			th.Observer == nil && !th.stepped {
			// list[lo:hi]: the slice object is not needed.
			if l := fr.b(next).AsList(); l != nil {
				if v, ok := l.Part(w[0], w[1], w[2]); ok {
					*fr.a(next) = v
					fr.ip = unsafe.Add(fr.ip, 8)
					return nil
				}
			}
		}
		*fr.a(ins) = (&value.Slice{Lo: w[0], Hi: w[1], Step: w[2]}).Value()
		return nil
	})
	op(bytecode.LISTAPP, func(th *Thread, fr *frame, ins uint64) error {
		l := fr.a(ins).AsList()
		if l == nil {
			return value.Errorf(value.ExcSystemError, "LISTAPP to no list")
		}
		if l.Flags == 0 && l.Watch == nil && th.Observer == nil {
			l.Elems = grown(l.Elems, *fr.b(ins))
			return nil
		}
		return l.Append(&th.Thread, *fr.b(ins))
	})
	op(bytecode.SETADD, func(th *Thread, fr *frame, ins uint64) error {
		s, ok := value.As[*value.Set](*fr.a(ins))
		if !ok {
			return value.Errorf(value.ExcSystemError, "SETADD to no set")
		}
		return s.Add(&th.Thread, *fr.b(ins))
	})
	op(bytecode.DICTPUT, func(th *Thread, fr *frame, ins uint64) error {
		d := fr.a(ins).AsDict()
		if d == nil {
			return value.Errorf(value.ExcSystemError, "DICTPUT to no dict")
		}
		before := d.Len()
		err := d.Set(&th.Thread, *fr.b(ins), *fr.c(ins))
		if err == nil && ins&bytecode.InPlaceBit != 0 && d.Len() == before {
			return value.ValueErrorf("duplicate key: %s", fr.b(ins).Starlark())
		}
		return err
	})
	op(bytecode.LISTEXT, func(th *Thread, fr *frame, ins uint64) error {
		l := fr.a(ins).AsList()
		if l == nil {
			return value.Errorf(value.ExcSystemError, "LISTEXT of no list")
		}
		x := *fr.b(ins)
		if tup, ok := x.AsTuple(); ok {
			if err := th.RoomFor(int64(len(l.Elems) + len(tup))); err != nil {
				return err
			}
			for _, e := range tup {
				l.Elems = append(l.Elems, value.FromStarlark(e))
			}
			return nil
		}
		if src := x.AsList(); src != nil && th.Observer == nil {
			if err := th.RoomFor(int64(len(l.Elems) + len(src.Elems))); err != nil {
				return err
			}
			l.Elems = append(l.Elems, src.Elems...)
			return nil
		}
		callee := value.Value{}
		if uint16(ins>>48) != bytecode.NoReg {
			callee = *fr.c(ins)
		}
		err := th.gather(x, callee, func(v value.Value) error { return l.Append(nil, v) })
		if r, ok := err.(*value.Raised); ok && callee.IsUnset() && th.Dialect == value.Model && r.Class == value.ExcTypeError && !value.Iterable(x) {
			return value.TypeErrorf("Value after * must be an iterable, not %s", value.TypeName(&th.Thread, x))
		}
		return err
	})
	op(bytecode.SETEXT, func(th *Thread, fr *frame, ins uint64) error {
		s, ok := value.As[*value.Set](*fr.a(ins))
		if !ok {
			return value.Errorf(value.ExcSystemError, "SETEXT of no set")
		}
		return th.gather(*fr.b(ins), value.Value{}, func(v value.Value) error { return s.Add(&th.Thread, v) })
	})
	op(bytecode.DICTUPD, func(th *Thread, fr *frame, ins uint64) error {
		d := fr.a(ins).AsDict()
		if d == nil {
			return value.Errorf(value.ExcSystemError, "DICTUPD of no dict")
		}
		return th.eachPair(*fr.b(ins), func(k, v value.Value) error { return d.Set(&th.Thread, k, v) },
			func() error {
				return value.TypeErrorf("'%s' object is not a mapping", value.TypeName(&th.Thread, *fr.b(ins)))
			})
	})
	op(bytecode.DICTMERGE, func(th *Thread, fr *frame, ins uint64) error {
		d := fr.a(ins).AsDict()
		if d == nil {
			return value.Errorf(value.ExcSystemError, "DICTMERGE of no dict")
		}
		callee := *fr.c(ins)
		return th.eachPair(*fr.b(ins), func(k, v value.Value) error {
			if _, ok := value.Payload(k).AsString(); !ok {
				if th.Dialect == value.Strict {
					return value.TypeErrorf("keywords must be strings, not %s", value.TypeName(&th.Thread, k))
				}
				return value.TypeErrorf("keywords must be strings")
			}
			has, err := d.Has(nil, k)
			if err == nil && has {
				name, _ := value.Payload(k).AsString()
				if th.Dialect == value.Strict {
					if f, ok := value.As[*Function](callee); ok {
						return value.TypeErrorf("function %s got multiple values for parameter %q", f.name, name)
					}
					return value.TypeErrorf("%s: duplicate keyword arg: %q", strings.TrimSuffix(calleeName(callee), "()"), name)
				}
				err = value.TypeErrorf("%s got multiple values for keyword argument '%s'", calleeName(callee), name)
			}
			if err != nil {
				return err
			}
			return d.Set(&th.Thread, k, v)
		}, func() error {
			if th.Dialect == value.Strict {
				return value.TypeErrorf("argument after ** must be a mapping, not %s", value.TypeName(&th.Thread, *fr.b(ins)))
			}
			return value.TypeErrorf("%s argument after ** must be a mapping, not %s", calleeName(callee), value.TypeName(&th.Thread, *fr.b(ins)))
		})
	})
	op(bytecode.LISTTUP, func(th *Thread, fr *frame, ins uint64) error {
		l := fr.b(ins).AsList()
		if l == nil {
			return value.Errorf(value.ExcSystemError, "LISTTUP of no list")
		}
		*fr.a(ins) = tupleOf(l.Elems)
		return nil
	})
	op(bytecode.GETIDX, func(th *Thread, fr *frame, ins uint64) error {
		v, err := value.GetItem(&th.Thread, *fr.b(ins), *fr.c(ins))
		return th.outcome(fr, ins, v, err)
	})
	op(bytecode.SETIDX, func(th *Thread, fr *frame, ins uint64) error {
		return th.failed2(value.SetItem(&th.Thread, *fr.a(ins), *fr.b(ins), *fr.c(ins)))
	})
	op(bytecode.DELIDX, func(th *Thread, fr *frame, ins uint64) error {
		return th.failed2(value.DelItem(&th.Thread, *fr.a(ins), *fr.b(ins)))
	})
	op(bytecode.GETATTR, getAttr)
	op(bytecode.SETATTR, setAttr)
	op(bytecode.DELATTR, func(th *Thread, fr *frame, ins uint64) error {
		return th.failed2(value.DelAttr(&th.Thread, *fr.a(ins), fr.p.info.Sites[ins>>48].Name))
	})
	op(bytecode.FORMAT, format)
	special[bytecode.FORMAT] = formatted
	op(bytecode.BUILDSTR, func(th *Thread, fr *frame, ins uint64) error {
		w := fr.window(uint64(uint16(ins>>32)), int(ins>>48))
		for _, v := range w {
			if _, ok := v.AsString(); !ok {
				if _, ok := value.As[value.Symbolic](v); !ok {
					return value.Errorf(value.ExcSystemError, "BUILDSTR of something else")
				}
			}
		}
		*fr.a(ins) = value.Concat(&th.Thread, w)
		return nil
	})
}

func getAttr(th *Thread, fr *frame, ins uint64) error {
	x := *fr.b(ins)
	site := int(ins >> 48)
	if th.Observer == nil {
		if in := x.AsInstance(); in != nil {
			if e := fr.p.find(site, in); e != nil {
				switch e.kind {
				case icSlot:
					*fr.a(ins) = in.Slots[e.off/bytecode.RegSize]
					return nil
				case icOther:
					*fr.a(ins) = e.val
					return nil
				case icGetter:
					return th.callGetter(fr, (*Function)(e.val.P), x)
				}
			} else {
				e := icEntry{shape: in.Shape, ver: in.Shape.Class.Version}
				switch l := value.Locate(in, fr.p.info.Sites[site].Name); l.Kind {
				case value.AttrSlot:
					e.kind, e.off = icSlot, uintptr(l.Slot)*bytecode.RegSize
					fr.p.learn(site, e)
					*fr.a(ins) = in.Slots[l.Slot]
					return nil
				case value.AttrClass:
					e.kind, e.val = icOther, l.Value
					fr.p.learn(site, e)
					*fr.a(ins) = l.Value
					return nil
				case value.AttrProperty:
					if f, ok := value.PlainGetter(in.Shape.Class, l.Value); ok && f.Is(ItabFunction) && (*Function)(f.P).p.fits == 2 {
						e.kind, e.val = icGetter, f
						fr.p.learn(site, e)
						return th.callGetter(fr, (*Function)(f.P), x)
					}
				}
			}
		} else if x.Is(value.ItabModule) {
			if v := fr.p.findGlobal(site, (*value.Module)(x.P)); !v.IsUnset() {
				*fr.a(ins) = v
				return nil
			}
		}
	}
	v, err := value.GetAttr(&th.Thread, x, fr.p.info.Sites[site].Name)
	return th.outcome(fr, ins, v, err)
}

// callGetter calls the getter of a property; the result goes to register A.
func (th *Thread) callGetter(fr *frame, fn *Function, x value.Value) error {
	if err := th.mayCall(fn); err != nil {
		return err
	}
	R, fresh := th.room(fr.top, fn.p.frame)
	*(*value.Value)(R) = x
	return th.pushFunction(fn, R, fresh, 0)
}

func setAttr(th *Thread, fr *frame, ins uint64) error {
	x, v := *fr.a(ins), *fr.b(ins)
	site := int(ins >> 48)
	name := fr.p.info.Sites[site].Name
	in := x.AsInstance()
	if th.Observer != nil || in == nil || in.Flags != 0 {
		return th.failed2(value.SetAttr(&th.Thread, x, name, v))
	}
	if e := fr.p.find(site, in); e != nil {
		switch e.kind {
		case icSlot:
			in.Put(int(e.off/bytecode.RegSize), v)
			return nil
		case icAdd:
			in.Add(e.next, v)
			return nil
		}
	}
	before := in.Shape
	ver := before.Class.Version
	if err := value.SetAttr(&th.Thread, x, name, v); err != nil {
		return th.failed(err)
	}
	// Learn what the store did, if it was a plain one.
	if s := before.Class.Slots; before.Class.Version != ver || s != nil && s.SetAttr != nil ||
		value.Locate(in, name).Kind != value.AttrSlot {
		return nil
	}
	slot, ok := before.Lookup(name)
	switch {
	case ok && in.Shape == before:
		fr.p.learn(site, icEntry{shape: before, ver: ver, kind: icSlot, off: uintptr(slot) * bytecode.RegSize})
	case !ok && in.Shape.Len() == before.Len()+1 && in.Shape.Names()[before.Len()] == name:
		fr.p.learn(site, icEntry{shape: before, ver: ver, kind: icAdd, off: uintptr(before.Len()) * bytecode.RegSize, next: in.Shape})
	}
	return nil
}

func calleeName(v value.Value) string {
	if v.Is(ItabFunction) {
		f := (*Function)(v.P)
		name, _ := f.module.AsString()
		if name != "" {
			return name + "." + f.qualname + "()"
		}
		return f.qualname + "()"
	}
	if c := v.AsClass(); c != nil {
		return c.Module + "." + c.Qualname + "()"
	}
	if b, ok := value.As[*value.Builtin](v); ok {
		return b.Name + "()"
	}
	if m, ok := value.As[*value.BoundMethod](v); ok {
		return calleeName(m.Fn)
	}
	return value.TypeOf(v).Name + " object"
}

// gather calls add with each item of x. Its iterator may be language code: it
// runs as a stepper. callee, unless unset, is whose arguments the items are.
func (th *Thread) gather(x, callee value.Value, add func(value.Value) error) error {
	it, err := value.Iter(&th.Thread, x)
	s := &collect{max: -1, it: it}
	if err != nil {
		nc, ok := err.(*value.NeedCall)
		if !ok {
			if !callee.IsUnset() && value.AsRaised(err).Class == value.ExcTypeError {
				if th.Dialect == value.Strict {
					return value.TypeErrorf("argument after * must be iterable, not %s", value.TypeName(&th.Thread, x))
				}
				return value.TypeErrorf("%s argument after * must be an iterable, not %s", calleeName(callee), value.TypeName(&th.Thread, x))
			}
			return err
		}
		c := *nc
		s.first = &c
	}
	return th.failed(&value.NeedCall{Then: &thenEach{collect: s, add: add}})
}

// thenEach hands what collect has gathered to add.
type thenEach struct {
	collect *collect
	add     func(value.Value) error
}

func (s *thenEach) Step(t *value.Thread, in value.Value, err error) value.Action {
	act := s.collect.Step(t, in, err)
	if act.Kind != value.ActReturn {
		return act
	}
	for _, v := range act.Value.AsList().Elems {
		if err := s.add(v); err != nil {
			return value.Raise(err)
		}
	}
	return value.Return(value.None)
}

func (s *thenEach) Roots(visit func(*value.Value)) { s.collect.Roots(visit) }

// eachPair calls put for each entry of a mapping; wrong words the error for
// what is none.
func (th *Thread) eachPair(m value.Value, put func(k, v value.Value) error, wrong func() error) error {
	if d := value.Payload(m).AsDict(); d != nil {
		if th.Observer != nil {
			th.Observer.Read(m, value.StepOrder, value.Value{}, value.Value{})
		}
		for i := 0; ; {
			k, v, next, ok := d.Next(i)
			if !ok {
				return nil
			}
			if th.Observer != nil {
				v = th.Observer.Read(d.Value(), value.StepItem, k, v)
			}
			if err := put(k, v); err != nil {
				return err
			}
			i = next
		}
	}
	keys, err := value.GetAttr(&th.Thread, m, "keys")
	if err != nil {
		return wrong()
	}
	return th.failed(&value.NeedCall{Then: &pairs{m: m, keys: keys, put: put}})
}

// pairs walks keys() of a mapping that is no dict, and m[key] of each.
type pairs struct {
	m, keys, it, key value.Value
	put              func(k, v value.Value) error
	state            uint8
}

func (s *pairs) Step(t *value.Thread, in value.Value, err error) value.Action {
	if err != nil {
		return value.Raise(err)
	}
	switch s.state {
	case 0:
		s.state = 1
		return value.CallOf(s.keys)
	case 1:
		s.state = 2
		it, err := value.Iter(t, in)
		if err != nil {
			return value.Raise(err)
		}
		in = it
		fallthrough
	case 2:
		s.it = in
		s.state = 3
		return value.NextOf(s.it)
	case 3:
		if in.IsUnset() {
			return value.Return(value.None)
		}
		s.key = in
		s.state = 4
		v, err := value.GetItem(t, s.m, in)
		if err != nil {
			return value.Raise(err)
		}
		in = v
		fallthrough
	default:
		if err := s.put(s.key, in); err != nil {
			return value.Raise(err)
		}
		s.state = 3
		return value.NextOf(s.it)
	}
}

func (s *pairs) Roots(visit func(*value.Value)) {
	visit(&s.m)
	visit(&s.keys)
	visit(&s.it)
	visit(&s.key)
}

// format does FORMAT: first the conversion, then the format spec.
func format(th *Thread, fr *frame, ins uint64) error {
	w := fr.window(uint64(uint16(ins>>32)), 2)
	x := w[0]
	var v value.Value
	var err error
	switch uint8(ins >> 48) {
	case 'r':
		v, err = value.ReprOf(&th.Thread, x)
	case 's':
		v, err = value.StrOf(&th.Thread, x)
	case 'a':
		v, err = value.ReprOf(&th.Thread, x)
	default:
		if _, ok := x.AsString(); ok && ins>>56 == 0 {
			*fr.a(ins) = x
			return nil
		}
		return th.formatSpec(fr, ins, x)
	}
	if err != nil {
		return th.failed(err)
	}
	return formatted(th, fr, ins, v)
}

// formatted goes on once the conversion, or the whole, has its value.
func formatted(th *Thread, fr *frame, ins uint64, v value.Value) error {
	if uint8(ins>>48) == 'a' {
		if s, ok := v.AsString(); ok {
			v = value.Str(escapeNonASCII(s))
		}
	}
	w := fr.window(uint64(uint16(ins>>32)), 2)
	if uint8(ins>>48) == 0 || ins>>56 == 0 || w[0].IsUnset() {
		*fr.a(ins) = v
		return nil
	}
	w[0] = value.Value{} // the conversion is done
	return th.formatSpec(fr, ins, v)
}

func (th *Thread) formatSpec(fr *frame, ins uint64, x value.Value) error {
	spec := ""
	if ins>>56 != 0 {
		spec, _ = fr.window(uint64(uint16(ins>>32)), 2)[1].AsString()
	}
	v, err := value.Format(&th.Thread, x, spec)
	if err != nil {
		return th.failed(err)
	}
	*fr.a(ins) = v
	return nil
}

// escapeNonASCII is what !a adds to !r.
func escapeNonASCII(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, "\\x%02x", r)
		case r < 0x10000:
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			fmt.Fprintf(&b, "\\U%08x", r)
		}
	}
	return b.String()
}
