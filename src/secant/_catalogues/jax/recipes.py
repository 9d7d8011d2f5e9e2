"""Sample inputs for functions of JAX whose signature does not tell, and functions not to ask."""

from __future__ import annotations

from collections.abc import Iterator

from ..jax import recipes_lax, recipes_numpy, recipes_scipy
from .templates import Recipe


def written() -> dict[str, Recipe]:
    """Return recipes by the function's full name."""
    return {
        f"jax.{name}": Recipe(function, tuple(makers))
        for room in (recipes_numpy, recipes_lax, recipes_scipy)
        for name, (function, *makers) in room.recipes().items()
    }


def unasked() -> dict[str, str]:
    """Return why functions are not asked, by their full name."""
    return {f"jax.{name}": reason for name, reason in _unasked()}


def _unasked() -> Iterator[tuple[str, str]]:
    for name in ("load", "save", "savez", "fromfile", "frombuffer", "fromiter", "fromstring"):
        yield f"numpy.{name}", "reads or writes files and buffers"
    for name in ("set_printoptions", "get_printoptions", "printoptions", "from_dlpack"):
        yield f"numpy.{name}", "is not a function of arrays"
    for name in ("array_repr", "array_str", "einsum_path", "frompyfunc", "vectorize"):
        yield f"numpy.{name}", "is not a function of arrays"
    for name in ("create_token", "after_all", "psend", "precv", "dce_sink", "composite"):
        yield f"lax.{name}", "is not a function of arrays"
    for name in ("all_to_all", "pshuffle", "pswapaxes", "psum_scatter", "ragged_all_to_all"):
        yield f"lax.{name}", "exchanges data between devices"
    for name in ("pbroadcast", "pcast", "with_sharding_constraint"):
        yield f"lax.{name}", "exchanges data between devices"
    yield "lax.stop_gradient", "cuts its derivative on purpose"
