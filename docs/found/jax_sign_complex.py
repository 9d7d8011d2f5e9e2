"""jax.numpy.sign of a complex number has slope zero.

z / |z| turns with z. The rule is the one for real numbers.

severity: wrong value
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
    return jnp.sign(x + 1j * y).real


point = (
    jnp.asarray(1.0, jnp.float64),
    jnp.asarray(2.0, jnp.float64),
)
claimed = jax.grad(function, 0)(*point).item()
exact = 4 / mpmath.sqrt(5) ** 3  # y^2 / |z|^3
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
