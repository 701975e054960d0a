package tracer

import (
	"unsafe"
	"weak"

	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tensor"
)

// What a recorder knows of objects it knows by identity, and must not keep alive: a
// recording needs no more memory than running. An address would be given to another
// object once its own has died; a weak pointer never equals that of another object.

// identity is which object a value is.
type identity struct {
	p weak.Pointer[byte]
	n uint64
}

func idOf(v value.Value) identity {
	return identity{weak.Make((*byte)(v.P)), v.N}
}

// value is the object; unset if it has died.
func (i identity) value() value.Value {
	if p := i.p.Value(); p != nil {
		return value.Value{P: unsafe.Pointer(p), N: i.n}
	}
	return value.Value{}
}

// made notes a tensor that the region has made.
func (r *recorder) made(t *eager.Tensor) { r.bornT[weak.Make(t)] = true }

// makes reports a tensor that the region has made.
func (r *recorder) makes(t *eager.Tensor) bool { return r.bornT[weak.Make(t)] }

// memory is what is known of a storage; nil: nothing.
func (r *recorder) memory(s *tensor.Storage) *storage { return r.storages[weak.Make(s)] }
