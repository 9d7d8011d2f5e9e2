"""secant verifies gradients: it measures what a function does, with error bars, and judges claims.

>>> import torch, secant
>>> report = secant.check(torch.sin, torch.linspace(0, 1, 5, dtype=torch.float64))
>>> report.verdict.name
'PASS'
"""

from ._entry import assert_gradient, check, check_many, compare, localise
from ._errors import (
    EvaluationError,
    FunctionRaised,
    GradientError,
    GradientInconclusive,
    GradientMismatch,
    InputError,
    NotFinite,
    NothingReturned,
    OutputChanged,
    SecantError,
    Undecided,
    UnsupportedOutput,
)
from ._findings import Curve, Entry, Finding, Verdict
from ._measure.estimate import Estimate
from ._report.comparison import ComparedEntry, ComparedError, Comparison, ComparisonRow
from ._report.localisation import Localisation, LocalisedCall
from ._report.model import Cost, Jacobian, Report
from ._report.suite import Case, Suite
from ._version import __version__
from ._words.reason import Reason

__all__ = [
    "Case",
    "ComparedEntry",
    "Comparison",
    "ComparisonRow",
    "Cost",
    "Curve",
    "Entry",
    "Estimate",
    "EvaluationError",
    "Finding",
    "FunctionRaised",
    "GradientError",
    "GradientInconclusive",
    "GradientMismatch",
    "ComparedError",
    "InputError",
    "Jacobian",
    "Localisation",
    "LocalisedCall",
    "NotFinite",
    "NothingReturned",
    "OutputChanged",
    "Reason",
    "Report",
    "SecantError",
    "Suite",
    "Undecided",
    "UnsupportedOutput",
    "Verdict",
    "__version__",
    "assert_gradient",
    "check",
    "check_many",
    "compare",
    "localise",
]
