"""The second derivative of jax.scipy.special.i1 is 1 near zero, where it is zero.

i1 is x / 2 + x^3 / 16 there.

severity: wrong value
order: 2
secant: INCONCLUSIVE
tracker: https://github.com/jax-ml/jax/pull/40640
"""

import jax
import jax.numpy as jnp
import mpmath

jax.config.update("jax_enable_x64", True)
mpmath.mp.dps = 60


def function(x):
    return jax.scipy.special.i1(x)


point = (jnp.asarray(1e-20, jnp.float64),)
claimed = jax.grad(jax.grad(function, 0), 0)(*point).item()
t = mpmath.mpf(point[0].item())
exact = 3 * t / 8  # up to x^2
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
