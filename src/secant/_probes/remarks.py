"""What is said beside the derivatives: restless functions, outputs and leaves left aside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .._findings import SLOPES, Finding, Verdict, gravest_of
from .._judge.judge import NOTHING, UNKNOWN, conclude
from .._problem.behind import is_unread
from .._words.laws import RESTLESS
from .._words.remarks import ABOUT_THE_CALL, CLAIMS_NOTHING, NOT_READ
from .base import Examination
from .full.suspects import FullPair


def remarks(examination: Examination, findings: Sequence[Finding]) -> Iterator[Finding]:
    """Yield what was noticed beside the derivatives."""
    if examination.is_restless():
        # what is not repeated is in every bar: where all is right in spite of it, a remark
        evidence = NOTHING if gravest_of(findings) is Verdict.PASS else UNKNOWN
        yield conclude(evidence, "determinism", "function", "", RESTLESS())
    for note in examination.problem.notes:
        yield conclude(NOTHING, "module", "function", "", ABOUT_THE_CALL(text=note))
    for path in examination.trace.ignored:
        yield conclude(NOTHING, "liveness", "function", path, CLAIMS_NOTHING(path=path))


def unread(
    examination: Examination, findings: Sequence[Finding], pairs: Sequence[FullPair]
) -> Iterator[Finding]:
    """Yield the leaves that nothing depends on: they claim zero, and moving them moves nothing."""
    if examination.order > 1:
        return  # many second derivatives are zero
    claims: dict[int, bool] = {}
    for pair in pairs:
        claims[pair.part] = claims.get(pair.part, False) or bool(pair.claimed.any())
    for one in findings:
        if one.input is not None and one.kind in SLOPES:
            claims[one.input] = claims.get(one.input, False) or one.claimed != 0.0
    problem = examination.problem
    for part, is_claimed in claims.items():
        if not is_claimed and problem.domain.parts[part].size and is_unread(problem, part):
            path = problem.domain.path(part)
            yield conclude(NOTHING, "unread", "function", path, NOT_READ(path=path), input=part)
