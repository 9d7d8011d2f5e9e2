"""torch.acosh has no slope for large inputs in float32.

The backward squares the input, which overflows; 1 / x is representable.

severity: wrong value
order: 1
secant: FAIL
tracker: none found
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x):
    return torch.acosh(x)


point = (torch.tensor(1e20, dtype=torch.float32, requires_grad=True),)
(claimed,) = torch.autograd.grad(function(*point), point[0])
claimed = claimed.item()
t = mpmath.mpf(point[0].item())
exact = 1 / mpmath.sqrt(t**2 - 1)
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
