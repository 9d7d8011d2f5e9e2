"""Derivatives that are absent, cut, or miss a term."""

from __future__ import annotations

from typing import Any

import torch

from wrong.exhibit import Exhibit, Tensor, away_from_zero, normals, point, rule


def _doubles_through_data(x: Tensor) -> Tensor:
    y = x.sin()
    y.data.mul_(3)
    return y


def _under_no_grad(x: Tensor, y: Tensor) -> Tensor:
    with torch.no_grad():
        scale = y.exp()
    return x * scale


_TWO = lambda: (normals(4), away_from_zero(4, seed=1))  # noqa: E731 a maker of inputs, used often
_BROADCAST = lambda: (normals(3), normals(4, 3, seed=1))  # noqa: E731 likewise


def _two_outputs(x: Tensor) -> tuple[Tensor, Tensor]:
    return x.sin(), x.cos()


def _through_python(x: Tensor, y: Tensor) -> Tensor:
    return y * float(x.detach().sum())


def _pull_of_two_outputs(x: Tensor, g: Tensor, h: Tensor) -> Any:
    return g * x.cos() - h * x.sin()


EXHIBITS = [
    Exhibit(
        "zero_gradient",
        rule("zero_gradient", lambda x: x.sin(), lambda x, g: torch.zeros_like(x)),
        point(5),
        cause="the dependence is cut",
        right=torch.sin,
    ),
    Exhibit(
        "detached_altogether",
        lambda x: x.detach().sin(),
        point(5),
        kind="liveness",
        cause="the dependence is cut",
        right=torch.sin,
    ),
    Exhibit(
        "one_input_detached",
        lambda x, y: x.sin() * y.detach(),
        _TWO,
        kind="liveness",
        cause="the dependence is cut",
        shows=("∂y",),
        right=lambda x, y: x.sin() * y,
    ),
    Exhibit(
        "one_input_used_under_no_grad",
        _under_no_grad,
        _TWO,
        kind="liveness",
        shows=("∂y",),
        right=lambda x, y: x * y.exp(),
    ),
    Exhibit(
        "one_input_turned_into_a_python_number",
        _through_python,
        _TWO,
        kind="liveness",
        shows=("∂x",),
        right=lambda x, y: y * x.sum(),
        probes=("auto",),
    ),
    Exhibit(
        "one_input_gets_none",
        rule("one_input_gets_none", lambda x, y: x * y, lambda x, y, g: (g * y, None)),
        _TWO,
        kind="liveness",
        shows=("∂y",),
        right=torch.mul,
    ),
    Exhibit(
        "one_input_gets_zeros",
        rule("one_input_gets_zeros", lambda x, y: x * y, lambda x, y, g: (g * y, 0 * g)),
        _TWO,
        cause="the dependence is cut",
        shows=("∂y",),
        right=torch.mul,
    ),
    Exhibit(
        "one_factor_detached",
        lambda x: x * x.detach(),
        point(5),
        cause="0.5 × measured",
        right=lambda x: x * x,
    ),
    Exhibit(
        "one_path_of_two_detached",
        lambda x: x.sin() + (3 * x[0]).detach().exp(),
        point(5),
        shows=("∂x[0]",),
        misleading=("border",),  # the whole column is wrong: every output depends on x[0]
        right=lambda x: x.sin() + (3 * x[0]).exp(),
    ),
    Exhibit(
        "result_changed_through_data",
        _doubles_through_data,
        point(5),
        cause="1/3",
        right=lambda x: 3 * x.sin(),
        probes=("auto",),
    ),
    Exhibit(
        "second_output_ignored",
        rule("second_output_ignored", _two_outputs, lambda x, g, h: g * x.cos()),
        point(5),
        cause="the dependence is cut",
        shows=("∂out[1]",),
        right=rule("two_outputs", _two_outputs, _pull_of_two_outputs),
    ),
    Exhibit(
        "second_output_has_the_first_ones_gradient",
        rule(
            "second_output_has_the_first_ones_gradient",
            _two_outputs,
            lambda x, g, h: (g + h) * x.cos(),
        ),
        point(5),
        shows=("∂out[1]",),
        right=rule("two_outputs", _two_outputs, _pull_of_two_outputs),
    ),
    Exhibit(
        "broadcast_sum_missing",
        rule("broadcast_sum_missing", lambda x, y: x + y, lambda x, y, g: (g[0], g)),
        _BROADCAST,
        cause="a sum over a broadcast dimension",
        shows=("∂x",),
        right=rule("broadcast", lambda x, y: x + y, lambda x, y, g: (g.sum(0), g)),
    ),
    Exhibit(
        "broadcast_averaged_instead_of_summed",
        rule(
            "broadcast_averaged_instead_of_summed",
            lambda x, y: x * y,
            lambda x, y, g: ((g * y).mean(0), g * x),
        ),
        _BROADCAST,
        cause="a mean for a sum",
        shows=("∂x",),
        right=torch.mul,
    ),
    Exhibit(
        "bias_of_a_linear_layer_forgotten",
        rule(
            "bias_of_a_linear_layer_forgotten",
            lambda x, w, b: x @ w.t() + b,
            lambda x, w, b, g: (g @ w, g.t() @ x, None),
        ),
        lambda: (normals(5, 3), normals(2, 3, seed=1), normals(2, seed=2)),
        kind="liveness",
        shows=("∂b",),
        right=lambda x, w, b: x @ w.t() + b,
    ),
    Exhibit(
        "small_leaf_beside_a_large_one",
        rule(
            "small_leaf_beside_a_large_one",
            lambda x, scale: 1e3 * x * x + 1e-3 * scale,
            lambda x, scale, g: (2e3 * g * x, 1.1e-3 * g.sum()),
        ),
        lambda: (normals(50), torch.tensor(0.5, dtype=torch.float64)),
        shows=("∂scale",),
        right=lambda x, scale: 1e3 * x * x + 1e-3 * scale,
    ),
]
