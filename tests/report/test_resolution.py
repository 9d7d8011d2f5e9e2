"""The promise: any single wrong entry larger than the stated resolution is caught."""

from __future__ import annotations

import pytest
import torch

import secant
from planted import FLOAT, planted, points

FAIL = secant.Verdict.FAIL
PROBES = pytest.mark.parametrize("probe", ["fast", "full"])
FUNCTIONS = {
    "sin": (torch.sin, lambda: points(6)),
    "exp": (torch.exp, lambda: points(3, 4) * 5),
    "matrix": (lambda x: x @ x, lambda: points(3, 3)),
    "softmax": (lambda x: x.softmax(0), lambda: points(7)),
    "large": (lambda x: 1e6 * x * x, lambda: points(5)),
    "small": (lambda x: 1e-6 * x * x, lambda: points(5)),
    "scalar": (lambda x: (x * x).sum(), lambda: points(20)),
    "hidden noise": (lambda x: x.float().sin().double(), lambda: points(40)),
    # the places asked about are smooth: at the two kinks every claim in [0, 1] is right
    "kinks": (torch.relu, lambda: torch.cat([points(4) - 0.5, torch.zeros(2, dtype=FLOAT)])),
    "float32": (torch.sin, lambda: points(9, dtype=torch.float32)),
    "zero": (lambda x: x * 0 + x.detach().round(), lambda: points(5)),
}


def with_error(function, row, column, error):
    """Return the function with one entry of its Jacobian off by `error`."""

    def backward(saved, v):
        x = saved[0].detach().requires_grad_()
        with torch.enable_grad():
            (gradient,) = torch.autograd.grad(function(x), x, v)
        gradient = gradient.contiguous().clone()
        gradient.view(-1)[column] += error * v.reshape(-1)[row]
        return gradient

    return planted("WithError", function, backward)


@PROBES
@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_error_of_twice_the_resolution_is_caught(name, probe):
    function, make = FUNCTIONS[name]
    x = make()
    promise = secant.check(function, x, probe=probe).resolution
    if name == "kinks" and probe == "fast":
        assert promise is None  # a mixture that crosses a kink promises nothing
        return
    assert promise is not None
    rows, columns = function(x).numel(), x.numel()
    places = {(0, 0), (rows - 1, columns // 2), (rows // 2, columns // 3)}
    for row, column in places:
        for sign in (1, -1):
            wrong = with_error(function, row, column, sign * 2 * promise)
            report = secant.check(wrong, x, probe=probe)
            assert report.verdict is FAIL, f"{sign * 2 * promise:.1e} at {row, column}:\n{report}"


@PROBES
@pytest.mark.parametrize("scale", [1.0, 1e6])
def test_every_pair_of_leaves_keeps_its_own_promise(scale, probe):
    def function(big, small):
        return scale * big.exp().sum() + small.sin(), small.cos()

    def with_error_in(place, error):
        def backward(saved, first, second):
            leaves = [one.detach().requires_grad_() for one in saved]
            with torch.enable_grad():
                pulled = torch.autograd.grad(function(*leaves), leaves, (first, second))
            gradients = [one.clone() for one in pulled]
            gradients[place][1] += error * first[0]
            return tuple(gradients)

        return planted("WithError", function, backward)

    inputs = points(50), points(3, seed=1)
    findings = secant.check(function, *inputs, probe=probe).findings
    wheres = ("∂out[0] / ∂big", "∂out[0] / ∂small")
    promises = [one.resolution for one in findings if one.where in wheres]
    for place, promise in enumerate(promises):
        report = secant.check(with_error_in(place, 2 * promise), *inputs, probe=probe)
        assert report.verdict is FAIL, f"{2 * promise:.1e} in leaf {place}:\n{report}"
    assert len(promises) == 2


@PROBES
@pytest.mark.parametrize("seed", range(5))
def test_the_promise_holds_for_every_seed(seed, probe):
    x = points(30)
    promise = secant.check(torch.sin, x, seed=seed, probe=probe).resolution
    wrong = with_error(torch.sin, 11, 23, 2 * promise)
    assert secant.check(wrong, x, seed=seed, probe=probe).verdict is FAIL


def test_the_promise_does_not_grow_with_the_size_of_the_problem():
    small = secant.check(torch.sin, points(10), probe="fast").resolution
    large = secant.check(torch.sin, points(1000), probe="fast").resolution
    assert large < 20 * small


def test_the_promise_is_useful():
    assert secant.check(torch.sin, points(10)).resolution < 1e-5
    assert secant.check(torch.sin, points(10, dtype=torch.float32)).resolution < 1e-1


def test_a_tolerance_widens_the_promise():
    plain = secant.check(torch.sin, points(10)).resolution
    assert secant.check(torch.sin, points(10), atol=0.5).resolution > 0.5
    assert secant.check(torch.sin, points(10), rtol=0.5).resolution > plain
