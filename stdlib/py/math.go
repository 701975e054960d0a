package py

import (
	"github.com/larkspur-ml/larkspur/lang/elementary"
	"math"
	"math/big"

	"github.com/larkspur-ml/larkspur/lang/value"
)

func bigOf(f float64) *big.Int {
	i, _ := new(big.Float).SetFloat64(f).Int(nil)
	return i
}

func mathDomain() error { return value.ValueErrorf("math domain error") }
func mathRange() error  { return value.OverflowErrorf("math range error") }

// float1 is a function of one float. A NaN from a number is a domain error, an
// infinity from a finite number a range error (or, with pole, a domain error).
func float1(name string, f func(float64) float64, pole bool) *value.Builtin {
	return fn(name+"(x, /)", func(t *thread, a []val) (val, error) {
		x, err := value.AsFloat64(t, a[0])
		if err != nil {
			return val{}, err
		}
		y := f(x)
		if math.IsNaN(y) && !math.IsNaN(x) {
			return val{}, mathDomain()
		}
		if math.IsInf(y, 0) && !math.IsInf(x, 0) {
			if pole {
				return val{}, mathDomain()
			}
			return val{}, mathRange()
		}
		return value.Float(y), nil
	})
}

func float2(sig string, f func(x, y float64) (float64, error)) *value.Builtin {
	return fn(sig, func(t *thread, a []val) (val, error) {
		x, err := value.AsFloat64(t, a[0])
		if err != nil {
			return val{}, err
		}
		y, err := value.AsFloat64(t, a[1])
		if err != nil {
			return val{}, err
		}
		r, err := f(x, y)
		return value.Float(r), err
	})
}

func floatTest(name string, f func(float64) bool) *value.Builtin {
	return fn(name+"(x, /)", func(t *thread, a []val) (val, error) {
		x, err := value.AsFloat64(t, a[0])
		return value.Bool(err == nil && f(x)), err
	})
}

func total(f func(x, y float64) float64) func(x, y float64) (float64, error) {
	return func(x, y float64) (float64, error) { return f(x, y), nil }
}

// bigArg is an argument that must be an int of any size.
func bigArg(t *thread, v val) (*big.Int, error) {
	if i, ok := value.AsBig(value.Payload(v)); ok {
		return i, nil
	}
	i, err := asInt(t, v)
	return big.NewInt(i), err
}

// rounding is floor, ceil or trunc: an int of any size; other types are asked
// for the special method.
func rounding(name, special string, f func(float64) float64) *value.Builtin {
	return fn(name+"(x, /)", func(t *thread, a []val) (val, error) {
		if in := a[0].AsInstance(); in != nil {
			if m, ok := in.Class().Find(special); ok {
				return value.CallAny(t, m.Value, []val{a[0]}, nil)
			}
		}
		if p := value.Payload(a[0]); p.IsInt() || p.IsBool() || p.Is(value.ItabBigInt) {
			if p.IsBool() {
				return value.Int(p.Int64()), nil
			}
			return p, nil
		}
		if name == "trunc" && !value.Payload(a[0]).IsFloat() {
			return val{}, value.TypeErrorf("type %s doesn't define __trunc__ method", typeName(a[0]))
		}
		x, err := value.AsFloat64(t, a[0])
		switch {
		case err != nil:
			return val{}, err
		case math.IsNaN(x):
			return val{}, value.ValueErrorf("cannot convert float NaN to integer")
		case math.IsInf(x, 0):
			return val{}, value.OverflowErrorf("cannot convert float infinity to integer")
		}
		return floatInt(f(x)), nil
	})
}

// logOf is the logarithm of an int of any size or a float.
func logOf(t *thread, v val, f func(float64) float64) (float64, error) {
	if i, ok := value.AsBig(value.Payload(v)); ok {
		if i.Sign() <= 0 {
			return 0, mathDomain()
		}
		if n := i.BitLen(); n > 1000 {
			m := new(big.Int).Rsh(i, uint(n-64))
			x, _ := new(big.Float).SetInt(m).Float64()
			return f(x) + float64(n-64)*f(2), nil
		}
		x, _ := new(big.Float).SetInt(i).Float64()
		return f(x), nil
	}
	x, err := value.AsFloat64(t, v)
	if err != nil {
		return 0, err
	}
	if x <= 0 {
		return 0, mathDomain()
	}
	return f(x), nil
}

func logFn(name string, f func(float64) float64) *value.Builtin {
	return fn(name+"(x, /)", func(t *thread, a []val) (val, error) {
		y, err := logOf(t, a[0], f)
		return value.Float(y), err
	})
}

// pow is libm's pow with Python's errors.
func pow(x, y float64) (float64, error) {
	r := elementary.Pow(x, y)
	switch {
	case math.IsNaN(r) && !math.IsNaN(x) && !math.IsNaN(y):
		return 0, mathDomain()
	case math.IsInf(r, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0):
		if x == 0 {
			return 0, mathDomain()
		}
		return 0, mathRange()
	}
	return r, nil
}

// fsum adds without rounding until the end: Shewchuk's partials, which do not
// overlap (Adaptive Precision Floating-Point Arithmetic, 1997).
func fsum(xs []float64) (float64, error) {
	var partials []float64
	special := 0.0
	inf := 0.0
	for _, x := range xs {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			if math.IsInf(x, 0) {
				inf += x
			}
			special += x
			continue
		}
		n := 0
		for _, y := range partials {
			if math.Abs(x) < math.Abs(y) {
				x, y = y, x
			}
			hi := x + y
			lo := y - (hi - x)
			if lo != 0 {
				partials[n] = lo
				n++
			}
			x = hi
		}
		partials = append(partials[:n], x)
		if math.IsInf(x, 0) {
			return 0, value.OverflowErrorf("intermediate overflow in fsum")
		}
	}
	if special != 0 {
		if math.IsNaN(inf) {
			return 0, value.ValueErrorf("-inf + inf in fsum")
		}
		return special, nil
	}
	n := len(partials)
	if n == 0 {
		return 0, nil
	}
	n--
	hi := partials[n]
	lo := 0.0
	for n > 0 {
		x := hi
		n--
		y := partials[n]
		hi = x + y
		lo = y - (hi - x)
		if lo != 0 {
			break
		}
	}
	// Round half to even across the partials left.
	if n > 0 && (lo < 0 && partials[n-1] < 0 || lo > 0 && partials[n-1] > 0) {
		y := lo * 2
		if x := hi + y; y == x-hi {
			hi = x
		}
	}
	return hi, nil
}

func floats(t *thread, items []val) ([]float64, error) {
	xs := make([]float64, len(items))
	for i, v := range items {
		var err error
		if xs[i], err = value.AsFloat64(t, v); err != nil {
			return nil, err
		}
	}
	return xs, nil
}

func mathModule() *value.Module {
	m := value.NewModule("math")
	m.Doc = "Mathematical functions of real numbers."
	for name, x := range map[string]float64{"pi": math.Pi, "e": math.E, "tau": 2 * math.Pi, "inf": math.Inf(1), "nan": math.NaN()} {
		m.Set(name, value.Float(x))
	}
	fns := []*value.Builtin{
		rounding("floor", "__floor__", math.Floor), rounding("ceil", "__ceil__", math.Ceil), rounding("trunc", "__trunc__", math.Trunc),
		float1("sqrt", math.Sqrt, false), float1("fabs", math.Abs, false), float1("cbrt", math.Cbrt, false),
		float1("exp", elementary.Exp, false), float1("exp2", func(x float64) float64 { return elementary.Pow(2, x) }, false), float1("expm1", math.Expm1, false),
		float1("sin", elementary.Sin, false), float1("cos", elementary.Cos, false), float1("tan", elementary.Tan, false),
		float1("asin", elementary.Asin, false), float1("acos", elementary.Acos, false), float1("atan", elementary.Atan, false),
		float1("sinh", math.Sinh, false), float1("cosh", math.Cosh, false), float1("tanh", math.Tanh, false),
		float1("asinh", math.Asinh, false), float1("acosh", math.Acosh, false), float1("atanh", math.Atanh, true),
		float1("erf", math.Erf, false), float1("erfc", math.Erfc, false),
		float1("degrees", func(x float64) float64 { return x * (180 / math.Pi) }, false),
		float1("radians", func(x float64) float64 { return x * (math.Pi / 180) }, false),
		float1("ulp", func(x float64) float64 {
			x = math.Abs(x)
			if math.IsInf(x, 0) || math.IsNaN(x) {
				return x
			}
			if x == math.MaxFloat64 {
				return x - math.Nextafter(x, 0)
			}
			return math.Nextafter(x, math.Inf(1)) - x
		}, false),
		floatTest("isnan", math.IsNaN),
		floatTest("isinf", func(x float64) bool { return math.IsInf(x, 0) }),
		floatTest("isfinite", func(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }),
		logFn("log2", elementary.Log2), logFn("log10", elementary.Log10),
		float1("log1p", func(x float64) float64 {
			if x == -1 {
				return math.NaN()
			}
			return math.Log1p(x)
		}, true),
		float2("atan2(y, x, /)", total(math.Atan2)),
		float2("copysign(x, y, /)", total(math.Copysign)),
		float2("nextafter(x, y, /)", total(math.Nextafter)),
		float2("remainder(x, y, /)", func(x, y float64) (float64, error) {
			r := math.Remainder(x, y)
			if math.IsNaN(r) && !math.IsNaN(x) && !math.IsNaN(y) {
				return 0, mathDomain()
			}
			return r, nil
		}),
		float2("fmod(x, y, /)", func(x, y float64) (float64, error) {
			r := math.Mod(x, y)
			if math.IsNaN(r) && !math.IsNaN(x) && !math.IsNaN(y) {
				return 0, mathDomain()
			}
			return r, nil
		}),
		float2("pow(x, y, /)", pow),
		fn("log(x, base=e, /)", func(t *thread, a []val) (val, error) {
			x, err := logOf(t, a[0], elementary.Log)
			if err != nil || a[1].IsUnset() {
				return value.Float(x), err
			}
			b, err := logOf(t, a[1], elementary.Log)
			if err != nil {
				return val{}, err
			}
			if b == 0 {
				return val{}, value.Errorf(value.ExcZeroDivisionError, "float division by zero")
			}
			return value.Float(x / b), nil
		}),
		fn("gamma(x, /)", func(t *thread, a []val) (val, error) {
			x, err := value.AsFloat64(t, a[0])
			if err != nil {
				return val{}, err
			}
			if x <= 0 && isWhole(x) || math.IsInf(x, -1) {
				return val{}, mathDomain()
			}
			y := math.Gamma(x)
			if math.IsInf(y, 0) && !math.IsInf(x, 0) {
				return val{}, mathRange()
			}
			return value.Float(y), nil
		}),
		fn("lgamma(x, /)", func(t *thread, a []val) (val, error) {
			x, err := value.AsFloat64(t, a[0])
			if err != nil {
				return val{}, err
			}
			if x <= 0 && isWhole(x) && !math.IsInf(x, -1) {
				return val{}, mathDomain()
			}
			y := lgamma(x)
			if math.IsInf(x, 0) {
				y = math.Inf(1)
			}
			return value.Float(y), nil
		}),
		fn("frexp(x, /)", func(t *thread, a []val) (val, error) {
			x, err := value.AsFloat64(t, a[0])
			f, e := math.Frexp(x)
			return value.Tuple(value.Float(f), value.Int(int64(e))), err
		}),
		fn("modf(x, /)", func(t *thread, a []val) (val, error) {
			x, err := value.AsFloat64(t, a[0])
			if math.IsInf(x, 0) {
				return value.Tuple(value.Float(math.Copysign(0, x)), value.Float(x)), err
			}
			i := math.Trunc(x)
			return value.Tuple(value.Float(math.Copysign(x-i, x)), value.Float(i)), err
		}),
		fn("ldexp(x, i, /)", func(t *thread, a []val) (val, error) {
			x, err := value.AsFloat64(t, a[0])
			if err != nil {
				return val{}, err
			}
			i, err := asInt(t, a[1])
			if err != nil {
				return val{}, err
			}
			y := math.Ldexp(x, int(max(min(i, 1<<30), -(1<<30))))
			if math.IsInf(y, 0) && !math.IsInf(x, 0) {
				return val{}, mathRange()
			}
			return value.Float(y), nil
		}),
		fn("isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0)", func(t *thread, a []val) (val, error) {
			tol := [4]float64{2: 1e-9}
			for i, v := range a {
				if v.IsUnset() {
					continue
				}
				var err error
				if tol[i], err = value.AsFloat64(t, v); err != nil {
					return val{}, err
				}
			}
			x, y, rel, abs := tol[0], tol[1], tol[2], tol[3]
			if rel < 0 || abs < 0 {
				return val{}, value.ValueErrorf("tolerances must be non-negative")
			}
			if x == y {
				return value.True, nil
			}
			if math.IsInf(x, 0) || math.IsInf(y, 0) {
				return value.False, nil
			}
			d := math.Abs(y - x)
			return value.Bool(d <= math.Abs(rel*y) || d <= math.Abs(rel*x) || d <= abs), nil
		}),
		fn("fsum(seq, /)", func(t *thread, a []val) (val, error) {
			return gather(t, a[0], func(t *thread, items []val) (val, error) {
				xs, err := floats(t, items)
				if err != nil {
					return val{}, err
				}
				s, err := fsum(xs)
				return value.Float(s), err
			})
		}),
		fn("hypot(*coordinates)", func(t *thread, a []val) (val, error) {
			items, _ := elems(a[0])
			xs, err := floats(t, items)
			return value.Float(norm(xs)), err
		}),
		fn("dist(p, q, /)", func(t *thread, a []val) (val, error) {
			return gather(t, a[0], func(t *thread, p []val) (val, error) {
				return gather(t, a[1], func(t *thread, q []val) (val, error) {
					if len(p) != len(q) {
						return val{}, value.ValueErrorf("both points must have the same number of dimensions")
					}
					xs, err := floats(t, p)
					if err != nil {
						return val{}, err
					}
					ys, err := floats(t, q)
					if err != nil {
						return val{}, err
					}
					for i := range xs {
						xs[i] -= ys[i]
					}
					return value.Float(norm(xs)), nil
				})
			})
		}),
	}
	fns = append(fns, mathIntegers()...)
	put(m, pure(fns...)...)
	return m
}

// norm is the Euclidean norm, summed without rounding at the largest element's scale.
func norm(xs []float64) float64 {
	big := 0.0
	nan := false
	for _, x := range xs {
		big = max(big, math.Abs(x))
		nan = nan || math.IsNaN(x)
	}
	for _, x := range xs {
		if math.IsInf(x, 0) {
			return math.Inf(1)
		}
	}
	if nan {
		return math.NaN()
	}
	if big == 0 {
		return 0
	}
	_, e := math.Frexp(big)
	squares := make([]float64, 0, 2*len(xs))
	for _, x := range xs {
		x = math.Ldexp(x, -e)
		p := x * x
		squares = append(squares, p, math.FMA(x, x, -p))
	}
	s, _ := fsum(squares)
	r := math.Sqrt(s)
	// One Newton step on the residual of the exact sum.
	squares = append(squares, -r*r, -math.FMA(r, r, -r*r))
	d, _ := fsum(squares)
	return math.Ldexp(r+d/(2*r), e)
}
