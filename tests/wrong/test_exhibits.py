"""Every exhibit is called wrong, for the right reason, and its right twin is not."""

from __future__ import annotations

import pytest

import secant
from secant import Verdict
from wrong.exhibit import Exhibit, normals, rule
from wrong.exhibits import EXHIBITS, WRITTEN
from wrong.judging import asked, explained, probing

_ALL = (*EXHIBITS, *WRITTEN)
_TWINS = asked(exhibit for exhibit in _ALL if exhibit.right is not None)


@pytest.mark.parametrize(("exhibit", "probe"), asked(_ALL))
def test_a_wrong_derivative_is_found_and_explained(exhibit: Exhibit, probe: str) -> None:
    settings = probing(exhibit.settings, probe)
    text = explained(exhibit, secant.check(exhibit.function, *exhibit.inputs(), **settings))
    for words in exhibit.misleading:
        assert words not in text, text


@pytest.mark.parametrize(("exhibit", "probe"), _TWINS)
def test_the_right_twin_passes(exhibit: Exhibit, probe: str) -> None:
    assert exhibit.right is not None
    report = secant.check(exhibit.right, *exhibit.inputs(), **probing(exhibit.settings, probe))
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
    names = [exhibit.name for exhibit in _ALL]
    assert len(set(names)) == len(names)


def test_the_museum_is_not_empty() -> None:
    assert len(EXHIBITS) >= 45
    assert len(WRITTEN) >= 30
