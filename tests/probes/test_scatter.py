"""Values that rounding makes: no slope of them is known, so that none is blamed."""

import torch

import secant
from secant import Verdict


def product(x):
    """Zero, but for rounding, which along most lines stays the same for long."""
    centred = x - x.mean()
    return centred * centred.mean()


def distance(x, y):
    """Zero at equal arguments, and no rounding: neighbours have other values as slopes say."""
    return x - y


class Fast(torch.autograd.Function):
    """The same with a gradient 5 % too large."""

    @staticmethod
    def forward(ctx, x, y):
        return x - y

    @staticmethod
    def backward(ctx, grad):
        return 1.05 * grad, -grad


def verdicts(function, inputs_of, **settings):
    """The verdicts at many points, from two directions each."""
    return [
        secant.check(function, *inputs_of(point), seed=seed, explain=False, **settings).verdict
        for point in range(20)
        for seed in (1, 2)
    ]


def normal(point):
    generator = torch.Generator().manual_seed(point)
    return (torch.randn(4, dtype=torch.float64, generator=generator),)


def test_a_gradient_of_values_that_are_rounding_is_hardly_ever_blamed():
    assert verdicts(product, normal).count(Verdict.FAIL) <= 4  # of 40: two lines may see nothing
    assert verdicts(product, normal, probe="full").count(Verdict.FAIL) <= 4


def test_values_that_are_zero_by_cancellation_excuse_no_wrong_slope():
    def equal(point):
        (x,) = normal(point)
        return x, x + x.abs() * 2**-52

    assert set(verdicts(distance, equal)) == {Verdict.PASS}
    assert set(verdicts(Fast.apply, equal)) == {Verdict.FAIL}


def test_a_difference_of_larger_numbers_in_few_digits_is_not_called_flat():
    mixing = torch.randn(13, 3, generator=torch.Generator().manual_seed(0))

    def normalised(x):
        return torch.nn.functional.layer_norm(3 - x @ mixing, (3,))

    for seed in (0, 2, 4, 9):
        x = 1e-7 * torch.randn(1, 13, generator=torch.Generator().manual_seed(seed))
        report = secant.check(normalised, x, lift=False, seed=seed, explain=False)
        assert report.verdict is not Verdict.FAIL
