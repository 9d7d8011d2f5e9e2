"""Mistakes people make in an `autograd.Function`, each as small as it can be; for the gallery."""

from __future__ import annotations

from typing import Any

from torch import Tensor
from torch.autograd import Function


class Sine(Function):
    """sin(x); each mistake below brings its own backward."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x.sin()


class FivePerCentMore(Sine):
    """A constant that does not belong there."""

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        x: Tensor = ctx.saved_tensors[0]
        return 1.05 * grad_output * x.cos()


class MinusCosine(Sine):
    """A sign too many."""

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        x: Tensor = ctx.saved_tensors[0]
        return -grad_output * x.cos()


class OneEntryOff(Sine):
    """Two per cent, in one entry of all."""

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        x: Tensor = ctx.saved_tensors[0]
        gradient = grad_output * x.cos()
        gradient[73, 51] *= 1.02
        return gradient


class Clipped(Sine):
    """Clips what flows back, "for stability"."""

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        x: Tensor = ctx.saved_tensors[0]
        return grad_output.clamp(-1, 1) * x.cos()


class RawMemory(Sine):
    """Reads grad_output with the strides of x, as a kernel does that was given pointers."""

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        x: Tensor = ctx.saved_tensors[0]
        return grad_output.as_strided(x.shape, x.stride()) * x.cos()


class InPlace(Sine):
    """Saves an allocation at the cost of whoever else reads grad_output."""

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        x: Tensor = ctx.saved_tensors[0]
        return grad_output.mul_(x.cos())


class CachedCosine(Function):
    """Keeps cos(x) as a constant: once differentiated it is right, twice it is not."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.cosine = x.cos()
        return x.sin()

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return grad_output * ctx.cosine


class Product(Function):
    """a @ b for square matrices, where a transposed gradient still fits."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Tensor, Tensor]:
        a, b = ctx.saved_tensors
        return b @ grad_output.T, a.T @ grad_output


class ComplexSquare(Function):
    """z²; the rule of real numbers is not enough."""

    @staticmethod
    def forward(ctx: Any, z: Tensor) -> Tensor:
        ctx.save_for_backward(z)
        return z * z

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        z: Tensor = ctx.saved_tensors[0]
        return grad_output * 2 * z


class StraightThrough(Function):
    """round(x), with the gradient of x."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:  # noqa: ARG004 the rule's form
        return x.round()

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:  # noqa: ARG004 the rule's form
        return grad_output
