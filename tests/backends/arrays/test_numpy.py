"""NumPy's arrays as secant sees them: copies, layouts, numbers, and what is left as it was."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import secant
from secant import Verdict
from secant._backends.arrays.numpy import NumpyBackend

BACKEND = NumpyBackend()
DTYPES = ["f2", "f4", "f8", "g", "c8", "c16", "G", ">f8", ">c16"]


def sine(x, v):
    return np.conj(np.cos(x)) * v


def points(*shape, dtype="f8"):
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=shape)
    if np.dtype(dtype).kind == "c":
        numbers = numbers + 1j * rng.normal(size=shape)
    return np.asarray(numbers).astype(dtype)


LAYOUTS = {
    "contiguous": points(3, 4),
    "Fortran": np.asfortranarray(points(3, 4)),
    "every second": points(6, 8)[::2, ::2],
    "backwards": points(3, 4)[::-1, ::-1],
    "transposed": points(4, 2, 3).T,
    "0-d": points(),
    "one": points(1, 1),
    "empty": points(0, 3),
    "expanded": np.broadcast_to(points(4), (3, 4)),
    "overlapping": np.lib.stride_tricks.sliding_window_view(points(6), 3),
    "a scalar": np.float64(0.3),
    "a matrix": points(3, 4).view(np.matrix),
}


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


# -- verdicts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("probe", ["fast", "full"])
def test_every_floating_and_complex_dtype_is_checked(dtype, probe):
    x = points(5, dtype=dtype)
    right = secant.check(np.sin, x, pull=sine, push=lambda x, u: np.cos(x) * u, probe=probe)
    assert right.verdict is Verdict.PASS, str(right)
    factor = x.dtype.type(1.125)
    wrong = secant.check(np.sin, x, pull=lambda x, v: factor * sine(x, v), probe=probe)
    assert wrong.verdict is Verdict.FAIL, str(wrong)


@pytest.mark.parametrize("x", LAYOUTS.values(), ids=LAYOUTS)
def test_every_layout_is_checked(x):
    def tangent(x, v):
        return np.multiply(np.cos(x), v)

    right = secant.check(np.sin, x, pull=tangent, laws="all")
    assert right.verdict is Verdict.PASS, str(right)
    if x.size:
        wrong = secant.check(np.sin, x, pull=lambda x, v: 1.01 * tangent(x, v))
        assert wrong.verdict is Verdict.FAIL, str(wrong)


def test_a_read_only_array_is_checked_and_its_function_may_write():
    x = read_only(points(4))

    def clipped(x):
        x[x < 0] = 0
        return x

    assert secant.check(np.sin, x, pull=sine)
    report = secant.check(clipped, x, pull=lambda x, v: (x > 0) * v)
    assert {one.kind for one in report.findings if one.verdict is Verdict.FAIL} == {"mutation"}


def test_masked_arrays_are_refused():
    with pytest.raises(secant.InputError, match="x has layout MaskedArray"):
        secant.check(np.sin, np.ma.array([1.0, 2.0], mask=[0, 1]), pull=sine)


def test_a_function_that_answers_into_one_buffer_is_checked():
    buffer = np.empty(4)
    pulled = np.empty(4)

    def pull(x, v):
        return np.multiply(np.cos(x), v, out=pulled)

    report = secant.check(lambda x: np.sin(x, out=buffer), points(4), pull=pull)
    assert report.verdict is Verdict.PASS, str(report)


def test_leaves_that_are_not_inexact_are_left_alone():
    index = np.array([2, 0, 2])
    report = secant.check(
        lambda x, index, names: x[index] ** 2,
        points(3),
        index,
        np.array(["a", "b"], dtype=object),
        pull=lambda x, index, names, v: np.bincount(index, 2 * x[index] * v, 3),
    )
    assert report.verdict is Verdict.PASS, str(report)


# -- state ---------------------------------------------------------------------------------------


def test_the_global_generator_is_rewound_and_restored():
    np.random.seed(7)  # noqa: NPY002 it is what is tested
    before = np.random.get_state()[1].copy()  # noqa: NPY002

    def noisy(x):
        return x * np.random.rand(*x.shape)  # noqa: NPY002

    report = secant.check(noisy, points(4), pull=lambda x, v: np.random.rand(*x.shape) * v)  # noqa: NPY002
    assert report.verdict is Verdict.PASS, str(report)
    assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    with pytest.raises(secant.FunctionRaised):
        secant.check(lambda x: 1 / 0 * np.random.rand(), points(4), pull=sine)  # noqa: NPY002
    assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_a_generator_that_is_passed_is_copied_for_each_call(make):
    generator, twin = make(3), make(3)

    def noisy(x, generator):
        return x * generator.normal(size=x.shape)

    def pull(x, generator, v):
        return generator.normal(size=x.shape) * v

    for probe in ("fast", "full"):
        report = secant.check(noisy, points(4), generator, pull=pull, probe=probe)
        assert report.verdict is Verdict.PASS, str(report)
    assert generator.normal() == twin.normal()


def test_no_input_is_touched():
    x, y = points(3, 4), points(4)
    kept = x.copy(), y.copy()

    def rude(x, y):
        x *= 2
        y += 1
        return x @ y

    def rude_pull(x, y, v):
        x *= 2
        y += 1
        v *= 3
        return v[:, None] * y, x.T @ v

    secant.check(rude, x, y, pull=rude_pull)
    assert np.array_equal(x, kept[0])
    assert np.array_equal(y, kept[1])


def test_errors_of_numpy_are_as_they_were():
    with np.errstate(divide="raise"):
        secant.check(np.sin, points(3), pull=lambda x, v: np.cos(x) * v)
        assert np.geterr()["divide"] == "raise"


# -- the backend itself --------------------------------------------------------------------------


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_copy_has_the_same_strides_and_memory_of_its_own(name):
    x = LAYOUTS[name]
    copied = BACKEND.copy(x)
    assert np.array_equal(copied, x)
    assert type(copied) is type(x)
    if isinstance(x, np.ndarray):
        assert not np.shares_memory(copied, x)
        assert copied.flags.writeable
        is_shared = name in ("expanded", "overlapping")  # entries that others are written into
        assert (copied.strides == x.strides) is not is_shared


@settings(max_examples=60)
@given(
    arrays.arrays(
        st.sampled_from([np.dtype(d) for d in ("f2", "f4", "f8", "c8", "c16")]),
        arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
        elements={"allow_nan": False, "allow_infinity": False},
    )
)
def test_arrays_become_coordinates_and_come_back(x):
    vector = BACKEND.flatten(BACKEND.as_real(x) if BACKEND.is_complex(x) else x)
    back = BACKEND.unflatten(vector, x)
    assert vector.dtype == np.float64
    assert back.dtype == x.dtype
    assert np.array_equal(back, x)


@settings(max_examples=60)
@given(st.integers(1, 2000), st.data())
def test_a_write_changes_the_stamp(size, data):
    x = np.arange(float(size)) + 1
    before = BACKEND.stamp(x)
    place = data.draw(st.integers(0, size - 1))
    assert BACKEND.stamp(x.copy()) == before
    x[place] = -x[place]
    assert BACKEND.stamp(x) != before


def test_an_array_that_is_only_rearranged_changes_its_stamp():
    x = np.random.default_rng(0).normal(size=10_000)
    before = BACKEND.stamp(x)
    x.sort()
    assert BACKEND.stamp(x) != before


@pytest.mark.parametrize("x", [points(3, 4), points(2, 3, 2), points(5), points()], ids=np.shape)
def test_scattered_and_expanded_arrays_hold_the_same_entries_stored_otherwise(x):
    scattered, expanded = BACKEND.scattered(x), BACKEND.expanded(x)
    assert np.array_equal(scattered, x)
    assert np.array_equal(expanded, np.full(x.shape, x.reshape(-1)[0]))
    assert x.ndim == 0 or (not scattered.flags.c_contiguous and set(expanded.strides) == {0})


def test_spacings_are_ulps():
    x = np.array([1.0, -3.0, 0.0, 1e-30, 1e30])
    expected = np.spacing(np.abs(x).astype(np.float32)).astype(np.float64)
    assert BACKEND.spacing(x[[0, 1, 3, 4]], x.astype("f4")) == pytest.approx(expected[[0, 1, 3, 4]])
