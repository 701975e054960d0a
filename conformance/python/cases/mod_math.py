import math; print(math.pi, math.e, math.tau, math.inf, math.nan)

import math; print(math.sqrt(2), math.floor(-1.5), math.ceil(1.2), math.trunc(-1.7), math.fabs(-2), math.copysign(1, -0.0))

import math; print(math.exp(1), math.log(10), math.log(8, 2), math.log2(8), math.log10(1000), math.log1p(1e-10), math.expm1(1e-10), math.exp2(3))

import math; print(math.sin(1), math.cos(1), math.tan(1), math.asin(0.5), math.acos(0.5), math.atan(1), math.atan2(-1, -1))

import math; print(math.sinh(1), math.cosh(1), math.tanh(0.5), math.asinh(1), math.acosh(2), math.atanh(0.5))

import math; print(math.pow(2, 0.5), math.hypot(3, 4), math.hypot(1, 2, 3), math.dist((0, 0), (3, 4)))

import math; print(math.gcd(12, 18), math.gcd(), math.lcm(4, 6), math.factorial(20), math.comb(10, 3), math.perm(5, 2), math.isqrt(17))

import math; print(math.fmod(-7, 3), math.modf(3.25), math.frexp(8.5), math.ldexp(0.5, 4), math.remainder(7, 4))

import math; print(math.isnan(math.nan), math.isinf(-math.inf), math.isfinite(1.0), math.isclose(0.1 + 0.2, 0.3), math.isclose(1, 1.1, rel_tol=0.2))

import math; print(math.fsum([0.1] * 10), math.prod([1, 2, 3], start=2), math.degrees(math.pi), math.radians(180))

import math; print(math.gamma(5), math.lgamma(3), math.erf(0.5), math.erfc(0.5))

import math; print(math.ulp(1.0), math.nextafter(1.0, 2.0), math.floor(10**20), math.ceil(-0.5), math.log(10**400))

import math; math.sqrt(-1)

import math; math.log(0)

import math; math.factorial(-1)

import math; math.exp(1000)

import math; math.sqrt('a')

import math; math.factorial(1.5)

import math; math.floor(math.inf)

import math
class A:
    def __float__(self): return 2.25
    def __floor__(self): return 'floor'
print(math.sqrt(A()), math.floor(A()))

import math; print(math.comb(5, 7), math.perm(3), math.isqrt(10**20), math.acos(1), math.log(True + 1))

import math; math.acos(2)
