"""The full probe: every entry by itself, batched where that works, never trusting the batching."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import secant
from planted import FLOAT, planted, points, scaled_sine, sine_wrong_at

PASS, FAIL = secant.Verdict.PASS, secant.Verdict.FAIL


def mixing(x):
    return torch.stack([x.prod(), (x * x).sum(), x[0].sin()])


def jacobian_of(function, x):
    return torch.autograd.functional.jacobian(function, x).numpy()


def test_the_jacobian_is_measured_entry_by_entry():
    x = points(5)
    report = secant.check(mixing, x, probe="full")
    found = report.jacobian()
    truth = jacobian_of(mixing, x)
    np.testing.assert_allclose(found.claimed, truth, rtol=1e-14)
    assert found.measured.shape == (3, 5)
    assert (np.abs(found.measured - truth) <= found.error).all()
    assert found.error.max() < 1e-7


def test_a_complex_jacobian_has_two_real_coordinates_an_entry():
    z = points(3, dtype=torch.complex128)
    found = secant.check(lambda z: z * z, z, probe="full").jacobian()
    assert found.claimed.shape == (6, 6)
    for k, value in enumerate((2 * z).tolist()):
        block = [[value.real, -value.imag], [value.imag, value.real]]
        np.testing.assert_allclose(found.claimed[2 * k : 2 * k + 2, 2 * k : 2 * k + 2], block)


def test_wrong_entries_are_listed_counted_and_sorted_by_size():
    def backward(saved, v):
        slope = saved[0].cos().clone()
        slope[[2, 5]] += torch.tensor([0.1, 0.3], dtype=FLOAT)
        return v * slope

    report = secant.check(planted("Two", torch.sin, backward), points(8), probe="full")
    finding = report.worst
    assert finding.wrong == 2
    assert finding.total == 64
    assert [entry.input for entry in finding.entries] == ["input0[5]", "input0[2]"]
    assert [entry.output for entry in finding.entries] == ["out[5]", "out[2]"]


def test_at_most_ten_entries_are_listed_and_all_are_counted():
    finding = secant.check(scaled_sine(1.5), points(30), probe="full").worst
    assert len(finding.entries) == 10
    assert finding.wrong == 30
    assert finding.total == 900


def test_a_function_that_does_not_batch_is_looped_over():
    def scalar(x):
        return torch.stack([x[0] * float(x.detach()[1]) * 0 + x[0].sin(), x[1] * x[0]])

    x = points(6)
    assert secant.check(scalar, x, probe="full")
    wrong = scaled_sine(1.2)
    report = secant.check(lambda y: wrong(y) + float(y.detach().sum()) * 0, x, probe="full")
    assert report.verdict is FAIL


class Batched(torch.autograd.Function):
    """sin, with a batching rule that computes something else."""

    @staticmethod
    def forward(x):
        return x.sin()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, v):
        return v * ctx.saved_tensors[0].cos() * 2

    @staticmethod
    def vmap(info, in_dims, x):
        return 2 * x.sin(), in_dims[0]


def test_a_wrong_batching_rule_cannot_speak_for_the_function():
    """Batched, claim and measurement agree on 2 cos; the function itself has slope cos."""
    assert secant.check(Batched.apply, points(8), probe="full").verdict is FAIL


class WrongBatching(torch.autograd.Function):
    """sin with a right backward and a wrong batching rule."""

    @staticmethod
    def forward(x):
        return x.sin()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, v):
        return v * ctx.saved_tensors[0].cos()

    @staticmethod
    def vmap(info, in_dims, x):
        return 2 * x.sin(), in_dims[0]


def test_a_right_gradient_is_not_blamed_for_the_batching_rule_of_its_forward():
    report = secant.check(WrongBatching.apply, points(8), probe="full")
    blamed = {one.kind for one in report.findings if one.verdict is FAIL}
    assert "derivative" not in blamed


@pytest.mark.parametrize("memory", [1, 4096, 2**20])
def test_any_memory_budget_gives_the_same_verdicts(memory):
    x = points(40)
    assert secant.check(torch.sin, x, probe="full", memory=memory)
    report = secant.check(sine_wrong_at(33, 1e-3), x, probe="full", memory=memory)
    assert report.verdict is FAIL
    assert report.worst.wrong == 1
    assert report.worst.entries[0].input == "input0[33]"


def test_a_jacobian_that_does_not_fit_into_memory_is_not_kept():
    report = secant.check(torch.sin, points(40), probe="full", memory=4096)
    with pytest.raises(secant.InputError, match="fit into `memory`"):
        report.jacobian()


# -- many more outputs than inputs: asked in mixtures --------------------------------------------


def tall(x):
    """A thousand rows for each of a few columns, and their sum."""
    return torch.outer(torch.linspace(0.5, 2.0, 1000, dtype=FLOAT), x.sin()), x.sum()


def tall_wrong_at(row, column, error):
    def backward(saved, v, w):
        rows = torch.linspace(0.5, 2.0, 1000, dtype=FLOAT)
        gradient = (rows @ v) * saved[0].cos() + w
        gradient[column] += error * v[row, column]
        return gradient

    return planted("TallWrong", tall, backward)


def test_a_tall_jacobian_costs_few_pulls_and_is_not_kept():
    report = secant.check(tall, points(4), probe="full")
    assert report, str(report)
    assert report.resolution < 1e-4
    assert report.cost.pulls < 20
    with pytest.raises(secant.InputError):
        report.jacobian("out[0]")
    assert report.jacobian("out[1]").claimed.tolist() == [[1.0] * 4]


def test_a_place_means_the_same_output_whichever_jacobians_were_kept():
    report = secant.check(tall, points(4), probe="full")
    assert report.jacobian(1).claimed.tolist() == [[1.0] * 4]
    with pytest.raises(secant.InputError):
        report.jacobian(0)


@pytest.mark.parametrize(("row", "column"), [(0, 0), (777, 3), (999, 1)])
def test_one_wrong_entry_of_a_tall_jacobian_is_named(row, column):
    report = secant.check(tall_wrong_at(row, column, 1e-3), points(4), probe="full")
    assert report.verdict is FAIL
    (entry,) = report.worst.entries
    assert (entry.output, entry.input) == (f"out[0][{row}, {column}]", f"x[{column}]")
    assert entry.claimed - entry.measured.value == pytest.approx(1e-3, abs=1e-7)


@pytest.mark.parametrize("size", [1, 2, 50])
def test_auto_is_the_cheaper_probe(size):
    auto = secant.check(torch.sin, points(size)).cost
    fast, full = (secant.check(torch.sin, points(size), probe=one).cost for one in ("fast", "full"))
    assert (auto.evaluations, auto.pulls) == (fast.evaluations, fast.pulls)
    cheaper, dearer = (one.evaluations + one.pulls for one in (auto, full))
    assert cheaper < dearer or (size == 1 and cheaper == dearer)  # where both ask one entry


def test_every_leaf_is_stepped_at_its_own_size():
    """Entries of very different sizes, each with a slope of its own."""
    x = torch.tensor([1e-6, 1.0, 1e6], dtype=FLOAT)
    assert secant.check(lambda y: y * y, x, probe="full")
    wrong = planted("Small", lambda y: y * y, lambda s, v: v * (2 * s[0] + 1e-3 * (s[0] < 1e-3)))
    assert secant.check(wrong, x, probe="full").verdict is FAIL


def test_full_and_fast_agree_on_the_promise():
    x = points(20)
    fast = secant.check(torch.sin, x, probe="fast").resolution
    full = secant.check(torch.sin, x, probe="full").resolution
    assert 0 < full < 1e-5
    assert 0 < fast < 1e-5


def test_a_column_asked_again_without_batching_is_measured_at_the_same_points():
    numbers = torch.Generator().manual_seed(2)
    x = torch.randn(4, 5, dtype=torch.float64, generator=numbers).float()  # one near a kink

    def rectified(x):
        return 2 * x.clamp(-1, 1) + 0.1 * x

    for seed in (26, 43, 56, 66):
        report = secant.check(rectified, x, lift=False, probe="full", seed=seed, explain=False)
        assert report.verdict is secant.Verdict.PASS


def test_an_entry_that_is_asked_alone_promises_all_that_its_bar_can():
    passed = 0
    for place in (-0.73, -0.738, -0.74, -0.742, -0.745, -0.7475):  # slopes from 0.01 to 0.002
        x = torch.tensor([place, 0.3, 1.2, -1.6])
        report = secant.check(torch.nn.functional.gelu, x, lift=False, probe="full")
        passed += report.verdict is secant.Verdict.PASS
        assert report.verdict is not secant.Verdict.FAIL
    assert passed >= 5
