package py

import (
	crand "crypto/rand"
	"crypto/sha512"
	"math/big"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// twister is MT19937 (Matsumoto and Nishimura, "Mersenne Twister", 1998), as
// Python's random uses it: its streams are equal to Python's for equal seeds.
type twister struct {
	mt  [624]uint32
	pos int
}

func (r *twister) seed(s uint32) {
	r.mt[0] = s
	for i := 1; i < len(r.mt); i++ {
		s = 1812433253*(s^s>>30) + uint32(i)
		r.mt[i] = s
	}
	r.pos = len(r.mt)
}

// seedArray mixes a key of any length into the state.
func (r *twister) seedArray(key []uint32) {
	const n = 624
	r.seed(19650218)
	i, j := 1, 0
	for range max(n, len(key)) {
		r.mt[i] = (r.mt[i] ^ (r.mt[i-1]^r.mt[i-1]>>30)*1664525) + key[j] + uint32(j)
		if i++; i >= n {
			r.mt[0] = r.mt[n-1]
			i = 1
		}
		if j++; j >= len(key) {
			j = 0
		}
	}
	for range n - 1 {
		r.mt[i] = (r.mt[i] ^ (r.mt[i-1]^r.mt[i-1]>>30)*1566083941) - uint32(i)
		if i++; i >= n {
			r.mt[0] = r.mt[n-1]
			i = 1
		}
	}
	r.mt[0] = 1 << 31
}

func (r *twister) next() uint32 {
	const n, m = 624, 397
	if r.pos >= n {
		for i := range n {
			y := r.mt[i]&(1<<31) | r.mt[(i+1)%n]&(1<<31-1)
			x := r.mt[(i+m)%n] ^ y>>1
			if y&1 != 0 {
				x ^= 0x9908b0df
			}
			r.mt[i] = x
		}
		r.pos = 0
	}
	y := r.mt[r.pos]
	r.pos++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// float is uniform in [0, 1) with 53 bits.
func (r *twister) float() float64 {
	a, b := r.next()>>5, r.next()>>6
	return (float64(a)*67108864 + float64(b)) / 9007199254740992
}

// bits is an int of k random bits, the first draw lowest.
func (r *twister) bits(k int) val {
	if k <= 32 {
		if k == 0 {
			return value.Int(0)
		}
		return value.Int(int64(r.next() >> (32 - k)))
	}
	out := new(big.Int)
	for shift := 0; k > 0; shift += 32 {
		w := r.next()
		if k < 32 {
			w >>= 32 - k
		}
		k -= 32
		out.Or(out, new(big.Int).Lsh(big.NewInt(int64(w)), uint(shift)))
	}
	return value.BigInt(out)
}

// seedValue is random.seed(a, version=2).
func (r *twister) seedValue(t *thread, a val) error {
	var n *big.Int
	p := value.Payload(a)
	if p.IsUnset() || p.IsNone() {
		b := make([]byte, 32)
		crand.Read(b)
		n = new(big.Int).SetBytes(b)
	} else if i, ok := value.AsBig(p); ok {
		n = new(big.Int).Abs(i)
	} else if s, ok := p.AsString(); ok {
		n = seedBytes([]byte(s))
	} else if b, ok := asBytes(a); ok {
		n = seedBytes(b)
	} else if p.IsFloat() {
		h, err := value.PyHash(t, p)
		if err != nil {
			return err
		}
		n = new(big.Int).Abs(big.NewInt(h))
		if h < 0 { // the hash as an unsigned word
			n = new(big.Int).SetUint64(uint64(h))
		}
	} else {
		return value.TypeErrorf("The only supported seed types are: None,\nint, float, str, bytes, and bytearray.")
	}
	var key []uint32
	mask := big.NewInt(1<<32 - 1)
	for n.Sign() > 0 {
		key = append(key, uint32(new(big.Int).And(n, mask).Uint64()))
		n = new(big.Int).Rsh(n, 32)
	}
	if len(key) == 0 {
		key = []uint32{0}
	}
	r.seedArray(key)
	return nil
}

func seedBytes(b []byte) *big.Int {
	sum := sha512.Sum512(b)
	return new(big.Int).SetBytes(append(append([]byte(nil), b...), sum[:]...))
}

func randomModule() *value.Module {
	m := value.NewModule("_random")
	c := value.NewClass("Random", "_random")
	c.Slots = &value.Slots{New: func(t *thread, cls *value.Class, args []val, kw []value.Kwarg) (val, error) {
		r := &twister{}
		var seed val
		if len(args) > 0 {
			seed = args[0]
		}
		return object(cls, r), r.seedValue(t, seed)
	}}
	on := func(sig string, f func(t *thread, r *twister, a []val) (val, error)) *value.Builtin {
		return method(sig, func(t *thread, a []val) (val, error) {
			r, ok := native[*twister](a[0])
			if !ok {
				return val{}, value.TypeErrorf("a Random is required, not '%s'", typeName(a[0]))
			}
			return f(t, r, a[1:])
		})
	}
	below := func(r *twister, n uint64) uint64 {
		k := 0
		for x := n; x > 0; x >>= 1 {
			k++
		}
		for {
			var x uint64
			if k <= 32 {
				x = uint64(r.next() >> (32 - k))
			} else {
				x = uint64(r.next())
				x |= uint64(r.next()>>(64-k)) << 32
			}
			if x < n {
				return x
			}
		}
	}
	c.Def(
		on("random()", func(t *thread, r *twister, a []val) (val, error) { return value.Float(r.float()), nil }),
		on("getrandbits(k, /)", func(t *thread, r *twister, a []val) (val, error) {
			k, err := asInt(t, a[0])
			if err == nil && k < 0 {
				err = value.ValueErrorf("number of bits must be non-negative")
			}
			if err == nil && k > 1<<24 {
				err = value.OverflowErrorf("too many random bits")
			}
			if err != nil {
				return val{}, err
			}
			return r.bits(int(k)), nil
		}),
		// _below is uniform in range(n) for 0 < n < 2**63.
		on("_below(n, /)", func(t *thread, r *twister, a []val) (val, error) {
			n, err := asInt(t, a[0])
			if err != nil || n <= 0 {
				return value.Int(0), err
			}
			return value.Int(int64(below(r, uint64(n)))), nil
		}),
		on("_shuffle(x, /)", func(t *thread, r *twister, a []val) (val, error) {
			l := value.Payload(a[0]).AsList()
			if l == nil {
				return value.False, nil
			}
			for i := len(l.Elems) - 1; i > 0; i-- {
				j := int(below(r, uint64(i+1)))
				x, y := l.Elems[i], l.Elems[j]
				if err := l.SetElem(t, i, y); err != nil {
					return val{}, err
				}
				if err := l.SetElem(t, j, x); err != nil {
					return val{}, err
				}
			}
			return value.True, nil
		}),
		on("_seed(a, /)", func(t *thread, r *twister, a []val) (val, error) { return value.None, r.seedValue(t, a[0]) }),
		on("_getstate()", func(t *thread, r *twister, a []val) (val, error) {
			out := make([]val, 0, 625)
			for _, w := range r.mt {
				out = append(out, value.Int(int64(w)))
			}
			return value.Tuple(append(out, value.Int(int64(r.pos)))...), nil
		}),
		on("_setstate(state, /)", func(t *thread, r *twister, a []val) (val, error) {
			items, ok := elems(a[0])
			if !ok || len(items) != 625 {
				return val{}, value.ValueErrorf("state vector is the wrong size")
			}
			for i := range r.mt {
				n, err := asInt(t, items[i])
				if err != nil {
					return val{}, err
				}
				r.mt[i] = uint32(n)
			}
			n, err := asInt(t, items[624])
			r.pos = int(min(max(n, 0), 624))
			return value.None, err
		}),
	)
	m.Set("Random", c.Value())
	put(m, fn("urandom_int(bits, /)", func(t *thread, a []val) (val, error) {
		k, err := asInt(t, a[0])
		if err != nil {
			return val{}, err
		}
		b := make([]byte, 8*((max(k, 1)+63)/64))
		crand.Read(b)
		n := new(big.Int).SetBytes(b)
		return value.BigInt(n.Rsh(n, uint(int64(len(b))*8-k))), nil
	}))
	return m
}
