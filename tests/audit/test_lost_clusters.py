"""What is said when a cluster is lost, or is not all of one make."""

from __future__ import annotations

from concurrent.futures import Future
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from secant import EvaluationError, InputError, __version__
from secant._audit import ask, crews
from secant._audit.plan import Item, Plan

PLANTED = "planted_catalogue:CATALOGUE"


class Client:
    """A Dask client as far as the watch asks it."""

    def __init__(self, answer):
        self.answer = answer

    def nthreads(self):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


NOW = 1000.0  # seconds


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    monkeypatch.setattr(crews, "time", SimpleNamespace(monotonic=lambda: NOW))


def cluster(answer, silent_for=0.0):
    made = object.__new__(crews.Cluster)
    made._address = "tcp://10.0.0.1:8786"
    made._client = Client(answer)
    made._seen = NOW - silent_for
    return made


def test_a_scheduler_that_no_longer_answers_is_named():
    with pytest.raises(EvaluationError) as raised:
        cluster(OSError("connection closed")).watch()
    assert str(raised.value) == (
        "the Dask scheduler at tcp://10.0.0.1:8786 no longer answers; OSError: connection closed"
    )


def test_a_cluster_without_workers_is_waited_for_and_then_given_up():
    cluster({}, silent_for=30.0).watch()
    with pytest.raises(EvaluationError) as raised:
        cluster({}, silent_for=61.0).watch()
    assert str(raised.value) == (
        "the Dask cluster at tcp://10.0.0.1:8786 has had no worker for 60 s"
    )


def test_a_worker_that_comes_back_in_time_is_noticed():
    returning = cluster({"tcp://10.0.0.2:1": 1}, silent_for=61.0)
    returning.watch()
    assert returning._seen == NOW


def test_a_task_that_is_done_is_a_sign_of_a_worker():
    """A look finds no worker while the only one is born again; that says nothing of before."""
    busy = cluster({}, silent_for=61.0)
    busy._pool = SimpleNamespace(submit=lambda task: Future())
    flying = busy.submit(print)
    with pytest.raises(EvaluationError):
        busy.watch()
    flying.set_result(None)
    busy.watch()


def test_a_worker_of_other_versions_is_refused():
    plan = Plan(PLANTED)
    with pytest.raises(InputError) as raised:
        ask.ask(plan, ("secant 0.0.0",), nullcontext, Item("right", "float64"))
    expected = f"expected every worker to have secant 0.0.0; one has secant {__version__}, "
    assert str(raised.value).startswith(expected)
