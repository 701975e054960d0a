"""Blocks of vision models: depthwise, squeeze-excite, U-Net, ViT patches, window attention, dense, inception."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from functools import partial

torch.manual_seed(0)


def _make_divisible(v, divisor, min_value=None):
    if min_value is None:
        min_value = divisor
    new_v = max(min_value, int(v + divisor / 2) // divisor * divisor)
    if new_v < 0.9 * v:
        new_v += divisor
    return new_v


class SE(nn.Module):
    def __init__(self, c, r=4):
        super().__init__()
        self.avg = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Sequential(nn.Conv2d(c, c // r, 1), nn.ReLU(inplace=True), nn.Conv2d(c // r, c, 1), nn.Hardsigmoid())

    def forward(self, x):
        return x * self.fc(self.avg(x))


class InvertedResidual(nn.Sequential):
    def __init__(self, inp, oup, stride, expand):
        hid = int(round(inp * expand))
        self.use_res = stride == 1 and inp == oup
        layers = []
        if expand != 1:
            layers += [nn.Conv2d(inp, hid, 1, bias=False), nn.BatchNorm2d(hid, momentum=0.01, eps=1e-3), nn.Hardswish()]
        layers.extend([nn.Conv2d(hid, hid, 3, stride, 1, groups=hid, bias=False), nn.BatchNorm2d(hid), nn.ReLU6(), SE(hid), nn.Conv2d(hid, oup, 1, 1, 0, bias=False), nn.BatchNorm2d(oup)])
        super().__init__(*layers)

    def forward(self, x):
        y = super().forward(x)
        return x + y if self.use_res else y


class UNet(nn.Module):
    def __init__(self, ch=(3, 4, 8)):
        super().__init__()
        self.down = nn.ModuleList(self.block(i, o) for i, o in zip(ch, ch[1:]))
        self.up = nn.ModuleList(nn.ConvTranspose2d(o, i, 2, stride=2) for i, o in zip(ch[1:-1], ch[2:]))
        self.dec = nn.ModuleList(self.block(2 * i, i) for i in ch[1:-1])
        self.head = nn.Conv2d(ch[1], 1, 1)

    @staticmethod
    def block(i, o):
        return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.GroupNorm(2, o), nn.SiLU(True))

    def forward(self, x):
        skips = []
        for k, d in enumerate(self.down):
            x = d(x)
            if k < len(self.down) - 1:
                skips.append(x)
                x = F.max_pool2d(x, 2)
        for u, d, s in zip(self.up, self.dec, skips[::-1]):
            x = u(x)
            dy, dx = s.size(2) - x.size(2), s.size(3) - x.size(3)
            x = F.pad(x, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])
            x = d(torch.cat([s, x], dim=1))
        return self.head(x)


class ViT(nn.Module):
    def __init__(self, img=8, patch=4, dim=8, depth=2, heads=2, classes=3):
        super().__init__()
        self.patch_embed = nn.Conv2d(3, dim, kernel_size=patch, stride=patch)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos_embed = nn.Parameter(torch.randn(1, (img // patch) ** 2 + 1, dim) * .02)
        self.drop_path = [x.item() for x in torch.linspace(0, 0.1, depth)]
        norm = partial(nn.LayerNorm, eps=1e-6)
        self.qkv = nn.ModuleList([nn.Linear(dim, dim * 3, bias=False) for _ in range(depth)])
        self.norms = nn.ModuleList([norm(dim) for _ in range(depth)])
        self.heads, self.scale = heads, (dim // heads) ** -0.5
        self.head = nn.Linear(dim, classes) if classes > 0 else nn.Identity()
        nn.init.trunc_normal_(self.cls_token, std=.02)

    def forward(self, x):
        B = x.shape[0]
        x = self.patch_embed(x).flatten(2).transpose(1, 2)
        x = torch.cat((self.cls_token.expand(B, -1, -1), x), dim=1) + self.pos_embed
        for qkv, n in zip(self.qkv, self.norms):
            b, t, c = x.shape
            q, k, v = qkv(n(x)).reshape(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
            attn = ((q * self.scale) @ k.transpose(-2, -1)).softmax(dim=-1)
            x = x + (attn @ v).transpose(1, 2).reshape(b, t, c)
        return self.head(x[:, 0])


def window_partition(x, w):
    B, H, W, C = x.shape
    return x.view(B, H // w, w, W // w, w, C).permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, w, w, C)


def window_reverse(win, w, H, W):
    B = int(win.shape[0] / (H * W / w / w))
    return win.view(B, H // w, W // w, w, w, -1).permute(0, 1, 3, 2, 4, 5).contiguous().view(B, H, W, -1)


class ShuffleUnit(nn.Module):
    def forward(self, x, groups=2):
        b, c, h, w = x.data.size()
        return x.view(b, groups, c // groups, h, w).transpose(1, 2).contiguous().view(b, -1, h, w)


print(_make_divisible(37 * 1.4, 8))
ir = InvertedResidual(8, 8, 1, 2)
x = torch.randn(2, 8, 6, 6)
y = ir(x)
y.mean().backward()
print(y.shape, round(y.std().item(), 3), round(ir[0].weight.grad.norm().item(), 4), ir[1].running_var[:2])
net = UNet()
out = net(torch.randn(1, 3, 10, 14))
F.binary_cross_entropy_with_logits(out, torch.zeros_like(out)).backward()
print(out.shape, round(out.mean().item(), 3), [round(p.grad.abs().sum().item(), 3) for p in net.parameters()][:6])
v = ViT()
opt = torch.optim.AdamW(v.parameters(), lr=3e-3)
img, lab = torch.randn(4, 3, 8, 8), torch.tensor([0, 1, 2, 1])
for _ in range(4):
    loss = F.cross_entropy(v(img), lab)
    opt.zero_grad(); loss.backward(); opt.step()
print(v.drop_path, round(loss.item(), 4))
z = torch.arange(2 * 4 * 4 * 1.).view(2, 4, 4, 1)
win = window_partition(z, 2)
print(win.shape, window_reverse(win, 2, 4, 4).equal(z), win[1].flatten())
coords = torch.stack(torch.meshgrid([torch.arange(2), torch.arange(2)], indexing="ij")).flatten(1)
rel = (coords[:, :, None] - coords[:, None, :]).permute(1, 2, 0).contiguous()
rel[:, :, 0] += 1
rel[:, :, 1] += 1
rel[:, :, 0] *= 3
print(rel.sum(-1))
shifted = torch.roll(z, shifts=(-1, -1), dims=(1, 2))
print(shifted[0, :, :, 0])
mask = torch.zeros(1, 4, 4, 1)
cnt = 0
for h in (slice(0, -2), slice(-2, -1), slice(-1, None)):
    for w in (slice(0, -2), slice(-2, -1), slice(-1, None)):
        mask[:, h, w, :] = cnt
        cnt += 1
mw = window_partition(mask, 2).view(-1, 4)
am = mw.unsqueeze(1) - mw.unsqueeze(2)
am = am.masked_fill(am != 0, float(-100.0)).masked_fill(am == 0, float(0.0))
print(am[1])
print(ShuffleUnit()(torch.arange(4.).view(1, 4, 1, 1)).flatten())
bn = nn.BatchNorm1d(2, affine=True)
for i in range(3):
    bn(torch.arange(6.).view(3, 2) + i)
print(bn.running_mean, bn.running_var, bn.num_batches_tracked, bn.eval()(torch.ones(1, 2)), bn.state_dict())
for m in (nn.InstanceNorm2d(4, affine=True), nn.LocalResponseNorm(2), nn.LPPool2d(2, 2), nn.AdaptiveAvgPool2d((None, 2)), nn.PixelShuffle(2), nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True), nn.ReflectionPad2d(1), nn.ReplicationPad2d((1, 0, 1, 0)), nn.ZeroPad2d(1), nn.Softmax2d(), nn.ChannelShuffle(2), nn.Dropout2d(0.0), nn.Unfold(2, stride=2), nn.MaxPool2d(2, stride=1, dilation=2), nn.Conv2d(4, 2, 3, padding_mode="reflect", padding=1), nn.FractionalMaxPool2d if False else nn.AvgPool2d(3, 2, 1, ceil_mode=True)):
    o = m(torch.arange(64.).view(1, 4, 4, 4) / 64)
    print(type(m).__name__, tuple(o.shape), round(o.sum().item(), 2), round(o.flatten()[5].item(), 3))
