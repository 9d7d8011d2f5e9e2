"""The ways into secant with a function of tensors or a module, for families that vary them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch

import secant
from secant.torch import gradcheck, gradgradcheck

warnings.simplefilter("ignore", secant.Undecided)
Way = Callable[[Any, torch.Tensor], Any]


def points(*shape: int, seed: int = 0) -> torch.Tensor:
    """Return numbers within (−1, 1), drawn apart from torch's own generator."""
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(shape, generator=generator, dtype=torch.float64) * 2 - 1


def initialised(make: Callable[[], torch.nn.Module]) -> torch.nn.Module:
    """Return a module of float64, made apart from torch's own generator."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return make().double()


def net() -> torch.nn.Module:
    """Return four blocks with running statistics."""
    linear, norm = torch.nn.Linear, torch.nn.BatchNorm1d
    return initialised(
        lambda: torch.nn.Sequential(
            *(
                torch.nn.Sequential(linear(4, 4, bias=False), norm(4), torch.nn.Tanh())
                for _ in range(4)
            )
        )
    )


def _dropped_in(dropped: Callable[..., bool], **settings: Any) -> Way:
    def act(function: Any, x: torch.Tensor) -> bool:
        marked = x.detach().clone().requires_grad_()
        return dropped(function, (marked,), raise_exception=False, **settings)

    return act


FUNCTION: dict[str, Way] = {
    "check": secant.check,
    "check in full": lambda f, x: secant.check(f, x, probe="full", modes="all", laws="all"),
    "check to second order": lambda f, x: secant.check(f, x, order=2),
    "compare": lambda f, x: secant.compare(f, f, x, dtype="float32"),
    "gradcheck": _dropped_in(gradcheck, check_forward_ad=True),
    "gradgradcheck": _dropped_in(gradgradcheck, fast_mode=True),
}
MODULE: dict[str, Way] = {
    "check": secant.check,
    "check in both modes": lambda m, x: secant.check(m, x, modes="all"),
    "check of its forward": lambda m, x: secant.check(m.forward, x),
    "check of a lambda": lambda m, x: secant.check(lambda y: m(y), x),
    "gradcheck": _dropped_in(gradcheck, fast_mode=True),
    "compare": lambda m, x: secant.compare(m, m, x.float()),
    "localise": secant.localise,
}
