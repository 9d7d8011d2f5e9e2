"""Torch's operator database, turned into questions.

Takes a dtype, and gives an `Asked` for every operator, question and sample. Samples depend on the
operator's name and the seed alone, and are drawn anew for every question: no checker sees another
one's leavings. Importing this imports the database, which takes seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from _database import draw, name_of, operators, recomposed
from agreement.questions import DTYPES, LARGEST, QUESTIONS, SAMPLES, SEED, Asked, Place, Question

__all__ = ["asked"]


def asked(dtype: str, *, only: str = "", exactly: str = "", stride: int = 1) -> Iterator[Asked]:
    """Every question about every operator that claims a gradient in `dtype`, in a fixed order.

    `only` keeps operators whose name contains it, `exactly` the one with this name; `stride` then
    keeps every so many.
    """
    for operator in operators(DTYPES[dtype], only=only or exactly, stride=stride):
        if exactly and name_of(operator) != exactly:
            continue
        for question in QUESTIONS.values():
            if question.applies(operator):
                yield from asked_of(operator, dtype, question)


def asked_of(operator: Any, dtype: str, question: Question) -> Iterator[Asked]:
    """One question about every sample that is small enough."""
    keywords = {
        "check_grad_dtypes": True,
        "nondet_tol": operator.gradcheck_nondet_tol,
        **question.keywords(operator),
    }
    for number, sample in enumerate(draw(operator, DTYPES[dtype], SAMPLES, SEED)):
        inputs, function = recomposed(operator, sample)
        place = Place(name_of(operator), number, dtype, question.name)
        one = Asked(place, function, inputs, question.second_order, keywords)
        if inputs and one.elements <= LARGEST:
            yield one
