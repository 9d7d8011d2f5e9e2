"""autograd.scipy.special.rgamma has slope NaN at whole numbers up to 0.

1 / gamma is smooth everywhere; the rule multiplies it by digamma, which is infinite there.

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
    return special.rgamma(x)


point = (np.array(-1.0),)
claimed = grad(function, 0)(*point).item()
exact = mpmath.diff(mpmath.rgamma, -1)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
