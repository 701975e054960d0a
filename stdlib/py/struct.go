package py

import (
	"encoding/binary"
	"math"
	"math/big"

	"github.com/larkspur-ml/larkspur/lang/value"
)

var structError = value.NewClass("error", "struct", value.ExcException)

func structErrorf(format string, args ...any) error {
	return value.Errorf(structError, format, args...)
}

// field is one code of a struct format with its count.
type field struct {
	code  byte
	n     int // repeat, or the length of a string
	size  int // bytes of one item
	align int
}

type layout struct {
	order  binary.ByteOrder
	fields []field
	size   int
	offs   []int
}

// standardSizes are those of formats that begin with <, >, = or !; native ones
// are the same on 64-bit machines but for l, L, n, N and P.
var standardSizes = map[byte]int{'x': 1, 'c': 1, 'b': 1, 'B': 1, '?': 1, 'h': 2, 'H': 2, 'i': 4, 'I': 4, 'l': 4, 'L': 4,
	'q': 8, 'Q': 8, 'e': 2, 'f': 4, 'd': 8, 's': 1, 'p': 1}

func parseLayout(format string) (*layout, error) {
	l := &layout{order: binary.LittleEndian}
	nativeAlign := true
	i := 0
	if format != "" {
		switch format[0] {
		case '@':
			i = 1
		case '<', '=':
			nativeAlign, i = false, 1
		case '>', '!':
			nativeAlign, i = false, 1
			l.order = binary.BigEndian
		}
	}
	for i < len(format) {
		c := format[i]
		if c == ' ' || c == '\n' || c == '\t' || c == '\r' {
			i++
			continue
		}
		n := 1
		if c >= '0' && c <= '9' {
			n = 0
			for ; i < len(format) && format[i] >= '0' && format[i] <= '9'; i++ {
				if n = n*10 + int(format[i]-'0'); n > 1<<40 {
					return nil, structErrorf("overflow in item count")
				}
			}
			if i >= len(format) {
				return nil, structErrorf("repeat count given without format specifier")
			}
			c = format[i]
		}
		i++
		size, ok := standardSizes[c]
		if nativeAlign {
			switch c {
			case 'l', 'L', 'n', 'N', 'P':
				size, ok = 8, true
			}
		}
		if !ok {
			return nil, structErrorf("bad char in struct format")
		}
		f := field{code: c, n: n, size: size, align: 1}
		if nativeAlign && c != 's' && c != 'p' && c != 'x' {
			f.align = size
			l.size = (l.size + size - 1) / size * size
		}
		l.offs = append(l.offs, l.size)
		l.fields = append(l.fields, f)
		l.size += n * size
	}
	return l, nil
}

func (l *layout) items() int {
	n := 0
	for _, f := range l.fields {
		switch f.code {
		case 'x':
		case 's', 'p':
			n++
		default:
			n += f.n
		}
	}
	return n
}

func (l *layout) unpack(b []byte) val {
	var out []val
	for k, f := range l.fields {
		at := l.offs[k]
		switch f.code {
		case 'x':
			continue
		case 's':
			out = append(out, value.BytesOf(b[at:at+f.n]))
			continue
		case 'p':
			n := 0
			if f.n > 0 {
				n = min(int(b[at]), f.n-1)
			}
			out = append(out, value.BytesOf(b[at+1:at+1+n]))
			continue
		}
		for i := range f.n {
			out = append(out, l.item(f, b[at+i*f.size:]))
		}
	}
	return value.Tuple(out...)
}

func (l *layout) word(b []byte, size int) uint64 {
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(l.order.Uint16(b))
	case 4:
		return uint64(l.order.Uint32(b))
	}
	return l.order.Uint64(b)
}

func (l *layout) item(f field, b []byte) val {
	w := l.word(b, f.size)
	switch f.code {
	case 'c':
		return value.BytesOf(b[:1])
	case '?':
		return value.Bool(w != 0)
	case 'e':
		return value.Float(halfToFloat(uint16(w)))
	case 'f':
		return value.Float(float64(math.Float32frombits(uint32(w))))
	case 'd':
		return value.Float(math.Float64frombits(w))
	case 'b', 'h', 'i', 'l', 'q', 'n':
		shift := 64 - 8*f.size
		return value.Int(int64(w<<shift) >> shift)
	}
	if w>>63 != 0 {
		return value.BigInt(new(big.Int).SetUint64(w))
	}
	return value.Int(int64(w))
}

func halfToFloat(h uint16) float64 {
	s, e, m := 1.0, int(h>>10&31), float64(h&1023)
	if h>>15 != 0 {
		s = -1
	}
	switch e {
	case 0:
		return s * math.Ldexp(m, -24)
	case 31:
		if m != 0 {
			return math.NaN()
		}
		return math.Inf(int(s))
	}
	return s * math.Ldexp(1024+m, e-25)
}

func floatToHalf(f float64) (uint16, bool) {
	sign := uint16(0)
	if math.Signbit(f) {
		sign = 1 << 15
	}
	a := math.Abs(f)
	switch {
	case math.IsNaN(f):
		return sign | 0x7e00, true
	case math.IsInf(f, 0):
		return sign | 0x7c00, true
	case a >= 65520:
		return 0, false
	case a < math.Ldexp(1, -14):
		return sign | uint16(math.RoundToEven(math.Ldexp(a, 24))), true
	}
	_, e := math.Frexp(a) // a = m * 2**e, m in [0.5, 1)
	m := uint16(math.RoundToEven(math.Ldexp(a, 11-e)))
	return sign | (uint16(e+14-1)<<10 + m), true
}

func (l *layout) pack(t *thread, args []val) ([]byte, error) {
	if n := l.items(); n != len(args) {
		return nil, structErrorf("pack expected %d items for packing (got %d)", n, len(args))
	}
	out := make([]byte, l.size)
	for k, f := range l.fields {
		at := l.offs[k]
		switch f.code {
		case 'x':
			continue
		case 's', 'p':
			b, ok := asBytes(args[0])
			if !ok {
				return nil, structErrorf("argument for '%c' must be a bytes object", f.code)
			}
			args = args[1:]
			dst := out[at : at+f.n]
			if f.code == 'p' && f.n > 0 {
				dst[0] = byte(min(len(b), f.n-1, 255))
				dst = dst[1:]
			}
			copy(dst, b)
			continue
		}
		for i := range f.n {
			w, err := l.bits(t, f, args[0])
			if err != nil {
				return nil, err
			}
			args = args[1:]
			b := out[at+i*f.size:]
			switch f.size {
			case 1:
				b[0] = byte(w)
			case 2:
				l.order.PutUint16(b, uint16(w))
			case 4:
				l.order.PutUint32(b, uint32(w))
			default:
				l.order.PutUint64(b, w)
			}
		}
	}
	return out, nil
}

func (l *layout) bits(t *thread, f field, v val) (uint64, error) {
	switch f.code {
	case 'c':
		b, ok := asBytes(v)
		if !ok || len(b) != 1 {
			return 0, structErrorf("char format requires a bytes object of length 1")
		}
		return uint64(b[0]), nil
	case '?':
		ok, err := value.Truth(t, v)
		if ok {
			return 1, err
		}
		return 0, err
	case 'e', 'f', 'd':
		x, err := value.AsFloat64(t, v)
		if err != nil {
			return 0, structErrorf("required argument is not a float")
		}
		switch f.code {
		case 'd':
			return math.Float64bits(x), nil
		case 'f':
			y := float32(x)
			if math.IsInf(float64(y), 0) && !math.IsInf(x, 0) {
				return 0, value.OverflowErrorf("float too large to pack with f format")
			}
			return uint64(math.Float32bits(y)), nil
		}
		h, ok := floatToHalf(x)
		if !ok {
			return 0, value.OverflowErrorf("float too large to pack with e format")
		}
		return uint64(h), nil
	}
	if p := value.Payload(v); p.IsFloat() || p.Is(value.ItabString) || p.IsNone() {
		return 0, structErrorf("required argument is not an integer")
	}
	n, err := bigArg(t, v)
	if err != nil {
		return 0, structErrorf("required argument is not an integer")
	}
	bits := uint(8 * f.size)
	lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), bits)
	signed := f.code >= 'a'
	if signed {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
	}
	if n.Cmp(lo) < 0 || n.Cmp(hi) >= 0 {
		hi.Sub(hi, big.NewInt(1))
		bigEnd := l.order == binary.BigEndian
		switch {
		case bits == 64 && bigEnd:
			return 0, structErrorf("int too large to convert")
		case bits == 64, !signed && bits == 32 && n.Sign() < 0, !n.IsInt64():
			return 0, structErrorf("argument out of range")
		case bits == 8 && signed:
			return 0, structErrorf("byte format requires -128 <= number <= 127")
		case bits == 8:
			return 0, structErrorf("ubyte format requires 0 <= number <= 255")
		case bits == 16 && !bigEnd:
			return 0, structErrorf("%sshort format requires %s <= number <= %s", map[bool]string{false: "u"}[signed], lo, hi)
		}
		return 0, structErrorf("'%c' format requires %s <= number <= %s", f.code, lo, hi)
	}
	if n.Sign() < 0 {
		return uint64(n.Int64()), nil
	}
	return n.Uint64(), nil
}

func structModule() *value.Module {
	m := value.NewModule("_struct")
	m.Set("error", structError.Value())
	parse := func(v val) (*layout, error) {
		if s, ok := value.Payload(v).AsString(); ok {
			return parseLayout(s)
		}
		if b, ok := asBytes(v); ok {
			return parseLayout(string(b))
		}
		return nil, value.TypeErrorf("Struct() argument 1 must be a str or bytes object, not %s", typeName(v))
	}
	put(m, pure(
		fn("calcsize(format, /)", func(t *thread, a []val) (val, error) {
			l, err := parse(a[0])
			if err != nil {
				return val{}, err
			}
			return value.Int(int64(l.size)), nil
		}),
		fn("pack(format, /, *values)", func(t *thread, a []val) (val, error) {
			l, err := parse(a[0])
			if err != nil {
				return val{}, err
			}
			items, _ := elems(a[1])
			b, err := l.pack(t, items)
			if err != nil {
				return val{}, err
			}
			return value.BytesOf(b), nil
		}),
		fn("unpack(format, buffer, /)", func(t *thread, a []val) (val, error) {
			l, err := parse(a[0])
			if err != nil {
				return val{}, err
			}
			b, err := wantBytes(a[1])
			if err != nil {
				return val{}, err
			}
			if len(b) != l.size {
				return val{}, structErrorf("unpack requires a buffer of %d bytes", l.size)
			}
			return l.unpack(b), nil
		}),
		fn("unpack_from(format, /, buffer, offset=0)", func(t *thread, a []val) (val, error) {
			l, err := parse(a[0])
			if err != nil {
				return val{}, err
			}
			b, err := wantBytes(a[1])
			if err != nil {
				return val{}, err
			}
			off, err := intOr(t, a[2], 0)
			if err != nil {
				return val{}, err
			}
			if off < 0 {
				if off += int64(len(b)); off < 0 {
					return val{}, structErrorf("offset %d out of range for %d-byte buffer", off-int64(len(b)), len(b))
				}
			}
			if int64(len(b))-off < int64(l.size) {
				return val{}, structErrorf("unpack_from requires a buffer of at least %d bytes for unpacking %d bytes at offset %d (actual buffer size is %d)",
					int64(l.size)+off, l.size, off, len(b))
			}
			return l.unpack(b[off : off+int64(l.size)]), nil
		}),
	)...)
	return m
}
