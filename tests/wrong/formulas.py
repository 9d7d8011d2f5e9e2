"""Derivatives whose formula lacks a term, a factor or a branch, or is another argument's."""

from __future__ import annotations

from typing import Any

import torch

from wrong.exhibit import Exhibit, Rule, Tensor, away_from_zero, normals, point, rule

_MATRIX = normals(40, 100, seed=3)


def _forgets_the_tail_of_the_outputs(x: Tensor, g: Tensor) -> Tensor:
    kept = torch.arange(40) < 32
    return (g * kept) @ _MATRIX


def _inside_but_one() -> Tensor:
    """Return numbers between −1 and 1, and one so near that longer steps meet the bend."""
    x = normals(600).tanh() / 2
    x[200] = -1.061
    return x


def _residual_block(x: Tensor) -> Tensor:
    return x + (2 * x).tanh()


def _times_sine(x: Tensor) -> Tensor:
    return x * x.sin()


def _sine_and_exponential(x: Tensor) -> tuple[Tensor, Tensor]:
    return x.sin(), x.exp()


def _smooth_step(x: Tensor) -> Tensor:
    return 3 * x**2 - 2 * x**3


def _on_two_arguments(name: str, function: Rule, backward: Rule, **more: Any) -> Exhibit:
    return Exhibit(
        name,
        rule(name, function, backward),
        lambda: (away_from_zero(6), away_from_zero(6, seed=1)),
        right=function,
        **more,
    )


def _branch(name: str, function: Rule, backward: Rule, cause: str, *shape: int) -> Exhibit:
    return Exhibit(
        name,
        rule(name, function, backward),
        lambda: (away_from_zero(*shape),),
        cause=cause,
        right=function,
        probes=("auto", "full") if len(shape) == 1 else ("auto",),
    )


EXHIBITS = [
    Exhibit(
        "slope_where_a_smooth_step_begins",
        rule(
            "slope_where_a_smooth_step_begins",
            _smooth_step,
            lambda x, g: g * (6 * x * (1 - x) + 0.1),
        ),
        lambda: (torch.zeros(5, dtype=torch.float64),),
        cause="the function has no slope here",
        misleading=("does not move",),
        right=_smooth_step,
    ),
    Exhibit(
        "skip_connection_is_forgotten",
        rule(
            "skip_connection_is_forgotten",
            _residual_block,
            lambda x, g: g * 2 * (1 - (2 * x).tanh() ** 2),
        ),
        point(9),
        cause="measured = claimed + grad_output",
        shows=("a skip connection",),
        right=_residual_block,
    ),
    Exhibit(
        "product_rule_takes_the_other_factor_for_a_constant",
        rule(
            "product_rule_takes_the_other_factor_for_a_constant",
            _times_sine,
            lambda x, g: g * x.sin(),
        ),
        lambda: (away_from_zero(9),),
        cause="a term of the product rule is missing",
        right=_times_sine,
    ),
    Exhibit(
        "product_rule_forgets_its_first_term",
        rule("product_rule_forgets_its_first_term", _times_sine, lambda x, g: g * x * x.cos()),
        lambda: (away_from_zero(9),),
        cause="measured = claimed + grad_output·out/x",
        shows=("a term of the product rule is missing",),
        right=_times_sine,
    ),
    _on_two_arguments(
        "arguments_of_atan2_are_swapped",
        lambda x, y: torch.atan2(x, y),
        lambda x, y, g: (-g * x / (x * x + y * y), g * y / (x * x + y * y)),
        cause="the gradients of x and y are swapped",
    ),
    _on_two_arguments(
        "quotient_divides_once",
        lambda x, y: x / y,
        lambda x, y, g: (g / y, -g * x / y),
        cause="claimed = y × measured",
    ),
    Exhibit(
        "gradient_of_the_wrong_output",
        rule(
            "gradient_of_the_wrong_output",
            _sine_and_exponential,
            lambda x, g, h: (g + h) * x.cos(),
        ),
        point(5),
        cause="what is claimed for out[1] is the gradient of out[0]",
        right=_sine_and_exponential,
    ),
    _branch(
        "relu_lets_everything_through",
        lambda x: x.relu(),
        lambda x, g: g * 1,
        "the function does not move where x < 0",
        12,
    ),
    _branch(
        "elu_takes_one_branch_for_both",
        lambda x: torch.nn.functional.elu(x),
        lambda x, g: g * 1,
        "where x < 0, right elsewhere",
        12,
    ),
    _branch(
        "large_hardtanh_has_one_bound",
        lambda x: torch.nn.functional.hardtanh(x),
        lambda x, g: g * (x < 1),
        "the function does not move where x < -1",
        40,
        50,
    ),
    Exhibit(
        "one_entry_of_many_is_let_through_beyond_a_bound",
        rule(
            "one_entry_of_many_is_let_through_beyond_a_bound",
            lambda x: x.clamp(-1, 1),
            lambda x, g: g * 1,
        ),
        lambda: (_inside_but_one(),),
        shows=("∂out[200] / ∂x[200]", "1 of 600"),
        right=lambda x: x.clamp(-1, 1),
        probes=("auto",),
    ),
    Exhibit(
        "images_are_convolved_with_an_unflipped_kernel",
        rule(
            "images_are_convolved_with_an_unflipped_kernel",
            lambda x, w: torch.nn.functional.conv2d(x, w, padding=1),
            lambda x, w, g: (
                torch.nn.functional.conv2d(g, w.transpose(0, 1), padding=1),
                torch.nn.grad.conv2d_weight(x, w.shape, g, padding=1),
            ),
        ),
        lambda: (normals(1, 2, 4, 5), normals(3, 2, 3, 3, seed=1)),
        cause="a convolution's kernel is not flipped",
        shows=("∂x",),
        right=lambda x, w: torch.nn.functional.conv2d(x, w, padding=1),
    ),
    Exhibit(
        "tail_of_the_outputs_is_forgotten",
        rule(
            "tail_of_the_outputs_is_forgotten",
            lambda x: x @ _MATRIX.t(),
            _forgets_the_tail_of_the_outputs,
        ),
        point(16, 100),
        cause="right up to index 31 of dimension 1 of out, wrong from index 32 on",
        shows=("index ≥ 32 of dimension 1 of out",),
        right=lambda x: x @ _MATRIX.t(),
        probes=("auto",),
    ),
    Exhibit(
        "large_imaginary_part_of_the_gradient_lost",
        rule(
            "large_imaginary_part_of_the_gradient_lost",
            lambda z: 2 * z,
            lambda z, g: (2 * g).real.to(z.dtype),
        ),
        point(600, dtype=torch.complex128),
        cause="the imaginary part of the gradient is lost",
        right=lambda z: 2 * z,
        probes=("auto",),
    ),
    Exhibit(
        "imaginary_part_of_grad_output_ignored",
        rule(
            "imaginary_part_of_grad_output_ignored",
            lambda z: 2 * z,
            lambda z, g: 2 * g.real.to(z.dtype),
        ),
        point(5, dtype=torch.complex128),
        cause="the imaginary part",
        right=lambda z: 2 * z,
    ),
    Exhibit(
        "gradient_rounds_to_bfloat16",
        rule(
            "gradient_rounds_to_bfloat16",
            lambda x: x.sin(),
            lambda x, g: (g * x.cos()).bfloat16().double(),
        ),
        point(20),
        cause="the backward rounds to bfloat16",
        right=torch.sin,
    ),
]
