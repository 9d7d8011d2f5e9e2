"""Arrays without numbers, and calls where there are none: one sentence that says which, and why."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest
import torch
from torch._subclasses import FakeTensorMode

import secant
from planted import points

MEASURED = "expected arrays that can be measured; "
META = "is on the meta device, which holds no numbers"
NESTED = "is a nested tensor, which has no shape: pass its parts as a list of tensors"
TRACED = "is traced, and holds no numbers: call secant outside of jit, vmap and grad"
ENDLESS = "expected containers that end: these hold themselves, or are nested more than 1,000 deep"


def refusal(act) -> str:
    with pytest.raises(secant.InputError) as caught:
        act()
    return str(caught.value)


def fake():
    with FakeTensorMode():
        return torch.ones(3)


def nested(layout):
    return torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=layout)


@pytest.mark.filterwarnings("ignore")  # of torch, that nested tensors may change
@pytest.mark.parametrize(
    ("made", "why"),
    [
        (lambda: torch.ones(3, device="meta"), META),
        (fake, "is a fake tensor, which holds no numbers"),
        (lambda: nested(torch.strided), NESTED),
        (lambda: nested(torch.jagged), NESTED),
    ],
)
def test_a_tensor_without_numbers_is_refused_by_its_name(made, why):
    assert refusal(lambda: secant.check(lambda x: x.sin(), made())) == f"{MEASURED}x {why}"
    other = refusal(lambda: secant.compare(lambda x: x.sin(), lambda x: x.sin(), made()))
    assert other == f"{MEASURED}x {why}"


def test_so_are_outputs_and_parameters():
    assert refusal(lambda: secant.check(lambda x: (x, x.to("meta")), points(3))) == (
        f"{MEASURED}out[1] {META}"
    )
    layer = torch.nn.Linear(3, 2, device="meta")
    assert refusal(lambda: secant.check(layer, torch.ones(3))) == f"{MEASURED}weight {META}"
    assert refusal(lambda: secant.localise(layer, torch.ones(3))) == f"{MEASURED}weight {META}"


def test_what_is_not_differentiated_may_be_anything():
    marked = points(3).requires_grad_()
    assert secant.check(lambda x, shape: x.sin(), marked, torch.ones(3, device="meta"))


@pytest.mark.parametrize("dimensions", [61, 64, 70])
def test_more_dimensions_than_can_be_batched_are_refused(dimensions):
    point = torch.ones((1,) * dimensions, dtype=torch.float64)
    assert refusal(lambda: secant.check(lambda x: x.sin(), point)) == (
        f"expected arrays of at most 60 dimensions; x has {dimensions}"
    )


@pytest.mark.parametrize("settings", [{}, {"probe": "full"}, {"modes": "all", "laws": "all"}])
def test_sixty_dimensions_are_none_too_many(settings):
    shape = (1,) * 59 + (2,)
    assert secant.check(torch.sin, torch.ones(shape, dtype=torch.float64), **settings)
    assert secant.check(torch.sin, torch.ones(shape, dtype=torch.complex128), **settings)


def test_containers_that_hold_themselves_or_never_end_are_refused():
    cyclic = [points(2)]
    cyclic.append(cyclic)
    deep = points(2)
    for _ in range(2000):
        deep = [deep]
    assert refusal(lambda: secant.check(lambda x: x[0].sin(), cyclic)) == ENDLESS
    assert refusal(lambda: secant.check(lambda x: x[0].sin(), deep)) == ENDLESS
    assert refusal(lambda: secant.check(lambda x: cyclic, points(2))) == ENDLESS


@pytest.mark.parametrize("transform", [torch.func.vmap, torch.func.grad])
def test_inside_a_transform_of_torch_nothing_is_measured(transform):
    point = points(3)

    def inside(t):
        secant.check(torch.sin, point)
        return t.sum()

    assert refusal(lambda: transform(inside)(points(2))) == (
        "expected secant to be called outside of a transform of torch.func (vmap, grad, jvp): "
        "within it there are no numbers"
    )


def test_inside_a_fake_mode_nothing_is_measured():
    point = points(3)
    with FakeTensorMode():
        said = refusal(lambda: secant.check(torch.sin, point))
    assert said.startswith("expected secant to be called outside of a FakeTensorMode: ")


@pytest.mark.parametrize("transform", [jax.grad, jax.vmap])
def test_traced_arrays_of_jax_are_refused_and_others_beside_them_are_not(transform):
    said = []

    def inside(t):
        assert secant.check(jnp.sin, jnp.ones(2))
        said.append(refusal(lambda: secant.check(lambda x: x * 2, t)))
        said.append(refusal(lambda: secant.check(lambda x: x * t.sum(), jnp.ones(2))))
        return t.sum()

    transform(inside)(jnp.ones((2, 2)))
    assert said == [f"{MEASURED}x {TRACED}", f"{MEASURED}out {TRACED}"]


def test_inside_jit_nothing_is_measured():
    def inside(t):
        secant.check(jnp.sin, jnp.ones(2))
        return t

    assert refusal(lambda: jax.jit(inside)(jnp.ones(2))) == (
        "expected secant to be called outside of jit, or what traces as it does: within it there "
        "are no numbers"
    )


@pytest.mark.parametrize("settings", [{}, {"dtype": "float16"}])
def test_an_array_of_jax_that_is_deleted_is_refused(settings):
    gone = jnp.ones(3)
    gone.delete()
    said = f"{MEASURED}x has been deleted, or donated to a function"
    assert refusal(lambda: secant.check(lambda x: x * 2, gone, **settings)) == said
