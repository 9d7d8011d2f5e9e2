"""The forward-mode derivative of torch.cholesky_inverse is wrong away from the identity.

For L = [[1, 0], [x, 1]] the first entry is 1 + x^2, with slope 2 x: at 3 the claim is ten times
that. The samples of torch's own tests lie within a hundredth of the identity, where it is off by
1e-5.

severity: wrong value
order: 1
modes: forward
secant: FAIL
tracker: https://github.com/pytorch/pytorch/issues/196682
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x):
    lower = torch.tensor([[0.0, 0.0], [1.0, 0.0]], dtype=x.dtype)
    return torch.cholesky_inverse(torch.eye(2, dtype=x.dtype) + x * lower)[0, 0]


point = (torch.tensor(3.0, dtype=torch.float64, requires_grad=True),)
_, claimed = torch.func.jvp(function, point, (torch.ones_like(point[0]),))
claimed = claimed.item()
exact = 2 * mpmath.mpf(point[0].item())
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
