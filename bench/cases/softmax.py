import torch

x = torch.randn(4096, 1024)


def step():
    return torch.softmax(x, 1)
