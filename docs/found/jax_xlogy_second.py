"""The second derivative of jax.scipy.special.xlogy is 0 for large inputs in float32.

-x / y^2 with a square that overflows.

severity: wrong value
order: 2
secant: FAIL
tracker: none found
"""

import jax
import jax.numpy as jnp
import mpmath

jax.config.update("jax_enable_x64", True)
mpmath.mp.dps = 60


def function(x, y):
    return jax.scipy.special.xlogy(x, y)


point = (
    jnp.asarray(1e20, jnp.float32),
    jnp.asarray(1e20, jnp.float32),
)
claimed = jax.grad(jax.grad(function, 1), 1)(*point).item()
t = mpmath.mpf(point[0].item())
exact = -1 / t
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
