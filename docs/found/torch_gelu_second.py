"""The second derivative of torch.nn.functional.gelu is NaN for large inputs.

x^2 times a density that underflows: infinity times zero.

severity: NaN where finite
order: 2
secant: FAIL
tracker: none found
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x):
    return torch.nn.functional.gelu(x)


point = (torch.tensor(1e20, dtype=torch.float32, requires_grad=True),)
(slope,) = torch.autograd.grad(function(*point), point[0], create_graph=True)
(claimed,) = torch.autograd.grad(slope, point[0])
claimed = claimed.item()
t = mpmath.mpf(point[0].item())
exact = (2 - t**2) * mpmath.npdf(t)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
