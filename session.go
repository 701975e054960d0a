package larkspur

import (
	"context"
	"io"
	"os"
	"slices"
	"sort"
	"strings"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/lang/syntax"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// A Session is what stands behind a prompt: a module in which one input after
// another runs. The value of an expression statement is shown, and kept as "_".
type Session struct {
	rt *Runtime
	m  *value.Module
	// shown is where values appear.
	shown io.Writer
}

// NewSession makes an empty session. Modules are imported from the working directory.
func (rt *Runtime) NewSession() *Session {
	m := value.NewModule("__main__")
	m.Set("__name__", value.Str("__main__"))
	m.Set("__package__", value.Str(""))
	if dir, err := os.Getwd(); err == nil {
		rt.imports.setSource(m, dirSource(dir))
	}
	rt.addModule("__main__", m)
	s := &Session{rt: rt, m: m, shown: rt.opts.Stdout}
	if s.shown == nil {
		s.shown = io.Discard
	}
	return s
}

func (s *Session) syntaxOptions() syntax.Options {
	o := syntax.Options{}
	if s.rt.opts.Dialect == Starlark {
		o.Dialect = syntax.Starlark
	}
	return o
}

// NeedsMore reports whether the input is unfinished: it ends inside a block, a
// bracket or a string, or within a compound statement that no blank line ends.
func (s *Session) NeedsMore(src string) bool { return syntax.NeedsMore(src, s.syntaxOptions()) }

// Run runs one input. name stands for it in tracebacks.
func (s *Session) Run(ctx context.Context, name, src string) error {
	return s.rt.on(ctx, func(th *vm.Thread) error {
		th.Display = s.display
		defer func() { th.Display = nil }()
		if !strings.HasSuffix(src, "\n") {
			src += "\n"
		}
		prog, err := s.rt.compile(name, src, bytecode.SingleMode)
		if err == nil {
			_, err = th.Exec(prog, s.m)
		}
		if err != nil {
			s.keepLast(th, err)
		}
		return err
	})
}

// keepLast leaves the exception that an input ended with where traceback.print_last
// and debuggers look for it: in sys.last_type, last_value and last_traceback.
func (s *Session) keepLast(th *vm.Thread, err error) {
	r := value.AsRaised(th.Stopped(err))
	if r.Class.IsSubclass(value.ExcSystemExit) || s.dialect() == value.Strict {
		return
	}
	sys, err := s.rt.imports.Import(th, "sys", 0, nil)
	if err != nil {
		return // the host took the module out
	}
	sys.Set("last_type", r.Class.Value())
	sys.Set("last_value", r.Value())
	tb, _ := value.GetAttr(&th.Thread, r.Value(), "__traceback__")
	sys.Set("last_traceback", tb)
}

// display shows a value as Python's prompt does.
func (s *Session) display(t *vm.Thread, v value.Value) error {
	if v.IsNone() {
		return nil
	}
	text, err := t.Do(value.ReprOf(&t.Thread, v))
	if err != nil {
		return err
	}
	str, _ := text.AsString()
	s.m.Set("_", v)
	_, err = io.WriteString(s.shown, str+"\n")
	return err
}

// Complete lists, sorted, what the last word of line can be completed to: names
// of the session and of the language, or attributes of what stands before the
// last dot. It reads attributes that are stored; it runs no code of the program.
func (s *Session) Complete(line string) (word string, candidates []string) {
	i := len(line)
	for i > 0 && isWord(line[i-1]) {
		i--
	}
	expr := line[i:]
	dot := strings.LastIndexByte(expr, '.')
	word = expr[dot+1:]
	seen := map[string]bool{}
	add := func(n string) {
		if strings.HasPrefix(n, word) && (word != "" || !strings.HasPrefix(n, "_")) && !seen[n] {
			seen[n] = true
			candidates = append(candidates, n)
		}
	}
	s.rt.mu.Lock()
	defer s.rt.mu.Unlock()
	if dot >= 0 {
		v, ok := s.path(strings.Split(expr[:dot], "."))
		if !ok {
			return word, nil
		}
		for _, n := range value.Dir(&s.rt.main.Thread, v) {
			add(n)
		}
	} else {
		for _, n := range s.m.Names() {
			add(n)
		}
		for n := range value.Universe(s.dialect()) {
			add(n)
		}
		for n := range s.rt.machine.Predeclared {
			add(n)
		}
		for _, n := range syntax.Keywords(s.syntaxOptions()) {
			add(n)
		}
	}
	sort.Strings(candidates)
	return word, slices.Compact(candidates)
}

func isWord(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func (s *Session) dialect() value.Dialect {
	if s.rt.opts.Dialect == Starlark {
		return value.Strict
	}
	return value.Model
}

// path follows stored attributes from a name.
func (s *Session) path(parts []string) (value.Value, bool) {
	v, ok := s.m.Get(parts[0])
	if !ok {
		if v, ok = value.Universe(s.dialect())[parts[0]]; !ok {
			return v, false
		}
	}
	for _, p := range parts[1:] {
		next, err := value.GetAttr(&s.rt.main.Thread, v, p)
		if err != nil { // absent, or it takes code to tell
			return value.Value{}, false
		}
		v = next
	}
	return v, true
}
