"""torch.nn.functional.binary_cross_entropy has the wrong slope near 0 and 1.

The backward holds x (1 - x) at 1e-12 or more, the forward does not: at 1e-14 the slope is a
hundred times too small.

severity: wrong value
order: 1
secant: FAIL
tracker: none found
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x):
    return torch.nn.functional.binary_cross_entropy(x, torch.ones_like(x))


point = (torch.tensor(1e-14, dtype=torch.float64, requires_grad=True),)
(claimed,) = torch.autograd.grad(function(*point), point[0])
claimed = claimed.item()
t = mpmath.mpf(point[0].item())
exact = -1 / t
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
