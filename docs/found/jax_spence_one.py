"""jax.scipy.special.spence has slope 0 at 1, where it is -1.

On both sides the slope tends to -1; at 1 itself the value is a constant.

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


def function(x):
    return jax.scipy.special.spence(x)


point = (jnp.asarray(1.0, jnp.float64),)
claimed = jax.grad(function, 0)(*point).item()
exact = mpmath.mpf(-1)
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
