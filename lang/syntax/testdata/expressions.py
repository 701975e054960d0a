0; 1_000; 0x_fF; 0o17; 0B101; 9223372036854775807; 9223372036854775808; 0xffffffffffffffffffff; 00_0
1.; .5; 1e10; 1_0.0_1e-1_0; 1e999; 0e0; 1j; 1.5J; .5e3j; 007.5; 08j
"a" 'b' """c
d""" r'\n' R"\x" u"\u00e9" "\101\x41\u0041\U00000041\t\q\
e" "\ud800" "é𝒳"
b"a" rb'\n' Br"\x" b"\x00\377\q"
f"" f"a" "b" f"{x}" f"{x!r:>{width}.{prec}f}" f"{{}}{x}}}" rf"\{x}" F"{x = !s}" f"{x=}" f"{x=:>5}" f"{ x }"
f"{x:{'{'}>10}" f"{a['b']}" f'{x if y else "z"}' f"{(lambda x: 1)}" f"{a!=b}" f"{a==b=}" f"{ {1: 2}[1] }" f"""{
    x
}""" f"{yield_, 1}" f"{*a, 1}" f"é{x}é" f"{x:%H:%M}" f"{'a' 'b'}" f"{f'{y}'}" f"\u0041{x}\n{a<=b}" f"{a:\n}"
a or b and not c; a or b or c; a and b and c
not a; not not a
a < b <= c != d == e > f >= g; a in b; a not in b; a is b; a is not b; not a in b
a | b ^ c & d << e >> f + g - h * i / j // k % l @ m
-a ** -b ** c; +-~a; a ** b ** c; (-a) ** b; 2 ** -1
(a + b) * c - (d); ((a)).b; (a)[0]
a if b else c if d else e; (a if b else c) if d else e
lambda: 0; lambda x, *y, z=1, **k: x; lambda a, /, b: lambda c: d; lambda *, a: a; lambda *a, b=(1, 2): 0
(); (a,); (a, b); a, b; a,; [*a, b]; {*a, b}; {}; {a: b, **c}; {**a}; {a}; [a, b,]; []
[x for x in y]; {x for x in y if a if b}; {k: v for k, v in x}; (x for x in y for z in x if z)
[x for x, in y]; [x for *a, b in y]; [x for x.a in y]; [(a, b) for a in c or d]; [lambda: x for x in y if not x]
f(); f(a); f(a,); f(*a, b, *c, k=v, **d, e=f); f(x for x in y); f((x for x in y), a); f(a := b); f(**a, **b)
f(a)(b)[c].d(e); a.b.c; a[b]; a[b, c]; a[b,]; a[:]; a[b:]; a[:b]; a[::]; a[b:c:d]; a[::c]; a[:, 1]; a[..., None, ::2]
a[*b]; a[*b, c]; a[b := c]; a[b:c, *d]; a[lambda: x:]; a[(b, c)]
(a := 1); [a := 1, b]; {a := 1}; (a := b, c); x[a := 1]; print(a := 1, b)
...; None; True; False; ....a; 1 .real; 1..real
x = yield_; é = ñ; 变量 = _1
1if x else y; [1for x in y]
a \
  .b
(a
 # comment
 + b
)
aaa(bbb(
  ccc), ddd
)[
  eee]
