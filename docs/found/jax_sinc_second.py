"""The second derivative of jax.numpy.sinc is noise near zero.

Cancellation divided by x squared: a thousandth off at 1e-6, 1e4 instead of -3.29 at 1e-10.

severity: wrong value
order: 2
secant: FAIL
tracker: https://github.com/jax-ml/jax/issues/40629
"""

import jax
import jax.numpy as jnp
import mpmath

jax.config.update("jax_enable_x64", True)
mpmath.mp.dps = 60


def function(x):
    return jnp.sinc(x)


point = (jnp.asarray(1e-6, jnp.float64),)
claimed = jax.grad(jax.grad(function, 0), 0)(*point).item()
exact = -(mpmath.pi**2) / 3  # up to (pi x)^2 / 10 of it
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
