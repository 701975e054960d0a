package cuda

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/larkspur-ml/larkspur/device"
	"github.com/larkspur-ml/larkspur/tensor"
)

// fake builds the driver for tests; each test has a copy of its own, with its own state.
func fake(t *testing.T) string { return build(t, "fakecuda.c", "libcuda.so.1") }

func build(t *testing.T, source, name string) string {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc to build the fake driver")
	}
	so := filepath.Join(t.TempDir(), name)
	if out, err := exec.Command(gcc, "-shared", "-fPIC", "-Wl,-Bsymbolic", "-O1", "-o", so, "testdata/"+source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return so
}

func open(t *testing.T, o Options) *GPU {
	o.Library = fake(t)
	g, err := New(o).Open(0)
	if err != nil {
		t.Fatal(err)
	}
	return g.(*GPU)
}

func bufferOf(t *testing.T, g *GPU, n int) *buffer {
	b, err := g.Alloc(n)
	if err != nil {
		t.Fatal(err)
	}
	return b.(*buffer)
}

func TestLaunch(t *testing.T) {
	g := open(t, Options{})
	if i := g.Info(); i.Name != "Fake GPU" || i.Major != 9 || g.Processors() != 4 {
		t.Errorf("%+v", i)
	}
	code, err := g.Load("text")
	if err != nil {
		t.Fatal(err)
	}
	b := bufferOf(t, g, 8)
	host := make([]byte, 8)
	if err := g.Write(uint64(b.addr), host); err != nil {
		t.Fatal(err)
	}
	for range 1000 { // far more than a batch; the arguments are copied
		args := []uint64{uint64(b.addr)}
		if err := g.Launch(code, 1, 1, 32, args); err != nil {
			t.Fatal(err)
		}
		args[0] = 0
	}
	if err := g.Read(host, uint64(b.addr)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(host, []byte{0xe8, 3, 0, 0, 0, 0, 0, 0}) {
		t.Errorf("after 1000 launches: %v", host)
	}
	if err := g.Launch(code, 0, 1, 32, []uint64{uint64(b.addr)}); err != nil {
		t.Fatal(err)
	}
	if err := g.Synchronize(); err == nil || !strings.Contains(err.Error(), "cuLaunchKernel") {
		t.Errorf("a bad launch: %v", err)
	}
	if err := g.Synchronize(); err != nil {
		t.Errorf("it is reported once: %v", err)
	}
	if _, err := g.Load("broken"); err == nil || !strings.Contains(err.Error(), "line 3: unexpected token") {
		t.Errorf("the compiler's log is missing: %v", err)
	}
}

func TestFault(t *testing.T) {
	g := open(t, Options{})
	rec := g.Faults(func(site uint32, value, limit uint64) error {
		return tensor.Errorf(tensor.IndexError, "site %d: %d of %d", site, value, limit)
	})
	if rec == 0 {
		t.Fatal("no record")
	}
	*(*[3]uint64)(g.pinned) = [3]uint64{7, 5, 3} // what a kernel leaves
	if err := g.Synchronize(); err == nil || err.Error() != "site 7: 5 of 3" {
		t.Errorf("%v", err)
	}
	if err := g.Synchronize(); err != nil {
		t.Errorf("it is reported once: %v", err)
	}
}

func TestOutOfMemory(t *testing.T) {
	t.Setenv("FAKECUDA_MEMORY", "33554432")
	g := open(t, Options{})
	a := bufferOf(t, g, 12<<20)
	_, err := g.Alloc(24 << 20)
	if err == nil || !strings.HasPrefix(err.Error(), "CUDA out of memory. Tried to allocate 24.00 MiB. GPU 0 has a total capacity of") {
		t.Fatalf("%v", err)
	}
	runtime.KeepAlive(a)
	a = nil // unreachable now: a collection finds it, and its segment goes back
	b, err := g.Alloc(24 << 20)
	if err != nil {
		t.Fatalf("after what was held is gone: %v", err)
	}
	g.Free(b)
	if s := g.Stats(); s.Live != 0 || s.Peak != 24<<20 {
		t.Errorf("%+v", s)
	}
	if err := g.EmptyCache(); err != nil || len(g.alloc.segs) != 0 {
		t.Errorf("%v, %d segments are left", err, len(g.alloc.segs))
	}
}

// TestWorkOutOfMemory: a workspace comes from the allocator, which gives up what it
// only keeps.
func TestWorkOutOfMemory(t *testing.T) {
	t.Setenv("FAKECUDA_MEMORY", "33554432")
	g := open(t, Options{})
	g.Free(bufferOf(t, g, 24<<20))
	w, err := g.Work(16 << 20)
	if err != nil || w == 0 {
		t.Fatalf("%v", err)
	}
	if again, err := g.Work(1 << 20); again != w || err != nil {
		t.Errorf("a smaller workspace is another one: %v", err)
	}
	g.alloc.mu.Lock()
	defer g.alloc.mu.Unlock()
	if g.alloc.stats.Live < 16<<20 {
		t.Error("the workspace is not counted")
	}
}

// TestOtherStream: where there is no more memory, a block that another stream used last
// is given out after an event of that stream.
func TestOtherStream(t *testing.T) {
	t.Setenv("FAKECUDA_MEMORY", "23000000")
	g := open(t, Options{})
	held, gone := bufferOf(t, g, 2<<20), bufferOf(t, g, 17<<20/2)
	rest := bufferOf(t, g, 19<<20/2)
	at := gone.addr
	g.Free(gone)
	s, err := g.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	was, _ := g.Use(s)
	b, err := g.Alloc(8 << 20)
	if err != nil {
		t.Fatal(err)
	}
	if b.(*buffer).addr != at || b.(*buffer).b.stream != s {
		t.Error("it is not the block of the other stream")
	}
	g.Use(was)
	checkBlocks(t, g.alloc)
	runtime.KeepAlive([]*buffer{held, rest})
}

func TestLost(t *testing.T) {
	t.Setenv("FAKECUDA_LOST", "2")
	g := open(t, Options{})
	code, err := g.Load("text")
	if err != nil {
		t.Fatal(err)
	}
	b := bufferOf(t, g, 8)
	for range 5 {
		g.Launch(code, 1, 1, 32, []uint64{uint64(b.addr)})
	}
	for range 2 {
		if err := g.Synchronize(); err == nil || !strings.Contains(err.Error(), "unspecified launch failure") {
			t.Errorf("%v", err)
		}
	}
}

// TestBlocks holds the allocator's invariant through many requests.
func TestBlocks(t *testing.T) {
	g := open(t, Options{})
	var held []*buffer
	r := uint32(1)
	for i := range 3000 {
		r = r*1664525 + 1013904223
		if len(held) > 0 && r>>28 < 7 {
			k := int(r>>8) % len(held)
			g.Free(held[k])
			held = append(held[:k], held[k+1:]...)
			continue
		}
		n := int(r >> 16 % 6 * 3)
		b, err := g.Alloc(n)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, b.(*buffer))
		if i%100 == 0 {
			checkBlocks(t, g.alloc)
		}
	}
	runtime.KeepAlive(held)
}

func checkBlocks(t *testing.T, a *allocator) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range a.segs {
		at := s.addr
		for b := s.first; b != nil; b = b.next {
			if b.addr != at || b.size <= 0 || b.next != nil && b.next.prev != b {
				t.Fatal("blocks overlap or leave a gap")
			}
			if b.next != nil && !b.used && !b.next.used && b.stream == b.next.stream {
				t.Fatal("two free neighbours")
			}
			at += uintptr(b.size)
		}
		if at != s.addr+uintptr(s.size) {
			t.Fatal("blocks do not fill their segment")
		}
	}
}

func TestCache(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kernels")
	g := open(t, Options{CacheDir: dir})
	if _, err := g.Load("text"); err != nil {
		t.Fatal(err)
	}
	files, _ := os.ReadDir(dir)
	if info, _ := os.Stat(dir); len(files) != 1 || info.Mode().Perm() != 0o700 {
		t.Fatalf("%v", files)
	}
	path := filepath.Join(dir, files[0].Name())
	good, _ := os.ReadFile(path)
	os.WriteFile(path, append(bytes.Clone(good[:40]), 'x'), 0o600) // damaged: made anew
	if _, err := g.Load("text"); err != nil {
		t.Fatal(err)
	}
	if now, _ := os.ReadFile(path); !bytes.Equal(now, good) {
		t.Error("a damaged file was kept")
	}
}

func TestEvents(t *testing.T) {
	g := open(t, Options{})
	code, _ := g.Load("text")
	b := bufferOf(t, g, 8)
	mark := func() device.Event {
		e, err := g.NewEvent()
		if err == nil {
			err = e.Record(g.Current())
		}
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	x := mark()
	for range 3 {
		g.Launch(code, 1, 1, 32, []uint64{uint64(b.addr)})
	}
	y := mark()
	if ms, err := x.Elapsed(y); err != nil || ms != 3 { // the fake counts launches
		t.Errorf("%v %v", ms, err)
	}
}

// TestReplay: a batch that comes again is one graph, and works on each run's memory.
func TestReplay(t *testing.T) {
	for _, c := range []struct {
		name    string
		refuse  bool
		replays int64
	}{{"graphs", false, 8}, {"a driver that refuses them", true, 0}} {
		t.Run(c.name, func(t *testing.T) {
			if c.refuse {
				t.Setenv("FAKECUDA_NOGRAPH", "1")
			}
			g := open(t, Options{})
			code, err := g.Load("text")
			if err != nil {
				t.Fatal(err)
			}
			x := g.NewBatch()
			var outs []*buffer
			for range 10 {
				in, out := bufferOf(t, g, 8), bufferOf(t, g, 8)
				g.Write(uint64(in.addr), make([]byte, 8))
				x.Begin()
				for range 3 {
					args := []uint64{uint64(in.addr)}
					x.Launch(code, 1, 1, 32, args)
					args[0] = 0 // they are copied
				}
				if err := x.Copy(out, in, 8); err != nil {
					t.Fatal(err)
				}
				x.Launch(code, 2, 1, 32, []uint64{uint64(out.addr), 7})
				if err := x.End(); err != nil {
					t.Fatal(err)
				}
				outs = append(outs, out)
			}
			got := make([]byte, 8)
			for i, o := range outs { // none was written by a later run
				if err := g.Read(got, uint64(o.addr)); err != nil || got[0] != 4 {
					t.Errorf("run %d: %v %v", i, got, err)
				}
			}
			if n := g.Replays(); n != c.replays {
				t.Errorf("%d graphs were launched, want %d", n, c.replays)
			}
			// another sequence, and one that reads in between
			x.Begin()
			x.Launch(code, 1, 1, 32, []uint64{uint64(outs[0].addr)})
			if err := x.Read(got, uint64(outs[0].addr)); err != nil || got[0] != 5 {
				t.Errorf("%v %v", got, err)
			}
			x.Launch(code, 1, 1, 32, []uint64{uint64(outs[0].addr)})
			x.End()
			if err := g.Read(got, uint64(outs[0].addr)); err != nil || got[0] != 6 {
				t.Errorf("%v %v", got, err)
			}
		})
	}
}

// TestReplayLost: an error inside of a graph is told at the next wait.
func TestReplayLost(t *testing.T) {
	t.Setenv("FAKECUDA_LOST", "13")
	g := open(t, Options{})
	code, _ := g.Load("text")
	b := bufferOf(t, g, 8)
	x := g.NewBatch()
	for range 6 {
		x.Begin()
		for range 3 {
			x.Launch(code, 1, 1, 32, []uint64{uint64(b.addr)})
		}
		x.End()
	}
	for range 2 {
		if err := g.Synchronize(); err == nil || !strings.Contains(err.Error(), "unspecified launch failure") {
			t.Errorf("%v", err)
		}
	}
}

// TestMultiply: the library's products are ours, whatever way the operands lie; an
// algorithm that fails is passed over, and a shape is asked about once.
func TestMultiply(t *testing.T) {
	was := blasLeast
	blasLeast = 1
	defer func() { blasLeast = was }()
	g := open(t, Options{BLAS: build(t, "fakeblas.c", "libcublasLt.so")})
	code, _ := g.Load("text")
	const m, n, k, batch = 5, 7, 3, 2
	fill := func(count int) (*buffer, []float32) {
		b, v := bufferOf(t, g, 4*count), make([]float32, count)
		for i := range v {
			v[i] = float32(i%11) - 4
		}
		g.Write(uint64(b.addr), unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), 4*count))
		return b, v
	}
	for _, ta := range []bool{false, true} {
		for _, tb := range []bool{false, true} {
			for _, bias := range []bool{false, true} {
				a, av := fill(batch * m * k)
				b, bv := fill(batch * k * n)
				c, _ := fill(batch * m * n)
				w, wv := fill(n)
				p := &device.Product{DType: tensor.Float32, M: m, N: n, K: k, A: uint64(a.addr), B: uint64(b.addr), C: uint64(c.addr), LDA: k, LDB: n, LDC: n,
					TransA: ta, TransB: tb, Batch: batch, StepA: m * k, StepB: k * n, StepC: m * n}
				if ta {
					p.LDA = m
				}
				if tb {
					p.LDB = k
				}
				if bias {
					p.Bias = uint64(w.addr)
				}
				own := &device.Launch{Code: code, X: 1, Y: 1, Threads: 32, Args: []uint64{uint64(bufferOf(t, g, 8).addr)}}
				g.Write(own.Args[0], make([]byte, 8))
				x := g.NewBatch().(device.Multiplier).(interface {
					device.Multiplier
					device.Batch
				})
				for i := range 2 {
					x.Begin()
					done, err := x.Multiply(p, own)
					if !done || err != nil {
						t.Fatal(done, err)
					}
					x.End()
					got := make([]float32, batch*m*n)
					if err := g.Read(unsafe.Slice((*byte)(unsafe.Pointer(&got[0])), 4*len(got)), p.C); err != nil {
						t.Fatal(err)
					}
					for z := range batch {
						for r := range m {
							for j := range n {
								s := float32(0)
								if bias {
									s = wv[j]
								}
								for q := range k {
									e, f := av[z*m*k+r*k+q], float32(0)
									if ta {
										e = av[z*m*k+q*m+r]
									}
									if f = bv[z*k*n+q*n+j]; tb {
										f = bv[z*k*n+j*k+q]
									}
									s += e * f
								}
								if got[z*m*n+r*n+j] != s {
									t.Fatalf("ta %v tb %v bias %v run %d: [%d %d %d] is %v, want %v", ta, tb, bias, i, z, r, j, got[z*m*n+r*n+j], s)
								}
							}
						}
					}
				}
				runtime.KeepAlive([]*buffer{a, b, c, w})
			}
		}
	}
	if n := len(g.blas.shapes); n != 8 {
		t.Errorf("%d shapes were asked about", n)
	}
	for _, x := range g.blas.shapes {
		if x.algo == nil || x.algo.algo[0] == 10 {
			t.Errorf("chosen: %+v", x.algo)
		}
	}
	if done, err := open(t, Options{NoBLAS: true}).Multiply(&device.Product{M: 1 << 20, N: 1 << 20, K: 9, Batch: 1}, nil); done || err != nil {
		t.Errorf("forbidden: %v %v", done, err)
	}
}

func TestNoDriver(t *testing.T) {
	_, err := New(Options{Library: "/nowhere/libcuda.so.1"}).Count()
	if err == nil || err.Error() != "no CUDA driver: looked for /nowhere/libcuda.so.1" {
		t.Errorf("%v", err)
	}
}
