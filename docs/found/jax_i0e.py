"""jax.scipy.special.i0e loses digits for large inputs.

The slope is i1e(x) - i0e(x), and the two agree.

severity: loses digits
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
    return jax.scipy.special.i0e(x)


point = (jnp.asarray(1e6, jnp.float32),)
claimed = jax.grad(function, 0)(*point).item()
t = mpmath.mpf(point[0].item())
exact = mpmath.exp(-t) * (mpmath.besseli(1, t) - mpmath.besseli(0, t))
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
