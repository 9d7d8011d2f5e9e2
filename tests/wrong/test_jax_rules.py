"""Every wrong rule of JAX is called wrong, for the right reason, and its right twin is not."""

from __future__ import annotations

from typing import Any

import pytest

import secant
from secant import Verdict
from wrong.exhibit import Exhibit
from wrong.jax_rules import EXHIBITS

_ASKED = [
    pytest.param(exhibit, probe, id=f"{exhibit.name}-{probe}")
    for exhibit in EXHIBITS
    for probe in exhibit.probes
]


def _settings(exhibit: Exhibit, probe: str) -> dict[str, Any]:
    return dict(exhibit.settings) if probe == "auto" else {**exhibit.settings, "probe": probe}


@pytest.mark.parametrize(("exhibit", "probe"), _ASKED)
def test_a_wrong_rule_is_found_and_explained(exhibit: Exhibit, probe: str) -> None:
    report = secant.check(exhibit.function, *exhibit.inputs(), **_settings(exhibit, probe))
    text = str(report)
    assert report.verdict is Verdict.FAIL, text
    failed = [finding for finding in report.findings if finding.verdict is Verdict.FAIL]
    chosen = [finding for finding in failed if finding.kind == exhibit.kind]
    assert chosen, f"no finding of kind {exhibit.kind}, only {[one.kind for one in failed]}\n{text}"
    if exhibit.cause is not None:
        assert any(exhibit.cause in (finding.cause or "") for finding in chosen), text
    for words in exhibit.shows:
        assert words in text, text


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: exhibit.name)
def test_the_right_twin_passes(exhibit: Exhibit) -> None:
    assert exhibit.right is not None
    report = secant.check(exhibit.right, *exhibit.inputs(), **exhibit.settings)
    assert report.verdict is Verdict.PASS, str(report)


def test_every_exhibit_has_a_name_of_its_own() -> None:
    names = [exhibit.name for exhibit in EXHIBITS]
    assert len(set(names)) == len(names) >= 15
