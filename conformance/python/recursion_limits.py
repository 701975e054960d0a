def t(f):
    try: f(); print('ok')
    except RecursionError as e: print('RecursionError')
def f(): return f()
def g(n): return 0 if n == 0 else 1 + g(n - 1)
print(g(900)); t(f)
class A:
    def __repr__(s): return repr(s)
    def __eq__(s, o): return s == o
    def __hash__(s): return hash(s)
    def __getattr__(s, n): return getattr(s, n + 'x')
    def __add__(s, o): return s + o
    def __len__(s): return len(s)
    def __iter__(s): return iter(s)
    def __call__(s): return s()
    def __bool__(s): return bool(s)
a = A()
for k in [lambda: repr(a), lambda: a == 1, lambda: hash(a), lambda: a.q, lambda: a + 1, lambda: len(a), lambda: list(a), lambda: a(), lambda: not a]: t(k)
def gen(): yield from gen()
t(lambda: list(gen()))
x = []
for i in range(100000): x = [x]
t(lambda: repr(x)); print()
y = ()
for i in range(100000): y = (y,)
x.append(x); print(len(x))
try: f()
except RecursionError: print('again', g(500))
