"""Reports made by hand, so that every digit of a message is known."""

from __future__ import annotations

from typing import Any

from secant import Cost, Entry, Estimate, Finding, Report, Verdict

COST = Cost(evaluations=9, pulls=2, pushes=0, seconds=0.25, peak_bytes=1024)
REVERSE = "reverse-mode gradient"


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


def right(where: str = "∂out[0] / ∂x1", resolution: float | None = 4e-7, **changes: Any) -> Finding:
    """Return the finding about a pair that agrees."""
    return Finding(
        Verdict.PASS,
        "derivative",
        REVERSE,
        where,
        "agrees with the measurement",
        claimed=2.5,
        measured=Estimate(2.5, 1e-11),
        resolution=resolution,
        **changes,
    )


def kept(law: str) -> Finding:
    """Return the finding about a law that holds."""
    return Finding(Verdict.PASS, law, "law", law, f"the {law} law holds")


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
        "cause": "claimed = 1.05 × measured in every probe: a constant factor is wrong",
        "entries": entries,
        "wrong": count,
        "total": 20,
    }
    message = "the claimed slope is not the measured one"
    where = "∂out[1] / ∂x1"
    return Finding(Verdict.FAIL, "derivative", REVERSE, where, message, **{**values, **changes})


def broken(law: str = "linearity") -> Finding:
    """Return the finding about a broken law."""
    return Finding(
        Verdict.FAIL,
        law,
        REVERSE,
        "gradient of x1",
        "pull(-8 v) differs from -8 pull(v) by 80.3% of its size",
        cause="the backward is not linear in grad_output",
        advice="multiply by grad_output exactly once, whatever its sign or size",
    )


def doubtful(**changes: Any) -> Finding:
    """Return the finding about a pair that cannot be judged."""
    values: dict[str, Any] = {
        "claimed": 4.9,
        "measured": Estimate(4.5, 0.75),
        "advice": "try float64 inputs",
    }
    return Finding(
        Verdict.INCONCLUSIVE,
        "derivative",
        REVERSE,
        "∂out / ∂x",
        "the error bar is 0.2 of the gradient's size at the best step (0.1): too wide to judge by",
        **{**values, **changes},
    )
