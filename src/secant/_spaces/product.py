"""Several leaves together: the product of their spaces, each with the path a user would write."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .._backends.base import Array
from .base import Space
from .reread import VectorsOnDemand, are_copies


class ProductSpace:
    """ℝⁿ¹ × ℝⁿ² × …; paths are made only when somebody asks for them."""

    def __init__(self, parts: Sequence[Space], paths: Callable[[], Sequence[str]]) -> None:
        self.parts = tuple(parts)
        self._has_copies: bool | None = None
        self.names: tuple[str, ...] = ()  # of the coordinates, where there is one part
        self._paths = paths
        self._spelt: Sequence[str] | None = None

    @property
    def size(self) -> int:
        """How many real coordinates all parts have together."""
        return sum(part.size for part in self.parts)

    def round_by(self, roundoff: float) -> None:
        """Take all parts for no finer than this."""
        self.parts = tuple(part.rounding_by(roundoff) for part in self.parts)
        self._has_copies = None

    def rename(self, paths: Sequence[str]) -> None:
        """Call the parts by other names than their paths."""
        self._spelt = paths

    def path(self, part: int) -> str:
        """Return the path of one leaf, `x["w"][3]`."""
        if self._spelt is None:
            self._spelt = self._paths()
        return self._spelt[part]

    def label(self, part: int, index: int) -> str:
        """Return one coordinate of one leaf, `x["w"][3][0, 2]`."""
        if self.names:
            return self.names[index]
        return self.path(part) + self.parts[part].label(index)

    def labels(self, part: int) -> Sequence[str]:
        """Return all coordinates of one leaf as `label` does."""
        if self.names:
            return self.names
        path = self.path(part)
        return [path + label for label in self.parts[part].labels()]

    def coordinates(self, arrays: Sequence[Array]) -> list[Array]:
        """Return the coordinates of one array per part."""
        return [part.coordinates(array) for part, array in zip(self.parts, arrays, strict=True)]

    def coordinates_of_some(self, arrays: Sequence[Array | None]) -> list[Array | None]:
        """Return the same, None for none; what would be a large copy is read when asked for."""
        parts = self.parts
        if self._has_copies is None:
            self._has_copies = any(map(are_copies, parts))
        if self._has_copies:

            def read(part: int) -> Array | None:
                array = arrays[part]
                return None if array is None else parts[part].coordinates(array)

            return VectorsOnDemand(read, len(parts))
        found = []
        for part, array in zip(parts, arrays, strict=True):
            found.append(None if array is None else part.coordinates(array))
        return found
