"""Cases for a GPU, for Larkspur and PyTorch alike: device time by events, wall time of a call that is waited for.

    larkspur run bench/gpu/cases.py          and          python3 bench/gpu/cases.py

A case is checked before it is timed: against float64 on a part, or a property that holds for the whole.
"""
import sys
import time

import torch
import torch.nn.functional as F

dev = "cuda"
bf16 = torch.bfloat16
only = sys.argv[1:]


def events(f, n=20):
    for _ in range(4):
        keep = f()
    torch.cuda.synchronize()
    times = []
    for _ in range(5):
        a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        a.record()
        for _ in range(n):
            keep = f()
        b.record()
        torch.cuda.synchronize()
        times.append(a.elapsed_time(b) / n * 1000)
    return sorted(times)[2]


def wall(f, n=50):
    for _ in range(5):
        keep = f()
    torch.cuda.synchronize()
    times = []
    for _ in range(n):
        t = time.perf_counter()
        keep = f()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - t) * 1e6)
    return sorted(times)[n // 2]


def close(x, y, tol):
    d = (x.double().cpu() - y.double().cpu()).abs().max().item()
    s = y.double().cpu().abs().max().item()
    return "ok" if d <= tol * (s + 1e-30) else "WRONG by " + str(d) + " of " + str(s)


def report(name, f, check, compiled=True):
    if only and name not in only:
        return
    try:
        torch.manual_seed(1)
        word = check()
        line = "%-28s %-6s eager %9.1f us, wall %9.1f" % (name, word, events(f), wall(f))
        if compiled:
            g = torch.compile(f)
            for _ in range(30):  # Larkspur compiles beside the program
                g()
                time.sleep(0.01)
            line += "; compiled %9.1f us, wall %9.1f" % (events(g), wall(g))
        print(line)
    except Exception as e:
        print("%-28s FAILED %s: %s" % (name, type(e).__name__, str(e)[:600]))


def main():
    n = 64 << 20
    x, w, b = (torch.randn(n, device=dev).to(bf16) for _ in range(3))

    def pointwise():
        return F.gelu(x * w + b) * torch.sigmoid(b)

    def pointwise_check():
        y = pointwise()[-1000:]
        t = [v[-1000:].double().cpu() for v in (x, w, b)]
        return close(y, F.gelu(t[0] * t[1] + t[2]) * torch.sigmoid(t[2]), 2e-2)

    report("pointwise 64M", pointwise, pointwise_check)
    del w, b

    r = torch.randn(16384, 4096, device=dev).to(bf16)
    g1, g2 = torch.randn(4096, device=dev).to(bf16), torch.randn(4096, device=dev).to(bf16)
    q = torch.randn(16384, 4096, device=dev).to(bf16)
    tail = lambda f, *t: f(*(v[-5:].double().cpu() if v.dim() > 1 else v.double().cpu() for v in t))

    softmax = lambda: F.softmax(r, 1)
    report("softmax 16384x4096", softmax, lambda: close(softmax()[-5:], tail(lambda v: F.softmax(v, 1), r), 1e-2))
    norm = lambda: F.layer_norm(r, (4096,), g1, g2)
    report("layer_norm 16384x4096", norm, lambda: close(norm()[-5:], tail(lambda v, p, o: F.layer_norm(v, (4096,), p, o), r, g1, g2), 1e-2))

    def rms(r, q, g1):
        h = r + q
        f = h.float() if h.dtype == bf16 else h
        return (f * torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + 1e-6)).to(h.dtype) * g1

    rmsf = lambda: rms(r, q, g1)
    report("rms_norm+residual", rmsf, lambda: close(rmsf()[-5:], tail(rms, r, q, g1), 2e-2))
    wide = torch.randn(12288, 50304, device=dev).to(bf16)
    wsoft = lambda: F.softmax(wide, 1)
    report("softmax 12288x50304", wsoft, lambda: close(wsoft()[-5:], tail(lambda v: F.softmax(v, 1), wide), 1e-2), False)
    del wide

    s = torch.randn(n, device=dev)
    total = lambda: s.sum()
    report("sum 64M float32", total, lambda: "ok" if abs(total().item() - s.double().sum().item()) < 1 else "WRONG", False)
    c = s.view(65536, 1024)
    cols = lambda: c.sum(0)
    report("sum dim 0 65536x1024", cols, lambda: close(cols(), c.double().sum(0), 1e-5), False)
    rows = lambda: c.sum(1)
    report("sum dim 1 65536x1024", rows, lambda: close(rows()[:100], c[:100].double().sum(1), 1e-5), False)
    tr = s.view(8192, 8192)
    trans = lambda: tr.t().contiguous()
    report("transpose 8192", trans, lambda: close(trans()[:3], tr[:, :3].t().double(), 1e-6), False)
    copy = lambda: s.clone()
    report("copy 64M float32", copy, lambda: "ok" if (copy() == s).all().item() else "WRONG", False)

    t = torch.randn(1000, device=dev)

    def tiny():
        y = t
        for _ in range(50):
            y = y * 1.01 + 0.1
        return y

    report("100 tiny ops", tiny, lambda: close(tiny(), t.double() * 1.01**50 + 0.1 * (1.01**50 - 1) / 0.01, 1e-4))

    for m, k, nn, dt in [(512, 512, 512, torch.float32), (4096, 1024, 4096, bf16), (8192, 8192, 8192, bf16)]:
        a, d = torch.randn(m, k, device=dev).to(dt), torch.randn(k, nn, device=dev).to(dt)
        mm = lambda: a @ d
        report("matmul %dx%dx%d %s" % (m, k, nn, str(dt)[6:]), mm, lambda: close(mm()[:2, :64], a[:2].double().cpu() @ d[:, :64].double().cpu(), 1e-2), False)

    del s, c, tr, r, q, x, a, d
    q, k, v, do = (torch.randn(4, 16, 4096, 128, device=dev).to(bf16).requires_grad_(i < 3) for i in range(4))
    attend = lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True)

    def attend_check():
        y = attend()[3, 15, -16:]
        t = [z[3, 15].double().cpu() for z in (q, k, v)]
        w = (t[0][-16:] @ t[1].t()) / 128**0.5
        w = w + torch.triu(torch.full((16, 4096), float("-inf")).double(), 4096 - 16 + 1)
        return close(y, torch.softmax(w, 1) @ t[2], 1e-2)

    def plain(q, k, v):
        w = q @ k.transpose(-1, -2) / 128**0.5
        n = w.size(-1)
        return torch.softmax(w + torch.triu(torch.full((n, n), float("-inf"), device=dev), 1), -1) @ v

    def grads_check():
        small = [z[:1, :2, :500].detach() for z in (q, k, v, do)]
        a = [z.clone().requires_grad_() for z in small[:3]]
        b = [z.float().requires_grad_() for z in small[:3]]
        ga = torch.autograd.grad(F.scaled_dot_product_attention(a[0], a[1], a[2], is_causal=True), a, small[3])
        gb = torch.autograd.grad(plain(b[0], b[1], b[2]), b, small[3].float())
        return " ".join(close(m, n, 2e-2) for m, n in zip(ga, gb))

    report("attention 4x16x4096x128", attend, attend_check, False)
    y = attend()
    report("attention backward", lambda: torch.autograd.grad(y, (q, k, v), do, retain_graph=True), grads_check, False)
    del q, k, v, do, y
    one = torch.randn(1, 32, 1, 128, device=dev).to(bf16)
    keys, vals = torch.randn(1, 8, 8192, 128, device=dev).to(bf16), torch.randn(1, 8, 8192, 128, device=dev).to(bf16)
    grow = lambda t: t.repeat_interleave(4, 1)
    report("attention, one query", lambda: F.scaled_dot_product_attention(one, keys, vals, enable_gqa=True),
           lambda: close(F.scaled_dot_product_attention(one, keys, vals, enable_gqa=True), F.scaled_dot_product_attention(one.float(), grow(keys).float(), grow(vals).float()), 1e-2), False)
    del keys, vals

    for dt in (bf16, torch.float32):
        x, w = torch.randn(32, 64, 56, 56, device=dev).to(dt), torch.randn(64, 64, 3, 3, device=dev).to(dt)
        conv = lambda: F.conv2d(x, w, padding=1)
        report("conv 32x64x56x56 3x3 %s" % str(dt)[6:], conv, lambda: close(conv()[:1], F.conv2d(x[:1].double().cpu(), w.double().cpu(), padding=1), 1e-2), False)
        xg, wg = x.clone().requires_grad_(), w.clone().requires_grad_()
        y = F.conv2d(xg, wg, padding=1)
        report("conv backward %s" % str(dt)[6:], lambda: torch.autograd.grad(y, (xg, wg), y.detach(), retain_graph=True), lambda: "", False)
        del x, w, xg, wg, y

    z = torch.randn(1 << 20, device=dev)
    report("sort 1M float32", lambda: torch.sort(z)[0], lambda: "ok" if (torch.sort(z)[0].cpu() == torch.sort(z.cpu())[0]).all().item() else "WRONG", False)
    rows = torch.randn(4096, 1000, device=dev)
    report("topk 8 of 4096x1000", lambda: torch.topk(rows, 8)[0], lambda: close(torch.topk(rows, 8)[0], torch.topk(rows.cpu(), 8)[0], 0), False)
    rows = torch.randn(1024, 4096, device=dev)
    report("cumsum 1024x4096", lambda: torch.cumsum(rows, 1), lambda: close(torch.cumsum(rows, 1)[:5], torch.cumsum(rows[:5].double(), 1), 1e-4), False)
    table, ids = torch.randn(50304, 768, device=dev).to(bf16), torch.randint(0, 50304, (16384,), device=dev)
    report("embedding 16384 of 50304x768", lambda: F.embedding(ids, table), lambda: "ok" if (F.embedding(ids, table)[-5:].cpu() == table.cpu()[ids[-5:].cpu()]).all().item() else "WRONG", False)

    net = torch.nn.Sequential(torch.nn.Linear(784, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10)).to(dev)
    digit = torch.randn(1, 784, device=dev)
    report("perceptron 784-256-10", lambda: net(digit), lambda: "")
    deep = torch.nn.Sequential(*[m for _ in range(12) for m in (torch.nn.Linear(256, 256), torch.nn.GELU(), torch.nn.LayerNorm(256))]).to(dev)
    few = torch.randn(4, 256, device=dev)
    report("12 layers of 256, batch 4", lambda: deep(few), lambda: "")


main()
