package inductor

import (
	"math"
	"unsafe"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/inductor/random"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Random numbers as templates of the portable target. State is a generator's
// 5056 bytes, read before and written after; the samples are PyTorch's, bit for
// bit (package random). A destination is filled in the order of PyTorch's
// iterator, which is that of memory for any permutation of dense dimensions.
//
//	random_uniform     Out float; Nums from, to
//	random_normal      Out float; Nums mean, std
//	random_bernoulli   Out any dtype, 0 or 1; Nums p, or without Nums In p (float, Out's size)
//	random_int         Out any dtype; Nums from, to (integers): [from, to)
//	random_any         Out any dtype: random_() without bounds
//	random_perm        Out [n]
//	random_multinomial In weights [n] or [rows, n]; Out int64 [k] or [rows, k]; Flags replacement
//	random_exponential Out float; Nums lambda
//	random_geometric   Out any dtype; Nums p
//	random_cauchy      Out float; Nums median, sigma
//	random_log_normal  Out float; Nums mean, std
//	random_poisson     In rates (float); Out of the same dtype and size
//
// Other operands (the self of an in-place op) may be in In and are not read.
func init() {
	for name, f := range map[string]func(s *random.State, a *loop.TemplateArgs) error{
		"random_uniform":     randomUniform,
		"random_normal":      randomNormal,
		"random_bernoulli":   randomBernoulli,
		"random_int":         randomInt,
		"random_any":         randomAny,
		"random_perm":        randomPerm,
		"random_multinomial": randomMultinomial,
		"random_exponential": eachFloat(func(s *random.State, a *loop.TemplateArgs) float64 { return s.Exponential(randNum(a, 0)) }),
		"random_geometric":   eachFloat(func(s *random.State, a *loop.TemplateArgs) float64 { return s.Geometric(randNum(a, 0)) }),
		"random_cauchy":      eachFloat(func(s *random.State, a *loop.TemplateArgs) float64 { return s.Cauchy(randNum(a, 0), randNum(a, 1)) }),
		"random_log_normal":  eachFloat(func(s *random.State, a *loop.TemplateArgs) float64 { return s.LogNormal(randNum(a, 0), randNum(a, 1)) }),
		"random_poisson":     randomPoisson,
	} {
		loop.RegisterPortable(name, func(a *loop.TemplateArgs) error {
			s := random.New(0)
			if err := s.SetBytes(a.State); err != nil {
				return tensor.Errorf(tensor.RuntimeError, "%s", err)
			}
			if err := f(s, a); err != nil {
				return err
			}
			copy(a.State, s.Bytes())
			return nil
		})
	}
}

func randNum(a *loop.TemplateArgs, i int) float64 { return a.Nums[i].Float64() }

func randElem(o *loop.Operand, off int64) unsafe.Pointer {
	return unsafe.Add(o.Mem.Ptr, off*int64(o.DType.Size()))
}

// rowMajor reports a destination that is contiguous as PyTorch's is_contiguous is.
func rowMajor(o *loop.Operand) bool {
	want := int64(1)
	for d := len(o.Size) - 1; d >= 0; d-- {
		if o.Size[d] != 1 {
			if o.Stride[d] != want {
				return false
			}
			want *= o.Size[d]
		}
	}
	return true
}

// visitOrder calls f for each element of o in the iterator's order, with the offset of
// the same element in the operands of others.
func visitOrder(a *loop.TemplateArgs, o *loop.Operand, others []*loop.Operand, f func(off int64, other []int64)) error {
	n := len(o.Size)
	size, stride := make([]int, n), make([]int, n)
	for d := range n {
		size[d], stride[d] = int(o.Size[d]), int(o.Stride[d])
		if size[d] == 0 {
			return nil
		}
	}
	order := random.Order(size, stride)
	idx, at, oo := make([]int, n), o.Off, make([]int64, len(others))
	for i, x := range others {
		oo[i] = x.Off
	}
	for count := 1; ; count++ {
		f(at, oo)
		if count%randPiece == 0 {
			if err := goOn(a); err != nil {
				return err
			}
		}
		k := n - 1
		for ; k >= 0; k-- {
			d := order[k]
			idx[d]++
			at += o.Stride[d]
			for i, x := range others {
				oo[i] += x.Stride[d]
			}
			if idx[d] < size[d] {
				break
			}
			at -= int64(size[d]) * o.Stride[d]
			for i, x := range others {
				oo[i] -= int64(size[d]) * x.Stride[d]
			}
			idx[d] = 0
		}
		if k < 0 {
			return nil
		}
	}
}

// denseF32 is a row-major float32 operand's memory, whose order is that of visitOrder.
func denseF32(o *loop.Operand) ([]float32, bool) {
	n := int64(1)
	for d := len(o.Size) - 1; d >= 0; d-- {
		if o.Size[d] != 1 && o.Stride[d] != n {
			return nil, false
		}
		n *= o.Size[d]
	}
	if o.DType != tensor.Float32 || n == 0 || o.Off < 0 || o.Off+n > o.Mem.Len {
		return nil, false
	}
	return unsafe.Slice((*float32)(unsafe.Add(o.Mem.Ptr, 4*o.Off)), n), true
}

// randPiece is the number of samples between two polls: about a millisecond's. It
// is a multiple of a Box-Muller block.
const randPiece = 1 << 12

func goOn(a *loop.TemplateArgs) error {
	if a.Done == nil {
		return nil
	}
	return a.Done()
}

// inPieces fills dst piece by piece, with the draws of one fill: the last piece
// is at least a whole one, as the samplers treat short fills in another way.
func inPieces[T any](a *loop.TemplateArgs, dst []T, f func(dst []T)) error {
	for len(dst) >= 2*randPiece {
		f(dst[:randPiece])
		dst = dst[randPiece:]
		if err := goOn(a); err != nil {
			return err
		}
	}
	f(dst)
	return nil
}

// fillWhole gives f a slice for all elements: the destination itself if it is
// contiguous, else one whose elements are then given out in the iterator's order.
func fillWhole[T any](a *loop.TemplateArgs, o *loop.Operand, f func(dst []T)) error {
	n := int(o.Numel())
	if n == 0 {
		return nil
	}
	if rowMajor(o) {
		return inPieces(a, unsafe.Slice((*T)(randElem(o, o.Off)), n), f)
	}
	buf := make([]T, n)
	if err := inPieces(a, buf, f); err != nil {
		return err
	}
	i := 0
	return visitOrder(a, o, nil, func(off int64, _ []int64) {
		*(*T)(randElem(o, off)) = buf[i]
		i++
	})
}

func randFormat(d tensor.DType) random.Format {
	if d == tensor.Float16 {
		return random.Half
	}
	return random.BFloat16
}

func notImplemented(name string, d tensor.DType) error {
	return tensor.Errorf(tensor.RuntimeError, `"%s" not implemented for '%s'`, name, d.ScalarName())
}

func randomUniform(s *random.State, a *loop.TemplateArgs) error {
	o, from, to := &a.Out[0], randNum(a, 0), randNum(a, 1)
	switch o.DType {
	case tensor.Float32:
		return fillWhole(a, o, func(dst []float32) { s.Uniform32(dst, from, to) })
	case tensor.Float64:
		return fillWhole(a, o, func(dst []float64) { s.Uniform64(dst, from, to) })
	case tensor.Float16, tensor.BFloat16:
		return fillWhole(a, o, func(dst []uint16) { s.Uniform16(dst, randFormat(o.DType), from, to) })
	}
	return notImplemented("check_uniform_bounds", o.DType)
}

func randomNormal(s *random.State, a *loop.TemplateArgs) error {
	o, mean, std := &a.Out[0], randNum(a, 0), randNum(a, 1)
	c := rowMajor(o)
	switch o.DType {
	case tensor.Float32:
		return fillWhole(a, o, func(dst []float32) { s.Normal32(dst, mean, std, c) })
	case tensor.Float64:
		return fillWhole(a, o, func(dst []float64) { s.Normal64(dst, mean, std, c) })
	case tensor.Float16, tensor.BFloat16:
		return fillWhole(a, o, func(dst []uint16) { s.Normal16(dst, randFormat(o.DType), mean, std, c) })
	}
	return notImplemented("normal_kernel_cpu", o.DType)
}

// putRand stores a float64 as an element of any dtype.
func putRand(o *loop.Operand, off int64, f float64) {
	p := randElem(o, off)
	switch o.DType {
	case tensor.Float64:
		*(*float64)(p) = f
	case tensor.Float32:
		*(*float32)(p) = float32(f)
	case tensor.Float16:
		*(*uint16)(p) = tensor.F32ToF16(float32(f))
	case tensor.BFloat16:
		*(*uint16)(p) = tensor.F32ToBF16(float32(f))
	case tensor.Bool:
		*(*bool)(p) = f != 0
	default:
		putRandInt(o, off, int64(f))
	}
}

// putRandInt stores an integer as an element of any dtype, wrapped.
func putRandInt(o *loop.Operand, off, v int64) {
	p := randElem(o, off)
	switch o.DType {
	case tensor.Int64:
		*(*int64)(p) = v
	case tensor.Int32:
		*(*int32)(p) = int32(v)
	case tensor.Int16:
		*(*int16)(p) = int16(v)
	case tensor.Int8, tensor.Uint8:
		*(*uint8)(p) = uint8(v)
	case tensor.Float32: // rounded once, not through float64
		*(*float32)(p) = float32(v)
	default:
		putRand(o, off, float64(v))
	}
}

func getRate(o *loop.Operand, off int64) float64 {
	p := randElem(o, off)
	switch o.DType {
	case tensor.Float64:
		return *(*float64)(p)
	case tensor.Float32:
		return float64(*(*float32)(p))
	case tensor.Float16:
		return float64(tensor.F16ToF32(*(*uint16)(p)))
	case tensor.BFloat16:
		return float64(tensor.BF16ToF32(*(*uint16)(p)))
	}
	panic("BUG: random template over " + o.DType.String())
}

// eachFloat draws element by element.
func eachFloat(draw func(s *random.State, a *loop.TemplateArgs) float64) func(s *random.State, a *loop.TemplateArgs) error {
	return func(s *random.State, a *loop.TemplateArgs) error {
		return visitOrder(a, &a.Out[0], nil, func(off int64, _ []int64) { putRand(&a.Out[0], off, draw(s, a)) })
	}
}

func asNumber(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func randomBernoulli(s *random.State, a *loop.TemplateArgs) error {
	o := &a.Out[0]
	if len(a.Nums) > 0 { // operands, if any, only give the size
		p := randNum(a, 0)
		if !(p >= 0 && p <= 1) {
			return tensor.Errorf(tensor.RuntimeError, "bernoulli_ expects p to be in [0, 1], but got p=%v", p)
		}
		if dst, ok := denseF32(o); ok {
			return inPieces(a, dst, func(dst []float32) { s.Bernoulli32(dst, p) })
		}
		return visitOrder(a, o, nil, func(off int64, _ []int64) { putRand(o, off, asNumber(s.Bernoulli(p))) })
	}
	q := &a.In[0]
	if !q.DType.IsFloat() {
		return tensor.Errorf(tensor.RuntimeError, "expected probabilities tensor to have floating type, got %s", q.DType.ScalarName())
	}
	var err error
	stop := visitOrder(a, o, []*loop.Operand{q}, func(off int64, in []int64) {
		if err != nil {
			return
		}
		p := getRate(q, in[0])
		switch {
		case !(p >= 0 && p <= 1):
			err = tensor.Errorf(tensor.RuntimeError, "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)")
		case q.DType == tensor.Float64:
			putRand(o, off, asNumber(s.Bernoulli(p)))
		default:
			putRand(o, off, asNumber(s.BernoulliFloat(float32(p))))
		}
	})
	if stop != nil {
		return stop
	}
	return err
}

// wideRand tells the dtypes for which a range may take 64-bit draws.
func wideRand(d tensor.DType) bool {
	switch d {
	case tensor.Int64, tensor.Float32, tensor.Float64, tensor.BFloat16:
		return true
	}
	return false
}

func randomInt(s *random.State, a *loop.TemplateArgs) error {
	o, from, to := &a.Out[0], a.Nums[0].Int64(), a.Nums[1].Int64()
	if from >= to {
		return tensor.Errorf(tensor.RuntimeError, "random_ expects 'from' to be less than 'to', but got from=%d >= to=%d", from, to)
	}
	return visitOrder(a, o, nil, func(off int64, _ []int64) {
		putRandInt(o, off, s.IntFromTo(from, uint64(to)-uint64(from), wideRand(o.DType)))
	})
}

// randomAny draws from all values of an integer dtype that are not negative, or
// from the integers that a float dtype holds exactly.
func randomAny(s *random.State, a *loop.TemplateArgs) error {
	o := &a.Out[0]
	limit := map[tensor.DType]uint64{tensor.Bool: 1, tensor.Uint8: math.MaxUint8, tensor.Int8: math.MaxInt8, tensor.Int16: math.MaxInt16,
		tensor.Int32: math.MaxInt32, tensor.Int64: math.MaxInt64, tensor.Float16: 1 << 11, tensor.BFloat16: 1 << 8, tensor.Float32: 1 << 24, tensor.Float64: 1 << 53}[o.DType]
	return visitOrder(a, o, nil, func(off int64, _ []int64) {
		putRandInt(o, off, int64(s.IntBelow(limit, o.DType == tensor.Int64 || o.DType == tensor.Float64)))
	})
}

func randomPerm(s *random.State, a *loop.TemplateArgs) error {
	o := &a.Out[0]
	n := o.Numel()
	perm := make([]int64, n)
	for i := range perm {
		perm[i] = int64(i)
	}
	for i := 0; i < len(perm); i += randPiece {
		random.Shuffle(s, perm, i, i+randPiece)
		if err := goOn(a); err != nil {
			return err
		}
	}
	for i, v := range perm {
		putRandInt(o, o.Off+int64(i)*o.Stride[0], v)
	}
	return nil
}

func randomPoisson(s *random.State, a *loop.TemplateArgs) error {
	o, q := &a.Out[0], &a.In[0]
	var err error
	stop := visitOrder(a, o, []*loop.Operand{q}, func(off int64, in []int64) {
		if l := getRate(q, in[0]); !(l >= 0) {
			if err == nil {
				err = tensor.Errorf(tensor.RuntimeError, "invalid Poisson rate, expected rate to be non-negative")
			}
		} else if err == nil {
			putRand(o, off, float64(s.Poisson(l)))
		}
	})
	if stop != nil {
		return stop
	}
	return err
}

func randomMultinomial(s *random.State, a *loop.TemplateArgs) error {
	w := &a.In[0]
	if w.DType == tensor.Float64 {
		return multinomial[float64](s, a)
	}
	return multinomial[float32](s, a)
}

func multinomial[T random.Float](s *random.State, a *loop.TemplateArgs) error {
	w, o := &a.In[0], &a.Out[0]
	last := len(w.Size) - 1
	rows, rw, ro := int64(1), int64(0), int64(0)
	if last > 0 {
		rows, rw, ro = w.Size[0], w.Stride[0], o.Stride[0]
	}
	row, dst := make([]T, w.Size[last]), make([]int64, o.Size[last])
	// all rows are checked before anything is drawn
	for draw := range 2 {
		for r := range rows {
			sum := 0.0
			for i := range row {
				v := getRate(w, w.Off+r*rw+int64(i)*w.Stride[last])
				if !(v >= 0 && v <= math.MaxFloat64) {
					return tensor.Errorf(tensor.RuntimeError, "probability tensor contains either `inf`, `nan` or element < 0")
				}
				row[i] = T(v)
				sum += v
			}
			if sum == 0 {
				return tensor.Errorf(tensor.RuntimeError, "invalid multinomial distribution (sum of probabilities <= 0)")
			}
			if err := goOn(a); err != nil {
				return err
			}
			if draw == 0 {
				continue
			}
			if len(a.Flags) > 0 && a.Flags[0] {
				random.Multinomial(s, dst, row)
			} else {
				random.MultinomialDistinct(s, dst, row)
			}
			for i, v := range dst {
				putRandInt(o, o.Off+r*ro+int64(i)*o.Stride[last], v)
			}
		}
	}
	return nil
}
