"""jax.numpy.arcsinh has no slope for large inputs in float32.

The rule squares the input, which overflows.

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
    return jnp.arcsinh(x)


point = (jnp.asarray(1e20, jnp.float32),)
claimed = jax.grad(function, 0)(*point).item()
t = mpmath.mpf(point[0].item())
exact = 1 / mpmath.sqrt(t**2 + 1)
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
