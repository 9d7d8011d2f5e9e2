"""pytest's door to secant; outside the package, so that pytest starts without importing secant.

Gives the `gradient` fixture, the `secant` mark, options, a summary and a report of all checks, and
answers other checkers' calls where that is asked for. This module and what it imports are all that
a run without a check loads.
"""

from __future__ import annotations

import pytest

from . import options
from .frames import show_frames
from .gradient import Gradient
from .recorder import Recorder

_MARK = (
    "secant(**settings): settings for the checks that a test makes through the `gradient` fixture; "
    'the closest mark wins, e.g. secant(probe="full", seed=3)'
)
_RECORDER = pytest.StashKey[Recorder]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what may be said about all checks of a run."""
    options.add(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Read the options, refuse bad ones, and listen to the run."""
    config.addinivalue_line("markers", _MARK)
    recorder = Recorder(config, options.read(config))
    config.stash[_RECORDER] = recorder
    config.pluginmanager.register(recorder, "secant-recorder")
    recorder.begin_answering()
    config.add_cleanup(recorder.end_answering)


def pytest_unconfigure() -> None:
    """Leave secant's modules as they were."""
    show_frames()


@pytest.fixture(scope="session")
def gradient(request: pytest.FixtureRequest) -> Gradient:
    """Check gradients: `gradient.check(fn, *inputs)` fails the test unless the verdict is PASS.

    Also `gradient.compare(kernel, reference, *inputs)` and `gradient.localise(module, *inputs)`.
    Settings come from the call, then the test's `secant` marks, the command line and the ini-file.
    It knows which test is running, so that it can serve a whole session, and Hypothesis's tests.
    """
    return Gradient(request.config.stash[_RECORDER])
