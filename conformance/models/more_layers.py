"""Layers and losses by module, with every keyword, forward and gradient in a few digits."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


def show(name, o, *params):
    o = o if isinstance(o, torch.Tensor) else o[0]
    if o.requires_grad:
        (o * torch.linspace(-1, 1, o.numel()).view_as(o)).sum().backward()
    print(name, tuple(o.shape), "%.3f %.3f" % (round(o.float().sum().item(), 3) + 0.0, o.float().abs().max().item()), ["%.3f" % p.grad.norm().item() if p.grad is not None else None for p in params])


x1, x2, x3 = (torch.randn(*s, requires_grad=True) for s in ((2, 4, 8), (2, 4, 6, 6), (1, 2, 4, 4, 4)))
for m, x in [
    (nn.Conv1d(4, 6, kernel_size=3, stride=2, padding=1, dilation=1, groups=2, bias=True), x1),
    (nn.Conv1d(4, 2, 5, padding="same", padding_mode="circular"), x1),
    (nn.ConvTranspose1d(4, 2, 4, stride=2, padding=1, output_padding=1), x1),
    (nn.Conv2d(4, 8, (3, 1), stride=(1, 2), padding=(1, 0), dilation=(2, 1)), x2),
    (nn.Conv2d(4, 4, 3, groups=4, padding_mode="reflect", padding=1), x2),
    (nn.ConvTranspose2d(in_channels=4, out_channels=4, kernel_size=3, stride=2, padding=1, output_padding=1, groups=2, dilation=1), x2),
    (nn.Conv3d(2, 3, 2), x3), (nn.ConvTranspose3d(2, 2, 2, stride=2), x3),
    (nn.MaxPool1d(2), x1), (nn.MaxPool2d(3, stride=2, padding=1), x2), (nn.MaxPool3d(2), x3), (nn.AvgPool1d(3, 1, 1), x1), (nn.AvgPool2d(2, divisor_override=3), x2), (nn.AvgPool3d(2), x3),
    (nn.AdaptiveAvgPool1d(3), x1), (nn.AdaptiveMaxPool2d((2, 3)), x2), (nn.AdaptiveAvgPool3d(1), x3), (nn.AdaptiveMaxPool1d(2), x1),
    (nn.BatchNorm1d(4), x1), (nn.BatchNorm2d(4, eps=1e-3, momentum=0.2), x2), (nn.BatchNorm3d(2), x3), (nn.GroupNorm(num_groups=2, num_channels=4), x2), (nn.InstanceNorm1d(4), x1), (nn.InstanceNorm2d(4, affine=True), x2), (nn.LayerNorm((6, 6)), x2), (nn.LayerNorm(8, elementwise_affine=False), x1),
    (nn.PReLU(num_parameters=4), x2), (nn.RReLU().eval(), x1), (nn.RReLU(0.1, 0.4), x1), (nn.Softplus(beta=2, threshold=1), x1), (nn.Softshrink(0.2), x1), (nn.Hardshrink(), x1), (nn.Tanhshrink(), x1), (nn.LogSigmoid(), x1), (nn.CELU(0.5), x1), (nn.SELU(), x1), (nn.GELU("tanh"), x1), (nn.GLU(1), x1), (nn.Softmin(1), x1), (nn.LogSoftmax(dim=-1), x1), (nn.Threshold(0.1, 2.0), x1), (nn.ReLU6(), x1), (nn.Hardswish(), x1), (nn.Mish(), x1), (nn.Softsign(), x1), (nn.ELU(alpha=0.3), x1), (nn.LeakyReLU(negative_slope=0.2), x1),
    (nn.Linear(8, 3, bias=False), x1), (nn.LazyLinear(3) if hasattr(nn, "LazyLinearX") else nn.Linear(8, 3), x1), (nn.Flatten(start_dim=0), x1), (nn.Unflatten(2, (2, 4)), x1), (nn.Identity(54, unused=1), x1), (nn.Upsample(size=(3, 5)), x2), (nn.Upsample(scale_factor=1.5, mode="bicubic", align_corners=True), x2), (nn.UpsamplingBilinear2d(scale_factor=2), x2), (nn.UpsamplingNearest2d(size=4), x2), (nn.PixelUnshuffle(2), x2), (nn.ReplicationPad1d((2, 1)), x1), (nn.ConstantPad2d((1, 2, 0, 1), 0.5), x2), (nn.ZeroPad2d((-1, 1, 0, 0)), x2), (nn.ReflectionPad1d(2), x1), (nn.CosineSimilarity(dim=1), None),
]:
    if x is None:
        show("CosineSimilarity", m(x1, x1.detach().flip(0)), x1)
        continue
    x.grad = None
    show(repr(m)[:60].split("\n")[0], m(x), x, *m.parameters())
y = torch.randn(3, 5, requires_grad=True)
tc, tf = torch.tensor([0, 4, 2]), torch.rand(3, 5)
for m, t in [
    (nn.CrossEntropyLoss(weight=torch.rand(5), ignore_index=4, reduction="sum"), tc), (nn.CrossEntropyLoss(label_smoothing=0.2), tc), (nn.CrossEntropyLoss(), tf.softmax(1)), (nn.NLLLoss(), tc), (nn.MSELoss(), tf), (nn.L1Loss(reduction="none"), tf), (nn.SmoothL1Loss(beta=0.3), tf), (nn.HuberLoss(delta=0.5), tf), (nn.BCEWithLogitsLoss(pos_weight=torch.rand(5)), tf), (nn.KLDivLoss(reduction="batchmean"), tf), (nn.KLDivLoss(log_target=True, reduction="sum"), tf.log()), (nn.PoissonNLLLoss(), tf), (nn.SoftMarginLoss(), tf.sign()), (nn.MultiLabelSoftMarginLoss(), tf.round()), (nn.HingeEmbeddingLoss(margin=0.5), tf.round() * 2 - 1), (nn.MultiMarginLoss(), tc) if hasattr(nn, "MultiMarginLossX") else (nn.MSELoss(reduction="sum"), tf),
]:
    y.grad = None
    show(type(m).__name__, m(y, t), y)
show("BCELoss", nn.BCELoss()(y.sigmoid(), tf), y)
show("Gaussian", nn.GaussianNLLLoss()(y, tf, torch.ones(3, 5)), y)
show("Margin", nn.MarginRankingLoss(0.1)(y[0], y[1], torch.ones(5)), y)
show("Triplet", nn.TripletMarginLoss(margin=2.0)(y, tf, tf.flip(0)), y)
show("CosEmb", nn.CosineEmbeddingLoss(margin=0.1)(y, tf, torch.tensor([1., -1., 1.])), y)
show("Bilinear", nn.Bilinear(5, 5, 2)(y, y), y)
show("PairDist", nn.PairwiseDistance(p=1, keepdim=True)(y, tf), y)
show("Unfold", nn.Unfold((2, 3), dilation=1, padding=1, stride=2)(x2), x2)
show("Fold", nn.Fold(output_size=(4, 5), kernel_size=(2, 2))(torch.randn(1, 8, 12, requires_grad=True)))
mha = nn.MultiheadAttention(embed_dim=8, num_heads=2, dropout=0.0, bias=True, batch_first=True)
q = torch.randn(2, 3, 8, requires_grad=True)
o, w = mha(query=q, key=q, value=q, key_padding_mask=None, need_weights=True, attn_mask=torch.ones(3, 3).triu(1).bool())
show("MHA", o, q, *mha.parameters())
print(w[0])
enc = nn.TransformerEncoderLayer(8, 2, dim_feedforward=16, dropout=0.0, activation=F.gelu, batch_first=True)
show("Enc", enc(q, src_key_padding_mask=torch.tensor([[False, False, True], [False] * 3])), q)
enc.eval()
with torch.no_grad():
    show("EncEval", enc(q))
dec = nn.TransformerDecoder(nn.TransformerDecoderLayer(d_model=8, nhead=2, dim_feedforward=16, dropout=0.0, batch_first=True), num_layers=2)
show("Dec", dec(q, torch.randn(2, 5, 8), tgt_mask=nn.Transformer.generate_square_subsequent_mask(3)), q)
for cls in (nn.RNN, nn.GRU, nn.LSTM):
    r = cls(input_size=4, hidden_size=3, num_layers=2, batch_first=True, bidirectional=True, dropout=0.0)
    x = torch.randn(2, 5, 4, requires_grad=True)
    show(cls.__name__, r(x)[0], x, *list(r.parameters())[:3])
show("LSTMproj", nn.LSTM(4, 6, proj_size=2)(torch.randn(3, 1, 4))[0])
wn = nn.utils.weight_norm(nn.Linear(4, 3), name="weight", dim=0)
show("weight_norm", wn(torch.ones(2, 4)), wn.weight_g, wn.weight_v)
print([n for n, _ in wn.named_parameters()], nn.utils.remove_weight_norm(wn))
p = [torch.nn.Parameter(torch.ones(3)), torch.nn.Parameter(torch.ones(2))]
for i, v in enumerate(p):
    v.grad = torch.full_like(v, i + 1.)
print(nn.utils.clip_grad_norm_(p, 1.0), p[0].grad, nn.utils.clip_grad_norm_(p, max_norm=0.5, norm_type="inf"), p[1].grad, nn.utils.clip_grad_norm_(p, 10., error_if_nonfinite=True))
print(nn.Module.__call__ is not None, isinstance(nn.ReLU(), nn.Module), nn.Sequential().extend([nn.ReLU()]) if hasattr(nn.Sequential, "extend") else "", nn.Sequential(nn.Linear(1, 1), nn.ReLU())[:1], nn.ModuleList([nn.ReLU()] * 2))
try:
    nn.Sequential(nn.Linear(1, 1), "x")
except TypeError as e:
    print(e)
try:
    nn.Linear(2, 2)(torch.ones(2, 2), torch.ones(1))
except TypeError as e:
    print(e)
