"""Makes vectors.json.gz: what PyTorch 1.13 gives for every case of the sweep.

    python3 vectors.py                 exports the cases and writes vectors.json.gz beside this file
    python3 vectors.py --check         makes them anew and fails if they differ from the stored ones

A case names an op of the table, its bindings and its arguments (harness_test.go). It is called under its
torch name; ops whose name or calling convention is not torch's are in CALLS, and ops that 1.13 lacks are
written out there as reference formulas. A case that cannot be called is stored with the reason.
"""
import base64
import gzip
import json
import math
import os
import subprocess
import sys
import tempfile
import warnings

import torch
import torch.nn.functional as F

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
HERE = os.path.dirname(os.path.abspath(__file__))
STORED = os.path.join(HERE, "vectors.json.gz")


class Missing(Exception):
    """The op does not exist in this PyTorch."""


def dtype_of(name):
    return getattr(torch, name)


# Half and bfloat16 kernels that 1.13's CPU lacks are computed in float32 and rounded.
WIDE = False


def tensor_of(t):
    raw = base64.b64decode(t["data"])
    d = dtype_of(t["dtype"])
    flat = torch.frombuffer(bytearray(raw), dtype=d) if raw else torch.empty(0, dtype=d)
    if WIDE and d in (torch.float16, torch.bfloat16):
        flat = flat.float()
    x = flat.as_strided(t["size"], t["stride"], t["off"]).detach()
    if t["grad"]:
        x.requires_grad_()
    return x


def value_of(a, inputs):
    k, v = a["kind"], a.get("v")
    if k == "none":
        return None
    if k == "tensor":
        x = tensor_of(v)
        inputs.append(x)
        return x
    if k == "tensors":
        out = []
        for t in v or []:
            x = None if t is None else tensor_of(t)
            if x is not None:
                inputs.append(x)
            out.append(x)
        return out
    if k == "number":
        return eval(v)
    if k == "numbers":
        return [eval(x) for x in v or []]
    if k == "int":
        return v or 0
    if k == "ints":
        return list(v or [])
    if k == "bool":
        return bool(v)
    if k == "str":
        return v or ""
    if k == "memory_format":
        return getattr(torch, v)
    if k == "dtype":
        return dtype_of(v)
    if k == "device":
        return torch.device(v)
    raise AssertionError(k)


def weights(t):
    n = t.numel()
    i = torch.arange(n, dtype=torch.float64)
    return ((torch.remainder(7 * i + 3, 11) - 5) / 4).to(t.dtype).reshape(t.shape)


# Reference formulas and calling conventions, by Def name, then by base name. Each takes the arguments by
# parameter name; "_" is the list of positional values.

def sdpa(query, key, value, attn_mask, dropout_p, is_causal, scale, **_):
    scale = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    w = query @ key.transpose(-2, -1) * scale
    if is_causal:
        attn_mask = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool).tril()
    if attn_mask is not None:
        w = w.masked_fill(~attn_mask, -math.inf) if attn_mask.dtype == torch.bool else w + attn_mask
    return torch.dropout(torch.softmax(w, -1), dropout_p, True) @ value


def rms_norm(input, normalized_shape, weight, eps, **_):
    dims = tuple(range(-len(normalized_shape), 0))
    x = input.float() if input.dtype in (torch.float16, torch.bfloat16) else input
    eps = torch.finfo(x.dtype).eps if eps is None else eps
    y = (x * torch.rsqrt(x.pow(2).mean(dims, keepdim=True) + eps)).to(input.dtype)
    return y if weight is None else y * weight


def index(self, indices, **_):
    return self[tuple(slice(None) if i is None else i for i in indices)]


def index_put(self, indices, values, accumulate, **_):
    if any(i is None for i in indices):
        r = self.clone()
        key = tuple(slice(None) if i is None else i for i in indices)
        assert not accumulate
        r[key] = values
        return r
    return torch.index_put(self, indices, values, accumulate)


def index_assign(self, indices, values, **_):
    self[tuple(slice(None) if i is None else i for i in indices)] = values
    return self


def slice_(self, dim, start, end, step, **_):
    return torch.ops.aten.slice(self, dim, start, end, step)


def pool_with_indices(name):
    def call(**a):
        return getattr(F, name)(a["self"], a["kernel_size"], a["stride"] or None, a["padding"], a["dilation"], a["ceil_mode"], return_indices=True)
    return call


def pool(name):
    def call(**a):
        return getattr(F, name)(a["self"], a["kernel_size"], a["stride"] or None, a["padding"], a["dilation"], a["ceil_mode"])
    return call


def random_fill(name):
    def call(self, _pos, _kw, **_):
        y = self.detach().clone()
        getattr(y, name)(*_pos[1:], **_kw)
        return y
    return call


CALLS = {
    "scaled_dot_product_attention": sdpa,
    "rms_norm": rms_norm,
    "index.Tensor": index,
    "index_put": index_put,
    "slice.Tensor": slice_,
    "numpy_T": lambda self, **_: self.T,
    "mT": lambda self, **_: self.mT,
    "alias": lambda self, **_: torch.ops.aten.alias(self),
    "copy": lambda self, src, **_: self.detach().clone().copy_(src),
    "zero": lambda self, **_: torch.zeros_like(self),
    "fill.Scalar": lambda self, value, **_: self.detach().clone().fill_(value),
    "fill.Tensor": lambda self, value, **_: self.detach().clone().fill_(value),
    "normal_functional": random_fill("normal_"),
    "einsum": lambda equation, tensors, **_: torch.einsum(equation, *tensors),
    "broadcast_tensors": lambda tensors, **_: torch.broadcast_tensors(*tensors),
    "meshgrid": lambda tensors, indexing, **_: torch.meshgrid(*tensors, indexing=indexing),
    "block_diag": lambda tensors, **_: torch.block_diag(*tensors),
    "tensordot": lambda self, other, dims_self, dims_other, **_: torch.tensordot(self, other, (dims_self, dims_other)),
    "tensordot.n": lambda a, b, dims, **_: torch.tensordot(a, b, dims),
    "_to_copy": lambda self, _kw, **_: torch.ops.aten._to_copy(self, **_kw),
    "_to_dtype": lambda self, dtype, **_: torch.ops.aten._to_copy(self, dtype=dtype),
    "_contiguous": lambda self, **_: self.clone(memory_format=torch.contiguous_format),
    "nonzero": lambda self, **_: torch.nonzero(self),
    "_unique2": lambda self, **_: torch.unique(self, True, True, True),
    "unique_consecutive": lambda self, **_: torch.unique_consecutive(self, True, True),
    "unfold": lambda self, dimension, size, step, **_: self.unfold(dimension, size, step),
    "unfold.im2col": lambda input, kernel_size, dilation, padding, stride, **_: F.unfold(input, kernel_size, dilation, padding, stride),
    "fold": lambda input, output_size, kernel_size, dilation, padding, stride, **_: F.fold(input, output_size, kernel_size, dilation, padding, stride),
    "pad": lambda input, pad, mode, value, **_: F.pad(input, pad, mode, value),
    "bernoulli.p": random_fill("bernoulli_"),
    "to.dtype": lambda self, dtype, copy, **_: self.to(dtype, copy=copy),
    "to.device": lambda self, device, dtype, copy, **_: self.to("cpu" if device is None else device, self.dtype if dtype is None else dtype, copy=copy),
    "to.other": lambda self, other, copy, **_: self.to(other, copy=copy),
    "embedding": lambda weight, indices, padding_idx, **_: torch.embedding(weight, indices, padding_idx),
    "interpolate": lambda input, size, scale_factor, mode, align_corners, recompute_scale_factor, **_: F.interpolate(
        input, size, scale_factor if scale_factor is None or len(scale_factor) > 1 else scale_factor[0], mode, align_corners, recompute_scale_factor),
    "lp_pool1d": lambda input, norm_type, kernel_size, stride, ceil_mode, **_: F.lp_pool1d(input, norm_type, kernel_size[0], stride[0] if stride else None, ceil_mode),
    "lp_pool2d": lambda input, norm_type, kernel_size, stride, ceil_mode, **_: F.lp_pool2d(input, norm_type, kernel_size, stride or None, ceil_mode),
    "sort.stable": lambda self, stable, dim, descending, **_: torch.sort(self, stable=stable, dim=dim, descending=descending),
    "random": random_fill("random_"),
    "random.to": random_fill("random_"),
    "random.from": random_fill("random_"),
    "dropout": lambda input, p, training, **_: torch.dropout(input, p, training),
    "alpha_dropout": lambda input, p, training, **_: torch.alpha_dropout(input, p, training),
    "feature_alpha_dropout": lambda input, p, training, **_: torch.feature_alpha_dropout(input, p, training),
    "feature_dropout": lambda input, p, training, **_: torch.feature_dropout(input, p, training),
    "dropout1d": lambda input, p, training, **_: torch.feature_dropout(input, p, training) if 0 <= p <= 1 else F.dropout1d(input, p, training),
    "dropout2d": lambda input, p, training, **_: torch.feature_dropout(input, p, training) if 0 <= p <= 1 else F.dropout2d(input, p, training),
    "dropout3d": lambda input, p, training, **_: torch.feature_dropout(input, p, training) if 0 <= p <= 1 else F.dropout3d(input, p, training),
    "one_hot": lambda self, num_classes, **_: F.one_hot(self, num_classes),
    "searchsorted.Tensor": lambda sorted_sequence, self, out_int32, right, side, **_: torch.searchsorted(sorted_sequence, self, out_int32=out_int32, right=right, side=side),
    "searchsorted.Scalar": lambda sorted_sequence, self, out_int32, right, side, **_: torch.searchsorted(sorted_sequence, self, out_int32=out_int32, right=right, side=side),
    "constant_pad_nd": lambda self, pad, value, **_: torch.constant_pad_nd(self, pad, value),
    "squeeze.dim": lambda self, dim, **_: self.squeeze(dim[0]),
    "roll": lambda self, shifts, dims, **_: torch.roll(self, shifts, dims),
    "split.sizes": lambda self, split_size, dim, **_: torch.split(self, split_size, dim),
    "movedim.intlist": lambda self, source, destination, **_: torch.movedim(self, source, destination),
    "linspace": lambda start, end, steps, dtype, **_: torch.linspace(start, end, steps, dtype=dtype),
    "argwhere": lambda self, **_: torch.argwhere(self),
    "binary_cross_entropy_with_logits": lambda self, target, weight, pos_weight, reduction, **_: F.binary_cross_entropy_with_logits(
        self, target, weight, reduction=reduction, pos_weight=pos_weight),
    "huber_loss": lambda self, target, reduction, delta, **_: F.huber_loss(self, target, reduction, delta),
    "fill_diagonal": lambda self, fill_value, **_: self.clone().fill_diagonal_(fill_value),
    "grid_sample": lambda input, grid, mode, padding_mode, align_corners, **_: F.grid_sample(input, grid, mode, padding_mode, bool(align_corners)),
    "affine_grid": lambda theta, size, align_corners, **_: F.affine_grid(theta, size, bool(align_corners)),
    "embedding_renorm": lambda self, indices, max_norm, norm_type, **_: torch.embedding_renorm_(self.detach().clone(), indices, max_norm, norm_type),
    "argsort": lambda self, dim, descending, **_: torch.argsort(self, dim, descending),
}
for d in (1, 2, 3):
    CALLS["max_pool%dd" % d] = pool("max_pool%dd" % d)
    CALLS["max_pool%dd_with_indices" % d] = pool_with_indices("max_pool%dd" % d)
    CALLS["adaptive_max_pool%dd_with_indices" % d] = (lambda n: lambda self, output_size, **_: getattr(F, n)(self, output_size, return_indices=True))("adaptive_max_pool%dd" % d)
for d in (1, 2, 3):
    CALLS["adaptive_max_pool%dd" % d] = (lambda n, both: lambda self, output_size, **_: getattr(F, n)(self, output_size, return_indices=both))("adaptive_max_pool%dd" % d, d == 1)
    CALLS["adaptive_avg_pool%dd" % d] = (lambda n: lambda self, output_size, **_: getattr(F, n)(self, output_size))("adaptive_avg_pool%dd" % d)
for n in ("avg_pool1d", "avg_pool2d", "avg_pool3d"):
    CALLS[n] = (lambda n: lambda self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override=None, **_: getattr(F, n)(
        self, kernel_size, stride or None, padding, ceil_mode, count_include_pad, *([] if n == "avg_pool1d" else [divisor_override])))(n)
for n in ("conv1d", "conv2d", "conv3d"):
    f = (lambda n: lambda input, weight, bias, stride, padding, dilation, groups, **_: getattr(F, n)(input, weight, bias, stride, padding, dilation, groups))(n)
    CALLS[n] = CALLS[n + ".padding"] = f
for n in ("float", "double", "half", "bfloat16", "int", "long", "short", "char", "byte", "bool"):
    CALLS[n] = (lambda n: lambda self, **_: getattr(self, n)())(n)

# Operands for which torch gives no gradient and says so; they are not compared.
UNDIFFERENTIABLE = {("soft_margin_loss", "target")}

INPLACE_NAMES = {"normal_functional": "normal"}

# New tensors whose values mean nothing: ours are zeros.
UNSET = {"empty", "empty_like", "new_empty", "empty_strided"}

# Fills with random draws: their in-place form on a clone.
FILLS = {"uniform", "exponential", "geometric", "cauchy", "log_normal"}

# Ops between ours and torch's Python surface: called through torch.ops.aten.
ATEN = {"select_backward", "slice_backward", "diagonal_backward"}


def call(c, inputs):
    values = {a["name"]: value_of(a, inputs) for a in c["args"]}
    for op, name in UNDIFFERENTIABLE:
        if c["op"] == op and isinstance(values[name], torch.Tensor):
            values[name].requires_grad_(False)
            values[name].uncompared = True
    pos = [values[a["name"]] for a in c["args"] if not a.get("kw")]
    keep = [not a.get("default") for a in c["args"] if not a.get("kw")]
    while keep and not keep[-1]:  # trailing defaults are left out
        keep.pop()
    pos = pos[: len(keep)]
    kw = {a["name"]: values[a["name"]] for a in c["args"] if a.get("kw") and not a.get("default")}
    if c.get("inplace"):
        name = INPLACE_NAMES.get(c["base"], c["base"]) + "_"
        if c["op"] == "squeeze.dim":
            pos[1] = pos[1][0]
        if c["base"] == "index_put" and None in values["indices"]:
            return lambda: index_assign(**values)
        if c["base"].endswith("dropout"):
            pos = [values["input"], values["p"], values["training"]]
        if hasattr(torch.Tensor, name):
            return lambda: getattr(pos[0], name)(*pos[1:], **kw)
        for m in (torch, F, torch._C._nn):
            if hasattr(m, name):
                return lambda: getattr(m, name)(*pos, **kw)
        raise Missing(name + " is no name of torch 1.13")
    f = CALLS.get(c["op"]) or CALLS.get(c["base"]) if c["op"] not in CALLS else CALLS[c["op"]]
    if f is not None:
        return lambda: f(**values, **({"_pos": pos, "_kw": kw} if "_pos" in f.__code__.co_varnames[: f.__code__.co_argcount] else {}), **({"_kw": kw} if "_kw" in f.__code__.co_varnames[: f.__code__.co_argcount] and "_pos" not in f.__code__.co_varnames[: f.__code__.co_argcount] else {}))
    base = c["base"]
    if base in FILLS:
        g = random_fill(base + "_")
        return lambda: g(self=values["self"], _pos=pos, _kw=kw)
    bind = c["bind"]
    where = []
    if "fn" in bind:
        where.append(torch)
    if "nn" in bind:
        where.append(F)
    if "special" in bind:
        where.append(torch.special)
    for m in where:
        if hasattr(m, base):
            return lambda: getattr(m, base)(*pos, **kw)
    if "method" in bind and hasattr(torch.Tensor, base):
        return lambda: getattr(pos[0], base)(*pos[1:], **kw)
    if "inplace" in bind and hasattr(torch.Tensor, base + "_"):
        return lambda: getattr(pos[0].clone(), base + "_")(*pos[1:], **kw)
    if base in ATEN:
        return lambda: getattr(torch.ops.aten, base)(*pos, **kw)
    raise Missing(c["op"] + " is no name of torch 1.13")


def raw(t, dtype=None):
    if t.numel() == 0:
        return ""
    flat = torch.empty(t.numel(), dtype=dtype or t.dtype)
    flat.view(t.shape).copy_(t.detach())
    return base64.b64encode(bytes(flat.view(torch.uint8).numpy())).decode()


def describe(t, dtype=None):
    dtype = dtype or t.dtype
    return {"d": str(dtype).replace("torch.", ""), "s": list(t.shape), "t": list(t.stride()), "v": raw(t, dtype)}


def input_types(c):
    out = []
    for a in c["args"]:
        if a["kind"] == "tensor":
            out.append(dtype_of(a["v"]["dtype"]))
        elif a["kind"] == "tensors":
            out += [dtype_of(t["dtype"]) for t in a.get("v") or [] if t is not None]
    return out


def lacks(message):
    return message.endswith(("not implemented for 'Half'", "not implemented for 'BFloat16'"))


def run(c):
    global WIDE
    WIDE = False
    r = run_once(c)
    narrow = [d for d in input_types(c) if d in (torch.float16, torch.bfloat16)]
    if narrow and (lacks(r.get("err", ["", ""])[1]) or lacks(r.get("graderr", ""))):
        WIDE = True
        r = run_once(c, narrow[0])
        WIDE = False
    return r


def run_once(c, narrow=None):
    inputs = []
    r = {"h": c["hash"]}
    try:
        f = call(c, inputs)
    except Missing as e:
        r["skip"] = str(e)
        return r
    torch.manual_seed(1234)
    try:
        out = f()
    except Exception as e:
        r["err"] = [type(e).__name__, str(e).split("\n")[0]]
        return r
    if isinstance(out, torch.Tensor):
        out = [out]
    out = [o for o in out if isinstance(o, torch.Tensor)]
    if c["base"] in UNSET:
        out = [o.zero_() for o in out]
    r["out"] = [describe(o, narrow if o.dtype == torch.float32 else None) for o in out]
    floats = [o for o in out if o.requires_grad]
    wanted = [x for x in inputs if x.requires_grad]
    r["grad"] = [None] * len(inputs)
    if floats and wanted:
        try:
            g = torch.autograd.grad(floats, wanted, [weights(o) for o in floats], allow_unused=True)
        except Exception as e:
            r["graderr"] = str(e).split("\n")[0]
            return r
        by = {id(x): y for x, y in zip(wanted, g)}
        types = input_types(c)
        r["grad"] = ["-" if hasattr(x, "uncompared") else None if by.get(id(x)) is None else raw(by[id(x)], types[i]) for i, x in enumerate(inputs)]
    return r


def make():
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "cases.json")
        subprocess.run(["go", "test", "-count=1", "-run", "^TestExport$", ".", "-export", path], cwd=HERE, check=True, stdout=subprocess.DEVNULL)
        with open(path) as f:
            cases = json.load(f)
    out = {c["id"]: run(c) for c in cases}
    return cases, out


TOLERANCE = {"float32": 1e-5, "float64": 1e-11, "float16": 2e-3, "bfloat16": 2e-2}


def near(x, y, dtype):
    if x == y:
        return True
    if x in (None, "-") or y in (None, "-"):
        return False
    d = dtype_of(dtype)
    if not d.is_floating_point:
        return False
    a, b = (torch.frombuffer(bytearray(base64.b64decode(v)), dtype=d).double() for v in (x, y))
    return a.shape == b.shape and torch.allclose(a, b, TOLERANCE[dtype], TOLERANCE[dtype], equal_nan=True)


def same(c, a, b):
    if a.get("h") != b.get("h") or a.get("err") != b.get("err") or a.get("skip") != b.get("skip") or a.get("graderr") != b.get("graderr"):
        return False
    x, y = a.get("out") or [], b.get("out") or []
    if len(x) != len(y):
        return False
    for p, q in zip(x, y):
        if (p["d"], p["s"], p["t"]) != (q["d"], q["s"], q["t"]) or not near(p["v"], q["v"], p["d"]):
            return False
    types = [str(d).replace("torch.", "") for d in input_types(c)]
    return all(near(p, q, d) for p, q, d in zip(a.get("grad") or [], b.get("grad") or [], types))


def main():
    cases, made = make()
    skipped = sorted({c["op"] for c in cases if "skip" in made[c["id"]]})
    print("%d cases, %d raise, %d skipped (%s)" % (len(cases), sum("err" in v for v in made.values()), sum("skip" in v for v in made.values()), " ".join(skipped)))
    if "--check" in sys.argv:
        with gzip.open(STORED, "rt") as f:
            stored = json.load(f)
        bad = [c["id"] for c in cases if c["id"] not in stored or not same(c, stored[c["id"]], made[c["id"]])]
        bad += sorted(set(stored) - set(made))
        if bad:
            print("%d vectors differ from the stored ones: %s" % (len(bad), " ".join(bad[:40])))
            sys.exit(1)
        print("stored vectors agree")
        return
    blob = json.dumps(made, separators=(",", ":"), sort_keys=True).encode()
    with open(STORED, "wb") as f:
        with gzip.GzipFile(fileobj=f, mode="wb", compresslevel=9, mtime=0, filename="") as z:
            z.write(blob)
    print("wrote %s: %d bytes" % (STORED, os.path.getsize(STORED)))


if __name__ == "__main__":
    main()
