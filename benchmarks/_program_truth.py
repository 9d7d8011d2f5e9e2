"""What is true of a random program's gradient, decided without secant.

Takes a `Program` and gives a `Truth`, read from autograd in float64 on the program without its
casts, from the gradients on either side of the point, and from how far rounding moves its values:

right    the gradient is right, and a difference can tell
kink     the point lies on a corner, and torch's slope between those of the two sides
tie      at an exact tie torch's choice lies outside the slopes of the two sides
rounded  in the program's own precision rounding makes another gradient of some output, or moves
         values of zero whose derivative is zero
faint    the derivative is lost in the rounding of the values, or cancels to zero, or is zero

`changed` says by how much a wrong rule changes a gradient, `least_change` how much that must be.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from _program_corners import corners
from _program_pulls import (
    cotangent,
    length,
    moved,
    natural_sizes,
    outputs_of,
    pulls,
    real_of,
)
from _program_text import Program

__all__ = ["Truth", "changed", "gap_of", "least_change", "truth_of"]

MOST_GAP = 1e-5  # of the slope's size, between the gradient and the best difference
ROUNDED = 1e-9  # of values over leaf: a gradient below is the rounding of a zero
FAINT = 1e6  # a slope over the noise of the values, a step being as long as the leaf
MOST_OFF = {2.0**-52: 1e-9, 2.0**-23: 1e-4, 2.0**-10: 5e-3, 2.0**-7: 2e-2}  # by round-off


@dataclass(frozen=True)
class Truth:
    """A label, and the numbers it was read from."""

    label: str
    off: float  # the own gradient's distance from float64's, as a share
    signal: float  # the faintest leaf's slope over the noise of the values
    gap: float  # the best difference's distance from the gradient, as a share
    size: float  # of the gradient, the largest leaf's


def truth_of(program: Program) -> Truth:
    """Label a program whose rules are all right."""
    wide = pulls(program.wide_function, program.wide_inputs)
    off = max(off_of(program, output) for output in range(len(program.outputs)))
    signal, gap = faintest(program)
    corner = corners(program)
    size = max(length(one) for pull in wide for one in pull)
    if corner == "tie" or not math.isfinite(size):
        label = "tie"
    elif not off <= most_off(program.precision):
        label = "rounded"
    elif corner:
        label = corner
    elif math.isinf(gap):
        label = "rounded"
    elif signal < FAINT or gap > MOST_GAP:
        label = "faint"
    else:
        label = "right"
    return Truth(label, off, signal, gap, size)


def off_of(program: Program, output: int) -> float:
    """How far one output's own gradient is from float64's, as a share: a check asks of each."""
    wide = pulls(program.wide_function, program.wide_inputs, output)
    own = pulls(program.function, program.inputs, output)
    sizes = natural_sizes(program, output)
    return max(distance(mine, theirs, sizes) for mine, theirs in zip(own, wide, strict=True))


def most_off(round_off: float) -> float:
    """How far from float64's a gradient may be by rounding alone and still be called right."""
    return MOST_OFF[min(MOST_OFF, key=lambda known: abs(math.log(known / round_off)))]


def distance(
    mine: Sequence[torch.Tensor], theirs: Sequence[torch.Tensor], natural: Sequence[float]
) -> float:
    """The largest distance of a leaf's gradient, as a share of its size, or of its natural one."""
    return max(
        share_of(length(one - other), max(length(other), 1e-3 * size))
        for one, other, size in zip(mine, theirs, natural, strict=True)
    )


def share_of(gap: float, size: float) -> float:
    """A gap as a share of a size; infinite where it is not finite, or where there is no size."""
    if gap == 0:
        return 0.0
    return gap / size if size and math.isfinite(gap) else math.inf


def faintest(program: Program) -> tuple[float, float]:
    """The least slope over noise among leaves and outputs, and the largest gap of a difference.

    A gap is the distance of the best difference from the gradient, as a share of the slope. Pairs
    where nothing depends on the leaf do not count; where no pair is left, the slope is zero.
    """
    inputs = program.wide_inputs
    values = outputs_of(program.wide_function, inputs)
    signals, gaps = [], []
    for leaf in range(len(inputs)):
        for output in range(len(values)):
            line = line_of(program, leaf, output)
            slope, size = slope_of(program, leaf, output)
            bends = np.array(
                [
                    line(step - 1e-8) + line(step + 1e-8) - 2 * line(step)
                    for step in (-1e-8, 0.0, 1e-8, 2e-8)
                ]
            )
            moves = [line(step) - line(-step) for step in (1e-8, 1e-4, 1e-2)]
            if size == 0 and not any(moves):
                continue
            rounding = 2.0**-53 * abs(line(0.0))
            noise = max(float(np.median(np.abs(bends))), rounding)
            signals.append(size / noise if noise else math.inf)
            gaps.append(gap_of(line, slope, size or abs(line(0.0))))
    return min(signals, default=0.0), max(gaps, default=0.0)


STEPS = (1e-2, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)  # of the leaf's size


def gap_of(line: Callable[[float], float], slope: float, size: float) -> float:
    """How far the best difference is from the slope, as a share; the first good one will do.

    Infinite where a derivative of zero is that of values of zero which move: what rounding has left
    of larger numbers has then no size to be called small by.
    """
    gap = math.inf
    for step in STEPS:
        gap = min(gap, share_of(abs(difference(line, step) - slope), size))
        if gap < MOST_GAP / 100:
            break
    return gap


def difference(line: Callable[[float], float], step: float) -> float:
    """The slope by a central difference of fourth order."""
    near, far = line(step) - line(-step), line(2 * step) - line(-2 * step)
    return (8 * near - far) / (12 * step)


def line_of(program: Program, leaf: int, output: int) -> Callable[[float], float]:
    """One output, contracted, along a move of one leaf that is as long as the leaf."""
    point = [one.detach() for one in program.wide_inputs]
    along = moved(point, leaf, 1.0, 0)[0][leaf] - point[leaf]

    @functools.cache
    def line(step: float) -> float:
        places = [*point[:leaf], point[leaf] + step * along, *point[leaf + 1 :]]
        with torch.no_grad():
            value = outputs_of(program.wide_function, places)[output]
        return float(real_of(cotangent(10 * output, value)) @ real_of(value))

    return line


def slope_of(program: Program, leaf: int, output: int) -> tuple[float, float]:
    """The claimed slope of that line, and the size of such slopes in any direction."""
    inputs = program.wide_inputs
    value = outputs_of(program.wide_function, inputs)[output]
    if not value.requires_grad:
        return 0.0, 0.0
    (gradient,) = torch.autograd.grad(
        value, inputs[leaf], cotangent(10 * output, value), allow_unused=True
    )
    if gradient is None:
        return 0.0, 0.0
    _, along = moved(inputs, leaf, 0.0, 0)
    flat = real_of(gradient)
    return float(flat @ along), length(flat) * length(along) / math.sqrt(len(along))


def least_change(program: Program, truth: Truth) -> float:
    """How much a wrong rule must change of the gradient to count: 1e-4 in double, else 1e-2.

    More where a difference cannot see that: with a slope of s times the noise its best step leaves
    about s^(-2/3) of the slope.
    """
    least = 1e-4 if program.precision == torch.finfo(torch.float64).eps else 1e-2
    return max(least, 100 * truth.signal ** (-2 / 3))


def changed(right: Program, wrong: Program) -> float:
    """By what share of its norm some leaf's gradient is changed, for the cotangent that sees least.

    Read in float64 without casts, and as it is, where less is changed: a mask that is forgotten
    changes nothing of a maximum of numbers and their roundings, which tie without the cast alone.
    Infinite where the wrong one is not finite. A gradient that is zero but for rounding is not
    changed by another rounding.
    """
    natural = natural_sizes(right)
    shares = []
    for version in ("wide_function", "wide_inputs"), ("function", "inputs"):
        truth, claim = (
            pulls(*(getattr(program, name) for name in version)) for program in (right, wrong)
        )
        for theirs, mine in zip(truth, claim, strict=True):
            gaps = [length(a - b) for a, b in zip(theirs, mine, strict=True)]
            sizes = [max(length(a), ROUNDED * b) for a, b in zip(theirs, natural, strict=True)]
            shares.append(max(map(share_of, gaps, sizes)))
    return min(shares)
