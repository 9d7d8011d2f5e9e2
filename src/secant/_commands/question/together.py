"""`secant check --group`: the processes that a launcher has started, as one function."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..._errors import InputError
from ..._settings import GIVEN

_ABOUT_GROUPS = ("replicated", "gradients", "timeout")


@dataclass(frozen=True, slots=True)
class Launched:
    """This process among those that were started together; alone it is the first."""

    rank: int = 0
    settings: dict[str, Any] = field(default_factory=dict)  # what a check takes beside all others

    def holds_copy(self, name: str) -> bool:
        """Say whether an input is the same on all of them."""
        from ..._processes.settings import is_named

        return is_named(name, self.settings.get("replicated") or ())


@contextlib.contextmanager
def launched(given: Mapping[str, Any]) -> Iterator[Launched]:
    """Join the other processes where that is asked for; all leave together."""
    if not given["group"]:
        alone = [name for name in _ABOUT_GROUPS if given[name] is not None]
        if alone:
            raise InputError(f"expected --group beside --{alone[0]}: it is about several processes")
        yield Launched()
        return
    written = [name for name in GIVEN if given[name]]
    if written:
        raise InputError(f"expected no --{written[0]} beside --group: autograd's are checked there")
    from .frameworks import start

    settings = {name: given[name] for name in _ABOUT_GROUPS if given[name] is not None}
    if "replicated" in settings:
        names = (name.strip() for name in settings["replicated"].split(","))
        settings["replicated"] = tuple(name for name in names if name)
    with start(given["framework"] or "torch").processes.launched() as (group, rank):
        yield Launched(rank, {"group": group, **settings})
