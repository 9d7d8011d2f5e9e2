"""A sign of life on anything longer than two seconds, and none on anything shorter."""

from __future__ import annotations

import pytest

from secant._problem.problem import Tally
from secant._report import progress
from secant._report.progress import Progress, peak_memory


class Spinner:
    """Notes what is asked of it."""

    def __init__(self):
        self.said = []

    def start(self):
        self.said.append("start")

    def update(self, text):
        self.said.append(text)

    def stop(self):
        self.said.append("stop")


@pytest.fixture
def spinner(monkeypatch):
    one = Spinner()
    monkeypatch.setattr(progress, "_spinner", lambda: one)
    return one


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands until it is moved."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_nothing_is_shown_within_two_seconds(spinner, clock):
    with Progress("sin", Tally(), True) as one:
        clock[0] += 1.9
        one.tick(Tally(evaluations=5))
    assert spinner.said == []


def test_a_long_check_shows_its_evaluations_and_cleans_up(spinner, clock):
    with Progress("sin", Tally(evaluations=10), True) as one:
        clock[0] += 2.1
        one.tick(Tally(evaluations=5))
        one.tick(Tally(evaluations=6))
    assert list(map(str, spinner.said)) == [
        "start",
        "checking `sin`: 15 evaluations",
        "checking `sin`: 16 evaluations",
        "stop",
    ]


def test_the_spinner_stops_when_the_check_is_interrupted(spinner, clock):
    def interrupted():
        with Progress("sin", Tally(), True) as one:
            clock[0] += 2.1
            one.tick(Tally())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert spinner.said[-1] == "stop"


def test_nothing_is_shown_when_not_wanted(spinner, clock):
    with Progress("sin", Tally(), False) as one:
        clock[0] += 10
        one.tick(Tally())
    assert spinner.said == []


@pytest.mark.parametrize("is_terminal", [True, False])
def test_unless_told_otherwise_only_a_terminal_sees_it(spinner, clock, monkeypatch, is_terminal):
    monkeypatch.setattr(progress.sys.stderr, "isatty", lambda: is_terminal, raising=False)
    with Progress("sin", Tally(), None) as one:
        clock[0] += 10
        one.tick(Tally())
    assert bool(spinner.said) is is_terminal


def test_peak_memory_is_a_number_of_bytes():
    assert peak_memory() > 2**20
