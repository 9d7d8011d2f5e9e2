"""The `gradient` fixture: returns on PASS, fails the test otherwise, and says why on a screen."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]


def test_a_right_gradient_passes_and_gives_its_report(run):
    result = run(
        """
        def test_sine(gradient):
            report = gradient.check(np.sin, x, pull=right)
            assert isinstance(report, secant.Report) and report
        """
    )
    result.assert_outcomes(passed=1)


def test_a_wrong_gradient_fails_with_the_message_of_the_report(run):
    result = run(
        """
        def test_sine(gradient):
            gradient.check(np.sin, x, pull=wrong)
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            ">       gradient.check(np.sin, x, pull=wrong)",
            "E       secant*GradientMismatch: ",
            "E       FAIL  given pull of `sin`",
            "E         where     ∂out[[]0] / ∂x[[]0]*",
            "E         likely    claimed = 1.05 × measured in every probe: *",
            "E         rerun     pytest test_it.py::test_sine --secant-probe=full *",
            "test_it.py:*: GradientMismatch",
        ],
        consecutive=False,
    )


def test_the_whole_failure_fits_on_one_screen(run):
    result = run(
        """
        def test_sine(gradient):
            gradient.check(np.sin, np.linspace(0, 1, 40), pull=wrong)
        """
    )
    lines = result.stdout.lines
    first = next(k for k, line in enumerate(lines) if "FAILURES" in line)
    last = next(k for k, line in enumerate(lines) if "short test summary" in line)
    assert last - first < 30


def test_the_exception_is_that_of_assert_gradient(run):
    result = run(
        """
        def test_sine(gradient):
            with pytest.raises(secant.GradientMismatch, match="1.05") as caught:
                gradient.check(np.sin, x, pull=wrong)
            assert not caught.value.report
            with pytest.raises(secant.GradientInconclusive):
                gradient.check(unclear, x, pull=unclear_pull)
        """
    )
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("said", "outcomes"),
    [("fail", {"failed": 1}), ("skip", {"skipped": 1}), ("pass", {"passed": 1})],
)
def test_what_cannot_be_told_fails_skips_or_passes(run, said, outcomes):
    body = """
        def test_unclear(gradient):
            report = gradient.check(unclear, x, pull=unclear_pull)
            assert not report
        """
    result = run(body, f"--secant-inconclusive={said}", "-rs")
    result.assert_outcomes(**outcomes)
    result.stdout.fnmatch_lines(["secant: 1 check: 1 INCONCLUSIVE; *"])
    if said == "skip":
        result.stdout.fnmatch_lines(["SKIPPED *INCONCLUSIVE  given pull of `unclear`"])


def test_what_cannot_be_told_fails_unless_told_otherwise(run):
    result = run("def test_it(gradient): gradient.check(unclear, x, pull=unclear_pull)")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E*GradientInconclusive*", "E*INCONCLUSIVE  given pull of*"])


def test_a_call_decides_for_itself_what_becomes_of_it(run):
    result = run(
        """
        def test_it(gradient):
            assert not gradient.check(unclear, x, pull=unclear_pull, inconclusive="pass")
            with pytest.raises(secant.InputError) as caught:
                gradient.check(np.sin, x, pull=right, inconclusive="ignore")
            words = "expected `inconclusive` to be one of fail, skip, pass, assume; got 'ignore'"
            assert str(caught.value) == words
        """
    )
    result.assert_outcomes(passed=1)


def test_a_refusal_is_raised_as_it_is(run):
    result = run("def test_it(gradient): gradient.check(np.sin, x, pull=right, probe='slow')")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "E*InputError: expected `probe` to be one of auto, fast, full; got 'slow'",
            "secant: 1 check: 1 REFUSED; 0 evaluations, 0 s",
        ]
    )


def test_comparisons_have_the_same_conduct(run):
    body = """
        def kernel(x):
            return np.sin(x)

        def off(x):
            return np.sin(x) * np.float32(1.001)

        def pull(x, v):
            return np.cos(x) * v

        @pytest.mark.parametrize("function", [kernel, off])
        def test_kernel(gradient, function):
            compared = gradient.compare(
                function, kernel, x.astype("float32"), pull=pull, reference_pull=pull
            )
            assert isinstance(compared, secant.Comparison) and compared
        """
    # what is said for every check of a run goes to the verbs that know it
    result = run(body, "--secant-probe=full", "--secant-max-evaluations=1000", "--secant-seed=5")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "E       FAIL  output and gradient of `off` against `kernel`, float32",
            "secant: 2 checks: 1 FAIL, 1 PASS; *",
        ]
    )


def test_modules_are_taken_apart_with_the_same_conduct(run):
    pytest.importorskip("torch")
    body = """
        import torch
        from planted import scaled_sine

        class Layer(torch.nn.Module):
            def forward(self, x):
                return scaled_sine(self.factor)(x)

        @pytest.mark.parametrize("factor", [1.0, 1.05])
        def test_network(gradient, factor):
            layer = Layer()
            layer.factor = factor
            network = torch.nn.Sequential(torch.nn.Linear(3, 2), layer).double()
            taken = gradient.localise(network, torch.ones(3, dtype=torch.float64))
            assert isinstance(taken, secant.Localisation) and taken
        """
    result = run(body, "--secant-report=out.json")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "E*to blame  `1` (Layer): it fails by itself",
            "secant: 2 checks: 1 FAIL, 1 PASS; *",
            "FAILED * - `Sequential`: `1` (Layer): it fails by itself",
        ]
    )


def test_it_serves_wider_fixtures_too(run):
    result = run(
        """
        @pytest.fixture(scope="session")
        def checked(gradient):
            return gradient.check(np.sin, x, pull=right)

        def test_it(checked):
            assert checked
        """,
        "--secant-report=out.txt",
    )
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["secant: 1 check: 1 PASS; *"])


def test_it_is_listed_with_what_it_does(run):
    result = run("", "--fixtures", "-k", "nothing")
    result.stdout.fnmatch_lines(["gradient *session scope*", "*fails the test unless*PASS*"])


def test_an_example_whose_numbers_cannot_tell_does_not_count_where_that_is_assumed(run):
    body = """
        from hypothesis import given, settings
        from secant.strategies import tensors

        def mixed(x):
            return unclear(x) if x.size > 2 else np.sin(x)

        def mixed_pull(x, v):
            return unclear_pull(x, v) if x.size > 2 else right(x, v)

        @settings(max_examples=20, derandomize=True, database=None)
        @given(x=tensors("numpy"))
        def test_property(gradient, x):
            gradient.check(mixed, x, pull=mixed_pull, inconclusive="assume")
            assert x.size <= 2

        def test_no_property(gradient):
            gradient.check(unclear, x, pull=unclear_pull, inconclusive="assume")
        """
    run(body).assert_outcomes(passed=1, skipped=1)
