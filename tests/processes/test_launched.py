"""The command line and the fixture under torchrun: one report, the same exit code everywhere."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
import torch.distributed as dist

from processes.crew import pair
from secant import cli

LAYERS = """
import torch
import torch.distributed as dist


class Entering(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, cotangent):
        cotangent = cotangent.clone()
        dist.all_reduce(cotangent)
        return cotangent


def right(x, w):
    return Entering.apply(x) @ w


def wrong(x, w):
    return x @ w
"""
TESTS = """
import layers
import pytest
import torch
import torch.distributed as dist


@pytest.mark.secant(group="world", replicated="x", explain=False)
@pytest.mark.parametrize("name", ["right", "wrong"])
def test_it(gradient, name):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(3, 4, generator=generator)
    generator.manual_seed(1 + dist.get_rank())
    w = torch.randn(4, 2, generator=generator)
    gradient.check(getattr(layers, name), x, w)
"""


def run(group: Any, folder: str, module: str, words: tuple[str, ...]) -> tuple[int, str]:
    """Run a program in this process as torchrun would have started it: its exit code and output."""
    here = Path.cwd()
    os.environ.update(RANK=str(dist.get_rank(group)), WORLD_SIZE=str(dist.get_world_size(group)))
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # those of others take seconds
    os.chdir(folder)
    sys.path.insert(0, folder)
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            if module == "pytest":
                code = int(pytest.main(list(words)))
            else:
                code = cli.app(list(words), standalone_mode=False)
    except SystemExit as left:
        code = left.code
    finally:
        os.chdir(here)
        sys.path.remove(folder)
        for name in ("layers", "test_layers_on_two"):
            sys.modules.pop(name, None)
    return int(code or 0), said.getvalue()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "layers.py").write_text(LAYERS, encoding="utf-8")
    (tmp_path / "test_layers_on_two.py").write_text(TESTS, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(("name", "code"), [("right", 0), ("wrong", 1)])
def test_the_first_rank_of_a_command_reports_and_all_end_alike(folder, name, code):
    words = ("check", f"layers.py:{name}", "-i", "3x4", "-i", "4x2", "--group")
    words += ("--replicated", "x", "--report", "report.json", "--max-evaluations", "60")
    (first, said), *others = pair().ask(run, str(folder), "secant", words, size=2)
    assert first == code
    assert "of `" in said
    assert others == [(code, "")]
    document = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert document["verdict"] == ("FAIL" if code else "PASS")
    if code:
        assert "a reduction is missing" in said
        assert "--replicated x" in said


def test_the_fixture_writes_one_report_for_all_ranks(folder):
    words = ("-q", "-p", "no:cacheprovider", "-p", "_secant_pytest", "test_layers_on_two.py")
    words += ("--secant-report", "run.json")
    told = pair().ask(run, str(folder), "pytest", words, size=2)
    assert [code for code, _ in told] == [1, 1], told[0][1]
    written = ["secant: report written to run.json" in said for _, said in told]
    assert written == [True, False]
    for _, said in told:
        assert "secant: 2 checks: 1 FAIL, 1 PASS" in said


def test_a_group_needs_a_launcher(folder, capsys):
    with pytest.raises(SystemExit) as left:
        cli.app(["check", f"{folder}/layers.py:right", "-i", "3x4", "--group"])
    assert left.value.code == 2
    assert "expected --group under torchrun" in capsys.readouterr().err


def test_what_is_about_groups_needs_one(folder, capsys):
    with pytest.raises(SystemExit) as left:
        cli.app(["check", f"{folder}/layers.py:right", "-i", "3x4", "--replicated", "x"])
    assert left.value.code == 2
    assert "expected --group beside --replicated" in capsys.readouterr().err
