import torch; from einops import rearrange; x = torch.arange(24).reshape(2, 3, 4); print(torch.equal(rearrange(x, 'a b c -> c b a'), x.permute(2, 1, 0)))

import torch; from einops import rearrange; x = torch.arange(24).reshape(2, 3, 4); print(torch.equal(rearrange(x, 'a b c -> a (b c)'), x.reshape(2, 12)), torch.equal(rearrange(x, 'a b c -> (a b) c'), x.reshape(6, 4)), rearrange(x, 'a b c -> (a b c)').shape)

import torch; from einops import rearrange; x = torch.arange(12).reshape(2, 6); print(torch.equal(rearrange(x, 'a (b c) -> a b c', b=2), x.reshape(2, 2, 3)), torch.equal(rearrange(x, 'a (b c) -> a c b', c=3), x.reshape(2, 2, 3).transpose(1, 2)))

import torch; from einops import rearrange; x = torch.arange(48).reshape(1, 3, 4, 4); print(torch.equal(rearrange(x, 'b c (h p1) (w p2) -> b (h w) (p1 p2 c)', p1=2, p2=2), x.reshape(1, 3, 2, 2, 2, 2).permute(0, 2, 4, 3, 5, 1).reshape(1, 4, 12)))

import torch; from einops import rearrange; x = torch.arange(24).reshape(2, 3, 4); print(torch.equal(rearrange(x, 'b ... -> ... b'), x.permute(1, 2, 0)), torch.equal(rearrange(x, 'b ... -> b (...)'), x.reshape(2, 12)))

import torch; from einops import rearrange; x = torch.arange(6).reshape(2, 3); print(rearrange(x, 'a b -> a 1 b').shape, rearrange(x, 'a b -> a () b').shape, rearrange(x.reshape(2, 1, 3), 'a 1 b -> a b').shape)

import torch; from einops import rearrange; a = [torch.ones(2, 3), torch.zeros(2, 3)]; print(rearrange(a, 'n h w -> n h w').shape, torch.equal(rearrange(a, 'n h w -> h (n w)'), torch.cat(a, 1)))

import torch; from einops import rearrange; qkv = torch.arange(2 * 3 * 12).reshape(2, 3, 12); q, k, v = rearrange(qkv, 'b n (three h d) -> three b h n d', three=3, h=2); print(q.shape, torch.equal(k[0, 1], qkv[0, :, 6:8]))

import torch; from einops import repeat; x = torch.arange(6).reshape(2, 3); print(torch.equal(repeat(x, 'a b -> a b c', c=2), x[:, :, None].expand(2, 3, 2)), torch.equal(repeat(x, 'a b -> (r a) b', r=2), x.repeat(2, 1)), torch.equal(repeat(x, 'a b -> a (b r)', r=2), x.repeat_interleave(2, 1)))

import torch; from einops import repeat; print(repeat(torch.ones(4), 'd -> b 1 d', b=3).shape, repeat(torch.ones(1, 1, 4), '() n d -> b n d', b=2).shape, repeat(torch.ones(1, 1, 4), '1 n d -> b n d', b=2).shape)

import torch; from einops import reduce; x = torch.arange(24.).reshape(2, 3, 4); print(torch.equal(reduce(x, 'a b c -> a b', 'mean'), x.mean(2)), torch.equal(reduce(x, 'a b c -> c', 'sum'), x.sum((0, 1))), torch.equal(reduce(x, 'a b c -> a 1 c', 'max'), x.amax(1, keepdim=True)), torch.equal(reduce(x, 'a b c -> ', 'min'), x.min()))

import torch; from einops import reduce; x = torch.arange(16.).reshape(1, 1, 4, 4); print(reduce(x, 'b c (h 2) (w 2) -> b c h w', 'max'), torch.equal(reduce(x, 'b c (h p) (w q) -> b c h w', 'mean', p=2, q=2), torch.nn.functional.avg_pool2d(x, 2)))

import torch; from einops import reduce; x = torch.arange(1., 7.).reshape(2, 3); print(reduce(x, 'a b -> a', 'prod'), reduce(x > 2, 'a b -> b', 'any'), reduce(x > 2, 'a b -> b', 'all'))

import torch; from einops import rearrange; rearrange(torch.ones(2, 3), 'a b c -> a b')

import torch; from einops import rearrange; rearrange(torch.ones(2, 6), 'a (b c) -> a b c', b=4)

import torch; from einops import repeat; repeat(torch.ones(2), 'a -> a b')

import torch; from einops import pack, unpack; a, b = torch.ones(2, 3), torch.zeros(2, 4, 3); p, ps = pack([a, b], 'x * y'); print(p.shape, ps, [t.shape for t in unpack(p, ps, 'x * y')])

import torch; from einops import einsum; a, b = torch.arange(6.).reshape(2, 3), torch.arange(12.).reshape(3, 4); print(torch.equal(einsum(a, b, 'i j, j k -> i k'), a @ b), einsum(a, 'i j -> j'), einsum(a, a, 'batch d, batch d -> batch'))

import torch; from einops.layers.torch import Rearrange, Reduce; x = torch.arange(24.).reshape(2, 3, 4); m = torch.nn.Sequential(Rearrange('b c w -> b (c w)'), torch.nn.Identity()); print(m(x).shape, m[0], Reduce('b c w -> b c', 'mean')(x).shape, list(m.parameters()))

import torch; from einops import parse_shape, asnumpy; print(parse_shape(torch.zeros(2, 3, 5, 7), 'batch _ h w'))

import torch; from einops import rearrange; x = torch.ones(2, 6, requires_grad=True); rearrange(x, 'a (b c) -> c (a b)', b=2).pow(2).sum().backward(); print(x.grad.unique())
