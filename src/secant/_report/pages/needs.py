"""What pages need beyond secant's own dependencies: jinja2 to write them, plotly to draw."""

from __future__ import annotations

import functools
import importlib
from typing import Any

from ..._errors import InputError


def need(module: str, what: str) -> Any:
    """Import an optional module, or say how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        name = module.partition(".")[0]
        raise InputError(
            f"expected {name} to be installed, which {what} needs; "
            "get it with: pip install 'secant[html]'"
        ) from error


@functools.cache
def plotly_script() -> str:
    """Return plotly's own JavaScript, which a page carries along."""
    return str(need("plotly.offline", "a page with pictures").get_plotlyjs())
