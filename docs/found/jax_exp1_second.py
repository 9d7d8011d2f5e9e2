"""The second derivative of jax.scipy.special.exp1 raises TypeError.

A tracer is kept where a constant is expected.

severity: raises
order: 2
secant: FAIL
tracker: none found
"""

import jax
import jax.numpy as jnp
import mpmath

jax.config.update("jax_enable_x64", True)
mpmath.mp.dps = 60


def function(x):
    return jax.scipy.special.exp1(x)


point = (jnp.asarray(1.5, jnp.float64),)
try:
    claimed = jax.grad(jax.grad(function, 0), 0)(*point).item()
except Exception as error:
    claimed = error
t = mpmath.mpf(point[0].item())
exact = mpmath.exp(-t) * (1 + 1 / t) / t
print(f"claimed {claimed!r:.80}, exact {mpmath.nstr(exact, 8)}")
