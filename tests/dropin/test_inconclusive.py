"""Where the numbers cannot tell: True, as nobody was proved wrong, and a warning that says so."""

from __future__ import annotations

import warnings

import pytest
import torch

import secant
from dropin.promises import BOTH, leaf
from secant.torch import GradcheckError, GradcheckInconclusive, gradcheck


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
@pytest.mark.parametrize("raise_exception", [True, False])
def test_what_cannot_be_told_is_true_with_a_warning(name, raise_exception, fast_mode):
    function, x = UNTELLABLE[name]
    with pytest.warns(GradcheckInconclusive) as caught:
        result = gradcheck(function, x, fast_mode=fast_mode, raise_exception=raise_exception)
    assert result is True
    assert len(caught) == 1
    assert "INCONCLUSIVE" in str(caught[0].message)


@BOTH
@EVERY
def test_the_warning_points_to_the_caller(name, fast_mode):
    function, x = UNTELLABLE[name]
    with pytest.warns(GradcheckInconclusive) as caught:
        gradcheck(function, x, fast_mode=fast_mode)
    assert caught[0].filename == __file__


@BOTH
@EVERY
def test_whoever_makes_the_warning_an_error_gets_it_as_one(name, fast_mode):
    function, x = UNTELLABLE[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error", GradcheckInconclusive)
        with pytest.raises(GradcheckInconclusive):
            gradcheck(function, x, fast_mode=fast_mode, raise_exception=False)


@BOTH
def test_what_can_be_told_gives_no_warning(fast_mode):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert gradcheck(torch.sin, leaf(4), fast_mode=fast_mode)
        assert gradcheck(torch.sin, leaf(4, dtype=torch.float32), fast_mode=fast_mode)


@BOTH
def test_a_wrong_gradient_beside_what_cannot_be_told_still_fails(fast_mode):
    def wrong(x):
        return jumping(x[0]), x[1].detach() * x[1]

    x = torch.tensor([0.5, 0.7], dtype=torch.float64, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GradcheckInconclusive)
        with pytest.raises(GradcheckError, match="output 1 with respect to input 0"):
            gradcheck(wrong, x, fast_mode=fast_mode)
