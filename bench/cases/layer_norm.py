import torch
import torch.nn.functional as F

x = torch.randn(4096, 1024)
w = torch.randn(1024)
b = torch.randn(1024)


def step():
    return F.layer_norm(x, (1024,), w, b)
