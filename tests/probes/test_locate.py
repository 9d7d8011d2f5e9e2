"""After a failure: the worst entries, their indices, their count and where they lie."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import secant
from planted import planted, points, scaled_sine, sine_wrong_at
from secant._probes.failing.bisect import bounds_of
from secant._probes.failing.halving import halve

FAIL = secant.Verdict.FAIL


@given(st.integers(1, 300), st.data())
def test_halving_finds_the_only_wrong_place(size, data):
    place = data.draw(st.integers(0, size - 1))
    wrong = np.zeros(size)
    wrong[place] = data.draw(st.sampled_from([-3.0, 1e-6, 5.0]))
    asked = 0

    def residual_of(low, high):
        nonlocal asked
        asked += 1
        return float(wrong[low:high].sum())

    assert halve(size, residual_of(0, size), residual_of) == place
    assert asked <= 2 + np.log2(size)


@given(st.lists(st.floats(-2, 2), min_size=2, max_size=60), st.floats(0.5, 2))
def test_halving_finds_a_wrong_place_where_contributions_cancel(numbers, last):
    """Whatever cancels, the half that is followed holds at least half of what is left."""
    wrong = np.array([*numbers, last])
    total = float(wrong.sum())
    if abs(total) < 1e-6:
        return
    place = halve(wrong.size, total, lambda low, high: float(wrong[low:high].sum()))
    assert abs(wrong[place]) >= abs(total) / (2 * wrong.size)


@given(st.data())
def test_the_bounds_of_a_box_take_few_questions(data):
    shape = tuple(data.draw(st.lists(st.integers(1, 400), min_size=1, max_size=3)))
    bounds = []
    for size in shape:
        low = data.draw(st.integers(0, size - 1))
        bounds.append((low, data.draw(st.integers(low + 1, size))))
    asked = 0

    def is_right(mask):
        nonlocal asked
        asked += 1
        whole = np.broadcast_to(mask, shape)
        return not whole[tuple(slice(low, high) for low, high in bounds)].any()

    assert bounds_of(shape, is_right) == bounds
    assert asked <= sum(4 * (1 + math.log2(size)) for size in shape)


# -- few -----------------------------------------------------------------------------------------


def sine_off_by(errors: dict[int, float]):
    """Return sin with errors added to some entries of the diagonal of its Jacobian."""
    places, sizes = list(errors), list(errors.values())

    def backward(saved, v):
        slope = saved[0].cos()
        slope.view(-1)[places] += torch.tensor(sizes, dtype=slope.dtype)
        return v * slope

    return planted("SineOffBy", torch.sin, backward)


def seen(finding) -> list[str]:
    return sorted(entry.input for entry in finding.entries)


def named(places) -> list[str]:
    return sorted(f"input0[{place}]" for place in places)


@pytest.mark.parametrize("size", [600, 20_000])
@pytest.mark.parametrize("share", [0.0, 0.618, 1.0])
def test_a_single_wrong_entry_of_a_large_leaf_is_named(size, share):
    place = round(share * (size - 1))
    finding = secant.check(sine_wrong_at(place, 0.05), points(size)).worst
    assert finding.wrong == 1
    assert not finding.wrong_is_estimate
    assert (finding.total, finding.counted) == (size, "columns")
    (entry,) = finding.entries
    assert (entry.output, entry.input) == (f"out[{place}]", f"input0[{place}]")
    assert entry.claimed - entry.measured.value == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize(
    ("size", "count"), [(1_000, 2), (1_000, 10), (30_000, 5), (30_000, 10), (100_000, 2)]
)
def test_a_few_wrong_entries_are_all_found_in_logarithmically_many_evaluations(size, count):
    generator = np.random.default_rng((size, count))
    places = generator.choice(size, count, replace=False).tolist()
    errors = {k: 0.1 * (-1) ** rank for rank, k in enumerate(places)}
    report = secant.check(sine_off_by(errors), points(size))
    finding = report.worst
    assert seen(finding) == named(places)
    assert (finding.wrong, finding.wrong_is_estimate) == (count, False)
    # three or four for each question, a closer look at each entry, and a region ruled out
    assert report.cost.evaluations <= 200 + count * (6 * math.log2(size) + 40)


@pytest.mark.parametrize("count", [1, 5])
def test_a_few_wrong_entries_of_single_precision_are_all_found(count):
    places = np.random.default_rng(count).choice(10_000, count, replace=False).tolist()
    wrong = sine_off_by({k: 0.3 * (-1) ** rank for rank, k in enumerate(places)})
    finding = secant.check(wrong, points(10_000, dtype=torch.float32)).worst
    assert seen(finding) == named(places)


def test_errors_that_nearly_cancel_are_all_found():
    """Twins of opposite sign cancel in a sum with equal weights; random ones tell them apart."""
    errors = {10: 0.2, 11: -0.2, 4_000: 0.2, 4_001: -0.2}
    finding = secant.check(sine_off_by(errors), points(5_000)).worst
    assert seen(finding) == named(errors)


def test_a_large_error_does_not_hide_a_small_one():
    errors = {77: 1.0, 4_242: 1e-3}
    finding = secant.check(sine_off_by(errors), points(5_000)).worst
    assert seen(finding) == named(errors)
    assert finding.entries[0].input == "input0[77]"


def test_the_first_and_the_last_entry_are_called_the_border():
    finding = secant.check(sine_off_by({0: 0.1, 999: 0.1}), points(1_000)).worst
    assert finding.picture == "2 of 1,000 entries of input0: the first and the last index"
    assert finding.cause.startswith("wrong at the border only")


def test_the_shape_of_the_leaf_is_in_the_index():
    report = secant.check(sine_wrong_at(7, 0.1), points(3, 4))
    (entry,) = report.worst.entries
    assert (entry.output, entry.input) == ("out[1, 3]", "input0[1, 3]")


def test_a_wrong_entry_of_a_complex_leaf_names_its_part():
    def backward(saved, v):
        gradient = v * saved[0].cos().conj()
        gradient[1] += 0.1j * v[1].real
        return gradient

    z = points(3, dtype=torch.complex128)
    report = secant.check(planted("Part", torch.sin, backward), z)
    (entry,) = report.worst.entries
    assert (entry.output, entry.input) == ("out[1].real", "input0[1].imag")


def test_an_entry_off_the_diagonal_is_named_by_row_and_column():
    def backward(saved, v):
        gradient = v * saved[0].cos()
        gradient[2] += 0.1 * v[4]
        return gradient

    report = secant.check(planted("Off", torch.sin, backward), points(6))
    (entry,) = report.worst.entries
    assert (entry.output, entry.input) == ("out[4]", "input0[2]")
    assert entry.claimed == pytest.approx(0.1)
    assert abs(entry.measured.value) <= entry.measured.error + 1e-12


@pytest.mark.parametrize("budget", [10, 40, 100])
def test_a_budget_bounds_the_search(budget):
    report = secant.check(sine_wrong_at(777, 0.05), points(20_000), max_evaluations=budget)
    assert not report
    assert report.cost.evaluations < budget + 160


def test_a_budget_that_is_spent_leaves_no_entry_to_be_asked():
    report = secant.check(scaled_sine(1.05), points(64), max_evaluations=12)
    assert report.verdict is secant.Verdict.INCONCLUSIVE
    assert report.cost.evaluations < 40
