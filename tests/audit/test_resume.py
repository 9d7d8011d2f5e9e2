"""An audit that was interrupted goes on where it stopped; another audit's file is refused."""

from __future__ import annotations

import signal
import time

import pytest

PLANTED = "planted_catalogue:CATALOGUE"
ASKED = (PLANTED, "--only", "sine*", "--only", "wrong", "--samples", "1")


def operators(state):
    return [line for line in state.read_text(encoding="utf-8").splitlines()[1:] if line]


@pytest.fixture
def finished(run, tmp_path):
    """The state of a whole run, and what it printed."""
    state = tmp_path / "audit.jsonl"
    code, out, _ = run(*ASKED, "--workers", "0", "--state", state)
    assert code == 1
    return state, out


def headline(out):
    return out.splitlines()[0].partition(";")[0]


def test_a_finished_audit_is_not_asked_again(run, finished, monkeypatch):
    state, out = finished
    content = state.read_bytes()
    monkeypatch.setattr("secant._audit.ask._judge", None)  # would raise
    code, again, err = run(*ASKED, "--workers", "0", "--state", state)
    assert (code, headline(again)) == (1, headline(out))
    assert state.read_bytes() == content
    assert err == "secant: 13 of 13 operators are known already\n"


def test_an_audit_goes_on_after_its_last_whole_line(run, finished):
    state, out = finished
    content = state.read_bytes()
    lines = content.splitlines(keepends=True)
    state.write_bytes(b"".join(lines[:5]) + lines[5][:40])  # cut short within a line
    code, again, err = run(*ASKED, "--workers", "0", "--state", state)
    assert (code, headline(again)) == (1, headline(out))
    assert err == "secant: 4 of 13 operators are known already\n"
    assert len(operators(state)) == 13
    assert [line.split('"report"')[0] for line in operators(state)] == [
        line.decode().split('"report"')[0] for line in lines[1:]
    ]


def test_a_file_that_was_cut_within_its_header_begins_anew(run, finished):
    state, _ = finished
    state.write_bytes(state.read_bytes()[:30])
    run(*ASKED, "--workers", "0", "--state", state)
    assert len(operators(state)) == 13


@pytest.mark.parametrize("content", [b"my notes", b"my notes\nmore of them\n", b"{}\n", b'{"kind"'])
def test_a_file_that_is_no_audits_is_refused_and_left_alone(run, tmp_path, content):
    state = tmp_path / "notes.txt"
    state.write_bytes(content)
    code, out, err = run(*ASKED, "--workers", "0", "--state", state)
    assert code == 2
    assert "expected notes.txt to be the state of an audit" in out + err
    assert state.read_bytes() == content


def test_a_state_grows_with_the_selection(run, finished):
    state, _ = finished
    _, _, err = run(
        PLANTED,
        "--samples",
        "1",
        "--only",
        "sine*",
        "--only",
        "twice",
        "--workers",
        "0",
        "--state",
        state,
    )
    assert err == "secant: 12 of 13 operators are known already\n"


def wait_until(is_so, process):
    """Wait for what a process does, however long it takes."""
    while not is_so():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


def test_an_interrupted_process_goes_on_where_it_stopped(start, run, gate, tmp_path):
    state = tmp_path / "audit.jsonl"
    process = start(*ASKED, "--workers", "1", "--state", state)
    wait_until(lambda: state.exists() and state.read_bytes().count(b"\n") == 3, process)
    wait_until(gate.is_reached, process)
    process.send_signal(signal.SIGINT)
    gate.open()
    out, err = process.communicate()
    assert (process.returncode, out) == (130, "")
    assert "interrupted" in err
    assert "Traceback" not in err
    before = len(operators(state))
    assert 2 <= before < 13
    code, out, err = run(*ASKED, "--workers", "0", "--state", state)
    assert code == 1
    assert "1 FAIL, 12 PASS" in out
    assert err == f"secant: {before} of 13 operators are known already\n"


def test_a_killed_process_leaves_no_worker_behind(start, gate):
    process = start(*ASKED, "--workers", "1")
    wait_until(gate.is_reached, process)
    process.kill()
    # Workers hold the pipe's other end: it closes when the last of them is gone.
    process.communicate()


@pytest.mark.parametrize(
    ("arguments", "told", "asked"),
    [
        (["--seed", "2"], "seed 1729", "seed 2"),
        (["--probe", "full", "--order", "2"], "probe auto, order 1", "probe full, order 2"),
    ],
)
def test_a_state_of_other_settings_is_refused(run, finished, arguments, told, asked):
    state, _ = finished
    code, out, err = run(*ASKED, "--workers", "0", "--state", state, *arguments)
    assert (code, out) == (2, "")
    assert err == (
        f"secant: expected audit.jsonl to be of this audit; it is of one with {told}, and now "
        f"{asked} is asked for. Give another file, or delete this one\n"
    )


def test_a_state_of_another_version_is_refused(run, finished, monkeypatch):
    state, _ = finished
    monkeypatch.setenv("PLANTED_VERSION", "2")
    code, _, err = run(*ASKED, "--workers", "0", "--state", state)
    assert code == 2
    assert "it is of one with planted 1, and now planted 2 is asked for" in err


@pytest.mark.parametrize("content", ['{"kind": "suite", "format": 3}\n', "no json\n", "[]\n"])
def test_a_file_that_is_no_state_is_refused_and_kept(run, tmp_path, content):
    state = tmp_path / "other.json"
    state.write_text(content, encoding="utf-8")
    code, _, err = run(*ASKED, "--workers", "0", "--state", state)
    assert code == 2
    assert err.startswith("secant: expected other.json to be the state of an audit; ")
    assert state.read_text(encoding="utf-8") == content


def test_a_state_that_cannot_be_written_is_refused(run, tmp_path):
    code, _, err = run(*ASKED, "--workers", "0", "--state", tmp_path)
    assert code == 2
    assert err.startswith("secant: expected `state` to be a file that can be written; ")
