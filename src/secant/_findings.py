"""What a check finds: a verdict on one piece of evidence, with where, how much and probably why."""

from __future__ import annotations

import enum
import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from ._backends.code import Code
from ._measure.estimate import Estimate
from ._records import quickly_made
from ._words.reason import Reason, Spoken, topics

SLOPES = ("derivative", "liveness")
PROMISING = ("derivative", "precision")  # kinds of findings that say what would have been caught
"""The kinds of findings that come from a measurement; all others are laws."""


class Verdict(enum.Enum):
    """The three answers; the value is the prose a user reads."""

    PASS = "right, as far as this measurement can see"
    FAIL = "wrong"
    INCONCLUSIVE = "these numbers cannot tell"


def gravest(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict that decides: one FAIL outweighs all, one INCONCLUSIVE every PASS."""
    return max(verdicts, key=_GRAVITY, default=Verdict.PASS)


def gravest_of(findings: Iterable[Finding]) -> Verdict:
    """Return the verdict that decides among findings."""
    return max(map(_VERDICT, findings), key=_GRAVITY, default=Verdict.PASS)


_VERDICT = operator.attrgetter("verdict")
_GRAVITY = (Verdict.PASS, Verdict.INCONCLUSIVE, Verdict.FAIL).index


@quickly_made
@dataclass(frozen=True, slots=True)
class Evidence:
    """What a verdict rests on: a rule of the judge, the facts it reads, and what they rest on.

    Attributes:
        rule: The name of the rule.
        facts: What was measured, claimed or seen, in numbers; 1 and 0 are yes and no.
        parts: Evidence that was judged before, and that this rule reads the verdicts of.
    """

    rule: str
    facts: Mapping[str, float] = field(default_factory=dict)
    parts: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a Jacobian, as claimed and as measured.

    Attributes:
        output: The output's path and index, `out[3, 1]`.
        input: The input's path and index.
        claimed: What the derivative says.
        measured: What the function does.
        row: Its place in the Jacobian of its two leaves.
        column: The same for the input.
    """

    output: str
    input: str
    claimed: float
    measured: Estimate
    row: int | None = None  # its place in the Jacobian of its two leaves
    column: int | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """One entry as it is measured at many steps: what the step-size curve is drawn from.

    `values` are central differences, `errors` the round-off that each must be expected to have.
    """

    output: str
    input: str
    claimed: float
    measured: Estimate  # what the check settled on
    steps: tuple[float, ...]
    values: tuple[float, ...]
    errors: tuple[float, ...]


@quickly_made
@dataclass(frozen=True, slots=True)
class Finding(Spoken):
    """One judged piece of evidence.

    Attributes:
        verdict: PASS, FAIL or INCONCLUSIVE.
        kind: `"derivative"` for a claim held against a measurement, the law's name otherwise.
        subject: What was judged: `"reverse-mode gradient"`.
        where: The pair of leaves, or the leaf, as paths.
        reasons: What was found, why that probably is and what to know beside it, as codes with
            fields; the first says what. `message`, `cause`, `advice` and `note` are their words.
        claimed: The number that was claimed.
        measured: What was measured in its place.
        resolution: The promise: a single wrong entry larger than this would have failed.
        place: Where the wrong entries lie, as a code with fields; `picture` is its words.
        entries: The worst entries, the worst first.
        wrong: How many are wrong, of `total`; an estimate if `wrong_is_estimate`.
        total: How many there are.
        counted: What is counted: `"entries"`, or `"columns"`, one for each coordinate of the input.
        output: The place of the output among those that are checked.
        input: The place of the input among those that are differentiated.
        curve: The worst entry at many steps, after a failure or where it was asked for.
        code: Where the derivative is written that fails; several where it may be any of them.
        mode: `"reverse"` (vjp) or `"forward"` (jvp).
        dialect: Whose words it is said in: a framework's, or those of a derivative by hand.
        evidence: What the verdict rests on; `secant show FILE --judge` judges it again.
        raised: The exception behind the finding, if there is one.
    """

    verdict: Verdict
    kind: str
    subject: str
    where: str
    reasons: tuple[Reason, ...]
    claimed: float | None = None
    measured: Estimate | None = None
    resolution: float | None = None
    place: Reason | None = None  # where the wrong entries lie
    entries: tuple[Entry, ...] = ()
    wrong: int | None = None
    wrong_is_estimate: bool = False
    total: int | None = None
    counted: str = "entries"  # or "columns", one for each coordinate of the input
    output: int | None = None  # places among the outputs that are checked
    input: int | None = None  # and among the leaves that are differentiated
    curve: Curve | None = None  # of the worst entry, after a failure or where it was asked for
    code: tuple[Code, ...] = ()  # after a failure
    dialect: str = "torch"
    mode: str = "reverse"  # or "forward"
    evidence: Evidence | None = field(default=None, compare=False, repr=False)
    raised: Exception | None = field(default=None, compare=False, repr=False)

    def explained_by(self, reason: Reason) -> Finding:
        """Return the finding with another cause in the place of what explained it before."""
        others = [one for one in self.reasons if topics()[one.code].why is None]
        return replace(self, reasons=(*others, reason))

    def because(self, *reasons: Reason) -> Finding:
        """Return the finding with further reasons."""
        return replace(self, reasons=(*self.reasons, *reasons))


def in_forward_mode(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings as those about forward mode."""
    return [replace(one, mode="forward") for one in findings]
