"""What a framework may do its own way; what is here holds for a framework without such habits."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar

import numpy as np

from .._errors import said_by
from .algebra import Array
from .borrowed import Borrowed
from .code import Code, code_of
from .transforms import Transforms

_GENERATORS = (np.random.Generator, np.random.RandomState, np.random.BitGenerator)


class Habits:
    """The part of a backend that most frameworks leave as it is."""

    unites: ClassVar[bool] = False  # an array passed twice is one variable
    random_state: Any  # the backend's own
    same_random_state: Any
    set_random_state: Any
    draws: ClassVar[bool] = True  # it has random generators that belong to the process
    marks: ClassVar[bool] = True  # arrays may say that they are to be differentiated
    pairs_plainly: ClassVar[bool] = False  # rules pair v and J u without a conjugate
    dialect: ClassVar[str] = "torch"  # whose words findings are said in
    misfits: ClassVar[tuple[str, ...]] = ()  # how its exceptions call gradients that do not fit

    def is_misfit(self, error: BaseException) -> bool:
        """Say whether the framework refuses gradients that do not fit, in number or in shape."""
        return any(phrase in said_by(error) for phrase in self.misfits)

    def open_container(self, value: object) -> bool:  # noqa: ARG002 most have none of their own
        """Make a container known to optree that only this framework knows; say if it is one."""
        return False

    def unusable(self, array: Array) -> str:  # noqa: ARG002 most have no such arrays
        """Return what about an array leaves nothing to measure, "" if it holds numbers."""
        return ""

    def unusable_here(self) -> str:
        """Return what surrounds a call of secant so that nothing can be measured, "" if nothing."""
        return ""

    def adopted(self, leaves: list[Any]) -> list[Any]:
        """Return the leaves of the inputs, those made arrays that the framework treats as such."""
        return leaves

    def prepared(self, call: Callable[[Sequence[Any]], Any]) -> Callable[[Sequence[Any]], Any]:
        """Return the function as it is to be called, with any of its arguments a `leaf`.

        Where arrays know how they came about, that is the function itself. A framework that
        differentiates functions gives one whose outputs remember the call, so that `pull` can ask.
        """
        return call

    def replayed(self, outputs: Sequence[Array]) -> list[Array] | None:  # noqa: ARG002
        """Return the outputs as the derivative's own pass computes them, None if it has none."""
        return None

    def spelt(self, path: str) -> str:
        """Return the path of a leaf in the framework's own habit."""
        return path

    def as_answer(self, output: Any) -> Any:
        """Return what a function answered, numbers that stand for arrays made into arrays."""
        return output

    def private(self, leaf: Any) -> Any:
        """Return an input that is no array as one call may have it: a generator is copied."""
        return copy.deepcopy(leaf) if isinstance(leaf, _GENERATORS) else leaf

    def depended_on(
        self,
        outputs: Sequence[Array],  # noqa: ARG002 not every framework has a record to look at
        arrays: Sequence[Array],  # noqa: ARG002
    ) -> list[bool] | None:
        """Say of each array whether the record behind the outputs leads to it; None: no record."""
        return None

    def borrowed(self, arrays: Sequence[Array]) -> Borrowed | None:  # noqa: ARG002
        """Return the user's own arrays such that they can be moved in place; None: they cannot."""
        return None

    def is_marked(self, array: Array) -> bool:  # noqa: ARG002 few frameworks have such
        """Say whether a function may ask an array what it is for, as a module's parameter."""
        return False

    def marked_like(self, value: Array, array: Array) -> Array:  # noqa: ARG002
        """Return a private value such that it passes for what the array is for."""
        return value

    def rewind(self, state: Any) -> None:
        """Put the random generators back, unless nothing was drawn since."""
        if not self.same_random_state(state, self.random_state()):
            self.set_random_state(state)

    def is_deleted(self, array: Array) -> bool:  # noqa: ARG002 most arrays stay what they are
        """Say whether a function has deleted an array, or has given its memory away."""
        return False

    def state(self) -> Any:
        """Return the modes and flags of the framework, as they are."""
        return None

    def put_back(self, state: Any) -> None:
        """Put back what `state` returned, as often as it is asked, wherever it was left."""

    def ready(self) -> None:
        """Make sure that the function is called in the modes that its derivatives need."""

    def transforms(self) -> Transforms | None:
        """Return what differentiates functions of arrays that record nothing, if there is any."""
        return None

    def raising_operation(
        self,
        outputs: Sequence[Array],  # noqa: ARG002 not every framework can tell
        inputs: Sequence[Array],  # noqa: ARG002
        cotangents: Sequence[Array],  # noqa: ARG002
    ) -> str:
        """Return the name of the operation at which a pull raises, and what it was given."""
        return ""

    def rules_behind(
        self,
        outputs: Sequence[Array],  # noqa: ARG002 not every framework has a record to look at
        leaf: Array | None,  # noqa: ARG002
        *,
        is_forward: bool,  # noqa: ARG002
    ) -> list[Code]:
        """Return where the rules are written that stand between outputs and a leaf, or any."""
        return []

    def code_behind(
        self,
        function: Callable[..., Any],
        paths: Sequence[str],  # noqa: ARG002 what has no parts is written in one place
    ) -> Code | None:
        """Return where a function is written, of a module the part that holds all these leaves."""
        return code_of(function)

    def redrawing(self) -> AbstractContextManager[Any]:
        """Let random numbers of float64 be those that the same function draws in its own dtype.

        A framework whose generators give the same numbers in every dtype leaves this as it is.
        """
        return contextlib.nullcontext()

    def watching_casts(self, noted: dict[str, float]) -> AbstractContextManager[Any]:  # noqa: ARG002 not every framework can
        """Note the dtypes of less precision that are cast to meanwhile, with their round-offs."""
        return contextlib.nullcontext()

    def uncasting(self, only: Collection[str] = ()) -> AbstractContextManager[Any]:  # noqa: ARG002 not every framework can
        """Leave out casts to lower precision, or only those to some dtypes, where noted."""
        return contextlib.nullcontext()
