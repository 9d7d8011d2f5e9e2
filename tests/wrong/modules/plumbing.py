"""Broken plumbing: every layer is right, the way from one to the next is not."""

from __future__ import annotations

import torch
from torch import nn
from torch.autograd import Function
from torch.nn.utils import parametrize

from wrong.modules.broken import Broken, numbers

__all__ = ["PLUMBING"]


class Residual(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.branch, self.wrong = nn.Linear(3, 3), wrong

    def forward(self, x):
        branch = self.branch(x)
        return x + (branch.detach() if self.wrong else branch)


class Gated(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.gate, self.body, self.wrong = nn.Linear(3, 3), nn.Linear(3, 3), wrong

    def forward(self, x):
        with torch.set_grad_enabled(not self.wrong):
            gate = self.gate(x).sigmoid()
        return gate * self.body(x)


class Overwriting(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.first, self.second, self.wrong = nn.Linear(3, 3), nn.Sigmoid(), wrong

    def forward(self, x):
        y = self.first(x)
        z = self.second(y)
        if self.wrong:
            y.data.mul_(2.0)
        else:
            y = y * 2.0
        return y * z


class Clamping(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.wrong = wrong

    def forward(self, x):
        if self.wrong:
            x.data.mul_(0.5)  # the caller's own tensor, behind autograd's back
            return x.sin()
        return (0.5 * x).sin()


class InPlace(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.first, self.second = nn.Sigmoid(), nn.ReLU(inplace=wrong)

    def forward(self, x):
        return self.second(self.first(x)) * 2.0


class Careless(Function):
    """Keeps its input on the class: a second call overwrites what the first one needs."""

    kept = None

    @staticmethod
    def forward(ctx, x, wrong):
        Careless.kept = x.detach().clone()
        ctx.save_for_backward(x)
        ctx.wrong = wrong
        return x.sin()

    @staticmethod
    def backward(ctx, v):
        (own,) = ctx.saved_tensors
        return v * (Careless.kept if ctx.wrong else own).cos(), None


class Sine(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.wrong = wrong

    def forward(self, x):
        return Careless.apply(x, self.wrong)


class Twice(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.sine, self.between = Sine(wrong), nn.Linear(3, 3)

    def forward(self, x):
        return self.sine(self.between(self.sine(x)))


class Tied(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.encode, self.wrong = nn.Linear(4, 2, bias=False), wrong

    def forward(self, x):
        weight = self.encode.weight
        return self.encode(x).tanh() @ (weight.detach() if self.wrong else weight)


class Reversed(Function):
    @staticmethod
    def forward(ctx, x, sign):
        ctx.sign = sign
        return x.clone()

    @staticmethod
    def backward(ctx, v):
        return ctx.sign * v, None


class Domain(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.features, self.head, self.sign = nn.Linear(3, 4), nn.Linear(4, 2), 1 - 2 * wrong

    def forward(self, x):
        return self.head(Reversed.apply(self.features(x), self.sign))


class Square(Function):
    @staticmethod
    def forward(ctx, x, wrong):
        ctx.save_for_backward(x)
        ctx.wrong = wrong
        return x * x

    @staticmethod
    def backward(ctx, v):
        return v * ctx.saved_tensors[0] * (1.0 if ctx.wrong else 2.0), None


class Positive(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.wrong = wrong

    def forward(self, weight):
        return Square.apply(weight, self.wrong)


def parametrised(wrong):
    layer = nn.Linear(3, 2)
    parametrize.register_parametrization(layer, "weight", Positive(wrong))
    return nn.Sequential(nn.Tanh(), layer).double()


def _in_a_row(*modules):
    return nn.Sequential(*modules).double()


PLUMBING = (
    Broken(
        "a detached residual branch",
        lambda wrong: (_in_a_row(nn.Linear(3, 3), Residual(wrong), nn.Tanh()), (numbers(2, 3),)),
        "1",
        says="`1.branch` gave to the output: a detach",
    ),
    Broken(
        "a gate computed under no_grad",
        lambda wrong: (_in_a_row(nn.Tanh(), Gated(wrong)), (numbers(2, 3),)),
        "1",
        says="own forward",
    ),
    Broken(
        "a write between modules that autograd does not see",
        lambda wrong: (_in_a_row(Overwriting(wrong), nn.Linear(3, 2)), (numbers(2, 3),)),
        "0",
        says="what `0.first` gave is written into afterwards",
    ),
    Broken(
        "a module that mutates its input",
        lambda wrong: (_in_a_row(nn.Linear(3, 3), Clamping(wrong), nn.Tanh()), (numbers(2, 3),)),
        "1",
        says="it fails by itself",
    ),
    Broken(
        "an activation in place after one that needs its output",
        lambda wrong: (_in_a_row(nn.Linear(3, 3), InPlace(wrong)), (numbers(2, 3),)),
        "1",
        says="`1.second` writes into its input",
    ),
    Broken(
        "a rule that keeps its input on the class",
        lambda wrong: (_in_a_row(nn.Linear(3, 3), Twice(wrong)), (numbers(2, 3),)),
        "1.sine",
        "Careless",
    ),
    Broken(
        "a tied weight that learns from one use only",
        lambda wrong: (_in_a_row(Tied(wrong), nn.Tanh()), (numbers(2, 4),)),
        "0",
        says="own forward",
    ),
    Broken(
        "a reversed gradient",
        lambda wrong: (_in_a_row(Domain(wrong), nn.Tanh()), (numbers(2, 3),)),
        "0",
        "Reversed",
    ),
    Broken(
        "a parametrisation whose backward is half of what it should be",
        lambda wrong: (parametrised(wrong), (numbers(2, 3),)),
        "1.parametrizations.weight.0",
        "Square",
    ),
)
