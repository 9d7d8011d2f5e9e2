"""Spaces obey the laws of a real inner product space, for every dtype and layout."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from secant._backends.torch.backend import TorchBackend
from secant._spaces.choose import space_of
from secant._spaces.complex import ComplexSpace
from secant._spaces.dense import DenseSpace
from secant._spaces.product import ProductSpace

BACKEND = TorchBackend()
DTYPES = (
    torch.float64,
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.complex128,
    torch.complex64,
)
SHAPES = st.lists(st.integers(0, 3), max_size=3).map(tuple)
LAYOUTS = ("contiguous", "reversed axes", "gaps", "expanded", "conjugate")


def quarters(shape, dtype, seed):
    """Draw multiples of 1/4 up to 2: sums of few of them are exact in every dtype."""
    generator = np.random.default_rng(seed)
    real, imaginary = (torch.as_tensor(generator.integers(-8, 9, shape)) / 4 for _ in range(2))
    if dtype.is_complex:
        return torch.complex(real, imaginary).to(dtype)
    return real.to(dtype)


def laid_out(array, layout):
    """Return an array of the same shape stored in another way."""
    if layout == "reversed axes":
        axes = tuple(reversed(range(array.ndim)))
        return array.permute(axes).contiguous().permute(axes)
    if layout == "gaps":
        return torch.stack([array, array + 1], dim=-1)[..., 0]
    if layout == "expanded" and array.ndim and array.shape[0]:
        return array[:1].expand(array.shape)
    if layout == "conjugate":
        return array.conj()
    return array


@st.composite
def arrays(draw, count=1):
    """Draw arrays of one space."""
    shape, dtype = draw(SHAPES), draw(st.sampled_from(DTYPES))
    seeds = [draw(st.integers(0, 2**16)) for _ in range(count)]
    made = [
        laid_out(quarters(shape, dtype, seed), draw(st.sampled_from(LAYOUTS))) for seed in seeds
    ]
    return made if count > 1 else made[0]


def coordinates(space, array):
    """Return coordinates in NumPy, wherever the backend keeps them."""
    return BACKEND.to_numpy(space.coordinates(array))


@given(arrays(2), st.integers(-2, 2))
def test_coordinates_are_linear(two, factor):
    one, other = two
    space = space_of(BACKEND, one)
    together = coordinates(space, one * factor + other)
    apart = coordinates(space, one) * factor + coordinates(space, other)
    assert np.array_equal(together, apart)


@given(arrays(2))
def test_the_inner_product_is_the_real_one_of_the_framework(two):
    one, other = (array.to(torch.complex128).reshape(-1) for array in two)
    space = space_of(BACKEND, two[0])
    expected = torch.vdot(one, other).real.item()
    assert BACKEND.dot(*(space.coordinates(array) for array in two)) == expected


@given(arrays())
def test_assembling_coordinates_gives_the_array_back(array):
    space = space_of(BACKEND, array)
    again = space.assemble(space.coordinates(array))
    assert again.dtype == array.dtype
    assert again.shape == array.shape
    assert torch.equal(again, array.resolve_conj())


@given(arrays())
def test_coordinates_of_assembled_coordinates_are_the_same(array):
    space = space_of(BACKEND, array)
    vector = coordinates(space, array)
    assert vector.dtype == np.float64
    assert vector.shape == (space.size,)
    again = coordinates(space, space.assemble(space.coordinates(array)))
    assert np.array_equal(again, vector)


@given(arrays())
def test_coordinates_change_nothing_and_carry_no_graph(array):
    before = array.clone()
    space = space_of(BACKEND, array)
    vector = space.coordinates(array.requires_grad_())
    assert not getattr(vector, "requires_grad", False)
    assert torch.equal(array, before)


@given(arrays())
def test_shaped_coordinates_are_the_array_in_numpy(array):
    space = space_of(BACKEND, array)
    shaped = space.shaped(BACKEND.to_numpy(space.coordinates(array)))
    wide = torch.complex128 if array.dtype.is_complex else torch.float64
    assert np.array_equal(shaped, array.to(wide).resolve_conj().numpy())


@given(arrays())
def test_every_coordinate_has_a_label_of_its_own(array):
    space = space_of(BACKEND, array)
    labels = [space.label(index) for index in range(space.size)]
    assert len(set(labels)) == space.size


@given(arrays())
def test_a_label_points_at_its_coordinate(array):
    space = space_of(BACKEND, array)
    vector = space.coordinates(array)
    for index in range(space.size):
        entry = eval("array" + space.label(index), {"array": array})
        assert float(entry) == float(vector[index])


@pytest.mark.parametrize(
    ("shape", "dtype", "index", "label"),
    [
        ((), torch.float64, 0, ""),
        ((4,), torch.float64, 3, "[3]"),
        ((2, 3), torch.float32, 5, "[1, 2]"),
        ((2, 1, 3), torch.float64, 4, "[1, 0, 1]"),
        ((), torch.complex128, 0, ".real"),
        ((), torch.complex128, 1, ".imag"),
        ((2, 3), torch.complex64, 7, "[1, 0].imag"),
    ],
)
def test_labels_are_written_as_the_user_would(shape, dtype, index, label):
    assert space_of(BACKEND, torch.zeros(shape, dtype=dtype)).label(index) == label


def test_the_kind_of_array_decides_the_space():
    assert type(space_of(BACKEND, torch.zeros(2))) is DenseSpace
    assert type(space_of(BACKEND, torch.zeros(2, dtype=torch.complex64))) is ComplexSpace


def test_a_real_gradient_of_a_complex_leaf_has_imaginary_part_zero():
    space = space_of(BACKEND, torch.zeros(2, dtype=torch.complex128))
    assert space.coordinates(torch.tensor([1.0, 2.0])).tolist() == [1.0, 0.0, 2.0, 0.0]


@given(arrays())
def test_conjugating_twice_is_the_identity_and_real_spaces_have_no_conjugate(array):
    space = space_of(BACKEND, array)
    mirrored = space.conjugated(space.coordinates(array))
    if not array.dtype.is_complex:
        assert mirrored is None
        return
    expected = coordinates(space, array.conj().resolve_conj())
    assert np.array_equal(BACKEND.to_numpy(mirrored), expected)
    again = BACKEND.to_numpy(space.conjugated(mirrored))
    assert np.array_equal(again, coordinates(space, array))


def test_a_product_of_spaces_has_the_sum_of_their_sizes_and_joined_labels():
    arrays = [torch.zeros(2, 3), torch.zeros((), dtype=torch.complex128)]
    asked = []

    def paths():
        asked.append(1)
        return ["x", 'y["z"]']

    product = ProductSpace([space_of(BACKEND, array) for array in arrays], paths)
    assert product.size == 8
    assert not asked  # paths cost something and are spelt on demand
    assert product.label(0, 4) == "x[1, 1]"
    assert product.label(1, 1) == 'y["z"].imag'
    assert [vector.shape[0] for vector in product.coordinates(arrays)] == [6, 2]
