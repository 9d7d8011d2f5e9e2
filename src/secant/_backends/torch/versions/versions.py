"""Other versions of functions of tensors: in float64, with the same draws, without casts."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import AbstractContextManager
from typing import Any

from ...interface.versions import Versions
from .lift import Widening
from .redraw import Redrawing
from .uncast import uncasting
from .watch import watching_casts


class TorchVersions(Versions):
    """Contexts that change what torch's operators do."""

    def widening(self) -> AbstractContextManager[Any]:
        return Widening()

    def redrawing(self) -> AbstractContextManager[Any]:
        make: Any = Redrawing
        context: AbstractContextManager[Any] = make()
        return context

    def watching_casts(self, noted: dict[str, float]) -> AbstractContextManager[Any]:
        return watching_casts(noted)

    def uncasting(self, only: Collection[str] = ()) -> AbstractContextManager[Any]:
        return uncasting(only)
