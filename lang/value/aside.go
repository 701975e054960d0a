package value

import "time"

// asideLook is the time between two looks for an interrupt while Go code waits.
const asideLook = 10 * time.Millisecond

// stopStride is the number of simple steps between two looks in a loop of Go code.
const stopStride = 1 << 14

// Stopping is the exception of an interrupt that waits to be raised, else nil.
// Go code that waits for something asks it now and then.
func (t *Thread) Stopping() error {
	if t == nil || t.Poll == nil || t.Interrupt.Load()&InterruptCancel == 0 {
		return nil
	}
	return t.Poll()
}

// Aside runs f, which may take long and looks for no interrupt. The error is an
// interrupt's: f then goes on by itself, and its results are to be dropped. So f
// must end some time, and may touch only what is its own.
func (t *Thread) Aside(f func()) error {
	if t == nil || t.Poll == nil {
		f()
		return nil
	}
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		f()
	}()
	look := time.NewTicker(asideLook)
	defer look.Stop()
	for {
		select {
		case fault := <-done:
			if fault != nil {
				panic(fault)
			}
			return nil
		case <-look.C:
			if err := t.Stopping(); err != nil {
				return err
			}
		}
	}
}
