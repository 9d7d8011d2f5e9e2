"""Checks inside transforms and modes that have no numbers: refused, and nothing is left behind."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import sympy  # torch imports it late, and it adds a filter of warnings
import torch
from torch._subclasses import FakeTensorMode
from torch.autograd import forward_ad
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils.flop_counter import FlopCounterMode

import secant

from .harness import Case, Scene

FUNC = torch.func
assert sympy is not None
TRANSFORMS: dict[str, Callable[[Any, torch.Tensor], Any]] = {
    "vmap": lambda f, t: FUNC.vmap(f)(t),
    "grad": lambda f, t: FUNC.grad(f)(t),
    "jvp": lambda f, t: FUNC.jvp(f, (t,), (t,)),
    "vjp": lambda f, t: FUNC.vjp(f, t),
    "jacrev": lambda f, t: FUNC.jacrev(f)(t),
    "jacfwd": lambda f, t: FUNC.jacfwd(f)(t),
    "hessian": lambda f, t: FUNC.hessian(f)(t),
    "functionalize": lambda f, t: FUNC.functionalize(f)(t),
    "vmap of grad": lambda f, t: FUNC.vmap(FUNC.grad(f))(t),
}
VERBS: dict[str, Callable[[torch.Tensor], Any]] = {
    "check": lambda x: secant.check(torch.sin, x),
    "compare": lambda x: secant.compare(torch.sin, torch.sin, x),
    "localise": lambda x: secant.localise(torch.nn.Sequential(torch.nn.Tanh()), x),
}


def _inside(name: str, verb: str, *, is_traced: bool) -> Scene:
    x = torch.linspace(0.1, 1, 4, dtype=torch.float64).reshape(2, 2)

    def inside(t: torch.Tensor) -> torch.Tensor:
        VERBS[verb](t if is_traced else x)
        return t.sum()

    return Scene(
        lambda: TRANSFORMS[name](inside, x),
        x,
        ("InputError",),
        "outside of a transform of torch.func",
    )


def _faked(verb: str) -> Scene:
    x = torch.ones(3, dtype=torch.float64)

    def act() -> Any:
        with FakeTensorMode():
            return VERBS[verb](x)

    return Scene(act, x, ("InputError",), "outside of a FakeTensorMode")


def _traced_by_fx(mode: str) -> Scene:
    x = torch.ones(3, dtype=torch.float64)

    def inside(t: torch.Tensor) -> torch.Tensor:
        report = secant.check(torch.sin, x)
        assert report, report
        return t.sin()

    outcome = "True" if mode == "real" else "InputError"
    make = make_fx(inside, tracing_mode=mode)
    return Scene(lambda: isinstance(make(x), torch.nn.Module), x, (outcome,))


def _nested(modes: str) -> Scene:
    x = torch.linspace(0.1, 1, 3, dtype=torch.float64)

    def inner(x: torch.Tensor) -> Any:
        return FUNC.jvp(torch.sin, (x,), (torch.ones_like(x),))[1]

    outcome = "PASS" if modes == "reverse" else "INCONCLUSIVE"
    return Scene(lambda: secant.check(inner, x, modes=modes), x, (outcome,))


def _dual(modes: str) -> Scene:
    x = torch.linspace(0.1, 1, 3, dtype=torch.float64)

    def act() -> Any:
        with forward_ad.dual_level():
            return secant.check(torch.sin, x, modes=modes)

    return Scene(act, x, ("PASS" if modes == "reverse" else "INCONCLUSIVE",))


def _counted(verb: Callable[[Any, torch.Tensor], Any]) -> Scene:
    net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Tanh()).double()
    x = torch.ones(3, dtype=torch.float64)

    def act() -> Any:
        with FlopCounterMode(display=False):
            return verb(net, x)

    return Scene(act, (net, x), ("INCONCLUSIVE",), "A leaf node was passed to")


def _mute(where: str) -> Scene:
    class Mute(Exception):
        def __str__(self) -> str:
            raise ZeroDivisionError

    class Rule(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x.sin()

        @staticmethod
        def backward(ctx: Any, *grads: torch.Tensor) -> torch.Tensor:
            raise Mute

    def raises(x: torch.Tensor) -> torch.Tensor:
        raise Mute

    x, said = torch.ones(2, dtype=torch.float64), "its own words cannot be had"
    if where == "forward":
        return Scene(lambda: secant.check(raises, x), [x, Rule], ("FunctionRaised",), said)
    return Scene(lambda: secant.check(Rule.apply, x, order=2), [x, Rule], ("FAIL",), said)


def _order(order: int, *, is_raising: bool) -> Scene:
    class Rule(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x.sin()

        @staticmethod
        def backward(ctx: Any, *grads: torch.Tensor) -> torch.Tensor:
            if is_raising:
                raise KeyError("row")
            return grads[0] * torch.inf

    x = torch.ones(3, dtype=torch.float64)
    return Scene(lambda: secant.check(Rule.apply, x, order=order), x, ("FAIL",))


def _whole(dtype: torch.dtype, modes: str) -> Scene:
    x = torch.linspace(0, 1, 4, dtype=dtype)
    return Scene(
        lambda: secant.check(torch.argmax, x, modes=modes),
        x,
        ("INCONCLUSIVE",),
        "nothing was checked",
    )


CASES = [
    *(
        Case(
            f"{verb} inside {name} at {'its own' if is_traced else 'another'} tensor",
            functools.partial(_inside, name, verb, is_traced=is_traced),
        )
        for name in TRANSFORMS
        for verb in VERBS
        for is_traced in (True, False)
    ),
    *(Case(f"{verb} inside a fake mode", functools.partial(_faked, verb)) for verb in VERBS),
    *(
        Case(f"a check while make_fx traces, {mode}", functools.partial(_traced_by_fx, mode))
        for mode in ("real", "fake")
    ),
    *(
        Case(f"{modes} mode of a function that pushes inside", functools.partial(_nested, modes))
        for modes in ("reverse", "forward", "all")
    ),
    *(
        Case(f"{modes} mode inside a dual level", functools.partial(_dual, modes))
        for modes in ("reverse", "forward", "all")
    ),
    Case("a check of a module that is counted", functools.partial(_counted, secant.check)),
    Case("localise of a module that is counted", functools.partial(_counted, secant.localise)),
    *(
        Case(f"an exception without words in the {where}", functools.partial(_mute, where))
        for where in ("forward", "backward")
    ),
    *(
        Case(
            f"order {order} of a backward that {'raises' if is_raising else 'is infinite'}",
            functools.partial(_order, order, is_raising=is_raising),
        )
        for order in (2, 3)
        for is_raising in (True, False)
    ),
    *(
        Case(f"argmax of {dtype}, {modes}", functools.partial(_whole, dtype, modes))
        for dtype in (torch.float64, torch.float32, torch.bfloat16)
        for modes in ("reverse", "all")
    ),
]
