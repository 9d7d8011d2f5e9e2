"""Every law catches the backward that breaks it, by name, and lets a right one be."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

import secant
from asked import ask
from planted import planted, points
from secant._laws import signature
from secant._laws.base import PulledClaim
from secant._settings import LAWS

PASS, FAIL, INCONCLUSIVE = secant.Verdict.PASS, secant.Verdict.FAIL, secant.Verdict.INCONCLUSIVE


def cosine(saved, v):
    return v * saved[0].cos()


def sine(backward, push=None):
    return planted("Sine", torch.sin, backward, push)


def law(report, name):
    """Return the finding about one law."""
    (finding,) = [one for one in report.findings if one.kind == name]
    return finding


def broken(report):
    return {one.kind for one in report.findings if one.verdict is FAIL}


def accumulating():
    total = torch.zeros(2, 2, dtype=torch.float64)

    def backward(saved, v):
        total.add_(v * saved[0].cos())
        return total.clone()

    return sine(backward)


def strided(v):
    """Read v as a kernel does that takes it for contiguous."""
    flat = torch.as_strided(v, (v.untyped_storage().nbytes() // 8,), (1,))
    return flat[: v.numel()].reshape(v.shape)


class Undefined(torch.autograd.Function):
    """Gives up whenever one of its two cotangents is absent."""

    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x)
        return x.sin(), x * x

    @staticmethod
    def backward(ctx, first, second):
        (x,) = ctx.saved_tensors
        if first is None:
            return 2 * x * second
        if second is None:
            return torch.zeros_like(x)
        return first * x.cos() + 2 * x * second


def doubled_when_batched(saved, v):
    """A batching rule that is wrong: twice the gradient, for a batch only."""
    is_batched = torch._C._functorch.is_batchedtensor(v)
    return v * saved[0].cos() * (2 if is_batched else 1)


class Together(torch.autograd.Function):
    """A product whose backward forgets that one input may need a gradient without the other."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, v):
        x, y = ctx.saved_tensors
        if not all(ctx.needs_input_grad):
            return torch.zeros_like(x), torch.zeros_like(y)
        return v * y, v * x


BROKEN = {
    "linearity: abs": ("linearity", sine(lambda s, v: v.abs() * s[0].cos())),
    "linearity: relu": ("linearity", sine(lambda s, v: v.relu() * s[0].cos())),
    "linearity: square": ("linearity", sine(lambda s, v: v * v * s[0].cos())),
    "linearity: clamp": ("linearity", sine(lambda s, v: v.clamp(-2, 2) * s[0].cos())),
    "linearity: constant": ("linearity", sine(lambda s, v: v * s[0].cos() + 1e-3)),
    "determinism: accumulates": ("determinism", accumulating()),
    "determinism: random": (
        "determinism",
        sine(lambda s, v: v * s[0].cos() * (1 + torch.rand(2, 2, dtype=v.dtype))),
    ),
    "mutation: cotangent": ("mutation", sine(lambda s, v: v.mul_(s[0].cos()))),
    "layout: strides ignored": ("layout", sine(lambda s, v: strided(v) * s[0].cos())),
    "layout: view raises": ("layout", sine(lambda s, v: v.view(-1).view(2, 2) * s[0].cos())),
    "undefined": ("undefined", Undefined.apply),
    "batching": ("batching", sine(doubled_when_batched)),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_law_is_named(case):
    name, function = BROKEN[case]
    report = secant.check(function, points(2, 2), laws="all", probe="fast")
    assert report.verdict is FAIL
    finding = law(report, name)
    assert finding.verdict is FAIL
    assert finding.cause
    assert finding.advice


@pytest.mark.parametrize("case", BROKEN)
def test_no_other_law_is_blamed(case):
    name, function = BROKEN[case]
    report = secant.check(function, points(2, 2), laws="all", probe="fast")
    assert broken(report) - {"derivative", "liveness"} == {name}


@pytest.mark.parametrize("case", BROKEN)
def test_a_law_that_is_switched_off_is_not_mentioned(case):
    name, function = BROKEN[case]
    others = [one for one in LAWS if one != name]
    report = secant.check(function, points(2, 2), laws=others, probe="fast")
    assert name not in {one.kind for one in report.findings}


def test_asking_for_some_gradients_only_must_give_the_same():
    report = secant.check(Together.apply, points(3), points(3, seed=1), laws="all")
    assert broken(report) == {"subsets"}


def test_forward_and_reverse_must_be_one_jacobian():
    both = sine(cosine, lambda saved, u: 1.5 * u * saved[0].cos())
    report = secant.check(both, points(4), modes="all", laws="all")
    assert law(report, "adjointness").verdict is FAIL
    wrong = {one.subject for one in report.findings if one.verdict is FAIL}
    assert "forward-mode derivative" in wrong
    assert "derivative" not in {
        one.kind
        for one in report.findings
        if one.subject == "reverse-mode gradient" and one.verdict is FAIL
    }


def test_adjointness_needs_forward_mode_and_is_not_claimed_without_it():
    report = secant.check(torch.sin, points(4), laws="all")
    assert "adjointness" not in {one.kind for one in report.findings}


def test_a_dead_input_breaks_liveness():
    report = secant.check(lambda x, y: x * y.detach(), points(3), points(3, seed=1))
    assert broken(report) == {"liveness"}


def test_liveness_can_be_switched_off():
    assert secant.check(
        lambda x, y: x * y.detach(), points(3), points(3, seed=1), laws="linearity", probe="fast"
    )


@pytest.mark.parametrize(
    "function",
    [
        torch.sin,
        lambda x: (x * x).sum(),
        lambda x: (x.sin(), x.exp().mean()),
        lambda x: x.view(2, 2) @ x.view(2, 2),
        sine(cosine, lambda saved, u: u * saved[0].cos()),
    ],
    ids=["sin", "sum", "two outputs", "matrix product", "own"],
)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.complex128])
def test_right_derivatives_keep_all_laws(function, dtype):
    if dtype.is_complex and not isinstance(function, type(torch.sin)):
        function = torch.exp
    report = secant.check(function, points(4, dtype=dtype), laws="all", modes="all", probe="fast")
    assert report, str(report)
    kinds = {one.kind for one in report.findings}
    assert kinds >= set(LAWS) - {
        "liveness",
        "primal",
    }  # nothing is dead; no rule has a pass of its own


def test_a_backward_that_cannot_be_batched_is_said_and_blames_nobody():
    def backward(saved, v):
        return v * saved[0].cos() if float(v.abs().sum()) >= 0 else v

    report = secant.check(sine(backward), points(4), laws="all", probe="fast")
    assert law(report, "batching").verdict is INCONCLUSIVE
    assert not broken(report)


@pytest.mark.parametrize(
    ("change", "word"),
    [(lambda g: g.float(), "dtype"), (lambda g: g[:2], "shape"), (lambda g: g[None], "shape")],
)
def test_a_gradient_of_another_signature_is_named(change, word):
    """Torch casts what an autograd.Function returns; other frameworks may not."""
    asked = ask(torch.sin, points(3))
    pulled = asked.question.pulled
    bent = replace(pulled, arrays=[change(pulled.arrays[0])])
    examination = asked.examination
    pulled_claim = PulledClaim(
        examination.problem, examination.directions, asked.mode.claim, [bent]
    )
    finding = signature.examine(pulled_claim)
    assert finding.verdict is FAIL
    assert word in finding.message


def test_a_backward_that_returns_another_shape_fails_with_its_words():
    report = secant.check(sine(lambda s, v: v[:2]), points(4))
    assert report.verdict is FAIL
    assert "shape" in str(report)


def test_sums_in_another_order_are_not_called_random():
    calls = 0

    def backward(saved, v):
        nonlocal calls
        calls += 1
        return v * saved[0].cos() * (1 + 2e-16 * (calls % 2))

    report = secant.check(sine(backward), points(4))
    assert report
    assert law(report, "determinism").verdict is PASS


def test_a_backward_that_is_wrong_for_an_expanded_cotangent_is_found():
    def backward(saved, v):
        return (1.3 if 0 in v.stride() else 1.0) * v * saved[0].cos()

    report = secant.check(planted("Expanded", torch.sin, backward), points(6, 4))
    assert [finding.kind for finding in report.findings if finding.verdict is FAIL] == ["layout"]
    assert "out.sum().backward()" in str(report)


def test_a_backward_that_draws_random_numbers_is_not_taken_for_one_that_minds_layouts():
    def dropped(x):
        return x * (torch.rand_like(x) > 0.3)

    def backward(saved, v):
        return v * (torch.rand(v.shape, dtype=v.dtype) > 0.3)

    report = secant.check(planted("Dropped", dropped, backward), points(6, 4))
    assert law(report, "layout").verdict is PASS
    assert law(report, "determinism").verdict is FAIL


def test_a_backward_that_writes_into_an_expanded_cotangent_is_found():
    def backward(saved, v):
        return v.mul_(saved[0].cos())

    report = secant.check(planted("Writes", torch.sin, backward), points(6, 4))
    assert report.verdict is FAIL


def test_a_cotangent_that_leaves_the_range_of_half_precision_breaks_nothing():
    steep = planted("Steep", lambda x: x * 2.0**13, lambda saved, v: v * 2.0**13)
    assert secant.check(steep, points(8, dtype=torch.float16))


@pytest.mark.parametrize(
    ("off", "advice"), [(1e-5, "tolerance be relative"), (0.1, "exactly once")]
)
def test_an_adjoint_that_is_solved_to_a_tolerance_is_told_to_make_it_relative(off, advice):
    def backward(saved, v):
        return v * saved[0].cos() + off * v.abs()

    finding = law(secant.check(sine(backward), points(3), rtol=1e-3), "linearity")
    assert finding.verdict is FAIL
    assert advice in finding.advice
