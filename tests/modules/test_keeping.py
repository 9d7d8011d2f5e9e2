"""All that hangs on a module is put back, in whatever way it is called; calls begin alike."""

from __future__ import annotations

import types

import numpy as np
import pytest
import torch

import secant
from planted import points
from secant.torch import gradcheck

WAYS = {
    "check": secant.check,
    "its forward": lambda module, x: secant.check(module.forward, x),
    "a lambda": lambda module, x: secant.check(lambda y: module(y), x),
    "gradcheck": lambda module, x: gradcheck(module, (x.clone().requires_grad_(),)),
    "localise": secant.localise,
}


class Restless(torch.nn.Module):
    """Changes whatever it can reach, and answers with a factor that tells."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(3, 2)
        self.teacher = torch.nn.Parameter(torch.ones(2), requires_grad=False)
        self.listed = [torch.ones(2), {"deep": torch.ones(2)}]
        self.fixed = (torch.ones(2),)
        self.numbers = np.ones(2)
        self.plain = types.SimpleNamespace(count=1, source=torch.Generator().manual_seed(0))
        self.hidden = [torch.nn.Linear(2, 2).requires_grad_(False)]

    def forward(self, x):
        self.teacher.data.mul_(1.1)
        self.listed[0].add_(0.1)
        self.listed[1]["deep"].add_(0.1)
        self.listed.append(1)
        self.fixed[0].add_(0.1)
        self.numbers += 0.1
        self.plain.count += 1
        self.hidden[0].bias.data.add_(0.1)
        self.layer.register_forward_hook(lambda module, inputs, output: output * 2)
        drawn = torch.rand(2, generator=self.plain.source)
        factor = self.teacher * self.listed[0] * self.listed[1]["deep"] * self.fixed[0] + drawn
        factor = factor * self.plain.count + torch.from_numpy(self.numbers) + self.hidden[0].bias
        return self.layer(x) * factor.double()


def everything(module: Restless) -> list[object]:
    tensors = [module.teacher, module.listed[0], module.listed[1]["deep"], module.fixed[0]]
    tensors += [module.hidden[0].bias, module.layer.weight, module.plain.source.get_state()]
    return [
        *[(id(one), one.tolist(), one._version) for one in tensors[:-1]],
        tensors[-1].tolist(),
        module.numbers.tolist(),
        module.plain.count,
        len(module.listed),
        len(module.layer._forward_hooks),
        type(module.layer.weight),
    ]


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_what_hangs_on_a_module_is_put_back_and_every_call_begins_alike(way):
    module = Restless()
    module.layer.double()
    before = everything(module)
    answer = way(module, points(4, 3))
    assert everything(module) == before
    assert answer
    assert getattr(answer, "verdict", secant.Verdict.PASS) is secant.Verdict.PASS


def test_tensors_that_share_memory_share_it_in_every_call():
    class Shared(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("whole", torch.ones(3, dtype=torch.float64))
            self.part = self.whole[:1]

        def forward(self, x):
            self.part.add_(1)
            return x * self.whole.clone()

    module = Shared()
    seen = []
    report = secant.check(lambda x: (seen.append(0), module(x))[1], points(3))
    assert report
    assert module.whole.tolist() == [1, 1, 1]
    assert torch.equal(module(torch.ones(3)), torch.tensor([2.0, 1, 1], dtype=torch.float64))


def test_what_cannot_be_wound_back_is_said_in_one_line():
    class Reading(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.stream = iter([1.0] * 1000)

        def forward(self, x):
            return x.sin() * next(self.stream)

    report = secant.check(Reading(), points(3))
    assert report
    assert "note" in str(report)
    assert "Reading.stream is read by calls, and cannot be wound back" in str(report)


def test_a_submodule_that_raises_is_no_part_of_the_record():
    class Trying(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.wrong = torch.nn.Linear(7, 7)
            self.right = torch.nn.Linear(3, 3)

        def forward(self, x):
            try:
                return self.wrong(x)
            except RuntimeError:
                return self.right(x)

    result = secant.localise(Trying().double(), points(2, 3))
    assert "right" in {call.path for call in result.calls}
