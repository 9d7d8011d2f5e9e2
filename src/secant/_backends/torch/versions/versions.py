"""Other versions of functions of tensors: in float64, with the same draws, without casts."""

from __future__ import annotations

from typing import Any

from ...interface.versions import Versions
from .lift import Widening
from .redraw import Redrawing
from .uncast import uncasting
from .watch import watching_casts


class TorchVersions(Versions):
    """Contexts that change what torch's operators do."""

    widening = staticmethod(Widening)
    redrawing: Any = staticmethod(Redrawing)
    watching_casts = staticmethod(watching_casts)
    uncasting = staticmethod(uncasting)
