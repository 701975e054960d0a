package value

import (
	"math/big"
	"math/bits"
	"sync/atomic"
)

// bigWork is a computation with large ints that may take seconds, as arith hands
// it to those that have a thread: it is done aside, so that it can be interrupted.
type bigWork struct {
	f func(dropped *atomic.Bool) *big.Int
}

func (w *bigWork) Error() string { return "BUG: work with large ints was left undone" }

// slowBits is the length of an int from which an operation on it is done aside.
const slowBits = 1 << 20

// doAside does the work that an error of arith stands for.
func (t *Thread) doAside(v Value, err error) (Value, error) {
	w, ok := err.(*bigWork)
	if !ok {
		return v, err
	}
	var dropped atomic.Bool
	res := make(chan *big.Int, 1)
	if err := t.Aside(func() { res <- w.f(&dropped) }); err != nil {
		dropped.Store(true)
		return Value{}, err
	}
	return BigInt(<-res), nil
}

// bigPow is a^n for n > 0. It can be dropped between multiplications.
func bigPow(a *big.Int, n int64, dropped *atomic.Bool) *big.Int {
	z := new(big.Int).Set(a)
	for i := bits.Len64(uint64(n)) - 2; i >= 0; i-- {
		if dropped.Load() {
			return z
		}
		z.Mul(z, z)
		if n>>uint(i)&1 != 0 {
			z.Mul(z, a)
		}
	}
	return z
}
