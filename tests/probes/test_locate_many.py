"""After a failure with many wrong entries: the region they fill, or how many there are."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

import secant
from planted import planted, points, scaled_sine

SHAPE = (48, 60)
ROW, COLUMN = torch.meshgrid(torch.arange(48), torch.arange(60), indexing="ij")


def sine_wrong_where(flags: torch.Tensor, factor: float = 1.2):
    """Return sin with a factor in its gradient, in some places."""
    return planted(
        "SineWrongWhere",
        torch.sin,
        lambda saved, v: v * saved[0].cos() * torch.where(flags, factor, 1.0),
    )


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (COLUMN == 59, "index 59 of dimension 1 (the last column)"),
        (ROW == 3, "index 3 of dimension 0 (row 3)"),
        (COLUMN >= 32, "index ≥ 32 of dimension 1"),
        (ROW < 24, "index < 24 of dimension 0"),
        (
            (ROW > 9) & (ROW < 14) & (COLUMN > 19) & (COLUMN < 33),
            "indices 10 to 13 of dimension 0, indices 20 to 32 of dimension 1",
        ),
        (ROW == COLUMN, "the diagonal"),
        (ROW < COLUMN, "the upper triangle, without the diagonal"),
        (ROW % 2 == 1, "every second index from 1 on of dimension 0"),
        ((COLUMN == 0) | (COLUMN == 59), "the first and the last index of dimension 1"),
    ],
)
def test_a_region_of_a_large_leaf_has_its_words(flags, words):
    report = secant.check(sine_wrong_where(flags), points(*SHAPE))
    finding = report.worst
    assert finding.picture.startswith(f"{words} of input0 (")
    assert finding.picture.endswith(" looked at there are wrong, nothing elsewhere in 2 probes)")
    assert finding.wrong == int(flags.sum())
    assert "claimed = 1.2 × measured" in finding.cause
    assert report.cost.evaluations <= 100 * math.log2(flags.numel())


def test_a_region_of_single_precision_has_its_words():
    report = secant.check(sine_wrong_where(COLUMN >= 32, 1.5), points(*SHAPE, dtype=torch.float32))
    assert report.worst.picture.startswith("index ≥ 32 of dimension 1 of input0 (")


def test_a_bound_is_found_to_the_index():
    for bound in (1, 17, 895, 999):
        flags = torch.arange(1_000) >= bound
        finding = secant.check(sine_wrong_where(flags), points(1_000)).worst
        if bound == 999:
            assert [entry.input for entry in finding.entries] == ["input0[999]"]
        else:
            assert finding.picture.startswith(f"index ≥ {bound} of input0 (")
            assert f"wrong from index {bound} on" in finding.cause


def test_a_region_is_found_where_sums_inside_the_function_are_noisy():
    """Its noise is far above what its outputs' round-off explains, and in no bar of a weak slab."""
    matrix = torch.randn(3, 20_000, dtype=torch.float64, generator=torch.Generator().manual_seed(0))

    def backward(saved, v):
        slope = v * (matrix @ saved[0]).cos() @ matrix
        return slope * (torch.arange(20_000) < 19_000)

    wrong = planted("Wide", lambda x: (matrix @ x).sin(), backward)
    x = torch.randn(20_000, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    finding = secant.check(wrong, x).worst
    assert finding.picture.startswith("index ≥ 19000 of x (")
    assert "wrong from index 19000 on (claimed = 0 there)" in finding.cause


def test_a_region_of_a_forward_mode_derivative_has_its_words():
    flags = torch.arange(900) >= 500
    wrong = planted(
        "Pushed",
        torch.sin,
        lambda saved, v: v * saved[0].cos(),
        lambda saved, u: u * saved[0].cos() * torch.where(flags, 1.2, 1.0),
    )
    finding = secant.check(wrong, points(900), modes="forward").worst
    assert finding.picture.startswith("index ≥ 500 of input0 (")


def test_a_leaf_with_few_entries_and_many_outputs_is_diagnosed_too():
    matrix = torch.randn(60_000, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    wrong = planted(
        "Tall",
        lambda x: (matrix @ x).sin(),
        lambda saved, v: 1.1 * (v * (matrix @ saved[0]).cos()) @ matrix,
    )
    finding = secant.check(wrong, points(5)).worst
    assert finding.cause.startswith("claimed = 1.1 × measured in every probe")
    assert (finding.wrong, finding.total, finding.wrong_is_estimate) == (5, 5, False)


def test_where_values_decide_the_condition_is_found():
    x = points(*SHAPE) - 0.5
    finding = secant.check(
        planted(
            "Leaky",
            lambda x: torch.where(x > 0, x, 0.1 * x),
            lambda saved, v: torch.where(saved[0] > 0, v, 0.01 * v),
        ),
        x,
    ).worst
    assert finding.picture.startswith("where x < 0 (")
    assert finding.wrong == int((x < 0).sum())
    assert finding.cause.startswith("claimed = 0.1 × measured where x < 0, right elsewhere")


@pytest.mark.parametrize("share", [0.1, 0.3, 0.7])
def test_many_scattered_entries_are_estimated_with_an_interval(share):
    wrong = np.random.default_rng(5).random(SHAPE) < share
    held = 0
    for seed in range(3):
        check = sine_wrong_where(torch.from_numpy(wrong))
        finding = secant.check(check, points(*SHAPE), seed=seed).worst
        low, high = (
            int(word.replace(",", ""))
            for word in finding.picture.split(" columns")[0].split(" to ")
        )
        assert low <= finding.wrong <= high
        assert high - low <= 0.3 * wrong.size
        assert finding.wrong_is_estimate
        assert len(finding.entries) == 5
        held += low <= int(wrong.sum()) <= high
    assert held >= 2  # each holds the true number in 95 % of all cases


def test_many_wrong_entries_of_a_large_leaf_are_estimated_and_said_to_be():
    report = secant.check(scaled_sine(1.5), points(5000))
    finding = report.worst
    assert finding.wrong_is_estimate
    assert (finding.total, finding.counted) == (5000, "columns")
    assert finding.wrong == pytest.approx(5000, rel=0.5)
    assert "about " in str(report)


def test_a_weak_error_everywhere_is_not_given_bounds():
    """Slabs of a few entries may look right where the whole does not: no region is made of that."""
    flags = torch.ones(SHAPE, dtype=torch.bool)
    finding = secant.check(sine_wrong_where(flags, 1 + 2e-6), points(*SHAPE)).worst
    assert finding is not None
    assert finding.picture is None or " to " in finding.picture


def test_a_small_leaf_has_a_picture():
    flags = torch.arange(6).expand(4, 6) == 5
    finding = secant.check(sine_wrong_where(flags), points(4, 6)).worst
    assert finding.picture == (
        "4 of 24 entries of input0: index 5 of dimension 1 (the last column)"
    )
    assert finding.cause == "claimed = 1.2 × measured in the 4 wrong entries, right in 20 others"


def test_a_budget_bounds_the_search_for_a_region():
    report = secant.check(sine_wrong_where(COLUMN >= 32), points(*SHAPE), max_evaluations=60)
    assert not report
    assert report.cost.evaluations < 220
