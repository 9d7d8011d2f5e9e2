"""Each sentence about a whole Jacobian on hand-made ones, and silence where it is unclear."""

from __future__ import annotations

import numpy as np
import pytest

from secant._measure.estimate import Estimate
from secant._verdict.diagnose import diagnose_matrix
from secant._verdict.evidence import Comparison, Leaf, LeafPair, Probed
from secant._words.reason import said

BAR = 1e-10


def matrix(rows=4, columns=6):
    return np.random.default_rng(3).standard_normal((rows, columns))


def compared(claimed, measured, *, shape=None, values=None):
    """Return a comparison of matrices, of an input that is a vector unless it has a shape."""
    shape = shape or (claimed.shape[1],)
    values = np.random.default_rng(4).standard_normal(shape) if values is None else values
    scene = LeafPair(Leaf("x", values), Leaf("out", np.ones(claimed.shape[0])))
    error = np.full(measured.shape, BAR)
    with np.errstate(invalid="ignore"):
        wrong = np.abs(claimed - measured) > 2 * BAR
    return Comparison(claimed, measured, error, 2 * error, wrong, scene)


def with_bars(claimed, measured, **more):
    cause = diagnose_matrix(compared(claimed, measured, **more))
    return None if cause is None else said(cause.reason, "why")


def uneven(error):
    """Return an error that is not the same for all outputs."""
    return error * np.array([1.0, 2.0, -1.0, 0.7])[:, None]


def test_a_missing_term_is_named():
    measured = matrix()
    claimed = measured * (matrix(4, 6) > -0.5)
    missing = int((matrix(4, 6) <= -0.5).sum())
    assert with_bars(claimed, measured) == (
        f"claimed = 0 in {missing} of 24 entries where the function moves, right elsewhere: a term "
        "is missing (a sum over a broadcast dimension, one output or one path)"
    )


@pytest.mark.parametrize(("shift", "told"), [(0.5, False), (-2.0, True)])
def test_a_triangle_is_no_condition_on_values_unless_a_branch_asks_about_them(shift, told):
    values = np.eye(4) * 3 + shift + np.random.default_rng(4).uniform(size=(4, 4))
    measured = np.random.default_rng(5).uniform(1, 2, (1, 16))
    uneven_ones = 1 + np.random.default_rng(6).uniform(1, 2, 16) * (values.ravel() < 2 + shift)
    said = with_bars(measured * uneven_ones, measured, shape=(4, 4), values=values)
    assert ("where x < 0 (which is all off the diagonal)" in (said or "")) == told
    assert told or said is None


def test_a_column_of_larger_values_is_no_condition_on_them():
    values = np.random.default_rng(4).uniform(-0.9, 0.9, (6, 3)) + 3.0 * (np.arange(3) == 2)
    measured = np.random.default_rng(5).uniform(1, 2, (1, 18))
    uneven_ones = 1 + np.random.default_rng(6).uniform(1, 2, 18) * (values.ravel() > 1)
    assert with_bars(measured * uneven_ones, measured, shape=(6, 3), values=values) is None


@pytest.mark.parametrize(
    "shapes", [((), ()), ((), (3,)), ((3,), ()), ((1,), (1, 1)), ((2, 2), (1,))]
)
def test_leaves_without_dimensions_to_reduce_are_looked_at_as_well(shapes):
    inner, outer = (np.ones(shape) for shape in shapes)
    measured = np.arange(1.0, 1 + inner.size * outer.size).reshape(outer.size, inner.size)
    bars = np.full(measured.shape, BAR)
    scene = LeafPair(Leaf("x", inner), Leaf("out", outer))
    wrong = np.ones(measured.shape, dtype=bool)
    comparison = Comparison(measured**2 + 1, measured, bars, 2 * bars, wrong, scene)
    assert diagnose_matrix(comparison) is None


def test_ignored_outputs_are_named():
    measured = matrix()
    claimed = np.where(np.arange(4)[:, None] >= 2, 0.0, measured)
    assert with_bars(claimed, measured) == (
        "claimed = 0 for 2 of 4 entries of out, right for the others: a part of the output is "
        "ignored, a term is missing: index ≥ 2"
    )


def test_permuted_rows_are_named():
    measured = matrix()
    claimed = measured[:, [3, 0, 5, 1, 2, 4]]
    assert with_bars(claimed, measured) == (
        "every row holds the right numbers in the wrong places (4 rows, to 1e-15): "
        "the claim is permuted"
    )


def test_a_sign_is_wrong_where_numbers_of_both_signs_could_have_changed_places():
    measured = np.vstack([matrix(3, 6), -matrix(3, 6)])[:, [0, 1, 2, 3]]
    claimed = measured * [-1.0, 1.0, -1.0, 1.0]
    told = with_bars(claimed, measured)
    assert told is not None
    assert "claimed = −1 × measured" in told


def test_a_transposed_jacobian_is_named():
    measured = matrix(5, 5)
    assert with_bars(measured.T, measured) == (
        "the claimed Jacobian is the transpose of the measured one (5 × 5 entries, to 1e-15): "
        "J v is computed where Jᵀ v is due"
    )


def test_a_scale_for_each_row_is_named():
    measured = matrix(4, 12)
    claimed = measured * np.repeat([2.0, 3.0, 0.5], 4)
    assert with_bars(claimed, measured, shape=(3, 4)) == (
        "claimed = s × measured with one s for each index of dimension 0 of x, from 0.5 to 3 "
        "(45 entries more than that takes agree): a scale along dimension 0 is wrong or missing"
    )


def test_a_scale_for_each_entry_explains_anything_and_is_not_named():
    measured = np.diag(matrix(1, 12)[0])
    claimed = measured * np.linspace(2, 3, 12)
    assert with_bars(claimed, measured, shape=(3, 4)) is None


def test_an_error_from_an_index_on_is_named():
    measured = matrix()
    claimed = measured + 0.1 * (np.arange(6) >= 3)
    assert with_bars(claimed, measured) == (
        "right up to index 2, wrong from index 3 on: a loop's bound, or the tail of a block"
    )


def test_inputs_that_do_not_matter_are_not_called_right():
    """All that the output depends on is wrong: nothing is known about a bound."""
    measured = matrix() * (np.arange(6) >= 3)
    claimed = measured + uneven(0.1 * (np.arange(6) >= 3))
    assert with_bars(claimed, measured) is None


def test_where_values_are_sorted_a_bound_may_be_a_branch():
    measured = matrix()
    claimed = measured * np.where(np.arange(6) >= 3, 1.5, 1.0)
    sentence = with_bars(claimed, measured, values=np.linspace(-1, 2, 6))
    assert sentence == (
        "right up to index 2, wrong from index 3 on (claimed = 1.5 × measured there): "
        "a loop's bound, or the tail of a block"
    )  # of 20 ways to choose 3 of 6 one is a bound: nothing is said about values
    measured = matrix(4, 12)
    claimed = measured * np.where(np.arange(12) >= 6, 1.5, 1.0)
    sentence = with_bars(claimed, measured, values=np.linspace(-1, 1.2, 12))
    assert sentence == (
        "right up to index 5, wrong from index 6 on, which is where x > 0 "
        "(claimed = 1.5 × measured there): a branch, or a loop's bound"
    )


@pytest.mark.parametrize("places", [[0], [8], [0, 8]])
def test_an_error_at_the_border_is_named(places):
    measured = matrix(columns=9)
    claimed = measured + 0.1 * np.isin(np.arange(9), places)
    assert with_bars(claimed, measured) == (
        "wrong at the border only: the first or last index is treated wrongly"
    )


@pytest.mark.parametrize("places", [[0], [5], [0, 5]])
def test_few_entries_have_no_border_of_their_own(places):
    measured = matrix(columns=6)
    claimed = measured + uneven(0.1 * np.isin(np.arange(6), places))
    assert with_bars(claimed, measured) is None


def probe_of(claimed, *, bend):
    """Return a probe whose pull is bent, or is the sum that it should be."""
    cotangent, direction = np.linspace(-1, 2, 4), np.linspace(1, 2, 6)
    gradient = bend(cotangent) @ claimed
    measured = Estimate(1.0, BAR)
    return Probed(float(gradient @ direction), measured, gradient, direction, cotangent=cotangent)


def test_sums_that_are_wrong_though_entries_are_right_point_at_linearity():
    measured = matrix()
    right = compared(measured, measured)
    cause = diagnose_matrix(right, [probe_of(measured, bend=np.abs)])
    assert said(cause.reason, "why") == (
        "every entry is right by itself, sums of them are not: the backward is not linear "
        "in grad_output"
    )
    assert diagnose_matrix(right, [probe_of(measured, bend=np.copy)]) is None


def test_a_claim_that_is_bent_and_wrong_is_called_bent():
    claimed = matrix()
    cause = diagnose_matrix(compared(claimed, 1.5 * claimed), [probe_of(claimed, bend=np.abs)])
    assert said(cause.reason, "why").startswith(
        "the pull of v is not the sum of the pulls of its entries"
    )


@pytest.mark.parametrize(
    "error",
    [
        0.1 * (np.arange(6) == 2),
        0.1 * np.isin(np.arange(6), [1, 3]),
        0.1 * np.isin(np.arange(6), [0, 3, 5]),
        np.arange(6) + 1.0,
    ],
    ids=["inside", "two inside", "border and inside", "everywhere"],
)
def test_errors_without_a_pattern_get_silence(error):
    measured = matrix()
    assert with_bars(measured + uneven(error), measured) is None


def test_an_error_that_all_outputs_share_is_named():
    measured = matrix()
    assert with_bars(measured + 0.1 * (np.arange(6) == 2), measured) == (
        "measured − claimed is the same for all 4 outputs (to 1e-15), for 1 of 6 entries of x: "
        "what is added to every output alike has no gradient, or a wrong one"
    )


@pytest.mark.parametrize("seed", range(20))
def test_random_errors_get_silence(seed):
    generator = np.random.default_rng(seed)
    measured = generator.standard_normal((6, 12))
    claimed = measured + generator.standard_normal((6, 12)) * (generator.random((6, 12)) < 0.4)
    assert with_bars(claimed, measured, shape=(3, 4)) is None
    claimed = measured * np.exp(generator.standard_normal((6, 12)))
    assert with_bars(claimed, measured, shape=(3, 4)) is None


@pytest.mark.parametrize("hole", [np.nan, np.inf])
def test_matrices_with_holes_get_silence(hole):
    measured = matrix()
    claimed = measured.copy()
    claimed[0, 0] = hole
    assert with_bars(claimed, measured) is None
    assert with_bars(measured, claimed) is None
