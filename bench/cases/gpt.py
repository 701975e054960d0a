import math

import torch
from torch import nn
import torch.nn.functional as F

LAYERS, WIDTH, HEADS, CONTEXT, VOCABULARY = 6, 384, 6, 256, 512


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.proj = nn.Linear(WIDTH, WIDTH)
        self.register_buffer("mask", torch.ones(CONTEXT, CONTEXT).tril() == 0)

    def forward(self, x):
        n, t, c = x.shape
        q, k, v = [y.view(n, t, HEADS, c // HEADS).transpose(1, 2) for y in self.qkv(x).split(WIDTH, dim=2)]
        a = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(c // HEADS))
        a = F.softmax(a.masked_fill(self.mask[:t, :t], float("-inf")), dim=-1)
        return self.proj((a @ v).transpose(1, 2).reshape(n, t, c))

    def decode(self, x, keys, values, at):
        """One token x (N, 1, WIDTH) at position at; keys and values (N, HEADS, CONTEXT, WIDTH / HEADS) are written there."""
        n, t, c = x.shape
        q, k, v = [y.view(n, t, HEADS, c // HEADS).transpose(1, 2) for y in self.qkv(x).split(WIDTH, dim=2)]
        keys[:, :, at : at + 1] = k
        values[:, :, at : at + 1] = v
        a = (q @ keys[:, :, : at + 1].transpose(-2, -1)) * (1.0 / math.sqrt(c // HEADS))
        return self.proj((F.softmax(a, dim=-1) @ values[:, :, : at + 1]).transpose(1, 2).reshape(n, t, c))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1 = nn.LayerNorm(WIDTH)
        self.attention = Attention()
        self.ln2 = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        x = x + self.attention(self.ln1(x))
        return x + self.down(F.gelu(self.up(self.ln2(x))))

    def decode(self, x, keys, values, at):
        x = x + self.attention.decode(self.ln1(x), keys, values, at)
        return x + self.down(F.gelu(self.up(self.ln2(x))))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.ModuleList([Block() for _ in range(LAYERS)])
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1]))
        for b in self.blocks:
            x = b(x)
        return self.head(self.norm(x))

    def decode(self, token, cache, at):
        x = self.tokens(token) + self.positions.weight[at]
        for i, b in enumerate(self.blocks):
            x = b.decode(x, cache[i][0], cache[i][1], at)
        return self.head(self.norm(x))


model = GPT()
tokens = torch.randint(0, VOCABULARY, (1, CONTEXT))
targets = torch.randint(0, VOCABULARY, (1, CONTEXT))
