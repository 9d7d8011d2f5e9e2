"""One wrong entry, 1 % off, is caught wherever it stands and however many right ones surround it.

This is the test the incumbent's fast mode fails from n = 100 on.
"""

from __future__ import annotations

import numpy as np
import pytest

import secant
from secant import Verdict
from wrong.exhibit import normals
from wrong.places import one_wrong_entry

# How many places of how many: that no place is blind is shown among few, that its neighbours do not
# drown it among many.
_PLACES = {100: 100, 1_000: 20, 10_000: 10, 100_000: 3, 1_000_000: 1}


@pytest.mark.parametrize("size", _PLACES)
def test_one_entry_one_percent_off_is_caught_wherever_it_stands(size: int) -> None:
    x = normals(size)
    places = np.random.default_rng(size).choice(size, _PLACES[size], replace=False).tolist()
    missed = [
        place
        for place in places
        if secant.check(one_wrong_entry(place, 1.01), x, explain=False).verdict is not Verdict.FAIL
    ]
    assert not missed, f"{len(missed)} of {len(places)} positions missed at n = {size}: {missed}"


@pytest.mark.parametrize("place", [0, 31_415, 99_999])
def test_the_planted_entry_is_the_one_named(place: int) -> None:
    report = secant.check(one_wrong_entry(place, 1.01), normals(100_000))
    assert report.verdict is Verdict.FAIL
    assert report.worst is not None
    (entry,) = report.worst.entries
    assert (entry.output, entry.input) == (f"out[{place}]", f"x[{place}]")
    assert entry.claimed == pytest.approx(2.02)
    assert entry.measured.value == pytest.approx(2.0)
    assert f"∂out[{place}] / ∂x[{place}]" in str(report)


@pytest.mark.parametrize("seed", range(5))
def test_no_seed_is_blind(seed: int) -> None:
    x = normals(10_000)
    for place in (0, 5_000, 9_999):
        report = secant.check(one_wrong_entry(place, 1.01), x, seed=seed, explain=False)
        assert report.verdict is Verdict.FAIL


def test_a_right_gradient_of_a_million_entries_passes() -> None:
    report = secant.check(one_wrong_entry(7, 1.0), normals(1_000_000))
    assert report.verdict is Verdict.PASS, str(report)
