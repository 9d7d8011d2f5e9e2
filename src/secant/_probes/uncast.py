"""Functions that cast to lower precision inside are asked again without those casts.

A cast makes stairs of what was smooth. Short steps see the flats, or whatever else moves beside
them; the gradient that is meant, and that autodiff gives, is that of the function without the cast.
So where a claim does not look right, the function is called once more with such casts left out. If
there were any, and its values are the same as far as that rounding explains, it is asked instead:

    wrong there     the claim is wrong, and these numbers say so more clearly;
    right there, and the claim with the casts is the same within their rounding:  right;
    else            the function with its casts decides.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from .._claims.base import ClaimRaised
from .._errors import SecantError
from .._findings import SLOPES, Finding, Verdict, gravest
from .base import Examination
from .casts import Uncast, uncast
from .choose import prepare, probe
from .failing.failure import pair_path
from .gap import gap_between
from .lifted import remarked
from .question import Asker
from .suspects import FullPair

Found = tuple[list[Finding], list[FullPair]]
"""What a probe found, with the whole Jacobians that it made."""


def heed_casts(
    asker: Asker, make: Callable[[Examination], Asker], ask: Callable[[], Found]
) -> Found:
    """Ask; where casts inside may have misled, return what is found without them."""
    examination = asker.examination
    found = ask()
    slopes = [one for one in found[0] if one.kind in SLOPES and one.raised is None]
    verdict = gravest(one.verdict for one in slopes)
    if verdict is Verdict.PASS or examination.is_over_budget():
        return found
    other = uncast(examination)
    if other is None:
        return found
    try:
        without = _without(asker, make, other)
    except (SecantError, ClaimRaised):
        without = None  # its derivative does not run without them
    if without is not None:
        return without
    if verdict is Verdict.INCONCLUSIVE:
        return found
    examination.uncast = None
    return ask()  # a failure that stands is explained after all


def heed_casts_in_laws(
    examination: Examination, kept: list[Finding], ask: Callable[[Examination], list[Finding]]
) -> list[Finding]:
    """Let laws that only the rounding of casts breaks be kept; `ask` asks them of an examination.

    Half precision underflows and has few digits: a backward through it is linear but for that.
    """
    if gravest(one.verdict for one in kept) is not Verdict.FAIL or examination.is_over_budget():
        return kept
    other = uncast(examination)
    if other is None:
        return kept
    try:
        with _uncasting(examination)():
            again = ask(_examination(examination, other))
    except (SecantError, ClaimRaised):
        return kept
    broken = {one.kind for one in again if one.verdict is not Verdict.PASS}
    instead = {one.kind: one for one in again if one.kind not in broken}
    return [instead.get(one.kind, one) if one.verdict is Verdict.FAIL else one for one in kept]


def _without(asker: Asker, make: Callable[[Examination], Asker], other: Uncast) -> Found | None:
    """Return what is found without casts, None if that does not settle it."""
    examination = asker.examination
    uncasting = _uncasting(examination)
    weights = prepare(asker)
    with uncasting():
        upper = make(_examination(examination, other))
        upper.prepare(weights)
        findings, pairs = probe(upper, is_prepared=True)
    names = " and ".join(other.left_out)
    verdict = gravest(one.verdict for one in findings)
    if verdict is Verdict.FAIL:
        said = f"judged without its casts to {names} inside, where it is the same function"
        return remarked(findings, verdict, said), pairs
    gap = gap_between(asker, upper, weights, other.roundoff, uncasting)
    if verdict is Verdict.INCONCLUSIVE or gap.share > 1.0:
        return None
    agreed = Finding(
        verdict,
        "precision",
        asker.subject,
        pair_path(examination, gap.part, gap.output),
        f"measured without casts to {names} inside; with them the claim is the same within their "
        "rounding",
        resolution=gap.promise,
    )
    return [*findings, agreed], pairs


def _examination(examination: Examination, other: Uncast) -> Examination:
    return Examination(
        other.problem,
        other.trace,
        examination.settings,
        examination.directions,
        examination.order,
        max(examination.used, other.roundoff),
        started=examination.started,
        has_looked_for_casts=True,
    )


def _uncasting(examination: Examination) -> Callable[[], AbstractContextManager[Any]]:
    return lambda: examination.backend.uncasting() or contextlib.nullcontext()
