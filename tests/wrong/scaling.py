"""Derivatives of the wrong size or from the wrong formula, everywhere alike."""

from __future__ import annotations

import torch

from wrong.exhibit import Exhibit, Tensor, away_from_zero, normals, point, rule


def _sin(name: str, factor: float) -> Exhibit:
    return Exhibit(
        name,
        rule(name, lambda x: x.sin(), lambda x, g: factor * g * x.cos()),
        point(7),
        cause="the sign is wrong" if factor == -1 else "a constant factor is wrong",
        right=torch.sin,
    )


def _layer_norm(x: Tensor) -> Tensor:
    return (x - x.mean()) / x.std(correction=0)


def _softmax_pull(x: Tensor, g: Tensor) -> Tensor:
    y = x.softmax(-1)
    return y * (g - (g * y).sum(-1, keepdim=True))


EXHIBITS = [
    _sin("five_percent_too_large", 1.05),
    _sin("a_thousandth_too_large", 1.001),
    _sin("a_hundred_thousandth_too_large", 1.00001),
    _sin("sign_flipped", -1.0),
    _sin("a_thousand_times_too_large", 1000.0),
    Exhibit(
        "square_forgets_the_two",
        rule("square_forgets_the_two", lambda x: x * x, lambda x, g: g * x),
        point(5),
        cause="0.5 × measured",
        right=rule("square", lambda x: x * x, lambda x, g: 2 * g * x),
    ),
    Exhibit(
        "sum_divides_like_a_mean",
        rule("sum_divides_like_a_mean", lambda x: x.sum(), lambda x, g: (g / 6).expand_as(x)),
        point(2, 3),
        cause="a mean for a sum",
        right=torch.sum,
    ),
    Exhibit(
        "mean_forgets_to_divide",
        rule("mean_forgets_to_divide", lambda x: x.mean(), lambda x, g: g.expand_as(x)),
        point(9),
        cause="9 × measured",
        right=torch.mean,
    ),
    Exhibit(
        "mean_of_rows_forgets_to_divide",
        rule(
            "mean_of_rows_forgets_to_divide",
            lambda x: x.mean(1),
            lambda x, g: g[:, None].expand_as(x),
        ),
        point(4, 5),
        cause="5 is the size of a dimension",
        right=lambda x: x.mean(1),
    ),
    Exhibit(
        "degrees_taken_for_radians",
        rule(
            "degrees_taken_for_radians",
            lambda x: torch.deg2rad(x).sin(),
            lambda x, g: g * torch.deg2rad(x).cos(),
        ),
        lambda: (normals(6) * 40,),
        cause="a constant factor is wrong",
        right=lambda x: torch.deg2rad(x).sin(),
    ),
    Exhibit(
        "tanh_forgets_the_square",
        rule("tanh_forgets_the_square", lambda x: x.tanh(), lambda x, g: g * (1 - x.tanh())),
        point(8),
        right=rule("tanh", lambda x: x.tanh(), lambda x, g: g * (1 - x.tanh() ** 2)),
    ),
    Exhibit(
        "sigmoid_uses_its_input_for_its_output",
        rule(
            "sigmoid_uses_its_input_for_its_output",
            lambda x: x.sigmoid(),
            lambda x, g: g * x * (1 - x),
        ),
        point(8),
        right=torch.sigmoid,
    ),
    Exhibit(
        "softmax_forgets_what_normalises",
        rule(
            "softmax_forgets_what_normalises",
            lambda x: x.softmax(-1),
            lambda x, g: g * x.softmax(-1) * (1 - x.softmax(-1)),
        ),
        point(3, 4),
        right=rule("softmax", lambda x: x.softmax(-1), _softmax_pull),
    ),
    Exhibit(
        "layer_norm_takes_its_statistics_for_constants",
        rule(
            "layer_norm_takes_its_statistics_for_constants",
            _layer_norm,
            lambda x, g: g / x.std(correction=0),
        ),
        point(11),
        right=_layer_norm,
    ),
    Exhibit(
        "product_rule_hands_each_input_its_own_value",
        rule(
            "product_rule_hands_each_input_its_own_value",
            lambda x, y: x * y,
            lambda x, y, g: (g * x, g * y),
        ),
        lambda: (away_from_zero(6), away_from_zero(6, seed=1)),
        right=rule("product", lambda x, y: x * y, lambda x, y, g: (g * y, g * x)),
    ),
    Exhibit(
        "quotient_forgets_a_power",
        rule(
            "quotient_forgets_a_power",
            lambda x, y: x / y,
            lambda x, y, g: (g / y, -g * x / y),
        ),
        lambda: (away_from_zero(5), away_from_zero(5, seed=1)),
        shows=("∂y",),
        right=torch.div,
    ),
    Exhibit(
        "scalar_of_a_scalar",
        rule("scalar_of_a_scalar", lambda x: x**3, lambda x, g: 2 * g * x**2),
        lambda: (torch.tensor(1.5, dtype=torch.float64),),
        cause="2/3",
        right=lambda x: x**3,
    ),
    Exhibit(
        "solve_forgets_to_transpose_its_matrix",
        rule(
            "solve_forgets_to_transpose_its_matrix",
            lambda a, b: torch.linalg.solve(a, b),
            lambda a, b, g: (None, torch.linalg.solve(a, g)),
        ),
        lambda: (normals(4, 4) + 4 * torch.eye(4, dtype=torch.float64), normals(4, 1, seed=1)),
        shows=("∂b",),
        right=torch.linalg.solve,
    ),
]
