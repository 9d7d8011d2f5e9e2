"""Kinks, ties and jumps: what lies between the one-sided slopes is right, what lies outside wrong.

At a kink every element of the generalised gradient is a right claim, and a framework may choose.
"""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

import secant
from hard.claims import DTYPES, FAIL, PASS, PROBES, off, right, told, wrong
from planted import planted


def values(*numbers, dtype):
    return torch.tensor(numbers, dtype=dtype)


TIED = (1.0, 3.0, 3.0, 0.5, 3.0, -2.0)
ZEROS = (0.0, 0.7, 0.0, -1.2, 0.0)
BORDERS = (-1.0, 0.3, 1.0, 2.0, -1.0, -0.4)

# Functions that are kinked at the point, and smooth beside it; the framework's choice is right.
KINKED = {
    "max": (lambda x: x.max(), TIED),
    "min": (lambda x: -((-x).min()), TIED),
    "amax": (torch.amax, TIED),
    "max over a dimension": (lambda x: x.view(2, 3).max(0).values, (3.0, 1, 0, 3, 1, -1)),
    "maximum with a constant": (lambda x: torch.maximum(x, torch.ones_like(x)), (1.0, 2, 0.5, 1)),
    "cummax": (lambda x: x.cummax(0).values, (1.0, 1, 2, 0.5, 2)),
    "largest two": (lambda x: x.topk(2).values.sum(), TIED),
    "max_pool1d": (lambda x: F.max_pool1d(x.view(1, -1), 2), (2.0, 2, 0.5, 1, 3, 3)),
    "relu": (torch.relu, ZEROS),
    "abs": (torch.abs, ZEROS),
    "leaky_relu": (lambda x: F.leaky_relu(x, 0.1), ZEROS),
    "prelu": (lambda x: F.prelu(x, torch.tensor([0.25], dtype=x.dtype)), ZEROS),
    "clamp": (lambda x: x.clamp(-1, 1), BORDERS),
    "hardtanh": (F.hardtanh, BORDERS),
    "l1_loss": (lambda x: F.l1_loss(x, torch.zeros_like(x)), ZEROS),
    "infinity norm": (lambda x: torch.linalg.vector_norm(x, ord=torch.inf), TIED),
    "norm at zero": (torch.linalg.vector_norm, (0.0, 0, 0)),
    "total variation": (lambda x: (x[1:] - x[:-1]).abs().sum(), TIED),
}
KINKS = pytest.mark.parametrize("name", KINKED)


@pytest.mark.thinned(keep=36)
@KINKS
@DTYPES
@PROBES
def test_the_choice_of_the_framework_at_a_kink_is_right(name, dtype, probe):
    function, numbers = KINKED[name]
    right(function, values(*numbers, dtype=dtype), probe=probe)


@pytest.mark.thinned(keep=24)
@KINKS
@DTYPES
@PROBES
def test_a_kink_does_not_excuse_twice_the_gradient(name, dtype, probe):
    """Twice the gradient leaves the slopes' interval or is wrong beside the kink."""
    function, numbers = KINKED[name]
    if name == "norm at zero":
        return  # torch claims zero there, and twice that is zero
    wrong(off(function, 2.0), values(*numbers, dtype=dtype), probe=probe)


@pytest.mark.thinned(keep=24)
@KINKS
@DTYPES
@PROBES
def test_a_kink_does_not_excuse_a_reversed_gradient(name, dtype, probe):
    function, numbers = KINKED[name]
    if name == "norm at zero":
        return
    wrong(off(function, -1.0), values(*numbers, dtype=dtype), probe=probe)


def at_the_kink(function, above, at, below, border=0.0):
    """The function with a claim of its own for the entries that lie on the border."""

    def backward(saved, v):
        (x,) = saved
        slope = torch.where(x > border, above, below).to(v.dtype)
        return v * torch.where(x == border, torch.as_tensor(at, dtype=v.dtype), slope)

    return planted("AtTheKink", function, backward)


@DTYPES
@PROBES
@pytest.mark.parametrize("at", [-0.2, 1.2])
def test_a_claim_outside_the_slopes_of_relu_is_wrong_beside_right_entries(dtype, probe, at):
    claim = at_the_kink(torch.relu, 1.0, at, 0.0)
    wrong(claim, values(*ZEROS, dtype=dtype), probe=probe)


@DTYPES
@PROBES
@pytest.mark.parametrize("at", [0.0, 0.5, 1.0])
def test_a_claim_between_the_slopes_of_relu_is_right_beside_right_entries(dtype, probe, at):
    claim = at_the_kink(torch.relu, 1.0, at, 0.0)
    right(claim, values(*ZEROS, dtype=dtype), probe=probe)


@DTYPES
@PROBES
@pytest.mark.parametrize("at", [-0.2, 1.2])
def test_a_claim_outside_the_slopes_of_clamp_is_wrong_at_its_border(dtype, probe, at):
    claim = at_the_kink(lambda x: x.clamp(max=1.0), 0.0, at, 1.0, border=1.0)
    wrong(claim, values(1.0, 0.5, 2.0, 1.0, dtype=dtype), probe=probe)


@DTYPES
@PROBES
def test_every_tie_of_a_maximum_cannot_have_the_whole_gradient(dtype, probe):
    """Each entry by itself looks valid; together they claim three times what there is."""
    all_of_it = planted("AllOfIt", torch.amax, lambda saved, v: v * (saved[0] == saved[0].amax()))
    wrong(all_of_it, values(*TIED, dtype=dtype), probe=probe)


@DTYPES
@PROBES
def test_equal_arguments_of_a_maximum_cannot_both_have_the_whole_gradient(dtype, probe):
    """(1, 1) is no mixture of (1, 0) and (0, 1), though each entry by itself looks valid."""
    both = planted(
        "Both",
        torch.maximum,
        lambda saved, v: (v * (saved[0] >= saved[1]), v * (saved[1] >= saved[0])),
    )
    x = values(0.5, 1.5, -0.3, 2.0, dtype=dtype)
    told(secant.check(both, x, x.clone(), probe=probe), FAIL)


# The framework's choice is an element of the generalised Jacobian, but along most directions the
# function moves like none of them: it cannot be called right or wrong by one-sided slopes.
@pytest.mark.thinned(keep=12)
@pytest.mark.parametrize(
    "function",
    [lambda x: x.sort().values, lambda x: x.median(), lambda x: x.kthvalue(3).values],
    ids=["sort", "median", "kthvalue"],
)
@DTYPES
@PROBES
@pytest.mark.parametrize("seed", range(3))
def test_ties_in_the_middle_of_an_order_are_not_blamed(function, dtype, probe, seed):
    report = secant.check(function, values(*TIED, dtype=dtype), probe=probe, seed=seed)
    assert report.verdict is not FAIL, str(report)


@pytest.mark.thinned(keep=10)
@DTYPES
@PROBES
@pytest.mark.parametrize("seed", range(5))
def test_orders_without_ties_are_right_and_can_be_wrong(dtype, probe, seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(9, generator=generator, dtype=torch.float64).to(dtype)
    for function in (lambda x: x.sort().values, lambda x: x.median(), torch.amax):
        right(function, x, probe=probe, seed=seed)
        wrong(off(function, 1.01), x, probe=probe, seed=seed)


@pytest.mark.parametrize("seed", range(20))
def test_sorting_half_precision_numbers_that_nearly_tie_is_not_wrong(seed):
    """64 random numbers in float16: some neighbours are a rounding or two apart."""
    x = torch.randn(64, generator=torch.Generator().manual_seed(seed)).half()
    for lift in ("auto", False):
        report = secant.check(lambda x: x.sort().values, x, lift=lift, explain=False)
        assert report.verdict is not FAIL, str(report)


@pytest.mark.parametrize(("size", "factor"), [(1000, 1.1), (8000, 1.1), (8000, -1.0)])
def test_some_ties_among_many_numbers_excuse_no_wrong_gradient(size, factor):
    """In float16 one of twenty, or one of three, is equal to another; the others are not."""
    x = torch.randn(size, generator=torch.Generator().manual_seed(0)).half()
    wrong(off(lambda x: x.sort().values, factor), x, explain=False)


@DTYPES
@PROBES
@pytest.mark.parametrize(
    "function", [torch.floor, torch.round, torch.sign], ids=lambda f: f.__name__
)
def test_a_point_on_a_jump_is_named_and_not_blamed(function, dtype, probe):
    on = {torch.floor: 1.0, torch.round: 0.5, torch.sign: 0.0}[function]
    report = secant.check(function, values(on, 0.3, 2.3, dtype=dtype), probe=probe)
    assert report.verdict is not FAIL, str(report)
    assert "jump" in str(report), str(report)


@DTYPES
@PROBES
def test_a_smooth_entry_beside_a_jump_can_still_be_wrong(dtype, probe):
    """The jump is entry 0's, and says nothing about the gradient of entry 2."""

    def function(x):
        return torch.where(x > 0.5, x + 1, x.sin())

    def backward(saved, v):
        slope = torch.where(saved[0] > 0.5, 1.0, saved[0].cos())
        slope[2] *= 1.5
        return v * slope

    x = values(0.5, 0.2, -0.7, 1.4, dtype=dtype)
    told(secant.check(planted("Beside", function, backward), x, probe=probe), FAIL)


@DTYPES
@PROBES
def test_a_kink_between_two_steps_is_not_a_wrong_claim(dtype, probe):
    """The kink is near, not at the point: the slope at the point is the claim's."""
    for distance in (1e-2, 1e-3, 1e-4):
        x = values(distance, -distance, 0.5, -0.5, dtype=dtype)
        right(torch.relu, x, probe=probe)
        right(torch.abs, x, probe=probe)
        told(secant.check(off(torch.abs, 1.05), x, probe=probe), FAIL)


@DTYPES
def test_a_kink_is_noted_where_there_is_one_and_only_there(dtype):
    assert "kink" in str(right(torch.relu, values(*ZEROS, dtype=dtype)))
    assert "kink" not in str(right(torch.relu, values(0.5, -0.5, dtype=dtype)))
    assert PASS is secant.check(torch.sin, values(*ZEROS, dtype=dtype)).verdict
