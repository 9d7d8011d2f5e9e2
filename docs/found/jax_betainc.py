"""jax.scipy.special.betainc(1, 1, x) has slope NaN at 0.

(a - 1) log x is zero times infinity. The function is x itself.

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
    return jax.scipy.special.betainc(1.0, 1.0, x)


point = (jnp.asarray(0.0, jnp.float64),)
claimed = jax.grad(function, 0)(*point).item()
exact = mpmath.mpf(1)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
