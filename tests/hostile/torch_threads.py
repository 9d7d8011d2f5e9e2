"""Checks in many threads: right verdicts, and nothing lost that they share."""

from __future__ import annotations

import threading
from typing import Any

import torch

import secant
from secant.torch import gradcheck

from .harness import Case, Scene
from .parts import in_threads, named, verdicts
from .ways import MODULE, initialised, net, points


class Rule(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx: Any, v: torch.Tensor) -> torch.Tensor:
        return v * ctx.saved_tensors[0].cos()


class Ruled(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return Rule.apply(self.layer(x))


def one_module(way: str, count: int) -> Scene:
    x, module = points(6, 4), net()
    if way == "compare":
        module.float()
    act = lambda: verdicts(in_threads([lambda: MODULE[way](module, x)] * count))
    return Scene(act, [x, module], ("PASS", "True"))


def separate_modules(way: str, count: int) -> Scene:
    x, modules = points(6, 4), [net() for _ in range(count)]
    for module in modules if way == "compare" else ():
        module.float()
    acts = [lambda one=one: MODULE[way](one, x) for one in modules]
    return Scene(lambda: verdicts(in_threads(acts)), [x, modules], ("PASS", "True"))


def a_module_and_its_part(count: int) -> Scene:
    x, module = points(6, 4), net()
    acts = [lambda one=one: secant.check(one, x) for one in [module, module[0]] * count]
    return Scene(lambda: verdicts(in_threads(acts)), [x, module], ("PASS",))


def rules(count: int) -> Scene:
    x, module = points(5, 4), initialised(Ruled)
    acts = [lambda: secant.localise(module, x)] * count
    return Scene(lambda: verdicts(in_threads(acts)), [x, module], ("PASS",))


def forward_mode(count: int) -> Scene:
    x = points(5)
    acts = [lambda: verdicts([secant.check(torch.sin, x, modes="all") for _ in range(5)])] * count
    return Scene(lambda: verdicts(in_threads(acts)), x, ("PASS",))


def random_functions(count: int) -> Scene:
    x = points(5)

    def drawing(y: torch.Tensor) -> torch.Tensor:
        return y * torch.rand(5, dtype=torch.float64) + torch.rand(1, dtype=torch.float64)

    acts = [lambda: verdicts([secant.check(drawing, x) for _ in range(5)])] * count
    return Scene(lambda: verdicts(in_threads(acts)), x, ("PASS",))


def drop_ins(count: int) -> Scene:
    x = points(5).requires_grad_()
    acts = [lambda: gradcheck(torch.sin, (x,), check_forward_ad=True, fast_mode=True)] * count
    return Scene(lambda: verdicts(in_threads(acts)), x, ("True",))


def right_and_wrong(count: int) -> Scene:
    x = points(5)

    class Wrong(Rule):
        @staticmethod
        def backward(ctx: Any, v: torch.Tensor) -> torch.Tensor:
            return v * ctx.saved_tensors[0].cos() * 1.5

    functions = [torch.sin, Wrong.apply] * count
    acts = [lambda f=f: secant.check(f, x) for f in functions]

    def act() -> str:
        answers = in_threads(acts)
        return f"{verdicts(answers[::2])} {verdicts(answers[1::2])}"

    return Scene(act, x, ("PASS FAIL",))


def a_check_inside_a_check() -> Scene:
    x, module = points(6, 4), net()

    class Checking(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = module

        def forward(self, y: torch.Tensor) -> torch.Tensor:
            secant.check(self.inner, x)
            secant.check(torch.sin, x, modes="all")
            return self.inner(y)

    outer = Checking().double()
    return Scene(lambda: secant.check(outer, x), [outer, x])


def a_thread_that_calls_the_function_too() -> Scene:
    """The user's own thread draws on a module of its own while a check is made."""
    x, module, other = points(6, 4), net(), net()
    stop = threading.Event()

    def act() -> Any:
        thread = threading.Thread(target=lambda: [other(x) for _ in iter(stop.is_set, True)])
        thread.start()
        try:
            return secant.localise(module, x)
        finally:
            stop.set()
            thread.join()

    return Scene(act, [x, module])


CASES = [
    *(Case(*named(f"{count} threads check one module, {way}", one_module, way, count))
      for way in MODULE for count in (2, 4)),
    *(Case(*named(f"{count} threads check modules of their own, {way}", separate_modules, way,
                  count)) for way in MODULE for count in (4,)),
    *(Case(*named(f"{2 * count} threads check a module and its part", a_module_and_its_part, count))
      for count in (1, 2)),
    *(Case(*named(f"{count} threads localise rules", rules, count)) for count in (2, 4)),
    *(Case(*named(f"{count} threads in forward mode", forward_mode, count)) for count in (2, 4, 8)),
    *(Case(*named(f"{count} threads that draw", random_functions, count)) for count in (2, 4, 8)),
    *(Case(*named(f"{count} threads with gradcheck", drop_ins, count)) for count in (2, 8)),
    *(Case(*named(f"{2 * count} threads, half of them wrong", right_and_wrong, count))
      for count in (2, 4)),
    Case("a check inside a check", a_check_inside_a_check),
    Case("a user's thread with a module of its own", a_thread_that_calls_the_function_too),
]  # fmt: skip
