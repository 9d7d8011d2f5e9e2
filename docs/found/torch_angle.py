"""torch.angle of a small complex number has slope NaN.

The backward divides by |z|^2, which underflows.

severity: NaN where finite
order: 1
secant: FAIL
tracker: none found
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x, y):
    return torch.angle(torch.complex(x, y))


point = (
    torch.tensor(1e-25, dtype=torch.float32, requires_grad=True),
    torch.tensor(1e-25, dtype=torch.float32, requires_grad=True),
)
(claimed,) = torch.autograd.grad(function(*point), point[0])
claimed = claimed.item()
t = mpmath.mpf(point[0].item())
exact = -1 / (2 * t)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
