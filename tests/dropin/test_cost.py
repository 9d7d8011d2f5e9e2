"""What a check costs where there is a cliff: evaluations, held against torch's own."""

from __future__ import annotations

import pytest
import torch

import secant
from dropin.promises import BOTH, TorchError, leaf
from planted import planted, scaled_sine
from secant.torch import gradcheck, gradgradcheck

TIMES = 10  # torch's own evaluations, explanation included

# of 216 inputs; torch's backward is off by about 1e-6 at the first channel, which both forgive
NORMALISED = torch.nn.CrossMapLRN2d(5, 5e-3, 1e-3, 2)


def counted(function):
    calls = []

    def call(*arguments):
        calls.append(1)
        return function(*arguments)

    return call, calls


def evaluations(check, function, inputs, **settings):
    call, calls = counted(function)
    try:
        answer = bool(check(call, inputs, **settings))
    except TorchError:
        answer = False
    return answer, len(calls)


def eigenvalues(matrix):
    start = torch.eye(*matrix.shape, dtype=matrix.dtype)[:, :1]
    return torch.lobpcg((matrix + matrix.T) / 2, k=1, X=start)[0]


POINT = leaf(60).detach()


def nearly_stationary(x):
    """Return what is left of larger numbers where nothing but a third derivative moves them."""
    return (1 + (1e-9 * x + 1e3 * (x - POINT) ** 3).sum()) - 1


CLIFFS = {
    "nearly stationary": (nearly_stationary, lambda: POINT.clone()),
    "inexact but forgiven": (NORMALISED, lambda: leaf(2, 3, 6, 6).abs()),
    "rounded": (torch.round, lambda: leaf(9)),
    "dead": (torch.relu, lambda: -leaf(9)),
    "saturated": (lambda x: x.clamp(0, 1), lambda: leaf(9) + 3),
    "a mask of the point": (lambda x: torch.where(x > 0.2, x * 0 + 1, x), lambda: leaf(9)),
    "lobpcg": (eigenvalues, lambda: leaf(4, 4) + 9 * torch.eye(4, dtype=torch.float64)),
}


DENSE = torch.randn(
    216, 216, generator=torch.Generator().manual_seed(7), dtype=torch.float64
)  # every output depends on every input


def dense(claimed, size=216):
    """Return a product with a matrix, and with another one in its backward."""
    matrix = DENSE[:, :size]
    return planted("Dense", lambda x: matrix @ x, lambda saved, v: claimed(matrix).T @ v, None)


def with_one_column_off(matrix):
    off = matrix.clone()
    off[:, 17] *= 1.05
    return off


FORGIVEN = {
    "constants in single precision": lambda matrix: matrix.float().double(),
    "all a little too large": lambda matrix: matrix * (1 + 3e-4),
    "off by less than atol": lambda matrix: matrix + 5e-6 * matrix.sign(),
}
WRONG = {"all": lambda matrix: 1.05 * matrix, "a column": with_one_column_off}
CHECKS = {
    1: (torch.autograd.gradcheck, gradcheck),
    2: (torch.autograd.gradgradcheck, gradgradcheck),
}
ORDERS = pytest.mark.parametrize("order", CHECKS)


@pytest.mark.thinned(keep=5)
@BOTH
@ORDERS
@pytest.mark.parametrize("name", FORGIVEN)
def test_a_dense_claim_that_is_forgiven_is_not_looked_at_entry_by_entry(name, order, fast_mode):
    function = dense(FORGIVEN[name])
    (passes, theirs), (also, ours) = (
        evaluations(check, function, leaf(216), fast_mode=fast_mode) for check in CHECKS[order]
    )
    assert passes
    assert also
    assert ours <= TIMES * theirs


@ORDERS
@pytest.mark.parametrize("name", FORGIVEN)
@pytest.mark.parametrize("size", [18, 300], ids=lambda size: f"{216 * size}_inputs")
def test_what_is_forgiven_to_many_inputs_costs_hardly_more_than_to_few(size, name, order):
    def wide(x):
        return dense(FORGIVEN[name])(x.reshape(216, -1).sum(dim=1).cos())

    passes, theirs = evaluations(CHECKS[order][0], wide, leaf(216 * size), fast_mode=True)
    assert passes
    passes, ours = evaluations(CHECKS[order][1], wide, leaf(216 * size), fast_mode=True)
    assert passes
    assert ours <= TIMES * theirs


def test_rounding_of_large_outputs_is_answered_by_a_longer_step():
    passes, ours = evaluations(gradcheck, lambda a, b: 1e3 * (a @ b), (leaf(8, 3), leaf(3, 9)))
    assert passes
    assert ours <= 16


@pytest.mark.thinned(keep=3)
@BOTH
@pytest.mark.parametrize("name", WRONG)
def test_a_dense_failure_is_found_and_explained_within_a_bound(name, fast_mode):
    function, fast = dense(WRONG[name]), {"fast_mode": fast_mode}
    _, to_fail = evaluations(torch.autograd.gradcheck, dense(WRONG["all"]), leaf(216), **fast)
    passes, ours = evaluations(gradcheck, function, leaf(216), **fast)
    assert not passes
    assert ours <= TIMES * to_fail
    if fast_mode:
        assert ours < to_fail  # which makes the whole Jacobian for its message


@pytest.mark.thinned(keep=3)
@pytest.mark.parametrize("seed", range(8))
def test_an_entry_that_outweighs_what_is_forgiven_is_found_among_it(seed):
    place = tuple(torch.randint(60, (2,), generator=torch.Generator().manual_seed(seed)))

    def claimed(matrix):
        off = matrix * (1 + 1e-4)
        off[place] += 0.1
        return off

    assert not gradcheck(dense(claimed, 60), leaf(60), fast_mode=True, raise_exception=False)


@pytest.mark.thinned(keep=3)
@pytest.mark.parametrize("seed", range(8))
def test_a_row_is_caught_of_which_large_entries_are_forgiven(seed):
    row = int(torch.randint(60, (), generator=torch.Generator().manual_seed(seed)))

    def claimed(matrix):
        off = matrix.clone()
        off[row] += 2e-3
        return off

    assert not gradcheck(dense(claimed, 60), leaf(60), fast_mode=True, raise_exception=False)


@BOTH
@pytest.mark.parametrize("name", CLIFFS)
def test_what_passes_costs_at_most_ten_times_torchs_evaluations(name, fast_mode):
    function, make = CLIFFS[name]
    inputs = make().detach().requires_grad_()
    passes, theirs = evaluations(torch.autograd.gradcheck, function, inputs, fast_mode=fast_mode)
    assert passes
    passes, ours = evaluations(gradcheck, function, inputs, fast_mode=fast_mode)
    assert passes
    assert ours <= TIMES * theirs


@pytest.mark.parametrize("probe", ["fast", "full"])
def test_a_check_with_tolerances_has_no_cliff_either(probe):
    report = secant.check(
        NORMALISED, leaf(2, 3, 6, 6).abs(), probe=probe, rtol=1e-3, atol=1e-5, laws="none"
    )
    assert report
    assert report.cost.evaluations <= 4 * TIMES  # torch's fast mode takes four


@BOTH
@pytest.mark.parametrize("size", [6, 216])
def test_explaining_a_failure_costs_at_most_ten_times_what_torch_takes_to_fail(size, fast_mode):
    function, inputs = scaled_sine(1.05), leaf(size)
    passes, theirs = evaluations(torch.autograd.gradcheck, function, inputs, fast_mode=fast_mode)
    assert not passes
    passes, ours = evaluations(gradcheck, function, inputs, fast_mode=fast_mode)
    assert not passes
    assert ours <= TIMES * theirs


class TooLarge(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return TooLarge.apply(1.05 * grad_output)


@BOTH
@ORDERS
@pytest.mark.parametrize("size", [3, 8])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_explaining_what_fails_in_several_inputs_is_bounded_too(count, size, order, fast_mode):
    def affine(matrix, shift, point):
        return TooLarge.apply(torch.nn.functional.softplus(matrix @ point + shift))

    inputs = [leaf(size, size), leaf(size, 1, seed=1), leaf(size, 1, seed=2)]
    for one in inputs[count:]:
        one.requires_grad_(False)
    (passes, theirs), (also, ours) = (
        evaluations(check, affine, inputs, fast_mode=fast_mode) for check in CHECKS[order]
    )
    assert not passes
    assert not also
    assert ours <= TIMES * theirs


@pytest.mark.parametrize("probe", ["fast", "auto"])
@pytest.mark.parametrize("name", FORGIVEN)
def test_a_check_forgives_a_dense_claim_and_promises_what_it_has_seen(name, probe):
    function = dense(FORGIVEN[name])
    report = secant.check(function, leaf(216), probe=probe, rtol=1e-3, atol=1e-5, laws="none")
    assert report
    assert report.cost.evaluations <= 4 * TIMES
    promised = report.resolution

    def beyond(matrix):
        off = FORGIVEN[name](matrix)
        off[11, 111] += 1.01 * promised
        return off

    assert not secant.check(dense(beyond), leaf(216), probe=probe, rtol=1e-3, atol=1e-5)


def test_second_order_of_a_zero_gradient_costs_little():
    def constant(x):
        return torch.softmax(DENSE @ x, 0).sum()

    (passes, theirs), (also, ours) = (
        evaluations(check, constant, leaf(216), fast_mode=True) for check in CHECKS[2]
    )
    assert passes
    assert also
    assert ours <= TIMES * theirs


@pytest.mark.parametrize("size", [24, 300])
def test_one_row_of_many_columns_is_not_measured_column_by_column(size):
    inputs = leaf(size)
    passes, theirs = evaluations(torch.autograd.gradcheck, lambda x: x.sin().sum(), inputs)
    assert passes
    passes, ours = evaluations(gradcheck, lambda x: x.sin().sum(), inputs)
    assert passes
    assert ours < theirs


@ORDERS
@pytest.mark.parametrize("size", [5, 60])
def test_directions_that_agree_far_within_atol_are_enough_in_slow_mode(size, order):
    def function(x):
        return (DENSE[:size, :size] @ x / size).sin()

    (passes, theirs), (also, ours) = (
        evaluations(check, function, leaf(size)) for check in CHECKS[order]
    )
    assert passes
    assert also
    assert ours <= 40
    assert ours < 2 * theirs


@pytest.mark.thinned(keep=8)
@pytest.mark.parametrize("seed", range(20))
def test_errors_that_nearly_cancel_are_caught_entry_by_entry_or_not(seed):
    numbers = torch.Generator().manual_seed(seed)
    places = torch.randperm(24, generator=numbers)[:2]
    off = torch.zeros(24, dtype=torch.float64)
    off[places] = torch.tensor([5e-3, -5e-3], dtype=torch.float64)  # a few of the tolerances

    summed = planted(
        "Summed", lambda x: x.sin().sum(), lambda saved, v: v * (saved[0].cos() + off), None
    )
    assert not gradcheck(summed, leaf(24, seed=seed), raise_exception=False)
