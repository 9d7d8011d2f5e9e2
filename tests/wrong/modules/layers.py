"""Broken layers: each has a backward of its own, and one mistake in it."""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.autograd import Function

from wrong.modules.broken import Broken, numbers

__all__ = ["LAYERS", "LayerNorm", "LayerNormRule"]


class LayerNormRule(Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps, wrong):
        mean = x.mean(-1, keepdim=True)
        scale = (x.var(-1, unbiased=False, keepdim=True) + eps).rsqrt()
        normal = (x - mean) * scale
        ctx.save_for_backward(normal, scale, weight)
        ctx.wrong = wrong
        return normal * weight + bias

    @staticmethod
    def backward(ctx, v):
        normal, scale, weight = ctx.saved_tensors
        g = v * weight
        mean = 0 if ctx.wrong else g.mean(-1, keepdim=True)  # wrong: the mean is a constant
        dx = scale * (g - mean - normal * (g * normal).mean(-1, keepdim=True))
        batch = tuple(range(v.ndim - 1))
        return dx, (v * normal).sum(batch), v.sum(batch), None, None


class LayerNorm(nn.LayerNorm):
    def __init__(self, size, wrong=True, **keywords):
        super().__init__(size, **keywords)
        self.wrong = wrong

    def forward(self, x):
        return LayerNormRule.apply(x, self.weight, self.bias, self.eps, self.wrong)


class BatchNormRule(Function):
    @staticmethod
    def forward(ctx, x, wrong):
        scale = (x.var(0, unbiased=False) + 1e-5).rsqrt()
        normal = (x - x.mean(0)) * scale
        ctx.save_for_backward(normal, scale)
        ctx.wrong = wrong
        return normal

    @staticmethod
    def backward(ctx, v):
        normal, scale = ctx.saved_tensors
        mean = 0 if ctx.wrong else v.mean(0)  # wrong: forgets the mean's gradient
        return scale * (v - mean - normal * (v * normal).mean(0)), None


class BatchNorm(nn.BatchNorm1d):
    def __init__(self, size, wrong):
        super().__init__(size, affine=False)
        self.wrong = wrong

    def forward(self, x):
        with torch.no_grad():
            self.running_mean.lerp_(x.mean(0), self.momentum)
            self.num_batches_tracked.add_(1)
        return BatchNormRule.apply(x, self.wrong)


class AttentionRule(Function):
    @staticmethod
    def forward(ctx, q, k, value, wrong):
        scale = 1 / math.sqrt(q.shape[-1])
        shares = (q @ k.mT * scale).softmax(-1)
        ctx.save_for_backward(q, k, value, shares)
        ctx.scale = 1.0 if wrong else scale  # wrong: no scale in backward
        return shares @ value

    @staticmethod
    def backward(ctx, v):
        q, k, value, shares = ctx.saved_tensors
        g = v @ value.mT
        g = shares * (g - (g * shares).sum(-1, keepdim=True)) * ctx.scale
        return g @ k, g.mT @ q, shares.mT @ v, None


class Attention(nn.Module):
    def __init__(self, size, wrong):
        super().__init__()
        self.mix, self.wrong = nn.Linear(size, 3 * size), wrong

    def forward(self, x):
        return AttentionRule.apply(*self.mix(x).chunk(3, -1), self.wrong)


class EmbeddingRule(Function):
    @staticmethod
    def forward(ctx, index, weight, wrong):
        ctx.save_for_backward(index)
        ctx.shape, ctx.wrong = weight.shape, wrong
        return weight[index]

    @staticmethod
    def backward(ctx, v):
        (index,) = ctx.saved_tensors
        gradient = v.new_zeros(ctx.shape)
        if ctx.wrong:
            gradient[index] = v  # wrong: duplicates overwrite each other
        else:
            gradient.index_put_((index,), v, accumulate=True)
        return None, gradient, None


class Embedding(nn.Embedding):
    def __init__(self, count, size, wrong):
        super().__init__(count, size)
        self.wrong = wrong

    def forward(self, index):
        return EmbeddingRule.apply(index, self.weight, self.wrong)


class CellRule(Function):
    @staticmethod
    def forward(ctx, gates, cell, wrong):
        i, f, g, o = gates.chunk(4, -1)
        i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
        new = f * cell + i * g
        ctx.save_for_backward(i, f, g, o, cell, new)
        ctx.wrong = wrong
        return o * new.tanh(), new

    @staticmethod
    def backward(ctx, dh, dc):
        i, f, g, o, cell, new = ctx.saved_tensors
        dc = dc + dh * o * (1 - new.tanh() ** 2)
        di, df = dc * g * i * (1 - i), dc * cell * f * (1 - f)
        if ctx.wrong:
            di, df = df, di  # wrong: input and forget gate swapped
        dg, do = dc * i * (1 - g**2), dh * new.tanh() * o * (1 - o)
        return torch.cat([di, df, dg, do], -1), dc * f, None


class Cell(nn.Module):
    def __init__(self, size, wrong):
        super().__init__()
        self.gates, self.wrong = nn.Linear(2 * size, 4 * size), wrong

    def forward(self, x, state):
        h, c = state
        return CellRule.apply(self.gates(torch.cat([x, h], -1)), c, self.wrong)


class Recurrent(nn.Module):
    def __init__(self, size, wrong):
        super().__init__()
        self.cell = Cell(size, wrong)

    def forward(self, xs):
        state = xs[0] * 0, xs[0] * 0 + 0.5
        for x in xs:
            state = self.cell(x, state)
        return state[0]


class GeluRule(Function):
    @staticmethod
    def forward(ctx, x, wrong):
        ctx.save_for_backward(x)
        ctx.wrong = wrong
        return nn.functional.gelu(x)

    @staticmethod
    def backward(ctx, v):
        (x,) = ctx.saved_tensors
        below = 0.5 * (1 + torch.erf(x / math.sqrt(2)))
        bell = torch.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
        return v * (below if ctx.wrong else below + x * bell), None  # wrong: a factor's derivative


class Gelu(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.wrong = wrong

    def forward(self, x):
        return GeluRule.apply(x, self.wrong)


class LinearRule(Function):
    @staticmethod
    def forward(ctx, x, weight, bias, how):
        ctx.save_for_backward(x, weight)
        ctx.how = how
        return x @ weight.mT + bias

    @staticmethod
    def backward(ctx, v):
        x, weight = ctx.saved_tensors
        db = v.mean(0) if ctx.how == "mean" else v.sum(0)
        dw = x.mT @ v if ctx.how == "transposed" else v.mT @ x
        return v @ weight, dw, db, None


class Linear(nn.Linear):
    def __init__(self, size, how):
        super().__init__(size, size)
        self.how = how

    def forward(self, x):
        return LinearRule.apply(x, self.weight, self.bias, self.how)


class DropoutRule(Function):
    @staticmethod
    def forward(ctx, x, wrong):
        ctx.mask, ctx.wrong = (torch.rand_like(x) > 0.5) * 2.0, wrong
        return x * ctx.mask

    @staticmethod
    def backward(ctx, v):
        return v * (ctx.mask.flip(0) if ctx.wrong else ctx.mask), None  # wrong: another mask


class Dropout(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.wrong = wrong

    def forward(self, x):
        return DropoutRule.apply(x, self.wrong)


class ConvolutionRule(Function):
    @staticmethod
    def forward(ctx, x, weight, wrong):
        ctx.save_for_backward(x, weight)
        ctx.wrong = wrong
        return nn.functional.conv1d(x, weight, padding=1)

    @staticmethod
    def backward(ctx, v):
        x, weight = ctx.saved_tensors
        kernel = weight.flip(-1) if ctx.wrong else weight  # wrong: the kernel is flipped
        dx = nn.grad.conv1d_input(x.shape, kernel, v, padding=1)
        return dx, nn.grad.conv1d_weight(x, weight.shape, v, padding=1), None


class Convolution(nn.Conv1d):
    def __init__(self, inputs, outputs, wrong):
        super().__init__(inputs, outputs, 3, padding=1, bias=False)
        self.wrong = wrong

    def forward(self, x):
        return ConvolutionRule.apply(x, self.weight, self.wrong)


def _in_a_row(*modules):
    return nn.Sequential(*modules).double()


LAYERS = (
    Broken(
        "layer norm that forgets the mean",
        lambda wrong: (
            _in_a_row(nn.Linear(5, 5), LayerNorm(5, wrong), nn.Tanh()),
            (numbers(3, 5),),
        ),
        "1",
        "LayerNormRule",
    ),
    Broken(
        "batch norm that forgets the mean's gradient",
        lambda wrong: (
            _in_a_row(nn.Linear(4, 3), BatchNorm(3, wrong), nn.Sigmoid()),
            (numbers(6, 4),),
        ),
        "1",
        "BatchNormRule",
    ),
    Broken(
        "attention without a scale in backward",
        lambda wrong: (_in_a_row(nn.Linear(4, 4), Attention(4, wrong)), (numbers(2, 3, 4),)),
        "1",
        "AttentionRule",
    ),
    Broken(
        "embedding that overwrites duplicates",
        lambda wrong: (
            _in_a_row(Embedding(7, 3, wrong), nn.Linear(3, 2)),
            (torch.tensor([1, 4, 1, 0, 1]),),
        ),
        "0",
        "EmbeddingRule",
    ),
    Broken(
        "LSTM cell with swapped gates in backward",
        lambda wrong: (_in_a_row(Recurrent(3, wrong), nn.Linear(3, 2)), (numbers(3, 2, 3),)),
        "0.cell",
        "CellRule",
    ),
    Broken(
        "GELU without the derivative of its second factor",
        lambda wrong: (
            _in_a_row(nn.Linear(3, 4), Gelu(wrong), nn.Linear(4, 2)),
            (numbers(2, 3),),
        ),
        "1",
        "GeluRule",
    ),
    Broken(
        "linear with a mean over the batch instead of a sum",
        lambda wrong: (
            _in_a_row(nn.Tanh(), Linear(3, "mean" if wrong else ""), nn.Tanh()),
            (numbers(4, 3),),
        ),
        "1",
        "LinearRule",
    ),
    Broken(
        "linear with the weight's gradient transposed",
        lambda wrong: (
            _in_a_row(Linear(3, ""), nn.Tanh(), Linear(3, "transposed" if wrong else "")),
            (numbers(4, 3),),
        ),
        "2",
        "LinearRule",
    ),
    Broken(
        "dropout with another mask in backward",
        lambda wrong: (
            _in_a_row(nn.Linear(3, 4), Dropout(wrong), nn.Linear(4, 4)),
            (numbers(5, 3),),
        ),
        "1",
        "DropoutRule",
    ),
    Broken(
        "convolution with its kernel flipped in backward",
        lambda wrong: (
            _in_a_row(nn.Conv1d(2, 2, 1), Convolution(2, 3, wrong), nn.Tanh()),
            (numbers(1, 2, 6),),
        ),
        "1",
        "ConvolutionRule",
    ),
)
