"""The parts of a comparison by themselves: ulps, holes, places, causes, neighbours."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from compare.kernels import normal
from secant._backends.process.restoration import random_states
from secant._backends.torch.backend import TorchBackend
from secant._compare.cause import likely_cause, region
from secant._compare.errors import UlpScale
from secant._compare.holes import filled, find_holes
from secant._compare.neighbours import NEIGHBOURS, neighbours, shaken
from secant._compare.side import Side
from secant._problem.trees import Arguments
from secant._spaces.choose import space_of
from secant._words.reason import said

BACKEND = TorchBackend()
DTYPES = (torch.bfloat16, torch.float16, torch.float32)


# -- ulps ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@given(exponent=st.integers(-14, 14), mantissa=st.floats(1.0, 1.99))
def test_an_ulp_is_the_step_to_the_next_number(dtype, exponent, mantissa):
    one = torch.tensor([mantissa * 2.0**exponent]).to(dtype)
    following = torch.nextafter(one, torch.full_like(one, math.inf))
    expected = (following.double() - one.double()).numpy()
    assert BACKEND.spacing(one.double().numpy(), one) == pytest.approx(expected)


def test_the_smallest_ulp_is_that_of_subnormal_numbers():
    tiny = torch.zeros(1, dtype=torch.float16)
    assert BACKEND.spacing(np.array([0.0, 1e-12]), tiny) == pytest.approx(2.0**-24)


@pytest.mark.parametrize("dtype", [torch.complex64, torch.float32])
def test_complex_numbers_have_the_ulps_of_their_parts(dtype):
    assert BACKEND.spacing(np.array([1.5]), torch.zeros(1, dtype=dtype)) == 2.0**-23


def ruler(truth: torch.Tensor, dtype: torch.dtype) -> UlpScale:
    space = space_of(BACKEND, truth.to(dtype))
    return UlpScale(space, truth.double().flatten().numpy())


def test_errors_are_counted_in_ulps_of_the_truth():
    one = ruler(torch.tensor([1.0, 4.0, 2.0]), torch.bfloat16)
    error = one.error(np.array([1.0, 4.0 + 3 * 2.0**-5, 2.0]))
    assert (error.ulps, error.place) == (3.0, 1)
    assert error.square == (3 * 2.0**-5) ** 2


def test_an_entry_near_zero_has_the_ulp_of_the_typical_size():
    one = ruler(torch.tensor([1e-8, 1.0, -1.0, 1.0]), torch.bfloat16)
    assert one.ulps.tolist() == [2.0**-8, 2.0**-7, 2.0**-7, 2.0**-7]


def test_a_rounded_truth_is_half_an_ulp_away_at_most():
    truth = normal(1000, seed=3).double()
    one = ruler(truth, torch.bfloat16)
    error = one.error(truth.bfloat16().double().numpy())
    assert error.ulps == pytest.approx(0.5, abs=0.01)
    assert error.square < one.square_of_rounding


# -- holes -----------------------------------------------------------------------------------------


def holes(kernel, truth, yardstick=None):
    vectors = [None if one is None else np.array(one) for one in (kernel, truth, yardstick)]
    return find_holes(space_of(BACKEND, torch.zeros(3, dtype=torch.float16)), *vectors)


def test_finite_arrays_have_no_holes():
    assert holes([1, 2, 3], [1, 2, 4]) is None


def test_a_hole_in_the_kernel_alone_is_its_fault():
    found = holes([1, math.nan, math.inf], [1, 2, 3], [1, 2, 3])
    assert (found.broken.count, found.broken.place) == (2, 1)
    assert found.unknown is None


@pytest.mark.parametrize(
    ("kernel", "truth", "yardstick"),
    [
        ([1, math.inf, 3], [1, 2, 3], [1, math.inf, 3]),
        ([1, 2, 3], [1, math.nan, 3], [1, math.nan, 3]),
        ([1, -math.inf, 3], [1, math.inf, 3], None),
        ([1, 2, 3], [1, 1e6, math.inf], None),
    ],
)
def test_what_cannot_be_told_is_not_the_kernels_fault(kernel, truth, yardstick):
    found = holes(kernel, truth, yardstick)
    assert found.broken is None
    assert found.unknown.count >= 1


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 1e6])
def test_the_same_hole_is_equal_and_an_overflow_is_one(value):
    inside = math.inf if value == 1e6 else value
    found = holes([1, inside, 3], [1, value, 3])
    assert found.broken is None
    assert found.unknown is None


def test_holes_take_no_part_in_errors():
    kernel, truth = np.array([1.0, math.nan, 3.0, 4.0]), np.array([1.0, 2.0, math.inf, 4.0])
    yardstick = np.array([1.5, 2.0, 3.0, math.nan])
    whole = filled(BACKEND, kernel, truth, yardstick)
    assert whole.kernel.tolist() == [1, 0, 0, 4]
    assert whole.truth.tolist() == [1, 0, 0, 4]
    assert whole.yardstick.tolist() == [1.5, 0, 0, 4]
    assert whole.is_yardstick_holed


# -- places ----------------------------------------------------------------------------------------


def mask(shape, *places):
    wrong = np.zeros(shape, bool)
    for place in places:
        wrong[place] = True
    return wrong


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (mask((8, 8), np.s_[:, 7]), "all at index 7 of dimension 1 (the last column)"),
        (mask((8, 8), np.s_[2, :]), "all at index 2 of dimension 0 (row 2)"),
        (mask((8, 8), np.s_[:, 5:]), "all at index ≥ 5 of dimension 1"),
        (mask((8, 8), np.s_[:3, :]), "all at index < 3 of dimension 0"),
        (mask((8, 8), np.s_[2:5, :]), "all at indices 2 to 4 of dimension 0"),
        (
            mask((8, 8), np.s_[6:, 6:]),
            "all at index ≥ 6 of dimension 0, index ≥ 6 of dimension 1",
        ),
        (np.eye(8, k=1, dtype=bool), "all at the diagonal next above the main one"),
        (mask((8, 8), (3, 4)), None),
        (mask((8, 8), np.s_[1:, :]), "all at index ≥ 1 of dimension 0"),
        (mask((8, 8), (0, 1), (5, 2)), None),
        (mask((8, 8), np.s_[:, :]), None),
        (mask((4,), np.s_[2:]), "all at index ≥ 2"),
    ],
)
def test_wrong_entries_are_placed_if_they_lie_together(wrong, words):
    found = region(wrong)
    assert (found and said(found, "place")) == words


# -- causes ----------------------------------------------------------------------------------------

TRUTH = normal(5, 7, seed=9).double().numpy()
SQUARE = normal(6, 6, seed=9).double().numpy()


@pytest.mark.parametrize(
    ("kernel", "truth", "words"),
    [
        (0 * TRUTH, TRUTH, "kernel = 0 everywhere: the dependence is cut, or nothing was written"),
        (-TRUTH, TRUTH, "kernel = −1 × truth: the sign is wrong"),
        (TRUTH / 7, TRUTH, "kernel = 0.143 × truth: a constant factor is wrong"),
        (1.004 * TRUTH, TRUTH, "kernel = 1.004 × truth: a constant factor is wrong"),
        (SQUARE.T, SQUARE, "the kernel is the transpose of the truth in the last two dimensions"),
        (TRUTH[:, ::-1], TRUTH, "the kernel is reversed along dimension 1"),
        (np.conj(SQUARE + 1j), SQUARE + 1j, "the kernel is the conjugate of the truth"),
        (TRUTH, TRUTH, None),
        (np.roll(TRUTH, 1), TRUTH, None),
        (np.array([2.0]), np.array([1.0]), None),
    ],
)
def test_a_cause_is_named_if_it_explains_everything(kernel, truth, words):
    noise = 1e-4 * np.random.default_rng(0).standard_normal(truth.shape)
    bound = 1e-3 * float(np.linalg.norm(truth))
    blurred = kernel + noise if kernel.any() else kernel
    cause = likely_cause(blurred, truth, bound)
    assert (cause and said(cause, "why")) == words


# -- neighbours ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_neighbours_are_near_and_keep_signs_zeros_and_bounds(dtype):
    x = normal(50, seed=2).to(dtype).requires_grad_()
    with torch.no_grad():
        x[:3] = 0
    ulp = float(torch.finfo(dtype).eps)
    found = [near[0] for near in neighbours(BACKEND, [x, 3], [0], np.random.default_rng(0))]
    assert len(found) == NEIGHBOURS
    assert len({tuple(near.tolist()) for near in found}) == NEIGHBOURS
    for near in found:
        assert near.dtype is dtype
        assert (near.sign() == x.sign()).all()
        ratio = (near / x)[3:].double()
        assert (ratio <= 1).all()
        assert (ratio >= 1 - 13 * ulp).all()


def test_shaking_moves_every_entry_by_less_than_a_rounding_of_float32():
    x = normal(50, seed=2).double()
    side = Side(torch.sin, Arguments([x], {}), BACKEND, [0], random_states(BACKEND))
    (moved,) = shaken([x], side, np.random.default_rng(0))
    relative = (moved / x - 1).abs()
    assert (relative < 2.0**-24).all()
    assert relative.max() > 2.0**-25
