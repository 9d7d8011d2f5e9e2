"""A pass taken apart: which calls are there, what is said about them, and in which medium."""

from __future__ import annotations

import io
import json

import pytest
import torch
from rich.console import Console
from torch import nn

import secant
from secant import Verdict
from wrong.modules.broken import numbers
from wrong.modules.layers import Gelu, LayerNorm


def network(*, wrong):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 3), LayerNorm(3, wrong), nn.Tanh()).double()


def test_calls_are_in_the_order_of_execution_with_the_rules_inside():
    result = secant.localise(network(wrong=False), numbers(2, 3))
    assert [(call.path, call.kind, call.depth) for call in result.calls] == [
        ("", "Sequential", 0),
        ("0", "Linear", 1),
        ("1", "LayerNorm", 1),
        ("1", "LayerNormRule", 2),
        ("2", "Tanh", 1),
    ]
    assert result.verdict is Verdict.PASS
    assert result.whole is result.calls[0].report
    assert bool(result)
    assert "nobody" in result.sentence
    result.raise_for_verdict()


def test_several_calls_of_one_submodule_appear_each():
    class Loop(nn.Module):
        def __init__(self):
            super().__init__()
            self.step = nn.Linear(3, 3)

        def forward(self, x):
            for _ in range(3):
                x = self.step(x).tanh()
            return x

    result = secant.localise(Loop().double(), numbers(2, 3))
    assert [call.name for call in result.calls[1:]] == ["step", "step (call 2)", "step (call 3)"]
    assert [call.number for call in result.calls[1:]] == [1, 2, 3]


def test_a_rule_is_heard_where_its_apply_was_bound_long_ago():
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x**3

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, v):
            return v * ctx.saved_tensors[0] ** 2

    cube = Cube.apply

    class Cubed(nn.Module):
        def forward(self, x):
            return cube(x)

    result = secant.localise(nn.Sequential(nn.Tanh(), Cubed()), numbers(2, 3))
    assert [(call.path, call.kind) for call in result.blamed] == [("1", "Cube")]
    assert result["Cube"].verdict is Verdict.FAIL
    assert "× measured" in result["Cube"].worst.cause


def test_inputs_are_those_that_a_submodule_really_got():
    seen = []

    class Adds(nn.Module):
        def forward(self, x, *, more=None):
            seen.append((x.detach().clone(), more))
            return x + more

    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.adds = Adds()

        def forward(self, x):
            return self.adds(x * 2, more=3.0)

    x = numbers(2, 3)
    assert secant.localise(Outer(), x)
    assert any(torch.equal(given, 2 * x) and more == 3.0 for given, more in seen)


def test_a_submodule_whose_input_has_no_record_is_not_checked_and_says_so():
    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.mask = nn.Sigmoid()

        def forward(self, x):
            return x * self.mask(torch.ones(3, dtype=x.dtype))

    result = secant.localise(Outer(), numbers(2, 3))
    assert result["mask"].verdict is None
    assert "nothing to differentiate" in result["mask"].remark
    assert result


def test_two_guilty_submodules_are_both_named():
    module = nn.Sequential(Gelu(True), nn.Linear(3, 3), LayerNorm(3)).double()
    result = secant.localise(module, numbers(2, 3))
    assert [call.kind for call in result.blamed] == ["GeluRule", "LayerNormRule"]
    assert "GeluRule" in result.sentence
    assert "LayerNormRule" in result.sentence


def test_text_terminal_and_json_say_the_same():
    result = secant.localise(network(wrong=True), numbers(2, 3))
    text = str(result)
    assert text.startswith("FAIL  `Sequential`, 5 calls checked one by one\n")
    assert "to blame  the rule `LayerNormRule`, called in `1` (LayerNorm)" in text
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(result)
    assert "the rule `LayerNormRule`" in console.export_text()
    data = json.loads(result.to_json())
    assert data["verdict"] == "FAIL"
    assert data["blamed"] == [3]
    assert [call["verdict"] for call in data["calls"]] == ["FAIL", "PASS", "FAIL", "FAIL", "PASS"]
    assert data["calls"][3]["report"]["verdict"] == "FAIL"


def test_long_runs_that_pass_are_one_row():
    torch.manual_seed(0)
    layers = [nn.Linear(3, 3) for _ in range(30)]
    result = secant.localise(nn.Sequential(*layers, LayerNorm(3)).double(), numbers(2, 3))
    text = str(result)
    assert len(result.calls) == 33
    assert "PASS\n" in text
    assert "… 28 PASS" in text
    assert len(text.splitlines()) <= 20
    assert result.blamed[0].path == "30"


def test_a_failure_raises_with_the_result():
    result = secant.localise(network(wrong=True), numbers(2, 3))
    with pytest.raises(secant.GradientMismatch) as caught:
        result.raise_for_verdict()
    assert caught.value.report is result


def test_a_function_is_refused_with_what_to_use():
    with pytest.raises(secant.InputError, match="expected a module to take apart"):
        secant.localise(torch.sin, numbers(3))


def test_a_copy_in_float64():
    module = network(wrong=True).float()
    result = secant.localise(module, numbers(2, 3).float(), dtype="float64")
    assert result.blamed[0].kind == "LayerNormRule"
    assert next(module.parameters()).dtype is torch.float32
