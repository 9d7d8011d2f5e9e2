"""Identities of tensors whose derivative is written down wrong; loaded where torch is in use."""

from __future__ import annotations

from typing import Any

import torch


def scaled(value: Any, factor: float) -> Any:
    """Return a tensor, claiming a slope of `factor` instead of one."""
    return _Scaled.apply(value, factor)  # type: ignore[no-untyped-call]


def scaled_twice(value: Any, factor: float) -> Any:
    """Return a tensor with the right slope, whose own slope is claimed `factor` times too large."""
    return _ScaledTwice.apply(value, factor)  # type: ignore[no-untyped-call]


class _Scaled(torch.autograd.Function):
    """Both modes claim the factor."""

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


class _ScaledTwice(_Scaled):
    """The cotangent is returned as it came, through the wrong identity."""

    @staticmethod
    def backward(ctx: Any, cotangent: Any) -> Any:
        """Give the right gradient, as a function that is differentiated wrong."""
        return None if cotangent is None else scaled(cotangent, ctx.factor), None

    @staticmethod
    def jvp(ctx: Any, tangent: Any, _: Any) -> Any:  # noqa: ARG004 torch's signature
        """Leave tangents alone."""
        return tangent.clone()
