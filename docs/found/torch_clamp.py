"""torch.clamp has slope 1 where both of its bounds are the input itself.

Between equal bounds the function is constant; the backward lets pass what lies on a bound.

severity: wrong value
order: 1
secant: INCONCLUSIVE
tracker: https://github.com/pytorch/pytorch/issues/184574
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x):
    return torch.clamp(x, 1.0, 1.0)


point = (torch.tensor(1.0, dtype=torch.float64, requires_grad=True),)
(claimed,) = torch.autograd.grad(function(*point), point[0])
claimed = claimed.item()
exact = mpmath.mpf(0)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
