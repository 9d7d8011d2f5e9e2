"""What a run's checks came to: kept test by test, sent along with test reports, then summed up.

A test's checks travel in its own report, which xdist sends to the controller as soon as the test is
over: a worker that crashes loses the test that it was running, and no other.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shlex
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from . import settings as chosen
from .expected import wanted
from .frames import hide_frames, is_deliberate
from .hearing import Hearing
from .notes import trim_notes
from .options import Options, is_worker
from .tally import CheckOutcome, RunTally, outcome_of, short

if TYPE_CHECKING:
    from .answering import Heard
    from .calls import Call
    from .interception import Interception

_ATTRIBUTE = "secant_checks"
_CALLS = "secant_calls"
_IDLE = "secant_idle_mark"
_MOST_NAMED = 3
_FINE = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


class Recorder:
    """Listens to a run, and knows which test is running."""

    def __init__(self, config: pytest.Config, options: Options) -> None:
        self._options = options
        self._root = config.rootpath
        self._is_worker = is_worker(config)
        self._is_first = os.environ.get("RANK", "0") == "0"  # of those that torchrun has started
        self._item: pytest.Item | None = None
        self._kept: list[CheckOutcome] = []  # of the running test, since its last report
        self._calls: list[Mapping[str, Any]] = []  # likewise, of other checkers
        self._interception: Interception | None = None
        self._hearing = Hearing(self.keep)
        self._is_tolerant: bool | None = None  # what becomes of INCONCLUSIVE; None: no fixture
        self._here = config.invocation_params.dir
        self._idle: list[str] = []  # tests whose marks do nothing
        self._tally = RunTally()
        self._said: list[str] = []  # about the reports
        self._is_lost = False

    # -- what the fixture asks -------------------------------------------------------------------

    def settled(self, verb: str, own: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
        """Return a call's settings, and what becomes of the test if the numbers cannot tell."""
        settings, inconclusive = chosen.settled(verb, self._options, chosen.marked(self._item), own)
        is_page = any(path.suffix == ".html" for path in self._options.reports)
        if is_page and verb == "check":
            settings.setdefault("pictures", True)
        return settings, inconclusive

    @contextmanager
    def fixture(self, inconclusive: str) -> Iterator[None]:
        """Know that what is checked meanwhile is checked through the fixture."""
        self._is_tolerant = inconclusive != "fail"
        try:
            yield
        finally:
            self._is_tolerant = None

    @property
    def is_property(self) -> bool:
        """Whether the running test is one of Hypothesis's, which makes many checks of one kind."""
        return bool(getattr(getattr(self._item, "obj", None), "is_hypothesis_test", False))

    def rerun(self, verb: str, result: Any) -> str:
        """Return the command that runs the test again, every entry asked; empty outside of one."""
        if self._item is None:
            return ""
        path, *inside = self._item.nodeid.split("::")
        place = os.path.relpath(self._root / path, self._here).replace(os.sep, "/")
        words = ["pytest", shlex.quote("::".join([place, *inside]))]
        words += ["--secant-probe=full"] if verb != "compare" else []
        return " ".join([*words, f"--secant-seed={result.seed}"])

    # -- what secant tells -----------------------------------------------------------------------

    def keep(
        self,
        verb: str,
        result: Any,
        function: Callable[..., Any],
        inputs: Sequence[Any],
        settings: Mapping[str, Any],
    ) -> None:
        """Remember what a call gave, an exception where it was refused."""
        outcome = outcome_of(result)
        case = None
        if self._options.reports:
            from .cases import case_of

            told = result
            if self._is_tolerant is not None and outcome in ("FAIL", "INCONCLUSIVE"):
                told = dataclasses.replace(result, rerun=self.rerun(verb, result) or result.rerun)
            case = case_of(verb, told, function, inputs, settings)
        kept = CheckOutcome(
            outcome,
            *_spent(result),
            case=case,
            is_tolerated=bool(self._is_tolerant),
            cost=getattr(result, "cost", None),
        )
        if self.is_property and self._kept:
            kept = self._kept.pop().joined(kept)
        self._kept.append(kept)

    # -- what other checkers are asked -------------------------------------------------------------

    def begin_answering(self) -> None:
        """Answer calls of other checkers, where a run asks for that."""
        self._hearing.open()
        if self._options.gradcheck == "off":
            return
        from .answering import Answering
        from .interception import Interception

        options = self._options
        answering = Answering(options.gradcheck, options.sabotage, self._root, self.keep_call)
        self._interception = Interception(answering.answer)
        self._interception.open()

    def end_answering(self) -> None:
        """Leave them to themselves again."""
        self._hearing.close()
        if self._interception is not None:
            self._interception.close()

    def keep_call(self, call: Call, heard: Heard) -> None:
        """Remember what was said about a call."""
        fields = call.fields()
        if self._options.reports:
            from secant._report.json.writing import plain

            from .cases import case_of_call

            fields["case"] = plain(case_of_call(call, heard))
        fields["test"] = "while collecting" if self._item is None else self._item.nodeid
        self._calls.append(fields)

    # -- what pytest tells -----------------------------------------------------------------------

    def pytest_report_header(self) -> str | None:
        """Say which defaults a run has that it would not have by itself."""
        options = self._options
        chosen = dict(options.settings)
        if options.gradcheck != "off":
            chosen["gradcheck"] = options.gradcheck
        if options.sabotage is not None:
            chosen["sabotage"] = options.sabotage
        said = ", ".join(f"{name} {value}" for name, value in chosen.items())
        return f"secant: {said}" if said else None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Refuse bad marks before any test runs."""
        if self._is_worker:
            return
        for item in session.items:
            if words := chosen.trouble(item):
                raise pytest.UsageError(words)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Refuse them test by test in xdist's workers, which would crash while they collect."""
        if self._is_worker and (words := chosen.trouble(item)):
            pytest.fail(words, pytrace=False)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Remember which test is running."""
        self._item = item
        try:
            return (yield)
        finally:
            self._item = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Hide secant's frames, say a verdict in one line, and send the checks along."""
        deliberate = call.excinfo if is_deliberate(call.excinfo) else None
        if call.excinfo is not None:
            hide_frames()
        if deliberate is not None:
            trim_notes(deliberate.value)
        report = yield
        crash = getattr(report.longrepr, "reprcrash", None)
        result = getattr(deliberate and deliberate.value, "report", None)
        if crash is not None and result is not None:
            crash.message = short(result)
        if self._kept:
            kept = wanted(self._kept, report, getattr(deliberate, "value", None))
            setattr(report, _ATTRIBUTE, json.dumps([one.fields() for one in kept]))
            self._kept = []
        if call.when == "call" and self._item is not None and chosen.is_idle(self._item):
            setattr(report, _IDLE, True)
        if self._calls:
            setattr(report, _CALLS, json.dumps(self._calls))
            self._calls = []
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the checks out of a report, from this process or from a worker."""
        if self._is_worker:
            return
        if getattr(report, _IDLE, False):
            self._idle.append(report.nodeid)
        self._tally.add(_named(report), json.loads(getattr(report, _ATTRIBUTE, "[]")))
        self._tally.add_calls(json.loads(getattr(report, _CALLS, "[]")))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the report; a run whose report cannot be written does not end well."""
        is_run = session.exitstatus != pytest.ExitCode.USAGE_ERROR
        if self._is_worker or session.config.option.collectonly or not is_run:
            return
        if not self._is_first:
            return  # one report, written by the first
        for path in self._options.reports:
            self._write(path)
        if self._is_lost and session.exitstatus in _FINE:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _write(self, path: Path) -> None:
        from secant import SecantError

        try:
            self._tally.suite().save(path)
            place = os.path.relpath(path, self._here)
            self._said.append(f"secant: report written to {place}")
        except (OSError, SecantError) as error:
            self._said.append(f"secant: {path.name} could not be written: {error}")
            self._is_lost = True

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        """Leave when all processes of a group have written what they have to write."""
        processes = sys.modules.get("secant._backends.torch.processes.leaving")
        if processes is not None:
            processes.leave_together()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what other checkers' calls came to, in one line what the checks did, and where."""
        if self._options.gradcheck != "off" and not terminalreporter.config.option.collectonly:
            terminalreporter.section(f"secant-gradcheck={self._options.gradcheck}")
            for line in self._tally.table(self._options.sabotage):
                terminalreporter.write_line(line)
        line = self._tally.line()
        if line:
            terminalreporter.write_line(line)
        if self._idle:
            terminalreporter.write_line(_idle(self._idle), yellow=True)
        for said in self._said:
            terminalreporter.write_line(said, red=self._is_lost)


def _named(report: pytest.TestReport) -> str:
    """Return the name of a test, of a subtest with what it is about."""
    about = getattr(report, "context", None)
    message, values = getattr(about, "msg", None), getattr(about, "kwargs", {})
    said = [f"[{message}]"] if message is not None else []
    said += (
        [f"({', '.join(f'{name}={value}' for name, value in values.items())})"] if values else []
    )
    return " ".join([report.nodeid, *said])


def _idle(tests: Sequence[str]) -> str:
    named = ", ".join(tests[:_MOST_NAMED]) + (", …" if len(tests) > _MOST_NAMED else "")
    what = "the `secant` mark does nothing in a test that does not use the `gradient` fixture"
    return f"secant: {what}: {named}"


def _spent(result: Any) -> tuple[int, float]:
    """Return the evaluations and seconds of a result; what was refused cost nothing to speak of."""
    cost = getattr(result, "cost", None)
    return (0, 0.0) if cost is None else (cost.evaluations, cost.seconds)
