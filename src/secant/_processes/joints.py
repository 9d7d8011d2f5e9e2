"""Leaves and outputs of a whole group: which processes hold which, as copies or each its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .._backends.base import Array, Backend
from .._backends.interface.processes import Stack
from .._errors import InputError
from .settings import GroupSettings

_MOST_NAMED = 6
Shard = tuple[int, ...]


class Declared(NamedTuple):
    """One leaf or output as one process declares it, beside its array."""

    path: str
    shard: Shard | None = None  # processes of equal shards hold copies; None: nothing is said
    is_own: bool = False  # it is said to be this process's own
    among: int = 1  # processes over which its gradient is averaged
    is_share: bool = False  # its gradients are added up after the backward


@dataclass(frozen=True, slots=True)
class Joint:
    """A leaf or an output of the group, and who holds it."""

    path: str
    holders: tuple[tuple[int, int], ...]  # the rank, and the place at it
    convention: str = "whole"
    among: int = 1  # processes over which a gradient of the convention "mean" is averaged

    @property
    def first(self) -> tuple[int, int]:
        """Who speaks for all that hold it."""
        return self.holders[0]

    @property
    def ranks(self) -> tuple[int, ...]:
        """The processes that hold it."""
        return tuple(rank for rank, _ in self.holders)

    def named(self, size: int) -> str:
        """Return its path, with the rank that it belongs to unless all hold copies."""
        if len(self.holders) == size:
            return self.path
        ranks = ", ".join(map(str, self.ranks))
        return f"rank{'s' if len(self.holders) > 1 else ''} {ranks}: {self.path}"


class Joints(tuple[Joint, ...]):
    """The leaves of a group, or its outputs, and by process which of them it holds, by place."""

    held: Sequence[Sequence[int]]

    def __new__(cls, joints: Iterable[Joint], size: int) -> Joints:
        made = tuple.__new__(cls, joints)
        held = [list[int]() for _ in range(size)]
        for number, joint in enumerate(made):
            for rank, _ in joint.holders:
                held[rank].append(number)  # joints lie by place
        made.held = held
        return made


def declare(
    backend: Backend,
    path: str,
    array: Array,
    together: GroupSettings,
    shard: Shard | None = None,
    among: int = 1,
) -> Declared:
    """Return how a process declares a leaf or an output: by its placement, by name, by its mark."""
    if shard is not None:
        return Declared(path, shard, among=among)
    said = together.says(path)
    if said is None:
        said = backend.processes.replicas_of(array)
    if said is None or isinstance(said, bool):
        return Declared(path, () if said else None, is_own=said is False)
    return Declared(path, backend.processes.ranks_of(said))


def joints_of(
    backend: Backend,
    declared: Sequence[Sequence[Declared]],
    arrays: Sequence[Sequence[Array]],
    together: GroupSettings,
) -> Joints:
    """Return the leaves of a group: what is a copy is one with the others, all else is apart.

    What is the same everywhere and said to be neither is asked about.
    """
    unsaid = _same_everywhere(backend, declared, arrays)
    if unsaid:
        raise InputError(_question(unsaid, len(declared)))
    holders: dict[tuple[int, str, Any], list[tuple[int, int]]] = {}
    among: dict[str, int] = {}
    shares: set[str] = set()
    for rank, every in enumerate(declared):
        for place, one in enumerate(every):
            among[one.path] = one.among
            shares |= {one.path} if one.is_share else set()
            owner = ("copy", one.shard) if one.shard is not None else ("own", rank)
            holders.setdefault((place, one.path, owner), []).append((rank, place))
    ordered = sorted(holders.items(), key=lambda item: (item[0][0], item[1][0]))
    joints = []
    for (_, path, _), who in ordered:
        usual = "mean" if among[path] > 1 else "share" if path in shares else "whole"
        convention = together.convention(path, usual)
        joints.append(Joint(path, tuple(who), convention, max(among[path], len(who))))
    return Joints(joints, len(declared))


def _same_everywhere(
    backend: Backend,
    declared: Sequence[Sequence[Declared]],
    arrays: Sequence[Sequence[Array]],
) -> list[str]:
    """Return the paths of what nothing is said about, and what is equal in every bit."""
    if len(declared) < 2:
        return []
    return [
        one.path
        for place, one in enumerate(declared[0])
        if one.shard is None
        and not one.is_own
        and all(every[place : place + 1] == [one] for every in declared[1:])
        and all(is_same(backend, arrays[0][place], every[place]) for every in arrays[1:])
    ]


def is_same(backend: Backend, one: Array, other: Array) -> bool:
    """Say whether two arrays are equal in every bit."""
    if backend.signature(one) != backend.signature(other):
        return False
    return bool(backend.is_equal(backend.detached(one), backend.detached(other)))


def _question(paths: Sequence[str], size: int) -> str:
    named = ", ".join(f'"{path}"' for path in paths[:_MOST_NAMED])
    more = ", …" if len(paths) > _MOST_NAMED else ""
    are = "is" if len(paths) == 1 else "are"
    return (
        f"{' and '.join(paths[:_MOST_NAMED])} {are} the same on all {size} ranks: pass "
        f"replicated=({named}{more or ','}) if these are copies of one array, which move together "
        "and whose cotangents are the same, or replicated=() if each rank's is its own"
    )


OPEN, CLOSE = "⟨", "⟩"
"""What stands around the path of a stack until a reader sees it."""


def stacked(outputs: Sequence[Joint], alike: Sequence[Any], size: int) -> list[Stack]:
    """Return outputs of one path that are alike as one stack, all others by themselves.

    A single process would have them as one output, too: what is asked then costs no more.
    """
    by_path: dict[str, list[int]] = {}
    for place, joint in enumerate(outputs):
        by_path.setdefault(joint.path, []).append(place)
    stacks = []
    for path, places in by_path.items():
        if len(places) > 1 and all(alike[place] == alike[places[0]] for place in places):
            stacks.append(Stack(f"{OPEN}{path}{CLOSE}", tuple(places)))
        else:
            stacks += [Stack(outputs[place].named(size), (place,)) for place in places]
    return stacks
