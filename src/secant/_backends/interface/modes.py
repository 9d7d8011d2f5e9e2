"""Modes and flags of a framework belong to the process: a check leaves them as they were."""

from __future__ import annotations

from typing import Any


class Modes:
    """The modes of one framework; most have none."""

    def state(self) -> Any:
        """Return the modes and flags of the framework, as they are."""
        return None

    def put_back(self, state: Any) -> None:
        """Put back what `state` returned, as often as it is asked, wherever it was left."""

    def ready(self) -> None:
        """Make sure that the function is called in the modes that its derivatives need."""
