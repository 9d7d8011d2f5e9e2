"""One mistake that reaches several outputs, inputs or calls is told once."""

from __future__ import annotations

import torch
from torch import nn

import secant
from planted import points, scaled_sine


class Pair(torch.autograd.Function):
    """Two outputs of two inputs; the second input's gradient is wrong for both."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y, x * y * y

    @staticmethod
    def backward(ctx, v, w):
        x, y = ctx.saved_tensors
        return v * y + w * y * y, 1.5 * (v * x + 2 * w * x * y)


def test_a_value_that_is_wrong_for_two_outputs_is_told_once(tmp_path):
    report = secant.check(Pair.apply, points(3), points(3))
    text = str(report)
    assert text.count("FAIL  ") == 1, text
    assert "code      2nd value returned by `Pair.backward`, " in text
    assert "also      ∂out[1] / ∂y" in text
    assert sum(one.verdict.name != "PASS" for one in report.findings) == 2
    page = report.save(tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count('class="card finding bad"') == 1


def test_a_rule_that_is_called_twice_is_told_once():
    wrong = scaled_sine(1.25)

    def twice(x, y):
        return wrong(x) * 2 + wrong(y)

    text = str(secant.check(twice, points(3), points(3)))
    assert text.count("FAIL  ") == 1, text
    assert "also      ∂out / ∂y" in text


def test_mistakes_of_different_causes_are_told_one_by_one():
    def both(x, y):
        return scaled_sine(1.25)(x) + scaled_sine(-1.0)(y)

    text = str(secant.check(both, points(3), points(3)))
    assert text.count("FAIL  ") == 2, text
    assert "also" not in text


class Layer(nn.Module):
    def forward(self, x):
        return scaled_sine(1.25)(x)


def test_a_mistake_in_a_class_is_blamed_once():
    result = secant.localise(nn.Sequential(Layer(), nn.Tanh(), Layer(), Layer()), points(2, 3))
    assert len(result.blamed) == 3
    assert result.sentence == "`0` (Layer): it fails by itself (likewise `2`, `3`)"
