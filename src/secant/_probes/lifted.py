"""A function that has another version: judged there, if both claim the same.

Where the function also runs in float64, and without the casts that it makes inside, its claim there
is held against the measurement there, with full power. What remains is whether the claim of the
real function says the same (`gap.py`). Only if both say the same does the version's verdict stand,
PASS or FAIL. If they differ, the function is measured directly in its own precision, and that
decides. Where that cannot tell, a difference of up to τ = √ε, at least 2⁻⁸, is let pass, and said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .._backends.base import Array
from .._claims.base import ClaimRaised
from .._errors import InputError, SecantError
from .._findings import SLOPES, Evidence, Finding, Verdict, gravest
from .._judge.judge import UNKNOWN, conclude, judge
from .._problem.gradient import gradient_at
from .._problem.leaves import widened
from .._problem.versions import Version, has_versions, version_of, version_of_gradient
from .._words import slopes
from .._words.reason import Reason
from .asking.forward import ForwardMode
from .asking.question import Mode
from .asking.reverse import ReverseMode
from .base import Examination
from .choose import prepare, probe
from .closer.gap import Gap, gap_between
from .failing.failure import pair_path
from .full.suspects import FullPair


@dataclass(frozen=True, slots=True)
class LiftedExamination:
    """Another version of the problem under examination."""

    examination: Examination
    version: Version

    def judge(self, mode: Mode) -> tuple[list[Finding], list[FullPair]]:
        """Judge a claim of the framework's."""
        upper = (  # whose laws are asked, if at all, of another claim
            ReverseMode.of(self.examination, is_watched=False)
            if mode.pulls
            else ForwardMode.of(self.examination)
        )
        return probe_lifted(mode, upper, self.version)

    def laws(
        self, kept: list[Finding], ask: Callable[[Examination], list[Finding]]
    ) -> list[Finding]:
        """Let laws that only the rounding of casts breaks be kept; `ask` asks an examination's.

        Half precision underflows and has few digits: a backward through it is linear but for that.
        """
        if not self.version.left_out or gravest(one.verdict for one in kept) is not Verdict.FAIL:
            return kept
        try:
            with self.version.context():
                again = ask(self.examination)
        except (SecantError, ClaimRaised):
            return kept
        broken = {one.kind for one in again if one.verdict is not Verdict.PASS}
        instead = {one.kind: one for one in again if one.kind not in broken}
        return [instead.get(one.kind, one) if one.verdict is Verdict.FAIL else one for one in kept]

    def gradient_at(self, cotangents: Sequence[Array]) -> LiftedExamination:
        """Return the gradient's problem in this version, not yet trusted."""
        backend, problem = self.examination.backend, self.examination.problem
        dtype = self.version.dtype
        wide = gradient_at(problem, [widened(backend, one, dtype) for one in cotangents])
        return replace(self, examination=replace(self.examination, problem=wide))


def lift_examination(
    examination: Examination, above: LiftedExamination | None
) -> LiftedExamination | None:
    """Return the examination of another version, None where none is wanted or can be trusted.

    `above` is what the order before has left: the lifted gradient, not yet trusted.
    """
    problem, trace, settings = examination.problem, examination.trace, examination.settings
    is_lifted = settings.lift is not False
    if not has_versions(problem, trace, is_lifted=is_lifted):
        return None
    if above is None:
        version = version_of(problem, trace, is_lifted=is_lifted)
    else:
        version = version_of_gradient(problem, trace, above.examination.problem, above.version)
    if isinstance(version, str):
        if settings.lift is True:
            raise InputError(f"expected a function that can be lifted to float64; {version}")
        examination.not_lifted = version
        return None
    examination.not_lifted = version.missing
    examination.trace = problem.reread(trace)
    return LiftedExamination(
        Examination(
            version.problem,
            version.trace,
            settings,
            examination.directions,
            examination.order,
            version.used,
            version.missing,
            started=examination.started,
        ),
        version,
    )


def probe_lifted(mode: Mode, upper: Mode, version: Version) -> tuple[list[Finding], list[FullPair]]:
    """Judge a claim by that of another version, or directly where the two differ."""
    try:
        weights = prepare(mode)
    except ClaimRaised:
        return probe(mode)  # which says so
    try:
        with version.context():
            upper.prepare(weights)
        gap = gap_between(mode, upper, weights, version)
    except (ClaimRaised, SecantError):
        return probe(mode, is_prepared=True)
    if gap.share > 1.0:
        findings, pairs = probe(mode, is_prepared=True)
        verdict = gravest(finding.verdict for finding in findings)
        if version.left_out and gap.loosely > 1.0 and any(map(_is_inexact, findings)):
            with version.context():
                wide, wide_pairs = probe(upper, is_prepared=True)
            if gravest(finding.verdict for finding in wide) is Verdict.PASS:
                return [*wide, _agreement(mode, gap, version)], wide_pairs
        if verdict is not Verdict.INCONCLUSIVE or gap.loosely > 1.0:
            findings = _where_apart(upper, version, gap, findings)
            apart = _apart(mode, gap, version)
            findings = _doubted(findings, gap, slopes.TOO_BLURRED(**apart))
            verdict = gravest(finding.verdict for finding in findings)
            return _remarked(findings, verdict, slopes.VERSIONS_DIFFER(**apart)), pairs
    with version.context():
        findings, pairs = probe(upper, is_prepared=True)
    verdict = gravest(finding.verdict for finding in findings)
    if verdict is Verdict.INCONCLUSIVE:  # it may round inside; steps of its own precision are seen
        direct, direct_pairs = probe(mode, is_prepared=True)
        if gravest(finding.verdict for finding in direct) is Verdict.PASS:
            return direct, direct_pairs
    said = slopes.JUDGED_ELSEWHERE(version=version.said, claim=_claim(mode, version))
    return [*_remarked(findings, verdict, said), _agreement(mode, gap, version)], pairs


def _claim(mode: Mode, version: Version) -> str:
    return "the claim" if version.left_out else f"the {mode.dtype_name()} claim"


def _agreement(mode: Mode, gap: Gap, version: Version) -> Finding:
    """Say whether both versions claim the same, and what that is worth, where one is right."""
    facts = {"is_telling": float(gap.is_telling), "share": gap.share, "loosely": gap.loosely}
    said = slopes.VERSIONS_AGREE if gap.share <= 1.0 else slopes.LOST_IN_CASTS
    return conclude(
        Evidence("agreement", facts),
        "precision",
        mode.subject,
        pair_path(mode.examination, gap.part, gap.output),
        said(**_apart(mode, gap, version)),
        resolution=gap.promise,
    )


def _could_tell(findings: list[Finding], gap: Gap) -> bool:
    """Say whether a direct measurement is sharp enough to see what the two claims differ by."""
    promises = [one.resolution for one in findings if one.kind == "derivative"]
    return all(promise is not None and promise <= gap.distance for promise in promises)


def _is_inexact(one: Finding) -> bool:
    """Say whether jumps forbid a verdict, which may be a solver's, or those of known casts."""
    codes = {reason.code for reason in one.reasons}
    return one.verdict is Verdict.INCONCLUSIVE and slopes.INEXACT.code in codes


def _where_apart(upper: Mode, version: Version, gap: Gap, findings: list[Finding]) -> list[Finding]:
    """Let pairs of which both versions claim the same be judged as that version, where any fails.

    What is measured directly may stand on the stairs that a cast makes.
    """
    if not any(one.verdict is Verdict.FAIL and not _is_apart(one, gap) for one in findings):
        return findings
    with version.context():
        wide, _ = probe(upper, is_prepared=True)
    return [
        *(one for one in findings if _is_apart(one, gap)),
        *(one for one in wide if not _is_apart(one, gap)),
    ]


def _is_apart(one: Finding, gap: Gap) -> bool:
    return (one.input, one.output) in gap.apart


def _doubted(findings: list[Finding], gap: Gap, blurred: Reason) -> list[Finding]:
    """Hold what was measured directly against the other version, where the two claim otherwise."""
    facts = {"loosely": gap.loosely, "could_tell": float(_could_tell(findings, gap))}
    doubted, verdict = [], gravest(finding.verdict for finding in findings)
    for one in findings:
        if one.kind in SLOPES and one.verdict is verdict and _is_apart(one, gap):
            evidence = Evidence("versions", facts, (one.evidence or UNKNOWN,))
            one = replace(one, verdict=judge(evidence), evidence=evidence)
            if verdict is Verdict.PASS and one.verdict is not verdict:
                one = replace(one, reasons=(blurred, *one.reasons))
        doubted.append(one)
    return doubted


def _apart(mode: Mode, gap: Gap, version: Version) -> dict[str, Any]:
    """Return how far the claims of two versions are apart, and which versions these are."""
    claim = _claim(mode, version)
    return {"version": version.said, "claim": claim, "roundings": gap.roundings}


def _remarked(findings: list[Finding], verdict: Verdict, said: Reason) -> list[Finding]:
    """Add a remark to the findings that decide; to none where all is right."""
    if verdict is Verdict.PASS:
        return findings
    return [
        finding.because(said) if finding.verdict is verdict else finding for finding in findings
    ]
