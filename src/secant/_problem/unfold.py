"""From a module and its arguments to a problem: its parameters are leaves beside the inputs.

Inputs come first, then parameters by name. Of the inputs those are differentiated that the user
marked, or every inexact one where none is marked; of the parameters all that are not frozen.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from .._backends.base import Array, Backend
from .._backends.interface.modules import Unfolded
from .._errors import InputError
from .pose import candidates, first_places, refuse_bad_leaves, refuse_infinite_points
from .problem import Problem
from .trees import Arguments


def pose_module(
    name: str,
    unfolded: Unfolded,
    arguments: Arguments,
    backend: Backend,
    *,
    masked: bool = False,
    only_marked: bool = False,
) -> Problem:
    """Make a problem of a module; with `only_marked`, inputs without a mark are constants."""
    inputs = len(arguments.leaves)
    first = first_places(arguments.leaves)
    leaves = [*arguments.leaves, *unfolded.parameters]
    chosen = candidates(backend, arguments.leaves, only_marked=only_marked)
    chosen = [place for place in chosen if first[place] == place]
    chosen += range(inputs, len(leaves))
    if not chosen:
        raise InputError(
            "nothing to differentiate: no parameter that is not frozen, and among the inputs no "
            + ("array with a record" if only_marked else "floating or complex array")
        )
    is_shielded = False

    def call(given: Sequence[Any]) -> Any:
        nonlocal is_shielded
        if not is_shielded:
            try:
                return attempt(given)
            except RuntimeError as error:
                if not unfolded.wants_shield(error):
                    raise
                is_shielded = True
        return attempt([*map(unfolded.shielded, given[:inputs]), *given[inputs:]])

    def attempt(given: Sequence[Any]) -> Any:
        positional, named = arguments.rebuild([given[place] for place in first])
        return unfolded.call(given[inputs:], positional, named)

    def recall(values: Sequence[Array]) -> AbstractContextManager[None]:
        return unfolded.holding(values[len(chosen) - len(unfolded.parameters) :])

    def paths() -> list[str]:
        own = arguments.paths(unfolded.body)
        every = own + [f"self.{one}" if one in own else one for one in unfolded.names]
        return [backend.spelt(every[place]) for place in chosen]

    refuse_bad_leaves(backend, leaves, chosen, paths, masked=masked)
    problem = Problem(
        name, call, backend, leaves, chosen, paths, recall, masked=masked, is_users=True
    )
    problem.notes, problem.source = tuple(unfolded.notes), unfolded.body
    refuse_infinite_points(backend, problem)
    return problem
