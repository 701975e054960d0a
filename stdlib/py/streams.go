package py

import (
	"strings"
	"unicode/utf8"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// openStreams makes sys.stdin, sys.stdout and sys.stderr. What is written to
// stdout goes where print writes.
func (l *Library) openStreams() {
	tty := l.host.Terminal() > 0
	std := func(name, mode string) *file {
		return &file{name: value.Str(name), mode: mode, text: true, codec: textCodec{encoding: "utf-8", errors: "strict"}}
	}
	out := std("<stdout>", "w")
	out.writable, out.tty = true, isTerminal(l.host.Stdout())
	out.out = func(t *thread, b []byte) error {
		if t.Observer != nil {
			t.Observer.Printed(value.Str(string(b)))
		}
		t.WriteOut(string(b))
		return nil
	}
	errs := std("<stderr>", "w")
	errs.writable, errs.tty = true, tty
	errs.codec.errors = "backslashreplace"
	errs.out = func(t *thread, b []byte) error {
		if w := l.host.Stderr(); w != nil {
			w.Write(b)
		}
		return nil
	}
	in := std("<stdin>", "r")
	in.readable = true
	in.raw = stream{strings.NewReader("")}
	if r := l.host.Stdin(); r != nil {
		in.raw = &keyboard{stream: stream{r}}
		in.tty = isTerminal(r)
	}
	l.stdout, l.stderr, l.stdin = object(textWrapper, out), object(textWrapper, errs), object(textWrapper, in)
}

// isTerminal reports whether a stream is a terminal: of the streams that a host
// gives only those of the operating system can be.
func isTerminal(s any) bool {
	f, ok := s.(interface{ Fd() uintptr })
	return ok && terminalFd(int(f.Fd()))
}

// inputFn is the builtin input.
func (l *Library) inputFn() *value.Builtin {
	return fn("input(prompt='', /)", func(t *thread, a []val) (val, error) {
		if a[0].IsUnset() {
			return l.readInput(t, "")
		}
		text, err := value.StrOf(t, a[0])
		if nc, ok := err.(*value.NeedCall); ok {
			first := *nc
			return val{}, t.Run(&thenStep{first: &first, then: func(t *thread, in val) (val, error) {
				s, _ := in.AsString()
				return l.readInput(t, s)
			}})
		}
		if err != nil {
			return val{}, err
		}
		s, _ := text.AsString()
		return l.readInput(t, s)
	})
}

func (l *Library) readInput(t *thread, prompt string) (val, error) {
	l.start()
	if prompt != "" {
		t.WriteOut(prompt)
	}
	if t.Stdin == nil && l.host.Stdin() == nil {
		return val{}, value.RuntimeErrorf("input(): lost sys.stdin")
	}
	f, _ := fileOf(l.stdin)
	if err := f.mayRead(); err != nil {
		return val{}, err
	}
	f.forThread(t)
	line, err := f.readLine(-1)
	if err != nil {
		return val{}, err
	}
	if len(line) == 0 {
		return val{}, value.Errorf(value.ExcEOFError, "EOF when reading a line")
	}
	s := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
	if !utf8.ValidString(s) {
		return f.result([]byte(s))
	}
	return value.Str(s), nil
}

// printFn is print: without file= it writes to what sys.stdout is at the time.
func (l *Library) printFn() *value.Builtin {
	plain, _ := value.As[*value.Builtin](value.Universe(value.Model)["print"])
	b := *plain
	b.Start, b.Symbols = nil, true
	b.Fn = func(t *thread, args []val, kw []value.Kwarg) (val, error) {
		if m := l.sys.Load(); m != nil {
			out, ok := m.Get("stdout")
			if ok && t.Observer != nil {
				out = t.Observer.Read(m.Value(), value.StepGlobal, value.Str("stdout"), out)
			}
			if ok && out != l.stdout && !out.IsNone() {
				has := false
				for _, k := range kw {
					has = has || k.Name == "file" && !k.Value.IsNone()
				}
				if !has {
					kw = append(append([]value.Kwarg(nil), kw...), value.Kwarg{Name: "file", Value: out})
				}
			}
		}
		return plain.Call(t, args, kw)
	}
	return &b
}

// thenStep carries out a call and goes on with its result.
type thenStep struct {
	first *value.NeedCall
	then  func(t *thread, in val) (val, error)
	stage int
}

func (s *thenStep) Step(t *thread, in val, err error) value.Action {
	if err != nil {
		return value.Raise(err)
	}
	switch s.stage {
	case 0:
		s.stage = 1
		return value.Action{Kind: value.ActCall, Call: s.first}
	case 1:
		s.stage = 2
		v, err := s.then(t, in)
		if err != nil {
			return value.Raise(err)
		}
		return value.Return(v)
	}
	return value.Return(in)
}

// after runs then on the result of an operation, at once or when the machine
// has carried out the language code that the operation needs.
func after(t *thread, v val, err error, then func(t *thread, in val) (val, error)) (val, error) {
	if nc, ok := err.(*value.NeedCall); ok {
		first := *nc
		return val{}, t.Run(&thenStep{first: &first, then: then})
	}
	if err != nil {
		return val{}, err
	}
	return then(t, v)
}
