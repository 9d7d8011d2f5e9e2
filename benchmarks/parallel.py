"""Parallel layers on a group of processes, beside the same code and weights on one.

Takes the layers of `tests/processes`, as small as they are there, and a parallel network of growing
width; starts gloo processes on this machine; and gives the seconds of a check by the group, of one
by a single process, and of the function's own communication: as many calls and pulls as the check
made, timed in the group, less the same on one process. Empty rounds are what is left of a check
where nothing is computed: as many questions and answers on the same lines, with nothing in them.
All take turns; the least of all counts, by the clock and by the processor's seconds of the first
process, which other work slows less. Beside the seconds stand messages and bytes that the first
process exchanges with the others in a check.

    python benchmarks/parallel.py
    python benchmarks/parallel.py --only network --ranks 4
    python benchmarks/parallel.py --readme
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import platform
import socket
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

import secant
from _running import Progress, positive
from _sections import markdown_table, rewrite_section
from secant._backends.torch.processes.sockets import Connection
from secant._backends.torch.processes.wire import SocketWire

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from processes.collectives import Collectives
from processes.layers import RIGHT, draw
from processes.stacked import on_one_process

MOST = 1.5
"""What a group's check may take of the single process's, communication aside."""
WIDTHS = (16, 64, 128, 192, 256)
CALLS = 4  # of the function, timed together
PATIENCE = 60.0  # seconds that a process may be behind, on a busy machine
HEADER = ("layer", "ranks", "calls, pulls", "messages, bytes")
CLOCK = ("one process", "communication", "empty rounds", "group", "ratio")
PROCESSOR = ("processor: one process", *CLOCK[1:])
NOTHING = (0.0, 0.0)
Seconds = tuple[float, float]  # by the clock, by the processor


@dataclass(frozen=True)
class Times:
    """Seconds of one kind."""

    alone: float
    communication: float
    rounds: float  # with nothing in them
    group: float

    @property
    def ratio(self) -> float:
        """What the group takes of one process's time, besides its own communication."""
        return (self.group - self.communication) / self.alone

    @property
    def leaves_room(self) -> bool:
        """Whether the rounds alone, with nothing in them, are within the bound."""
        return self.rounds <= (MOST - 1) * self.alone

    def cells(self) -> list[str]:
        """What stands in a table."""
        found = (self.alone, self.communication, self.group)
        alone, communication, group = (f"{1e3 * one:.1f} ms" for one in found)
        rounds = f"{1e3 * self.rounds:.2f} ms"
        return [alone, communication, rounds, group, f"{self.ratio:.2f}"]


@dataclass(frozen=True)
class Row:
    """One layer on so many ranks."""

    name: str
    ranks: int
    evaluations: int
    pulls: int
    messages: int
    size: int  # of all of them, in bytes
    clock: Times
    processor: Times


def network(c: Collectives, width: int) -> Any:
    """Two layers as Megatron splits them: columns of the first, rows of the second."""

    def parallel_network(x: Any, inner: Any, outer: Any) -> Any:
        return c.leaving(torch.tanh(c.entering(x) @ inner) @ outer)

    each, share = c.each, width // c.size
    x = draw(width, width, seed=0) / width**0.5
    inner = each(lambda rank: draw(width, share, seed=1 + rank) / width**0.5)
    outer = each(lambda rank: draw(share, width, seed=101 + rank))
    return parallel_network, (x, inner, outer), {"replicated": ("x", "out")}


CASES: dict[str, Callable[[Any], Any]] = RIGHT | {
    f"network of width {width}": partial(network, width=width) for width in WIDTHS
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, print, and write what was asked for."""
    options = parse(arguments)
    names = [name for name in CASES if options.only in name]
    rows = [row for ranks in options.ranks for row in measured(names, ranks, options.rounds)]
    table = as_table(rows)
    print(table)
    if options.readme:
        rewrite_section("parallel", as_markdown(table, rows, options))


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", help="layers whose name contains this")
    parser.add_argument("--ranks", type=positive, nargs="+", default=[2, 4], help="processes (2 4)")
    parser.add_argument("--rounds", type=positive, default=30)
    parser.add_argument("--readme", action="store_true", help="rewrite the section in README.md")
    return parser.parse_args(arguments)


def measured(names: Sequence[str], ranks: int, rounds: int) -> list[Row]:
    """Start the processes, and hear what the first one measured."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    context = multiprocessing.get_context("spawn")
    told = context.SimpleQueue()
    processes = [
        context.Process(target=_live, args=(rank, ranks, port, names, rounds, told))
        for rank in range(ranks)
    ]
    for process in processes:
        process.start()
    progress, rows = Progress(len(names)), []
    for name in names:
        progress.show(len(rows), f"{name}, {ranks} ranks")
        rows.append(told.get())
    progress.show(len(rows), "done")
    for process in processes:
        process.join()
    return rows


def _live(rank: int, ranks: int, port: int, names: Sequence[str], rounds: int, told: Any) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=ranks)
    for name in names:
        row = measure(name, ranks, rounds)
        if rank == 0:
            told.put(row)
    dist.destroy_process_group()


def measure(name: str, ranks: int, rounds: int) -> Row:
    """Time one layer; every process of the group asks for it."""
    group = dist.group.WORLD
    layer, inputs, settings = CASES[name](Collectives(group))
    function, leaves = on_one_process(CASES[name], ranks)
    is_first = dist.get_rank() == 0
    together = partial(secant.check, layer, *inputs, group=group, timeout=PATIENCE, **settings)
    alone = partial(secant.check, function, *leaves)
    report = together()
    assert report, report
    messages = exchanged(together)
    timers = {
        "group": partial(seconds, together),
        "rounds": partial(empty_rounds, report.cost.evaluations + report.cost.pulls),
        "alone": partial(seconds, alone) if is_first else lambda: NOTHING,
        "calls": partial(calls_and_pulls, layer, inputs, report.cost),
        "own": partial(calls_and_pulls, function, leaves, report.cost)
        if is_first
        else lambda: NOTHING,
    }
    taken: dict[str, list[Seconds]] = {key: [] for key in timers}
    for _ in range(rounds):
        for key, timer in timers.items():
            dist.barrier()
            taken[key].append(timer())
    kinds = []
    for kind in range(2):
        least = {key: min(one[kind] for one in found) for key, found in taken.items()}
        communication = max(0.0, least["calls"] - least["own"])
        kinds.append(Times(least["alone"], communication, least["rounds"], least["group"]))
    return Row(name, ranks, report.cost.evaluations, report.cost.pulls, *messages, *kinds)


def exchanged(check: Callable[[], Any]) -> tuple[int, int]:
    """Return how many messages this process sends and receives in a check, and their bytes."""
    sizes = list[int]()
    send, receive = Connection.send, Connection.receive

    def sent(line: Connection, message: Sequence[Any], patience: float) -> None:
        sizes.append(sum(memoryview(one).nbytes for one in message))
        send(line, message, patience)

    def received(line: Connection, patience: float) -> Any:
        message = receive(line, patience)
        sizes.append(sum(map(len, message)))
        return message

    Connection.send, Connection.receive = sent, received  # type: ignore[method-assign]
    try:
        check()
    finally:
        Connection.send, Connection.receive = send, receive  # type: ignore[method-assign]
    return len(sizes), sum(sizes)


def now() -> Seconds:
    """The clock, and the processor's seconds of this process."""
    return time.perf_counter(), time.process_time()


def since(started: Seconds, share: float = 1.0) -> Seconds:
    """What has passed, or a share of it."""
    clock, processor = now()
    return share * (clock - started[0]), share * (processor - started[1])


def seconds(call: Callable[[], Any]) -> Seconds:
    """What one call takes."""
    started = now()
    call()
    return since(started)


def empty_rounds(count: int) -> Seconds:
    """What so many questions and answers take on the lines of a check, with nothing in them."""
    wire = SocketWire(dist.group.WORLD, PATIENCE)
    wire.enrol("rounds")
    others = range(1, wire.size)
    started = now()
    for _ in range(count):
        for rank in others if wire.rank == 0 else ():
            wire.send(None, rank)
        for sender in others if wire.rank == 0 else (0,):
            wire.receive(sender)
        if wire.rank:
            wire.send(None, 0)
    taken = since(started)
    wire.keep()
    return taken


def calls_and_pulls(function: Any, inputs: Sequence[torch.Tensor], cost: Any) -> Seconds:
    """What so many calls take as a check makes, and so many pulls, by themselves."""
    leaves = [one.detach().clone().requires_grad_() for one in inputs]
    started = now()
    for _ in range(CALLS):
        out = function(*leaves)
    calls, half = since(started, cost.evaluations / CALLS), now()
    cotangent = torch.ones_like(out)
    for _ in range(CALLS):
        torch.autograd.grad(out, leaves, cotangent, retain_graph=True)
    pulls = since(half, cost.pulls / CALLS)
    return calls[0] + pulls[0], calls[1] + pulls[1]


def as_table(rows: Sequence[Row]) -> str:
    """All layers, in milliseconds."""
    lines = []
    for one in rows:
        counts = [f"{one.evaluations}, {one.pulls}", f"{one.messages}, {one.size:,}"]
        cells = [*one.clock.cells(), *one.processor.cells()]
        lines.append([one.name, str(one.ranks), *counts, *cells])
    return markdown_table((*HEADER, *CLOCK, *PROCESSOR), lines)


def as_markdown(table: str, rows: Sequence[Row], options: argparse.Namespace) -> str:
    """The section: how it was run, what is within the bound, and the table."""
    load, rest = os.getloadavg()[0], f"at most {MOST} times what one process takes"
    within = sum(row.clock.ratio <= MOST for row in rows)
    busy = sum(row.processor.ratio <= MOST for row in rows)
    possible = sum(row.clock.leaves_room for row in rows)
    possible_busy = sum(row.processor.leaves_room for row in rows)
    return f"""`python benchmarks/parallel.py --rounds {options.rounds}`, Python \
{platform.python_version()}, torch {torch.__version__}, {os.cpu_count()} cores for {load:.0f} \
processes that want to run. Of {len(rows)}, {within} take {rest} by the clock, besides their own \
communication, and {busy} by the processor. Empty rounds alone would leave {possible} within that \
by the clock, and {possible_busy} by the processor.

{table}
"""


if __name__ == "__main__":
    main()
