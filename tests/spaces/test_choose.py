"""Spaces of ordinary small arrays are kept by their kind, and hold nobody's numbers."""

from __future__ import annotations

import pytest
import torch

from secant._backends.torch.backend import TorchBackend
from secant._backends.torch.versions.uncast import uncasting
from secant._spaces import choose
from secant._spaces.choose import space_of

BACKEND = TorchBackend()


def numbers(*shape, dtype=torch.float64):
    return (
        torch.arange(1.0, 1 + torch.Size(shape).numel(), dtype=torch.float64)
        .reshape(shape)
        .to(dtype)
    )


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.complex128], ids=str)
def test_arrays_of_a_kind_have_one_space_which_holds_none_of_them(dtype):
    one, other = numbers(3, 4, dtype=dtype), numbers(3, 4, dtype=dtype) * 2
    space = space_of(BACKEND, one)
    assert space_of(BACKEND, other) is space
    assert not space.reference.any()


@pytest.mark.parametrize(
    "array",
    [numbers(4, 3).T, numbers(12), numbers(3, 4, dtype=torch.float32), numbers(1).expand(3, 4)],
    ids=["transposed", "flat", "single", "expanded"],
)
def test_arrays_of_another_kind_have_a_space_of_their_own(array):
    space = space_of(BACKEND, array)
    assert space is not space_of(BACKEND, numbers(3, 4))
    made = space.value(space.coordinates(array))
    assert made.dtype is array.dtype
    assert torch.equal(made, array)
    if array.stride() != (0, 0):
        assert made.stride() == array.stride()


def test_the_space_of_a_large_array_is_not_kept():
    large = numbers(1 << 11)
    assert space_of(BACKEND, large) is not space_of(BACKEND, large)


def test_labels_of_all_coordinates_are_the_labels_of_each():
    for array in (numbers(2, 3), numbers(2, dtype=torch.complex128), numbers(1)[0]):
        space = space_of(BACKEND, array)
        assert list(space.labels()) == [space.label(k) for k in range(space.size)]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32], ids=str)
def test_no_space_is_kept_that_was_made_while_casts_are_left_out(dtype, monkeypatch):
    monkeypatch.setattr(choose, "_known", {})
    array = numbers(5, dtype=dtype)
    with uncasting():
        assert space_of(BACKEND, array).signature.dtype is dtype
    assert space_of(BACKEND, array).signature.dtype is dtype
