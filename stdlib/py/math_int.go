package py

import (
	"math"
	"math/big"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// mathIntegers are the functions of math over ints of any size.
func mathIntegers() []*value.Builtin {
	fold := func(sig string, start int64, f func(acc, x *big.Int) *big.Int) *value.Builtin {
		return fn(sig, func(t *thread, a []val) (val, error) {
			items, _ := elems(a[0])
			acc := big.NewInt(start)
			for i, v := range items {
				x, err := bigArg(t, v)
				if err != nil {
					return val{}, err
				}
				if i == 0 {
					acc = new(big.Int).Abs(x)
					continue
				}
				acc = f(acc, x)
			}
			return value.BigInt(acc), nil
		})
	}
	gcd := func(a, b *big.Int) *big.Int {
		return new(big.Int).GCD(nil, nil, new(big.Int).Abs(a), new(big.Int).Abs(b))
	}
	return []*value.Builtin{
		fold("gcd(*integers)", 0, gcd),
		fold("lcm(*integers)", 1, func(a, b *big.Int) *big.Int {
			if a.Sign() == 0 || b.Sign() == 0 {
				return new(big.Int)
			}
			r := new(big.Int).Div(a, gcd(a, b))
			return r.Abs(r.Mul(r, b))
		}),
		fn("isqrt(n, /)", func(t *thread, a []val) (val, error) {
			n, err := bigArg(t, a[0])
			if err != nil {
				return val{}, err
			}
			if n.Sign() < 0 {
				return val{}, value.ValueErrorf("isqrt() argument must be nonnegative")
			}
			return value.BigInt(new(big.Int).Sqrt(n)), nil
		}),
		fn("factorial(n, /)", func(t *thread, a []val) (val, error) {
			if value.Payload(a[0]).IsFloat() {
				return val{}, value.TypeErrorf("'float' object cannot be interpreted as an integer")
			}
			n, err := asInt(t, a[0])
			if err != nil {
				return val{}, err
			}
			if n < 0 {
				return val{}, value.ValueErrorf("factorial() not defined for negative values")
			}
			if n > 100_000 {
				return val{}, value.OverflowErrorf("factorial() argument should not exceed 100000")
			}
			return value.BigInt(new(big.Int).MulRange(1, n)), nil
		}),
		fn("comb(n, k, /)", func(t *thread, a []val) (val, error) {
			n, k, err := nAndK(t, a)
			if err != nil {
				return val{}, err
			}
			if k > n {
				return value.Int(0), nil
			}
			return value.BigInt(new(big.Int).Binomial(n, k)), nil
		}),
		fn("perm(n, k=None, /)", func(t *thread, a []val) (val, error) {
			if !given(a[1]) {
				a = []val{a[0], a[0]}
			}
			n, k, err := nAndK(t, a)
			if err != nil {
				return val{}, err
			}
			if k > n {
				return value.Int(0), nil
			}
			if k == 0 {
				return value.Int(1), nil
			}
			return value.BigInt(new(big.Int).MulRange(n-k+1, n)), nil
		}),
		fn("prod(iterable, /, *, start=1)", func(t *thread, a []val) (val, error) {
			start := a[1]
			if start.IsUnset() {
				start = value.Int(1)
			}
			return gather(t, a[0], func(t *thread, items []val) (val, error) {
				s := &foldStep{op: value.OpMul, acc: start, items: items}
				return s.run(t)
			})
		}),
	}
}

func nAndK(t *thread, a []val) (n, k int64, err error) {
	if n, err = asInt(t, a[0]); err != nil {
		return
	}
	if k, err = asInt(t, a[1]); err != nil {
		return
	}
	if n < 0 {
		err = value.ValueErrorf("n must be a non-negative integer")
	} else if k < 0 {
		err = value.ValueErrorf("k must be a non-negative integer")
	} else if min(k, n) > 1_000_000 && n != math.MaxInt64 {
		err = value.OverflowErrorf("min(n - k, k) must not exceed 1000000")
	}
	return
}

// foldStep combines items from the left with an operator that may be written
// in the language.
type foldStep struct {
	op    value.Op
	acc   val
	items []val
}

func (s *foldStep) Roots(visit func(*val)) {
	visit(&s.acc)
	for i := range s.items {
		visit(&s.items[i])
	}
}

func (s *foldStep) run(t *thread) (val, error) {
	for len(s.items) > 0 {
		x := s.items[0]
		s.items = s.items[1:]
		v, err := value.Binary(t, s.op, s.acc, x)
		if nc, ok := err.(*value.NeedCall); ok {
			first := *nc
			return val{}, t.Run(&foldWait{s, &first})
		}
		if err != nil {
			return val{}, err
		}
		s.acc = v
	}
	return s.acc, nil
}

func (s *foldStep) Step(t *thread, in val, err error) value.Action {
	if err != nil {
		return value.Raise(err)
	}
	s.acc = in
	for len(s.items) > 0 {
		x := s.items[0]
		s.items = s.items[1:]
		v, err := value.Binary(t, s.op, s.acc, x)
		if err != nil {
			return value.Raise(err)
		}
		s.acc = v
	}
	return value.Return(s.acc)
}

// foldWait carries out the call that a fold has met, and then goes on with it.
type foldWait struct {
	*foldStep
	first *value.NeedCall
}

func (s *foldWait) Step(t *thread, in val, err error) value.Action {
	if c := s.first; c != nil {
		s.first = nil
		return value.Action{Kind: value.ActCall, Call: c}
	}
	return s.foldStep.Step(t, in, err)
}
