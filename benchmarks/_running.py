"""What benchmarks share in being run: arguments, a sign of life, calls timed in turns."""

from __future__ import annotations

import argparse
import gc
import math
import statistics
import sys
import time
from collections.abc import Callable, Sequence

__all__ = ["Progress", "geometric_mean", "in_turns", "positive", "spread"]


def geometric_mean(ratios: Sequence[float]) -> float:
    """The geometric mean, in which no slow question decides; NaN where there are none."""
    return statistics.geometric_mean(ratios) if ratios else math.nan


def spread(counts: Sequence[int]) -> str:
    """The median and the 99th percentile of counts, `4, 24`."""
    if not counts:
        return ""
    ordered = sorted(counts)
    return f"{ordered[len(ordered) // 2]}, {ordered[int(0.99 * len(ordered))]}"


def positive(text: str) -> int:
    """A whole number from one on."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 on; got {text!r}")
    return number


class Progress:
    """A line on stderr at the start, every ten seconds, and at the end."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.start = time.monotonic()
        self.next = 0.0

    def show(self, done: int, doing: str) -> None:
        """Say how far the run is, unless that was said a moment ago."""
        elapsed = time.monotonic() - self.start
        if elapsed >= self.next or done == self.total:
            print(f"{elapsed:6.0f} s  {done}/{self.total}  {doing}", file=sys.stderr, flush=True)
            self.next = elapsed + 10


def in_turns(
    one: Callable[[], float], other: Callable[[], float], repeats: int
) -> tuple[list[float], list[float]]:
    """Seconds of both, after a call each that does not count, taking turns in going first."""
    one()
    other()
    gc.collect()
    gc.freeze()  # a collection would otherwise walk all of torch, in somebody's time
    taken: dict[Callable[[], float], list[float]] = {one: [], other: []}
    for turn in range(repeats):
        for call in (one, other) if turn % 2 == 0 else (other, one):
            taken[call].append(call())
    return taken[one], taken[other]
