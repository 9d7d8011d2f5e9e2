"""Which gradients are right, said by somebody else than secant wherever that is possible.

Takes a case in a low dtype, and says two things about it. Whether the same sample of the operator
is accepted in float64, where nothing is hard to measure: by torch's slow mode, whose words the
agreement tests keep on record, or where there is none by torch's fast mode and `secant.check`. And
how far its gradient is from the one that the operator claims in float64 at the very same point.
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import torch

from _database import Case, samples
from _judges import judge_with_secant, judge_with_torch

__all__ = ["distance_from_float64", "is_accepted_in_float64"]

TINY = 1e-300
SAME = 1000  # roundings, and at most 5 %: outputs further apart are not of the same function

RECORD = Path(__file__).parent.parent / "tests" / "agreement" / "torch_verdicts.json"


def is_accepted_in_float64(case: Case, *, limit: int, seed: int) -> bool:
    """Whether the sample of this name is right in float64; one that float64 lacks is not."""
    if not is_accepted_here(case, seed):
        return False
    word = recorded(seed).get(case.name)
    if word is not None and not word.startswith("skipped"):
        return word == "pass"
    wide = in_float64(case.operator, limit, seed).get(case.name)
    if wide is None:
        return False
    return all(
        outcome.verdict == "pass"
        for outcome in (judge_with_torch(wide, "fast", seed), judge_with_secant(wide, "auto", seed))
    )


def is_accepted_here(case: Case, seed: int) -> bool:
    """Whether torch accepts the gradient in float64 at the low-precision point, if it runs there.

    Each dtype draws numbers of its own: indices that clash in one draw need not in another.
    """
    wide = replace(case, inputs=tuple(x.detach().double().requires_grad_() for x in case.inputs))
    return judge_with_torch(wide, "fast", seed).verdict != "fail"


@lru_cache
def recorded(seed: int) -> dict[str, str]:
    """Torch's slow-mode words by case; none where the record is of another torch or other draws."""
    if not RECORD.exists():
        return {}
    document = json.loads(RECORD.read_text(encoding="utf-8"))
    version = str(torch.__version__).partition("+")[0]
    if (document["torch"], document["seed"]) != (version, seed):
        return {}
    words = document["verdicts"]["float64"]
    return {name: told["reverse"] for name, told in words.items() if "reverse" in told}


@lru_cache(maxsize=4)
def in_float64(operator: str, limit: int, seed: int) -> dict[str, Case]:
    """The operator's first samples in float64, by name."""
    drawn = samples(torch.float64, limit, only=operator, seed=seed)
    return {case.name: case for case in drawn if case.operator == operator}


def distance_from_float64(case: Case, seed: int) -> float:
    """How far the gradient is from that in float64 at the same point, in parts of its norm.

    Nothing is said, and 0 given, of an operator that cannot be run in float64 with this sample,
    that gives something else there, or that draws random numbers: each dtype draws others.
    """
    try:
        output, gradient = pulled(case, torch.float64, seed)
        again, _ = pulled(case, torch.float64, seed + 1)
        own_output, own_gradient = pulled(case, case.inputs[0].dtype, seed)
    except Exception:
        return 0.0
    apart = min(SAME * torch.finfo(case.inputs[0].dtype).eps, 0.05)
    if relative(own_output, output) > apart or relative(again, output) > 0:
        return 0.0
    return relative(own_gradient, gradient)


def pulled(case: Case, dtype: torch.dtype, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """All outputs and all gradients at the case's point in a dtype, each as one float64 vector."""
    inputs = [tensor.detach().to(dtype).requires_grad_() for tensor in case.inputs]
    with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(seed)
        outputs = case.function(*inputs)
        several = outputs if isinstance(outputs, tuple) else (outputs,)
        several = tuple(tensor for tensor in several if tensor.requires_grad)
        torch.manual_seed(seed)
        cotangents = [torch.randint(2, x.shape).mul(2).sub(1).to(x.dtype) for x in several]
        gradients = torch.autograd.grad(several, inputs, cotangents, allow_unused=True)
    return flat(several), flat(one for one in gradients if one is not None)


def flat(tensors: Iterable[torch.Tensor]) -> torch.Tensor:
    """Tensors end to end, as float64; complex ones as pairs."""
    real = [torch.view_as_real(x.resolve_conj()) if x.is_complex() else x for x in tensors]
    return torch.cat([tensor.detach().double().reshape(-1) for tensor in real] or [torch.zeros(0)])


def relative(one: torch.Tensor, other: torch.Tensor) -> float:
    """The distance of one vector from another, in parts of the other's norm; 0 where both are 0.

    Entries that neither has a finite number for are the same; if only one has, they are far apart.
    """
    finite = one.isfinite() & other.isfinite()
    if bool((finite != (one.isfinite() | other.isfinite())).any()):
        return math.inf
    distance = float(torch.linalg.vector_norm((one - other)[finite]))
    return distance / max(float(torch.linalg.vector_norm(other[finite])), TINY) if distance else 0.0
