package larkspur

import (
	"context"
	"sync"

	"github.com/larkspur-ml/larkspur/bytecode/vm"
)

// interrupts carries Interrupt to the code that runs on the main thread. Kernels
// stop through a context of their own below the caller's, so that the interrupt
// leaves the caller's as it is: when the exception is raised, a fresh one takes
// its place, and what the program then does runs undisturbed.
type interrupts struct {
	mu      sync.Mutex
	th      *vm.Thread      // nil: nothing runs
	ctx     context.Context // the caller's
	cancel  context.CancelFunc
	waiting bool // an interrupt has been asked for and not been raised
}

// Interrupt makes the code that runs outside frozen modules raise one
// KeyboardInterrupt, as Ctrl-C does in Python: at its next call or loop, inside
// a long kernel, a sleep or a wait for input. A program that catches it goes on,
// with working tensors (to save a checkpoint, say). In that it differs from the
// end of the context of a call, which cannot be caught for good.
//
// It reports whether the exception is on its way because of this call: false if
// nothing runs, or if an earlier interrupt has not been raised yet. Any goroutine
// may call it.
func (rt *Runtime) Interrupt() bool {
	i := &rt.interrupts
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.th == nil || i.waiting {
		return false
	}
	i.waiting = true
	i.th.Cancel() // before the kernels stop: it tells why they do
	i.cancel()
	return true
}

// enter begins a run of the main thread; the kernels' context is the result.
func (i *interrupts) enter(ctx context.Context, th *vm.Thread) context.Context {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.th, i.ctx, i.waiting = th, ctx, false
	return i.fresh()
}

func (i *interrupts) fresh() (ctx context.Context) {
	ctx, i.cancel = context.WithCancel(i.ctx)
	return ctx
}

func (i *interrupts) leave() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.cancel()
	i.th, i.ctx, i.cancel, i.waiting = nil, nil, nil, false
}

// delivered runs on the main thread when it raises an interrupt's exception.
func (rt *Runtime) delivered() {
	i := &rt.interrupts
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.th == nil || !i.waiting {
		return
	}
	i.waiting = false
	i.cancel()
	rt.torch.SetContext(&i.th.Thread, i.fresh())
}
