"""torch.nn.functional.gelu(approximate="tanh") has slope NaN for large inputs.

A square overflows in the backward, in float32 from 2e19 on, and infinity meets zero; the value is
right.

severity: NaN where finite
order: 1
secant: FAIL
tracker: none found
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x):
    return torch.nn.functional.gelu(x, approximate="tanh")


point = (torch.tensor(1e20, dtype=torch.float32, requires_grad=True),)
(claimed,) = torch.autograd.grad(function(*point), point[0])
claimed = claimed.item()
exact = mpmath.mpf(1)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
