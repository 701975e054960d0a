"""A trainer with registries, protocols, hooks and context managers."""
import abc, contextlib, functools, inspect, io, itertools, logging, math, random, sys, time, types, typing as t
from collections import deque, defaultdict
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable, NamedTuple, TypeVar, Generic, Iterator, Iterable, overload, Literal, TypedDict, Final, Annotated

T = TypeVar("T"); S = TypeVar("S", bound="Stateful")
log = logging.getLogger("trainer")
h = logging.StreamHandler(sys.stdout); h.setFormatter(logging.Formatter("%(levelname)-7s|%(name)s|%(funcName)s|%(message)s")); log.addHandler(h); log.setLevel(logging.DEBUG)

@runtime_checkable
class Stateful(Protocol):
    def state_dict(self) -> dict: ...
    def load_state_dict(self, s: dict) -> None: ...

class Metric(NamedTuple):
    name: str
    value: float
    step: int = 0
    def show(self) -> str: return f"{self.name:>10s}={self.value:<10.4g}@{self.step:04d}"

class Registry(Generic[T]):
    def __init__(self, name: str): self.name = name; self._d: t.Dict[str, t.Type[T]] = {}
    def register(self, key: str | None = None):
        def deco(c):
            k = key or c.__name__.lower()
            if k in self._d: raise KeyError(f"{k!r} already registered in {self.name}")
            self._d[k] = c; return c
        return deco
    def build(self, key, *a, **kw): 
        try: return self._d[key](*a, **kw)
        except KeyError: raise ValueError(f"{self.name}: no {key!r}; have {', '.join(sorted(self._d))}") from None
    def __contains__(self, k): return k in self._d
    def __len__(self): return len(self._d)
    def __iter__(self): return iter(self._d)
    def __class_getitem__(cls, item): return super().__class_getitem__(item)

SCHED: Registry["Scheduler"] = Registry("schedulers")
class Scheduler(abc.ABC):
    def __init__(self, base: float, total: int): self.base, self.total, self.n = base, total, 0
    @abc.abstractmethod
    def factor(self, p: float) -> float: ...
    def step(self) -> float:
        self.n += 1; return self.base * self.factor(min(self.n / self.total, 1.0))
    def state_dict(self): return {"n": self.n}
    def load_state_dict(self, s): self.n = s["n"]
    def __repr__(self): return f"{type(self).__name__}(base={self.base}, total={self.total})"

@SCHED.register()
class Cosine(Scheduler):
    def factor(self, p): return 0.5 * (1 + math.cos(math.pi * p))
@SCHED.register("warmup")
class Warmup(Cosine):
    def __init__(self, *a, warm: float = 0.1, **kw): super().__init__(*a, **kw); self.warm = warm
    def factor(self, p): return p / self.warm if p < self.warm else super().factor((p - self.warm) / (1 - self.warm))
try:
    @SCHED.register("warmup")
    class Dup(Cosine): pass
except KeyError as e: print("KeyError", e)
try: Scheduler(1, 2)
except TypeError as e: print(e)
try: SCHED.build("linear", 1, 2)
except ValueError as e: print(e, e.__suppress_context__)
s = SCHED.build("warmup", 1.0, 10, warm=0.2); print([round(s.step(), 4) for _ in range(10)], isinstance(s, Stateful), isinstance(3, Stateful), s)
print(Metric("loss", 0.123456789, 7).show(), Metric("x", 1)._asdict(), Metric._fields, Metric.__annotations__, Metric("a", 1) < Metric("b", 0))

class Event:
    """Descriptor: list of callbacks per instance."""
    def __set_name__(self, owner, name): self.name = name; self.attr = "_" + name
    def __get__(self, obj, owner=None):
        if obj is None: return self
        return obj.__dict__.setdefault(self.attr, [])
    def __set__(self, obj, v): raise AttributeError(f"event {self.name} is read-only")

@contextlib.contextmanager
def timer(name: str, sink: dict):
    t0 = time.perf_counter()
    try: yield sink
    except ZeroDivisionError as e: log.error("failed: %s", e); sink["error"] = repr(e); raise
    finally: sink[name] = time.perf_counter() - t0 >= 0

class Trainer:
    on_step, on_end = Event(), Event()
    def __init__(self, sched, *, steps: int = 3, history: int = 2): self.sched, self.steps, self.history = sched, steps, deque(maxlen=history)
    def fit(self) -> Iterator[Metric]:
        try:
            for i in range(self.steps):
                m = Metric("lr", self.sched.step(), i); self.history.append(m)
                for cb in self.on_step: cb(self, m)
                yield m
            else: log.debug("finished %d steps", self.steps)
        finally:
            for cb in self.on_end: cb(self)
tr = Trainer(SCHED.build("cosine", 0.1, 4), steps=5)
tr.on_step.append(lambda tr, m: log.info("%s", m.show())); tr.on_end.append(lambda tr: log.warning("end %d", len(tr.history)))
print([f"{m.value:.3f}" for m in tr.fit()], list(tr.history)[0].step)
try: tr.on_step = []
except AttributeError as e: print(e)
sink = {}
try:
    with timer("t", sink) as sk: sk["a"] = 1; 1 / 0
except ZeroDivisionError: print(sink)
with contextlib.ExitStack() as st:
    for i in range(3): st.callback(print, "cleanup", i)
    buf = st.enter_context(contextlib.redirect_stdout(io.StringIO())); print("hidden")
print(repr(buf.getvalue()))
@functools.singledispatch
def describe(x) -> str: return f"object {x!r}"
@describe.register
def _(x: int) -> str: return f"int {x}"
@describe.register(list)
@describe.register(tuple)
def _(x): return f"{type(x).__name__} of {len(x)}: " + ", ".join(map(describe, x))
@describe.register
def _(x: dict): return "{" + "; ".join(f"{k}->{describe(v)}" for k, v in x.items()) + "}"
print(describe([1, (2, "a"), {"k": [None]}]), describe(True), describe.registry.keys().__len__())
class Cached:
    calls = 0
    @functools.cached_property
    def big(self): Cached.calls += 1; return list(range(3))
    @functools.lru_cache(maxsize=None)
    def fib(self, n): return n if n < 2 else self.fib(n - 1) + self.fib(n - 2)
c = Cached(); print(c.big, c.big is c.big, Cached.calls, c.fib(30), Cached.fib.cache_info())
def retry(times: int = 3, exc=(ValueError,), *, delay=0.0):
    def deco(f):
        @functools.wraps(f)
        def wrapper(*a, **kw):
            for k in range(1, times + 1):
                try: return f(*a, **kw)
                except exc as e:
                    print(f"  attempt {k}/{times}: {type(e).__name__}: {e}")
                    if k == times: raise
        wrapper.__wrapped__ = f
        return wrapper
    return deco
n = itertools.count()
@retry(times=3)
def flaky(limit: int, /, label="x", *, strict: bool = False) -> str:
    "Sometimes fails."
    if (k := next(n)) < limit: raise ValueError(f"k={k}")
    return f"{label}:{k}"
print(flaky(2, label="ok"), flaky.__name__, flaky.__doc__, inspect.signature(flaky))
try: flaky(100)
except ValueError as e: print("gave up", e)
def ev(cmd):
    match cmd:
        case ["load", str(path), *rest] if path.endswith(".pt"): return f"load {path} {rest}"
        case {"op": "set", "key": k, **others}: return f"set {k} {others}"
        case Metric(name="loss", value=v) if v > 1: return f"high loss {v}"
        case Metric(n, v, 0) | Metric(n, v, 1): return f"early {n} {v}"
        case (int() | float()) as num: return f"num {num}"
        case [] | {}: return "empty"
        case None: return "none"
        case str(): return "str"
        case _: return f"other {type(cmd).__name__}"
for cmd in (["load", "a.pt", 1, 2], ["load", "a.bin"], {"op": "set", "key": "k", "z": 1}, Metric("loss", 2.0, 9), Metric("acc", .5, 1), 3, 2.5, [], {}, None, "s", {1}): print(ev(cmd))
class TD(TypedDict, total=False):
    a: int
    b: str
d: TD = {"a": 1}; print(d, TD.__annotations__, TD.__total__, TD(a=1, b="x"))
def pipeline(it: Iterable[int]) -> Iterator[tuple[int, ...]]:
    it = filter(lambda x: x % 3, it); it = map(lambda x: x * x, it)
    while batch := tuple(itertools.islice(it, 4)): yield batch
print(list(pipeline(range(20))), list(itertools.accumulate([1, 2, 3], max, initial=0)), [(k, len(list(g))) for k, g in itertools.groupby("aaabbc")])
print(f"{'name':<12}|{'params':>12}|{'%':>7}\n{'-' * 12}+{'-' * 12}+{'-' * 7}")
for nme, cnt in (("embed", 1234567), ("head", 89)): print(f"{nme:<12}|{cnt:>12,}|{cnt / 1234656:>7.2%}")
print(f"{math.pi!r:>20} {math.pi:+.3e} {255:#x} {255:08b} {-5:+d} {1e10:g} {'é':^5}| {[1]!s:>5} {3.0} {1_000:_} {{}} {math.inf} {0.1 + 0.2:.17g}")
