import torch
import torch.nn.functional as F

x = torch.randn(512, 512)
w = torch.randn(2048, 512) / 22
b = torch.randn(2048)


def step():
    return F.gelu(F.linear(x, w, b))
