"""torch.atan2 has no slope where its inputs are small.

The backward divides by x^2 + y^2, which underflows, and then returns zero: the larger the slope,
the more certainly it is lost. The same happens for large inputs.

severity: wrong value
order: 1
secant: FAIL
tracker: https://github.com/pytorch/pytorch/issues/193040
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x, y):
    return torch.atan2(x, y)


point = (
    torch.tensor(1e-25, dtype=torch.float32, requires_grad=True),
    torch.tensor(1e-25, dtype=torch.float32, requires_grad=True),
)
(claimed,) = torch.autograd.grad(function(*point), point[0])
claimed = claimed.item()
t = mpmath.mpf(point[0].item())
exact = 1 / (2 * t)
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
