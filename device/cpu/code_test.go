//go:build linux && amd64

package cpu

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
)

// addConst is mov rax,[rdi]; add rax,imm32; mov [rdi],rax; ret.
func addConst(n int32) []byte {
	b := []byte{0x48, 0x8b, 0x07, 0x48, 0x05}
	b = binary.LittleEndian.AppendUint32(b, uint32(n))
	return append(b, 0x48, 0x89, 0x07, 0xc3)
}

func load(t testing.TB, b []byte) *Code {
	t.Helper()
	c, err := LoadCode(b)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCall(t *testing.T) {
	c := load(t, addConst(7))
	x := int64(3)
	if err := c.Call(unsafe.Pointer(&x)); err != nil || x != 10 {
		t.Fatal(x, err)
	}
}

// TestSpill uses the frames: it fills [rsp+8 .. rsp+4096), or to 32768, and sums it
// up again.
func TestSpill(t *testing.T) {
	t.Run("4 KiB", func(t *testing.T) { spill(t, 512, (*Code).Call) })
	t.Run("32 KiB", func(t *testing.T) { spill(t, 4096, (*Code).CallDeep) })
}

func spill(t *testing.T, words int64, call func(*Code, unsafe.Pointer) error) {
	last := byte((words - 1) >> 8)
	code := []byte{
		0x31, 0xc0, // xor eax,eax
		0xb9, 0xff, last, 0, 0, // mov ecx,words-1
		0x48, 0x89, 0x0c, 0xcc, // mov [rsp+rcx*8],rcx
		0xff, 0xc9, // dec ecx
		0x75, 0xf8, // jnz -8
		0xb9, 0xff, last, 0, 0, // mov ecx,words-1
		0x48, 0x03, 0x04, 0xcc, // add rax,[rsp+rcx*8]
		0xff, 0xc9, // dec ecx
		0x75, 0xf8, // jnz -8
		0x48, 0x89, 0x07, // mov [rdi],rax
		0xc3,
	}
	c := load(t, code)
	var wg sync.WaitGroup
	for range 300 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 20 {
				x := new(int64)
				if err := call(c, unsafe.Pointer(x)); err != nil || *x != (words-1)*words/2 {
					t.Error(*x, err)
					return
				}
			}
		}()
	}
	wg.Wait()
}

// TestFault: a wild access inside a kernel is an error, on every goroutine, and
// what ran before goes on.
func TestFault(t *testing.T) {
	bad := load(t, []byte{0x31, 0xc0, 0x48, 0x8b, 0x00, 0xc3})                             // mov rax,[0]
	wild := load(t, []byte{0x48, 0xb8, 0, 0, 0, 0x12, 0x34, 0x56, 0, 0, 0x88, 0x00, 0xc3}) // mov [wild],al
	good := load(t, addConst(1))
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 50 {
				x := int64(0)
				for i, c := range []*Code{bad, wild, bad, wild} {
					call := c.Call
					if i > 1 {
						call = c.CallDeep
					}
					if err := call(unsafe.Pointer(&x)); err == nil || !strings.HasPrefix(err.Error(), "BUG: a kernel") {
						t.Error("no error from a fault:", err)
					}
				}
				if err := good.Call(unsafe.Pointer(&x)); err != nil || x != 1 {
					t.Error(x, err)
				}
				if old := debug.SetPanicOnFault(false); old {
					t.Error("the fault mode was not put back")
				}
			}
		}()
	}
	wg.Wait()
}

// TestStress calls kernels while they come and go, with the collector always at
// work and the stacks growing.
func TestStress(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	deadline := time.Now().Add(1500 * time.Millisecond)
	var wg sync.WaitGroup
	for g := range 300 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var keep []*Code
			for i := 0; time.Now().Before(deadline) || i < 3; i++ {
				n := int32(g*1000 + i)
				c := load(t, addConst(n))
				x := deep(c, i%50)
				if x != int64(n) {
					t.Errorf("%d, want %d", x, n)
					return
				}
				if keep = append(keep, c); len(keep) > 5 {
					keep = keep[1:]
				}
			}
		}()
	}
	wg.Wait()
}

// deep calls c below n frames of its own.
func deep(c *Code, n int) int64 {
	var pad [256]byte
	pad[n] = 1
	if n > 0 {
		return deep(c, n-1) + int64(pad[n]-1)
	}
	x := new(int64)
	if err := c.Call(unsafe.Pointer(x)); err != nil {
		return -1
	}
	return *x
}

// TestReuse: the space of code that nothing reaches is used again.
func TestReuse(t *testing.T) {
	a := newArena()
	if a == nil {
		t.Skip("no arena here")
	}
	var frees []func()
	for i := range 10 {
		_, free, ok := a.put(make([]byte, 100*(i+1)))
		if !ok {
			t.Fatal("full")
		}
		frees = append(frees, free)
	}
	top := a.chunks[0].top
	for _, i := range []int{3, 1, 2, 9, 0, 8, 5, 7, 6, 4} {
		frees[i]()
	}
	if c := a.chunks[0]; c.top != 0 || len(c.free) != 0 {
		t.Errorf("after all were given back: top %d of %d, %d spans", c.top, top, len(c.free))
	}
	for range 100 {
		load(t, addConst(1))
	}
	runtime.GC()
}

func TestWriteOrExecute(t *testing.T) {
	a := newArena()
	if a == nil {
		t.Skip("no arena here")
	}
	a.put(addConst(5))
	c := a.chunks[0]
	if !bytes.Equal(c.write[:64], c.exec[:64]) {
		t.Error("the two mappings differ")
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() == nil {
			t.Error("executable memory can be written")
		}
	}()
	c.exec[0] = 0
}

func BenchmarkCall(b *testing.B) {
	c := load(b, []byte{0xc3})
	x := new(int64)
	for b.Loop() {
		c.Call(unsafe.Pointer(x))
	}
}
