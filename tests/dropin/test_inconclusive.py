"""Where the numbers cannot tell the drop-in decides as torch does, and says so."""

from __future__ import annotations

import warnings

import pytest
import torch
from torch.autograd import gradcheck as torch_gradcheck

import secant
from dropin.promises import BOTH, leaf
from fingerprints import fingerprint
from secant import Undecided
from secant.torch import GradcheckError, gradcheck


def jumping(x):
    """A step at the very point: no slope can be measured across it."""
    return torch.where(x < 0.5, x, x + 1)


def restless(x):
    """Never twice the same, from a generator that nobody can rewind."""
    return x.sin() + torch.randn(x.shape, generator=GENERATOR, dtype=x.dtype)


GENERATOR = torch.Generator().manual_seed(0)
UNTELLABLE = {
    "on a jump": (jumping, torch.full((3,), 0.5, dtype=torch.float64, requires_grad=True)),
    "restless": (restless, leaf(6)),
}
EVERY = pytest.mark.parametrize("name", UNTELLABLE)


@EVERY
@pytest.mark.parametrize("probe", ["fast", "full"])
def test_secant_itself_cannot_tell(name, probe):
    function, x = UNTELLABLE[name]
    assert secant.check(function, x, probe=probe).verdict is secant.Verdict.INCONCLUSIVE


@BOTH
@EVERY
def test_what_torch_fails_fails_with_its_words_and_a_warning(name, fast_mode):
    function, x = UNTELLABLE[name]
    before = fingerprint(x)
    with pytest.raises(RuntimeError):
        torch_gradcheck(function, x, fast_mode=fast_mode)
    with pytest.warns(Undecided) as caught, pytest.raises(GradcheckError) as raised:
        gradcheck(function, x, fast_mode=fast_mode)
    assert len(caught) == 1
    assert "decided as torch's own checker does:\nINCONCLUSIVE" in str(caught[0].message)
    assert "Jacobian mismatch for output 0 with respect to input 0" in str(raised.value)
    assert raised.value.report.verdict is secant.Verdict.INCONCLUSIVE
    with pytest.warns(Undecided):
        assert gradcheck(function, x, fast_mode=fast_mode, raise_exception=False) is False
    assert fingerprint(x)[0] == before[0]


@BOTH
def test_what_torch_passes_passes_with_a_warning(fast_mode):
    """At its own step torch sees the slope across the jump, if enough is forgiven."""
    function, x = UNTELLABLE["on a jump"]
    before = fingerprint(x)
    lax = {"eps": 0.25, "atol": 10.0, "fast_mode": fast_mode}
    assert torch_gradcheck(function, x, **lax)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert gradcheck(function, x, **lax) is True
    assert {one.category for one in caught} <= {Undecided}
    assert fingerprint(x) == before


@BOTH
@EVERY
def test_the_warning_points_to_the_caller(name, fast_mode):
    function, x = UNTELLABLE[name]
    with pytest.warns(Undecided) as caught:
        gradcheck(function, x, fast_mode=fast_mode, raise_exception=False)
    assert caught[0].filename == __file__


@BOTH
@EVERY
def test_whoever_makes_the_warning_an_error_gets_it_as_one(name, fast_mode):
    function, x = UNTELLABLE[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error", Undecided)
        with pytest.raises(Undecided):
            gradcheck(function, x, fast_mode=fast_mode, raise_exception=False)


@BOTH
@EVERY
def test_strict_counts_what_cannot_be_told_as_wrong(name, fast_mode):
    function, x = UNTELLABLE[name]
    with pytest.raises(GradcheckError, match="cannot tell, which strict=True counts as wrong"):
        gradcheck(function, x, fast_mode=fast_mode, strict=True)
    relaxed = {"fast_mode": fast_mode, "strict": True, "raise_exception": False}
    assert gradcheck(function, x, **relaxed) is False


@BOTH
def test_what_can_be_told_gives_no_warning(fast_mode):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert gradcheck(torch.sin, leaf(4), fast_mode=fast_mode)
        assert gradcheck(torch.sin, leaf(4), fast_mode=fast_mode, strict=True)


@BOTH
def test_a_wrong_gradient_beside_what_cannot_be_told_still_fails(fast_mode):
    def wrong(x):
        return jumping(x[0]), x[1].detach() * x[1]

    x = torch.tensor([0.5, 0.7], dtype=torch.float64, requires_grad=True)
    with pytest.raises(GradcheckError, match="output 1 with respect to input 0"):
        gradcheck(wrong, x, fast_mode=fast_mode)


@BOTH
def test_inputs_read_behind_the_arguments_are_decided_about_too(fast_mode):
    x = torch.full((3,), 0.5, dtype=torch.float64, requires_grad=True)
    before = fingerprint(x)
    with pytest.warns(Undecided):
        assert (
            gradcheck(lambda _: jumping(x), x, fast_mode=fast_mode, raise_exception=False) is False
        )
    assert fingerprint(x) == before
