"""`--secant-gradcheck=replace`: every call is secant's, however a test came by the function."""

from __future__ import annotations

import importlib
import inspect
import sys

import pytest

torch = pytest.importorskip("torch")
from _secant_pytest.interception import Interception, originals  # noqa: E402

pytest_plugins = ["pytester"]

HELPER = """
    from torch.autograd import gradcheck as bound_elsewhere

    def by_default(function, inputs, check=bound_elsewhere):
        return check(function, inputs)
    """
TENSORS = """
    import functools, importlib, torch, secant.torch
    from torch.autograd import gradcheck, gradgradcheck
    from torch.testing._internal import common_utils
    from torch.testing._internal.common_utils import gradcheck as in_tests
    import helper
    from _secant_pytest.wrong_tensors import scaled_twice

    t = torch.linspace(0.1, 1, 3, dtype=torch.float64, requires_grad=True)

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.sin()

        @staticmethod
        def backward(ctx, g):
            return 1.05 * g * ctx.saved_tensors[0].cos()
    """
WAYS = """
    WAYS = {
        "name": gradcheck,
        "attribute": lambda *a: torch.autograd.gradcheck(*a),
        "module": importlib.import_module("torch.autograd.gradcheck").gradcheck,
        "torch's own tests": in_tests,
        "attribute of those": lambda *a: common_utils.gradcheck(*a),
        "partial": functools.partial(gradcheck, rtol=1e-3),
        "another module": helper.bound_elsewhere,
        "default": helper.by_default,
        "decorated": torch.sparse.as_sparse_gradcheck(gradcheck),
    }

    @pytest.mark.parametrize("way", WAYS)
    def test_way(way):
        assert WAYS[way](torch.sin, (t,)) is True
        with pytest.raises(secant.torch.GradcheckError, match="1.05 × measured"):
            WAYS[way](Wrong.apply, (t,))

    def test_bound_late():
        from torch.autograd import gradcheck as late
        with pytest.raises(secant.torch.GradcheckError):
            late(Wrong.apply, (t,))

    def test_second_order():
        assert gradgradcheck(torch.sin, t)
        with pytest.raises(secant.torch.GradcheckError):
            gradgradcheck(lambda x: scaled_twice(x, 1.05).sin(), t, torch.ones_like(t))

    def test_no_exception():
        assert gradcheck(Wrong.apply, (t,), raise_exception=False) is False

    def test_refused():
        with pytest.raises(ValueError, match="at least one input"):
            gradcheck(torch.sin, (t.detach(),))
    """


@pytest.fixture(autouse=True, scope="module")
def loaded():
    """What inner runs need is loaded before them, once, by the process that runs them."""
    for name in (
        "torch._dynamo",
        "torch.testing._internal.common_utils",
        "secant.torch",
        "_secant_pytest.wrong_tensors",
    ):
        importlib.import_module(name)


@pytest.fixture(autouse=True)
def helper(pytester):
    pytester.makepyfile(helper=HELPER)


def test_however_a_test_came_by_the_function_secant_answers(run):
    result = run(TENSORS + WAYS, "--secant-gradcheck=replace")
    result.assert_outcomes(passed=13)
    result.stdout.re_match_lines(
        [
            r"=+ secant-gradcheck=replace =+",
            r" +calls  passes  fails  raises  secant, s",
            r"torch.autograd.gradcheck +21 +9 +11 +1 +\d+\.\d\d",
            r"torch.autograd.gradgradcheck +2 +1 +1 +0 +\d+\.\d\d",
            r"in all +23 +10 +12 +1 +\d+\.\d\d",
        ]
    )


def test_a_framework_that_a_test_itself_loads_is_answered(run):
    body = """
        def test_it():
            import sys
            assert "torch" not in sys.modules
            import torch
            from torch.autograd import gradcheck
            assert gradcheck(torch.sin, torch.ones(2, dtype=torch.float64, requires_grad=True))
            assert type(vars(gradcheck)["__signature__"]).__name__ == "Signature"
            loader = sys.modules["torch.autograd.gradcheck"].__spec__.loader
            assert "exec_module" not in vars(loader)
        """
    result = run(body, "--secant-gradcheck=replace", apart=True)
    result.assert_outcomes(passed=1)
    result.stdout.re_match_lines([r"torch.autograd.gradcheck +1 +1 +0 +0 .*"])


def test_a_failure_shows_the_test_and_no_frame_of_the_plugin(run):
    result = run(
        TENSORS + "\n    def test_it(): gradcheck(Wrong.apply, (t,))", "--secant-gradcheck=replace"
    )
    result.assert_outcomes(failed=1)
    result.stdout.re_match_lines(
        [
            r">   def test_it\(\): gradcheck\(Wrong.apply, \(t,\)\)",
            r"E   secant.torch.GradcheckError: Jacobian mismatch for output 0 .*",
            r"test_it.py:\d+: GradcheckError",
        ]
    )
    result.stdout.no_fnmatch_line("*_secant_pytest*")


def test_after_a_run_the_functions_are_as_before(run):
    module = sys.modules["torch.autograd.gradcheck"]
    functions = [module.gradcheck, module.gradgradcheck]
    before = [(one.__code__, inspect.signature(one), dict(vars(one))) for one in functions]
    body = """
        import inspect, torch

        def test_it():
            parameters = inspect.signature(torch.autograd.gradcheck).parameters
            assert list(parameters)[:3] == ["func", "inputs", "eps"]
        """
    paths = list(sys.meta_path)
    run(body, "--secant-gradcheck=compare").assert_outcomes(passed=1)
    assert [(one.__code__, inspect.signature(one), dict(vars(one))) for one in functions] == before
    assert sys.meta_path == paths


def test_a_run_within_a_run_answers_its_own_calls_and_leaves_the_rest():
    heard = []

    def answering(who):
        return lambda check, original, arguments, keywords: heard.append((who, check.public))

    outer, inner = Interception(answering("outer")), Interception(answering("inner"))
    outer.open()
    inner.open()
    torch.autograd.gradcheck(torch.sin, ())
    inner.close()
    torch.autograd.gradgradcheck(torch.sin, ())
    with originals(), pytest.raises(ValueError, match="at least one input"):
        torch.autograd.gradcheck(torch.sin, ())
    outer.close()
    assert heard == [
        ("inner", "torch.autograd.gradcheck"),
        ("outer", "torch.autograd.gradgradcheck"),
    ]
    with pytest.raises(ValueError, match="at least one input"):
        torch.autograd.gradcheck(torch.sin, ())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--secant-gradcheck=yes"],
            "expected --secant-gradcheck to be one of off, replace, compare; got 'yes'",
        ),
        (
            ["--secant-gradcheck=compare", "--secant-sabotage=1"],
            "expected --secant-sabotage to be a factor other than 1, such as 1.05; got '1'",
        ),
        (
            ["--secant-gradcheck=replace", "--secant-sabotage=1.05"],
            "--secant-sabotage needs --secant-gradcheck=compare",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_before_any_test(run, arguments, words):
    result = run("def test_it(): raise KeyError", *arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {words}"])


def test_the_command_line_wins_over_the_ini_file(run, pytester):
    pytester.makeini("[pytest]\nsecant_gradcheck = replace")
    body = TENSORS + "\n    def test_it(): gradcheck(torch.sin, (t,))"
    run(body).stdout.fnmatch_lines(["secant: gradcheck replace", "*secant-gradcheck=replace*"])
    run(body, "--secant-gradcheck=off").stdout.no_fnmatch_line("*secant-gradcheck*")


def test_a_run_without_a_call_says_so(run):
    result = run("def test_it(): pass", "--secant-gradcheck=compare")
    result.stdout.fnmatch_lines(["*secant-gradcheck=compare*", "no check was called"])
