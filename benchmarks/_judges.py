"""The two checkers, asked the same question in the same words.

Takes a `Case` and a mode ("fast" or "full"), and gives an `Outcome`: a verdict in one word, the
seconds the single call took, the reason where the verdict is not a pass, the calls it counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch.autograd.gradcheck import GradcheckError

from _database import Case

__all__ = ["SECANT_VERDICTS", "TORCH_VERDICTS", "Outcome", "judge_with_secant", "judge_with_torch"]

TORCH_VERDICTS = ("pass", "fail", "raises")
SECANT_VERDICTS = ("PASS", "FAIL", "INCONCLUSIVE", "refused", "crashed")


@dataclass(frozen=True)
class Outcome:
    """What one checker said about one case, and what it cost."""

    verdict: str  # one of TORCH_VERDICTS or SECANT_VERDICTS
    seconds: float
    reason: str = ""  # the first line of the message, empty for a pass
    evaluations: int | None = None  # of the function; torch does not count
    pulls: int | None = None


def judge_with_torch(case: Case, mode: str, seed: int) -> Outcome:
    """Ask torch's gradcheck, with its own tolerances.

    "fail" is its word on the gradient; "raises" is anything else that came out of it.
    """

    def judge() -> Outcome:
        try:
            torch.autograd.gradcheck(case.function, case.inputs, fast_mode=mode == "fast")
        except GradcheckError as error:
            return Outcome("fail", 0.0, first_line(str(error)))
        except Exception as error:
            return Outcome("raises", 0.0, first_line(f"{type(error).__name__}: {error}"))
        return Outcome("pass", 0.0)

    return timed(judge, seed)


def judge_with_secant(case: Case, mode: str, seed: int) -> Outcome:
    """Ask secant, with its default settings.

    "refused" is an error secant raises by design; "crashed" is any other exception, a bug of ours.
    """
    import secant

    def judge() -> Outcome:
        try:
            report = secant.check(case.function, *case.inputs, probe=mode, seed=seed)
        except secant.SecantError as error:
            return Outcome("refused", 0.0, first_line(f"{type(error).__name__}: {error}"))
        except Exception as error:
            return Outcome("crashed", 0.0, first_line(f"{type(error).__name__}: {error}"))
        decisive = next(
            (finding for finding in report.findings if finding.verdict is report.verdict), None
        )
        reason = ""
        if report.verdict is not secant.Verdict.PASS and decisive is not None:
            place = f" at {decisive.where}" if decisive.where else ""
            reason = f"{decisive.kind}{place}: {first_line(decisive.message)}"
        return Outcome(report.verdict.name, 0.0, reason, report.cost.evaluations, report.cost.pulls)

    return timed(judge, seed)


def timed(judge: Callable[[], Outcome], seed: int) -> Outcome:
    """Time one call; functions that draw random numbers draw the same ones for either checker."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        start = time.perf_counter()
        outcome = judge()
        seconds = time.perf_counter() - start
    return Outcome(outcome.verdict, seconds, outcome.reason, outcome.evaluations, outcome.pulls)


def first_line(message: str) -> str:
    """The first line of a message that says something."""
    return next((line.strip() for line in message.splitlines() if line.strip()), "")
