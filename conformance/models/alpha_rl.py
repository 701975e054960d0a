"""PPO, SAC and world-model pieces: orthogonal init, GAE, tanh-squashed Gaussians, twin critics, target networks."""
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions.normal import Normal
from torch.distributions.categorical import Categorical
from torch.distributions import Independent, Bernoulli, kl_divergence

torch.manual_seed(1)


def layer_init(layer, std=math.sqrt(2), bias_const=0.0):
    torch.nn.init.orthogonal_(layer.weight, std)
    torch.nn.init.constant_(layer.bias, bias_const)
    return layer


class Agent(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.critic = nn.Sequential(layer_init(nn.Linear(obs, 8)), nn.Tanh(), layer_init(nn.Linear(8, 1), std=1.0))
        self.actor = nn.Sequential(layer_init(nn.Linear(obs, 8)), nn.Tanh(), layer_init(nn.Linear(8, act), std=0.01))

    def get_action_and_value(self, x, action=None):
        probs = Categorical(logits=self.actor(x))
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action), probs.entropy(), self.critic(x)


agent = Agent(3, 4)
w = agent.actor[0].weight
print((w.t() @ w / 2 - torch.eye(3)).abs().max() < 1e-5)
opt = torch.optim.Adam(agent.parameters(), lr=2.5e-3, eps=1e-5)
T, N = 5, 2
obs, rew, done = torch.randn(T, N, 3), torch.randn(T, N), (torch.rand(T, N) < 0.2).float()
acts, logp, vals = torch.zeros(T, N), torch.zeros(T, N), torch.zeros(T, N)
for s in range(T):
    with torch.no_grad():
        a, lp, _, v = agent.get_action_and_value(obs[s])
        vals[s] = v.flatten()
    acts[s], logp[s] = a, lp
with torch.no_grad():
    adv, last = torch.zeros_like(rew), 0
    nv = agent.critic(torch.randn(N, 3)).reshape(1, -1)
    for s in reversed(range(T)):
        nonterm = 1.0 - (done[s + 1] if s < T - 1 else torch.zeros(N))
        nxt = vals[s + 1] if s < T - 1 else nv
        delta = rew[s] + 0.99 * nxt * nonterm - vals[s]
        adv[s] = last = delta + 0.99 * 0.95 * nonterm * last
    ret = adv + vals
print(adv.shape, [round(v, 3) for v in adv.flatten().tolist()])
b = {k: v.reshape((-1,) + v.shape[2:]) for k, v in dict(obs=obs, logp=logp, acts=acts, adv=adv, ret=ret, vals=vals).items()}
for epoch in range(3):
    for mb in torch.randperm(T * N).split(5):
        _, nlp, ent, nval = agent.get_action_and_value(b["obs"][mb], b["acts"].long()[mb])
        ratio = (nlp - b["logp"][mb]).exp()
        with torch.no_grad():
            kl = ((ratio - 1) - ratio.log()).mean()
            cf = ((ratio - 1.0).abs() > 0.2).float().mean().item()
        A = b["adv"][mb]
        A = (A - A.mean()) / (A.std() + 1e-8)
        pg = torch.max(-A * ratio, -A * torch.clamp(ratio, 1 - 0.2, 1 + 0.2)).mean()
        nval = nval.view(-1)
        vc = b["vals"][mb] + torch.clamp(nval - b["vals"][mb], -0.2, 0.2)
        vl = 0.5 * torch.max((nval - b["ret"][mb]) ** 2, (vc - b["ret"][mb]) ** 2).mean()
        loss = pg - 0.01 * ent.mean() + vl * 0.5
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
        opt.step()
    print(epoch, f"{loss.item():.3f} {kl.item():.4f} {cf:.2f} {ent.mean().item():.3f}")
yp, yt = b["vals"], b["ret"]
print(round((1 - torch.var(yt - yp) / torch.var(yt)).item(), 3))


class Actor(nn.Module):
    def __init__(self, o, a):
        super().__init__()
        self.fc, self.mu, self.ls = nn.Linear(o, 8), nn.Linear(8, a), nn.Linear(8, a)
        self.register_buffer("scale", torch.tensor((2.0 - -2.0) / 2.0))

    def forward(self, x):
        h = F.relu(self.fc(x))
        ls = torch.tanh(self.ls(h))
        return self.mu(h), -5 + 0.5 * (2 + 5) * (ls + 1)

    def get_action(self, x):
        mean, ls = self(x)
        n = Normal(mean, ls.exp())
        xt = n.rsample()
        y = torch.tanh(xt)
        lp = n.log_prob(xt) - torch.log(self.scale * (1 - y.pow(2)) + 1e-6)
        return y * self.scale, lp.sum(1, keepdim=True), torch.tanh(mean)


class Q(nn.Module):
    def __init__(self, o, a):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(o + a, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, x, a):
        return self.net(torch.cat([x, a], 1))


actor, q1, q2, t1, t2 = Actor(3, 2), Q(3, 2), Q(3, 2), Q(3, 2), Q(3, 2)
t1.load_state_dict(q1.state_dict()); t2.load_state_dict(q2.state_dict())
qo = torch.optim.Adam(list(q1.parameters()) + list(q2.parameters()), lr=1e-2)
ao = torch.optim.Adam(list(actor.parameters()), lr=1e-2)
log_alpha = torch.zeros(1, requires_grad=True)
lo = torch.optim.Adam([log_alpha], lr=1e-2)
s, a, r, s2 = torch.randn(6, 3), torch.rand(6, 2), torch.randn(6), torch.randn(6, 3)
for i in range(4):
    alpha = log_alpha.exp().item()
    with torch.no_grad():
        na, nlp, _ = actor.get_action(s2)
        tgt = r.flatten() + 0.99 * (torch.min(t1(s2, na), t2(s2, na)) - alpha * nlp).view(-1)
    ql = F.mse_loss(q1(s, a).view(-1), tgt) + F.mse_loss(q2(s, a).view(-1), tgt)
    qo.zero_grad(); ql.backward(); qo.step()
    pi, lp, _ = actor.get_action(s)
    al = ((alpha * lp) - torch.min(q1(s, pi), q2(s, pi))).mean()
    ao.zero_grad(); al.backward(); ao.step()
    la = (-log_alpha.exp() * (lp.detach() + -2.0)).mean()
    lo.zero_grad(); la.backward(); lo.step()
    for p, tp in zip(q1.parameters(), t1.parameters()):
        tp.data.copy_(0.005 * p.data + (1 - 0.005) * tp.data)
    print(i, f"{ql.item():.3f} {al.item():.3f} {log_alpha.item():.4f}")
d = Independent(Normal(torch.zeros(2, 3), torch.ones(3)), 1)
print(d.log_prob(torch.ones(2, 3)), d.entropy(), d.batch_shape, d.event_shape, kl_divergence(d, Independent(Normal(torch.ones(2, 3), torch.ones(3)), 1)), d)
one = F.one_hot(Categorical(logits=torch.randn(2, 4)).sample(), 4).float()
print(one.sum(-1), Bernoulli(logits=torch.tensor([0.0, 2.0])).probs, Categorical(torch.tensor([0.25, 0.75])).entropy())
try:
    Normal(torch.zeros(1), -torch.ones(1))
except ValueError as e:
    print(str(e)[:70])
