import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence, pack_padded_sequence, pad_packed_sequence
import random

random.seed(3)
torch.manual_seed(3)


class TextClassifier(nn.Module):
    def __init__(self, vocab, dim=8, hidden=6, layers=2, kind="GRU", bidirectional=True, pad=0):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim, padding_idx=pad)
        self.rnn = getattr(nn, kind)(dim, hidden, num_layers=layers, batch_first=True, bidirectional=bidirectional, dropout=0.2)
        self.fc = nn.Linear(hidden * (2 if bidirectional else 1), 3)
        self.kind = kind

    def forward(self, tokens, hidden=None):
        emb = self.embedding(tokens)
        out, h = self.rnn(emb, hidden)
        if self.kind == "LSTM":
            h, c = h
        h = torch.cat((h[-2, :, :], h[-1, :, :]), dim=1)
        return self.fc(h), out


for kind in ["RNN", "GRU", "LSTM"]:
    torch.manual_seed(3)
    model = TextClassifier(20, kind=kind)
    print(model)
    seqs = [torch.tensor([random.randrange(1, 20) for _ in range(n)]) for n in (5, 3, 4)]
    batch = pad_sequence(seqs, batch_first=True)
    print(batch)
    print(pad_sequence(seqs, padding_value=-1).shape)
    model.eval()
    logits, out = model(batch)
    print(logits.shape, out.shape, [round(v, 3) for v in logits[0].tolist()])
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    y = torch.tensor([0, 1, 2])
    for epoch in range(3):
        logits, _ = model(batch)
        loss = nn.functional.cross_entropy(logits, y)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        opt.step()
        print(epoch, "%.3f" % loss.item())
    print(model.embedding.weight[0].sum(), model.embedding.weight.grad[0].abs().sum())
    print([(n, tuple(p.shape)) for n, p in model.rnn.named_parameters()])
    print(model.rnn.weight_ih_l0.shape)
for kind in ["RNN", "GRU", "LSTM"]:
    torch.manual_seed(8)
    rnn = getattr(nn, kind)(3, 2, num_layers=2, bidirectional=True, batch_first=True)
    x = torch.randn(3, 4, 3, requires_grad=True)
    for lengths, ordered in (([4, 2, 1], True), (torch.tensor([2, 4, 3]), False)):
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=ordered)
        print(packed.data.shape, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices, type(packed).__name__)
        out, h = rnn(packed)
        padded, n = pad_packed_sequence(out, batch_first=True, padding_value=-1.0, total_length=5)
        print(padded.shape, n, padded[:, 1:4, 0])
        print(h if kind != "LSTM" else h[1])
        x.grad = None
        padded.sum().backward()
        print(x.grad.sum(-1))
try:
    pack_padded_sequence(x, [1, 2, 3], batch_first=True)
except RuntimeError as e:
    print(e)
cell = nn.LSTMCell(4, 3)
h, c = cell(torch.ones(2, 4))
print(h.shape, c.shape, cell)
h, c = cell(torch.ones(2, 4), (h, c))
print(h)
g = nn.GRUCell(4, 3)
print(g(torch.ones(2, 4)), g)
r = nn.RNN(4, 3, nonlinearity="relu")
o, hn = r(torch.ones(5, 2, 4), torch.zeros(1, 2, 3))
print(o.shape, hn.shape, torch.equal(o[-1], hn[0]))
o, hn = nn.GRU(4, 3)(torch.ones(5, 4))
print(o.shape, hn.shape)
try:
    nn.GRU(4, 3)(torch.ones(5, 2, 7))
except RuntimeError as e:
    print(e)
