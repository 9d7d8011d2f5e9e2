"""Other versions of a function that must agree with it: in float64, without its casts."""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from contextlib import AbstractContextManager
from typing import Any


class Versions:
    """Contexts in which a function is another version of itself; not every framework has them."""

    def widening(self) -> AbstractContextManager[Any]:
        """Let no operator mix float64 with less: what a function closes over is widened too."""
        return contextlib.nullcontext()

    def redrawing(self) -> AbstractContextManager[Any]:
        """Let random numbers of float64 be those that the same function draws in its own dtype.

        A framework whose generators give the same numbers in every dtype leaves this as it is.
        """
        return contextlib.nullcontext()

    def watching_casts(self, noted: dict[str, float]) -> AbstractContextManager[Any]:
        """Note the dtypes of less precision that are cast to meanwhile, with their round-offs."""
        return contextlib.nullcontext()

    def uncasting(self, only: Collection[str] = ()) -> AbstractContextManager[Any]:
        """Leave out casts to lower precision, or only those to some dtypes, where noted."""
        return contextlib.nullcontext()
