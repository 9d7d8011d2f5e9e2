"""The backward of torch.conv_tbc raises for a cotangent that is not contiguous.

A view is taken of what the next operation hands over: here a transposition.

severity: raises
order: 1
secant: FAIL
tracker: none found
"""

import mpmath
import torch

mpmath.mp.dps = 60
weight = torch.tensor([[[1.0], [2.0]], [[3.0], [4.0]]], dtype=torch.float64)


def function(x, y):
    return (torch.conv_tbc(x, y, torch.zeros(1, dtype=x.dtype)).transpose(0, 1) * weight).sum()


point = (
    torch.tensor([[[1.0], [2.0]], [[3.0], [4.0]]], dtype=torch.float64, requires_grad=True),
    torch.tensor([[[1.5]]], dtype=torch.float64, requires_grad=True),
)
try:
    (claimed,) = torch.autograd.grad(function(*point), point[0])
    claimed = claimed[0, 0, 0].item()
except Exception as error:
    claimed = error
exact = mpmath.mpf(1.5)  # weight times kernel
print(f"claimed {claimed!r:.80}, exact {mpmath.nstr(exact, 8)}")
