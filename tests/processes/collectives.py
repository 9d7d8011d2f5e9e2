"""Collectives with a derivative written by hand, right ones and wrong ones."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist


def reduced(value: torch.Tensor, group: Any) -> torch.Tensor:
    value = value.clone()
    dist.all_reduce(value, group=group)
    return value


def gathered(value: torch.Tensor, group: Any, dimension: int) -> torch.Tensor:
    value = value.contiguous()
    parts = [torch.empty_like(value) for _ in range(dist.get_world_size(group))]
    dist.all_gather(parts, value, group=group)
    return torch.cat(parts, dimension)


class Collective(torch.autograd.Function):
    """A collective whose backward is whatever is named: `there` and `back` are functions."""

    @staticmethod
    def forward(ctx, value, there, back):
        ctx.back = back
        return there(value)

    @staticmethod
    def backward(ctx, cotangent):
        return ctx.back(cotangent), None, None


def collective(value, there, back):
    return Collective.apply(value, there, back)


def same(value):
    return value.clone()


class Collectives:
    """What layers are made of, for one group; names say what the backward does."""

    def __init__(self, group: Any) -> None:
        self.group = group
        self.size, self.rank = dist.get_world_size(group), dist.get_rank(group)

    def each(self, make):
        """What every rank makes for itself, of its rank."""
        return make(self.rank)

    def sum(self, value):
        return reduced(value, self.group)

    def gathered(self, value, dimension):
        return gathered(value, self.group, dimension)

    def own_chunk(self, value, dimension, shift=0):
        chunks = value.chunk(self.size, dimension)
        return chunks[(self.rank + shift) % self.size].contiguous()

    # copies of one leaf go into a parallel region: the backward adds up
    def entering(self, value, back=None):
        return collective(value, same, back or self.sum)

    # shares are added up, every rank gets the same: the backward copies
    def leaving(self, value, back=None):
        return collective(value, self.sum, back or same)

    # shards are laid side by side, every rank gets the same
    def gathering(self, value, dimension, back=None):
        return collective(
            value,
            lambda one: self.gathered(one, dimension),
            back or (lambda one: self.own_chunk(one, dimension)),
        )

    # shares are added up, every rank keeps its shard of the sum
    def scattering(self, value, dimension, back=None):
        return collective(
            value,
            lambda one: self.own_chunk(self.sum(one), dimension),
            back or (lambda one: self.gathered(one, dimension)),
        )

    def exchanged(self, value):
        value = value.contiguous()
        answer = torch.empty_like(value)
        dist.all_to_all_single(answer, value, group=self.group)
        return answer

    def exchanging(self, value, back=None):
        return collective(value, self.exchanged, back or self.exchanged)

    def shifted(self, value, by):
        """Hand a tensor on around the ring."""
        ranks = dist.get_process_group_ranks(self.group)
        value = value.contiguous()
        answer = torch.empty_like(value)
        to, source = ranks[(self.rank + by) % self.size], ranks[(self.rank - by) % self.size]
        works = [
            dist.isend(value, to, group=self.group),
            dist.irecv(answer, source, group=self.group),
        ]
        for work in works:
            work.wait()
        return answer

    def shifting(self, value, back=None):
        return collective(
            value, lambda one: self.shifted(one, 1), back or (lambda one: self.shifted(one, -1))
        )
