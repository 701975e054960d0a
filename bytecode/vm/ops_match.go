package vm

import (
	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/value"
)

func init() {
	operations[bytecode.ISSEQ] = func(th *Thread, fr *frame, ins uint64) error {
		p := value.Payload(*fr.b(ins))
		*fr.a(ins) = value.Bool(!p.IsTagged() && (p.N == value.ItabList || p.N == value.ItabTuple || p.N == value.ItabRange))
		return nil
	}
	operations[bytecode.ISMAP] = func(th *Thread, fr *frame, ins uint64) error {
		*fr.a(ins) = value.Bool(value.Payload(*fr.b(ins)).AsDict() != nil)
		return nil
	}
	operations[bytecode.MATCHKEYS] = func(th *Thread, fr *frame, ins uint64) error {
		d := value.Payload(*fr.b(ins)).AsDict()
		keys, ok := fr.c(ins).AsTuple()
		if d == nil || !ok {
			return value.Errorf(value.ExcSystemError, "MATCHKEYS of no mapping")
		}
		vals := make([]value.Value, len(keys))
		for i, k := range keys {
			v, ok, err := d.Lookup(&th.Thread, value.FromStarlark(k))
			if err != nil {
				return err
			}
			if !ok {
				*fr.a(ins) = value.None
				return nil
			}
			vals[i] = v
		}
		*fr.a(ins) = tupleOf(vals)
		return nil
	}
	operations[bytecode.MATCHREST] = func(th *Thread, fr *frame, ins uint64) error {
		d := value.Payload(*fr.b(ins)).AsDict()
		keys, ok := fr.c(ins).AsTuple()
		if d == nil || !ok {
			return value.Errorf(value.ExcSystemError, "MATCHREST of no mapping")
		}
		rest := value.NewDict(d.Len())
		if th.Observer != nil {
			th.Observer.Born(rest.Value())
		}
		err := th.eachPair(d.Value(), func(k, v value.Value) error { return rest.Set(&th.Thread, k, v) }, nil)
		if err != nil {
			return err
		}
		for _, k := range keys {
			if _, _, err := rest.Delete(nil, value.FromStarlark(k)); err != nil {
				return err
			}
		}
		*fr.a(ins) = rest.Value()
		return nil
	}
	operations[bytecode.MATCHCLASS] = func(th *Thread, fr *frame, ins uint64) error {
		want, ok := fr.a(ins).AsTuple()
		if !ok || len(want) == 0 || !value.FromStarlark(want[0]).IsInt() {
			return value.Errorf(value.ExcSystemError, "MATCHCLASS without a pattern")
		}
		s := &classMatch{subject: *fr.b(ins), class: *fr.c(ins), npos: int(value.FromStarlark(want[0]).Int64())}
		for _, n := range want[1:] {
			name, _ := value.FromStarlark(n).AsString()
			s.names = append(s.names, name)
		}
		return th.failed(&value.NeedCall{Then: s})
	}
}

// classMatch is a class pattern: an instance test, then one attribute after the
// other, of which properties are language code.
type classMatch struct {
	subject, class value.Value
	npos           int
	names          []string // of the attributes to read; first those for keywords
	vals           []value.Value
	state          uint8
}

// selfMatching are the types whose one positional pattern is the subject itself.
func selfMatching(c *value.Class) bool {
	for _, k := range []*value.Class{value.BoolClass, value.BytesClass, value.DictClass, value.FloatClass, value.FrozenSetClass,
		value.IntClass, value.ListClass, value.SetClass, value.StrClass, value.TupleClass} {
		if c.IsSubclass(k) && k != value.ObjectClass {
			return true
		}
	}
	return false
}

func (s *classMatch) Step(t *value.Thread, in value.Value, err error) value.Action {
	switch s.state {
	case 0:
		c := s.class.AsClass()
		if c == nil {
			return value.Raise(value.TypeErrorf("called match pattern must be a type"))
		}
		s.state = 1
		ok, err := value.IsInstance(t, s.subject, s.class)
		if err != nil {
			return value.Raise(err)
		}
		in = value.Bool(ok)
		fallthrough
	case 1:
		if err != nil {
			return value.Raise(err)
		}
		if !in.IsTrue() {
			return value.Return(value.None)
		}
		s.state = 2
		c := s.class.AsClass()
		if s.npos > 0 {
			var pos []string
			f, ok := c.Find("__match_args__")
			args, isTuple := f.Value.AsTuple()
			switch {
			case ok && !isTuple:
				return value.Raise(value.TypeErrorf("%s.__match_args__ must be a tuple (got %s)", c.Name, value.TypeName(t, f.Value)))
			case !ok && selfMatching(c):
				if s.npos > 1 {
					return value.Raise(value.TypeErrorf("%s() accepts 1 positional sub-pattern (%d given)", c.Name, s.npos))
				}
				s.vals = append(s.vals, s.subject)
			case s.npos > len(args):
				plural := "s"
				if len(args) == 1 {
					plural = ""
				}
				return value.Raise(value.TypeErrorf("%s() accepts %d positional sub-pattern%s (%d given)", c.Name, len(args), plural, s.npos))
			default:
				for _, a := range args[:s.npos] {
					name, ok := value.FromStarlark(a).AsString()
					if !ok {
						return value.Raise(value.TypeErrorf("__match_args__ elements must be strings (got %s)", value.TypeName(t, value.FromStarlark(a))))
					}
					pos = append(pos, name)
				}
			}
			s.names = append(pos, s.names...)
		}
	default:
		if r, ok := err.(*value.Raised); ok && r.Class.IsSubclass(value.ExcAttributeError) {
			return value.Return(value.None)
		}
		if err != nil {
			return value.Raise(err)
		}
		s.vals = append(s.vals, in)
	}
	for len(s.names) > 0 {
		name := s.names[0]
		s.names = s.names[1:]
		v, err := value.GetAttr(t, s.subject, name)
		if r, ok := err.(*value.Raised); ok && r.Class.IsSubclass(value.ExcAttributeError) {
			return value.Return(value.None)
		}
		if err != nil {
			return value.Raise(err)
		}
		s.vals = append(s.vals, v)
	}
	return value.Return(tupleOf(s.vals))
}

func (s *classMatch) Roots(visit func(*value.Value)) {
	visit(&s.subject)
	visit(&s.class)
	for i := range s.vals {
		visit(&s.vals[i])
	}
}
