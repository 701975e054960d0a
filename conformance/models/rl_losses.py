import random
from collections import deque, namedtuple
from itertools import count
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

Transition = namedtuple('Transition', ('state', 'action', 'next_state', 'reward'))


class ReplayMemory(object):
    def __init__(self, capacity):
        self.memory = deque([], maxlen=capacity)

    def push(self, *args):
        """Save a transition"""
        self.memory.append(Transition(*args))

    def sample(self, batch_size):
        return random.sample(self.memory, batch_size)

    def __len__(self):
        return len(self.memory)


class DQN(nn.Module):
    def __init__(self, n_observations, n_actions):
        super(DQN, self).__init__()
        self.layer1 = nn.Linear(n_observations, 16)
        self.layer3 = nn.Linear(16, n_actions)

    def forward(self, x):
        return self.layer3(F.relu(self.layer1(x)))


random.seed(0)
torch.manual_seed(0)
policy_net, target_net = DQN(4, 2), DQN(4, 2)
target_net.load_state_dict(policy_net.state_dict())
optimizer = optim.AdamW(policy_net.parameters(), lr=1e-2, amsgrad=True)
memory = ReplayMemory(50)
state = torch.rand(1, 4)
for t in count():
    with torch.no_grad():
        action = policy_net(state).max(1)[1].view(1, 1) if random.random() > 0.3 else torch.tensor([[random.randrange(2)]], dtype=torch.long)
    nxt = None if t % 7 == 6 else torch.rand(1, 4)
    memory.push(state, action, nxt, torch.tensor([float(action.item())]))
    state = nxt if nxt is not None else torch.rand(1, 4)
    if len(memory) >= 20:
        transitions = memory.sample(8)
        batch = Transition(*zip(*transitions))
        non_final_mask = torch.tensor(tuple(map(lambda s: s is not None, batch.next_state)), dtype=torch.bool)
        non_final_next_states = torch.cat([s for s in batch.next_state if s is not None])
        state_batch = torch.cat(batch.state)
        action_batch = torch.cat(batch.action)
        reward_batch = torch.cat(batch.reward)
        state_action_values = policy_net(state_batch).gather(1, action_batch)
        next_state_values = torch.zeros(8)
        with torch.no_grad():
            next_state_values[non_final_mask] = target_net(non_final_next_states).max(1)[0]
        expected = (next_state_values * 0.99) + reward_batch
        loss = nn.SmoothL1Loss()(state_action_values, expected.unsqueeze(1))
        optimizer.zero_grad()
        loss.backward()
        for param in policy_net.parameters():
            param.grad.data.clamp_(-1, 1)
        optimizer.step()
        sd, pd = target_net.state_dict(), policy_net.state_dict()
        for key in pd:
            sd[key] = pd[key] * 0.005 + sd[key] * (1 - 0.005)
        target_net.load_state_dict(sd)
        print(t, f"{loss.item():.4f}")
    if t > 24:
        break

# actor critic, REINFORCE
from torch.distributions import Categorical, Normal
torch.manual_seed(543)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(4, 16)
        self.action_head = nn.Linear(16, 2)
        self.value_head = nn.Linear(16, 1)
        self.saved_actions, self.rewards = [], []

    def forward(self, x):
        x = F.relu(self.affine1(x))
        return F.softmax(self.action_head(x), dim=-1), self.value_head(x)


SavedAction = namedtuple('SavedAction', ['log_prob', 'value'])
model = Policy()
opt = optim.Adam(model.parameters(), lr=3e-2)
for episode in range(3):
    for i in range(6):
        probs, value = model(torch.rand(4))
        m = Categorical(probs)
        action = m.sample()
        model.saved_actions.append(SavedAction(m.log_prob(action), value))
        model.rewards.append(float(action.item()))
    R, returns, policy_losses, value_losses = 0, [], [], []
    for r in model.rewards[::-1]:
        R = r + 0.99 * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + 1e-6)
    for (log_prob, value), R in zip(model.saved_actions, returns):
        advantage = R - value.item()
        policy_losses.append(-log_prob * advantage)
        value_losses.append(F.smooth_l1_loss(value, torch.tensor([R])))
    opt.zero_grad()
    loss = torch.stack(policy_losses).sum() + torch.stack(value_losses).sum()
    loss.backward()
    opt.step()
    print(episode, round(loss.item(), 3), [round(r, 2) for r in returns.tolist()], m.entropy().item() > 0)
    del model.rewards[:]
    del model.saved_actions[:]
d = Normal(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0]))
print(d.log_prob(torch.tensor([0.5, 0.5])), d.entropy(), d.sample().shape, d.rsample((3,)).shape, d.mean, d.stddev, d)
c = Categorical(logits=torch.tensor([[0.1, 0.2, 0.7], [1., 2., 3.]]))
print(c.probs, c.logits, c.log_prob(torch.tensor([0, 2])), c.entropy(), c.sample((2,)).shape, c)
from torch.distributions import kl_divergence, Bernoulli, Uniform
print(kl_divergence(Normal(0., 1.), Normal(1., 2.)), kl_divergence(c, Categorical(logits=torch.zeros(2, 3))))
print(Bernoulli(torch.tensor([0.3])).log_prob(torch.tensor([1.])), Bernoulli(logits=torch.tensor([0.3])).entropy(), Uniform(0., 2.).log_prob(torch.tensor(1.)))
ratio = torch.exp(torch.tensor([0.1, -0.3, 0.5], requires_grad=True))
adv = torch.tensor([1., -1., 2.])
clip = torch.min(ratio * adv, torch.clamp(ratio, 1 - 0.2, 1 + 0.2) * adv)
(-clip.mean()).backward()
print(clip)
