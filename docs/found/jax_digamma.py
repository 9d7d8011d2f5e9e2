"""jax.scipy.special.digamma has a wrong slope at negative inputs from about -9 on.

Its rule asks polygamma(1, x), which is right down to -5.3, -2.9e12 instead of 9.8 at -9.5, and
-0.05 instead of 103.3 at -19.9.

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
    return jax.scipy.special.digamma(x)


point = (jnp.asarray(-9.5, jnp.float64),)
claimed = jax.grad(function, 0)(*point).item()
t = mpmath.mpf(point[0].item())
exact = mpmath.psi(1, t)
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
