"""What a user reads, from the check to the last word; only bars, costs and times are left open."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest
import torch

import secant
from planted import FLOAT, planted, scaled_sine, sine_wrong_at

X = torch.tensor([0.25, 0.5, 0.75], dtype=FLOAT)


def seen(report: secant.Report) -> str:
    """Return the message with what depends on the machine left open."""
    text = re.sub(r"± [-+.\de]*\d", "± …", str(report))
    text = re.sub(r" +\([-+.\de]+ error bars apart\)", "  (… error bars apart)", text)
    text = re.sub(r"(  code .*, )\S*?(\w+\.py:)\d+", r"\1\2…", text)
    text = re.sub(r"above [-.\de]+ is caught", "above … is caught", text)
    return re.sub(r"[-.\de]+ s  seed", "… s  seed", text)


def picture(text: str) -> str:
    return dedent(text).strip("\n")


class Cube(torch.autograd.Function):
    """x³ with an off-by-some factor."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, v):
        return 3.1875 * ctx.saved_tensors[0] ** 2 * v


def test_a_right_gradient():
    assert seen(secant.check(torch.sin, X)) == picture("""
        PASS  reverse-mode gradient of `sin`
          checked     1 pair of leaves
          laws        undefined, linearity, layout, determinism, signature, mutation
          resolution  any single wrong entry above … is caught
          cost        5 evaluations, 2 pulls, 0 pushes, … s  seed 1729
    """)


def test_a_constant_factor():
    assert seen(secant.check(Cube.apply, X)) == picture("""
        FAIL  reverse-mode gradient of `Cube`
          where     ∂out[2] / ∂x[2]                       (3 of 9 entries wrong)
          claimed   1.79297
          measured  1.6875 ± …  (… error bars apart)
          likely    claimed = 1.0625 × measured in every probe: a constant factor is wrong
          code      `Cube.backward`, test_messages.py:…
            entry            claimed   measured ± error
            ∂out[2] / ∂x[2]  1.79297   1.6875 ± …
            ∂out[1] / ∂x[1]  0.796875  0.75 ± …
            ∂out[0] / ∂x[0]  0.199219  0.1875 ± …
          rerun     secant.check(Cube.apply, x, probe="full", seed=1729)
    """)


def test_a_single_wrong_entry():
    assert seen(secant.check(sine_wrong_at(1, 0.125), X)) == picture("""
        FAIL  reverse-mode gradient of `SineWrongAt`
          where     ∂out[1] / ∂input0[1]                  (1 of 9 entries wrong)
          claimed   1.00258
          measured  0.877583 ± …  (… error bars apart)
          code      `SineWrongAt.backward`, planted.py:…
          rerun     secant.check(SineWrongAt.apply, input0, probe="full", seed=1729)
    """)


def test_a_wrong_sign_of_a_scalar():
    assert seen(secant.check(scaled_sine(-1.0), X[0])) == picture("""
        FAIL  reverse-mode gradient of `ScaledSine`
          where     ∂out / ∂input0                        (1 of 1 entry wrong)
          claimed   -0.968912
          measured  0.968912 ± …  (… error bars apart)
          likely    claimed = −1 × measured in every probe: the sign is wrong
          code      `ScaledSine.backward`, planted.py:…
          rerun     secant.check(ScaledSine.apply, input0, probe="full", seed=1729)
    """)


def test_a_detached_input():
    def product(x, y):
        return (x * y.detach()).sum()

    assert seen(secant.check(product, X, X.flip(0))) == picture("""
        FAIL  reverse-mode gradient of `product`
          where     ∂out / ∂y[2]                          (3 of 3 entries wrong)
          what      y moves out but gets no gradient
          claimed   0
          measured  0.75 ± …  (… error bars apart)
          likely    claimed = 0 everywhere: the dependence is cut (a detach, or a missing gradient)
          code      `product`, test_messages.py:…
            entry         claimed  measured ± error
            ∂out / ∂y[2]  0        0.75 ± …
            ∂out / ∂y[1]  0        0.5 ± …
            ∂out / ∂y[0]  0        0.25 ± …
          right     ∂out / ∂x
          rerun     secant.check(product, x, y, probe="full", seed=1729)
    """)


def test_a_broken_law():
    relu = planted("Relu", torch.sin, lambda saved, v: v.mul_(saved[0].cos()))
    assert seen(secant.check(relu, X)) == picture("""
        FAIL  reverse-mode gradient of `Relu`
          what    the backward pass writes into the cotangent it was given
          broken  the mutation law
          likely  an in-place operation on grad_output; other branches of a graph see the damage
          code    `Relu.backward`, test_messages.py:…
          next    work on a copy: replace `grad_output.op_(...)` with `grad_output.op(...)`
          rerun   secant.check(Relu.apply, input0, probe="full", seed=1729)
    """)


def test_a_missing_jvp():
    half = planted("Half", torch.sin, lambda saved, v: v * saved[0].cos())
    text = seen(secant.check(half, X, modes="forward"))
    assert text.startswith(
        "INCONCLUSIVE  forward-mode derivative of `Half`\n"
        "  what    the forward-mode pass raised NotImplementedError: "
    )
    assert text.endswith(
        "  likely  the framework has no derivative here\n"
        '  rerun   secant.check(Half.apply, input0, modes="forward", probe="full", seed=1729)'
    )


def test_a_point_that_cannot_be_left():
    def island(x):
        return torch.where(x.detach() == 0.25, x * 2, torch.nan)

    report = secant.check(island, torch.full((3,), 0.25, dtype=FLOAT))
    text = seen(report)
    assert text.startswith("INCONCLUSIVE  reverse-mode gradient of `island`\n")
    assert "no step stays inside the domain: the function is not finite beside the point" in text


def test_a_function_that_disagrees_with_itself_is_named_as_one():
    generator = torch.Generator().manual_seed(0)

    def restless(y):
        return y.sin() * torch.rand(y.shape, generator=generator, dtype=y.dtype)

    text = str(secant.check(restless, X))
    assert text.startswith("INCONCLUSIVE")
    assert re.search(r"disagrees with itself|not repeatable|random", text)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"seed": 7}, "seed=7)"),
        ({"modes": "all"}, 'modes="all"'),
        ({"order": 2}, "order=2"),
        ({"rtol": 1e-9}, "rtol=1e-09"),
        ({"step": 1e-3}, "step=0.001"),
        ({"kwargs": {}}, "seed=1729)"),
    ],
)
def test_the_last_line_can_be_run_again_with_the_settings_that_mattered(settings, words):
    rerun = str(secant.check(scaled_sine(2.0), X, **settings)).splitlines()[-1]
    assert rerun.startswith("  rerun ")
    assert words in rerun


def test_the_last_line_runs():
    fn = scaled_sine(2.0).__self__
    report = secant.check(fn.apply, X)
    again = eval(report.rerun, {"secant": secant, "ScaledSine": fn, "input0": X})
    assert again.verdict is secant.Verdict.FAIL


def test_many_inputs_are_abbreviated():
    inputs = [X.clone() for _ in range(6)]
    wrong = scaled_sine(2.0)

    def function(a, b, c, d, e, f):
        return wrong(a) + b + c + d + e + f

    rerun = secant.check(function, *inputs).rerun
    assert rerun == 'secant.check(function, *inputs, probe="full", seed=1729)'
