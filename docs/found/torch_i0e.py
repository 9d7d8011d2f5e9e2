"""torch.special.i0e loses every digit for large inputs.

The slope is i1e(x) - i0e(x), and the two agree.

severity: loses digits
order: 1
secant: FAIL
tracker: none found
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x):
    return torch.special.i0e(x)


point = (torch.tensor(1e6, dtype=torch.float32, requires_grad=True),)
(claimed,) = torch.autograd.grad(function(*point), point[0])
claimed = claimed.item()
t = mpmath.mpf(point[0].item())
exact = mpmath.exp(-t) * (mpmath.besseli(1, t) - mpmath.besseli(0, t))
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
