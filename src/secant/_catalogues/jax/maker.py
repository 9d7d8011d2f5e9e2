"""JAX's arrays for those who draw them; they have no strides to vary."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from ..._errors import InputError
from ..makers import Maker

_WIDE = ("float64", "complex128")


class JaxMaker(Maker):
    """Makes JAX's arrays, on its default device."""

    layouts = ("contiguous",)
    dtypes = ("float64", "float32", "float16", "bfloat16", "complex128", "complex64")

    def default(self) -> str:
        return "float64" if _has_wide() else "float32"

    def refuse(self, dtype: str) -> None:
        if dtype in _WIDE and not _has_wide():
            raise InputError(
                f"expected jax_enable_x64 to be on, to draw arrays of {dtype}; "
                'write jax.config.update("jax_enable_x64", True) before'
            )

    def make(
        self,
        numbers: np.ndarray[Any, Any],
        dtype: str,
        layout: str,  # noqa: ARG002 there is one
    ) -> Any:
        return jnp.asarray(numbers, dtype=dtype)


def _has_wide() -> bool:
    """Say whether the program has switched on JAX's 64 bits."""
    return bool(jnp.result_type(float) == np.float64)
