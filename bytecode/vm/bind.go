package vm

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/value"
	"go.starlark.net/starlark"
)

// bind puts arguments into the parameter registers of a window. args and kw may
// not lie in it.
//
//	regs   │ positional or keyword │ keyword-only │ *args │ **kwargs │
func bind(th *Thread, fn *Function, regs, args []value.Value, kw []value.Kwarg) error {
	c := fn.p.info
	np, nk := c.NumArgs, c.NumKwOnly
	n := copy(regs[:np], args)
	clear(regs[n : np+nk])
	if len(args) > np && !c.HasVarArg {
		return tooMany(fn, regs, args, kw)
	}
	next := np + nk
	if c.HasVarArg {
		var rest []value.Value
		if len(args) > np {
			rest = args[np:]
		}
		regs[next] = tupleOf(rest)
		next++
	}
	var extra *value.Dict
	if c.HasKwArg {
		extra = value.NewDict(0)
		extra.Strict = fn.p.dialect == value.Strict
		regs[next] = extra.Value()
		if th.Observer != nil {
			th.Observer.Born(regs[next])
		}
	}
	var posOnly []string
keywords:
	for _, k := range kw {
		for i, name := range c.Locals[:np+nk] {
			if name != k.Name {
				continue
			}
			if i < c.NumPosOnly {
				if extra == nil {
					posOnly = append(posOnly, name)
					continue keywords
				}
				break
			}
			if !regs[i].IsUnset() {
				if fn.p.dialect == value.Strict {
					return value.TypeErrorf("function %s got multiple values for parameter \"%s\"", fn.name, name)
				}
				return value.TypeErrorf("%s() got multiple values for argument '%s'", fn.qualname, name)
			}
			regs[i] = k.Value
			continue keywords
		}
		if extra == nil {
			if posOnly != nil {
				continue
			}
			if fn.p.dialect == value.Strict {
				if np+nk == 0 && !c.HasVarArg {
					return tooMany(fn, regs, args, kw)
				}
				return value.TypeErrorf("function %s got an unexpected keyword argument \"%s\"", fn.name, k.Name)
			}
			return value.TypeErrorf("%s() got an unexpected keyword argument '%s'", fn.qualname, k.Name)
		}
		if _, ok := extra.GetStr(k.Name); ok {
			return value.TypeErrorf("%s() got multiple values for keyword argument '%s'", fn.qualname, k.Name)
		}
		extra.SetStr(k.Name, k.Value)
	}
	if posOnly != nil {
		return value.TypeErrorf("%s() got some positional-only arguments passed as keyword arguments: '%s'",
			fn.qualname, strings.Join(posOnly, ", "))
	}
	if n < np {
		first := np - len(fn.defaults)
		var missing []string
		for i := n; i < np; i++ {
			if !regs[i].IsUnset() {
				continue
			}
			if i >= first {
				regs[i] = fn.defaults[i-first]
			} else {
				missing = append(missing, c.Locals[i])
			}
		}
		if missing != nil {
			return missingArgs(fn, missing, "positional")
		}
	}
	if nk > 0 {
		var missing []string
		for i := np; i < np+nk; i++ {
			if !regs[i].IsUnset() {
				continue
			}
			if fn.kwDefaults != nil {
				if v, ok := fn.kwDefaults.GetStr(c.Locals[i]); ok {
					regs[i] = v
					continue
				}
			}
			missing = append(missing, c.Locals[i])
		}
		if missing != nil {
			return missingArgs(fn, missing, "keyword-only")
		}
	}
	return nil
}

func missingArgs(fn *Function, names []string, kind string) error {
	n := len(names)
	if fn.p.dialect == value.Strict {
		s := ""
		if n > 1 {
			s = "s"
		}
		return value.TypeErrorf("function %s missing %d argument%s (%s)", fn.name, n, s, strings.Join(names, ", "))
	}
	quoted := make([]string, n)
	for i, s := range names {
		quoted[i] = "'" + s + "'"
	}
	list := quoted[0]
	s := ""
	switch {
	case n == 2:
		list = quoted[0] + " and " + quoted[1]
		s = "s"
	case n > 2:
		list = strings.Join(quoted[:n-1], ", ") + ", and " + quoted[n-1]
		s = "s"
	}
	return value.TypeErrorf("%s() missing %d required %s argument%s: %s", fn.qualname, n, kind, s, list)
}

func tooMany(fn *Function, regs, args []value.Value, kw []value.Kwarg) error {
	c := fn.p.info
	if fn.p.dialect == value.Strict {
		switch {
		case c.NumArgs+c.NumKwOnly == 0:
			return value.TypeErrorf("function %s accepts no arguments (%d given)", fn.name, len(args)+len(kw))
		case c.NumArgs == 0:
			return value.TypeErrorf("function %s accepts no positional arguments (%d given)", fn.name, len(args))
		}
		s := "s"
		if c.NumArgs == 1 {
			s = ""
		}
		bound := ""
		if len(fn.defaults) > 0 {
			bound = "at most "
		}
		return value.TypeErrorf("function %s accepts %s%d positional argument%s (%d given)", fn.name, bound, c.NumArgs, s, len(args))
	}
	takes := fmt.Sprint(c.NumArgs)
	plural := c.NumArgs != 1
	if d := len(fn.defaults); d > 0 {
		takes = fmt.Sprintf("from %d to %d", c.NumArgs-d, c.NumArgs)
		plural = true
	}
	given := 0 // keyword-only arguments among kw
	for _, k := range kw {
		for _, name := range c.Locals[c.NumArgs : c.NumArgs+c.NumKwOnly] {
			if k.Name == name {
				given++
			}
		}
	}
	were := "were"
	if len(args) == 1 && given == 0 {
		were = "was"
	}
	s := ""
	if plural {
		s = "s"
	}
	if given > 0 {
		s2, s3 := "s", "s"
		if len(args) == 1 {
			s2 = ""
		}
		if given == 1 {
			s3 = ""
		}
		return value.TypeErrorf("%s() takes %s positional argument%s but %d positional argument%s (and %d keyword-only argument%s) were given",
			fn.qualname, takes, s, len(args), s2, given, s3)
	}
	return value.TypeErrorf("%s() takes %s positional argument%s but %d %s given", fn.qualname, takes, s, len(args), were)
}

func tupleOf(elts []value.Value) value.Value {
	if len(elts) == 0 {
		return emptyTuple
	}
	return value.Tuple(elts...)
}

var emptyTuple = value.FromStarlark(starlark.Tuple(nil))

// start begins a call of fn: either a frame has been pushed, or v and err are
// the outcome for the frame on top. args and kw may be windows or scratch.
func (th *Thread) start(fn value.Value, args []value.Value, kw []value.Kwarg) (v value.Value, pushed bool, err error) {
	for {
		if fn.IsTagged() {
			break
		}
		switch fn.N {
		case ItabFunction:
			return th.startFunction((*Function)(fn.P), args, kw, slowReturn)
		case value.ItabMethod:
			m := (*value.BoundMethod)(fn.P)
			fn = m.Fn
			args = append(append(make([]value.Value, 0, len(args)+1), m.Self), args...)
			continue
		case value.ItabBuiltin:
			v, err = th.callBuiltin((*value.Builtin)(fn.P), args, kw)
		case itabResumption:
			return th.resume((*resumption)(fn.P))
		case itabBodyCall:
			return th.startBody((*bodyCall)(fn.P).s)
		default:
			v, err = value.CallAny(&th.Thread, fn, args, kw)
		}
		if err == nil {
			return v, false, nil
		}
		if nc, ok := err.(*value.NeedCall); ok {
			return th.carry(nc)
		}
		return value.Value{}, false, err
	}
	v, err = value.CallAny(&th.Thread, fn, args, kw)
	return v, false, err
}

var itabResumption = value.ItabOf((*resumption)(nil))

func (th *Thread) callBuiltin(b *value.Builtin, args []value.Value, kw []value.Kwarg) (value.Value, error) {
	if th.Observer != nil {
		if err := th.Observer.Call(b.Value(), args, kw); err != nil {
			if g, ok := err.(*value.Given); ok {
				return g.Value, nil
			}
			return value.Value{}, err
		}
	}
	v, err := b.Call(&th.Thread, args, kw)
	if th.Observer != nil && err == nil {
		th.Observer.Result(b, v)
	}
	return v, err
}

// startFunction pushes a frame for a function of the language, above the top
// frame's window. A generator function gives its generator at once.
func (th *Thread) startFunction(fn *Function, args []value.Value, kw []value.Kwarg, kind frameKind) (v value.Value, pushed bool, err error) {
	p := fn.p
	if p.info.IsGenerator {
		// Calls shift arguments up by one, and so may reach behind the window.
		regs := make([]value.Value, p.info.NumRegs+2)
		if err := bind(th, fn, regs, args, kw); err != nil {
			return value.Value{}, false, err
		}
		g := newGenerator(fn, regs).Value()
		if th.Observer != nil {
			th.Observer.Born(g)
		}
		return g, false, nil
	}
	if err := th.mayCall(fn); err != nil {
		return value.Value{}, false, err
	}
	R, fresh := th.room(th.fr.top, p.frame)
	regs := unsafe.Slice((*value.Value)(R), p.info.NumRegs)
	if err := bind(th, fn, regs, args, kw); err != nil {
		th.unroom(fresh)
		return value.Value{}, false, err
	}
	if err := th.pushFunction(fn, R, fresh, kind); err != nil {
		return value.Value{}, false, err
	}
	return value.Value{}, true, nil
}

// mayCall charges a call and checks that the dialect allows it.
func (th *Thread) mayCall(fn *Function) error {
	if th.fuel--; th.fuel <= 0 {
		if err := th.poll(); err != nil {
			return err
		}
		th.due = th.counts()
	}
	if fn.p.dialect == value.Strict && !fn.p.info.Program.Options.Recursion {
		for i := th.depth(); i > 0; i-- {
			if fr := &th.frames[i]; fr.p == fn.p && fr.p.info.Kind != bytecode.ModuleCode {
				return value.RuntimeErrorf("function %s called recursively", fn.name)
			}
		}
	}
	return nil
}

func (th *Thread) unroom(fresh unsafe.Pointer) {
	if fresh != nil {
		th.lim = fresh
		th.segs = th.segs[:len(th.segs)-1]
	}
}

// pushFunction pushes a frame whose parameters are in the window at R.
func (th *Thread) pushFunction(fn *Function, R, fresh unsafe.Pointer, kind frameKind) error {
	p := fn.p
	fr, err := th.push()
	if err != nil {
		th.unroom(fresh)
		return err
	}
	for i := p.info.NumParams(); i < p.clear; i++ {
		*reg(R, uint64(i)*bytecode.RegSize) = value.Value{}
	}
	fr.kind = kind
	fr.fn, fr.p = fn, p
	fr.R = R
	fr.top = unsafe.Add(R, p.frame)
	fr.ip = unsafe.Pointer(unsafe.SliceData(p.code))
	if fresh != nil || th.Dialect != p.dialect {
		fr.ext = &extra{lim: fresh, dialect: th.Dialect}
		if fresh != nil {
			fr.kind |= newSegment
		}
		if th.Dialect != p.dialect {
			fr.kind |= dialFrame
			th.Dialect = p.dialect
		}
	}
	if th.due || p.entry.Load() != 0 {
		th.due = false
		th.atEntry = th.asks()
	}
	return nil
}
