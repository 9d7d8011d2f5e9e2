"""jax.scipy.stats.gamma.logpdf(x, 1) has slope NaN at 0.

It is the exponential density, with slope -1 up to its border.

severity: NaN where finite, at a border
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
    return jax.scipy.stats.gamma.logpdf(x, 1.0)


point = (jnp.asarray(0.0, jnp.float64),)
claimed = jax.grad(function, 0)(*point).item()
exact = mpmath.mpf(-1)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
