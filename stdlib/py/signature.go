package py

import (
	"math"
	"strings"

	"github.com/larkspur-ml/larkspur/lang/value"
	"go.starlark.net/starlark"
)

// Short names for what every file here uses.
type (
	thread = value.Thread
	val    = value.Value
)

// impl is the code behind a function with a signature: a has a value for each
// parameter, unset where an optional one was not given.
type impl func(t *thread, a []val) (val, error)

type paramKind uint8

const (
	positional paramKind = iota // before the slash
	either
	keyword  // behind the star
	variadic // *args: a tuple
)

type param struct {
	name     string
	kind     paramKind
	optional bool
}

// parseSig reads "name(a, b=None, /, c=0, *, d=1)". Defaults are for readers:
// the code sees an unset value.
func parseSig(sig string) (name, text string, params []param) {
	open := strings.IndexByte(sig, '(')
	name, text = sig[:open], sig[open:]
	kind := either
	for _, p := range strings.Split(strings.Trim(text, "()"), ",") {
		p = strings.TrimSpace(p)
		switch {
		case p == "":
		case p == "/":
			for i := range params {
				params[i].kind = positional
			}
		case p == "*":
			kind = keyword
		case p[0] == '*':
			params = append(params, param{p[1:], variadic, true})
			kind = keyword
		default:
			n, _, opt := strings.Cut(p, "=")
			params = append(params, param{strings.TrimSpace(n), kind, opt})
		}
	}
	return name, text, params
}

// fn makes a builtin function of a signature.
func fn(sig string, f impl) *value.Builtin {
	name, text, params := parseSig(sig)
	return &value.Builtin{Name: name, Sig: text, WantsKw: true, Max: -1, Fn: func(t *thread, args []val, kw []value.Kwarg) (val, error) {
		return bind(t, name, params, args, kw, f)
	}}
}

// method makes a method: a[0] is the receiver, which the signature leaves out.
func method(sig string, f impl) *value.Builtin {
	open := strings.IndexByte(sig, '(') + 1
	return fn(sig[:open]+"self, /, "+sig[open:], f)
}

// bind gives each parameter its argument and runs f.
func bind(t *thread, name string, params []param, args []val, kw []value.Kwarg, f impl) (val, error) {
	places := 0 // that positional arguments fill
	rest := -1  // index of *args
	for i := range params {
		switch params[i].kind {
		case positional, either:
			places++
		case variadic:
			rest = i
		}
	}
	if len(kw) == 0 && rest < 0 && len(args) == len(params) && places == len(params) {
		return f(t, args)
	}
	var room [8]val
	out := room[:0]
	if len(params) > len(room) {
		out = make([]val, 0, len(params))
	}
	out = out[:len(params)]
	n := min(len(args), places)
	copy(out, args[:n])
	if len(args) > places && rest < 0 {
		return val{}, tooMany(name, params, places, len(args))
	}
	if rest >= 0 {
		out[rest] = value.Tuple(args[n:]...)
	}
next:
	for _, k := range kw {
		for i := range params {
			if p := &params[i]; p.name == k.Name && p.kind != positional && p.kind != variadic {
				if !out[i].IsUnset() {
					return val{}, value.TypeErrorf("argument for %s() given by name ('%s') and position (%d)", name, k.Name, i+1)
				}
				out[i] = k.Value
				continue next
			}
		}
		return val{}, value.TypeErrorf("'%s' is an invalid keyword argument for %s()", k.Name, name)
	}
	for i := range params {
		if out[i].IsUnset() && !params[i].optional {
			return val{}, missing(name, params, i, len(args))
		}
	}
	return f(t, out)
}

func tooMany(name string, params []param, places, given int) error {
	least := 0
	for _, p := range params {
		if !p.optional && p.kind <= either {
			least++
		}
	}
	if places > 0 && params[0].name == "self" {
		places, given, least = places-1, given-1, least-1
	}
	switch {
	case places == 0:
		return value.TypeErrorf("%s() takes no arguments (%d given)", name, given)
	case places == 1 && least == 1:
		return value.TypeErrorf("%s() takes exactly one argument (%d given)", name, given)
	case least == places:
		return value.TypeErrorf("%s expected %d arguments, got %d", name, places, given)
	}
	return value.TypeErrorf("%s expected at most %d argument%s, got %d", name, places, plural(places), given)
}

func missing(name string, params []param, i, given int) error {
	if params[i].kind != positional {
		if params[i].kind == keyword {
			return value.TypeErrorf("%s() missing required keyword-only argument: '%s'", name, params[i].name)
		}
		return value.TypeErrorf("%s() missing required argument '%s' (pos %d)", name, params[i].name, i+1)
	}
	least, most := 0, 0
	for _, p := range params {
		if p.kind <= either {
			most++
			if !p.optional {
				least++
			}
		}
	}
	if params[0].name == "self" {
		least, most, given = least-1, most-1, given-1
	}
	switch {
	case least == 1 && most == 1:
		return value.TypeErrorf("%s() takes exactly one argument (%d given)", name, given)
	case least == most:
		return value.TypeErrorf("%s expected %d arguments, got %d", name, least, given)
	}
	return value.TypeErrorf("%s expected at least %d argument%s, got %d", name, least, plural(least), given)
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// put adds functions to a module.
func put(m *value.Module, fns ...*value.Builtin) {
	for _, b := range fns {
		m.Set(b.Name, b.Value())
	}
}

// pure marks functions of their arguments alone.
func pure(fns ...*value.Builtin) []*value.Builtin {
	for _, b := range fns {
		b.Pure = true
	}
	return fns
}

// given reports whether an optional argument is there and is not None.
func given(v val) bool { return !v.IsUnset() && !v.IsNone() }

func typeName(v val) string { return value.TypeOf(v).Name }

// asInt is an argument that must be an int, within int64.
func asInt(t *thread, v val) (int64, error) {
	i, ok, err := value.AsIndex(t, v)
	if err == nil && !ok {
		err = value.TypeErrorf("'%s' object cannot be interpreted as an integer", typeName(v))
	}
	return i, err
}

func intOr(t *thread, v val, def int64) (int64, error) {
	if v.IsUnset() {
		return def, nil
	}
	return asInt(t, v)
}

// asStr is an argument that must be a str; subclasses count.
func asStr(fnName string, v val) (string, error) {
	s, ok := value.Payload(v).AsString()
	if !ok {
		return "", value.TypeErrorf("%s() argument must be str, not %s", fnName, typeName(v))
	}
	return s, nil
}

func strOr(fnName string, v val, def string) (string, error) {
	if v.IsUnset() || v.IsNone() {
		return def, nil
	}
	return asStr(fnName, v)
}

// boolOr is the truth of an optional argument of a built-in type.
func boolOr(t *thread, v val, def bool) (bool, error) {
	if v.IsUnset() {
		return def, nil
	}
	return value.Truth(t, v)
}

// asBytes is the contents of bytes or of an object with a buffer.
func asBytes(v val) ([]byte, bool) {
	switch o := value.Payload(v); {
	case o.Is(value.ItabBytes):
		b, _ := value.As[starlark.Bytes](o)
		return []byte(b), true
	default:
		if b, ok := value.As[interface{ Bytes() []byte }](o); ok {
			return b.Bytes(), true
		}
		if in := v.AsInstance(); in != nil {
			if b, ok := in.Native.(interface{ Bytes() []byte }); ok {
				return b.Bytes(), true
			}
		}
	}
	return nil, false
}

func wantBytes(v val) ([]byte, error) {
	b, ok := asBytes(v)
	if !ok {
		return nil, value.TypeErrorf("a bytes-like object is required, not '%s'", typeName(v))
	}
	return b, nil
}

// elems is the elements of a list or tuple (or of an instance of a subclass).
func elems(v val) ([]val, bool) {
	p := value.Payload(v)
	if l := p.AsList(); l != nil {
		return l.Elems, true
	}
	if tup, ok := p.AsTuple(); ok {
		out := make([]val, len(tup))
		for i, e := range tup {
			out[i] = value.FromStarlark(e)
		}
		return out, true
	}
	return nil, false
}

// native is the Go state behind an instance.
func native[T any](v val) (x T, ok bool) {
	if in := v.AsInstance(); in != nil {
		x, ok = in.Native.(T)
	}
	return x, ok
}

// object makes an instance with Go state.
func object(c *value.Class, state any) val {
	in := value.NewInstance(c)
	in.Native = state
	return in.Value()
}

// getter defines a read-only attribute of a class.
func getter(c *value.Class, name string, get func(t *thread, self val) (val, error)) {
	p := &value.Property{Name: name}
	p.Get = (&value.Builtin{Name: name, Fn: func(t *thread, args []val, _ []value.Kwarg) (val, error) {
		return get(t, args[0])
	}}).Value()
	c.SetRaw(name, p.Value())
}

// floatInt is the int nearest to zero of a whole float.
func floatInt(f float64) val {
	if f >= -(1<<62) && f <= 1<<62 {
		return value.Int(int64(f))
	}
	return value.BigInt(bigOf(f))
}

func isWhole(f float64) bool { return f == math.Trunc(f) }

// gather returns the items of an iterable: at once where that takes no language
// code, else nil and a *NeedCall that ends with then's result.
func gather(t *thread, it val, then func(t *thread, items []val) (val, error)) (val, error) {
	if items, ok := elems(it); ok && !customIter(it) {
		return then(t, items)
	}
	return val{}, t.Run(&gatherStep{of: it, then: then})
}

func customIter(v val) bool {
	in := v.AsInstance()
	if in == nil {
		return false
	}
	f, ok := in.Class().Find("__iter__")
	return ok && !f.Value.Is(value.ItabBuiltin)
}

type gatherStep struct {
	of, it val
	items  []val
	then   func(t *thread, items []val) (val, error)
	stage  int
}

func (s *gatherStep) Roots(visit func(*val)) {
	visit(&s.of)
	visit(&s.it)
	for i := range s.items {
		visit(&s.items[i])
	}
}

func (s *gatherStep) Step(t *thread, in val, err error) value.Action {
	if err != nil {
		return value.Raise(err)
	}
	switch s.stage {
	case 0:
		s.stage = 1
		if in, err = value.Iter(t, s.of); err != nil {
			return value.Raise(err)
		}
		fallthrough
	case 1:
		s.it, s.stage = in, 2
	case 2:
		if in.IsUnset() {
			return s.done(t)
		}
		s.items = append(s.items, in)
	case 3:
		return value.Return(in)
	}
	for {
		v, ok, err := value.Next(t, s.it)
		if err != nil {
			return value.Raise(err)
		}
		if !ok {
			return s.done(t)
		}
		s.items = append(s.items, v)
	}
}

func (s *gatherStep) done(t *thread) value.Action {
	s.stage = 3
	v, err := s.then(t, s.items)
	if err != nil {
		return value.Raise(err)
	}
	return value.Return(v)
}
