package cpu

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"unsafe"
)

// Code is machine code that can be called. Its memory is never writable while it
// is executable through the same address, and is given back when nothing reaches
// the Code any more.
type Code struct {
	entry uintptr
	size  int
}

// LoadCode copies machine code to executable memory. The code must follow the
// rules written beside call (call_amd64.s): a leaf that takes its argument in
// RDI. An error means that the platform or its policy has no such memory.
func LoadCode(b []byte) (*Code, error) {
	entry, free, err := publish(b)
	if err != nil {
		return nil, err
	}
	c := &Code{entry: entry, size: len(b)}
	runtime.AddCleanup(c, func(free func()) { free() }, free)
	return c, nil
}

// Size is the length of the code in bytes.
func (c *Code) Size() int { return c.size }

// Call runs the code with a pointer to its arguments. What it points to must be
// kept alive by the caller. A memory fault inside is an error: our fault, but one
// that the process survives.
func (c *Code) Call(arg unsafe.Pointer) (err error) {
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		if e := recover(); e != nil {
			err = faulted(e)
		}
	}()
	call(c.entry, arg)
	runtime.KeepAlive(c)
	return nil
}

// CallDeep is Call for code that spills to up to 32 KiB of stack.
func (c *Code) CallDeep(arg unsafe.Pointer) (err error) {
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		if e := recover(); e != nil {
			err = faulted(e)
		}
	}()
	callDeep(c.entry, arg)
	runtime.KeepAlive(c)
	return nil
}

func faulted(e any) error {
	f, ok := e.(runtime.Error)
	if !ok {
		panic(e)
	}
	return fmt.Errorf("BUG: a kernel touched memory that is not its own: %w", f)
}
