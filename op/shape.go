package op

import (
	"strings"

	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// C is a constant size.
func C(v int64) SymInt { return sym.C(v) }

// ShapeText prints a size as torch's errors do: [2, 3].
func ShapeText(s []SymInt) string {
	p := make([]string, len(s))
	for i, x := range s {
		p[i] = sym.C(x.Hint()).String()
	}
	return "[" + strings.Join(p, ", ") + "]"
}

// Broadcast takes, for each dimension, the first sufficient condition that
// holds: equal; a is 1; b is 1. Equal sizes never ask whether they are 1.
func Broadcast(a, b []SymInt) []SymInt {
	n := max(len(a), len(b))
	if len(a) == n && same(a, b) {
		return a
	}
	o := make([]SymInt, n)
	one := C(1)
	for i := 1; i <= n; i++ {
		switch {
		case i > len(a):
			o[n-i] = b[len(b)-i]
		case i > len(b):
			o[n-i] = a[len(a)-i]
		default:
			x, y := a[len(a)-i], b[len(b)-i]
			if p, ok := x.Const(); ok {
				if q, ok := y.Const(); ok { // the eager path: no pairs built
					switch {
					case p == q || q == 1:
						o[n-i] = x
					case p == 1:
						o[n-i] = y
					default:
						broadcastError(x, y, n-i)
					}
					continue
				}
			}
			switch sym.Case([2]SymInt{x, y}, [2]SymInt{x, one}, [2]SymInt{y, one}) {
			case 0, 2:
				o[n-i] = x
			case 1:
				o[n-i] = y
			default:
				broadcastError(x, y, n-i)
			}
		}
	}
	return o
}

func broadcastError(x, y SymInt, d int) {
	Raise(tensor.RuntimeError, "The size of tensor a (%d) must match the size of tensor b (%d) at non-singleton dimension %d", x.Hint(), y.Hint(), d)
}

// same is equality that needs no guard, fast on constants.
func same(a, b []SymInt) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && !a[i].KnownEq(b[i]) {
			return false
		}
	}
	return true
}

// Expand is m broadcast to size: stride 0 where a size of 1 grows.
func Expand(m *tensor.Meta, size []SymInt) tensor.Meta {
	k := len(size) - len(m.Size)
	if k < 0 {
		Raise(tensor.RuntimeError, "expand: the number of sizes provided (%d) must be greater or equal to the number of dimensions in the tensor (%d)", len(size), len(m.Size))
	}
	o := tensor.Meta{DType: m.DType, Dev: m.Dev, Off: m.Off, Size: size, Stride: make([]SymInt, len(size))}
	for d := range size {
		if d < k {
			continue
		}
		s := m.Size[d-k]
		switch sym.Case([2]SymInt{s, size[d]}, [2]SymInt{s, C(1)}) {
		case 0:
			o.Stride[d] = m.Stride[d-k]
		case 1:
		default:
			Raise(tensor.RuntimeError, "The expanded size of the tensor (%d) must match the existing size (%d) at non-singleton dimension %d.  Target sizes: %s.  Tensor sizes: %s", size[d].Hint(), s.Hint(), d, ShapeText(size), ShapeText(m.Size))
		}
	}
	return o
}

// Drop is size without the listed dimensions, or with 1 in their place.
func Drop(size []SymInt, dims []int, keep bool) []SymInt {
	o := make([]SymInt, 0, len(size))
	k := 0
	for d, s := range size {
		if k < len(dims) && dims[k] == d {
			k++
			if keep {
				o = append(o, C(1))
			}
			continue
		}
		o = append(o, s)
	}
	return o
}

// InferSize resolves one -1 in a view size.
func InferSize(size []SymInt, numel SymInt) []SymInt {
	o, k, p := append([]SymInt(nil), size...), -1, C(1)
	for i, s := range size {
		switch {
		case s.Eq(C(-1)):
			if k >= 0 {
				Raise(tensor.RuntimeError, "only one dimension can be inferred")
			}
			k = i
		case s.Lt(C(0)):
			Raise(tensor.RuntimeError, "invalid shape dimension %d", s.Hint())
		default:
			p = p.Mul(s)
		}
	}
	if k < 0 {
		if !p.Eq(numel) {
			Raise(tensor.RuntimeError, "shape '%s' is invalid for input of size %d", ShapeText(size), numel.Hint())
		}
		return o
	}
	if q, ok := numel.DivExact(p); ok && !p.IsConst() && !q.Is(0) && p.HintEq(p) && p.Hint() != 0 {
		// p divides numel by algebra; p == 0 would leave the -1 ambiguous
		if p.Ne(C(0)) {
			o[k] = q
			return o
		}
	}
	if p.Eq(C(0)) {
		Raise(tensor.RuntimeError, "cannot reshape tensor of 0 elements into shape %s because the unspecified dimension size -1 can be any value and is ambiguous", ShapeText(size))
	}
	if !numel.Mod(p).Eq(C(0)) {
		Raise(tensor.RuntimeError, "shape '%s' is invalid for input of size %d", ShapeText(size), numel.Hint())
	}
	o[k] = numel.Div(p)
	return o
}

// IsEmpty peeks: only the answer "empty" costs a guard.
func IsEmpty(m *tensor.Meta) bool {
	n := m.Numel()
	return n.HintEq(C(0)) && n.Eq(C(0))
}
