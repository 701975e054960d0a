"""Writes elementary.json for elementary_test.go: arguments and values of the elementary functions, rounded to float64 from
60 digits. Run with /usr/bin/python3 (mpmath 1.2)."""
import json
import random
import struct

import mpmath as mp

mp.mp.dps = 60
rng = random.Random(5)
N = 160


def wide(lo, hi):  # both signs, magnitudes spread over powers of two
    def f():
        return rng.choice([-1, 1]) * 2.0 ** rng.uniform(lo, hi)
    return f


def pos(lo, hi):
    return lambda: 2.0 ** rng.uniform(lo, hi)


def flat(lo, hi):
    return lambda: rng.uniform(lo, hi)


def mixed(*fs):
    return lambda: rng.choice(fs)()


def erfinv(x):
    if abs(x) < 0.9:
        y = mp.erfinv(x)
        return y
    return mp.erfinv(x)


unary = {
    "exp": (mp.exp, mixed(wide(-20, 9.4), flat(-700, 700))),
    "exp2": (lambda x: mp.power(2, x), mixed(wide(-20, 9.9), flat(-1000, 1000))),
    "expm1": (mp.expm1, mixed(wide(-40, 9.4), flat(-2, 2))),
    "log": (mp.log, mixed(pos(-1000, 1000), flat(0.5, 2))),
    "log2": (lambda x: mp.log(x) / mp.log(2), mixed(pos(-1000, 1000), flat(0.5, 2))),
    "log10": (mp.log10, mixed(pos(-1000, 1000), flat(0.5, 2))),
    "log1p": (mp.log1p, mixed(pos(-60, 100), flat(-0.99, 2), wide(-60, -2))),
    "sin": (mp.sin, mixed(wide(-30, 20), flat(-10, 10))),
    "cos": (mp.cos, mixed(wide(-30, 20), flat(-10, 10))),
    "tan": (mp.tan, mixed(wide(-30, 20), flat(-10, 10))),
    "asin": (mp.asin, mixed(flat(-1, 1), wide(-40, -1))),
    "acos": (mp.acos, mixed(flat(-1, 1), wide(-40, -1))),
    "atan": (mp.atan, mixed(wide(-40, 40), flat(-3, 3))),
    "sinh": (mp.sinh, mixed(wide(-40, 9.4), flat(-3, 3))),
    "cosh": (mp.cosh, mixed(wide(-40, 9.4), flat(-3, 3))),
    "tanh": (mp.tanh, mixed(wide(-40, 6), flat(-3, 3))),
    "erf": (mp.erf, mixed(wide(-40, 3), flat(-4, 4))),
    "erfc": (mp.erfc, mixed(wide(-40, 4.6), flat(-5, 5))),
    "erfinv": (erfinv, mixed(flat(-1, 1), wide(-40, -1), lambda: 1 - 2.0 ** rng.uniform(-50, -1))),
    "lgamma": (lambda x: mp.log(abs(mp.gamma(x))), mixed(pos(-30, 30), flat(0.1, 20))),
    "digamma": (mp.digamma, mixed(pos(-30, 30), flat(0.1, 20), flat(-5, 0))),
    "gelu": (lambda x: x * mp.erfc(-x / mp.sqrt(2)) / 2, mixed(wide(-30, 0), flat(-1, 8))),
}


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", float(x)))[0]


edges = {
    "exp": [709.5, 709.7, 709.78, -708.0],
    "log": [5e-324, 1e-310, 2.2e-308, 1.7e308],
    "log2": [5e-324, 1e-310, 2.2e-308, 1.7e308],
    "log10": [5e-324, 1e-310, 2.2e-308, 1.7e308, 1000.0],
}
out = {}
for name, (f, gen) in unary.items():
    rows = []
    while len(rows) < N:
        x = float(gen())
        try:
            y = mp.mpf(f(mp.mpf(x)))
        except (ValueError, ZeroDivisionError):
            continue
        if not mp.isfinite(y) or abs(y) > 1e308 or (y != 0 and abs(y) < 1e-300):
            continue
        rows.append(["%016x" % bits(x), "%016x" % bits(y)])
    for x in edges.get(name, []):
        rows.append(["%016x" % bits(x), "%016x" % bits(mp.mpf(f(mp.mpf(x))))])
    out[name] = rows
rows = []
while len(rows) < 2 * N:
    x, y = 2.0 ** rng.uniform(-30, 30), rng.choice([-1, 1]) * 2.0 ** rng.uniform(-10, 6)
    z = mp.power(mp.mpf(x), mp.mpf(y))
    if 1e-300 < z < 1e300:
        rows.append(["%016x" % bits(x), "%016x" % bits(z), "%016x" % bits(y)])
out["pow"] = rows
rows = []
for _ in range(N):
    x, y = wide(-20, 20)(), wide(-20, 20)()
    rows.append(["%016x" % bits(x), "%016x" % bits(mp.atan2(mp.mpf(x), mp.mpf(y))), "%016x" % bits(y)])
out["atan2"] = rows
with open("elementary.json", "w") as f:
    f.write("{\n" + ",\n".join('"%s":%s' % (k, json.dumps(v, separators=(",", ":"))) for k, v in out.items()) + "\n}\n")
