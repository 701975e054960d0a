"""What the printed history of a tensor calls each op."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.rand(2, 3, requires_grad=True)
y = torch.rand(3, 2, requires_grad=True)
im = torch.rand(1, 2, 4, 4, requires_grad=True)
i = torch.tensor([0, 1])
ops = {
    "arith": [lambda: x + x, lambda: x - 1, lambda: 1 - x, lambda: x * 2, lambda: x / 2, lambda: 2 / x, lambda: x ** 2, lambda: 2 ** x, lambda: x % 2, lambda: -x, lambda: abs(x), lambda: x @ y, lambda: x.square(), lambda: x.rsqrt(), lambda: x.reciprocal(), lambda: torch.lerp(x, x, 0.5), lambda: torch.addcmul(x, x, x), lambda: torch.addmm(torch.ones(2, 2), x, y), lambda: x.mm(y), lambda: torch.bmm(x[None], y[None]), lambda: torch.mv(x, y[:, 0]), lambda: torch.dot(x[0], x[1]), lambda: torch.outer(x[0], x[1]), lambda: torch.matmul(x[None], y), lambda: torch.maximum(x, x), lambda: torch.atan2(x, x)],
    "reduce": [lambda: x.sum(), lambda: x.sum(1), lambda: x.mean(), lambda: x.mean(0), lambda: x.max(), lambda: x.max(1)[0], lambda: x.amax(1), lambda: x.min(), lambda: x.std(), lambda: x.var(1), lambda: x.norm(), lambda: x.norm(dim=1), lambda: x.prod(), lambda: x.logsumexp(1), lambda: x.cumsum(0), lambda: x.median(), lambda: x.topk(1)[0], lambda: x.sort()[0], lambda: x.cumprod(1), lambda: torch.var_mean(x)[0]],
    "shape": [lambda: x.view(6), lambda: x.t(), lambda: x.T, lambda: x.transpose(0, 1), lambda: x.permute(1, 0), lambda: x.flatten(), lambda: x.squeeze(), lambda: x.squeeze(0), lambda: x.unsqueeze(0), lambda: x[0], lambda: x[:, 1:], lambda: x[None], lambda: x[i], lambda: x[x > 0], lambda: x.expand(2, 2, 3), lambda: x.repeat(2, 1), lambda: x.chunk(2)[0], lambda: x.split(1)[0], lambda: x.unbind()[0], lambda: torch.cat([x, x]), lambda: torch.stack([x, x]), lambda: x.flip(0), lambda: x.tril(), lambda: torch.diag(x[0]), lambda: x.clone(), lambda: x.contiguous(), lambda: x.t().contiguous(), lambda: x.double(), lambda: x.to(torch.float64), lambda: x.select(0, 1), lambda: x.narrow(0, 0, 1), lambda: x.unfold(1, 2, 1), lambda: x.view_as(x), lambda: x.movedim(0, 1), lambda: x.tile(2), lambda: x.repeat_interleave(2), lambda: x[..., 0], lambda: x[0, 1]],
    "pick": [lambda: x.gather(1, torch.zeros(2, 1).long()), lambda: x.index_select(0, i), lambda: torch.where(x > 0, x, x), lambda: x.masked_fill(x > 0.5, 0), lambda: x.masked_select(x > 0), lambda: x.clamp(0, 1), lambda: x.clamp(min=0), lambda: x.scatter(1, torch.zeros(2, 1).long(), 1.), lambda: torch.zeros(2, 3).scatter_add(1, torch.zeros(2, 3).long(), x), lambda: torch.zeros(2, 3).index_add(0, i, x), lambda: F.embedding(i, x), lambda: x.take(i)],
    "act": [lambda: x.exp(), lambda: x.log(), lambda: x.sqrt(), lambda: x.sin(), lambda: x.tanh(), lambda: x.sigmoid(), lambda: x.relu(), lambda: F.relu(x), lambda: F.gelu(x), lambda: F.silu(x), lambda: F.leaky_relu(x), lambda: F.elu(x), lambda: F.softplus(x), lambda: F.hardtanh(x), lambda: F.relu6(x), lambda: F.softmax(x, 1), lambda: F.log_softmax(x, 1), lambda: F.logsigmoid(x), lambda: F.mish(x), lambda: F.hardswish(x), lambda: F.glu(y, 1), lambda: F.prelu(x, torch.ones(1)), lambda: x.erf(), lambda: x.log1p(), lambda: x.floor(), lambda: x.round()],
    "nn": [lambda: F.linear(x, x), lambda: F.linear(x, x, torch.ones(2)), lambda: F.linear(x[None], x, torch.ones(2)), lambda: F.layer_norm(x, (3,)), lambda: F.dropout(x, 0.5), lambda: F.conv2d(im, torch.ones(1, 2, 2, 2)), lambda: F.conv1d(im[0], torch.ones(1, 4, 2)), lambda: F.max_pool2d(im, 2), lambda: F.avg_pool2d(im, 2), lambda: F.adaptive_avg_pool2d(im, 2), lambda: F.adaptive_avg_pool2d(im, 1), lambda: F.batch_norm(im, torch.zeros(2), torch.ones(2), training=True), lambda: F.group_norm(im, 2), lambda: F.interpolate(im, scale_factor=2), lambda: F.interpolate(im, scale_factor=2, mode="bilinear"), lambda: F.pad(im, (1, 1)), lambda: F.pad(im, (1, 1, 1, 1), mode="reflect"), lambda: F.conv_transpose2d(im, torch.ones(2, 1, 2, 2)), lambda: F.pixel_shuffle(im.view(1, 4, 2, 4), 2), lambda: F.unfold(im, 2), lambda: F.normalize(x), lambda: F.cosine_similarity(x, x)],
    "loss": [lambda: F.cross_entropy(x, i), lambda: F.nll_loss(x, i), lambda: F.mse_loss(x, torch.ones(2, 3)), lambda: F.l1_loss(x, torch.ones(2, 3)), lambda: F.smooth_l1_loss(x, torch.ones(2, 3)), lambda: F.huber_loss(x, torch.ones(2, 3)), lambda: F.binary_cross_entropy(x, torch.ones(2, 3)), lambda: F.binary_cross_entropy_with_logits(x, torch.ones(2, 3)), lambda: F.kl_div(x, torch.ones(2, 3)), lambda: nn.CrossEntropyLoss(label_smoothing=0.1)(x, i), lambda: F.mse_loss(x, torch.ones(2, 3), reduction="sum"), lambda: F.cross_entropy(x, torch.ones(2, 3))],
}
for group, fs in ops.items():
    print(group)
    for n, f in enumerate(fs):
        o = f()
        print(n, type(o.grad_fn).__name__)
