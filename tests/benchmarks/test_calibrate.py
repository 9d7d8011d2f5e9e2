"""Constants say where they come from, and another value of one changes verdicts where it should."""

from __future__ import annotations

import re
from pathlib import Path

import calibrate
from secant import _constants
from secant._judge import yardstick


def test_every_constant_is_derived_or_chosen() -> None:
    text = Path(_constants.__file__).read_text()
    names = re.findall(r"^([A-Z_]+) = ", text, flags=re.MULTILINE)
    told = re.findall(r"^([A-Z_]+) = .*# (?:derived|chosen): ", text, flags=re.MULTILINE)
    assert names == told
    assert set(calibrate.chosen()) < set(names)


def test_a_constant_is_another_one_everywhere_and_then_itself_again() -> None:
    before = _constants.KAPPA
    with calibrate.replaced("KAPPA", 2.0):
        held = _constants.KAPPA, yardstick.KAPPA
        assert held == (2 * before, 2 * before)
    held = _constants.KAPPA, yardstick.KAPPA
    assert held == (before, before)


def test_verdicts_follow_a_constant() -> None:
    panel = list(calibrate.questions(calibrate.CALIBRATION_SEED, 2))
    plain, blind = calibrate.counted(panel), calibrate.counted(panel, "KAPPA", 1e30)
    assert plain.asked == blind.asked == len(panel)
    assert plain.false == 0
    assert blind.false + blind.unclear > plain.unclear
