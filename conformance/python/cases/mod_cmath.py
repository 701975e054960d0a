import cmath; print(cmath.sqrt(-1), cmath.sqrt(3 + 4j), cmath.sqrt(-2.5), cmath.sqrt(0))

import cmath; print(cmath.exp(1j), cmath.exp(1), cmath.exp(0.5 + 0.25j))

import cmath; print(cmath.log(1j), cmath.log(-1), cmath.log(3 + 4j), cmath.log(8, 2), cmath.log10(100))

import cmath; print(cmath.phase(1j), cmath.phase(-1), cmath.polar(3 + 4j), cmath.rect(2, 0), cmath.rect(1, 1.5))

import cmath; print(cmath.pi, cmath.e, cmath.tau, cmath.inf, cmath.infj, cmath.nanj)

import cmath; print(cmath.isnan(complex('nan')), cmath.isinf(complex('inf')), cmath.isfinite(1j), cmath.isclose(1j, 1j + 1e-12))

import cmath; print(cmath.sin(1), cmath.cos(1j), cmath.sin(1 + 1j))

import cmath; print(cmath.sinh(1), cmath.cosh(1), cmath.sinh(0.5 + 0.5j))

import cmath; print(abs(cmath.tan(0.5 + 0.5j) - (0.4039 + 0.5641j)) < 1e-3, abs(cmath.tanh(0.5) - 0.46211715726) < 1e-9)

import cmath; z = cmath.asin(0.5); print(abs(z.real - 0.5235987755982989) < 1e-12, abs(cmath.acos(0.5) - 1.0471975511965979) < 1e-12, abs(cmath.atan(1) - 0.7853981633974483) < 1e-12)

import cmath; print(abs(cmath.asinh(1) - 0.881373587019543) < 1e-12, abs(cmath.acosh(2) - 1.3169578969248166) < 1e-12, abs(cmath.atanh(0.5) - 0.5493061443340549) < 1e-12)

import cmath; cmath.log(0)

import cmath; cmath.sqrt('a')

import cmath; cmath.exp(1000)

import cmath; print(cmath.exp(cmath.pi * 1j).real, abs(cmath.exp(cmath.pi * 1j).imag) < 1e-15)

import cmath; print([round(abs(cmath.rect(1, k)), 10) for k in range(4)])

import cmath; r, phi = cmath.polar(1 + 1j); print(r, phi)

import cmath; print(cmath.sqrt(1e-300), cmath.sqrt(-4 + 0j), cmath.sqrt(complex(-4, -0.0)))

import cmath; print(cmath.phase(complex(-1, -0.0)), cmath.phase(0), cmath.polar(0))

import cmath
def roots(n): return [cmath.rect(1, 2 * cmath.pi * k / n) for k in range(n)]
print([complex(round(z.real, 6) + 0.0, round(z.imag, 6) + 0.0) for z in roots(4)])
