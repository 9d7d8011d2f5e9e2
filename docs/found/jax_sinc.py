"""jax.numpy.sinc has a slope two hundred times too large at 1e-5 in float32.

cos and sinc agree there, and their difference is divided by x: 1e8 instead of -3e-15 at 1e-15,
and in float64 infinity near 1e-300.

severity: wrong value
order: 1
secant: INCONCLUSIVE
tracker: https://github.com/jax-ml/jax/issues/34139
"""

import jax
import jax.numpy as jnp
import mpmath

jax.config.update("jax_enable_x64", True)
mpmath.mp.dps = 60


def function(x):
    return jnp.sinc(x)


point = (jnp.asarray(1e-5, jnp.float32),)
claimed = jax.grad(function, 0)(*point).item()
t = mpmath.mpf(point[0].item())
exact = (mpmath.cospi(t) - mpmath.sincpi(t)) / t
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
