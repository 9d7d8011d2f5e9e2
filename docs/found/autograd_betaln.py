"""autograd.scipy.special.betaln loses half its digits for large parameters.

Two digammas that agree are subtracted.

severity: loses digits
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
    return special.betaln(x, 3.0)


point = (np.array(1e10),)
claimed = grad(function, 0)(*point).item()
t = mpmath.mpf(point[0].item())
exact = mpmath.psi(0, t) - mpmath.psi(0, t + 3)
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
