"""A check leaves the process as it was: one check at a time, and all that it may disturb put back.

What many things share, modules, generators, modes, the level of forward differentiation, belongs
to one check at a time: threads take turns. On the way out everything is put back, also what is
changed during a check and put back again many times within it, so that an interruption of that
costs nothing. Interrupts (SIGINT) that arrive while this is being done are held until it is done.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FrameType
from typing import Any

import numpy as np

from ..base import Backend
from ..interface.modes import Modes
from ..registry import loaded, present_names
from .generators import Generator, NumpyGenerator, PythonGenerator

_turn: Any = threading.RLock()
_open: list[Restoration] = []  # of the thread whose turn it is, the innermost last
_generators: list[Generator] = [PythonGenerator(), NumpyGenerator()]
States = Sequence[tuple[Any, Any]]  # generators, each with its state
# what `signal` wraps: looking up its enumerations takes longer than all the rest here
_signal: Any = importlib.import_module("_signal")
_SIGINT = int(signal.SIGINT)
_main = threading.main_thread().ident  # the only one that hears signals
_ATTEMPTS = 5  # whatever may interrupt them: putting back can be repeated
_A_MOMENT = 0.05  # seconds between looks for an interrupt, while it is another thread's turn


def put_back_later(put_back: Callable[[], None]) -> None:
    """Call this once more when the check is over; it must not matter how often it is called."""
    if _open:
        _open[-1].put_back_later(put_back)


@contextlib.contextmanager
def replaced(name: str, instead: Mapping[type, Any]) -> Iterator[None]:
    """Let classes have something else by a name, whatever their metaclass makes of that."""
    own = [(kind, kind.__dict__.get(name)) for kind in instead]

    def put_back() -> None:
        for kind, before in own:
            if kind.__dict__.get(name) is before:
                continue
            if before is None:
                type.__delattr__(kind, name)  # it was inherited
            else:
                type.__setattr__(kind, name, before)

    put_back_later(put_back)
    try:
        for kind, other in instead.items():
            type.__setattr__(kind, name, other)
        yield
    finally:
        put_back()


def random_states(backend: Backend) -> States:
    """Return every generator from which a function may draw unasked, with its state."""
    is_fresh = bool(_open) and not _open[-1].is_used and _open[-1].backend is backend
    if is_fresh:
        _open[-1].is_used = True
        return _open[-1].random
    return [(owner, owner.random_state()) for owner in _owners(backend)[1]]


def drawn_since(states: States) -> States:
    """Return those of the generators from which something has been drawn."""
    drawn = []
    for owner, state in states:
        now = owner.random_state()
        if now is not state and not owner.same_random_state(state, now):
            drawn.append((owner, state))
    return drawn


def rewind(states: States) -> None:
    """Put generators back into these states."""
    for owner, state in states:
        owner.rewind(state)


def _owners(backend: Backend) -> tuple[list[Any], list[Any]]:
    """Return who owns state of the process, and who owns generators.

    That is every framework that is loaded, not only the one that is checked.
    """
    global _found
    present = backend, present_names()
    if present != _found[0]:
        every: list[Any] = list(loaded())
        if all(one.name != backend.name for one in every):
            every.append(backend)
        stateful = [one.modes for one in every if type(one.modes) is not Modes]
        drawing = [one.generator for one in every if one.generator is not None]
        _found = present, (stateful, _generators + drawing)
    return _found[1]


_found: tuple[Any, tuple[list[Any], list[Any]]] = None, ([], [])


class Restoration:
    """All that a check may disturb, from `__enter__` to `__exit__`."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.random: list[tuple[Any, Any]] = []
        self.is_used = False  # something may have been drawn since
        self._states: list[tuple[Modes, Any]] = []
        self._later: list[Callable[[], None]] = []
        self._errors: Any = None
        self._filters: Any = warnings.filters, list(warnings.filters)
        self._is_open = False
        self._is_closed = False
        self._has_turn = False
        self._handler: Any = None  # of SIGINT, while ours stands in for it
        self._outer: Restoration | None = None  # whose handler stands in, if it is not ours
        self._held: tuple[int, FrameType | None] | None = None  # an interrupt that has to wait

    def __enter__(self) -> Restoration:
        self._stand_in()
        try:
            self._take_turn()
            stateful, drawing = _owners(self.backend)
            for one in stateful:  # no comprehensions, which are a call each
                self._states.append((one, one.state()))
            for owner in drawing:
                self.random.append((owner, owner.random_state()))
            # what a function overflows at is no news; what is set later ends with this
            self._errors = np.errstate(all="ignore")
            self._errors.__enter__()
            _open.append(self)
            self.backend.modes.ready()
        except BaseException:
            self.__exit__()
            raise
        self._is_open = True
        return self

    def __exit__(self, *raised: object) -> None:
        if not self._is_closed:
            try:
                self._put_back()
            finally:
                self._let_go()

    def put_back(self) -> None:
        """Put everything back; `__exit__` will find that done, unless this is interrupted."""
        self._put_back()
        self._let_go()

    def put_back_later(self, put_back: Callable[[], None]) -> None:
        """Call this once more at the end; it must not matter how often it is called."""
        self._later.append(put_back)

    def _put_back(self) -> None:
        self._is_open = False
        interruption: BaseException | None = None
        for _ in range(_ATTEMPTS):
            try:
                for put_back in self._later:
                    put_back()
                for one, state in self._states:
                    one.put_back(state)
                for one, state in self.random:
                    one.rewind(state)
                self._put_back_errors()
                filters, contents = self._filters
                if warnings.filters is not filters or filters != contents:
                    filters[:] = contents
                    warnings.filters = filters
                    warnings._filters_mutated()  # type: ignore[attr-defined]
                break
            except BaseException as error:  # a timer's, perhaps
                interruption = error
        if interruption is not None:
            raise interruption

    def _put_back_errors(self) -> None:
        if self._errors is not None:
            try:
                self._errors.__exit__(None, None, None)
            except (RuntimeError, TypeError):  # that is done already, or was never begun
                return

    def _let_go(self) -> None:
        if self in _open:
            del _open[_open.index(self) :]
        if self._has_turn:
            self._has_turn = False
            _turn.release()
        if self._handler is not None:
            _signal.signal(_SIGINT, self._handler)
        self._is_closed = True
        if self._held is not None or self._outer is not None:
            self._deliver()

    # -- interrupts ------------------------------------------------------------------------------

    def _stand_in(self) -> None:
        """Hear SIGINT in the place of whoever hears it now; only the main thread ever does."""
        if threading.get_ident() != _main:
            return
        handler = _signal.getsignal(_SIGINT)
        hearing = getattr(handler, "__self__", None)
        if isinstance(hearing, Restoration):
            self._outer = hearing
        elif callable(handler):
            self._handler = handler
            _signal.signal(_SIGINT, self._interrupted)

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        is_leaving = frame is not None and frame.f_code in _LEAVING
        if self._is_open and not is_leaving:
            self._handler(number, frame)
        else:
            self._held = number, frame

    def _deliver(self) -> None:
        """Let be heard what had to wait."""
        hearing = self if self._handler is not None else self._outer
        if hearing is None or hearing._held is None or (hearing is not self and hearing._is_closed):
            return
        held, hearing._held = hearing._held, None
        hearing._handler(*held)

    def _take_turn(self) -> None:
        if not _turn.acquire(blocking=False):
            while not _turn.acquire(timeout=_A_MOMENT):
                self._deliver()
        self._has_turn = True


class EarlyRestoration:
    """Puts back what a restoration has to put back, before that itself does.

    Any signal may have a handler that raises, and one may arrive just when `__exit__` begins.
    """

    def __init__(self, restoration: Restoration) -> None:
        self._restoration = restoration

    def __enter__(self) -> None:
        pass

    def __exit__(self, *raised: object) -> None:
        self._restoration.put_back()


_LEAVING = (
    Restoration.__exit__.__code__,
    Restoration.put_back.__code__,
    Restoration._put_back.__code__,
    EarlyRestoration.__exit__.__code__,
)


def _forget_the_turn() -> None:
    """In a fork that another thread has made, nobody is left to give the turn back."""
    global _main
    _turn._at_fork_reinit()
    _open.clear()
    _main = threading.main_thread().ident


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_the_turn)
