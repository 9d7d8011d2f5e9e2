"""An audit spread over a Dask cluster, of which a worker may be killed."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import pytest

from secant._audit.conduct import audit
from secant._audit.plan import Plan

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
PLANTED = "planted_catalogue:CATALOGUE"
PLAN = Plan(PLANTED, only=("sine*", "wrong", "twice", "undrawn"))


@pytest.fixture
def cluster(monkeypatch):
    monkeypatch.setenv("PLANTED_PAUSE", "0.2")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=2, processes=True, dashboard_address=None, silence_logs=50
    ) as cluster:
        yield cluster


def told(suite):
    return [(case.name, case.outcome, case.refusal) for case in suite.cases]


def test_a_cluster_that_loses_a_worker_midway_gives_the_same_verdicts(cluster):
    executor = cluster.scheduler_address.replace("tcp://", "dask://")
    victim = cluster.workers[0].pid
    done = threading.Event()

    def kill():
        time.sleep(0.5)
        os.kill(victim, signal.SIGKILL)
        done.set()

    killer = threading.Thread(target=kill)
    killer.start()
    spread = audit(PLAN, executor=executor).suite
    assert done.is_set()
    killer.join()
    assert told(spread) == told(audit(PLAN, workers=0).suite)


def test_an_operator_that_kills_every_worker_of_a_cluster_is_reported(cluster):
    executor = cluster.scheduler_address.replace("tcp://", "dask://")
    suite = audit(Plan(PLANTED, only=("sine?", "falls")), executor=executor).suite
    refused = [case for case in suite.cases if case.outcome != "PASS"]
    assert [(case.name, case.refusal) for case in refused] == [
        ("falls float64", "its worker died, again and again")
    ]
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
