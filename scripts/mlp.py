"""Trains a small MLP with dropout on a synthetic problem from a fixed seed, and prints what PyTorch prints.

Every random number comes from torch's generator: data, initial weights, order of the rows and dropout masks. The
learning rate is small, so that the last bits of a sum do not grow into the digits shown.
"""

import torch
from torch import nn


class MLP(nn.Module):
    def __init__(self, inputs, hidden, classes):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(inputs, hidden),
            nn.ReLU(),
            nn.Dropout(0.2),
            nn.Linear(hidden, hidden),
            nn.Tanh(),
            nn.Dropout(0.1),
        )
        self.head = nn.Linear(hidden, classes)

    def forward(self, x):
        return self.head(self.body(x))


def show(name, tensor):
    print(name, " ".join([f"{value:.4f}" for value in tensor.detach().flatten().tolist()]))


torch.manual_seed(2026)

# Two interleaved classes of 8 features: the sign of a fixed random quadratic.
features = torch.randn(512, 8)
mix = torch.randn(8, 8) * 0.5
labels = ((features @ mix) * features).sum(1).gt(0).long()

model = MLP(8, 32, 2)
print(model)
print("parameters", sum([p.numel() for p in model.parameters()]))
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

model.train()
order = torch.randperm(512)
for step in range(200):
    start = step * 64 % 512
    if start == 0:
        order = torch.randperm(512)
    rows = order[start : start + 64]
    loss = loss_fn(model(features[rows]), labels[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if (step + 1) % 10 == 0:
        print(f"step {step + 1:3d} loss {loss.item():.4f}")

model.eval()
with torch.no_grad():
    correct = (model(features).argmax(1) == labels).sum()
print(f"correct {correct.item()} of 512")
show("head.bias", model.head.bias)
show("body.0.weight[0]", model.body[0].weight[0])

# The streams themselves.
torch.manual_seed(7)
show("rand", torch.rand(4))
show("rand20", torch.rand(20)[-4:])
show("randn", torch.randn(4))
show("randn20", torch.randn(20)[-4:])
print("randint", torch.randint(0, 1000, (6,)).tolist())
print("randperm", torch.randperm(10).tolist())
print("bernoulli", torch.bernoulli(torch.full((16,), 0.3)).long().tolist())
print("dropout", nn.functional.dropout(torch.ones(16), 0.5).long().tolist())
show("linear", nn.Linear(4, 3).weight)
show("conv2d", nn.Conv2d(1, 2, 3).weight)
show("embedding", nn.Embedding(3, 4).weight)
