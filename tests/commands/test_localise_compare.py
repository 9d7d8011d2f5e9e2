"""`secant localise` and `secant compare`: the same words as `secant check`, other verbs."""

from __future__ import annotations

import json

import pytest

KERNELS = """
import torch


class Sine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx, grad):
        return 2 * ctx.saved_tensors[0].cos() * grad


class Wave(torch.nn.Module):
    def forward(self, x):
        return Sine.apply(x)


class Net(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer, self.wave = torch.nn.Linear(width, 2), Wave()

    def forward(self, x, scale=1.0):
        return self.wave(self.layer(x)) * scale


def fused(x, *, scale=1.0):
    return Sine.apply(x) * scale


def plain(x, *, scale=1.0):
    return x.sin() * scale
"""


@pytest.fixture(autouse=True)
def net(folder):
    (folder / "waves.py").write_text(KERNELS, encoding="utf-8")


def test_localise_names_the_rule_to_blame_and_how_to_ask_again(run):
    code, out, err = run("localise", "waves:Net", "--init", "3", "--input", "4x3")
    assert (code, err) == (1, "")
    assert out.startswith("FAIL  `Net`, 4 calls checked one by one\n")
    assert "to blame  the rule `Sine`, called in `wave` (Wave)" in out
    assert "rerun     secant localise waves:Net --input 4x3 --init 3 --seed 1729" in out


def test_localise_passes_what_is_right_and_takes_keywords(run):
    code, out, _ = run(
        "localise", "kernels:Net", "--init", "3", "--input", "2x3", "--kwarg", "scale=2"
    )
    assert code == 0
    assert out.startswith("PASS  `Net`")


def test_compare_holds_a_kernel_against_a_reference_beside_it(run):
    words = ("compare", "waves:fused", "plain", "--input", "4x3", "--dtype", "bfloat16")
    code, out, err = run(*words, "--kwarg", "scale=2.0")
    assert (code, err) == (1, "")
    assert out.startswith("FAIL  output and gradient of `fused` against `plain`, bfloat16\n")
    assert (
        "rerun   secant compare waves:fused plain --input 4x3 --kwarg scale=2.0 --dtype bfloat16 "
        "--seed 1729" in out
    )
    assert run(*words, "--no-gradients")[0] == 0


@pytest.mark.parametrize(
    "command", [("localise", "waves:Net"), ("compare", "waves:fused", "plain")]
)
def test_both_write_json_and_files(run, folder, command):
    init = ("--init", "3") if command[0] == "localise" else ("--dtype", "float32")
    code, out, _ = run(*command, *init, "--input", "2x3", "--json", "--report", "a.json")
    assert code == 1
    assert json.loads(out) == json.loads((folder / "a.json").read_text(encoding="utf-8"))
    assert json.loads(out)["rerun"].startswith(f"secant {command[0]} waves:")
    assert run("show", "a.json")[0] == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["localise", "waves:fused", "--input", "3"],
            "expected a module to take apart; got function. secant.check takes any function",
        ),
        (
            ["localise", "waves:Net", "--init", "3", "--input", "3", "--probe", "slow"],
            "expected `probe` to be one of auto, fast, full; got 'slow'",
        ),
        (
            ["compare", "waves:fused", "plan", "--input", "3"],
            "waves has no 'plan'. Did you mean plain?",
        ),
        (
            ["compare", "waves:fused", "plain", "--input", "3", "--limit", "0"],
            "expected `limit` to be a finite number of at least 1; got 0.0",
        ),
        (
            ["compare", "waves:fused", "plain", "--input", "3", "--report", "a.pdf"],
            "expected `report` to be a file name that ends in .html, .json or .txt; got 'a.pdf'",
        ),
    ],
)
def test_what_cannot_be_asked_is_one_sentence(refused, words, said):
    assert refused(*words) == said


@pytest.mark.parametrize(
    "command", ["check", "localise", "compare", "audit", "show", "diff", "demo"]
)
def test_every_command_has_a_short_help_with_its_exit_codes(run, command):
    code, out, _ = run(command, "-h")
    assert code == 0
    codes = " ".join(out.split()).partition("Exit codes: ")[2]
    worse = "0 nothing got worse, 1 something did, 2 the question cannot be asked."
    verdicts = "0 pass, 1 fail, 2 the question cannot be asked, 3 inconclusive."
    assert codes.startswith(worse if command == "diff" else verdicts)


def test_the_version_is_an_option_too(run):
    assert run("--version") == run("version")
    assert run("--version")[0] == 0
    assert run("-h")[0] == 0
