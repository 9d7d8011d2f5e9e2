"""jax.scipy.stats.beta.pdf has slope NaN in its parameters beyond 1.

The density is zero there, whatever its parameters are.

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


def function(x):
    return jax.scipy.stats.beta.pdf(1.5, 2.0, x)


point = (jnp.asarray(3.0, jnp.float64),)
claimed = jax.grad(function, 0)(*point).item()
exact = mpmath.mpf(0)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
