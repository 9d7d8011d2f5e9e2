"""Functions, modules and backwards that raise, or are stopped, at the k-th call."""

from __future__ import annotations

from typing import Any

import torch

import secant

from .harness import Case, Scene
from .parts import Counter, Halt, named
from .ways import FUNCTION, MODULE, initialised, points

KINDS: tuple[type[BaseException], ...] = (Halt, KeyboardInterrupt, SystemExit, MemoryError)
FINE = ("PASS", "FAIL", "INCONCLUSIVE", "True", "False")


def outcomes(kind: type[BaseException]) -> tuple[str, ...]:
    """An interrupt is never swallowed; an exception may be the border of a domain."""
    if issubclass(kind, Exception):
        return (*FINE, "FunctionRaised", "InputError", kind.__name__)
    return (kind.__name__, *FINE)  # a check may need fewer calls


def in_function(way: str, place: int, kind: type[BaseException]) -> Scene:
    x = points(5).requires_grad_()
    x.grad = torch.ones_like(x)
    count = Counter(place, kind)

    def stopping(y: torch.Tensor) -> torch.Tensor:
        torch.rand(2)
        torch.set_grad_enabled(False)
        torch.set_grad_enabled(True)
        count()
        return y.sin() * y

    return Scene(lambda: FUNCTION[way](stopping, x), x, outcomes(kind))


class Stopping(torch.nn.Module):
    def __init__(self, count: Any) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 3)
        self.norm = torch.nn.BatchNorm1d(3)
        self.seen: list[torch.Tensor] = []
        self.count = lambda: count()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norm(self.layer(x))
        self.seen.append(y)
        self.count()
        return y.tanh()


def in_module(way: str, place: int, kind: type[BaseException]) -> Scene:
    x, module = points(5, 4), initialised(lambda: Stopping(Counter(place, kind)))
    if way == "compare":
        module.float()
    return Scene(lambda: MODULE[way](module, x), [x, module], outcomes(kind))


class Backward(torch.autograd.Function):
    count: Any = None

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx: Any, v: torch.Tensor) -> torch.Tensor:
        Backward.count()
        return v * ctx.saved_tensors[0].cos()


def in_backward(way: str, place: int, kind: type[BaseException]) -> Scene:
    x = points(5)
    Backward.count = Counter(place, kind)
    act = lambda: FUNCTION[way](Backward.apply, x)
    return Scene(act, x, (*outcomes(kind), "RuntimeError"))


GIVEN: dict[str, Any] = {
    "pull": lambda x, v: v * x.cos(),
    "push": lambda x, u: u * x.cos(),
    "gradient": lambda x: x.cos(),
    "jacobian": lambda x: x.cos().diag(),
}


def in_given(keyword: str, place: int, kind: type[BaseException]) -> Scene:
    x, count = points(5), Counter(place, kind)

    def derivative(*given: torch.Tensor) -> torch.Tensor:
        count()
        return GIVEN[keyword](*given)

    function = (lambda y: y.sin().sum()) if keyword == "gradient" else torch.sin
    act = lambda: secant.check(function, x, **{keyword: derivative})
    is_refused = issubclass(kind, Exception)
    return Scene(act, x, ("FAIL", "PASS") if is_refused else outcomes(kind))


CASES = [
    *(
        Case(*named(f"{kind.__name__} at call {place} of {keyword}", in_given, keyword, place,
                    kind))
        for keyword in GIVEN
        for place in (1, 2, 3, 4)
        for kind in (Halt, KeyboardInterrupt)
    ),
    *(
        Case(*named(f"{kind.__name__} at call {place} in {way}", in_function, way, place, kind))
        for way in FUNCTION
        for place in (1, 2, 5)
        for kind in KINDS
    ),
    *(
        Case(*named(f"{kind.__name__} at call {place} of a module, {way}", in_module, way, place,
                    kind))
        for way in MODULE
        for place in (1, 3)
        for kind in (Halt, KeyboardInterrupt)
    ),
    *(
        Case(*named(f"{kind.__name__} in backward {place}, {way}", in_backward, way, place, kind))
        for way in ("check", "check in full", "compare", "gradcheck")
        for place in (1, 2)
        for kind in (Halt, KeyboardInterrupt)
    ),
]  # fmt: skip
