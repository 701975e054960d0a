package cpu

import (
	"encoding/binary"
	"math/rand"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/larkspur-ml/larkspur/tensor"
)

func TestClasses(t *testing.T) {
	for n := 0; n < 1<<16; n++ {
		c := classOf(n)
		if s := classSize(c); s < n || s%align != 0 || n > 1024 && s > n+n/4+align {
			t.Fatalf("%d bytes: class %d of %d", n, c, s)
		}
	}
	for sh := 16; sh < 57; sh++ {
		for _, n := range []int{1<<sh - 1, 1 << sh, 1<<sh + 1, 1<<sh + 1<<(sh-2), 1<<sh + 1<<(sh-2) + 1} {
			if c := classOf(n); int(c) >= numClasses || classSize(c) < n {
				t.Fatalf("%d bytes: class %d of %d", n, c, classSize(c))
			}
		}
	}
}

func TestAligned(t *testing.T) {
	a := NewAllocator(0)
	for _, n := range []int{0, 1, 63, 64, 65, 100, 192, 800, 1000, 3000, 4097, 10000, 40000, 1 << 20} {
		b, err := a.Alloc(n)
		if err != nil {
			t.Fatal(err)
		}
		mem := b.Bytes()
		if len(mem) != n || uintptr(unsafe.Pointer(unsafe.SliceData(mem)))%align != 0 {
			t.Errorf("%d bytes at %p", len(mem), unsafe.SliceData(mem))
		}
	}
}

var keep tensor.Buffer

// TestFlat allocates 20 GB in steps whose buffers die at once, without a Free.
func TestFlat(t *testing.T) {
	a := NewAllocator(0)
	for i := range 10000 {
		for _, n := range []int{1 << 20, 1 << 19, 100, 1 << 19} {
			b, err := a.Alloc(n)
			if err != nil {
				t.Fatal(err)
			}
			b.Bytes()[n-1] = byte(i)
			keep = b
		}
	}
	s := a.Stats()
	if s.Peak > CollectFloor+4<<20 {
		t.Errorf("peak %d", s.Peak)
	}
	if s.Collections > 10000*2/256*2 {
		t.Errorf("%d collections", s.Collections)
	}
	if s.Live+s.Pooled > 2*CollectFloor {
		t.Errorf("live %d pooled %d", s.Live, s.Pooled)
	}
	if s.Reused < 9*s.Allocs/10 {
		t.Errorf("%d of %d reused", s.Reused, s.Allocs)
	}
}

func TestLimit(t *testing.T) {
	a := NewAllocator(10 << 20)
	var held []tensor.Buffer
	for range 8 {
		b, err := a.Alloc(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, b)
	}
	_, err := a.Alloc(4 << 20)
	if err == nil {
		t.Fatal("no error over the limit")
	}
	for _, part := range []string{"can't allocate memory: you tried to allocate 4194304 bytes", "limit is 10485760 bytes, of which 8390656 are in use"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q lacks %q", err, part)
		}
	}
	if e := err.(*tensor.Error); e.Kind != tensor.RuntimeError {
		t.Error(e.Kind)
	}
	// The runtime goes on, and what has died makes room, in another size class too.
	clear(held[2:])
	runtime.KeepAlive(held)
	b, err := a.Alloc(4 << 20)
	if err != nil {
		t.Fatal(err)
	}
	if s := a.Stats(); s.Live+s.Pooled > s.Limit {
		t.Errorf("live %d + pooled %d", s.Live, s.Pooled)
	}
	runtime.KeepAlive(b)
	if _, err := a.Alloc(-1); err == nil {
		t.Error("negative size")
	}
	if _, err := NewAllocator(0).Alloc(1 << 55); err == nil {
		t.Error("32 PiB")
	}
}

func TestFree(t *testing.T) {
	a := NewAllocator(0)
	b, _ := a.Alloc(1000)
	p := unsafe.SliceData(b.Bytes())
	a.Free(b)
	a.Free(b)
	if b.Bytes() != nil {
		t.Error("a freed buffer still has memory")
	}
	c, _ := a.Alloc(999)
	if unsafe.SliceData(c.Bytes()) != p {
		t.Error("not reused")
	}
	d, _ := a.Alloc(999)
	if unsafe.SliceData(d.Bytes()) == p {
		t.Error("given out twice")
	}
	runtime.KeepAlive(c)
}

func TestEscape(t *testing.T) {
	a := NewAllocator(0)
	b, _ := a.Alloc(4096)
	mem := a.Escape(b)
	for i := range mem {
		mem[i] = 7
	}
	live := a.Stats().Live
	b = nil
	a.Collect()
	if got := a.Stats(); got.Live != live || got.Pooled != 0 {
		t.Errorf("live %d, was %d; pooled %d", got.Live, live, got.Pooled)
	}
	for range 100 {
		c, _ := a.Alloc(4096)
		clear(c.Bytes())
	}
	for _, v := range mem {
		if v != 7 {
			t.Fatal("escaped memory was reused")
		}
	}
	_ = b
}

func TestWrapKeepsOwner(t *testing.T) {
	died := make(chan bool, 1)
	b := func() tensor.Buffer {
		s := make([]float32, 1000)
		s[999] = 5
		runtime.AddCleanup(&s[0], func(c chan bool) { c <- true }, died)
		return Wrap(s)
	}()
	runtime.GC()
	runtime.GC()
	if len(died) != 0 || b.Len() != 4000 || binary.LittleEndian.Uint32(b.Bytes()[3996:]) != 0x40a00000 {
		t.Error("the wrapped slice did not survive")
	}
	runtime.KeepAlive(b)
}

// TestGOGC1 lets several goroutines hold, drop and check buffers while the collector never rests.
func TestGOGC1(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	a := NewAllocator(64 << 20)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r := rand.New(rand.NewSource(int64(g)))
			type held struct {
				b    tensor.Buffer
				mark uint64
			}
			var hs [20]held
			for step := range 3000 {
				h := &hs[r.Intn(len(hs))]
				if h.b != nil {
					m := h.b.Bytes()
					for i := 0; i+8 <= len(m); i += 8 {
						if binary.LittleEndian.Uint64(m[i:]) != h.mark {
							t.Errorf("goroutine %d step %d: a reachable buffer was overwritten", g, step)
							return
						}
					}
					if r.Intn(3) == 0 {
						a.Free(h.b)
					}
				}
				b, err := a.Alloc(r.Intn(20000))
				if err != nil {
					t.Error(err)
					return
				}
				*h = held{b, uint64(g)<<32 | uint64(step)}
				m := b.Bytes()
				for i := 0; i+8 <= len(m); i += 8 {
					binary.LittleEndian.PutUint64(m[i:], h.mark)
				}
				if step%500 == 0 {
					a.Collect()
				}
			}
		}()
	}
	wg.Wait()
	if s := a.Stats(); s.Reused == 0 || s.Live < 0 || s.Pooled < 0 {
		t.Errorf("%+v", s)
	}
}

func BenchmarkAlloc(b *testing.B) {
	for _, n := range []int{64, 4096, 1 << 20} {
		b.Run(classLabel(n), func(b *testing.B) {
			a := NewAllocator(0)
			for b.Loop() {
				keep, _ = a.Alloc(n)
			}
		})
	}
}

func classLabel(n int) string {
	return map[int]string{64: "64B", 4096: "4KiB", 1 << 20: "1MiB"}[n]
}
