"""JAX: what an array is, how it is copied, and how its users spell things.

Arrays are immutable and randomness is explicit, so little is put back: keys are inputs like any
other. But an array may be deleted, or given away, so that functions get copies. Float64 exists
only where the user has switched x64 on; it is never switched here, so that without it nothing is
lifted.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..._errors import InputError
from ..base import Array, Backend, Signature
from ..interface.modes import Modes
from ..interface.processes import Processes
from ..interface.targets import Targets
from ..interface.values import Values
from .arrays.algebra import JaxAlgebra, roundoff_of
from .arrays.trees import open_container
from .arrays.vectors import is_same, stays
from .modules.unfold import JaxModules
from .traces.calls import Traced, is_inexact, plain
from .traces.derivatives import JaxDerivatives
from .traces.programs import adopted, copied

_NUMBER = np.zeros((), np.float32)  # on which nothing depends
_FLAGS = (
    "jax_enable_x64",
    "jax_debug_nans",
    "jax_disable_jit",
    "jax_default_device",
    "jax_default_matmul_precision",
    "jax_numpy_dtype_promotion",
    "jax_numpy_rank_promotion",
)
_update: Any = jax.config.update


class JaxModes(Modes):
    """The flags of JAX's configuration."""

    def state(self) -> Any:
        return {name: getattr(jax.config, name) for name in _FLAGS}

    def put_back(self, state: Any) -> None:
        for name, value in state.items():
            if getattr(jax.config, name) != value:
                _update(name, value)


class JaxProcesses(Processes):
    """One process computes on all devices of a mesh: nothing but how many they are."""

    def devices_of(self, array: Array) -> int:
        own = plain(array)
        return len(own.sharding.device_set) if isinstance(own, jax.Array) else 1


class JaxTargets(Targets):
    """What a program needs to know before it makes inputs."""

    def own_dtype(self, function: object) -> str:  # noqa: ARG002 x64 is the process's
        return str(jax.dtypes.canonicalize_dtype(np.float64))


class JaxBackend(JaxAlgebra, JaxDerivatives, Backend):
    """JAX, as secant sees it."""

    name = "jax"
    pairs_plainly = True
    marks = False
    dialect = "jax"
    misfits = ("shape",)
    modules = JaxModules()
    modes = JaxModes()
    processes = JaxProcesses()
    targets = JaxTargets()

    # -- what a value is -------------------------------------------------------------------------

    def is_array(self, value: object) -> bool:
        return isinstance(value, (jax.Array, Traced))

    def is_inexact(self, array: Array) -> bool:
        return is_inexact(plain(array))

    def is_complex(self, array: Array) -> bool:
        return bool(jnp.issubdtype(plain(array).dtype, jnp.complexfloating))

    def signature(self, array: Array) -> Signature:
        value = plain(array)
        return Signature(value.shape, value.dtype, _platform(value), "dense")

    def has_signature(self, array: Array, signature: Signature) -> bool:
        value = plain(array)
        return bool(
            isinstance(value, jax.Array)
            and value.dtype == signature.dtype
            and value.shape == signature.shape
        )

    def roundoff(self, array: Array) -> float:
        return roundoff_of(plain(array).dtype)

    def is_equal(self, one: Array, other: Array) -> bool:
        one, other = plain(one), plain(other)
        if isinstance(one, jax.Array) and stays(one):
            return is_same(one, 1.0, other)
        return Values.is_equal(self, one, other)

    def stamp(self, array: Array) -> object:  # noqa: ARG002 nothing can be written into
        return None

    # -- copies ----------------------------------------------------------------------------------

    def copy(self, array: Array) -> Array:
        return copied(plain(array))

    def private(self, leaf: Any) -> Any:
        is_called_as_it_is = not self.records and isinstance(leaf, jax.Array)
        return copied(leaf) if is_called_as_it_is else Values.private(self, leaf)

    def is_deleted(self, array: Array) -> bool:
        return bool(plain(array).is_deleted())

    def as_kind(self, array: Array, reference: Array) -> Array:
        value = plain(array)
        return value.real if self.is_complex(value) else value.astype(reference.dtype)

    def scattered(self, array: Array) -> Array:
        return array

    def expanded(self, array: Array) -> Array:
        return jnp.broadcast_to(array.reshape(-1)[0], array.shape)

    def widened(self, array: Array) -> Array:
        if jax.dtypes.canonicalize_dtype(np.float64) != np.float64:
            raise InputError(
                "JAX has no float64 while x64 is off (the program itself may switch it on, with "
                "jax.config.update('jax_enable_x64', True))"
            )
        value = plain(array)
        return value.astype(np.complex128 if self.is_complex(value) else np.float64)

    detached = staticmethod(plain)

    def shares_memory(self, one: Array, other: Array) -> bool:  # noqa: ARG002 buffers are immutable
        return False

    # -- JAX's own ways --------------------------------------------------------------------------

    def unusable(self, array: Array) -> str:
        value = plain(array)
        if isinstance(value, jax.core.Tracer):
            return "is traced, and holds no numbers: call secant outside of jit, vmap and grad"
        return "has been deleted, or donated to a function" if value.is_deleted() else ""

    def unusable_here(self) -> str:
        return "jit, or what traces as it does" if _is_staged() else ""

    open_container = staticmethod(open_container)

    def adopted(self, leaves: list[Any]) -> list[Any]:
        return list(map(_adopted, leaves))

    def spelt(self, path: str) -> str:
        return path.replace('["', "['").replace('"]', "']")

    # -- words -----------------------------------------------------------------------------------

    def dtype_name(self, array: Array) -> str:
        return str(plain(array).dtype)


def _is_staged() -> bool:
    """Say whether even what depends on nothing is traced here; within grad and vmap it is not."""
    return isinstance(jnp.negative(_NUMBER), jax.core.Tracer)  # no array is made as soon as this


def _adopted(leaf: Any) -> Any:
    """Return NumPy's arrays as JAX's, as JAX takes them; and no array of a weak type."""
    if isinstance(leaf, jax.Array) and getattr(leaf, "weak_type", False):
        return jnp.asarray(leaf, dtype=leaf.dtype)
    return adopted(leaf)


def _platform(value: Any) -> str:
    """Return the kind of device; a tracer has none of its own."""
    if isinstance(value, jax.core.Tracer):
        return ""
    return str(next(iter(value.sharding.device_set)).platform)
