"""Reports made by hand, so that every digit of a message is known."""

from __future__ import annotations

from typing import Any

from secant import Cost, Entry, Estimate, Finding, Reason, Report, Verdict
from secant._words.causes import CONSTANT_FACTOR, NO_DERIVATIVE, OFF_BY_LITTLE, RAISED
from secant._words.indices import Indices
from secant._words.laws import KEPT, NOT_LINEAR
from secant._words.places import ALL_AT
from secant._words.remarks import ABOUT_THE_RULE
from secant._words.slopes import AGREES, BAR_TOO_WIDE, TOO_FEW_DIGITS, WRONG_SLOPE

COST = Cost(evaluations=9, pulls=2, pushes=0, seconds=0.25, peak_bytes=1024)
REVERSE = "reverse-mode gradient"


def reasons(what: str = "", why: str = "", advice: str = "", note: str = "") -> tuple[Reason, ...]:
    """Return reasons that say such texts, each after words of its own or alone."""
    slight = {"share": 1e-6, "wrong": None, "moving": None}
    every = (
        (what, RAISED(error=what)),
        (why, NO_DERIVATIVE(operation=why)),
        (advice, OFF_BY_LITTLE(**slight, setting=advice)),
        (note, ABOUT_THE_RULE(text=note)),
    )
    return tuple(reason for text, reason in every if text)


def placed(where: str) -> Reason:
    """Return where wrong entries lie, in such words."""
    return ALL_AT(where=(Indices(where),))


def report(*findings: Finding, name: str = "two2three", **changes: Any) -> Report:
    """Return a report with these findings."""
    values: dict[str, Any] = {
        "name": name,
        "findings": findings,
        "cost": COST,
        "seed": 1729,
        "versions": ("secant 0.1.0", "torch 2.13.0"),
        "rerun": 'secant.check(two2three, x1, x2, probe="full", seed=1729)',
    }
    return Report(**{**values, **changes})


def right(
    where: str = "∂out[0] / ∂x1",
    resolution: float | None = 4e-7,
    notes: tuple[Reason, ...] = (),
    **changes: Any,
) -> Finding:
    """Return the finding about a pair that agrees."""
    return Finding(
        Verdict.PASS,
        "derivative",
        REVERSE,
        where,
        (AGREES(), *notes),
        claimed=2.5,
        measured=Estimate(2.5, 1e-11),
        resolution=resolution,
        **changes,
    )


def kept(law: str) -> Finding:
    """Return the finding about a law that holds."""
    return Finding(Verdict.PASS, law, "law", law, (KEPT(law=law),))


def wrong(count: int = 1, **changes: Any) -> Finding:
    """Return the finding about a pair with some wrong entries."""
    entries = tuple(
        Entry(f"out[1][{k}]", f"x1[{k}]", -4.032 - k, Estimate(-3.84 - k, 2e-12))
        for k in range(min(count, 12))
    )
    values: dict[str, Any] = {
        "claimed": -4.032,
        "measured": Estimate(-3.84, 2e-12),
        "resolution": 4e-7,
        "reasons": (WRONG_SLOPE(), CONSTANT_FACTOR(factor=1.05, size=0, of="", number="")),
        "entries": entries,
        "wrong": count,
        "total": 20,
    }
    where = "∂out[1] / ∂x1"
    return Finding(Verdict.FAIL, "derivative", REVERSE, where, **{**values, **changes})


def broken(law: str = "linearity") -> Finding:
    """Return the finding about a broken law."""
    return Finding(
        Verdict.FAIL,
        law,
        REVERSE,
        "gradient of x1",
        (NOT_LINEAR(factor=-8.0, share=0.803, error=""),),
    )


def doubtful(**changes: Any) -> Finding:
    """Return the finding about a pair that cannot be judged."""
    values: dict[str, Any] = {
        "claimed": 4.9,
        "measured": Estimate(4.5, 0.75),
    }
    return Finding(
        Verdict.INCONCLUSIVE,
        "derivative",
        REVERSE,
        "∂out / ∂x",
        (BAR_TOO_WIDE(share=0.2, step=0.1), TOO_FEW_DIGITS(dtype="float32", why="")),
        **{**values, **changes},
    )
