"""torch.special.log_ndtr has slope 0.4 far out, where it is 1e20.

The slope of a Gaussian tail is |x|. At -1e7 the claim is off by a hundredth, at -1e8 by half.

severity: wrong value
order: 1
secant: FAIL
tracker: none found
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x):
    return torch.special.log_ndtr(x)


point = (torch.tensor(-1e20, dtype=torch.float64, requires_grad=True),)
(claimed,) = torch.autograd.grad(function(*point), point[0])
claimed = claimed.item()
t = mpmath.mpf(point[0].item())
exact = -t  # up to 1 / t
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
