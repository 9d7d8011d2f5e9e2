"""What a check came to, in one word and with the sentence behind it.

pass, fail, inconclusive   the verdict
backward   inconclusive because autograd raised; the sentence is torch's, with the operation named
forward    the function itself raised; the sentence is torch's
refused    secant said what it cannot check
error      anything else that was raised, which nothing should
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

import secant

__all__ = ["WORDS", "Outcome", "outcome"]

WORDS = ("pass", "fail", "inconclusive", "backward", "forward", "refused", "error")


@dataclass(frozen=True)
class Outcome:
    """One word, and the sentence that explains it."""

    word: str
    sentence: str = ""


def outcome(
    function: Callable[..., Any], inputs: Sequence[torch.Tensor], *, masked: bool, **settings: Any
) -> Outcome:
    """Check, and say in one word what it came to."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch's, about layouts in beta
            report = secant.check(function, *inputs, masked=masked, explain=False, **settings)
    except secant.FunctionRaised as error:
        return Outcome("forward", str(error))
    except (secant.InputError, secant.EvaluationError) as error:
        word = "error" if "backward pass raised" in str(error) else "refused"
        return Outcome(word, str(error))
    except Exception as error:
        return Outcome("error", f"{type(error).__name__}: {error}")
    return _of_report(report)


def _of_report(report: secant.Report) -> Outcome:
    finding = report.worst
    if report.verdict is secant.Verdict.PASS or finding is None:
        return Outcome("pass")
    if finding.raised is not None and report.verdict is secant.Verdict.INCONCLUSIVE:
        return Outcome("backward", f"{finding.message} ({finding.cause})")
    return Outcome(report.verdict.name.lower(), f"{finding.kind}: {finding.message}")
