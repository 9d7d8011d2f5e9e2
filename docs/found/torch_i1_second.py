"""The second derivative of torch.special.i1 is noise near zero.

i1 is x / 2 + x^3 / 16 there; terms with 1 / x cancel.

severity: wrong value
order: 2
secant: INCONCLUSIVE
tracker: none found
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x):
    return torch.special.i1(x)


point = (torch.tensor(1e-12, dtype=torch.float64, requires_grad=True),)
(slope,) = torch.autograd.grad(function(*point), point[0], create_graph=True)
(claimed,) = torch.autograd.grad(slope, point[0])
claimed = claimed.item()
t = mpmath.mpf(point[0].item())
exact = 3 * t / 8  # up to x^2
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
