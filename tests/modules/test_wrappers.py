"""Compiled, checkpointed and functional modules: the same verdict as the plain one, or why not."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

import secant
from secant import Verdict
from wrong.modules.broken import numbers
from wrong.modules.layers import LayerNorm


class Network(nn.Module):
    def __init__(self, wrong=False, reentrant=None):
        super().__init__()
        self.first, self.norm = nn.Linear(3, 4), LayerNorm(4) if wrong else nn.LayerNorm(4)
        self.last, self.reentrant = nn.Linear(4, 2), reentrant

    def forward(self, x):
        x = self.first(x)
        if self.reentrant is None:
            return self.last(self.norm(x).tanh())
        inner = checkpoint(lambda y: self.norm(y).tanh(), x, use_reentrant=self.reentrant)
        return self.last(inner)


def built(**options):
    torch.manual_seed(0)
    return Network(**options).double()


@pytest.mark.parametrize("wrong", [False, True])
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.filterwarnings("ignore")
def test_a_compiled_module_gets_the_verdict_of_the_plain_one(backend, wrong):
    torch._dynamo.reset()
    plain = built(wrong=wrong)
    compiled = torch.compile(plain, backend=backend)
    report = secant.check(compiled, numbers(2, 3))
    assert report.verdict is secant.check(plain, numbers(2, 3)).verdict, str(report)
    assert report.verdict is (Verdict.FAIL if wrong else Verdict.PASS)
    leaves = {one.where.partition(" / ∂")[2] for one in report.findings if one.input is not None}
    assert "first.weight" in leaves


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_a_checkpointed_module_passes_as_the_plain_one(dtype, order):
    module = built(reentrant=False).to(dtype)
    report = secant.check(module, numbers(2, 3).to(dtype), order=order)
    assert report.verdict is Verdict.PASS, str(report)
    assert all(one.grad is None for one in module.parameters())


def test_a_checkpointed_module_fails_as_the_plain_one():
    module = built(wrong=True, reentrant=False)
    assert secant.check(module, numbers(2, 3)).verdict is Verdict.FAIL
    result = secant.localise(module, numbers(2, 3))
    assert [call.path for call in result.blamed] == ["norm"]
    assert result.blamed[0].kind == "LayerNormRule"


def test_a_reentrant_checkpoint_cannot_be_asked_and_says_so():
    report = secant.check(built(reentrant=True), numbers(2, 3))
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "use_reentrant=False" in report.worst.message


@pytest.mark.parametrize("wrong", [False, True])
def test_functional_call_gets_the_verdict_of_the_module(wrong):
    module = built(wrong=wrong)

    def function(parameters, x):
        return torch.func.functional_call(module, parameters, (x,))

    report = secant.check(function, dict(module.named_parameters()), numbers(2, 3))
    assert report.verdict is (Verdict.FAIL if wrong else Verdict.PASS)


@pytest.mark.filterwarnings("ignore")
def test_a_compiled_module_is_taken_apart_uncompiled():
    torch._dynamo.reset()
    compiled = torch.compile(built(wrong=True), backend="eager")
    result = secant.localise(compiled, numbers(2, 3))
    assert result.verdict is Verdict.FAIL
    assert [call.path for call in result.blamed] == ["norm"], str(result)
