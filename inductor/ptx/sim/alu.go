package sim

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/larkspur-ml/larkspur/tensor"
)

type aluFunc = func(a, b, c, d uint64) uint64

func f32of(a uint64) float32  { return math.Float32frombits(uint32(a)) }
func f64of(a uint64) float64  { return math.Float64frombits(a) }
func bits32(f float32) uint64 { return uint64(math.Float32bits(f)) }
func bits64(f float64) uint64 { return math.Float64bits(f) }
func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// signed is an integer's value by type.
func signed(a uint64, t string) int64 {
	switch t {
	case "s8":
		return int64(int8(a))
	case "s16":
		return int64(int16(a))
	case "s32":
		return int64(int32(a))
	case "u8", "b8":
		return int64(uint8(a))
	case "u16", "b16":
		return int64(uint16(a))
	case "u32", "b32":
		return int64(uint32(a))
	}
	return int64(a)
}

// cut keeps the bits of a type.
func cut(v int64, t string) uint64 {
	switch width(t) {
	case 1:
		return uint64(uint8(v))
	case 2:
		return uint64(uint16(v))
	case 4:
		return uint64(uint32(v))
	}
	return uint64(v)
}

func isFloat(t string) bool  { return t == "f32" || t == "f64" }
func unsigned(t string) bool { return t[0] == 'u' || t[0] == 'b' }

// alu is the function of an instruction without memory, and the type of its sources.
func alu(p []string, typ string, has func(string) bool) (aluFunc, string, error) {
	if isFloat(typ) {
		if f := float(p, typ, has); f != nil {
			return f, typ, nil
		}
	}
	switch p[0] {
	case "setp":
		return compare(p, typ)
	case "selp":
		return func(a, b, c, _ uint64) uint64 {
			if c != 0 {
				return a
			}
			return b
		}, typ, nil
	case "cvt":
		f, err := convert(p)
		return f, typ, err
	case "and":
		return func(a, b, _, _ uint64) uint64 { return a & b }, typ, nil
	case "or":
		return func(a, b, _, _ uint64) uint64 { return a | b }, typ, nil
	case "xor":
		return func(a, b, _, _ uint64) uint64 { return a ^ b }, typ, nil
	case "not":
		if typ == "pred" {
			return func(a, _, _, _ uint64) uint64 { return a ^ 1 }, typ, nil
		}
		return func(a, _, _, _ uint64) uint64 { return cut(int64(^a), typ) }, typ, nil
	case "shl":
		n := uint64(8 * width(typ))
		return func(a, b, _, _ uint64) uint64 {
			if b = uint64(uint32(b)); b >= n {
				return 0
			}
			return cut(int64(a<<b), typ)
		}, typ, nil
	case "shr":
		n := uint64(8 * width(typ))
		return func(a, b, _, _ uint64) uint64 {
			b = uint64(uint32(b))
			if unsigned(typ) {
				if b >= n {
					return 0
				}
				return cut(int64(a>>b), typ)
			}
			return cut(signed(a, typ)>>min(b, n-1), typ)
		}, typ, nil
	case "bfe":
		return func(a, b, c, _ uint64) uint64 {
			v := a >> b & (1<<c - 1)
			if typ[0] == 's' && v>>(c-1) != 0 {
				v |= ^uint64(0) << c
			}
			return cut(int64(v), typ)
		}, typ, nil
	case "bfi":
		return func(a, b, c, d uint64) uint64 {
			m := uint64(1)<<d - 1
			return cut(int64(b&^(m<<c)|a&m<<c), typ)
		}, typ, nil
	case "prmt":
		return func(a, b, c, _ uint64) uint64 {
			v, r := b<<32|a&0xffffffff, uint64(0)
			for i := range uint64(4) {
				r |= v >> (c >> (4 * i) & 7 * 8) & 255 << (8 * i)
			}
			return r
		}, typ, nil
	case "popc":
		return func(a, _, _, _ uint64) uint64 { return uint64(bits.OnesCount64(a)) }, typ, nil
	case "clz":
		return func(a, _, _, _ uint64) uint64 { return uint64(bits.LeadingZeros32(uint32(a))) }, typ, nil
	case "mul", "mad":
		add := p[0] == "mad"
		switch p[1] {
		case "lo":
			return func(a, b, c, _ uint64) uint64 {
				v := a * b
				if add {
					v += c
				}
				return cut(int64(v), typ)
			}, typ, nil
		case "wide":
			return func(a, b, c, _ uint64) uint64 {
				v := uint64(signed(a, typ) * signed(b, typ))
				if add {
					v += c
				}
				return v
			}, wide(typ), nil
		case "hi":
			return func(a, b, c, _ uint64) uint64 {
				var v uint64
				switch typ {
				case "u32":
					v = uint64(uint32(a)) * uint64(uint32(b)) >> 32
				case "s32":
					v = uint64(signed(a, typ) * signed(b, typ) >> 32)
				default:
					v, _ = bits.Mul64(a, b)
				}
				if add {
					v += c
				}
				return cut(int64(v), typ)
			}, typ, nil
		}
	}
	if f := integer(p[0], typ); f != nil {
		return f, typ, nil
	}
	return nil, "", fmt.Errorf("unknown instruction")
}

// wide reads sources of mad.wide with 64 bits, since the addend has them; signed
// narrows the factors.
func wide(string) string { return "b64" }

func integer(name, t string) aluFunc {
	s := func(f func(a, b int64) int64) aluFunc {
		return func(a, b, _, _ uint64) uint64 { return cut(f(signed(a, t), signed(b, t)), t) }
	}
	big := t == "u64"
	switch name {
	case "add":
		return s(func(a, b int64) int64 { return a + b })
	case "sub":
		return s(func(a, b int64) int64 { return a - b })
	case "neg":
		return s(func(a, _ int64) int64 { return -a })
	case "abs":
		return s(func(a, _ int64) int64 { return max(a, -a) })
	case "min":
		if big {
			return func(a, b, _, _ uint64) uint64 { return min(a, b) }
		}
		return s(func(a, b int64) int64 { return min(a, b) })
	case "max":
		if big {
			return func(a, b, _, _ uint64) uint64 { return max(a, b) }
		}
		return s(func(a, b int64) int64 { return max(a, b) })
	case "div":
		return func(a, b, _, _ uint64) uint64 {
			switch {
			case big && b == 0, !big && signed(b, t) == 0:
				return cut(-1, t)
			case big:
				return a / b
			}
			return cut(signed(a, t)/signed(b, t), t)
		}
	case "rem":
		return func(a, b, _, _ uint64) uint64 {
			switch {
			case big && b == 0, !big && signed(b, t) == 0:
				return a
			case big:
				return a % b
			}
			return cut(signed(a, t)%signed(b, t), t)
		}
	}
	return nil
}

func float(p []string, t string, has func(string) bool) aluFunc {
	var f func(a, b, c float64) float64
	one := t == "f32"
	switch p[0] {
	case "add":
		f = func(a, b, _ float64) float64 { return a + b }
	case "sub":
		f = func(a, b, _ float64) float64 { return a - b }
	case "mul":
		f = func(a, b, _ float64) float64 { return a * b }
	case "div":
		f = func(a, b, _ float64) float64 { return a / b }
	case "fma":
		if one {
			return func(a, b, c, _ uint64) uint64 { return bits32(fma32(f32of(a), f32of(b), f32of(c))) }
		}
		f = math.FMA
	case "neg":
		if one {
			return func(a, _, _, _ uint64) uint64 { return a ^ 1<<31 }
		}
		return func(a, _, _, _ uint64) uint64 { return a ^ 1<<63 }
	case "abs":
		if one {
			return func(a, _, _, _ uint64) uint64 { return a &^ (1 << 31) }
		}
		return func(a, _, _, _ uint64) uint64 { return a &^ (1 << 63) }
	case "copysign":
		f = func(a, b, _ float64) float64 { return math.Copysign(b, a) }
	case "min", "max":
		pick := func(a, b float64) float64 { return min(a, b) }
		if p[0] == "max" {
			pick = func(a, b float64) float64 { return max(a, b) }
		}
		f = func(a, b, _ float64) float64 {
			switch {
			case has("NaN"):
			case a != a:
				return b
			case b != b:
				return a
			}
			return pick(a, b)
		}
	case "sqrt":
		f = func(a, _, _ float64) float64 { return math.Sqrt(a) }
	case "rcp":
		f = func(a, _, _ float64) float64 { return 1 / a }
	case "rsqrt":
		f = func(a, _, _ float64) float64 { return 1 / math.Sqrt(a) }
	case "ex2":
		f = func(a, _, _ float64) float64 { return math.Exp2(a) }
	case "lg2":
		f = func(a, _, _ float64) float64 { return math.Log2(a) }
	case "sin":
		f = func(a, _, _ float64) float64 { return math.Sin(a) }
	case "cos":
		f = func(a, _, _ float64) float64 { return math.Cos(a) }
	case "tanh":
		f = func(a, _, _ float64) float64 { return math.Tanh(a) }
	default:
		return nil
	}
	if one {
		// float64 holds products and the rest well enough that one rounding is right
		return func(a, b, c, _ uint64) uint64 {
			return bits32(float32(f(float64(f32of(a)), float64(f32of(b)), float64(f32of(c)))))
		}
	}
	return func(a, b, c, _ uint64) uint64 { return bits64(f(f64of(a), f64of(b), f64of(c))) }
}

// fma32 rounds a*b+c once. The product is exact in float64; the sum is rounded to
// odd there, so that the second rounding cannot go wrong.
func fma32(a, b, c float32) float32 {
	p, q := float64(a)*float64(b), float64(c)
	s := p + q
	if math.IsInf(s, 0) || s != s {
		return float32(s)
	}
	bb := s - p
	e := (p - (s - bb)) + (q - bb)
	if e != 0 && math.Float64bits(s)&1 == 0 {
		if (e > 0) == (s > 0) {
			s = math.Float64frombits(math.Float64bits(s) + 1)
		} else {
			s = math.Float64frombits(math.Float64bits(s) - 1)
		}
	}
	return float32(s)
}

func compare(p []string, t string) (aluFunc, string, error) {
	op := p[1]
	if isFloat(t) {
		val := func(a uint64) float64 { return float64(f32of(a)) }
		if t == "f64" {
			val = f64of
		}
		tests := map[string]func(a, b float64) bool{
			"eq": func(a, b float64) bool { return a == b }, "ne": func(a, b float64) bool { return a < b || a > b },
			"neu": func(a, b float64) bool { return a != b }, "lt": func(a, b float64) bool { return a < b },
			"le": func(a, b float64) bool { return a <= b }, "gt": func(a, b float64) bool { return a > b },
			"ge": func(a, b float64) bool { return a >= b }, "nan": func(a, b float64) bool { return a != a || b != b },
			"num": func(a, b float64) bool { return a == a && b == b },
		}
		f := tests[op]
		if f == nil {
			return nil, "", fmt.Errorf("unknown comparison")
		}
		return func(a, b, _, _ uint64) uint64 { return truth(f(val(a), val(b))) }, t, nil
	}
	tests := map[string]func(a, b int64) bool{
		"eq": func(a, b int64) bool { return a == b }, "ne": func(a, b int64) bool { return a != b },
		"lt": func(a, b int64) bool { return a < b }, "le": func(a, b int64) bool { return a <= b },
		"gt": func(a, b int64) bool { return a > b }, "ge": func(a, b int64) bool { return a >= b },
	}
	f := tests[op]
	if f == nil {
		return nil, "", fmt.Errorf("unknown comparison")
	}
	if t == "u64" || t == "b64" { // the order of unsigned numbers is that of signed ones, shifted
		return func(a, b, _, _ uint64) uint64 { return truth(f(int64(a^1<<63), int64(b^1<<63))) }, t, nil
	}
	return func(a, b, _, _ uint64) uint64 { return truth(f(signed(a, t), signed(b, t))) }, t, nil
}

// convert is cvt[.mode].to.from.
func convert(p []string) (aluFunc, error) {
	to, from := p[len(p)-2], p[len(p)-1]
	mode := ""
	if len(p) > 3 {
		mode = p[1]
	}
	val := func(a uint64) float64 {
		switch from {
		case "f32":
			return float64(f32of(a))
		case "f64":
			return f64of(a)
		case "f16":
			return float64(tensor.F16ToF32(uint16(a)))
		}
		panic("BUG: sim: no float")
	}
	switch {
	case to == "f16x2" || to == "bf16x2":
		half := tensor.F32ToF16
		if to == "bf16x2" {
			half = tensor.F32ToBF16
		}
		return func(a, b, _, _ uint64) uint64 { return uint64(half(f32of(a)))<<16 | uint64(half(f32of(b))) }, nil
	case to == "f16" && from == "f32":
		return func(a, _, _, _ uint64) uint64 { return uint64(tensor.F32ToF16(f32of(a))) }, nil
	case to == "bf16" && from == "f32":
		return func(a, _, _, _ uint64) uint64 { return uint64(tensor.F32ToBF16(f32of(a))) }, nil
	case from[0] == 'f' && (to[0] == 's' || to[0] == 'u'):
		if mode != "rzi" {
			return nil, fmt.Errorf("rounding %s", mode)
		}
		return func(a, _, _, _ uint64) uint64 { return saturate(val(a), to) }, nil
	case from[0] == 'f' && to[0] == 'f':
		return func(a, _, _, _ uint64) uint64 {
			v := val(a)
			switch mode {
			case "rmi":
				v = math.Floor(v)
			case "rpi":
				v = math.Ceil(v)
			case "rzi":
				v = math.Trunc(v)
			case "rni":
				v = math.RoundToEven(v)
			}
			if to == "f64" {
				return bits64(v)
			}
			return bits32(float32(v))
		}, nil
	case to[0] == 'f':
		return func(a, _, _, _ uint64) uint64 {
			if from == "u64" {
				if to == "f64" {
					return bits64(float64(a))
				}
				return bits32(float32(a))
			}
			v := signed(a, from)
			if to == "f64" {
				return bits64(float64(v))
			}
			return bits32(float32(v))
		}, nil
	}
	return func(a, _, _, _ uint64) uint64 { return cut(signed(a, from), to) }, nil
}

// saturate is what the hardware does with a float that an integer cannot hold.
func saturate(v float64, t string) uint64 {
	if v != v {
		return 0
	}
	switch t {
	case "s32":
		return cut(int64(min(max(v, math.MinInt32), math.MaxInt32)), t)
	case "u32":
		return cut(int64(min(max(v, 0), math.MaxUint32)), t)
	case "s64":
		if v >= 1<<63 {
			return math.MaxInt64
		}
		return uint64(int64(max(v, -1<<63)))
	}
	if v >= 1<<64 {
		return math.MaxUint64
	}
	return uint64(max(v, 0))
}
