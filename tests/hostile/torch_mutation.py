"""Functions that write into their arguments, into what they close over, and into the process."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from .harness import Case, Scene
from .parts import named
from .torch_contexts import Passing
from .ways import FUNCTION, points

ANY = ("PASS", "FAIL", "INCONCLUSIVE", "True", "False", "SecantError", "RuntimeError")


def on_inputs() -> dict[str, Callable[[torch.Tensor, torch.Tensor], Any]]:
    """Return what a function may do to its arguments; the second is a constant."""
    return {
        "writes through .data": lambda y, c: y.data.mul_(2),
        "writes through detach": lambda y, c: y.detach().mul_(2),
        "writes through NumPy": lambda y, c: y.detach().numpy().fill(0.3),
        "writes into a constant": lambda y, c: c.mul_(2),
        "resizes a constant": lambda y, c: c.resize_(2),
        "sets the data of its argument": lambda y, c: setattr(y, "data", y.data * 2),
        "sets a gradient": lambda y, c: setattr(c, "grad", torch.ones_like(c)),
        "hangs on a hook": lambda y, c: y.requires_grad and y.register_hook(lambda v: v * 2),
        "hangs on an attribute": lambda y, c: setattr(c, "tag", 1),
        "marks a constant": lambda y, c: c.requires_grad_(),
        "calls backward": lambda y, c: y.requires_grad and (y * y).sum().backward(),
        "transposes in place": lambda y, c: c.unsqueeze_(0),
        "shares the memory": lambda y, c: c.share_memory_(),
    }


def on_process() -> dict[str, Callable[[], Any]]:
    """Return what a function may do to the process."""
    return {
        "draws from torch": lambda: torch.rand(3),
        "seeds torch": lambda: torch.manual_seed(5),
        "draws from NumPy": lambda: np.random.rand(3),
        "draws one normal number from NumPy": lambda: np.random.randn(),
        "seeds NumPy": lambda: np.random.seed(5),
        "draws from Python": random.random,
        "draws one normal number from Python": lambda: random.gauss(0, 1),
        "seeds Python": lambda: random.seed(5),
        "switches gradients off": lambda: torch.set_grad_enabled(False),
        "enters no_grad and stays": lambda: torch.no_grad().__enter__(),
        "sets the default dtype": lambda: torch.set_default_dtype(torch.float64),
        "sets the default device": lambda: torch.set_default_device("cpu"),
        "enters a dispatch mode and stays": lambda: Passing().__enter__(),
        "enters a function mode and stays": lambda: torch.overrides.BaseTorchFunctionMode()
        .__enter__(),
        "switches anomaly mode on": lambda: torch.autograd.set_detect_anomaly(True),
        "wants determinism": lambda: torch.use_deterministic_algorithms(True),
        "sets the number of threads": lambda: torch.set_num_threads(2),
        "switches autocast on": lambda: torch.set_autocast_enabled("cpu", True),
        "sets NumPy's errors": lambda: np.seterr(all="raise"),
        "filters warnings": lambda: warnings.simplefilter("ignore"),
        "registers a global hook": lambda: torch.nn.modules.module.register_module_forward_hook(
            lambda module, inputs, output: None
        ),
        "saves what a record saves elsewhere": lambda: torch.autograd.graph.saved_tensors_hooks(
            lambda one: one, lambda one: one
        ).__enter__(),
    }  # fmt: skip


def of_inputs(what: str, way: str) -> Scene:
    x, constant = points(4).requires_grad_(), points(4, seed=1)
    x.grad = torch.full_like(x, 7.0)
    act = on_inputs()[what]

    def writing(y: torch.Tensor, c: torch.Tensor = constant) -> torch.Tensor:
        c = c.detach().clone()
        act(y, c)
        return y.sin() * 2

    return Scene(lambda: FUNCTION[way](writing, x), [x, constant], ANY)


def of_constant(what: str) -> Scene:
    import secant

    x, constant = points(4).requires_grad_(), points(4, seed=1)
    act = on_inputs()[what]

    def writing(y: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        act(y, c)
        return y.sin() * 2

    return Scene(lambda: secant.check(writing, x, constant), [x, constant], ANY)


def of_process(what: str, way: str) -> Scene:
    x = points(4).requires_grad_()
    act = on_process()[what]

    def disturbing(y: torch.Tensor) -> torch.Tensor:
        answer = y.sin() * y
        act()
        return answer

    outcomes = ANY if "autocast" in what or "device" in what else ("PASS", "True", "INCONCLUSIVE")
    return Scene(lambda: FUNCTION[way](disturbing, x), x, outcomes)


CASES = [
    *(
        Case(*named(f"a function that {what}, {way}", of_process, what, way))
        for what in on_process()
        for way in ("check", "check in full", "compare", "gradcheck")
    ),
    *(
        Case(*named(f"a function that {what}, {way}", of_inputs, what, way))
        for what in on_inputs()
        for way in ("check", "compare", "gradcheck")
    ),
    *(
        Case(*named(f"a function of a constant that {what}", of_constant, what))
        for what in on_inputs()
    ),
]
