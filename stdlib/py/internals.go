package py

import (
	"strings"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// types.MethodType can be called: it binds a function to an object.
func init() {
	value.MethodClass.Slots = &value.Slots{New: func(t *thread, cls *value.Class, args []val, kw []value.Kwarg) (val, error) {
		if len(args) != 2 || len(kw) > 0 {
			return val{}, value.TypeErrorf("method expected 2 arguments, got %d", len(args))
		}
		if !value.Callable(args[0]) {
			return val{}, value.TypeErrorf("first argument must be callable")
		}
		if args[1].IsNone() {
			return val{}, value.TypeErrorf("self must not be None")
		}
		return (&value.BoundMethod{Fn: args[0], Self: args[1]}).Value(), nil
	}}
}

// internals makes _larkspur: what the .star files need of the interpreter and
// cannot say in the language.
func (l *Library) internals() *value.Module {
	m := value.NewModule("_larkspur")
	put(m,
		// set_metaclass gives a class another metaclass, a subclass of its own.
		fn("set_metaclass(cls, meta, /)", func(t *thread, a []val) (val, error) {
			c, meta := a[0].AsClass(), a[1].AsClass()
			if c == nil || meta == nil || !meta.IsSubclass(c.MetaClass()) {
				return val{}, value.TypeErrorf("set_metaclass() needs a class and a subclass of its metaclass")
			}
			c.Meta = meta
			if v, ok := c.Own("__doc__"); ok { // counts as a change of the class
				c.SetRaw("__doc__", v)
			} else {
				c.SetRaw("__doc__", value.None)
			}
			return value.None, nil
		}),
		// count_abstract counts the abstract methods of a class anew.
		fn("count_abstract(cls, /)", func(t *thread, a []val) (val, error) {
			if c := a[0].AsClass(); c != nil {
				c.CountAbstract()
			}
			return value.None, nil
		}),
		// write_stderr writes to standard error whatever sys.stderr is.
		fn("write_stderr(text, /)", func(t *thread, a []val) (val, error) {
			s, err := asStr("write_stderr", a[0])
			if err == nil {
				if w := l.host.Stderr(); w != nil {
					_, err = w.Write([]byte(s))
				}
			}
			return value.None, err
		}),
		// where is the chain of frames, innermost last: (file, line, function).
		fn("where()", func(t *thread, a []val) (val, error) {
			var out []val
			if t.Machine != nil {
				for _, e := range t.Machine.Where() {
					out = append(out, value.Tuple(value.Str(e.File), value.Int(int64(e.Line)), value.Str(e.Func)))
				}
			}
			return value.NewList(out).Value(), nil
		}),
		// trace is the traceback of an exception, or the rows of a traceback object, outermost frame first:
		// (file, line, column, end line, end column, function).
		fn("trace(exc, /)", func(t *thread, a []val) (val, error) {
			var entries []value.Entry
			if tb, ok := value.As[*value.Traceback](a[0]); ok {
				entries = tb.Entries
			} else if r := value.RaisedOf(a[0]); r != nil {
				entries = r.Trace()
			} else if !a[0].IsNone() {
				return val{}, value.TypeErrorf("trace() needs an exception")
			}
			out := make([]val, len(entries))
			for i, e := range entries {
				out[i] = value.Tuple(value.Str(e.File), value.Int(int64(e.Line)), value.Int(int64(e.Col)), value.Int(int64(e.EndLine)), value.Int(int64(e.EndCol)), value.Str(e.Func))
			}
			return value.NewList(out).Value(), nil
		}),
		// excerpt is the line of a traceback's row, and the marks below it.
		fn("excerpt(row, /)", func(t *thread, a []val) (val, error) {
			row, ok := a[0].AsTuple()
			if !ok || len(row) != 6 {
				return val{}, value.TypeErrorf("excerpt() needs a row of trace()")
			}
			var e value.Entry
			e.File, _ = value.FromStarlark(row[0]).AsString()
			for i, p := range []*int{&e.Line, &e.Col, &e.EndLine, &e.EndCol} {
				*p = int(value.FromStarlark(row[i+1]).Int64())
			}
			if l.Source != nil {
				if text, ok := l.Source(t, e.File); ok {
					return value.Str(value.Excerpt(text, e)), nil
				}
			}
			return value.Str(""), nil
		}),
		// source_line is a line of a file as it was loaded, "" where it is not known.
		fn("source_line(file, line, /)", func(t *thread, a []val) (val, error) {
			file, err := asStr("source_line", a[0])
			if err != nil {
				return val{}, err
			}
			n, err := asInt(t, a[1])
			if err != nil {
				return val{}, err
			}
			if l.Source != nil {
				if text, ok := l.Source(t, file); ok {
					for i, line := range strings.Split(text, "\n") {
						if int64(i) == n-1 {
							return value.Str(strings.TrimSpace(line)), nil
						}
					}
				}
			}
			return value.Str(""), nil
		}),
		// source_text is a file as it was loaded, None where it is not known.
		fn("source_text(file, /)", func(t *thread, a []val) (val, error) {
			file, err := asStr("source_text", a[0])
			if err == nil && l.Source != nil {
				if text, ok := l.Source(t, file); ok {
					return value.Str(text), nil
				}
			}
			return value.None, err
		}),
		fn("new_module(name, doc=None, /)", func(t *thread, a []val) (val, error) {
			name, err := asStr("module", a[0])
			if err != nil {
				return val{}, err
			}
			m := value.NewModule(name)
			m.Set("__name__", value.Str(name))
			m.Set("__doc__", value.None)
			if given(a[1]) {
				m.Set("__doc__", a[1])
			}
			return m.Value(), nil
		}),
		fn("terminal_width()", func(t *thread, a []val) (val, error) { return value.Int(int64(l.host.Terminal())), nil }),
	)
	return m
}
