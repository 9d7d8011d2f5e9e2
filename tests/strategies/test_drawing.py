"""What is drawn: arrays of each framework, in the shapes, dtypes and layouts asked for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from secant import InputError, strategies
from secant.strategies import broadcasts, numbers, shapes, tensors

STEADY = settings(database=None, max_examples=300)  # and as all tests are set up
FIRST = settings(STEADY, phases=(Phase.generate,))  # whatever comes first: nothing is shrunk
WIDE = ("float64", "float32", "float16", "complex128", "complex64")


def strides(array):
    """Return an array's strides in entries."""
    if isinstance(array, np.ndarray):
        return tuple(stride // array.itemsize for stride in array.strides)
    return array.stride()


def one(strategy, condition=lambda drawn: True):
    return find(strategy, condition, settings=FIRST)


def simplest(strategy, condition):
    return find(strategy, condition, settings=STEADY)


@pytest.fixture(params=["numpy", "torch"])
def framework(request):
    pytest.importorskip(request.param)
    return request.param


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        ("contiguous", (6, 2, 1)),
        ("transposed", (1, 4, 12)),
        ("sliced", (12, 4, 2)),
        ("expanded", (0, 2, 1)),
    ],
)
def test_a_layout_lies_in_memory_as_its_name_says(framework, layout, expected):
    drawn = one(tensors(framework, shape=(4, 3, 2), layout=layout))
    assert (tuple(drawn.shape), strides(drawn)) == ((4, 3, 2), expected)


def test_every_layout_is_drawn_unless_told_otherwise(framework):
    seen = set()

    @settings(STEADY, max_examples=200)
    @given(tensors(framework, shape=(2, 2)))
    def look(x):
        seen.add(strides(x))

    look()
    assert seen == {(2, 1), (1, 2), (4, 2), (0, 1)}


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (0, 3), (1, 3, 1)])
def test_a_shape_without_room_for_a_layout_is_drawn_all_the_same(framework, shape):
    for layout in ("transposed", "sliced", "expanded"):
        assert tuple(one(tensors(framework, shape=shape, layout=layout)).shape) == shape


def test_entries_are_those_drawn_whatever_the_layout(framework):
    counted = st.integers(1, 1000).map(float)
    for layout in ("contiguous", "transposed", "sliced"):
        drawn = simplest(
            tensors(framework, shape=(2, 3), layout=layout, elements=counted),
            lambda x: len(set(np.asarray(x).ravel().tolist())) == 6,
        )
        assert sorted(np.asarray(drawn).ravel().tolist()) == [1, 2, 3, 4, 5, 6]
    expanded = one(tensors(framework, shape=(2, 3), layout="expanded"))
    assert np.array_equal(np.asarray(expanded)[0], np.asarray(expanded)[1])


@pytest.mark.parametrize("dtype", [*WIDE, "bfloat16"])
def test_torchs_dtypes_go_by_name_or_as_they_are(dtype):
    torch = pytest.importorskip("torch")
    wanted = getattr(torch, dtype)
    assert one(tensors("torch", dtype=dtype)).dtype == wanted
    assert one(tensors("torch", dtype=wanted)).dtype == wanted


@pytest.mark.parametrize("dtype", WIDE)
def test_numpys_dtypes_go_by_name_or_as_they_are(dtype):
    for spelling in (dtype, np.dtype(dtype), getattr(np, dtype), st.just(dtype)):
        assert one(tensors("numpy", dtype=spelling)).dtype == dtype


def test_complex_numbers_have_both_parts():
    drawn = simplest(tensors("numpy", dtype="complex128"), lambda x: bool((x.real * x.imag).any()))
    assert drawn.tolist() == 0.75 + 0.75j


def test_jaxs_arrays_are_drawn_as_wide_as_it_is_set_up():
    jax = pytest.importorskip("jax")
    narrow = "float64" if jax.config.read("jax_enable_x64") else "float32"
    drawn = simplest(tensors("jax", shape=(2,)), lambda x: bool((x > 0).any()))
    assert (str(drawn.dtype), drawn.tolist()) == (narrow, [0.75, 0.25])
    assert str(one(tensors("jax", dtype="bfloat16")).dtype) == "bfloat16"
    assert str(one(tensors("jax", dtype=jax.numpy.float32)).dtype) == "float32"
    with jax.enable_x64(True):
        assert str(one(tensors("jax")).dtype) == "float64"
    with jax.enable_x64(False), pytest.raises(InputError) as caught:
        one(tensors("jax", dtype="float64"))
    assert str(caught.value) == (
        "expected jax_enable_x64 to be on, to draw arrays of float64; "
        'write jax.config.update("jax_enable_x64", True) before'
    )


@settings(STEADY, max_examples=100)
@given(broadcasts("numpy", 3, shape=shapes(max_side=3)))
def test_what_broadcasts_does(arrays):
    assert len(arrays) == 3
    assert len({array.dtype for array in arrays}) == 1
    np.broadcast_shapes(*(array.shape for array in arrays))


def test_broadcasts_are_drawn_with_ones_and_without_leading_axes():
    def differ(pair):
        x, y = pair
        return x.ndim == 2 and x.shape[0] == 1 and y.shape == (2, 2)

    x, y = simplest(broadcasts("numpy", shape=(2, 2)), differ)
    assert x.shape in ((1, 1), (1, 2))
    x, y = one(broadcasts("numpy", shape=(2, 2)), lambda pair: pair[0].ndim < pair[1].ndim)
    assert x.ndim < y.ndim


@settings(STEADY, max_examples=300)
@given(shapes(1, 2, min_side=0, max_side=3), numbers(-1, 3), numbers(0.5, 1, edges="large"))
def test_shapes_and_numbers_keep_to_their_bounds(shape, number, positive):
    assert 1 <= len(shape) <= 2
    assert all(0 <= side <= 3 for side in shape)
    assert -1 <= number <= 3
    assert 0.5 <= positive <= 1 or positive in (1e2, 1e3, 1e4)


def test_ties_and_zeros_are_frequent():
    drawn = []

    @settings(STEADY, max_examples=100)
    @given(tensors("numpy", shape=(4,), layout="contiguous"))
    def look(x):
        drawn.append(x)

    look()
    assert sum(len(set(x.tolist())) < 4 for x in drawn) > 20  # of 100; uniform ones never tie
    assert sum(0 in x for x in drawn) > 20
    assert sum(len(set(x.tolist())) == 4 for x in drawn) > 5


def test_an_array_that_is_not_contiguous_says_so_beside_the_failure():
    @settings(STEADY, print_blob=False)
    @given(tensors("numpy", layout=["contiguous", "sliced"]))
    def fuzz(x):
        assert x.flags.c_contiguous

    with pytest.raises(AssertionError) as caught:
        fuzz()
    assert "an array of shape (2,) is sliced" in caught.value.__notes__


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: tensors("tensorflow"),
            "expected `framework` to be one of torch, jax, numpy; got 'tensorflow'",
        ),
        (
            lambda: tensors("numpy", dtype="bfloat16"),
            "expected `dtype` to be one of float64, float32, float16, complex128, complex64; "
            "got 'bfloat16'",
        ),
        (
            lambda: tensors("numpy", dtype=[]),
            "expected `dtype` to be at least one of float64, float32, float16, complex128, "
            "complex64; got []",
        ),
        (
            lambda: tensors("numpy", layout="diagonal"),
            "expected `layout` to be names from contiguous, transposed, sliced, expanded, or None; "
            "got 'diagonal'",
        ),
        (
            lambda: tensors("numpy", shape=(2, -1)),
            "expected `shape` to be whole numbers of at least 0, a strategy of them, or None; "
            "got (2, -1)",
        ),
        (
            lambda: tensors("numpy", elements=3.0),
            "expected `elements` to be a strategy of numbers, or None; got 3.0",
        ),
        (
            lambda: broadcasts("numpy", 0),
            "expected `count` to be a whole number from 1 to 32; got 0",
        ),
        (
            lambda: shapes(min_dims=-1),
            "expected `min_dims` to be a whole number of at least 0; got -1",
        ),
        (
            lambda: shapes(2, 1),
            "expected `max_dims` to be a whole number of at least 2; got 1",
        ),
        (
            lambda: shapes(min_side=5),
            "expected `max_side` to be a whole number of at least 5; got 4",
        ),
        (lambda: numbers(2, 1), "expected `high` to be at least low, which is 2; got 1"),
        (lambda: numbers(float("nan")), "expected `low` to be a finite number; got nan"),
        (
            lambda: numbers(edges="huge"),
            "expected `edges` to be names from tiny, large; got 'huge'",
        ),
    ],
)
def test_a_bad_argument_is_refused_where_it_is_written(make, words):
    with pytest.raises(InputError) as caught:
        make()
    assert str(caught.value) == words


def test_jax_has_one_layout():
    pytest.importorskip("jax")
    with pytest.raises(InputError, match="names from contiguous, or None; got 'sliced'"):
        tensors("jax", layout="sliced")


def test_the_public_table_equals_the_namespace():
    names = {name for name in vars(strategies) if not name.startswith("_")} - {"annotations"}
    assert names == set(strategies.__all__)
