"""jax.numpy.hypot has slope minus infinity for small inputs.

The value is right, and the slope is an ordinary number.

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
    return jnp.hypot(x, y)


point = (
    jnp.asarray(1e-25, jnp.float32),
    jnp.asarray(1e-25, jnp.float32),
)
claimed = jax.grad(function, 0)(*point).item()
exact = 1 / mpmath.sqrt(2)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
