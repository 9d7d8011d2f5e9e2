"""How a framework differentiates: three methods, and what it may do better or beside.

Derivatives written by hand are one more way to do it: `ByHand` takes every output for claimed and
answers nothing itself; the answers are the author's own, which `_claims` asks.
"""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable, Collection, Sequence
from typing import Any, ClassVar, NamedTuple, NoReturn

import numpy as np

from ..._errors import said_by
from ..arithmetic.algebra import Array
from ..code import Code
from .borrowed import Borrowed
from .transforms import Transforms

Calls = Callable[[Sequence[Array]], Sequence[Array]]


class Ancestry(NamedTuple):
    """What stands behind outputs; None where it is not known."""

    depends: list[bool] | None  # by array
    has_own_rules: bool | None


class Autodiff(abc.ABC):
    """What a framework says about derivatives."""

    records: ClassVar[bool] = True  # arrays know how they came about, so that claims can be had
    joins_same_arrays: ClassVar[bool] = False  # an array passed twice is one variable
    marks: ClassVar[bool] = True  # arrays may say that they are to be differentiated
    pairs_plainly: ClassVar[bool] = False  # rules pair v and J u without a conjugate
    dialect: ClassVar[str] = "torch"  # whose words findings are said in
    misfits: ClassVar[tuple[str, ...]] = ()  # how its exceptions call gradients that do not fit

    @abc.abstractmethod
    def leaf(self, array: Array) -> Array:
        """Return a private array such that the framework traces what is done with it."""

    @abc.abstractmethod
    def is_attached(self, array: Array) -> bool:
        """Say whether the array depends on a leaf, in the framework's own opinion."""

    @abc.abstractmethod
    def pull(
        self,
        outputs: Sequence[Array],
        inputs: Sequence[Array],
        cotangents: Sequence[Array],
        *,
        differentiable: bool = False,
    ) -> list[Array | None]:
        """Return Jᵀ v (a vjp) for each input, None where no path leads to it.

        If it is to be `differentiable` the answer can be pulled again, in inputs and cotangents.
        """

    # -- functions instead of records ------------------------------------------------------------

    def prepared(self, call: Callable[[Sequence[Any]], Any]) -> Callable[[Sequence[Any]], Any]:
        """Return the function as it is to be called, with any of its arguments a `leaf`.

        Where arrays know how they came about, that is the function itself. A framework that
        differentiates functions gives one whose outputs remember the call, so that `pull` can ask.
        """
        return call

    def replayed(self, outputs: Sequence[Array]) -> list[Array] | None:
        """Return the outputs as the derivative's own pass computes them, None if it has none."""
        return None

    def transforms(self) -> Transforms | None:
        """Return what differentiates functions of arrays that record nothing, if there is any."""
        return None

    # -- other pulls -----------------------------------------------------------------------------

    def pull_nothing(
        self, outputs: Sequence[Array], inputs: Sequence[Array], absent: Collection[int]
    ) -> list[Array | None]:
        """Return Jᵀ 0 for every input, some of the zeros given and the others absent."""
        given = [one for k, one in enumerate(outputs) if k not in absent]
        zeros = [self._zeros_like(one) for one in given]
        return self.pull(given, inputs, zeros) if given else [None] * len(inputs)

    def pull_batch(
        self, output: Array, inputs: Sequence[Array], cotangents: Array
    ) -> list[Array | None]:
        """Return Jᵀ v for a batch of v, through the framework's own batching."""
        raise NotImplementedError(_NO_BATCHES)

    def _zeros_like(self, array: Array) -> Array:
        backend: Any = self  # an autodiff is a part of one
        return backend.from_numbers(np.zeros_like(backend.numbers(array)), array)

    # -- pushes, and the function itself for a batch -----------------------------------------------

    def push(
        self, call: Calls, values: Sequence[Array], tangents: Sequence[Array | None]
    ) -> list[Array | None]:
        """Return J u (a jvp) for each output, None where the output has no tangent."""
        raise NotImplementedError("there is no forward mode")

    def push_by_pulls(
        self, call: Calls, values: Sequence[Array], tangents: Sequence[Array | None]
    ) -> list[Array | None]:
        """Return J u as the pull of v ↦ Jᵀ v, which is linear, so that any v will do.

        For frameworks whose pulls can be pulled again, and that have no forward mode.
        """
        leaves = [self.leaf(value) for value in values]
        outputs = call(leaves)
        v = [self.leaf(self._zeros_like(output)) for output in outputs]
        gradients = self.pull(outputs, leaves, v, differentiable=True)
        moved = [
            (gradient, tangent)
            for gradient, tangent in zip(gradients, tangents, strict=True)
            if gradient is not None and tangent is not None
        ]
        return self.pull([one for one, _ in moved], v, [tangent for _, tangent in moved])

    def push_batch(
        self, call: Calls, values: Sequence[Array], part: int, tangents: Array
    ) -> list[Array | None]:
        """Return J u for a batch of u of one input, through the framework's own batching."""
        raise NotImplementedError(_NO_BATCHES)

    def map_batch(
        self, call: Callable[[Array], tuple[Array, ...]], batch: Array
    ) -> tuple[Array, ...]:
        """Return the function's outputs for every value of the batch, through vectorisation."""
        raise NotImplementedError(_NO_BATCHES)

    # -- marks on arrays --------------------------------------------------------------------------

    def wants_gradient(self, array: Array) -> bool:
        """Say whether the user marked this array as differentiated."""
        return False

    def is_marked(self, array: Array) -> bool:
        """Say whether a function may ask an array what it is for, as a module's parameter."""
        return False

    def marked_like(self, value: Array, array: Array) -> Array:
        """Return a private value such that it passes for what the array is for."""
        return value

    # -- what stands behind outputs ---------------------------------------------------------------

    def has_own_rules(self, outputs: Sequence[Array]) -> bool:
        """Say whether rules or hooks written by hand are seen behind the outputs."""
        return False

    def hooks_registered(self) -> int:
        """Return how many hooks were registered so far: records do not show those inside."""
        return 0

    def depended_on(self, outputs: Sequence[Array], arrays: Sequence[Array]) -> list[bool] | None:
        """Say of each array whether the record behind the outputs leads to it; None: no record."""
        return None

    def ancestry(self, outputs: Sequence[Array], arrays: Sequence[Array]) -> Ancestry:
        """Return both in one look behind the outputs, where one look tells both."""
        return Ancestry(self.depended_on(outputs, arrays), None)

    def borrowed(self, arrays: Sequence[Array]) -> Borrowed | None:
        """Return the user's own arrays such that they can be moved in place; None: they cannot."""
        return None

    def rules_behind(
        self, outputs: Sequence[Array], leaf: Array | None, *, is_forward: bool
    ) -> list[Code]:
        """Return where the rules are written that stand between outputs and a leaf, or any."""
        return []

    # -- errors ------------------------------------------------------------------------------------

    def is_unsupported(self, error: BaseException) -> bool:
        """Say whether the framework itself has no derivative here, as against a broken one."""
        return isinstance(error, NotImplementedError)

    def is_misfit(self, error: BaseException) -> bool:
        """Say whether the framework refuses gradients that do not fit, in number or in shape."""
        return any(phrase in said_by(error) for phrase in self.misfits)

    def raising_operation(
        self, outputs: Sequence[Array], inputs: Sequence[Array], cotangents: Sequence[Array]
    ) -> str:
        """Return the name of the operation at which a pull raises, and what it was given."""
        return ""


_NO_BATCHES = "there is no batching"


class ByHand(Autodiff):
    """The autodiff of arrays whose derivatives are given: none are asked of them."""

    records = False
    joins_same_arrays = False  # a derivative by hand answers for every argument

    def leaf(self, array: Array) -> Array:
        backend: Any = self
        return backend.detached(array)

    def is_attached(self, array: Array) -> bool:
        return True

    def pull(
        self,
        outputs: Sequence[Array],
        inputs: Sequence[Array],
        cotangents: Sequence[Array],
        *,
        differentiable: bool = False,
    ) -> NoReturn:
        del outputs, inputs, cotangents, differentiable
        raise NotImplementedError("these arrays record no derivatives")

    def has_own_rules(self, outputs: Sequence[Array]) -> bool:
        return True

    # also where this stands in front of a framework that does more
    prepared, replayed, depended_on = Autodiff.prepared, Autodiff.replayed, Autodiff.depended_on
    ancestry = Autodiff.ancestry
    pull_batch, push, push_batch = Autodiff.pull_batch, Autodiff.push, Autodiff.push_batch
    is_unsupported = Autodiff.is_unsupported


@functools.cache
def by_hand(backend: Any) -> Any:
    """Return the same framework with nothing asked of its own derivatives."""
    if not backend.records:
        return backend
    kind = type(backend)
    made: Any = object.__new__(type(f"{kind.__name__}ByHand", (ByHand, kind), {}))
    made.__dict__.update(vars(backend))
    return made
