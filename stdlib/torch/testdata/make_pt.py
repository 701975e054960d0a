#!/usr/bin/python3
"""Writes torch.pt, a file by PyTorch 1.13 that torch.load must read."""
import collections, os
import torch

x = torch.arange(6.0).view(2, 3)
torch.save({"x": x, "xt": x.t(), "half": torch.tensor([1.5], dtype=torch.float16), "n": [1, 2.5, "a", None, True, (1, 2), -7, 1 << 40],
            "od": collections.OrderedDict(w=torch.tensor([1, 2])), "p": torch.nn.Parameter(torch.ones(2)), "d": torch.float64, "s": torch.Size([2, 3])},
           os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch.pt"))
