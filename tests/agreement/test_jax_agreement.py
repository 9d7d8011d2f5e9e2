"""A thinned run of the agreement with JAX's checker, and that the record covers enough.

`python -m agreement.jax_run` runs all of it.
"""

from __future__ import annotations

import pytest

from agreement.jax_run import compare, listed
from agreement.jax_words import DTYPES, QUESTIONS, Asked, read

STRIDE = 36
WORDS = read()["words"]
NAMES = sorted(WORDS["float32"]["reverse"])


@pytest.mark.thinned(keep=4)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NAMES[::STRIDE])
def test_words_are_those_of_jax_or_listed_with_a_reason(name, dtype):
    result = compare(Asked(name, dtype, question) for question in ("reverse", "forward"))
    assert result.counts.total() == 2
    assert not result.differences
    assert not result.unused


@pytest.mark.thinned(keep=2)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", sorted(WORDS["float32"]["second order"])[5 :: 2 * STRIDE])
def test_second_order_agrees_too(name, dtype):
    result = compare([Asked(name, dtype, "second order")])
    assert not result.differences
    assert not result.unused


def test_at_least_150_functions_are_on_record_for_every_question():
    for dtype in DTYPES:
        for question in QUESTIONS:
            assert len(WORDS[dtype][question]) >= 150


def test_every_listed_difference_names_a_question_that_is_on_record():
    for name, dtype, question in listed():
        assert name in WORDS[dtype][question]
