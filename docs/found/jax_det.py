"""jax.numpy.linalg.det has gradient zero at a singular matrix of four rows.

The gradient is the matrix of cofactors: here 2 * 3 * 1. Up to three rows it is right.

severity: wrong value
order: 1
secant: FAIL
tracker: https://github.com/jax-ml/jax/issues/2380
"""

import jax
import jax.numpy as jnp
import mpmath

jax.config.update("jax_enable_x64", True)
mpmath.mp.dps = 60


def function(x):
    return jnp.linalg.det(x)


point = (jnp.asarray([[0.0, 0, 0, 0], [0, 2, 0, 0], [0, 0, 3, 0], [0, 0, 0, 1]], jnp.float64),)
claimed = jax.grad(function, 0)(*point)[0, 0].item()
exact = mpmath.mpf(6)
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
