"""Derivatives that are functions of their own: each is held against the function, then its laws.

A claim that is given whole is judged entry by entry where that takes few evaluations, whatever the
price of a pull would be: `auto` is `full` for it up to 32 columns.
"""

from __future__ import annotations

from dataclasses import replace

from .._claims.given import GivenForward, GivenReverse
from .._claims.rules import Rule, WholeRule
from .._claims.taken import Given
from .._findings import Finding, Verdict, reworded
from .._laws.base import Witness
from .._laws.every import examine_laws
from .._laws.given import OF_PULLS, examine_inputs, examine_push, examine_whole
from .base import Examination
from .choose import probe
from .failing.pattern import name_pattern
from .forward import ForwardAsker
from .lifted import LiftedExamination, probe_lifted
from .reverse import ReverseAsker
from .suspects import FullPair

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
        findings += [_in_words_of(rule, one) for one in found]
        pairs = pairs or made
    notes = [note for rule in (*given.reverse, *given.forward) for note in _notes(rule)]
    if notes and findings:
        findings[0] = replace(findings[0], note="; ".join(filter(None, [findings[0].note, *notes])))
    return findings, pairs


def _fitted(examination: Examination, rule: Rule) -> Examination:
    """Choose the full probe for a claim that is whole anyway, where measuring it costs little."""
    settings, columns = examination.settings, examination.problem.domain.size
    if rule.is_whole and settings.probe == "auto" and columns <= _FEW_COLUMNS:
        return replace(examination, settings=replace(settings, probe="full"))
    return examination


def _notes(rule: Rule) -> list[str]:
    return [] if rule.caller is None else list(rule.caller.notes)


def _reverse(
    examination: Examination, lifted: LiftedExamination | None, rule: Rule, given: Given
) -> tuple[list[Finding], list[FullPair]]:
    problem, settings = examination.problem, examination.settings
    claim = GivenReverse(problem, examination.trace, rule)
    asker = ReverseAsker(examination, claim)
    asker.subject = rule.words or asker.subject
    if lifted is None:
        found, pairs = probe(asker)
    else:
        upper = replace(lifted.examination, settings=settings)
        wide = ReverseAsker(upper, GivenReverse(upper.problem, upper.trace, rule))
        wide.subject = asker.subject
        found, pairs = probe_lifted(asker, wide, lifted.version)
    if isinstance(rule, WholeRule):
        found = [name_pattern(rule, problem, pairs, one) for one in found]
    if not asker.pulleds:
        return found, pairs
    if isinstance(rule, WholeRule):
        return [*found, *examine_whole(rule, problem, settings.laws)], pairs
    witness = Witness(
        problem,
        examination.directions,
        claim,
        asker.pulleds,
        settings.repeat,
        settings.atol or 0.0,
        settings.rtol or 0.0,
    )
    partner = next((GivenForward(problem, one) for one in given.forward), None)
    laws = examine_laws(witness, settings.laws & OF_PULLS, partner)
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
    asker = ForwardAsker(examination, claim)
    asker.subject = rule.words or asker.subject
    if lifted is None:
        found, pairs = probe(asker)
    else:
        upper = replace(lifted.examination, settings=settings)
        wide = ForwardAsker(upper, GivenForward(upper.problem, rule))
        wide.subject = asker.subject
        found, pairs = probe_lifted(asker, wide, lifted.version)
    if isinstance(rule, WholeRule):
        if rule not in given.reverse:
            found = [name_pattern(rule, examination.problem, pairs, one) for one in found]
            found += examine_whole(rule, examination.problem, settings.laws)
        return found, pairs
    if any(one.raised is not None for one in found):
        return found, pairs
    laws = examine_push(claim, examination.directions, settings.laws, settings.atol or 0.0)
    return found + laws, pairs


# What is said about a framework's backward, said about the author's function.
_WORDS = (
    ("reverse-mode gradient", "given {keyword}"),
    ("save what the backward needs in the forward", "make a new array in each call"),
    ("the backward pass", "`{keyword}`"),
    ("the backward", "`{keyword}`"),
    ("the jvp", "`push`"),
    ("call grad_output.contiguous()", "make a contiguous copy of v"),
    ("`grad_output.op_(...)` with `grad_output.op(...)`", "`v *= a` with `v * a`"),
    ("a contiguous grad_output", "that v is contiguous"),
    ("grad_output", "v"),
    (", as `out.sum().backward()` hands it over", ""),
    ("; other branches of a graph see the damage", ""),
    (", hidden from autograd", ""),
    (" (a detach, or a missing gradient)", ": a gradient is missing"),
    ("a straight-through estimator, or ", ""),
    ("forward and reverse mode", "`push` and `pull`"),
    ("by forward mode", "by `push`"),
    ("by reverse mode", "by `pull`"),
    ("each mode", "each of them"),
)
_ABSENT = "return its gradient instead of None, or pass what is constant in `kwargs`"


def _in_words_of(rule: Rule, finding: Finding) -> Finding:
    """Say a finding about a function that was given, not about a framework's backward."""
    if rule.caller is None:
        return finding
    if finding.raised is not None:
        return replace(finding, cause=None, raised=finding.raised)
    keyword = rule.caller.keyword
    said = reworded(finding, ((one, other.format(keyword=keyword)) for one, other in _WORDS))
    if said.kind == "liveness" and said.verdict is Verdict.FAIL:
        return replace(said, advice=said.advice or _ABSENT)
    return said
