"""What a check of a module leaves alone: gradients, buffers, hooks, modes, generators, all."""

from __future__ import annotations

import collections

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrizations

import secant
from fingerprints import Halt, fingerprint
from wrong.modules.broken import numbers
from wrong.modules.layers import LayerNorm

_HOOKS = (
    "_forward_hooks",
    "_forward_pre_hooks",
    "_backward_hooks",
    "_backward_pre_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_pre_hooks_with_kwargs",
    "_forward_hooks_always_called",
)


class Stateful(nn.Module):
    """Whatever a forward pass may change, this one changes."""

    def __init__(self, halts=None):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.3))
        self.norm = parametrizations.spectral_norm(nn.Linear(4, 4))
        self.rnn = nn.GRU(4, 4, batch_first=True)
        self.old = nn.utils.spectral_norm(nn.Linear(4, 4))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))
        self.register_buffer("level", torch.zeros(4))
        self.memory, self.calls, self.cache = torch.ones(4), [], collections.OrderedDict()
        self.generator, self.halts, self.mode = torch.Generator().manual_seed(3), halts, "fresh"

    def forward(self, x):
        self.count += 1
        self.level = self.level + 1.0
        self.memory.mul_(1.5)
        self.calls.append("called")
        self.cache["last"] = x.detach()
        self.mode, self.extra = "used", 3
        self.training = self.training
        noise = torch.rand(4, generator=self.generator).to(x.dtype)
        y = self.old(self.norm(self.body(x))) + noise
        if self.halts is not None and len(self.cache) == 1:
            Stateful.count_of_calls += 1
            if Stateful.count_of_calls >= self.halts:
                raise Halt
        return self.rnn(y[None])[0][0]

    count_of_calls = 0


def snapshot(module):
    """Everything about a module that can be compared before and after."""
    parts = []
    for name, one in module.named_modules():
        parts.append((name, id(one), one.training, list(one.__dict__)))
        parts.append([(key, id(value)) for key, value in one.__dict__.items()])
        parts += [list(getattr(one, hooks).items()) for hooks in _HOOKS]
        parts += [
            [(k, id(v)) for k, v in table.items()] for table in (one._parameters, one._buffers)
        ]
    tensors = [*module.parameters(), *module.buffers()]
    own = [module.memory, *tensors]
    state = [(key, value.clone()) for key, value in module.state_dict().items()]
    plain = (list(module.calls), dict(module.cache), module.mode, hasattr(module, "extra"))
    return parts, fingerprint(*own), plain, module.generator.get_state().tolist(), state


def same(one, other):
    assert one[:4] == other[:4]
    for (name, before), (again, after) in zip(one[4], other[4], strict=True):
        assert name == again
        assert torch.equal(before, after), name


def built(dtype, halts=None):
    torch.manual_seed(0)
    module = Stateful(halts).to(dtype)
    module.memory = module.memory.to(dtype)
    for parameter in module.parameters():
        parameter.grad = torch.full_like(parameter, 0.5)
    seen = []
    module.register_forward_hook(lambda *_: seen.append("hook") and None)
    module.body[0].register_forward_pre_hook(lambda *_: None)
    module.body[0].weight.register_hook(lambda g: g * 2)
    return module


@pytest.mark.parametrize("verb", [secant.check, secant.localise])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("training", [True, False])
def test_a_module_is_bit_for_bit_as_before(verb, dtype, training):
    module = built(dtype).train(training)
    x = numbers(5, 3).to(dtype)
    before = snapshot(module), fingerprint(x)
    assert verb(module, x, explain=False).verdict is secant.Verdict.PASS
    same(before[0], snapshot(module))
    assert fingerprint(x) == before[1]


@pytest.mark.parametrize("verb", [secant.check, secant.localise])
def test_also_with_a_copy_in_float64(verb):
    module, x = built(torch.float32), numbers(5, 3).float()
    before = snapshot(module)
    verb(module, x, dtype="float64", explain=False)
    same(before, snapshot(module))


@pytest.mark.parametrize("verb", [secant.check, secant.localise])
@pytest.mark.parametrize("halts", [1, 3])
def test_also_after_an_exception(verb, halts):
    module, x = built(torch.float64, halts), numbers(5, 3)
    before = snapshot(module)
    Stateful.count_of_calls = 0
    with pytest.raises(secant.FunctionRaised):
        verb(module, x, explain=False)
    Stateful.count_of_calls = 0
    same(before, snapshot(module))


def test_also_after_an_interrupt():
    class Interrupted(nn.Linear):
        def forward(self, x):
            if not torch.equal(x.detach(), POINT):
                raise KeyboardInterrupt
            return super().forward(x)

    module = Interrupted(3, 2).double()
    before = [(id(one), one.detach().clone()) for one in module.parameters()]
    with pytest.raises(KeyboardInterrupt):
        secant.check(module, POINT)
    assert [id(one) for one in module.parameters()] == [key for key, _ in before]
    assert all(map(torch.equal, module.parameters(), [value for _, value in before]))


POINT = numbers(2, 3)


def test_rules_are_as_before_after_localising():
    from wrong.modules.layers import LayerNormRule

    before = dict(LayerNormRule.__dict__)
    secant.localise(nn.Sequential(LayerNorm(3)).double(), POINT, explain=False)
    assert dict(LayerNormRule.__dict__) == before
