"""What a function answers: which outputs are checked, and that later answers are like the first."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from .._backends.base import Array, Backend, Signature
from .._errors import (
    EvaluationError,
    FunctionRaised,
    InputError,
    NotFinite,
    NothingReturned,
    OutputChanged,
    UnsupportedOutput,
)
from .._spaces.base import Space
from .._spaces.choose import known_space, space_of
from .._spaces.product import ProductSpace
from .trees import output_paths, spell_structure, split_like, unflatten_output
from .usable import refuse_unusable


class Outputs:
    """What the first call answered, and every later one must answer again."""

    def __init__(
        self,
        name: str,
        backend: Backend,
        leaves: Sequence[Any],
        structure: Any,
        *,
        masked: bool = False,
        remarks: Iterable[str] = (),
    ) -> None:
        self._remarks = remarks  # what explains outputs that change
        self._name = name
        self._backend = backend
        self._structure = structure
        _refuse(name, backend, leaves, structure)
        known: dict[int, Space] = {}
        self._places, self.ignored = _checked(backend, leaves, structure, known)
        self.first: list[Array] = []
        self.values: list[Array] = []
        self._reading: list[tuple[int, Callable[[Any], Array | None], Space]] = []
        spaces = []
        for place in self._places:
            value = backend.detached(leaves[place])
            space = known.get(place) or space_of(backend, value, masked=masked)
            spaces.append(space)
            self.first.append(leaves[place])
            self.values.append(value)
            self._reading.append((place, space.reader(), space))
        paths = functools.partial(_paths, backend, structure, tuple(self._places))
        self.codomain = ProductSpace(spaces, paths)

    def read(
        self, leaves: Sequence[Any], structure: Any, moved: Sequence[int] = ()
    ) -> tuple[list[Array], list[Array]]:
        """Return the checked outputs as `select` does, and their coordinates.

        With some leaves moved there may be more of them or fewer, as of matches: another shape is
        then the end of the function's domain, as if it had raised.
        """
        if structure is not self._structure and structure != self._structure:
            self._select_moved(moved, leaves, structure)
        outputs, vectors = [], []
        for place, read, space in self._reading:
            output = leaves[place]
            vector = read(output)
            if vector is None:
                self._select_moved(moved, leaves, structure)
                vector = space.coordinates(output)
            outputs.append(output)
            vectors.append(vector)
        return outputs, vectors

    def _select_moved(self, moved: Sequence[int], leaves: Sequence[Any], structure: Any) -> None:
        try:
            self.select(leaves, structure)
        except OutputChanged as changed:
            if not moved or changed.what != "shape":
                raise
            raise FunctionRaised(str(changed)) from changed

    def select(self, leaves: Sequence[Any], structure: Any) -> list[Array]:
        """Return the checked outputs, or say how this call's answer differs from the first."""
        if structure != self._structure:
            raise EvaluationError(
                f"`{self._name}` changed the structure of its output between calls: first "
                f"{spell_structure(self._structure)}, then {spell_structure(structure)}"
            )
        outputs = []
        for place, _, space in self._reading:
            outputs.append(leaves[place])
            if not space.admission()(leaves[place]):
                raise OutputChanged(*self._how_changed(self.taken_from(leaves)))
        return outputs

    def refuse_infinite(self, vectors: Sequence[Array]) -> None:
        """Say which output is not finite at the point itself."""
        for part, vector in enumerate(vectors):
            if not self._backend.is_finite(vector):
                raise NotFinite(
                    f"expected `{self._name}` to be finite at the point itself; "
                    f"got NaN or inf in {self.codomain.path(part)}"
                )

    def taken_from(self, leaves: Sequence[Any]) -> list[Any]:
        """Return the leaves that are checked, whatever they are."""
        return [leaves[place] for place in self._places]

    def rebuilt(self, values: Sequence[Any]) -> Any:
        """Return one value for each checked output in the answer's containers, None elsewhere."""
        leaves: list[Any] = [None] * self._structure.num_leaves
        for place, value in zip(self._places, values, strict=True):
            leaves[place] = value
        return unflatten_output(self._structure, leaves)

    def split(self, value: Any) -> list[Any] | None:
        """Return what containers like the answer's hold for each checked output, None if unlike."""
        leaves = split_like(self._structure, value)
        return None if leaves is None else self.taken_from(leaves)

    def spelt(self) -> str:
        """Spell the answer's containers, with a star for every leaf."""
        return spell_structure(self._structure)

    def _how_changed(self, outputs: Sequence[Any]) -> tuple[str, str]:
        """Return what changed in words, and which word of the signature it is."""
        admissions = [space.admission() for space in self.codomain.parts]
        part = next(k for k, admits in enumerate(admissions) if not admits(outputs[k]))
        output, path = outputs[part], self.codomain.path(part)
        before = self.codomain.parts[part].signature
        if not self._backend.is_array(output):
            said = f"`{self._name}` returned an array for {path} and then {type(output).__name__}"
            return said, ""
        now = self._backend.signature(output)
        what = next(
            (word for word in Signature._fields if getattr(now, word) != getattr(before, word)), ""
        )
        if not what:
            return (
                f"`{self._name}` changed the pattern of {path} between calls: with masked=True "
                "every call must store the same entries; with masked=False it need not",
                "",
            )
        remark = next(filter(None, self._remarks), "")
        return (
            f"`{self._name}` changed the {what} of {path} between calls: first {_spell(before)}, "
            f"then {_spell(now)}{remark and '. '}{remark}",
            what,
        )


def _paths(backend: Backend, structure: Any, places: Sequence[int]) -> list[str]:
    """Return the paths of the checked outputs; no method, which would keep them all in a cycle."""
    every = output_paths(structure)
    return list(map(backend.spelt, map(every.__getitem__, places)))


def _refuse(name: str, backend: Backend, leaves: Sequence[Any], structure: Any) -> None:
    """Say what about the answer cannot be checked."""
    for place, leaf in enumerate(leaves):
        if isinstance(leaf, (str, bytes)):
            path = output_paths(structure)[place]
            raise InputError(f"expected the outputs to be arrays; {path} is {leaf!r}")
    if not any(map(backend.is_array, leaves)):
        answer = type(leaves[0]).__name__ if leaves else spell_structure(structure)
        raise (InputError if leaves or answer == "None" else NothingReturned)(
            f"expected `{name}` to return at least one array; it returned {answer}"
        )


def _checked(
    backend: Backend, leaves: Sequence[Any], structure: Any, known: dict[int, Space]
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Choose the outputs that are checked: those with a claim, or all when none has one.

    The second answer names the outputs that claim nothing beside others that do. Spaces that are
    known are put there: what is of a kind that was met before need not be looked at.
    """
    claimed: list[int] = []
    ignored: list[int] = []
    for place, leaf in enumerate(leaves):
        if not backend.is_array(leaf):
            continue
        space = known_space(backend, leaf)
        if space is not None:
            known[place] = space
            (claimed if backend.is_attached(leaf) else ignored).append(place)
            continue
        if not backend.is_inexact(leaf):
            continue
        refuse_unusable(backend, leaf, partial(_path_of, structure, place))
        if not backend.can_be_output(leaf):
            layout = backend.signature(leaf).layout
            raise UnsupportedOutput(
                f"{layout} output is not supported: expected strided or sparse outputs, got "
                f"{output_paths(structure)[place]}",
                layout,
            )
        (claimed if backend.is_attached(leaf) else ignored).append(place)
    if not (claimed and ignored):
        return tuple(claimed or ignored), ()
    paths = output_paths(structure)
    return tuple(claimed), tuple(backend.spelt(paths[k]) for k in ignored)


def _path_of(structure: Any, place: int) -> str:
    return output_paths(structure)[place]


def _spell(signature: Signature) -> str:
    return f"{list(signature.shape)} {signature.dtype} on {signature.device}"
