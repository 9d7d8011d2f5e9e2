"""The second derivative of the Fresnel integral C is 0 at odd whole numbers.

At 1 it must be -pi, at 3 it must be -3 pi; beside them it is right.

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


def function(x):
    return jax.scipy.special.fresnel(x)[1]


point = (jnp.asarray(1.0, jnp.float64),)
claimed = jax.grad(jax.grad(function, 0), 0)(*point).item()
exact = -mpmath.pi
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
