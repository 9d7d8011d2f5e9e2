"""Derivatives that are functions of their own: each is held against the function, then its laws.

A claim that is given whole is judged entry by entry where that takes few evaluations, whatever the
price of a pull would be: `auto` is `full` for it up to 32 columns.
"""

from __future__ import annotations

from dataclasses import replace

from .._claims.given import GivenForward, GivenReverse
from .._claims.rules import Rule, WholeRule
from .._claims.taken import Given
from .._findings import Finding, Verdict, in_forward_mode
from .._laws.base import PulledClaim
from .._laws.every import examine_laws
from .._laws.given import OF_PULLS, examine_inputs, examine_push, examine_whole
from .._words.reason import Reason
from .._words.remarks import ABOUT_THE_RULE
from .._words.slopes import NOT_RETURNED
from .asking.forward import ForwardMode
from .asking.reverse import ReverseMode
from .base import Examination
from .choose import probe
from .failing.pattern import name_pattern
from .full.suspects import FullPair
from .lifted import LiftedExamination, probe_lifted

_FEW_COLUMNS = 32


def examine_given(
    examination: Examination, lifted: LiftedExamination | None, given: Given
) -> tuple[list[Finding], list[FullPair]]:
    """Examine every derivative that is given, in its mode."""
    findings: list[Finding] = []
    pairs: list[FullPair] = []
    for rule in given.reverse:
        found, made = _reverse(_fitted(examination, rule), lifted, rule, given)
        findings += [_in_words_of(rule, one) for one in found]
        pairs = pairs or made
    for rule in given.forward:
        found, made = _forward(_fitted(examination, rule), lifted, rule, given)
        findings += in_forward_mode(_in_words_of(rule, one) for one in found)
        pairs = pairs or made
    notes = [note for rule in (*given.reverse, *given.forward) for note in _notes(rule)]
    if notes and findings:
        findings[0] = findings[0].because(*notes)
    return findings, pairs


def _fitted(examination: Examination, rule: Rule) -> Examination:
    """Choose the full probe for a claim that is whole anyway, where measuring it costs little."""
    settings, columns = examination.settings, examination.problem.domain.size
    if rule.is_whole and settings.probe == "auto" and columns <= _FEW_COLUMNS:
        return replace(examination, settings=replace(settings, probe="full"))
    return examination


def _notes(rule: Rule) -> list[Reason]:
    notes = () if rule.caller is None else rule.caller.notes
    return [ABOUT_THE_RULE(text=note) for note in notes]


def _reverse(
    examination: Examination, lifted: LiftedExamination | None, rule: Rule, given: Given
) -> tuple[list[Finding], list[FullPair]]:
    problem, settings = examination.problem, examination.settings
    claim = GivenReverse(problem, examination.trace, rule)
    mode = ReverseMode(examination, claim)
    mode.subject = rule.words or mode.subject
    if lifted is None:
        found, pairs = probe(mode)
    else:
        upper = replace(lifted.examination, settings=settings)
        wide = ReverseMode(upper, GivenReverse(upper.problem, upper.trace, rule))
        wide.subject = mode.subject
        found, pairs = probe_lifted(mode, wide, lifted.version)
    if isinstance(rule, WholeRule):
        found = [name_pattern(rule, problem, pairs, one) for one in found]
    if not mode.pulleds:
        return found, pairs
    if isinstance(rule, WholeRule):
        return [*found, *examine_whole(rule, problem, settings.laws)], pairs
    pulled_claim = PulledClaim(
        problem,
        examination.directions,
        claim,
        mode.pulleds,
        settings.nondeterminism,
        settings.atol or 0.0,
        settings.rtol or 0.0,
        subject=rule.words or "reverse-mode gradient",
    )
    partner = next((GivenForward(problem, one) for one in given.forward), None)
    laws = examine_laws(pulled_claim, settings.laws & OF_PULLS, partner)
    if "mutation" in settings.laws and rule.caller is not None:
        written = examine_inputs(rule.caller, problem, rule.words)
        if written is not None:
            laws = [one for one in laws if one.kind != "mutation"] + [written]
    return found + laws, pairs


def _forward(
    examination: Examination, lifted: LiftedExamination | None, rule: Rule, given: Given
) -> tuple[list[Finding], list[FullPair]]:
    settings = examination.settings
    claim = GivenForward(examination.problem, rule)
    mode = ForwardMode(examination, claim)
    mode.subject = rule.words or mode.subject
    if lifted is None:
        found, pairs = probe(mode)
    else:
        upper = replace(lifted.examination, settings=settings)
        wide = ForwardMode(upper, GivenForward(upper.problem, rule))
        wide.subject = mode.subject
        found, pairs = probe_lifted(mode, wide, lifted.version)
    if isinstance(rule, WholeRule):
        if rule not in given.reverse:
            found = [name_pattern(rule, examination.problem, pairs, one) for one in found]
            found += examine_whole(rule, examination.problem, settings.laws)
        return found, pairs
    if any(one.raised is not None for one in found):
        return found, pairs
    laws = examine_push(claim, examination.directions, settings.laws, settings.atol or 0.0)
    return found + laws, pairs


def _in_words_of(rule: Rule, finding: Finding) -> Finding:
    """Say a finding about a function that was given, not about a framework's backward."""
    if rule.caller is None:
        return finding
    said = replace(finding, dialect=rule.caller.keyword)
    if finding.raised is not None:
        return replace(said, reasons=said.reasons[:1])  # what it is due to, its author sees
    if said.kind == "liveness" and said.verdict is Verdict.FAIL:
        return said.because(NOT_RETURNED())
    return said
