"""The result of a comparison: the kernel's errors beside the yardstick's, row by row."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .._findings import Verdict, gravest
from .._legible import encodable
from .._words.reason import Reason, Spoken
from .document import JudgedDocument
from .model import Cost


@dataclass(frozen=True, slots=True)
class ComparedError:
    """An error of the kernel held against that of the yardstick.

    `limit` is what the ratio may reach: the limit that was asked for, times what luck may add.
    """

    error: float
    yardstick: float
    limit: float

    @property
    def ratio(self) -> float:
        """How many yardsticks long the error is."""
        if not self.yardstick:
            return math.inf if self.error else 0.0
        return self.error / self.yardstick

    @property
    def is_within(self) -> bool:
        """Say whether the ratio keeps to its limit; NaN does not."""
        return self.ratio <= self.limit


@dataclass(frozen=True, slots=True)
class ComparedEntry:
    """One entry as the kernel has it, as it is in truth, and as the yardstick has it."""

    where: str
    kernel: float
    truth: float
    yardstick: float | None
    ulps: float  # between kernel and truth, in the kernel's dtype

    @property
    def error(self) -> float:
        """The distance of the kernel from the truth."""
        return abs(self.kernel - self.truth)


@dataclass(frozen=True, slots=True)
class ComparisonRow(Spoken):
    """One output, or one gradient, of the kernel against the truth.

    `norm` holds errors relative to the norm of the truth (absolute where that is 0), `worst` holds
    the largest error of an entry in ulps; both are None where there was nothing to measure.
    `entries` are the worst ones, the worst first; `wrong` counts those beyond the limit. `reasons`
    say what differs and probably why, as codes with fields.
    """

    what: str
    verdict: Verdict
    dtype: str = ""
    size: int = 0
    norm: ComparedError | None = None
    worst: ComparedError | None = None
    entries: tuple[ComparedEntry, ...] = ()
    wrong: int | None = None
    is_modelled: bool = False
    reasons: tuple[Reason, ...] = ()
    place: Reason | None = None
    dialect: str = "torch"

    @property
    def is_gradient(self) -> bool:
        """Say whether this is about a gradient."""
        return self.what.startswith("∂")

    @property
    def ratio(self) -> float:
        """The larger of the two ratios, each in units of what it may reach; above 1 is wrong.

        Infinite where nothing could be measured and the verdict is not PASS.
        """
        held = [one for one in (self.norm, self.worst) if one is not None]
        if not held:
            return 0.0 if self.verdict is Verdict.PASS else math.inf
        return max(one.ratio / one.limit for one in held)


@dataclass(frozen=True)
class Comparison(JudgedDocument):
    """A kernel against a trusted implementation; truthy only on PASS."""

    name: str
    reference: str
    dtype: str
    limit: float
    rows: tuple[ComparisonRow, ...]
    notes: tuple[str, ...]
    cost: Cost
    seed: int
    versions: tuple[str, ...]
    rerun: str

    @property
    def verdict(self) -> Verdict:
        """The gravest verdict of all rows."""
        return gravest(row.verdict for row in self.rows)

    @property
    def worst(self) -> ComparisonRow | None:
        """The row that decides: the gravest; of those an output, which explains its gradients."""
        verdict = self.verdict
        grave = [row for row in self.rows if row.verdict is verdict]
        outputs = [row for row in grave if not row.is_gradient]
        among = grave if verdict is Verdict.PASS else outputs or grave
        return max(among, key=lambda row: row.ratio, default=None)

    def __repr__(self) -> str:
        return encodable(f"<{' '.join(str(self).partition(chr(10))[0].split())}>")
