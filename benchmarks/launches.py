"""What a check asks of a device beside the kernel's own calls, counted without one.

Takes the imitations of `tests/device`, right, with vectors as they are on a device (torch's own, in
main memory), and counts for each check: evaluations, pulls, operations that secant launches, the
bytes these read and write and the most that live at once beside the inputs, with the outputs and
gradients that the function makes, both in inputs, and numbers that are read back, each of which
waits for the device. None of these depends on how fast a machine is.

    python benchmarks/launches.py
    python benchmarks/launches.py --sizes 256x384 --only rmsnorm --mistakes
"""

from __future__ import annotations

import argparse
import collections
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest import mock

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

import secant
from _kernels import IMITATIONS, drawn
from _sections import markdown_table, rewrite_section
from accelerator import shapes, words
from secant._backends.arithmetic import pieces
from secant._backends.torch.arrays import algebra

CHUNK = 1 << 19  # of a million entries half are worked on at a time, as of 16 million on a device

HEADER = ("kernel", "mistake", "size", "dtype", "verdict", "evaluations", "pulls", "operations")
HEADER += ("read back", "moved, inputs", "live, inputs")


class Launches(TorchDispatchMode):
    """Counts what is dispatched outside of the function's own calls."""

    def __init__(self) -> None:
        super().__init__()
        self.operations = self.read_back = self.moved = self.live = self.peak = 0
        self.names: collections.Counter[str] = collections.Counter()
        self.bytes: collections.Counter[str] = collections.Counter()
        self._is_inside = False
        self._known: set[int] = set()

    def leave_out(self, tensors: Sequence[torch.Tensor]) -> None:
        """Do not count the memory of these."""
        self._known |= {one.untyped_storage()._cdata for one in tensors}

    @contextmanager
    def inside(self) -> Iterator[None]:
        """The function's own work is not counted."""
        before, self._is_inside = self._is_inside, True
        try:
            yield
        finally:
            self._is_inside = before

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        given = [one for one in tree_leaves((args, kwargs)) if isinstance(one, torch.Tensor)]
        if not self._is_inside:
            for one in given:  # outputs and gradients, which the function has made
                self._weigh(one.untyped_storage())
        answer = func(*args, **(kwargs or {}))
        if not self._is_inside:
            self._count(func, given, answer)
        return answer

    def _count(self, func: Any, given: Sequence[torch.Tensor], answer: Any) -> None:
        made = [one for one in tree_leaves(answer) if isinstance(one, torch.Tensor)]
        name = func.overloadpacket.__name__
        if name == "_local_scalar_dense":
            self.read_back += 1
            return
        is_view = func.is_view or name in ("detach", "alias")
        if is_view:
            return
        self.operations += 1
        moved = sum(map(size_of, (*given, *made)))
        self.moved += moved
        self.names[name] += 1
        self.bytes[name] += moved
        for one in made:
            self._weigh(one.untyped_storage())

    def _weigh(self, storage: Any) -> None:
        key = storage._cdata
        if key in self._known:
            return
        size = storage.nbytes()
        self._known.add(key)
        self.live += size
        self.peak = max(self.peak, self.live)
        weakref.finalize(storage, self._forget, key, size)

    def _forget(self, key: int, size: int) -> None:
        self._known.discard(key)
        self.live -= size


def size_of(tensor: torch.Tensor) -> int:
    """The bytes that reading it moves: rows of a table that overlap are there once."""
    return min(tensor.numel() * tensor.element_size(), tensor.untyped_storage().nbytes())


def counted(
    kernel: Any, mistake: str, size: tuple[int, int], dtype: torch.dtype, seed: int
) -> tuple[Launches, Any, int]:
    """One check, counted; the bytes of its inputs."""
    inputs, launches = drawn(kernel, size, dtype, "cpu"), Launches()
    launches.leave_out(inputs)
    function = kernel.function(mistake)

    def call(*leaves: torch.Tensor) -> Any:
        with launches.inside():
            return function(*leaves)

    with as_on_a_device(), launches:
        report = secant.check(call, *inputs, seed=seed, explain=bool(mistake))
    return launches, report, sum(one.numel() * one.element_size() for one in inputs)


def never(*_: object) -> None:
    """Say no, and keep nothing alive that was asked about, as a mock of its own would."""


def flattened(_: object, array: torch.Tensor) -> Any:
    """Return an array's numbers, never by a short way to NumPy's."""
    return algebra._at_work(array).reshape(-1)


def carried(_: object, numbers: Any, reference: torch.Tensor) -> Any:
    """Return NumPy's numbers as torch's own."""
    return torch.from_numpy(numbers).to(algebra._work_of(reference))


@contextmanager
def as_on_a_device() -> Iterator[None]:
    """While vectors are torch's own wherever they are, and there are no short ways for NumPy's."""
    with (
        mock.patch.object(pieces, "_CHUNK", CHUNK),
        mock.patch.object(algebra, "is_numpys", never),
        mock.patch.object(algebra, "_is_usual", never),
        mock.patch.object(algebra.TorchAlgebra, "vector", carried),
        mock.patch.object(algebra.TorchAlgebra, "flatten", flattened),
        mock.patch.object(algebra.TorchAlgebra, "kind", never),
        mock.patch.object(algebra.TorchAlgebra, "reader", never),
    ):
        yield


def main(arguments: Sequence[str] | None = None) -> None:
    """Count, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sizes", type=shapes, default=((1024, 1024),))
    parser.add_argument("--only", type=words, default=())
    parser.add_argument("--dtypes", type=words, default=("float32", "bfloat16"))
    parser.add_argument("--mistakes", action="store_true", help="and what wrong ones take")
    parser.add_argument("--names", type=int, default=0, help="and the operations asked most often")
    parser.add_argument("--seed", type=int, default=1729)
    parser.add_argument("--readme", action="store_true", help="rewrite the table in README.md")
    options = parser.parse_args(arguments)
    rows = [
        one(kernel, mistake, size, getattr(torch, dtype), options)
        for size in options.sizes
        for dtype in options.dtypes
        for kernel in IMITATIONS
        if not options.only or kernel.name in options.only
        for mistake in ("", *(kernel.mistakes if options.mistakes else ()))
    ]
    table = markdown_table(HEADER, rows)
    print(table)
    if options.readme:
        rewrite_section("launches", table)


def one(
    kernel: Any, mistake: str, size: tuple[int, int], dtype: torch.dtype, options: Any
) -> tuple[str, ...]:
    """One line."""
    launches, report, weight = counted(kernel, mistake, size, dtype, options.seed)
    cost = report.cost
    for name, times in launches.names.most_common(options.names):
        print(f"{kernel.name}: {times:5d} {name:30s} {launches.bytes[name] / weight:7.1f}")
    return (
        kernel.name,
        mistake or "none",
        " × ".join(map(str, size)),
        str(dtype).removeprefix("torch."),
        report.verdict.name,
        str(cost.evaluations),
        str(cost.pulls),
        str(launches.operations),
        str(launches.read_back),
        f"{launches.moved / weight:.0f}",
        f"{launches.peak / weight:.1f}",
    )


if __name__ == "__main__":
    main()
