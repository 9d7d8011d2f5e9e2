"""Wrong forward-mode derivatives, and derivatives that are wrong at second order only."""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd.function import once_differentiable

from wrong.exhibit import Exhibit, Rule, Tensor, normals, point, rule


def _sin(name: str, pull: float, push: float) -> Rule:
    return rule(
        name,
        lambda x: x.sin(),
        lambda x, g: pull * g * x.cos(),
        jvp=lambda x, u: push * u * x.cos(),
        batches=False,
    )


_RIGHT = _sin("sin_both_ways", 1.0, 1.0)
_cosine_twice_too_steep = rule(
    "cosine_twice_too_steep", lambda x: x.cos(), lambda x, g: -2 * g * x.sin()
)


class _Detached(torch.autograd.Function):
    """sin whose backward uses a saved tensor that second order cannot see through."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.cosine = x.detach().cos()
        return x.sin()

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return g * ctx.cosine


class _Once(torch.autograd.Function):
    """sin whose backward says that it cannot be differentiated."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return g * x.cos()


once = _Once.apply


def _push_reversed(x: Tensor, u: Tensor) -> Tensor:
    return (u * x.cos()).flip(0)


EXHIBITS = [
    Exhibit(
        "forward_mode_too_large",
        _sin("forward_mode_too_large", 1.0, 1.05),
        point(6),
        cause="a constant factor is wrong",
        shows=("forward-mode derivative",),
        settings={"modes": "forward"},
        right=_RIGHT,
    ),
    Exhibit(
        "forward_mode_of_the_wrong_sign_beside_a_right_reverse_mode",
        _sin("forward_mode_of_the_wrong_sign_beside_a_right_reverse_mode", 1.0, -1.0),
        point(6),
        kind="adjointness",
        cause="forward and reverse mode implement different derivatives",
        shows=("forward-mode derivative",),
        settings={"modes": "all"},
        right=_RIGHT,
    ),
    Exhibit(
        "reverse_mode_too_large_beside_a_right_forward_mode",
        _sin("reverse_mode_too_large_beside_a_right_forward_mode", 1.2, 1.0),
        point(6),
        kind="adjointness",
        cause="forward and reverse mode implement different derivatives",
        shows=("reverse-mode gradient",),
        settings={"modes": "all"},
        right=_RIGHT,
    ),
    Exhibit(
        "both_modes_wrong_alike",
        _sin("both_modes_wrong_alike", 1.2, 1.2),
        point(6),
        cause="a constant factor is wrong",
        shows=("reverse-mode gradient", "forward-mode derivative"),
        settings={"modes": "all"},
        right=_RIGHT,
    ),
    Exhibit(
        "forward_mode_zero",
        _sin("forward_mode_zero", 1.0, 0.0),
        point(6),
        cause="the dependence is cut",
        settings={"modes": "forward"},
        right=_RIGHT,
    ),
    Exhibit(
        "forward_mode_reversed",
        rule(
            "forward_mode_reversed",
            lambda x: x.sin(),
            lambda x, g: g * x.cos(),
            jvp=_push_reversed,
            batches=False,
        ),
        point(6),
        settings={"modes": "forward"},
        right=_RIGHT,
    ),
    Exhibit(
        "forward_mode_forgets_one_tangent",
        rule(
            "forward_mode_forgets_one_tangent",
            lambda x, y: x * y,
            lambda x, y, g: (g * y, g * x),
            jvp=lambda x, y, u, w: u * y,
            batches=False,
        ),
        lambda: (normals(4), normals(4, seed=1)),
        shows=("∂y",),
        settings={"modes": "forward"},
        right=torch.mul,
    ),
    Exhibit(
        "forward_mode_wrong_in_one_entry",
        rule(
            "forward_mode_wrong_in_one_entry",
            lambda x: 2 * x,
            lambda x, g: 2 * g,
            jvp=lambda x, u: 2 * u + 0.02 * u * (torch.arange(u.numel()) == 44),
            batches=False,
        ),
        point(100),
        shows=("∂out[44] / ∂x[44]",),
        settings={"modes": "forward"},
        right=lambda x: 2 * x,
    ),
    Exhibit(
        "second_order_twice_too_large",
        rule(
            "second_order_twice_too_large",
            lambda x: x.sin(),
            lambda x, g: g * _cosine_twice_too_steep(x),
        ),
        point(6),
        cause="2 × measured",
        settings={"order": 2},
        right=torch.sin,
    ),
    Exhibit(
        "second_order_detached",
        _Detached.apply,
        point(6),
        kind="liveness",
        settings={"order": 2},
        right=torch.sin,
    ),
    Exhibit(
        "second_order_wrong_in_the_cotangent",
        rule(
            "second_order_wrong_in_the_cotangent",
            lambda x: x.sin(),
            lambda x, g: g.detach() * x.cos(),
        ),
        point(6),
        kind="liveness",
        settings={"order": 2},
        right=torch.sin,
    ),
    Exhibit(
        "third_order_wrong",
        rule(
            "third_order_wrong",
            lambda x: x.sin(),
            rule(
                "its_gradient",
                lambda x, g: g * x.cos(),
                lambda x, g, h: (
                    h * g * rule("its_curvature", lambda x: -x.sin(), lambda x, k: k * x.cos())(x),
                    h * x.cos(),
                ),
            ),
        ),
        point(4),
        settings={"order": 3},
        right=torch.sin,
        probes=("auto",),
    ),
]
