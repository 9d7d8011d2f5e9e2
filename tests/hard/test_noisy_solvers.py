"""Iterative solvers: outputs carry the noise of a stopping rule, a million times that of the dtype.

Between two changes of the number of iterations such a function is smooth, and its slope differs
from the exact solution's, which the backward claims, by some tolerances. The automatic `rtol` of
float64 is 1.2e-7, so that a rough solver has to say how rough it is; a claim off by much more than
that is seen through the noise.
"""

from __future__ import annotations

import pytest
import torch

import secant
from hard.claims import DOUBLE, FAIL, INCONCLUSIVE, PASS, PROBES, SINGLE, off, uniform
from hard.solvers import SOLVERS
from planted import planted

SEEDS = pytest.mark.parametrize("seed", range(2))
NAMES = pytest.mark.parametrize("name", SOLVERS)
# Bisection gives a staircase whose steps are the tolerance: nearby it does not move at all.
ROUGHNESS = pytest.mark.parametrize("tolerance", [1e-4, 1e-6])


def posed(name, tolerance, seed, dtype=DOUBLE):
    make, shape = SOLVERS[name]
    return make(tolerance), uniform(*shape, low=0.2, high=0.9, dtype=dtype, seed=seed)


@pytest.mark.thinned(keep=8)
@NAMES
@PROBES
@SEEDS
@ROUGHNESS
def test_a_right_claim_passes_when_told_how_rough_the_solver_is(name, probe, seed, tolerance):
    function, x = posed(name, tolerance, seed)
    roughly = {"rtol": 1000 * tolerance, "atol": 100 * tolerance}
    report = secant.check(function, x, probe=probe, seed=seed, **roughly)
    assert report.verdict is not FAIL, str(report)
    assert report.verdict is PASS or name == "bisection", str(report)


@pytest.mark.thinned(keep=6)
@pytest.mark.parametrize("name", [name for name in SOLVERS if name != "integrator"])
@PROBES
@SEEDS
def test_a_right_claim_of_a_fine_solver_passes_untold(name, probe, seed):
    function, x = posed(name, 1e-10, seed)
    report = secant.check(function, x, probe=probe, seed=seed)
    assert report.verdict is PASS, str(report)


@pytest.mark.thinned(keep=5)
@NAMES
@PROBES
@pytest.mark.parametrize("seed", [3])
@ROUGHNESS
def test_what_is_said_of_a_rough_solver_untold_is_true(name, probe, seed, tolerance):
    """Blamed for its roughness or not, nobody is blamed for more than that."""
    function, x = posed(name, tolerance, seed)
    report = secant.check(function, x, probe=probe, seed=seed, explain=False)
    if report.verdict is FAIL:
        worst = report.worst
        apart = abs(worst.claimed - worst.measured.value)
        assert apart < 200 * tolerance * max(1.0, abs(worst.claimed)), str(report)


@pytest.mark.thinned(keep=5)
@NAMES
@PROBES
@pytest.mark.parametrize("seed", [3])
@pytest.mark.parametrize("rtol", [None, 1e-3])
def test_a_claim_five_percent_off_is_seen_through_the_noise(name, probe, seed, rtol):
    """Along a step of a hundredth a noise of 1e-6 hides 1e-4 of the slope."""
    function, x = posed(name, 1e-6, seed)
    report = secant.check(off(function, 1.05), x, probe=probe, seed=seed, rtol=rtol, explain=False)
    assert report.verdict is not PASS, str(report)
    assert report.verdict is FAIL or name == "bisection", str(report)


@PROBES
@SEEDS
def test_a_claim_five_percent_off_is_seen_through_a_fine_staircase(probe, seed):
    function, x = posed("bisection", 1e-8, seed)
    report = secant.check(off(function, 1.05), x, probe=probe, seed=seed)
    assert report.verdict is FAIL, str(report)


@pytest.mark.thinned(keep=5)
@NAMES
@PROBES
@pytest.mark.parametrize("seed", [3])
def test_in_single_precision_noise_is_neither_blamed_nor_an_excuse(name, probe, seed):
    function, x = posed(name, 1e-4, seed, dtype=SINGLE)
    report = secant.check(function, x, probe=probe, seed=seed, rtol=0.1, atol=0.01, explain=False)
    assert report.verdict is not FAIL, str(report)
    report = secant.check(
        off(function, 1.5), x, probe=probe, seed=seed, rtol=0.1, atol=0.01, explain=False
    )
    assert report.verdict is not PASS, str(report)
    assert report.verdict is FAIL or name == "bisection", str(report)


@PROBES
@SEEDS
@pytest.mark.parametrize("size", [1e-6, 1e-3])
def test_a_function_that_answers_at_random_is_not_blamed(probe, seed, size):
    """Noise that no seed repeats, as of threads that add up in any order."""
    generator = torch.Generator().manual_seed(seed)

    def function(x):
        return x.sin() + size * torch.randn(x.shape, dtype=x.dtype, generator=generator)

    x = uniform(8, low=0.2, high=0.9, dtype=DOUBLE, seed=seed)
    report = secant.check(function, x, probe=probe, seed=seed)
    assert report.verdict is not FAIL, str(report)
    report = secant.check(off(function, 2.0), x, probe=probe, seed=seed)
    assert report.verdict is not PASS, str(report)


@SEEDS
def test_a_bisection_is_judged_by_what_it_does_beyond_its_tolerance(seed):
    """Nearby it stands still; its first move is a jump, and small beside what moves further on."""
    function, x = posed("bisection", 1e-4, seed)
    assert secant.check(function, x, seed=seed, explain=False).verdict is not FAIL
    assert secant.check(off(function, 1.03), x, seed=seed, explain=False).verdict is FAIL
    assert secant.check(off(function, 0.0), x, seed=seed, explain=False).verdict is not PASS


@pytest.mark.parametrize(
    ("name", "tolerance"),
    [("fixed point", 1e-3), ("conjugate gradients", 1e-3), ("power iteration", 1e-4)],
)
def test_a_solver_that_jumps_along_no_single_input_is_judged_by_all_of_them(name, tolerance):
    function, x = posed(name, tolerance, seed=0)
    assert secant.check(function, x, probe="full", seed=0).verdict is PASS


@pytest.mark.parametrize("tolerance", [1e-3, 1e-4])
def test_the_full_probe_names_what_forgives_a_smooth_solver_as_the_fast_one_does(tolerance):
    function, x = posed("fixed point", tolerance, 0)
    for probe in ("fast", "full"):
        report = secant.check(function, x, probe=probe)
        if report.verdict is PASS:
            continue
        (reason,) = [
            one
            for finding in report.findings
            for one in finding.reasons
            if one.code == "OFF_BY_LITTLE"
        ]
        keyword, number = reason.fields["setting"].split("=")
        assert secant.check(function, x, probe=probe, **{keyword: float(number)})


@PROBES
def test_what_is_off_by_little_everywhere_is_so_where_that_is_forgiven_as_well(probe):
    """One entry is off by five times what is forgiven, the others by less; no factor is wrong."""
    shares = torch.full((16,), 6e-8, dtype=DOUBLE)
    shares[-1] = 6e-7
    function = planted("Solved", torch.sin, lambda saved, v: v * saved[0].cos() * (1 + shares))
    x = uniform(16, low=0.2, high=0.9, dtype=DOUBLE, seed=0)
    report = secant.check(function, x, probe=probe)
    assert report.verdict is FAIL, str(report)
    codes = {one.code: one for finding in report.findings for one in finding.reasons}
    assert "OFF_BY_LITTLE" in codes, str(report)
    assert "COLUMNS_SCALED" not in codes, str(report)
    keyword, number = codes["OFF_BY_LITTLE"].fields["setting"].split("=")
    assert secant.check(function, x, probe=probe, **{keyword: float(number)})


@PROBES
@SEEDS
def test_a_solver_in_float32_is_not_blamed_for_roundings_of_float32(probe, seed):
    """It stops at a millionth, and is judged in float64, where that can be seen."""
    weights = uniform(6, 6, low=-0.3, high=0.3, dtype=SINGLE, seed=seed)

    def settle(shift):
        state = torch.zeros_like(shift)
        for _ in range(500):
            moved = torch.tanh(weights.to(shift.dtype) @ state + shift)
            if (moved - state).abs().max() < 1e-6:
                break
            state = moved
        return moved

    def adjoint(saved, v):
        state = settle(saved[0])
        inner = 1 - state * state
        return inner * torch.linalg.solve(
            torch.eye(6, dtype=v.dtype) - weights.to(v.dtype).T * inner, v
        )

    x = uniform(6, low=-1, high=1, dtype=SINGLE, seed=seed)
    function = planted("Settled", settle, adjoint)
    assert secant.check(function, x, probe=probe, seed=seed, explain=False)
    halved = planted("Halved", settle, lambda saved, v: 0.999 * adjoint(saved, v))
    assert secant.check(halved, x, probe=probe, seed=seed, explain=False).verdict is FAIL


def halved(x):
    """Return what a bisection to 1e-3 takes for the solution of y³ + y = x, row by row."""
    low, high = torch.zeros_like(x), torch.full_like(x, 3.0)
    while float((high - low).max()) > 1e-3:
        middle = (low + high) / 2
        is_above = middle**3 + middle > x
        low, high = torch.where(is_above, low, middle), torch.where(is_above, middle, high)
    return (low + high) / 2


def halved_claiming(factor):
    def backward(saved, v):
        return factor * v / (3 * halved(saved[0]) ** 2 + 1)

    return planted("Halved", halved, backward)


def test_a_coarse_bisection_is_blamed_for_what_is_far_off_and_told_what_would_help():
    """Its values have few digits, and are no numbers of float32 for that."""
    x = uniform(5, low=0.6, high=2.3, dtype=DOUBLE, seed=0)
    for seed in range(3):
        report = secant.check(halved_claiming(1.0), x, seed=seed)
        assert report.verdict is INCONCLUSIVE
        assert "SOLVE_TIGHTER" in {one.code for one in report.worst.reasons}
        assert report.cost.evaluations <= 500
        for factor in (-1.0, 3.0):
            report = secant.check(halved_claiming(factor), x, seed=seed)
            assert report.verdict is FAIL
            assert "UNMOVED" not in {one.code for one in report.worst.reasons}
            assert report.worst.measured.value != 0


def test_a_solver_is_judged_by_its_jumps_along_one_direction_where_another_has_none():
    """Errors of two iterations grow until each jumps back; where they cancel no jump is sought."""
    periods = torch.tensor([0.02, 0.0274], dtype=torch.float64)

    def computed(x):
        late = x / periods
        first, second = (late - late.round()) * periods
        return x.sin() + 1e-5 * (first - second)

    solver = planted("Solver", computed, lambda saved, v: v * saved[0].cos())
    x = torch.tensor([0.7031, 1.1], dtype=torch.float64)
    reports = [secant.check(solver, x, seed=seed, explain=False) for seed in range(12)]
    assert sum(report.verdict is FAIL for report in reports) <= 1
    assert all(report.verdict is not INCONCLUSIVE for report in reports)
    assert max(report.cost.evaluations for report in reports) <= 140


@pytest.mark.parametrize("distance", [1e-2, 1e-3, 1e-4, 1e-5])
def test_a_right_claim_is_not_blamed_however_near_a_jump_the_point_lies(distance):
    """Nor is the solver asked further away than its jumps can be told from its curvature."""
    period, furthest = 0.05, 0.0
    x = torch.tensor([1.5 * period + distance, 4.5 * period + distance], dtype=torch.float64)

    def computed(y):
        nonlocal furthest
        furthest = max(furthest, float((y - x).abs().max()))
        late = y / period
        return y.sin() + 3e-3 * period * (late - late.round())

    def check(factor):
        solver = planted("Solver", computed, lambda saved, v: factor * v * saved[0].cos())
        return secant.check(solver, x, explain=False)

    assert check(1.0).verdict is not FAIL
    assert furthest <= 0.5
    assert check(1.1).verdict is FAIL
