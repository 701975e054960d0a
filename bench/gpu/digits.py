"""The digits of scripts/digits.star on a GPU against the CPU, and memory over many steps. Run in the checkout's root:

    larkspur run bench/gpu/digits.py [steps]

The same weights and order on both, 12 epochs with a falling rate, without dropout, whose draws differ: the first 20 losses agree within 1e-3 relative, the final accuracies
within 0.3 points; and a training loop's memory after 10,000 steps (or steps) is what it was after 1,000.
"""
import sys
import time

import torch
from torch import nn
import torch.nn.functional as F

dev = "cuda" if torch.cuda.is_available() else "cpu"


def digits(name):
    rows = [[int(v) for v in line.split(",")] for line in open("scripts/data/digits/" + name) if line.strip()]
    t = torch.tensor(rows)
    return t[:, :64].float().view(-1, 1, 8, 8) / 16, t[:, 64]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16)
        self.conv2, self.norm2 = nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32)
        self.fc1, self.fc2 = nn.Linear(128, 64), nn.Linear(64, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm1(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.norm2(self.conv2(x))), 2)
        return self.fc2(F.relu(self.fc1(x.flatten(1))))


def train(where, x, y, tx, ty, epochs):
    torch.manual_seed(3)
    net = Net().to(where)
    opt = torch.optim.Adam(net.parameters(), lr=0.003)
    order = torch.Generator().manual_seed(5)
    x, y, tx, ty = (t.to(where) for t in (x, y, tx, ty))
    losses, step = [], 0
    for _ in range(epochs):
        perm = torch.randperm(len(y), generator=order)
        for i in range(0, len(y), 64):
            rows = perm[i : i + 64].to(where)
            loss = F.cross_entropy(net(x[rows]), y[rows])
            opt.zero_grad()
            loss.backward()
            step += 1
            for group in opt.param_groups:
                group["lr"] = 0.003 * (1 - step / (epochs * ((len(y) + 63) // 64) + 1))
            opt.step()
            if len(losses) < 20:
                losses.append(loss.item())
    net.eval()
    with torch.no_grad():
        return losses, (net(tx).argmax(1) == ty).float().mean().item() * 100


x, y = digits("optdigits.tra")
tx, ty = digits("optdigits.tes")
t = time.time()
a, p = train("cpu", x, y, tx, ty, 12)
t, u = time.time(), time.time() - t
b, q = train(dev, x, y, tx, ty, 12)
worst = max(abs(m - n) / abs(m) for m, n in zip(a, b))
print("losses: worst relative difference %.1e %s" % (worst, "ok" if worst <= 1e-3 else "WRONG"))
print("accuracy: %.2f %% and %.2f %% %s; %.1f s and %.1f s" % (p, q, "ok" if abs(p - q) <= 0.3 else "WRONG", u, time.time() - t))

if dev == "cuda":
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
    net = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10)).to(dev)
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    xs, ys = x[:64].flatten(1).to(dev), y[:64].to(dev)
    seen = []
    for i in range(steps):
        loss = F.cross_entropy(net(xs), ys)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if i + 1 in (steps // 10, steps):
            loss.item()
            torch.cuda.empty_cache()
            seen.append((torch.cuda.memory_allocated(), torch.cuda.memory_reserved()))
    print("memory after %d and %d steps: %s %s" % (steps // 10, steps, seen, "ok" if seen[1][0] <= seen[0][0] + (1 << 20) else "GROWS"))
