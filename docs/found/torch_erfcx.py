"""torch.special.erfcx loses every digit for large inputs.

The slope 2 x erfcx(x) - 2 / sqrt(pi) cancels: 8 % off in float32 at 800, zero in float64 at 1e10.

severity: loses digits
order: 1
secant: FAIL
tracker: none found
"""

import mpmath
import torch

mpmath.mp.dps = 60
mpmath.mp.dps = 400


def function(x):
    return torch.special.erfcx(x)


point = (torch.tensor(800.0, dtype=torch.float32, requires_grad=True),)
(claimed,) = torch.autograd.grad(function(*point), point[0])
claimed = claimed.item()
t = mpmath.mpf(point[0].item())
exact = 2 * t * mpmath.exp(t**2) * mpmath.erfc(t) - 2 / mpmath.sqrt(mpmath.pi)
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
