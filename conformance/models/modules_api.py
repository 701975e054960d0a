from collections import OrderedDict
import copy
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
m = nn.Sequential(OrderedDict([("conv1", nn.Conv2d(1, 20, 5)), ("relu1", nn.ReLU()), ("conv2", nn.Conv2d(20, 64, 5)), ("relu2", nn.ReLU())]))
print(m, m[0], m[-1], m[1:3], len(m), m.conv1, list(m._modules))
m.add_module("pool", nn.MaxPool2d(2))
m.append(nn.Flatten())
m[1] = nn.GELU()
del m[3]
print(m, [type(k).__name__ for k in m])
ml = nn.ModuleList([nn.Linear(i, i + 1) for i in range(1, 4)])
ml.append(nn.Identity())
ml.extend([nn.Tanh()])
ml.insert(0, nn.ReLU6())
print(ml, ml[1:3], len(ml), ml[-1], [i for i, _ in enumerate(ml)])
md = nn.ModuleDict({"a": nn.Linear(1, 2), "b": nn.Sequential(nn.ReLU(), nn.Dropout(0.3))})
md["c"] = nn.Embedding(3, 4)
md.update({"d": nn.Softmax(dim=-1)})
print(md, list(md.keys()), "a" in md, md["b"][1], md.pop("a"), len(md))
pl = nn.ParameterList([nn.Parameter(torch.zeros(i)) for i in range(3)])
pd = nn.ParameterDict({"w": nn.Parameter(torch.ones(2))})
print(pl, pd, pl[1], pd["w"].shape)


class Tied(nn.Module):
    def __init__(self, v=6, d=4):
        super().__init__()
        self.emb = nn.Embedding(v, d)
        self.head = nn.Linear(d, v, bias=False)
        self.head.weight = self.emb.weight
        self.scale = nn.Parameter(torch.tensor(2.0))
        self.register_buffer("pos", torch.arange(3), persistent=False)
        self.register_buffer("run", torch.zeros(2))
        self.register_parameter("none", None)
        self.blocks = nn.ModuleList(nn.Linear(d, d) for _ in range(2))
        self.plain = [nn.Linear(1, 1)]

    def forward(self, x):
        h = self.emb(x)
        for b in self.blocks:
            h = h + b(h)
        return self.head(h) * self.scale

    def extra_repr(self):
        return "tied=True"


t = Tied()
print(t)
print([n for n, _ in t.named_parameters()], len(list(t.parameters())), [n for n, _ in t.named_parameters(recurse=False)])
print([n for n, _ in t.named_modules()], [n for n, _ in t.named_children()], [n for n, _ in t.named_buffers()], list(t.state_dict()))
print([n for n, _ in t.named_parameters(prefix="model")])
print(t.head.weight is t.emb.weight, t.none, t.pos, t.training, t.get_parameter("blocks.0.weight").shape, t.get_submodule("blocks.1"), t.get_buffer("run"))
out = t(torch.tensor([[1, 2]]))
out.sum().backward()
print(out.shape, t.emb.weight.grad.shape, t.emb.weight.grad[0].sum() != 0)
c = copy.deepcopy(t)
print(c.head.weight is c.emb.weight, torch.equal(c.scale, t.scale), c.scale is t.scale, c.emb.weight.grad is not None)
with torch.no_grad():
    c.scale.add_(1)
    c.emb.weight[0] = 7
print(t.scale, c.scale, c.head.weight[0])
c.load_state_dict(t.state_dict())
print(c.scale, torch.equal(c.emb.weight, t.emb.weight))
t.eval()
print(t.training, t.blocks[0].training, t.train().blocks[0].training, t.requires_grad_(False).scale.requires_grad)
for p in t.parameters():
    p.requires_grad = True
print(all(p.requires_grad for p in t.parameters()), sum(p.numel() for p in t.parameters()))
t.half()
print(t.scale.dtype, t.run.dtype, t.pos.dtype, t.float().scale.dtype, t.double().emb.weight.dtype, t.to(torch.bfloat16).scale, t.to("cpu", torch.float32).scale)
t.apply(lambda m: print(type(m).__name__, end=" "))
print()
calls = []
h1 = t.emb.register_forward_hook(lambda mod, inp, out: calls.append(("fwd", type(mod).__name__, tuple(inp[0].shape), tuple(out.shape))))
h2 = t.blocks[0].register_forward_pre_hook(lambda mod, inp: calls.append(("pre", len(inp))))
h3 = t.head.register_full_backward_hook(lambda mod, gi, go: calls.append(("bwd", tuple(go[0].shape))))
h4 = t.blocks[1].register_forward_hook(lambda mod, inp, out: out * 0)
y = t(torch.tensor([0, 1]))
y.sum().backward()
print(calls)
for h in (h1, h2, h3, h4):
    h.remove()
calls.clear()
t(torch.tensor([0, 1]))
print(calls, len(t._forward_hooks))
p = torch.ones(2, requires_grad=True)
hh = p.register_hook(lambda g: g * 10)
(p * 2).sum().backward()
print(p.grad)
hh.remove()
q = p * 3
q.retain_grad()
q.register_hook(lambda g: print("hook", g))
q.sum().backward()
print(q.grad, p.grad)
t.zero_grad()
print(t.emb.weight.grad)
t.zero_grad(set_to_none=True)
print(t.emb.weight.grad)
del t.scale
print(hasattr(t, "scale"), "run" in dict(t.named_buffers()))
t.scale = nn.Parameter(torch.ones(1))
t.run = torch.ones(2)
print(t.run, t.state_dict()["run"], list(t._buffers), isinstance(t.scale, nn.Parameter), isinstance(t.scale, torch.Tensor), type(t.scale), type(t.run), type(t))
try:
    t.scale = torch.ones(1)
except TypeError as e:
    print(e)
t.note = "x"
print(t.note, repr(nn.Linear(2, 3, bias=False)), str(nn.LayerNorm([2, 3], eps=1e-6, elementwise_affine=False)), nn.GroupNorm(2, 4), nn.Dropout2d(0.1, True), nn.Upsample(scale_factor=2, mode="nearest"))
print(nn.Conv1d(1, 2, 3, padding="same", padding_mode="circular"), nn.ConvTranspose2d(2, 2, 2, output_padding=1, stride=2), nn.AvgPool2d(2, 2), nn.AdaptiveMaxPool2d(1), nn.PReLU(), nn.Softplus(), nn.ELU(0.5), nn.Hardtanh(-2, 2), nn.LogSoftmax(1), nn.Unflatten(1, (2, 2)), nn.PixelShuffle(2), nn.ZeroPad2d(1), nn.ReflectionPad2d((1, 2, 3, 4)), nn.ConstantPad1d(2, 3.5))
print(nn.MultiheadAttention(4, 2), nn.TransformerEncoderLayer(4, 2, 8), nn.CrossEntropyLoss(), nn.MSELoss(reduction="sum"), nn.Bilinear(2, 3, 4), nn.CosineSimilarity(dim=1), nn.SmoothL1Loss(beta=0.5), nn.InstanceNorm2d(3), nn.BatchNorm1d(3, momentum=None, affine=False), nn.EmbeddingBag(3, 2, mode="sum"), nn.LocalResponseNorm(2), nn.GLU(), nn.SiLU(), nn.Mish(), nn.LSTM(2, 3), nn.Unfold(2), nn.Fold((4, 4), 2), nn.KLDivLoss())
