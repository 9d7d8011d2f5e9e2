"""The same of the fixture's verbs."""

from __future__ import annotations

from _secant_pytest.gradient import Gradient


def verbs(gradient: Gradient) -> None:
    gradient.check(abs, 1.0, probe="full", inconclusive="skip")
    gradient.compare(abs, abs, 1.0, limit=2.0, inconclusive="pass")
    gradient.localise(abs, 1.0, modes="forward", inconclusive="fail")
    gradient.check(abs, 1.0, prob="full")  # refused: call-arg
    gradient.check(abs, 1.0, inconclusive="xfail")  # refused: arg-type
    gradient.compare(abs, abs, 1.0, order=2)  # refused: call-arg
    gradient.localise(abs, 1.0, modes="both")  # refused: arg-type
