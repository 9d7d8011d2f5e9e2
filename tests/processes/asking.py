"""What the processes of the crew do for a test: check a layer, and tell what came of it."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import numpy as np
import torch

import secant

from . import layers, modules
from .collectives import Collectives


class Told(NamedTuple):
    """What one process saw."""

    verdict: str
    causes: tuple[str, ...]
    text: str
    cost: tuple[int, int]
    is_untouched: bool


def check_right(group: Any, name: str, settings: dict[str, Any] | None = None) -> Told:
    return told(layers.RIGHT[name](Collectives(group)), group, settings or {})


def check_wrong(group: Any, name: str, settings: dict[str, Any] | None = None) -> Told:
    return told(layers.WRONG[name][0](Collectives(group)), group, settings or {})


def told(layer: Any, group: Any, settings: dict[str, Any]) -> Told:
    function, inputs, own = layer
    before = state(inputs, group)
    report = secant.check(function, *inputs, group=group, **(own | settings))
    causes = tuple(one.cause for one in report.findings if one.cause)
    cost = report.cost.evaluations, report.cost.pulls
    return Told(report.verdict.name, causes, str(report), cost, before == state(inputs, group))


def state(inputs: Any, group: Any) -> Any:
    """All that a check might leave changed on a process."""
    tensors = [one for one in inputs if isinstance(one, torch.Tensor)]
    return (
        [local(one) for one in tensors],
        [one.grad is None for one in tensors],
        [one.requires_grad for one in tensors],
        torch.get_rng_state().numpy().tobytes(),
        random.getstate(),
        np.random.get_state()[1].tobytes(),  # noqa: NPY002 the global one is what is looked at
        torch.is_grad_enabled(),
        group._get_backend(torch.device("cpu")).options._timeout,
    )


def check_module(group: Any, name: str, settings: dict[str, Any] | None = None) -> Told:
    function, inputs, own = (modules.RIGHT.get(name) or modules.WRONG[name][0])(group)
    parameters = list(function.parameters()) if isinstance(function, torch.nn.Module) else []
    for parameter in parameters:
        parameter.grad = torch.zeros_like(parameter)
    kept = [(id(one.grad), local(one.grad), local(one)) for one in parameters]
    answer = told((function, inputs, own), group, settings or {})
    after = [(id(one.grad), local(one.grad), local(one)) for one in parameters]
    return answer._replace(is_untouched=answer.is_untouched and kept == after)


def local(tensor: torch.Tensor) -> bytes:
    own = tensor.to_local() if hasattr(tensor, "to_local") else tensor
    return own.detach().contiguous().view(torch.uint8).numpy().tobytes()
