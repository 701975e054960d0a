import math

print(math.pi, math.e, math.tau, math.inf, -math.inf, math.nan)
for name in "sqrt exp log log2 log10 sin cos tan atan sinh cosh tanh asinh erf erfc expm1 log1p gamma lgamma cbrt".split():
    f = getattr(math, name)
    print(name, [f"{f(x):.12g}" for x in (0.5, 1.0, 2.0, 3.7, 10.25)])
for name in "exp log log2 log10 sqrt sin cos tan atan".split():
    f = getattr(math, name)
    print(name, [f(x / 7 + 0.001) for x in range(1, 60)])
print([math.pow(x / 3, y) for x in range(1, 9) for y in (0.5, 2.5, -1.25, 10, 33.3)])
print([math.exp(x) for x in (-745.1, -744, -740.5, -708.5, -700, 700, 709.7, 1e-20, 0.0, -0.0)])
print(math.log(10000.0), math.log(2, 10), math.log(8, 2), math.log(10**400), math.log2(2**70), math.log10(10**30))
print(math.floor(2.7), math.floor(-2.7), math.ceil(2.1), math.ceil(-2.1), math.trunc(-2.7), math.floor(1e300), math.floor(5))
print(math.isclose(1, 1 + 1e-10), math.isclose(1, 1.1), math.isclose(0, 1e-12), math.isclose(0, 1e-12, abs_tol=1e-9), math.isclose(1, 1.05, rel_tol=0.1))
print(math.gcd(12, 18, 27), math.gcd(), math.gcd(-4), math.lcm(4, 6), math.lcm(), math.factorial(25), math.comb(30, 12), math.perm(9, 3), math.perm(4), math.isqrt(10**30 + 7))
print(math.prod([1.5, 2, 3]), math.prod([], start=7), math.prod(x for x in range(1, 5)))
print(math.fsum([0.1] * 10), math.fsum([1e100, 1.0, -1e100]), math.hypot(3, 4), math.hypot(1, 2, 3), math.dist([1, 2], (4, 6)))
print(math.copysign(3, -0.0), math.fmod(-7, 3), math.remainder(7, 4), math.modf(-3.25), math.frexp(10.0), math.ldexp(0.75, 5), math.nextafter(1, 2), math.ulp(1.0))
print(math.degrees(math.pi), math.radians(180), math.atan2(1, -1), math.isnan(math.nan), math.isinf(-math.inf), math.isfinite(1e308))
for code in ("math.sqrt(-1)", "math.log(0)", "math.exp(1000)", "math.factorial(-1)", "math.sqrt('a')", "math.floor(math.nan)", "math.floor(math.inf)",
             "math.pow(0, -1)", "math.pow(-1, 0.5)", "math.gcd(1.5)", "math.comb(-1, 2)", "math.acos(2)", "math.fmod(1, 0)", "math.isqrt(-1)", "math.sqrt()", "math.sqrt(1, 2)"):
    f = {"math.sqrt(-1)": lambda: math.sqrt(-1), "math.log(0)": lambda: math.log(0), "math.exp(1000)": lambda: math.exp(1000),
         "math.factorial(-1)": lambda: math.factorial(-1), "math.sqrt('a')": lambda: math.sqrt("a"), "math.floor(math.nan)": lambda: math.floor(math.nan),
         "math.floor(math.inf)": lambda: math.floor(math.inf), "math.pow(0, -1)": lambda: math.pow(0, -1), "math.pow(-1, 0.5)": lambda: math.pow(-1, 0.5),
         "math.gcd(1.5)": lambda: math.gcd(1.5), "math.comb(-1, 2)": lambda: math.comb(-1, 2), "math.acos(2)": lambda: math.acos(2),
         "math.fmod(1, 0)": lambda: math.fmod(1, 0), "math.isqrt(-1)": lambda: math.isqrt(-1)}.get(code)
    if f is None:
        continue
    try:
        print(code, f())
    except Exception as e:
        print(code, type(e).__name__, e)


class F:
    def __float__(self):
        return 2.25

    def __floor__(self):
        return "floored"


print(math.sqrt(F()), math.floor(F()))
print([math.acos(x / 10) for x in range(-9, 10)], [math.asin(x / 10) for x in range(-9, 10)], math.sin(math.pi), math.cos(math.pi / 2), math.sin(1000.5), math.tan(1.57))
