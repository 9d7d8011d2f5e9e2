"""`--secant-gradcheck=compare`: both are asked, the original answers, and nobody notices secant."""

from __future__ import annotations

import importlib
import random
import sys
import warnings
from pathlib import Path
from textwrap import dedent

import pytest

torch = pytest.importorskip("torch")
for name in ("torch._dynamo", "_secant_pytest.wrong_tensors"):
    importlib.import_module(name)  # here, so that no inner run loads it
import numpy as np  # noqa: E402

import secant.torch  # noqa: E402
from _secant_pytest.answering import Answering, categories  # noqa: E402
from _secant_pytest.interception import Interception  # noqa: E402
from secant._report.suite import Suite  # noqa: E402

pytest_plugins = ["pytester"]

COMPARE = "--secant-gradcheck=compare"
SABOTAGE = "--secant-sabotage=1.05"
TENSORS = dedent("""
    import torch, secant.torch
    from torch.autograd import gradcheck, gradgradcheck

    t = torch.linspace(0.1, 1, 3, dtype=torch.float64, requires_grad=True)

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.sin()

        @staticmethod
        def backward(ctx, g):
            return 1.05 * g * ctx.saved_tensors[0].cos()
    """)
ONE = "def test_it(): assert gradcheck(torch.sin, (t,))"
BOTH_AGREE = """
    def test_right():
        assert gradcheck(torch.sin, (t,), check_forward_ad=True) is True
        assert gradgradcheck(torch.sin, (t,), check_fwd_over_rev=True) is True

    def test_wrong():
        with pytest.raises(RuntimeError, match="Jacobian mismatch") as info:
            gradcheck(Wrong.apply, (t,))
        assert type(info.value).__module__ == "torch.autograd.gradcheck"
        assert info.value.__context__ is None
        assert gradcheck(Wrong.apply, (t,), raise_exception=False) is False

    def test_raises():
        def broken(x):
            raise KeyError("mine")
        with pytest.raises(KeyError, match="mine"):
            gradcheck(broken, (t,))
        with pytest.raises(ValueError, match="at least one input"):
            gradcheck(torch.sin, (t.detach(),))
    """
STATEFUL = """
    import random
    log, cache, generator = [], {}, torch.Generator()
    count = 0

    def show(*values):
        print("STATE", *values)

    def test_it():
        torch.default_generator.manual_seed(1); np.random.seed(2); random.seed(3)
        calls = 0
        x = torch.rand(4, 3, dtype=torch.float64, requires_grad=True)
        x.grad = torch.ones_like(x)
        norm = torch.nn.BatchNorm1d(3).double()
        saved = (x * x).sum()
        kept = np.zeros(3)

        def function(x):
            global count
            nonlocal calls
            calls += 1
            count += 1
            log.append(calls)
            cache[calls] = log
            kept[0] += 1
            np.random.rand(), random.random(), torch.rand((), generator=generator)
            return norm(x).sin() + 0 * torch.rand(())

        assert gradcheck(function, (x,), atol=1e-3)
        show(calls, count, len(log), len(cache), kept.tolist())
        show(torch.rand(1).item(), torch.rand((), generator=generator).item())
        show(np.random.rand(), random.random())
        show(norm.running_mean.tolist(), norm.num_batches_tracked.item())
        show(x.grad.tolist(), x._version, x.tolist(), norm.weight.grad)
        saved.backward()
        show(x.grad.tolist())
    """


@pytest.fixture
def run(run):
    """Write a test file that has tensors and a wrong gradient at hand, and run it."""
    return lambda body, *arguments, **settings: run(TENSORS + dedent(body), *arguments, **settings)


def states(result):
    return [line.partition("STATE")[2] for line in result.outlines if "STATE" in line]


def test_both_are_asked_and_the_original_answers(run):
    result = run(BOTH_AGREE, COMPARE, SABOTAGE)
    result.assert_outcomes(passed=3)
    result.stdout.re_match_lines(
        [
            r"secant: gradcheck compare, sabotage 1.05",
            r" +calls  agreed  differ  original, s  secant, s",
            r"torch.autograd.gradcheck +5 +5 +0 +\d+\.\d\d +\d+\.\d\d",
            r"torch.autograd.gradgradcheck +1 +1 +0 +\d+\.\d\d +\d+\.\d\d",
            r"in all +6 +6 +0 +\d+\.\d\d +\d+\.\d\d",
            r"claims times 1.05, where both had passed, 2 calls: caught by both 2, "
            r"by the original alone 0, by secant alone 0, by neither 0",
        ]
    )
    result.stdout.no_fnmatch_line("disagreements:")


def test_all_that_a_function_changes_is_as_without_the_option(run):
    alone = states(run(STATEFUL, "-s"))
    assert len(alone) == 6
    assert states(run(STATEFUL, "-s", COMPARE, SABOTAGE)) == alone


def test_secant_sees_the_state_that_the_original_saw(run, monkeypatch):
    seen = []

    def fake(function, inputs, **settings):
        seen.append(function(*inputs).detach())
        return True

    monkeypatch.setattr(secant.torch, "gradcheck", fake)
    body = """
        seen, calls = [], 0

        def function(x):
            global calls
            calls += 1
            seen.append((calls, torch.rand(()).item()))
            return x * seen[-1][1]

        def test_it():
            torch.default_generator.manual_seed(5)
            gradcheck(function, (t,), raise_exception=False)
            print("STATE", seen[0][1])
        """
    told = states(run(body, COMPARE, "-s"))
    (output,) = seen
    assert told == [f" {output[2].item()}"]


@pytest.fixture
def comparing(tmp_path):
    """Compare calls in this process: gives what was kept of them."""
    kept = []
    interception = Interception(
        Answering("compare", None, tmp_path, lambda call, heard: kept.append(call)).answer
    )
    interception.open()
    yield kept
    interception.close()


def test_an_interrupt_leaves_what_the_original_left(comparing, monkeypatch):
    changed = torch.zeros(2, dtype=torch.float64)

    def interrupted(function, inputs):
        changed.add_(7)
        inputs[0].data.mul_(2)
        torch.rand(5)
        np.random.random()  # noqa: NPY002 the global generator is what is watched
        random.random()
        raise KeyboardInterrupt

    monkeypatch.setattr(secant.torch, "gradcheck", interrupted)
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    before = torch.get_rng_state(), np.random.get_state()[2], random.getstate()  # noqa: NPY002
    with pytest.raises(KeyboardInterrupt):
        torch.autograd.gradcheck(lambda x: x * 1 + changed, (x,))
    assert changed.tolist() == [0, 0]
    assert x.tolist() == [1, 1]
    after = torch.get_rng_state(), np.random.get_state()[2], random.getstate()  # noqa: NPY002
    assert torch.equal(before[0], after[0])
    assert before[1:] == after[1:]


def test_views_expanded_and_sparse_inputs_are_put_back(comparing, monkeypatch):
    def spoil(function, inputs, **settings):
        for one in inputs:
            (one._values() if one.is_sparse else one).data.zero_()
        return True

    monkeypatch.setattr(secant.torch, "gradcheck", spoil)
    base = torch.ones(2, 3, dtype=torch.float64)
    view = base.t().requires_grad_()
    sparse = torch.eye(2, dtype=torch.float64).to_sparse().requires_grad_()
    assert torch.autograd.gradcheck(
        lambda a, b: a.sum() + b.to_dense().sum(), (view, sparse), masked=True
    )
    assert base.min() == 1
    assert torch.equal(sparse.to_dense(), torch.eye(2, dtype=torch.float64))
    assert [call.is_agreed for call in comparing] == [True]


def test_a_disagreement_is_told_with_its_place_its_tests_and_its_reason(run, monkeypatch):
    def always_passes(function, inputs, **settings):
        if getattr(function, "__name__", "") == "odd":
            raise TypeError("no such thing\nand more")
        return True

    monkeypatch.setattr(secant.torch, "gradcheck", always_passes)
    body = """
        @pytest.mark.parametrize("number", range(3))
        def test_wrong(number):
            with pytest.raises(RuntimeError):
                gradcheck(Wrong.apply, (t,))

        def test_odd():
            def odd(x):
                return x * 2
            assert gradcheck(odd, (t,)) is True
        """
    result = run(body, COMPARE)
    result.assert_outcomes(passed=4)
    result.stdout.re_match_lines(
        [
            r"torch.autograd.gradcheck +4 +0 +4 .*",
            r"disagreements:",
            r"  test_it.py:\d+  gradcheck  test_it.py::test_wrong\[0\] and 2 more",
            r"    original fails, secant passes: GradcheckError: Jacobian mismatch for output 0 .*",
            r"  test_it.py:\d+  gradcheck  test_it.py::test_odd",
            r"    original passes, secant raises: TypeError: no such thing; and more",
        ]
    )


def test_a_gradient_that_secant_alone_calls_wrong_is_told_in_its_words(run, monkeypatch):
    def too_strict(function, inputs, **settings):
        report = secant.check(function, *inputs, pull=lambda x, v: 1.05 * x.cos() * v)
        raise secant.torch.GradcheckError(f"Jacobian mismatch\n\n{report}", report)

    monkeypatch.setattr(secant.torch, "gradcheck", too_strict)
    result = run(ONE, COMPARE)
    result.assert_outcomes(passed=1)
    result.stdout.re_match_lines(
        [r"    original passes, secant fails: .*claimed = 1.05 × measured.*"]
    )


def test_numbers_that_cannot_tell_are_an_agreement_with_a_remark(run, monkeypatch):
    def undecided(function, inputs, **settings):
        warnings.warn("\nINCONCLUSIVE  because\n  of noise", categories()[0], stacklevel=2)
        return True

    monkeypatch.setattr(secant.torch, "gradcheck", undecided)
    result = run(ONE, COMPARE, "-W", "error")
    result.assert_outcomes(passed=1, warnings=0)
    result.stdout.re_match_lines(
        [
            r"torch.autograd.gradcheck +1 +1 +0 .*",
            r"undecided by secant, .*:",
            r"  test_it.py:\d+  gradcheck  test_it.py::test_it",
            r"    INCONCLUSIVE because; of noise",
        ]
    )


def test_warnings_of_the_function_are_heard_once(run):
    body = """
        import warnings

        def test_it():
            def function(x):
                warnings.warn("mine", stacklevel=1)
                return x.sin()
            with pytest.warns(UserWarning) as heard:
                gradcheck(function, (t,))
            print("STATE", len(heard))
        """
    alone = states(run(body, "-s"))
    assert states(run(body, "-s", COMPARE)) == alone


def test_a_skip_inside_of_a_function_skips(run, monkeypatch):
    monkeypatch.setattr(secant.torch, "gradcheck", None)  # never asked
    body = "def test_it(): gradcheck(lambda x: pytest.skip('no'), (t,))"
    run(body, COMPARE).assert_outcomes(skipped=1)


@pytest.mark.parametrize(
    ("line", "caught"),
    [
        ("gradcheck(torch.sin, (t,))", "both"),
        ("gradcheck(torch.sin, (t,), check_forward_ad=True, check_backward_ad=False)", "both"),
        ("gradcheck(torch.sin, (t,), check_batched_grad=True, fast_mode=True)", "both"),
        ("gradcheck(lambda x: [x.sin(), x.long()], (t,))", "both"),
        ("gradcheck(lambda x: torch.view_as_complex(x.expand(2, 2)), (t[:2],))", "both"),
        ("gradcheck(lambda x: x.round(), (t,))", "neither"),
        ("gradgradcheck(torch.sin, (t,))", "both"),
        ("gradgradcheck(torch.sin, (t,), check_batched_grad=True)", "both"),
        (
            "gradgradcheck(torch.sin, (t,), check_fwd_over_rev=True, check_rev_over_rev=False, "
            "check_undefined_grad=False)",
            "both",
        ),
    ],
)
def test_claims_made_too_large_are_noticed(comparing_wrong, line, caught):
    names = {"torch": torch, "gradcheck": torch.autograd.gradcheck}
    names["gradgradcheck"] = torch.autograd.gradgradcheck
    names["t"] = torch.linspace(0.1, 1, 3, dtype=torch.float64, requires_grad=True)
    assert eval(line, names)
    (call,) = comparing_wrong
    assert call.is_agreed
    assert call.sabotage.caught == caught


@pytest.fixture
def comparing_wrong(tmp_path):
    """Compare calls in this process, with claims made too large as well."""
    kept = []
    interception = Interception(
        Answering("compare", 1.05, tmp_path, lambda call, heard: kept.append(call)).answer
    )
    interception.open()
    yield kept
    interception.close()


def test_who_alone_noticed_is_told(run, monkeypatch):
    monkeypatch.setattr(secant.torch, "gradcheck", lambda function, inputs: True)
    result = run(ONE, COMPARE, SABOTAGE)
    result.stdout.re_match_lines(
        [
            r"claims times 1.05, .* by the original alone 1, by secant alone 0, by neither 0",
            r"caught by original alone:",
            r"  test_it.py:\d+  gradcheck  test_it.py::test_it",
            r"    GradcheckError: Jacobian mismatch for output 0 .* / the other passes",
        ]
    )


def test_the_place_is_the_test_s_line_however_deep_the_wrapper(comparing):
    sparse = torch.sparse.as_sparse_gradcheck(torch.autograd.gradcheck)
    sparse(torch.sin, torch.ones(2, dtype=torch.float64, requires_grad=True))
    (call,) = comparing
    line = sys._getframe().f_lineno - 2
    assert call.place.endswith(f"{Path(__file__).name}:{line}")


def test_the_report_holds_every_call_with_both_answers(run, pytester, monkeypatch):
    body = """
        def test_right():
            assert gradcheck(torch.sin, (t,))

        def test_wrong():
            with pytest.raises(RuntimeError):
                gradcheck(Wrong.apply, (t,))
        """
    run(body, COMPARE, SABOTAGE, "--secant-report=out.json").assert_outcomes(passed=2)
    right, wrong = Suite.from_json((pytester.path / "out.json").read_text("utf-8")).cases
    assert (right.name, right.outcome) == ("test_it.py::test_right", "PASS")
    place = right.labels["place"]
    assert place.startswith("test_it.py:")
    assert right.labels == {
        "file": "test_it.py",
        "check": "torch.autograd.gradcheck",
        "place": place,
        "original": "passes",
        "secant": "passes",
        "caught": "both",
    }
    assert (wrong.outcome, wrong.labels["original"], wrong.labels["secant"]) == (
        "PASS",  # they agree
        "fails",
        "fails",
    )
    assert "1.05 × measured" in wrong.report.findings[0].message
    monkeypatch.setattr(secant.torch, "gradcheck", lambda function, inputs: True)
    run(body, COMPARE, "--secant-report=out.txt")
    text = (pytester.path / "out.txt").read_text("utf-8")
    assert text.startswith("FAIL  pytest: 1 FAIL, 1 PASS; ")
    assert "FAIL  test_it.py::test_wrong  test_it.py:" in text


def test_the_report_of_answers_holds_secant_s_own(run, pytester):
    body = """
        def test_it():
            assert gradcheck(torch.sin, (t,))
            with pytest.raises(RuntimeError):
                gradcheck(Wrong.apply, (t,))
            with pytest.raises(ValueError):
                gradcheck(torch.sin, (t.detach(),))
        """
    run(body, "--secant-gradcheck=replace", "--secant-report=out.json")
    cases = Suite.from_json((pytester.path / "out.json").read_text("utf-8")).cases
    assert [(case.name, case.outcome) for case in cases] == [
        ("test_it.py::test_it (1)", "PASS"),
        ("test_it.py::test_it (2)", "FAIL"),
        ("test_it.py::test_it (3)", "REFUSED"),
    ]
    assert "1.05 × measured" in str(cases[1].report)
    assert "at least one input" in cases[2].refusal


def test_workers_send_their_calls_and_one_table_is_told(run, pytester):
    body = """
        @pytest.mark.parametrize("number", range(4))
        def test_many(number):
            assert gradcheck(torch.sin, (t,))
            with pytest.raises(RuntimeError):
                gradcheck(Wrong.apply, (t,))
        """
    workers = ("-n", "1", "-p", "xdist")  # several of them: test_workers.py
    result = run(body, COMPARE, SABOTAGE, *workers, "--secant-report=out.json", apart=True)
    result.assert_outcomes(passed=4)
    rows = [line for line in result.outlines if line.startswith("torch.autograd.gradcheck ")]
    assert [row.split()[1:4] for row in rows] == [["8", "8", "0"]]
    assert sum("caught by both 4, " in line for line in result.outlines) == 1
    assert len(Suite.from_json((pytester.path / "out.json").read_text("utf-8")).cases) == 8
