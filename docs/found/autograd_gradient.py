"""The gradient of autograd.numpy.gradient raises ValueError.

The second entry of np.gradient is half the difference of its neighbours.

severity: raises
order: 1
secant: FAIL
tracker: none found
"""

import autograd.numpy as np
import mpmath
from autograd import grad

mpmath.mp.dps = 60


def function(x):
    return np.gradient(x)[1]


point = (np.array([1.0, 2.0, 4.0]),)
try:
    claimed = grad(function, 0)(*point)[2].item()
except Exception as error:
    claimed = error
exact = mpmath.mpf(1) / 2
print(f"claimed {claimed!r:.80}, exact {mpmath.nstr(exact, 8)}")
