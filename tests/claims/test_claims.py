"""Claims: what is asked of the framework is Jᵀ v and J u, with nothing added."""

from __future__ import annotations

import pytest
import torch

from asked import posed
from planted import planted, points
from secant._claims.base import ClaimRaised
from secant._claims.forward import ForwardClaim
from secant._claims.reverse import ReverseClaim


def function(x, y):
    return x.sin() * y.sum(), (y * y).prod(), x.detach()


@pytest.fixture
def problem():
    return posed(function, points(3), points(2, seed=1))


@pytest.fixture
def truth():
    """The Jacobians of the two differentiable outputs."""
    x, y = points(3), points(2, seed=1)
    return [
        torch.autograd.functional.jacobian(lambda *z, k=k: function(*z)[k], (x, y))
        for k in range(2)
    ]


def pull_one(claim, output, cotangent):
    """Pull a cotangent of one output back; it is given away."""
    cotangents = [None] * len(claim.trace.outputs)
    cotangents[output] = cotangent
    return claim.pull(cotangents)


def test_pull_is_the_transposed_jacobian(problem, truth):
    claim = ReverseClaim(problem, problem.trace())
    v = points(3, seed=2)
    for gradient, jacobian in zip(claim.pull([v, None]), truth[0], strict=True):
        torch.testing.assert_close(gradient, jacobian.T @ v)


def test_an_absent_cotangent_is_a_zero_one(problem, truth):
    claim = ReverseClaim(problem, problem.trace())
    assert claim.pull([None, None]) == [None, None]
    gradient = pull_one(claim, 1, torch.tensor(2.0, dtype=torch.float64))
    assert gradient[0] is None
    torch.testing.assert_close(gradient[1], 2 * truth[1][1])


def test_pulled_coordinates_are_those_of_the_arrays(problem):
    claim = ReverseClaim(problem, problem.trace())
    pulled = claim.pull_vector(0, problem.codomain.parts[0].coordinates(points(3, seed=2)))
    for array, vector in zip(pulled.arrays, pulled.gradients, strict=True):
        assert problem.backend.to_numpy(vector).tolist() == array.reshape(-1).tolist()


def test_pulling_a_batch_pulls_each_row(problem):
    claim = ReverseClaim(problem, problem.trace())
    batch = points(4, 3, seed=2)
    together = claim.pull_batch(0, batch)
    for row in range(4):
        for one, many in zip(pull_one(claim, 0, batch[row]), together, strict=True):
            torch.testing.assert_close(many[row], one)


def test_push_is_the_jacobian(problem, truth):
    trace = problem.trace()
    claim = ForwardClaim(problem)
    u = points(2, seed=3)
    pushed = [torch.as_tensor(vector) for vector in claim.push(1, u)]
    torch.testing.assert_close(pushed[0], truth[0][1] @ u)
    torch.testing.assert_close(pushed[1], (truth[1][1] @ u).reshape(1))
    assert len(pushed) == len(trace.outputs)


def test_an_output_without_a_tangent_is_pushed_to_zero(problem):
    problem.trace()
    assert ForwardClaim(problem).push(0, points(3))[1].tolist() == [0.0]


def test_claims_are_counted(problem):
    claim = ReverseClaim(problem, problem.trace())
    pull_one(claim, 0, points(3))
    claim.pull_batch(0, points(4, 3))
    ForwardClaim(problem).push(0, points(3))
    assert problem.tally.pulls == 5
    assert problem.tally.pushes == 1


def test_the_cotangent_of_the_caller_is_never_written_into():
    wrong = planted("Writing", torch.sin, lambda saved, v: v.mul_(saved[0].cos()))
    problem = posed(wrong, points(3))
    claim = ReverseClaim(problem, problem.trace())
    v = problem.codomain.parts[0].coordinates(points(3, seed=1))
    before = v.copy()
    pulled = claim.pull_vector(0, v)
    assert v.tolist() == before.tolist()
    assert pulled.cotangent.tolist() == before.tolist()
    assert claim.has_mutated_cotangent


def test_a_backward_that_raises_is_a_claim_that_raised():
    def backward(saved, v):
        raise LookupError("no such gradient")

    problem = posed(planted("Raising", torch.sin, backward), points(3))
    claim = ReverseClaim(problem, problem.trace())
    with pytest.raises(ClaimRaised, match="raised LookupError: no such gradient") as caught:
        pull_one(claim, 0, points(3))
    assert type(caught.value.__cause__) is LookupError


def test_a_missing_jvp_is_a_claim_that_raised():
    problem = posed(planted("Half", torch.sin, lambda saved, v: v * saved[0].cos()), points(3))
    problem.trace()
    with pytest.raises(ClaimRaised, match="the forward-mode pass raised"):
        ForwardClaim(problem).push(0, points(3))
