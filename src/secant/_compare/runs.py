"""The three runs at one point: the kernel, the truth and the yardstick.

The truth is the reference in float64 on exactly the values the kernel sees; the yardstick is the
reference on those values as they are. All three begin with the same random numbers.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .._backends.base import Backend
from .._errors import InputError, SecantError
from .side import Run, Side


@dataclass(frozen=True, slots=True)
class Reference:
    """The trusted implementation, on which device it runs, and where its inputs come from."""

    side: Side
    device: Any
    source: Backend  # the kernel's framework

    def truth(self, leaves: Sequence[Any]) -> Run:
        """Run it in float64, with what it closes over widened where that is needed."""
        wide = self.widened(leaves)
        try:
            return self.side.run(wide)
        except SecantError as error:
            with contextlib.suppress(SecantError):
                return self.side.run(wide, self.side.backend.versions.widening)
            raise InputError(
                f"expected the reference to run in float64, where it is the truth; {error}"
            ) from (error.__cause__ or error)

    def yardstick(self, leaves: Sequence[Any]) -> Run | str:
        """Run it in the dtypes of the inputs, or say why that cannot be done."""
        try:
            return self.side.run(self._moved(leaves))
        except SecantError as error:
            return str(error)

    def widened(self, leaves: Sequence[Any]) -> list[Any]:
        """Return the leaves in float64, where the reference runs."""
        if self._is_abroad:
            return [self._abroad(leaf, is_wide=True) for leaf in leaves]
        backend = self.side.backend
        return [
            backend.widened(leaf) if _is_inexact(backend, leaf) else leaf
            for leaf in self._moved(leaves)
        ]

    def _moved(self, leaves: Sequence[Any]) -> list[Any]:
        """Return the leaves where the reference runs: in its framework, on its device."""
        if self._is_abroad:
            return [self._abroad(leaf, is_wide=False) for leaf in leaves]
        if self.device is None:
            return list(leaves)
        backend = self.side.backend
        return [
            backend.on_device(leaf, self.device) if backend.is_array(leaf) else leaf
            for leaf in leaves
        ]

    @property
    def _is_abroad(self) -> bool:
        """Say whether the reference is of another framework: leaves travel there by NumPy."""
        return self.side.backend.name != self.source.name

    def _abroad(self, leaf: Any, *, is_wide: bool) -> Any:
        backend, source = self.side.backend, self.source
        if not source.is_array(leaf):
            return leaf
        dtype = source.dtype_name(leaf)
        if is_wide and source.is_inexact(leaf):
            dtype = "complex128" if source.is_complex(leaf) else "float64"
        there = backend.imported(source.numbers(leaf), dtype)
        return there if self.device is None else backend.on_device(there, self.device)


@dataclass(frozen=True, slots=True)
class Runs:
    """Kernel, truth and, where the reference runs in the kernel's dtype, yardstick."""

    kernel: Run
    truth: Run
    yardstick: Run | None


def quantised(backend: Backend, leaves: Sequence[Any], dtype: Any) -> list[Any]:
    """Return the leaves with every inexact one rounded once to the dtype, if there is one."""
    if dtype is None:
        return list(leaves)
    return [backend.cast(leaf, dtype) if _is_inexact(backend, leaf) else leaf for leaf in leaves]


def _is_inexact(backend: Backend, leaf: Any) -> bool:
    return backend.is_array(leaf) and backend.is_inexact(leaf)
