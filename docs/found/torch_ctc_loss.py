"""torch.nn.functional.ctc_loss has the gradient of another function.

The backward answers as if a log_softmax came before. One step, one label: the loss is -x[1],
whatever the other entries are.

severity: wrong value
order: 1
secant: FAIL
tracker: https://github.com/pytorch/pytorch/issues/52241
"""

import mpmath
import torch

mpmath.mp.dps = 60


def function(x):
    lengths = torch.tensor([1])
    label = torch.tensor([[1]])
    return torch.nn.functional.ctc_loss(x, label, lengths, lengths, reduction="sum")


point = (torch.tensor([[[-1.0, -2.0, -0.5]]], dtype=torch.float64, requires_grad=True),)
(claimed,) = torch.autograd.grad(function(*point), point[0])
claimed = claimed[0, 0, 1].item()
exact = mpmath.mpf(-1)
error = abs(claimed - exact) / abs(exact)
print(f"claimed {claimed}, exact {mpmath.nstr(exact, 8)}: off by {mpmath.nstr(error, 2)} of it")
