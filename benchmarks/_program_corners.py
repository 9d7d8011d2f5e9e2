"""Whether a random program's point lies on a corner, and whether torch's slope belongs to it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import torch

from _program_pulls import (
    COTANGENTS,
    cotangent,
    length,
    moved,
    natural_sizes,
    outputs_of,
    pulls,
    real_of,
)
from _program_text import Program

__all__ = ["corners"]

CORNERS = re.compile(
    r"relu|abs|clamp|maximum|minimum|where|hardtanh|softshrink|sort|topk|amax|amin|max\(|norm|hypot"
)


def corners(program: Program) -> str:
    """What the point is to its corners: "" away from them, else "kink", "tie" or "faint".

    At a corner the gradients on the two sides differ by as much however near the sides are. It is a
    tie if torch's slope is outside of them, and faint if the values do not have these slopes. Every
    output is looked at by itself: what lies outside of one's sides may lie between those of a sum.
    """
    if not CORNERS.search(program.body()):
        return ""
    found = {
        label for output in range(len(program.outputs)) for label in corners_of(program, output)
    }
    return next((label for label in ("tie", "faint", "kink") if label in found), "")


def corners_of(program: Program, output: int) -> Iterator[str]:
    """What the point is to the corners of one output, along moves of each leaf."""
    inputs = program.wide_inputs
    here = pulls(program.wide_function, inputs, output)
    natural = natural_sizes(program, output)
    for leaf in range(len(inputs)):
        for number in range(3):
            sides = {
                step: sided(program, output, leaf, number, step)
                for step in (1e-7, -1e-7, 1e-9, -1e-9)
            }
            along = moved(inputs, leaf, 0.0, number)[1]
            for which in range(COTANGENTS):
                right, left = sides[1e-9][which], sides[-1e-9][which]
                far = abs(sides[1e-7][which] - sides[-1e-7][which])
                size = max(length(here[which][leaf]) * length(along), abs(right), abs(left))
                # What rounding leaves of a zero is no corner.
                slack = 1e-6 * size + 1e-10 * natural[leaf] * length(along)
                slope = float(here[which][leaf] @ along)
                low, high = min(right, left) - slack - far / 50, max(right, left) + slack + far / 50
                is_outside = not low <= slope <= high
                if is_outside or abs(right - left) > max(0.5 * far, slack):
                    is_seen = has_slopes(program, output, leaf, number, which, right, left)
                    yield "faint" if not is_seen else "tie" if is_outside else "kink"


def sided(program: Program, output: int, leaf: int, number: int, step: float) -> list[float]:
    """The slopes along a move of one leaf, claimed a step away from the point, by cotangent."""
    places, along = moved(program.wide_inputs, leaf, step, number)
    places = [one.requires_grad_() for one in places]
    found = pulls(program.wide_function, places, output)
    return [float(pull[leaf] @ along) for pull in found]


def has_slopes(
    program: Program, output: int, leaf: int, number: int, which: int, right: float, left: float
) -> bool:
    """Whether the values rise to either side as the gradients there say, at some step."""

    def value(step: float) -> float:
        places, _ = moved(program.wide_inputs, leaf, step, number)
        with torch.no_grad():
            one = outputs_of(program.wide_function, places)[output]
        return float(real_of(cotangent(which, one)) @ real_of(one))

    largest = 1e-2 * max(abs(right), abs(left))
    return any(
        abs((value(step) - value(0.0)) / step - right) <= largest
        and abs((value(0.0) - value(-step)) / step - left) <= largest
        for step in (1e-3, 1e-5, 1e-7)
    )
