"""autograd.scipy.special.gammainc has slope NaN for parameters above 170.

A power and a gamma function overflow that should be divided.

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
    return special.gammainc(500.0, x)


point = (np.array(500.0),)
claimed = grad(function, 0)(*point).item()
t = mpmath.mpf(point[0].item())
exact = mpmath.exp((t - 1) * mpmath.log(t) - t - mpmath.loggamma(t))
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
