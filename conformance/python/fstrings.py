x = 5; y = 3.14159; s = 'str'; d = {'k': [1, 2]}; w = 8
print(f'{x}', f'{x!r} {s!r} {s!s}', f'{x=}', f'{x = }', f'{s=}', f'{s=!s}', f'{y=:.2f}', f'{x+1=}', f'{d["k"][0]}', f"{d['k']}", f'{{}} {{{x}}}', f'{x:>{w}}|{x:<{w}}|{x:^{w}}|', f'{y:{w}.{2}f}', f'{x:{"0"}>{w}}')
print(f'{"nested " + f"{x}"}', f'{x if x > 3 else 0}', f'{(lambda q: q * 2)(x)}', f'{[i for i in range(3)]}', f'{ {1: 2}[1] }', f'{x:#x} {x:08b} {x:+} {x:,}', f'{1_000_000:,}', f'{y!r:>10}', f'a' 'b' f'{x}', f'''{
x
} multi''', f'{x!a}', rf'\n{x}', f'\n{x}'.strip(), f'{"a" "b"}', f'{x,}', f'{x, y}', f'{*d, 1}' if False else '', f'{yy}' if False else 'ok')
print(f'{x:}' , f'{s:5}|', f'{s:>5}|', f'{s:.2}|', f'{None}', f'{True:d}', f'{b"x"}', f'{x:5}|{x:<5}|', f'{3:05}', f'{-3:05}', f'{3.0}', f'{1e100}', f'{10**20}', f'{0.1+0.2}', f'{1/3:.3}', f'{"é":>3}', f'{"%":%<3}' if False else '')
class F:
    def __format__(self, sp): return f'[{sp}]'
    def __str__(self): return 'S'
    def __repr__(self): return 'R'
f = F(); print(f'{f} {f:abc} {f!s} {f!r} {f!s:>4} {f:{x}{w}}')
def err(c):
    try: c()
    except Exception as e: print(type(e).__name__, e)
err(lambda: f'{nope}'); err(lambda: f'{x:d}{s:d}'); err(lambda: f'{x:{s}}'); err(lambda: f'{1/0}'); err(lambda: f'{[]:5}')
print(f'{x!r:^{w}}', f'{"a":*^{w}}', f'{x:{w}d}', f"{'a' if x else 'b'}", f"{x:{'>' + str(w)}}")
print(f'{datetime}' if False else f'{"":5}|', f'{"":}', f'{0:x}', f'{-255:#x}', f'{255:#o}', f'{-5 % 3}', f'{5 // 2 * 2}', f'{x == 5}', f'{x != 5}', f'{x >= 5}', f'{not x}', f'{x:=5}|')
