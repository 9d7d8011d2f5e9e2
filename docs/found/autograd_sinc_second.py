"""The second derivative of autograd.numpy.sinc is noise near zero.

Terms that cancel are divided by x cubed: at 1e-15 it is -pi^2, at 1e-8 whatever the roundings
are.

severity: wrong value
order: 2
secant: FAIL
tracker: none found
"""

import autograd.numpy as np
import mpmath
from autograd import grad

mpmath.mp.dps = 60


def function(x):
    return np.sinc(x)


point = (np.array(1e-8),)
claimed = grad(grad(function, 0), 0)(*point).item()
exact = -(mpmath.pi**2) / 3  # up to (pi x)^2 / 10 of it
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
