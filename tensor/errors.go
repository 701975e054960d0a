package tensor

import "fmt"

// ErrKind names the Python exception that an error becomes.
type ErrKind uint8

const (
	RuntimeError ErrKind = iota
	TypeError
	ValueError
	IndexError
	NotImplementedError
	ZeroDivisionError
	MemoryError
	AssertionError
)

var errKinds = [...]string{"RuntimeError", "TypeError", "ValueError", "IndexError", "NotImplementedError", "ZeroDivisionError", "MemoryError", "AssertionError"}

func (k ErrKind) String() string { return errKinds[k] }

// Error is a user's fault, worded as PyTorch words it.
type Error struct {
	Kind ErrKind
	Msg  string
	// Cause is set where another failure (a cancelled kernel) had to become an Error on its way.
	Cause error
}

func (e *Error) Error() string { return e.Msg }

func (e *Error) Unwrap() error { return e.Cause }

// Errorf makes an *Error.
func Errorf(k ErrKind, format string, a ...any) *Error {
	return &Error{Kind: k, Msg: fmt.Sprintf(format, a...)}
}
