"""What secant answers to one question, through its public interface only.

Takes a function, its inputs and settings, and gives an `Answer`: a verdict in one word, the
resolution, and the reason where it is not a pass. Nothing that a check raises gets past here: an
error that secant raises by design is "refused", any other exception is "raises", with its place.
"""

from __future__ import annotations

import math
import re
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

import secant

__all__ = ["SEVERITY", "Answer", "ask"]

SEVERITY = {"pass": 0, "inconclusive": 1, "refused": 1, "raises": 1, "fail": 2}
OPPOSITE = {"pass": "fail", "fail": "pass"}
COARSE = 0.1  # of the gradient's size: a resolution above it promises nothing


@dataclass(frozen=True)
class Answer:
    """One question's answer.

    What is `expected` is "pass" or "fail", where the opposite is false and no verdict is not;
    "any" where both are defensible; "graver" or "unchanged" where the verdict is false beside
    another one.
    """

    name: str  # of the question: `show(name)` prints it
    row: tuple[str, ...]  # of its part's table: the truth, then dtype and setting
    verdict: str
    expected: str
    resolution: float | None = None
    coarseness: float | None = None  # the promise beside the gradient's size, where that is known
    reason: str = ""
    evaluations: int = 0
    forgiving: str | None = None  # the tolerance that the report names, `rtol=1e-5` or `atol=…`

    @property
    def part(self) -> str:
        """The part of the benchmark it belongs to."""
        return self.name.partition(":")[0]

    @property
    def is_false(self) -> bool:
        """Whether the verdict is false, or no verdict but an exception."""
        if self.verdict == "raises" or self.expected in ("graver", "unchanged"):
            return True
        return self.verdict == OPPOSITE.get(self.expected)

    @property
    def is_coarse(self) -> bool:
        """Whether a pass promises less than a tenth of the gradient's size."""
        return self.verdict == "pass" and (self.coarseness or 0.0) > COARSE


def ask(
    name: str,
    row: tuple[str, ...],
    expected: str,
    function: Callable[..., Any],
    inputs: Sequence[torch.Tensor],
    *,
    sizes: Mapping[tuple[int, int], float] | None = None,
    **settings: Any,
) -> Answer:
    """Ask secant once, and have its report printed."""
    try:
        with warnings.catch_warnings(), torch.random.fork_rng(devices=[]):
            warnings.simplefilter("ignore")
            report = secant.check(function, *inputs, **settings)
            text = str(report)
    except secant.SecantError as error:
        return Answer(name, row, "refused", expected, reason=f"{type(error).__name__}: {error}")
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        reason = f"{type(error).__name__}: {error} ({place.name}, line {place.lineno})"
        return Answer(name, row, "raises", expected, reason=reason)
    verdict = report.verdict.name.lower()
    return Answer(
        name,
        row,
        verdict,
        expected,
        promise_of(report),
        None if sizes is None else coarseness_of(report, sizes),
        reason_of(report),
        report.cost.evaluations,
        named_tolerance(text),
    )


def promising(report: secant.Report) -> list[secant.Finding]:
    """What a report found about gradients that are not zero, which have a size."""
    return [
        finding
        for finding in report.findings
        if finding.kind in ("derivative", "precision") and finding.claimed != 0.0
    ]


def coarseness_of(report: secant.Report, sizes: Mapping[tuple[int, int], float]) -> float:
    """The coarsest promise beside the size of its own gradient, by output and leaf."""
    worst = 0.0
    for finding in promising(report):
        if finding.output is None or finding.input is None:  # of all pairs together
            size = max(sizes.values())
        else:
            size = sizes[finding.output, finding.input]
        if size:
            worst = max(
                worst, math.inf if finding.resolution is None else finding.resolution / size
            )
    return worst


def promise_of(report: secant.Report) -> float | None:
    """The coarsest promise of a report, in the gradient's own units."""
    promises = [finding.resolution for finding in promising(report)]
    known = [promise for promise in promises if promise is not None]
    return max(known, default=0.0) if len(known) == len(promises) else None


def named_tolerance(text: str) -> str | None:
    """The tolerance that a report advises, the last one if there are several."""
    found = re.findall(r"`([ra]tol=[0-9][0-9.]*(?:e[-+]?[0-9]+)?)` forgives", text)
    return found[-1] if found else None


def reason_of(report: secant.Report) -> str:
    """What decided a report, in one line; for a pass what it promises."""
    decisive = report.worst
    if decisive is None:
        return ""
    if report.verdict is secant.Verdict.PASS:
        note = f"; {decisive.note}" if decisive.note else ""
        return f"resolution {report.resolution}{note}"
    place = f" at {decisive.where}" if decisive.where else ""
    message = next((line.strip() for line in decisive.message.splitlines() if line.strip()), "")
    return f"{decisive.kind}{place}: {message}"
