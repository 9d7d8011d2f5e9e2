"""The detection benchmark's questions: right functions, and the errors planted in them.

Takes samples of torch's operator database and the larger functions, asks all checkers about each as
it is, and plants errors into those that torch accepts. Which errors a function gets, and where,
depends on the seed and its name alone.
"""

from __future__ import annotations

import random
import statistics
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import torch

from _database import Case
from _detectors import CHECKERS, SECANT, SLOW, Answer, ask
from _spoils import pairs
from _truth import Plant, plant, truth_of

__all__ = ["Function", "is_small", "judge_unplanted", "plants_of", "seed_of"]

LARGEST = 300  # elements of inputs, and of outputs: torch's slow mode takes two calls for each


@dataclass(frozen=True)
class Function:
    """One right function, and what everybody says about it unplanted."""

    case: Case
    corpus: str
    answers: dict[str, Answer]  # by checker; torch slow is absent from the larger ones

    @property
    def is_accepted(self) -> bool:
        """Whether torch passes it in every mode it was asked in."""
        return all(
            answer.verdict == "pass"
            for checker, answer in self.answers.items()
            if checker != SECANT
        )


def seed_of(case: Case, seed: int) -> int:
    """A seed of the case's own: checks that share a shape should not share their luck."""
    return (seed + zlib.crc32(case.name.encode())) % 2**31


def is_small(case: Case) -> bool:
    """Whether torch's slow mode can be asked about it."""
    if not 0 < case.size <= LARGEST:
        return False
    with torch.random.fork_rng(devices=[]):
        output = case.function(*case.inputs)
    outputs = output if isinstance(output, tuple) else (output,)
    return 0 < sum(one.numel() for one in outputs) <= LARGEST


def judge_unplanted(case: Case, corpus: str, seed: int, turn: int, repeats: int) -> Function:
    """Ask every checker about the function as it is, in turns; seconds are medians.

    torch's slow mode is asked once: nothing is said about its seconds but that they are many.
    """
    checkers = [one for one in CHECKERS if one != SLOW or corpus != "larger"]
    own = seed_of(case, seed)
    given: dict[str, list[Answer]] = {checker: [] for checker in checkers}
    for repeat in range(repeats):
        first = (turn + repeat) % len(checkers)
        for checker in [*checkers[first:], *checkers[:first]]:
            if checker != SLOW or not repeat:
                given[checker].append(ask(checker, case, own, explain=True))
    answers = {
        checker: replace(answers[0], seconds=statistics.median(one.seconds for one in answers))
        for checker, answers in given.items()
    }
    return Function(case, corpus, answers)


def plants_of(
    function: Function, kinds: Sequence[str], sizes: Sequence[float], most: int, seed: int
) -> Iterator[Plant]:
    """Up to `most` errors, drawn from all kinds at all sizes; what is not wrong is not counted."""
    own = seed_of(function.case, seed)
    truth = truth_of(function.case, random.Random(own))
    if not truth.largest:
        return
    order = pairs(kinds, sizes)
    random.Random(own).shuffle(order)
    made = 0
    for kind, size in order:
        if made == most:
            return
        planted = plant(truth, kind, size, random.Random(own + zlib.crc32(kind.encode())))
        if planted is not None:
            made += 1
            yield planted
