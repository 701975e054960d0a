package cuda

import (
	"fmt"
	"runtime"
	"sort"
	"strings"
	"sync"
	"unsafe"
	"weak"

	"github.com/larkspur-ml/larkspur/device"
	"github.com/larkspur-ml/larkspur/tensor"
)

// The caching allocator, with the sizes of PyTorch's: requests are rounded up to 512
// bytes; those up to 1 MiB are cut from segments of 2 MiB, those up to 10 MiB from
// segments of 20 MiB, larger ones have a segment of their own, rounded up to 2 MiB,
// which may be cut later.
const (
	grain        = 512
	smallRequest = 1 << 20
	smallSegment = 2 << 20
	largeRequest = 10 << 20
	largeSegment = 20 << 20
	roundSegment = 2 << 20

	// collectPart is the part of a GPU's memory that is given out before a collection
	// is asked for: one costs milliseconds, and waits for the whole program.
	collectPart = 4
)

// segment is memory that the driver gave.
type segment struct {
	addr  uintptr
	size  int64
	small bool
	first *block
}

// block is a piece of a segment, in use or free.
type block struct {
	seg        *segment
	addr       uintptr
	size       int64
	prev, next *block // neighbours
	used       bool
	at         int // its place in allocator.out
	stream     *stream
}

// buffer is the handle whose reachability decides its block's life.
type buffer struct {
	dev  tensor.Device
	addr uintptr
	n    int
	b    *block
	home *allocator
}

func (b *buffer) Device() tensor.Device { return b.dev }
func (b *buffer) Len() int              { return b.n }
func (b *buffer) Bytes() []byte         { return nil }

// Addr implements tensor.Addressed.
func (b *buffer) Addr() unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&b.addr)) }

type outEntry struct {
	buf weak.Pointer[buffer]
	b   *block
}

type allocator struct {
	g    *GPU
	mu   sync.Mutex
	segs []*segment
	free [2][]*block // large, small; by size, then address
	out  []outEntry
	hole []int
	seen uint32 // collections when out was last swept

	trigger  int64
	stats    device.Stats
	reserved int64
	peakRes  int64
	retries  int64
	ooms     int64
}

func newAllocator(g *GPU) *allocator { return &allocator{g: g} }

// Alloc implements tensor.Allocator.
func (g *GPU) Alloc(n int) (tensor.Buffer, error) { return g.alloc.get(n) }

// Free implements tensor.Allocator.
func (g *GPU) Free(b tensor.Buffer) {
	x, ok := b.(*buffer)
	if !ok || x.home != g.alloc {
		return
	}
	a := g.alloc
	a.mu.Lock()
	defer a.mu.Unlock()
	if x.b != nil {
		a.release(x.b)
		x.b = nil
	}
}

// Stats implements device.Device.
func (g *GPU) Stats() device.Stats {
	a := g.alloc
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lookAround()
	s := a.stats
	s.Pooled = a.reserved - s.Live
	s.Limit = g.info.Memory
	return s
}

func (a *allocator) get(n int) (tensor.Buffer, error) {
	if n < 0 {
		return nil, tensor.Errorf(tensor.RuntimeError, "a negative number of bytes: %d", n)
	}
	size := max((int64(n)+grain-1)&^(grain-1), grain)
	s := a.g.now()
	x := &buffer{dev: a.g.Device(), n: n, home: a}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lookAround()
	b := a.take(size, s, false)
	if b == nil && a.stats.Live+size > max(a.trigger, a.g.info.Memory/collectPart) {
		a.collect()
		b = a.take(size, s, false)
	}
	if b == nil {
		seg, err := a.grow(size)
		if isOutOfMemory(err) { // what nobody holds any more, then what is only kept
			a.retries++
			a.collect()
			if b = a.take(size, s, false); b == nil {
				a.trim()
				if seg, err = a.grow(size); isOutOfMemory(err) { // what another stream has done with
					if b = a.take(size, s, true); b != nil && b.stream != nil && b.stream != s {
						if e := a.g.after(b.stream, s); e != nil {
							a.putBack(b)
							return nil, e
						}
					}
				}
			}
		}
		if b == nil {
			if isOutOfMemory(err) {
				a.ooms++
				return nil, a.outOfMemory(int64(n))
			}
			if err != nil {
				return nil, err
			}
			a.keep(seg.first)
			b = a.take(size, s, false)
		}
	} else {
		a.stats.Reused++
	}
	b.used, b.stream = true, s
	a.stats.Allocs++
	a.stats.Live += b.size
	a.stats.Peak = max(a.stats.Peak, a.stats.Live)
	x.b, x.addr = b, b.addr
	e := outEntry{weak.Make(x), b}
	if k := len(a.hole); k > 0 {
		b.at = a.hole[k-1]
		a.hole = a.hole[:k-1]
		a.out[b.at] = e
	} else {
		b.at = len(a.out)
		a.out = append(a.out, e)
	}
	return x, nil
}

func isOutOfMemory(err error) bool {
	e, ok := err.(*driverError)
	return ok && e.code == errOutOfMemory
}

// lookAround takes back what died in collections that others asked for.
func (a *allocator) lookAround() {
	if n := gcCount(); n != a.seen {
		a.sweep(n)
	}
}

// collect asks for a collection and takes back the dead.
func (a *allocator) collect() {
	runtime.GC()
	a.stats.Collections++
	a.sweep(gcCount())
	a.trigger = 2 * a.stats.Live
}

func (a *allocator) sweep(n uint32) {
	a.seen = n
	for i := range a.out {
		if e := &a.out[i]; e.b != nil && e.buf.Value() == nil {
			a.release(e.b)
		}
	}
}

// release makes a block free, and one with its free neighbours.
func (a *allocator) release(b *block) {
	if !b.used {
		panic("BUG: cuda: a block was freed twice")
	}
	a.out[b.at] = outEntry{}
	a.hole = append(a.hole, b.at)
	a.stats.Live -= b.size
	b.used = false
	join := func(x, y *block) {
		x.size += y.size
		if x.next = y.next; x.next != nil {
			x.next.prev = x
		}
	}
	if n := b.next; n != nil && !n.used && n.stream == b.stream {
		a.drop(n)
		join(b, n)
	}
	if p := b.prev; p != nil && !p.used && p.stream == b.stream {
		a.drop(p)
		join(p, b)
		b = p
	}
	a.keep(b)
}

func (a *allocator) list(b *block) *[]*block {
	if b.seg.small {
		return &a.free[1]
	}
	return &a.free[0]
}

func less(x *block, size int64, addr uintptr) bool {
	return x.size < size || x.size == size && x.addr < addr
}

// keep enters a free block in its list.
func (a *allocator) keep(b *block) {
	l := a.list(b)
	i := sort.Search(len(*l), func(i int) bool { return !less((*l)[i], b.size, b.addr) })
	*l = append(*l, nil)
	copy((*l)[i+1:], (*l)[i:])
	(*l)[i] = b
}

// drop takes it out.
func (a *allocator) drop(b *block) {
	l := a.list(b)
	i := sort.Search(len(*l), func(i int) bool { return !less((*l)[i], b.size, b.addr) })
	if i == len(*l) || (*l)[i] != b {
		panic("BUG: cuda: a free block is not in its list")
	}
	*l = append((*l)[:i], (*l)[i+1:]...)
}

// take finds the smallest free block that is large enough, and cuts it; any: also one
// whose last use was on another stream.
func (a *allocator) take(size int64, s *stream, any bool) *block {
	l := &a.free[0]
	small := size <= smallRequest
	if small {
		l = &a.free[1]
	}
	for i := sort.Search(len(*l), func(i int) bool { return (*l)[i].size >= size }); i < len(*l); i++ {
		b := (*l)[i]
		if !any && b.stream != nil && b.stream != s {
			continue // its last use may not be over
		}
		if !small && size >= largeRequest && b.size >= size+largeSegment {
			return nil // it would be wasted on this
		}
		*l = append((*l)[:i], (*l)[i+1:]...)
		if rest := b.size - size; small && rest >= grain || rest > smallRequest {
			r := &block{seg: b.seg, addr: b.addr + uintptr(size), size: rest, prev: b, next: b.next, stream: b.stream}
			if r.next != nil {
				r.next.prev = r
			}
			b.next, b.size = r, size
			a.keep(r)
		}
		return b
	}
	return nil
}

// putBack returns a block that take gave and nobody got.
func (a *allocator) putBack(b *block) { a.keep(b) }

// after makes what is queued on s from now on wait for what was queued on another.
func (g *GPU) after(other, s *stream) error {
	return g.on(func() error {
		d, api, e := g.d, &g.d.api, new(uintptr)
		if err := d.call("cuEventCreate", api.EventCreate, ptr(e), 0); err != nil {
			return err
		}
		defer d.call("cuEventDestroy", api.EventDestroy, *e)
		if err := d.call("cuEventRecord", api.EventRecord, *e, other.h); err != nil {
			return err
		}
		return d.call("cuStreamWaitEvent", api.StreamWaitEvent, s.h, *e, 0)
	})
}

// grow asks the driver for a segment.
func (a *allocator) grow(size int64) (*segment, error) {
	n := int64(smallSegment)
	switch {
	case size <= smallRequest:
	case size < largeRequest:
		n = largeSegment
	default:
		n = (size + roundSegment - 1) / roundSegment * roundSegment
	}
	p := new(uintptr)
	err := a.g.on(func() error { return a.g.d.call("cuMemAlloc", a.g.d.api.MemAlloc, ptr(p), uintptr(n)) })
	if err != nil {
		return nil, err
	}
	s := &segment{addr: *p, size: n, small: size <= smallRequest}
	s.first = &block{seg: s, addr: s.addr, size: n}
	a.segs = append(a.segs, s)
	a.reserved += n
	a.peakRes = max(a.peakRes, a.reserved)
	return s, nil
}

// trim gives segments without a used block back to the driver.
func (a *allocator) trim() error {
	var keep []*segment
	var first error
	for _, s := range a.segs {
		idle := true
		for b := s.first; b != nil; b = b.next {
			idle = idle && !b.used
		}
		if !idle {
			keep = append(keep, s)
			continue
		}
		for b := s.first; b != nil; b = b.next {
			a.drop(b)
		}
		a.reserved -= s.size
		addr := s.addr
		if err := a.g.on(func() error { return a.g.d.call("cuMemFree", a.g.d.api.MemFree, addr) }); err != nil && first == nil {
			first = err
		}
	}
	a.segs = keep
	return first
}

// outOfMemory is PyTorch's message with today's figures.
func (a *allocator) outOfMemory(n int64) error {
	free, total, _ := a.g.memory()
	return &tensor.Error{Kind: tensor.RuntimeError, Msg: fmt.Sprintf(
		"CUDA out of memory. Tried to allocate %s. GPU %d has a total capacity of %s of which %s is free. "+
			"Of the allocated memory %s is allocated by Larkspur, and %s is reserved by Larkspur but unallocated.",
		bytesText(n), a.g.index, bytesText(total), bytesText(free), bytesText(a.stats.Live), bytesText(a.reserved-a.stats.Live))}
}

// bytesText is a size as PyTorch words it.
func bytesText(n int64) string {
	switch {
	case n <= 1024:
		return fmt.Sprintf("%d bytes", n)
	case n <= 1<<20:
		return fmt.Sprintf("%.2f KiB", float64(n)/1024)
	case n <= 1<<30:
		return fmt.Sprintf("%.2f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.2f GiB", float64(n)/(1<<30))
}

func (g *GPU) memory() (free, total int64, err error) {
	f, t := new(uint64), new(uint64)
	err = g.on(func() error { return g.d.call("cuMemGetInfo", g.d.api.MemGetInfo, ptr(f), ptr(t)) })
	return int64(*f), int64(*t), err
}

// MemoryInfo implements device.GPU.
func (g *GPU) MemoryInfo() (free, total int64, err error) { return g.memory() }

// EmptyCache implements device.GPU.
func (g *GPU) EmptyCache() error {
	if err := g.Synchronize(); err != nil {
		return err
	}
	g.alloc.mu.Lock()
	defer g.alloc.mu.Unlock()
	g.alloc.collect()
	return g.alloc.trim()
}

// ResetPeak implements device.GPU.
func (g *GPU) ResetPeak() {
	a := g.alloc
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stats.Peak, a.peakRes = a.stats.Live, a.reserved
}

// Summary implements device.GPU.
func (g *GPU) Summary() string {
	a := g.alloc
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lookAround()
	var sb strings.Builder
	line := strings.Repeat("=", 75)
	fmt.Fprintf(&sb, "|%s|\n|%-75s|\n|%s|\n", line, fmt.Sprintf("                  Larkspur CUDA memory summary, device ID %d", g.index), line)
	fmt.Fprintf(&sb, "| %-20s | %-50s |\n", "CUDA OOMs", fmt.Sprintf("%d        retries: %d", a.ooms, a.retries))
	fmt.Fprintf(&sb, "| %-20s | %-23s | %-24s |\n", "Metric", "Cur Usage", "Peak Usage")
	row := func(name string, now, peak int64) {
		fmt.Fprintf(&sb, "| %-20s | %23s | %24s |\n", name, bytesText(now), bytesText(peak))
	}
	row("Allocated memory", a.stats.Live, a.stats.Peak)
	row("GPU reserved memory", a.reserved, a.peakRes)
	fmt.Fprintf(&sb, "| %-20s | %23d | %24d |\n", "Segments", len(a.segs), len(a.out)-len(a.hole))
	fmt.Fprintf(&sb, "|%s|\n", line)
	return sb.String()
}
