"""The drop-in has torch's surface: signatures, defaults, results, classes, refused combinations."""

from __future__ import annotations

import inspect

import pytest
import torch
from torch.autograd.gradcheck import GradcheckError as TorchError
from torch.autograd.gradcheck import gradcheck as torch_gradcheck
from torch.autograd.gradcheck import gradgradcheck as torch_gradgradcheck

import secant.torch
from dropin.promises import BOTH, leaf, sine_with_gradient
from planted import scaled_sine
from secant import Report, Verdict
from secant.torch import GradcheckError, gradcheck, gradgradcheck

PAIRS = pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        pytest.param(gradcheck, torch_gradcheck, id="gradcheck"),
        pytest.param(gradgradcheck, torch_gradgradcheck, id="gradgradcheck"),
    ],
)


@PAIRS
def test_every_parameter_has_torchs_name_kind_and_default(ours, theirs):
    described = [
        [(one.name, one.kind, one.default) for one in inspect.signature(each).parameters.values()]
        for each in (ours, theirs)
    ]
    assert described[0] == [*described[1], ("strict", inspect.Parameter.KEYWORD_ONLY, False)]


@PAIRS
def test_the_defaults_are_of_torchs_types(ours, theirs):
    """A default may know that it is one, and is a number all the same."""
    mine, torchs = (inspect.signature(each).parameters for each in (ours, theirs))
    for name, parameter in torchs.items():
        assert isinstance(mine[name].default, type(parameter.default))


def test_the_names_are_public():
    names = {"gradcheck", "gradgradcheck", "GradcheckError", "get_numerical_jacobian"}
    assert names <= set(secant.torch.__all__)


def test_the_error_is_torchs_own_and_a_class_of_its_own():
    assert issubclass(GradcheckError, TorchError)
    assert GradcheckError is not TorchError


def test_the_warning_is_a_user_warning():
    assert issubclass(secant.Undecided, UserWarning)


@BOTH
@pytest.mark.parametrize("check", [gradcheck, gradgradcheck])
def test_a_right_derivative_returns_true_itself(check, fast_mode):
    assert check(torch.sin, leaf(3), fast_mode=fast_mode) is True
    assert check(torch.sin, (leaf(3),), fast_mode=fast_mode) is True
    assert check(torch.mul, [leaf(3), leaf(3, seed=1)], fast_mode=fast_mode) is True


@BOTH
@pytest.mark.parametrize("raise_exception", [True, False])
def test_a_right_derivative_returns_true_however_failures_are_told(fast_mode, raise_exception):
    result = gradcheck(torch.sin, leaf(3), fast_mode=fast_mode, raise_exception=raise_exception)
    assert result is True


@BOTH
def test_a_wrong_derivative_raises_with_the_report(fast_mode):
    with pytest.raises(GradcheckError) as caught:
        gradcheck(scaled_sine(1.05), leaf(3), fast_mode=fast_mode)
    assert isinstance(caught.value.report, Report)
    assert caught.value.report.verdict is Verdict.FAIL


@BOTH
def test_code_that_catches_torchs_error_catches_ours(fast_mode):
    with pytest.raises(TorchError, match="Jacobian mismatch"):
        gradcheck(scaled_sine(1.05), leaf(3), fast_mode=fast_mode)
    with pytest.raises(RuntimeError, match="Jacobian mismatch"):
        gradcheck(scaled_sine(1.05), leaf(3), fast_mode=fast_mode)


@BOTH
def test_a_wrong_derivative_returns_false_where_it_may_not_raise(fast_mode):
    relaxed = {"fast_mode": fast_mode, "raise_exception": False}
    assert gradcheck(scaled_sine(1.05), leaf(3), **relaxed) is False
    assert gradgradcheck(sine_with_gradient(cut), leaf(3), **relaxed) is False


def cut(x, v):
    return v * x.detach().cos()


@BOTH
@pytest.mark.parametrize(
    "flags",
    [
        {"check_forward_ad": False, "check_backward_ad": False},
        {"check_batched_grad": True, "check_backward_ad": False, "check_forward_ad": True},
        {"check_batched_forward_grad": True},
        {"check_batched_forward_grad": True, "check_forward_ad": False},
    ],
    ids=["no mode", "batched without reverse", "batched forward", "batched without forward"],
)
@pytest.mark.parametrize("raise_exception", [True, False])
def test_gradcheck_refuses_what_makes_no_sense(flags, fast_mode, raise_exception):
    for check in (torch_gradcheck, gradcheck):
        with pytest.raises(AssertionError, match="to be True"):
            check(torch.sin, leaf(3), fast_mode=fast_mode, raise_exception=raise_exception, **flags)


@BOTH
@pytest.mark.parametrize(
    "flags",
    [
        {"check_fwd_over_rev": False, "check_rev_over_rev": False},
        {"check_fwd_over_rev": True, "check_rev_over_rev": False},
        {
            "check_fwd_over_rev": True,
            "check_rev_over_rev": False,
            "check_undefined_grad": False,
            "check_batched_grad": True,
        },
    ],
    ids=["no mode", "undefined without reverse", "batched without reverse"],
)
def test_gradgradcheck_refuses_what_makes_no_sense(flags, fast_mode):
    for check in (torch_gradgradcheck, gradgradcheck):
        with pytest.raises(AssertionError, match="to be True"):
            check(torch.sin, leaf(3), fast_mode=fast_mode, **flags)


def test_nonsense_is_refused_before_the_function_is_called():
    calls = []

    def counted(x):
        calls.append(x)
        return x.sin()

    with pytest.raises(AssertionError):
        gradcheck(counted, leaf(3), check_backward_ad=False)
    with pytest.raises(AssertionError):
        gradgradcheck(counted, leaf(3), check_rev_over_rev=False)
    assert calls == []


@pytest.mark.parametrize("check", [gradcheck, gradgradcheck])
def test_an_unknown_argument_is_a_type_error(check):
    with pytest.raises(TypeError):
        check(torch.sin, leaf(3), probe="fast")


@BOTH
@pytest.mark.parametrize("masked", [None, False, True])
def test_masked_changes_nothing_for_dense_tensors(masked, fast_mode):
    flags = {"fast_mode": fast_mode, "masked": masked}
    assert gradcheck(torch.sin, leaf(3), **flags)
    assert gradgradcheck(torch.sin, leaf(3), **flags)
    assert gradcheck(scaled_sine(1.05), leaf(3), raise_exception=False, **flags) is False
