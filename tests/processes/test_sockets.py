"""Connections: messages arrive whole, however the system cuts them up, or an error says why not."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from secant._backends.torch.processes.sockets import _AT_ONCE, _HEAD, Connection

SAID = [b"", b"short", bytes(range(256)) * 300]
MEMORIES = [0, 24, _AT_ONCE, 3 * _AT_ONCE + 5]
PATIENCE = 20.0


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, Connection]]:
    one, other = socket.socketpair()
    with one:
        line = Connection(other)
        yield one, line
        line.close()


def messages() -> list[tuple[bytes, np.ndarray]]:
    return [(said, np.arange(count, dtype=np.uint8)) for said in SAID for count in MEMORIES]


@pytest.mark.parametrize("pieces", [1, 7, _HEAD.size, _AT_ONCE])
def test_messages_arrive_whole_however_they_are_cut_up(ends, pieces: int):
    (one, line), parts = ends, list[bytes]()
    short = [pair for pair in messages() if len(pair[0]) + len(pair[1]) < 1000 or pieces > 1000]
    for said, memory in short:
        parts += [_HEAD.pack(len(said), len(memory)), said, memory.tobytes()]
    whole = b"".join(parts)

    def dribble() -> None:
        for place in range(0, len(whole), pieces):
            one.sendall(whole[place : place + pieces])

    thread = threading.Thread(target=dribble)
    thread.start()
    for said, memory in short:
        heard, arrived = line.receive(PATIENCE)
        assert (bytes(heard), bytes(arrived)) == (said, memory.tobytes())
        assert isinstance(arrived, bytearray)  # arrays are made of it, which may be written into
    thread.join()


def test_what_is_sent_is_received(ends):
    one, line = ends
    sender = Connection(one)

    def send(every: Sequence[tuple[bytes, np.ndarray]]) -> None:
        for said, memory in every:
            sender.send([said, memory], PATIENCE)

    thread = threading.Thread(target=send, args=(messages(),))
    thread.start()
    for said, memory in messages():
        heard, arrived = line.receive(PATIENCE)
        assert (bytes(heard), bytes(arrived)) == (said, memory.tobytes())
    thread.join()


@pytest.mark.parametrize("sent", [b"", _HEAD.pack(4, 0)[:9], _HEAD.pack(4, 0) + b"ab"])
def test_a_message_that_does_not_come_is_given_up(ends, sent: bytes):
    one, line = ends
    one.sendall(sent)
    with pytest.raises(TimeoutError):
        line.receive(0.05)


@pytest.mark.parametrize("sent", [b"", _HEAD.pack(4, 0)[:9], _HEAD.pack(4, 0) + b"ab"])
def test_a_line_that_is_cut_is_an_error(ends, sent: bytes):
    one, line = ends
    one.sendall(sent)
    one.close()
    with pytest.raises(ConnectionError, match="closed"):
        line.receive(PATIENCE)
