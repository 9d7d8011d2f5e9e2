"""`python -m hostile.interrupts N`: N interrupts by a real timer, at times drawn at random.

They come down on checks of modules and functions, `compare`, `localise` and the drop-ins, most as
SIGINT, every fifth as another signal whose handler raises. After each one all state is compared
with what it was, and at the end it is said how many were made, how many came down inside a check,
and how many lost anything.
"""

from __future__ import annotations

import argparse
import random
import signal
import time
import warnings
from collections import Counter
from typing import Any

import torch

from .page import write
from .parts import timer
from .state import differences, state
from .torch_interrupts import Late, late
from .ways import FUNCTION, MODULE, net, points


def drawing(y: torch.Tensor) -> torch.Tensor:
    """Draw, enter modes and batches: whatever an interrupt may leave half done."""
    with torch.no_grad():
        factor = torch.rand(y.shape, dtype=torch.float64) + 1
    return torch.func.vmap(lambda one: one.sin())(y) * factor.to(y.dtype)


def main() -> None:
    """Interrupt, compare, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--page", action="store_true", help="write the counts into the docs")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    x, single, double = points(6, 4), net().float(), net()
    for parameter in (*single.parameters(), *double.parameters()):
        parameter.grad = torch.ones_like(parameter)
    acts: dict[str, Any] = {
        f"a module, {way}": lambda way=way: MODULE[way](single if way == "compare" else double, x)
        for way in MODULE
    }
    acts |= {f"a function, {way}": lambda way=way: FUNCTION[way](drawing, x) for way in FUNCTION}
    lasting: dict[str, float] = {}
    for name, act in acts.items():
        act()  # imports what it needs
        started = time.perf_counter()
        act()
        lasting[name] = time.perf_counter() - started
    watched = [x, single, double]
    drawn, made, inside, lost = random.Random(asked.seed), 0, Counter(), Counter()
    before = state(watched)
    while made < asked.count:
        name = list(acts)[made % len(acts)]
        delay = max(drawn.random() * min(lasting[name], 0.2) * 1.1, 1e-5)
        made += 1
        try:
            with timer(delay, late if drawn.random() < 0.2 else None):
                acts[name]()
                signal.setitimer(signal.ITIMER_REAL, 0)
        except (KeyboardInterrupt, Late):
            inside[name] += 1
        found = differences(before, state(watched))
        if found:
            lost[name] += 1
            print(f"{name} after {delay * 1e3:.3f} ms: {found[:3]}", flush=True)
            before = state(watched)
    for name in acts:
        print(f"{name:36} {inside[name]:5} inside, {lost[name]:3} lost something")
    said = f"{made} interrupts, {inside.total()} inside a check, {lost.total()} lost something"
    print(said)
    if asked.page:
        write("interrupts", f"`python -m hostile.interrupts {made}`: {said}.")
    raise SystemExit(lost.total() > 0)


if __name__ == "__main__":
    main()
