"""The second derivative of torch.linalg.vector_norm is NaN for small vectors.

Squares of the entries underflow, in float32 from 1e-23 on; the value and the gradient are right.

severity: NaN where finite
order: 2
secant: FAIL
tracker: none found
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x, y):
    return torch.linalg.vector_norm(torch.stack([x, y]))


point = (
    torch.tensor(1e-25, dtype=torch.float32, requires_grad=True),
    torch.tensor(1e-25, dtype=torch.float32, requires_grad=True),
)
(slope,) = torch.autograd.grad(function(*point), point[0], create_graph=True)
(claimed,) = torch.autograd.grad(slope, point[0])
claimed = claimed.item()
t = mpmath.mpf(point[0].item())
exact = 1 / (2 * mpmath.sqrt(2) * t)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
