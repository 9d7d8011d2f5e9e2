"""Whatever is typed: a verdict, or exit code 2 and a sentence; never a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from malformed.documents import documents
from secant.cli import app

TARGET = """
import torch


def f(x, power=1, *, scale=1.0):
    return scale * x.sin() ** power


class Net(torch.nn.Module):
    def __init__(self, width=2):
        super().__init__()
        self.layer = torch.nn.Linear(width, 2)

    def forward(self, x):
        return self.layer(x)
"""
OPTIONS = (
    *("--input", "--input", "--input", "--kwarg", "--init", "--framework", "--device", "--seed"),
    *("--gradient", "--mode", "--order", "--probe", "--draws", "--laws", "--rtol", "--atol"),
    *(
        "--step",
        "--dtype",
        "--lift",
        "--max-evaluations",
        "--max-seconds",
        "--nondeterminism",
        "--memory",
        "--report",
    ),
)
WORDS = (
    *("", " ", ":", "=", "x", "-1", "0", "1", "2", "3x", "3x0", "x3", "2x2", "1e999", "nan", "inf"),
    *(
        "1e-400",
        "5e-324",
        "99999999999999999999",
        "3:float8",
        "3:int64",
        "3:complex64:spd",
        "3:0..0",
    ),
    *("3:normal(1,-1)", "[1, [2]]", "[]", "[[[[1]]]]", "['a']", "(__import__('os'))", "(", "((2)"),
    *("no.npz", "no.npz:w", "bad.npz", "bad.npy", "bad.pt", ".", "/", "\x00", "\x1b[2J", "\ud800"),
    *(
        "target:f",
        "target:Net",
        "target:nothing",
        "nothing:f",
        "a=1",
        "a=",
        "power=2",
        "scale=(",
        "x=2",
    ),
    *("**a", "*a", "lambda: 1", "f()", "true", "all", "full", "forward", "jax", "numpy", "cuda:99"),
    *(
        "meta",
        "float64",
        "float16",
        "complex128",
        "linearity,nothing",
        ",",
        "10s",
        "s",
        "1.5",
        "1_0",
    ),
    *("no/such/folder.json", "report.pdf", "∂", "١٢", "9" * 5000, "[" * 999, "1" + "x1" * 80),
)


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a target and with files that are none."""
    made, before, path = tmp_path_factory.mktemp("typed"), os.getcwd(), list(sys.path)
    (made / "target.py").write_text(TARGET, encoding="utf-8")
    for name in ("bad.npz", "bad.npy", "bad.pt"):
        (made / name).write_bytes(b"PK\x03\x04 no archive")
    for name, text in documents().items():
        (made / f"{name}.json").write_text(text, encoding="utf-8")
    os.chdir(made)
    yield made
    os.chdir(before)
    sys.path[:] = path
    sys.modules.pop("target", None)


def ends_well(arguments: list[str]) -> None:
    """Run a command; it must come to a verdict, or say in one sentence why it cannot."""
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code in (0, 1, 2, 3), arguments
    assert "Traceback" not in done.stderr, arguments
    if done.exit_code == 2:
        own = done.stderr.startswith("secant: ") and "\x1b" not in done.stderr
        assert own or done.stderr.startswith("Usage: "), (arguments, done.stderr)


@settings(max_examples=80)
@given(
    command=st.sampled_from(["check", "check", "localise"]),
    target=st.sampled_from(["target:f", "target:f", "target.py:f", "target:Net", *WORDS[:12]]),
    typed=st.lists(st.tuples(st.sampled_from(OPTIONS), st.sampled_from(WORDS)), max_size=3),
    has_input=st.booleans(),
)
def test_any_option_of_a_check_ends_well(command, target, typed, has_input):
    rest = [word for option, value in typed for word in (option, value)]
    if command == "localise":
        rest = [word for word in rest if word != "--gradient"]
    ends_well([command, target, *(["--input", "2x2"] if has_input else []), *rest])


@settings(max_examples=60)
@given(
    reference=st.sampled_from(["f", "target:f", *WORDS]),
    limit=st.sampled_from(["2", *WORDS]),
    dtype=st.sampled_from(["float32", *WORDS]),
)
def test_any_comparison_ends_well(reference, limit, dtype):
    ends_well(
        ["compare", "target:f", reference, "--input", "3", "--limit", limit, "--dtype", dtype]
    )


@settings(max_examples=60)
@given(
    command=st.sampled_from(["show", "diff", "demo", "version", "no such command", "--version"]),
    words=st.lists(
        st.sampled_from([*WORDS, "wrong.json", "suite.json", "--html", "--only"]), max_size=2
    ),
)
def test_any_other_command_ends_well(command, words):
    if command == "demo" and not words:
        words = ["--list"]
    ends_well([command, *words])


@settings(max_examples=40)
@given(
    option=st.sampled_from(
        ["--executor", "--workers", "--samples", "--dtype", "--only", "--state"]
    ),
    value=st.sampled_from(
        [*WORDS, "dask://", "dask://:", "dask://x:y", "dask://tcp://[", "tcp://x:1"]
    ),
)
def test_any_audit_ends_well(option, value):
    ends_well(["audit", "target:f", "--only", "nothing", "--workers", "0", option, value])


@pytest.mark.parametrize(
    "address",
    ["", ":", "x:y", "tcp://[", "nope://x:1", "127.0.0.1:99999999", "\x00", "∂:1", "tls://x"],
)
def test_an_odd_address_is_one_sentence(address, monkeypatch):
    monkeypatch.setattr("secant._audit.crews._ANSWER", 0.2)  # seconds
    done = CliRunner().invoke(app, ["audit", "target:f", "--executor", f"dask://{address}"])
    assert done.exit_code == 2
    assert done.stderr.startswith(
        "secant: expected `executor` to be dask:// and the address of a Dask scheduler; got "
    )
    assert done.stderr.count("\n") == 1
