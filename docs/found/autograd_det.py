"""The gradient of autograd.numpy.linalg.det raises LinAlgError at singular matrices.

The rule inverts. The gradient is the matrix of cofactors.

severity: raises
order: 1
secant: FAIL
tracker: https://github.com/HIPS/autograd/issues/549
"""

import autograd.numpy as np
import mpmath
from autograd import grad

mpmath.mp.dps = 60


def function(x):
    return np.linalg.det(x)


point = (np.array([[1.0, 2.0], [2.0, 4.0]]),)
try:
    claimed = grad(function, 0)(*point)[0, 0].item()
except Exception as error:
    claimed = error
exact = mpmath.mpf(4)
print(f"claimed {claimed!r:.80}, exact {mpmath.nstr(exact, 8)}")
