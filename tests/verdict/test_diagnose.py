"""Each sentence of the diagnosis on hand-made evidence, and silence where it is unclear."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from secant._measure.estimate import Estimate
from secant._verdict import diagnose as suspicions
from secant._verdict.evidence import Leaf, LeafPair, Probed
from secant._words.reason import said

PROBES = 3
BAR = 1e-10


def diagnose(evidence, scene=None):
    reason = suspicions.diagnose(evidence, scene)
    return None if reason is None else said(reason, "why")


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
        found.append(Probed(inner(claimed, direction), measured, claimed, direction))
    return found


ZERO = "claimed = 0 everywhere: the dependence is cut (a detach, or a missing gradient)"
STILL = (
    "the function has no slope here, yet one is claimed: a straight-through "
    "estimator, or a gradient for an input that is not used"
)
SIGN = "claimed = −1 × measured in every probe: the sign is wrong"
TRANSPOSED = "the claim is the transpose of the truth in the last two dimensions"
PROBED = r" \(3 of 3 probes, to 1e-\d\d\)"


def factor(words):
    return f"claimed = {words} × measured in every probe: a constant factor is wrong"


def test_how_tight_the_probes_are_is_said():
    assert re.fullmatch(TRANSPOSED + PROBED, diagnose(evidence((3, 3), lambda g: g.T)))


def bare(sentence):
    """Return a sentence without what it rests on."""
    return None if sentence is None else re.sub(PROBED, "", sentence)


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
        (
            (2, 3, 4),
            lambda g: np.transpose(g, (2, 0, 1)),
            "the claim has the truth's dimensions in another order, (2, 0, 1)",
        ),
        ((5,), lambda g: g[::-1], "the claim is reversed"),
        ((3, 4), lambda g: g[::-1], "the claim is reversed along dimension 0"),
        ((3, 4), lambda g: g[:, ::-1], "the claim is reversed along dimension 1"),
        ((3, 4), lambda g: g[::-1, ::-1], "the claim is reversed along every dimension"),
        (
            (2, 3, 4),
            lambda g: g[:, ::-1, ::-1],
            "the claim is reversed along the last two dimensions",
        ),
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
            (40,),
            lambda g: np.roll(g, 17),
            "the claim is shifted: every entry stands 17 later than it should",
        ),
        (
            (3, 5),
            lambda g: np.roll(g, -1, 1),
            "the claim is shifted along dimension 1: every entry stands 1 earlier than it should",
        ),
    ],
)
def test_a_pattern_has_its_sentence(shape, claim, sentence):
    assert bare(diagnose(evidence(shape, claim))) == sentence


@pytest.mark.parametrize(("share", "size"), [(1 / 7, 7), (7, 7), (1 / 21, 21), (3, 3)])
def test_a_factor_that_is_a_size_smells_of_a_mean(share, size):
    sentence = diagnose(evidence((3, 7), lambda g: g * share))
    assert sentence.startswith("claimed = ")
    assert sentence.endswith(
        f"({size} is the size of a dimension or of the whole: a mean for a sum, or the reverse)"
    )


@pytest.mark.parametrize(
    ("share", "name"), [(0.07, "t"), (1 / 0.07, "1/t"), (0.07**2, "t²"), (0.0701, None)]
)
def test_a_factor_that_is_an_input_of_one_entry_is_named(share, name):
    leaf = Leaf("x", np.ones((3, 7)))
    scene = LeafPair(leaf, leaf, (Leaf("w", np.full(3, 0.07)), Leaf("t", np.array(0.07))))
    sentence = diagnose(evidence((3, 7), lambda g: g * share), scene)
    assert sentence.endswith(f"(it is {name})" if name else "a constant factor is wrong")


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
    assert bare(diagnose(evidence((4,), claim, kind=complex))) == sentence


@pytest.mark.parametrize(
    "claim",
    [
        lambda g: g + 1,
        lambda g: g * np.arange(1, 6),
        lambda g: g**3,
        lambda g: np.where(np.arange(5) == 2, 1.5 * g, g),
        lambda g: np.roll(g, 1) * 1.5,
        lambda g: g[[1, 0, 2, 4, 3]],
    ],
    ids=["offset", "weights", "cube", "one entry", "two mistakes", "two pairs swapped"],
)
def test_an_unclear_pattern_gets_silence(claim):
    assert diagnose(evidence((5,), claim)) is None


def test_no_evidence_gets_silence():
    assert diagnose([]) is None


def test_a_factor_that_differs_between_probes_is_not_constant():
    mixed = [
        Probed(factor * value, Estimate(value, BAR))
        for factor, value in ((2.0, 1.3), (3.0, -0.4), (2.0, 0.9))
    ]
    assert diagnose(mixed) is None


def test_forward_mode_knows_the_numbers_only():
    numbers = [Probed(1.5 * value, Estimate(value, BAR)) for value in (1.3, -0.4, 2.0)]
    assert diagnose(numbers) == factor("1.5")
    unclear = [Probed(value + 1, Estimate(value, BAR)) for value in (1.3, -0.4, 2.0)]
    assert diagnose(unclear) is None


def test_wide_bars_do_not_make_a_cause():
    """A bar that would hold anything proves nothing: no repair may be read out of it."""
    vague = [
        Probed(one.claimed, Estimate(one.measured.value, 100.0), one.gradient, one.direction)
        for one in evidence((5,), lambda g: g + 1)
    ]
    assert diagnose(vague) is None


def test_of_two_numbers_no_shift_is_made():
    """With hardly any entry that is not 0, every other place is a shift of the right one."""
    assert diagnose(evidence((5,), lambda g: np.roll(g * (np.arange(5) < 2), 1))) is None


def test_a_small_error_beside_equal_numbers_is_no_reversal():
    """The reverse of equal numbers explains a small error as badly as they do themselves."""
    ones = evidence((6,), lambda g: g + 2e-7 * (np.arange(6) == 4), truth=np.ones_like)
    assert diagnose(ones) is None


def test_bars_that_are_wide_need_more_probes():
    """With bars of 1 % three probes may agree by luck, six may not."""
    few = blurred(evidence((5,), lambda g: g[::-1]), 0.006)
    many = blurred(evidence((5,), lambda g: g[::-1], probes=6), 0.006)
    assert diagnose(few) is None
    assert diagnose(many).startswith("the claim is reversed (6 of 6 probes")


def blurred(found, share):
    size = np.sqrt(np.mean([one.measured.value**2 for one in found]))
    return [replace(one, measured=Estimate(one.measured.value, share * size)) for one in found]


# -- what the point holds ------------------------------------------------------------------------

X = np.random.default_rng(1).uniform(0.4, 2.0, (3, 4))
SCENE = LeafPair(Leaf("x", X), Leaf("out", np.tanh(X)), (Leaf("w", np.linspace(1, 2, 4)),))


def around(claim):
    """Return probes of a function of entries, with its cotangents."""
    generator = np.random.default_rng(7)
    found = []
    for _ in range(PROBES):
        cotangent, direction = generator.standard_normal((2, 3, 4))
        true = cotangent * (1 - SCENE.output.values**2)
        claimed = claim(cotangent, true)
        measured = Estimate(inner(true, direction), BAR)
        found.append(
            Probed(inner(claimed, direction), measured, claimed, direction, cotangent=cotangent)
        )
    return found


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        (lambda v, g: v * (1 - np.tanh(X)), "claimed × (1 + out) = measured: a factor (1 + out)"),
        (lambda v, g: g * X, "claimed = x × measured: a factor x is one too many"),
        (lambda v, g: g / X, "claimed × x = measured: a factor x is missing"),
        (lambda v, g: g * X**2, "claimed = x² × measured: a factor x² is one too many"),
        (lambda v, g: g / np.linspace(1, 2, 4), "claimed × w = measured: a factor w is missing"),
        (lambda v, g: g - v, "measured = claimed + grad_output: the identity path"),
        (lambda v, g: g + v, "measured = claimed − grad_output: the identity path"),
        (lambda v, g: g - 2 * v * X, "measured = claimed + 2·grad_output·x: a term 2·x"),
        (lambda v, g: g - v * np.tanh(X) / X, "measured = claimed + grad_output·out/x: a term of"),
        (lambda v, g: v * np.tanh(X) / X, "claimed = grad_output·out/x in all 12 entries: what"),
        (lambda v, g: np.float16(g).astype(float), "all 36 claimed numbers have at most 11 binary"),
        (lambda v, g: g * np.sin(9 * X), None),
        (lambda v, g: g + 0.1 * v * np.sin(9 * X), None),
    ],
)
def test_a_relation_to_what_the_point_holds_is_named(claim, sentence):
    found = bare(diagnose(around(claim), SCENE))
    assert found is None if sentence is None else found.startswith(sentence)


def test_numbers_of_a_coarse_leaf_are_coarse_by_right():
    rounded = around(lambda v, g: np.float16(g).astype(float))
    assert diagnose(rounded, replace(SCENE, roundoff=2.0**-11)) is None
