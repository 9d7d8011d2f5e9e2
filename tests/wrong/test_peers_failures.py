"""Where the incumbent fails, row by row of its table, on dense tensors: each row is got right here.

Rows that are a wrong derivative and nothing more are exhibits; this file holds their names and what
an exhibit cannot say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import secant
from secant import Verdict
from wrong.exhibit import Rule, Tensor, normals, rule
from wrong.exhibits import EXHIBITS
from wrong.places import one_wrong_entry

_DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(
            ("one_wrong_entry_of_100", "one_wrong_entry_of_1000", "one_wrong_entry_of_10000"),
            id="blind_on_large_tensors",
        ),
        pytest.param(
            ("permuted_3000", "reversed_3000", "rolled_the_wrong_way_1000", "transposed_32x32"),
            id="whole_wrong_gradients_pass",
        ),
        pytest.param(
            (
                "twice_abs_of_g",
                "twice_relu_of_g",
                "twice_clamp_of_g",
                "twice_g_squared",
                "twice_sign_of_g",
            ),
            id="not_linear_in_grad_output",
        ),
        pytest.param(("assumes_a_contiguous_grad_output",), id="assumes_contiguous_grad_output"),
        pytest.param(("mutates_grad_output",), id="mutates_grad_output"),
        pytest.param(("mutates_its_input",), id="mutates_its_input"),
        pytest.param(("float32_input_of_size_3e5",), id="absolute_step"),
    ],
)
def test_the_row_is_an_exhibit(names: tuple[str, ...]) -> None:
    assert set(names) <= {exhibit.name for exhibit in EXHIBITS}


@pytest.mark.parametrize("factor", [1.01, 1.1, 2.0, 100.0])
@pytest.mark.parametrize("size", [100, 1_000, 10_000])
def test_one_wrong_entry_is_caught_however_large_the_tensor(size: int, factor: float) -> None:
    report = secant.check(one_wrong_entry(size // 3, factor), normals(size))
    assert report.verdict is Verdict.FAIL
    assert f"∂out[{size // 3}] / ∂x[{size // 3}]" in str(report)


@pytest.mark.parametrize("size", [32, 64, 128])
def test_a_transposed_gradient_is_caught_however_large_the_matrix(size: int) -> None:
    transposed = rule("transposed", lambda x: 2 * x, lambda x, g: 2 * g.t())
    report = secant.check(transposed, normals(size, size))
    assert report.verdict is Verdict.FAIL
    assert "transpose" in str(report)


@pytest.mark.parametrize("dtype", _DTYPES, ids=str)
@pytest.mark.parametrize("size", [1, 3, 50, 3_000])
def test_a_correct_sine_is_not_wrong_in_any_precision(dtype: torch.dtype, size: int) -> None:
    report = secant.check(torch.sin, normals(size, dtype=dtype))
    assert report.verdict is not Verdict.FAIL, str(report)
    if dtype is not torch.bfloat16:  # eight bits may be too few to tell
        assert report.verdict is Verdict.PASS, str(report)


@pytest.mark.parametrize("dtype", _DTYPES, ids=str)
@pytest.mark.parametrize("name", ["exp", "tanh", "cos", "sigmoid", "erf"])
def test_correct_functions_do_not_fail_in_any_precision(dtype: torch.dtype, name: str) -> None:
    for seed in range(5):
        report = secant.check(getattr(torch, name), normals(40, dtype=dtype, seed=seed), seed=seed)
        assert report.verdict is not Verdict.FAIL, str(report)


@pytest.mark.thinned(keep=16)
@pytest.mark.parametrize("dtype", _DTYPES, ids=str)
@pytest.mark.parametrize("factor", [0.0, -1.0, 1.5, 2.0, 10.0])
@pytest.mark.parametrize("size", [50, 200])
def test_what_passes_in_low_precision_was_really_looked_at(
    size: int, dtype: torch.dtype, factor: float
) -> None:
    """Half off or more must not pass; a cause may be missing, a wrong one must not be named."""
    wrong = rule("wrong", lambda x: x.sin(), lambda x, g: factor * g * x.cos())
    report = secant.check(wrong, normals(size, dtype=dtype))
    assert report.verdict is not Verdict.PASS, str(report)
    causes = {one.cause for one in report.findings if one.kind == "derivative" and one.cause}
    fitting = ("a constant factor is wrong", "the sign is wrong", "the dependence is cut")
    assert all(any(words in cause for words in fitting) for cause in causes), str(report)


def _to_float(x: Tensor) -> Tensor:
    return x.float().sin()


def _to_float_and_back(x: Tensor) -> Tensor:
    return x.float().sin().double()


def _to_half(x: Tensor) -> Tensor:
    return x.half().sin()


def _to_half_and_back(x: Tensor) -> Tensor:
    return x.half().sin().double()


def _to_bfloat16_and_back(x: Tensor) -> Tensor:
    return x.bfloat16().sin().double()


@pytest.mark.parametrize("function", [_to_float, _to_float_and_back, _to_half])
@pytest.mark.parametrize("size", [5, 200])
def test_a_function_that_changes_dtype_inside_passes(function: Rule, size: int) -> None:
    report = secant.check(function, normals(size))
    assert report.verdict is Verdict.PASS, str(report)


@pytest.mark.parametrize("function", [_to_half_and_back, _to_bfloat16_and_back])
@pytest.mark.parametrize("size", [5, 200])
def test_half_precision_hidden_inside_is_never_blamed(function: Rule, size: int) -> None:
    report = secant.check(function, normals(size))
    assert report.verdict is not Verdict.FAIL, str(report)


def test_the_message_shows_index_and_size_of_one_wrong_entry_of_300() -> None:
    text = str(secant.check(one_wrong_entry(217, 1.01), normals(300)))
    assert "∂out[217] / ∂x[217]" in text
    assert "claimed   2.02" in text
    assert "measured  2 ±" in text
    assert "1 of" in text
    assert len(text.splitlines()) <= 24


@pytest.mark.parametrize("probe", ["auto", "full"])
@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_relu_at_zero_is_not_wrong(probe: str, size: int) -> None:
    report = secant.check(torch.relu, torch.zeros(size, dtype=torch.float64), probe=probe)
    assert report.verdict is Verdict.PASS, str(report)


@pytest.mark.thinned(keep=8)
@pytest.mark.parametrize("probe", ["auto", "full"])
@pytest.mark.parametrize("zeros", [0, 1, 4, 15])
@pytest.mark.parametrize("slope", [0.9, 1.1, 2.0])
def test_relu_with_a_wrong_slope_is_wrong_however_many_entries_lie_on_the_kink(
    probe: str, zeros: int, slope: float
) -> None:
    leaning = rule("leaning", lambda x: x.relu(), lambda x, g: g * slope * (x > 0))
    point = torch.cat([torch.zeros(zeros, dtype=torch.float64), normals(5).abs() + 0.5])
    report = secant.check(leaning, point, probe=probe)
    assert report.verdict is Verdict.FAIL, str(report)
    assert report.worst is not None
    wrong = {entry.input for entry in report.worst.entries}
    assert wrong <= {f"x[{place}]" for place in range(zeros, zeros + 5)}, str(report)


def test_relu_of_many_numbers_passes() -> None:
    report = secant.check(torch.relu, normals(100_000))
    assert report.verdict is Verdict.PASS, str(report)


def _weighted(x: Tensor, *, weight: Tensor, power: int = 2) -> Tensor:
    return weight * x**power


def test_keyword_arguments_are_checked_by_name() -> None:
    x, weight = normals(4), normals(4, seed=1)
    assert secant.check(_weighted, x, kwargs={"weight": weight, "power": 3})

    def cut(x: Tensor, *, weight: Tensor) -> Tensor:
        return weight.detach() * x

    report = secant.check(cut, x, kwargs={"weight": weight})
    assert report.verdict is Verdict.FAIL
    assert "∂weight" in str(report)


@pytest.mark.parametrize(
    "make",
    [
        lambda a, b: {"a": a, "b": b},
        lambda a, b: [a, b],
        lambda a, b: (a, (b,)),
        lambda a, b: {"nested": [{"a": a}, (b, None, 3, "word")]},
    ],
)
def test_containers_are_accepted_and_given_back(make: Callable[[Tensor, Tensor], Any]) -> None:
    def function(tree: Any) -> Any:
        leaves = [leaf for leaf in torch.utils._pytree.tree_leaves(tree) if torch.is_tensor(leaf)]
        return {"product": leaves[0] * leaves[1], "sum": [leaves[0].sum()]}

    report = secant.check(function, make(normals(3), normals(3, seed=1)))
    assert report.verdict is Verdict.PASS, str(report)


def test_a_function_that_mutates_its_input_openly_gets_a_message() -> None:
    def scales_in_place(x: Tensor) -> Tensor:
        y = x * 1
        x.detach().mul_(2)
        return y.sin()

    report = secant.check(scales_in_place, normals(5))
    assert report.verdict is Verdict.FAIL
    assert "writes into its input x" in str(report)


def test_a_function_that_works_in_place_on_a_leaf_gets_a_message() -> None:
    """The framework refuses this one itself; what matters is that a reader learns why."""
    with pytest.raises(secant.FunctionRaised, match="in-place"):
        secant.check(lambda x: x.mul_(2), normals(5))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
@pytest.mark.parametrize("probe", ["auto", "full"])
def test_randomness_from_the_framework_passes(dtype: torch.dtype, probe: str) -> None:
    def dropped(x: Tensor) -> Tensor:
        return torch.nn.functional.dropout(x.sin(), 0.5)

    report = secant.check(dropped, normals(40, dtype=dtype), probe=probe)
    assert report.verdict is Verdict.PASS, str(report)


def test_a_wrong_gradient_under_dropout_fails() -> None:
    sine = rule("sine", lambda x: x.sin(), lambda x, g: 1.1 * g * x.cos())
    report = secant.check(lambda x: torch.nn.functional.dropout(sine(x), 0.5), normals(40))
    assert report.verdict is Verdict.FAIL
    assert "a constant factor is wrong" in str(report)


def test_randomness_of_its_own_gets_a_message_and_no_blame() -> None:
    generator = torch.Generator().manual_seed(0)

    def noisy(x: Tensor) -> Tensor:
        return x.sin() + torch.randn(x.shape, generator=generator, dtype=x.dtype)

    report = secant.check(noisy, normals(10))
    assert report.verdict is Verdict.INCONCLUSIVE, str(report)
    assert "repeat" in str(report) or "random" in str(report), str(report)


@pytest.mark.parametrize("size", [1, 20, 1_000])
@pytest.mark.parametrize("scale", [3e5, 1e7, 1e-5])
def test_float32_inputs_of_any_size_move(scale: float, size: int) -> None:
    x = scale * (1 + 0.1 * normals(size, dtype=torch.float32))
    assert secant.check(lambda x: x * x / scale, x).verdict is Verdict.PASS
    wrong = rule("wrong", lambda x: x * x / scale, lambda x, g: 2.2 * g * x / scale)
    report = secant.check(wrong, x)
    assert report.verdict is Verdict.FAIL, str(report)


@pytest.mark.parametrize("probe", ["auto", "full"])
def test_a_backward_that_does_not_vanish_with_v_breaks_linearity(probe: str) -> None:
    biased = rule("biased", lambda x: 2 * x, lambda x, g: 2 * g + 1e-4)
    report = secant.check(biased, normals(20), probe=probe)
    kinds = {one.kind for one in report.findings if one.verdict is Verdict.FAIL}
    assert "linearity" in kinds
