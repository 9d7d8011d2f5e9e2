"""torch.sinc loses every digit near zero.

The backward subtracts two numbers that agree up to x squared and divides the rest by x squared:
36 % off at 1e-8, zero below, in float32 1.4 % off at 1e-3.

severity: loses digits
order: 1
secant: INCONCLUSIVE
tracker: none found
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x):
    return torch.sinc(x)


point = (torch.tensor(1e-8, dtype=torch.float64, requires_grad=True),)
(claimed,) = torch.autograd.grad(function(*point), point[0])
claimed = claimed.item()
t = mpmath.mpf(point[0].item())
exact = (mpmath.cospi(t) - mpmath.sincpi(t)) / t
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
