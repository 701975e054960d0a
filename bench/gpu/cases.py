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


main()
