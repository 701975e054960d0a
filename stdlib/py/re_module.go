package py

import (
	"fmt"
	"strings"

	"github.com/larkspur-ml/larkspur/lang/value"
)

var (
	patternClass = value.NewClass("Pattern", "re")
	matchClass   = value.NewClass("Match", "re")
)

func asPattern(v val) (*rePattern, error) {
	p, ok := native[*rePattern](v)
	if !ok {
		return nil, value.TypeErrorf("a re.Pattern is required, not '%s'", typeName(v))
	}
	return p, nil
}

func wrapMatch(m *reMatch, err error) (val, error) {
	if m == nil || err != nil {
		return value.None, err
	}
	return object(matchClass, m), nil
}

// patternOps are what patterns do, as methods and as functions of the module.
// a is string and further arguments.
var patternOps = []struct {
	name, args string
	f          func(t *thread, p *rePattern, a []val) (val, error)
}{
	{"match", "string, pos=0, endpos=None", findOp(reAnchored)},
	{"fullmatch", "string, pos=0, endpos=None", findOp(reFull)},
	{"search", "string, pos=0, endpos=None", findOp(rePlain)},
	{"findall", "string, pos=0, endpos=None", func(t *thread, p *rePattern, a []val) (val, error) {
		x, err := p.subject(t, a[0], a[1], a[2])
		if err != nil {
			return val{}, err
		}
		out := []val{}
		empty := x.result("")
		err = p.each(x, func(m *reMatch) (bool, error) {
			switch p.groups {
			case 0:
				out = append(out, m.group(0, empty))
			case 1:
				out = append(out, m.group(1, empty))
			default:
				row := make([]val, p.groups)
				for k := range row {
					row[k] = m.group(k+1, empty)
				}
				out = append(out, value.Tuple(row...))
			}
			return true, nil
		})
		return value.NewList(out).Value(), err
	}},
	{"finditer", "string, pos=0, endpos=None", func(t *thread, p *rePattern, a []val) (val, error) {
		x, err := p.subject(t, a[0], a[1], a[2])
		if err != nil {
			return val{}, err
		}
		return object(matchIterClass, &matchIter{p: p, x: x, at: x.start}), nil
	}},
	{"split", "string, maxsplit=0", func(t *thread, p *rePattern, a []val) (val, error) {
		x, err := p.subject(t, a[0], val{}, val{})
		if err != nil {
			return val{}, err
		}
		limit, err := intOr(t, a[1], 0)
		if err != nil {
			return val{}, err
		}
		out, last := []val{}, 0
		var n int64
		err = p.each(x, func(m *reMatch) (bool, error) {
			if limit < 0 || limit > 0 && n >= limit {
				return false, nil
			}
			n++
			out = append(out, x.slice(last, m.spans[0]))
			for k := 1; k <= p.groups; k++ {
				out = append(out, m.group(k, value.None))
			}
			last = m.spans[1]
			return true, nil
		})
		return value.NewList(append(out, x.slice(last, x.end))).Value(), err
	}},
	{"sub", "repl, string, count=0", func(t *thread, p *rePattern, a []val) (val, error) {
		v, err := substitute(t, p, a, false)
		return v, err
	}},
	{"subn", "repl, string, count=0", func(t *thread, p *rePattern, a []val) (val, error) { return substitute(t, p, a, true) }},
}

func findOp(variant int) func(t *thread, p *rePattern, a []val) (val, error) {
	return func(t *thread, p *rePattern, a []val) (val, error) {
		x, err := p.subject(t, a[0], a[1], a[2])
		if err != nil {
			return val{}, err
		}
		return wrapMatch(p.find(x, variant, x.start))
	}
}

// matchIter is the iterator of finditer.
type matchIter struct {
	p       *rePattern
	x       *subject
	at      int
	variant int
	done    bool
}

var matchIterClass = value.NewClass("callable_iterator", "builtins")

func (it *matchIter) next() (val, bool, error) {
	if it.done {
		return val{}, false, nil
	}
	m, err := it.p.find(it.x, it.variant, it.at)
	if m == nil || err != nil {
		it.done = true
		return val{}, false, err
	}
	it.at, it.variant = m.spans[1], rePlain
	if m.spans[0] == m.spans[1] {
		it.variant = reMoving
	}
	return object(matchClass, m), true, nil
}

// substitute replaces matches by a template, or by what a function gives for each.
func substitute(t *thread, p *rePattern, a []val, counted bool) (val, error) {
	x, err := p.subject(t, a[1], val{}, val{})
	if err != nil {
		return val{}, err
	}
	limit, err := intOr(t, a[2], 0)
	if err != nil {
		return val{}, err
	}
	var found []*reMatch
	err = p.each(x, func(m *reMatch) (bool, error) {
		if limit < 0 || limit > 0 && int64(len(found)) >= limit {
			return false, nil
		}
		found = append(found, m)
		return true, nil
	})
	if err != nil {
		return val{}, err
	}
	s := &subStep{x: x, found: found, repl: a[0], counted: counted}
	if value.Callable(a[0]) {
		if len(found) == 0 {
			return s.result(), nil
		}
		return val{}, t.Run(s)
	}
	tm, err := p.template(a[0])
	if err != nil {
		return val{}, err
	}
	for _, m := range found {
		s.upTo(m)
		tm.expand(m, &s.out)
	}
	return s.result(), nil
}

type subStep struct {
	x       *subject
	found   []*reMatch
	repl    val
	out     strings.Builder
	last, i int
	counted bool
	called  bool
}

func (s *subStep) Roots(visit func(*val)) { visit(&s.repl); visit(&s.x.v) }

func (s *subStep) upTo(m *reMatch) {
	s.out.WriteString(s.x.text(s.last, m.spans[0]))
	s.last = m.spans[1]
}

func (s *subStep) result() val {
	s.out.WriteString(s.x.text(s.last, s.x.end))
	v := s.x.result(s.out.String())
	if s.counted {
		return value.Tuple(v, value.Int(int64(len(s.found))))
	}
	return v
}

func (s *subStep) Step(t *thread, in val, err error) value.Action {
	if err != nil {
		return value.Raise(err)
	}
	if s.called {
		p := value.Payload(in)
		if text, ok := p.AsString(); ok && !s.x.bytes {
			s.out.WriteString(text)
		} else if b, ok := asBytes(p); ok && s.x.bytes {
			s.out.Write(b)
		} else if !p.IsNone() {
			return value.Raise(value.TypeErrorf("expected str instance, %s found", typeName(in)))
		}
	}
	if s.i == len(s.found) {
		return value.Return(s.result())
	}
	m := s.found[s.i]
	s.i++
	s.upTo(m)
	s.called = true
	return value.CallOf(s.repl, object(matchClass, m))
}

// groupIndex is a group given by number or name.
func (m *reMatch) groupIndex(t *thread, v val) (int, error) {
	if s, ok := value.Payload(v).AsString(); ok {
		if k, ok := m.p.names[s]; ok {
			return k, nil
		}
		return 0, value.IndexErrorf("no such group")
	}
	if k, ok, err := value.AsIndex(t, v); err == nil && ok && k >= 0 && k <= int64(m.p.groups) {
		return int(k), nil
	} else if err != nil {
		return 0, err
	}
	return 0, value.IndexErrorf("no such group")
}

func init() {
	matchIterClass.Slots = &value.Slots{
		Iter: func(t *thread, x val) (val, error) { return x, nil },
		Next: func(t *thread, x val) (val, bool, error) {
			it, _ := native[*matchIter](x)
			return it.next()
		},
	}
	noNew := func(t *thread, cls *value.Class, args []val, kw []value.Kwarg) (val, error) {
		return val{}, value.TypeErrorf("cannot create 're.%s' instances", cls.Name)
	}
	patternClass.Slots = &value.Slots{
		New: noNew,
		Repr: func(t *thread, x val) (string, error) {
			p, err := asPattern(x)
			if err != nil {
				return "", err
			}
			v, err := value.ReprOf(t, p.source)
			s, _ := v.AsString()
			var names []string
			for _, f := range []struct {
				bit  int
				name string
			}{{reIgnoreCase, "re.IGNORECASE"}, {reMultiLine, "re.MULTILINE"}, {reDotAll, "re.DOTALL"}, {reVerbose, "re.VERBOSE"}, {reASCII, "re.ASCII"}} {
				if p.flags&f.bit != 0 {
					names = append(names, f.name)
				}
			}
			if len(names) > 0 {
				return "re.compile(" + s + ", " + strings.Join(names, "|") + ")", err
			}
			return "re.compile(" + s + ")", err
		},
		Compare: func(t *thread, op value.Cmp, x, y val) (val, error) {
			a, _ := asPattern(x)
			b, ok := native[*rePattern](y)
			if !ok || op != value.Eq && op != value.Ne {
				return value.NotImplemented, nil
			}
			same := a == b || a.text == b.text && a.flags == b.flags && a.bytes == b.bytes
			return value.Bool(same == (op == value.Eq)), nil
		},
		Hash: func(t *thread, x val) (uint64, error) {
			p, err := asPattern(x)
			if err != nil {
				return 0, err
			}
			return value.Hash(t, p.source)
		},
	}
	for _, op := range patternOps {
		patternClass.Def(method(op.name+"("+op.args+")", func(t *thread, a []val) (val, error) {
			p, err := asPattern(a[0])
			if err != nil {
				return val{}, err
			}
			return op.f(t, p, a[1:])
		}))
	}
	attr := func(name string, f func(p *rePattern) val) {
		getter(patternClass, name, func(t *thread, self val) (val, error) {
			p, err := asPattern(self)
			if err != nil {
				return val{}, err
			}
			return f(p), nil
		})
	}
	attr("pattern", func(p *rePattern) val { return p.source })
	attr("flags", func(p *rePattern) val { return value.Int(int64(p.flags)) })
	attr("groups", func(p *rePattern) val { return value.Int(int64(p.groups)) })
	attr("groupindex", func(p *rePattern) val {
		d := value.NewDict(len(p.order))
		for _, n := range p.order {
			d.SetStr(n, value.Int(int64(p.names[n])))
		}
		return d.Value()
	})
	initMatch(noNew)
}

func initMatch(noNew func(t *thread, cls *value.Class, args []val, kw []value.Kwarg) (val, error)) {
	asMatch := func(v val) (*reMatch, error) {
		m, ok := native[*reMatch](v)
		if !ok {
			return nil, value.TypeErrorf("a re.Match is required, not '%s'", typeName(v))
		}
		return m, nil
	}
	matchClass.Slots = &value.Slots{
		New: noNew,
		Repr: func(t *thread, x val) (string, error) {
			m, err := asMatch(x)
			if err != nil {
				return "", err
			}
			v, err := value.ReprOf(t, m.group(0, value.None))
			s, _ := v.AsString()
			return fmt.Sprintf("<re.Match object; span=(%d, %d), match=%s>", m.spans[0], m.spans[1], s), err
		},
		GetItem: func(t *thread, x, k val) (val, error) {
			m, err := asMatch(x)
			if err != nil {
				return val{}, err
			}
			i, err := m.groupIndex(t, k)
			if err != nil {
				return val{}, err
			}
			return m.group(i, value.None), nil
		},
		Truth: func(t *thread, x val) (bool, error) { return true, nil },
	}
	on := func(sig string, f func(t *thread, m *reMatch, a []val) (val, error)) *value.Builtin {
		return method(sig, func(t *thread, a []val) (val, error) {
			m, err := asMatch(a[0])
			if err != nil {
				return val{}, err
			}
			return f(t, m, a[1:])
		})
	}
	place := func(name string, f func(a, b int) val) *value.Builtin {
		return on(name+"(group=0, /)", func(t *thread, m *reMatch, a []val) (val, error) {
			k := 0
			if !a[0].IsUnset() {
				var err error
				if k, err = m.groupIndex(t, a[0]); err != nil {
					return val{}, err
				}
			}
			return f(m.spans[2*k], m.spans[2*k+1]), nil
		})
	}
	orNone := func(v val) val {
		if v.IsUnset() {
			return value.None
		}
		return v
	}
	matchClass.Def(
		on("group(*groups)", func(t *thread, m *reMatch, a []val) (val, error) {
			items, _ := elems(a[0])
			if len(items) == 0 {
				return m.group(0, value.None), nil
			}
			out := make([]val, len(items))
			for i, v := range items {
				k, err := m.groupIndex(t, v)
				if err != nil {
					return val{}, err
				}
				out[i] = m.group(k, value.None)
			}
			if len(out) == 1 {
				return out[0], nil
			}
			return value.Tuple(out...), nil
		}),
		on("groups(default=None)", func(t *thread, m *reMatch, a []val) (val, error) {
			out := make([]val, m.p.groups)
			for k := range out {
				out[k] = m.group(k+1, orNone(a[0]))
			}
			return value.Tuple(out...), nil
		}),
		on("groupdict(default=None)", func(t *thread, m *reMatch, a []val) (val, error) {
			d := value.NewDict(len(m.p.order))
			for _, n := range m.p.order {
				d.SetStr(n, m.group(m.p.names[n], orNone(a[0])))
			}
			return d.Value(), nil
		}),
		place("start", func(a, b int) val { return value.Int(int64(a)) }),
		place("end", func(a, b int) val { return value.Int(int64(b)) }),
		place("span", func(a, b int) val { return value.Tuple(value.Int(int64(a)), value.Int(int64(b))) }),
		on("expand(template)", func(t *thread, m *reMatch, a []val) (val, error) {
			tm, err := m.p.template(a[0])
			if err != nil {
				return val{}, err
			}
			var b strings.Builder
			tm.expand(m, &b)
			return m.x.result(b.String()), nil
		}),
	)
	attr := func(name string, f func(m *reMatch) val) {
		getter(matchClass, name, func(t *thread, self val) (val, error) {
			m, err := asMatch(self)
			if err != nil {
				return val{}, err
			}
			return f(m), nil
		})
	}
	attr("string", func(m *reMatch) val { return m.x.v })
	attr("re", func(m *reMatch) val { return object(patternClass, m.p) })
	attr("pos", func(m *reMatch) val { return value.Int(int64(m.x.start)) })
	attr("endpos", func(m *reMatch) val { return value.Int(int64(m.x.end)) })
	attr("lastindex", func(m *reMatch) val {
		if k := m.lastIndex(); k > 0 {
			return value.Int(int64(k))
		}
		return value.None
	})
	attr("lastgroup", func(m *reMatch) val {
		if k := m.lastIndex(); k > 0 {
			for n, i := range m.p.names {
				if i == k {
					return value.Str(n)
				}
			}
		}
		return value.None
	})
	attr("regs", func(m *reMatch) val {
		out := make([]val, m.p.groups+1)
		for k := range out {
			out[k] = value.Tuple(value.Int(int64(m.spans[2*k])), value.Int(int64(m.spans[2*k+1])))
		}
		return value.Tuple(out...)
	})
}

func reModule() *value.Module {
	m := value.NewModule("re")
	m.Doc = "Regular expressions."
	cache := &patternCache{}
	compile := func(t *thread, source, flags val) (*rePattern, error) {
		f, err := intOr(t, flags, 0)
		if err != nil {
			return nil, err
		}
		if p, ok := native[*rePattern](source); ok {
			if f != 0 {
				return nil, value.ValueErrorf("cannot process flags argument with a compiled pattern")
			}
			return p, nil
		}
		return cache.compile(source, int(f))
	}
	for _, op := range patternOps {
		args := strings.Replace(op.args, ", pos=0, endpos=None", "", 1)
		n := strings.Count(args, ",") + 1
		put(m, fn(op.name+"(pattern, "+args+", flags=0)", func(t *thread, a []val) (val, error) {
			p, err := compile(t, a[0], a[n+1])
			if err != nil {
				return val{}, err
			}
			return op.f(t, p, append(append([]val(nil), a[1:n+1]...), val{}, val{}))
		}))
	}
	put(m,
		fn("compile(pattern, flags=0)", func(t *thread, a []val) (val, error) {
			p, err := compile(t, a[0], a[1])
			if err != nil {
				return val{}, err
			}
			if _, ok := native[*rePattern](a[0]); ok {
				return a[0], nil
			}
			return object(patternClass, p), nil
		}),
		fn("escape(pattern)", func(t *thread, a []val) (val, error) {
			s, ok := value.Payload(a[0]).AsString()
			b, isBytes := asBytes(a[0])
			if !ok && !isBytes {
				return val{}, value.TypeErrorf("decoding to str: need a bytes-like object, %s found", typeName(a[0]))
			}
			if isBytes {
				s = string(b)
			}
			var out strings.Builder
			for i := range len(s) {
				if strings.IndexByte("()[]{}?*+-|^$\\.&~# \t\n\r\v\f", s[i]) >= 0 {
					out.WriteByte('\\')
				}
				out.WriteByte(s[i])
			}
			if isBytes {
				return value.BytesOf([]byte(out.String())), nil
			}
			return value.Str(out.String()), nil
		}),
		fn("purge()", func(t *thread, a []val) (val, error) {
			cache.mu.Lock()
			cache.byID = nil
			cache.mu.Unlock()
			return value.None, nil
		}),
	)
	for n, f := range map[string]int{"I": reIgnoreCase, "IGNORECASE": reIgnoreCase, "M": reMultiLine, "MULTILINE": reMultiLine, "S": reDotAll, "DOTALL": reDotAll,
		"X": reVerbose, "VERBOSE": reVerbose, "A": reASCII, "ASCII": reASCII, "U": reUnicode, "UNICODE": reUnicode, "L": reLocale, "LOCALE": reLocale,
		"DEBUG": reDebug, "NOFLAG": 0} {
		m.Set(n, value.Int(int64(f)))
	}
	m.Set("error", reError.Value())
	m.Set("Pattern", patternClass.Value())
	m.Set("Match", matchClass.Value())
	return m
}
