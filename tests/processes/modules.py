"""Modules and functions of tensors that are spread over processes, by torch's own means."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Partial, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)
from torch.nn.parallel import DistributedDataParallel

from .collectives import Collectives
from .layers import AVERAGED, MISSING, draw


def mesh_of(group: Any) -> DeviceMesh:
    return DeviceMesh.from_group(group, "cpu")


def network(*, widths: tuple[int, ...] = (4, 8, 4)) -> Any:
    torch.manual_seed(0)
    first, inner, last = widths
    layers = torch.nn.Linear(first, inner), torch.nn.Tanh(), torch.nn.Linear(inner, last)
    return torch.nn.Sequential(*layers).double()


def spread(group: Any, placement: Any, *shape: int, seed: int) -> Any:
    return distribute_tensor(draw(*shape, seed=seed), mesh_of(group), [placement])


def product(group):
    inputs = spread(group, Replicate(), 3, 4, seed=0), spread(group, Shard(1), 4, 8, seed=1)
    return lambda x, w: torch.tanh(x @ w), inputs, {}


def partial_sums(group):
    inputs = spread(group, Shard(1), 3, 4, seed=0), spread(group, Shard(0), 4, 8, seed=1)
    return lambda x, w: x @ w, inputs, {}


def led_out(group, placements):
    """What is led out of a DTensor says what its gradient is there, or should."""
    inputs = spread(group, Replicate(), 3, 4, seed=0), spread(group, Shard(1), 4, 8, seed=1)

    def local_product(x, w):
        return torch.tanh(x.to_local(grad_placements=placements) @ w.to_local())

    return local_product, inputs, {}


def tensor_parallel(group):
    module = network()
    plan = {"0": ColwiseParallel(), "2": RowwiseParallel()}
    parallelize_module(module, mesh_of(group), plan)
    return module, (draw(3, 4, seed=0),), {"replicated": ("input", "out")}


def fully_sharded(group, **settings):
    module = network()
    fully_shard(module[0], mesh=mesh_of(group))
    fully_shard(module, mesh=mesh_of(group))
    return module, (draw(3, 4, seed=dist.get_rank(group)),), settings


class Parallel(torch.nn.Module):
    """A layer by hand: a bias that all ranks hold copies of, and a weight of each rank's own."""

    def __init__(self, group: Any, *, is_marked: bool, is_right: bool) -> None:
        super().__init__()
        self.collectives = Collectives(group)
        self.weight = torch.nn.Parameter(draw(4, 2, seed=1 + dist.get_rank(group)))
        self.bias = torch.nn.Parameter(draw(4, seed=0))
        self.is_right = is_right
        if is_marked:
            self.bias.replicated = True

    def forward(self, x):
        bias = self.collectives.entering(self.bias) if self.is_right else self.bias
        return torch.tanh((x + bias) @ self.weight)


def by_hand(group, *, is_right=True):
    module = Parallel(group, is_marked=True, is_right=is_right)
    return module, (draw(3, 4, seed=7 + dist.get_rank(group)),), {}


def sharded_and_copied(group):
    """On four ranks: two shards, of which there are two copies each (HSDP)."""
    size = dist.get_world_size(group)
    names = ("copies", "shards")
    square = size == 4 and init_device_mesh("cpu", (2, 2), mesh_dim_names=names)
    mesh = square or mesh_of(group)
    module = network()
    fully_shard(module, mesh=mesh)
    return module, (draw(3, 4, seed=dist.get_rank(group)),), {}


def data_parallel(group):
    """DDP adds up after the backward what every rank's outputs owe, in hooks on the leaves."""
    module = DistributedDataParallel(network(), process_group=group, find_unused_parameters=True)
    return module, (draw(3, 4, seed=dist.get_rank(group)),), {}


RIGHT = {
    "data parallel": data_parallel,
    "sharded and copied": sharded_and_copied,
    "product": product,
    "partial sums": partial_sums,
    "led out": lambda group: led_out(group, [Partial()]),
    "tensor parallel": tensor_parallel,
    "fully sharded": fully_sharded,
    "by hand": by_hand,
}


class Tripled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value):
        return value.clone()

    @staticmethod
    def backward(ctx, cotangent):
        return 3 * cotangent


def one_layer(group, is_right=True, **settings):
    torch.manual_seed(0)
    module = torch.nn.Linear(2, 2, bias=False).double()
    if not is_right:
        module.register_forward_hook(lambda *given: Tripled.apply(given[-1]))
    fully_shard(module, mesh=mesh_of(group))
    return module, (draw(3, 2, seed=dist.get_rank(group)),), settings


WRONG = {
    "led out, not summed": (lambda group: led_out(group, None), MISSING),
    "fully sharded, not averaged": (
        lambda group: one_layer(group, gradients="whole"),
        AVERAGED,
    ),
    "fully sharded, a layer is wrong": (
        lambda group: one_layer(group, is_right=False),
        "claimed = 3 × measured",
    ),
    "by hand, not summed": (lambda group: by_hand(group, is_right=False), MISSING),
}
