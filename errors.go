package larkspur

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/lang/syntax"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// An Error is a failure of a script or of a call into it.
type Error struct {
	// Type is the exception's class: "ValueError", "SyntaxError" …; "" for a
	// failure outside any script.
	Type    string
	Message string
	Trace   []Frame // outermost first

	text  string // as Python prints it
	cause error
	exit  *int
}

// A Frame is one line of a traceback. Columns count code points from 1.
type Frame struct {
	File            string
	Line, Col       int
	EndLine, EndCol int
	Func            string
}

// Error is the last line of the traceback; for a fault in a program's text also
// the place.
func (e *Error) Error() string {
	var se *sourceError
	if errors.As(e.cause, &se) {
		return fmt.Sprintf("%s: %s (%s, line %d)", e.Type, e.Message, se.fault.File, se.fault.Span.Start.Line)
	}
	switch {
	case e.Type == "":
		return e.Message
	case e.Message == "":
		return e.Type
	}
	return e.Type + ": " + e.Message
}

// Traceback is the whole text as Python prints it, with source lines and carets.
func (e *Error) Traceback() string { return e.text }

// Unwrap gives the Go error behind: a context's, or what a host function returned.
func (e *Error) Unwrap() error { return e.cause }

// ExitCode reports sys.exit and its status.
func (e *Error) ExitCode() (code int, ok bool) {
	if e.exit == nil {
		return 0, false
	}
	return *e.exit, true
}

// newError is an Error for a failure that no script position belongs to.
func newError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	var r *value.Raised
	if errors.As(err, &r) {
		return raisedError(r, nil)
	}
	return &Error{Message: err.Error(), text: "error: " + err.Error() + "\n", cause: err}
}

// word asks exceptions that have a __str__ of their own for their text, while the
// thread that raised them is at hand.
func word(th *vm.Thread, err error) {
	var r *value.Raised
	if !errors.As(err, &r) {
		return
	}
	for depth := 0; r != nil && depth < maxChain; depth++ {
		if r.HasOwnStr() {
			v, err := th.Do(value.StrOf(&th.Thread, r.Value()))
			if s, ok := v.AsString(); err == nil && ok {
				r.Shown = s
			} else {
				r.Shown = "<exception str() failed>"
			}
		}
		switch {
		case r.Cause != nil:
			r = r.Cause
		case r.Suppress:
			return
		default:
			r = r.Context
		}
	}
}

// wrap makes an *Error of whatever the machine returned.
func (rt *Runtime) wrap(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	r := value.AsRaised(err)
	return raisedError(r, rt.machine.Source)
}

func raisedError(r *value.Raised, source func(file string) (string, bool)) *Error {
	e := &Error{Type: r.Class.Name, Message: r.Message(), cause: r.Host}
	var se *sourceError
	if errors.As(r.Host, &se) {
		e.Trace = append(e.Trace, Frame{File: se.fault.File, Line: int(se.fault.Span.Start.Line), Col: int(se.fault.Span.Start.Col),
			EndLine: int(se.fault.Span.End.Line), EndCol: int(se.fault.Span.End.Col), Func: "<module>"})
	} else {
		for _, t := range r.Trace() {
			e.Trace = append(e.Trace, Frame(t))
		}
	}
	if r.Class.IsSubclass(value.ExcSystemExit) {
		code := 0
		if len(r.Args) > 0 {
			switch a := r.Args[0]; {
			case a.IsNone():
			case a.IsInt():
				code = int(a.Int64())
			case a.IsBool():
				code = int(a.N)
			default:
				code = 1
			}
		}
		e.exit = &code
	}
	var b strings.Builder
	writeRaised(&b, r, source, 0)
	e.text = b.String()
	return e
}

// maxChain bounds the exceptions shown one behind another.
const maxChain = 20

// writeRaised prints an exception with those that led to it.
func writeRaised(b *strings.Builder, r *value.Raised, source func(string) (string, bool), depth int) {
	if depth < maxChain {
		if r.Cause != nil {
			writeRaised(b, r.Cause, source, depth+1)
			b.WriteString("\nThe above exception was the direct cause of the following exception:\n\n")
		} else if r.Context != nil && !r.Suppress {
			writeRaised(b, r.Context, source, depth+1)
			b.WriteString("\nDuring handling of the above exception, another exception occurred:\n\n")
		}
	}
	if trace := r.Trace(); len(trace) > 0 {
		b.WriteString("Traceback (most recent call last):\n")
		writeTrace(b, trace, source)
	}
	var se *sourceError
	if errors.As(r.Host, &se) {
		b.WriteString(se.fault.Format(se.text))
		return
	}
	b.WriteString(r.Error() + suggestion(r) + "\n")
	for _, n := range r.Notes {
		b.WriteString(n + "\n")
	}
}

// suggestion is the name that an object has for one that it lacks.
func suggestion(r *value.Raised) string {
	if r.Obj.IsUnset() || r.Name == "" {
		return ""
	}
	var near string
	if m, ok := value.As[*value.Module](r.Obj); ok && r.Class == value.ExcNameError {
		if near = syntax.Similar(r.Name, r.Locals); near == "" {
			near = syntax.Similar(r.Name, slices.Concat(m.Assigned(), value.BuiltinNames()))
		}
	} else if r.Class == value.ExcAttributeError {
		near = syntax.Similar(r.Name, value.Dir(&value.Thread{}, r.Obj))
	}
	if near != "" {
		return ". Did you mean: '" + near + "'?"
	}
	return ""
}

// writeTrace prints frames; of many equal ones in a row the first three.
func writeTrace(b *strings.Builder, trace []value.Entry, source func(string) (string, bool)) {
	same := 0
	for i, t := range trace {
		if i > 0 && t.File == trace[i-1].File && t.Line == trace[i-1].Line && t.Func == trace[i-1].Func {
			same++
		} else {
			writeRepeats(b, same)
			same = 0
		}
		if same > 2 {
			continue
		}
		fmt.Fprintf(b, "  File %q, line %d, in %s\n", t.File, t.Line, t.Func)
		if source == nil {
			continue
		}
		text, ok := source(t.File)
		if !ok {
			continue
		}
		b.WriteString(value.Excerpt(text, t))
	}
	writeRepeats(b, same)
}

func writeRepeats(b *strings.Builder, same int) {
	if n := same - 2; n > 0 {
		s := "s"
		if n == 1 {
			s = ""
		}
		fmt.Fprintf(b, "  [Previous line repeated %d more time%s]\n", n, s)
	}
}

// contain turns a panic, which is a fault of ours, into an error: no panic
// crosses the API.
func contain(err *error) {
	switch p := recover().(type) {
	case nil:
		if *err == nil {
			return
		}
		var e *Error
		if !errors.As(*err, &e) {
			*err = newError(*err)
		}
	default:
		text := fmt.Sprintf("internal error: %v", p)
		*err = &Error{Type: "SystemError", Message: text, text: "SystemError: " + text + "\n",
			cause: &internalError{text, debug.Stack()}}
	}
}

// internalError carries the Go stack of a contained panic, for bug reports.
type internalError struct {
	text  string
	Stack []byte
}

func (e *internalError) Error() string { return e.text }

// InternalStack is the Go stack of a failure that is a fault of Larkspur itself, or
// of a host function that panicked; else nil.
func InternalStack(err error) []byte {
	var e *internalError
	if errors.As(err, &e) {
		return e.Stack
	}
	return nil
}

// Cancelled reports an error that a context's end caused, whatever the context's
// cause is. The KeyboardInterrupt of Runtime.Interrupt is none.
func Cancelled(err error) bool {
	var e *Error
	if errors.As(err, &e) && e.Type == value.ExcKeyboardInterrupt.Name && e.cause != nil {
		return true
	}
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
