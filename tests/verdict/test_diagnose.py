"""Each sentence of the diagnosis on hand-made evidence, and silence where it is unclear."""

from __future__ import annotations

import numpy as np
import pytest

from secant._measure.estimate import Estimate
from secant._verdict.diagnose import Evidence, diagnose, diagnose_matrix

PROBES = 3
BAR = 1e-10


def inner(one, other):
    return float(np.real(np.vdot(one, other)))


def evidence(shape, claim, *, kind=float, truth=None, probes=PROBES):
    """Return probes of a gradient that claims `claim(truth)`, along random directions."""
    generator = np.random.default_rng(7)

    def draw():
        numbers = generator.standard_normal(shape)
        return numbers + 1j * generator.standard_normal(shape) if kind is complex else numbers

    found = []
    for _ in range(probes):
        true = draw() if truth is None else truth(draw())
        claimed, direction = np.asarray(claim(true)).reshape(shape), draw()
        measured = Estimate(inner(true, direction), BAR)
        found.append(Evidence(inner(claimed, direction), measured, claimed, direction))
    return found


ZERO = "claimed = 0 everywhere: the dependence is cut (a detach, or a missing gradient)"
STILL = (
    "the function does not move at all, yet a slope is claimed: a straight-through "
    "estimator, or a gradient for an input that is not used"
)
SIGN = "claimed = −1 × measured in every probe: the sign is wrong"
TRANSPOSED = "the claim is the transpose of the truth in the last two dimensions"


def factor(words):
    return f"claimed = {words} × measured in every probe: a constant factor is wrong"


@pytest.mark.parametrize(
    ("shape", "claim", "sentence"),
    [
        ((5,), lambda g: 0 * g, ZERO),
        ((5,), lambda g: -g, SIGN),
        ((5,), lambda g: 1.05 * g, factor("1.05")),
        ((5,), lambda g: 2 * g, factor("2")),
        ((5,), lambda g: g / 2, factor("0.5")),
        ((5,), lambda g: -3 * g, factor("-3")),
        ((5,), lambda g: g / 3, factor("1/3")),
        ((5,), lambda g: np.pi * g, factor("3.14159")),
        ((3, 3), lambda g: g.T, TRANSPOSED),
        ((2, 3), lambda g: g.T, TRANSPOSED),
        ((2, 3, 4), lambda g: np.swapaxes(g, 1, 2), TRANSPOSED),
        ((5,), lambda g: g[::-1], "the claim is reversed"),
        ((3, 4), lambda g: g[::-1], "the claim is reversed along dimension 0"),
        ((3, 4), lambda g: g[:, ::-1], "the claim is reversed along dimension 1"),
        ((3, 4), lambda g: g[::-1, ::-1], "the claim is reversed along every dimension"),
        (
            (5,),
            lambda g: np.roll(g, 1),
            "the claim is shifted: every entry stands 1 later than it should",
        ),
        (
            (5,),
            lambda g: np.roll(g, -2),
            "the claim is shifted: every entry stands 2 earlier than it should",
        ),
        (
            (3, 5),
            lambda g: np.roll(g, -1, 1),
            "the claim is shifted along dimension 1: every entry stands 1 earlier than it should",
        ),
    ],
)
def test_a_pattern_has_its_sentence(shape, claim, sentence):
    assert diagnose(evidence(shape, claim)) == sentence


@pytest.mark.parametrize(("share", "size"), [(1 / 7, 7), (7, 7), (1 / 21, 21), (3, 3)])
def test_a_factor_that_is_a_size_smells_of_a_mean(share, size):
    sentence = diagnose(evidence((3, 7), lambda g: g * share))
    assert sentence.startswith("claimed = ")
    assert sentence.endswith(
        f"({size} is the size of a dimension or of the whole: a mean for a sum, or the reverse)"
    )


def test_the_number_of_all_entries_is_not_called_a_dimension():
    sentence = diagnose(evidence((3, 7), lambda g: g / 21))
    assert "21 entries along a dimension" not in sentence


def test_a_function_that_does_not_move_has_its_sentence():
    assert diagnose(evidence((5,), lambda g: g + 1, truth=lambda g: 0 * g)) == STILL


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        (np.conj, "a conjugate is missing: the claim is the conjugate of the truth"),
        (lambda g: -np.conj(g), "the claim is −conj(truth): conjugate and sign are wrong"),
        (lambda g: g * 1j, "the claim is off by a factor i"),
        (lambda g: g * -1j, "the claim is off by a factor −i"),
        (lambda g: -g, SIGN),
        (lambda g: 2 * g, factor("2")),
    ],
)
def test_a_complex_pattern_has_its_sentence(claim, sentence):
    assert diagnose(evidence((4,), claim, kind=complex)) == sentence


@pytest.mark.parametrize(
    "claim",
    [
        lambda g: g + 1,
        lambda g: g * np.arange(1, 6),
        lambda g: g**3,
        lambda g: np.where(np.arange(5) == 2, 1.5 * g, g),
        lambda g: np.roll(g, 1) * 1.5,
    ],
    ids=["offset", "weights", "cube", "one entry", "two mistakes"],
)
def test_an_unclear_pattern_gets_silence(claim):
    assert diagnose(evidence((5,), claim)) is None


def test_no_evidence_gets_silence():
    assert diagnose([]) is None


def test_a_factor_that_differs_between_probes_is_not_constant():
    mixed = [
        Evidence(factor * value, Estimate(value, BAR))
        for factor, value in ((2.0, 1.3), (3.0, -0.4), (2.0, 0.9))
    ]
    assert diagnose(mixed) is None


def test_forward_mode_knows_the_numbers_only():
    numbers = [Evidence(1.5 * value, Estimate(value, BAR)) for value in (1.3, -0.4, 2.0)]
    assert diagnose(numbers) == factor("1.5")
    unclear = [Evidence(value + 1, Estimate(value, BAR)) for value in (1.3, -0.4, 2.0)]
    assert diagnose(unclear) is None


def test_wide_bars_do_not_make_a_cause():
    """A bar that would hold anything proves nothing: no repair may be read out of it."""
    vague = [
        Evidence(one.claimed, Estimate(one.measured.value, 100.0), one.gradient, one.direction)
        for one in evidence((5,), lambda g: g + 1)
    ]
    assert diagnose(vague) is None


# -- whole Jacobians -----------------------------------------------------------------------------


def matrix(rows=4, columns=6):
    return np.random.default_rng(3).standard_normal((rows, columns))


def with_bars(claimed, measured):
    return diagnose_matrix(claimed, measured, np.full(measured.shape, BAR))


def test_a_missing_term_is_named():
    measured = matrix()
    claimed = np.where(np.arange(6) == 2, 0.0, measured)
    assert with_bars(claimed, measured) == (
        "claimed = 0 where the function moves, right elsewhere: a term is missing "
        "(a sum over a broadcast dimension, one output or one path)"
    )


def test_permuted_rows_are_named():
    measured = matrix()
    claimed = measured[:, [3, 0, 5, 1, 2, 4]]
    assert with_bars(claimed, measured) == (
        "every row holds the right numbers in the wrong places: the claim is permuted"
    )


def test_an_error_from_an_index_on_is_named():
    measured = matrix()
    claimed = measured + 0.1 * (np.arange(6) >= 3)
    assert with_bars(claimed, measured) == (
        "right up to flat index 2, wrong from index 3 on: a loop's bound"
    )


@pytest.mark.parametrize("places", [[0], [8], [0, 8]])
def test_an_error_at_the_border_is_named(places):
    measured = matrix(columns=9)
    claimed = measured + 0.1 * np.isin(np.arange(9), places)
    assert with_bars(claimed, measured) == (
        "wrong at the border only: the first or last index is treated wrongly"
    )


@pytest.mark.parametrize("places", [[0], [5], [0, 5]])
def test_few_entries_have_no_border_of_their_own(places):
    measured = matrix(columns=6)
    claimed = measured + 0.1 * np.isin(np.arange(6), places)
    assert with_bars(claimed, measured) is None


def test_sums_that_are_wrong_though_entries_are_right_point_at_linearity():
    measured = matrix()
    assert with_bars(measured, measured) == (
        "every entry is right by itself, sums of them are not: the backward is not linear "
        "in grad_output"
    )


@pytest.mark.parametrize(
    "error",
    [
        0.1 * (np.arange(6) == 2),
        0.1 * np.isin(np.arange(6), [1, 3]),
        0.1 * np.isin(np.arange(6), [0, 3, 5]),
        np.arange(6) + 1.0,
    ],
    ids=["inside", "two inside", "border and inside", "everywhere"],
)
def test_errors_without_a_pattern_get_silence(error):
    measured = matrix()
    assert with_bars(measured + error, measured) is None


@pytest.mark.parametrize("hole", [np.nan, np.inf])
def test_matrices_with_holes_get_silence(hole):
    measured = matrix()
    claimed = measured.copy()
    claimed[0, 0] = hole
    assert with_bars(claimed, measured) is None
    assert with_bars(measured, claimed) is None
