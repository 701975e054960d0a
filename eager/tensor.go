package eager

import (
	"slices"
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
	// Watch, if set, is told after a change of what Meta and Traits say of the tensor.
	Watch Watcher
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

func (x *Context) newMeta(s *tensor.Storage, m *tensor.Meta) *Tensor {
	t := New(s, m.AtHand())
	x.SetMeta(t, m)
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
	t.changed()
}

// A Watcher wants to know when something is no longer as it was.
type Watcher interface{ Fire(slot int) }

func (t *Tensor) changed() {
	if t.Watch != nil {
		t.Watch.Fire(63)
	}
}

// Steady reports a tensor whose every change of metadata goes past its Watch: it is no
// view, which changes with its base, and not on the tape.
func (t *Tensor) Steady() bool {
	return t.view == nil && (t.ag == nil || t.ag.node == nil && !t.ag.retain)
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
func (t *Tensor) IsContiguous() bool { return t.Contiguous() }

// sameWindow reports equal addresses element by element; strides of dimensions of size 1 do not matter.
func sameWindow(a, b *tensor.Geometry) bool {
	if a.Off != b.Off || a.DType != b.DType || !slices.Equal(a.Size, b.Size) {
		return false
	}
	for d, s := range a.Size {
		if s != 1 && a.Stride[d] != b.Stride[d] {
			return false
		}
	}
	return true
}

func raise(k tensor.ErrKind, format string, a ...any) error { return tensor.Errorf(k, format, a...) }
