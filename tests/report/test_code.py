"""Which line: a failure names the rule's file and line, and which of its values is wrong."""

from __future__ import annotations

import inspect
import io
import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from rich.console import Console

import secant
from planted import points


class Fused(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, reduction, y, w):
        ctx.save_for_backward(x, y, w)
        return x * y * w

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, v):
        x, y, w = ctx.saved_tensors
        return v * y * w, None, v * x * w, 1.1 * v * x * y


class Sine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx, v):
        return v * ctx.saved_tensors[0].cos()

    @staticmethod
    def jvp(ctx, u):
        return u


class Broken(Sine):
    @staticmethod
    def backward(ctx, v):
        return v * ctx.saved_tensors[0].sin()


def fused(x, y, w):
    return Fused.apply(Sine.apply(x), "sum", y.exp(), w)


@jax.custom_vjp
def product(x, pair):
    return x * pair["y"] * pair["z"]


def product_forward(x, pair):
    return product(x, pair), (x, pair)


def product_backward(kept, v):
    x, pair = kept
    y, z = pair["y"], pair["z"]
    return v * y * z, {"y": v * x * z, "z": 3 * v * x * y}


product.defvjp(product_forward, product_backward)


@jax.custom_jvp
def exponential(x):
    return jnp.exp(x)


@exponential.defjvp
def exponential_rule(primals, tangents):
    return exponential(*primals), tangents[0]


def line_of(text: str) -> int:
    """Return the line of this file that begins with a text, after its indentation."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    (line,) = [k for k, one in enumerate(lines, 1) if one.strip().startswith(text)]
    return line


def defined(function) -> int:
    lines, first = inspect.getsourcelines(function)
    return first + next(k for k, one in enumerate(lines) if one.strip().startswith("def "))


def codes(report):
    return {(code.name, code.line, code.value) for one in report.findings for code in one.code}


def test_a_failure_names_the_value_the_rule_the_file_and_the_line(monkeypatch):
    monkeypatch.chdir(Path(__file__).parent)
    report = secant.check(fused, points(3), points(3), points(3))
    words = f"4th value returned by `Fused.backward`, test_code.py:{defined(Fused.backward)}"
    assert f"code      {words}\n" in str(report)
    console = Console(file=io.StringIO(), width=120)
    console.print(report)
    assert words in console.file.getvalue()
    (code,) = json.loads(report.to_json())["findings"][2]["code"]
    assert code == {
        "name": "Fused.backward",
        "file": __file__,
        "line": defined(Fused.backward),
        "value": 4,
    }
    assert str(secant.Report.from_json(report.to_json())) == str(report)


def test_a_page_leads_to_the_file(tmp_path):
    report = secant.check(fused, points(3), points(3), points(3))
    page = report.save(tmp_path / "report.html").read_text(encoding="utf-8")
    line = defined(Fused.backward)
    assert f'<a href="{Path(__file__).as_uri()}#L{line}">4th value returned by `Fused.' in page


def test_a_pass_looks_for_no_code(monkeypatch):
    def never(*arguments, **named):
        raise AssertionError("looked for")

    monkeypatch.setattr(
        "secant._backends.torch.autodiff.derivatives.TorchDerivatives.rules_behind", never
    )
    monkeypatch.setattr("secant._probes.failing.code._Reader", never)
    assert secant.check(Sine.apply, points(3))


def test_a_rule_that_serves_a_right_leaf_as_well_is_not_doubted():
    def both(x, y):
        return Sine.apply(Broken.apply(x) + y)

    report = secant.check(both, points(3), points(3))
    assert codes(report) == {("Broken.backward", defined(Broken.backward), None)}


def test_where_any_of_several_rules_may_be_wrong_all_are_named():
    report = secant.check(lambda x: Sine.apply(Broken.apply(x)), points(3))
    assert [code.name for code in report.findings[0].code] == ["Sine.backward", "Broken.backward"]
    assert "code      either `Sine.backward`, " in str(report)
    assert "code      or `Broken.backward`, " in str(report)


def test_forward_mode_names_the_forward_rule():
    report = secant.check(Sine.apply, points(3), modes="forward")
    assert codes(report) == {("Sine.jvp", defined(Sine.jvp), None)}


def test_second_order_names_the_rule_whose_gradient_is_not_differentiable():
    report = secant.check(Fused.apply, points(2), "sum", points(2), points(2), order=2)
    seconds = [
        one for one in report.findings if "second" in one.subject and one.verdict.name != "PASS"
    ]
    assert {code.name for one in seconds for code in one.code} == {"Fused.backward"}


@pytest.mark.parametrize("compiled", [False, True], ids=["plain", "jit"])
def test_jax_names_the_vjp_rule_and_the_argument(compiled):
    def function(x, y, z):
        return product(jnp.sin(x), {"y": y, "z": z * 2})

    point = [jnp.array([0.5, 1.5], jnp.float32)] * 3
    report = secant.check(jax.jit(function) if compiled else function, *point)
    assert codes(report) == {("product_backward", defined(product_backward), 2)}


def test_jax_names_the_jvp_rule():
    report = secant.check(lambda x: exponential(x) * 2, jnp.array([0.5, 1.5], jnp.float32))
    assert codes(report) == {("exponential_rule", line_of("def exponential_rule"), None)}


def test_jax_finds_a_rule_inside_a_loop():
    def loop(x):
        return jax.lax.fori_loop(0, 3, lambda _, y: exponential(y) * 0.1, x)

    report = secant.check(loop, jnp.array([0.5, 1.5], jnp.float32))
    assert codes(report) == {("exponential_rule", line_of("def exponential_rule"), None)}


def test_a_derivative_by_hand_is_named_itself():
    def pull(x, y, v):
        return v * y, 2 * v * x

    report = secant.check(lambda x, y: x * y, np.ones(2), np.ones(2), pull=pull)
    assert codes(report) == {("pull", line_of("def pull(x, y, v)"), 2)}


class Cut(torch.nn.Module):
    def forward(self, x):
        return x.sin() + x.detach()


class Around(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Sequential(torch.nn.Linear(3, 3), Cut())

    def forward(self, x):
        return self.inner(x)


def test_without_a_rule_the_function_itself_is_named():
    report = secant.check(lambda x: x.sin() + x.detach(), points(3))
    assert codes(report) == {("<lambda>", line_of("report = secant.check(lambda x: x.sin()"), None)}


def test_a_localisation_names_the_class_and_the_line_of_who_is_to_blame(tmp_path):
    result = secant.localise(Around().double(), points(2, 3))
    place = f"`Cut.forward`, {Path(__file__).relative_to(Path.cwd())}:{defined(Cut.forward)}"
    assert f"code      {place}\n" in str(result)
    page = result.save(tmp_path / "page.html").read_text(encoding="utf-8")
    assert f"#L{defined(Cut.forward)}" in page


def test_without_a_rule_the_module_is_named_that_holds_all_that_is_wrong():
    class Inner(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)

        def forward(self, x):
            return x + (self.first.weight.sum() + self.second.weight.sum()).detach()

    class Outer(torch.nn.Module):
        def __init__(self, cut):
            super().__init__()
            self.inner, self.cut = Inner(), cut

        def forward(self, x):
            return self.inner(x.detach() if self.cut else x)

    inside = secant.check(Outer(cut=False).double(), points(2, 3))
    assert {name for name, _, _ in codes(inside)} == {"Inner.forward"}
    everywhere = secant.check(Outer(cut=True).double(), points(2, 3))
    assert {name for name, _, _ in codes(everywhere)} == {"Outer.forward"}


def test_what_has_no_source_is_not_named():
    report = secant.check(torch.sin, points(3), pull=eval("lambda x, v: v"))
    assert [code.file for one in report.findings for code in one.code] == ["<string>"]
    assert not report.findings[0].code[0].link
