"""autograd.numpy.prod has slope NaN where an entry is zero.

The rule divides the product by the entry.

severity: NaN where finite
order: 1
secant: FAIL
tracker: https://github.com/HIPS/autograd/issues/93
"""

import autograd.numpy as np
import mpmath
from autograd import grad

mpmath.mp.dps = 60


def function(x):
    return np.prod(x)


point = (np.array([0.0, 2.0, 3.0]),)
claimed = grad(function, 0)(*point)[0].item()
exact = mpmath.mpf(6)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
