"""jax.scipy.stats.chi2.pdf has slope NaN in its degrees of freedom outside its support.

The density is zero there, whatever the degrees of freedom are.

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
    return jax.scipy.stats.chi2.pdf(-1.0, x)


point = (jnp.asarray(3.0, jnp.float64),)
claimed = jax.grad(function, 0)(*point).item()
exact = mpmath.mpf(0)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
