package vm

import (
	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/value"
)

func init() {
	op := func(o bytecode.Op, f operation) { operations[o] = f }
	op(bytecode.RAISE, func(th *Thread, fr *frame, ins uint64) error {
		if r := value.RaisedOf(*fr.a(ins)); r != nil && uint16(ins>>32) == bytecode.NoReg {
			return r
		}
		s := &raising{exc: *fr.a(ins)}
		if uint16(ins>>32) != bytecode.NoReg {
			s.cause, s.from = *fr.b(ins), true
		}
		r, err := s.run(&th.Thread)
		if err != nil {
			return th.failed(err)
		}
		return r
	})
	op(bytecode.RAISECUR, func(th *Thread, fr *frame, ins uint64) error {
		if th.Handling == nil {
			return value.RuntimeErrorf("No active exception to reraise")
		}
		th.reraised = th.Handling
		return th.Handling
	})
	op(bytecode.RERAISE, func(th *Thread, fr *frame, ins uint64) error {
		r := value.RaisedOf(*fr.a(ins))
		if r == nil {
			return value.Errorf(value.ExcSystemError, "RERAISE of no exception")
		}
		th.reraised = r
		return r
	})
	op(bytecode.ASSERTFAIL, func(th *Thread, fr *frame, ins uint64) error {
		if uint16(ins>>16) == bytecode.NoReg {
			return value.NewRaised(value.ExcAssertionError)
		}
		return value.NewRaised(value.ExcAssertionError, *fr.a(ins))
	})
	op(bytecode.EXCMATCH, func(th *Thread, fr *frame, ins uint64) error {
		r := value.RaisedOf(*fr.b(ins))
		if r == nil {
			return value.Errorf(value.ExcSystemError, "EXCMATCH of no exception")
		}
		ok, err := value.ExceptMatches(r, *fr.c(ins))
		if err != nil {
			return err
		}
		*fr.a(ins) = value.Bool(ok)
		return nil
	})
	op(bytecode.ENDCATCH, func(th *Thread, fr *frame, ins uint64) error {
		w := fr.window(uint64(uint16(ins>>16)), 2)
		th.unhandle(&w[1])
		w[0], w[1] = value.Value{}, value.Value{}
		return nil
	})
	op(bytecode.WITHENTER, func(th *Thread, fr *frame, ins uint64) error {
		m := *fr.b(ins)
		enter, err := th.classAttr(m, "__enter__")
		if err != nil {
			return err
		}
		exit, err := th.classAttr(m, "__exit__")
		if err != nil {
			return err
		}
		fr.window(uint64(uint16(ins>>16)), 2)[0] = exit
		return th.failed(&value.NeedCall{Fn: enter})
	})
	special[bytecode.WITHENTER] = func(th *Thread, fr *frame, ins uint64, v value.Value) error {
		fr.window(uint64(uint16(ins>>16)), 2)[1] = v
		return nil
	}
	op(bytecode.WITHEXIT, func(th *Thread, fr *frame, ins uint64) error {
		args := []value.Value{value.None, value.None, value.None}
		if uint16(ins>>48) != bytecode.NoReg {
			exc := *fr.c(ins)
			if r := value.RaisedOf(exc); r != nil {
				args = []value.Value{r.Class.Value(), exc, value.None}
				if tb, err := value.GetAttr(&th.Thread, exc, "__traceback__"); err == nil {
					args[2] = tb
				}
			}
		}
		return th.failed(&value.NeedCall{Fn: *fr.b(ins), Args: args})
	})
}

// raising is the raise statement: exception and cause may have constructors in
// the language.
type raising struct {
	exc, cause value.Value
	from       bool
}

// run goes as far as it can; err is a *value.NeedCall whose end is the raise,
// or the exception that came instead.
func (s *raising) run(t *value.Thread) (*value.Raised, error) {
	err := value.RaiseValue(t, s.exc)
	if nc, ok := err.(*value.NeedCall); ok {
		call := *nc
		return nil, &value.NeedCall{Fn: call.Fn, Args: call.Args, Kw: call.Kw, Next: call.Next, Then: &raiseResult{s, call.Then}}
	}
	r := value.AsRaised(err)
	if value.RaisedOf(s.exc) == nil && s.exc.AsClass() == nil {
		return nil, r // what was to be raised is no exception
	}
	return s.causeOf(t, r)
}

func (s *raising) causeOf(t *value.Thread, r *value.Raised) (*value.Raised, error) {
	if !s.from {
		return r, nil
	}
	r.Suppress = true
	if s.cause.IsNone() {
		r.Cause = nil
		return r, nil
	}
	c := value.RaisedOf(s.cause)
	if c == nil {
		k := s.cause.AsClass()
		if k == nil || !k.IsSubclass(value.ExcBaseException) {
			return nil, value.TypeErrorf("exception causes must derive from BaseException")
		}
		v, err := value.CallClass(t, k, nil, nil)
		if err != nil {
			return nil, err
		}
		c = value.RaisedOf(v)
	}
	r.Cause = c
	return r, nil
}

// raiseResult raises what a constructor has made.
type raiseResult struct {
	s     *raising
	inner value.Stepper
}

func (s *raiseResult) Step(t *value.Thread, in value.Value, err error) value.Action {
	if s.inner != nil {
		act := s.inner.Step(t, in, err)
		if act.Kind != value.ActReturn {
			return act
		}
		in, err = act.Value, nil
	}
	if err != nil {
		return value.Raise(err)
	}
	r := value.RaisedOf(in)
	if r == nil {
		return value.Raise(value.TypeErrorf("calling %s should have returned an instance of BaseException, not %s",
			s.s.exc.Starlark(), value.TypeName(t, in)))
	}
	r, err = s.s.causeOf(t, r)
	if err != nil {
		return value.Raise(err)
	}
	return value.Raise(r)
}

// classAttr finds a special method of a context manager on its class, bound.
func (th *Thread) classAttr(x value.Value, name string) (value.Value, error) {
	c := value.TypeOf(x)
	f, ok := c.Find(name)
	if !ok {
		// Objects of the machine or a host may serve it themselves.
		if o, isObj := value.As[value.AttrObject](x); isObj {
			if v, ok, err := o.AttrGet(&th.Thread, name); ok || err != nil {
				return v, err
			}
		}
		if x.Is(value.ItabInstance) || c.Slots == nil || c.Slots.GetAttr == nil {
			if name == "__exit__" {
				return value.Value{}, value.TypeErrorf("'%s' object does not support the context manager protocol (missed __exit__ method)", c.Qualname)
			}
			return value.Value{}, value.TypeErrorf("'%s' object does not support the context manager protocol", c.Qualname)
		}
		return value.GetAttr(&th.Thread, x, name)
	}
	switch {
	case f.Value.Is(ItabFunction) || f.Value.Is(value.ItabBuiltin):
		return (&value.BoundMethod{Fn: f.Value, Self: x}).Value(), nil
	}
	if s, ok := value.As[*value.StaticMethod](f.Value); ok {
		return s.Fn, nil
	}
	if m, ok := value.As[*value.ClassMethod](f.Value); ok {
		return (&value.BoundMethod{Fn: m.Fn, Self: c.Value()}).Value(), nil
	}
	return f.Value, nil
}
