package cuda

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// queue hands work to the goroutine that owns a context.
type queue struct {
	mu     sync.Mutex
	wake   sync.Cond
	todo   []command
	asleep bool
	n      atomic.Int64 // commands that were put and not yet done
}

// command is a launch, or a function; done, if set, is told when it has run.
type command struct {
	fn     uintptr
	x, y   int
	thr    int
	stream uintptr
	args   []uint64
	run    func()
	done   chan struct{}
}

// put appends a command.
func (q *queue) put(c command) {
	q.n.Add(1)
	q.mu.Lock()
	q.todo = append(q.todo, c)
	wake := q.asleep
	q.mu.Unlock()
	if wake {
		q.wake.Signal()
	}
}

// spins is how often the owner looks for work before it sleeps: waking it costs some
// microseconds.
const spins = 200

// serve runs commands in batches, for good.
func (q *queue) serve(do func(c *command)) {
	var batch []command
	for {
		for i := 0; ; i++ {
			q.mu.Lock()
			for len(q.todo) == 0 && i > spins {
				q.asleep = true
				q.wake.Wait()
				q.asleep = false
			}
			batch, q.todo = q.todo, batch[:0]
			q.mu.Unlock()
			if len(batch) > 0 {
				break
			}
			runtime.Gosched()
		}
		for i := range batch {
			c := &batch[i]
			do(c)
			q.n.Add(-1)
			if c.done != nil {
				close(c.done)
			}
			*c = command{}
		}
	}
}
