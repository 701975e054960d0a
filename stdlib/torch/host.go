package torch

import (
	"context"

	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tensor"
)

// What an embedder needs of tensors, outside any thread.

// ContextOf is the context.Context under which the thread runs.
func (r *Runtime) ContextOf(t *value.Thread) context.Context {
	if c := r.Context(t).Ctx; c != nil {
		return c
	}
	return context.Background()
}

// FromBuffer makes a row-major tensor over memory of the host's, without copying.
func (r *Runtime) FromBuffer(b tensor.Buffer, d tensor.DType, size []int64) (*eager.Tensor, error) {
	return r.newContext().FromBuffer(b, d, size, 0)
}

// escaper is an allocator whose memory may outlive its buffer.
type escaper interface{ Escape(tensor.Buffer) []byte }

// HostBytes is a tensor's elements in row-major order. shared: they are the
// tensor's own memory, which stays valid as long as the slice is reachable; else
// a copy.
func (r *Runtime) HostBytes(t *eager.Tensor) (raw []byte, shared bool) {
	if t.IsContiguous() && t.Bytes() != nil {
		a, err := r.opts.Alloc(t.Device())
		if e, ok := a.(escaper); ok && err == nil {
			w := int64(t.DType.Size())
			lo := t.Off * w
			hi := lo + t.Numel()*w
			return e.Escape(t.Store.Buf)[lo:hi:hi], true
		}
	}
	raw, err := r.newContext().Raw(t)
	if err != nil {
		return nil, false
	}
	return raw, false
}

// Values calls f with each element of a tensor in logical order. An error says why
// a device did not give them.
func (r *Runtime) Values(t *eager.Tensor, f func(tensor.Number)) error {
	return r.newContext().Values(t, f)
}

// Repr is a tensor as the language prints it.
func (r *Runtime) Repr(t *eager.Tensor) string {
	th := &value.Thread{}
	r.PrepareFork(th)
	s, err := r.reprTensor(th, r.Wrap(t))
	if err != nil {
		return "tensor(" + err.Error() + ")"
	}
	return s
}
