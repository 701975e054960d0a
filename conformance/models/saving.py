"""Checkpoints in memory, state dicts with nesting, copies."""
import copy
import io
import pickle
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU())
        self.head = nn.Linear(8, 2)
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        self.steps += 1
        return self.head(self.body(x))


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=0.01)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=2, gamma=0.5)
x, y = torch.randn(6, 4), torch.randint(0, 2, (6,))
for _ in range(3):
    opt.zero_grad()
    F.cross_entropy(net(x), y).backward()
    opt.step()
    sched.step()
buf = io.BytesIO()
torch.save({"model": net.state_dict(), "opt": opt.state_dict(), "sched": sched.state_dict(), "epoch": 3, "names": ["a", ("b", 1.5)], "t": torch.arange(3).half()}, buf)
buf.seek(0)
ck = torch.load(buf, map_location="cpu")
print(sorted(ck), ck["epoch"], ck["names"], ck["t"], list(ck["model"])[:3], ck["sched"]["last_epoch"])
net2 = Net()
opt2 = torch.optim.Adam(net2.parameters(), lr=1.0)
sched2 = torch.optim.lr_scheduler.StepLR(opt2, step_size=2, gamma=0.5)
print(net2.load_state_dict(ck["model"]))
opt2.load_state_dict(ck["opt"])
sched2.load_state_dict(ck["sched"])
for n, o, s in ((net, opt, sched), (net2, opt2, sched2)):
    for _ in range(2):
        o.zero_grad()
        l = F.cross_entropy(n(x), y)
        l.backward()
        o.step()
        s.step()
    print(round(l.item(), 4), n.steps, o.param_groups[0]["lr"], round(n.head.weight.sum().item(), 4))
c = copy.deepcopy({"net": net, "t": [x, x]})
print(c["t"][0] is c["t"][1], c["t"][0] is x, torch.equal(c["net"].head.weight, net.head.weight), c["net"].head.weight.grad)
s = copy.copy(net)
print(s.head is net.head, s.head.weight is net.head.weight)
try:
    copy.deepcopy(x.requires_grad_() * 2)
except RuntimeError as e:
    print(str(e)[:60])
x = x.detach()
sd = net.state_dict(prefix="m.")
print(list(sd)[0], sd["m.steps"], list(net.state_dict(keep_vars=True).values())[0].requires_grad, list(net.state_dict().values())[0].requires_grad)
sd2 = {k: v.clone() for k, v in net.state_dict().items()}
with torch.no_grad():
    net.head.bias.fill_(5)
print(sd2["head.bias"].eq(5).any(), net.state_dict()["head.bias"])
for msg in ({"body.0.weight": torch.ones(2, 2)}, {"x": 1}, {}):
    try:
        net.load_state_dict({**sd2, **msg}, strict=True)
        print("ok")
    except Exception as e:
        print(type(e).__name__, str(e).strip().split("\n")[-1].strip())
print(net.load_state_dict({"head.bias": torch.zeros(2)}, strict=False).missing_keys[:2])


class Old(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(1))

    def _load_from_state_dict(self, state_dict, prefix, *args, **kwargs):
        if prefix + "weight" in state_dict:
            state_dict[prefix + "w"] = state_dict.pop(prefix + "weight")
        super()._load_from_state_dict(state_dict, prefix, *args, **kwargs)


m = nn.Sequential(Old())
print(m.load_state_dict({"0.weight": torch.tensor([3.])}), m[0].w)
h = m.register_forward_hook(lambda *a: None) if False else None
lin = nn.Linear(4, 4)
xi = torch.randn(2, 4, requires_grad=True)
out = checkpoint(lambda t: torch.tanh(lin(t)), xi, use_reentrant=False)
out.sum().backward()
g1 = xi.grad.clone()
xi.grad = None
torch.tanh(lin(xi)).sum().backward()
print(torch.allclose(g1, xi.grad))
p = pickle.loads(pickle.dumps({"a": 1, "b": [1, 2]})) if hasattr(pickle, "dumps") else {"a": 1, "b": [1, 2]}
print(p)
