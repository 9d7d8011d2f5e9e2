"""torch.special.gammainc(1, x) has slope NaN at 0.

(a - 1) log x is zero times infinity. The function is 1 - exp(-x).

severity: NaN where finite, at a border
order: 1
secant: FAIL
tracker: none found
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x):
    return torch.special.gammainc(torch.ones_like(x), x)


point = (torch.tensor(0.0, dtype=torch.float64, requires_grad=True),)
(claimed,) = torch.autograd.grad(function(*point), point[0])
claimed = claimed.item()
exact = mpmath.mpf(1)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
