"""What is asked of an operator: the four questions of torch's own gradient tests, in its words.

`QUESTIONS` says of which operators each is asked and with which keywords; an `Asked` is one of them
about one sample, ready for a `gradcheck` or `gradgradcheck`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

__all__ = ["DTYPES", "LARGEST", "QUESTIONS", "SAMPLES", "SEED", "Asked", "Place", "Question"]

DTYPES = {"float64": torch.float64, "complex128": torch.complex128}
SAMPLES = 3  # the first so many of every operator
LARGEST = 1_000  # input elements
SEED = 1729


@dataclass(frozen=True)
class Question:
    """One kind of derivative, how torch's tests ask for it, and of which operators."""

    name: str
    second_order: bool
    applies: Callable[[Any], bool]
    keywords: Callable[[Any], dict[str, Any]]


QUESTIONS = {
    question.name: question
    for question in (
        Question(
            "reverse",
            False,
            lambda _: True,
            lambda operator: {"check_batched_grad": operator.check_batched_grad},
        ),
        Question(
            "forward",
            False,
            lambda operator: operator.supports_forward_ad,
            lambda operator: {
                "check_forward_ad": True,
                "check_backward_ad": False,
                "check_undefined_grad": True,
                "check_batched_forward_grad": operator.check_batched_forward_grad,
            },
        ),
        Question(
            "gradgrad",
            True,
            lambda operator: operator.supports_gradgrad,
            lambda operator: {"check_batched_grad": operator.check_batched_gradgrad},
        ),
        Question(
            "forward-over-reverse",
            True,
            lambda operator: operator.supports_fwgrad_bwgrad,
            lambda _: {
                "check_fwd_over_rev": True,
                "check_rev_over_rev": False,
                "check_undefined_grad": False,
            },
        ),
    )
}


@dataclass(frozen=True)
class Place:
    """Which sample of which operator, in which dtype, and what is asked of it."""

    operator: str
    sample: int
    dtype: str
    question: str

    @property
    def case(self) -> str:
        """The operator with the sample's number: "linalg.svd[0]"."""
        return f"{self.operator}[{self.sample}]"

    def __str__(self) -> str:
        return f"{self.case} {self.dtype} {self.question}"


@dataclass(frozen=True)
class Asked:
    """One question, ready to be put to a checker."""

    place: Place
    function: Callable[..., Any]
    inputs: tuple[torch.Tensor, ...]  # all of them require a gradient
    second_order: bool
    keywords: dict[str, Any]

    @property
    def elements(self) -> int:
        """Elements in all inputs together."""
        return sum(tensor.numel() for tensor in self.inputs)
