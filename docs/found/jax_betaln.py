"""jax.scipy.special.betaln has slope NaN where an argument is negative.

The logarithm of |beta| is smooth there; so are beta and its slopes, which are NaN too.

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


def function(x, y):
    return jax.scipy.special.betaln(x, y)


point = (
    jnp.asarray(0.4, jnp.float64),
    jnp.asarray(-1.2, jnp.float64),
)
claimed = jax.grad(function, 0)(*point).item()
x, y = (mpmath.mpf(part.item()) for part in point)
exact = mpmath.psi(0, x) - mpmath.psi(0, x + y)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
