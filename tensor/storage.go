package tensor

import (
	"sync/atomic"

	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// Storage is a Buffer with an identity: what a tensor and its views share.
// Version counts writes; autograd compares it with the version it saved.
type Storage struct {
	Buf     Buffer
	version atomic.Uint32
}

func NewStorage(b Buffer) *Storage { return &Storage{Buf: b} }

func (s *Storage) Version() uint32 { return s.version.Load() }

// Wrote counts a write.
func (s *Storage) Wrote() { s.version.Add(1) }

// Tensor is a typed, strided window on a storage. All fields count elements.
// It is immutable by convention: views and ops make new ones.
type Tensor struct {
	Store *Storage
	Geometry
}

// Geometry is a concrete dtype, size, stride and offset.
type Geometry struct {
	DType  DType
	Size   []int64
	Stride []int64
	Off    int64
}

// Rank is the number of dimensions.
func (g *Geometry) Rank() int { return len(g.Size) }

// Device is where the storage lies.
func (t *Tensor) Device() Device { return t.Store.Buf.Device() }

// Bytes is the storage's memory on the host, nil elsewhere.
func (t *Tensor) Bytes() []byte { return t.Store.Buf.Bytes() }

// Meta is geometry whose numbers may be symbolic: what a shape rule sees of a
// tensor. With constants only it allocates nothing but the slices.
type Meta struct {
	DType        DType
	Dev          Device
	Size, Stride []sym.Int
	Off          sym.Int
}

func (m *Meta) Rank() int { return len(m.Size) }

// Numel is the number of elements.
func (m *Meta) Numel() sym.Int { return sym.Prod(m.Size) }

// Meta converts to the symbolic form with constants.
func (g *Geometry) Meta(dev Device) *Meta {
	n := len(g.Size)
	s := make([]sym.Int, 2*n)
	for i, v := range g.Size {
		s[i] = sym.C(v)
	}
	for i, v := range g.Stride {
		s[n+i] = sym.C(v)
	}
	return &Meta{DType: g.DType, Dev: dev, Size: s[:n:n], Stride: s[n:], Off: sym.C(g.Off)}
}

// Symbolic reports a size, stride or offset that is an expression.
func (m *Meta) Symbolic() bool {
	for _, l := range [2][]sym.Int{m.Size, m.Stride} {
		for _, v := range l {
			if !v.IsConst() {
				return true
			}
		}
	}
	return !m.Off.IsConst()
}

// AtHand is the geometry with the values that expressions have now.
func (m *Meta) AtHand() Geometry {
	n := len(m.Size)
	s := make([]int64, 2*n)
	for i, v := range m.Size {
		s[i] = v.Hint()
	}
	for i, v := range m.Stride {
		s[n+i] = v.Hint()
	}
	return Geometry{DType: m.DType, Size: s[:n:n], Stride: s[n:], Off: m.Off.Hint()}
}

// Concrete converts back; it panics where a number is symbolic.
func (m *Meta) Concrete() Geometry {
	n := len(m.Size)
	s := make([]int64, 2*n)
	for i, v := range m.Size {
		s[i] = v.Must()
	}
	for i, v := range m.Stride {
		s[n+i] = v.Must()
	}
	return Geometry{DType: m.DType, Size: s[:n:n], Stride: s[n:], Off: m.Off.Must()}
}
