package cuda

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/larkspur-ml/larkspur/device"
	"github.com/larkspur-ml/larkspur/tensor"
)

// GPU is one GPU with its context. It implements device.GPU.
type GPU struct {
	d     *Driver
	index int
	info  device.GPUInfo
	q     queue
	alloc *allocator

	// what follows belongs to the goroutine of the context
	ctx    uintptr
	failed error // ends the context
	late   error // of a launch, for the next to wait
	pinned unsafe.Pointer
	record uintptr // of faults
	pack   *packed
	blas   *blas

	blasOnce sync.Once

	replays atomic.Int64 // of graphs

	mu       sync.Mutex
	cur      *stream
	blasWork *buffer
	chosen   map[blasKey]bool // shapes: our own kernel is the faster one
	raise    func(site uint32, value, limit uint64) error
}

// stream has a workspace of its own: kernels of two streams may run at once.
type stream struct {
	g    *GPU
	h    uintptr
	work *buffer // under GPU.mu
}

// Open implements device.Driver.
func (d *Driver) Open(i int) (device.GPU, error) {
	if err := d.open(); err != nil {
		return nil, err
	}
	if i < 0 || i >= d.n {
		return nil, tensor.Errorf(tensor.RuntimeError, "CUDA error: invalid device ordinal")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if g := d.gpus[i]; g != nil {
		return g, nil
	}
	g := &GPU{d: d, index: i, pack: &packed{}}
	g.q.wake.L = &g.q.mu
	g.alloc = newAllocator(g)
	up := make(chan error)
	go g.own(up)
	if err := <-up; err != nil {
		return nil, err
	}
	d.gpus[i] = g
	return g, nil
}

// own is the goroutine of the context.
func (g *GPU) own(up chan error) {
	runtime.LockOSThread()
	err := g.setUp()
	up <- err
	if err != nil {
		return
	}
	g.q.serve(g.do)
}

// Attributes of devices.
const (
	attrShared     = 97
	attrProcessors = 16
	attrMajor      = 75
	attrMinor      = 76
	attrL2         = 38
)

func (g *GPU) setUp() error {
	d, a := g.d, &g.d.api
	dev := new(int32)
	if err := d.call("cuDeviceGet", a.DeviceGet, ptr(dev), uintptr(g.index)); err != nil {
		return err
	}
	name := make([]byte, 128)
	if err := d.call("cuDeviceGetName", a.DeviceGetName, ptr(&name[0]), 128, uintptr(*dev)); err != nil {
		return err
	}
	g.info.Name, _, _ = strings.Cut(string(name), "\x00")
	total := new(uint64)
	if err := d.call("cuDeviceTotalMem", a.DeviceTotalMem, ptr(total), uintptr(*dev)); err != nil {
		return err
	}
	g.info.Memory = int64(*total)
	for id, to := range map[int]*int{attrShared: &g.info.SharedBlock, attrProcessors: &g.info.Processors, attrMajor: &g.info.Major, attrMinor: &g.info.Minor, attrL2: &g.info.L2} {
		v := new(int32)
		if err := d.call("cuDeviceGetAttribute", a.DeviceGetAttribute, ptr(v), uintptr(id), uintptr(*dev)); err != nil {
			return err
		}
		*to = int(*v)
	}
	v := new(int32)
	if err := d.call("cuDriverGetVersion", a.DriverGetVersion, ptr(v)); err != nil {
		return err
	}
	g.info.Driver = int(*v)
	if g.info.Major < 8 {
		return fmt.Errorf("no usable GPU: %s has compute capability %d.%d, and 8.0 is needed", g.info.Name, g.info.Major, g.info.Minor)
	}
	ctx := new(uintptr)
	if err := d.call("cuDevicePrimaryCtxRetain", a.DevicePrimaryCtxRetain, ptr(ctx), uintptr(*dev)); err != nil {
		return err
	}
	g.ctx = *ctx
	if err := d.call("cuCtxSetCurrent", a.CtxSetCurrent, g.ctx); err != nil {
		return err
	}
	s, err := g.stream()
	if err != nil {
		return err
	}
	g.cur = s
	p := new(uintptr)
	if err := d.call("cuMemHostAlloc", a.MemHostAlloc, ptr(p), pinnedBytes, 2); err != nil {
		return err
	}
	g.pinned = *(*unsafe.Pointer)(unsafe.Pointer(p))
	if err := d.call("cuMemAlloc", a.MemAlloc, ptr(p), faultBytes); err != nil {
		return err
	}
	g.record = *p
	clear((*[4]uint64)(g.pinned)[:])
	r := &[4]uint64{3: uint64(uintptr(g.pinned))} // the host's record is where the host's memory is
	if err := d.call("cuMemcpyHtoDAsync", a.MemcpyHtoDAsync, g.record, ptr(r), faultBytes, g.cur.h); err != nil {
		return err
	}
	err = d.call("cuStreamSynchronize", a.StreamSynchronize, g.cur.h)
	runtime.KeepAlive(r)
	return err
}

const (
	faultBytes  = 32
	pinnedBytes = 1 << 20 // what a small copy to the host goes through
)

func (g *GPU) stream() (*stream, error) {
	h := new(uintptr)
	const nonBlocking = 1
	if err := g.d.call("cuStreamCreate", g.d.api.StreamCreate, ptr(h), nonBlocking); err != nil {
		return nil, err
	}
	return &stream{g: g, h: *h}, nil
}

// do runs a command on the context's goroutine.
func (g *GPU) do(c *command) {
	if c.run != nil {
		c.run()
		return
	}
	if g.failed != nil || g.late != nil {
		return // whoever waits next is told
	}
	g.launch(c.fn, c.x, c.y, c.thr, c.args, c.stream)
}

// Keys of the parameters of a launch.
const (
	launchBuffer     = 1
	launchBufferSize = 2
)

// packed is how a launch's parameters are given to the driver: one buffer and its size.
// It is on the heap, and reused.
type packed struct {
	list [5]uintptr
	size uintptr
}

// of is the address of the list for some arguments, which the caller keeps alive.
func (p *packed) of(args []uint64) uintptr {
	p.size = uintptr(8 * len(args))
	p.list = [5]uintptr{launchBuffer, ptr(&args[0]), launchBufferSize, ptr(&p.size)}
	return ptr(&p.list[0])
}

func (g *GPU) launch(fn *function, x, y, threads int, args []uint64, stream uintptr) {
	if g.failed != nil || g.late != nil {
		return
	}
	err := g.d.call("cuLaunchKernel", g.d.api.LaunchKernel, fn.h, uintptr(x), uintptr(y), 1, uintptr(threads), 1, 1, uintptr(fn.shared), stream, 0, g.pack.of(args))
	runtime.KeepAlive(args)
	if err != nil {
		g.late = g.fatal(err)
	}
}

// copyOn queues a copy on the device.
func (g *GPU) copyOn(dst, src uintptr, n int, s *stream) {
	if g.failed == nil && g.late == nil {
		if err := g.d.call("cuMemcpyDtoDAsync", g.d.api.MemcpyDtoDAsync, dst, src, uintptr(n), s.h); err != nil {
			g.late = g.fatal(err)
		}
	}
}

// fatal notes an error that ends the context.
func (g *GPU) fatal(err error) error {
	if e, ok := err.(*driverError); ok && (e.code >= 700 && e.code < 800 || e.code == 999 || e.code == 214 || e.code == 46) {
		g.failed = tensor.Errorf(tensor.RuntimeError, "%s", err)
		return g.failed
	}
	return err
}

// on runs f on the context's goroutine and waits for it.
func (g *GPU) on(f func() error) error {
	var err error
	d := &waiter{c: make(chan struct{})}
	g.q.put(command{done: d, run: func() {
		if err = g.failed; err == nil {
			err = g.fatal(f())
		}
	}})
	d.wait()
	return err
}

// now is the current stream.
func (g *GPU) now() *stream {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.cur
}

// settle waits for a stream and raises what kernels reported. It is called on the
// context's goroutine.
func (g *GPU) settle(s *stream) error {
	d, a := g.d, &g.d.api
	if err := g.late; err != nil {
		g.late = nil
		return err
	}
	if err := d.call("cuStreamSynchronize", a.StreamSynchronize, s.h); err != nil {
		return err
	}
	r := (*[3]uint64)(g.pinned)
	if uint32(r[0]) == 0 {
		return nil
	}
	site, value, limit := uint32(r[0]), r[1], r[2]
	clear(r[:])
	if err := d.call("cuMemsetD8Async", a.MemsetD8Async, g.record, 0, 24, s.h); err != nil {
		return err
	}
	g.mu.Lock()
	raise := g.raise
	g.mu.Unlock()
	if raise == nil {
		return tensor.Errorf(tensor.RuntimeError, "BUG: a kernel reported a fault at site %d", site)
	}
	return raise(site, value, limit)
}

// Info implements device.GPU.
func (g *GPU) Info() device.GPUInfo { return g.info }

// Name implements device.Device.
func (g *GPU) Name() string { return g.info.Name }

// Device implements tensor.Allocator.
func (g *GPU) Device() tensor.Device {
	return tensor.Device{Type: tensor.CUDA, Index: int16(g.index)}
}

// Processors implements device.GPU.
func (g *GPU) Processors() int { return g.info.Processors }

// Launch implements device.GPU.
func (g *GPU) Launch(code any, x, y, threads int, args []uint64) error {
	g.q.put(command{fn: code.(*function), x: x, y: y, thr: threads, stream: g.now().h, args: append([]uint64(nil), args...)})
	return nil
}

// Work implements device.GPU.
func (g *GPU) Work(n int) (uint64, error) {
	s := g.now()
	g.mu.Lock()
	if w := s.work; w != nil && n <= w.n {
		defer g.mu.Unlock()
		return uint64(w.addr), nil
	}
	g.mu.Unlock()
	b, err := g.alloc.get(n) // kept for the stream's life; launches in the queue may still use the former one
	if err != nil {
		return 0, err
	}
	w := b.(*buffer)
	err = g.on(func() error { return g.d.call("cuMemsetD8Async", g.d.api.MemsetD8Async, w.addr, 0, uintptr(n), s.h) })
	if err != nil {
		return 0, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s.work = w
	return uint64(w.addr), nil
}

// Faults implements device.GPU.
func (g *GPU) Faults(raise func(site uint32, value, limit uint64) error) uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.raise = raise
	return uint64(g.record)
}

// Synchronize implements device.GPU.
func (g *GPU) Synchronize() error {
	s := g.now()
	return g.on(func() error { return g.settle(s) })
}

// Read implements device.GPU.
func (g *GPU) Read(dst []byte, addr uint64) error {
	s := g.now()
	if len(dst) == 0 {
		return nil
	}
	return g.on(func() error {
		a := &g.d.api
		if n := len(dst); n <= pinnedBytes-64 {
			stage := unsafe.Add(g.pinned, 64)
			if err := g.d.call("cuMemcpyDtoHAsync", a.MemcpyDtoHAsync, uintptr(stage), uintptr(addr), uintptr(n), s.h); err != nil {
				return err
			}
			err := g.settle(s)
			copy(dst, unsafe.Slice((*byte)(stage), n))
			return err
		}
		err := g.d.call("cuMemcpyDtoHAsync", a.MemcpyDtoHAsync, ptr(unsafe.SliceData(dst)), uintptr(addr), uintptr(len(dst)), s.h)
		if err == nil {
			err = g.settle(s)
		}
		runtime.KeepAlive(dst)
		return err
	})
}

// Write implements device.GPU: src has been read when it returns.
func (g *GPU) Write(addr uint64, src []byte) error {
	s := g.now()
	if len(src) == 0 {
		return nil
	}
	return g.on(func() error {
		err := g.d.call("cuMemcpyHtoDAsync", g.d.api.MemcpyHtoDAsync, uintptr(addr), ptr(unsafe.SliceData(src)), uintptr(len(src)), s.h)
		if err == nil { // from memory that is not pinned the driver may still read
			err = g.d.call("cuStreamSynchronize", g.d.api.StreamSynchronize, s.h)
		}
		runtime.KeepAlive(src)
		return err
	})
}

// Copy implements device.Device.
func (g *GPU) Copy(_ device.Stream, dst tensor.Buffer, dstOff int, src tensor.Buffer, srcOff, n int) error {
	if n == 0 {
		return nil
	}
	at := func(b tensor.Buffer, off int) uint64 {
		return uint64(uintptr(b.(tensor.Addressed).Addr())) + uint64(off)
	}
	var err error
	switch d, h := dst.Bytes(), src.Bytes(); {
	case d != nil:
		err = g.Read(d[dstOff:dstOff+n], at(src, srcOff))
	case h != nil:
		err = g.Write(at(dst, dstOff), h[srcOff:srcOff+n])
	default:
		s := g.now()
		a, b := uintptr(at(dst, dstOff)), uintptr(at(src, srcOff))
		g.q.put(command{run: func() { g.copyOn(a, b, n, s) }})
	}
	runtime.KeepAlive(dst)
	runtime.KeepAlive(src)
	return err
}

// NewStream implements device.Device.
func (g *GPU) NewStream() (device.Stream, error) {
	var s *stream
	err := g.on(func() (err error) {
		s, err = g.stream()
		return err
	})
	return s, err
}

// Current implements device.GPU.
func (g *GPU) Current() device.Stream { return g.now() }

// Use implements device.GPU.
func (g *GPU) Use(s device.Stream) (device.Stream, error) {
	t, ok := s.(*stream)
	if !ok || t.g != g {
		return nil, tensor.Errorf(tensor.RuntimeError, "a stream of another device")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	was := g.cur
	g.cur = t
	return was, nil
}

// Launch implements device.Stream: k queues itself.
func (s *stream) Launch(k device.Kernel) error { return k.Run(0, 0) }

// Sync implements device.Stream.
func (s *stream) Sync() error { return s.g.on(func() error { return s.g.settle(s) }) }

var _ device.GPU = (*GPU)(nil)
