"""Processes that raise, hang, die or are interrupted: an error on all of them, never a hang."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from typing import Any

import pytest
import torch
import torch.distributed as dist

import secant
from processes import layers
from processes.collectives import Collectives
from processes.crew import crew, fresh
from secant._backends.torch.processes import wire
from secant._processes.company import Company

TIMEOUT = 4.0  # seconds that a process may be behind, in these tests


def outcome(function: Any, group: Any, *inputs: Any, **settings: Any) -> tuple[str, str]:
    """The kind of an error and what it says, or a verdict."""
    try:
        report = secant.check(function, *inputs, group=group, **settings)
    except secant.SecantError as error:
        return type(error).__name__, str(error)
    except KeyboardInterrupt:
        return "KeyboardInterrupt", ""
    return report.verdict.name, str(report)


def misbehave(group: Any, how: str) -> tuple[str, str]:
    """Check a row-parallel layer of which one rank misbehaves, at the second call."""
    c = Collectives(group)
    right, inputs, settings = layers.row(c)
    calls = 0
    is_bad = c.rank == (0 if how == "hang, first" else c.size - 1)
    if is_bad and how == "stay away":
        return "", ""
    if how == "think, first":
        Company.call = _thought  # in processes of its own

    def row_parallel(x, w):
        nonlocal calls
        calls += 1
        if calls == 2 and is_bad:
            if how == "raise":
                raise ValueError("no such expert")
            if how == "die":
                os._exit(1)
            if how == "expect a message":
                dist.recv(x.clone(), dist.get_global_rank(group, 0), group)
            if how == "sleep":
                time.sleep(0.75 * TIMEOUT)
            if how == "hang, first":
                time.sleep(1000.0)
            if how == "interrupt":
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.1)
        return right(x, w)

    return outcome(row_parallel, group, *inputs, timeout=TIMEOUT, **settings)


def _thought(company: Company, values: Any) -> Any:
    """Take longer than the timeout before the second call of the group."""
    time.sleep(1.25 * TIMEOUT if company.tally.evaluations == 1 else 0.0)
    return company._asked(*company.called(values))


PAIRS = (
    "raise",
    "sleep",
    "interrupt",
    "stay away",
    "expect a message",
    "hang, first",
    "think, first",
)
SIZES = dict.fromkeys(PAIRS, 2) | {"die": 4}
ALIVE = {how: range(size) for how, size in SIZES.items()} | {
    "die": range(3),
    "hang, first": range(1, 2),
}


@pytest.fixture(scope="module")
def told():
    """What the ranks said that lived on, by what the last one did; all asked at the same time."""
    with contextlib.ExitStack() as stack:
        asked = {how: stack.enter_context(fresh(size)) for how, size in SIZES.items()}
        for how, size in SIZES.items():
            asked[how].begin(misbehave, how, size=size)
        return {how: [asked[how].answer(rank) for rank in ALIVE[how]] for how in SIZES}


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("raise", "`row_parallel` raised ValueError: no such expert on rank 1"),
        ("sleep", "`timeout` says how long to wait"),
        ("expect a message", "ranks wait for one another in `row_parallel`"),
        ("interrupt", "rank 1 was interrupted"),
    ],
)
def test_what_happens_on_one_rank_ends_the_check_on_all(told, how, said):
    (kind, words), (other, _) = told[how]
    assert kind == "EvaluationError"
    assert said in words
    assert other == ("KeyboardInterrupt" if how == "interrupt" else "EvaluationError")


def test_a_rank_that_stays_away_is_an_error_on_the_others(told):
    assert told["stay away"][0] == (
        "EvaluationError",
        "expected all 2 processes of the group to call secant.check with it; some have not within "
        "4 s",
    )


def test_a_rank_that_dies_is_an_error_on_the_others(told):
    assert [kind for kind, _ in told["die"]] == ["EvaluationError"] * 3


def test_a_first_rank_that_hangs_in_the_function_is_given_up(told):
    assert told["hang, first"] == [
        (
            "EvaluationError",
            "rank 0 has not answered for 4 s while `row_parallel` was being checked: it is slow, "
            "or waits in a collective that the others have not called. `timeout` says how long to "
            "wait",
        )
    ]


def test_a_first_rank_that_thinks_longer_is_waited_for(told):
    assert [kind for kind, _ in told["think, first"]] == ["PASS"] * 2


def raise_everywhere(group: Any) -> tuple[str, str]:
    def broken(x):
        raise ValueError("nothing works")

    return outcome(broken, group, torch.ones(2, dtype=torch.float64) * (1 + dist.get_rank(group)))


def test_what_all_ranks_raise_names_none():
    told = crew().ask(raise_everywhere, size=2)
    assert told == [("FunctionRaised", "`broken` raised ValueError: nothing works")] * 2


def raise_apart(group: Any) -> tuple[str, str]:
    rank = dist.get_rank(group)

    def partial_domain(x):
        if rank == 1 and float(x[0]) > 1.0:
            raise ValueError("outside")
        return x.square()

    x = torch.tensor([1.0, 2.0], dtype=torch.float64) * (1 if rank else 3)
    return outcome(partial_domain, group, x)


def test_a_border_of_the_domain_on_one_rank_is_walked_around_by_all():
    told = crew().ask(raise_apart, size=2)
    assert [kind for kind, _ in told] == ["PASS"] * 2


def ask_without_marks(group: Any) -> tuple[str, str]:
    column, inputs, _ = layers.column(Collectives(group))
    return outcome(column, group, *inputs)


def test_leaves_that_are_the_same_everywhere_are_asked_about():
    told = crew().ask(ask_without_marks, size=2)
    assert (
        told
        == [
            (
                "InputError",
                'x is the same on all 2 ranks: pass replicated=("x",) if these are copies of one '
                "array, which move together and whose cotangents are the same, or replicated=() if "
                "each rank's is its own",
            )
        ]
        * 2
    )


def check_alone(group: Any) -> tuple[str, str]:
    """A group of one process is a function like any other."""
    del group
    own = dist.new_group([dist.get_rank()], use_local_synchronization=True)
    return outcome(torch.sin, own, torch.ones(3, dtype=torch.float64))


def test_a_group_may_have_one_process():
    told = crew().ask(check_alone, size=2)
    assert [kind for kind, _ in told] == ["PASS"] * 2


def check_again(group: Any) -> list[str]:
    """Check twice more, the second time without the lines that one rank has lost meanwhile."""
    row, inputs, settings = layers.row(Collectives(group))
    verdicts = [outcome(row, group, *inputs, **settings)[0]]
    if dist.get_rank(group) == 2:
        wire.hang_up(wire._kept.pop(group))
    return [*verdicts, outcome(row, group, *inputs, **settings)[0]]


def test_lines_that_one_rank_has_lost_are_laid_anew():
    assert crew().ask(check_again, size=4) == [["PASS", "PASS"]] * 4


def test_what_can_be_told_arrives_as_it_was():
    grid = torch.arange(24.0).reshape(2, 3, 4)
    for value in (
        torch.tensor(2.5),
        torch.empty(0, 3, dtype=torch.bfloat16),
        grid.to(torch.bfloat16),
        grid.permute(2, 0, 1),
        grid[:1].expand(5, 3, 4),
        grid.to(torch.complex64).conj(),
        torch.nn.Parameter(grid.repeat(40, 1, 1)),
        grid.to_sparse(),
    ):
        said, *memories = wire.encoded("this", [torch.ones(1), value])
        message = bytearray(said), bytearray(b"".join(memories))
        told, (_, arrived) = wire.decoded(message)
        assert told == "this"
        assert arrived.dtype == value.dtype
        assert torch.equal(arrived.to_dense().detach(), value.to_dense().detach())
        if value.layout is torch.strided:
            assert arrived.stride() == value.stride()


def read_behind(group: Any) -> tuple[str, str]:
    w = layers.draw(3, seed=dist.get_rank(group)).requires_grad_()
    return outcome(lambda x: (w * 2).sin(), group, w)


def test_a_leaf_that_is_read_behind_the_arguments_is_refused():
    told = crew().ask(read_behind, size=2)
    assert [kind for kind, _ in told] == ["EvaluationError"] * 2
    assert "it reads the array itself, which is not moved with `group`" in told[0][1]


def refuse_one(group: Any) -> tuple[str, str]:
    rank = dist.get_rank(group)
    x = torch.full((2,), float("nan") if rank == 1 else 1.0, dtype=torch.float64)
    return outcome(torch.sin, group, x)


def test_an_input_that_one_rank_cannot_use_is_refused_by_all():
    told = crew().ask(refuse_one, size=2)
    assert {kind for kind, _ in told} == {"NotFinite"}
    assert "expected the point itself to be finite" in told[0][1]
    assert "on rank 1" in told[0][1]


def differ_in_copies(group: Any) -> tuple[str, str]:
    rank = dist.get_rank(group)
    x = torch.arange(1.0, 3.0, dtype=torch.float64) + rank
    return outcome(torch.sin, group, x, replicated=("out",))


def test_an_output_that_is_no_copy_is_refused():
    told = crew().ask(differ_in_copies, size=2)
    assert {kind for kind, _ in told} == {"InputError"}
    assert "Is a reduction missing in the forward pass?" in told[0][1]


def misname(group: Any) -> list[str]:
    x = torch.arange(1.0, 3.0, dtype=torch.float64) + dist.get_rank(group)
    return [
        outcome(torch.sin, group, x, **settings)[1]
        for settings in (
            {"replicated": ("y",)},
            {"replicated": 3},
            {"gradients": "half"},
            {"timeout": -1},
            {"draws": 0},
        )
    ] + [outcome(torch.sin, "everybody", x)[1]]


def test_settings_of_a_group_are_validated():
    for said in crew().ask(misname, size=2):
        unknown, replicated, gradients, timeout, probes, group = said
        assert "'y' is none of" in unknown
        assert "expected `replicated` to be names of leaves and outputs" in replicated
        assert "expected `gradients` to be one of whole, share, mean" in gradients
        assert "expected `timeout` to be a positive number of seconds" in timeout
        assert "expected `draws`" in probes
        assert "expected `group` to be a process group" in group
