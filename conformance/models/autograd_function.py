import torch
from torch.autograd import Function
import torch.nn as nn


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        input, = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[input < 0] = 0
        return grad_input


class GradReverse(Function):
    @staticmethod
    def forward(ctx, x, lambd):
        ctx.lambd = lambd
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return grad.neg() * ctx.lambd, None


class LinearFn(Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


class STE(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.sign(x), x.abs().mean()

    @staticmethod
    def backward(ctx, g, gm):
        print("ste", g, gm)
        return g


class NonDiff(Function):
    @staticmethod
    def forward(ctx, x):
        idx = x.argsort()
        ctx.mark_non_differentiable(idx)
        return x.sort()[0], idx

    @staticmethod
    def backward(ctx, g, _):
        return g


relu = MyReLU.apply
x = torch.tensor([-1., 2., 3.], requires_grad=True)
y = relu(x)
print(y, y.requires_grad)
y.sum().backward()
print(x.grad)
x.grad.zero_()
GradReverse.apply(x, 0.5).sum().backward()
print(x.grad)
w = torch.randn(2, 3, generator=torch.Generator().manual_seed(0)).requires_grad_()
b = torch.zeros(2, requires_grad=True)
out = LinearFn.apply(torch.ones(4, 3), w, b)
out.sum().backward()
print(w.grad, b.grad)
out = LinearFn.apply(torch.ones(4, 3), w)
print(out.shape)
out.sum().backward()
print(w.grad)
s, m = STE.apply(x)
print(s, m)
(s * 2).sum().backward()
print(x.grad)
v, i = NonDiff.apply(x)
print(v.requires_grad, i.requires_grad)
from torch.autograd import gradcheck
inp = (torch.randn(3, 3, dtype=torch.double, requires_grad=True, generator=None), torch.randn(2, 3, dtype=torch.double, requires_grad=True))
print(gradcheck(LinearFn.apply, inp, eps=1e-6, atol=1e-4))


class Bad(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g, g


try:
    Bad.apply(x).sum().backward()
except RuntimeError as e:
    print(e)


class Exp(Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        result, = ctx.saved_tensors
        return grad_output * result


x = torch.tensor([0.5], requires_grad=True)
g, = torch.autograd.grad(Exp.apply(x), x, create_graph=True)
g2, = torch.autograd.grad(g, x)
print(g, g2)
with torch.no_grad():
    print(Exp.apply(x).requires_grad)
