import torch
import torch.nn.functional as F

w = torch.randn(4096, 4096)
x = torch.randn(1, 4096)


def step():
    return F.linear(x, w)
