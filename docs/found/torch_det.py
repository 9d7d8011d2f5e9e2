"""torch.linalg.det has gradient zero at singular matrices.

The gradient is the matrix of cofactors, which does not vanish there.

severity: wrong value
order: 1
secant: FAIL
tracker: https://github.com/pytorch/pytorch/issues/104675
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x):
    return torch.linalg.det(x)


point = (torch.tensor([[1.0, 2.0], [2.0, 4.0]], dtype=torch.float64, requires_grad=True),)
(claimed,) = torch.autograd.grad(function(*point), point[0])
claimed = claimed[0, 0].item()
exact = mpmath.mpf(4)  # d/da of a d - b c
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
