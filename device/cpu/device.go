package cpu

import (
	"runtime"
	"sync/atomic"

	"github.com/larkspur-ml/larkspur/device"
	"github.com/larkspur-ml/larkspur/tensor"
)

// CPU is the host as a device.Device.
type CPU struct {
	*Allocator
	workers *Pool
	threads atomic.Int32
}

// New makes the host device of a Runtime, with a memory limit in bytes (0: the machine's memory). Its threads are the process's.
func New(limit int64) *CPU {
	c := &CPU{Allocator: NewAllocator(limit), workers: Shared()}
	c.SetThreads(runtime.GOMAXPROCS(0))
	return c
}

// Threads is how many goroutines a kernel of this Runtime may use.
func (c *CPU) Threads() int { return int(c.threads.Load()) }

// SetThreads changes it; n below 1 counts as 1.
func (c *CPU) SetThreads(n int) { c.threads.Store(int32(max(n, 1))) }

// Parallel cuts [0, n) into ranges of at least grain iterations, runs f on them within the thread budget, and returns the error of
// the lowest range that has one. Only independent iterations may be cut, so the cut changes no result.
func (c *CPU) Parallel(n, grain int64, f func(lo, hi int64) error) error {
	if n <= 0 {
		return nil
	}
	lanes := int64(c.Threads())
	chunk := max(grain, (n+4*lanes-1)/(4*lanes), 1)
	tiles := (n + chunk - 1) / chunk
	if lanes < 2 || tiles < 2 {
		return f(0, n)
	}
	var first firstError
	c.workers.Run(int(lanes), int(tiles), func(tile, _ int) {
		lo := int64(tile) * chunk
		if err := f(lo, min(lo+chunk, n)); err != nil {
			first.set(tile, err)
		}
	})
	return first.err
}

// Name is the architecture; details of the processor are nothing that the portable target knows.
func (c *CPU) Name() string { return runtime.GOARCH }

// Workers is the process's pool.
func (c *CPU) Workers() device.Workers { return c.workers }

// Copy copies at once.
func (c *CPU) Copy(_ device.Stream, dst tensor.Buffer, dstOff int, src tensor.Buffer, srcOff, n int) error {
	copy(dst.Bytes()[dstOff:dstOff+n], src.Bytes()[srcOff:srcOff+n])
	return nil
}

// NewStream returns a stream on which work is done when it is launched.
func (c *CPU) NewStream() (device.Stream, error) {
	return &stream{workers: c.workers, owner: c}, nil
}

type stream struct {
	workers *Pool
	owner   *CPU
	err     error
}

func (s *stream) Launch(k device.Kernel) error {
	var first firstError
	s.workers.Run(s.owner.Threads(), k.Tiles(), func(tile, lane int) {
		if err := k.Run(tile, lane); err != nil {
			first.set(tile, err)
		}
	})
	if s.err == nil {
		s.err = first.err
	}
	return first.err
}

func (s *stream) Sync() error {
	err := s.err
	s.err = nil
	return err
}

var (
	_ device.Device  = (*CPU)(nil)
	_ device.Threads = (*CPU)(nil)
)
