"""HIPS autograd: functions of `autograd.numpy` need no derivative by hand."""

from __future__ import annotations

import subprocess
import sys

import autograd
import autograd.numpy as anp
import numpy as np
import pytest
from autograd.extend import defvjp, primitive
from autograd.tracer import trace_stack

import secant
from secant import Verdict

X = np.random.default_rng(0).normal(size=(3, 4))
Y = np.random.default_rng(1).normal(size=(4, 2))
Z = np.random.default_rng(2).normal(size=5) + 1j * np.random.default_rng(3).normal(size=5)


def layer(x, y):
    return anp.tanh(anp.dot(x, y))


def rule(function, vjp):
    """Return a primitive of autograd with a vjp of its own."""
    made = primitive(function)
    defvjp(made, vjp)
    return made


too_large = rule(np.exp, lambda ans, x: lambda g: 1.01 * g * ans)
never_negative = rule(np.exp, lambda ans, x: lambda g: anp.abs(g) * ans)


@pytest.mark.parametrize("probe", ["fast", "full"])
@pytest.mark.parametrize("modes", ["reverse", "forward", "all"])
def test_a_right_function_passes(probe, modes):
    report = secant.check(layer, X, Y, probe=probe, modes=modes)
    assert report.verdict is Verdict.PASS, str(report)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_dtypes_and_the_conjugation_of_autograd(dtype):
    z = (Z if "c" in dtype else Z.real).astype(dtype)
    for function in (lambda z: anp.sin(z) * anp.abs(z), lambda z: anp.real(z * anp.conj(z))):
        report = secant.check(function, z, modes="all")
        assert report.verdict is Verdict.PASS, str(report)


def test_containers_and_several_outputs():
    def model(params):
        out = anp.dot(params["w"], params["b"])
        return {"out": out, "size": anp.sum(params["w"] ** 2)}

    report = secant.check(model, {"w": X, "b": Y[:, 0].copy()})
    assert report.verdict is Verdict.PASS, str(report)
    assert {one.where for one in report.findings if one.kind == "derivative"} == {
        f'∂out["{output}"] / ∂params["{leaf}"]' for output in ("out", "size") for leaf in "wb"
    }


@pytest.mark.parametrize("order", [2, 3])
def test_the_gradient_of_a_gradient_is_checked(order):
    report = secant.check(lambda x: anp.sum(anp.sin(x) * x), X[0], order=order)
    assert report.verdict is Verdict.PASS, str(report)


def test_a_second_derivative_that_is_wrong_fails():
    once = rule(np.exp, lambda ans, x: lambda g: g * np.exp(autograd.tracer.getval(x)))
    assert secant.check(once, X)
    assert secant.check(once, X, order=2).verdict is Verdict.FAIL


def test_a_wrong_primitive_fails_and_is_explained():
    report = secant.check(too_large, X)
    assert "claimed = 1.01 × measured" in str(report)
    laws = {
        one.kind
        for one in secant.check(never_negative, X).findings
        if one.verdict is not Verdict.PASS
    }
    assert "linearity" in laws


def test_a_missing_rule_is_inconclusive_not_wrong():
    bare = primitive(np.exp)
    assert secant.check(bare, X).verdict is Verdict.INCONCLUSIVE


def test_what_autograd_cannot_trace_is_refused_with_what_to_pass():
    with pytest.raises(secant.InputError) as caught:
        secant.check(lambda x: np.linalg.qr(x)[0], X)
    assert "which autograd cannot trace" in str(caught.value)
    assert "`pull`" in str(caught.value)
    assert trace_stack.top == -1  # autograd itself leaves it open


def test_a_function_that_ignores_its_input_passes_without_a_warning():
    assert secant.check(lambda x: np.ones(3), X)


def test_autograd_speaks_only_where_it_was_imported():
    code = (
        "import numpy as np, secant, sys\n"
        "try:\n"
        "    secant.check(np.sin, np.ones(3))\n"
        "except secant.InputError as error:\n"
        "    print('autograd' in sys.modules, 'autograd.numpy' in str(error))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
