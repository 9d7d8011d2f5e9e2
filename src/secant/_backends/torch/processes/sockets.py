"""Connections between processes: sockets that deliver whole messages, or raise in time.

Who connects has to show a key that only those know who share the store.
"""

from __future__ import annotations

import hmac
import secrets
import socket
import struct
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

_KEY = 32  # bytes
_NUMBER = 8
_HEAD = struct.Struct("<QQ")  # bytes that are said, bytes of memory
_HERE, _NAMED = "127.0.0.1", "@"
_AT_ONCE = 1 << 16  # bytes that are worth a copy to travel together

Buffer = Any  # bytes, or an array of them


class Missing(Exception):
    """Not all processes came."""


class Connection:
    """One connection; a message is what is said and, behind it, the memory of arrays."""

    def __init__(self, one: socket.socket) -> None:
        if one.family == socket.AF_INET:
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = one
        self._limit: float | None = None  # of one wait, as the system was last told
        self._read = memoryview(bytearray(_AT_ONCE))
        self._ahead = self._read[:0]  # what has come, and was not asked for yet

    def send(self, message: Sequence[Buffer], patience: float) -> None:
        """Hand a message to the system; raise `TimeoutError` where nobody takes it."""
        length = 0
        for one in message[1:]:
            length += one.nbytes
        if self._limit != patience:
            self._bound(patience)
        parts = [_HEAD.pack(len(message[0]), length), *message]
        if length <= _AT_ONCE:
            self._socket.sendall(b"".join(parts))
            return
        for part in parts:
            self._socket.sendall(part)

    def receive(self, patience: float) -> tuple[bytes | bytearray, bytearray]:
        """Return the next message; raise `TimeoutError`, or `OSError` where the line is cut."""
        deadline = time.monotonic() + patience
        if not self._ahead:
            self._read_ahead(patience)
        ahead = self._ahead
        if len(ahead) >= _HEAD.size:
            said, length = _HEAD.unpack_from(ahead)
            begin = _HEAD.size + said
            if len(ahead) >= begin + length:  # short messages come as a whole
                self._ahead = ahead[begin + length :]
                return bytes(ahead[_HEAD.size : begin]), bytearray(ahead[begin : begin + length])
        said, length = _HEAD.unpack(self._taken(_HEAD.size, deadline))
        return self._taken(said, deadline), self._taken(length, deadline)

    def _taken(self, count: int, deadline: float) -> bytearray:
        """Return so many bytes; what little comes with them waits for the next question."""
        taken = bytearray(self._ahead[:count])
        self._ahead = self._ahead[len(taken) :]
        done, view = len(taken), memoryview(taken := taken.ljust(count, b"\0"))
        while done < count:
            left = max(deadline - time.monotonic(), 1e-3)
            if count - done >= _AT_ONCE:
                self._bound(left)
                done += _came(self._socket.recv_into(view[done:]))
                continue
            self._read_ahead(left)
            part = min(count - done, len(self._ahead))
            view[done : done + part] = self._ahead[:part]
            self._ahead = self._ahead[part:]
            done += part
        return taken

    def _read_ahead(self, patience: float) -> None:
        """Wait for something to come, and take all that is there."""
        if self._limit != patience:
            self._bound(patience)
        self._ahead = self._read[: _came(self._socket.recv_into(self._read))]

    def _bound(self, patience: float) -> None:
        """Let no wait take longer; told once, as each time is a call of the system."""
        self._socket.settimeout(patience)
        self._limit = patience

    def close(self) -> None:
        """Let the other end know that nothing more comes."""
        self._socket.close()

    __del__ = close  # who kept it for later is gone


def _came(count: int) -> int:
    if not count:
        raise ConnectionError("the other end was closed")
    return count


Connections = dict[int, Connection]  # to every process that this one talks to, by rank


def hang_up(lines: Connections) -> None:
    """Close all lines."""
    for line in lines.values():
        line.close()


def meet(store: Any, name: str, rank: int, size: int, timeout: float) -> Connections:
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


def _listen(store: Any, name: str, size: int, timeout: float, *, is_alone: bool) -> Connections:
    """Let the others connect; on one host nobody else can even try."""
    key, deadline = secrets.token_bytes(_KEY), time.monotonic() + timeout
    with _server(size, is_alone=is_alone) as server:
        places = [_HERE] if is_alone else _addresses()
        place = server.getsockname()
        port = _NAMED + place.hex() if isinstance(place, bytes) else str(place[1])
        store.set(name, " ".join([key.hex(), port, *places]))
        lines: Connections = {}
        while len(lines) < size - 1:
            server.settimeout(max(deadline - time.monotonic(), 1e-3))
            line = Connection(server.accept()[0])
            shown, _ = line.receive(timeout)
            if hmac.compare_digest(shown[:_KEY], key):
                lines[int.from_bytes(shown[_KEY:], "little")] = line
            else:
                line.close()
    return lines


def _server(size: int, *, is_alone: bool) -> socket.socket:
    """Listen on the network, or to this host alone: on Linux at a name, in half the time."""
    if not (is_alone and sys.platform == "linux"):
        return socket.create_server((_HERE if is_alone else "", 0), backlog=size)
    server = socket.socket(socket.AF_UNIX)
    server.bind("")  # the system finds a name
    server.listen(size)
    return server


def _connected(told: str, rank: int, timeout: float) -> Connection:
    key, port, *places = told.split()
    for place in places:
        try:
            one = _socket_to(place, port, timeout)
        except OSError:
            continue
        line = Connection(one)
        line.send([bytes.fromhex(key) + rank.to_bytes(_NUMBER, "little")], timeout)
        return line
    raise ConnectionError(f"nobody listens at {', '.join(places)}")


def _socket_to(place: str, port: str, timeout: float) -> socket.socket:
    if not port.startswith(_NAMED):
        return socket.create_connection((place, int(port)), timeout)
    one = socket.socket(socket.AF_UNIX)
    one.settimeout(timeout)
    one.connect(bytes.fromhex(port.removeprefix(_NAMED)))
    return one


def _addresses() -> list[str]:
    """Return where other hosts may reach this one."""
    found = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET, socket.SOCK_STREAM)
    addresses = [str(one[4][0]) for one in found]
    return sorted(dict.fromkeys(addresses), key=lambda one: one.startswith("127."))
