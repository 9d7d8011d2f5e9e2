"""autograd.scipy.special.ive has slope NaN at 0.

The rule divides the order by the argument. i1(x) has slope 1/2 there, exp(-|x|) a kink that its
zero hides.

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
    return special.ive(1.0, x)


point = (np.array(0.0),)
claimed = grad(function, 0)(*point).item()
exact = mpmath.mpf(1) / 2
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
