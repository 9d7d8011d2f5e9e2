"""The exhibits of `secant demo` in PyTorch: derivatives right, wrong, and beyond judgement.

Every exhibit states the verdict it deserves and, where it matters, a code its report must have.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from .galleries import Exhibit
from .torch_mistakes import (
    CachedCosine,
    Clipped,
    ComplexSquare,
    FivePerCentMore,
    InPlace,
    MinusCosine,
    OneEntryOff,
    Product,
    RawMemory,
    StraightThrough,
)


def _ramp(*shape: int, low: float = 0.1, high: float = 2.0) -> Tensor:
    numbers = torch.linspace(low, high, math.prod(shape), dtype=torch.float64)
    return numbers.reshape(shape)


def _complex_ramp(size: int) -> Tensor:
    return torch.complex(_ramp(size), _ramp(size, low=-1.0, high=1.0))


# -- right ---------------------------------------------------------------------------------------


def product(a: Tensor, b: Tensor) -> Tensor:
    """A matrix product."""
    return a @ b


def polynomial(z: Tensor) -> Tensor:
    """Not holomorphic: z and its conjugate both appear."""
    return z**3 - 2j * z * z.conj() + 1


def noisy(x: Tensor) -> Tensor:
    """Draws a new mask on every call."""
    return torch.nn.functional.dropout(x.sin(), 0.5)


def cubic(x: Tensor) -> Tensor:
    """x³, differentiated twice by autograd itself."""
    return x**3


def rounding(x: Tensor) -> Tensor:
    """Promises float64 and computes in float32."""
    return x.float().sin().double()


_RIGHT = (
    Exhibit(
        "A sine",
        "torch.sin at five points, differentiated by autograd",
        "PASS",
        "Claim and measurement agree within the error bar, and the backward keeps every law.",
        torch.sin,
        (_ramp(5),),
    ),
    Exhibit(
        "A matrix product",
        "a @ b: two inputs, each judged by itself",
        "PASS",
        "Both gradients agree; a large input cannot hide a mistake in a small one.",
        product,
        (_ramp(3, 4), _ramp(4, 2)),
    ),
    Exhibit(
        "A complex polynomial",
        "z³ − 2i z z̄ + 1, which is not holomorphic",
        "PASS",
        "A complex entry is two real coordinates, so nothing about the check is special.",
        polynomial,
        (_complex_ramp(4),),
    ),
    Exhibit(
        "relu, exactly at its kink",
        "relu at −1, 0 and 2; at 0 it has no derivative",
        "PASS",
        "At 0 the slopes are 0 on the left and 1 on the right: any claim between is a subgradient.",
        torch.relu,
        (torch.tensor([-1.0, 0.0, 2.0], dtype=torch.float64),),
        says="KINK",
    ),
    Exhibit(
        "Single precision",
        "softplus of 200 float32 numbers",
        "PASS",
        "The bar grows with the dtype's round-off; the tolerance is no guess of the user's.",
        torch.nn.functional.softplus,
        (_ramp(200, low=-3.0, high=3.0).float(),),
    ),
    Exhibit(
        "Dropout",
        "half of the entries are dropped, others on every call",
        "PASS",
        "The random generator is rewound before every call, so that one mask is measured.",
        noisy,
        (_ramp(20),),
    ),
    Exhibit(
        "The second derivative of a cubic",
        "x³ with order=2: 3x² and then 6x",
        "PASS",
        "The gradient of a problem is a problem, so the second order is measured like the first.",
        cubic,
        (_ramp(5),),
        {"order": 2},
    ),
    Exhibit(
        "Float64 outside, float32 inside",
        "x.float().sin().double(): 10⁸ times noisier than its dtype promises",
        "PASS",
        "The noise is noticed and the step made longer; see by the resolution what that costs.",
        rounding,
        (_ramp(200),),
    ),
)


# -- wrong ---------------------------------------------------------------------------------------


def gated(x: Tensor, gate: Tensor) -> Tensor:
    """One factor is cut off."""
    return x * gate.detach()


_WRONG = (
    Exhibit(
        "Five per cent too much",
        "sin(x); its backward multiplies by 1.05 cos(x)",
        "FAIL",
        "The same ratio in every probe: that is a constant, and it is named.",
        FivePerCentMore.apply,
        (_ramp(5),),
        says="CONSTANT_FACTOR",
    ),
    Exhibit(
        "The wrong sign",
        "sin(x); its backward multiplies by −cos(x)",
        "FAIL",
        "Claimed and measured differ by their sign, everywhere, and by nothing else.",
        MinusCosine.apply,
        (_ramp(5),),
        says="WRONG_SIGN",
    ),
    Exhibit(
        "One entry of 10 000",
        "sin(x), 100 × 100; the gradient of x[73, 51] is 2 % too large",
        "FAIL",
        "No direction hides an entry, so one probe sees it; bisection then finds its index.",
        OneEntryOff.apply,
        (_ramp(100, 100),),
        says="x[73, 51]",
    ),
    Exhibit(
        "A transposed gradient",
        "a @ b for square matrices; the backward returns b vᵀ, not v bᵀ",
        "FAIL",
        "Shapes match, so nothing raises; the transposed claim would fit the measurement.",
        Product.apply,
        (_ramp(3, 3), _ramp(3, 3, low=-1.0)),
        says="MISPLACED",
    ),
    Exhibit(
        "A missing conjugate",
        "z²; its backward multiplies by 2z, not by its conjugate",
        "FAIL",
        "∂real/∂real agrees, ∂imag/∂real has the other sign: the claim, conjugated, would fit.",
        ComplexSquare.apply,
        (_complex_ramp(4),),
        says="CONJUGATED",
    ),
    Exhibit(
        "A clipped cotangent",
        "sin(x); its backward clamps grad_output to [−1, 1] first",
        "FAIL",
        "A derivative is linear in grad_output and this is not; probes with |v| ≤ 1 would miss it.",
        Clipped.apply,
        (_ramp(5),),
        kind="linearity",
        says="NOT_LINEAR",
    ),
    Exhibit(
        "Strides taken for granted",
        "sin(x); its backward reads grad_output's memory as if it were contiguous",
        "FAIL",
        "The numbers are right until somebody transposes or slices what comes after.",
        RawMemory.apply,
        (_ramp(3, 4),),
        kind="layout",
        says="ASSUMES_ORDER",
    ),
    Exhibit(
        "Writing into grad_output",
        "sin(x); its backward calls grad_output.mul_(cos(x))",
        "FAIL",
        "The gradient is right, but every other branch that reads grad_output gets the wrong one.",
        InPlace.apply,
        (_ramp(5),),
        kind="mutation",
        says="WRITES_INTO_COTANGENT",
    ),
    Exhibit(
        "A detached input",
        "x * gate.detach(): autograd sees no path to `gate`",
        "FAIL",
        "The output moves when `gate` does, yet no gradient arrives there.",
        gated,
        (_ramp(5), _ramp(5)),
        kind="liveness",
        says="CUT",
    ),
    Exhibit(
        "A straight-through estimator",
        "round(x); its backward passes grad_output on unchanged",
        "FAIL",
        "Useful for training, but no derivative: the function is flat here.",
        StraightThrough.apply,
        (_ramp(5),),
        says="UNMOVED",
    ),
    Exhibit(
        "Wrong at the second order only",
        "sin(x); its backward multiplies by a cos(x) that forward kept as a constant; order=2",
        "FAIL",
        "The first derivative passes; the second is claimed to be 0: a constant has no graph.",
        CachedCosine.apply,
        (_ramp(5),),
        {"order": 2},
        kind="liveness",
        says="CUT",
    ),
)


# -- neither -------------------------------------------------------------------------------------


def staircase(x: Tensor) -> Tensor:
    """x, and one more from 0 on."""
    return torch.where(x >= 0, x + 1, x)


_NEITHER = (
    Exhibit(
        "At a jump",
        "x below 0, x + 1 from 0 on, asked at 0 itself",
        "INCONCLUSIVE",
        "There is no derivative to agree with. A weak measurement never blames the gradient.",
        staircase,
        (torch.zeros((), dtype=torch.float64),),
        says="JUMP",
    ),
)

EXHIBITS = (*_RIGHT, *_WRONG, *_NEITHER)
