"""Wrong derivatives written by hand are found and explained; their right twins pass."""

from __future__ import annotations

import pytest

import secant
from secant import Verdict
from wrong.by_hand import EXHIBITS, ByHand
from wrong.judging import asked, explained

_ASKED = asked(EXHIBITS)


def report_of(exhibit: ByHand, probe: str, which: str) -> secant.Report:
    settings = {**exhibit.settings, exhibit.keyword: getattr(exhibit, which), "probe": probe}
    return secant.check(exhibit.function, *exhibit.inputs, **settings)


@pytest.mark.parametrize(("exhibit", "probe"), _ASKED)
def test_a_wrong_derivative_by_hand_is_found_and_explained(exhibit: ByHand, probe: str) -> None:
    text = explained(exhibit, report_of(exhibit, probe, "wrong"))
    for words in ("grad_output", "backward", "autograd"):
        assert words not in text, text


@pytest.mark.parametrize(("exhibit", "probe"), _ASKED)
def test_the_right_twin_by_hand_passes(exhibit: ByHand, probe: str) -> None:
    report = report_of(exhibit, probe, "right")
    assert report.verdict is Verdict.PASS, str(report)


def test_the_room_is_not_empty() -> None:
    assert len({exhibit.name for exhibit in EXHIBITS}) == len(EXHIBITS) >= 20
