"""The promise: any single wrong entry larger than the stated resolution is caught.

A promise cannot be kept by luck, so it is tried on hundreds of errors: just above it, where every
one has to be caught, and on both sides of it, where no pass may promise what it has just missed.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest
import torch

import secant
from planted import FLOAT, planted, points

PASS, FAIL = secant.Verdict.PASS, secant.Verdict.FAIL
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

EVERYWHERE, HERE, ALONE = "everywhere", "right in float64", "refuses float64"


def with_error(function, row, column, error, where=EVERYWHERE):
    """Return the function with one entry of its Jacobian off by `error`.

    HERE leaves the gradient right where the input is float64, ALONE refuses such an input.
    """

    def forward(x):
        if x.dtype == FLOAT and where == ALONE:
            raise TypeError("no kernel for float64")
        return function(x)

    def backward(saved, v):
        x = saved[0].detach().requires_grad_()
        with torch.enable_grad():
            (gradient,) = torch.autograd.grad(function(x), x, v)
        if x.dtype == FLOAT and where == HERE:
            return gradient
        gradient = gradient.contiguous().clone()
        gradient.view(-1)[column] += error * v.reshape(-1)[row]
        return gradient

    return planted("WithError", forward, backward)


@pytest.mark.thinned(keep=10)
@PROBES
@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_error_just_above_the_resolution_is_caught(name, probe):
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
            wrong = with_error(function, row, column, sign * 1.05 * promise)
            report = secant.check(wrong, x, probe=probe)
            assert report.verdict is FAIL, f"{sign * promise:.1e} at {row, column}:\n{report}"


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
        report = secant.check(with_error_in(place, 1.05 * promise), *inputs, probe=probe)
        assert report.verdict is FAIL, f"{promise:.1e} in leaf {place}:\n{report}"
    assert len(promises) == 2


@dataclass(frozen=True)
class Trial:
    """A function, a point, a place in its Jacobian and the settings of a check, all at random."""

    name: str
    x: torch.Tensor
    row: int
    column: int
    sign: int
    settings: dict

    @property
    def function(self):
        return SMOOTH[self.name]

    def check(self, function):
        return secant.check(function, self.x, explain=False, **self.settings)

    def planted(self, error, where):
        """The function with an error of at least this size, and the size it has.

        A gradient is a number of its dtype: an error less than half of its last place vanishes in
        it, so a larger one is planted until what is wrong by then is large enough.
        """
        planted_error = error
        for _ in range(60):
            wrong = with_error(
                self.function, self.row, self.column, self.sign * planted_error, where
            )
            actual = abs(self.entry(wrong) - self.entry(self.function))
            if actual >= error:
                break
            planted_error *= 1.25
        return wrong, actual

    def entry(self, function):
        x = self.x.detach().clone().requires_grad_()
        output = function(x)
        cotangent = torch.zeros_like(output)
        cotangent.view(-1)[self.row] = 1
        (gradient,) = torch.autograd.grad(output, x, cotangent)
        return float(gradient.double().reshape(-1)[self.column])


# Smooth at the points that are drawn, and whatever dtype comes in goes out.
SMOOTH = {
    "sin": torch.sin,
    "exp": lambda x: torch.exp(3 * x),
    "square": lambda x: 1e3 * x * x,
    "softmax": lambda x: x.softmax(-1),
    "root": torch.sqrt,
    "sum": lambda x: (x * x).sum(),
    "reciprocal": lambda x: 1e-3 / x,
    "norm": torch.linalg.vector_norm,
    "cumulated": lambda x: x.cumsum(-1).tanh(),
}


def trials(count, dtype, probe, **settings):
    """As many trials, each with a seed of its own."""
    for seed in range(count):
        generator = random.Random(seed)
        name = generator.choice(list(SMOOTH))
        x = points(generator.choice([1, 2, 5, 12, 40]), dtype=dtype, seed=seed)
        row, column = generator.randrange(SMOOTH[name](x).numel()), generator.randrange(x.numel())
        sign = generator.choice([1, -1])
        yield Trial(name, x, row, column, sign, {"probe": probe, "seed": seed, **settings})


COUNT = {FLOAT: 100, torch.float32: 30, torch.bfloat16: 30}
ERRORS = [
    pytest.param(dtype, where, lift, id=f"{str(dtype)[6:]}, {where}, lift={lift}")
    for dtype in (FLOAT, torch.float32, torch.bfloat16)
    for where, lift in ((EVERYWHERE, "auto"), (EVERYWHERE, False), (HERE, "auto"), (ALONE, "auto"))
    if dtype is not FLOAT or (where, lift) == (EVERYWHERE, "auto")
]


# A report speaks of the claim that was checked. Where the right claim was lifted, a planted one
# that differs from float64 is measured directly, and what that can see is another promise.
COMPARABLE = [one for one in ERRORS if HERE not in one.values]


@pytest.mark.thinned(keep=3)
@PROBES
@pytest.mark.parametrize(("dtype", "where", "lift"), COMPARABLE)
def test_of_many_errors_just_above_the_resolution_none_passes(dtype, where, lift, probe):
    """99.9 % of what is promised: of some hundred, all; in double precision all are called wrong.

    Below it some cannot be told, which is no PASS either.
    """
    caught = (FAIL,) if dtype is FLOAT else (FAIL, secant.Verdict.INCONCLUSIVE)
    missed, promised = [], 0
    for trial in trials(COUNT[dtype], dtype, probe, lift=lift):
        promise = trial.check(with_error(trial.function, 0, 0, 0.0, where)).resolution
        if promise is None:
            continue
        promised += 1
        wrong, error = trial.planted(1.05 * promise, where)
        report = trial.check(wrong)
        if report.verdict not in caught:
            missed.append((trial.name, trial.settings["seed"], error, promise, report.verdict.name))
    assert promised >= (0.5 if dtype is torch.bfloat16 else 0.9) * COUNT[dtype]
    assert len(missed) <= 0.001 * promised, missed


@pytest.mark.thinned(keep=4)
@PROBES
@pytest.mark.parametrize(("dtype", "where", "lift"), ERRORS)
def test_no_pass_promises_to_have_caught_what_it_missed(dtype, where, lift, probe):
    """Errors from a thirtieth of the resolution to thirty times it need not fail below it."""
    broken, below = [], 0
    for trial in trials(COUNT[dtype], dtype, probe, lift=lift):
        promise = trial.check(with_error(trial.function, 0, 0, 0.0, where)).resolution
        if promise is None:
            continue
        share = 30 ** random.Random(trial.settings["seed"]).uniform(-1, 1)
        wrong, error = trial.planted(share * promise, where)
        report = trial.check(wrong)
        below += error < promise
        if report.verdict is PASS and report.resolution is not None and report.resolution < error:
            broken.append((trial.name, trial.settings["seed"], error, report.resolution))
    assert below > COUNT[dtype] / 5
    assert not broken


@PROBES
@pytest.mark.parametrize("seed", range(5))
def test_the_promise_holds_for_every_seed(seed, probe):
    x = points(30)
    promise = secant.check(torch.sin, x, seed=seed, probe=probe).resolution
    wrong = with_error(torch.sin, 11, 23, 1.05 * promise)
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
