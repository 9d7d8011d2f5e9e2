"""The two checkers behind one call, and their verdict in one word.

Takes an `Asked` and a mode, and gives a `Verdict`: "pass", "fail" for a GradcheckError,
"inconclusive" where secant warns that it cannot tell, "raises" and Python's own class for anything
else: a ValueError of ours, whatever its name, is caught where torch's is.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.autograd.gradcheck import GradcheckError

from agreement.questions import SEED, Asked

__all__ = ["MODES", "Verdict", "judge_with_secant", "judge_with_torch"]

MODES = {"fast": True, "slow": False}  # the name, and the value of `fast_mode`


@dataclass(frozen=True)
class Verdict:
    """A word, and the first line of the message behind it."""

    word: str
    reason: str = ""


def judge_with_torch(question: Asked, mode: str) -> Verdict:
    """Ask torch."""
    return judge(question, mode, torch.autograd.gradcheck, torch.autograd.gradgradcheck, Warning)


def judge_with_secant(question: Asked, mode: str) -> Verdict:
    """Ask the drop-in."""
    from secant import Undecided
    from secant.torch import gradcheck, gradgradcheck

    return judge(question, mode, gradcheck, gradgradcheck, Undecided)


def judge(
    question: Asked,
    mode: str,
    gradcheck: Callable[..., bool],
    gradgradcheck: Callable[..., bool],
    inconclusive: type[Warning],
) -> Verdict:
    """Put one question to one checker, with torch's generator seeded and given back."""
    check = gradgradcheck if question.second_order else gradcheck
    keywords: dict[str, Any] = {**question.keywords, "fast_mode": MODES[mode]}
    with torch.random.fork_rng(devices=[]), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        if inconclusive is not Warning:
            warnings.simplefilter("always", inconclusive)
        torch.manual_seed(SEED)
        try:
            check(question.function, question.inputs, **keywords)
        except GradcheckError as error:
            return Verdict("fail", first_line(str(error)))
        except Exception as error:
            return Verdict(f"raises {caught_as(error)}", first_line(f"{error!r}"))
    if caught:
        return Verdict("inconclusive", first_line(str(caught[0].message)))
    return Verdict("pass")


def caught_as(error: Exception) -> str:
    """The nearest of Python's own classes that an exception is an instance of."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")


def first_line(message: str) -> str:
    """The first line of a message that says something."""
    return next((line.strip() for line in message.splitlines() if line.strip()), "")
