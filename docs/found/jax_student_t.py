"""jax.scipy.stats.t.logpdf loses every digit of its slope in many degrees of freedom.

Two digammas that agree are subtracted, and two logarithms.

severity: loses digits
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
    return jax.scipy.stats.t.logpdf(1.0, x)


point = (jnp.asarray(1e9, jnp.float64),)
claimed = jax.grad(function, 0)(*point).item()


def logpdf(d):
    gammas = mpmath.loggamma((d + 1) / 2) - mpmath.loggamma(d / 2)
    return gammas - mpmath.log(d * mpmath.pi) / 2 - (d + 1) / 2 * mpmath.log1p(1 / d)


exact = mpmath.diff(logpdf, mpmath.mpf(point[0].item()))
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
