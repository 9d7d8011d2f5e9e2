"""The second derivative of torch.sinc is zero near zero, and NaN at zero.

What the first derivative loses is all there is of the second one: it must be -pi^2 / 3.

severity: wrong value
order: 2
secant: INCONCLUSIVE
tracker: https://github.com/pytorch/pytorch/issues/196703
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x):
    return torch.sinc(x)


point = (torch.tensor(1e-10, dtype=torch.float64, requires_grad=True),)
(slope,) = torch.autograd.grad(function(*point), point[0], create_graph=True)
(claimed,) = torch.autograd.grad(slope, point[0])
claimed = claimed.item()
exact = -(mpmath.pi**2) / 3  # up to (pi x)^2 / 10 of it
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
