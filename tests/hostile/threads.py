"""`python -m hostile.threads N`: N checks by eight threads, of shared and separate modules.

Half of the functions and modules have a wrong gradient. All state is compared before and after, and
it is said how many checks were made, how many verdicts were wrong, and what was lost.
"""

from __future__ import annotations

import argparse
import threading
import warnings
from collections import Counter
from typing import Any

import torch

import secant

from .page import write
from .state import differences, state
from .torch_threads import Rule
from .ways import net, points

THREADS = 8


class Wrong(Rule):
    """A cosine that is half again too large."""

    @staticmethod
    def backward(ctx: Any, v: torch.Tensor) -> torch.Tensor:
        return v * ctx.saved_tensors[0].cos() * 1.5


class Ruled(torch.nn.Module):
    """A net, then a rule."""

    def __init__(self, rule: Any) -> None:
        super().__init__()
        self.net, self.rule = net(), rule

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.rule.apply(self.net(x))


def main() -> None:
    """Check in threads, then compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=1000)
    parser.add_argument("--page", action="store_true", help="write the counts into the docs")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    x, y = points(6, 4), points(5)
    shared = Ruled(Rule), Ruled(Wrong)
    own = [(Ruled(Rule), Ruled(Wrong)) for _ in range(THREADS)]

    def drawing(z: torch.Tensor) -> torch.Tensor:
        return z.sin() * torch.rand(5, dtype=torch.float64) + torch.rand(1, dtype=torch.float64)

    def wrongly_drawing(z: torch.Tensor) -> torch.Tensor:
        return Wrong.apply(z) * (torch.rand(5, dtype=torch.float64) + 1)

    def acts(thread: int) -> list[tuple[str, Any]]:
        right, wrong = own[thread]
        quick = {"explain": False}
        return [
            ("PASS", lambda: secant.check(shared[0], x)),
            ("FAIL", lambda: secant.check(shared[1], x, **quick)),
            ("PASS", lambda: secant.check(right, x)),
            ("FAIL", lambda: secant.check(wrong, x, **quick)),
            ("PASS", lambda: secant.check(torch.sin, y, modes="all")),
            ("FAIL", lambda: secant.check(wrongly_drawing, y, **quick)),
            ("PASS", lambda: secant.check(drawing, y)),
            ("PASS", lambda: secant.compare(torch.sin, torch.sin, y, dtype="float32")),
            ("PASS", lambda: secant.localise(shared[0], x)),
            ("FAIL", lambda: secant.localise(shared[1], x, **quick)),
        ]

    for _, act in acts(0):
        act()  # imports what it needs
    watched = [x, y, shared, own]
    before, outcomes = state(watched), Counter()

    def work(thread: int) -> None:
        mine = acts(thread)
        for number in range(asked.count // THREADS):
            expected, act = mine[number % len(mine)]
            try:
                verdict = act().verdict.name
            except Exception as error:
                verdict = f"{type(error).__name__}: {error}"
            outcomes[expected == verdict] += 1
            if expected != verdict:
                print(f"expected {expected}; got {verdict[:200]}", flush=True)

    threads = [threading.Thread(target=work, args=(place,)) for place in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = differences(before, state(watched))
    print(*found[:10], sep="\n")
    said = (
        f"{outcomes.total()} checks in {THREADS} threads, {outcomes[False]} wrong verdicts, "
        f"{len(found)} things lost"
    )
    print(said)
    if asked.page:
        write("threads", f"`python -m hostile.threads {asked.count}`: {said}.")
    raise SystemExit(bool(found or outcomes[False]))


if __name__ == "__main__":
    main()
