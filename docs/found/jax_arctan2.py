"""jax.numpy.arctan2 has infinite slopes where its inputs are small.

The rule divides by x^2 + y^2, which underflows.

severity: NaN where finite
order: 1
secant: FAIL
tracker: none found
"""

import jax
import jax.numpy as jnp
import mpmath

jax.config.update("jax_enable_x64", True)
mpmath.mp.dps = 60


def function(x, y):
    return jnp.arctan2(x, y)


point = (
    jnp.asarray(1e-25, jnp.float32),
    jnp.asarray(1e-25, jnp.float32),
)
claimed = jax.grad(function, 0)(*point).item()
t = mpmath.mpf(point[0].item())
exact = 1 / (2 * t)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
