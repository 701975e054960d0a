"""Compares stdlib/nn, stdlib/optim and stdlib/utils with PyTorch's own, under the same seeds.

Run with a Python that has torch (Debian's python3-torch 1.13.1): python3 conformance/nn/compare.py
Compared: parameters, outputs, gradients, state_dict keys, repr, random state left behind, error texts, learning rates,
order of batches. Exit status 1 and a list of differences where any is found.
"""

import copy
import math
import sys
import warnings

import torch
import torch.utils.data

import starimport

warnings.simplefilter("ignore")
torch.set_num_threads(1)

OURS = starimport
THEIRS = torch
failures = []
count = 0


def check(ok, what):
    global count
    count += 1
    if not ok:
        failures.append(what)


def same(a, b, tol, what):
    """Equal structure and values within tol (0: bit for bit)."""
    if isinstance(a, torch.Tensor):
        if not isinstance(b, torch.Tensor) or a.shape != b.shape or a.dtype != b.dtype:
            check(False, f"{what}: {type(b)} {getattr(b, 'shape', '')} {getattr(b, 'dtype', '')}, not {a.shape} {a.dtype}")
        elif tol == 0 or not a.is_floating_point():
            check(torch.equal(a, b) or bool((a == b).logical_or(a.isnan() & b.isnan()).all()), f"{what}: values differ")
        else:
            check(torch.allclose(a, b, rtol=tol, atol=tol), f"{what}: differ by {(a - b).abs().max()}")
    elif isinstance(a, (tuple, list)):
        if not isinstance(b, (tuple, list)) or len(a) != len(b):
            check(False, f"{what}: {b!r}, not {a!r}")
        else:
            for i, (x, y) in enumerate(zip(a, b)):
                same(x, y, tol, f"{what}[{i}]")
    elif isinstance(a, dict):
        check(list(a) == list(b), f"{what}: keys {list(b)}, not {list(a)}")
        for k in a:
            if k in b:
                same(a[k], b[k], tol, f"{what}[{k!r}]")
    elif isinstance(a, float) and isinstance(b, float) and tol > 0:
        check(math.isclose(a, b, rel_tol=tol, abs_tol=tol), f"{what}: {b!r}, not {a!r}")
    else:
        check(a == b, f"{what}: {b!r}, not {a!r}")


def tensors(x):
    if isinstance(x, torch.Tensor):
        return [x]
    if isinstance(x, (tuple, list)):
        return [t for y in x for t in tensors(y)]
    return []


def module_case(what, build, inputs=None, tol=0, train=True, grads=True, steps=1, leaf_count=None):
    """build(nn) under one seed on both sides; inputs() gives the arguments anew."""
    results = []
    for side in (THEIRS, OURS):
        torch.manual_seed(11)
        module = build(side.nn)
        module.train(train)
        out = None
        leaves = []
        for _ in range(steps):
            if inputs is not None:
                torch.manual_seed(5)
                args = inputs()
                leaves = [t.requires_grad_() for t in args[:leaf_count] if isinstance(t, torch.Tensor) and t.is_floating_point()]
                args = [t.clone() if isinstance(t, torch.Tensor) else t for t in args]
                out = module(*args)
                outs = [t for t in tensors(out) if t.requires_grad]
                if grads and outs:
                    weighted = sum((t.double() * torch.linspace(0.3, 1.7, t.numel(), dtype=torch.float64).view(t.shape)).sum() for t in outs)
                    weighted.backward()
        results.append({
            "repr": repr(module),
            "state": {k: v.detach().clone() for k, v in module.state_dict().items()},
            "names": [k for k, _ in module.named_parameters()],
            "modules": [k for k, _ in module.named_modules()],
            "out": out if inputs is not None else None,
            "grad": {k: p.grad for k, p in module.named_parameters()},
            "input_grad": [t.grad for t in leaves],
            "rng": torch.get_rng_state(),
        })
    a, b = results
    for key in a:
        same(a[key], b[key], 0 if key in ("state", "rng") and tol == 0 else tol, f"{what} {key}")


def x(*shape):
    return lambda: [torch.randn(*shape)]


def layers():
    m = module_case
    m("Linear", lambda nn: nn.Linear(5, 3), x(4, 5))
    m("Linear no bias", lambda nn: nn.Linear(5, 3, bias=False), x(2, 4, 5))
    m("Linear double", lambda nn: nn.Linear(5, 3, dtype=torch.float64), lambda: [torch.randn(4, 5, dtype=torch.float64)])
    m("Bilinear", lambda nn: nn.Bilinear(4, 5, 3), lambda: [torch.randn(2, 4), torch.randn(2, 5)])
    m("Identity", lambda nn: nn.Identity(54, bias=False), x(3))
    for n, shape in ((1, (2, 4, 9)), (2, (2, 4, 9, 8)), (3, (2, 4, 5, 6, 7))):
        conv = lambda *a, **k: (lambda nn: getattr(nn, f"Conv{n}d")(*a, **k))
        m(f"Conv{n}d", conv(4, 6, 3), x(*shape))
        m(f"Conv{n}d options", conv(4, 6, 3, stride=2, padding=1, dilation=2, groups=2, bias=False), x(*shape))
        m(f"Conv{n}d same", conv(4, 6, 3, padding="same"), x(*shape))
        m(f"Conv{n}d valid", conv(4, 6, 3, padding="valid"), x(*shape))
        m(f"Conv{n}d unbatched", conv(4, 6, 3), x(*shape[1:]))
        for mode in ("reflect", "replicate", "circular"):
            m(f"Conv{n}d {mode}", conv(4, 6, 3, padding=1, padding_mode=mode), x(*shape))
        tr = lambda *a, **k: (lambda nn: getattr(nn, f"ConvTranspose{n}d")(*a, **k))
        m(f"ConvTranspose{n}d", tr(4, 6, 3), x(*shape))
        m(f"ConvTranspose{n}d options", tr(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2), x(*shape))
        size = [s * 2 for s in shape[2:]]
        m(f"ConvTranspose{n}d output_size", tr(4, 6, 3, stride=2, padding=1), lambda: [torch.randn(*shape), size])
        m(f"MaxPool{n}d", lambda nn: getattr(nn, f"MaxPool{n}d")(2), x(*shape))
        m(f"MaxPool{n}d options", lambda nn: getattr(nn, f"MaxPool{n}d")(3, 2, 1, ceil_mode=True), x(*shape))
        m(f"MaxPool{n}d indices", lambda nn: getattr(nn, f"MaxPool{n}d")(2, return_indices=True), x(*shape))
        m(f"AvgPool{n}d", lambda nn: getattr(nn, f"AvgPool{n}d")(2), x(*shape))
        m(f"AvgPool{n}d options", lambda nn: getattr(nn, f"AvgPool{n}d")(3, 2, 1, True, False), x(*shape))
        m(f"AdaptiveAvgPool{n}d", lambda nn: getattr(nn, f"AdaptiveAvgPool{n}d")(3), x(*shape))
        m(f"AdaptiveMaxPool{n}d", lambda nn: getattr(nn, f"AdaptiveMaxPool{n}d")(3), x(*shape))
        m(f"BatchNorm{n}d", lambda nn: getattr(nn, f"BatchNorm{n}d")(4), x(*shape), steps=3)
        m(f"BatchNorm{n}d eval", lambda nn: getattr(nn, f"BatchNorm{n}d")(4, eps=1e-3), x(*shape), train=False)
        m(f"BatchNorm{n}d cumulative", lambda nn: getattr(nn, f"BatchNorm{n}d")(4, momentum=None), x(*shape), steps=3)
        m(f"BatchNorm{n}d bare", lambda nn: getattr(nn, f"BatchNorm{n}d")(4, affine=False, track_running_stats=False), x(*shape))
        m(f"InstanceNorm{n}d", lambda nn: getattr(nn, f"InstanceNorm{n}d")(4), x(*shape))
        m(f"InstanceNorm{n}d full", lambda nn: getattr(nn, f"InstanceNorm{n}d")(4, affine=True, track_running_stats=True), x(*shape), steps=2)
        m(f"InstanceNorm{n}d unbatched", lambda nn: getattr(nn, f"InstanceNorm{n}d")(4), x(*shape[1:]))
        m(f"ConstantPad{n}d", lambda nn: getattr(nn, f"ConstantPad{n}d")(1, 3.5), x(*shape))
        m(f"ReflectionPad{n}d", lambda nn: getattr(nn, f"ReflectionPad{n}d")(2), x(*shape))
        m(f"ReplicationPad{n}d", lambda nn: getattr(nn, f"ReplicationPad{n}d")(1), x(*shape))
        m(f"Dropout{n}d", lambda nn: getattr(nn, f"Dropout{n}d")(0.4), x(*shape))
    m("BatchNorm1d rows", lambda nn: nn.BatchNorm1d(4), x(6, 4))
    m("AdaptiveAvgPool2d None", lambda nn: nn.AdaptiveAvgPool2d((None, 2)), x(2, 3, 7, 5))
    m("AdaptiveMaxPool2d None", lambda nn: nn.AdaptiveMaxPool2d((2, None), return_indices=True), x(2, 3, 7, 5))
    m("LPPool1d", lambda nn: nn.LPPool1d(2, 3), x(2, 3, 9))
    m("LPPool2d", lambda nn: nn.LPPool2d(2, 3, 2), x(2, 3, 9, 9))
    m("ZeroPad2d", lambda nn: nn.ZeroPad2d((1, 2, 3, 4)), x(2, 3, 4, 4))
    m("LayerNorm", lambda nn: nn.LayerNorm(6), x(3, 6))
    m("LayerNorm bare", lambda nn: nn.LayerNorm([4, 6], elementwise_affine=False), x(3, 4, 6))
    m("GroupNorm", lambda nn: nn.GroupNorm(2, 6), x(3, 6, 5))
    m("GroupNorm bare", lambda nn: nn.GroupNorm(3, 6, affine=False, eps=1e-3), x(3, 6, 5, 2))
    m("LocalResponseNorm", lambda nn: nn.LocalResponseNorm(3), x(2, 6, 5))
    m("LocalResponseNorm 2d", lambda nn: nn.LocalResponseNorm(4, 1e-3, 0.6, 2.0), x(2, 6, 5, 4))
    m("Embedding", lambda nn: nn.Embedding(9, 4), lambda: [torch.randint(0, 9, (3, 5))])
    m("Embedding pad", lambda nn: nn.Embedding(9, 4, padding_idx=-2, max_norm=1.0, norm_type=1.5, scale_grad_by_freq=True), lambda: [torch.randint(0, 9, (3, 5))])
    m("Embedding pretrained", lambda nn: nn.Embedding.from_pretrained(torch.randn(5, 3)), lambda: [torch.randint(0, 5, (3,))])
    for mode in ("sum", "mean", "max"):
        m("EmbeddingBag", lambda nn: nn.EmbeddingBag(9, 4, mode=mode), lambda: [torch.randint(0, 9, (3, 5))])
    m("Dropout", lambda nn: nn.Dropout(0.3), x(40))
    m("Dropout inplace", lambda nn: nn.Dropout(0.3, inplace=True), x(40))
    m("Dropout eval", lambda nn: nn.Dropout(0.3), x(40), train=False)
    m("AlphaDropout", lambda nn: nn.AlphaDropout(0.3), x(40))
    m("FeatureAlphaDropout", lambda nn: nn.FeatureAlphaDropout(0.3), x(4, 5, 3))
    m("Flatten", lambda nn: nn.Flatten(), x(2, 3, 4))
    m("Unflatten", lambda nn: nn.Unflatten(1, (2, 3)), x(4, 6))
    m("Upsample", lambda nn: nn.Upsample(scale_factor=2), x(2, 3, 4, 5))
    m("Upsample bilinear", lambda nn: nn.Upsample(size=(7, 9), mode="bilinear", align_corners=True), x(2, 3, 4, 5))
    m("Upsample tuple", lambda nn: nn.Upsample(scale_factor=(2, 3), mode="bicubic"), x(2, 3, 4, 5))
    m("UpsamplingNearest2d", lambda nn: nn.UpsamplingNearest2d(scale_factor=2), x(2, 3, 4, 5))
    m("UpsamplingBilinear2d", lambda nn: nn.UpsamplingBilinear2d(size=(5, 5)), x(2, 3, 4, 5))
    m("PixelShuffle", lambda nn: nn.PixelShuffle(2), x(2, 8, 3, 4))
    m("PixelUnshuffle", lambda nn: nn.PixelUnshuffle(2), x(2, 2, 6, 4))
    m("ChannelShuffle", lambda nn: nn.ChannelShuffle(2), x(2, 6, 3, 3), grads=False)
    m("Unfold", lambda nn: nn.Unfold(2, padding=1), x(2, 3, 5, 4))
    m("Fold", lambda nn: nn.Fold((4, 5), (2, 2)), x(2, 12, 12))
    m("CosineSimilarity", lambda nn: nn.CosineSimilarity(), lambda: [torch.randn(3, 4), torch.randn(3, 4)])
    m("PairwiseDistance", lambda nn: nn.PairwiseDistance(), lambda: [torch.randn(3, 4), torch.randn(3, 4)])


def activations():
    plain = (
        "ReLU ReLU6 SELU SiLU Mish Hardswish Hardsigmoid Hardtanh LeakyReLU ELU CELU Sigmoid Tanh LogSigmoid Softsign "
        "Tanhshrink GELU GLU Softplus Hardshrink Softshrink PReLU RReLU Softmax2d"
    ).split()
    # PyTorch multiplies by RReLU's slopes in double precision.
    tolerance = {"RReLU": 1e-6}
    for name in plain:
        module_case(name, lambda nn: getattr(nn, name)(), x(2, 4, 6, 2), tolerance.get(name, 0))
        module_case(name + " eval", lambda nn: getattr(nn, name)(), x(2, 4, 6, 2), train=False)
    for name in "ReLU ReLU6 SELU SiLU Mish Hardswish Hardsigmoid".split():
        module_case(name + " inplace", lambda nn: getattr(nn, name)(inplace=True), x(3, 4))
    cases = {
        "Hardtanh": (-0.5, 0.7, True), "LeakyReLU": (0.2, True), "ELU": (0.7, True), "CELU": (0.7, True),
        "GELU": ("tanh",), "GLU": (1,), "Softplus": (2, 5), "Hardshrink": (0.3,), "Softshrink": (0.3,),
        "PReLU": (4, 0.1), "RReLU": (0.1, 0.2, True), "Softmax": (1,), "LogSoftmax": (1,), "Softmin": (1,),
        "Threshold": (0.1, 2.0), "Softsign": (),
    }
    for name, args in cases.items():
        module_case(f"{name}{args}", lambda nn: getattr(nn, name)(*args), x(3, 4, 2), tolerance.get(name, 0))
    module_case("Softmax implicit", lambda nn: nn.Softmax(), x(3, 4, 2))


def losses():
    def probs(*shape):
        return torch.rand(*shape) * 0.9 + 0.05

    def sign(*shape):
        return torch.randint(0, 2, shape).float() * 2 - 1

    for reduction in ("none", "mean", "sum"):
        k = {"reduction": reduction}
        pair = lambda: [torch.randn(4, 3), torch.randn(4, 3)]
        loss = lambda name, inputs, tol=0, *a, **o: module_case(f"{name} {reduction} {o}", lambda nn: getattr(nn, name)(*a, **k, **o), inputs, tol)
        loss("L1Loss", pair)
        loss("MSELoss", pair)
        loss("SmoothL1Loss", pair)
        loss("SmoothL1Loss", pair, beta=0.5)
        loss("HuberLoss", pair, delta=0.5)
        classes = lambda: [torch.randn(5, 4), torch.randint(0, 4, (5,))]
        loss("NLLLoss", classes)
        loss("NLLLoss", classes, ignore_index=2, weight=torch.tensor([0.5, 1.0, 2.0, 0.1]))
        loss("CrossEntropyLoss", classes)
        loss("CrossEntropyLoss", classes, weight=torch.tensor([0.5, 1.0, 2.0, 0.1]), ignore_index=1, label_smoothing=0.1)
        loss("CrossEntropyLoss", lambda: [torch.randn(2, 4, 3), torch.randint(0, 4, (2, 3))])
        loss("CrossEntropyLoss", lambda: [torch.randn(5, 4), torch.rand(5, 4)])
        loss("BCELoss", lambda: [probs(4, 3), probs(4, 3)])
        loss("BCEWithLogitsLoss", lambda: [torch.randn(4, 3), probs(4, 3)])
        loss("BCEWithLogitsLoss", lambda: [torch.randn(4, 3), probs(4, 3)], pos_weight=torch.tensor([1.0, 2.0, 0.5]), weight=torch.rand(3, generator=torch.Generator().manual_seed(1)))
        loss("KLDivLoss", lambda: [torch.randn(4, 3), probs(4, 3)])
        loss("KLDivLoss", lambda: [torch.randn(4, 3), probs(4, 3)], log_target=True)
        loss("PoissonNLLLoss", lambda: [torch.randn(4, 3), probs(4, 3) * 4], 1e-6)
        loss("PoissonNLLLoss", lambda: [probs(4, 3), probs(4, 3) * 4], 1e-6, log_input=False, full=True)
        loss("GaussianNLLLoss", lambda: [torch.randn(4, 3), torch.randn(4, 3), probs(4, 3)], 1e-6, full=True)
        loss("HingeEmbeddingLoss", lambda: [torch.randn(4, 3), sign(4, 3)], 1e-6)
        module_case(f"SoftMarginLoss {reduction}", lambda nn: nn.SoftMarginLoss(**k), lambda: [torch.randn(4, 3), sign(4, 3)], 1e-6, leaf_count=1)
        loss("MarginRankingLoss", lambda: [torch.randn(4), torch.randn(4), sign(4)], 1e-6, margin=0.2)
        loss("MultiLabelSoftMarginLoss", lambda: [torch.randn(4, 3), probs(4, 3).round()], 1e-6)
        loss("MultiMarginLoss", classes, 1e-6)
        loss("MultiMarginLoss", classes, 1e-6, p=2, margin=0.7, weight=torch.tensor([0.5, 1.0, 2.0, 0.1]))
        loss("CosineEmbeddingLoss", lambda: [torch.randn(4, 3), torch.randn(4, 3), sign(4)], 1e-6, margin=0.1)
        loss("TripletMarginLoss", lambda: [torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 3)], 1e-6, swap=True)
        loss("TripletMarginWithDistanceLoss", lambda: [torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 3)], 1e-6)
    module_case("CTCLoss", lambda nn: nn.CTCLoss(), lambda: [torch.randn(9, 2, 5).log_softmax(2), torch.randint(1, 5, (2, 4)), torch.tensor([9, 8]), torch.tensor([4, 3])])
    module_case("MSELoss legacy", lambda nn: nn.MSELoss(size_average=False), lambda: [torch.randn(4), torch.randn(4)])


def recurrent():
    tol = 3e-6
    for kind in ("RNN", "GRU", "LSTM"):
        for opts in ({}, {"num_layers": 2, "bidirectional": True}, {"bias": False, "batch_first": True}, {"num_layers": 3, "dropout": 0.4}):
            module_case(f"{kind} {opts}", lambda nn: getattr(nn, kind)(3, 5, **opts), x(4, 2, 3), tol)
        module_case(f"{kind} unbatched", lambda nn: getattr(nn, kind)(3, 5), x(4, 3), tol)
        cell = kind + "Cell"
        module_case(cell, lambda nn: getattr(nn, cell)(3, 5), x(4, 3), tol)
        module_case(cell + " no bias", lambda nn: getattr(nn, cell)(3, 5, bias=False), x(3), tol)
        if kind != "LSTM":
            state = lambda: [torch.randn(4, 2, 3), torch.randn(1, 2, 5)]
            module_case(kind + " state", lambda nn: getattr(nn, kind)(3, 5), state, tol)
            module_case(cell + " state", lambda nn: getattr(nn, cell)(3, 5), lambda: [torch.randn(4, 3), torch.randn(4, 5)], tol)
    module_case("RNN relu", lambda nn: nn.RNN(3, 5, nonlinearity="relu"), x(4, 2, 3), tol)
    module_case("RNNCell relu", lambda nn: nn.RNNCell(3, 5, nonlinearity="relu"), x(4, 3), tol)
    module_case("LSTM proj", lambda nn: nn.LSTM(3, 5, 2, proj_size=2, bidirectional=True), x(4, 2, 3), tol)
    module_case("LSTM state", lambda nn: nn.LSTM(3, 5), lambda: [torch.randn(4, 2, 3), (torch.randn(1, 2, 5), torch.randn(1, 2, 5))], tol)
    module_case("LSTMCell state", lambda nn: nn.LSTMCell(3, 5), lambda: [torch.randn(4, 3), (torch.randn(4, 5), torch.randn(4, 5))], tol)


def attention():
    tol = 3e-6
    for opts in ({}, {"dropout": 0.3}, {"bias": False}, {"add_bias_kv": True, "add_zero_attn": True}, {"batch_first": True}):
        module_case(f"MultiheadAttention {opts}", lambda nn: nn.MultiheadAttention(8, 2, **opts), lambda: [torch.randn(5, 2, 8), torch.randn(5, 2, 8), torch.randn(5, 2, 8)], tol)
    module_case("MultiheadAttention kdim", lambda nn: nn.MultiheadAttention(8, 2, kdim=6, vdim=4), lambda: [torch.randn(5, 2, 8), torch.randn(3, 2, 6), torch.randn(3, 2, 4)], tol)
    module_case("MultiheadAttention masks", lambda nn: nn.MultiheadAttention(8, 2), lambda: [torch.randn(5, 2, 8), torch.randn(4, 2, 8), torch.randn(4, 2, 8), torch.tensor([[False, False, True, True], [False, True, False, False]]), True, torch.ones(5, 4).tril().eq(0)], tol)
    module_case("MultiheadAttention float mask", lambda nn: nn.MultiheadAttention(8, 2), lambda: [torch.randn(5, 2, 8), torch.randn(4, 2, 8), torch.randn(4, 2, 8), None, True, torch.randn(5, 4), False], tol)
    module_case("MultiheadAttention unbatched", lambda nn: nn.MultiheadAttention(8, 2), lambda: [torch.randn(5, 8), torch.randn(4, 8), torch.randn(4, 8)], tol)
    module_case("MultiheadAttention eval", lambda nn: nn.MultiheadAttention(8, 2), lambda: [torch.randn(5, 2, 8), torch.randn(4, 2, 8), torch.randn(4, 2, 8)], tol, train=False)
    for opts in ({}, {"norm_first": True, "activation": "gelu"}, {"batch_first": True, "dropout": 0.0}):
        module_case(f"TransformerEncoderLayer {opts}", lambda nn: nn.TransformerEncoderLayer(8, 2, 16, **opts), x(5, 2, 8), 1e-5)
        module_case(f"TransformerEncoderLayer eval {opts}", lambda nn: nn.TransformerEncoderLayer(8, 2, 16, **opts), x(5, 2, 8), 1e-5, train=False)
        module_case(f"TransformerDecoderLayer {opts}", lambda nn: nn.TransformerDecoderLayer(8, 2, 16, **opts), lambda: [torch.randn(5, 2, 8), torch.randn(5, 2, 8)], 1e-5)
    module_case("TransformerEncoder", lambda nn: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2, nn.LayerNorm(8)), x(5, 2, 8), 1e-5)
    module_case("DataParallel", lambda nn: nn.DataParallel(nn.Linear(3, 2)), x(4, 3))
    module_case("Transformer", lambda nn: nn.Transformer(8, 2, 2, 2, 16), lambda: [torch.randn(5, 2, 8), torch.randn(4, 2, 8), None, torch.nn.Transformer.generate_square_subsequent_mask(4)], 1e-5)
    same(torch.nn.Transformer.generate_square_subsequent_mask(4), OURS.nn.Transformer.generate_square_subsequent_mask(4), 0, "square mask")


def containers():
    from collections import OrderedDict

    def texts(nn, side):
        log = []
        note = lambda v: log.append(v if not isinstance(v, torch.nn.Module) else repr(v))
        s = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Sequential(nn.Linear(3, 3), nn.Tanh()))
        note(repr(s)); note(len(s)); note(repr(s[0])); note(repr(s[-1])); note(repr(s[0:2]))
        s.append(nn.Dropout()); note(repr(s)); s[1] = nn.GELU(); note(repr(s)); del s[0]; note(repr(s))
        note([k for k in s.state_dict()])
        o = nn.Sequential(OrderedDict([("a", nn.Linear(1, 2)), ("b", nn.ReLU())])); note(repr(o)); note(repr(o.a))
        l = nn.ModuleList([nn.Linear(1, 2), nn.ReLU()]); l.append(nn.Tanh()); l.insert(0, nn.ELU()); l += [nn.Identity()]
        note(repr(l)); note(repr(l[1:3])); note(repr(l[-1])); note(len(l)); l[0] = nn.Sigmoid(); note(repr(l)); del l[1]; note(repr(l))
        note(repr(l + nn.ModuleList([nn.ELU()])))
        d = nn.ModuleDict({"x": nn.Linear(1, 2), "y": nn.ReLU()}); d["z"] = nn.Tanh(); d.update([["w", nn.ELU()]])
        note(repr(d)); note(list(d)); note(list(d.keys())); note("x" in d); note([k for k, v in d.items()]); d.pop("x"); note(repr(d)); note(len(d))
        pl = nn.ParameterList([torch.zeros(2, 3), torch.nn.Parameter(torch.ones(4))]); pl.append(torch.zeros(1)); note(repr(pl)); note([n for n, _ in pl.named_parameters()]); note(len(pl))
        pd = nn.ParameterDict({"b": torch.zeros(2), "a": torch.ones(3)}); pd["c"] = torch.zeros(1); note(repr(pd)); note(list(pd.keys())); note([n for n, _ in pd.named_parameters()]); note(len(pd))

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(1, 2, 3)
                self.blocks = nn.ModuleList([nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)) for _ in range(2)])
                self.scale = torch.nn.Parameter(torch.ones(2))
                self.register_buffer("steps", torch.zeros(3), persistent=False)
                self.register_buffer("mean", torch.zeros(2))
                self.shared = self.blocks[0]
                self.extra = None

            def extra_repr(self):
                return "first=1\nsecond=2"

            def forward(self, v):
                return self.shared(v) * self.scale

        n = Net()
        note(repr(n))
        for method in ("named_parameters", "named_buffers", "named_modules", "named_children"):
            note([k for k, _ in getattr(n, method)()])
        note([k for k, _ in n.named_parameters(prefix="p", recurse=False)])
        note(len(list(n.parameters()))); note(len(list(n.modules()))); note(len(list(n.buffers())))
        note(list(n.state_dict())); note(list(n.state_dict(prefix="q."))); note(dict(n.state_dict()._metadata))
        note(repr(n.get_submodule("blocks.1.0"))); note(n.get_parameter("blocks.1.0.weight").shape); note(n.get_buffer("mean"))
        n.eval(); note([m.training for m in n.modules()]); n.train(); note([m.training for m in n.modules()])
        n.double(); note([(p.dtype) for p in n.parameters()] + [b.dtype for b in n.buffers()])
        n.half().float(); note([(p.dtype) for p in n.parameters()])
        n.to(torch.bfloat16); note([(p.dtype) for p in n.parameters()]); n.to("cpu", torch.float32); note(n.scale.dtype); n.type(torch.float64); note(n.scale.dtype); n.float()
        n.requires_grad_(False); note([p.requires_grad for p in n.parameters()]); n.requires_grad_(); note([p.requires_grad for p in n.parameters()])
        seen = []; n.apply(lambda m: seen.append(type(m).__name__)); note(seen)
        c = copy.deepcopy(n); note(list(c.state_dict()) == list(n.state_dict())); note(c.scale is n.scale); note(repr(c) == repr(n)); note(c.shared is c.blocks[0])
        n(torch.ones(4, 2)).sum().backward(); note([p.grad is None for p in n.parameters()]); n.zero_grad(); note([None if p.grad is None else p.grad.abs().sum() for p in n.parameters()]); n.zero_grad(set_to_none=True); note([p.grad is None for p in n.parameters()])
        del n.scale; note(hasattr(n, "scale")); note(list(n.state_dict())); n.conv = None; note(repr(n.conv)); note(list(n.state_dict()))
        other = Net(); torch.nn.init.constant_(n.mean, 2.0); note(repr(other.load_state_dict(Net().state_dict())))
        r = other.load_state_dict(n.state_dict(), strict=False); note(repr(r)); note(other.mean); note(r.missing_keys)
        return log

    a = texts(torch.nn, THEIRS)
    b = texts(OURS.nn, OURS)
    check(len(a) == len(b), "containers: as many notes")
    for i, (p, q) in enumerate(zip(a, b)):
        if isinstance(p, str):
            q = q.replace(OURS.nn.__name__, torch.nn.__name__) if isinstance(q, str) else q
        same(p, q, 0, f"containers note {i}")


def hooks():
    def run(nn):
        log = []
        torch.manual_seed(3)
        m = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
        h1 = m[0].register_forward_pre_hook(lambda mod, args: log.append(("pre", args[0].clone())))
        m[0].register_forward_pre_hook(lambda mod, args: (args[0] * 2,))
        h2 = m[1].register_forward_hook(lambda mod, args, out: log.append(("fwd", out.clone())))
        m[1].register_forward_hook(lambda mod, args, out: out + 1)
        m[2].register_full_backward_hook(lambda mod, gi, go: log.append(("bwd", gi, go)))
        m[1].register_full_backward_hook(lambda mod, gi, go: (gi[0] * 3,))
        m[0].register_full_backward_hook(lambda mod, gi, go: log.append(("first", gi, go)))
        out = m(torch.ones(4, 2)); out.sum().backward()
        log.append([p.grad for p in m.parameters()])
        h1.remove(); h2.remove(); h1.remove()
        v = torch.ones(1, 2, requires_grad=True); m(v).sum().backward(); log.append(v.grad)
        with torch.no_grad():
            log.append(m(torch.ones(1, 2)))
        calls = []
        module = nn.modules.module
        g = module.register_module_forward_hook(lambda mod, args, out: calls.append(type(mod).__name__))
        m(v); g.remove(); m(v)
        log.append(calls)
        return log

    same(run(torch.nn), run(OURS.nn), 1e-6, "hooks")


def errors():
    def message(f):
        try:
            f()
        except Exception as e:
            return type(e).__name__, str(e)
        return "no error"

    def cases(nn, optim):
        lin = lambda: nn.Linear(2, 3)

        class Bare(nn.Module):
            def __init__(self):
                pass

        class NoForward(nn.Module):
            pass

        def assign(module, name, value):
            setattr(module, name, value)

        return {
            "no forward": lambda: NoForward()(1),
            "param before init": lambda: assign(Bare(), "w", torch.nn.Parameter(torch.ones(1))),
            "module before init": lambda: assign(Bare(), "w", nn.Identity()),
            "buffer before init": lambda: Bare().register_buffer("w", torch.ones(1)),
            "reg param before init": lambda: Bare().register_parameter("w", None),
            "attribute": lambda: lin().nothing,
            "assign param": lambda: assign(lin(), "weight", torch.ones(3, 2)),
            "assign param int": lambda: assign(lin(), "weight", 3),
            "assign module": lambda: assign(nn.Sequential(lin()), "0", 4),
            "assign buffer": lambda: assign(nn.BatchNorm1d(2), "running_mean", 4),
            "buffer name": lambda: lin().register_buffer(3, None),
            "buffer dot": lambda: lin().register_buffer("a.b", None),
            "buffer empty": lambda: lin().register_buffer("", None),
            "buffer exists": lambda: lin().register_buffer("weight", None),
            "buffer kind": lambda: lin().register_buffer("b", 3.0),
            "param name": lambda: lin().register_parameter(3, None),
            "param dot": lambda: lin().register_parameter("a.b", None),
            "param empty": lambda: lin().register_parameter("", None),
            "param exists": lambda: lin().register_parameter("in_features", None),
            "param kind": lambda: lin().register_parameter("w", torch.ones(1)),
            "param non-leaf": lambda: lin().register_parameter("w", (lambda p: (p.mul_(1), p)[1])(torch.nn.Parameter(torch.ones(1)))),
            "module kind": lambda: lin().add_module("a", 3),
            "module name": lambda: lin().add_module(3, lin()),
            "module dot": lambda: lin().add_module("a.b", lin()),
            "module empty": lambda: lin().add_module("", lin()),
            "module exists": lambda: lin().add_module("weight", lin()),
            "submodule": lambda: nn.Sequential(lin()).get_submodule("0.a"),
            "submodule kind": lambda: nn.Sequential(lin()).get_submodule("0.weight"),
            "parameter": lambda: lin().get_parameter("a"),
            "parameter kind": lambda: lin().get_parameter("in_features"),
            "buffer": lambda: lin().get_buffer("weight"),
            "train": lambda: lin().train(1),
            "to int": lambda: lin().to(torch.int64),
            "missing": lambda: nn.Sequential(lin(), nn.BatchNorm1d(3)).load_state_dict(lin().state_dict()),
            "size": lambda: lin().load_state_dict(nn.Linear(4, 3).state_dict()),
            "not dict": lambda: lin().load_state_dict([1]),
            "not tensor": lambda: lin().load_state_dict({"weight": 3, "bias": torch.ones(3)}),
            "index": lambda: nn.Sequential(lin())[3],
            "list index": lambda: nn.ModuleList([lin()])[-2],
            "list extend": lambda: nn.ModuleList(3),
            "dict pair": lambda: nn.ModuleDict([[1]]),
            "dict key": lambda: nn.ModuleDict({3: lin()}),
            "shape": lambda: lin()(torch.ones(4)),
            "conv groups": lambda: nn.Conv2d(3, 4, 1, groups=2),
            "conv out groups": lambda: nn.Conv2d(4, 3, 1, groups=2),
            "conv same": lambda: nn.Conv2d(3, 4, 1, stride=2, padding="same"),
            "conv mode": lambda: nn.ConvTranspose2d(3, 4, 1, padding_mode="reflect"),
            "conv size": lambda: nn.ConvTranspose2d(3, 4, 3, stride=2)(torch.ones(1, 3, 4, 4), [30, 30]),
            "conv size count": lambda: nn.ConvTranspose2d(3, 4, 3, stride=2)(torch.ones(1, 3, 4, 4), [30]),
            "bn dims": lambda: nn.BatchNorm2d(3)(torch.ones(2, 3)),
            "bn1 dims": lambda: nn.BatchNorm1d(3)(torch.ones(2)),
            "bn one": lambda: nn.BatchNorm1d(3)(torch.ones(1, 3)),
            "in one": lambda: nn.InstanceNorm1d(3)(torch.ones(2, 3, 1)),
            "gn": lambda: nn.GroupNorm(2, 3),
            "dropout": lambda: nn.Dropout(1.5),
            "F dropout": lambda: nn.functional.dropout(torch.ones(1), -0.5),
            "padding_idx": lambda: nn.Embedding(3, 2, padding_idx=5),
            "mha": lambda: nn.MultiheadAttention(7, 2),
            "mha dims": lambda: nn.MultiheadAttention(4, 2)(torch.ones(3, 2, 4), torch.ones(3, 4), torch.ones(3, 4)),
            "activation": lambda: nn.TransformerEncoderLayer(4, 2, activation="tanh"),
            "lstm input": lambda: nn.LSTM(3, 4)(torch.ones(2, 2, 5)),
            "lstm hidden": lambda: nn.LSTM(3, 4)(torch.ones(2, 2, 3), (torch.ones(1, 1, 4), torch.ones(1, 1, 4))),
            "gru hidden": lambda: nn.GRU(3, 4)(torch.ones(2, 2, 3), torch.ones(1, 1, 4)),
            "rnn kind": lambda: nn.RNN(3, 4, nonlinearity="elu"),
            "bce": lambda: nn.BCELoss()(torch.ones(2), torch.ones(3)),
            "bce logits": lambda: nn.BCEWithLogitsLoss()(torch.ones(2), torch.ones(3)),
            "reduction": lambda: nn.MSELoss(reduction="x")(torch.ones(2), torch.ones(2)),
            "lrn": lambda: nn.functional.local_response_norm(torch.ones(2), 3),
            "dropout1d": lambda: nn.functional.dropout1d(torch.ones(2)),
            "adaptive": lambda: nn.functional.adaptive_avg_pool2d(torch.ones(2), (None, 2)),
            "gru input dims": lambda: nn.GRU(3, 4)(torch.ones(3)),
            "mha unbatched mask": lambda: nn.MultiheadAttention(4, 2)(torch.ones(3, 4), torch.ones(3, 4), torch.ones(3, 4), attn_mask=torch.ones(3, 3, 3)),
            "mha unbatched mask 1": lambda: nn.MultiheadAttention(4, 2)(torch.ones(3, 4), torch.ones(3, 4), torch.ones(3, 4), attn_mask=torch.ones(3)),
            "mha unbatched padding": lambda: nn.MultiheadAttention(4, 2)(torch.ones(3, 4), torch.ones(3, 4), torch.ones(3, 4), key_padding_mask=torch.ones(3, 3).bool()),
            "lstm dims": lambda: nn.LSTM(3, 4)(torch.ones(1, 2, 2, 3)),
            "gru dims": lambda: nn.GRU(3, 4)(torch.ones(2, 3), torch.ones(1, 2, 4)),
            "lstm state dims": lambda: nn.LSTM(3, 4)(torch.ones(2, 3), (torch.ones(1, 2, 4), torch.ones(1, 2, 4))),
            "cell dims": lambda: nn.LSTMCell(3, 4)(torch.ones(1, 2, 3)),
            "lstm dropout": lambda: nn.LSTM(3, 4, dropout=2),
            "lstm proj": lambda: nn.LSTM(3, 4, proj_size=4),
            "gru proj": lambda: nn.GRU(3, 4, proj_size=1),
            "mha key": lambda: nn.MultiheadAttention(4, 2)(torch.ones(3, 2, 4), torch.ones(5, 2, 4), torch.ones(4, 2, 4)),
            "mha embed": lambda: nn.MultiheadAttention(4, 2)(torch.ones(3, 2, 6), torch.ones(3, 2, 6), torch.ones(3, 2, 6)),
            "mha mask": lambda: nn.MultiheadAttention(4, 2)(torch.ones(3, 2, 4), torch.ones(3, 2, 4), torch.ones(3, 2, 4), attn_mask=torch.ones(2, 2)),
            "mha mask 3": lambda: nn.MultiheadAttention(4, 2)(torch.ones(3, 2, 4), torch.ones(3, 2, 4), torch.ones(3, 2, 4), attn_mask=torch.ones(2, 3, 3)),
            "mha mask 1": lambda: nn.MultiheadAttention(4, 2)(torch.ones(3, 2, 4), torch.ones(3, 2, 4), torch.ones(3, 2, 4), attn_mask=torch.ones(3)),
            "mha dtype": lambda: nn.MultiheadAttention(4, 2)(torch.ones(3, 2, 4), torch.ones(3, 2, 4), torch.ones(3, 2, 4), attn_mask=torch.ones(3, 3).long()),
            "mha padding": lambda: nn.MultiheadAttention(4, 2)(torch.ones(3, 2, 4), torch.ones(3, 2, 4), torch.ones(3, 2, 4), key_padding_mask=torch.ones(3, 3).bool()),
            "mha 1": lambda: nn.MultiheadAttention(4, 2)(torch.ones(4), torch.ones(4), torch.ones(4)),
            "transformer batch": lambda: nn.Transformer(4, 2, 1, 1, 8)(torch.ones(3, 2, 4), torch.ones(3, 3, 4)),
            "transformer model": lambda: nn.Transformer(4, 2, 1, 1, 8)(torch.ones(3, 2, 4), torch.ones(3, 2, 5)),
            "weight norm": lambda: nn.utils.remove_weight_norm(lin()),
            "weight norm twice": lambda: nn.utils.weight_norm(nn.utils.weight_norm(lin())),
            "nonfinite": lambda: (lambda p: (setattr(p, "grad", torch.tensor([float("inf")])), nn.utils.clip_grad_norm_([p], 1, error_if_nonfinite=True)))(torch.nn.Parameter(torch.ones(1))),
            "vector": lambda: nn.utils.vector_to_parameters(3, []),
            "gaussian": lambda: nn.GaussianNLLLoss()(torch.ones(2, 2), torch.ones(2, 2), -torch.ones(2, 2)),
            "gaussian size": lambda: nn.GaussianNLLLoss()(torch.ones(2, 2), torch.ones(2, 2), torch.ones(3)),
            "ranking": lambda: nn.MarginRankingLoss()(torch.ones(2), torch.ones(2, 1), torch.ones(2)),
            "rnn cell": lambda: nn.RNNCell(2, 3, nonlinearity="x")(torch.ones(1, 2)),
            "softmax2d": lambda: nn.Softmax2d()(torch.ones(2)),
            "param list": lambda: nn.ParameterList([torch.ones(1)])(),
            "param list extend": lambda: nn.ParameterList(3),
            "param dict": lambda: nn.ParameterDict({"a": torch.ones(1)})(1),
            "param dict key": lambda: nn.ParameterDict()["x"],
            "pretrained": lambda: nn.Embedding.from_pretrained(torch.ones(2)),
            "del": lambda: delattr(lin(), "nothing"),
            "add": lambda: nn.Sequential(lin()) + 3,
            "gain": lambda: nn.init.calculate_gain("swish"),
            "fan": lambda: nn.init.kaiming_uniform_(torch.ones(2)),
            "fan mode": lambda: nn.init.kaiming_uniform_(torch.ones(2, 2), mode="fan"),
            "eye": lambda: nn.init.eye_(torch.ones(2)),
            "dirac": lambda: nn.init.dirac_(torch.ones(2)),
            "orthogonal": lambda: nn.init.orthogonal_(torch.ones(2)),
            "unflatten": lambda: nn.Unflatten(1, 3),
            "opt lr": lambda: optim.SGD([torch.ones(1)], lr=-1),
            "opt no lr": lambda: optim.SGD([torch.ones(1)]),
            "opt nesterov": lambda: optim.SGD([torch.ones(1)], lr=1, nesterov=True),
            "opt tensor": lambda: optim.Adam(torch.ones(1)),
            "opt empty": lambda: optim.Adam([]),
            "opt int": lambda: optim.Adam([3]),
            "opt set": lambda: optim.Adam([{"params": {torch.ones(1)}}]),
            "opt leaf": lambda: optim.Adam([torch.ones(1, requires_grad=True) * 2]),
            "opt twice": lambda: (lambda p: optim.Adam([{"params": [p]}, {"params": [p]}]))(torch.ones(1)),
            "opt betas": lambda: optim.Adam([torch.ones(1)], betas=(1.0, 0.9)),
            "opt betas 1": lambda: optim.AdamW([torch.ones(1)], betas=(0.9, 2.0)),
            "opt eps": lambda: optim.Adam([torch.ones(1)], eps=-1),
            "opt wd": lambda: optim.Adam([torch.ones(1)], weight_decay=-1),
            "opt alpha": lambda: optim.RMSprop([torch.ones(1)], alpha=-1),
            "opt rho": lambda: optim.Adadelta([torch.ones(1)], rho=2),
            "opt groups": lambda: optim.Adam([torch.ones(1)]).load_state_dict(optim.Adam([{"params": [torch.ones(1)]}, {"params": [torch.ones(1)]}]).state_dict()),
            "opt sizes": lambda: optim.Adam([torch.ones(1)]).load_state_dict(optim.Adam([torch.ones(1), torch.ones(1)]).state_dict()),
            "sched total": lambda: optim.lr_scheduler.OneCycleLR(optim.Adam([torch.ones(1)]), 0.1),
            "sched steps": lambda: [s.step() for s in [optim.lr_scheduler.OneCycleLR(optim.Adam([torch.ones(1)]), 0.1, total_steps=2)] for _ in range(4)],
            "sched pct": lambda: optim.lr_scheduler.OneCycleLR(optim.Adam([torch.ones(1)]), 0.1, total_steps=2, pct_start=2.0),
            "sched anneal": lambda: optim.lr_scheduler.OneCycleLR(optim.Adam([torch.ones(1)]), 0.1, total_steps=2, anneal_strategy="x"),
            "sched opt": lambda: optim.lr_scheduler.StepLR(3, 1),
            "sched resume": lambda: optim.lr_scheduler.StepLR(optim.Adam([torch.ones(1)]), 1, last_epoch=3),
            "sched lambdas": lambda: optim.lr_scheduler.LambdaLR(optim.Adam([torch.ones(1)]), [min, max]),
            "sched T0": lambda: optim.lr_scheduler.CosineAnnealingWarmRestarts(optim.Adam([torch.ones(1)]), 0),
            "sched factor": lambda: optim.lr_scheduler.ReduceLROnPlateau(optim.Adam([torch.ones(1)]), factor=1.0),
            "sched mode": lambda: optim.lr_scheduler.ReduceLROnPlateau(optim.Adam([torch.ones(1)]), mode="x"),
            "sched linear": lambda: optim.lr_scheduler.LinearLR(optim.Adam([torch.ones(1)]), start_factor=2),
            "sched cyclic": lambda: optim.lr_scheduler.CyclicLR(optim.Adagrad([torch.ones(1)]), 0.1, 1),
        }

    a = cases(torch.nn, torch.optim)
    b = cases(OURS.nn, OURS.optim)
    for name in a:
        same(message(a[name]), message(b[name]), 0, f"error {name}")


def inits():
    cases = {
        "uniform_": ((), (-1, 2)), "normal_": ((), (1, 2)), "trunc_normal_": ((), (0.0, 0.02), (1.0, 2.0, 0.0, 3.0)),
        "constant_": ((3.5,),), "ones_": ((),), "zeros_": ((),), "xavier_uniform_": ((), (2.0,)),
        "xavier_normal_": ((), (2.0,)), "kaiming_uniform_": ((), (0.3, "fan_out", "leaky_relu"), (0, "fan_in", "relu")),
        "kaiming_normal_": ((), (0.3, "fan_out", "relu")), "orthogonal_": ((), (2.0,)), "eye_": ((),), "dirac_": ((), (2,)),
        "sparse_": ((0.3,),),
    }
    for name, all_args in cases.items():
        for shape in ((4, 6), (6, 4), (4, 4, 3), (4, 2, 3, 3)):
            if name in ("eye_", "sparse_") and len(shape) != 2 or name == "dirac_" and len(shape) < 3:
                continue
            for args in all_args:
                pair = []
                for side in (THEIRS, OURS):
                    torch.manual_seed(1)
                    t = torch.full(shape, 9.0)
                    r = getattr(side.nn.init, name)(t, *args)
                    check(r is t, f"init {name} returns its argument")
                    pair.append((t, torch.get_rng_state()))
                same(pair[0], pair[1], 0, f"init {name} {shape} {args}")
    for name in ("linear", "conv2d", "sigmoid", "tanh", "relu", "leaky_relu", "selu"):
        same(torch.nn.init.calculate_gain(name), OURS.nn.init.calculate_gain(name), 0, "gain " + name)


def functions():
    F, G = torch.nn.functional, OURS.nn.functional

    def case(name, *args, seed=4, tol=0, **kwargs):
        pair = []
        for f in (F, G):
            torch.manual_seed(seed)
            pair.append((getattr(f, name)(*[a.clone() if isinstance(a, torch.Tensor) else a for a in args], **kwargs), torch.get_rng_state()))
        same(pair[0], pair[1], tol, f"F.{name} {kwargs}")

    torch.manual_seed(0)
    v = torch.randn(3, 4, 6)
    img = torch.randn(2, 3, 6, 6)
    for name in "relu relu6 elu selu celu gelu silu mish softsign tanhshrink hardsigmoid hardswish sigmoid tanh logsigmoid leaky_relu softplus hardshrink softshrink hardtanh".split():
        case(name, v)
    case("relu", v, inplace=True); case("softmax", v, dim=1); case("softmax", v, dim=-1, dtype=torch.float64); case("log_softmax", v, dim=1); case("softmin", v, dim=0)
    case("gumbel_softmax", v); case("gumbel_softmax", v, hard=True, tau=0.5); case("normalize", v); case("normalize", v, p=1.0, dim=-1)
    case("glu", v); case("gelu", v, approximate="tanh"); case("one_hot", torch.tensor([0, 2, 1])); case("one_hot", torch.tensor([0, 2, 1]), num_classes=5)
    case("pad", img, (1, 2)); case("pad", img, (1, 2, 0, 1), mode="reflect"); case("pad", img, (1, 1), value=2.5); case("interpolate", img, scale_factor=2); case("interpolate", img, size=(4, 9), mode="bilinear")
    case("upsample", img, scale_factor=2); case("avg_pool2d", img, 2); case("avg_pool2d", img, 3, 2, 1, divisor_override=4); case("max_pool2d", img, 2); case("max_pool2d", img, 3, 2, 1, 1, True, True)
    case("max_pool1d", v, 2); case("avg_pool1d", v, 2); case("adaptive_avg_pool2d", img, 1); case("adaptive_avg_pool2d", img, (None, 3)); case("adaptive_max_pool2d", img, 2, return_indices=True)
    case("dropout", v); case("dropout", v, 0.2, True, True); case("dropout2d", img); case("alpha_dropout", v, 0.3, True)
    case("layer_norm", v, (6,)); case("group_norm", v, 2); case("instance_norm", v); case("batch_norm", v, torch.zeros(4), torch.ones(4), training=True)
    case("cosine_similarity", v, v + 1, dim=-1); case("pairwise_distance", v[0], v[1]); case("pdist", v[0]); case("unfold", img, 2); case("pixel_shuffle", torch.randn(1, 8, 2, 2), 2)
    case("linear", v, torch.randn(5, 6), torch.randn(5)); case("conv1d", v, torch.randn(2, 4, 3)); case("conv2d", img, torch.randn(2, 3, 3, 3), padding=1, stride=2)
    case("conv_transpose2d", img, torch.randn(3, 2, 3, 3), stride=2, output_padding=1); case("embedding", torch.tensor([1, 2]), torch.randn(4, 3)); case("embedding", torch.tensor([1, 2]), torch.randn(4, 3), padding_idx=-1)
    case("cross_entropy", torch.randn(4, 3), torch.tensor([0, 2, 1, 1])); case("nll_loss", torch.randn(4, 3), torch.tensor([0, 2, 1, 1]), reduction="sum"); case("mse_loss", v, v + 1, size_average=False)
    case("grid_sample", img, torch.rand(2, 4, 4, 2) * 2 - 1, align_corners=False); case("affine_grid", torch.randn(2, 2, 3), (2, 3, 4, 4), align_corners=False)
    case("local_response_norm", img, 3); case("lp_pool2d", img, 2.0, 2); case("rrelu", v, training=True, tol=1e-6); case("threshold", v, 0.1, 3.0); case("prelu", v, torch.tensor([0.2]))
    # What nn.attention chooses changes no number.
    q = torch.randn(2, 3, 5, 4)
    with OURS.nn.attention.sdpa_kernel(OURS.nn.attention.SDPBackend.MATH):
        same(G.scaled_dot_product_attention(q, q, q), (q @ q.transpose(-1, -2) / 2).softmax(-1) @ q, 1e-6, "sdpa_kernel")
    k = torch.randn(2, 1, 5, 4)
    k3 = k.expand(2, 3, 5, 4)
    same(G.scaled_dot_product_attention(q, k, k, enable_gqa=True), (q @ k3.transpose(-1, -2) / 2).softmax(-1) @ k3, 1e-6, "enable_gqa")
    # Newer than 1.13: against their definition.
    w = torch.randn(6)
    same(v / (v.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt() * w, G.rms_norm(v, (6,), w, 1e-6), 1e-6, "F.rms_norm")
    torch.manual_seed(0)
    same(v / (v.pow(2).mean((1, 2), keepdim=True) + torch.finfo(torch.float32).eps).sqrt(), OURS.nn.RMSNorm([4, 6])(v), 1e-6, "RMSNorm")
    q = torch.randn(2, 3, 5, 4)
    scores = (q @ q.transpose(-1, -2) / 2).masked_fill(torch.ones(5, 5).triu(1).bool(), float("-inf"))
    same(scores.softmax(-1) @ q, G.scaled_dot_product_attention(q, q, q, is_causal=True), 1e-6, "F.scaled_dot_product_attention")


def nn_utils():
    def run(side):
        log = []
        u = side.nn.utils
        for norm in (2.0, 1.0, float("inf")):
            torch.manual_seed(2)
            m = side.nn.Sequential(side.nn.Linear(3, 4), side.nn.Linear(4, 2))
            m(torch.randn(5, 3)).pow(2).sum().backward()
            log.append(u.clip_grad_norm_(m.parameters(), 0.5, norm))
            log.append([p.grad for p in m.parameters()])
        u.clip_grad_value_(m.parameters(), 0.01); log.append([p.grad for p in m.parameters()])
        vec = u.parameters_to_vector(m.parameters()); log.append(vec); u.vector_to_parameters(vec * 2, m.parameters()); log.append([p for p in m.parameters()])
        log.append(u.rnn.pad_sequence([torch.ones(3, 2), torch.zeros(1, 2), torch.ones(2, 2)]))
        log.append(u.rnn.pad_sequence([torch.ones(3), torch.zeros(1)], batch_first=True, padding_value=7.0))
        for build in (lambda: side.nn.Linear(3, 4), lambda: side.nn.Conv1d(2, 3, 3)):
            torch.manual_seed(3)
            w = u.weight_norm(build()); log.append(list(w.state_dict())); log.append(w.weight)
            arg = torch.randn(2, 3) if isinstance(w, side.nn.Linear) else torch.randn(1, 2, 5)
            w(arg).sum().backward(); log.append([p.grad for p in w.parameters()])
            u.remove_weight_norm(w); log.append(list(w.state_dict())); log.append(w.weight)
        return log

    same(run(THEIRS), run(OURS), 1e-6, "nn.utils")


def optimisers():
    variants = {
        "SGD": [{"lr": 0.1}, {"lr": 0.1, "momentum": 0.9}, {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}, {"lr": 0.1, "momentum": 0.8, "dampening": 0.3, "maximize": True}],
        "Adam": [{}, {"lr": 0.01, "betas": (0.8, 0.95), "weight_decay": 0.1}, {"amsgrad": True, "lr": 0.05}, {"maximize": True}],
        "AdamW": [{}, {"lr": 0.01, "weight_decay": 0.3, "amsgrad": True}],
        "Adamax": [{}, {"weight_decay": 0.1}], "NAdam": [{}, {"weight_decay": 0.1}], "RAdam": [{}, {"lr": 0.01, "betas": (0.5, 0.6), "weight_decay": 0.1}],
        "RMSprop": [{}, {"momentum": 0.9, "centered": True, "weight_decay": 0.1}, {"maximize": True}],
        "Adagrad": [{}, {"lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.2}],
        "Adadelta": [{}, {"rho": 0.8, "weight_decay": 0.1}],
    }
    for name, options in variants.items():
        for opts in options:
            pair = []
            for side in (THEIRS, OURS):
                torch.manual_seed(1)
                m = torch.nn.Sequential(torch.nn.Linear(4, 5), torch.nn.Tanh(), torch.nn.Linear(5, 2))
                data = torch.randn(20, 6, 4)
                groups = [{"params": m[0].parameters()}, {"params": m[2].parameters(), "lr": 0.03}]
                opt = getattr(side.optim, name)(groups, **opts)
                text = repr(opt)
                for i in range(20):
                    if i == 10:
                        # A saved state goes on as the first did.
                        state = copy.deepcopy(opt.state_dict())
                        opt = getattr(side.optim, name)([{"params": m[0].parameters()}, {"params": m[2].parameters()}], **opts)
                        opt.load_state_dict(state)
                    opt.zero_grad()
                    loss = opt.step(lambda: (lambda l: (l.backward(), l)[1])(m(data[i]).pow(2).sum()))
                saved = opt.state_dict()
                state = {i: {k: v for k, v in s.items()} for i, s in saved["state"].items()}
                pair.append((text, [p.detach() for p in m.parameters()], loss.detach(), {i: {k: float(v) if k in ("step", "mu_product") else v for k, v in s.items()} for i, s in state.items()}, saved["param_groups"]))
            tol = 1e-6 if name in ("NAdam", "RAdam", "Adamax") else 0
            same(pair[0], pair[1], tol, f"optim {name} {opts}")
    # PyTorch's saved state loads here, ours loads there.
    for name in ("Adam", "SGD", "RMSprop"):
        p = torch.nn.Parameter(torch.ones(3))
        q = torch.nn.Parameter(torch.ones(3))
        a = getattr(torch.optim, name)([p], lr=0.1)
        b = getattr(OURS.optim, name)([q], lr=0.1)
        for _ in range(3):
            p.grad = torch.ones(3); a.step()
            q.grad = torch.ones(3); b.step()
        sa, sb = copy.deepcopy(a.state_dict()), copy.deepcopy(b.state_dict())
        a.load_state_dict(sb); b.load_state_dict(sa)
        p.grad = torch.ones(3); a.step()
        q.grad = torch.ones(3); b.step()
        same(p, q, 0, f"optim {name} states exchanged")


def schedules():
    L = lambda side: side.optim.lr_scheduler
    cases = {
        "LambdaLR": lambda s, o: L(s).LambdaLR(o, lambda e: 0.9**e), "LambdaLR list": lambda s, o: L(s).LambdaLR(o, [lambda e: 1 / (e + 1), lambda e: e]),
        "MultiplicativeLR": lambda s, o: L(s).MultiplicativeLR(o, lambda e: 0.9), "StepLR": lambda s, o: L(s).StepLR(o, 3, 0.5), "MultiStepLR": lambda s, o: L(s).MultiStepLR(o, [2, 5, 5, 9]),
        "ExponentialLR": lambda s, o: L(s).ExponentialLR(o, 0.9), "CosineAnnealingLR": lambda s, o: L(s).CosineAnnealingLR(o, 7, 0.001),
        "Warm": lambda s, o: L(s).CosineAnnealingWarmRestarts(o, 3, 2, 0.001), "LinearLR": lambda s, o: L(s).LinearLR(o), "LinearLR 2": lambda s, o: L(s).LinearLR(o, 0.1, 0.7, 8),
        "ConstantLR": lambda s, o: L(s).ConstantLR(o, 0.3, 4), "PolynomialLR": lambda s, o: L(s).PolynomialLR(o, 6, 2.0),
        "OneCycleLR": lambda s, o: L(s).OneCycleLR(o, 0.5, total_steps=25), "OneCycleLR linear": lambda s, o: L(s).OneCycleLR(o, [0.5, 0.2], epochs=5, steps_per_epoch=5, anneal_strategy="linear", three_phase=True),
        "CyclicLR": lambda s, o: L(s).CyclicLR(o, 0.01, 0.1, 4, 3), "CyclicLR tri2": lambda s, o: L(s).CyclicLR(o, 0.01, 0.1, 3, mode="triangular2"), "CyclicLR exp": lambda s, o: L(s).CyclicLR(o, 0.01, 0.1, 3, mode="exp_range", gamma=0.9),
        "SequentialLR": lambda s, o: L(s).SequentialLR(o, [L(s).ConstantLR(o, 0.1, 2), L(s).ExponentialLR(o, 0.9)], [4]),
        "Warmup cosine": lambda s, o: L(s).SequentialLR(o, [L(s).LinearLR(o, 0.01, total_iters=5), L(s).CosineAnnealingLR(o, 10)], [5]),
        "Chained": lambda s, o: L(s).ChainedScheduler([L(s).ConstantLR(o, 0.1, 2), L(s).ExponentialLR(o, 0.9)]),
    }
    for name, make in cases.items():
        for kind in ("SGD", "Adam"):
            if kind == "Adam" and name.startswith("CyclicLR"):
                continue
            pair = []
            for side in (THEIRS, OURS):
                ps = [torch.nn.Parameter(torch.ones(1)) for _ in range(2)]
                o = getattr(side.optim, kind)([{"params": [ps[0]], "lr": 0.2}, {"params": [ps[1]]}], lr=0.1, **({"momentum": 0.9} if kind == "SGD" else {}))
                s = make(side, o)
                seen = []
                for _ in range(22):
                    seen.append(([g["lr"] for g in o.param_groups], [g.get("momentum", g.get("betas")) for g in o.param_groups], s.get_last_lr() if name != "Chained" or _ else None))
                    o.step(); s.step()
                keep = ("last_epoch", "base_lrs", "_last_lr", "gamma", "total_steps", "T_cur", "T_i", "milestones", "_step_count")
                saved = s.state_dict()
                fresh = make(side, o)
                fresh.load_state_dict(saved)
                fresh.step()
                pair.append((seen, {k: saved[k] for k in sorted(saved) if k in keep}, [g["lr"] for g in o.param_groups], [k for k in o.param_groups[0] if k != "params"]))
            same(pair[0], pair[1], 0, f"schedule {name} {kind}")
    for opts in ({}, {"mode": "max", "patience": 1, "factor": 0.5}, {"threshold_mode": "abs", "threshold": 0.1, "cooldown": 2, "patience": 0, "min_lr": 0.002}):
        pair = []
        for side in (THEIRS, OURS):
            o = side.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1)
            s = L(side).ReduceLROnPlateau(o, **opts)
            seen = []
            for metric in [1.0, 0.9, 0.95, 0.94, 0.93, 0.92, 0.5, 0.5, 0.5, torch.tensor(0.5)] * 3:
                s.step(metric)
                seen.append(o.param_groups[0]["lr"])
            pair.append((seen, {k: v for k, v in s.state_dict().items()}))
        same(pair[0], pair[1], 0, f"plateau {opts}")


def loading():
    def run(utils, side):
        D = utils.data
        log = []

        class Squares(D.Dataset):
            def __len__(self):
                return 23

            def __getitem__(self, i):
                return {"x": torch.tensor([i, i * i]), "n": (i, float(i)), "s": str(i)}

        class Stream(D.IterableDataset):
            def __iter__(self):
                return iter(range(7))

        torch.manual_seed(9)
        ds = Squares()
        for opts in ({"batch_size": 5}, {"batch_size": 5, "shuffle": True}, {"batch_size": 4, "shuffle": True, "drop_last": True}, {"batch_size": None}, {"batch_size": None, "shuffle": True}):
            loader = D.DataLoader(ds, **opts)
            log.append(len(loader))
            for _ in range(2):
                log.extend(list(loader))
            log.append(torch.rand(1))
        g = torch.Generator().manual_seed(3)
        loader = D.DataLoader(ds, batch_size=6, shuffle=True, generator=g)
        log.extend(list(loader)); log.extend(list(loader)); log.append(g.get_state())
        t = D.TensorDataset(torch.arange(10), torch.arange(10.0) * 2)
        log.append(len(t)); log.append(t[3]); log.extend(list(D.DataLoader(t, 4, True)))
        parts = D.random_split(t, [3, 7]); log.append([p.indices for p in parts])
        parts = D.random_split(t, [0.5, 0.3, 0.2], generator=torch.Generator().manual_seed(1)); log.append([p.indices for p in parts])
        log.append([D.Subset(t, [4, 2])[i] for i in range(2)])
        c = t + parts[0]; log.append(len(c)); log.append([c[i] for i in (0, 9, 10, -1)])
        for sampler in (D.RandomSampler(ds, replacement=True, num_samples=70), D.RandomSampler(ds, num_samples=50), D.RandomSampler(ds, replacement=True), D.SubsetRandomSampler([5, 6, 7, 8]), D.WeightedRandomSampler([0.1, 0.9, 0.4, 0.0], 12), D.SequentialSampler(ds), D.BatchSampler(D.SequentialSampler(ds), 4, False), *[D.DistributedSampler(ds, n, r, s, 3, d) for n, r, s, d in ((4, 1, True, False), (4, 3, True, True), (3, 0, False, False), (60, 59, True, False))]):
            log.append(list(sampler)); log.append(len(sampler)); log.append(torch.rand(1))
        log.append(list(D.DataLoader(ds, 3, sampler=D.SubsetRandomSampler([5, 6, 7, 8]))))
        log.append(list(D.DataLoader(ds, batch_sampler=D.BatchSampler(D.RandomSampler(ds), 9, True))))
        log.append(list(D.DataLoader(Stream(), batch_size=3))); log.append(list(D.DataLoader(Stream(), batch_size=3, drop_last=True))); log.append(list(D.DataLoader(Stream(), batch_size=None)))
        log.append(list(D.DataLoader(t, 4, collate_fn=lambda b: len(b))))
        log.append(D.default_collate([[1, 2.0], [3, 4.0]]))

        def message(f):
            try:
                f()
            except Exception as e:
                return type(e).__name__, str(e)
            return "no error"

        for f in (
            lambda: D.DataLoader(ds, num_workers=-1), lambda: D.DataLoader(ds, batch_size=0), lambda: D.DataLoader(ds, shuffle=True, sampler=[1]),
            lambda: D.DataLoader(ds, batch_sampler=[[1]], drop_last=True), lambda: D.DataLoader(ds, batch_size=None, drop_last=True), lambda: D.DataLoader(Stream(), shuffle=True),
            lambda: D.DataLoader([], shuffle=True), lambda: D.random_split(t, [1, 2]), lambda: D.TensorDataset(torch.ones(2), torch.ones(3)), lambda: D.default_collate([object()]),
            lambda: D.default_collate([[1], [1, 2]]), lambda: D.ConcatDataset([]), lambda: D.WeightedRandomSampler([1], 0), lambda: D.DataLoader(ds, timeout=-1),
        ):
            log.append(message(f))
        return log

    a, b = run(torch.utils, THEIRS), run(OURS.utils, OURS)
    same(a, b, 0, "utils.data")
    same(OURS.utils.checkpoint.checkpoint(lambda v: v * 2, torch.ones(2)), torch.ones(2) * 2, 0, "checkpoint")


if __name__ == "__main__":
    for part in (layers, activations, losses, recurrent, attention, containers, hooks, errors, inits, functions, nn_utils, optimisers, schedules, loading):
        before = len(failures)
        try:
            part()
        except Exception:
            import traceback

            failures.append(f"{part.__name__}: {traceback.format_exc()}")
        print(f"{part.__name__}: {len(failures) - before} differences")
    for failure in failures:
        print("DIFFERS", failure)
    print(f"{count} checks, {len(failures)} differences")
    sys.exit(1 if failures else 0)
