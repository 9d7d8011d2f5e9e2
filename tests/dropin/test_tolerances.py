"""An entry is wrong when off by more than atol + rtol·|measured|, in both modes, at every size."""

from __future__ import annotations

import pytest
import torch

from dropin.promises import BOTH, FORWARD, failure, leaf, opening
from planted import planted, points, scaled_sine
from secant.torch import gradcheck, gradgradcheck

MODES = pytest.mark.parametrize("mode", [{}, FORWARD], ids=["reverse", "forward"])


def doubled(place: int, factor: float = 1.0, extra: float = 0.0):
    """Return 2x with one entry of the diagonal times `factor`, and `extra` to the right of it."""

    def pull(saved, v):
        gradient = 2 * v
        gradient[place] = 2 * factor * v[place]
        gradient[place + 1] = gradient[place + 1] + extra * v[place]
        return gradient

    def push(saved, u):
        tangent = 2 * u
        tangent[place] = 2 * factor * u[place] + extra * u[place + 1]
        return tangent

    return planted("Doubled", lambda x: 2 * x, pull, push)


@pytest.mark.thinned(keep=12)
@BOTH
@MODES
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [1, 3, 40, 300])
def test_a_gradient_half_a_tolerance_too_large_passes(size, seed, mode, fast_mode):
    wrong = scaled_sine(1 + 5e-4)
    assert gradcheck(wrong, leaf(size, seed=seed), fast_mode=fast_mode, **mode)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [3_000, 10_000])
def test_it_passes_fast_mode_at_every_size(size, seed):
    assert gradcheck(scaled_sine(1 + 5e-4), leaf(size, seed=seed), fast_mode=True)


@pytest.mark.thinned(keep=6)
@BOTH
@MODES
@pytest.mark.parametrize("size", [1, 3, 40, 300])
def test_the_same_gradient_fails_with_a_smaller_tolerance(size, mode, fast_mode):
    failure(scaled_sine(1 + 5e-4), leaf(size), fast_mode=fast_mode, rtol=1e-5, **mode)


@pytest.mark.thinned(keep=8)
@BOTH
@MODES
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [1, 3, 40, 300])
def test_a_gradient_ten_tolerances_too_large_fails(size, seed, mode, fast_mode):
    failure(scaled_sine(1.01), leaf(size, seed=seed), fast_mode=fast_mode, **mode)


@BOTH
@MODES
@pytest.mark.parametrize("size", [3, 40])
def test_a_larger_rtol_forgives_it(size, mode, fast_mode):
    assert gradcheck(scaled_sine(1.01), leaf(size), fast_mode=fast_mode, rtol=0.02, **mode)
    assert gradcheck(scaled_sine(1.3), leaf(size), fast_mode=fast_mode, rtol=0.5, **mode)


@BOTH
@MODES
@pytest.mark.parametrize("size", [3, 40])
def test_a_larger_atol_forgives_it(size, mode, fast_mode):
    assert gradcheck(scaled_sine(1.01), leaf(size), fast_mode=fast_mode, atol=0.02, **mode)
    assert gradcheck(scaled_sine(1.3), leaf(size), fast_mode=fast_mode, atol=0.5, **mode)


@pytest.mark.parametrize("place", [0, 3_333, 9_998])
def test_one_entry_of_10_000_that_is_a_hundredth_off_fails_fast_mode(place):
    error = failure(doubled(place, 1.01), leaf(10_000), fast_mode=True)
    assert "Jacobian mismatch for output 0 with respect to input 0" in opening(error)
    assert f"[{place}]" in str(error)


@pytest.mark.parametrize("place", [0, 3_333, 9_998])
def test_one_entry_of_10_000_that_is_half_a_tolerance_off_passes_fast_mode(place):
    assert gradcheck(doubled(place, 1 + 5e-4), leaf(10_000), fast_mode=True)


@pytest.mark.thinned(keep=6)
@BOTH
@MODES
@pytest.mark.parametrize("place", [0, 100, 198])
def test_one_entry_of_200_is_judged_alike_in_both_modes(place, mode, fast_mode):
    assert gradcheck(doubled(place, 1 + 5e-4), leaf(200), fast_mode=fast_mode, **mode)
    error = failure(doubled(place, 1.01), leaf(200), fast_mode=fast_mode, **mode)
    assert f"[{place}]" in str(error)


@BOTH
@MODES
def test_an_entry_that_should_be_zero_is_judged_by_atol(mode, fast_mode):
    flags = {"fast_mode": fast_mode, **mode}
    assert gradcheck(doubled(1, extra=5e-6), leaf(6), **flags)
    failure(doubled(1, extra=1e-3), leaf(6), **flags)
    assert gradcheck(doubled(1, extra=1e-3), leaf(6), atol=2e-3, **flags)
    failure(doubled(1, extra=5e-6), leaf(6), atol=1e-7, rtol=1e-7, **flags)


@pytest.mark.parametrize("size", [1_000, 5_000])
def test_atol_does_not_grow_with_the_size(size):
    error = failure(doubled(size // 3, extra=0.02), leaf(size), fast_mode=True)
    assert f"[{size // 3}]" in str(error)
    assert f"[{size // 3 + 1}]" in str(error)


@BOTH
@MODES
@pytest.mark.parametrize("scale", [1e-3, 1e6])
def test_rtol_is_relative_to_the_entry(scale, mode, fast_mode):
    def steep(factor):
        return lambda x: scale * scaled_sine(factor)(x)

    flags = {"fast_mode": fast_mode, "atol": 0.0, **mode}
    assert gradcheck(steep(1 + 5e-4), leaf(5), **flags)
    failure(steep(1.01), leaf(5), **flags)


@BOTH
@MODES
def test_right_derivatives_pass_with_tolerances_of_1e_8(mode, fast_mode):
    strict = {"atol": 1e-8, "rtol": 1e-8, "fast_mode": fast_mode}
    assert gradcheck(torch.sin, leaf(5), **strict, **mode)
    assert gradcheck(lambda x: x.exp().sum(), leaf(2, 3), **strict, **mode)


@BOTH
def test_gradgradcheck_judges_with_the_same_tolerances(fast_mode):
    def second(factor):
        return planted(
            "Second",
            lambda x, v: v * x.cos(),
            lambda saved, w: (-factor * w * saved[1] * saved[0].sin(), w * saved[0].cos()),
        )

    def wrong(factor):
        return planted("Wrong", torch.sin, lambda saved, v: second(factor)(saved[0], v))

    v = (points(5, seed=7) + 0.5).requires_grad_()
    assert gradgradcheck(wrong(1 + 5e-4), leaf(5), v, fast_mode=fast_mode)
    failure(wrong(1.01), leaf(5), v, check=gradgradcheck, fast_mode=fast_mode)
    failure(wrong(1 + 5e-4), leaf(5), v, check=gradgradcheck, fast_mode=fast_mode, rtol=1e-5)
    assert gradgradcheck(wrong(1.01), leaf(5), v, fast_mode=fast_mode, rtol=0.02)
