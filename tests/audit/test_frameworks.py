"""The catalogues of the frameworks: what they hold, what they skip, that they leave no trace."""

from __future__ import annotations

import random
import sys
import warnings

import numpy as np
import pytest
import torch

from secant._audit.conduct import audit, look
from secant._audit.plan import Item, Plan

jax = pytest.importorskip("jax")


def told(plan, **how):
    return {case.name: case.outcome for case in audit(plan, **how).suite.cases}


def test_operators_of_the_database_pass_and_one_is_known_to_be_wrong(run):
    asked = ("--only", "sin", "--only", "linalg.det", "--only", "as_strided_scatter")
    code, out, err = run("torch", *asked, "--workers", "0", "--samples", "1")
    assert (code, err) == (0, "")  # torch's own tests expect it
    assert "1 EXPECTED, 2 PASS" in out
    unlisted = ("--only", "as_strided_scatter", "--known", "none")
    code, out, _ = run("torch", *unlisted, "--workers", "0", "--samples", "1")
    assert code == 1
    assert "FAIL  as_strided_scatter[0] float64" in out


def test_variants_are_labels():
    plan = Plan("torch", ("complex128",), only=("std.unbiased",), samples=1)
    (case,) = audit(plan, workers=0).suite.cases
    assert case.labels == {
        "operator": "std",
        "variant": "unbiased",
        "dtype": "complex128",
        "device": "cpu",
    }


def test_an_operator_is_skipped_where_it_claims_no_such_derivative():
    only = ("argmax", "nn.functional.gelu", "sin", "nn.functional.ctc_loss")
    _, skipped = look(Plan("torch", ("complex128",), only=only, samples=1), workers=0)
    assert dict(skipped) == {
        Item("argmax", "complex128"): "claims no derivative",
        Item("nn.functional.gelu", "complex128"): "claims no derivative in complex128 on cpu",
        Item("nn.functional.ctc_loss", "complex128"): "claims no derivative in complex128 on cpu",
    }
    _, skipped = look(Plan("torch", only=only, samples=1, modes="forward"), workers=0)
    assert (
        Item("nn.functional.ctc_loss", "float64"),
        "claims no forward-mode derivative",
    ) in skipped


@pytest.mark.parametrize(
    "settings", [{"order": 2}, {"modes": "forward"}, {"probe": "full"}, {"dtypes": ("bfloat16",)}]
)
def test_settings_reach_the_checks(settings):
    plan = Plan("torch", only=("tanh",), samples=1, **settings)
    (case,) = audit(plan, workers=0).suite.cases
    report = case.report
    assert report.verdict.name == "PASS"
    subjects = {finding.subject for finding in report.findings}
    if "modes" in settings:
        assert all("forward" in subject for subject in subjects if "mode" in subject)
        assert report.cost.pushes
        assert not report.cost.pulls
    if "probe" in settings:
        assert report.jacobians
    assert case.labels["dtype"] == settings.get("dtypes", ("float64",))[0]


def test_an_audit_in_this_process_leaves_no_trace():
    threads = torch.get_num_threads()
    legacy = np.random.mtrand._rand  # the global generator, which torch's samples draw from
    drawn = legacy.get_state()[1].copy()
    generators = torch.get_rng_state(), random.getstate()
    filters = list(warnings.filters)
    wide = jax.config.jax_enable_x64
    told(Plan("torch", only=("dropout", "normal", "sin"), samples=1), workers=0)
    told(Plan("jax", only=("jax.numpy.sin",), samples=1), workers=0)
    assert torch.get_num_threads() == threads
    assert torch.equal(torch.get_rng_state(), generators[0])
    assert (legacy.get_state()[1] == drawn).all()
    assert random.getstate() == generators[1]
    assert warnings.filters == filters
    assert jax.config.jax_enable_x64 == wide


def test_a_second_run_sees_the_same_numbers_in_any_company():
    alone = told_numbers(Plan("torch", only=("nn.functional.dropout",)))
    together = told_numbers(Plan("torch", only=("nn.functional.d*",)))
    assert alone.items() <= together.items()
    assert len(together) > len(alone) > 1


def told_numbers(plan):
    return {
        case.name: [(one.claimed, one.measured) for one in case.report.findings]
        for case in audit(plan, workers=0).suite.cases
        if case.report is not None
    }


def test_functions_of_several_modules_get_inputs_from_their_signature_or_a_recipe():
    only = (
        "jax.numpy.arccosh",
        "jax.numpy.einsum",
        "jax.lax.scan",
        "jax.nn.softmax",
        "jax.scipy.special.betainc",
    )
    outcomes = told(Plan("jax", only=only, samples=1), workers=0)
    assert outcomes == {f"{name}[0] float64": "PASS" for name in only}


def test_functions_without_a_derivative_are_skipped_with_the_reason():
    reasons = {
        "jax.numpy.argmax": "its outputs are not floating or complex arrays",
        "jax.numpy.save": "reads or writes files and buffers",
        "jax.lax.stop_gradient": "cuts its derivative on purpose",
        "jax.nn.swish": "is jax.nn.silu",
        "jax.numpy.zeros": "takes no arrays that are known",
        "jax.lax.nextafter": "claims no derivative: NotImplementedError: Differentiation rule for "
        "'nextafter' not implemented",
    }
    _, skipped = look(Plan("jax", only=(*reasons, "jax.numpy.sin"), samples=1), workers=0)
    assert {item.operator: reason for item, reason in skipped} == reasons


def test_loops_of_unknown_length_are_asked_in_forward_mode_only():
    plan = Plan("jax", only=("jax.lax.while_loop",), samples=1)
    assert not audit(plan, workers=0).suite.cases
    outcomes = told(Plan("jax", only=("jax.lax.while_loop",), modes="forward"), workers=0)
    assert outcomes == {"jax.lax.while_loop[0] float64": "PASS"}


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_inputs_have_the_dtype_asked_for(dtype):
    (case,) = audit(
        Plan("jax", (dtype,), only=("jax.numpy.exp",), samples=1), workers=0
    ).suite.cases
    assert case.outcome == "PASS"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["torch", "--dtype", "int64"],
            "expected `dtype` to be a floating or complex dtype of torch, such as float64; "
            "got 'int64'",
        ),
        (
            ["jax", "--dtype", "float12"],
            "expected `dtype` to be a floating or complex dtype of JAX, such as float64; "
            "got 'float12'",
        ),
        (["torch", "--device", "moon"], "expected `device` to be one that torch can use here; got"),
        (["jax", "--device", "moon"], "expected `device` to be one that JAX can use here; got"),
    ],
)
def test_terms_that_a_framework_does_not_know_are_refused(run, arguments, words):
    code, out, err = run(*arguments, "--workers", "0")
    assert (code, out) == (2, "")
    assert err.startswith(f"secant: {words}")


@pytest.mark.parametrize("name", ["torch", "jax"])
def test_a_framework_that_is_not_installed_is_named(run, monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)
    code, out, err = run(name, "--workers", "0")
    assert (code, out) == (2, "")
    assert err.startswith(f"secant: expected {name} to be importable; ")
    assert err.endswith(f'Try: pip install "secant[{name}]"\n')


def test_what_the_database_needs_is_named(run, monkeypatch):
    from secant._catalogues.torch.operators import database

    database.cache_clear()
    monkeypatch.setitem(sys.modules, "torch.testing._internal.common_methods_invocations", None)
    try:
        code, out, err = run("torch", "--workers", "0")
    finally:
        database.cache_clear()
    assert (code, out) == (2, "")
    assert err.startswith("secant: expected torch's operator database to be importable; ")
    assert err.endswith('Try: pip install "secant[audit]"\n')
