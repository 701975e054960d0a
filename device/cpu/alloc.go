package cpu

import (
	"fmt"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/larkspur-ml/larkspur/device"
	"github.com/larkspur-ml/larkspur/tensor"
)

const (
	align = 64

	unknownMemory = 1 << 42

	// CollectFloor is how many live bytes the allocator tolerates before it first asks for a collection.
	CollectFloor = 256 << 20

	// entryCost is what a buffer costs beside its bytes: handle, storage, tensor, bookkeeping. Counting it makes a million scalars
	// as visible as one large tensor.
	entryCost = 256
)

// Allocator gives out host memory. It is safe for concurrent use. Make one for each Runtime.
type Allocator struct {
	mu      sync.Mutex
	pool    [numClasses][][]byte
	out     []outEntry // blocks whose Buffers may be reachable
	holes   []int32    // free places in out
	slabs   [slabMost / align]*slab
	seen    uint64 // garbage collections seen when out was last swept
	trigger int64  // live bytes at which the next collection is asked for
	stats   device.Stats

	escaped atomic.Int64 // bytes of escaped blocks that died since stats.Live last heard of it
	gcs     *gcClock
	machine int64 // the limit where none is set
}

// outEntry is a block that is out, as one buffer or cut up as a slab.
type outEntry struct {
	buf   weak.Pointer[buffer]
	slab  weak.Pointer[slab]
	mem   []byte
	class int32
}

func (e *outEntry) dead() bool { return e.buf.Value() == nil && e.slab.Value() == nil }

// buffer is the handle whose reachability decides its block's life.
type buffer struct {
	mem  []byte
	at   int32 // place in Allocator.out, -1 for memory that is not the allocator's
	home *Allocator
}

// slab is a block that is given out in small parts. Their handles lie in it, so it
// is reachable as long as one of them is: a weak pointer and an entry serve for
// many, which is most of what a buffer of a few bytes would cost.
type slab struct {
	parts  [slabParts]buffer
	next   int
	reused int64 // 1: from the pool
}

const (
	slabParts = 32
	slabMost  = 256 // bytes of the largest part
)

func (b *buffer) Device() tensor.Device { return tensor.Device{Type: tensor.CPU} }
func (b *buffer) Len() int              { return len(b.mem) }
func (b *buffer) Bytes() []byte         { return b.mem }

// NewAllocator makes an allocator; limit is in bytes, 0 for the machine's memory.
func NewAllocator(limit int64) *Allocator {
	return &Allocator{stats: device.Stats{Limit: limit}, trigger: CollectFloor, gcs: startClock(), machine: physical()}
}

// Size classes: four to a power of two from 64 bytes on, so that at most a fifth of a block is waste.
const numClasses = 4 * 58

func classOf(n int) int32 {
	if n <= align {
		return 0
	}
	u := uint(n - 1)
	e := bits.Len(u) - 1 // 2^e <= n-1, e >= 6
	return int32(4*(e-6) + int(u>>(e-2)&3) + 1)
}

func classSize(c int32) int {
	if c == 0 {
		return align
	}
	e, q := int(c-1)/4+6, int(c-1)%4
	n := (1<<e + (q+1)<<(e-2) + align - 1) &^ (align - 1)
	return n
}

// Device is the CPU.
func (a *Allocator) Device() tensor.Device { return tensor.Device{Type: tensor.CPU} }

// Alloc returns n bytes, not cleared.
func (a *Allocator) Alloc(n int) (tensor.Buffer, error) {
	if n < 0 || n > 1<<56 {
		return nil, tensor.Errorf(tensor.RuntimeError, "[enforce fail at alloc_cpu.cpp:66] . DefaultCPUAllocator: can't allocate memory: you tried to allocate %d bytes. Error code 12 (Cannot allocate memory)", n)
	}
	if n <= slabMost {
		return a.small(n)
	}
	b := &buffer{home: a}
	a.mu.Lock()
	defer a.mu.Unlock()
	mem, at, err := a.block(n)
	if err != nil {
		return nil, err
	}
	b.mem, b.at = mem[:n:n], at
	a.out[at].buf = weak.Make(b)
	return b, nil
}

// small gives out a part of a slab.
func (a *Allocator) small(n int) (tensor.Buffer, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	part := (n + align - 1) / align
	if part == 0 {
		part = 1
	}
	s := a.slabs[part-1]
	if s == nil {
		reused := a.stats.Reused
		mem, at, err := a.block(part * align * slabParts)
		if err != nil {
			return nil, err
		}
		s = &slab{reused: a.stats.Reused - reused}
		a.stats.Reused = reused
		for i := range s.parts {
			o := i * part * align
			s.parts[i] = buffer{mem: mem[o : o+part*align : o+part*align], at: at, home: a}
		}
		a.out[at].slab = weak.Make(s)
		a.slabs[part-1] = s
		a.stats.Allocs--
	}
	b := &s.parts[s.next]
	b.mem = b.mem[:n:n]
	if s.next++; s.next == slabParts {
		a.slabs[part-1] = nil
	}
	a.stats.Allocs++
	a.stats.Reused += s.reused
	return b, nil
}

// block finds memory for n bytes and enters it in out, still without an owner.
func (a *Allocator) block(n int) ([]byte, int32, error) {
	class := classOf(n)
	size := classSize(class)
	if a.seen != a.gcs.count() && len(a.pool[class]) == 0 {
		a.sweep() // the runtime collected on its own account
	}
	mem := a.take(class)
	if mem == nil && a.stats.Live+int64(size) > a.trigger {
		a.collect()
		mem = a.take(class)
	}
	cost := int64(size + entryCost)
	if a.overLimit(cost) {
		if a.trim(a.limit() - a.stats.Live - cost); a.overLimit(cost) {
			if mem != nil {
				a.put(class, mem)
			}
			a.collect()
			mem = a.take(class)
			a.trim(a.limit() - a.stats.Live - cost)
			if a.overLimit(cost) {
				if mem != nil {
					a.put(class, mem)
				}
				return nil, 0, a.limitError(n)
			}
		}
	}
	if mem == nil {
		var err error
		if mem, err = fresh(size, n); err != nil {
			return nil, 0, err
		}
	} else {
		a.stats.Reused++
	}
	a.stats.Allocs++
	a.stats.Live += cost
	a.stats.Peak = max(a.stats.Peak, a.stats.Live)
	e := outEntry{mem: mem, class: class}
	at := int32(len(a.out))
	if k := len(a.holes); k > 0 {
		at = a.holes[k-1]
		a.holes = a.holes[:k-1]
		a.out[at] = e
	} else {
		a.out = append(a.out, e)
	}
	return mem, at, nil
}

// fresh makes a block of Go memory whose start is aligned.
func fresh(size, asked int) (mem []byte, err error) {
	defer func() {
		if recover() != nil { // makeslice: len out of range
			err = tensor.Errorf(tensor.RuntimeError, "[enforce fail at alloc_cpu.cpp:66] . DefaultCPUAllocator: can't allocate memory: you tried to allocate %d bytes. Error code 12 (Cannot allocate memory)", asked)
		}
	}()
	mem = make([]byte, size)
	if off := int(uintptr(unsafe.Pointer(unsafe.SliceData(mem))) & (align - 1)); off != 0 {
		mem = make([]byte, size+align)
		off = -int(uintptr(unsafe.Pointer(unsafe.SliceData(mem)))) & (align - 1)
		mem = mem[off : off+size : off+size]
	}
	return mem, nil
}

// overLimit: a block that was taken from the pool has already left stats.Pooled.
func (a *Allocator) overLimit(cost int64) bool { return a.stats.Live+a.stats.Pooled+cost > a.limit() }

func (a *Allocator) limit() int64 {
	if a.stats.Limit != 0 {
		return a.stats.Limit
	}
	return a.machine
}

func (a *Allocator) limitError(n int) error {
	return &tensor.Error{Kind: tensor.RuntimeError, Msg: fmt.Sprintf(
		"[enforce fail at alloc_cpu.cpp:66] . DefaultCPUAllocator: can't allocate memory: you tried to allocate %d bytes. "+
			"The limit is %d bytes, of which %d are in use", n, a.limit(), a.stats.Live)}
}

func (a *Allocator) take(class int32) []byte {
	p := a.pool[class]
	if len(p) == 0 {
		return nil
	}
	mem := p[len(p)-1]
	p[len(p)-1] = nil
	a.pool[class] = p[:len(p)-1]
	a.stats.Pooled -= int64(len(mem))
	return mem
}

func (a *Allocator) put(class int32, mem []byte) {
	a.pool[class] = append(a.pool[class], mem)
	a.stats.Pooled += int64(len(mem))
}

// trim leaves at most keep bytes in the pool, dropping the largest blocks first.
func (a *Allocator) trim(keep int64) {
	for c := numClasses - 1; c >= 0 && a.stats.Pooled > max(keep, 0); c-- {
		for a.stats.Pooled > max(keep, 0) && a.take(int32(c)) != nil {
		}
	}
}

// collect asks the runtime for a full collection and takes back the dead. The lock is held: other users would only find the
// same empty pool.
func (a *Allocator) collect() {
	runtime.GC()
	a.stats.Collections++
	a.sweep()
	a.trigger = max(CollectFloor, 2*a.stats.Live)
	// What a program needs at its peak stays pooled; what it needed once and no longer does goes back to the runtime.
	a.trim(a.trigger)
}

// sweep returns the blocks of unreachable buffers to the pool.
func (a *Allocator) sweep() {
	a.seen = a.gcs.count()
	for i := range a.out {
		e := &a.out[i]
		if e.mem != nil && e.dead() {
			a.release(int32(i))
		}
	}
	a.stats.Live -= a.escaped.Swap(0)
}

func (a *Allocator) release(at int32) {
	e := &a.out[at]
	a.stats.Live -= int64(len(e.mem) + entryCost)
	a.put(e.class, e.mem)
	*e = outEntry{}
	a.holes = append(a.holes, at)
}

// Free gives a buffer back before the collector finds it dead. The caller vouches that no one else uses it; whoever does finds
// it empty.
func (a *Allocator) Free(t tensor.Buffer) {
	b, ok := t.(*buffer)
	if !ok || b.home != a {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if b.at < 0 || b.mem == nil {
		return
	}
	if a.out[b.at].slab.Value() != nil { // its block is also others'
		b.at, b.mem = -1, nil
		return
	}
	a.release(b.at)
	b.at, b.mem = -1, nil
}

// Escape takes the buffer's memory out of the pool's care and returns it: a slice of it may outlive the Buffer. The bytes
// stay counted until the collector has freed them. Memory that is not this allocator's is returned as it is.
func (a *Allocator) Escape(t tensor.Buffer) []byte {
	b, ok := t.(*buffer)
	if !ok || b.home != a {
		return t.Bytes()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if b.at >= 0 && len(b.mem) > 0 {
		e := &a.out[b.at]
		n := int64(len(e.mem) + entryCost)
		runtime.AddCleanup(unsafe.SliceData(e.mem), func(c *atomic.Int64) { c.Add(n) }, &a.escaped)
		sl := e.slab.Value()
		*e = outEntry{}
		a.holes = append(a.holes, b.at)
		b.at = -1
		if sl != nil { // all parts leave with the block
			for i := range sl.parts {
				sl.parts[i].at = -1
			}
			for i := range a.slabs {
				if a.slabs[i] == sl {
					a.slabs[i] = nil
				}
			}
		}
	}
	return b.mem
}

// Collect asks for a collection now.
func (a *Allocator) Collect() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.collect()
}

// SetLimit changes the limit; 0 removes it. Buffers that are out stay.
func (a *Allocator) SetLimit(n int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stats.Limit = n
}

// Stats returns the figures of now.
func (a *Allocator) Stats() device.Stats {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stats.Live -= a.escaped.Swap(0)
	return a.stats
}

// Number is what Wrap can take.
type Number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~float32 | ~float64 | ~bool
}

// Wrap makes a Buffer of a Go slice without copying. The Buffer keeps the slice alive; both see each other's writes. Its memory
// is not counted and need not be aligned.
func Wrap[T Number](s []T) tensor.Buffer {
	var z T
	mem := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(z)))
	return &buffer{mem: mem, at: -1}
}

// gcClock counts the process's garbage collections by an object that dies in each.
type gcClock struct{ n atomic.Uint64 }

var (
	clock     gcClock
	clockOnce sync.Once
)

func startClock() *gcClock {
	clockOnce.Do(clock.arm)
	return &clock
}

func (c *gcClock) arm() {
	tick := new([2]uintptr)
	runtime.AddCleanup(tick, func(c *gcClock) { c.n.Add(1); c.arm() }, c)
}

func (c *gcClock) count() uint64 { return c.n.Load() }
