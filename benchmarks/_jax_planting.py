"""The planted errors of `_spoils`, for JAX: a right function with a `custom_vjp` that is wrong.

Takes a function of arrays and gives it with the rule (1 − size) · true + size · spoiled. The kinds
are those of torch's corpus, without the ones that concern memory, which JAX's arrays do not have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import _museum  # noqa: F401 for what follows
from wrong.jax_planting import pulled

__all__ = ["KINDS", "Pull", "Site", "changes", "draw_site", "is_fitting", "planted"]

Array = jax.Array
Gradients = tuple[Array, ...]


@dataclass(frozen=True)
class Pull:
    """One call of a backward: what came in, what is right to return, and how to ask again."""

    cotangents: tuple[Array, ...]
    gradients: Gradients
    inputs: tuple[Array, ...]
    again: Callable[[Sequence[Array]], Gradients]


@dataclass(frozen=True)
class Site:
    """Where an error is planted: a leaf, an output, and entries of both."""

    leaf: int
    output: int
    row: int
    column: int
    largest: float  # entry of the Jacobian between this output and this leaf


def planted(function: Callable[..., Any], kind: str, site: Site, size: float) -> Callable[..., Any]:
    """The function, with a rule that is wrong by `size` of what the kind does."""

    def outputs_of(*inputs: Array) -> tuple[Array, ...]:
        return tuple(jax.tree_util.tree_leaves(function(*inputs)))

    def backward(*given: Any) -> Gradients:
        *inputs, cotangents = given
        _, pull = jax.vjp(outputs_of, *inputs)
        true = pull(cotangents)
        wrong = KINDS[kind](Pull(cotangents, true, tuple(inputs), lambda v: pull(tuple(v))), site)
        return tuple(
            (one + size * (other - one)).astype(one.dtype)
            for one, other in zip(true, wrong, strict=True)
        )

    rule = pulled(outputs_of, backward)

    def call(*inputs: Array) -> tuple[Array, ...]:
        return rule(*inputs)  # type: ignore[no-any-return]

    call.__name__ = getattr(function, "__name__", "function")
    return call


def _only(pull: Pull, site: Site, change: Callable[[Array], Array]) -> Gradients:
    return tuple(
        change(one) if place == site.leaf else one for place, one in enumerate(pull.gradients)
    )


def _at(array: Array, place: int, value: Any) -> Array:
    return array.reshape(-1).at[place].add(value).reshape(array.shape)


def _entry(pull: Pull, site: Site) -> Gradients:
    error = site.largest * pull.cotangents[site.output].reshape(-1)[site.row].real
    return _only(pull, site, lambda one: _at(one, site.column, error))


def _row(pull: Pull, site: Site) -> Gradients:
    error = site.largest * pull.cotangents[site.output].reshape(-1)[site.row].real
    return _only(pull, site, lambda one: one + error)


def _column(pull: Pull, site: Site) -> Gradients:
    error = site.largest * pull.cotangents[site.output].real.sum()
    return _only(pull, site, lambda one: _at(one, site.column, error))


def _swapped(pull: Pull, site: Site) -> Gradients:
    def swap(one: Array) -> Array:
        flat = one.reshape(-1)
        other = (site.column + flat.size // 2) % flat.size
        places = jnp.array([site.column, other])
        return flat.at[places].set(flat[places[::-1]]).reshape(one.shape)

    return _only(pull, site, swap)


def _reversed(pull: Pull, site: Site) -> Gradients:
    return _only(pull, site, lambda one: one.reshape(-1)[::-1].reshape(one.shape))


def _transposed(pull: Pull, site: Site) -> Gradients:
    return _only(pull, site, lambda one: jnp.swapaxes(one, -1, -2).reshape(one.shape))


def _output_dropped(pull: Pull, site: Site) -> Gradients:
    masked = list(pull.cotangents)
    flat = masked[site.output].reshape(-1)
    masked[site.output] = flat.at[site.row].set(0).reshape(masked[site.output].shape)
    return pull.again(masked)


def _input_dropped(pull: Pull, site: Site) -> Gradients:
    return _only(pull, site, lambda one: one.reshape(-1).at[site.column].set(0).reshape(one.shape))


def _through(bend: Callable[[Array], Array]) -> Callable[[Pull, Site], Gradients]:
    return lambda pull, _: pull.again([bend(v) for v in pull.cotangents])


def _doubled(region: Callable[[Array], Any]) -> Callable[[Pull, Site], Gradients]:
    def spoil(pull: Pull, site: Site) -> Gradients:
        mask = region(pull.inputs[site.leaf])
        return _only(pull, site, lambda one: jnp.where(mask, 2 * one, one))

    return spoil


def _last_index(values: Array) -> Any:
    return jnp.arange(values.shape[-1]) == values.shape[-1] - 1


def _last_third(values: Array) -> Any:
    return (jnp.arange(values.size) >= values.size * 2 // 3).reshape(values.shape)


def _large_inputs(values: Array) -> Any:
    return values > jnp.median(values) + 1e-3


KINDS: dict[str, Callable[[Pull, Site], Gradients]] = {
    "one entry": _entry,
    "one row": _row,
    "one column": _column,
    "all scaled": lambda pull, _: tuple(2 * one for one in pull.gradients),
    "two swapped": _swapped,
    "reversed": _reversed,
    "transposed": _transposed,
    "output dropped": _output_dropped,
    "input dropped": _input_dropped,
    "leaf dropped": lambda pull, site: _only(pull, site, jnp.zeros_like),
    "abs of v": _through(jnp.abs),
    "relu of v": _through(lambda v: jnp.maximum(v, 0)),
    "v clamped": _through(lambda v: jnp.clip(v, -1, 1)),
    "last index": _doubled(_last_index),
    "last third": _doubled(_last_third),
    "large inputs": _doubled(_large_inputs),
}
_NEEDS_TWO = ("two swapped", "reversed", "last index", "last third", "large inputs")


def is_fitting(kind: str, shape: tuple[int, ...]) -> bool:
    """Whether the leaf has the shape that a kind needs."""
    if kind == "transposed":
        return len(shape) > 1 and min(shape[-2:]) > 1
    return kind not in _NEEDS_TWO or (int(np.prod(shape)) > 1 and len(shape) > 0)


def jacobians(function: Callable[..., Any], inputs: Sequence[Array]) -> list[list[np.ndarray]]:
    """Every Jacobian that reverse mode claims, output by output, leaf by leaf."""

    def flat(*leaves: Array) -> list[Array]:
        return [one.reshape(-1) for one in jax.tree_util.tree_leaves(function(*leaves))]

    claimed = jax.jit(jax.jacrev(flat, argnums=tuple(range(len(inputs)))))(*inputs)
    return [
        [np.asarray(one, np.float64).reshape(one.shape[0], -1) for one in row] for row in claimed
    ]


def draw_site(true: list[list[np.ndarray]], numbers: np.random.Generator) -> Site | None:
    """An output and a leaf that depend on each other, and entries of theirs; None if none do."""
    pairs = [
        (output, leaf)
        for output, row in enumerate(true)
        for leaf, matrix in enumerate(row)
        if matrix.size and np.isfinite(matrix).all() and np.abs(matrix).max() > 0
    ]
    if not pairs:
        return None
    output, leaf = pairs[int(numbers.integers(len(pairs)))]
    matrix = np.abs(true[output][leaf])
    row, column = np.unravel_index(int(matrix.argmax()), matrix.shape)
    return Site(leaf, output, int(row), int(column), float(matrix.max()))


def changes(
    function: Callable[..., Any], true: list[list[np.ndarray]], inputs: Sequence[Array], size: float
) -> bool:
    """Whether a planted error moves some pull by at least half of its size.

    Rows of the Jacobian are pulls of positive cotangents; laws are broken by negative ones.
    """
    for sign in (1.0, -1.0):
        wrong = jacobians(lambda *leaves, s=sign: _signed(function(*leaves), s), inputs)
        for ours, theirs in zip(true, wrong, strict=True):
            for one, other in zip(ours, theirs, strict=True):
                if not one.size:
                    continue
                largest = np.abs(one).max()
                if largest > 0 and np.abs(sign * other - one).max() >= 0.5 * size * largest:
                    return True
    return False


def _signed(outputs: Any, sign: float) -> Any:
    return [sign * one for one in jax.tree_util.tree_leaves(outputs)]
