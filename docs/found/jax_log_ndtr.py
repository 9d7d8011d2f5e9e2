"""jax.scipy.special.log_ndtr has slope 1 far out, where it is 1e10.

The slope of a Gaussian tail is |x|. At -1e7 the claim is off by a thousandth, at -1e8 by a third.

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
    return jax.scipy.special.log_ndtr(x)


point = (jnp.asarray(-1e10, jnp.float64),)
claimed = jax.grad(function, 0)(*point).item()
t = mpmath.mpf(point[0].item())
exact = -t  # up to 1 / t
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
