"""Where the matrix is not PASS, and why: `cells.toml`.

Takes the file, and gives every cell it names with what is expected there. An entry names
operations, tensors ("csr batched"; "csr *" and "* hybrid" stand for all of them that exist), dtypes
and values of `masked`, all by default; the outcome; and what the message says, or why the verdict
is what it is. Whatever an entry names has to come out as it says: one that is wider than the truth
fails.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from typing import Any

from sparse.operations import OPERATIONS
from sparse.outcomes import WORDS, Outcome
from sparse.tensors import DTYPES, existing

__all__ = ["FILE", "Cell", "Expected", "all_cells", "read"]

FILE = Path(__file__).with_name("cells.toml")
RAISING = ("backward", "forward", "refused", "error")
NOT_MEANT = ("pass", "error")  # listed only where secant falls short
SHORTFALL = "shortfall: "
CRASH = "crash"  # torch kills the process: never run


@dataclass(frozen=True)
class Cell:
    """One check of the matrix."""

    operation: str
    layout: str
    kind: str
    dtype: str
    masked: bool


@dataclass(frozen=True)
class Expected:
    """What a cell comes to: an outcome, and part of what is said there."""

    word: str
    says: str = ""

    @property
    def can_run(self) -> bool:
        """Whether the process survives the cell."""
        return self.word != CRASH

    def is_met_by(self, outcome: Outcome) -> bool:
        """Say whether a check came out like this."""
        return outcome.word == self.word and self.says in outcome.sentence


PASS = Expected("pass")


def all_cells() -> Iterator[Cell]:
    """Yield every cell of the matrix."""
    for operation, (layout, kind), dtype, masked in product(
        OPERATIONS, existing(), DTYPES, (True, False)
    ):
        yield Cell(operation, layout, kind, dtype, masked)


def read(path: Path = FILE) -> dict[Cell, Expected]:
    """Return every cell of the file with what is expected of it."""
    listed: dict[Cell, Expected] = {}
    for entry in tomllib.loads(path.read_text(encoding="utf-8"))["cell"]:
        expected = _validated(entry)
        for cell in _expanded(entry):
            if cell in listed:
                raise ValueError(f"{path.name} lists {cell} twice")
            listed[cell] = expected
    return listed


def _validated(entry: dict[str, Any]) -> Expected:
    names = {"operation", "tensor", "dtype", "masked", "outcome", "says", "why"}
    if not set(entry) <= names:
        raise ValueError(f"expected the keys {sorted(names)}; got {sorted(entry)}")
    word = entry["outcome"]
    if word not in (*WORDS, CRASH):
        raise ValueError(f"expected an outcome to be one of {WORDS}; got {word!r}")
    needed = "says" if word in RAISING else "why"
    if not entry.get(needed):
        raise ValueError(f"expected {needed!r} for the outcome {word!r} of {entry['operation']}")
    if word in NOT_MEANT and not entry["why"].startswith(SHORTFALL):
        raise ValueError(f"expected `why` of {word!r} to begin with {SHORTFALL!r}")
    return Expected(word, entry.get("says", ""))


def _expanded(entry: dict[str, Any]) -> Iterator[Cell]:
    """Yield every cell that an entry names."""
    operations = [_known(name, OPERATIONS) for name in _as_list(entry["operation"])]
    dtypes = [_known(name, DTYPES) for name in _as_list(entry.get("dtype", list(DTYPES)))]
    for pattern in _as_list(entry.get("tensor", "* *")):
        tensors = [pair for pair in existing() if fnmatchcase(" ".join(pair), pattern)]
        if not tensors:
            raise ValueError(f"expected a tensor that exists; got {pattern!r}")
        for operation, (layout, kind), dtype, masked in product(
            operations, tensors, dtypes, _as_list(entry.get("masked", [True, False]))
        ):
            yield Cell(operation, layout, kind, dtype, masked)


def _known(name: str, names: dict[str, Any]) -> str:
    if name not in names:
        raise ValueError(f"expected one of {list(names)}; got {name!r}")
    return name


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
