"""Derivatives that break a law: nonlinear, stateful, storage-minded, destructive, or forgetful."""

from __future__ import annotations

from typing import Any

import torch

from wrong.exhibit import Exhibit, Rule, Tensor, away_from_zero, normals, point, rule

_DOUBLE = rule("double", lambda x: 2 * x, lambda x, g: 2 * g)


def _nonlinear(name: str, backward: Rule) -> Exhibit:
    return Exhibit(
        name,
        rule(name, lambda x: 2 * x, lambda x, g: backward(g)),
        point(20),
        kind="linearity",
        cause="not linear in grad_output",
        right=_DOUBLE,
    )


def _assumes_contiguous(x: Tensor, g: Tensor) -> Tensor:
    """Read memory in order, as a kernel does that is handed a bare pointer."""
    strides = torch.empty(g.shape).stride()
    return 2 * torch.as_strided(g, g.shape, strides, g.storage_offset())


def _mutates_cotangent(x: Tensor, g: Tensor) -> Tensor:
    return g.mul_(2)


def _leaves_cotangent_zero(x: Tensor, g: Tensor) -> Tensor:
    gradient = 2 * g
    g.zero_()
    return gradient


def _mutates_saved_input(x: Tensor, g: Tensor) -> Tensor:
    gradient = g * x.cos()
    x.data.mul_(1.5)
    return gradient


def _mutates_input(x: Tensor) -> Tensor:
    y = x.sin()
    x.data.add_(1.0)
    return y


def _accumulates() -> Rule:
    total = torch.zeros(6, dtype=torch.float64)

    def backward(x: Tensor, g: Tensor) -> Tensor:
        total.add_(2 * g)
        return total.clone()

    return rule("accumulates_across_calls", lambda x: 2 * x, backward, batches=False)


def _counts_calls() -> Rule:
    calls = [0]

    def backward(x: Tensor, g: Tensor) -> Tensor:
        calls[0] += 1
        return 2 * g if calls[0] == 1 else 2.5 * g

    return rule("right_the_first_time_only", lambda x: 2 * x, backward, batches=False)


def _only_both(x: Tensor, g: Tensor | None, h: Tensor | None) -> Tensor | None:
    if g is None or h is None:
        return None
    return g * x.cos() - h * x.sin()


def _crashes_on_absence(x: Tensor, g: Tensor | None, h: Tensor | None) -> Tensor:
    return g * x.cos() - h * x.sin()  # type: ignore[operator] the planted mistake


def _minds_absence(x: Tensor, g: Tensor | None, h: Tensor | None) -> Tensor:
    total = torch.zeros_like(x)
    total = total if g is None else total + g * x.cos()
    return total if h is None else total - h * x.sin()


def _two_outputs(x: Tensor) -> tuple[Tensor, Tensor]:
    return x.sin(), x.cos()


class _RelyingOnBoth(torch.autograd.Function):
    """The gradient of y is right only if x wants one too."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor) -> Tensor:
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        x, y = ctx.saved_tensors
        shared = g if ctx.needs_input_grad[0] else torch.zeros_like(g)
        return g * y, shared * x


class _WrongWhenBatched(torch.autograd.Function):
    """The identity, doubled by its own batching rule."""

    @staticmethod
    def forward(g: Tensor) -> Tensor:
        return g.clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return g

    @staticmethod
    def vmap(info: Any, in_dims: Any, g: Tensor) -> tuple[Tensor, Any]:
        return 2 * g, in_dims[0]


def _raises(x: Tensor, g: Tensor) -> Tensor:
    raise ValueError("a kernel was not compiled for this shape")


def _seven_levels(g: Tensor) -> Tensor:
    """A gradient of few bits with a scale of its own: twice as large for twice the cotangent."""
    level = g.abs().max() / 7
    return (g / level).round() * level


def _quantised(name: str, size: int, cause: str) -> Exhibit:
    """No multiple of a cotangent shows it, only sums of several."""
    wrong = rule(name, torch.sin, lambda x, g: _seven_levels(g) * x.cos())
    return Exhibit(name, wrong, point(size), cause=cause, right=torch.sin, probes=("auto",))


EXHIBITS = [
    _quantised("rounds_g_to_seven_levels", 20, "sums of them are not"),
    _quantised("rounds_a_long_g_to_seven_levels", 2_000, "the pull of a sum is not the sum"),
    _nonlinear("twice_abs_of_g", lambda g: 2 * g.abs()),
    _nonlinear("twice_relu_of_g", lambda g: 2 * g.relu()),
    _nonlinear("twice_clamp_of_g", lambda g: 2 * g.clamp(-1, 1)),
    _nonlinear("twice_g_squared", lambda g: 2 * g * g),
    _nonlinear("twice_sign_of_g", lambda g: 2 * g.sign()),
    _nonlinear("forgets_to_multiply_by_g", lambda g: torch.full_like(g, 2.0)),
    _nonlinear("adds_a_constant_to_g", lambda g: 2 * g + 0.01),
    _nonlinear("clips_the_norm_of_g", lambda g: 2 * g * (8.0 / g.norm()).clamp(max=1.0)),
    _nonlinear("normalises_g", lambda g: 2 * g / g.norm()),
    Exhibit(
        "assumes_a_contiguous_grad_output",
        rule("assumes_a_contiguous_grad_output", lambda x: 2 * x, _assumes_contiguous),
        point(4, 6),
        kind="layout",
        cause="assumes a contiguous grad_output",
        shows=("contiguous()",),
        right=_DOUBLE,
        probes=("auto",),
    ),
    Exhibit(
        "views_grad_output_flat",
        rule("views_grad_output_flat", lambda x: 2 * x, lambda x, g: 2 * g.view(-1).view(x.shape)),
        point(4, 6),
        kind="layout",
        cause="assumes a contiguous grad_output",
        right=rule("reshapes", lambda x: 2 * x, lambda x, g: 2 * g.reshape(-1).view(x.shape)),
        probes=("auto",),
    ),
    Exhibit(
        "mutates_grad_output",
        rule("mutates_grad_output", lambda x: 2 * x, _mutates_cotangent, batches=False),
        point(6),
        kind="mutation",
        cause="in-place operation on grad_output",
        right=_DOUBLE,
    ),
    Exhibit(
        "leaves_grad_output_zero",
        rule("leaves_grad_output_zero", lambda x: 2 * x, _leaves_cotangent_zero, batches=False),
        point(6),
        kind="mutation",
        cause="in-place operation on grad_output",
        right=_DOUBLE,
    ),
    Exhibit(
        "mutates_its_input",
        _mutates_input,
        point(6),
        kind="mutation",
        cause="in-place operation on an input",
        shows=("x",),
        right=torch.sin,
        probes=("auto",),
    ),
    Exhibit(
        "backward_mutates_a_saved_input",
        rule(
            "backward_mutates_a_saved_input", lambda x: x.sin(), _mutates_saved_input, batches=False
        ),
        point(6),
        kind="mutation",
        cause="in-place operation on an input",
        right=torch.sin,
        probes=("auto",),
    ),
    Exhibit(
        "accumulates_across_calls",
        _accumulates(),
        point(6),
        kind="determinism",
        cause="accumulates",
        right=_DOUBLE,
    ),
    Exhibit(
        "right_the_first_time_only",
        _counts_calls(),
        point(6),
        kind="determinism",
        cause="keeps state",
        right=_DOUBLE,
        probes=("auto",),
    ),
    Exhibit(
        "backward_draws_random_numbers",
        rule(
            "backward_draws_random_numbers",
            lambda x: 2 * x,
            lambda x, g: 2 * g * (1 + 0.1 * torch.rand_like(g)),
            batches=False,
        ),
        point(6),
        kind="determinism",
        cause="draws random numbers",
        right=_DOUBLE,
    ),
    Exhibit(
        "gives_nothing_unless_all_outputs_are_pulled",
        rule(
            "gives_nothing_unless_all_outputs_are_pulled",
            _two_outputs,
            _only_both,
            materialises=False,
        ),
        point(5),
        kind="undefined",
        cause="absent",
        right=rule("minds_absence", _two_outputs, _minds_absence, materialises=False),
    ),
    Exhibit(
        "crashes_unless_all_outputs_are_pulled",
        rule(
            "crashes_unless_all_outputs_are_pulled",
            _two_outputs,
            _crashes_on_absence,
            materialises=False,
        ),
        point(5),
        kind="undefined",
        cause="absent",
        shows=("NoneType",),
        right=rule("minds_absence", _two_outputs, _minds_absence, materialises=False),
    ),
    Exhibit(
        "relies_on_all_inputs_wanting_gradients",
        _RelyingOnBoth.apply,
        lambda: (away_from_zero(4), away_from_zero(4, seed=1)),
        kind="subsets",
        cause="relies on all inputs",
        shows=("gradient of y",),
        settings={"laws": "all"},
        right=rule("product", lambda x, y: x * y, lambda x, y, g: (g * y, g * x)),
    ),
    Exhibit(
        "batching_rule_of_the_backward_is_wrong",
        rule(
            "batching_rule_of_the_backward_is_wrong",
            lambda x: 2 * x,
            lambda x, g: 2 * _WrongWhenBatched.apply(g),
        ),
        point(5),
        kind="batching",
        cause="batching rule",
        settings={"laws": "all"},
        right=_DOUBLE,
        probes=("auto",),
    ),
    Exhibit(
        "batching_rule_of_the_forward_is_wrong",
        lambda x: 3 * _WrongWhenBatched.apply(x).cumsum(0),
        point(12),
        kind="batching",
        cause="batching rule",
        settings={"probe": "full"},
        right=lambda x: 3 * x.cumsum(0),
        probes=("full",),
    ),
    Exhibit(
        "gradient_of_the_wrong_shape",
        rule("gradient_of_the_wrong_shape", lambda x: 2 * x.t(), lambda x, g: 2 * g),
        point(3, 4),
        cause="do not fit the inputs, in number or in shape",
        shows=("[4, 3]", "[3, 4]"),
        right=rule("transposing", lambda x: 2 * x.t(), lambda x, g: 2 * g.t()),
    ),
    Exhibit(
        "gradients_of_the_wrong_number",
        rule("gradients_of_the_wrong_number", lambda x, y: x * y, lambda x, y, g: g * y),
        lambda: (normals(3), normals(3, seed=1)),
        shows=("incorrect number of gradients",),
        right=torch.mul,
    ),
    Exhibit(
        "backward_raises",
        rule("backward_raises", lambda x: 2 * x, _raises),
        point(3),
        shows=("ValueError", "a kernel was not compiled for this shape"),
        misleading=("does not fit the inputs",),
        right=_DOUBLE,
    ),
]
