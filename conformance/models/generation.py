"""Decoding loops: greedy, beam, kv-cache, masks, padding, losses with masks, RoPE, MoE, quantised lookups."""
import math
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(3)


class KVCache(nn.Module):
    def __init__(self, b, n, h, d, dtype=torch.float32):
        super().__init__()
        self.register_buffer("k", torch.zeros(b, h, n, d, dtype=dtype), persistent=False)
        self.register_buffer("v", torch.zeros(b, h, n, d, dtype=dtype), persistent=False)

    def update(self, pos, k, v):
        assert pos.shape[0] == k.shape[2]
        self.k[:, :, pos] = k
        self.v[:, :, pos] = v
        return self.k, self.v


def apply_rotary(x, freqs):
    xs = x.float().reshape(*x.shape[:-1], -1, 2)
    fc = freqs.view(1, xs.size(1), 1, xs.size(3), 2)
    out = torch.stack([xs[..., 0] * fc[..., 0] - xs[..., 1] * fc[..., 1], xs[..., 1] * fc[..., 0] + xs[..., 0] * fc[..., 1]], -1)
    return out.flatten(3).type_as(x)


def freqs(n, d, base=10000):
    f = 1.0 / (base ** (torch.arange(0, d, 2)[: (d // 2)].float() / d))
    t = torch.arange(n)
    f = torch.outer(t, f)
    return torch.stack([f.cos(), f.sin()], dim=-1)


class LM(nn.Module):
    def __init__(self, v=12, d=8, h=2, n=16):
        super().__init__()
        self.emb, self.h, self.n = nn.Embedding(v, d), h, n
        self.qkv, self.o = nn.Linear(d, 3 * d, bias=False), nn.Linear(d, d, bias=False)
        self.w1, self.w2, self.w3 = (nn.Linear(*s, bias=False) for s in ((d, 16), (16, d), (d, 16)))
        self.register_buffer("mask", torch.tril(torch.ones(n, n, dtype=torch.bool)))
        self.register_buffer("freqs", freqs(n, d // h))
        self.cache = None

    def forward(self, idx, pos=None):
        b, t = idx.shape
        pos = torch.arange(t) if pos is None else pos
        x = self.emb(idx)
        q, k, v = self.qkv(x).split([x.size(-1)] * 3, dim=-1)
        q, k, v = (z.view(b, t, self.h, -1) for z in (q, k, v))
        q, k = (apply_rotary(z, self.freqs[pos]) for z in (q, k))
        q, k, v = map(lambda z: z.transpose(1, 2), (q, k, v))
        if self.cache is not None:
            k, v = self.cache.update(pos, k, v)
            m = self.mask[None, None, pos]
        else:
            m = self.mask[None, None, :t, :t]
        att = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
        att = att.masked_fill(~m, torch.finfo(att.dtype).min).softmax(-1)
        x = x + self.o((att @ v).transpose(1, 2).contiguous().view(b, t, -1))
        x = x + self.w2(F.silu(self.w1(x)) * self.w3(x))
        return x @ self.emb.weight.t()


m = LM().eval()
prompt = torch.tensor([[1, 2, 3]])
with torch.no_grad():
    out = prompt.clone()
    for _ in range(6):
        out = torch.cat([out, m(out)[:, -1:].argmax(-1)], 1)
    m.cache = KVCache(1, m.n, m.h, 4)
    y, pos = prompt, torch.arange(3)
    seq = prompt.new_empty(9)
    seq[:3] = prompt
    for i in range(6):
        nxt = m(y, pos)[:, -1].argmax(-1, keepdim=True)
        pos = pos[-1:] + 1
        seq[3 + i] = nxt
        y = nxt
    m.cache = None
print(out.tolist(), seq.tolist(), torch.equal(out[0], seq))


@torch.no_grad()
def beam(model, idx, steps, k=3):
    seqs = [(0.0, idx)]
    for _ in range(steps):
        cand = []
        for score, s in seqs:
            lp = F.log_softmax(model(s)[0, -1], dim=-1)
            top, ids = lp.topk(k)
            for p, i in zip(top.tolist(), ids):
                cand.append((score + p, torch.cat([s, i.view(1, 1)], dim=1)))
        seqs = sorted(cand, key=lambda c: c[0], reverse=True)[:k]
    return seqs


for score, s in beam(m, prompt, 3):
    print(round(score, 3), s[0].tolist())


def sample(logits, temperature=1.0, top_k=None, top_p=None, penalty=None, prev=None):
    if penalty:
        s = torch.gather(logits, 1, prev)
        s = torch.where(s < 0, s * penalty, s / penalty)
        logits = logits.scatter(1, prev, s)
    logits = logits / max(temperature, 1e-5)
    if top_k is not None:
        v, _ = torch.topk(logits, min(top_k, logits.size(-1)))
        pivot = v.select(-1, -1).unsqueeze(-1)
        logits = torch.where(logits < pivot, -float("Inf"), logits)
    if top_p is not None:
        sl, si = torch.sort(logits, descending=True, dim=-1)
        rem = sl.softmax(-1).cumsum(-1) > top_p
        rem[..., 1:] = rem[..., :-1].clone()
        rem[..., 0] = False
        logits = logits.masked_fill(rem.scatter(-1, si, rem), -math.inf)
    probs = torch.nn.functional.softmax(logits, dim=-1)
    q = torch.empty_like(probs).exponential_(1)
    return torch.argmax(probs / q, dim=-1, keepdim=True).to(dtype=torch.int), probs


lg = torch.randn(2, 6)
for kw in (dict(), dict(top_k=2), dict(top_p=0.6, temperature=0.7), dict(penalty=1.2, prev=torch.tensor([[0, 1], [2, 3]]))):
    i, p = sample(lg, **kw)
    print(i.flatten().tolist(), i.dtype, p)
lens = torch.tensor([3, 1, 2])
mask = torch.arange(3)[None, :] < lens[:, None]
print(mask, mask.sum(1), mask.logical_not(), (~mask).nonzero().tolist())
tok = torch.randint(0, 12, (3, 4))
logits = m(tok[:, :-1])
ce = F.cross_entropy(logits.reshape(-1, 12), tok[:, 1:].reshape(-1), reduction="none").view(3, 3)
masked = (ce * mask).sum() / mask.sum()
masked.backward()
print(round(masked.item(), 4), round(m.emb.weight.grad.norm().item(), 4), [round(v, 3) for v in ce[mask].tolist()])
pad = torch.full((3, 5), -100)
for i, n in enumerate(lens.tolist()):
    pad[i, :n] = tok[i, :n]
print(pad.ne(-100).sum().item() == lens.sum(), F.cross_entropy(torch.zeros(3, 12, 5), pad))


class MoE(nn.Module):
    def __init__(self, d=4, n=3, k=2):
        super().__init__()
        self.gate, self.k = nn.Linear(d, n, bias=False), k
        self.experts = nn.ModuleList([nn.Sequential(nn.Linear(d, d), nn.GELU()) for _ in range(n)])

    def forward(self, x):
        flat = x.view(-1, x.shape[-1])
        w, sel = torch.topk(F.softmax(self.gate(flat), dim=1, dtype=torch.float), self.k, dim=-1)
        w /= w.sum(dim=-1, keepdim=True)
        out = torch.zeros_like(flat)
        hot = F.one_hot(sel, num_classes=len(self.experts)).permute(2, 1, 0)
        for e, ex in enumerate(self.experts):
            idx, top = torch.where(hot[e])
            if top.shape[0] == 0:
                continue
            out.index_add_(0, top, ex(flat[None, top].reshape(-1, x.shape[-1])) * w[top, idx, None])
        return out.view_as(x), sel


moe = MoE()
o, sel = moe(torch.randn(2, 3, 4))
o.sum().backward()
print(o.shape, round(o.sum().item(), 3), sel.tolist(), [round(p.grad.norm().item(), 3) for p in moe.parameters() if p.grad is not None])
w = torch.randn(4, 8)
scale = w.abs().amax(dim=1, keepdim=True) / 127
q = (w / scale).round().clamp(-128, 127).to(torch.int8)
print(q[0], ((q.float() * scale) - w).abs().max() < scale.max(), q.dtype)
code = torch.randn(5, 3)
z = torch.randn(2, 4, 3)
dist = z.view(-1, 3).pow(2).sum(1, keepdim=True) + code.pow(2).sum(1) - 2 * z.view(-1, 3) @ code.t()
ind = torch.argmin(dist, dim=1)
zq = code[ind].view(z.shape)
print(ind.tolist(), ind.equal(torch.cdist(z.view(-1, 3), code).argmin(1)), round(F.mse_loss(zq, z).item(), 4), torch.bincount(ind, minlength=5).tolist())
slopes = torch.tensor([2 ** (-8 * (i + 1) / 4) for i in range(4)])
alibi = slopes.view(-1, 1, 1) * (torch.arange(3)[None] - torch.arange(3)[:, None]).clamp(max=0)
print(alibi[0], alibi.shape)
rel = (torch.arange(4)[:, None] - torch.arange(4)).abs()
bucket = torch.where(rel < 2, rel, 2 + (torch.log(rel.float().clamp(min=1) / 2) / math.log(2) * 2).long()).clamp(max=3)
print(bucket)
