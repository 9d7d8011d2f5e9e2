"""Arguments as people pass them: one tensor twice, views of one another, a module's parameters."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import secant
from fingerprints import fingerprint
from planted import points, scaled_sine

EVERY = [
    {"modes": modes, "probe": probe, "order": order}
    for modes in ("reverse", "forward")
    for probe in ("fast", "full")
    for order in (1, 2)
]


@pytest.mark.parametrize("settings", EVERY, ids=str)
def test_the_same_tensor_twice_is_one_variable(settings):
    x = points(3)
    report = secant.check(lambda one, other: one.sin() * other, x, x, **settings)
    assert report, str(report)
    assert {one.where for one in report.findings if one.kind == "derivative"} >= {"∂out / ∂one"}
    assert (
        "note        one and other are the same array: what is checked is the derivative in both "
        "together" in str(report)
    )


@pytest.mark.parametrize("settings", EVERY[:4], ids=str)
def test_a_wrong_total_derivative_of_the_same_tensor_twice_is_caught(settings):
    x = points(3)
    wrong = scaled_sine(1.05)
    assert not secant.check(lambda one, other: one * wrong(other), x, x, **settings)


def test_inputs_that_require_no_gradient_beside_others_are_said_not_to_be_asked():
    x, weights = points(3).requires_grad_(), [points(3), points(3)]
    report = secant.check(lambda x, w, scale: x * w[1] * scale, x, weights, points(3))
    assert report, str(report)
    assert "not moved: w[0], w[1], scale; where some inputs require a gradient" in str(report)
    assert "not moved" not in str(secant.check(lambda x, k: x.sin()[k], x, torch.tensor([0, 2])))
    assert "not moved" not in str(secant.check(lambda x, y: x * y, points(3), points(3)))


def test_the_same_tensor_twice_may_be_in_containers_and_keywords():
    x = points(3)
    inputs = [points(3, seed=1), x]
    report = secant.check(lambda a, scale: a[1] * scale + a[0], inputs, kwargs={"scale": x})
    assert "a[1] and scale are the same array" in str(report)
    assert [one.where for one in report.findings if one.kind == "derivative"] == [
        "∂out / ∂a[0]", "∂out / ∂a[1]",
    ]  # fmt: skip


@pytest.mark.parametrize("settings", EVERY, ids=str)
def test_views_of_one_another_are_variables_of_their_own(settings):
    x = points(2, 3).requires_grad_()
    views = (x, x.t(), x.detach().view(-1).requires_grad_(), x[0])
    before = fingerprint(*views)

    def function(one, other, flat, row):
        return (one.t() * other.sin()).sum(1), flat.sum() * row

    report = secant.check(function, *views, **settings)
    assert report, str(report)
    wrong = scaled_sine(1.05)
    caught = secant.check(lambda one, other: one.t() * wrong(other), *views[:2], modes="all")
    slopes = [one for one in caught.findings if one.kind == "derivative"]
    wrong_pairs = {one.where for one in slopes if one.verdict is secant.Verdict.FAIL}
    assert wrong_pairs == {"∂out / ∂other"}
    assert fingerprint(*views) == before


def test_the_same_array_twice_is_two_variables_to_jax_and_to_derivatives_by_hand():
    array, numbers, x = jnp.array([0.5, 0.7]), np.array([0.5, 0.7]), points(2)
    product = lambda a, b: (a * b).sum()  # noqa: E731
    swapped = lambda a, b: (b, a)  # noqa: E731
    for report in (
        secant.check(product, array, array),
        secant.check(product, numbers, numbers, gradient=swapped),
        secant.check(product, x, x, gradient=swapped),
    ):
        assert report, str(report)
        pairs = {one.where for one in report.findings if one.kind == "derivative"}
        assert pairs == {"∂out / ∂a", "∂out / ∂b"}


@pytest.mark.parametrize("settings", EVERY, ids=str)
def test_a_parameter_arrives_as_a_parameter(settings):
    weight, x = torch.nn.Parameter(points(2, 3)), points(3, seed=1)

    def registering(weight):
        layer = torch.nn.Linear(3, 2, bias=False).double()
        layer.weight = weight  # which torch refuses for anything else
        assert [name for name, _ in layer.named_parameters()] == ["weight"]
        return layer(x).sin()

    report = secant.check(registering, weight, **settings)
    assert report, str(report)
    assert not hasattr(points(1), "_is_param")
