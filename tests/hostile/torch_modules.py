"""Modules that write into everything they can reach, called in every way there is."""

from __future__ import annotations

import collections
import random
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.utils.checkpoint import checkpoint

from .harness import Case, Scene
from .parts import named
from .ways import MODULE, initialised, points


class Base(torch.nn.Module):
    """A layer, and something that each of the cases adds."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 3)
        self.set_up()

    def set_up(self) -> None:
        pass

    def disturb(self, y: torch.Tensor) -> Any:
        return None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.layer(x).tanh()
        factor = self.disturb(y)
        return y if factor is None else y * factor


class FrozenParameter(Base):
    def set_up(self) -> None:
        self.teacher = torch.nn.Parameter(torch.ones(3), requires_grad=False)

    def disturb(self, y: torch.Tensor) -> Any:
        with torch.no_grad():
            self.teacher.mul_(0.9).add_(0.3)
        return self.teacher.detach().clone()


class FrozenParameterBehindTorchsBack(FrozenParameter):
    def disturb(self, y: torch.Tensor) -> Any:
        self.teacher.data.mul_(0.9).add_(0.1)
        return self.teacher.clone()


class AverageOfAnotherLayer(Base):
    def set_up(self) -> None:
        self.teacher = torch.nn.Linear(4, 3).requires_grad_(False)

    def disturb(self, y: torch.Tensor) -> Any:
        pairs = zip(self.teacher.parameters(), self.layer.parameters(), strict=True)
        for mine, other in pairs:
            mine.data.mul_(0.9).add_(0.1 * other.detach().round())
        return 1 + self.teacher.bias.detach().clone()


class HiddenModule(Base):
    def set_up(self) -> None:
        self.hidden = [torch.nn.BatchNorm1d(3, affine=False)]

    def disturb(self, y: torch.Tensor) -> Any:
        self.hidden[0](torch.arange(6.0).reshape(2, 3))
        return 1 + self.hidden[0].running_mean.clone()


class TensorsInAList(Base):
    def set_up(self) -> None:
        self.states = [torch.ones(3, dtype=torch.float64) for _ in range(2)]

    def disturb(self, y: torch.Tensor) -> Any:
        self.states[0].add_(0.1)
        return self.states[0].clone()


class TensorsInADict(Base):
    def set_up(self) -> None:
        self.states = {"a": {"b": torch.ones(3, dtype=torch.float64)}}

    def disturb(self, y: torch.Tensor) -> Any:
        self.states["a"]["b"].mul_(1.1)
        self.states["new"] = 1
        return self.states["a"]["b"].clone()


class TensorsInATuple(Base):
    def set_up(self) -> None:
        self.states = (torch.ones(3, dtype=torch.float64), 1)

    def disturb(self, y: torch.Tensor) -> Any:
        self.states[0].mul_(1.1)
        return self.states[0].clone()


class TensorsInADeque(Base):
    def set_up(self) -> None:
        self.states = collections.deque([torch.ones(3, dtype=torch.float64)], maxlen=2)

    def disturb(self, y: torch.Tensor) -> Any:
        self.states.append(self.states[-1] * 1.1)
        return self.states[-1]


class TensorReplaced(Base):
    def set_up(self) -> None:
        self.state = torch.ones(3, dtype=torch.float64)

    def disturb(self, y: torch.Tensor) -> Any:
        self.state = self.state * 1.1
        return self.state


class SharedMemory(Base):
    def set_up(self) -> None:
        self.register_buffer("whole", torch.ones(3))

    def double(self) -> Any:
        super().double()
        self.part = self.whole[:1]
        return self

    def disturb(self, y: torch.Tensor) -> Any:
        self.part.add_(0.1)
        return self.whole.clone()


class Array(Base):
    def set_up(self) -> None:
        self.numbers = np.ones(3)

    def disturb(self, y: torch.Tensor) -> Any:
        self.numbers += 0.1
        return torch.from_numpy(self.numbers.copy())


class ArraysDeepInside(Base):
    def set_up(self) -> None:
        self.numbers = {"a": [np.ones(3), np.zeros(2, dtype=np.int32)]}

    def disturb(self, y: torch.Tensor) -> Any:
        self.numbers["a"][0][0] += 0.5
        return torch.from_numpy(self.numbers["a"][0].copy())


class TorchGenerator(Base):
    def set_up(self) -> None:
        self.source = torch.Generator().manual_seed(0)

    def disturb(self, y: torch.Tensor) -> Any:
        return torch.rand(3, generator=self.source, dtype=torch.float64) + 1


class NumpyGenerators(Base):
    def set_up(self) -> None:
        self.source = np.random.default_rng(0)
        self.old = [np.random.RandomState(0)]

    def disturb(self, y: torch.Tensor) -> Any:
        return float(self.source.random() + self.old[0].rand() + 1)


class PythonsGenerator(Base):
    def set_up(self) -> None:
        self.source = random.Random(0)

    def disturb(self, y: torch.Tensor) -> Any:
        return self.source.random() + 1


class GlobalGenerators(Base):
    def disturb(self, y: torch.Tensor) -> Any:
        return random.random() + np.random.rand() + float(torch.rand(())) + 1


class PlainObject(Base):
    def set_up(self) -> None:
        self.plain = types.SimpleNamespace(count=1, history=[])

    def disturb(self, y: torch.Tensor) -> Any:
        self.plain.count += 1
        self.plain.history.append(y.detach())
        return float(self.plain.count)


class Slotted:
    __slots__ = ("count", "state")

    def __init__(self) -> None:
        self.count, self.state = 1, torch.ones(3, dtype=torch.float64)


class SlottedObject(Base):
    def set_up(self) -> None:
        self.plain = Slotted()

    def disturb(self, y: torch.Tensor) -> Any:
        self.plain.count += 1
        self.plain.state.mul_(1.1)
        return self.plain.state * self.plain.count


class ObjectThatKnowsTheModule(Base):
    def set_up(self) -> None:
        self.plain = types.SimpleNamespace(owner=[self], state=torch.ones(3, dtype=torch.float64))

    def disturb(self, y: torch.Tensor) -> Any:
        self.plain.state.mul_(1.1)
        return self.plain.owner[0].plain.state.clone()


class CountingCalls(Base):
    def set_up(self) -> None:
        self.calls = 0

    def disturb(self, y: torch.Tensor) -> Any:
        self.calls += 1
        return float(self.calls)


class HooksInForward(Base):
    def disturb(self, y: torch.Tensor) -> Any:
        self.layer.register_forward_hook(lambda module, inputs, output: output * 1.5)
        self.register_full_backward_hook(lambda module, inputs, outputs: None)


class ANewBuffer(Base):
    def disturb(self, y: torch.Tensor) -> Any:
        if not hasattr(self, "count"):
            self.register_buffer("count", torch.zeros((), dtype=torch.float64))
        self.count += 1
        return self.count.clone()


class ASubmoduleSwapped(Base):
    def set_up(self) -> None:
        self.other = torch.nn.Linear(4, 3)

    def disturb(self, y: torch.Tensor) -> Any:
        self.layer, self.other = self.other, self.layer


class ASubmoduleAdded(Base):
    def disturb(self, y: torch.Tensor) -> Any:
        self.add_module(f"more{len(self._modules)}", torch.nn.Tanh())
        return float(len(self._modules))


class ASubmoduleRemoved(Base):
    def set_up(self) -> None:
        self.first = torch.nn.Tanh()

    def disturb(self, y: torch.Tensor) -> Any:
        if "first" in self._modules:
            del self.first
        return 2.0


class TrainingSwitched(Base):
    def set_up(self) -> None:
        self.norm = torch.nn.BatchNorm1d(3)

    def disturb(self, y: torch.Tensor) -> Any:
        factor = 1 + self.norm(torch.ones_like(y)).mean(0)
        self.train(not self.training)
        return factor


class MarksSwitched(Base):
    def disturb(self, y: torch.Tensor) -> Any:
        for parameter in self.layer.parameters():
            if parameter.is_leaf:
                parameter.requires_grad_(True)


class ItsOwnWeightWritten(Base):
    def disturb(self, y: torch.Tensor) -> Any:
        self.layer.bias.data.clamp_(-0.2, 0.2)


class GradientsWritten(Base):
    def disturb(self, y: torch.Tensor) -> Any:
        for parameter in self.layer.parameters():
            if parameter.is_leaf:
                parameter.grad = torch.ones_like(parameter)


class GradModeSwitchedOff(Base):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = super().forward(x)
        torch.set_grad_enabled(False)
        return y


class DefaultDtypeSwitched(Base):
    def disturb(self, y: torch.Tensor) -> Any:
        factor = torch.ones(3) / 3
        torch.set_default_dtype(torch.float64)
        return factor


class Checkpoint(Base):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(super().forward, x, use_reentrant=False)


class CheckpointWithStatistics(Base):
    def set_up(self) -> None:
        self.layer = torch.nn.Linear(4, 3, bias=False)  # a norm leaves nothing of a bias
        self.norm = torch.nn.BatchNorm1d(3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(lambda y: self.norm(self.layer(y)), x, use_reentrant=False)


class Dropout(Base):
    def disturb(self, y: torch.Tensor) -> Any:
        return torch.nn.functional.dropout(torch.ones(3, dtype=torch.float64))


class SpectralNorm(Base):
    def set_up(self) -> None:
        self.layer = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(4, 3))


class OldSpectralNorm(Base):
    def set_up(self) -> None:
        self.layer = torch.nn.utils.spectral_norm(torch.nn.Linear(4, 3))


class ASubmoduleThatRaises(Base):
    def set_up(self) -> None:
        self.inner = torch.nn.Linear(7, 7)

    def disturb(self, y: torch.Tensor) -> Any:
        try:
            self.inner(y)
        except RuntimeError:
            return 2.0
        return None


class OwnClassesOfContainers(Base):
    def set_up(self) -> None:
        self.states = collections.defaultdict(list, a=[torch.ones(3, dtype=torch.float64)])
        self.order = collections.OrderedDict(a=1, b=2)
        self.names = {"a", "b"}

    def disturb(self, y: torch.Tensor) -> Any:
        self.states["a"][0].mul_(1.1)
        self.states["b"].append(1)
        self.order.move_to_end("a")
        self.names.discard("a")
        return self.states["a"][0] * (1.0 if next(iter(self.order)) == "b" else 2.0)


class Opened(Base):
    """Reads on in an iterator, which nobody can wind back; here it goes round and round."""

    def set_up(self) -> None:
        self.stream = iter(lambda: 1, 2)

    def disturb(self, y: torch.Tensor) -> Any:
        return float(next(self.stream))


def disturbed(kind: Callable[[], torch.nn.Module], way: str) -> Scene:
    module, x = initialised(kind), points(5, 4)
    for parameter in module.parameters():
        parameter.grad = torch.full_like(parameter, 7.0)
    if way == "compare":
        module.float()
    return Scene(lambda: MODULE[way](module, x), [module, x], OUTCOMES.get(kind, ("PASS", "True")))


# clamping a bias is a step that no gradient shows, for the parameter alone
OUTCOMES: dict[Any, tuple[str, ...]] = {
    ItsOwnWeightWritten: ("PASS", "True", "FAIL", "False", "INCONCLUSIVE"),
}
KINDS = [one for one in Base.__subclasses__() if one is not FrozenParameter] + [
    FrozenParameter,
    FrozenParameterBehindTorchsBack,
]
CASES = [
    Case(*named(f"{kind.__name__}, {way}", disturbed, kind, way))
    for kind in KINDS
    for way in MODULE
]
