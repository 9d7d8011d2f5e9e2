"""torch.addcdiv has slope minus infinity where it is finite.

The backward divides by the square of the divisor, which underflows; torch.div has the right
slope.

severity: NaN where finite
order: 1
secant: FAIL
tracker: none found
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x, y):
    return torch.addcdiv(torch.zeros_like(x), x, y)


point = (
    torch.tensor(1e-25, dtype=torch.float32, requires_grad=True),
    torch.tensor(1e-25, dtype=torch.float32, requires_grad=True),
)
(claimed,) = torch.autograd.grad(function(*point), point[1])
claimed = claimed.item()
y = mpmath.mpf(point[1].item())
exact = -mpmath.mpf(point[0].item()) / y**2
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
