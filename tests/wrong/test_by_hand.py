"""Wrong derivatives written by hand are found and explained; their right twins pass."""

from __future__ import annotations

import pytest

import secant
from secant import Verdict
from wrong.by_hand import EXHIBITS, ByHand

_ASKED = [
    pytest.param(exhibit, probe, id=f"{exhibit.name}-{probe}")
    for exhibit in EXHIBITS
    for probe in exhibit.probes
]


def report_of(exhibit: ByHand, probe: str, which: str) -> secant.Report:
    settings = {**exhibit.settings, exhibit.keyword: getattr(exhibit, which), "probe": probe}
    return secant.check(exhibit.function, *exhibit.inputs, **settings)


@pytest.mark.parametrize(("exhibit", "probe"), _ASKED)
def test_a_wrong_derivative_by_hand_is_found_and_explained(exhibit: ByHand, probe: str) -> None:
    report = report_of(exhibit, probe, "wrong")
    text = str(report)
    assert report.verdict is Verdict.FAIL, text
    failed = [one for one in report.findings if one.verdict is Verdict.FAIL]
    chosen = [one for one in failed if one.kind == exhibit.kind]
    assert chosen, f"no finding of kind {exhibit.kind}, only {[one.kind for one in failed]}\n{text}"
    if exhibit.cause is not None:
        assert any(exhibit.cause in (one.cause or "") for one in chosen), text
    for words in exhibit.shows:
        assert words in text, text
    for words in ("grad_output", "backward", "autograd"):
        assert words not in text, text


@pytest.mark.parametrize(("exhibit", "probe"), _ASKED)
def test_the_right_twin_by_hand_passes(exhibit: ByHand, probe: str) -> None:
    report = report_of(exhibit, probe, "right")
    assert report.verdict is Verdict.PASS, str(report)


def test_the_room_is_not_empty() -> None:
    assert len({exhibit.name for exhibit in EXHIBITS}) == len(EXHIBITS) >= 20
