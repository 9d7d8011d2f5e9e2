"""The gradient of the singular values of the identity is NaN in autograd.

Their sum is smooth there, with the identity as its gradient; differences of equal singular values
are divided by all the same.

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
    return np.sum(np.linalg.svd(x, full_matrices=False)[1])


point = (np.array([[1.0, 0.0], [0.0, 1.0]]),)
claimed = grad(function, 0)(*point)[0, 0].item()
exact = mpmath.mpf(1)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
