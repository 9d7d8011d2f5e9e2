"""The second derivative of torch.linalg.det is NaN at singular matrices.

The determinant is a polynomial: its second derivatives are entries of the matrix. Asked along the
diagonal of a 2 by 2 matrix of zeros.

severity: NaN where finite
order: 2
secant: FAIL
tracker: none found
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x, y):
    return torch.linalg.det(torch.diag_embed(torch.stack([x, y])))


point = (
    torch.tensor(0.0, dtype=torch.float64, requires_grad=True),
    torch.tensor(0.0, dtype=torch.float64, requires_grad=True),
)
(slope,) = torch.autograd.grad(function(*point), point[0], create_graph=True)
(claimed,) = torch.autograd.grad(slope, point[0])
claimed = claimed.item()
exact = mpmath.mpf(0)  # of x y, twice by x
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
