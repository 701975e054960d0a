package loop

import (
	"sync"
	"unsafe"

	"github.com/larkspur-ml/larkspur/tensor"
)

// Convolutions in 1 to 3 dimensions as matrix products over windows that are
// gathered while packing ("implicit im2col"). The input is first copied into a
// zero-padded image, unless it needs neither padding nor widening, so that
// gathering knows no borders: the element for output position j and window
// element q is at base[j] + tap[q].
//
//	conv         out[o, (n,l)]   = w[o, q] * x[base[(n,l)] + tap[q]]
//	conv_weight  dw[o, q]        = grad[o, (n,l)] * x[base[(n,l)] + tap[q]]
//	conv_input   dx[base[l] + tap[q]] += w[o, q] grad[o, l]      an image at a time
//
// q runs over (channel of the group, window). Convolutions with few channels to
// a group (depthwise) go tap by tap over rows instead.
//
// Measured as in tmpl_gemm.go, float32 3x3, GFLOP/s (the product alone: 8):
// 64 images of 8x8, 16 to 32 channels: 7.6 forward, 6.0 input, 6.3 weight; 32 to
// 32: 7.6, 5.9, 6.9; 8 images of 28x28, 64 to 64: 7.8, 6.8, 7.5; depthwise 3.7.

func init() {
	RegisterPortable("conv", convTemplate)
	RegisterPortable("conv_input", convTemplateInput)
	RegisterPortable("conv_weight", convTemplateWeight)
}

// convShape is the geometry of one convolution, 3 spatial dims with unit ones
// in front.
type convShape struct {
	batch, inC, outC, groups int
	in, out, win             [3]int
	stride, pad, dil         [3]int
	inSize, outSize, winSize int // products
	cg, og                   int // channels of a group
}

func newConvShape(x, w, y *Operand, ints []int64) *convShape {
	d := len(x.Size) - 2
	c := &convShape{batch: int(x.Size[0]), inC: int(x.Size[1]), outC: int(y.Size[1]), groups: int(ints[3*d]), inSize: 1, outSize: 1, winSize: 1}
	for i := range 3 {
		c.in[i], c.out[i], c.win[i], c.stride[i], c.dil[i] = 1, 1, 1, 1, 1
		if k := i - (3 - d); k >= 0 {
			c.in[i], c.out[i], c.win[i] = int(x.Size[2+k]), int(y.Size[2+k]), int(w.Size[2+k])
			c.stride[i], c.pad[i], c.dil[i] = int(ints[k]), int(ints[d+k]), int(ints[2*d+k])
		}
		c.inSize *= c.in[i]
		c.outSize *= c.out[i]
		c.winSize *= c.win[i]
	}
	c.cg, c.og = c.inC/c.groups, c.outC/c.groups
	return c
}

// spatial are an operand's strides over the three spatial dims.
func (o *Operand) spatial() (s [3]int) {
	d := len(o.Size) - 2
	for k := range d {
		s[3-d+k] = int(o.Stride[2+k])
	}
	return
}

// image is input data of which every window of every output position is inside:
// element (n, c, z, y, x) is at n*sn + c*sc + z*s[0] + y*s[1] + x*s[2].
type image[T number] struct {
	ptr    unsafe.Pointer
	sn, sc int
	s      [3]int
	size   [3]int // padded
	back   *[]T   // pooled memory, nil if it is the operand's own
}

var imagePools = [F64 + 1]*sync.Pool{
	I32: {New: func() any { return new([]int32) }},
	I64: {New: func() any { return new([]int64) }},
	F32: {New: func() any { return new([]float32) }},
	F64: {New: func() any { return new([]float64) }},
}

// blank is a padded image of n images of channels, not cleared.
func blank[T number](c *convShape, n, channels int) *image[T] {
	m := &image[T]{}
	total := 1
	for i := 2; i >= 0; i-- {
		// what strides skip at the end is never read, but stays part of it
		m.size[i] = max(c.in[i]+2*c.pad[i], (c.out[i]-1)*c.stride[i]+(c.win[i]-1)*c.dil[i]+1)
		m.s[i] = total
		total *= m.size[i]
	}
	m.sc, m.sn = total, total*channels
	m.back = imagePools[typeOf[T]()].Get().(*[]T)
	buf := grow(m.back, max(1, m.sn*n))
	*m.back = buf
	m.ptr = unsafe.Pointer(&buf[0])
	return m
}

func (m *image[T]) release() {
	if m.back != nil {
		imagePools[typeOf[T]()].Put(m.back)
	}
}

// padded makes the image of an operand [N, C, …].
func padded[T number](a *TemplateArgs, c *convShape, x *Operand) (*image[T], error) {
	xs := x.spatial()
	if c.pad == [3]int{} && storedAs(x.DType) == typeOf[T]() {
		return &image[T]{ptr: x.at(x.Off), sn: int(x.Stride[0]), sc: int(x.Stride[1]), s: xs}, nil
	}
	m := blank[T](c, c.batch, c.inC)
	err := a.Parallel(int64(c.batch*c.inC), int64(1+50000/m.sc), func(lo, hi int64) error {
		for p := int(lo); p < int(hi); p++ {
			n, ch := p/c.inC, p%c.inC
			plane := unsafe.Slice((*T)(unsafe.Add(m.ptr, p*m.sc*int(unsafe.Sizeof(*new(T))))), m.sc)
			clear(plane)
			if c.inSize == 0 {
				continue
			}
			for z := range c.in[0] {
				for y := range c.in[1] {
					off := x.Off + int64(n)*x.Stride[0] + int64(ch)*x.Stride[1] + int64(z*xs[0]+y*xs[1])
					at := (z+c.pad[0])*m.s[0] + (y+c.pad[1])*m.s[1] + c.pad[2]
					widenRow(plane[at:][:c.in[2]], x.DType, x.at(off), xs[2])
				}
			}
		}
		return a.poll()
	})
	return m, err
}

// bases are the offsets of output positions' windows in an image.
func (c *convShape) bases(s [3]int) []int {
	b := make([]int, 0, c.outSize)
	for z := range c.out[0] {
		for y := range c.out[1] {
			for x := range c.out[2] {
				b = append(b, z*c.stride[0]*s[0]+y*c.stride[1]*s[1]+x*c.stride[2]*s[2])
			}
		}
	}
	return b
}

// taps are the offsets of window elements for channels of a group.
func (c *convShape) taps(sc int, s [3]int) []int {
	t := make([]int, 0, c.cg*c.winSize)
	for ch := range c.cg {
		for z := range c.win[0] {
			for y := range c.win[1] {
				for x := range c.win[2] {
					t = append(t, ch*sc+z*c.dil[0]*s[0]+y*c.dil[1]*s[1]+x*c.dil[2]*s[2])
				}
			}
		}
	}
	return t
}

// weights is a group's weights as a matrix [og, cg*window]: the operand itself
// if its inner dims are contiguous, else a widened copy of all of them.
func weights[T number](c *convShape, w *Operand) (ptr unsafe.Pointer, ld int) {
	q := c.cg * c.winSize
	want := int64(1)
	same := storedAs(w.DType) == typeOf[T]()
	for d := len(w.Size) - 1; d >= 1; d-- {
		same = same && (w.Size[d] == 1 || w.Stride[d] == want)
		want *= w.Size[d]
	}
	if same {
		return w.at(w.Off), int(w.Stride[0])
	}
	buf := make([]T, max(1, c.outC*q))
	ws := w.spatial()
	at := 0
	for o := range c.outC {
		for ch := range c.cg {
			for z := range c.win[0] {
				for y := range c.win[1] {
					off := w.Off + int64(o)*w.Stride[0] + int64(ch)*w.Stride[1] + int64(z*ws[0]+y*ws[1])
					widenRow(buf[at:][:c.win[2]], w.DType, w.at(off), ws[2])
					at += c.win[2]
				}
			}
		}
	}
	return unsafe.Pointer(&buf[0]), q
}

func convTemplate(a *TemplateArgs) error {
	x, w, y := &a.In[0], &a.In[1], &a.Out[0]
	for i := range a.In {
		a.In[i].mustFit("conv")
	}
	y.mustFit("conv")
	switch TypeOf(y.DType) {
	case F32:
		return conv[float32](a, x, w, y)
	case F64:
		return conv[float64](a, x, w, y)
	case I64:
		return conv[int64](a, x, w, y)
	}
	return conv[int32](a, x, w, y)
}

func conv[T number](a *TemplateArgs, x, w, y *Operand) error {
	c := newConvShape(x, w, y, a.Ints)
	if c.batch == 0 || c.outC == 0 || c.outSize == 0 {
		return nil
	}
	img, err := padded[T](a, c, x)
	defer img.release()
	if err != nil {
		return err
	}
	var bias *Operand
	if len(a.In) > 2 && a.In[2].DType != tensor.Invalid {
		bias = &a.In[2]
	}
	base, tap := c.bases(img.s), c.taps(img.sc, img.s)
	wp, ld := weights[T](c, w)
	k := &convJob[T]{a: a, c: c, img: img, base: base, tap: tap, w: wp, ld: ld, y: y, bias: bias}
	if c.og <= 2 || len(tap) <= 2 {
		return k.rows()
	}
	return k.products()
}

type convJob[T number] struct {
	a         *TemplateArgs
	c         *convShape
	img       *image[T]
	base, tap []int
	w         unsafe.Pointer
	ld        int
	y, bias   *Operand
}

// products does a convolution as a product for each group, with the positions of
// all images as columns.
func (k *convJob[T]) products() error {
	c := k.c
	cols := c.batch * c.outSize
	mc, nc := tileSize(c.og, cols, c.groups)
	mt, nt := (c.og+mc-1)/mc, (cols+nc-1)/nc
	per := mt * nt
	flops := int64(2 * mc * nc * len(k.tap))
	return k.a.Parallel(int64(c.groups*per), max(1, 400000/max(1, flops)), func(lo, hi int64) error {
		s := getScratch[T]()
		defer putScratch(s)
		size := int(unsafe.Sizeof(*new(T)))
		group := 0
		at := make([]int, nc+gemmNR)
		g := &gemm[T]{m: c.og, n: cols, k: len(k.tap),
			packA: func(dst []T, i0, i1, k0, k1, kp int) {
				packRows(dst, unsafe.Add(k.w, ((group*c.og+i0)*k.ld+k0)*size), i1-i0, k1-k0, k.ld, 1, kp)
			},
			packB: func(dst []T, j0, j1, k0, k1, kp int) {
				k.positions(at, j0, j1)
				packWindows(dst, unsafe.Add(k.img.ptr, group*c.cg*k.img.sc*size), at[:j1-j0], k.tap[k0:k1], kp)
			},
			store: func(acc []T, ld, i0, i1, j0, j1 int) {
				for i := i0; i < i1; i++ {
					k.put(acc[(i-i0)*ld:][:j1-j0], group*c.og+i, j0)
				}
			},
		}
		for t := int(lo); t < int(hi); t++ {
			group = t / per
			i0, j0 := t%per/nt*mc, t%nt*nc
			if err := g.tile(s, i0, min(i0+mc, c.og), j0, min(j0+nc, cols), k.a.Done); err != nil {
				return err
			}
		}
		return nil
	})
}

// positions fills the window offsets of columns (n, l).
func (k *convJob[T]) positions(at []int, j0, j1 int) {
	n, l := j0/k.c.outSize, j0%k.c.outSize
	off := n * k.img.sn
	for i := range at[:j1-j0] {
		at[i] = off + k.base[l]
		if l++; l == k.c.outSize {
			l = 0
			off += k.img.sn
		}
	}
}

// put stores values of channel o at columns (n, l) from j0 on.
func (k *convJob[T]) put(v []T, o, j0 int) {
	if k.bias != nil {
		var b [1]T
		widenRow(b[:], k.bias.DType, k.bias.at(k.bias.Off+int64(o)*k.bias.Stride[0]), 1)
		for i := range v {
			v[i] += b[0]
		}
	}
	eachRun(k.c, k.y, j0, len(v), func(i, n int, off int64, stride int) {
		narrowRow(v[i:i+n], k.y.DType, k.y.at(off+int64(o)*k.y.Stride[1]), stride)
	})
}

// eachRun cuts columns (n, l) into runs of one stride in an operand [N, _, l…]
// of the output's geometry.
func eachRun(c *convShape, y *Operand, j0, count int, f func(i, n int, off int64, stride int)) {
	s := y.spatial()
	// how many trailing dims are one run
	run := c.out[2]
	if s[1] == c.out[2]*s[2] || c.out[1] == 1 {
		run *= c.out[1]
		if s[0] == run*s[2] || c.out[0] == 1 {
			run *= c.out[0]
		}
	}
	for i := 0; i < count; {
		j := j0 + i
		n, l := j/c.outSize, j%c.outSize
		x, yy, z := l%c.out[2], l/c.out[2]%c.out[1], l/(c.out[2]*c.out[1])
		m := min(run-l%run, count-i)
		f(i, m, y.Off+int64(n)*y.Stride[0]+int64(z*s[0]+yy*s[1]+x*s[2]), s[2])
		i += m
	}
}

// packWindows packs the windows of columns into panels of 4.
func packWindows[T number](dst []T, p unsafe.Pointer, at, tap []int, kp int) {
	w := int(unsafe.Sizeof(dst[0]))
	for j := 0; j < len(at); j += 4 {
		d := dst[j*kp:][:4*kp]
		clear(d[4*len(tap):])
		if j+4 > len(at) {
			clear(d)
			for jj := range len(at) - j {
				for i, t := range tap {
					d[4*i+jj] = *(*T)(unsafe.Add(p, (at[j+jj]+t)*w))
				}
			}
			continue
		}
		q := (*[4]int)(at[j:])
		x := unsafe.Add(p, q[0]*w)
		if q[3]-q[0] == 3 && q[1]-q[0] == 1 && q[2]-q[0] == 2 {
			for i, t := range tap {
				*(*[4]T)(d[4*i:]) = *(*[4]T)(unsafe.Add(x, t*w))
			}
			continue
		}
		x1, x2, x3 := unsafe.Add(p, q[1]*w), unsafe.Add(p, q[2]*w), unsafe.Add(p, q[3]*w)
		for i, t := range tap {
			v := (*[4]T)(d[4*i:])
			v[0], v[1], v[2], v[3] = *(*T)(unsafe.Add(x, t*w)), *(*T)(unsafe.Add(x1, t*w)), *(*T)(unsafe.Add(x2, t*w)), *(*T)(unsafe.Add(x3, t*w))
		}
	}
}

// rows does a convolution tap by tap, a row of outputs at a time.
func (k *convJob[T]) rows() error {
	c := k.c
	size := int(unsafe.Sizeof(*new(T)))
	cost := int64(c.outSize*len(k.tap) + 1)
	return k.a.Parallel(int64(c.batch*c.outC), max(1, 100000/cost), func(lo, hi int64) error {
		acc := make([]T, c.outSize)
		step := c.stride[2] * k.img.s[2]
		for t := int(lo); t < int(hi); t++ {
			if err := k.a.poll(); err != nil {
				return err
			}
			n, o := t/c.outC, t%c.outC
			clear(acc)
			x := unsafe.Add(k.img.ptr, (n*k.img.sn+o/c.og*c.cg*k.img.sc)*size)
			w := unsafe.Slice((*T)(unsafe.Add(k.w, o*k.ld*size)), len(k.tap))
			for l := 0; l < c.outSize; l += c.out[2] {
				row := acc[l:][:c.out[2]]
				for i, tp := range k.tap {
					p, f := unsafe.Add(x, (k.base[l]+tp)*size), w[i]
					if step == 1 {
						for j, v := range unsafe.Slice((*T)(p), len(row)) {
							row[j] += f * v
						}
						continue
					}
					for j := range row {
						row[j] += f * *(*T)(unsafe.Add(p, j*step*size))
					}
				}
			}
			k.put(acc, o, n*c.outSize)
		}
		return nil
	})
}
