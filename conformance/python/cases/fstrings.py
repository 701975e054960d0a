x = 3.14159; print(f'{x:.2f} {x:10.3f}| {x:<10.2f}| {x:^10.2f}| {x:+.1e}')

n = 255; print(f'{n:x} {n:X} {n:#x} {n:o} {n:b} {n:08b} {n:,} {n:_} {n:>6} {n:<6}| {n:^6}|')

s = 'hi'; print(f'{s!r} {s!s} {s!a} {s:>5} {s:*^8} {s:.1}')

w = 10; p = 3; print(f'{3.14159:{w}.{p}}', f'{"a":{"*"}<{w}}')

x = 5; print(f'{x=} {x + 1=} {x=:>4} {x = !r}')

print(f'{{}} {{{1}}}', f'{1}{2}', f'', f'{"a" "b"}')

print(f'{[i for i in range(3)]} {dict(a=1)["a"]} {(lambda: 2)()}')

d = {'k': 'v'}; print(f"{d['k']} {d!r}")

print(f'{1_000_000:,} {1234567.891:,.2f} {0.25:.0%} {1e10:g} {123456789:.3g}')

class A:
    def __format__(self, spec): return f'<{spec}>'
    def __str__(self): return 'S'
    def __repr__(self): return 'R'
print(f'{A()} {A():abc} {A()!r} {A()!s}')

print(f'{True} {None} {1.0} {[1]} {b"x"}')

print(f'{5:05d} {-5:05d} {5:+d} {5: d} {-5:=+6d}')

print(f'{"a\x41"}' if False else f'{chr(65)}')

import datetime
print(f'{datetime.date(2020, 1, 2):%Y/%m/%d}')

print(rf'\n{1}', f'\x41{1}\n', f'{1:}')

print(f'''a
{1 +
2}
b''')

print(f'{None:>5}')

print(f'{[1]:>5}')

print(f'{"x":d}')

print(f'{5:s}')

print(f'{1.5:d}')

print(f'{3:.2}')

print(f'{3!r:>5}', f'{"é"!a}', f'{1 if True else 2}')

name = 'n'; print(f'{name}' 'lit' "{no}" f'{name!r}')

print(f'{float("inf"):f} {float("nan"):5} {-0.0} {1e100} {1e16} {123456789012345678}')

def f(x): return f'{x!r:^{len(x) + 4}}'
print(f('ab'))

print(f"{'nested ' + f'{1 + 1}'}", f'{ {1: 2}[1] }', f'{ {3} }')

print(f'{x}')

print(f'{0:c}' == '\0', f'{97:c}', f'{2:n}', f'{10:e}')
