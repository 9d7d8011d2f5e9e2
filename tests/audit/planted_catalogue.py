"""A catalogue of NumPy functions, some of which misbehave: what audits are tested on.

Importing it imports no framework, so that workers start fast. `PLANTED_DEATHS` in the environment
is a folder: `falls[once]` kills its worker unless a file there says that it has done so.
`PLANTED_GATE` is one, too: from `sine2` on, a worker that begins an operator leaves a file there
that is named after its process, and goes on when there is one that is named `open`.
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
import zlib
from pathlib import Path

import numpy as np

from secant.extend import Catalogue, Operator, Sample, Skipped, Terms


def kill_worker() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_worker_once() -> None:
    mark = Path(os.environ["PLANTED_DEATHS"]) / "died"
    if not mark.exists():
        mark.write_text("")
        kill_worker()


def refuse_to_draw() -> None:
    raise RuntimeError("no numbers today")


def decline() -> None:
    raise Skipped("has no derivative after all")


def wait_at_the_gate() -> None:
    if "PLANTED_GATE" in os.environ:
        gate = Path(os.environ["PLANTED_GATE"])
        (gate / str(os.getpid())).touch()
        while not (gate / "open").exists():
            time.sleep(0.01)


def sleep(x):
    time.sleep(3600)
    return x


def hold(x):
    """Never come back to Python, nor let any other thread of it go on."""
    ctypes.PyDLL(None).sleep(3600)
    return x


# name -> function, its claimed gradient as a factor of the right one, what happens before
PLANTED = {
    **{f"sine{k}": (np.sin, np.cos, 1.0, wait_at_the_gate if k > 1 else None) for k in range(12)},
    "wrong": (np.sin, np.cos, 1.05, None),
    "twice": (lambda x: x * x, lambda x: 2 * x, 2.0, None),
    "infinite": (lambda x: x / 0.0, lambda x: x, 1.0, None),
    "falls": (np.exp, np.exp, 1.0, kill_worker),
    "falls.once": (np.exp, np.exp, 1.0, kill_worker_once),
    "sleeps": (sleep, np.ones_like, 1.0, None),
    "holds": (hold, np.ones_like, 1.0, None),
    "undrawn": (np.exp, np.exp, 1.0, refuse_to_draw),
    "declined": (np.exp, np.exp, 1.0, decline),
    "rounded": (np.round, np.round, 1.0, None),
}


class Planted(Catalogue):
    def versions(self):
        return (f"planted {os.environ.get('PLANTED_VERSION', '1')}",)

    def operators(self, terms: Terms):
        for name in PLANTED:
            skipped = "claims no derivative" if name == "rounded" else ""
            yield Operator(name, {"operator": name}, skipped)

    def samples(self, name, terms, limit, seed):
        function, derivative, factor, before = PLANTED[name]
        if before is not None:
            before()
        numbers = np.random.default_rng([seed, zlib.crc32(name.encode())])

        def pull(inputs, cotangent):
            return factor * derivative(inputs) * cotangent

        points = [numbers.uniform(0.5, 1.5, 3).astype(terms.dtype) for _ in range(limit)]
        return [Sample(function, (x,), {"pull": pull}) for x in points]


CATALOGUE = Planted()
NOT_ONE = "a string"
