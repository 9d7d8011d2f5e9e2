"""The user's own arrays, moved in place: for functions that read them behind their arguments."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from contextlib import AbstractContextManager

from ..arithmetic.algebra import Array


class Borrowed(abc.ABC):
    """Some of the user's arrays; outside `holding` they are as they were, to the bit."""

    @abc.abstractmethod
    def holding(self, values: Sequence[Array]) -> AbstractContextManager[None]:
        """Let the arrays hold other values; an array given for itself stays as it is.

        All that a call may change about them is put back on the way out, whatever happens.
        """

    @abc.abstractmethod
    def kept(self, output: Array) -> Array:
        """Return an output that stays as it is when the arrays are put back."""

    @abc.abstractmethod
    def put_back(self) -> None:
        """Put the arrays into the state in which they were borrowed; once more does no harm."""
