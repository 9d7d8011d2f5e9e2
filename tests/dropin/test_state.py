"""State is sacred: a check changes nothing, whether it passes, fails, is refused or interrupted."""

from __future__ import annotations

import pytest
import torch
from torch.autograd.gradcheck import GradcheckError as TorchError

from dropin.promises import BOTH, FORWARD, FORWARD_OVER_REVERSE, leaf, sine_with_gradient
from fingerprints import Halt, fingerprint
from planted import points, scaled_sine
from secant import Undecided
from secant.torch import gradcheck, gradgradcheck

CHECKS = {
    "reverse": (gradcheck, {}),
    "forward": (gradcheck, FORWARD),
    "everything": (
        gradcheck,
        {
            "check_forward_ad": True,
            "check_batched_grad": True,
            "check_batched_forward_grad": True,
            "check_grad_dtypes": True,
        },
    ),
    "second": (gradgradcheck, {}),
    "second, not contiguous": (gradgradcheck, {"gen_non_contig_grad_outputs": True}),
    "forward over reverse": (gradgradcheck, FORWARD_OVER_REVERSE),
}
EVERY = pytest.mark.parametrize("name", CHECKS)


@pytest.fixture
def inputs():
    """Tensors with what a user may have hung on them: strides, a gradient, a hook, a history."""
    marked = points(3, 2).t().requires_grad_()
    marked.grad = torch.full((2, 3), 7.0, dtype=torch.float64)
    marked.register_hook(lambda gradient: gradient * 1000)
    root = leaf(3, seed=1)
    return marked, (root * 2), points(3, seed=2)


def product(one, other, constant):
    return (one.sin() * other * constant).sum(0), (one * one).mean()


def run(name: str, function, inputs, fast_mode: bool, **more):
    check, flags = CHECKS[name]
    return check(function, inputs, fast_mode=fast_mode, **flags, **more)


@BOTH
@EVERY
def test_a_check_that_passes_changes_nothing(name, inputs, fast_mode):
    before = fingerprint(*inputs)
    assert run(name, product, inputs, fast_mode)
    assert fingerprint(*inputs) == before


@pytest.mark.thinned(keep=6)
@BOTH
@EVERY
def test_a_check_that_fails_changes_nothing(name, inputs, fast_mode):
    first_wrong = scaled_sine(1.5)
    second_wrong = sine_with_gradient(lambda x, v: v * x.detach().cos())

    def wrong(one, other, constant):
        return first_wrong(one) * other + second_wrong(one) * constant

    before = fingerprint(*inputs)
    assert run(name, wrong, inputs, fast_mode, raise_exception=False) is False
    assert fingerprint(*inputs) == before
    with pytest.raises(TorchError):
        run(name, wrong, inputs, fast_mode)
    assert fingerprint(*inputs) == before


@pytest.mark.thinned(keep=30)
@BOTH
@EVERY
@pytest.mark.parametrize("call", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("halt", [Halt, KeyboardInterrupt])
def test_stopping_at_any_call_changes_nothing(name, inputs, fast_mode, call, halt):
    count = 0

    def stopping(one, other, constant):
        nonlocal count
        count += 1
        torch.rand(3)
        torch.set_default_dtype(torch.float64)
        if count == call:
            raise halt("stop")
        return product(one, other, constant)

    before = fingerprint(*inputs)
    raised = None
    try:
        run(name, stopping, inputs, fast_mode)
    except BaseException as error:
        raised = type(error)
    assert fingerprint(*inputs) == before
    if halt is KeyboardInterrupt and count >= call:
        assert raised is KeyboardInterrupt


@BOTH
@EVERY
def test_a_refused_check_changes_nothing(name, inputs, fast_mode):
    before = fingerprint(*inputs)
    with pytest.raises(ValueError, match="at least one input"):
        run(name, torch.sin, inputs[2], fast_mode)
    assert fingerprint(*inputs) == before


@BOTH
@EVERY
def test_a_check_under_no_grad_still_checks_and_leaves_no_grad_on(name, inputs, fast_mode):
    with torch.no_grad():
        before = fingerprint(*inputs)
        assert run(name, product, inputs, fast_mode)
        assert fingerprint(*inputs) == before


@BOTH
@EVERY
def test_the_same_check_says_the_same_again_whatever_the_generator(name, inputs, fast_mode):
    """Cotangents of second order are drawn from a generator of our own."""
    torch.manual_seed(3)
    first = torch.rand(4)
    torch.manual_seed(3)
    run(name, product, inputs, fast_mode)
    assert torch.equal(torch.rand(4), first)


@BOTH
def test_hooks_of_the_user_are_not_called(fast_mode):
    x = leaf(4)
    calls = []
    x.register_hook(calls.append)
    x.register_post_accumulate_grad_hook(calls.append)
    assert gradcheck(torch.sin, x, fast_mode=fast_mode)
    assert gradgradcheck(torch.sin, x, fast_mode=fast_mode)
    assert calls == []


@BOTH
def test_an_input_with_a_history_can_still_be_differentiated(fast_mode):
    root = leaf(4)
    x = root * 2
    assert gradcheck(torch.sin, x, fast_mode=fast_mode, check_forward_ad=True)
    assert gradgradcheck(torch.sin, x, fast_mode=fast_mode)
    x.sum().backward()
    assert torch.equal(root.grad, torch.full((4,), 2.0, dtype=torch.float64))


def test_where_torch_decides_the_module_is_put_back_too():
    class Clamping(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(4, 3, dtype=torch.float64)
            torch.nn.init.constant_(self.layer.bias, 0.5)

        def forward(self, x):
            answer = self.layer(x).tanh()
            self.layer.bias.data.clamp_(-0.2, 0.2)
            return answer

    module = Clamping()
    with pytest.warns(Undecided):
        gradcheck(module, (leaf(5, 4),), fast_mode=True, raise_exception=False)
    assert torch.equal(module.layer.bias, torch.full((3,), 0.5, dtype=torch.float64))
