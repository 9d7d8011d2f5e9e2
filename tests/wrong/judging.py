"""What the museum's rooms share: an exhibit is asked with every probe, and must be explained."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import pytest

import secant
from secant import Verdict

__all__ = ["asked", "explained", "probing"]


class Shown(Protocol):
    """What every exhibit says of itself, whatever it is written in."""

    @property
    def name(self) -> str: ...
    @property
    def probes(self) -> Sequence[str]: ...
    @property
    def kind(self) -> str: ...
    @property
    def cause(self) -> str | None: ...
    @property
    def shows(self) -> Sequence[str]: ...


def asked(exhibits: Iterable[Shown]) -> list[Any]:
    """Each exhibit with each of its probes, as parameters of a test; by turns all but one are slow.

    That a mistake is found, and by which probe, are two questions: the first is asked of each.
    """
    return [
        pytest.param(
            exhibit,
            probe,
            id=f"{exhibit.name}-{probe}",
            marks=() if rank % len(exhibit.probes) == k else pytest.mark.slow,
        )
        for rank, exhibit in enumerate(exhibits)
        for k, probe in enumerate(exhibit.probes)
    ]


def probing(settings: Any, probe: str) -> dict[str, Any]:
    """The settings of an exhibit with a probe; `auto` is asked as nobody had chosen one."""
    return dict(settings) if probe == "auto" else {**settings, "probe": probe}


def explained(exhibit: Shown, report: secant.Report) -> str:
    """Expect FAIL, of the right kind, for the right reason; return the text for more questions."""
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
    return text
