"""The second derivative of x ** 1.0 is NaN at 0 in jax.numpy.

The exponent is an array; the function is x itself.

severity: NaN where finite
order: 2
secant: FAIL
tracker: none found
"""

import jax
import jax.numpy as jnp
import mpmath

jax.config.update("jax_enable_x64", True)
mpmath.mp.dps = 60


def function(x):
    return jnp.power(x, jnp.ones_like(x))


point = (jnp.asarray(0.0, jnp.float64),)
claimed = jax.grad(jax.grad(function, 0), 0)(*point).item()
exact = mpmath.mpf(0)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
