"""SciPy's way in: constants behind the inputs, names for parameters, Jacobians of every kind."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse
import torch
from scipy.sparse.linalg import aslinearoperator

import secant
from planted import scaled_sine

T = np.linspace(0, 5e-3, 12)
P = np.array([1e3, 1e-6, 3.0])  # ohms, farads, volts
NAMES = ["R", "C", "V"]


def residuals(p, t, v):
    R, C, V = p
    return V * np.exp(-t / (R * C)) - v


def jacobian(p, t, v, power=2):
    R, C, V = p
    decay = np.exp(-t / (R * C))
    return np.stack([V * decay * t / (R**2 * C), V * decay * t / (R * C**power), decay], axis=1)


V = residuals((2.2e3, 470e-9, 5.0), T, 0.0)
KINDS = {"dense": np.asarray, "sparse": sparse.csr_array, "operator": aslinearoperator}


@pytest.mark.parametrize("kind", KINDS)
def test_a_right_jacobian_in_si_units_passes(kind):
    report = secant.check(
        residuals, P, jacobian=lambda *all: KINDS[kind](jacobian(*all)), args=(T, V), names=NAMES
    )
    assert report, str(report)


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_column_is_named_by_its_parameter(kind):
    def wrong(p, t, v):
        return KINDS[kind](jacobian(p, t, v, power=1))

    report = secant.check(residuals, P, jacobian=wrong, args=(T, V), names=NAMES)
    assert {entry.input for entry in report.worst.entries} == {"C"}
    text = str(report)
    assert "/ ∂C " in text
    assert "likely    claimed = 1e-06 × measured for C (which is C), right for the others" in text
    assert text.endswith(
        "rerun     secant.check(residuals, p, jacobian=wrong, args=args, "
        "names=['R', 'C', 'V'], probe=\"full\", seed=1729)"
    )


def test_pictures_and_jacobians_carry_the_names():
    report = secant.check(residuals, P, jacobian=jacobian, args=(T, V), names=NAMES, probe="full")
    (frame,) = report.frames.values()
    assert frame.columns == ("R", "C", "V")


def test_names_hold_in_the_wider_version_of_the_function():
    report = secant.check(scaled_sine(1.1), torch.rand(2), names=["a", "b"])
    assert {entry.input for entry in report.worst.entries} == {"a", "b"}


def test_constants_follow_the_inputs_of_every_derivative():
    def power(x, exponent):
        return x**exponent

    x, settings = np.array([0.5, 1.5]), {"args": (3,)}
    assert secant.check(power, x, pull=lambda x, n, v: n * x ** (n - 1) * v, **settings)
    assert secant.check(power, x, push=lambda x, n, u: n * x ** (n - 1) * u, **settings)
    total = secant.check(
        lambda x, n: (x**n).sum(), x, gradient=lambda x, n: n * x ** (n - 1), **settings
    )
    assert total
    assert secant.check(torch.pow, torch.rand(3, dtype=torch.float64), args=(3.0,))


def test_an_array_among_the_constants_is_not_differentiated():
    factor = torch.rand(3, dtype=torch.float64)
    report = secant.check(torch.mul, torch.rand(3, dtype=torch.float64), args=(factor,))
    assert [one.where for one in report.findings if one.kind == "derivative"] == ["∂out / ∂input0"]


def test_several_inputs_are_named_one_by_one():
    def wrong(x, y, v):
        return v * y, 2 * v * x

    x, y = np.array([0.5, 1.5]), np.array([2.0, 3.0])
    report = secant.check(np.multiply, x, y, pull=wrong, names=["voltage", "current"])
    assert "∂out[1] / ∂current[1]" in str(report)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"names": "RC"}, "expected `names` to be a list of different names, or None; got 'RC'"),
        ({"names": ["R", "R", "V"]}, "expected `names` to be a list of different names"),
        ({"args": 3}, "expected `args` to be a tuple of constants, or None; got 3"),
        (
            {"names": ["R", "C"]},
            "expected `names` to be 1, one for each input that is differentiated or 3, one for "
            "each entry of it; got 2",
        ),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused(settings, words):
    with pytest.raises(secant.InputError) as raised:
        secant.check(residuals, P, jacobian=jacobian, **{"args": (T, V), **settings})
    assert words in str(raised.value)


def test_a_module_takes_its_arguments_as_inputs():
    module = torch.nn.Linear(2, 2)
    for verb in (secant.check, secant.localise):
        with pytest.raises(secant.InputError, match="all arguments of a module as inputs"):
            verb(module, torch.rand(2), args=(1,))
