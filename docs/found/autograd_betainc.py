"""autograd.scipy.special.betainc has slope NaN for large parameters.

Powers underflow and are divided by a beta function that underflows.

severity: NaN where finite
order: 1
secant: FAIL
tracker: none found
"""

import autograd.numpy as np
import mpmath
from autograd import grad
from autograd.scipy import special

mpmath.mp.dps = 60


def function(x):
    return special.betainc(600.0, 600.0, x)


point = (np.array(0.5),)
claimed = grad(function, 0)(*point).item()
exact = mpmath.mpf(2) ** -1198 / mpmath.beta(600, 600)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
