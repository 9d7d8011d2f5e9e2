"""The second derivative of jax.numpy.hypot is 0 where its arguments are equal.

The function is smooth at (1, 1), with second derivative 8^(-1/2).

severity: wrong value
order: 2
secant: INCONCLUSIVE
tracker: none found
"""

import jax
import jax.numpy as jnp
import mpmath

jax.config.update("jax_enable_x64", True)
mpmath.mp.dps = 60


def function(x, y):
    return jnp.hypot(x, y)


point = (
    jnp.asarray(1.0, jnp.float64),
    jnp.asarray(1.0, jnp.float64),
)
claimed = jax.grad(jax.grad(function, 0), 0)(*point).item()
exact = 1 / mpmath.sqrt(8)
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
