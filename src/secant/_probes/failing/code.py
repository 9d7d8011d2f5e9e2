"""Which code has to change: the rules between the leaves of a finding, or else the function itself.

Runs after a failure only, and asks nothing of the function: it reads the record of the first call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..._backends.code import Code, code_of
from ..._claims.rules import Rule
from ..._claims.taken import Given
from ..._findings import Finding, Verdict
from ..._problem.gradient import GradientProblem
from ..._problem.problem import Problem
from ..._words.remarks import TAKE_APART
from ..base import Examination

_MOST = 3
_OWN = Path(__file__).resolve().parents[2]


def with_code(
    findings: list[Finding], examination: Examination, given: Given | None
) -> list[Finding]:
    """Return the findings, those that fail with the code that they are about."""
    is_wrong = any(one.verdict is Verdict.FAIL for one in findings)
    if not is_wrong or not examination.settings.explain:
        return findings
    try:
        reader = _Reader(examination, given, findings)
        right = {
            (one.subject, code)
            for one in findings
            if one.verdict is Verdict.PASS and one.kind == "derivative" and one.input is not None
            for code in reader.rules(one)
        }
        return [
            replace(
                _hinted(one, examination), code=tuple(filter(_is_users, reader.named(one, right)))
            )
            if one.verdict is Verdict.FAIL
            else one
            for one in findings
        ]
    except Exception:  # the verdict stands, whatever looking for its code raises
        return findings


def _hinted(finding: Finding, examination: Examination) -> Finding:
    """Return a finding about a module that has parts with a hint at what takes it apart."""
    problem, domain = examination.problem, examination.problem.domain
    module = getattr(problem.source, "__self__", problem.source)
    if finding.advice or not problem.backend.modules.is_module(module):
        return finding
    holders = {domain.path(part).rpartition(".")[0] for part in range(len(domain.parts))}
    return finding.because(TAKE_APART()) if len(holders) > 1 else finding


def _is_users(code: Code) -> bool:
    """Say whether code is not secant's own, which joins what several processes compute."""
    return not Path(code.file).resolve().is_relative_to(_OWN)


class _Reader:
    """Reads the record of the first call; of a gradient's problem, that of its function."""

    def __init__(
        self, examination: Examination, given: Given | None, findings: Sequence[Finding]
    ) -> None:
        problem = examination.problem
        while isinstance(problem, GradientProblem):
            problem = problem.below
        self._problem, self._given = problem, given
        self._is_first_order = examination.order == 1
        wrong = [one.input for one in findings if one.verdict is Verdict.FAIL]
        # what is wrong with several leaves lies where their ways have met
        self._paths = [
            problem.domain.path(part)
            for part in dict.fromkeys(wrong)
            if part is not None and self._is_first_order
        ]

    def named(self, finding: Finding, right: set[tuple[str, Code]]) -> tuple[Code, ...]:
        """Return the code that a finding is about."""
        rules = self.rules(finding)
        if rules:
            # what also stands on the way to a leaf whose gradient is right is not what is wrong
            doubted = [code for code in rules if (finding.subject, code) not in right]
            return tuple((doubted or rules)[:_MOST])
        own = self._problem.backend.modules.code_behind(self._problem.source, self._paths)
        return () if own is None else (own,)

    def rules(self, finding: Finding) -> list[Code]:
        """Return the rules between the leaves of a finding."""
        problem, is_forward = self._problem, finding.mode == "forward"
        if self._given is not None:
            every = self._given.forward if is_forward else self._given.reverse
            own = [one for one in every if one.caller and one.caller.keyword == finding.dialect]
            codes = [_given(rule, problem, finding) for rule in own]
            return [code for code in codes if code is not None]
        leaf, outputs = None, problem.containers.first
        if self._is_first_order and finding.input is not None and problem.answered is not None:
            leaf = problem.answered[0][finding.input]
        if self._is_first_order and finding.output is not None:
            outputs = [outputs[finding.output]]
        return problem.backend.rules_behind(outputs, leaf, is_forward=is_forward)


def _given(rule: Rule, problem: Problem, finding: Finding) -> Code | None:
    if rule.caller is None:
        return None
    value = None if finding.input is None else rule.caller.rank(problem, finding.input)
    return code_of(rule.caller.derivative, value=value)
