"""The second derivative of autograd.numpy.tanh is NaN from 711 on.

cosh overflows. The exact value underflows to zero.

severity: NaN where finite
order: 2
secant: FAIL
tracker: none found
"""

import autograd.numpy as np
import mpmath
from autograd import grad

mpmath.mp.dps = 60
mpmath.mp.dps = 60


def function(x):
    return np.tanh(x)


point = (np.array(800.0),)
claimed = grad(grad(function, 0), 0)(*point).item()
t = mpmath.mpf(point[0].item())
exact = -2 * mpmath.tanh(t) * mpmath.sech(t) ** 2
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
