"""A report in the terms of the incumbent checker: which finding decides, and what it is called.

Downstream tests match on these words; everything else about a message is secant's own.
"""

from __future__ import annotations

import math
from dataclasses import replace

from .._errors import EvaluationError, OutputChanged, said_by
from .._findings import SLOPES, Finding, Verdict
from .model import Report


def decisive(report: Report, check_grad_dtypes: bool) -> Finding | None:
    """Return the finding to raise for, the first that the incumbent comes upon; None if none is."""
    grave = [finding for finding in report.findings if _is_grave(finding, check_grad_dtypes)]
    return min(grave, key=lambda finding: _ORDER.get(finding.kind, 0), default=None)


# what is found with other cotangents than those of the slopes comes after them, the rest before
_ORDER = dict.fromkeys(SLOPES, 1) | {
    "batching": 2,
    "batched_tangents": 2,
    "linearity": 3,
    "undefined": 4,
}


def changed_phrase(error: EvaluationError) -> str:
    """Return the sentence for a function that answers otherwise at another point."""
    is_dtype = isinstance(error, OutputChanged) and error.what == "dtype"
    what = "dtype" if is_dtype else "shape"
    return f"Expected `func` to return outputs with the same {what} when inputs are perturbed"


def without_excuses(report: Report) -> Report:
    """Return the report with what a bare verdict cannot excuse counted as wrong."""
    if not any(map(_is_excused, report.findings)):
        return report
    findings = [
        replace(one, verdict=Verdict.FAIL) if _is_excused(one) else one for one in report.findings
    ]
    return replace(report, findings=tuple(findings))


def _is_excused(finding: Finding) -> bool:
    """Say whether a rule cannot be batched, though that was asked, or a claim is NaN."""
    is_nan = finding.claimed is not None and math.isnan(finding.claimed)
    is_unbatched = finding.raised is not None and finding.kind in ("batching", "batched_tangents")
    return finding.verdict is not Verdict.FAIL and (is_nan or is_unbatched)


def _is_grave(finding: Finding, check_grad_dtypes: bool) -> bool:
    if finding.kind == "signature" and finding.mode == "forward":
        return check_grad_dtypes
    if finding.raised is not None:  # a rule that is not there, or cannot be batched
        return True
    return finding.verdict is Verdict.FAIL


def familiar_phrase(finding: Finding, *, is_constant: bool, check_grad_dtypes: bool) -> str:
    """Return the sentence for one finding; `is_constant`: the function claims no derivative."""
    is_forward = finding.mode == "forward"
    if finding.kind in SLOPES:
        if is_constant and not is_forward:
            return "Numerical gradient for function expected to be zero"
        return _mismatch(finding, is_forward)
    if finding.kind in ("batching", "batched_tangents"):
        if finding.raised is not None:
            return f"While computing batched gradients, got: {said_by(finding.raised)}"
        place = f"For output {finding.output or 0} and input {finding.input or 0}:"
        return f"{place} batched gradient computation gives another answer than one at a time"
    if finding.kind == "undefined":
        return _undefined(finding, is_forward)
    if finding.kind == "signature":
        return _signature(finding, is_forward, check_grad_dtypes)
    return _PHRASES.get(finding.kind, f"the {finding.kind} law is broken")


def _signature(finding: Finding, is_forward: bool, check_grad_dtypes: bool) -> str:
    if is_forward:
        return "Forward AD gradient has dtype mismatch."
    what = finding.reasons[0].fields.get("what", "")
    if what == "dtype" and check_grad_dtypes:
        return "Gradient has dtype mismatch"
    return _SIGNATURES.get(what, "grad is incorrect device")


_SIGNATURES = {
    "dtype": "grad is incorrect type",
    "dimensions": "grad is sparse tensor, but has incorrect sparse_dim or dense_dim",
    "layout": "grad is incorrect layout",
    "shape": "grad is incorrect size",
}


_PHRASES = {
    "determinism": "Backward is not reentrant: the same question gets different answers",
    "linearity": "backward not multiplied by grad_output",
    "layout": "Backward depends on how grad_output is stored in memory",
    "mutation": "A pass writes into what it was given",
}


def _undefined(finding: Finding, is_forward: bool) -> str:
    if is_forward:
        return (
            f"Mismatch in tangent values for output with index: {finding.output} "
            f"when input {finding.input} has an undefined tangent value"
        )
    if finding.raised is not None or finding.reasons[0].fields.get("error"):
        return "Expected backward function to handle undefined output grads"
    return (
        "Expected all input grads to be undefined or zero when all output grads are undefined "
        "or zero"
    )


def _mismatch(finding: Finding, is_forward: bool) -> str:
    """Return the sentence about a pair, with the part of a complex number that is wrong."""
    labels = [entry.input if is_forward else entry.output for entry in finding.entries]
    prefix = ""
    if labels and all(label.endswith((".real", ".imag")) for label in labels):
        part = "imaginary" if any(label.endswith(".imag") for label in labels) else "real"
        element = "inputs" if is_forward else "outputs"
        prefix = f"While considering the {part} part of complex {element} only, "
    mode = "computed with forward mode " if is_forward else ""
    return (
        f"{prefix}Jacobian {mode}mismatch for output {finding.output or 0} "
        f"with respect to input {finding.input or 0},"
    )
