"""The second derivative of torch.nn.functional.normalize is NaN at zero.

Below its eps it divides by eps: it is linear there, and its second derivative is zero.

severity: NaN where finite
order: 2
secant: FAIL
tracker: none found
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x, y):
    return torch.nn.functional.normalize(torch.stack([x, y]), dim=0)[0]


point = (
    torch.tensor(0.0, dtype=torch.float64, requires_grad=True),
    torch.tensor(0.0, dtype=torch.float64, requires_grad=True),
)
(slope,) = torch.autograd.grad(function(*point), point[0], create_graph=True)
(claimed,) = torch.autograd.grad(slope, point[0])
claimed = claimed.item()
exact = mpmath.mpf(0)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
