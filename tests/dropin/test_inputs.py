"""What may be passed: torch's refusals are ours, but expanded and float32 inputs are checked."""

from __future__ import annotations

import re

import pytest
import torch

from dropin.promises import BOTH, FORWARD, failure, leaf, opening, sine
from planted import planted, points, scaled_sine
from secant.torch import gradcheck, gradgradcheck

LOOSE = {"atol": 1e-2, "rtol": 1e-2}  # MKLDNN tensors are float32


class Halt(Exception):
    """The user's own exception."""


@BOTH
@pytest.mark.parametrize("raise_exception", [True, False])
@pytest.mark.parametrize("check", [gradcheck, gradgradcheck])
@pytest.mark.parametrize(
    "inputs", [points(3), (points(3), 2.0), ()], ids=["one", "beside a number", "none"]
)
def test_some_input_must_require_a_gradient(inputs, check, fast_mode, raise_exception):
    function = lambda *arguments: torch.ones(3, dtype=torch.float64)  # noqa: E731
    if inputs != ():
        function = lambda x, *_: x.sin()  # noqa: E731
    expected = "gradcheck expects at least one input tensor to require gradient"
    with pytest.raises(ValueError, match=expected):
        check(function, inputs, fast_mode=fast_mode, raise_exception=raise_exception)


@BOTH
@pytest.mark.parametrize("shape", [(4,), (2, 3)])
def test_expanded_inputs_are_checked(shape, fast_mode):
    expanded = points(*shape[:-1], 1).expand(shape).requires_grad_()
    assert 0 in expanded.stride()
    flags = {"fast_mode": fast_mode, "check_forward_ad": True}
    assert gradcheck(torch.sin, expanded, **flags)
    assert gradcheck(lambda x: (x * x).sum(0), expanded, **flags)
    assert gradgradcheck(torch.sin, expanded, fast_mode=fast_mode)
    failure(scaled_sine(1.05), expanded, fast_mode=fast_mode)


@BOTH
def test_one_wrong_entry_of_an_expanded_input_is_named(fast_mode):
    def backward(saved, v):
        gradient = v * saved[0].cos()
        gradient[2] *= 1.5
        return gradient

    expanded = points(1).expand(4).requires_grad_()
    assert "[2]" in str(failure(sine(backward), expanded, fast_mode=fast_mode))


@BOTH
def test_inputs_that_overlap_otherwise_are_checked(fast_mode):
    windows = points(6).as_strided((4, 3), (1, 1)).requires_grad_()
    assert gradcheck(torch.sin, windows, fast_mode=fast_mode)
    failure(scaled_sine(1.05), windows, fast_mode=fast_mode)


@BOTH
@pytest.mark.parametrize("function", [torch.sin, torch.exp, lambda x: (x * x).sum()])
def test_float32_inputs_are_checked_without_a_warning(function, fast_mode):
    assert gradcheck(function, leaf(5, dtype=torch.float32), fast_mode=fast_mode)
    assert gradcheck(function, leaf(5, dtype=torch.float32), fast_mode=fast_mode, **FORWARD)


@BOTH
def test_complex64_inputs_are_checked_without_a_warning(fast_mode):
    assert gradcheck(torch.exp, leaf(3, dtype=torch.complex64), fast_mode=fast_mode)


@BOTH
@pytest.mark.parametrize("factor", [-1.0, 0.0, 1.1])
def test_a_wrong_float32_gradient_fails(factor, fast_mode):
    error = failure(scaled_sine(factor), leaf(5, dtype=torch.float32), fast_mode=fast_mode)
    assert "Jacobian mismatch for output 0 with respect to input 0" in opening(error)


@BOTH
@pytest.mark.parametrize("raise_exception", [True, False])
@pytest.mark.parametrize("exception", [Halt, ValueError, RuntimeError, AssertionError, TypeError])
@pytest.mark.parametrize("check", [gradcheck, gradgradcheck])
def test_the_functions_own_exception_comes_out(check, exception, raise_exception, fast_mode):
    def raising(x):
        raise exception("mine")

    with pytest.raises(exception, match=r"^mine$") as caught:
        check(raising, leaf(3), fast_mode=fast_mode, raise_exception=raise_exception)
    assert type(caught.value) is exception


@BOTH
@pytest.mark.parametrize("raise_exception", [True, False])
def test_a_backwards_own_exception_comes_out(raise_exception, fast_mode):
    def raising(saved, v):
        raise Halt("mine")

    with pytest.raises(Halt, match=r"^mine$"):
        gradcheck(sine(raising), leaf(3), fast_mode=fast_mode, raise_exception=raise_exception)


@BOTH
@pytest.mark.parametrize("raise_exception", [True, False])
def test_a_jvps_own_exception_comes_out(raise_exception, fast_mode):
    def raising(saved, u):
        raise Halt("mine")

    flags = {"fast_mode": fast_mode, "raise_exception": raise_exception}
    with pytest.raises(Halt, match=r"^mine$"):
        gradcheck(sine(push=raising), leaf(3), **FORWARD, **flags)


@BOTH
def test_forward_mode_without_a_jvp_is_torchs_own_error(fast_mode):
    without = planted("Without", torch.sin, lambda saved, v: v * saved[0].cos())
    with pytest.raises(NotImplementedError, match="jvp"):
        gradcheck(without, leaf(3), fast_mode=fast_mode, check_forward_ad=True)


@BOTH
def test_arguments_that_are_no_tensors_are_passed_on(fast_mode):
    def power(x, exponent, word, nothing, constant):
        assert (exponent, word, nothing) == (3, "word", None)
        return x**exponent * constant

    inputs = (leaf(3), 3, "word", None, points(3, seed=1))
    assert gradcheck(power, inputs, fast_mode=fast_mode, check_forward_ad=True)


@BOTH
@pytest.mark.parametrize("shape", [(0,), (2, 0), ()])
def test_empty_and_scalar_tensors_are_checked(shape, fast_mode):
    assert gradcheck(torch.sin, leaf(*shape), fast_mode=fast_mode, check_forward_ad=True)


@BOTH
def test_mkldnn_inputs_are_checked_in_reverse_mode(fast_mode):
    x = points(4, dtype=torch.float32).to_mkldnn().requires_grad_()
    assert gradcheck(lambda x: x.to_dense(), x, fast_mode=fast_mode, **LOOSE)
    assert gradcheck(lambda x: x.to_dense().sin(), x, fast_mode=fast_mode, **LOOSE)
    wrong = scaled_sine(1.5)
    error = failure(lambda x: wrong(x.to_dense()), x, fast_mode=fast_mode, **LOOSE)
    assert "Jacobian mismatch for output 0 with respect to input 0" in opening(error)


@BOTH
def test_mkldnn_inputs_beside_dense_ones_are_checked(fast_mode):
    x = points(4, dtype=torch.float32).to_mkldnn().requires_grad_()
    y = leaf(4, dtype=torch.float32, seed=1)
    assert gradcheck(lambda x, y: x.to_dense() * y, (x, y), fast_mode=fast_mode, **LOOSE)


@BOTH
@pytest.mark.parametrize("raise_exception", [True, False])
@pytest.mark.parametrize("backward", [True, False])
def test_mkldnn_inputs_are_refused_in_forward_mode(backward, raise_exception, fast_mode):
    x = points(4, dtype=torch.float32).to_mkldnn().requires_grad_()
    flags = {"check_forward_ad": True, "check_backward_ad": backward, "fast_mode": fast_mode}
    with pytest.raises(ValueError, match="MKLDNN inputs"):
        gradcheck(lambda x: x.to_dense(), x, raise_exception=raise_exception, **flags, **LOOSE)


@BOTH
@pytest.mark.parametrize("raise_exception", [True, False])
def test_mkldnn_outputs_are_refused(raise_exception, fast_mode):
    x = leaf(4, 5, dtype=torch.float32)
    expected = re.escape("MKLDNN output is not supported")
    with pytest.raises(ValueError, match=expected):
        gradcheck(lambda x: x.to_mkldnn(), x, fast_mode=fast_mode, raise_exception=raise_exception)


@BOTH
@pytest.mark.parametrize("raise_exception", [True, False])
def test_sparse_outputs_are_checked(raise_exception, fast_mode):
    flags = {"fast_mode": fast_mode, "raise_exception": raise_exception}
    assert gradcheck(lambda x: x.to_sparse(), leaf(2, 3), **flags)


@BOTH
@pytest.mark.parametrize("mode", [{}, FORWARD], ids=["reverse", "forward"])
def test_the_same_tensor_twice_is_one_variable(mode, fast_mode):
    x = leaf(3)
    assert gradcheck(lambda one, other: one.sin() * other, (x, x), fast_mode=fast_mode, **mode)
    wrong = scaled_sine(1.05)
    failure(lambda one, other: one * wrong(other), (x, x), fast_mode=fast_mode, **mode)
    assert gradgradcheck(lambda one, other: one.sin() * other, (x, x), fast_mode=fast_mode)


@BOTH
@pytest.mark.parametrize("mode", [{}, FORWARD], ids=["reverse", "forward"])
def test_a_parameter_arrives_as_a_parameter(mode, fast_mode):
    def registering(weight, x):
        layer = torch.nn.Linear(3, 2, bias=False).double()
        layer.weight = weight
        assert len(list(layer.parameters())) == 1
        return layer(x)

    inputs = (torch.nn.Parameter(points(2, 3)), leaf(3))
    assert gradcheck(registering, inputs, fast_mode=fast_mode, **mode)
    assert gradgradcheck(registering, inputs, fast_mode=fast_mode)
