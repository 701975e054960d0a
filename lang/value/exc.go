package value

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"
)

// Entry is one line of a traceback: where a frame was. Columns count code
// points from 1; EndLine and EndCol may be zero.
type Entry struct {
	File            string
	Line, Col       int
	EndLine, EndCol int
	Func            string
}

// Raised is an exception under way, and the state behind an exception object.
// The object itself is made when somebody looks at it.
type Raised struct {
	Class *Class
	Args  []Value

	trace  []Entry // outermost frame first, as far as somebody has looked
	places []Place // frames passed since, innermost first
	room   [2]Place

	Cause    *Raised // raise … from
	Context  *Raised // being handled when this one was raised
	Suppress bool    // from None, or a Cause that hides Context
	Notes    []string

	// Extra attributes that some exceptions carry: name of NameError and
	// AttributeError, value of StopIteration; path, flag.
	Name string
	// Obj is the object whose attribute Name an AttributeError did not find, or the
	// module of the code where a name is missing, if known; Locals are that code's names.
	Obj    Value
	Locals []string

	// Worded is set where the argument of a KeyError is a message and not the key.
	Worded bool

	// Shown is what a __str__ in the language said, kept for the end of a traceback.
	Shown string

	// File is the filename of an OSError; unset for none.
	File Value

	// Host is the Go error behind an exception that a host function returned.
	Host error

	inst *Instance // the object, once made: self, unless a class of its own has made it
	self Instance
	one  [1]Value   // room for Args
	tb   *Traceback // the last that __traceback__ gave
}

// A Place is where an exception has passed through a frame: what a line of the
// traceback is made from, if one is wanted. Made at once, the lines made the
// benchmark's exception loop take 1.4 times as long.
type Place struct {
	Code Coded
	PC   int
}

// Coded is code that knows its lines.
type Coded interface {
	// EntriesAt appends the lines of a traceback for an instruction: one, and one for
	// each comprehension that it is in. r is the exception raised there, or nil.
	EntriesAt(out []Entry, pc int, r *Raised) []Entry
}

// Passed adds a frame that the exception leaves or is caught in.
func (r *Raised) Passed(c Coded, pc int) {
	if r.places == nil {
		r.places = r.room[:0]
	}
	r.places = append(r.places, Place{c, pc})
}

// Trace is the traceback, outermost frame first.
func (r *Raised) Trace() []Entry {
	if len(r.places) == 0 {
		return r.trace
	}
	out := make([]Entry, 0, len(r.places)+len(r.trace))
	for i := len(r.places) - 1; i >= 0; i-- {
		raisedHere := r
		if i > 0 || len(r.trace) > 0 {
			raisedHere = nil
		}
		out = r.places[i].Code.EntriesAt(out, r.places[i].PC, raisedHere)
	}
	r.trace, r.places = append(out, r.trace...), nil
	return r.trace
}

// SetTrace puts another traceback in the place of r's.
func (r *Raised) SetTrace(t []Entry) { r.trace, r.places = t, nil }

// Traced reports whether the traceback has lines.
func (r *Raised) Traced() bool { return len(r.trace)+len(r.places) > 0 }

// NewRaised makes an exception of class c.
func NewRaised(c *Class, args ...Value) *Raised { return &Raised{Class: c, Args: args} }

// newRaised is NewRaised with a copy of args.
func newRaised(c *Class, args []Value) *Raised {
	r := &Raised{Class: c}
	r.setArgs(args)
	return r
}

func (r *Raised) setArgs(args []Value) { r.Args = append(r.one[:0:1], args...) }

// Errorf makes an exception of class c with one argument, the message.
func Errorf(c *Class, format string, args ...any) *Raised {
	return &Raised{Class: c, Args: []Value{Str(fmt.Sprintf(format, args...))}}
}

func TypeErrorf(format string, args ...any) *Raised  { return Errorf(ExcTypeError, format, args...) }
func ValueErrorf(format string, args ...any) *Raised { return Errorf(ExcValueError, format, args...) }
func IndexErrorf(format string, args ...any) *Raised { return Errorf(ExcIndexError, format, args...) }
func RuntimeErrorf(format string, args ...any) *Raised {
	return Errorf(ExcRuntimeError, format, args...)
}
func OverflowErrorf(format string, args ...any) *Raised {
	return Errorf(ExcOverflowError, format, args...)
}
func NameErrorf(name, format string, args ...any) *Raised {
	r := Errorf(ExcNameError, format, args...)
	r.Name = name
	return r
}
func AttributeErrorf(name, format string, args ...any) *Raised {
	r := Errorf(ExcAttributeError, format, args...)
	r.Name = name
	return r
}

// KeyErrorOf is the KeyError for a missing key, which is its argument.
func KeyErrorOf(key Value) *Raised { return NewRaised(ExcKeyError, key) }

// keyErrorf is a KeyError with a message in the strict dialect's words.
func keyErrorf(format string, args ...any) *Raised {
	r := Errorf(ExcKeyError, format, args...)
	r.Worded = true
	return r
}

// Error words the exception as the last line of a traceback does.
func (r *Raised) Error() string {
	name := r.Class.Qualname
	if m := r.Class.Module; m != "" && m != "builtins" && m != "__main__" {
		name = m + "." + name
	}
	if msg := r.Message(); msg != "" {
		return name + ": " + msg
	}
	return name
}

// Message is str() of the exception as the built-in classes define it. An
// exception class with a __str__ of its own is asked by the machine.
func (r *Raised) Message() string {
	if r.Shown != "" {
		return r.Shown
	}
	if len(r.Args) == 0 {
		return ""
	}
	if len(r.Args) == 1 {
		var s string
		var err error
		if r.Class.IsSubclass(ExcKeyError) && !r.Worded {
			s, err = reprString(offline(), r.Args[0])
		} else {
			s, err = strString(offline(), r.Args[0])
		}
		if err != nil {
			s = "<unprintable " + r.Class.Name + " object>"
		}
		return s
	}
	if r.Class.IsSubclass(ExcOSError) && len(r.Args) >= 2 {
		s := fmt.Sprintf("[Errno %s] %s", plain(r.Args[0]), plain(r.Args[1]))
		file := r.File
		if len(r.Args) > 2 {
			file = r.Args[2]
		}
		if !file.IsUnset() && !file.IsNone() {
			q, _ := reprString(offline(), file)
			s += ": " + q
		}
		return s
	}
	if s, ok := r.codecMessage(); ok {
		return s
	}
	parts := make([]string, len(r.Args))
	for i, a := range r.Args {
		parts[i], _ = reprString(offline(), a)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// codecMessage words UnicodeDecodeError and UnicodeEncodeError, whose arguments
// are the codec, the object, the bounds of the fault in it, and the reason.
func (r *Raised) codecMessage() (string, bool) {
	decode := r.Class.IsSubclass(ExcUnicodeDecodeError)
	if len(r.Args) != 5 || !decode && !r.Class.IsSubclass(ExcUnicodeEncodeError) || !r.Args[2].IsInt() || !r.Args[3].IsInt() {
		return "", false
	}
	codec, why := plain(r.Args[0]), plain(r.Args[4])
	lo, hi := r.Args[2].Int64(), r.Args[3].Int64()
	verb, unit := "encode", "characters"
	if decode {
		verb, unit = "decode", "bytes"
	}
	if hi-lo == 1 {
		if b, ok := asBytes(Payload(r.Args[1])); decode && ok && lo >= 0 && lo < int64(len(b)) {
			return fmt.Sprintf("'%s' codec can't decode byte 0x%02x in position %d: %s", codec, b[lo], lo, why), true
		}
		if s, ok := Payload(r.Args[1]).AsString(); !decode && ok {
			if u := []rune(s); lo >= 0 && lo < int64(len(u)) {
				return fmt.Sprintf("'%s' codec can't encode character '%s' in position %d: %s", codec, escapeRune(u[lo]), lo, why), true
			}
		}
	}
	return fmt.Sprintf("'%s' codec can't %s %s in position %d-%d: %s", codec, verb, unit, lo, hi-1, why), true
}

// errnoClasses are the classes that OSError(errno, …) makes (Linux numbers).
var errnoClasses = map[int64]**Class{
	1: &ExcPermissionError, 2: &ExcFileNotFoundError, 4: &ExcInterruptedError, 13: &ExcPermissionError,
	17: &ExcFileExistsError, 20: &ExcNotADirectoryError, 21: &ExcIsADirectoryError, 110: &ExcTimeoutError,
}

func plain(v Value) string {
	s, err := strString(offline(), v)
	if err != nil {
		return "?"
	}
	return s
}

// HasOwnStr reports whether str() of the exception is language code's to say.
func (r *Raised) HasOwnStr() bool {
	_, ok := r.Class.custom(dStr)
	return ok
}

// Unwrap gives the Go error of the host function that failed, if any.
func (r *Raised) Unwrap() error { return r.Host }

// Value is the exception object, made now if nobody has looked yet.
func (r *Raised) Value() Value {
	if r.inst == nil {
		if r.Class.size.Load() > 0 {
			r.inst = NewInstance(r.Class)
		} else {
			r.inst = &r.self
			r.inst.Shape = r.Class.root
		}
		r.inst.Native = r
	}
	return r.inst.Value()
}

// Again is an exception like r, without arguments, causes and attributes of its
// own: a recorder fills them in.
func (r *Raised) Again() *Raised {
	c := *r
	c.trace, c.places = r.Trace(), nil
	c.inst, c.Args, c.Cause, c.Context = nil, nil, nil, nil
	c.self = Instance{}
	c.Obj, c.File = Value{}, Value{}
	return &c
}

// RaisedOf returns the state behind an exception object, or nil.
func RaisedOf(v Value) *Raised {
	if in := v.AsInstance(); in != nil {
		if r, ok := in.Native.(*Raised); ok {
			return r
		}
	}
	return nil
}

// Matches reports whether an except clause for class c catches r.
func (r *Raised) Matches(c *Class) bool { return r.Class.IsSubclass(c) }

// AsRaised turns any error into an exception: itself, or a RuntimeError that
// keeps err (a host's error, a foreign builtin's).
func AsRaised(err error) *Raised {
	var r *Raised
	if errors.As(err, &r) {
		return r
	}
	var ev *starlark.EvalError
	if errors.As(err, &ev) {
		err = ev.Unwrap()
	}
	r = Errorf(ExcRuntimeError, "%s", err.Error())
	r.Host = err
	return r
}

// RaiseValue is the raise statement: v is an exception or a class of one. A
// class with a constructor in the language gives a *NeedCall for it, whose
// result is to be raised.
func RaiseValue(t *Thread, v Value) error {
	if r := RaisedOf(v); r != nil {
		return r
	}
	if c := v.AsClass(); c != nil && c.IsSubclass(ExcBaseException) {
		x, err := CallClass(t, c, nil, nil)
		if err != nil {
			return err
		}
		if r := RaisedOf(x); r != nil {
			return r
		}
		return TypeErrorf("calling %s should have returned an instance of BaseException, not %s", v.Starlark(), TypeOf(x))
	}
	return TypeErrorf("exceptions must derive from BaseException")
}

// ExceptMatches reports whether an except clause that names class (a class or
// a tuple of them) catches r.
func ExceptMatches(r *Raised, class Value) (bool, error) {
	if c := class.AsClass(); c != nil && c.IsSubclass(ExcBaseException) {
		return r.Matches(c), nil
	}
	if tup, ok := class.AsTuple(); ok {
		matches := false
		for _, e := range tup { // all are looked at: a wrong one is an error even behind a match
			c := FromStarlark(e).AsClass()
			if c == nil || !c.IsSubclass(ExcBaseException) {
				return false, TypeErrorf("catching classes that do not inherit from BaseException is not allowed")
			}
			matches = matches || r.Matches(c)
		}
		return matches, nil
	}
	return false, TypeErrorf("catching classes that do not inherit from BaseException is not allowed")
}

// stopIteration is raised to the language where an iterator has ended.
func stopIteration() *Raised { return NewRaised(ExcStopIteration) }

// isStop reports whether err is StopIteration.
func isStop(err error) bool {
	r, ok := err.(*Raised)
	return ok && r.Class.IsSubclass(ExcStopIteration)
}

// The built-in exception classes.
var (
	ExcBaseException, ExcException, ExcSystemExit, ExcKeyboardInterrupt, ExcGeneratorExit,
	ExcStopIteration, ExcStopAsyncIteration, ExcArithmeticError, ExcFloatingPointError,
	ExcOverflowError, ExcZeroDivisionError, ExcAssertionError, ExcAttributeError, ExcBufferError,
	ExcEOFError, ExcImportError, ExcModuleNotFoundError, ExcLookupError, ExcIndexError, ExcKeyError,
	ExcMemoryError, ExcNameError, ExcUnboundLocalError, ExcOSError, ExcFileNotFoundError,
	ExcFileExistsError, ExcPermissionError, ExcIsADirectoryError, ExcNotADirectoryError,
	ExcTimeoutError, ExcConnectionError, ExcInterruptedError, ExcReferenceError, ExcRuntimeError,
	ExcNotImplementedError, ExcRecursionError, ExcSyntaxError, ExcIndentationError, ExcTabError,
	ExcSystemError, ExcTypeError, ExcValueError, ExcUnicodeError, ExcUnicodeDecodeError,
	ExcUnicodeEncodeError, ExcWarning, ExcDeprecationWarning, ExcPendingDeprecationWarning,
	ExcRuntimeWarning, ExcSyntaxWarning, ExcUserWarning, ExcFutureWarning, ExcImportWarning,
	ExcUnicodeWarning, ExcBytesWarning, ExcResourceWarning *Class
)

// exceptionClasses lists the hierarchy, parents first.
var exceptionClasses []*Class

func initExceptions() {
	def := func(name string, base *Class) *Class {
		c := NewClass(name, "builtins", base)
		exceptionClasses = append(exceptionClasses, c)
		return c
	}
	ExcBaseException = def("BaseException", ObjectClass)
	ExcBaseException.Slots = &Slots{New: newException}
	ExcSystemExit = def("SystemExit", ExcBaseException)
	ExcKeyboardInterrupt = def("KeyboardInterrupt", ExcBaseException)
	ExcGeneratorExit = def("GeneratorExit", ExcBaseException)
	ExcException = def("Exception", ExcBaseException)
	ExcStopIteration = def("StopIteration", ExcException)
	ExcStopAsyncIteration = def("StopAsyncIteration", ExcException)
	ExcArithmeticError = def("ArithmeticError", ExcException)
	ExcFloatingPointError = def("FloatingPointError", ExcArithmeticError)
	ExcOverflowError = def("OverflowError", ExcArithmeticError)
	ExcZeroDivisionError = def("ZeroDivisionError", ExcArithmeticError)
	ExcAssertionError = def("AssertionError", ExcException)
	ExcAttributeError = def("AttributeError", ExcException)
	ExcBufferError = def("BufferError", ExcException)
	ExcEOFError = def("EOFError", ExcException)
	ExcImportError = def("ImportError", ExcException)
	ExcModuleNotFoundError = def("ModuleNotFoundError", ExcImportError)
	ExcLookupError = def("LookupError", ExcException)
	ExcIndexError = def("IndexError", ExcLookupError)
	ExcKeyError = def("KeyError", ExcLookupError)
	ExcMemoryError = def("MemoryError", ExcException)
	ExcNameError = def("NameError", ExcException)
	ExcUnboundLocalError = def("UnboundLocalError", ExcNameError)
	ExcOSError = def("OSError", ExcException)
	ExcFileNotFoundError = def("FileNotFoundError", ExcOSError)
	ExcFileExistsError = def("FileExistsError", ExcOSError)
	ExcPermissionError = def("PermissionError", ExcOSError)
	ExcIsADirectoryError = def("IsADirectoryError", ExcOSError)
	ExcNotADirectoryError = def("NotADirectoryError", ExcOSError)
	ExcTimeoutError = def("TimeoutError", ExcOSError)
	ExcConnectionError = def("ConnectionError", ExcOSError)
	ExcInterruptedError = def("InterruptedError", ExcOSError)
	ExcReferenceError = def("ReferenceError", ExcException)
	ExcRuntimeError = def("RuntimeError", ExcException)
	ExcNotImplementedError = def("NotImplementedError", ExcRuntimeError)
	ExcRecursionError = def("RecursionError", ExcRuntimeError)
	ExcSyntaxError = def("SyntaxError", ExcException)
	ExcIndentationError = def("IndentationError", ExcSyntaxError)
	ExcTabError = def("TabError", ExcIndentationError)
	ExcSystemError = def("SystemError", ExcException)
	ExcTypeError = def("TypeError", ExcException)
	ExcValueError = def("ValueError", ExcException)
	ExcUnicodeError = def("UnicodeError", ExcValueError)
	ExcUnicodeDecodeError = def("UnicodeDecodeError", ExcUnicodeError)
	ExcUnicodeEncodeError = def("UnicodeEncodeError", ExcUnicodeError)
	ExcWarning = def("Warning", ExcException)
	ExcDeprecationWarning = def("DeprecationWarning", ExcWarning)
	ExcPendingDeprecationWarning = def("PendingDeprecationWarning", ExcWarning)
	ExcRuntimeWarning = def("RuntimeWarning", ExcWarning)
	ExcSyntaxWarning = def("SyntaxWarning", ExcWarning)
	ExcUserWarning = def("UserWarning", ExcWarning)
	ExcFutureWarning = def("FutureWarning", ExcWarning)
	ExcImportWarning = def("ImportWarning", ExcWarning)
	ExcUnicodeWarning = def("UnicodeWarning", ExcWarning)
	ExcBytesWarning = def("BytesWarning", ExcWarning)
	ExcResourceWarning = def("ResourceWarning", ExcWarning)
}

// excInit is BaseException.__init__, which does nothing that newException has not done.
var excInit *Builtin

func newException(t *Thread, cls *Class, args []Value, kw []Kwarg) (Value, error) {
	r := newRaised(cls, args)
	if cls.IsSubclass(ExcOSError) && len(args) >= 2 && len(args) <= 5 {
		if cls == ExcOSError && args[0].IsInt() {
			if c := errnoClasses[args[0].Int64()]; c != nil {
				r.Class = *c
			}
		}
		if len(args) > 2 { // args are the number and the text; the rest are attributes
			r.File, r.Args = args[2], r.Args[:2]
		}
	}
	for _, k := range kw { // ImportError and AttributeError take name=
		switch {
		case k.Name == "name" || k.Name == "path" || k.Name == "obj":
			if k.Name == "obj" {
				r.Obj = k.Value
			}
			if s, ok := k.Value.AsString(); ok && k.Name == "name" {
				r.Name = s
			}
		}
	}
	return r.Value(), nil
}
