"""Hold every derivative of `known.py` against an independent one.

Functions of each entry by itself: mpmath differentiates its own version of the function, and
torch's version takes the same values. (Autodiff is no judge of these: torch's float64 gradient of
digamma is off by 5e-10.) Functions that mix entries: torch's float64 Jacobian.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import torch

from known import LIBRARY, Known, combinations
from known_functions import scales
from known_functions.base import ALL, ENTRIES, Array

SEED = 20240607
Number = Callable[[Any], Any]

ENTRYWISE = tuple(known for known in LIBRARY if known.shapes == ENTRIES)
CASES = tuple(combinations(SEED, points=1))
MIXING = tuple(known for known in LIBRARY if known.shapes != ENTRIES)


def logistic_iterates(x: Any) -> Any:
    """Three steps of the logistic map."""
    for _ in range(3):
        x = mp.mpf("3.5") * x * (1 - x)
    return x


def gelu_tanh(x: Any) -> Any:
    """The approximation of gelu, with torch's constant."""
    return x / 2 * (1 + mp.tanh(mp.sqrt(2 / mp.pi) * (x + 0.044715 * x**3)))


def clip(x: Any, low: float, high: float) -> Any:
    """x, limited to [low, high]."""
    return min(max(x, mp.mpf(low)), mp.mpf(high))


# The same functions, written again for mpmath; offsets and scales are in `AT_SCALES`.
WRITTEN_AGAIN: dict[str, Number] = {
    "sin": mp.sin,
    "cos": mp.cos,
    "tan": mp.tan,
    "asin": mp.asin,
    "acos": mp.acos,
    "atan": mp.atan,
    "sinh": mp.sinh,
    "cosh": mp.cosh,
    "tanh": mp.tanh,
    "asinh": mp.asinh,
    "acosh": mp.acosh,
    "atanh": mp.atanh,
    "sinc": mp.sincpi,
    "exp": mp.exp,
    "exp2": lambda x: mp.mpf(2) ** x,
    "expm1": mp.expm1,
    "log": mp.log,
    "log2": lambda x: mp.log(x, 2),
    "log10": mp.log10,
    "log1p": mp.log1p,
    "sqrt": mp.sqrt,
    "rsqrt": lambda x: 1 / mp.sqrt(x),
    "reciprocal": lambda x: 1 / x,
    "x²": lambda x: x**2,
    "x³": lambda x: x**3,
    "x⁵": lambda x: x**5,
    "x^1.5": lambda x: x**1.5,
    "x^0.25": lambda x: x**0.25,
    "x^-1.5": lambda x: x**-1.5,
    "x^-2": lambda x: x**-2,
    "x^x": lambda x: x**x,
    "cube root": mp.cbrt,
    "sigmoid": lambda x: 1 / (1 + mp.exp(-x)),
    "softplus": lambda x: mp.log(1 + mp.exp(x)),
    "logsigmoid": lambda x: -mp.log(1 + mp.exp(-x)),
    "softsign": lambda x: x / (1 + abs(x)),
    "silu": lambda x: x / (1 + mp.exp(-x)),
    "gelu": lambda x: x * mp.ncdf(x),
    "gelu tanh": gelu_tanh,
    "mish": lambda x: x * mp.tanh(mp.log(1 + mp.exp(x))),
    "tanhshrink": lambda x: x - mp.tanh(x),
    "logit": lambda x: mp.log(x / (1 - x)),
    "erf": mp.erf,
    "erfc": mp.erfc,
    "erfinv": mp.erfinv,
    "ndtr": mp.ncdf,
    "log_ndtr": lambda x: mp.log(mp.ncdf(x)),
    "lgamma": mp.loggamma,
    "digamma": mp.digamma,
    "i0": lambda x: mp.besseli(0, x),
    "entropy": lambda x: -x * mp.log(x),
    "exp(-x²)": lambda x: mp.exp(-x * x),
    "1/(1+x²)": lambda x: 1 / (1 + x * x),
    "√(1+x²)": lambda x: mp.sqrt(1 + x * x),
    "sin(exp(x))": lambda x: mp.sin(mp.exp(x)),
    "x·sin(1/x)": lambda x: x * mp.sin(1 / x),
    "exp(-1/x)": lambda x: mp.exp(-1 / x),
    "cos(x²)": lambda x: mp.cos(x * x),
    "sin(x)·exp(-x)": lambda x: mp.sin(x) * mp.exp(-x),
    "log(1+exp(sin x))": lambda x: mp.log(1 + mp.exp(mp.sin(x))),
    "x⁻¹² - x⁻⁶": lambda x: x**-12 - x**-6,
    "16x⁵ - 20x³ + 5x": lambda x: mp.chebyt(5, x),
    "logistic iterates": logistic_iterates,
    "sin(10x)": lambda x: mp.sin(10 * x),
    "sin(100x)": lambda x: mp.sin(100 * x),
    "sin(100x) far": lambda x: mp.sin(100 * x),
    "tanh(50x)": lambda x: mp.tanh(50 * x),
    "tanh(50x) saturated": lambda x: mp.tanh(50 * x),
    "log across scales": mp.log,
    "relu": lambda x: max(x, mp.mpf(0)),
    "abs": abs,
    "leaky_relu": lambda x: max(x, x / 8),
    "elu": lambda x: x if x > 0 else mp.expm1(x),
    "clamp": lambda x: clip(x, -1, 1),
    "relu6": lambda x: clip(4 * x, 0, 6),
    "softshrink": lambda x: x - clip(x, -1, 1),
    "hardshrink": lambda x: x if abs(x) > 1 else mp.mpf(0),
    "smooth_l1": lambda x: x * x / 2 if abs(x) < 1 else abs(x) - 0.5,
    "hinge": lambda x: x * x if x > 0 else -x / 4,
    "maximum": lambda x: max(x, mp.sin(x)),
    "floor": lambda x: mp.floor(x / 2),
    "|x|³": lambda x: abs(x) ** 3,
}

AT_SCALES: dict[str, Number] = {
    "sqrt across scales": mp.sqrt,
    "3": lambda x: mp.mpf(3),
    "0·x": lambda x: 0 * x,
    "x-x+1e4": lambda x: x - x + 10000,
    "sign": mp.sign,
    "1e6+sin(x)": lambda x: 1000000 + mp.sin(x),
    "1e6+x²": lambda x: 1000000 + x * x,
    "1000+sin(x)": lambda x: 1000 + mp.sin(x),
    "100-exp(x)": lambda x: 100 - mp.exp(x),
    "32768·sin(x)": lambda x: 32768 * mp.sin(x),
    "sin(x)/1024": lambda x: mp.sin(x) / 1024,
    "x": lambda x: x,
    "sin(x/65536)": lambda x: mp.sin(x / 65536),
    "tanh(1048576x)": lambda x: mp.tanh(1048576 * x),
    "sin(x)+16-16": mp.sin,
    "sin(x)+4096-4096": mp.sin,
}


def written_again(known: Known) -> Number:
    """The function in mpmath: `tiny: sin in float16` is `sin`, as in the table."""
    name = known.name.split(": ")[-1]
    for ending in (" in float16", " in float32", " in bfloat16"):
        name = name.removesuffix(ending)
    return (WRITTEN_AGAIN | AT_SCALES)[name]


def slope_agrees(known: Known, x: Array) -> bool:
    """Whether the slope is f'(x) at every point, to 1e-14 of |f'(x)| + |x f''(x)|.

    The second term is what rounding x once would do to the slope; it may not exceed 1e-10 f'(x).
    """
    slopes = known.derivative(x, np.ones_like(x))
    function = written_again(known)
    with mp.workdps(100):  # tanh(50) differs from 1 by 1e-43
        for point, slope in zip(map(mp.mpf, x.tolist()), slopes.tolist(), strict=True):
            truth = mp.diff(function, point)
            rounding = 1e-14 * (abs(truth) + abs(point * mp.diff(function, point, 2)))
            if abs(slope - truth) > min(rounding, 1e-10 * abs(truth)):
                return False
    return True


def jacobian_agrees(known: Known, x: Array, u: Array) -> bool:
    """Whether J u is torch's, to 1e-12 of Σ |J u|, the size of the terms, in every entry."""
    jacobian = torch.func.jacrev(known.function)(torch.from_numpy(x)).numpy()
    matrix = jacobian.reshape(-1, x.size)  # (outputs, inputs)
    error = known.derivative(x, u).reshape(-1) - matrix @ u.reshape(-1)
    scale = np.abs(matrix) @ np.abs(u.reshape(-1))
    return bool(np.all(np.abs(error) <= 1e-12 * scale))


def off_by(known: Known, factor: float) -> Known:
    """The same function, with a derivative that is wrong by a factor."""
    return replace(known, derivative=lambda x, u: factor * known.derivative(x, u))


def named(known: Known) -> str:
    """How pytest calls the test of this function."""
    return known.name


@pytest.mark.thinned(keep=40)
@pytest.mark.parametrize("known", ENTRYWISE, ids=named)
def test_slope_is_the_one_mpmath_finds(known: Known) -> None:
    assert slope_agrees(known, known.sample(np.random.default_rng(SEED), (20,)))


@pytest.mark.parametrize("known", ENTRYWISE, ids=named)
def test_torch_and_mpmath_compute_the_same_function(known: Known) -> None:
    x = known.sample(np.random.default_rng(SEED), (20,))
    values = known.function(torch.from_numpy(x)).numpy()
    expected = np.array([float(written_again(known)(mp.mpf(point))) for point in x.tolist()])
    scale = np.abs(expected) + np.abs(known.derivative(x, x))
    tolerance = 1e-2 if known.family == "hidden" else 4e-15
    assert np.all(np.abs(values - expected) <= tolerance * scale)


@pytest.mark.thinned(keep=20)
@pytest.mark.parametrize("known", MIXING, ids=named)
def test_derivative_is_the_one_torch_finds_in_float64(known: Known) -> None:
    generator = np.random.default_rng(SEED)
    for shape in known.shapes:
        x = known.sample(generator, shape)
        assert jacobian_agrees(known, x, generator.normal(size=shape)), shape


def test_comparisons_catch_a_derivative_off_by_a_few_parts_in_1e10() -> None:
    generator = np.random.default_rng(SEED)
    for known in LIBRARY:
        wrong = off_by(known, 1 + 3e-10)
        x = known.sample(generator, (2,) if known in ENTRYWISE else known.shapes[0])
        u = generator.normal(size=x.shape)
        if not known.derivative(x, u).any():
            continue  # zero times anything is zero
        if known in ENTRYWISE:
            assert not slope_agrees(wrong, x), known.name
        else:
            assert not jacobian_agrees(wrong, x, u), known.name


def test_comparisons_catch_a_constant_that_is_said_to_move() -> None:
    for known in scales.CONSTANTS:
        wrong = replace(known, derivative=lambda x, u: 1e-12 * u)
        assert not slope_agrees(wrong, known.sample(np.random.default_rng(SEED), (2,)))


def test_library_is_large_and_its_names_are_unique() -> None:
    assert len(LIBRARY) >= 60
    assert len({known.name for known in LIBRARY}) == len(LIBRARY)


def test_combinations_are_many_in_every_dtype_and_named_apart() -> None:
    assert len(CASES) >= 2000
    assert len({case.name for case in CASES}) == len(CASES)
    for dtype in ALL:
        assert sum(case.x.dtype == dtype for case in CASES) >= 500, dtype


def test_combinations_depend_on_the_seed_alone() -> None:
    again, other = (combinations(seed, points=1) for seed in (SEED, SEED + 1))
    for case, same, different in zip(CASES, again, other, strict=True):
        assert torch.equal(case.x, same.x), case.name
        assert case.x.numel() < 10 or not torch.equal(case.x, different.x), case.name


def test_truth_is_that_of_the_point_as_stored() -> None:
    squares = [case for case in CASES if case.name.startswith("x² |")]
    assert len(squares) == len(ALL) * len(ENTRIES)
    for case in squares:
        slope = case.derivative(np.ones(tuple(case.x.shape)))
        np.testing.assert_array_equal(slope, 2 * case.x.double().numpy())


def test_every_case_computes_in_its_dtype_without_overflow() -> None:
    for case in CASES:
        before = case.x.clone()
        output = case.function(case.x)
        truth = case.derivative(np.ones(tuple(case.x.shape)))
        assert output.dtype == case.x.dtype, case.name
        assert bool(torch.isfinite(output).all()), case.name
        assert type(truth) is np.ndarray, case.name
        assert truth.dtype == np.float64, case.name
        assert truth.shape == tuple(output.shape), case.name
        assert bool(np.isfinite(truth).all()), case.name
        assert torch.equal(case.x, before), case.name


def test_every_dtype_computes_the_function_that_float64_computes() -> None:
    """|f - f in float64| is within 32 roundings of max |f| + max |J x| + max |J |x||."""
    for case in CASES:
        if case.family == "hidden":
            continue
        reference = case.function(case.x.double()).numpy()
        x = case.x.double().numpy()
        terms = (reference, case.derivative(x), case.derivative(np.abs(x)))
        scale = sum(np.abs(term).max() for term in terms)
        error = np.abs(case.function(case.x).double().numpy() - reference).max()
        assert error <= 32 * torch.finfo(case.x.dtype).eps * scale, case.name


def test_outputs_do_not_underflow() -> None:
    """Fewer than one output in a hundred is subnormal, function by function."""
    small: Counter[str] = Counter()
    outputs: Counter[str] = Counter()
    for case in CASES:
        name = case.name.split(" | ")[0]
        reference = case.function(case.x.double()).abs()
        tiny = torch.finfo(case.x.dtype).tiny
        small[name] += int(((reference > 0) & (reference < tiny)).sum())
        outputs[name] += reference.numel()
    assert [name for name in outputs if small[name] >= outputs[name] / 100] == []
