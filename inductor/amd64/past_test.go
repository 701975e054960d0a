package amd64_test

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/larkspur-ml/larkspur/inductor/amd64"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// TestStoresPastCaches: large results at aligned and other addresses, cut anywhere, with
// rows of whole and of broken vectors, have the bytes that small pieces have.
func TestStoresPastCaches(t *testing.T) {
	each(t, func(t *testing.T, tg *amd64.Target, st *stats) {
		for _, d := range []tensor.DType{tensor.Float32, tensor.Float64, tensor.BFloat16, tensor.Float16, tensor.Int64} {
			for _, c := range []struct{ rows, cols, off int64 }{{1, 2200000, 0}, {1, 2200007, 0}, {2200, 1024, 0}, {2200, 1000, 0}, {2200, 1024, 1}} {
				b := loop.NewBuilder("past")
				in, out := b.AddBuf(d, loop.In, "x"), b.AddBuf(d, loop.Out, "y")
				size, stride := []sym.Int{sym.C(c.rows), sym.C(c.cols)}, []sym.Int{sym.C(c.cols), sym.C(1)}
				b.Loop(loop.Grid, sym.C(c.rows), func(r loop.Axis) {
					b.Loop(loop.Vector, sym.C(c.cols), func(a loop.Axis) {
						at := func(k int, off int64) *loop.Access {
							return b.Access(k, size, stride, sym.C(off), []loop.Ix{loop.At(r), loop.At(a)}, 0)
						}
						x := b.Load(at(in, 0))
						b.Store(at(out, c.off), b.Add(x, x))
					})
				})
				n := c.rows * c.cols
				x := make([]byte, n*int64(d.Size()))
				for i := range n { // small integers, exact in each type
					v := byte(i*7 + i>>9)
					switch d {
					case tensor.Float32:
						*(*float32)(unsafe.Pointer(&x[4*i])) = float32(v)
					case tensor.Float64:
						*(*float64)(unsafe.Pointer(&x[8*i])) = float64(v)
					case tensor.Int64:
						*(*int64)(unsafe.Pointer(&x[8*i])) = int64(v)
					case tensor.BFloat16:
						*(*uint16)(unsafe.Pointer(&x[2*i])) = tensor.F32ToBF16(float32(v))
					case tensor.Float16:
						*(*uint16)(unsafe.Pointer(&x[2*i])) = tensor.F32ToF16(float32(v))
					}
				}
				run := func(tg loop.Target, cuts ...int64) []byte {
					p, err := tg.Compile(b.Kernel())
					if err != nil {
						t.Fatal(err)
					}
					mem := make([]byte, int64(len(x))+64+c.off*int64(d.Size()))
					k := -uintptr(unsafe.Pointer(&mem[0])) & 63
					y := mem[k : int64(k)+int64(len(x))+c.off*int64(d.Size())]
					a := &loop.Args{Bufs: []loop.Mem{loop.MemOf(x, d), loop.MemOf(y, d)}}
					lo := int64(0)
					for _, hi := range append(cuts, c.rows) {
						if err := p.Run(a, lo, hi); err != nil {
							t.Fatal(err)
						}
						lo = hi
					}
					return y
				}
				cuts := []int64{}
				if c.rows > 1 {
					cuts = []int64{1, 7, 1600}
				}
				if !bytes.Equal(run(tg, cuts...), run(loop.Portable())) {
					t.Errorf("%s %v differs", d, c)
				}
			}
		}
		if st.code == 0 || len(st.why) > 0 {
			t.Errorf("left to the fallback: %v", st.why)
		}
	})
}
