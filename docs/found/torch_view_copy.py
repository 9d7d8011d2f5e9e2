"""The forward-mode derivative of torch.view_copy raises for a tensor that is not contiguous.

The function copies, and takes any strides; its rule takes a view of the tangent.

severity: raises
order: 1
modes: forward
secant: FAIL
tracker: none found
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x):
    return torch.view_copy(x.T, (6,))


point = (torch.arange(6, dtype=torch.float64).reshape(2, 3).requires_grad_(),)
try:
    _, claimed = torch.func.jvp(function, point, (torch.ones_like(point[0]),))
    claimed = claimed[0].item()
except Exception as error:
    claimed = error
exact = mpmath.mpf(1)
print(f"claimed {claimed!r:.80}, exact {mpmath.nstr(exact, 8)}")
