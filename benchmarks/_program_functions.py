"""Elementwise functions that random programs are made of, by what they ask of their argument."""

from __future__ import annotations

__all__ = ["COMPLEX", "GROWING", "KINKED", "POSITIVE", "SMOOTH"]

SMOOTH = (
    "torch.sin({a})",
    "torch.cos({a})",
    "torch.tanh({a})",
    "torch.sigmoid({a})",
    "F.softplus({a})",
    "F.gelu({a})",
    'F.gelu({a}, approximate="tanh")',
    "F.silu({a})",
    "F.mish({a})",
    "F.logsigmoid({a})",
    "torch.erf({a})",
    "torch.atan({a})",
    "torch.asinh({a})",
    "torch.sqrt({a} * {a} + 1)",
    "torch.log1p({a} * {a})",
    "torch.exp(-{a} * {a})",
    "{a} / (1 + {a} * {a})",
    "{a} * {a}",
    "{a} * torch.sigmoid({a})",
    "0.5 * {a} + 0.25",
    "3 - {a}",
    "{a} ** 3 - {a}",
)
GROWING = ("torch.exp({a})", "torch.sinh({a})", "torch.expm1({a})", "torch.exp2({a})")
POSITIVE = (
    "torch.log({a})",
    "torch.sqrt({a})",
    "torch.rsqrt({a})",
    "{a} ** 1.5",
    "1 / {a}",
    "torch.lgamma({a})",
)
KINKED = (
    "torch.relu({a})",
    "{a}.abs()",
    "F.leaky_relu({a}, 0.2)",
    "{a}.clamp(-0.5, 0.75)",
    "{a}.clamp(min=0)",
    "torch.maximum({a}, torch.zeros_like({a}))",
    "torch.minimum({a}, 0.5 * {a})",
    "torch.where({a} > 0, {a}, 0.25 * {a})",
    "F.hardtanh({a})",
    "F.softshrink({a}, 0.25)",
)
COMPLEX = (
    "torch.sin({a})",
    "torch.cos({a})",
    "{a} * {a}",
    "{a}.conj() * 1j",
    "{a} * {a}.conj()",
    "{a} / (2 + ({a} * {a}.conj()).real)",
    "torch.exp(1j * {a})",
    "{a}.abs()",
    "{a}.real",
    "{a}.imag",
    "torch.view_as_real({a})",
    "torch.exp({a}) / 3",
    "(1 - 2j) * {a} + 0.5j",
)
