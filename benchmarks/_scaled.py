"""An operator whose gradients are all multiplied by a factor, and which may refuse float64.

Takes a `Case` and a `Plant`, and gives the same case behind an autograd.Function: the outputs are
the operator's own, bit by bit, and its gradients come out multiplied. `PLANTS` are the ways in
which a gradient can be right or wrong where a function may or may not be run in float64 as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch

from _database import Case, Tensors

__all__ = ["PLANTS", "Plant", "claims_zero", "plant"]

WIDE = (torch.float64, torch.complex128)


@dataclass(frozen=True)
class Plant:
    """What is done to a gradient; a checker should say FAIL if `is_wrong`, and PASS if not."""

    name: str
    label: str
    is_wrong: bool = False  # the gradients are multiplied in the case's own dtype
    is_wrong_in_float64: bool = False
    refuses_float64: bool = False  # a kernel that exists in one dtype only
    is_bare: bool = False  # the operator as it is, without a wrapper

    @property
    def is_about_float64(self) -> bool:
        """Whether float64 is refused, or right where the case's own dtype is wrong."""
        return self.refuses_float64 or self.is_wrong != self.is_wrong_in_float64


PLANTS = (
    Plant("right", "right", is_bare=True),
    Plant("right-one-dtype", "right, refuses float64", refuses_float64=True),
    Plant("wrong", "wrong", is_wrong=True, is_wrong_in_float64=True),
    Plant("wrong-one-dtype", "wrong, refuses float64", is_wrong=True, refuses_float64=True),
    Plant("wrong-here", "wrong, right in float64", is_wrong=True),
)


def plant(case: Case, what: Plant, factor: float) -> Case:
    """The case with its gradients multiplied by `factor` where `what` says so."""
    if what.is_bare:
        return case

    def function(*inputs: torch.Tensor) -> Tensors:
        is_wide = any(tensor.dtype in WIDE for tensor in inputs)
        if is_wide and what.refuses_float64:
            raise TypeError(f"no kernel of {case.operator} for {inputs[0].dtype}")
        is_wrong = what.is_wrong_in_float64 if is_wide else what.is_wrong
        outputs: Tensors = Scaled.apply(case.function, factor if is_wrong else 1.0, *inputs)
        return outputs

    function.__name__ = function.__qualname__ = case.operator
    return replace(case, function=function)


class Scaled(torch.autograd.Function):
    """A function whose gradients are multiplied by a factor.

    The function is recorded in the forward and pulled through in the backward, so that what it
    draws at random is the same in both.
    """

    @staticmethod
    def forward(
        ctx: Any, function: Callable[..., Tensors], factor: float, *inputs: torch.Tensor
    ) -> Tensors:
        """Record the function on leaves of its own; give copies of its outputs."""
        ctx.factor = factor
        ctx.leaves = [tensor.detach().requires_grad_() for tensor in inputs]
        with torch.enable_grad():
            outputs = function(*ctx.leaves)
        ctx.outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        copies = tuple(tensor.detach().clone() for tensor in ctx.outputs)
        still = (
            copy
            for copy, tensor in zip(copies, ctx.outputs, strict=True)
            if not tensor.requires_grad
        )
        ctx.mark_non_differentiable(*still)
        return copies if isinstance(outputs, tuple) else copies[0]

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor) -> Any:
        """Pull through the record, and multiply."""
        pairs = [
            (tensor, cotangent)
            for tensor, cotangent in zip(ctx.outputs, cotangents, strict=True)
            if tensor.requires_grad
        ]
        gradients = torch.autograd.grad(
            [tensor for tensor, _ in pairs],
            ctx.leaves,
            [cotangent for _, cotangent in pairs],
            retain_graph=True,
            allow_unused=True,
        )
        factor = ctx.factor
        return None, None, *(None if one is None else factor * one for one in gradients)


def claims_zero(case: Case, seed: int) -> bool:
    """Whether every gradient of the case is zero, or none is claimed: then nothing can be off."""
    with torch.random.fork_rng(devices=[]), torch.enable_grad():
        torch.manual_seed(seed)
        try:
            outputs = case.function(*case.inputs)
            several = outputs if isinstance(outputs, tuple) else (outputs,)
            several = tuple(tensor for tensor in several if tensor.requires_grad)
            if not several:
                return True
            cotangents = [torch.randn_like(tensor) for tensor in several]
            gradients = torch.autograd.grad(several, case.inputs, cotangents, allow_unused=True)
        except Exception:
            return False  # left to the checkers to say
    return not any(one is not None and bool((one != 0).any()) for one in gradients)
