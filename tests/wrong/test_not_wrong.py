"""What is right, or cannot be known, is not called wrong: the checker must not cry wolf."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import secant
from secant import Verdict
from wrong.exhibit import Tensor, normals, rule
from wrong.kinks import relu_with
from wrong.modes import once


@pytest.mark.parametrize("probe", ["auto", "full"])
@pytest.mark.parametrize("at_zero", [0.0, 0.3, 1.0])
def test_any_slope_between_the_two_is_right_at_a_kink(probe: str, at_zero: float) -> None:
    point = torch.tensor([-1.0, 0.0, 2.0, 0.0], dtype=torch.float64)
    report = secant.check(relu_with(1.0, at_zero), point, probe=probe)
    assert report.verdict is Verdict.PASS, str(report)
    assert "kink" in str(report)


@pytest.mark.parametrize("probe", ["auto", "full"])
def test_ties_of_a_maximum_are_not_wrong(probe: str) -> None:
    point = torch.tensor([1.0, 3.0, 3.0, 0.0], dtype=torch.float64)
    for function in (torch.max, torch.amax):
        report = secant.check(function, point, probe=probe)
        assert report.verdict is Verdict.PASS, str(report)


@pytest.mark.parametrize("probe", ["auto", "full"])
def test_the_norm_at_zero_is_not_wrong(probe: str) -> None:
    zeros = torch.zeros(4, dtype=torch.float64)
    report = secant.check(torch.linalg.vector_norm, zeros, probe=probe)
    assert report.verdict is Verdict.PASS, str(report)


@pytest.mark.parametrize("probe", ["auto", "full"])
def test_an_infinite_slope_may_be_claimed_where_there_is_one(probe: str) -> None:
    point = torch.tensor([0.0, 1.0, 4.0], dtype=torch.float64)
    report = secant.check(torch.sqrt, point, probe=probe)
    assert report.verdict is Verdict.PASS, str(report)


@pytest.mark.parametrize("probe", ["auto", "full"])
@pytest.mark.parametrize("function", [torch.sqrt, torch.special.entr])
def test_an_infinite_slope_in_both_modes_is_one_derivative(function: Any, probe: str) -> None:
    point = torch.tensor([0.0, 1.0, 4.0], dtype=torch.float64)
    report = secant.check(function, point, modes="all", probe=probe)
    assert report.verdict is Verdict.PASS, str(report)


@pytest.mark.parametrize("probe", ["auto", "full"])
def test_a_point_on_a_jump_is_never_a_pass_without_a_word(probe: str) -> None:
    point = torch.tensor([1.0, 0.5], dtype=torch.float64)
    report = secant.check(torch.floor, point, probe=probe)
    assert report.verdict is not Verdict.FAIL, str(report)
    assert "jump" in str(report)


def test_an_output_that_claims_no_gradient_is_mentioned() -> None:
    report = secant.check(lambda x: (x.sin(), x.detach().cos()), normals(5))
    assert report.verdict is Verdict.PASS
    assert "out[1]" in str(report)


@pytest.mark.parametrize("probe", ["auto", "full"])
def test_an_output_that_does_not_depend_on_the_input_passes(probe: str) -> None:
    report = secant.check(lambda x, y: (x.sin(), y.cos()), normals(3), normals(4), probe=probe)
    assert report.verdict is Verdict.PASS, str(report)


@pytest.mark.parametrize("probe", ["auto", "full"])
def test_an_input_that_is_not_used_passes(probe: str) -> None:
    report = secant.check(lambda x, y: x.sin(), normals(3), normals(4, seed=1), probe=probe)
    assert report.verdict is Verdict.PASS, str(report)


@pytest.mark.parametrize("probe", ["auto", "full"])
@pytest.mark.parametrize("shape", [(), (1,), (0,), (0, 3), (1, 1, 1)])
def test_small_and_empty_shapes_pass(probe: str, shape: tuple[int, ...]) -> None:
    report = secant.check(torch.sin, normals(*shape), probe=probe)
    assert report.verdict is Verdict.PASS, str(report)


@pytest.mark.parametrize("probe", ["auto", "full"])
def test_non_contiguous_inputs_pass(probe: str) -> None:
    for x in (normals(4, 6).t(), normals(4, 6)[:, ::2], normals(3, 1).expand(3, 4)):
        report = secant.check(torch.sin, x, probe=probe)
        assert report.verdict is Verdict.PASS, str(report)


def test_a_gradient_of_another_dtype_that_torch_casts_back_passes() -> None:
    single = rule("single", lambda x: 2 * x, lambda x, g: (2 * g).float())
    report = secant.check(single, normals(6).float().double())
    assert report.verdict is Verdict.PASS, str(report)


def test_a_second_derivative_that_is_refused_is_not_called_right() -> None:
    assert secant.check(once, normals(5))
    report = secant.check(once, normals(5), order=2)
    assert report.verdict is not Verdict.PASS
    found = {one.subject for one in report.findings if one.verdict is not Verdict.PASS}
    assert found == {"second-order reverse-mode gradient"}, str(report)


def test_a_function_without_forward_mode_is_not_wrong() -> None:
    reverse_only = rule("reverse_only", lambda x: x.sin(), lambda x, g: g * x.cos())
    report = secant.check(reverse_only, normals(5), modes="all")
    assert report.verdict is Verdict.INCONCLUSIVE, str(report)
    assert "jvp" in str(report)


def test_first_order_alone_is_right_where_second_order_is_wrong() -> None:
    steep = rule("steep", lambda x: x.cos(), lambda x, g: -2 * g * x.sin())
    sine = rule("sine", lambda x: x.sin(), lambda x, g: g * steep(x))
    assert secant.check(sine, normals(5))
    assert secant.check(sine, normals(5), order=2).verdict is Verdict.FAIL


def test_subsets_and_batching_are_asked_only_when_told_to() -> None:
    class RelyingOnBoth(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor, y: Tensor) -> Tensor:
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Any:
            x, y = ctx.saved_tensors
            return g * y, g * x if ctx.needs_input_grad[0] else torch.zeros_like(y)

    inputs = normals(4), normals(4, seed=1)
    assert secant.check(RelyingOnBoth.apply, *inputs)
    assert secant.check(RelyingOnBoth.apply, *inputs, laws="all").verdict is Verdict.FAIL


@pytest.mark.parametrize("seed", range(20))
def test_many_seeds_agree_that_a_network_is_right(seed: int) -> None:
    def network(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
        return torch.nn.functional.gelu(x @ w + b).softmax(-1)

    inputs = normals(6, 5, seed=seed), normals(5, 4, seed=seed + 1), normals(4, seed=seed + 2)
    report = secant.check(network, *inputs, seed=seed, laws="all")
    assert report.verdict is Verdict.PASS, str(report)


@pytest.mark.parametrize("seed", [17, 49, 67, 72, 181, 446])
def test_a_small_difference_of_large_numbers_moves_by_their_gaps(seed: int) -> None:
    """One output alone may, where others move smoothly."""
    generator = torch.Generator().manual_seed(seed)
    point, heights = torch.rand(2, 3, generator=generator, dtype=torch.float64) * 18 - 9
    weights = torch.softmax(heights, 0)
    report = secant.check(lambda x: (x - (x * weights).sum()) * weights, point, probe="full")
    assert report.verdict is Verdict.PASS, str(report)


def test_rounding_claimed_of_an_output_that_is_zero_is_not_wrong() -> None:
    """The imaginary part of a real eigenvalue is 0, its gradient a rounding."""
    matrix = 1e6 * torch.arange(1.0, 17.0, dtype=torch.float64).pow(2).sin().reshape(4, 4)
    report = secant.check(torch.linalg.eigvals, matrix, probe="full")
    assert report.verdict is Verdict.PASS, str(report)


def test_a_tail_that_is_lost_in_rounding_is_not_wrong() -> None:
    point = torch.tensor([-8.3157, 0.5, 1.0], dtype=torch.float64)
    report = secant.check(torch.special.ndtr, point, probe="full")
    assert report.verdict is not Verdict.FAIL, str(report)


def test_saturated_outputs_have_no_size_that_a_promise_could_be_coarse_for() -> None:
    point = torch.tensor([[0.0, 45.0], [0.1, 44.0]], dtype=torch.float64)
    report = secant.check(lambda x: torch.softmax(x, 1), point, probe="full")
    assert report.verdict is Verdict.PASS, str(report)


def test_a_rounding_claimed_where_nothing_moves_is_not_unclear() -> None:
    x, weight, bias = (torch.tensor([k], dtype=torch.float64) for k in (-0.6047, -4.827, -7.5824))
    norm = torch.nn.functional.layer_norm
    report = secant.check(lambda x, w, b: norm(x, (1,), w, b), x, weight, bias)
    assert report.verdict is Verdict.PASS, str(report)


@pytest.mark.parametrize("seed", range(6))
def test_an_output_that_cancels_beside_mixed_units_hides_nothing(seed: int) -> None:
    scale = 10.0 ** torch.linspace(-12, 12, 13, dtype=torch.float64)
    report = secant.check(lambda x: torch.outer(x, 1 / x), normals(13, seed=seed) * scale)
    assert report.verdict is Verdict.PASS, str(report)
