"""The backward of torch.addr raises for vectors of two dtypes.

The forward promotes them; the backward multiplies a matrix of the one with a vector of the other.

severity: raises
order: 1
secant: FAIL
tracker: none found
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x, y, z):
    return torch.addr(x, y, z.float())[0, 0]


point = (
    torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64, requires_grad=True),
    torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True),
    torch.tensor([3.0, 4.0], dtype=torch.float64, requires_grad=True),
)
try:
    (claimed,) = torch.autograd.grad(function(*point), point[1])
    claimed = claimed[0].item()
except Exception as error:
    claimed = error
exact = mpmath.mpf(3)  # of x + y z by y
print(f"claimed {claimed!r:.80}, exact {mpmath.nstr(exact, 8)}")
