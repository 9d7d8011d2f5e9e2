"""The second derivative of x ** 0 is NaN at 0 where the exponent is a tensor.

The function is 1 everywhere, and its first derivative is zero, as claimed.

severity: NaN where finite
order: 2
secant: FAIL
tracker: https://github.com/pytorch/pytorch/issues/89757
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x):
    return torch.pow(x, torch.zeros_like(x))


point = (torch.tensor(0.0, dtype=torch.float64, requires_grad=True),)
(first,) = torch.autograd.grad(function(*point), point[0], create_graph=True)
(claimed,) = torch.autograd.grad(first, point[0])
claimed = claimed.item()
exact = mpmath.mpf(0)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
