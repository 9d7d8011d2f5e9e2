"""torch.native_group_norm drops the gradient of its second output, the mean.

The backward reads the first cotangent alone. The mean of three numbers has slope 1/3.

severity: wrong value
order: 1
secant: FAIL
tracker: none found
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x):
    return torch.native_group_norm(x, None, None, 1, 1, 3, 1, 1e-5)[1].sum()


point = (torch.tensor([[[1.0, 2.0, 4.0]]], dtype=torch.float64, requires_grad=True),)
(claimed,) = torch.autograd.grad(function(*point), point[0], materialize_grads=True)
claimed = claimed[0, 0, 0].item()
exact = mpmath.mpf(1) / 3
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
