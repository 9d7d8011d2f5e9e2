"""Modules that are wanted once they are loaded: looked at now, or as soon as somebody imports them.

Nothing is imported for that.
"""

from __future__ import annotations

import importlib.machinery
import sys
import types
from collections.abc import Callable, Collection, Sequence
from typing import Any


class Waiting:
    """Between `open` and `close`, tells `seen` of every module of these names, once it is there."""

    def __init__(self, names: Collection[str], seen: Callable[[types.ModuleType], None]) -> None:
        self._names = frozenset(names)
        self._seen = seen

    def open(self) -> None:
        """Look at what is loaded, and wait for the rest."""
        sys.meta_path.insert(0, self)
        for name in sorted(self._names & sys.modules.keys()):
            self._seen(sys.modules[name])

    def close(self) -> None:
        """Wait no longer."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find a module that is waited for as it would be found, and look at it once it is there.

        Python asks this of every finder in `sys.meta_path`.
        """
        if name not in self._names:
            return None
        for finder in sys.meta_path:
            spec = None if isinstance(finder, Waiting) else finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                self._wait_for(spec.loader)
                return spec
        return None

    def _wait_for(self, loader: Any) -> None:
        run = loader.exec_module

        def run_and_see(module: types.ModuleType) -> None:
            del loader.exec_module  # the class's own shows again
            run(module)
            self._seen(module)

        loader.exec_module = run_and_see
