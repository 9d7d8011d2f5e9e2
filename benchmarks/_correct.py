"""Which gradients are right, said by somebody else than secant wherever that is possible.

Takes the name of a case, and says whether the same sample of the operator is accepted in float64,
where nothing is hard to measure. The word is that of torch's slow mode, which the agreement tests
keep on record; a sample that is not on record has to pass torch's fast mode and `secant.check`.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

import torch

from _database import Case, samples
from _judges import judge_with_secant, judge_with_torch

__all__ = ["is_accepted_in_float64"]

RECORD = Path(__file__).parent.parent / "tests" / "agreement" / "torch_verdicts.json"


def is_accepted_in_float64(case: Case, *, limit: int, seed: int) -> bool:
    """Whether the sample of this name is right in float64; one that float64 lacks is not."""
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
