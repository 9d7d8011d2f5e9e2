"""Every exhibit is called wrong, for the right reason, and its right twin is not."""

from __future__ import annotations

from typing import Any

import pytest

import secant
from secant import Verdict
from wrong.exhibit import Exhibit, normals, rule
from wrong.exhibits import EXHIBITS

_ASKED = [
    pytest.param(exhibit, probe, id=f"{exhibit.name}-{probe}")
    for exhibit in EXHIBITS
    for probe in exhibit.probes
]
_TWINS = [
    pytest.param(exhibit, probe, id=f"{exhibit.name}-{probe}")
    for exhibit in EXHIBITS
    if exhibit.right is not None
    for probe in exhibit.probes
]


def _settings(exhibit: Exhibit, probe: str) -> dict[str, Any]:
    return dict(exhibit.settings) if probe == "auto" else {**exhibit.settings, "probe": probe}


@pytest.mark.parametrize(("exhibit", "probe"), _ASKED)
def test_a_wrong_derivative_is_found_and_explained(exhibit: Exhibit, probe: str) -> None:
    report = secant.check(exhibit.function, *exhibit.inputs(), **_settings(exhibit, probe))
    text = str(report)
    assert report.verdict is Verdict.FAIL, text
    failed = [finding for finding in report.findings if finding.verdict is Verdict.FAIL]
    chosen = [finding for finding in failed if finding.kind == exhibit.kind]
    assert chosen, f"no finding of kind {exhibit.kind}, only {[one.kind for one in failed]}\n{text}"
    if exhibit.cause is not None:
        causes = [finding.cause for finding in chosen]
        assert any(exhibit.cause in (cause or "") for cause in causes), f"{causes}\n{text}"
        assert exhibit.cause in text, text
    for words in exhibit.shows:
        assert words in text, text
    for words in exhibit.misleading:
        assert words not in text, text


@pytest.mark.parametrize(("exhibit", "probe"), _TWINS)
def test_the_right_twin_passes(exhibit: Exhibit, probe: str) -> None:
    assert exhibit.right is not None
    report = secant.check(exhibit.right, *exhibit.inputs(), **_settings(exhibit, probe))
    assert report.verdict is Verdict.PASS, str(report)


@pytest.mark.parametrize("rows", [3, 1_000])
def test_what_is_wrong_in_a_large_dense_jacobian_is_counted_in_columns(rows: int) -> None:
    matrix = normals(rows, 1_000)
    wrong = rule("wrong", lambda x: matrix @ x, lambda x, g: 1.1 * (matrix.t() @ g))
    finding = secant.check(wrong, normals(1_000)).worst
    assert finding is not None
    assert (finding.total, finding.counted) == (1_000, "columns")
    assert finding.wrong is not None
    assert finding.total / 2 <= finding.wrong <= finding.total


def test_every_exhibit_has_a_name_of_its_own() -> None:
    names = [exhibit.name for exhibit in EXHIBITS]
    assert len(set(names)) == len(names)


def test_the_museum_is_not_empty() -> None:
    assert len(EXHIBITS) >= 45
