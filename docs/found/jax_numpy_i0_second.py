"""The second derivative of jax.numpy.i0 is 0 at 0, where it is 0.5.

i0 is 1 + x^2 / 4 there; its rule returns a constant at 0.

severity: wrong value
order: 2
secant: FAIL
tracker: https://github.com/jax-ml/jax/pull/40640
"""

import jax
import jax.numpy as jnp
import mpmath

jax.config.update("jax_enable_x64", True)
mpmath.mp.dps = 60


def function(x):
    return jnp.i0(x)


point = (jnp.asarray(0.0, jnp.float64),)
claimed = jax.grad(jax.grad(function, 0), 0)(*point).item()
exact = mpmath.mpf(1) / 2
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
