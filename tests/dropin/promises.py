"""The words of these tests: leaves, planted derivatives of both orders, what a failure must be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.autograd.gradcheck import GradcheckError as TorchError

from planted import planted, points
from secant import Verdict
from secant.torch import GradcheckError, gradcheck

BOTH = pytest.mark.parametrize("fast_mode", [False, True], ids=["slow", "fast"])
FORWARD = {"check_forward_ad": True, "check_backward_ad": False}
FORWARD_OVER_REVERSE = {
    "check_fwd_over_rev": True,
    "check_rev_over_rev": False,
    "check_undefined_grad": False,
}


def leaf(*shape: int, dtype: torch.dtype = torch.float64, seed: int = 0) -> torch.Tensor:
    """Return points that require a gradient."""
    return points(*shape, dtype=dtype, seed=seed).requires_grad_()


def cosine(saved, v):
    """The derivative of sin, right in both directions."""
    return v * saved[0].cos()


def sine(backward=cosine, push=cosine) -> Callable[..., Any]:
    """Return sin with the derivatives given, right ones unless told otherwise."""
    return planted("Sine", torch.sin, backward, push)


# The gradient of sin is itself a function, slope(x, v) = v cos x, and these are its derivatives.


def pulled_slope(saved, w):
    """Return the gradients of v cos x by x and by v."""
    x, v = saved
    return -w * v * x.sin(), w * x.cos()


def pushed_slope(saved, dx, dv):
    """Return the tangent of v cos x."""
    x, v = saved
    return -dx * v * x.sin() + dv * x.cos()


def slope(pull=pulled_slope, push=pushed_slope) -> Callable[..., Any]:
    """Return v cos x with the derivatives given, right ones unless told otherwise."""
    return planted("Slope", lambda x, v: v * x.cos(), pull, push)


def sine_with_gradient(gradient: Callable[..., Any]) -> Callable[..., Any]:
    """Return sin whose backward is `gradient(x, v)`, so that its second derivative is theirs."""

    class Sine(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            ctx.save_for_forward(x)
            return x.sin()

        @staticmethod
        def backward(ctx, v):
            return gradient(ctx.saved_tensors[0], v)

        @staticmethod
        def jvp(ctx, u):
            return u * ctx.saved_tensors[0].cos()

    return Sine.apply


def is_batch(v: torch.Tensor) -> bool:
    """Tell whether a cotangent stands for a whole batch of them, under either vmap of torch."""
    functorch = torch._C._functorch
    return functorch.is_batchedtensor(v) or functorch.is_legacy_batchedtensor(v)


def failure(function, inputs, *arguments, check=gradcheck, **flags) -> GradcheckError:
    """Return the error that a check raises, after holding it against what every error must be."""
    with pytest.raises(GradcheckError) as caught:
        check(function, inputs, *arguments, **flags)
    error = caught.value
    assert isinstance(error, TorchError)
    assert error.report.verdict is Verdict.FAIL
    assert len(str(error).splitlines()) <= 40, f"more than a screen:\n{error}"
    assert check(function, inputs, *arguments, raise_exception=False, **flags) is False
    return error


def opening(error: GradcheckError) -> str:
    """Return the first lines of a message: what it says before the report."""
    return "\n".join(str(error).splitlines()[:3])
