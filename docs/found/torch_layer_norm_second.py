"""The second derivative of layer_norm by its bias is zero where there is no weight.

That is torch.nn.functional.layer_norm and torch.native_layer_norm. The squares of the outputs
have second derivatives 2 in the bias, and with a weight of ones that is what is claimed.

severity: wrong value
order: 2
secant: FAIL
tracker: https://github.com/pytorch/pytorch/issues/79705
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(bias):
    x = torch.tensor([1.0, 2.0, 4.0], dtype=torch.float64)
    return torch.nn.functional.layer_norm(x, (3,), None, bias).square().sum()


point = (torch.tensor([0.5, 0.25, -1.0], dtype=torch.float64, requires_grad=True),)
(first,) = torch.autograd.grad(function(*point), point[0], create_graph=True)
(claimed,) = torch.autograd.grad(first[0], point[0], materialize_grads=True)
claimed = claimed[0].item()
exact = mpmath.mpf(2)
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
