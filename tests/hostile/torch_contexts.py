"""Checks made inside the contexts that users work in: they are on afterwards, as they were."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .harness import Case, Scene
from .parts import named
from .ways import FUNCTION, MODULE, net, points

ANY = ("PASS", "FAIL", "INCONCLUSIVE", "True", "False", "SecantError", "ValueError", "RuntimeError")


class Passing(TorchDispatchMode):
    """Passes everything on."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


@contextlib.contextmanager
def _default(dtype: torch.dtype) -> Any:
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


@contextlib.contextmanager
def _caught() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


CONTEXTS: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "no_grad": torch.no_grad,
    "enable_grad in no_grad": torch.enable_grad,
    "inference mode": torch.inference_mode,
    "autocast": lambda: torch.autocast("cpu", torch.bfloat16),
    "a default of float64": lambda: _default(torch.float64),
    "a default device": lambda: torch.device("cpu"),
    "a function mode": torch.overrides.BaseTorchFunctionMode,
    "a dispatch mode": Passing,
    "anomaly mode": lambda: torch.autograd.detect_anomaly(check_nan=False),
    "saved-tensor hooks": lambda: torch.autograd.graph.saved_tensors_hooks(
        lambda one: one, lambda one: one
    ),
    "single-threaded backward": lambda: torch.autograd.set_multithreading_enabled(False),
    "a level of forward mode": torch.autograd.forward_ad.dual_level,
    "forked generators": torch.random.fork_rng,
    "NumPy raising": lambda: np.errstate(all="raise"),
    "warnings as errors": _caught,
}
WITHOUT = {"a level of forward mode": ("check", "compare")}  # torch has no two of them


def _enter_once(context: str) -> None:
    """Let torch import what it needs for this context: that is no part of a check."""
    with CONTEXTS[context]():
        torch.ones(2) * 2


def of_function(context: str, way: str) -> Scene:
    _enter_once(context)
    x = points(4).requires_grad_()
    x.grad = torch.ones_like(x)

    def act() -> Any:
        from .state import differences, state

        with CONTEXTS[context]():
            before = state(x)
            answer = FUNCTION[way](lambda y: y.sin() * y, x)
            found = differences(before, state(x))
        assert not found, found
        return answer

    return Scene(act, x, ANY)


def of_module(context: str, way: str) -> Scene:
    _enter_once(context)
    watched = x, module = points(6, 4), net()
    if way == "compare":
        module.float()

    def act() -> Any:
        from .state import differences, state

        with CONTEXTS[context]():
            before = state(watched)
            answer = MODULE[way](module, x)
            found = differences(before, state(watched))
        assert not found, found
        return answer

    return Scene(act, watched, ANY)


CASES = [
    *(
        Case(*named(f"under {context}, {way}", of_function, context, way))
        for context in CONTEXTS
        for way in WITHOUT.get(context, FUNCTION)
    ),
    *(
        Case(*named(f"a module under {context}, {way}", of_module, context, way))
        for context in CONTEXTS
        for way in WITHOUT.get(context, ("check", "compare", "localise"))
    ),
]
