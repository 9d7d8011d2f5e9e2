"""jax.scipy.special.spence has slope NaN everywhere between 1 and 2.

The derivative is log(x) / (1 - x); somewhere above 1 a branch that is not taken is infinite.

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
    return jax.scipy.special.spence(x)


point = (jnp.asarray(1.5, jnp.float64),)
claimed = jax.grad(function, 0)(*point).item()
exact = mpmath.log(1.5) / (1 - 1.5)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
