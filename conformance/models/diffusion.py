"""Schedules, time embeddings, EMA, sampling loops, mixed precision idioms, graph convolutions, neural ODE steps, boxes."""
import math
import copy
from functools import partial
import torch
from torch import nn, einsum
import torch.nn.functional as F

torch.manual_seed(0)


def extract(a, t, x_shape):
    b, *_ = t.shape
    out = a.gather(-1, t)
    return out.reshape(b, *((1,) * (len(x_shape) - 1)))


def cosine_beta_schedule(timesteps, s=0.008):
    steps = timesteps + 1
    x = torch.linspace(0, timesteps, steps, dtype=torch.float64)
    ac = torch.cos(((x / timesteps) + s) / (1 + s) * math.pi * 0.5) ** 2
    ac = ac / ac[0]
    betas = 1 - (ac[1:] / ac[:-1])
    return torch.clip(betas, 0, 0.999)


class SinusoidalPosEmb(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        half = self.dim // 2
        emb = math.log(10000) / (half - 1)
        emb = torch.exp(torch.arange(half, device=x.device) * -emb)
        emb = x[:, None] * emb[None, :]
        return torch.cat((emb.sin(), emb.cos()), dim=-1)


class WSConv(nn.Conv2d):
    def forward(self, x):
        eps = 1e-5 if x.dtype == torch.float32 else 1e-3
        w = self.weight
        mean = w.mean(dim=(1, 2, 3), keepdim=True)
        var = w.var(dim=(1, 2, 3), unbiased=False, keepdim=True)
        return F.conv2d(x, (w - mean) * (var + eps).rsqrt(), self.bias, self.stride, self.padding, self.dilation, self.groups)


class Net(nn.Module):
    def __init__(self, ch=4, dim=8):
        super().__init__()
        self.time = nn.Sequential(SinusoidalPosEmb(dim), nn.Linear(dim, ch * 2), nn.SiLU())
        self.c1, self.n1, self.c2 = WSConv(1, ch, 3, padding=1), nn.GroupNorm(2, ch), nn.Conv2d(ch, 1, 3, padding=1)
        self.q = nn.Conv2d(ch, ch * 3, 1, bias=False)

    def forward(self, x, t):
        scale, shift = self.time(t)[..., None, None].chunk(2, dim=1)
        h = F.silu(self.n1(self.c1(x)) * (scale + 1) + shift)
        b, c, hh, w = h.shape
        q, k, v = map(lambda z: z.reshape(b, 2, c // 2, hh * w), self.q(h).chunk(3, dim=1))
        sim = einsum("b h d i, b h d j -> b h i j", q * (c // 2) ** -0.5, k)
        sim = sim - sim.amax(dim=-1, keepdim=True).detach()
        out = einsum("b h i j, b h d j -> b h i d", sim.softmax(dim=-1), v)
        h = h + out.permute(0, 1, 3, 2).reshape(b, c, hh, w)
        return self.c2(h)


class Diffusion(nn.Module):
    def __init__(self, model, T=10):
        super().__init__()
        self.model, self.T = model, T
        betas = cosine_beta_schedule(T)
        alphas = 1. - betas
        ac = torch.cumprod(alphas, dim=0)
        prev = F.pad(ac[:-1], (1, 0), value=1.)
        reg = lambda name, val: self.register_buffer(name, val.to(torch.float32))
        reg("betas", betas)
        reg("sac", torch.sqrt(ac))
        reg("somac", torch.sqrt(1. - ac))
        reg("sra", torch.sqrt(1. / alphas))
        reg("pv", betas * (1. - prev) / (1. - ac))

    def loss(self, x0, t=None, noise=None):
        t = torch.randint(0, self.T, (x0.shape[0],)).long() if t is None else t
        noise = torch.randn_like(x0) if noise is None else noise
        xt = extract(self.sac, t, x0.shape) * x0 + extract(self.somac, t, x0.shape) * noise
        return F.l1_loss(self.model(xt, t), noise)

    @torch.inference_mode()
    def sample(self, shape):
        x = torch.randn(shape)
        for i in reversed(range(0, self.T)):
            t = torch.full((shape[0],), i, dtype=torch.long)
            mean = extract(self.sra, t, x.shape) * (x - extract(self.betas, t, x.shape) * self.model(x, t) / extract(self.somac, t, x.shape))
            x = mean if i == 0 else mean + torch.sqrt(extract(self.pv, t, x.shape)) * torch.randn_like(x)
        return x.clamp(-1, 1)


class EMA:
    def __init__(self, model, decay=0.9):
        self.shadow = copy.deepcopy(model).eval().requires_grad_(False)
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        for s, p in zip(self.shadow.state_dict().values(), model.state_dict().values()):
            if s.dtype.is_floating_point:
                s.mul_(self.decay).add_(p, alpha=1 - self.decay)
            else:
                s.copy_(p)


diff = Diffusion(Net())
ema = EMA(diff)
opt = torch.optim.AdamW(diff.parameters(), lr=1e-2, betas=(0.9, 0.99))
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1., (s + 1) / 3))
scaler = torch.cuda.amp.GradScaler(enabled=False)
data = torch.rand(4, 1, 6, 6) * 2 - 1
for step in range(5):
    opt.zero_grad(set_to_none=True)
    for micro in data.split(2):
        loss = diff.loss(micro) / 2
        scaler.scale(loss).backward()
    scaler.unscale_(opt)
    gn = nn.utils.clip_grad_norm_(diff.parameters(), 1.0)
    scaler.step(opt)
    scaler.update()
    sched.step()
    ema.update(diff)
    print(step, f"{loss.item():.4f} {gn.item():.3f} {opt.param_groups[0]['lr']:.5f}")
s = ema.shadow.sample((2, 1, 6, 6))
print(s.shape, round(s.mean().item(), 3), round(s.std().item(), 3), SinusoidalPosEmb(4)(torch.tensor([0, 3])))


class GCN(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.weight = nn.Parameter(torch.FloatTensor(i, o))
        self.bias = nn.Parameter(torch.FloatTensor(o))
        stdv = 1. / math.sqrt(self.weight.size(1))
        self.weight.data.uniform_(-stdv, stdv)
        self.bias.data.uniform_(-stdv, stdv)

    def forward(self, x, adj):
        return torch.mm(adj, torch.mm(x, self.weight)) + self.bias

    def __repr__(self):
        return self.__class__.__name__ + " (" + str(self.weight.shape[0]) + " -> " + str(self.weight.shape[1]) + ")"


edges = torch.tensor([[0, 1, 2, 3], [1, 2, 3, 0]])
adj = torch.zeros(4, 4)
adj[edges[0], edges[1]] = 1
adj = adj + adj.T + torch.eye(4)
dinv = adj.sum(1).pow(-0.5)
dinv[torch.isinf(dinv)] = 0
adj = torch.diag(dinv) @ adj @ torch.diag(dinv)
gc = GCN(3, 2)
out = F.log_softmax(F.relu(gc(torch.eye(4)[:, :3], adj)), dim=1)
F.nll_loss(out[torch.tensor([0, 2])], torch.tensor([1, 0])).backward()
print(gc, out, round(gc.weight.grad.norm().item(), 4))


class GAT(nn.Module):
    def __init__(self, i, o, alpha=0.2):
        super().__init__()
        self.W = nn.Parameter(torch.empty(size=(i, o)))
        nn.init.xavier_uniform_(self.W.data, gain=1.414)
        self.a = nn.Parameter(torch.empty(size=(2 * o, 1)))
        nn.init.xavier_uniform_(self.a.data, gain=1.414)
        self.o, self.act = o, nn.LeakyReLU(alpha)

    def forward(self, h, adj):
        Wh = torch.mm(h, self.W)
        e = self.act(torch.matmul(Wh, self.a[:self.o, :]) + torch.matmul(Wh, self.a[self.o:, :]).T)
        att = torch.where(adj > 0, e, -9e15 * torch.ones_like(e))
        return F.elu(torch.matmul(F.softmax(att, dim=1), Wh))


print(GAT(3, 2)(torch.eye(4)[:, :3], adj))
f = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2))
y = torch.tensor([[1., 0.]], requires_grad=True)
z, dt = y, 0.1
for _ in range(5):
    k1 = f(z); k2 = f(z + dt / 2 * k1); k3 = f(z + dt / 2 * k2); k4 = f(z + dt * k3)
    z = z + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
z.sum().backward()
print(z, y.grad)


def box_iou(a, b):
    area = lambda x: (x[:, 2] - x[:, 0]) * (x[:, 3] - x[:, 1])
    lt, rb = torch.max(a[:, None, :2], b[:, :2]), torch.min(a[:, None, 2:], b[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[:, :, 0] * wh[:, :, 1]
    return inter / (area(a)[:, None] + area(b) - inter)


def nms(boxes, scores, thr):
    order, keep = scores.argsort(descending=True), []
    while order.numel() > 0:
        i = order[0]
        keep.append(i.item())
        if order.numel() == 1:
            break
        iou = box_iou(boxes[i][None], boxes[order[1:]])[0]
        order = order[1:][iou <= thr]
    return torch.tensor(keep)


boxes = torch.tensor([[0., 0, 2, 2], [0.1, 0, 2, 2], [3, 3, 4, 5]])
print(box_iou(boxes, boxes), nms(boxes, torch.tensor([0.5, 0.9, 0.1]), 0.5))
cx, cy, w, h = boxes.unbind(-1)
print(torch.stack([(cx - 0.5 * w), (cy - 0.5 * h), (cx + 0.5 * w), (cy + 0.5 * h)], dim=-1)[0])
yy, xx = torch.meshgrid(torch.linspace(-1, 1, 2), torch.linspace(-1, 1, 3), indexing="ij")
print(torch.stack([xx, yy], -1).view(-1, 2), F.grid_sample(data[:1], torch.stack([xx, yy], -1)[None], mode="nearest", padding_mode="border", align_corners=True).shape)
