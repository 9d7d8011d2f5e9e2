"""Confirm a finding without secant, where a closed form exists: the truth, not differences.

A script is run at every entry of the input; the worst is told, and its script can be written down.
"""

from __future__ import annotations

import contextlib
import io
import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .._catalogues.catalogues import Catalogue, Sample
from .._report.mistakes import operator_of
from .._report.suite import Case
from .plan import Item

_NO_FORM = "not confirmed: no closed form is known here"
_AGREES = "not confirmed: the closed form agrees with the claim"
_LEAST = 1e-6  # of the truth: what is off by less is not confirmed
_MOST = 64  # entries that are tried


def confirmation(found: Catalogue, item: Item, sample: Sample, order: int) -> dict[str, str]:
    """Return labels that say how wrong a claim is against the truth, and at which number."""
    is_alone = len(sample.inputs) == 1
    if not is_alone or found.script(item.operator, 0.5, item.dtype, order) is None:
        return {"truth": _NO_FORM}
    errors = {
        number: _error(found.script(item.operator, number, item.dtype, order) or "")
        for number in _numbers(sample.inputs[0])
    }
    at = max(errors, key=lambda number: errors[number], default=0.0)
    worst = errors.get(at, 0.0)
    if worst < _LEAST:
        return {"truth": _AGREES}
    said = "not finite" if math.isinf(worst) else f"off by {worst:.2g} of the truth"
    return {"truth": f"confirmed: {said}", "at": repr(at), "order": str(order)}


def write_scripts(folder: Path, found: Catalogue, cases: Iterable[Case]) -> list[Path]:
    """Write one script for each operator and order whose mistake is confirmed; return where."""
    folder.mkdir(parents=True, exist_ok=True)
    written: dict[Path, str] = {}
    for case in cases:
        if "at" not in case.labels:
            continue
        order, dtype = int(case.labels["order"]), case.labels["dtype"]
        text = found.script(operator_of(case), float(case.labels["at"]), dtype, order)
        name = re.sub(r"\W+", "_", f"{operator_of(case)}_order_{order}")
        written.setdefault(folder / f"{name}.py", f"{found.preamble(dtype)}{text}")
    for path, text in written.items():
        path.write_text(text, encoding="utf-8")
    return list(written)


def _numbers(value: Any) -> list[float]:
    flat = value.detach().flatten() if hasattr(value, "detach") else value.reshape(-1)
    numbers = [number.item() for number in flat[:_MOST]]
    if any(isinstance(number, complex) for number in numbers):
        return []
    return list(dict.fromkeys(map(float, numbers)))


def _error(script: str) -> float:
    """Run a script; return its error: infinite for a claim that is not, zero without a truth."""
    left: dict[str, Any] = {}
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(script, "<script>", "exec"), left)
        claimed, exact, error = (float(left[name].real) for name in ("claimed", "exact", "error"))
    except Exception:  # mpmath has no value there, or is not installed: nothing is confirmed
        return 0.0
    if getattr(left["exact"], "imag", 0) or not math.isfinite(exact):
        return 0.0
    return error if math.isfinite(claimed) else math.inf
