"""A catalogue whose operators are wrong only where somebody looks for trouble."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np

from secant._catalogues.numpy_maker import NumpyMaker
from secant.extend import Catalogue, Operator, Sample


def fall_once() -> None:
    """Kill the worker, unless a file says that it has been done."""
    mark = Path(os.environ["PLANTED_DEATHS"]) / "fell"
    if not mark.exists():
        mark.write_text("")
        os.kill(os.getpid(), signal.SIGKILL)


def right(x, v):
    return 2 * x * v


def wrong_when_small(x, v):
    return np.where(np.abs(x) < 1e-4, 0.0, 2 * x) * v


def wrong_at_zero(x, v):
    return np.where(x == 0, np.nan, 2 * x) * v


PULLS = {"right": right, "small": wrong_when_small, "zero": wrong_at_zero, "falls": right}


class Fuzzed(Catalogue):
    def versions(self):
        return ("fuzzed 1",)

    def operators(self, terms):
        plain = (terms.modes, terms.order) == ("reverse", 1)
        for name in PULLS:
            yield Operator(name, {"operator": name}, "" if plain else "claims no such derivative")

    def samples(self, name, terms, limit, seed):
        if name == "falls":
            fall_once()
        points = np.random.default_rng(seed).uniform(1, 2, (limit, 3)).astype(terms.dtype)
        return [Sample(np.square, (point,), {"pull": PULLS[name]}) for point in points]

    def maker(self, terms):
        return NumpyMaker()


CATALOGUE = Fuzzed()
