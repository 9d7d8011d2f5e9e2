"""Networks of rectifiers in single precision: judged along a path where no slope can tell."""

from __future__ import annotations

import itertools

import pytest
import torch

import secant
from secant import Verdict


def network(seed, width=48, batch=16):
    generator = torch.Generator().manual_seed(seed)
    sizes = [12, width, width, width, 8]
    layers = [
        (
            torch.randn(inside, outside, generator=generator) * (2 / inside) ** 0.5,
            torch.randn(outside, generator=generator) * 0.1,
        )
        for inside, outside in itertools.pairwise(sizes)
    ]
    labels = torch.randint(0, 8, (batch,), generator=generator)

    def loss(x):
        for weight, bias in layers[:-1]:
            x = torch.relu(x @ weight + bias)
        weight, bias = layers[-1]
        return torch.nn.functional.cross_entropy(x @ weight + bias, labels)

    return loss, torch.randn(batch, 12, generator=generator)


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.factor, None


POINT = torch.linspace(0.3, 1.7, 7)


class WrongAtThePoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x.cos() * (1.5 if torch.equal(x, POINT) else 1.0)


def test_a_right_network_passes_and_what_was_judged_along_a_path_says_so_with_its_promise():
    reports = []
    for seed in range(8):
        loss, x = network(seed)
        reports.append(secant.check(loss, x, lift=False))
    verdicts = [report.verdict for report in reports]
    assert Verdict.FAIL not in verdicts
    assert verdicts.count(Verdict.PASS) >= 7
    noted = [
        finding
        for report in reports
        for finding in report.findings
        if "ALONG_A_PATH" in finding.codes
    ]
    assert noted
    assert all(finding.resolution is not None for finding in noted)


@pytest.mark.parametrize("seeds", [8, pytest.param(30, marks=pytest.mark.slow)])
def test_of_networks_that_no_constant_was_chosen_on_none_is_called_wrong(seeds):
    verdicts = []
    for seed in range(100, 100 + seeds):
        loss, x = network(seed)
        verdicts.append(secant.check(loss, x, lift=False, explain=False).verdict)
    assert Verdict.FAIL not in verdicts
    assert verdicts.count(Verdict.PASS) >= 0.9 * seeds


@pytest.mark.parametrize("factor", [0.9, 1.1, 2.0])
def test_a_wrong_factor_behind_kinks_is_not_let_off(factor):
    for seed in range(3):
        loss, x = network(seed)
        report = secant.check(lambda x, f=loss: f(Scaled.apply(x, factor)), x, lift=False)
        assert report.verdict is not Verdict.PASS, str(report)


def test_a_claim_that_is_wrong_at_the_point_alone_is_not_let_off():
    report = secant.check(WrongAtThePoint.apply, POINT, lift=False)
    assert report.verdict is not Verdict.PASS
