"""autograd.scipy.stats.norm.logcdf has an infinite slope far out, where it is 1e10.

The slope of a Gaussian tail is |x|.

severity: NaN where finite
order: 1
secant: FAIL
tracker: none found
"""

import autograd.numpy as np
import mpmath
from autograd import grad
from autograd.scipy.stats import norm

mpmath.mp.dps = 60


def function(x):
    return norm.logcdf(x)


point = (np.array(-1e10),)
claimed = grad(function, 0)(*point).item()
t = mpmath.mpf(point[0].item())
exact = -t  # up to 1 / t
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
