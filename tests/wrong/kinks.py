"""Wrong derivatives beside kinks, jumps and borders of domains."""

from __future__ import annotations

from collections.abc import Callable

import torch

from wrong.exhibit import Exhibit, Rule, Tensor, away_from_zero, rule


def _values(*numbers: float) -> Callable[[], tuple[Tensor]]:
    return lambda: (torch.tensor(numbers, dtype=torch.float64),)


def relu_with(slope: float, at_zero: float) -> Rule:
    """Return relu whose backward claims `slope` on the right and `at_zero` at 0."""

    def backward(x: Tensor, g: Tensor) -> Tensor:
        claimed = torch.where(x > 0, slope, 0.0)
        return g * torch.where(x == 0, at_zero, claimed)

    return rule("relu_with", lambda x: x.relu(), backward)


def _a_thousand_with_zeros() -> tuple[Tensor]:
    point = away_from_zero(1000)
    point[:20] = 0.0
    return (point,)


def _relu_wrong_at_a_hundred(x: Tensor, g: Tensor) -> Tensor:
    slopes = (x > 0).to(g.dtype)
    slopes[100] += 2.0
    return g * slopes


def _exp_from_zero_on(x: Tensor) -> Tensor:
    return torch.where(x >= 0, x.exp(), torch.nan)


def _raises_below_zero(x: Tensor) -> Tensor:
    if (x < 0).any():
        raise ValueError("negative")
    return x.exp()


EXHIBITS = [
    Exhibit(
        "relu_of_the_wrong_slope_beside_its_kink",
        relu_with(1.1, 0.0),
        _values(-1.0, 0.0, 0.0, 2.0, -0.5, 1.5),
        shows=("∂out[3] / ∂x[3]", "1.1"),
        right=relu_with(1.0, 0.0),
    ),
    Exhibit(
        "relu_of_one_wrong_slope_among_a_thousand_beside_zeros",
        rule("relu_of_one_wrong_slope", lambda x: x.relu(), _relu_wrong_at_a_hundred),
        _a_thousand_with_zeros,
        shows=("x[100]",),
        right=torch.relu,
        probes=("auto",),
    ),
    Exhibit(
        "relu_claims_more_than_both_its_slopes",
        relu_with(1.0, 1.5),
        _values(-1.0, 0.0, 2.0, -0.5),
        shows=("∂out[1] / ∂x[1]", "1.5"),
        right=relu_with(1.0, 0.5),
    ),
    Exhibit(
        "relu_claims_less_than_both_its_slopes",
        relu_with(1.0, -0.5),
        _values(-1.0, 0.0, 2.0, -0.5),
        shows=("∂out[1] / ∂x[1]", "-0.5"),
        right=relu_with(1.0, 1.0),
    ),
    Exhibit(
        "leaky_relu_of_the_wrong_negative_slope",
        rule(
            "leaky_relu_of_the_wrong_negative_slope",
            lambda x: torch.nn.functional.leaky_relu(x, 0.1),
            lambda x, g: torch.where(x > 0, g, 0.2 * g),
        ),
        lambda: (away_from_zero(10),),
        shows=("0.2",),
        right=lambda x: torch.nn.functional.leaky_relu(x, 0.1),
    ),
    Exhibit(
        "absolute_value_forgets_the_sign",
        rule("absolute_value_forgets_the_sign", lambda x: x.abs(), lambda x, g: g.clone()),
        lambda: (away_from_zero(10),),
        right=torch.abs,
    ),
    Exhibit(
        "clamp_lets_gradients_through_outside",
        rule("clamp_lets_gradients_through_outside", lambda x: x.clamp(-1, 1), lambda x, g: g * 1),
        _values(-0.5, -2.0, 0.8, 1.7, 0.3),
        shows=("∂out[1] / ∂x[1]", "∂out[3] / ∂x[3]", "2 of"),
        right=lambda x: x.clamp(-1, 1),
    ),
    Exhibit(
        "maximum_gives_the_gradient_to_the_smaller",
        rule(
            "maximum_gives_the_gradient_to_the_smaller",
            lambda x, y: torch.maximum(x, y),
            lambda x, y, g: (g * (x < y), g * (x >= y)),
        ),
        lambda: (away_from_zero(8), away_from_zero(8, seed=1)),
        right=torch.maximum,
    ),
    Exhibit(
        "straight_through_rounding",
        rule("straight_through_rounding", lambda x: x.round(), lambda x, g: g.clone()),
        _values(0.2, 1.4, -2.3, 0.9),
        cause="a straight-through estimator",
        right=torch.round,
    ),
    Exhibit(
        "straight_through_sign",
        lambda x: x + (x.sign() - x).detach(),
        lambda: (away_from_zero(6),),
        cause="a straight-through estimator",
        right=torch.sign,
    ),
    Exhibit(
        "nan_beside_a_finite_slope",
        lambda x: torch.where(x > 0, x.sqrt(), x * 0),
        _values(0.5, -1.0, 2.0),
        cause="the root or logarithm of zero",
        shows=("x[1]", "nan"),
        right=lambda x: torch.where(x > 0, x.clamp(min=1e-3).sqrt(), x * 0),
    ),
    Exhibit(
        "infinite_beside_a_finite_slope",
        rule(
            "infinite_beside_a_finite_slope",
            lambda x: x.sin(),
            lambda x, g: g * x.cos() / (x != 0),
        ),
        _values(0.5, 0.0, 2.0),
        shows=("x[1]", "inf"),
        right=torch.sin,
    ),
    Exhibit(
        "wrong_at_the_border_of_the_domain",
        rule(
            "wrong_at_the_border_of_the_domain", _exp_from_zero_on, lambda x, g: 1.4 * g * x.exp()
        ),
        _values(0.0, 1.0, 0.0, 2.0),
        cause="a constant factor is wrong",
        right=rule("exp_from_zero_on", _exp_from_zero_on, lambda x, g: g * x.exp()),
    ),
    Exhibit(
        "wrong_in_a_domain_that_raises",
        rule(
            "wrong_in_a_domain_that_raises",
            _raises_below_zero,
            lambda x, g: 1.4 * g * x.exp(),
            batches=False,
        ),
        _values(0.0, 1.0, 0.0, 2.0),
        cause="a constant factor is wrong",
        right=_raises_below_zero,
    ),
    Exhibit(
        "largest_entry_gives_its_gradient_to_the_first",
        rule(
            "largest_entry_gives_its_gradient_to_the_first",
            lambda x: x.max(),
            lambda x, g: g * (torch.arange(x.numel()) == 0),
        ),
        _values(0.5, -1.0, 3.0, 2.0, 3.0 - 1e-3),
        shows=("x[2]",),
        right=torch.max,
    ),
    Exhibit(
        "pooling_ties_claim_more_than_there_is",
        rule(
            "pooling_ties_claim_more_than_there_is",
            lambda x: x.max(),
            lambda x, g: g * 1.5 * (x == x.max()),
        ),
        _values(0.5, 3.0, 1.0, 3.0),
        right=torch.amax,
    ),
]
