"""After a failure: the worst entries, their indices and their count."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import secant
from planted import planted, points, scaled_sine, sine_wrong_at
from secant._probes.locate import halve

FAIL = secant.Verdict.FAIL


@given(st.integers(1, 300), st.data())
def test_halving_finds_the_only_wrong_place(size, data):
    place = data.draw(st.integers(0, size - 1))
    wrong = np.zeros(size)
    wrong[place] = data.draw(st.sampled_from([-3.0, 1e-6, 5.0]))
    asked = 0

    def residual_of(half):
        nonlocal asked
        asked += 1
        return float(half @ wrong)

    mask = np.ones(size)
    assert halve(mask, residual_of(mask), residual_of) == place
    assert asked <= 2 + np.log2(size)


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


def test_a_few_wrong_entries_of_a_large_leaf_are_all_named():
    places = [3, 777, 4999]

    def backward(saved, v):
        slope = saved[0].cos().clone()
        slope[places] += 0.1
        return v * slope

    finding = secant.check(planted("Few", torch.sin, backward), points(5000)).worst
    assert sorted(entry.input for entry in finding.entries) == sorted(
        f"input0[{place}]" for place in places
    )
    assert finding.wrong == 3


def test_many_wrong_entries_of_a_large_leaf_are_estimated_and_said_to_be():
    report = secant.check(scaled_sine(1.5), points(5000))
    finding = report.worst
    assert finding.wrong_is_estimate
    assert (finding.total, finding.counted) == (5000, "columns")
    assert finding.wrong == pytest.approx(5000, rel=0.5)
    assert "about " in str(report)


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


def test_a_budget_bounds_the_search():
    report = secant.check(sine_wrong_at(777, 0.05), points(20_000), budget=40)
    assert not report
    assert report.cost.evaluations < 200
