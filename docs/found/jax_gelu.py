"""jax.nn.gelu has slope NaN for large inputs.

A square overflows in the derivative, in float32 from 2e19 on, and infinity meets zero; the value
is right.

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
    return jax.nn.gelu(x)


point = (jnp.asarray(1e20, jnp.float32),)
claimed = jax.grad(function, 0)(*point).item()
exact = mpmath.mpf(1)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
