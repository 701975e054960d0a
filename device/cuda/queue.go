package cuda

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
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
	fn     *function
	x, y   int
	thr    int
	stream uintptr
	args   []uint64
	run    func()
	done   *waiter
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

// waiter is told when a command has run. It looks for a while before it sleeps.
type waiter struct {
	over atomic.Bool
	c    chan struct{}
}

func (w *waiter) tell() {
	w.over.Store(true)
	close(w.c)
}

func (w *waiter) wait() {
	for at := time.Now(); time.Since(at) < patience; {
		if w.over.Load() {
			return
		}
		runtime.Gosched()
	}
	<-w.c
}

// patience is how long either side looks before it sleeps: waking a goroutine's
// thread costs tens of microseconds.
const patience = 100 * time.Microsecond

// serve runs commands in batches, for good.
func (q *queue) serve(do func(c *command)) {
	var batch []command
	for {
		for at := time.Now(); ; {
			q.mu.Lock()
			for len(q.todo) == 0 && time.Since(at) > patience {
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
				c.done.tell()
			}
			*c = command{}
		}
	}
}
