"""A configuration in data classes, read from JSON and the command line."""
from __future__ import annotations
import argparse, json, sys, dataclasses, enum, copy, functools, itertools, re
from dataclasses import dataclass, field, asdict, replace, fields, is_dataclass
from typing import Any, Callable, ClassVar, Dict, Generic, List, Optional, Tuple, Type, TypeVar, Union, get_type_hints, get_origin, get_args
from pathlib import Path
from collections import defaultdict, OrderedDict, Counter, ChainMap, namedtuple

class Activation(str, enum.Enum):
    RELU = "relu"
    GELU = "gelu"
    SILU = "silu"
    def __str__(self): return self.value
    @classmethod
    def parse(cls, s: str) -> "Activation":
        try: return cls(s.lower())
        except ValueError: raise argparse.ArgumentTypeError(f"unknown activation {s!r}, choose from {[a.value for a in cls]}")

@dataclass(frozen=True)
class OptimConfig:
    name: str = "adamw"
    lr: float = 3e-4
    betas: Tuple[float, float] = (0.9, 0.999)
    weight_decay: float = 0.01
    warmup: int = 100

@dataclass
class ModelConfig:
    dim: int = 128
    depth: int = 4
    heads: int = 8
    act: Activation = Activation.GELU
    dropout: float = 0.0
    tags: List[str] = field(default_factory=list)
    extra: Dict[str, Any] = field(default_factory=dict, repr=False)
    VERSION: ClassVar[int] = 3
    def __post_init__(self):
        if self.dim % self.heads:
            raise ValueError(f"dim {self.dim} is not divisible by heads {self.heads}")
    @property
    def head_dim(self) -> int: return self.dim // self.heads

@dataclass
class TrainConfig:
    model: ModelConfig = field(default_factory=ModelConfig)
    optim: OptimConfig = field(default_factory=OptimConfig)
    epochs: int = 10
    seed: Optional[int] = None
    out: Path = Path("runs")

def to_dict(obj):
    if is_dataclass(obj) and not isinstance(obj, type):
        return {f.name: to_dict(getattr(obj, f.name)) for f in fields(obj)}
    if isinstance(obj, enum.Enum): return obj.value
    if isinstance(obj, Path): return str(obj)
    if isinstance(obj, (list, tuple)): return [to_dict(x) for x in obj]
    if isinstance(obj, dict): return {k: to_dict(v) for k, v in obj.items()}
    return obj

def from_dict(cls, data):
    hints = get_type_hints(cls)
    kw = {}
    for f in fields(cls):
        if f.name not in data: continue
        v, t = data[f.name], hints[f.name]
        if is_dataclass(t): v = from_dict(t, v)
        elif isinstance(t, type) and issubclass(t, enum.Enum): v = t(v)
        elif t is Path: v = Path(v)
        elif get_origin(t) is tuple: v = tuple(v)
        kw[f.name] = v
    unknown = set(data) - {f.name for f in fields(cls)}
    if unknown: raise TypeError(f"{cls.__name__}: unknown keys {sorted(unknown)}")
    return cls(**kw)

def override(cfg, path: str, value: str):
    head, _, rest = path.partition(".")
    if not hasattr(cfg, head): raise AttributeError(f"{type(cfg).__name__} has no field {head!r}")
    cur = getattr(cfg, head)
    if rest: return replace(cfg, **{head: override(cur, rest, value)})
    t = type(cur)
    if t is bool: value = value.lower() in ("1", "true", "yes")
    elif cur is None: value = json.loads(value)
    elif isinstance(cur, enum.Enum): value = t(value)
    elif isinstance(cur, (tuple, list)): value = t(json.loads(value))
    else: value = t(value)
    return replace(cfg, **{head: value})

cfg = TrainConfig()
print(cfg)
print(json.dumps(to_dict(cfg), indent=2))
rt = from_dict(TrainConfig, json.loads(json.dumps(to_dict(cfg))))
print(rt == cfg, rt.model is cfg.model, rt.model.head_dim)
for ov in ["model.dim=256", "optim.lr=1e-3", "model.act=silu", "optim.betas=[0.8, 0.95]", "epochs=3", "seed=42", "out=/tmp/x"]:
    k, v = ov.split("=", 1); cfg = override(cfg, k, v)
print(cfg)
for bad in [("model.dimm", "3"), ("model.heads", "7"), ("model.act", "tanh"), ("epochs", "x")]:
    try: override(cfg, *bad)
    except Exception as e: print(type(e).__name__, e)
try: cfg.optim.lr = 5
except dataclasses.FrozenInstanceError as e: print("frozen:", e)
print(hash(OptimConfig()) == hash(OptimConfig()), OptimConfig() in {OptimConfig()})
print(get_type_hints(TrainConfig))
print([ (f.name, f.type, f.default is dataclasses.MISSING) for f in fields(ModelConfig)])
p = argparse.ArgumentParser(prog="train.py", description="Train a model", formatter_class=argparse.ArgumentDefaultsHelpFormatter)
p.add_argument("data", type=Path, help="data folder")
p.add_argument("-e", "--epochs", type=int, default=10, help="number of epochs")
p.add_argument("--lr", type=float, default=3e-4, metavar="RATE", help="learning rate")
p.add_argument("--act", type=Activation.parse, default=Activation.GELU, help="activation")
p.add_argument("--amp", action="store_true"); p.add_argument("--no-cuda", dest="cuda", action="store_false", default=True)
p.add_argument("--layers", nargs="+", type=int, default=[1, 2]); p.add_argument("-v", action="count", default=0)
g = p.add_argument_group("logging"); g.add_argument("--log-every", type=int, default=50)
m = p.add_mutually_exclusive_group(); m.add_argument("--resume", nargs="?", const="last"); m.add_argument("--scratch", action="store_true")
p.add_argument("set", nargs="*", metavar="KEY=VALUE")
p.print_help()
print(p.parse_args(["d", "-e", "5", "--act", "relu", "--amp", "--layers", "3", "4", "-vv", "--resume", "--log-every=7"]))
print(vars(p.parse_args(["d", "a=1", "b=2"])))
sys.stderr = sys.stdout
for bad in (["d", "--act", "nope"], [], ["d", "--resume", "--scratch"], ["d", "--epochs", "x"], ["d", "--unknown"]):
    try: p.parse_args(bad)
    except SystemExit as e: print("exit", e.code)
