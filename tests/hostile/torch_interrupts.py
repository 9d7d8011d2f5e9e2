"""Interrupts by a real timer, 1 to 29 milliseconds into checks of every kind."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

import torch

from .harness import Case, Scene
from .parts import named, timer
from .ways import FUNCTION, MODULE, net, points

FINE = ("PASS", "INCONCLUSIVE", "True", "KeyboardInterrupt")
DELAYS = (0.001, 0.003, 0.007, 0.013, 0.029)


class Late(BaseException):
    """What the timer of a test runner raises."""


def late(number: int, frame: Any) -> None:
    raise Late


def interrupted(
    act: Callable[[], Any], delay: float, handler: Callable[[int, Any], Any] | None = None
) -> Any:
    with timer(delay, handler):
        answer = act()
        signal.setitimer(signal.ITIMER_REAL, 0)
        return answer


def of_module(way: str, delay: float, handler: Any = None) -> Scene:
    x, module = points(6, 4), net()
    for parameter in module.parameters():
        parameter.grad = torch.ones_like(parameter)
    if way == "compare":
        module.float()
    act = lambda: interrupted(lambda: MODULE[way](module, x), delay, handler)
    return Scene(act, [x, module], (*FINE, "Late"))


def of_function(way: str, delay: float) -> Scene:
    x = points(40).requires_grad_()

    def drawing(y: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            factor = torch.rand(40, dtype=torch.float64) + 1
        return torch.func.vmap(lambda one: one.sin())(y) * factor

    act = lambda: interrupted(lambda: FUNCTION[way](drawing, x), delay)
    return Scene(act, x, (*FINE, "False", "FAIL"))


def again_and_again() -> Scene:
    """A timer that fires every 3 ms, ten times."""
    x, module = points(6, 4), net()

    def act() -> int:
        stopped = 0
        for _ in range(10):
            try:
                interrupted(lambda: MODULE["check"](module, x), 0.003)
            except KeyboardInterrupt:
                stopped += 1
        return stopped > 0

    return Scene(act, [x, module], ("True",))


CASES = [
    *(
        Case(*named(f"a module, {way}, after {delay * 1e3:g} ms", of_module, way, delay))
        for way in MODULE
        for delay in DELAYS
    ),
    *(
        Case(
            *named(f"another signal, {way}, after {delay * 1e3:g} ms", of_module, way, delay, late)
        )
        for way in ("check", "localise")
        for delay in DELAYS
    ),
    *(
        Case(*named(f"a function, {way}, after {delay * 1e3:g} ms", of_function, way, delay))
        for way in FUNCTION
        for delay in DELAYS
    ),
    Case("ten interrupts, one after the other", again_and_again),
]
