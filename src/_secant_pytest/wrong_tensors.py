"""Identities of tensors whose derivative is written down wrong; loaded where torch is in use."""

from __future__ import annotations

from typing import Any

import torch


class Scaled(torch.autograd.Function):
    """Returns its input, and claims a slope of `factor` instead of one, in both modes."""

    generate_vmap_rule = True

    @staticmethod
    def forward(value: Any, factor: float) -> Any:  # noqa: ARG004 backward reads it
        """Return the same numbers."""
        return value.clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:  # noqa: ARG004 torch's signature
        """Remember the factor."""
        ctx.factor = inputs[1]

    @staticmethod
    def backward(ctx: Any, cotangent: Any) -> Any:
        """Claim too much."""
        return None if cotangent is None else cotangent * ctx.factor, None

    @staticmethod
    def jvp(ctx: Any, tangent: Any, _: Any) -> Any:
        """Claim too much, forward."""
        return tangent * ctx.factor


class ScaledTwice(torch.autograd.Function):
    """Returns its input with the right slope, whose own slope is claimed wrong."""

    generate_vmap_rule = True

    @staticmethod
    def forward(value: Any, factor: float) -> Any:  # noqa: ARG004 backward reads it
        """Return the same numbers."""
        return value.clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:  # noqa: ARG004 torch's signature
        """Remember the factor."""
        ctx.factor = inputs[1]

    @staticmethod
    def backward(ctx: Any, cotangent: Any) -> Any:
        """Give the right gradient, as a function that is differentiated wrong."""
        return None if cotangent is None else Scaled.apply(cotangent, ctx.factor), None

    @staticmethod
    def jvp(ctx: Any, tangent: Any, _: Any) -> Any:  # noqa: ARG004 torch's signature
        """Leave tangents alone."""
        return tangent.clone()
