"""The form of a claim: arrays in the space of the leaf, or None where the claim is zero."""

from __future__ import annotations

from .._backends.base import Array, Backend
from .._errors import SecantError, said_by, spell
from .._words.dialects import vocabulary

Gradient = list[Array | None]
"""One array per differentiated leaf; None says that the output does not depend on it."""


def backward_pass(backend: Backend) -> str:
    """Return what users of a framework call the pass that pulls."""
    return vocabulary(backend.dialect)["backward_pass"]


class ClaimRaised(SecantError):
    """Asking for the claim raised; the framework's or the author's exception is the cause."""

    def __init__(self, verb: str, error: BaseException, operation: str = "") -> None:
        super().__init__(f"{verb} raised {spell(error)}")
        self.error = error if isinstance(error, Exception) else RuntimeError(said_by(error))
        self.operation = operation  # the framework's name for what raised, where that is known


class ClaimMisfit(ClaimRaised):
    """A derivative written by hand answered with something that does not fit the leaves."""

    def __init__(self, message: str) -> None:
        SecantError.__init__(self, message)
        self.error = TypeError(message)
        self.operation = ""


def refuse_unusable_answer(backend: Backend, array: Array, spelt: str, of: str) -> None:
    """Say what leaves nothing to read in an array that a derivative written by hand returned."""
    why = backend.unusable(array)
    if why:
        raise ClaimMisfit(f"what {spelt} returned as {of} {why}")
