"""What drop-ins need of the engine: arguments as settings, and the outputs at the point."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ._backends.base import Array
from ._backends.process.restoration import EarlyRestoration, Restoration
from ._check import conduct
from ._constants import KAPPA, LEAST_WEIGHT
from ._errors import FunctionRaised
from ._findings import PROMISING, Finding, Verdict
from ._problem.pose import gather, pose
from ._report.model import Report
from ._settings import GLANCE, Settings, settle

_MEMORY = 2**24  # bytes for a batch of columns: with the claim itself, a third of what torch takes
_DIRECTIONS = 2
_SURELY = 0.1
_LAWS = frozenset({"signature", "linearity", "determinism", "mutation", "layout", "liveness"})


@functools.lru_cache(maxsize=64)  # the same few come by the thousand
def settled(
    modes: str,
    fast_mode: bool,
    flags: tuple[bool, bool, bool],
    rtol: float,
    atol: float,
    step: float | None,
    nondeterminism: float,
    explain: bool,
    masked: bool,
) -> Settings:
    """Return the arguments of `gradcheck` as settings."""
    asked = zip(("undefined", "batching", "batched_tangents"), flags, strict=True)
    return settle(
        {
            "modes": modes,
            "probe": "fast" if fast_mode else "full",
            "laws": _LAWS | {law for law, is_asked in asked if is_asked},
            "rtol": rtol,
            "atol": atol,
            "step": step,
            "nondeterminism": nondeterminism,
            "memory": _MEMORY,
            "explain": explain,
            "masked": masked,
            "progress": False,
        }
    )


def examined(func: Callable[..., Any], inputs: Sequence[Any], settings: Settings) -> Report:
    """Ask random directions, twice; every entry by itself where these do not show as much.

    Two directions that agree leave no single entry off by more than would have shown in them, which
    is to be a tenth of what is forgiven to an entry of any size.
    """
    if settings.probe == "full" and settings.atol:
        most = _SURELY * settings.atol
        report = conduct(func, inputs, _along_directions(settings, most))
        has_shown = report.resolution is not None and max(map(_could_hide, report.findings)) <= most
        if report.verdict is Verdict.PASS and has_shown:
            return report
    return conduct(func, inputs, settings)


@functools.lru_cache(maxsize=64)
def _along_directions(settings: Settings, most: float) -> Settings:
    """Return the settings of a glance along two directions that forgives no entry more."""
    return replace(settings, probe=GLANCE, draws=_DIRECTIONS, explain=False, rtol=None, atol=most)


def _could_hide(one: Finding) -> float:
    """Return by how much an entry may be off that a sum over all entries was seen to agree with.

    The sum promises more widely: it would have passed as well if it had been off by its rtol.
    """
    if one.kind not in PROMISING:
        return 0.0
    if one.resolution is None:
        return math.inf
    if one.claimed is None or one.measured is None:
        return one.resolution
    seen = abs(one.claimed - one.measured.value) + (KAPPA + 1) * one.measured.error
    return min(seen / LEAST_WEIGHT, one.resolution)


def outputs_at(func: Callable[..., Any], inputs: Sequence[Any]) -> list[Array]:
    """Return the outputs that are checked, from one call with copies that leaves no trace."""
    arguments, backend = gather(func, inputs, {})
    try:
        with (
            Restoration(backend) as restoration,
            EarlyRestoration(restoration),
            pose(func, arguments, backend) as problem,
        ):
            outputs = problem.trace().outputs
    except FunctionRaised as raised:
        raise (raised.__cause__ or raised) from None
    return outputs
