"""Words and classes that downstream tests match on: torch's, in torch's order."""

from __future__ import annotations

import re

import pytest
import torch
from torch.autograd import gradcheck as torch_gradcheck
from torch.autograd import gradgradcheck as torch_gradgradcheck

import secant
from dropin.promises import BOTH, failure, leaf, opening
from planted import planted, points
from secant.torch import (
    get_analytical_jacobian,
    get_numerical_jacobian,
    gradcheck,
    gradgradcheck,
)


def message(check, *arguments, error, **flags) -> str:
    with pytest.raises(error) as caught:
        check(*arguments, **flags)
    return str(caught.value)


@BOTH
@pytest.mark.parametrize("what", ["shape", "dtype"])
def test_outputs_that_change_raise_what_torch_raises(what, fast_mode):
    x = leaf(4)
    point = x.detach().clone()

    def changing(x):
        if torch.equal(x, point):
            return x * 2
        return (x * 2)[:3] if what == "shape" else (x * 2).float()

    expected = f"Expected `func` to return outputs with the same {what} when inputs are perturbed"
    ours = message(gradcheck, changing, x, error=AssertionError, fast_mode=fast_mode)
    assert expected in ours
    assert f"changed the {what} of out between calls" in ours
    with pytest.raises(secant.EvaluationError):
        gradcheck(changing, x, fast_mode=fast_mode)


@BOTH
def test_slopes_are_named_before_linearity(fast_mode):
    def both(x):
        y = x * 2
        y.register_hook(lambda gradient: gradient + 1)
        return y

    for check in (gradcheck, torch_gradcheck):
        said = message(check, both, leaf(3), error=RuntimeError, fast_mode=fast_mode)
        assert "Jacobian mismatch for output 0 with respect to input 0" in said


@pytest.mark.parametrize(
    ("ours", "theirs", "flags"),
    [
        (gradcheck, torch_gradcheck, {"check_backward_ad": False}),
        (gradcheck, torch_gradcheck, {"check_batched_forward_grad": True}),
        (gradgradcheck, torch_gradgradcheck, {"check_rev_over_rev": False}),
        (
            gradgradcheck,
            torch_gradgradcheck,
            {"check_fwd_over_rev": True, "check_rev_over_rev": False},
        ),
    ],
)
def test_nonsense_is_refused_in_torchs_words(ours, theirs, flags):
    said = [
        message(each, torch.sin, leaf(3), error=AssertionError, **flags) for each in (ours, theirs)
    ]
    assert said[0] == said[1]
    assert said[0].startswith(("Expected at least one", "Setting check_"))


@BOTH
def test_a_sparse_gradient_of_another_sparse_dim_is_not_said_to_be_on_another_device(fast_mode):
    dense = points(2, 3)

    def backward(saved, v):
        return (v * 2).to_dense().to_sparse(1)

    function = planted("Sparse", lambda x: x * 2, backward)
    x = dense.to_sparse(2).requires_grad_()
    error = failure(lambda x: function(x), x, masked=True, fast_mode=fast_mode)
    assert "device" not in opening(error)
    assert "incorrect sparse_dim" in opening(error)


@pytest.mark.parametrize("check", [gradcheck, gradgradcheck, torch_gradcheck])
@pytest.mark.parametrize("dtype", [torch.float32, torch.complex64], ids=str)
def test_inputs_that_are_not_double_are_warned_of(check, dtype):
    inputs = (points(3), leaf(3, dtype=dtype))
    expected = "Input #1 requires gradient and is not a double precision floating point or complex"
    with pytest.warns(UserWarning, match=re.escape(expected)) as caught:
        check(lambda _, x: x * 2, inputs, atol=1.0, rtol=1.0)
    assert sum(expected in str(one.message) for one in caught) == 1
    if check is not torch_gradcheck:
        own = [one for one in caught if expected in str(one.message)]
        assert own[0].filename == __file__


def vectors(inputs):
    x, y = inputs
    return x.sin() * y.sum(), y


@pytest.mark.parametrize("size", [2, 40])
def test_the_numerical_jacobian_is_torchs_shape_and_the_true_one(size):
    x, y = leaf(size), leaf(3, seed=1)
    with pytest.warns(
        FutureWarning, match="`get_numerical_jacobian` was part of PyTorch's private API"
    ):
        ours = get_numerical_jacobian(vectors, (x, y))
    with pytest.warns(FutureWarning):
        theirs = torch.autograd.gradcheck.__globals__["get_numerical_jacobian"](vectors, (x, y))
    truth = torch.autograd.functional.jacobian(lambda x, y: vectors((x, y))[0], (x, y))
    for one, other, exact in zip(ours, theirs, truth, strict=True):
        assert one.shape == other.shape
        torch.testing.assert_close(one, exact.T, rtol=1e-8, atol=1e-8)


def test_the_numerical_jacobian_has_targets_behind_the_inputs():
    weight, x = leaf(2, 3), points(3)
    before = weight.detach().clone()
    with pytest.warns(FutureWarning):
        (jacobian,) = get_numerical_jacobian(
            lambda inputs: weight @ inputs[0], (x,), target=(weight,)
        )
    truth = torch.autograd.functional.jacobian(lambda w: w @ x, weight).reshape(2, 6)
    torch.testing.assert_close(jacobian, truth.T, rtol=1e-8, atol=1e-8)
    assert torch.equal(weight, before)


def test_the_analytical_jacobian_is_torchs():
    x, y = leaf(2), leaf(3, seed=1)
    output = vectors((x, y))[0]
    with pytest.warns(
        FutureWarning, match="`get_analytical_jacobian` was part of PyTorch's private"
    ):
        ours = get_analytical_jacobian((x, y), output)
    with pytest.warns(FutureWarning):
        theirs = torch.autograd.gradcheck.__globals__["get_analytical_jacobian"]((x, y), output)
    assert ours[1:] == theirs[1:] == (True, True, True)
    for one, other in zip(ours[0], theirs[0], strict=True):
        assert torch.equal(one, other)


def test_the_analytical_jacobian_tells_what_does_not_repeat_or_fit():
    counter = iter(range(100))
    restless = planted("Restless", lambda x: x * 2, lambda saved, v: v * 2 + next(counter))
    x = leaf(2)
    with pytest.warns(FutureWarning):
        assert get_analytical_jacobian((x,), restless(x))[1] is False
    with pytest.warns(FutureWarning):
        assert get_analytical_jacobian((x,), restless(x), nondet_tol=1e3)[1] is True


def test_the_jacobians_know_no_other_grad_out():
    x = leaf(2)
    with pytest.raises(ValueError, match="Expected grad_out to be 1"):
        get_numerical_jacobian(lambda inputs: inputs[0] * 2, (x,), grad_out=2.0)
    with pytest.raises(ValueError, match="Expected grad_out to be 1"):
        get_analytical_jacobian((x,), x * 2, grad_out=2.0)
