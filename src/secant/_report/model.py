"""The report: all findings of a check, what it cost, and what it can promise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._errors import InputError, expected
from .._findings import PROMISING, Curve, Finding, Verdict, gravest
from .._legible import encodable
from .._records import quickly_made
from .document import JudgedDocument

if TYPE_CHECKING:
    from plotly.graph_objects import Figure  # type: ignore[import-untyped]


@quickly_made
@dataclass(frozen=True, slots=True)
class Cost:
    """What a check cost.

    Attributes:
        evaluations: Calls of the function.
        pulls: Backward passes.
        pushes: Forward-mode passes.
        seconds: Wall-clock time.
        peak_bytes: By how much the process's peak memory grew meanwhile, 0 for small inputs.
    """

    evaluations: int
    pulls: int
    pushes: int
    seconds: float
    peak_bytes: int


class Jacobian(NamedTuple):
    """A full Jacobian between two leaves in real coordinates, (outputs, inputs).

    Attributes:
        claimed: What the derivative says.
        measured: What the function does. Where sums of all columns agreed with the claim, these are
            what was measured: then it is the claim, with the least correction that they ask for.
        error: The error bar of every measured entry.
    """

    claimed: np.ndarray[Any, Any]
    measured: np.ndarray[Any, Any]
    error: np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Frame:
    """What a picture of a Jacobian needs beside its numbers.

    `rows` and `columns` are its coordinates as a user writes them. An entry may be off by 1.5 error
    bars, and by atol + rtol·|claimed| more.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    rtol: float
    atol: float


@quickly_made
@dataclass(frozen=True)
class Report(JudgedDocument):
    """All findings of a check; truthy only on PASS. `print` and `rich` show it on one screen.

    Attributes:
        name: The function's name.
        findings: Every judged piece of evidence: measurements first, then laws and remarks.
        cost: What the check cost.
        seed: The seed of its random directions.
        versions: Of secant, the framework and NumPy.
        rerun: The command that repeats it; empty on PASS.
        jacobians: Whole Jacobians by (output, input), where they were made; see `jacobian`.
    """

    name: str
    findings: tuple[Finding, ...]
    cost: Cost
    seed: int
    versions: tuple[str, ...]
    rerun: str
    jacobians: Mapping[tuple[str, str], Jacobian | None] = field(
        default_factory=dict, repr=False, compare=False
    )
    frames: Mapping[tuple[str, str], Frame] = field(default_factory=dict, repr=False, compare=False)

    @property
    def verdict(self) -> Verdict:
        """The gravest verdict of all findings."""
        return gravest(finding.verdict for finding in self.findings)

    @property
    def worst(self) -> Finding | None:
        """The finding that decides: the first of the gravest, None if there are none."""
        verdict = self.verdict
        grave = [finding for finding in self.findings if finding.verdict is verdict]
        measured = [finding for finding in grave if finding.measured is not None]
        if verdict is Verdict.PASS and measured:
            return max(measured, key=lambda finding: finding.resolution or 0.0)
        return grave[0] if grave else None

    @property
    def resolution(self) -> float | None:
        """Any single wrong entry larger than this would have been caught; None without a promise.

        The promise is made by the weakest pair of leaves.
        """
        promises = [one.resolution for one in self.findings if one.kind in PROMISING]
        if not promises or any(promise is None for promise in promises):
            return None
        return max(promise for promise in promises if promise is not None)

    @property
    def curve(self) -> Curve | None:
        """The worst entry measured at many steps, None where none was asked about."""
        curves = [finding.curve for finding in self.findings if finding.curve is not None]
        return curves[0] if curves else None

    def jacobian(self, output: str | int = 0, input: str | int = 0) -> Jacobian:  # noqa: A002 the word users know
        """Return the claimed and measured Jacobian of two leaves, by path or by place.

        Only after ``probe="full"``, and where it fitted into `memory`.
        """
        if all(jacobian is None for jacobian in self.jacobians.values()):
            raise InputError(
                'expected a report of probe="full" whose Jacobians fit into `memory`; '
                "this one holds none"
            )
        pair = chosen_pair(self, output, input)
        jacobian = self.jacobians.get(pair)
        if jacobian is None:
            raise InputError(
                f"expected a Jacobian that was kept; ∂{pair[0]} / ∂{pair[1]} was too large, or has "
                "so many outputs that they were asked in mixtures"
            )
        return jacobian

    def __repr__(self) -> str:
        """One line, for prompts and for what pytest says about `assert secant.check(...)`."""
        head, worst = " ".join(str(self).partition("\n")[0].split()), self.worst
        said = "" if self or worst is None else f": {worst.cause or worst.where or worst.message}"
        return encodable(f"<{head}{said}>")

    def plot(self, output: str | int | None = None, input: str | int | None = None) -> Figure:  # noqa: A002 as above
        """Return the report's picture for a notebook: Jacobians, residuals, step-size curve.

        Of the pair of leaves that is worst off, unless one is named as for `jacobian`.
        """
        from .pages.figure import plot

        return plot(self, output, input)


def chosen_pair(report: Report, output: str | int, name: str | int) -> tuple[str, str]:
    """Return the paths of two leaves of a report's Jacobians, each given by path or by place."""
    outputs = list(dict.fromkeys(pair[0] for pair in report.jacobians))
    inputs = list(dict.fromkeys(pair[1] for pair in report.jacobians))
    return _named(outputs, output, "output"), _named(inputs, name, "input")


def _named(names: Sequence[str], which: str | int, role: str) -> str:
    if isinstance(which, int) and -len(names) <= which < len(names):
        return names[which]
    if which in names:
        return str(which)
    choices = ", ".join(map(repr, names))
    raise expected(role, f"one of {choices}, or a place among them", which)
