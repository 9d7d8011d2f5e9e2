"""autograd.numpy.sinc has slope NaN at 0.

The rule divides by x squared.

severity: NaN where finite
order: 1
secant: FAIL
tracker: none found
"""

import autograd.numpy as np
import mpmath
from autograd import grad

mpmath.mp.dps = 60


def function(x):
    return np.sinc(x)


point = (np.array(0.0),)
claimed = grad(function, 0)(*point).item()
exact = mpmath.mpf(0)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
