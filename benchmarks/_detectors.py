"""The three checkers of the detection benchmark, asked about one function each time.

Takes a `Case` and a checker's name, and gives an `Answer`. Every call gets inputs of its own, since
some planted backwards write into them. With `explain=False` a checker says its verdict and no more:
secant does not look for the wrong entries, and torch's fast mode does not run its slow mode for the
sake of the message, which it otherwise does after each failure.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import torch

from _database import Case
from _judges import Outcome, first_line, judge_with_torch, timed
from _truth import fresh

__all__ = ["CHECKERS", "FAST", "SECANT", "SLOW", "Answer", "ask", "warm_up"]

FAST, SLOW, SECANT = CHECKERS = ("torch fast", "torch slow", "secant")


@dataclass(frozen=True)
class Answer:
    """What one checker said, how long it took, and what secant promises to have seen."""

    verdict: str  # one of _judges.VERDICTS
    seconds: float
    reason: str = ""
    resolution: float | None = None

    @property
    def is_caught(self) -> bool:
        """Whether a wrong gradient was called wrong."""
        return self.verdict == "fail"


def ask(checker: str, case: Case, seed: int, *, explain: bool) -> Answer:
    """One checker's answer about one case."""
    case = replace(case, inputs=fresh(case))
    if checker == SECANT:
        return ask_secant(case, seed, explain=explain)
    with verdict_only() if checker == FAST and not explain else as_it_is():
        outcome = judge_with_torch(case, "fast" if checker == FAST else "full", seed)
    return Answer(outcome.verdict, outcome.seconds, outcome.reason)


def ask_secant(case: Case, seed: int, *, explain: bool) -> Answer:
    """Ask `secant.check` with its default settings, but for the seed and the explanation."""
    import secant

    resolution: list[float | None] = [None]

    def judge() -> Outcome:
        try:
            report = secant.check(case.function, *case.inputs, seed=seed, explain=explain)
        except secant.SecantError as error:
            return Outcome("refused", 0.0, first_line(f"{type(error).__name__}: {error}"))
        except Exception as error:
            return Outcome("raises", 0.0, first_line(f"{type(error).__name__}: {error}"))
        resolution[0] = report.resolution
        worst = report.worst
        reason = ""
        if worst is not None and not report:
            reason = f"{worst.kind} at {worst.where}: {first_line(worst.message)}"
        elif report:
            reason = next((finding.note for finding in report.findings if finding.note), "")
        return Outcome(report.verdict.name.lower(), 0.0, reason)

    outcome = timed(judge, seed)
    return Answer(outcome.verdict, outcome.seconds, outcome.reason, resolution[0])


@contextmanager
def verdict_only() -> Iterator[None]:
    """Spare torch's fast mode the slow run that only lengthens its message."""
    module = sys.modules["torch.autograd.gradcheck"]
    name = "_run_slow_mode_and_get_error"
    explained = getattr(module, name)
    setattr(module, name, lambda *_: "")
    try:
        yield
    finally:
        setattr(module, name, explained)


@contextmanager
def as_it_is() -> Iterator[None]:
    """Change nothing."""
    yield


def warm_up(seed: int) -> None:
    """Ask everybody once: what a first call loads is nobody's cost."""
    x = torch.ones(2, dtype=torch.float64).requires_grad_()
    for checker in CHECKERS:
        ask(checker, Case("sine", "sine", torch.sin, (x,), 2), seed, explain=True)
