"""A residual against its bar: wrong, right, or these numbers cannot tell."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secant._constants import KAPPA, LEAST_WEIGHT
from secant._findings import Verdict, gravest
from secant._judge.judge import held, judge
from secant._judge.yardstick import Yardstick, tolerance_for
from secant._measure.difference import Reading
from secant._measure.estimate import Estimate
from secant._settings import settle

PASS, FAIL, INCONCLUSIVE = Verdict.PASS, Verdict.FAIL, Verdict.INCONCLUSIVE
DOUBLE, SINGLE, BRAIN = 2.0**-53, 2.0**-24, 2.0**-8
SIZES = st.floats(1e-6, 1e6)
ERRORS = st.floats(1e-15, 1e3)


def yardstick(terms=1.0, roundoff=DOUBLE, size=0.0, **settings):
    tolerance = tolerance_for(settle(settings), roundoff)
    return Yardstick(terms=terms, size=size, roundoff=roundoff, tolerance=tolerance)


def judged(measure, seen):
    return judge(held(measure, seen))


def reading(value, error, slope=1.0):
    return Reading(Estimate(value, error), slope, 1e-5)


@pytest.mark.parametrize(
    ("value", "error", "verdict"),
    [
        (0.0, 1e-9, PASS),
        (1e-9, 1e-9, PASS),
        (1e-3, 1e-9, FAIL),
        (-1e-3, 1e-9, FAIL),
        (1e-5, 1e-9, FAIL),
        (1.0, 1e-3, FAIL),
        (1e-3, 1.0, INCONCLUSIVE),
        (0.0, 1.0, INCONCLUSIVE),
        (1.0, 1.0, INCONCLUSIVE),
        (0.0, math.inf, INCONCLUSIVE),
        (0.0, math.nan, INCONCLUSIVE),
        (math.nan, 1e-9, INCONCLUSIVE),
        (math.inf, 1e-9, INCONCLUSIVE),  # claims that are not finite are judged as holes
    ],
)
def test_the_three_verdicts(value, error, verdict):
    assert judged(yardstick(), reading(value, error)) is verdict


@given(SIZES, ERRORS, st.floats(-1.0, 1.0))
def test_a_residual_within_its_bar_is_never_blamed(terms, error, share):
    measure = yardstick(terms)
    assert judged(measure, reading(share * error, error, terms)) is not FAIL


@given(SIZES, ERRORS, st.floats(0, 1e3), st.floats(1.0, 1e3))
def test_a_larger_residual_is_judged_no_milder(terms, error, value, factor):
    measure = yardstick(terms)
    if judged(measure, reading(value, error, terms)) is FAIL:
        assert judged(measure, reading(value * factor, error, terms)) is FAIL


@given(SIZES, ERRORS, st.floats(0, 1e3), st.floats(1.0, 1e3))
def test_a_wider_bar_never_turns_pass_into_fail_nor_doubt_into_pass(terms, error, value, factor):
    measure = yardstick(terms)
    narrow = judged(measure, reading(value, error, terms))
    wide = judged(measure, reading(value, error * factor, terms))
    if narrow is PASS:
        assert wide is not FAIL
    if narrow is INCONCLUSIVE:
        assert wide is INCONCLUSIVE


@given(SIZES, st.floats(1e-12, 1e-4), st.floats(-1.0, 1.0), st.sampled_from([DOUBLE, SINGLE]))
def test_the_resolution_is_a_promise(terms, share, luck, roundoff):
    """A single wrong entry δ shows as at least δ/4, and the measurement errs by at most its bar."""
    measure = yardstick(terms, roundoff)
    error = share * terms
    quiet = reading(0.0, error, terms)
    delta = measure.resolution(quiet) * 1.0001
    seen = delta * LEAST_WEIGHT + luck * error
    assert judged(measure, reading(seen, error, terms)) is FAIL


@given(SIZES, st.floats(1e-12, 1e-4))
def test_verdicts_do_not_depend_on_the_unit(terms, share):
    for value, error in ((0.0, share), (share, share), (1.0, share), (0.0, 1.0)):
        one = judged(yardstick(1.0), reading(value, error))
        scaled = judged(yardstick(terms), reading(value * terms, error * terms, terms))
        assert one is scaled


def test_rtol_and_atol_add_to_what_is_forgiven():
    assert judged(yardstick(rtol=0.1), reading(0.05, 1e-9)) is PASS
    assert judged(yardstick(rtol=0.01), reading(0.05, 1e-9)) is FAIL
    assert judged(yardstick(atol=0.1), reading(0.05, 1e-9)) is PASS
    assert judged(yardstick(atol=0.01), reading(0.05, 1e-9)) is FAIL


def test_the_limit_is_kappa_bars_and_the_tolerances():
    tolerance = tolerance_for(settle({"rtol": 0.25, "atol": 0.5}), DOUBLE)
    assert tolerance.limit(2.0, 4.0) == KAPPA * 2.0 + 0.25 * 4.0 + 0.5


def test_coarser_dtypes_are_forgiven_more():
    forgiven = [tolerance_for(settle({}), roundoff).rtol for roundoff in (DOUBLE, SINGLE, BRAIN)]
    assert forgiven == sorted(forgiven)
    assert forgiven[0] < 1e-6
    assert forgiven[2] < 0.25


def test_an_output_that_does_not_move_is_a_measurement_of_zero():
    still = reading(0.0, 1e-3, slope=0.0)
    assert judged(yardstick(terms=0.0), still) is PASS
    assert judged(yardstick(terms=1.0), reading(-1.0, 1e-3, slope=0.0)) is FAIL


def test_a_reading_that_is_fine_is_right_within_one_bar():
    measure = yardstick()
    assert measure.is_fine(reading(0.5e-9, 1e-9))
    assert not measure.is_fine(reading(1e-3, 1e-9))
    assert not measure.is_fine(reading(0.0, 0.5))


@pytest.mark.parametrize(
    ("verdicts", "decides"),
    [
        ([], PASS),
        ([PASS, PASS], PASS),
        ([PASS, INCONCLUSIVE], INCONCLUSIVE),
        ([FAIL, INCONCLUSIVE, PASS], FAIL),
    ],
)
def test_the_gravest_verdict_decides(verdicts, decides):
    assert gravest(verdicts) is decides


def test_an_entry_that_is_asked_alone_shows_whole_and_is_judged_again_so():
    drawn, seen = yardstick(), reading(0.0, 0.02)
    alone = replace(drawn, weight=1.0)
    assert alone.resolution(seen) == pytest.approx(LEAST_WEIGHT * drawn.resolution(seen))
    assert judged(drawn, seen) is INCONCLUSIVE
    assert judged(alone, seen) is PASS


def test_a_claim_too_large_to_square_is_promised_nothing():
    assert judged(yardstick(terms=math.inf), reading(1e159, math.inf, math.inf)) is INCONCLUSIVE
    assert judged(yardstick(terms=math.inf), reading(0.0, 1e140, math.inf)) is INCONCLUSIVE
