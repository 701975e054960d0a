package eager

import (
	"sync/atomic"

	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Tensor is a tensor with identity: geometry on a storage, and its place on the tape.
type Tensor struct {
	tensor.Tensor
	meta atomic.Pointer[tensor.Meta]
	// ver counts writes where it is not the storage's counter that does (detached by .data).
	ver  *atomic.Uint32
	view *viewInfo
	ag   *autograd
	// Inference: made in inference mode; it can never take part in autograd.
	Inference bool
	// Obj is the language's object for this tensor, if it has one.
	Obj any
}

// viewInfo says of which tensor another is a view.
type viewInfo struct {
	base     *Tensor // never itself a view
	version  uint32  // of the storage when the view's node was made
	creation creation
	made     string // the op, for errors
}

// creation says under what circumstances a view was made; it decides whether it may be written to.
type creation uint8

const (
	createdDefault creation = iota
	createdNoGrad           // in no_grad mode
	createdMulti            // one of several outputs of one op
	createdInference
	createdCustom // by a custom function
)

// autograd is the part of a Tensor that takes part in differentiation.
type autograd struct {
	requires bool // a leaf that wants a gradient
	grad     *Tensor
	node     *Node
	out      int   // output of node
	acc      *Node // a leaf's AccumulateGrad
	hooks    []*Hook
	retain   bool
}

var _ op.Tensor = (*Tensor)(nil)

// New makes a tensor on a storage.
func New(s *tensor.Storage, g tensor.Geometry) *Tensor {
	return &Tensor{Tensor: tensor.Tensor{Store: s, Geometry: g}}
}

func newMeta(s *tensor.Storage, m *tensor.Meta) *Tensor {
	t := New(s, m.Concrete())
	t.meta.Store(m)
	return t
}

// Meta is the geometry as shape rules see it.
func (t *Tensor) Meta() *tensor.Meta {
	if m := t.meta.Load(); m != nil {
		return m
	}
	m := t.Geometry.Meta(t.Device())
	t.meta.Store(m)
	return m
}

// setGeometry changes what t is a window on (set_, resize_, out=, .data=).
func (t *Tensor) setGeometry(g tensor.Geometry) {
	t.Geometry = g
	t.meta.Store(nil)
}

// Numel is the number of elements.
func (t *Tensor) Numel() int64 {
	n := int64(1)
	for _, s := range t.Size {
		n *= s
	}
	return n
}

// Version counts the writes to t's memory that autograd knows of (_version).
func (t *Tensor) Version() uint32 {
	if t.ver != nil {
		return t.ver.Load()
	}
	return t.Store.Version()
}

func (t *Tensor) wrote() {
	if t.ver != nil {
		t.ver.Add(1)
		return
	}
	t.Store.Wrote()
}

// IsContiguous reports row-major order.
func (t *Tensor) IsContiguous() bool { return contiguous(&t.Geometry) }

func contiguous(g *tensor.Geometry) bool {
	z := int64(1)
	for d := len(g.Size) - 1; d >= 0; d-- {
		if g.Size[d] == 0 {
			return true
		}
		if g.Size[d] != 1 {
			if g.Stride[d] != z {
				return false
			}
			z *= g.Size[d]
		}
	}
	return true
}

// dense reports a geometry whose elements fill a range of memory without gaps or overlap, in any order.
func dense(g *tensor.Geometry) bool {
	if contiguous(g) {
		return true
	}
	var used uint64
	z := int64(1)
	for range g.Size {
		f := -1
		for d, s := range g.Size {
			if used>>d&1 == 0 && (g.Stride[d] == z || s == 1) {
				if f < 0 || s == 1 {
					f = d
				}
			}
		}
		if f < 0 {
			return false
		}
		used |= 1 << f
		if g.Size[f] != 1 {
			z *= g.Size[f]
		}
	}
	return true
}

// extent is the range of elements [lo, hi) that a geometry with non-negative strides touches.
func extent(g *tensor.Geometry) (lo, hi int64) {
	lo, hi = g.Off, g.Off+1
	for d, s := range g.Size {
		if s == 0 {
			return g.Off, g.Off
		}
		hi += (s - 1) * g.Stride[d]
	}
	return lo, hi
}

func sameInts(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// sameWindow reports equal addresses element by element; strides of dimensions of size 1 do not matter.
func sameWindow(a, b *tensor.Geometry) bool {
	if a.Off != b.Off || a.DType != b.DType || !sameInts(a.Size, b.Size) {
		return false
	}
	for d, s := range a.Size {
		if s != 1 && a.Stride[d] != b.Stride[d] {
			return false
		}
	}
	return true
}

func contigStride(size []int64) []int64 {
	st := make([]int64, len(size))
	z := int64(1)
	for d := len(size) - 1; d >= 0; d-- {
		st[d] = z
		z *= max(size[d], 1)
	}
	return st
}

func raise(k tensor.ErrKind, format string, a ...any) error { return tensor.Errorf(k, format, a...) }
