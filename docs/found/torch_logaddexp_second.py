"""The second derivative of torch.logaddexp is NaN where one argument is far below the other.

From 746 on, where exp underflows; in torch.logaddexp2 from 1075 on.

severity: NaN where finite
order: 2
secant: FAIL
tracker: none found
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x, y):
    return torch.logaddexp(x, y)


point = (
    torch.tensor(-800.0, dtype=torch.float64, requires_grad=True),
    torch.tensor(0.0, dtype=torch.float64, requires_grad=True),
)
(slope,) = torch.autograd.grad(function(*point), point[0], create_graph=True)
(claimed,) = torch.autograd.grad(slope, point[0])
claimed = claimed.item()
t = mpmath.mpf(point[0].item())
exact = mpmath.exp(t) / (1 + mpmath.exp(t)) ** 2
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
