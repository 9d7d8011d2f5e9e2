"""Lines between processes: sockets that deliver whole messages, or raise in time.

Who connects has to show a key that only those know who share the store.
"""

from __future__ import annotations

import hmac
import secrets
import socket
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

_KEY = 32  # bytes
_NUMBER = 8
_HERE = "127.0.0.1"
_AT_ONCE = 1 << 16  # bytes that are worth a copy to travel together

Buffer = bytes | bytearray | memoryview


class Missing(Exception):
    """Not all processes came."""


class Line:
    """One connection; a message is some buffers, with their number and lengths before them."""

    def __init__(self, one: socket.socket) -> None:
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = one
        self._ahead = memoryview(b"")  # what has come, and was not asked for yet

    def send(self, message: Sequence[Buffer], patience: float) -> None:
        """Hand a message to the system; raise `TimeoutError` where nobody takes it."""
        self._socket.settimeout(patience)
        views = [memoryview(one).cast("B") for one in message]
        lengths = [len(views), *(one.nbytes for one in views)]
        head = b"".join(one.to_bytes(_NUMBER, "little") for one in lengths)
        parts: list[Buffer] = [head, *views]
        if sum(lengths[1:]) <= _AT_ONCE:
            parts = [b"".join(parts)]
        for part in parts:
            self._socket.sendall(part)

    def receive(self, patience: float | None) -> list[bytearray]:
        """Return the next message; raise `TimeoutError`, or `OSError` where the line is cut."""
        deadline = None if patience is None else time.monotonic() + patience
        count = int.from_bytes(self._taken(_NUMBER, deadline), "little")
        head = self._taken(count * _NUMBER, deadline)
        places = range(0, len(head), _NUMBER)
        lengths = [int.from_bytes(head[k : k + _NUMBER], "little") for k in places]
        return [self._taken(length, deadline) for length in lengths]

    def _taken(self, count: int, deadline: float | None) -> bytearray:
        """Return so many bytes; what little comes with them waits for the next question."""
        taken, done = bytearray(count), 0
        view = memoryview(taken)
        while done < count:
            if not self._ahead:
                left = None if deadline is None else max(deadline - time.monotonic(), 1e-3)
                self._socket.settimeout(left)
                if count - done >= _AT_ONCE:
                    done += self._came(self._socket.recv_into(view[done:]))
                    continue
                ahead = self._socket.recv(_AT_ONCE)
                self._came(len(ahead))
                self._ahead = memoryview(ahead)
            part = min(count - done, len(self._ahead))
            view[done : done + part] = self._ahead[:part]
            self._ahead = self._ahead[part:]
            done += part
        return taken

    @staticmethod
    def _came(count: int) -> int:
        if not count:
            raise ConnectionError("the other end was closed")
        return count

    def close(self) -> None:
        """Let the other end know that nothing more comes."""
        self._socket.close()

    __del__ = close  # who kept it for later is gone


Lines = dict[int, Line]  # to every process that this one talks to, by rank


def hang_up(lines: Lines) -> None:
    """Close all lines."""
    for line in lines.values():
        line.close()


def greeted(lines: Lines | None, rank: int, number: int, timeout: float) -> Lines | None:
    """Return lines that have served before, if all processes still hold theirs; else close them."""
    if lines is None:
        return None
    said = [number.to_bytes(_NUMBER, "little")]
    try:
        if rank:
            lines[0].send(said, timeout)
        is_same = all(line.receive(timeout) == said for line in lines.values())
        if not rank and is_same:
            for line in lines.values():
                line.send(said, timeout)
    except TimeoutError as error:
        hang_up(lines)
        raise Missing from error
    except OSError:
        is_same = False
    if not is_same:
        hang_up(lines)
    return lines if is_same else None


def meet(store: Any, name: str, rank: int, size: int, timeout: float) -> Lines:
    """Return a line to every process that this one talks to, by rank; raise `Missing` in time."""
    if size == 1:
        return {}
    store.set(f"{name}/host/{rank}", socket.gethostname())
    try:
        store.wait([f"{name}/host/{k}" for k in range(size)], timedelta(seconds=timeout))
        hosts = {store.get(f"{name}/host/{k}") for k in range(size)}
        if rank == 0:
            return _listen(store, name, size, timeout, is_alone=len(hosts) == 1)
        store.wait([name], timedelta(seconds=timeout))
        return {0: _connected(store.get(name).decode(), rank, timeout)}
    except (OSError, RuntimeError, ValueError) as error:  # a store's own are among them
        raise Missing from error


def _listen(store: Any, name: str, size: int, timeout: float, *, is_alone: bool) -> Lines:
    """Let the others connect; on one host nobody else can even try."""
    key, deadline = secrets.token_bytes(_KEY), time.monotonic() + timeout
    with socket.create_server((_HERE if is_alone else "", 0), backlog=size) as server:
        places = [_HERE] if is_alone else _addresses()
        port = server.getsockname()[1]
        store.set(name, " ".join([key.hex(), str(port), *places]))
        lines: Lines = {}
        while len(lines) < size - 1:
            server.settimeout(max(deadline - time.monotonic(), 1e-3))
            line = Line(server.accept()[0])
            shown = line.receive(timeout)[0]
            if hmac.compare_digest(shown[:_KEY], key):
                lines[int.from_bytes(shown[_KEY:], "little")] = line
            else:
                line.close()
    return lines


def _connected(told: str, rank: int, timeout: float) -> Line:
    key, port, *places = told.split()
    for place in places:
        try:
            one = socket.create_connection((place, int(port)), timeout)
        except OSError:
            continue
        line = Line(one)
        line.send([bytes.fromhex(key) + rank.to_bytes(_NUMBER, "little")], timeout)
        return line
    raise ConnectionError(f"nobody listens at {', '.join(places)}")


def _addresses() -> list[str]:
    """Return where other hosts may reach this one."""
    found = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET, socket.SOCK_STREAM)
    addresses = [str(one[4][0]) for one in found]
    return sorted(dict.fromkeys(addresses), key=lambda one: one.startswith("127."))
