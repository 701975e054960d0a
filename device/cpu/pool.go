package cpu

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// Pool is a set of goroutines that wait for tiles. A waiting one first polls, because the next kernel of a program usually comes
// within microseconds, and then parks.
type Pool struct {
	queue chan *job
}

// job is one Run. Tiles are claimed by counting next up; whoever finishes the last one signals the caller.
type job struct {
	f        func(tile, lane int)
	tiles    int64
	next     atomic.Int64
	left     atomic.Int64
	lanes    atomic.Int32
	finished chan struct{}
	failure  atomic.Pointer[failure]
}

type failure struct{ value any }

// spins is how often a worker looks for work before it parks; a look with a yield takes about 100 ns.
const spins = 50

var (
	shared     *Pool
	sharedOnce sync.Once
)

// Shared is the process's pool, with a goroutine for each processor but the caller's own.
func Shared() *Pool {
	sharedOnce.Do(func() { shared = NewPool(runtime.GOMAXPROCS(0) - 1) })
	return shared
}

// NewPool makes a pool of n goroutines, which live as long as the process.
func NewPool(n int) *Pool {
	p := &Pool{queue: make(chan *job, 4*n+16)}
	for range n {
		go p.work()
	}
	return p
}

func (p *Pool) work() {
	for {
		var j *job
		for i := 0; j == nil && i < spins; i++ {
			select {
			case j = <-p.queue:
			default:
				runtime.Gosched()
			}
		}
		if j == nil {
			j = <-p.queue
		}
		if j.next.Load() < j.tiles {
			j.run(int(j.lanes.Add(1)))
		}
	}
}

// Run implements device.Workers.
func (p *Pool) Run(budget, tiles int, f func(tile, lane int)) {
	helpers := min(budget, tiles) - 1
	if helpers <= 0 {
		for t := range tiles {
			f(t, 0)
		}
		return
	}
	j := &job{f: f, tiles: int64(tiles), finished: make(chan struct{})}
	j.left.Store(int64(tiles))
invite:
	for range helpers {
		select {
		case p.queue <- j:
		default: // all are busy, the caller does it
			break invite
		}
	}
	j.run(0)
	<-j.finished
	if fail := j.failure.Load(); fail != nil {
		panic(fail.value)
	}
}

// run claims tiles until there are none. After a panic the tiles that are left are claimed but not run.
func (j *job) run(lane int) {
	for {
		t := j.next.Add(1) - 1
		if t >= j.tiles {
			return
		}
		if j.failure.Load() == nil {
			j.tile(int(t), lane)
		}
		if j.left.Add(-1) == 0 {
			close(j.finished)
		}
	}
}

func (j *job) tile(t, lane int) {
	done := false
	defer func() {
		if !done {
			v := recover()
			if v == nil { // runtime.Goexit
				v = fmt.Sprintf("BUG: tile %d ended its goroutine", t)
			}
			j.failure.CompareAndSwap(nil, &failure{v})
		}
	}()
	j.f(t, lane)
	done = true
}

// firstError keeps the error of the lowest tile, so that what a user sees does not depend on timing.
type firstError struct {
	mu   sync.Mutex
	tile int
	err  error
}

func (e *firstError) set(tile int, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil || tile < e.tile {
		e.tile, e.err = tile, err
	}
}
