package eager

import (
	"github.com/larkspur-ml/larkspur/tensor"
)

// sameBuffer: the two share memory. Host memory is compared by address, since a slice has no identity to compare.
func sameBuffer(a, b *tensor.Storage) bool {
	if a == b {
		return true
	}
	x, y := a.Buf.Bytes(), b.Buf.Bytes()
	if x != nil || y != nil {
		return len(x) > 0 && len(y) > 0 && &x[0] == &y[0]
	}
	return a.Buf == b.Buf
}
