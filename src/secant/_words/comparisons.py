"""A kernel beside a trusted implementation: what differs, probably why, and how it was compared."""

from __future__ import annotations

from .reason import Topic

KERNEL_IS_ZERO = Topic(
    "KERNEL_IS_ZERO", why="kernel = 0 everywhere: the dependence is cut, or nothing was written"
)
KERNEL_HAS_WRONG_SIGN = Topic("KERNEL_HAS_WRONG_SIGN", why="kernel = −1 × truth: the sign is wrong")
KERNEL_FACTOR = Topic(
    "KERNEL_FACTOR",
    why="kernel = {factor:spelt} × truth: a constant factor is wrong",
    example={"factor": 1.05},
)
KERNEL_IS_CONJUGATE = Topic("KERNEL_IS_CONJUGATE", why="the kernel is the conjugate of the truth")
KERNEL_IS_TRANSPOSED = Topic(
    "KERNEL_IS_TRANSPOSED",
    why="the kernel is the transpose of the truth in the last two dimensions",
)
KERNEL_IS_REVERSED = Topic(
    "KERNEL_IS_REVERSED", why="the kernel is reversed{axes:along}", example={"axes": (0,)}
)
IGNORES_STRIDES = Topic(
    "IGNORES_STRIDES",
    why="right for a contiguous cotangent, wrong for one with gaps: its strides are ignored",
)
NO_DIGITS_LEFT = Topic(
    "NO_DIGITS_LEFT",
    what="rounding alone explains errors of {share:.0%} of the truth in {dtype}: no digits are "
    "left to compare",
    advice="choose inputs for which the reference keeps some digits, or a wider dtype",
    example={"share": 0.5, "dtype": "float16"},
)
KERNEL_IS_NOT_FINITE = Topic(
    "KERNEL_IS_NOT_FINITE",
    what=lambda where, yardstick, **_: (
        "the kernel is {kernel:g}"
        + (" in {where}" if where else "")
        + ", the truth {truth:g}"
        + ("" if yardstick is None else ", the reference in the same dtype {yardstick:g}")
    ),
    example={"kernel": float("nan"), "where": "[2, 3]", "truth": 1.5, "yardstick": None},
)
OTHER_OUTPUTS = Topic(
    "OTHER_OUTPUTS",
    what="the kernel returns {kernel}, the reference {reference}",
    example={"kernel": "(*, *)", "reference": "*"},
)
OTHER_SHAPE = Topic(
    "OTHER_SHAPE",
    what="the kernel's shape is {kernel:shape}, the reference's {reference:shape}",
    example={"kernel": (3, 4), "reference": (4, 3)},
)
WHOLE_NUMBERS_DIFFER = Topic(
    "WHOLE_NUMBERS_DIFFER",
    what="{count} of {total} entries differ, first {place}: kernel {kernel:g}, truth {truth:g}",
    advice="ties that fall differently, or a wrong index: leave this output out to go on",
    example={"count": 2, "total": 6, "place": "[0]", "kernel": 3.0, "truth": 1.0},
)
BACKWARD_RAISES = Topic(
    "BACKWARD_RAISES",
    what="{error}",
    example={"error": "the backward pass raised IndexError: out of shared memory"},
)
YARDSTICKS_OFF = Topic(
    "YARDSTICKS_OFF",
    what="{ratio:.2g} yardsticks off, of {limit:.2g} allowed",
    example={"ratio": 40.0, "limit": 4.0},
)
AGREEMENT = Topic("AGREEMENT", what="{text}", example={"text": "both pass"})
