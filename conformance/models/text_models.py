"""Seq2seq with attention, char-CNN, bag of words, CTC-less speech bits, matrix factorisation, siamese and contrastive losses."""
import random
import string
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim

SOS, EOS = 0, 1
torch.manual_seed(0)
random.seed(0)


class Lang:
    def __init__(self, name):
        self.name = name
        self.word2index = {}
        self.word2count = {}
        self.index2word = {0: "SOS", 1: "EOS"}
        self.n_words = 2

    def addSentence(self, sentence):
        for word in sentence.split(" "):
            self.addWord(word)

    def addWord(self, word):
        if word not in self.word2index:
            self.word2index[word] = self.n_words
            self.word2count[word] = 1
            self.index2word[self.n_words] = word
            self.n_words += 1
        else:
            self.word2count[word] += 1


class EncoderRNN(nn.Module):
    def __init__(self, input_size, hidden_size, dropout_p=0.1):
        super(EncoderRNN, self).__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(input_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, batch_first=True)
        self.dropout = nn.Dropout(dropout_p)

    def forward(self, input):
        return self.gru(self.dropout(self.embedding(input)))


class BahdanauAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.Wa = nn.Linear(hidden_size, hidden_size)
        self.Ua = nn.Linear(hidden_size, hidden_size)
        self.Va = nn.Linear(hidden_size, 1)

    def forward(self, query, keys):
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys)))
        scores = scores.squeeze(2).unsqueeze(1)
        weights = F.softmax(scores, dim=-1)
        return torch.bmm(weights, keys), weights


class AttnDecoderRNN(nn.Module):
    def __init__(self, hidden_size, output_size):
        super().__init__()
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.attention = BahdanauAttention(hidden_size)
        self.gru = nn.GRU(2 * hidden_size, hidden_size, batch_first=True)
        self.out = nn.Linear(hidden_size, output_size)

    def forward(self, enc_out, enc_h, target=None, max_len=4):
        inp = torch.empty(enc_out.size(0), 1, dtype=torch.long).fill_(SOS)
        h, outs, atts = enc_h, [], []
        for i in range(max_len):
            o, h, a = self.step(inp, h, enc_out)
            outs.append(o)
            atts.append(a)
            if target is not None:
                inp = target[:, i].unsqueeze(1)
            else:
                _, topi = o.topk(1)
                inp = topi.squeeze(-1).detach()
        return F.log_softmax(torch.cat(outs, dim=1), dim=-1), h, torch.cat(atts, dim=1)

    def step(self, inp, h, enc_out):
        e = self.embedding(inp)
        ctx, w = self.attention(h.permute(1, 0, 2), enc_out)
        o, h = self.gru(torch.cat((e, ctx), dim=2), h)
        return self.out(o), h, w


pairs = [["je suis la", "i am here"], ["il est la", "he is here"], ["je vais", "i go"]]
a, b = Lang("fra"), Lang("eng")
for p in pairs:
    a.addSentence(p[0])
    b.addSentence(p[1])
print(a.name, a.n_words, b.n_words, a.word2index, b.index2word[3])


def ids(lang, s, n=4):
    out = [lang.word2index[w] for w in s.split(" ")] + [EOS]
    return out + [EOS] * (n - len(out))


X = torch.LongTensor([ids(a, p[0]) for p in pairs])
Y = torch.tensor([ids(b, p[1]) for p in pairs], dtype=torch.long).view(-1, 4)
enc, dec = EncoderRNN(a.n_words, 8), AttnDecoderRNN(8, b.n_words)
eo, do = optim.Adam(enc.parameters(), lr=0.02), optim.Adam(dec.parameters(), lr=0.02)
crit = nn.NLLLoss()
for epoch in range(12):
    eo.zero_grad(); do.zero_grad()
    eout, eh = enc(X)
    dout, _, _ = dec(eout, eh, Y)
    loss = crit(dout.view(-1, dout.size(-1)), Y.view(-1))
    loss.backward()
    eo.step(); do.step()
    if epoch % 4 == 3:
        print("%d %.3f" % (epoch, loss))
enc.eval(); dec.eval()
with torch.no_grad():
    o, _, att = dec(*enc(X))
    for row in o.topk(1)[1].squeeze():
        words = []
        for i in row:
            if i.item() == EOS:
                break
            words.append(b.index2word[i.item()])
        print(" ".join(words))
    print(att.shape, att.sum(-1)[0].mean().item() > 0.999)

all_letters = string.ascii_letters + " .,;'"


def lineToTensor(line):
    t = torch.zeros(len(line), 1, len(all_letters))
    for li, letter in enumerate(line):
        t[li][0][all_letters.find(letter)] = 1
    return t


class CharRNN(nn.Module):
    def __init__(self, n_in, n_h, n_out):
        super().__init__()
        self.hidden_size = n_h
        self.i2h = nn.Linear(n_in + n_h, n_h)
        self.h2o = nn.Linear(n_h, n_out)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, input, hidden):
        hidden = F.tanh(self.i2h(torch.cat((input, hidden), 1)))
        return self.softmax(self.h2o(hidden)), hidden

    def initHidden(self):
        return torch.zeros(1, self.hidden_size)


rnn = CharRNN(len(all_letters), 8, 3)
cats = ["Irish", "Greek", "Dutch"]
for i in range(30):
    c = random.choice(cats)
    line = lineToTensor({"Irish": "O'Neal", "Greek": "Pappas", "Dutch": "Rooyen"}[c])
    h = rnn.initHidden()
    rnn.zero_grad()
    for j in range(line.size()[0]):
        out, h = rnn(line[j], h)
    loss = crit(out, torch.tensor([cats.index(c)], dtype=torch.long))
    loss.backward()
    for p in rnn.parameters():
        p.data.add_(p.grad.data, alpha=-0.05)
top_n, top_i = out.data.topk(1)
print(cats[top_i[0].item()], round(loss.item(), 3))


class CharCNN(nn.Module):
    def __init__(self, v=20, d=6, ks=(2, 3), nf=4):
        super().__init__()
        self.emb = nn.Embedding(v, d, padding_idx=0, max_norm=1.0)
        self.convs = nn.ModuleList([nn.Conv1d(d, nf, k) for k in ks])
        self.bag = nn.EmbeddingBag(v, d, mode="mean", sparse=False)
        self.fc = nn.Linear(nf * len(ks) + d, 2)

    def forward(self, x):
        e = self.emb(x).permute(0, 2, 1)
        c = [F.max_pool1d(F.relu(f(e)), f(e).size(2)).squeeze(2) for f in self.convs]
        return self.fc(torch.cat(c + [self.bag(x)], 1))


cnn = CharCNN()
o = cnn(torch.randint(0, 20, (3, 7)))
o.sum().backward()
print(o.shape, round(o.sum().item(), 3), cnn.emb.weight.grad[0].abs().sum(), cnn.emb.weight.norm(dim=1).max() > 0)
off = nn.EmbeddingBag(5, 2, mode="sum", include_last_offset=False)
with torch.no_grad():
    off.weight.copy_(torch.arange(10.).view(5, 2))
print(off(torch.tensor([0, 1, 2, 4]), torch.tensor([0, 3])), off(torch.tensor([0, 1]), torch.tensor([0, 1]), per_sample_weights=torch.tensor([2., 3.])))
print(nn.Embedding.from_pretrained(torch.arange(6.).view(3, 2), freeze=True)(torch.tensor([2])), nn.Embedding.from_pretrained(torch.ones(2, 2)).weight.requires_grad)


class MF(nn.Module):
    def __init__(self, users, items, k=3):
        super().__init__()
        self.u, self.i = nn.Embedding(users, k), nn.Embedding(items, k)
        self.ub, self.ib = nn.Embedding(users, 1), nn.Embedding(items, 1)

    def forward(self, u, i):
        return ((self.u(u) * self.i(i)).sum(1, keepdim=True) + self.ub(u) + self.ib(i)).squeeze()


mf = MF(4, 5)
opt = optim.SGD(mf.parameters(), lr=0.1, weight_decay=1e-4)
u, i, r = torch.tensor([0, 1, 2, 3]), torch.tensor([0, 4, 2, 1]), torch.tensor([1., 3., 2., 5.])
for _ in range(10):
    loss = F.mse_loss(mf(u, i), r)
    opt.zero_grad(); loss.backward(); opt.step()
print(round(loss.item(), 4))


def nt_xent(z1, z2, t=0.5):
    z = F.normalize(torch.cat([z1, z2]), dim=1)
    sim = z @ z.T / t
    n = z1.size(0)
    sim.fill_diagonal_(float("-inf"))
    return F.cross_entropy(sim, torch.cat([torch.arange(n, 2 * n), torch.arange(n)]))


z1, z2 = torch.randn(3, 4, requires_grad=True), torch.randn(3, 4)
l = nt_xent(z1, z2)
l.backward()
print(round(l.item(), 4), round(z1.grad.norm().item(), 4))
tl = nn.TripletMarginLoss(margin=1.0, p=2)
print(tl(z1, z2, z2.flip(0)), nn.CosineEmbeddingLoss()(z1, z2, torch.ones(3)), nn.PairwiseDistance(p=2)(z1, z2))
logit_scale = nn.Parameter(torch.ones([]) * torch.log(torch.tensor(1 / 0.07)))
i_f, t_f = (v / v.norm(dim=-1, keepdim=True) for v in (z1, z2))
li = logit_scale.exp() * i_f @ t_f.t()
lab = torch.arange(3)
cl = (F.cross_entropy(li, lab) + F.cross_entropy(li.t(), lab)) / 2
cl.backward()
print(round(cl.item(), 4), round(logit_scale.grad.item(), 4))
focal = lambda x, y, g=2, a=0.25: (a * (1 - (p := torch.sigmoid(x)) * y - (1 - p) * (1 - y)) ** g * F.binary_cross_entropy_with_logits(x, y, reduction="none")).mean()
print(focal(torch.tensor([0.5, -1.]), torch.tensor([1., 0.])))
dice = lambda p, t, eps=1.: 1 - (2 * (p * t).sum((1, 2)) + eps) / (p.sum((1, 2)) + t.sum((1, 2)) + eps)
print(dice(torch.full((2, 2, 2), 0.5), torch.ones(2, 2, 2)))
