"""What an audit asks, validated once: a catalogue, the terms, and the settings of every check."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from .._catalogues.catalogues import Terms
from .._errors import expected
from .._settings import DEFAULT_SEED, settle

_SELECTION = ("dtypes", "only")  # which operators are asked, not what is asked of them


@dataclass(frozen=True)
class Plan:
    """Everything that decides about verdicts; workers get it whole."""

    catalogue: str  # a framework, or module:attribute
    dtypes: tuple[str, ...] = ("float64",)
    device: str = "cpu"
    only: tuple[str, ...] = ()  # globs of operators' names; none keeps all
    samples: int = 3
    seed: int = DEFAULT_SEED
    probe: str = "auto"
    modes: str = "reverse"
    order: int = 1
    fuzz: bool = False  # samples are changed to look for trouble, round by round

    def __post_init__(self) -> None:
        settle(self.settings)
        if self.samples < 1:
            raise expected("samples", "a whole number of at least 1", self.samples)
        if not self.dtypes or len(set(self.dtypes)) < len(self.dtypes):
            raise expected("dtype", "given once for each dtype", " ".join(self.dtypes))

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of every check."""
        return {
            "probe": self.probe,
            "modes": self.modes,
            "order": self.order,
            "seed": self.seed,
            "progress": False,
        }

    @property
    def decisive(self) -> dict[str, Any]:
        """What two runs must share so that one may go on where the other stopped."""
        return {key: value for key, value in asdict(self).items() if key not in _SELECTION}

    def terms(self, dtype: str) -> Terms:
        """Return the terms on which a catalogue is asked."""
        return Terms(dtype, self.device, self.modes, self.order)


@dataclass(frozen=True, slots=True)
class Item:
    """One operator in one dtype: what a worker is given, and what is recorded as a whole."""

    operator: str
    dtype: str
    round: int = 0  # of fuzzing

    def __str__(self) -> str:
        return f"{self.operator} {self.dtype}{f' round {self.round}' if self.round else ''}"


@dataclass(frozen=True)
class Survey:
    """What a catalogue holds on a plan's terms."""

    items: tuple[Item, ...]
    labels: tuple[dict[str, str], ...]  # of each item
    skipped: tuple[tuple[Item, str], ...]  # and why
    versions: tuple[str, ...]
