"""A thinned run of the agreement: small samples of every so many operators, in both modes.

`make agreement` runs all of them. The names come from the record, because importing torch's
operator database takes seconds that only a process that asks something should pay.
"""

from __future__ import annotations

import pytest

from agreement.checkers import MODES
from agreement.compare import Comparison, compare
from agreement.differences import Known
from agreement.record import Record

STRIDE = 10
SMALL = 30  # input elements
THINNED = [
    (dtype, operator)
    for dtype, operators in Record.read().operators(SMALL).items()
    for operator in operators[::STRIDE]
]


@pytest.mark.thinned(keep=10)
@pytest.mark.parametrize(("dtype", "operator"), THINNED)
def test_verdicts_are_those_of_torchs_slow_mode(dtype, operator):
    from agreement.draws import asked

    comparison = Comparison(Record.read(), Known.read())
    for question in asked(dtype, exactly=operator):
        if question.elements <= SMALL:
            compare(question, MODES, comparison)
    assert sum(comparison.counts.values()) > 0
    assert not comparison.differences
