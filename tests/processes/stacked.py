"""A layer of many ranks on one process: every array has them as its first dimension.

The same code with the same weights, so that a group can be held against it; what ranks hold copies
of is one leaf, or one output, as it is to the group.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch

from .collectives import Collectives


class Stacked(Collectives):
    """Collectives among the slices of one array."""

    def __init__(self, size: int) -> None:
        self.size = size

    def each(self, make):
        return torch.stack([torch.as_tensor(make(rank)) for rank in range(self.size)])

    def sum(self, value):
        return self._copied(value.sum(0))

    def gathered(self, value, dimension):
        return self._copied(torch.cat(list(value), dimension))

    def own_chunk(self, value, dimension, shift=0):
        both = enumerate(value)
        chunks = [one.chunk(self.size, dimension)[(k + shift) % self.size] for k, one in both]
        return torch.stack(chunks)

    def exchanged(self, value):
        blocks = value.unflatten(1, (self.size, -1))
        return blocks.transpose(0, 1).flatten(1, 2).contiguous()

    def shifted(self, value, by):
        return value.roll(by, 0)

    def _copied(self, value):
        return value.expand(self.size, *value.shape).clone()


class Copied(torch.autograd.Function):
    """One leaf becomes the copies of all ranks; they are to have its gradient, or shares of it."""

    @staticmethod
    def forward(ctx, leaf, size, convention):
        ctx.convention = convention
        return leaf.expand(size, *leaf.shape).clone()

    @staticmethod
    def backward(ctx, cotangent):
        back = cotangent.sum(0) if ctx.convention == "share" else cotangent.mean(0)
        return back, None, None


class First(torch.autograd.Function):
    """One output of those that are copies; all ranks get its cotangent."""

    @staticmethod
    def forward(ctx, outputs):
        ctx.size = len(outputs)
        return outputs[0].clone()

    @staticmethod
    def backward(ctx, cotangent):
        return cotangent.expand(ctx.size, *cotangent.shape)


def on_one_process(
    build: Callable[[Any], Any], size: int
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A layer as a function of one process, and its inputs."""
    layer, inputs, settings = build(Stacked(size))
    names = list(inspect.signature(layer).parameters)
    copies = settings.get("replicated", ())
    convention = settings.get("gradients", "whole")

    def function(*leaves):
        both = zip(names, leaves, strict=True)
        every = [Copied.apply(one, size, convention) if k in copies else one for k, one in both]
        out = layer(*every)
        return First.apply(out) if "out" in copies else out

    return function, inputs
