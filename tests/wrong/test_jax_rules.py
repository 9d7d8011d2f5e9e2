"""Every wrong rule of JAX is called wrong, for the right reason, and its right twin is not."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

import secant
from secant import Verdict
from wrong.exhibit import Exhibit
from wrong.jax_rules import EXHIBITS
from wrong.judging import asked, explained, probing


@pytest.mark.parametrize(("exhibit", "probe"), asked(EXHIBITS))
def test_a_wrong_rule_is_found_and_explained(exhibit: Exhibit, probe: str) -> None:
    settings = probing(exhibit.settings, probe)
    explained(exhibit, secant.check(exhibit.function, *exhibit.inputs(), **settings))


@pytest.mark.thinned(keep=9)
@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: exhibit.name)
def test_the_right_twin_passes(exhibit: Exhibit) -> None:
    assert exhibit.right is not None
    report = secant.check(exhibit.right, *exhibit.inputs(), **exhibit.settings)
    assert report.verdict is Verdict.PASS, str(report)


def test_every_exhibit_has_a_name_of_its_own() -> None:
    names = [exhibit.name for exhibit in EXHIBITS]
    assert len(set(names)) == len(names) >= 15


def test_findings_speak_of_rules_and_cotangents_not_of_backwards():
    @jax.custom_vjp
    def double(x):
        return 2 * x

    double.defvjp(lambda x: (2 * x, None), lambda _, v: (2 * jnp.abs(v),))
    report = secant.check(double, jnp.arange(1.0, 4.0))
    assert report.worst.cause.startswith("the vjp rule is not linear in the cotangent")
    assert "grad_output" not in str(report)
    assert "backward" not in str(report)


def test_what_is_off_by_a_factor_in_its_largest_entry_alone_is_not_off_by_a_constant():
    @jax.custom_jvp
    def logarithm(x):
        return jnp.log(x)

    logarithm.defjvp(lambda p, t: (jnp.log(p[0]), t[0] / (p[0] + 1e-3)))
    for seed in range(4):
        x = jnp.abs(jax.random.normal(jax.random.key(seed), (4,)))
        report = secant.check(logarithm, x)
        assert report.verdict is Verdict.FAIL
        assert "constant factor" not in str(report), str(report)
