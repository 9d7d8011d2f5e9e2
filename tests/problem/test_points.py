"""Points of every shape and layout are checked, never refused for how they are stored."""

from __future__ import annotations

import pytest
import torch

import secant
from planted import FLOAT, planted, points

ODD = {
    "0-d": lambda: points(),
    "one entry": lambda: points(1),
    "four dimensions": lambda: points(2, 1, 3, 2),
    "transposed": lambda: points(3, 4).t(),
    "every second": lambda: points(8)[::2],
    "column": lambda: points(4, 3)[:, 1],
    "expanded": lambda: points(1, 3).expand(4, 3),
    "expanded scalar": lambda: points().expand(5),
    "overlapping": lambda: points(6).as_strided((4, 3), (1, 1)),
    "window": lambda: points(6).unfold(0, 3, 1),
    "channels last": lambda: points(2, 3, 2, 2).to(memory_format=torch.channels_last),
    "narrow": lambda: points(9)[3:7],
    "conjugate view": lambda: points(4, dtype=torch.complex128).conj(),
    "imaginary view": lambda: points(4, dtype=torch.complex128).imag,
    "negative view": lambda: points(4, dtype=torch.complex128).conj().imag,
    "permuted": lambda: points(2, 3, 4).permute(2, 0, 1),
}


def wrong_sine():
    return planted("Wrong", torch.sin, lambda saved, v: 1.1 * v * saved[0].cos().conj())


@pytest.mark.parametrize("probe", ["fast", "full"])
@pytest.mark.parametrize("layout", ODD)
def test_points_stored_in_any_way_are_checked(layout, probe):
    report = secant.check(torch.sin, ODD[layout](), probe=probe)
    assert report
    assert report.resolution < 1e-5


@pytest.mark.thinned(keep=12)
@pytest.mark.parametrize("probe", ["fast", "full"])
@pytest.mark.parametrize("layout", ODD)
def test_wrong_gradients_at_points_stored_in_any_way_are_caught(layout, probe):
    report = secant.check(wrong_sine(), ODD[layout](), probe=probe)
    assert report.verdict is secant.Verdict.FAIL


@pytest.mark.parametrize(
    "layout", ["transposed", "every second", "column", "channels last", "permuted", "narrow"]
)
def test_the_function_sees_the_strides_of_the_user(layout):
    x = ODD[layout]()
    strides = set()

    def looking(y):
        strides.add(y.stride())
        return y.sin()

    assert secant.check(looking, x, probe="fast")
    assert strides == {x.stride()}


@pytest.mark.parametrize("probe", ["fast", "full"])
@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 2, 1)])
def test_empty_points_are_checked(shape, probe):
    assert secant.check(torch.sin, torch.zeros(shape, dtype=FLOAT), probe=probe)


@pytest.mark.parametrize("probe", ["fast", "full"])
def test_an_empty_leaf_beside_a_full_one_is_no_obstacle(probe):
    empty = torch.zeros(0, dtype=FLOAT)
    assert secant.check(lambda x, e: torch.cat([x, e]).sin(), points(3), empty, probe=probe)
    wrong = wrong_sine()
    assert not secant.check(lambda x, e: wrong(torch.cat([x, e])), points(3), empty, probe=probe)


@pytest.mark.parametrize("probe", ["fast", "full"])
def test_an_empty_output_is_checked(probe):
    assert secant.check(lambda x: x[:0], points(3), probe=probe)
    assert secant.check(lambda x: (x.sin(), x[:0]), points(3), probe=probe)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.complex128, torch.complex64])
@pytest.mark.parametrize("probe", ["fast", "full"])
def test_every_precise_dtype_is_checked(dtype, probe):
    x = points(2, 3, dtype=dtype)
    assert secant.check(lambda y: (y * y).exp(), x, probe=probe)
    assert secant.check(wrong_sine(), x, probe=probe).verdict is secant.Verdict.FAIL


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("probe", ["fast", "full"])
def test_half_precision_never_blames_a_right_gradient(dtype, probe):
    x = points(5, dtype=dtype)
    for function in (torch.sin, torch.exp, lambda y: y * y, lambda y: y.sum()):
        assert secant.check(function, x, probe=probe).verdict is not secant.Verdict.FAIL


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_catches_a_wrong_sign(dtype):
    x = points(5, dtype=dtype)
    sign = planted("Sign", torch.sin, lambda saved, v: -v * saved[0].cos())
    assert secant.check(sign, x).verdict is secant.Verdict.FAIL


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_leaves_of_mixed_dtypes_are_checked_together(dtype):
    report = secant.check(lambda a, b: a.double() * b, points(3, dtype=dtype), points(3, seed=1))
    assert report


def test_integer_and_boolean_leaves_travel_along():
    def function(x, index, mask):
        return torch.where(mask, x[index], 0.0)

    index, mask = torch.tensor([2, 0, 0]), torch.tensor([True, True, False])
    report = secant.check(function, points(3), index, mask)
    assert report
    assert len([one for one in report.findings if one.kind == "derivative"]) == 1


@pytest.mark.parametrize("size", [1e-8, 1e-3, 1e3, 1e8, 1e15])
def test_points_of_every_size_are_checked(size):
    x = points(5) * size
    assert secant.check(lambda y: y * y, x)
    assert secant.check(lambda y: (y / size).sin(), x)
    wrong = planted("Wrong", lambda y: y * y, lambda saved, v: 2.1 * v * saved[0])
    assert secant.check(wrong, x).verdict is secant.Verdict.FAIL


def test_leaves_of_different_sizes_are_stepped_each_by_its_own():
    assert secant.check(lambda a, b: (a / 1e6).sin() * b.exp(), points(4) * 1e6, points(4))
