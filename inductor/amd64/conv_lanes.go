package amd64

import (
	"runtime"
	"unsafe"

	"github.com/larkspur-ml/larkspur/tensor"
)

// Convolutions of batches of small images go through a layout in which nr images lie
// side by side: an element of the plane is a row of nr lanes. Then no window is
// gathered: what a tap contributes to a position is a row where it lies, and tiles
// walk the rows by a table of offsets (far B of emitTile).
//
//	conv         out[o][p] = w[o, q] pix[base[p] + tap[q]]                one pass
//	conv_input   dx[c][p]  = w[o, k][c] grad[base[p] - tap[o, k]]         a pass for each
//	             remainder of p by the stride, with the k that reach it
//	conv_weight  dw[o][q]  = Σ over p and lanes of grad[o][p] pix[base[p] + tap[q]]
//
// The last lanes of a batch that nr does not divide are 0.

const (
	lanesMost  = 1 << 20 // elements of nr images
	lanesCache = 1 << 19 // of those that many rows of channels may read again and again
	lanePasses = 64
	lanePiece  = 2048 // positions that one call of laneDots sums
)

// isLanes reports a convolution for this layout.
func (c *conv) isLanes() bool {
	nr := c.g.shape.nr
	n := 1
	for _, s := range c.stride {
		n *= s
	}
	in, out := c.inC*c.plane*nr, c.outC*c.outSize*nr
	return 4*c.batch >= 3*roundUp(c.batch, nr) && max(in, out) <= lanesMost && (in <= lanesCache || c.outC <= 64) &&
		c.taps > c.cg && n <= lanePasses
}

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

func (c *conv) chunks() int { return roundUp(c.batch, c.g.shape.nr) / c.g.shape.nr }

// plane is how channels of an image lie in a padded plane: size, and for each own row
// of n elements where it goes.
type lanePlane struct {
	size, own int
	rows      func(f func(padded, own, n int))
}

// toLanes brings images of some channels into dst[chunk][channel][element][lane].
func (c *conv) toLanes(dst, x []float32, channels int, p lanePlane) error {
	g, nr := c.g, c.g.shape.nr
	return c.a.Parallel(int64(c.chunks()*channels), int64(1+(1<<16)/(p.size*nr)), func(lo, hi int64) error {
		w := g.pool.Get()
		defer g.pool.Put(w)
		for t := int(lo); t < int(hi); t++ {
			if err := c.poll(); err != nil {
				return err
			}
			n0, ch := t/channels*nr, t%channels
			to := dst[t*p.size*nr:][:p.size*nr]
			own := to
			if p.size != p.own {
				own = grow(&w.wide, p.own*nr)
			}
			m := matrix{ptr: unsafe.Pointer(&x[(n0*channels+ch)*p.own]), dt: tensor.Float32, rs: channels * p.own, cs: 1}
			if err := g.pack(w, own, m, min(nr, c.batch-n0), nr, p.own); err != nil {
				return err
			}
			if p.size != p.own {
				clear(to)
				p.rows(func(padded, at, n int) { copy(to[padded*nr:][:n*nr], own[at*nr:]) })
			}
		}
		return nil
	})
}

// lanePass is a set of output positions with the same taps.
type lanePass struct {
	out, base []int
	offs      []int64   // of each tap, in bytes
	a         []float32 // weights by panels of rows: a[tap][row]
}

// sweep computes m rows for each group from lanes, and leaves lanes: dst is laid out
// as tensors are.
func (c *conv) sweep(src []float32, channels, plane int, passes [][]lanePass, m, positions int, bias, dst []float32) error {
	g, s := c.g, c.g.shape
	nr := s.nr
	mr := even(m, s.mr, 1)
	panels := (m + mr - 1) / mr
	work := 0
	for _, p := range passes[0] {
		work += len(p.out) * (len(p.offs) + 8)
	}
	err := c.a.Parallel(int64(c.chunks()*c.groups*panels), int64(1+(1<<20)/(work*mr*nr)), func(lo, hi int64) error {
		w := g.pool.Get()
		defer g.pool.Put(w)
		args := &w.args
		for t := int(lo); t < int(hi); t++ {
			if err := c.poll(); err != nil {
				return err
			}
			chunk, group, i0 := t/(c.groups*panels), t/panels%c.groups, t%panels*mr
			rows := min(mr, m-i0)
			acc := grow(&w.wide, rows*positions*nr)
			if bias != nil {
				for i := range rows {
					r := acc[i*positions*nr:][:positions*nr]
					r[0] = bias[group*m+i0+i]
					for n := 1; n < len(r); n *= 2 {
						copy(r[n:], r[:n])
					}
				}
			}
			args.ldc = int64(4 * positions * nr)
			from := src[(chunk*c.groups+group)*channels*plane*nr:]
			for i := range passes[group] {
				p := &passes[group][i]
				taps := len(p.offs)
				for k0 := 0; k0 == 0 || k0 < taps; k0 += gemmKC {
					kc := min(gemmKC, taps-k0)
					fn, err := g.tile(tileKind{rows: rows, add: k0 > 0 || bias != nil, far: true})
					if err != nil {
						return err
					}
					args.k = int64(kc)
					args.a = uintptr(unsafe.Pointer(&p.a[i0*taps+k0*rows]))
					args.offs = uintptr(unsafe.Add(unsafe.Pointer(unsafe.SliceData(p.offs)), 8*k0))
					for j, b := range p.base {
						args.b, args.c = uintptr(unsafe.Pointer(&from[b*nr])), uintptr(unsafe.Pointer(&acc[p.out[j]*nr]))
						if err := fn.Call(unsafe.Pointer(args)); err != nil {
							return err
						}
					}
				}
			}
			if err := c.fromLanes(w, dst, acc, chunk*nr, (group*m+i0)*positions, rows*positions, c.groups*m*positions); err != nil {
				return err
			}
		}
		return nil
	})
	runtime.KeepAlive(passes)
	runtime.KeepAlive(src)
	return err
}

// fromLanes stores n rows of lanes as elements at… of images n0…, which are size
// elements apart.
func (c *conv) fromLanes(w *gemmScratch, dst, acc []float32, n0, at, n, size int) error {
	nr := c.g.shape.nr
	lanes := min(nr, c.batch-n0)
	whole := 0
	if n >= 8 {
		whole = lanes &^ 7
	}
	for r := 0; r < n && whole > 0; r += 8 {
		r0 := min(r, n-8)
		w.targs = transposeArgs{src: uintptr(unsafe.Pointer(&acc[r0*nr])), dst: uintptr(unsafe.Pointer(&dst[n0*size+at+r0])),
			rs: int64(4 * nr), ds: int64(4 * size), n: int64(whole / 8)}
		if err := c.g.transpose.Call(unsafe.Pointer(&w.targs)); err != nil {
			return err
		}
	}
	for l := whole; l < lanes; l++ {
		d := dst[(n0+l)*size+at:][:n]
		for r := range d {
			d[r] = acc[r*nr+l]
		}
	}
	runtime.KeepAlive(acc)
	return nil
}

func (c *conv) inPlane() lanePlane {
	return lanePlane{c.plane, c.inSize, func(f func(padded, own, n int)) {
		c.eachRow(func(padded, own int) { f(padded, own, c.in[2]) })
	}}
}

func (c *conv) forwardLanes() error {
	g, s := c.g, c.g.shape
	shared := g.pool.Get()
	defer g.pool.Put(shared)
	pix := grow(&shared.b, c.chunks()*c.inC*c.plane*s.nr)
	if err := c.toLanes(pix, floats(c.x), c.inC, c.inPlane()); err != nil {
		return err
	}
	mr := even(c.og, s.mr, 1)
	a := grow(&shared.a, c.groups*c.og*c.taps)
	w := floats(c.w)
	offs := make([]int64, c.taps)
	for q, t := range c.tap {
		offs[q] = int64(4 * t * s.nr)
	}
	out := make([]int, c.outSize)
	for i := range out {
		out[i] = i
	}
	passes := make([][]lanePass, c.groups)
	for group := range c.groups {
		p := lanePass{out, c.base, offs, a[group*c.og*c.taps:][:c.og*c.taps]}
		for i := 0; i < c.og; i += mr {
			rows := min(mr, c.og-i)
			m := matrix{ptr: unsafe.Pointer(&w[(group*c.og+i)*c.taps]), dt: tensor.Float32, rs: c.taps, cs: 1}
			if err := g.pack(shared, p.a[i*c.taps:], m, rows, rows, c.taps); err != nil {
				return err
			}
		}
		passes[group] = []lanePass{p}
	}
	return c.sweep(pix, c.cg, c.plane, passes, c.og, c.outSize, c.bias(), floats(c.y))
}

// reach is how one dim of the input is reached by the output: input i is t*stride +
// phase - pad, and window element k, if k*dil has that phase, comes from output
// t - (k*dil - phase)/stride.
type reach struct{ lo, size int } // outputs before the first that are padding; all

func (c *conv) reach(d int) reach {
	lo, hi := 0, c.out[d]-1
	for i := range c.in[d] {
		for k := range c.win[d] {
			if v := i + c.pad[d] - k*c.dil[d]; v%c.stride[d] == 0 {
				lo, hi = min(lo, v/c.stride[d]), max(hi, v/c.stride[d])
			}
		}
	}
	return reach{-lo, hi - lo + 1}
}

func (c *conv) inputLanes() error {
	g, s := c.g, c.g.shape
	var r [3]reach
	for d := range r {
		r[d] = c.reach(d)
	}
	plane := r[0].size * r[1].size * r[2].size
	shared := g.pool.Get()
	defer g.pool.Put(shared)
	grad := grow(&shared.b, c.chunks()*c.outC*plane*s.nr)
	err := c.toLanes(grad, floats(c.y), c.outC, lanePlane{plane, c.outSize, func(f func(padded, own, n int)) {
		for z := range c.out[0] {
			for y := range c.out[1] {
				f(((z+r[0].lo)*r[1].size+y+r[1].lo)*r[2].size+r[2].lo, (z*c.out[1]+y)*c.out[2], c.out[2])
			}
		}
	}})
	if err != nil {
		return err
	}
	window := c.win[0] * c.win[1] * c.win[2]
	w := floats(c.w)
	a := grow(&shared.a, c.groups*c.cg*c.og*window)
	passes := make([][]lanePass, c.groups)
	for z := range c.stride[0] {
		for y := range c.stride[1] {
			for x := range c.stride[2] {
				phase := [3]int{z, y, x}
				var p lanePass
				var at, win, off [3][]int // inputs of the phase, window elements, and how far back they reach
				for d := range 3 {
					for i := range c.in[d] {
						if (i+c.pad[d])%c.stride[d] == phase[d] {
							at[d] = append(at[d], i)
						}
					}
					for k := range c.win[d] {
						if k*c.dil[d]%c.stride[d] == phase[d] {
							win[d], off[d] = append(win[d], k), append(off[d], (k*c.dil[d]-phase[d])/c.stride[d])
						}
					}
				}
				for _, i := range at[0] {
					for _, j := range at[1] {
						for _, l := range at[2] {
							b := 0
							for d, v := range [3]int{i, j, l} {
								b = b*r[d].size + (v+c.pad[d]-phase[d])/c.stride[d] + r[d].lo
							}
							p.out, p.base = append(p.out, (i*c.in[1]+j)*c.in[2]+l), append(p.base, b)
						}
					}
				}
				if len(p.out) == 0 {
					continue
				}
				var ks []int // of the weights' window
				for i, k0 := range win[0] {
					for j, k1 := range win[1] {
						for l, k2 := range win[2] {
							ks = append(ks, (k0*c.win[1]+k1)*c.win[2]+k2)
							p.offs = append(p.offs, int64(-4*s.nr)*int64((off[0][i]*r[1].size+off[1][j])*r[2].size+off[2][l]))
						}
					}
				}
				one := p.offs
				p.offs = make([]int64, 0, c.og*len(one))
				for o := range c.og {
					for _, f := range one {
						p.offs = append(p.offs, f+int64(4*s.nr*o*plane))
					}
				}
				n := c.cg * len(p.offs)
				for group := range c.groups {
					q := p
					q.a = a[:n:n]
					if n == 0 {
						q.a = make([]float32, 1)
					}
					a = a[n:]
					c.turn(q.a, w[group*c.og*c.cg*window:], ks, window)
					passes[group] = append(passes[group], q)
				}
			}
		}
	}
	return c.sweep(grad, c.og, plane, passes, c.cg, c.inSize, nil, floats(c.x))
}

// turn packs a group's weights with input channels as rows: a[o, k][c] by panels.
func (c *conv) turn(a, w []float32, ks []int, window int) {
	mr := even(c.cg, c.g.shape.mr, 1)
	taps := c.og * len(ks)
	for i := 0; i < c.cg; i += mr {
		rows := min(mr, c.cg-i)
		for o := range c.og {
			for r := range rows {
				from := w[(o*c.cg+i+r)*window:][:window]
				at := i*taps + o*len(ks)*rows + r
				for _, k := range ks {
					a[at] = from[k]
					at += rows
				}
			}
		}
	}
}

func (c *conv) weightLanes() error {
	g, s := c.g, c.g.shape
	nr := s.nr
	shared, other := g.pool.Get(), g.pool.Get()
	defer g.pool.Put(shared)
	defer g.pool.Put(other)
	chunks := c.chunks()
	pix := grow(&shared.b, chunks*c.inC*c.plane*nr)
	if err := c.toLanes(pix, floats(c.x), c.inC, c.inPlane()); err != nil {
		return err
	}
	grad := grow(&other.b, chunks*c.outC*c.outSize*nr)
	if err := c.toLanes(grad, floats(c.y), c.outC, lanePlane{size: c.outSize, own: c.outSize}); err != nil {
		return err
	}
	// where a position of all chunks lies in the gradient and in the image
	at := make([]int64, 0, 2*chunks*c.outSize)
	for n := range chunks {
		for p, b := range c.base {
			at = append(at, int64(4*nr*(n*c.outC*c.outSize+p)), int64(4*nr*(n*c.inC*c.plane+b)))
		}
	}
	rows, taps := laneTile(s.L)
	tiles := (c.og + rows - 1) / rows
	dw := floats(c.w)
	err := c.a.Parallel(int64(c.groups*tiles), int64(1+(1<<21)/(len(at)*nr*c.taps*rows)), func(lo, hi int64) error {
		w := g.pool.Get()
		defer g.pool.Put(w)
		out := grow(&w.tile, rows*taps)
		if len(w.offs) < taps {
			w.offs = make([]int64, gemmKC)
		}
		offs := w.offs[:taps]
		w.largs = laneArgs{gs: int64(4 * c.outSize * nr), out: uintptr(unsafe.Pointer(&out[0])), taps: uintptr(unsafe.Pointer(&offs[0]))}
		args := &w.largs
		for t := int(lo); t < int(hi); t++ {
			if err := c.poll(); err != nil {
				return err
			}
			group, o := t/tiles, t%tiles*rows
			o0 := min(o, c.og-rows) // the last rows are done with those before them
			args.g = uintptr(unsafe.Pointer(&grad[(group*c.og+o0)*c.outSize*nr]))
			args.x = uintptr(unsafe.Pointer(&pix[group*c.cg*c.plane*nr]))
			for q := 0; q < c.taps; q += taps {
				for i := range offs {
					offs[i] = int64(4 * nr * c.tap[min(q+i, c.taps-1)])
				}
				for p := 0; p < len(at); p += 2 * lanePiece {
					args.at, args.n = uintptr(unsafe.Pointer(&at[p])), int64(min(lanePiece, (len(at)-p)/2))
					if err := g.laneDots.Call(unsafe.Pointer(args)); err != nil {
						return err
					}
					for i := o - o0; i < rows; i++ {
						d := dw[(group*c.og+o0+i)*c.taps+q:][:min(taps, c.taps-q)]
						if p == 0 {
							copy(d, out[i*taps:])
							continue
						}
						for j := range d {
							d[j] += out[i*taps+j]
						}
					}
				}
			}
		}
		runtime.KeepAlive(offs)
		runtime.KeepAlive(out)
		return nil
	})
	runtime.KeepAlive(at)
	runtime.KeepAlive(pix)
	runtime.KeepAlive(grad)
	return err
}
