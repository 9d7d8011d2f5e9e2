"""The gradient of jax.scipy.stats.gumbel_l.logpdf raises TypeError.

Where all three arguments are differentiated at once. logpdf is z - exp(z) with z = x - loc.

severity: raises
order: 1
secant: INCONCLUSIVE
tracker: none found
"""

import jax
import jax.numpy as jnp
import mpmath

jax.config.update("jax_enable_x64", True)
mpmath.mp.dps = 60


def function(x, loc, scale):
    return jax.scipy.stats.gumbel_l.logpdf(x, loc, scale)


point = (
    jnp.asarray(0.5, jnp.float64),
    jnp.asarray(0.25, jnp.float64),
    jnp.asarray(1.0, jnp.float64),
)
try:
    claimed = jax.grad(function, (0, 1, 2))(*point)[1].item()
except Exception as error:
    claimed = error
exact = mpmath.exp(0.25) - 1
print(f"claimed {claimed!r:.80}, exact {mpmath.nstr(exact, 8)}")
