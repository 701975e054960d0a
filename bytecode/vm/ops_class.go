package vm

import (
	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/value"
	"go.starlark.net/starlark"
)

// classBuild is a class statement under way, as a stepper:
//
//	bases' __mro_entries__ ▶ metaclass's __prepare__ ▶ body ▶ BuildClass ▶ __class__ cell
type classBuild struct {
	name  string
	body  *Function
	bases []value.Value
	kw    []value.Kwarg
	ns    value.Value
	cell  *value.Cell
	state classState
}

type classState uint8

const (
	classStart classState = iota
	classPrepared
	classBody
	classBuilt
)

func buildClass(th *Thread, fr *frame, ins uint64) error {
	w := fr.window(uint64(uint16(ins>>16)), 4)
	s := &classBuild{}
	s.name, _ = w[1].AsString()
	if !w[0].Is(ItabFunction) || (*Function)(w[0].P).p.info.Kind != bytecode.ClassCode || w[2].AsList() == nil {
		return value.Errorf(value.ExcSystemError, "CLASS without a class body")
	}
	s.body = (*Function)(w[0].P)
	s.bases = append(s.bases, w[2].AsList().Elems...)
	if d := w[3].AsDict(); d != nil {
		for i := 0; ; {
			k, v, next, ok := d.Next(i)
			if !ok {
				break
			}
			name, _ := k.AsString()
			s.kw = append(s.kw, value.Kwarg{Name: name, Value: v})
			i = next
		}
	}
	return th.failed(&value.NeedCall{Then: s})
}

func (s *classBuild) Step(t *value.Thread, in value.Value, err error) value.Action {
	if err != nil {
		return value.Raise(err)
	}
	th := ThreadOf(t)
	switch s.state {
	case classStart:
		s.state = classPrepared
		if prepare, ok := s.prepare(t); ok {
			bases := tupleOf(s.bases)
			return value.Action{Kind: value.ActCall, Call: &value.NeedCall{
				Fn: prepare, Args: []value.Value{value.Str(s.name), bases}, Kw: s.keywords()}}
		}
		in = value.NewDict(8).Value()
		fallthrough
	case classPrepared:
		s.state = classBody
		s.ns = in
		return value.CallOf(value.FromStarlark(&bodyCall{th, s}))
	case classBody:
		s.state = classBuilt
		if in.Is(value.ItabCell) {
			s.cell = (*value.Cell)(in.P)
		}
		ns := s.ns.AsDict()
		if ns == nil {
			ns = value.Payload(s.ns).AsDict()
		}
		if ns == nil {
			return value.Raise(value.TypeErrorf("__prepare__() must return a mapping, not %s", value.TypeName(t, s.ns)))
		}
		v, err := value.BuildClass(t, s.name, s.bases, ns, s.kw)
		if err != nil {
			return value.Raise(err)
		}
		in = v
	}
	if s.cell != nil && s.cell.V.IsUnset() {
		s.cell.V = in
	}
	return value.Return(in)
}

func (s *classBuild) keywords() []value.Kwarg {
	var kw []value.Kwarg
	for _, k := range s.kw {
		if k.Name != "metaclass" {
			kw = append(kw, k)
		}
	}
	return kw
}

// prepare finds the __prepare__ of a metaclass that has its own.
func (s *classBuild) prepare(t *value.Thread) (value.Value, bool) {
	var meta *value.Class
	for _, k := range s.kw {
		if k.Name == "metaclass" {
			meta = k.Value.AsClass()
		}
	}
	for _, b := range s.bases {
		if c := b.AsClass(); c != nil && meta == nil && c.Meta != nil {
			meta = c.Meta
		}
	}
	if meta == nil || meta == value.TypeClass {
		return value.Value{}, false
	}
	if f, ok := meta.Find("__prepare__"); !ok || f.Owner == value.TypeClass || f.Owner == value.ObjectClass {
		return value.Value{}, false
	}
	v, err := value.GetAttr(t, meta.Value(), "__prepare__")
	return v, err == nil
}

func (s *classBuild) Roots(visit func(*value.Value)) {
	for i := range s.bases {
		visit(&s.bases[i])
	}
	for i := range s.kw {
		visit(&s.kw[i].Value)
	}
	visit(&s.ns)
}

// bodyCall is the call of a class body with its namespace, as a callable that
// only the machine knows.
type bodyCall struct {
	th *Thread
	s  *classBuild
}

func (b *bodyCall) String() string        { return "class body" }
func (b *bodyCall) Type() string          { return "class body" }
func (b *bodyCall) Freeze()               {}
func (b *bodyCall) Truth() starlark.Bool  { return true }
func (b *bodyCall) Hash() (uint32, error) { return 0, nil }

var itabBodyCall = value.ItabOf((*bodyCall)(nil))

// startBody pushes the frame of a class body; its namespace is register 0.
func (th *Thread) startBody(s *classBuild) (v value.Value, pushed bool, err error) {
	p := s.body.p
	R, fresh := th.room(th.fr.top, p.frame)
	if err := th.pushFunction(s.body, R, fresh, slowReturn); err != nil {
		return value.Value{}, false, err
	}
	*(*value.Value)(R) = s.ns
	return value.Value{}, true, nil
}
