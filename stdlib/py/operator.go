package py

import "github.com/larkspur-ml/larkspur/lang/value"

// operatorModule makes _operator: the operators as functions.
func operatorModule() *value.Module {
	m := value.NewModule("_operator")
	binary := func(name string, op value.Op) {
		put(m, pure(fn(name+"(a, b, /)", func(t *thread, a []val) (val, error) { return value.Binary(t, op, a[0], a[1]) }))...)
		put(m, fn("i"+trimUnderscore(name)+"(a, b, /)", func(t *thread, a []val) (val, error) { return value.InPlace(t, op, a[0], a[1]) }))
	}
	for name, op := range map[string]value.Op{"add": value.OpAdd, "sub": value.OpSub, "mul": value.OpMul, "truediv": value.OpDiv,
		"floordiv": value.OpFloorDiv, "mod": value.OpMod, "pow": value.OpPow, "matmul": value.OpMatMul, "and_": value.OpAnd,
		"or_": value.OpOr, "xor": value.OpXor, "lshift": value.OpLsh, "rshift": value.OpRsh} {
		binary(name, op)
	}
	for name, op := range map[string]value.Cmp{"lt": value.Lt, "le": value.Le, "eq": value.Eq, "ne": value.Ne, "gt": value.Gt, "ge": value.Ge} {
		put(m, pure(fn(name+"(a, b, /)", func(t *thread, a []val) (val, error) { return value.Compare(t, op, a[0], a[1]) }))...)
	}
	for name, op := range map[string]value.Op{"neg": value.OpNeg, "pos": value.OpPos, "invert": value.OpInvert, "inv": value.OpInvert} {
		put(m, pure(fn(name+"(a, /)", func(t *thread, a []val) (val, error) { return value.Unary(t, op, a[0]) }))...)
	}
	put(m,
		fn("is_(a, b, /)", func(t *thread, a []val) (val, error) { return value.Bool(value.Same(a[0], a[1])), nil }),
		fn("is_not(a, b, /)", func(t *thread, a []val) (val, error) { return value.Bool(!value.Same(a[0], a[1])), nil }),
		fn("getitem(a, b, /)", func(t *thread, a []val) (val, error) { return value.GetItem(t, a[0], a[1]) }),
		fn("setitem(a, b, c, /)", func(t *thread, a []val) (val, error) { return value.None, value.SetItem(t, a[0], a[1], a[2]) }),
		fn("delitem(a, b, /)", func(t *thread, a []val) (val, error) { return value.None, value.DelItem(t, a[0], a[1]) }),
		fn("index(a, /)", func(t *thread, a []val) (val, error) {
			if p := value.Payload(a[0]); p.IsInt() || p.Is(value.ItabBigInt) {
				return p, nil
			}
			i, err := asInt(t, a[0])
			return value.Int(i), err
		}),
	)
	return m
}

func trimUnderscore(s string) string {
	if s[len(s)-1] == '_' {
		return s[:len(s)-1]
	}
	return s
}
