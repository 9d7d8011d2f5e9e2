"""jax.scipy.special.spence has a wrong slope near zero.

It is log(x) / (1 - x): -23.03 at 1e-10, and -24.03 is claimed, in float32; in float64 the same
happens at 1e-30.

severity: wrong value
order: 1
secant: INCONCLUSIVE
tracker: none found
"""

import jax
import jax.numpy as jnp
import mpmath

jax.config.update("jax_enable_x64", True)
mpmath.mp.dps = 60


def function(x):
    return jax.scipy.special.spence(x)


point = (jnp.asarray(1e-10, jnp.float32),)
claimed = jax.grad(function, 0)(*point).item()
t = mpmath.mpf(point[0].item())
exact = mpmath.log(t) / (1 - t)
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
