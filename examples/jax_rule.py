"""A `custom_vjp` that treats padding as data, inside a small tree of parameters.

The function averages over the valid rows of a batch; its rule divides by all of them. With every
row valid, as in most tests, nobody notices.

Run it: python examples/jax_rule.py
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

import secant

Array = jax.Array


def average(x: Array, valid: Array) -> Array:
    """The mean over the rows that are valid."""
    return jnp.where(valid[:, None], x, 0.0).sum(0) / valid.sum()


masked_mean = jax.custom_vjp(average)
masked_mean.defvjp(
    lambda x, valid: (average(x, valid), valid),
    # the planted mistake: the number of rows, where the number of valid rows belongs
    lambda valid, v: (jnp.where(valid[:, None], v, 0.0) / valid.size, None),
)

fixed_mean = jax.custom_vjp(average)
fixed_mean.defvjp(
    lambda x, valid: (average(x, valid), valid),
    lambda valid, v: (jnp.where(valid[:, None], v, 0.0) / valid.sum(), None),
)


X = jnp.linspace(-1.0, 1.0, 15).reshape(5, 3)
VALID = jnp.array([True, True, True, False, False])


def pooled(params: dict[str, dict[str, Array]]) -> Array:
    """A layer, and the mean over its valid rows."""
    return masked_mean(jnp.tanh(X @ params["dense"]["kernel"]), VALID)


def repaired(params: dict[str, dict[str, Array]]) -> Array:
    """The same with the right rule."""
    return fixed_mean(jnp.tanh(X @ params["dense"]["kernel"]), VALID)


def main() -> None:
    """Check the mistake, then its repair."""
    params = {"dense": {"kernel": jnp.linspace(0.2, 1.3, 12).reshape(3, 4)}}
    print("With the mistake:")
    print(secant.check(pooled, params))
    print("\nFixed:")
    print(secant.check(repaired, params))
    secant.assert_gradient(repaired, params)


if __name__ == "__main__":
    main()
