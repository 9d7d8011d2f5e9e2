"""jax.scipy.stats.truncnorm.logpdf has slope NaN in its bounds far from the centre.

At (40, 50) the density is an ordinary number, and so is its slope.

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
mpmath.mp.dps = 700


def function(x):
    return jax.scipy.stats.truncnorm.logpdf(41.0, x, 50.0)


point = (jnp.asarray(40.0, jnp.float64),)
claimed = jax.grad(function, 0)(*point).item()
a, b = mpmath.mpf(40), mpmath.mpf(50)
exact = mpmath.npdf(a) / (mpmath.ncdf(b) - mpmath.ncdf(a))
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
