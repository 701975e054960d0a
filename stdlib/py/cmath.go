package py

import (
	"math"
	"math/cmplx"

	"github.com/larkspur-ml/larkspur/lang/elementary"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// complex1 is a function of one complex number: NaN from a number is a domain error,
// an infinity from a finite one a range error.
func complex1(name string, f func(complex128) complex128) *value.Builtin {
	return fn(name+"(z, /)", func(t *thread, a []val) (val, error) {
		z, err := asComplex(t, a[0])
		if err != nil {
			return val{}, err
		}
		w := f(z)
		finite := !cmplx.IsInf(z) && !isNaN(z)
		if finite && isNaN(w) {
			return val{}, mathDomain()
		}
		if finite && cmplx.IsInf(w) {
			return val{}, mathRange()
		}
		return value.Complex(w), nil
	})
}

func isNaN(z complex128) bool { return math.IsNaN(real(z)) || math.IsNaN(imag(z)) }

// asComplex converts a number, or an object with __complex__ or __float__.
func asComplex(t *thread, v val) (complex128, error) {
	if z, ok, err := value.AsComplex(v); ok {
		return z, err
	}
	if _, ok := value.Payload(v).AsString(); ok {
		return 0, value.TypeErrorf("must be real number, not str")
	}
	c, err := value.CallAny(t, value.ComplexClass.Value(), []val{v}, nil)
	if err != nil {
		return 0, value.TypeErrorf("must be real number, not %s", typeName(v))
	}
	z, _, err := value.AsComplex(c)
	return z, err
}

func complexTest(name string, f func(complex128) bool) *value.Builtin {
	return fn(name+"(z, /)", func(t *thread, a []val) (val, error) {
		z, err := asComplex(t, a[0])
		return value.Bool(err == nil && f(z)), err
	})
}

func cexp(z complex128) complex128 {
	if imag(z) == 0 || cmplx.IsInf(z) || isNaN(z) {
		if imag(z) == 0 {
			return complex(elementary.Exp(real(z)), imag(z))
		}
		return cmplx.Exp(z)
	}
	e := elementary.Exp(real(z))
	return complex(e*elementary.Cos(imag(z)), e*elementary.Sin(imag(z)))
}

func clog(z complex128) complex128 {
	ax, ay := math.Abs(real(z)), math.Abs(imag(z))
	re := math.Log(elementary.Hypot(ax, ay))
	if h := elementary.Hypot(ax, ay); h > 0 && !math.IsInf(h, 0) {
		if hi, lo := math.Max(ax, ay), math.Min(ax, ay); 0.71 <= h && h <= 1.73 {
			re = math.Log1p((hi-1)*(hi+1)+lo*lo) / 2
		} else {
			re = elementary.Log(h)
		}
	}
	return complex(re, phase(z))
}

func phase(z complex128) float64 { return value.Atan2(imag(z), real(z)) }

// csqrt is the principal square root, by Kahan's scaling.
func csqrt(z complex128) complex128 {
	if z == 0 {
		return complex(0, imag(z))
	}
	if cmplx.IsInf(z) || isNaN(z) {
		return cmplx.Sqrt(z)
	}
	ax, ay := math.Abs(real(z)), math.Abs(imag(z))
	var s float64
	if ax < 0x1p-1022 && ay < 0x1p-1022 && (ax > 0 || ay > 0) {
		ax = math.Ldexp(ax, 54)
		s = math.Ldexp(math.Sqrt(ax+elementary.Hypot(ax, math.Ldexp(ay, 54))), -27)
	} else {
		ax /= 8
		s = 2 * math.Sqrt(ax+elementary.Hypot(ax, ay/8))
	}
	d := ay / (2 * s)
	if real(z) >= 0 {
		return complex(s, math.Copysign(d, imag(z)))
	}
	return complex(d, math.Copysign(s, imag(z)))
}

func csin(z complex128) complex128 {
	w := csinh(complex(-imag(z), real(z)))
	return complex(imag(w), -real(w))
}
func ccos(z complex128) complex128 { return ccosh(complex(-imag(z), real(z))) }
func csinh(z complex128) complex128 {
	return complex(elementary.Cos(imag(z))*math.Sinh(real(z)), elementary.Sin(imag(z))*math.Cosh(real(z)))
}
func ccosh(z complex128) complex128 {
	return complex(elementary.Cos(imag(z))*math.Cosh(real(z)), elementary.Sin(imag(z))*math.Sinh(real(z)))
}

func cmathModule() *value.Module {
	m := value.NewModule("cmath")
	m.Doc = "Mathematical functions of complex numbers."
	for name, x := range map[string]float64{"pi": math.Pi, "e": math.E, "tau": 2 * math.Pi, "inf": math.Inf(1), "nan": math.NaN()} {
		m.Set(name, value.Float(x))
	}
	m.Set("infj", value.Complex(complex(0, math.Inf(1))))
	m.Set("nanj", value.Complex(complex(0, math.NaN())))
	put(m,
		complex1("sqrt", csqrt), complex1("exp", cexp), complex1("sin", csin), complex1("cos", ccos), complex1("tan", cmplx.Tan),
		complex1("sinh", csinh), complex1("cosh", ccosh), complex1("tanh", cmplx.Tanh), complex1("asin", cmplx.Asin), complex1("acos", cmplx.Acos),
		complex1("atan", cmplx.Atan), complex1("asinh", cmplx.Asinh), complex1("acosh", cmplx.Acosh), complex1("atanh", cmplx.Atanh),
		fn("log10(z, /)", func(t *thread, a []val) (val, error) {
			z, err := asComplex(t, a[0])
			if err != nil || z == 0 {
				if err == nil {
					err = mathDomain()
				}
				return val{}, err
			}
			w := clog(z)
			return value.Complex(complex(elementary.Log10(elementary.Hypot(real(z), imag(z))), imag(w)/math.Ln10)), nil
		}),
		fn("log(z, base=None, /)", func(t *thread, a []val) (val, error) {
			z, err := asComplex(t, a[0])
			if err != nil {
				return val{}, err
			}
			if z == 0 {
				return val{}, mathDomain()
			}
			if !given(a[1]) {
				return value.Complex(clog(z)), nil
			}
			b, err := asComplex(t, a[1])
			if err != nil {
				return val{}, err
			}
			if b == 0 {
				return val{}, mathDomain()
			}
			return value.Binary(t, value.OpDiv, value.Complex(clog(z)), value.Complex(clog(b)))
		}),
		fn("phase(z, /)", func(t *thread, a []val) (val, error) {
			z, err := asComplex(t, a[0])
			return value.Float(phase(z)), err
		}),
		fn("polar(z, /)", func(t *thread, a []val) (val, error) {
			z, err := asComplex(t, a[0])
			return value.Tuple(value.Float(elementary.Hypot(real(z), imag(z))), value.Float(phase(z))), err
		}),
		fn("rect(r, phi, /)", func(t *thread, a []val) (val, error) {
			r, err := value.AsFloat64(t, a[0])
			if err != nil {
				return val{}, err
			}
			phi, err := value.AsFloat64(t, a[1])
			if phi == 0 {
				return value.Complex(complex(r, r*phi)), err
			}
			return value.Complex(complex(r*elementary.Cos(phi), r*elementary.Sin(phi))), err
		}),
		complexTest("isnan", isNaN), complexTest("isinf", cmplx.IsInf),
		complexTest("isfinite", func(z complex128) bool { return !cmplx.IsInf(z) && !isNaN(z) }),
		fn("isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0)", func(t *thread, a []val) (val, error) {
			x, err := asComplex(t, a[0])
			if err != nil {
				return val{}, err
			}
			y, err := asComplex(t, a[1])
			if err != nil {
				return val{}, err
			}
			tol := [2]float64{1e-9, 0}
			for i := range tol {
				if given(a[2+i]) {
					if tol[i], err = value.AsFloat64(t, a[2+i]); err != nil {
						return val{}, err
					}
				}
			}
			if tol[0] < 0 || tol[1] < 0 {
				return val{}, value.ValueErrorf("tolerances must be non-negative")
			}
			d := cmplx.Abs(x - y)
			near := x == y || !cmplx.IsInf(x) && !cmplx.IsInf(y) && (d <= tol[0]*cmplx.Abs(y) || d <= tol[0]*cmplx.Abs(x) || d <= tol[1])
			return value.Bool(near), nil
		}),
	)
	return m
}
