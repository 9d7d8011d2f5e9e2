"""Functions of one framework that reach into another: all that are loaded are put back."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch

import secant

from .harness import Case, Scene
from .parts import named

DRAWS: dict[str, Callable[[], float]] = {
    "torch": lambda: float(torch.rand(())) + 1,
    "NumPy": lambda: np.random.rand() + 1,
    "Python": lambda: random.random() + 1,
}
SWITCHES: dict[str, Callable[[], Any]] = {
    "torch's grad mode": lambda: torch.set_grad_enabled(False),
    "torch's default dtype": lambda: torch.set_default_dtype(torch.float64),
    "JAX's debugging": lambda: jax.config.update("jax_debug_nans", True),
    "NumPy's errors": lambda: np.seterr(all="raise"),
}


def of_torch(act: Callable[[], Any]) -> Scene:
    x = torch.linspace(0, 1, 4, dtype=torch.float64)

    def function(y: torch.Tensor) -> torch.Tensor:
        answer = y.sin()
        drawn = act()
        return answer * drawn if isinstance(drawn, float) else answer

    return Scene(lambda: secant.check(function, x), x)


def of_numpy(act: Callable[[], Any]) -> Scene:
    x = np.linspace(0, 1, 4)

    def factor() -> float:
        drawn = act()
        return drawn if isinstance(drawn, float) else 1.0

    pull = lambda y, v: np.cos(y) * v * factor()
    return Scene(lambda: secant.check(lambda y: np.sin(y) * factor(), x, pull=pull), x)


def of_jax(act: Callable[[], Any]) -> Scene:
    jax.config.update("jax_enable_x64", True)
    x = jnp.linspace(0, 1, 4)

    def function(y: Any) -> Any:
        drawn = act()
        return jnp.sin(y) * (drawn if isinstance(drawn, float) else 1.0)

    return Scene(lambda: secant.check(function, x), x, ("PASS", "INCONCLUSIVE"))


CASES = [
    Case(*named(f"a function of {name} that {what}", make, act))
    for name, make in (("torch", of_torch), ("NumPy", of_numpy), ("JAX", of_jax))
    for what, act in (
        *((f"draws from {one}", act) for one, act in DRAWS.items()),
        *((f"switches {one}", act) for one, act in SWITCHES.items()),
    )
]
