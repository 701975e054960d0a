package value

import "math"

// The common cases of builtins that programs call all the time. A round of a loop that
// calls one takes, with and without: len 15 and 32 ns, abs 14 and 34, isinstance 18
// and 44, max 20 and 314 (which makes a stepper).

func quick(b *Builtin, f func([]Value) (Value, bool)) *Builtin {
	b.Quick = f
	return b
}

func quickLen(a []Value) (Value, bool) {
	if len(a) != 1 || a[0].IsTagged() {
		return Value{}, false
	}
	switch a[0].N {
	case ItabList:
		return Int(int64(len((*List)(a[0].P).Elems))), true
	case ItabDict:
		return Int(int64((*Dict)(a[0].P).Len())), true
	case ItabRange:
		return Int(int64((*Range)(a[0].P).Len())), true
	}
	return Value{}, false
}

func quickAbs(a []Value) (Value, bool) {
	if len(a) != 1 {
		return Value{}, false
	}
	switch x := a[0]; {
	case x.IsInt() && int64(x.N) != math.MinInt64:
		return Int(max(int64(x.N), -int64(x.N))), true
	case x.IsFloat():
		return Float(math.Abs(x.Float64())), true
	}
	return Value{}, false
}

// quickBest is max (the sign is 1) or min (-1) of two numbers of one kind.
func quickBest(sign int) func(a []Value) (Value, bool) {
	return func(a []Value) (Value, bool) {
		if len(a) != 2 {
			return Value{}, false
		}
		x, y := a[0], a[1]
		var second bool // only a better one takes the first one's place
		switch {
		case x.IsInt() && y.IsInt():
			second = (int64(y.N) > int64(x.N)) == (sign > 0) && x.N != y.N
		case x.IsFloat() && y.IsFloat():
			f, g := x.Float64(), y.Float64()
			second = sign > 0 && g > f || sign < 0 && g < f
		default:
			return Value{}, false
		}
		if second {
			return y, true
		}
		return x, true
	}
}

func quickIsInstance(a []Value) (Value, bool) {
	if len(a) != 2 || !a[1].Is(ItabClass) || (*Class)(a[1].P).Meta != nil {
		return Value{}, false
	}
	if in := a[0].AsInstance(); in != nil {
		return Bool(in.Class().IsSubclass((*Class)(a[1].P))), true
	}
	return Value{}, false
}
