import torch
import torch.nn.functional as F
from torch import nn

x = torch.randn(4)
y = torch.randn(4)
a = torch.randn(4, 4)
linear = nn.Linear(4, 4)
