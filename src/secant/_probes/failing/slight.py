"""Claims that are off by little, nearly everywhere: what that speaks of, and what forgives it.

A solve that stops at a tolerance, another eps in the backward, a constant in single precision: each
is a mistake of its size, and which of them is meant only its author knows.
"""

from __future__ import annotations

import math

import numpy as np

from ..._constants import KAPPA, SLIGHT
from ..._verdict.evidence import Comparison
from ..._words.causes import OFF_BY_LITTLE
from ..._words.reason import Reason
from ..base import Judged
from ..question import Question

_MOST = 0.01  # an rtol above this forgives more than it should
_FEW = 0.25  # of the entries that move: fewer that are wrong are somewhere, not everywhere


def slight(one: Question, judged: Judged, comparison: Comparison | None) -> Reason | None:
    """Return why, and what forgives it, where a claim is off by little in most places."""
    if comparison is not None:  # one reading may be off by little by chance
        return _slight_entries(comparison)
    if judged.reading is None or not one.yardstick.is_slight(judged.reading):
        return None
    size = max(one.yardstick.terms, judged.reading.slope)
    share = abs(judged.reading.residual.value) / size if size else 0.0
    setting = f"rtol={_rounded_up(4 * share)}"
    return OFF_BY_LITTLE(share=share, wrong=None, moving=None, setting=setting)


def _slight_entries(comparison: Comparison) -> Reason | None:
    """Return the same of a Jacobian of which entries are known."""
    size = float(np.linalg.norm(comparison.measured))
    apart = float(np.linalg.norm(comparison.claimed - comparison.measured))
    return _in_most_places(comparison, apart / size) if apart <= SLIGHT * size else None


def _in_most_places(comparison: Comparison, share: float) -> Reason | None:
    is_moving = (comparison.measured != 0) | (comparison.claimed != 0)
    # the smallest may be off by less than is forgiven, and still be seen to be off
    is_off = np.abs(comparison.claimed - comparison.measured) > KAPPA * comparison.error
    off, moving = int(is_off.sum()), int(is_moving.sum())
    if off <= _FEW * moving:
        return None
    setting = _setting(comparison)
    return OFF_BY_LITTLE(share=share, wrong=off, moving=moving, setting=setting)


def _setting(comparison: Comparison) -> str:
    """Return the smallest tolerance that every entry obeys: relative, if no entry is near zero."""
    apart = np.abs(comparison.claimed - comparison.measured) - KAPPA * comparison.error
    apart = np.where(comparison.wrong, np.maximum(apart, 0.0), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(apart > 0, apart / np.abs(comparison.measured), 0.0)
    needed = float(shares.max(initial=0.0))
    if needed <= _MOST:
        return f"rtol={_rounded_up(2 * needed)}"
    return f"atol={_rounded_up(2 * float(apart.max(initial=0.0)))}"


def _rounded_up(number: float) -> str:
    """Spell a number with one digit, not less than it is."""
    if not number:
        return "0"
    power = math.floor(math.log10(number))
    digit = math.ceil(number / 10.0**power)
    return f"{digit}e{power:+03d}" if digit < 10 else f"1e{power + 1:+03d}"
