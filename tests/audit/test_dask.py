"""An audit spread over a Dask cluster, of which a worker may be killed."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import contextmanager

import pytest

from secant._audit.conduct import audit
from secant._audit.plan import Plan

distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
PLANTED = "planted_catalogue:CATALOGUE"
PLAN = Plan(PLANTED, only=("sine*", "wrong", "twice", "undrawn"))


@contextmanager
def local_cluster(**settings):
    scheduler = {f"distributed.scheduler.{name}": value for name, value in settings.items()}
    with (
        dask.config.set(scheduler),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=2,
            processes=True,
            dashboard_address=None,
            silence_logs=50,
        ) as cluster,
    ):
        yield cluster


def told(suite):
    return [(case.name, case.outcome, case.refusal) for case in suite.cases]


def test_a_cluster_that_loses_a_worker_midway_gives_the_same_verdicts(gate):
    def kill(victim):
        while not gate.is_reached_by(victim):
            time.sleep(0.01)
        os.kill(victim, signal.SIGKILL)
        gate.open()

    with local_cluster() as cluster:
        killer = threading.Thread(target=kill, args=[cluster.workers[0].pid], daemon=True)
        killer.start()
        executor = cluster.scheduler_address.replace("tcp://", "dask://")
        spread = audit(PLAN, executor=executor).suite
    assert not killer.is_alive()
    assert told(spread) == told(audit(PLAN, workers=0).suite)


def test_an_operator_that_ends_every_worker_of_a_cluster_is_reported():
    # Dask blames a task for a single death, not for four: each costs the birth of a process.
    plan = Plan(PLANTED, only=("sine?", "falls"))
    with local_cluster(**{"allowed-failures": 0}) as cluster:
        executor = cluster.scheduler_address.replace("tcp://", "dask://")
        suite = audit(plan, executor=executor).suite
    refused = [case for case in suite.cases if case.outcome != "PASS"]
    assert [case.name for case in refused] == ["falls float64"]
    died = "its worker died, again and again, or did not return within 120 s"
    assert [case.refusal for case in refused] == [died]
    assert len(suite.cases) == 31


def test_a_scheduler_that_nobody_answers_for_is_refused(run, monkeypatch):
    monkeypatch.setattr("secant._audit.crews._ANSWER", 0.5)
    code, out, err = run(PLANTED, "--executor", "dask://127.0.0.1:1")
    assert (code, out) == (2, "")
    assert err == (
        "secant: expected `executor` to be dask:// and the address of a Dask scheduler; "
        "got 'dask://127.0.0.1:1'\n"
    )


def test_dask_that_is_not_installed_is_named(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    code, _, err = run(PLANTED, "--executor", "dask://127.0.0.1:1")
    assert code == 2
    assert 'Try: pip install "secant[dask]"' in err
