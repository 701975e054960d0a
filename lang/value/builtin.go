package value

import (
	"fmt"

	"go.starlark.net/starlark"
)

// BuiltinFn is the Go code of a builtin. For a method args[0] is the receiver.
// args is a window of registers and may not be retained; neither may kw.
// An error is a *Raised, or a *NeedCall that the machine carries out in the
// builtin's place, or any other error, which the machine raises as a
// RuntimeError.
type BuiltinFn func(t *Thread, args []Value, kw []Kwarg) (Value, error)

// Builtin is a function or method written in Go.
type Builtin struct {
	Name string
	Doc  string
	Sig  string // text signature without name: "(x, /, *, key=None)"
	Fn   BuiltinFn
	// Quick, if set, does the common cases of Fn that need no thread and cannot fail;
	// it is not asked while an observer is set.
	Quick func(args []Value) (v Value, ok bool)
	// Start is set in place of Fn for a builtin that always runs as a stepper.
	Start func(t *Thread, args []Value, kw []Kwarg) (Stepper, error)

	Owner  *Class // class whose method it is
	Method bool   // binds its receiver when found on a class
	// Pure: the result depends on the arguments alone (their contents being
	// read through observed operators), and there is no effect: it may be
	// recorded through.
	Pure bool
	// Told: whatever it reads, makes and writes is told to the observers of the
	// thread, of values or of tensors, so that it may be recorded through.
	Told bool
	// Symbols: it takes Symbolic arguments and asks them for what it needs.
	Symbols bool
	// WantsKw is false for builtins that take no keyword arguments; the call
	// path then raises before Fn runs.
	WantsKw bool
	// Min and Max are the least and the greatest number of positional
	// arguments, the receiver not counted; Max < 0: any number. Checked
	// before Fn runs when Counted is set.
	Min, Max int
	Counted  bool
}

// NewBuiltin returns a function that takes any arguments.
func NewBuiltin(name string, fn BuiltinFn) *Builtin {
	return &Builtin{Name: name, Fn: fn, WantsKw: true, Max: -1}
}

// Value is b as a value.
func (b *Builtin) Value() Value { return FromStarlark(b) }

// Call runs b without the machine; it fails for a builtin that needs language
// code with the *NeedCall itself.
func (b *Builtin) Call(t *Thread, args []Value, kw []Kwarg) (Value, error) {
	if b.Counted || !b.WantsKw {
		if err := b.CheckArgs(args, kw); err != nil {
			return Value{}, err
		}
	}
	if b.Fn == nil {
		s, err := b.Start(t, args, kw)
		if err != nil {
			return Value{}, err
		}
		return Value{}, t.Run(s)
	}
	return b.Fn(t, args, kw)
}

// CheckArgs raises Python's TypeError for a wrong number of arguments.
func (b *Builtin) CheckArgs(args []Value, kw []Kwarg) error {
	if !b.WantsKw && len(kw) > 0 {
		return TypeErrorf("%s() takes no keyword arguments", b.fullName())
	}
	if !b.Counted {
		return nil
	}
	n := len(args)
	if b.Method {
		if n--; n < 0 {
			return TypeErrorf("unbound method %s() needs an argument", b.fullName())
		}
	}
	if b.Method && b.Owner != nil && (n < b.Min || n > b.Max && b.Max >= 0) && !TypeOf(args[0]).IsSubclass(b.Owner) {
		return TypeErrorf("descriptor '%s' for '%s' objects doesn't apply to a '%s' object", b.Name, b.Owner.Name, typeName(args[0]))
	}
	name := b.Name
	if name == "__init__" && b.Owner != nil { // called as the class
		name = b.Owner.Name
	}
	switch {
	case n >= b.Min && (n <= b.Max || b.Max < 0):
		return nil
	case b.Min == 0 && b.Max == 0:
		return TypeErrorf("%s() takes no arguments (%d given)", b.fullName(), n)
	case b.Min == 1 && b.Max == 1:
		return TypeErrorf("%s() takes exactly one argument (%d given)", b.fullName(), n)
	case b.Min == b.Max:
		return TypeErrorf("%s expected %d arguments, got %d", b.Name, b.Min, n)
	case n < b.Min:
		return TypeErrorf("%s expected at least %d argument%s, got %d", name, b.Min, plural(b.Min), n)
	}
	return TypeErrorf("%s expected at most %d argument%s, got %d", name, b.Max, plural(b.Max), n)
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

func (b *Builtin) fullName() string {
	if b.Owner != nil {
		return b.Owner.Name + "." + b.Name
	}
	return b.Name
}

func (b *Builtin) String() string {
	if b.Method && b.Owner != nil {
		return fmt.Sprintf("<method '%s' of '%s' objects>", b.Name, b.Owner.Name)
	}
	return fmt.Sprintf("<built-in function %s>", b.Name)
}
func (b *Builtin) Type() string          { return "builtin_function_or_method" }
func (b *Builtin) Freeze()               {}
func (b *Builtin) Truth() starlark.Bool  { return true }
func (b *Builtin) Hash() (uint32, error) { return starlark.String(b.Name).Hash() }

// NeedCall is returned as an error by operators and builtins that need
// language code to run. The machine calls Fn (or advances it, if Next is set)
// in a new frame above one for Then, which gets the result; Then's own result
// is that of the operation. Without Then the call's result is. Without Fn,
// Then is stepped at once with an unset Value.
//
// For operations that return a bool or an int (Truth, Contains, Len), the
// machine finds a Value of that type in the end.
type NeedCall struct {
	Fn   Value
	Args []Value
	Kw   []Kwarg
	Next bool // Fn is an iterator to advance; the result is unset at its end
	Then Stepper
}

func (*NeedCall) Error() string { return "BUG: a call into the language was not carried out" }

// Need fills the thread's NeedCall with a call of fn. args is copied.
func (t *Thread) Need(then Stepper, fn Value, args ...Value) error {
	t.need = NeedCall{Fn: fn, Args: append(make([]Value, 0, len(args)), args...), Then: then}
	return &t.need
}

// NeedNext asks for the next item of it.
func (t *Thread) NeedNext(then Stepper, it Value) error {
	t.need = NeedCall{Fn: it, Next: true, Then: then}
	return &t.need
}

// Run asks the machine to run s.
func (t *Thread) Run(s Stepper) error {
	t.need = NeedCall{Then: s}
	return &t.need
}

// Stepper is Go code that needs calls into the language, written as a state
// machine whose state is data: the machine keeps it in a frame, and a snapshot
// can name it. Step gets the result of the action it asked for last (unset at
// first), or the exception that came instead.
type Stepper interface {
	Step(t *Thread, in Value, err error) Action
}

// Rooted is implemented by steppers and native objects that hold values: visit
// is called with the address of each.
type Rooted interface {
	Roots(visit func(*Value))
}

// ActionKind says what a stepper wants.
type ActionKind uint8

const (
	ActReturn ActionKind = iota // done: Value is the result (unset: iterator exhausted)
	ActCall                     // carry out Call, then step again
	ActRaise                    // done: raise Err
)

// Action is what a stepper wants next.
type Action struct {
	Kind  ActionKind
	Value Value
	Call  *NeedCall
	Err   error
}

// Return, Raise, CallOf and NextOf make the actions.
func Return(v Value) Action { return Action{Kind: ActReturn, Value: v} }

// Raise ends the stepper with err; if err is a *NeedCall it is carried out
// instead and the stepper goes on.
func Raise(err error) Action {
	if nc, ok := err.(*NeedCall); ok {
		c := *nc
		return Action{Kind: ActCall, Call: &c}
	}
	return Action{Kind: ActRaise, Err: err}
}

func CallOf(fn Value, args ...Value) Action {
	return Action{Kind: ActCall, Call: &NeedCall{Fn: fn, Args: append([]Value(nil), args...)}}
}

func NextOf(it Value) Action {
	return Action{Kind: ActCall, Call: &NeedCall{Fn: it, Next: true}}
}
