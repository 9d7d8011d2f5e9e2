"""Tensors that hold no numbers, points and settings beyond all bounds: one sentence, no change."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch._subclasses import FakeTensorMode

import secant

from .harness import Case, Scene

warnings.filterwarnings("ignore", message=".*nested.*|.*mkldnn.*")


def _meta() -> torch.Tensor:
    return torch.ones(3, device="meta")


def _fake() -> torch.Tensor:
    with FakeTensorMode():
        return torch.ones(3)


def _nested(layout: torch.layout) -> torch.Tensor:
    return torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=layout)


def _axes(count: int) -> torch.Tensor:
    return torch.ones((1,) * count, dtype=torch.float64)


def _deep(levels: int) -> Any:
    made: Any = torch.ones(2, dtype=torch.float64)
    for _ in range(levels):
        made = [made]
    return made


def _cyclic(kind: str) -> Any:
    if kind == "dict":
        made: Any = {"x": torch.ones(2)}
        made["me"] = made
    else:
        made = [torch.ones(2)]
        made.append(made)
    return made


def _first(value: Any) -> Any:
    while not isinstance(value, torch.Tensor):
        value = value[0]
    return value.sin()


KINDS: dict[str, tuple[Callable[[], Any], str]] = {
    "a meta tensor": (_meta, "meta device"),
    "a fake tensor": (_fake, "fake tensor"),
    "a nested tensor": (functools.partial(_nested, torch.strided), "nested tensor"),
    "a jagged tensor": (functools.partial(_nested, torch.jagged), "nested tensor"),
    "61 dimensions": (functools.partial(_axes, 61), "at most 60 dimensions"),
    "64 dimensions": (functools.partial(_axes, 64), "at most 60 dimensions"),
    "70 dimensions": (functools.partial(_axes, 70), "at most 60 dimensions"),
    "1e308": (lambda: torch.full((3,), 1e308, dtype=torch.float64), "squares are finite"),
    "NaN": (lambda: torch.tensor([1.0, torch.nan]), "NaN or inf"),
    "infinity": (lambda: torch.tensor([1.0, torch.inf]), "NaN or inf"),
    "a list that holds itself": (functools.partial(_cyclic, "list"), "containers that end"),
    "a dict that holds itself": (functools.partial(_cyclic, "dict"), "containers that end"),
    "2,000 lists in each other": (functools.partial(_deep, 2000), "containers that end"),
}
VERBS: dict[str, Callable[[Any], Any]] = {
    "check": lambda x: secant.check(_first, x),
    "a full check": lambda x: secant.check(_first, x, probe="full"),
    "a check of both modes": lambda x: secant.check(_first, x, modes="all"),
    "assert_gradient": lambda x: secant.assert_gradient(_first, x),
    "a check of a module": lambda x: secant.check(torch.nn.ReLU(), x),
    "a check by hand": lambda x: secant.check(_first, x, pull=lambda x, v: v),
}


def _input(made: Callable[[], Any], verb: Callable[[Any], Any], says: str) -> Scene:
    value = made()
    watched = value if isinstance(value, torch.Tensor) and value.device.type == "cpu" else ()
    if says in ("containers that end", "nested tensor", "fake tensor"):
        watched = ()  # what the harness itself cannot copy
    return Scene(lambda: verb(value), watched, ("InputError",), says)


def _output(made: Callable[[], Any], says: str) -> Scene:
    x, value = torch.ones(2, dtype=torch.float64), made()
    return Scene(lambda: secant.check(lambda x: (x.sin(), value), x), x, ("SecantError",), says)


def _parameter() -> Scene:
    layer = torch.nn.Linear(3, 2, device="meta")
    return Scene(
        lambda: secant.check(layer, torch.ones(3)),
        (),
        ("InputError",),
        "weight is on the meta device",
    )


SETTINGS: dict[str, Any] = {
    "step": [5e-324, 1e308, 0, torch.ones(2)],
    "rtol": [torch.ones(1), 10**400, "x"],
    "max_evaluations": [torch.ones(3), -1],
    "max_seconds": [torch.ones(3), -1],
    "probe": [torch.ones(1), ["fast"]],
    "laws": [torch.ones(2), [torch.ones(2)]],
    "modes": [torch.ones(2)],
    "order": [torch.ones(2), 0],
    "masked": [torch.ones(2)],
    "lift": [torch.ones(2)],
    "memory": [torch.ones(2)],
    "seed": [torch.ones(2)],
    "kwargs": [torch.ones(2)],
    "progress": [torch.ones(2)],
}


def _setting(name: str, place: int) -> Scene:
    x, value = torch.ones(2, dtype=torch.float64), SETTINGS[name][place]
    return Scene(
        lambda: secant.check(torch.sin, x, **{name: value}), x, ("InputError",), f"`{name}`"
    )


CASES = [
    *(
        Case(f"{verb} of {kind}", functools.partial(_input, made, VERBS[verb], says))
        for kind, (made, says) in KINDS.items()
        for verb in VERBS
    ),
    *(
        Case(f"an output that is {kind}", functools.partial(_output, *KINDS[kind]))
        for kind in (
            "a meta tensor",
            "a nested tensor",
            "64 dimensions",
            "2,000 lists in each other",
        )
    ),
    Case("a parameter on the meta device", _parameter),
    *(
        Case(f"{name} that is the {place + 1}. odd value", functools.partial(_setting, name, place))
        for name, values in SETTINGS.items()
        for place in range(len(values))
    ),
]
