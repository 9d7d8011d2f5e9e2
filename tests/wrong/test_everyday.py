"""Everyday mistakes are caught, most of them named, and none is given a misleading cause."""

from __future__ import annotations

import pytest

import secant
from wrong.everyday import MISTAKES, cause_of, sort_of

SILENT = {"focal loss: the term through (1 − p)² is forgotten"}


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one.what)
def test_a_mistake_is_named_for_what_it_is(mistake):
    report = secant.check(mistake.function, *mistake.inputs())
    sort = sort_of(mistake, report)
    assert sort == ("silent" if mistake.what in SILENT else "named"), str(report)


@pytest.mark.thinned(keep=20)
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one.what)
def test_another_seed_and_every_entry_give_no_other_cause(mistake):
    report = secant.check(mistake.function, *mistake.inputs(), probe="full", seed=5)
    assert sort_of(mistake, report) in ("named", "silent"), cause_of(report)


def test_the_right_ones_pass():
    for mistake in MISTAKES:
        report = secant.check(mistake.right, *mistake.inputs())
        assert report, f"{mistake.what}\n{report}"


def test_there_are_forty_and_most_are_named():
    assert len(MISTAKES) >= 40
    assert len({mistake.what for mistake in MISTAKES}) == len(MISTAKES)
    assert len(MISTAKES) - len(SILENT) >= 36
