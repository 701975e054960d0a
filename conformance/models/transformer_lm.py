"""A small translation transformer trained for a few steps, and the library's own Transformer."""
import math
from dataclasses import dataclass, field
from typing import Optional, List, Dict
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    vocab_size: int = 32
    n_layer: int = 2
    n_head: int = 2
    n_embd: int = 16
    block_size: int = 12
    dropout: float = 0.0
    names: List[str] = field(default_factory=list)


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.1, max_len=50):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, 1, d_model)
        pe[:, 0, 0::2] = torch.sin(position * div_term)
        pe[:, 0, 1::2] = torch.cos(position * div_term)
        self.register_buffer('pe', pe)

    def forward(self, x):
        x = x + self.pe[:x.size(0)]
        return self.dropout(x)


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.ln_1 = nn.LayerNorm(cfg.n_embd)
        self.attn = nn.MultiheadAttention(cfg.n_embd, cfg.n_head, dropout=cfg.dropout, batch_first=True)
        self.ln_2 = nn.LayerNorm(cfg.n_embd)
        self.mlp = nn.ModuleDict(dict(c_fc=nn.Linear(cfg.n_embd, 4 * cfg.n_embd), act=nn.GELU(approximate="tanh"), c_proj=nn.Linear(4 * cfg.n_embd, cfg.n_embd)))
        m = self.mlp
        self.mlpf = lambda x: m.c_proj(m.act(m.c_fc(x)))

    def forward(self, x, mask):
        h = self.ln_1(x)
        x = x + self.attn(h, h, h, attn_mask=mask, need_weights=False)[0]
        return x + self.mlpf(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.transformer = nn.ModuleDict(dict(wte=nn.Embedding(cfg.vocab_size, cfg.n_embd), wpe=nn.Embedding(cfg.block_size, cfg.n_embd),
                                              h=nn.ModuleList([Block(cfg) for _ in range(cfg.n_layer)]), ln_f=nn.LayerNorm(cfg.n_embd)))
        self.lm_head = nn.Linear(cfg.n_embd, cfg.vocab_size, bias=False)
        self.transformer.wte.weight = self.lm_head.weight
        self.apply(self._init_weights)
        for pn, p in self.named_parameters():
            if pn.endswith('c_proj.weight'):
                torch.nn.init.normal_(p, mean=0.0, std=0.02 / math.sqrt(2 * cfg.n_layer))
        print("number of parameters: %.2fK" % (self.get_num_params() / 1e3,))

    def get_num_params(self, non_embedding=True):
        n = sum(p.numel() for p in self.parameters())
        if non_embedding:
            n -= self.transformer.wpe.weight.numel()
        return n

    def _init_weights(self, module):
        if isinstance(module, nn.Linear):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)
            if module.bias is not None:
                torch.nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)

    def forward(self, idx, targets=None):
        device = idx.device
        b, t = idx.size()
        assert t <= self.cfg.block_size, f"Cannot forward sequence of length {t}, block size is only {self.cfg.block_size}"
        pos = torch.arange(0, t, dtype=torch.long, device=device).unsqueeze(0)
        x = self.transformer.wte(idx) + self.transformer.wpe(pos)
        mask = torch.triu(torch.ones(t, t, dtype=torch.bool), diagonal=1)
        for block in self.transformer.h:
            x = block(x, mask)
        x = self.transformer.ln_f(x)
        if targets is not None:
            logits = self.lm_head(x)
            loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)
        else:
            logits = self.lm_head(x[:, [-1], :])
            loss = None
        return logits, loss

    @torch.no_grad()
    def generate(self, idx, max_new_tokens, temperature=1.0, top_k=None, top_p=None):
        for _ in range(max_new_tokens):
            idx_cond = idx if idx.size(1) <= self.cfg.block_size else idx[:, -self.cfg.block_size:]
            logits, _ = self(idx_cond)
            logits = logits[:, -1, :] / temperature
            if top_k is not None:
                v, _ = torch.topk(logits, min(top_k, logits.size(-1)))
                logits[logits < v[:, [-1]]] = -float('Inf')
            if top_p is not None:
                sorted_logits, sorted_indices = torch.sort(logits, descending=True)
                cum = torch.cumsum(F.softmax(sorted_logits, dim=-1), dim=-1)
                remove = cum > top_p
                remove[..., 1:] = remove[..., :-1].clone()
                remove[..., 0] = 0
                logits = logits.masked_fill(remove.scatter(1, sorted_indices, remove), float("-inf"))
            probs = F.softmax(logits, dim=-1)
            idx_next = torch.multinomial(probs, num_samples=1)
            idx = torch.cat((idx, idx_next), dim=1)
        return idx


torch.manual_seed(1)
cfg = Config(names=["a"])
print(cfg)
model = GPT(cfg)
opt = torch.optim.AdamW(model.parameters(), lr=1e-2, betas=(0.9, 0.95), weight_decay=0.1)
data = torch.randint(cfg.vocab_size, (200,))


def get_batch(n=4):
    ix = torch.randint(len(data) - cfg.block_size, (n,))
    x = torch.stack([data[i:i + cfg.block_size] for i in ix])
    y = torch.stack([data[i + 1:i + 1 + cfg.block_size] for i in ix])
    return x, y


for it in range(6):
    x, y = get_batch()
    y[0, :3] = -1
    _, loss = model(x, y)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    print(f"iter {it}: loss {loss.item():.3f} norm {norm:.3f}")
model.eval()
print(model.generate(torch.zeros((1, 1), dtype=torch.long), 12, temperature=0.8, top_k=5)[0].tolist())
print(model.generate(torch.zeros((2, 1), dtype=torch.long), 5, top_p=0.9).shape)
try:
    model(torch.zeros(1, 13, dtype=torch.long))
except AssertionError as e:
    print(e)
pe = PositionalEncoding(8, 0.0)
print(pe(torch.zeros(3, 2, 8))[:, 0])
torch.manual_seed(2)
tr = nn.Transformer(d_model=8, nhead=2, num_encoder_layers=1, num_decoder_layers=1, dim_feedforward=16, dropout=0.0)
mask = tr.generate_square_subsequent_mask(4)
print(mask)
out = tr(torch.rand(5, 2, 8), torch.rand(4, 2, 8), tgt_mask=mask, src_key_padding_mask=torch.tensor([[False] * 5, [False] * 3 + [True] * 2]))
print(out.shape, [round(v, 3) for v in out[0, 0].tolist()])
enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(d_model=8, nhead=4, dim_feedforward=16, dropout=0.1, activation="gelu", batch_first=True, norm_first=True), num_layers=2, norm=nn.LayerNorm(8))
o = enc(torch.rand(2, 5, 8), mask=torch.triu(torch.full((5, 5), float("-inf")), diagonal=1))
print(o.shape, round(o.abs().sum().item(), 3))
mha = nn.MultiheadAttention(8, 2, kdim=6, vdim=4, add_bias_kv=True)
a, w = mha(torch.rand(3, 2, 8), torch.rand(5, 2, 6), torch.rand(5, 2, 4), key_padding_mask=torch.tensor([[False] * 5, [True] + [False] * 4]))
print(a.shape, w.shape, w.sum(-1), [n for n, _ in mha.named_parameters()])
_, w = nn.MultiheadAttention(8, 2)(torch.rand(3, 2, 8), torch.rand(3, 2, 8), torch.rand(3, 2, 8), average_attn_weights=False)
print(w.shape)
