"""Low precision, judged in two steps: the formula in float64, then the rounding of the claim.

Where the function also runs in float64, its claim there is held against the measurement there, with
full power. What remains is whether the claim in the dtype that is used says the same (`gap.py`).
Only if both say the same does the wide verdict stand, PASS or FAIL. If they differ, the function
is measured directly in its own precision, and that decides. Where that cannot tell, a difference
of up to τ = √ε, at least 2⁻⁸, is let pass, and said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .._backends.base import Array
from .._claims.base import ClaimRaised
from .._errors import InputError
from .._findings import SLOPES, Finding, Verdict, gravest
from .._problem.gradient import gradient_at
from .._problem.lift import Lifted, can_be_lifted, lift, lift_gradient
from .base import Examination
from .choose import prepare, probe
from .failing.failure import pair_path
from .forward import ForwardAsker
from .gap import Gap, gap_between
from .question import Asker
from .reverse import ReverseAsker
from .suspects import FullPair


@dataclass(frozen=True, slots=True)
class LiftedExamination:
    """The same problem under examination in float64."""

    examination: Examination
    below: Lifted

    def reverse(self, asker: Asker) -> tuple[list[Finding], list[FullPair]]:
        """Judge a reverse-mode claim."""
        with self.below.context():
            return probe_lifted(asker, ReverseAsker.of(self.examination))

    def forward(self, asker: Asker) -> tuple[list[Finding], list[FullPair]]:
        """Judge a forward-mode claim."""
        with self.below.context():
            return probe_lifted(asker, ForwardAsker.of(self.examination))

    def gradient_at(self, cotangents: Sequence[Array]) -> LiftedExamination:
        """Return the gradient's problem in float64, not yet trusted."""
        backend, problem = self.examination.backend, self.examination.problem
        wide = gradient_at(problem, [backend.widened(one) for one in cotangents])
        return replace(self, examination=replace(self.examination, problem=wide))


def lift_examination(
    examination: Examination, above: LiftedExamination | None
) -> LiftedExamination | None:
    """Return the examination in float64, None where that is not wanted or cannot be trusted.

    `above` is what the order before has left: the lifted gradient, not yet trusted.
    """
    problem, trace, settings = examination.problem, examination.trace, examination.settings
    if settings.lift is False or not can_be_lifted(problem):
        return None
    if above is None:
        lifted = lift(problem, trace)
    else:
        lifted = lift_gradient(problem, trace, above.examination.problem, above.below)
    if isinstance(lifted, str):
        if settings.lift is True:
            raise InputError(f"expected a function that can be lifted to float64; {lifted}")
        examination.not_lifted = lifted
        return None
    used = max(space.roundoff for space in (*problem.domain.parts, *problem.codomain.parts))
    return LiftedExamination(
        Examination(
            lifted.problem,
            lifted.trace,
            settings,
            examination.directions,
            examination.order,
            used,
            started=examination.started,
        ),
        lifted,
    )


def probe_lifted(asker: Asker, upper: Asker) -> tuple[list[Finding], list[FullPair]]:
    """Judge a claim by its lifted self, or directly where the two differ."""
    try:
        weights = prepare(asker)
    except ClaimRaised:
        return probe(asker)  # which says so
    try:
        upper.prepare(weights)
        gap = gap_between(asker, upper, weights)
    except ClaimRaised:
        return probe(asker, is_prepared=True)
    if gap.share > 1.0:
        findings, pairs = probe(asker, is_prepared=True)
        verdict = gravest(finding.verdict for finding in findings)
        if verdict is Verdict.FAIL and gap.loosely <= 1.0:
            # inexact in this dtype, hardly wrong
            findings = [_doubted(one) if one.verdict is Verdict.FAIL else one for one in findings]
        if verdict is Verdict.PASS and gap.loosely > 1.0 and not _could_tell(findings, gap):
            said = f"{_apart(asker, gap)}, and measured directly too blurred to see it"
            findings = [replace(_doubted(one), message=said) for one in findings]
        if verdict is not Verdict.INCONCLUSIVE or gap.loosely > 1.0:
            verdict = gravest(finding.verdict for finding in findings)
            return remarked(findings, verdict, _apart(asker, gap)), pairs
    findings, pairs = probe(upper, is_prepared=True)
    verdict = gravest(finding.verdict for finding in findings)
    if verdict is Verdict.INCONCLUSIVE:  # it may round inside; steps of its own precision are seen
        direct, direct_pairs = probe(asker, is_prepared=True)
        if gravest(finding.verdict for finding in direct) is Verdict.PASS:
            return direct, direct_pairs
    said = f"lifted: judged in float64, where the {asker.dtype_name()} claim is the same"
    return [*remarked(findings, verdict, said), _agreement(asker, gap)], pairs


def _agreement(asker: Asker, gap: Gap) -> Finding:
    """Say that both precisions claim the same, and what that is worth."""
    count = "a rounding" if gap.roundings <= 1 else f"{gap.roundings:.2g} roundings"
    return Finding(
        Verdict.PASS if gap.is_telling else Verdict.INCONCLUSIVE,
        "precision",
        asker.subject,
        pair_path(asker.examination, gap.part, gap.output),
        f"measured in float64; the {asker.dtype_name()} claim is within {count} of the claim there",
        resolution=gap.promise,
    )


def _could_tell(findings: list[Finding], gap: Gap) -> bool:
    """Say whether a direct measurement is sharp enough to see what the two claims differ by."""
    promises = [one.resolution for one in findings if one.kind == "derivative"]
    return all(promise is not None and promise <= gap.distance for promise in promises)


def _doubted(finding: Finding) -> Finding:
    if finding.kind not in SLOPES:
        return finding
    return replace(finding, verdict=Verdict.INCONCLUSIVE)


def _apart(asker: Asker, gap: Gap) -> str:
    return (
        f"the {asker.dtype_name()} claim is {gap.roundings:.2g} roundings from the claim in "
        "float64, more than rounding explains"
    )


def remarked(findings: list[Finding], verdict: Verdict, said: str) -> list[Finding]:
    """Add a remark to the findings that decide; to none where all is right."""
    if verdict is Verdict.PASS:
        return findings
    return [
        replace(finding, note=f"{finding.note}; {said}" if finding.note else said)
        if finding.verdict is verdict
        else finding
        for finding in findings
    ]
