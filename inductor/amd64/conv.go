package amd64

import (
	"sync"
	"unsafe"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Convolutions of contiguous float32 in 1 to 3 dimensions as matrix products whose
// windows are gathered while packing. Positions are (image, output element) pairs,
// taps (channel, window element) pairs; with a zero-padded image the element of
// position j and tap q is pix[base[j] + tap[q]], without borders.
//
//	conv         out[o, j]  = w[o, q] pix[base[j] + tap[q]]          blocks of positions
//	conv_weight  dw[o, q]   = grad[o, j] pix[base[j] + tap[q]]       pieces of j, summed in order
//	conv_input   pix[base[j] + tap[q]] += w[o, q] grad[o, j]         image by image
//
// Few channels to a group, other types and layouts stay with the fallback.
type conv struct {
	g                        *gemm
	a                        *loop.TemplateArgs
	x, w, y                  *loop.Operand
	batch, inC, outC, groups int
	in, out, win             [3]int
	stride, pad, dil         [3]int
	inSize, outSize          int
	cg, og, taps             int // channels of a group; taps of a group

	size  [3]int // padded
	plane int    // elements of one padded channel
	base  []int  // by output element
	tap   []int
}

var imagePool = sync.Pool{New: func() any { return new([]float32) }}

func contiguous(o *loop.Operand) bool {
	n := int64(1)
	for d := len(o.Size) - 1; d >= 0; d-- {
		if o.Size[d] != 1 && o.Stride[d] != n {
			return false
		}
		n *= o.Size[d]
	}
	return o.DType == tensor.Float32 && o.Off >= 0 && o.Off+n <= o.Mem.Len && n > 0
}

// floats are the elements of a contiguous operand.
func floats(o *loop.Operand) []float32 {
	return unsafe.Slice((*float32)(unsafe.Add(o.Mem.Ptr, 4*o.Off)), o.Numel())
}

// convTemplate finds x, w and y among the operands (2 is the output).
func (g *gemm) convTemplate(fallback loop.TemplateFunc, xi, wi, yi int, run func(*conv) error) loop.TemplateFunc {
	return func(a *loop.TemplateArgs) error {
		at := func(i int) *loop.Operand {
			if i == 2 {
				return &a.Out[0]
			}
			return &a.In[i]
		}
		c := newConv(g, a, at(xi), at(wi), at(yi))
		defer c.release()
		if len(a.In) > 2 && a.In[2].DType != tensor.Invalid && !contiguous(&a.In[2]) {
			return fallback(a)
		}
		if !contiguous(c.x) || !contiguous(c.w) || !contiguous(c.y) || !c.shape() {
			return fallback(a)
		}
		return run(c)
	}
}

// shape fills the geometry; false where the fallback does better.
func (c *conv) shape() bool {
	x, w, y, ints := c.x, c.w, c.y, c.a.Ints
	d := len(x.Size) - 2
	c.batch, c.inC, c.outC, c.groups = int(x.Size[0]), int(x.Size[1]), int(y.Size[1]), int(ints[3*d])
	c.inSize, c.outSize = 1, 1
	window := 1
	for i := range 3 {
		c.in[i], c.out[i], c.win[i], c.stride[i], c.dil[i] = 1, 1, 1, 1, 1
		if k := i - (3 - d); k >= 0 {
			c.in[i], c.out[i], c.win[i] = int(x.Size[2+k]), int(y.Size[2+k]), int(w.Size[2+k])
			c.stride[i], c.pad[i], c.dil[i] = int(ints[k]), int(ints[d+k]), int(ints[2*d+k])
		}
		c.inSize *= c.in[i]
		c.outSize *= c.out[i]
		window *= c.win[i]
	}
	c.cg, c.og = c.inC/c.groups, c.outC/c.groups
	c.taps = c.cg * window
	if c.og < 4 || c.taps < 4 || c.batch*c.outSize*c.taps*c.og < 1<<12 {
		return false
	}
	s := [3]int{}
	c.plane = 1
	for i := 2; i >= 0; i-- {
		c.size[i] = max(c.in[i]+2*c.pad[i], (c.out[i]-1)*c.stride[i]+(c.win[i]-1)*c.dil[i]+1)
		s[i] = c.plane
		c.plane *= c.size[i]
	}
	for z := range c.out[0] {
		for y := range c.out[1] {
			for x := range c.out[2] {
				c.base = append(c.base, z*c.stride[0]*s[0]+y*c.stride[1]*s[1]+x*c.stride[2])
			}
		}
	}
	for ch := range c.cg {
		for z := range c.win[0] {
			for y := range c.win[1] {
				for x := range c.win[2] {
					c.tap = append(c.tap, ch*c.plane+z*c.dil[0]*s[0]+y*c.dil[1]*s[1]+x*c.dil[2])
				}
			}
		}
	}
	return true
}

func (c *conv) poll() error {
	if c.a.Done == nil {
		return nil
	}
	return c.a.Done()
}

// eachRow calls f for the rows of a channel: offsets in the padded plane and in
// the operand's.
func (c *conv) eachRow(f func(padded, own int)) {
	for z := range c.in[0] {
		for y := range c.in[1] {
			f(((z+c.pad[0])*c.size[1]+y+c.pad[1])*c.size[2]+c.pad[2], (z*c.in[1]+y)*c.in[2])
		}
	}
}

// image is the padded input; back, if not nil, is to be put into the pool.
func (c *conv) image() (pix []float32, back *[]float32, err error) {
	x := floats(c.x)
	if c.plane == c.inSize {
		return x, nil, nil
	}
	back = imagePool.Get().(*[]float32)
	pix = grow(back, c.batch*c.inC*c.plane)
	*back = pix
	err = c.a.Parallel(int64(c.batch*c.inC), int64(1+100000/c.plane), func(lo, hi int64) error {
		for p := int(lo); p < int(hi); p++ {
			plane := pix[p*c.plane:][:c.plane]
			clear(plane)
			src := x[p*c.inSize:][:c.inSize]
			c.eachRow(func(padded, own int) { copy(plane[padded:][:c.in[2]], src[own:]) })
		}
		return c.poll()
	})
	return pix, back, err
}

// positions are the window offsets of positions j0… in the image.
func (c *conv) positions(at []int, j0 int) {
	n, l := j0/c.outSize, j0%c.outSize
	off := n * c.inC * c.plane
	for i := range at {
		at[i] = off + c.base[l]
		if l++; l == c.outSize {
			l = 0
			off += c.inC * c.plane
		}
	}
}

// span is positions that follow one another in the image.
type span struct{ at, n, pos int }

func spans(dst []span, at []int) []span {
	dst = dst[:0]
	for j := 0; j < len(at); {
		n := 1
		for j+n < len(at) && at[j+n] == at[j]+n {
			n++
		}
		dst = append(dst, span{j, n, at[j]})
		j += n
	}
	return dst
}

// packWindows packs positions as columns: dst[k*nr+j].
func (c *conv) packWindows(dst, pix []float32, at, tap []int) {
	nr := c.g.shape.nr
	var buf [64]span
	runs := spans(buf[:0], at)
	if len(at) < nr {
		clear(dst[:nr*len(tap)])
	}
	for k, t := range tap {
		d := dst[k*nr:][:nr]
		for _, r := range runs {
			if r.n == 1 {
				d[r.at] = pix[r.pos+t]
				continue
			}
			copy(d[r.at:r.at+r.n], pix[r.pos+t:])
		}
	}
}

// forward is conv.
func (c *conv) forward() error {
	switch {
	case c.isFew():
		return c.few()
	case c.isLanes():
		return c.forwardLanes()
	}
	g, s := c.g, c.g.shape
	pix, back, err := c.image()
	if back != nil {
		defer imagePool.Put(back)
	}
	if err != nil {
		return err
	}
	w, y := floats(c.w), floats(c.y)
	bias := c.bias()
	shared := g.pool.Get()
	defer g.pool.Put(shared)
	mp := (c.og + s.mr - 1) / s.mr * s.mr
	packed := grow(&shared.b, c.groups*mp*c.taps+64)
	for group := range c.groups {
		if err := c.packWeights(shared, packed[group*mp*c.taps:], w[group*c.og*c.taps:], mp); err != nil {
			return err
		}
	}
	cols := c.batch * c.outSize
	block := max(1, min(512/s.nr, cols/(8*s.nr))) * s.nr
	blocks := (cols + block - 1) / block
	flops := 2 * int64(block) * int64(c.og) * int64(c.taps)
	return c.a.Parallel(int64(c.groups*blocks), max(1, (1<<21)/flops), func(lo, hi int64) error {
		ws := g.pool.Get()
		defer g.pool.Put(ws)
		for t := int(lo); t < int(hi); t++ {
			if err := c.poll(); err != nil {
				return err
			}
			group, j0 := t/blocks, t%blocks*block
			n := min(block, cols-j0)
			np := (n + s.nr - 1) / s.nr * s.nr
			if cap(ws.at) < np {
				ws.at = make([]int, np)
			}
			at := ws.at[:n]
			c.positions(at, j0)
			acc := grow(&ws.wide, c.og*np)
			for k0 := 0; k0 < c.taps; k0 += gemmKC {
				kc := min(gemmKC, c.taps-k0)
				b := grow(&ws.b, np*kc+64)
				for j := 0; j < n; j += s.nr {
					c.packWindows(b[j*kc:], pix[group*c.cg*c.plane:], at[j:min(n, j+s.nr)], c.tap[k0:k0+kc])
				}
				m := matrix{ptr: unsafe.Pointer(&acc[0]), dt: tensor.Float32, rs: np, cs: 1}
				if err := g.multiply(ws, m, packed[group*mp*c.taps+k0*mp:], s.mr, &panels{kc: kc, b: b}, c.og, n, k0 > 0); err != nil {
					return err
				}
			}
			for o := range c.og {
				v := float32(0)
				if bias != nil {
					v = bias[group*c.og+o]
				}
				for j := 0; j < n; {
					img, l := (j0+j)/c.outSize, (j0+j)%c.outSize
					m := min(n-j, c.outSize-l)
					d, a := y[(img*c.outC+group*c.og+o)*c.outSize+l:][:m], acc[o*np+j:][:m]
					if bias == nil {
						copy(d, a)
					} else {
						for i := range d {
							d[i] = a[i] + v
						}
					}
					j += m
				}
			}
		}
		return nil
	})
}

// packWeights packs the rows [og, taps] of a group, a gemmKC of taps after the
// other.
func (c *conv) packWeights(ws *gemmScratch, dst, w []float32, mp int) error {
	s := c.g.shape
	for k0 := 0; k0 < c.taps; k0 += gemmKC {
		kc := min(gemmKC, c.taps-k0)
		for i := 0; i < c.og; i += s.mr {
			m := matrix{ptr: unsafe.Pointer(&w[i*c.taps+k0]), dt: tensor.Float32, rs: c.taps, cs: 1}
			if err := c.g.pack(ws, dst[k0*mp+i*kc:], m, min(s.mr, c.og-i), min(s.mr, c.og-i), kc); err != nil {
				return err
			}
		}
	}
	return nil
}

// weight is conv_weight. The positions are cut into pieces by shape alone, each
// summed by itself.
func (c *conv) weight() error {
	if c.isLanes() {
		return c.weightLanes()
	}
	g, s := c.g, c.g.shape
	pix, back, err := c.image()
	if back != nil {
		defer imagePool.Put(back)
	}
	if err != nil {
		return err
	}
	grad, dw := floats(c.y), floats(c.w)
	steps := c.batch * c.outSize
	pieces := max(1, min(16, steps/(2*gemmKC)))
	piece := ((steps+pieces-1)/pieces + 7) &^ 7
	pieces = (steps + piece - 1) / piece
	qp := (c.taps + s.nr - 1) / s.nr * s.nr
	mp := (c.og + s.mr - 1) / s.mr * s.mr
	shared := g.pool.Get()
	defer g.pool.Put(shared)
	sums := grow(&shared.wide, c.groups*pieces*c.og*qp)
	err = c.a.Parallel(int64(c.groups*pieces), 1, func(lo, hi int64) error {
		ws := g.pool.Get()
		defer g.pool.Put(ws)
		for t := int(lo); t < int(hi); t++ {
			group, j0 := t/pieces, t%pieces*piece
			j1 := min(steps, j0+piece)
			acc := matrix{ptr: unsafe.Pointer(&sums[t*c.og*qp]), dt: tensor.Float32, rs: qp, cs: 1}
			for k0 := j0; k0 < j1; k0 += gemmKC {
				if err := c.poll(); err != nil {
					return err
				}
				kc := min(gemmKC, j1-k0)
				a, b := grow(&ws.a, mp*kc+64), grow(&ws.b, qp*kc+64)
				if err := c.packGrad(ws, a, grad, group, k0, kc); err != nil {
					return err
				}
				if err := c.packTaps(ws, b, pix[group*c.cg*c.plane:], k0, kc); err != nil {
					return err
				}
				if err := g.multiply(ws, acc, a, s.mr, &panels{kc: kc, b: b}, c.og, c.taps, k0 > j0); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for o := range c.outC {
		group := o / c.og
		row := dw[o*c.taps:][:c.taps]
		for p := range pieces {
			v := sums[((group*pieces+p)*c.og+o%c.og)*qp:][:c.taps]
			if p == 0 {
				copy(row, v)
				continue
			}
			for i := range row {
				row[i] += v[i]
			}
		}
	}
	return nil
}

// packGrad packs rows of the gradient along positions, image by image.
func (c *conv) packGrad(ws *gemmScratch, dst, grad []float32, group, k0, kc int) error {
	s := c.g.shape
	for i := 0; i < c.og; i += s.mr {
		for k := 0; k < kc; {
			n, l := (k0+k)/c.outSize, (k0+k)%c.outSize
			run := min(kc-k, c.outSize-l)
			m := matrix{ptr: unsafe.Pointer(&grad[(n*c.outC+group*c.og+i)*c.outSize+l]), dt: tensor.Float32, rs: c.outSize, cs: 1}
			rows := min(s.mr, c.og-i)
			if err := c.g.pack(ws, dst[i*kc+k*rows:], m, rows, rows, run); err != nil {
				return err
			}
			k += run
		}
	}
	return nil
}

// packTaps packs taps as columns over positions: rows along positions first, then
// transposed.
func (c *conv) packTaps(ws *gemmScratch, dst, pix []float32, k0, kc int) error {
	s := c.g.shape
	if cap(ws.at) < kc {
		ws.at = make([]int, gemmKC)
	}
	at := ws.at[:kc]
	c.positions(at, k0)
	runs := spans(nil, at)
	rows := grow(&ws.tile, max(s.nr*kc, s.mr*s.nr))
	for q := 0; q < c.taps; q += s.nr {
		n := min(s.nr, c.taps-q)
		for r, t := range c.tap[q : q+n] {
			row := rows[r*kc:][:kc]
			for _, u := range runs {
				copy(row[u.at:u.at+u.n], pix[u.pos+t:])
			}
		}
		m := matrix{ptr: unsafe.Pointer(&rows[0]), dt: tensor.Float32, rs: kc, cs: 1}
		if err := c.g.pack(ws, dst[q*kc:], m, n, s.nr, kc); err != nil {
			return err
		}
	}
	return nil
}

// input is conv_input.
func (c *conv) input() error {
	if c.isLanes() {
		return c.inputLanes()
	}
	g, s := c.g, c.g.shape
	grad, w, dx := floats(c.y), floats(c.w), floats(c.x)
	shared := g.pool.Get()
	defer g.pool.Put(shared)
	mp := (c.taps + s.mr - 1) / s.mr * s.mr
	packed := grow(&shared.b, c.groups*mp*c.og+64)
	for group := range c.groups {
		for k0 := 0; k0 < c.og; k0 += gemmKC {
			kc := min(gemmKC, c.og-k0)
			for q := 0; q < c.taps; q += s.mr {
				m := matrix{ptr: unsafe.Pointer(&w[(group*c.og+k0)*c.taps+q]), dt: tensor.Float32, rs: 1, cs: c.taps}
				if err := g.pack(shared, packed[group*mp*c.og+k0*mp+q*kc:], m, min(s.mr, c.taps-q), min(s.mr, c.taps-q), kc); err != nil {
					return err
				}
			}
		}
	}
	flops := 2 * int64(c.outSize) * int64(c.og) * int64(c.taps)
	return c.a.Parallel(int64(c.batch*c.groups), max(1, (1<<21)/flops), func(lo, hi int64) error {
		ws := g.pool.Get()
		defer g.pool.Put(ws)
		back := imagePool.Get().(*[]float32)
		defer imagePool.Put(back)
		pix := grow(back, c.cg*c.plane)
		*back = pix
		var runs []span
		for t := int(lo); t < int(hi); t++ {
			img, group := t/c.groups, t%c.groups
			clear(pix)
			for j0 := 0; j0 < c.outSize; j0 += 512 {
				if err := c.poll(); err != nil {
					return err
				}
				n := min(512, c.outSize-j0)
				np := (n + s.nr - 1) / s.nr * s.nr
				acc := grow(&ws.wide, c.taps*np)
				for k0 := 0; k0 < c.og; k0 += gemmKC {
					kc := min(gemmKC, c.og-k0)
					b := grow(&ws.b, np*kc+64)
					for j := 0; j < n; j += s.nr {
						m := matrix{ptr: unsafe.Pointer(&grad[(img*c.outC+group*c.og+k0)*c.outSize+j0+j]), dt: tensor.Float32, rs: 1, cs: c.outSize}
						if err := g.pack(ws, b[j*kc:], m, min(s.nr, n-j), s.nr, kc); err != nil {
							return err
						}
					}
					m := matrix{ptr: unsafe.Pointer(&acc[0]), dt: tensor.Float32, rs: np, cs: 1}
					if err := g.multiply(ws, m, packed[group*mp*c.og+k0*mp:], s.mr, &panels{kc: kc, b: b}, c.taps, n, k0 > 0); err != nil {
						return err
					}
				}
				runs = spans(runs, c.base[j0:j0+n])
				for q, tap := range c.tap {
					v := acc[q*np:][:n]
					for _, r := range runs {
						d := pix[r.pos+tap:][:r.n]
						for i, x := range v[r.at:][:r.n] {
							d[i] += x
						}
					}
				}
			}
			for ch := range c.cg {
				dst := dx[(img*c.inC+group*c.cg+ch)*c.inSize:][:c.inSize]
				plane := pix[ch*c.plane:][:c.plane]
				c.eachRow(func(padded, own int) { copy(dst[own:][:c.in[2]], plane[padded:]) })
			}
		}
		return nil
	})
}
