import math
import torch
from torch import nn, optim
from torch.optim import lr_scheduler
from torch.optim.lr_scheduler import LambdaLR, StepLR, CosineAnnealingLR, OneCycleLR, ReduceLROnPlateau, ExponentialLR, MultiStepLR


def problem():
    torch.manual_seed(5)
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    x, y = torch.randn(12, 4), torch.randn(12, 1)
    return net, x, y


makers = {
    "SGD": lambda p: optim.SGD(p, lr=0.1),
    "SGDm": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, dampening=0.1, weight_decay=0.01),
    "Nesterov": lambda p: optim.SGD(p, 0.05, momentum=0.9, nesterov=True),
    "Adam": lambda p: optim.Adam(p, lr=0.01, betas=(0.9, 0.99), eps=1e-8, weight_decay=0.1),
    "AMSGrad": lambda p: optim.Adam(p, lr=0.01, amsgrad=True),
    "AdamW": lambda p: optim.AdamW(p, lr=0.01, weight_decay=0.05),
    "RMSprop": lambda p: optim.RMSprop(p, lr=0.01, momentum=0.5, centered=True),
    "Adagrad": lambda p: optim.Adagrad(p, lr=0.1, lr_decay=0.1),
    "Adadelta": lambda p: optim.Adadelta(p),
    "Adamax": lambda p: optim.Adamax(p, lr=0.01),
    "NAdam": lambda p: optim.NAdam(p, lr=0.01),
    "RAdam": lambda p: optim.RAdam(p, lr=0.01),
}
for name, make in makers.items():
    net, x, y = problem()
    opt = make(net.parameters())
    for i in range(6):
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()
    print(name, round(loss.item(), 4), len(opt.state), sorted(k for k in opt.state[net[0].weight]) if len(opt.state) else [])
net, x, y = problem()
decay = [p for n, p in net.named_parameters() if p.dim() >= 2]
nodecay = [p for n, p in net.named_parameters() if p.dim() < 2]
opt = optim.AdamW([{"params": decay, "weight_decay": 0.1}, {"params": nodecay, "weight_decay": 0.0, "lr": 0.5}], lr=1e-2, betas=(0.9, 0.95))
print(opt)
print([len(g["params"]) for g in opt.param_groups], [g["lr"] for g in opt.param_groups], opt.defaults["lr"])


def closure():
    opt.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    loss.backward()
    return loss


print(round(opt.step(closure).item(), 4))
sd = opt.state_dict()
print(sd.keys(), sd["param_groups"][0]["params"], sorted(sd["state"]), sorted(sd["state"][0]))
opt2 = optim.AdamW([{"params": decay}, {"params": nodecay}], lr=1.0)
opt2.load_state_dict(sd)
print(opt2.param_groups[1]["lr"], opt2.param_groups[0]["weight_decay"])
opt2.add_param_group({"params": [nn.Parameter(torch.zeros(1))], "lr": 3})
print(len(opt2.param_groups), opt2.param_groups[2]["lr"], opt2.param_groups[2]["betas"])
try:
    opt2.add_param_group({"params": decay})
except ValueError as e:
    print(e)


def lrs(make, n=8, step=None, lr=1.0):
    o = optim.SGD([nn.Parameter(torch.zeros(1))], lr=lr, momentum=0.9)
    s = make(o)
    out = []
    for i in range(n):
        out.append(round(o.param_groups[0]["lr"], 5))
        o.step()
        if step is None:
            s.step()
        else:
            s.step(step(i))
    return out, s


print(lrs(lambda o: StepLR(o, step_size=2, gamma=0.1))[0])
print(lrs(lambda o: MultiStepLR(o, milestones=[2, 5], gamma=0.5))[0])
print(lrs(lambda o: ExponentialLR(o, gamma=0.9))[0])
print(lrs(lambda o: CosineAnnealingLR(o, T_max=5, eta_min=0.1))[0])
print(lrs(lambda o: LambdaLR(o, lr_lambda=lambda e: 0.5 ** e))[0])
print(lrs(lambda o: LambdaLR(o, lambda s: min((s + 1) ** -0.5, (s + 1) * 4 ** -1.5)))[0])
print(lrs(lambda o: OneCycleLR(o, max_lr=1.0, total_steps=8, pct_start=0.3))[0])
print(lrs(lambda o: OneCycleLR(o, max_lr=0.1, steps_per_epoch=4, epochs=2, anneal_strategy="linear"))[0])
print(lrs(lambda o: lr_scheduler.LinearLR(o, start_factor=0.25, total_iters=4))[0])
print(lrs(lambda o: lr_scheduler.ConstantLR(o, factor=0.5, total_iters=3))[0])
print(lrs(lambda o: lr_scheduler.PolynomialLR(o, total_iters=4, power=2.0))[0])
print(lrs(lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, T_0=3, T_mult=2))[0])
print(lrs(lambda o: lr_scheduler.CyclicLR(o, base_lr=0.1, max_lr=1.0, step_size_up=3, mode="triangular2"))[0])
print(lrs(lambda o: lr_scheduler.SequentialLR(o, [lr_scheduler.ConstantLR(o, 0.1, total_iters=2), ExponentialLR(o, 0.9)], milestones=[2]))[0])
print(lrs(lambda o: lr_scheduler.MultiplicativeLR(o, lambda e: 0.9))[0])
r, s = lrs(lambda o: ReduceLROnPlateau(o, mode="min", factor=0.1, patience=1, verbose=False), step=lambda i: [1.0, 0.9, 0.95, 0.96, 0.97, 0.98, 0.5, 0.4][i])
print(r, s.num_bad_epochs, s.best)
r, s = lrs(lambda o: StepLR(o, 3))
print(s.get_last_lr(), s.last_epoch, s.state_dict()["step_size"])


class WarmupCosine(lr_scheduler._LRScheduler):
    def __init__(self, optimizer, warmup, total, last_epoch=-1):
        self.warmup, self.total = warmup, total
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        if self.last_epoch < self.warmup:
            return [b * (self.last_epoch + 1) / self.warmup for b in self.base_lrs]
        t = (self.last_epoch - self.warmup) / (self.total - self.warmup)
        return [b * 0.5 * (1 + math.cos(math.pi * t)) for b in self.base_lrs]


print(lrs(lambda o: WarmupCosine(o, 3, 8))[0])


class Lion(optim.Optimizer):
    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0):
        if not 0.0 <= lr:
            raise ValueError("Invalid learning rate: {}".format(lr))
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                p.data.mul_(1 - group["lr"] * group["weight_decay"])
                grad = p.grad
                state = self.state[p]
                if len(state) == 0:
                    state["exp_avg"] = torch.zeros_like(p)
                exp_avg = state["exp_avg"]
                beta1, beta2 = group["betas"]
                update = exp_avg * beta1 + grad * (1 - beta1)
                p.add_(update.sign_(), alpha=-group["lr"])
                exp_avg.mul_(beta2).add_(grad, alpha=1 - beta2)
        return loss


net, x, y = problem()
opt = Lion(net.parameters(), lr=0.01, weight_decay=0.1)
for i in range(5):
    loss = opt.step(closure=lambda: [net.zero_grad(), l := ((net(x) - y) ** 2).mean(), l.backward()][1])
print(opt, round(loss.item(), 4))
total = nn.utils.clip_grad_norm_(net.parameters(), 0.01)
print(total, round(sum(p.grad.norm() ** 2 for p in net.parameters()).sqrt().item(), 4))
nn.utils.clip_grad_value_(net.parameters(), 0.001)
print(max(p.grad.abs().max().item() for p in net.parameters()))
v = nn.utils.parameters_to_vector(net.parameters())
nn.utils.vector_to_parameters(torch.zeros_like(v), net.parameters())
print(v.shape, net[0].bias)
