"""What a check disturbs is put back, one check at a time, with interrupts held meanwhile."""

from __future__ import annotations

import pickle
import random
import signal
import threading
import warnings

import numpy as np
import pytest
import torch
from torch.utils import _python_dispatch

import secant
from planted import points
from secant._backends.process.generators import NumpyGenerator, PythonGenerator
from secant._backends.process.restoration import (
    EarlyRestoration,
    Restoration,
    drawn_since,
    put_back_later,
    random_states,
    rewind,
)
from secant._backends.registry import backend_of

BACKEND = backend_of([torch.zeros(1)])


def draw_from_numpy() -> float:
    return float(np.random.rand())  # noqa: NPY002 the global generator is meant


def normal_from_numpy() -> float:
    return float(np.random.randn())  # noqa: NPY002 likewise


DRAWS = {
    "torch": lambda: float(torch.rand(())),
    "NumPy": draw_from_numpy,
    "a normal number of NumPy": normal_from_numpy,
    "Python": random.random,
    "a normal number of Python": lambda: random.gauss(0, 1),
}


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
@pytest.mark.parametrize("drawn_before", [0, 1, 2])
def test_every_generator_is_rewound(draw, drawn_before):
    for _ in range(drawn_before):  # of two normal numbers that are made, one waits
        draw()
    with Restoration(BACKEND) as restoration, EarlyRestoration(restoration):
        inside = [draw() for _ in range(3)]
    assert [draw() for _ in range(3)] == inside


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_what_was_drawn_from_is_known_and_rewound_alone(draw):
    before = random_states(BACKEND)
    assert drawn_since(before) == []
    first = draw()
    drawn = drawn_since(before)
    assert len(drawn) == 1
    rewind(drawn)
    assert draw() == first
    rewind(drawn)


@pytest.mark.parametrize("kind", [PythonGenerator, NumpyGenerator])
def test_a_state_that_is_kept_is_the_state_that_is(kind):
    generator = kind()
    for draw in (random.random, lambda: random.gauss(0, 1), draw_from_numpy, normal_from_numpy):
        for _ in range(700):  # beyond where a Mersenne Twister makes new words
            state = generator.random_state()
            draw()
            own = random.getstate() if kind is PythonGenerator else None
            now = generator.random_state()
            if own is not None:
                assert now == own
            else:
                told = np.random.get_state(legacy=False)  # noqa: NPY002
                assert pickle.dumps(now) == pickle.dumps(told)
            is_same = pickle.dumps(state) == pickle.dumps(now)
            assert generator.same_random_state(state, now) == is_same


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_a_function_that_draws_from_any_of_them_is_frozen(draw):
    report = secant.check(lambda x: x.sin() * (draw() + 9), points(4))
    assert report


def test_an_interrupt_while_state_is_put_back_is_raised_when_that_is_done():
    done = []

    def interrupting():
        if not done:
            done.append("interrupted")
            signal.raise_signal(signal.SIGINT)
        done.append("finished")

    with (
        pytest.raises(KeyboardInterrupt),
        Restoration(BACKEND) as restoration,
        EarlyRestoration(restoration),
    ):
        put_back_later(interrupting)
    assert done == ["interrupted", "finished"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_raises_while_state_is_put_back_costs_another_attempt():
    done = []

    def late():
        done.append(1)
        if len(done) == 1:
            raise TimeoutError

    with (
        pytest.raises(TimeoutError),
        Restoration(BACKEND) as restoration,
        EarlyRestoration(restoration),
    ):
        put_back_later(late)
    assert len(done) >= 2
    assert secant.check(torch.sin, points(3))


def test_a_handler_of_the_users_own_hears_interrupts_during_a_check():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append(1))
    try:
        sine = lambda x: (signal.raise_signal(signal.SIGINT), x.sin())[1]  # noqa: E731
        assert secant.check(sine, points(3))
        assert signal.getsignal(signal.SIGINT) is not before
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(heard) > 2


class Passing(_python_dispatch.TorchDispatchMode):
    """Passes everything on."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("is_done", [True, False], ids=["just done", "not begun"])
def test_a_timer_while_numpys_errors_are_switched_off_leaves_them_as_they_were(
    monkeypatch, is_done
):
    class Late(BaseException):
        pass

    before, own = np.geterr(), np.errstate

    class Interrupted(own):
        def __enter__(self):
            if is_done:
                super().__enter__()
            raise Late

    def errstate(**kinds):
        return (own if "call" in kinds else Interrupted)(**kinds)

    monkeypatch.setattr(np, "errstate", errstate)
    with pytest.raises(Late):
        secant.check(torch.sin, points(3))
    assert np.geterr() == before


def test_modes_flags_and_filters_that_a_function_leaves_are_taken_back():
    filters = list(warnings.filters)

    def leaving(x):
        answer = x.sin()
        torch.set_grad_enabled(False)
        torch.set_default_dtype(torch.float64)
        torch.overrides.BaseTorchFunctionMode().__enter__()
        Passing().__enter__()
        torch.autograd.set_detect_anomaly(True)
        warnings.simplefilter("ignore")
        np.seterr(all="raise")
        return answer

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert secant.check(leaving, points(3))
    assert torch.is_grad_enabled()
    assert torch.get_default_dtype() is torch.float32
    assert torch._C._len_torch_function_stack() == torch._C._len_torch_dispatch_stack() == 0
    assert not _python_dispatch.is_in_torch_dispatch_mode()
    assert not torch.is_anomaly_enabled()
    assert warnings.filters == filters
    assert np.geterr()["divide"] == "warn"


def test_compare_differentiates_though_the_function_switches_gradients_off():
    def wrong(x):
        answer = x.sin() + x.detach()
        torch.set_grad_enabled(False)
        return answer

    assert not secant.compare(wrong, lambda x: x.sin() + x, points(4).float())


def test_threads_take_turns_and_see_only_their_own_levels():
    verdicts = []

    def work():
        for _ in range(10):
            verdicts.append(secant.check(torch.sin, points(4), modes="all").verdict)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert verdicts == [secant.Verdict.PASS] * 40
