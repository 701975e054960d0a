package loop

import "unsafe"

func convTemplateInput(a *TemplateArgs) error {
	grad, w, x := &a.In[0], &a.In[1], &a.Out[0]
	grad.mustFit("conv_input")
	w.mustFit("conv_input")
	x.mustFit("conv_input")
	switch TypeOf(x.DType) {
	case F32:
		return convInput[float32](a, grad, w, x)
	case F64:
		return convInput[float64](a, grad, w, x)
	case I64:
		return convInput[int64](a, grad, w, x)
	}
	return convInput[int32](a, grad, w, x)
}

// convInput adds w^T grad into a padded image, a range of channels at a time,
// and copies the image's inside out. Units of work are (image, group, range of
// channels): they share no element.
func convInput[T number](a *TemplateArgs, grad, w, x *Operand) error {
	c := newConvShape(x, w, grad, a.Ints)
	if c.batch == 0 || c.inC == 0 || c.inSize == 0 {
		return nil
	}
	wp, ld := weights[T](c, w)
	// about 128 rows of the product
	chans := max(1, min(c.cg, 128/c.winSize))
	parts := (c.cg + chans - 1) / chans
	geo := blank[T](c, 1, chans)
	geo.release()
	base, tap := c.bases(geo.s), c.taps(geo.sc, geo.s)
	gs := grad.spatial()
	flat := storedAs(grad.DType) == typeOf[T]() && gs[2] != 0 && (c.out[1] == 1 || gs[1] == c.out[2]*gs[2]) && (c.out[0] == 1 || gs[0] == c.out[2]*c.out[1]*gs[2])
	size := int(unsafe.Sizeof(*new(T)))
	cost := int64(2*c.og*c.outSize*chans*c.winSize + 1)
	return a.Parallel(int64(c.batch*c.groups*parts), max(1, 200000/cost), func(lo, hi int64) error {
		s := getScratch[T]()
		defer putScratch(s)
		img := blank[T](c, 1, chans)
		defer img.release()
		var wide []T
		pix := unsafe.Slice((*T)(img.ptr), img.sn)
		for t := int(lo); t < int(hi); t++ {
			n, group, c0 := t/(c.groups*parts), t/parts%c.groups, t%parts*chans
			c1 := min(c0+chans, c.cg)
			clear(pix)
			// the gradient of this image and group as a matrix [og, l]
			gm := matrix{dt: grad.DType, rs: int(grad.Stride[1]), cs: gs[2]}
			gm.ptr = grad.at(grad.Off + int64(n)*grad.Stride[0] + int64(group*c.og)*grad.Stride[1])
			if !flat {
				buf := grow(&wide, c.og*c.outSize)
				for o := range c.og {
					eachRun(c, grad, n*c.outSize, c.outSize, func(i, m int, off int64, stride int) {
						widenRow(buf[o*c.outSize+i:][:m], grad.DType, grad.at(off+int64(group*c.og+o)*grad.Stride[1]), stride)
					})
				}
				if c.og*c.outSize > 0 {
					gm = matrix{ptr: unsafe.Pointer(&buf[0]), dt: x.DType, rs: c.outSize, cs: 1}
				}
			}
			q0, q1 := c0*c.winSize, c1*c.winSize
			g := &gemm[T]{m: q1 - q0, n: c.outSize, k: c.og,
				packA: func(dst []T, i0, i1, k0, k1, kp int) {
					packRows(dst, unsafe.Add(wp, ((group*c.og+k0)*ld+q0+i0)*size), i1-i0, k1-k0, 1, ld, kp)
				},
				packB: func(dst []T, j0, j1, k0, k1, kp int) {
					packCols(dst, unsafe.Add(gm.ptr, (k0*gm.rs+j0*gm.cs)*size), k1-k0, j1-j0, gm.rs, gm.cs, kp)
				},
				store: func(acc []T, ld, i0, i1, j0, j1 int) {
					for i := i0; i < i1; i++ {
						addWindows(pix, tap[i], base[j0:j1], acc[(i-i0)*ld:][:j1-j0])
					}
				},
			}
			for i0 := 0; i0 < g.m; i0 += gemmMC {
				for j0 := 0; j0 < g.n; j0 += gemmNC {
					if err := g.tile(s, i0, min(i0+gemmMC, g.m), j0, min(j0+gemmNC, g.n), a.Done); err != nil {
						return err
					}
				}
			}
			copyInside(c, img, x, n, group*c.cg+c0, c1-c0)
		}
		return nil
	})
}

// addWindows adds one tap's values for a row of positions.
func addWindows[T number](pix []T, tap int, base []int, v []T) {
	for j := 0; j < len(v); {
		b := base[j]
		n := 1
		for j+n < len(v) && base[j+n] == b+n {
			n++
		}
		d := pix[b+tap:][:n]
		for i, x := range v[j : j+n] {
			d[i] += x
		}
		j += n
	}
}

// copyInside stores an image without its padding to channels of image n of x.
func copyInside[T number](c *convShape, img *image[T], x *Operand, n, ch0, chans int) {
	xs := x.spatial()
	pix := unsafe.Slice((*T)(img.ptr), img.sn)
	for ch := range chans {
		for z := range c.in[0] {
			for y := range c.in[1] {
				at := ch*img.sc + (z+c.pad[0])*img.s[0] + (y+c.pad[1])*img.s[1] + c.pad[2]
				off := x.Off + int64(n)*x.Stride[0] + int64(ch0+ch)*x.Stride[1] + int64(z*xs[0]+y*xs[1])
				narrowRow(pix[at:][:c.in[2]], x.DType, x.at(off), xs[2])
			}
		}
	}
}

func convTemplateWeight(a *TemplateArgs) error {
	x, grad, w := &a.In[0], &a.In[1], &a.Out[0]
	x.mustFit("conv_weight")
	grad.mustFit("conv_weight")
	w.mustFit("conv_weight")
	switch TypeOf(w.DType) {
	case F32:
		return convWeight[float32](a, x, grad, w)
	case F64:
		return convWeight[float64](a, x, grad, w)
	case I64:
		return convWeight[int64](a, x, grad, w)
	}
	return convWeight[int32](a, x, grad, w)
}

// convWeight is the product of the gradient [og, (n,l)] and the windows
// [(n,l), q], a group at a time.
func convWeight[T number](a *TemplateArgs, x, grad, w *Operand) error {
	c := newConvShape(x, w, grad, a.Ints)
	if c.outC == 0 || c.cg*c.winSize == 0 {
		return nil
	}
	img, err := padded[T](a, c, x)
	defer img.release()
	if err != nil {
		return err
	}
	k := &convJob[T]{a: a, c: c, img: img, base: c.bases(img.s), tap: c.taps(img.sc, img.s)}
	q := len(k.tap)
	ws := w.spatial()
	mc, nc := tileSize(c.og, q, c.groups)
	mt, nt := (c.og+mc-1)/mc, (q+nc-1)/nc
	per := mt * nt
	size := int(unsafe.Sizeof(*new(T)))
	steps := c.batch * c.outSize
	flops := 2 * int64(mc*nc) * int64(steps+1)
	return a.Parallel(int64(c.groups*per), max(1, 400000/flops), func(lo, hi int64) error {
		s := getScratch[T]()
		defer putScratch(s)
		group := 0
		at := make([]int, gemmKC)
		row := make([]T, 2*gemmKC)
		g := &gemm[T]{m: c.og, n: q, k: steps,
			packA: func(dst []T, i0, i1, k0, k1, kp int) {
				m := k1 - k0
				for i := i0; i < i1; i += 2 {
					d := dst[(i-i0)*kp:][:2*kp]
					clear(d[2*m:])
					clear(row)
					for r := range min(2, i1-i) {
						eachRun(c, grad, k0, m, func(j, n int, off int64, stride int) {
							widenRow(row[r*gemmKC+j:][:n], grad.DType, grad.at(off+int64(group*c.og+i+r)*grad.Stride[1]), stride)
						})
					}
					for j := range m {
						d[2*j], d[2*j+1] = row[j], row[gemmKC+j]
					}
				}
			},
			packB: func(dst []T, j0, j1, k0, k1, kp int) {
				k.positions(at, k0, k1)
				packTaps(dst, unsafe.Add(img.ptr, group*c.cg*img.sc*size), at[:k1-k0], k.tap[j0:j1], kp)
			},
			store: func(acc []T, ld, i0, i1, j0, j1 int) {
				for i := i0; i < i1; i++ {
					for j := j0; j < j1; j++ {
						ch, e := j/c.winSize, j%c.winSize
						z, y, xx := e/(c.win[1]*c.win[2]), e/c.win[2]%c.win[1], e%c.win[2]
						n := min(c.win[2]-xx, j1-j)
						off := w.Off + int64(group*c.og+i)*w.Stride[0] + int64(ch)*w.Stride[1] + int64(z*ws[0]+y*ws[1]+xx*ws[2])
						narrowRow(acc[(i-i0)*ld+j-j0:][:n], w.DType, w.at(off), ws[2])
						j += n - 1
					}
				}
			},
		}
		for t := int(lo); t < int(hi); t++ {
			group = t / per
			i0, j0 := t%per/nt*mc, t%nt*nc
			if err := g.tile(s, i0, min(i0+mc, c.og), j0, min(j0+nc, q), a.Done); err != nil {
				return err
			}
		}
		return nil
	})
}

// packTaps packs window elements (columns) over positions (steps) into panels of 4.
func packTaps[T number](dst []T, p unsafe.Pointer, at, tap []int, kp int) {
	w := int(unsafe.Sizeof(dst[0]))
	for j := 0; j < len(tap); j += 4 {
		d := dst[j*kp:][:4*kp]
		clear(d[4*len(at):])
		if j+4 > len(tap) {
			clear(d)
			for jj := range len(tap) - j {
				for i, b := range at {
					d[4*i+jj] = *(*T)(unsafe.Add(p, (b+tap[j+jj])*w))
				}
			}
			continue
		}
		x0, x1, x2, x3 := unsafe.Add(p, tap[j]*w), unsafe.Add(p, tap[j+1]*w), unsafe.Add(p, tap[j+2]*w), unsafe.Add(p, tap[j+3]*w)
		for i, b := range at {
			v := (*[4]T)(d[4*i:])
			v[0], v[1], v[2], v[3] = *(*T)(unsafe.Add(x0, b*w)), *(*T)(unsafe.Add(x1, b*w)), *(*T)(unsafe.Add(x2, b*w)), *(*T)(unsafe.Add(x3, b*w))
		}
	}
}
