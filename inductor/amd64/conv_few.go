package amd64

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// A convolution with few output positions (audio by the chunk, the end of a network
// on one image) reads each weight a few times only: packing them would cost more
// than the product, and a tile of columns would be mostly empty. Its outputs are
// dot products of the weights, where they lie, with the gathered windows.

const (
	fewPositions = 8
	fewLines     = 64 // outputs of one piece of work
)

// isFew reports a convolution for few.
func (c *conv) isFew() bool {
	return c.batch*c.outSize <= fewPositions && c.og >= dotLines && c.taps >= 64
}

func (c *conv) few() error {
	g := c.g
	pix, back, err := c.image()
	if back != nil {
		defer imagePool.Put(back)
	}
	if err != nil {
		return err
	}
	w, y, bias := floats(c.w), floats(c.y), c.bias()
	cols := c.batch * c.outSize
	block := 2 * g.shape.L.Bytes() / 4
	blocks := c.taps / block
	ws := g.pool.Get()
	defer g.pool.Put(ws)
	windows := grow(&ws.wide, c.groups*cols*c.taps)
	var at [fewPositions]int
	c.positions(at[:cols], 0)
	for group := range c.groups {
		src := pix[group*c.cg*c.plane:]
		for j := range cols {
			d := windows[(group*cols+j)*c.taps:][:c.taps]
			for q, t := range c.tap {
				d[q] = src[at[j]+t]
			}
		}
	}
	pieces := (c.og + fewLines - 1) / fewLines
	err = c.a.Parallel(int64(c.groups*pieces), int64(1+(1<<17)/(fewLines*cols*c.taps)), func(lo, hi int64) error {
		own := g.pool.Get()
		defer g.pool.Put(own)
		out := grow(&own.tile, fewLines)
		for t := int(lo); t < int(hi); t++ {
			if err := c.poll(); err != nil {
				return err
			}
			group, o0 := t/pieces, t%pieces*fewLines
			n := min(fewLines, c.og-o0)
			first := 0
			if n < dotLines { // the last lines are done with those before them
				first = dotLines - n
				o0, n = c.og-dotLines, dotLines
			}
			lines := w[(group*c.og+o0)*c.taps:]
			for j := range cols {
				vec := windows[(group*cols+j)*c.taps:][:c.taps]
				m := matrix{ptr: unsafe.Pointer(&lines[0]), dt: tensor.Float32, rs: c.taps, cs: 1}
				for i := 0; i < n; i += fewAt(n, i) {
					at := min(i, n-dotLines)
					if err := g.callDots(own, &m, at, unsafe.Pointer(&vec[0]), 0, 1, c.taps, fewAt(n, i)/dotLines, out[at:], nil); err != nil {
						return err
					}
				}
				img, l := j/c.outSize, j%c.outSize
				for i := first; i < n; i++ {
					s := out[i]
					for q := blocks * block; q < c.taps; q++ {
						s += lines[i*c.taps+q] * vec[q]
					}
					o := group*c.og + o0 + i
					if bias != nil {
						s += bias[o]
					}
					y[(img*c.outC+o)*c.outSize+l] = s
				}
			}
		}
		runtime.KeepAlive(out)
		return nil
	})
	runtime.KeepAlive(windows)
	return err
}

// fewAt is how many of n lines one call does from line i: all whole groups, then
// one group that overlaps them.
func fewAt(n, i int) int {
	if i == 0 {
		return n / dotLines * dotLines
	}
	return dotLines
}

// bias is the third operand, nil if there is none.
func (c *conv) bias() []float32 {
	if len(c.a.In) > 2 && c.a.In[2].DType != tensor.Invalid {
		return floats(&c.a.In[2])
	}
	return nil
}

var convPool = sync.Pool{New: func() any { return new(conv) }}

// release gives c back with the memory of its tables.
func (c *conv) release() {
	*c = conv{base: c.base[:0], tap: c.tap[:0]}
	convPool.Put(c)
}

func newConv(g *gemm, a *loop.TemplateArgs, x, w, y *loop.Operand) *conv {
	c := convPool.Get().(*conv)
	c.g, c.a, c.x, c.w, c.y = g, a, x, w, y
	return c
}
