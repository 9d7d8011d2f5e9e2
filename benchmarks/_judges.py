"""The checkers, asked the same question in the same words.

Takes a `Case` and a mode ("fast" or "full"), and gives an `Outcome`: a verdict in one word, the
seconds the single call took, the reason where the verdict is not a pass, the calls it counted.
`JUDGES` holds torch's gradcheck, secant's own check, and its drop-in for torch's.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch.autograd.gradcheck import GradcheckError

from _database import Case

__all__ = [
    "JUDGES",
    "VERDICTS",
    "Outcome",
    "judge_with_drop_in",
    "judge_with_secant",
    "judge_with_torch",
]

# "refused" is an error secant raises by design; "raises" is any other exception, and out of
# secant.check a bug of ours.
VERDICTS = ("pass", "fail", "inconclusive", "refused", "raises")


@dataclass(frozen=True)
class Outcome:
    """What one checker said about one case, and what it cost."""

    verdict: str  # one of VERDICTS
    seconds: float
    reason: str = ""  # the first line of the message, empty for a pass
    evaluations: int | None = None  # of the function; a gradcheck does not tell
    pulls: int | None = None


def judge_with_torch(case: Case, mode: str, seed: int) -> Outcome:
    """Ask torch's gradcheck, with its own tolerances."""
    return timed(lambda: outcome_of(torch.autograd.gradcheck, case, mode), seed)


def judge_with_drop_in(case: Case, mode: str, seed: int) -> Outcome:
    """Ask secant's gradcheck, called as torch's is."""
    from secant import Undecided
    from secant.torch import gradcheck

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", Undecided)
        outcome = timed(lambda: outcome_of(gradcheck, case, mode), seed)
    if outcome.verdict == "pass" and caught:
        return Outcome("inconclusive", outcome.seconds, first_line(str(caught[0].message)))
    return outcome


def outcome_of(gradcheck: Callable[..., bool], case: Case, mode: str) -> Outcome:
    """A gradcheck's answer in one word."""
    try:
        gradcheck(case.function, case.inputs, fast_mode=mode == "fast")
    except GradcheckError as error:
        return Outcome("fail", 0.0, first_line(str(error)))
    except Exception as error:
        return Outcome("raises", 0.0, first_line(f"{type(error).__name__}: {error}"))
    return Outcome("pass", 0.0)


def judge_with_secant(case: Case, mode: str, seed: int) -> Outcome:
    """Ask secant, with its default settings."""
    import secant

    def judge() -> Outcome:
        try:
            report = secant.check(case.function, *case.inputs, probe=mode, seed=seed)
        except secant.SecantError as error:
            return Outcome("refused", 0.0, first_line(f"{type(error).__name__}: {error}"))
        except Exception as error:
            return Outcome("raises", 0.0, first_line(f"{type(error).__name__}: {error}"))
        decisive = next(
            (finding for finding in report.findings if finding.verdict is report.verdict), None
        )
        reason = ""
        if report.verdict is not secant.Verdict.PASS and decisive is not None:
            place = f" at {decisive.where}" if decisive.where else ""
            reason = f"{decisive.kind}{place}: {first_line(decisive.message)}"
        verdict = report.verdict.name.lower()
        return Outcome(verdict, 0.0, reason, report.cost.evaluations, report.cost.pulls)

    return timed(judge, seed)


JUDGES: dict[str, Callable[[Case, str, int], Outcome]] = {
    "torch": judge_with_torch,
    "secant.check": judge_with_secant,
    "secant.torch": judge_with_drop_in,
}


def timed(judge: Callable[[], Outcome], seed: int) -> Outcome:
    """Time one call; functions that draw random numbers draw the same ones for every checker."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        start = time.process_time()  # the processor's: on a busy machine the clock tells little
        outcome = judge()
        seconds = time.process_time() - start
    return Outcome(outcome.verdict, seconds, outcome.reason, outcome.evaluations, outcome.pulls)


def first_line(message: str) -> str:
    """The first line of a message that says something."""
    return next((line.strip() for line in message.splitlines() if line.strip()), "")
