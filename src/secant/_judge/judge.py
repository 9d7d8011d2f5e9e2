"""The judge: from evidence to a verdict, by rules. Nothing else in a check chooses a verdict.

Every rule is a pure function of the facts of a piece of evidence and of the verdicts on its parts,
so that a saved report can be judged again. PASS is earned: some reading would have shown an error.
FAIL is certain: nothing that is known of the function explains what a claim is off by.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from .._constants import LEAST_WEIGHT, MEANINGFUL
from .._findings import Evidence, Finding, Verdict
from .._measure.difference import Reading
from .._measure.estimate import Estimate
from .._words.reason import Reason
from .yardstick import Tolerance, Yardstick

Facts = Mapping[str, float]
Verdicts = Sequence[Verdict]
Rule = Callable[[Facts, Verdicts], Verdict]

PASS, FAIL, UNCLEAR = Verdict.PASS, Verdict.FAIL, Verdict.INCONCLUSIVE
_RULES: dict[str, Rule] = {}


def judge(evidence: Evidence) -> Verdict:
    """Return the verdict on a piece of evidence and all that it rests on."""
    return _RULES[evidence.rule](evidence.facts, [judge(part) for part in evidence.parts])


def is_known(evidence: Evidence) -> bool:
    """Say whether there is a rule for it and for all its parts."""
    return evidence.rule in _RULES and all(map(is_known, evidence.parts))


def conclude(
    evidence: Evidence,
    kind: str,
    subject: str,
    where: str,
    *reasons: Reason,
    judged: Verdict | None = None,
    **more: object,
) -> Finding:
    """Return the finding that a piece of evidence makes; `judged` where it was judged before."""
    verdict = judge(evidence) if judged is None else judged
    return Finding(verdict, kind, subject, where, reasons, evidence=evidence, **more)  # type: ignore[arg-type]


def _rule(decide: Rule) -> Rule:
    _RULES[decide.__name__.strip("_")] = decide
    return decide


# -- one reading -------------------------------------------------------------------------------


def held(yardstick: Yardstick, reading: Reading) -> Evidence:
    """Return a reading beside what it is held against."""
    tolerance = yardstick.tolerance
    rtol, atol = tolerance.forgiven
    facts = {
        "residual": reading.residual.value,
        "error": reading.residual.error,
        "slope": reading.slope,
        "step": reading.step,
        "terms": yardstick.terms,
        "size": yardstick.size,
        "roundoff": yardstick.roundoff,
        "rtol": tolerance.rtol,
        "atol": tolerance.atol,
        "comfortable": tolerance.comfortable,
        "forgiven_rtol": rtol,
        "forgiven_atol": atol,
        "automatic": tolerance.automatic,
        "norm": yardstick.terms if yardstick.norm is None else yardstick.norm,
    }
    if yardstick.weight != LEAST_WEIGHT:
        facts["weight"] = yardstick.weight
    return Evidence("reading", facts)


@_rule
def _reading(facts: Facts, _: Verdicts) -> Verdict:
    """Outside its bar is wrong, unless both are lost in rounding; inside must mean something."""
    forgiven = facts["forgiven_rtol"], facts["forgiven_atol"]
    tolerance = Tolerance(
        facts["rtol"], facts["atol"], facts["comfortable"], forgiven, facts["automatic"]
    )
    terms, size, roundoff = facts["terms"], facts["size"], facts["roundoff"]
    norm, weight = facts["norm"], facts.get("weight", LEAST_WEIGHT)
    yardstick = Yardstick(terms, size, roundoff, tolerance, norm=norm, weight=weight)
    residual = Estimate(facts["residual"], facts["error"])
    return verdict_of(yardstick, Reading(residual, facts["slope"], facts["step"]))


def verdict_of(yardstick: Yardstick, reading: Reading, *, is_fine: bool = False) -> Verdict:
    """Return the verdict on a reading; that on what `held` makes of the two is the same.

    What is known to be fine passes: it is within a narrower limit, and meaningful.
    """
    if is_fine:
        return PASS
    residual = abs(reading.residual.value)
    if not math.isfinite(residual):
        return UNCLEAR
    if residual > yardstick.limit(reading):
        if not yardstick.is_lost(reading):
            return FAIL
        if not yardstick.claims_nothing:
            return UNCLEAR
    return PASS if yardstick.is_meaningful(reading) else UNCLEAR


@_rule
def _unknown(_: Facts, __: Verdicts) -> Verdict:
    """Nothing could be read or asked: absence of evidence."""
    return UNCLEAR


@_rule
def _nothing(_: Facts, __: Verdicts) -> Verdict:
    """There is nothing that could be wrong: no entries, or a remark beside the derivatives."""
    return PASS


# -- the shape of a line -----------------------------------------------------------------------


@_rule
def _trend(_: Facts, verdicts: Verdicts) -> Verdict:
    """A function that is computed inexactly is judged by its trend where its branch is off."""
    branch, trend = verdicts
    return trend if branch is FAIL else branch


@_rule
def _corner(facts: Facts, verdicts: Verdicts) -> Verdict:
    """At a kink a claim between the one-sided slopes is right; at a jump there is no slope."""
    (line,) = verdicts
    if line is FAIL and facts["is_kink"] and facts["is_between"]:
        return PASS
    return UNCLEAR if facts["is_jump"] else line


@_rule
def _beside(facts: Facts, verdicts: Verdicts) -> Verdict:
    """A kink excuses nothing beside it: the outputs without one, and the entries, decide."""
    excused, *others = verdicts
    smooth = others.pop(0) if facts["has_smooth"] else None
    if smooth is UNCLEAR:
        return UNCLEAR
    entries = others.pop(0) if facts["has_entries"] else smooth or PASS
    return excused if entries is PASS or (smooth is PASS and entries is UNCLEAR) else entries


def doubted(line: Evidence, *, is_another: bool = True, **seen: float) -> Evidence:
    """Return evidence of a line that may only blame, and not even that of another function."""
    return Evidence("blame_only", {"is_another": float(is_another), **seen}, (line,))


@_rule
def _blame_only(facts: Facts, verdicts: Verdicts) -> Verdict:
    """Where a function bends or jumps within the step, a line shows no claim to be right.

    It may show one to be wrong, unless the function is another one there.
    """
    (line,) = verdicts
    return FAIL if line is FAIL and not facts["is_another"] else UNCLEAR


@_rule
def _path(_: Facts, verdicts: Verdicts) -> Verdict:
    """What the claim adds up to along a path may acquit, and never blames."""
    line, path = verdicts
    return line if path is FAIL or path is line is UNCLEAR else path


@_rule
def _again(_: Facts, verdicts: Verdicts) -> Verdict:
    """Along the same line at other steps: the second look decides."""
    return verdicts[-1]


@_rule
def _independent(facts: Facts, verdicts: Verdicts) -> Verdict:
    """Only what fails along another direction as well is wrong, what none could see is unclear."""
    first, *others = verdicts
    if FAIL in others:
        return first
    is_acquitted = bool(others) and set(others) == {PASS} and facts.get("could_tell", 1.0)
    return PASS if is_acquitted else UNCLEAR


@_rule
def _forgiven(facts: Facts, verdicts: Verdicts) -> Verdict:
    """What entries are forgiven, by the user, at a kink, or because it is slight, sums are."""
    if facts["is_excused"]:
        return PASS
    return UNCLEAR if facts["is_unclear"] else verdicts[0]


# -- entry by entry ----------------------------------------------------------------------------


@_rule
def _entries(facts: Facts, verdicts: Verdicts) -> Verdict:
    """One wrong entry is enough; all must have been looked at, and together promise something."""
    if FAIL in verdicts or facts["has_ties"]:
        return FAIL
    is_coarse = facts["coarseness"] > MEANINGFUL and not facts["is_forgiven"]
    return UNCLEAR if UNCLEAR in verdicts or facts["unlooked"] or is_coarse else PASS


@_rule
def _hole(facts: Facts, _: Verdicts) -> Verdict:
    """A claim that is not finite is wrong beside a finite slope, right where slopes have no end."""
    if facts["has_slope"]:
        return FAIL
    return PASS if facts["has_no_limit"] and not facts["is_nan"] else UNCLEAR


# -- claims and promises -----------------------------------------------------------------------


@_rule
def _law(facts: Facts, _: Verdicts) -> Verdict:
    """A promise is kept or broken."""
    return FAIL if facts["is_broken"] else PASS


@_rule
def _raised(facts: Facts, _: Verdicts) -> Verdict:
    """A backward that breaks is wrong; a framework that has none cannot be."""
    return UNCLEAR if facts["is_unsupported"] else FAIL


# -- versions ----------------------------------------------------------------------------------


@_rule
def _agreement(facts: Facts, _: Verdicts) -> Verdict:
    """What is claimed of a right version is worth what a difference would have shown, or wrong."""
    if facts.get("loosely", 0.0) > 1.0:
        return FAIL
    return PASS if facts["is_telling"] else UNCLEAR


@_rule
def _versions(facts: Facts, verdicts: Verdicts) -> Verdict:
    """Where two versions claim otherwise a direct measurement must be able to tell which."""
    (line,) = verdicts
    if line is FAIL and facts["loosely"] <= 1.0:
        return UNCLEAR  # inexact in this dtype, hardly wrong
    return UNCLEAR if line is PASS and facts["loosely"] > 1.0 and not facts["could_tell"] else line


UNKNOWN, NOTHING = Evidence("unknown"), Evidence("nothing")
KEPT, BROKEN = Evidence("law", {"is_broken": 0.0}), Evidence("law", {"is_broken": 1.0})
