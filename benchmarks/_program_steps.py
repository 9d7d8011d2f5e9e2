"""The vocabulary of random programs: lines of torch, drawn to fit the value they are applied to.

Takes a generator of random numbers and a value that a program holds, and gives the right-hand side
of one more line, as text: `torch.softmax(a3, -1)`. Constants follow the value's dtype, so that the
same text runs in every precision. Casts inside are written in one form, which `without_casts` takes
out again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from _program_functions import COMPLEX, GROWING, KINKED, POSITIVE, SMOOTH

__all__ = ["Held", "draw_binary", "draw_cast", "draw_unary", "without_casts"]

Draw = np.random.Generator


@dataclass(frozen=True)
class Held:
    """A value that a program holds while it is drawn: its name and what it is at the point."""

    name: str
    value: torch.Tensor

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""
        return tuple(self.value.shape)

    @property
    def largest(self) -> float:
        """The largest magnitude in it, 0 if it is empty."""
        return float(self.value.abs().max()) if self.value.numel() else 0.0

    @property
    def smallest(self) -> float:
        """The smallest entry of a real value."""
        return float(self.value.min()) if self.value.numel() else 0.0

    @property
    def is_complex(self) -> bool:
        """Whether it holds complex numbers."""
        return self.value.is_complex()


CASTS = (torch.float32, torch.bfloat16, torch.float16)
_CAST = re.compile(r"\.to\(torch\.(?:float32|float16|bfloat16)\)\.to\(\w+\.dtype\)")


def without_casts(text: str) -> str:
    """The same program without the casts inside that it was drawn with."""
    return _CAST.sub("", text)


def draw_cast(draw: Draw, held: Held) -> str | None:
    """A cast to less precision and back, where the numbers fit into it."""
    if held.is_complex or not 1e-3 < held.largest < 1e4:
        return None
    lower = [dtype for dtype in CASTS if torch.finfo(dtype).eps > torch.finfo(held.value.dtype).eps]
    if not lower:
        return None
    return f"{held.name}.to({draw.choice([str(one) for one in lower])}).to({held.name}.dtype)"


def draw_unary(draw: Draw, held: Held, *, kinks: float, short_axes: float = 0.05) -> str | None:
    """A line that takes one value; None if what was drawn does not fit it.

    `kinks` is the share of elementwise lines with a corner, `short_axes` that of normalisers
    over an axis of one or two entries, whose derivatives cancel.
    """
    kinds: list[Callable[[Draw, Held], str | None]] = [move, reduce, normalise, multiply]
    kind = draw.choice(["smooth", "kinked", *range(len(kinds))], p=_weights(kinks))
    if kind == "smooth":
        return smooth(draw, held)
    if kind == "kinked":
        return None if held.is_complex else fill(draw.choice(KINKED), held)
    if kinds[int(kind)] is normalise and draw.random() > short_axes:
        return normalise(draw, held) if held.value.ndim and held.shape[-1] > 2 else None
    return kinds[int(kind)](draw, held)


def _weights(kinks: float) -> list[float]:
    elementwise = 0.38
    smooth_share = elementwise * (1 - kinks)
    return [smooth_share, elementwise * kinks, 0.24, 0.12, 0.14, 0.12]


def fill(template: str, held: Held) -> str:
    """A template with the value's name in it."""
    return template.format(a=held.name)


def smooth(draw: Draw, held: Held) -> str | None:
    """An elementwise line without corners, within the domain of what it calls."""
    if held.is_complex:
        return fill(draw.choice(COMPLEX), held) if held.largest < 8 else None
    choices: list[str] = []
    if held.largest < 30:
        choices += SMOOTH
    if held.largest < 6:
        choices += GROWING
    if held.smallest > 0.05 and held.largest < 1e3:
        choices += POSITIVE * 2
    return fill(draw.choice(choices), held) if choices else None


def move(draw: Draw, held: Held) -> str | None:
    """A line that moves entries, and computes nothing, or next to nothing."""
    name, shape = held.name, held.shape
    if not shape:
        return f"{name}.expand(3)" if draw.random() < 0.5 else f"{name}.reshape(1)"
    dim = int(draw.integers(len(shape)))
    size = shape[dim]
    picks = [int(one) for one in draw.integers(size, size=int(draw.integers(1, size + 2)))]
    index = f"torch.tensor({picks})"
    choices = [
        f"{name}.reshape({fold(draw, shape)})",
        f"{name}.flatten()",
        f"{name}.flip({dim})",
        f"{name}.roll(1, {dim})",
        f"{name}.unsqueeze({dim})",
        f"{name}.movedim({dim}, -1)",
        f"torch.cat([{name}, {name}.flip({dim})], {dim})",
        f"torch.stack([{name}, 2 * {name}], {dim})",
        f"{name}.index_select({dim}, {index})",
        f"{name}.repeat_interleave(2, {dim})",
        f"{name}.cumsum({dim})",
        f"{name}.clone()",
        f"{name} + {name}.roll(1, {dim})",
        f"F.pad({name}, (1, 0))",
        f"torch.zeros_like({name}).index_add({dim}, torch.arange({size}), {name})",
        f"{name}.masked_fill(torch.arange({shape[-1]}) == {int(draw.integers(shape[-1]))}, 0.5)",
        f"{name}.index_fill({dim}, torch.tensor([{picks[0]}]), 0.25)",
    ]
    if len(shape) > 1:
        choices += [
            f"{name}.mT",
            f"{name}.mT.contiguous()",
            f"{name}.tril()",
            f"{name}.triu(-1)",
            f"{name}.diagonal(dim1=-2, dim2=-1)",
            f"{name}.transpose(0, -1)",
            f"{name}.select({dim}, {picks[0]})",
            f"{name}.gather({dim}, torch.zeros({list(shape)}, dtype=torch.long) + {picks[0]})",
            f"{name}.scatter_add({dim}, torch.zeros({list(shape)}, dtype=torch.long), {name})",
        ]
    if size > 1:
        choices += [
            f"{name}.narrow({dim}, 1, {size - 1})",
            f"{name}.diff(dim={dim})",
            f"{name}.unfold({dim}, 2, 1)",
            f"{name}[{', '.join([':'] * dim + ['::2'])}]",
        ]
    if not held.is_complex and size > 1:
        choices += [f"{name}.sort({dim}).values", f"{name}.topk({(size + 1) // 2}, {dim}).values"]
    return str(draw.choice(choices))


def fold(draw: Draw, shape: Sequence[int]) -> str:
    """Another shape with as many entries."""
    count = int(np.prod(shape))
    divisors = [one for one in range(1, count + 1) if count % one == 0]
    rows = int(draw.choice(divisors))
    return f"{rows}, {count // rows}"


def reduce(draw: Draw, held: Held) -> str | None:
    """A line that makes one number of many."""
    name, shape = held.name, held.shape
    if not shape:
        return None
    dim = int(draw.integers(len(shape)))
    keep = ", keepdim=True" if draw.random() < 0.5 else ""
    choices = [f"{name}.sum({dim}{keep})", f"{name}.mean({dim}{keep})", f"{name}.sum()"]
    choices += [f"{name}.mean()", f"torch.linalg.vector_norm({name}, dim={dim}{keep})"]
    if held.is_complex:
        return str(draw.choice(choices))
    choices += [f"{name}.amax({dim}{keep})", f"{name}.amin({dim}{keep})"]
    choices += [f"{name}.max({dim}).values", f"torch.logsumexp({name}, {dim}{keep})"]
    if shape[dim] > 1:
        choices += [f"{name}.var({dim}{keep})", f"{name}.std({dim}{keep})"]
    if shape[dim] < 6 and held.largest < 10:
        choices.append(f"{name}.prod({dim}{keep})")
    return str(draw.choice(choices))


def normalise(draw: Draw, held: Held) -> str | None:
    """A line that divides a row by what the row holds."""
    name, shape = held.name, held.shape
    if not shape:
        return None
    size = shape[-1]
    if held.is_complex:
        return f"{name} / (1 + torch.linalg.vector_norm({name}, dim=-1, keepdim=True))"
    return str(
        draw.choice(
            [
                f"torch.softmax({name}, -1)",
                f"torch.log_softmax({name}, -1)",
                f"F.layer_norm({name}, ({size},))",
                f"F.rms_norm({name}, ({size},), eps=1e-6)",
                f"F.normalize({name}, dim=-1)",
                f"{name} - {name}.mean(-1, keepdim=True)",
                f"{name} - torch.logsumexp({name}, -1, keepdim=True)",
                f"{name} / ({name}.square().mean(-1, keepdim=True) + 0.01).sqrt()",
            ]
        )
    )


def multiply(draw: Draw, held: Held) -> str | None:
    """A line that multiplies matrices, with a constant one or with the value itself."""
    name, shape = held.name, held.shape
    if not shape:
        return f"{name} * {name}"
    size = shape[-1]
    wide = int(draw.integers(1, 5))
    grid = f"torch.linspace(-1, 1, {size * wide}, dtype={name}.dtype)"
    choices = [
        f"{name} @ {grid}.reshape({size}, {wide})",
        f"F.linear({name}, {grid}.cos().reshape({wide}, {size}))",
        f"{name} * torch.linspace(0.5, 1.5, {size}, dtype={name}.dtype)",
        f"{name} @ torch.eye({size}, dtype={name}.dtype).roll(1, 0)",
    ]
    if len(shape) > 1:
        choices += [f"{name} @ {name}.mT", f"torch.einsum('...ij,...ik->...jk', {name}, {name})"]
        if size > 2 and not held.is_complex:
            kernel = f"torch.linspace(-1, 2, 2, dtype={name}.dtype).reshape(1, 1, 2)"
            choices.append(f"F.conv1d({name}.reshape(-1, 1, {size}), {kernel})")
    else:
        choices += [f"torch.outer({name}, {name})", f"torch.dot({name}, {name}.flip(0))"]
    return str(draw.choice(choices))


def draw_binary(draw: Draw, one: Held, other: Held, *, kinks: float) -> str | None:
    """A line that takes two values."""
    a, b = one.name, other.name
    if max(one.largest, other.largest) > 1e3:
        return f"{a}.mean() + {b}.mean()"
    choices = [f"{a} * {b}.mean()", f"{a} + {b}.sum()", f"{a} / (2 + {b}.abs().square().mean())"]
    if one.shape and other.shape:
        choices.append(f"torch.outer({a}.flatten()[:4], {b}.flatten()[:4])")
        if one.shape[-1] == other.shape[-1]:
            choices += [f"torch.einsum('...i,...i->...', {a}, {b})"] * (one.shape == other.shape)
            if len(one.shape) > 1 and len(other.shape) == 2:
                choices += [f"{a} @ {b}.mT", f"F.linear({a}, {b})"]
        if len(other.shape) == 2 and one.shape[-1] == other.shape[0]:
            choices += [f"{a} @ {b}"] * 2
        if one.shape[1:] == other.shape[1:]:
            choices.append(f"torch.cat([{a}, {b}])")
    if is_broadcastable(one.shape, other.shape):
        choices += [f"{a} + {b}", f"{a} * {b}", f"{a} - 0.5 * {b}", f"{a} * torch.cos({b})"]
        if not (one.is_complex or other.is_complex):
            choices.append(
                f"torch.where(torch.arange({(one.shape or (1,))[-1]}) % 2 == 0, {a}, {b})"
            )
            choices.append(f"torch.lerp({a}.expand_as({a} + {b}), {b}.expand_as({a} + {b}), 0.3)")
            if draw.random() < kinks:
                return (
                    f"torch.maximum({a}, {b})" if draw.random() < 0.5 else f"torch.hypot({a}, {b})"
                )
    return str(draw.choice(choices))


def is_broadcastable(one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether two shapes fit together."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return all(m == n or 1 in (m, n) for m, n in pairs)
