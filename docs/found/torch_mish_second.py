"""The second derivative of torch.nn.functional.mish is NaN from 89 on in float32.

exp(x) overflows there. The exact value underflows to zero.

severity: NaN where finite
order: 2
secant: FAIL
tracker: none found
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x):
    return torch.nn.functional.mish(x)


point = (torch.tensor(100.0, dtype=torch.float32, requires_grad=True),)
(slope,) = torch.autograd.grad(function(*point), point[0], create_graph=True)
(claimed,) = torch.autograd.grad(slope, point[0])
claimed = claimed.item()
t = mpmath.mpf(point[0].item())
exact = mpmath.diff(lambda s: s * mpmath.tanh(mpmath.log1p(mpmath.exp(s))), t, 2)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}")
