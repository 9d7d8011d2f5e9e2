"""The command line in a process of its own: interrupts, readers that leave, missing frameworks."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest

MAIN = "from secant.cli import main; main()"


def start(*arguments, before="", **more):
    """Start the command line; -P keeps the folder from being importable by Python's own doing."""
    command = [sys.executable, "-P", "-W", "error", "-c", f"import sys; {before}\n{MAIN}"]
    return subprocess.Popen(
        [*command, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        **more,
    )


def finish(process):
    out, err = process.communicate()
    return process.returncode, out, err


@pytest.mark.usefixtures("folder")
def test_the_current_folder_is_importable():
    words = ("fit:energy", "--gradient", "wrong", "--input", "3:0.1..2")
    code, out, err = finish(start("check", *words, "--json"))
    assert (code, err) == (1, "")
    assert json.loads(out)["rerun"].startswith("secant check fit:energy --input 3:0.1..2")


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")
def test_ctrl_c_ends_a_check_without_a_traceback(folder):
    (folder / "slow.py").write_text(
        "import sys\nimport time\nimport torch\n\n\ndef f(x):\n"
        "    print('begun', file=sys.stderr, flush=True)\n    while True:\n        time.sleep(60)\n"
    )
    # a shell's background job ignores the signal, and its children do
    heeding = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    process = start("check", "slow:f", "--input", "3", before=heeding)
    assert process.stderr.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    assert finish(process) == (130, "", "secant: interrupted\n")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes are POSIX's")
@pytest.mark.parametrize("form", [[], ["--json"]])
@pytest.mark.usefixtures("folder")
def test_a_reader_that_leaves_changes_no_exit_code(form):
    words = ("fit:energy", "--gradient", "slope", "--input", "20:0.1..2")
    process = start("check", *words, *form)
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait() == 0
    process.stderr.close()


@pytest.mark.usefixtures("folder")
def test_a_framework_that_is_missing_is_named_with_its_extra():
    process = start(
        "check", "fit:energy", "--input", "3", "--framework", "jax",
        before="sys.modules['jax'] = None",
    )  # fmt: skip
    code, out, err = finish(process)
    assert (code, out) == (2, "")
    assert err == (
        "secant: expected jax to be installed; it cannot be imported (import of jax halted; None "
        'in sys.modules). Try: pip install "secant[jax]"\n'
    )


@pytest.mark.usefixtures("folder")
def test_numpy_is_checked_without_any_framework():
    hidden = "sys.modules['torch'] = None; sys.modules['jax'] = None"
    arguments = ("check", "fit:energy", "--gradient", "slope", "--input", "3:0.1..2")
    code, out, err = finish(start(*arguments, before=hidden))
    assert (code, err) == (0, "")
    assert out.startswith("PASS  given gradient of `energy`")
