"""Settings are validated once, at the border, in one form of words."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import secant
from planted import points
from secant._settings import DEFAULT_LAWS, LAWS, settle

NAMES = (
    "modes, order, probe, laws, rtol, atol, step, draws, seed, masked, kwargs, args, names, "
    "dtype, lift, nondeterminism, max_evaluations, max_seconds, memory, explain, pictures, "
    "progress, pull, push, jacobian, gradient"
)
LAW_NAMES = ", ".join(LAWS)
STEP = "a number from 1e-300 to 1e+300, or None"
MOST = "a whole number of at least 0, or None"
AUTOMATIC = "a number that is finite and not negative, or None"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("probe", "slow", "expected `probe` to be one of auto, fast, full; got 'slow'"),
        ("probe", None, "expected `probe` to be one of auto, fast, full; got None"),
        ("probe", ["fast"], "expected `probe` to be one of auto, fast, full; got ['fast']"),
        ("modes", "back", "expected `modes` to be one of reverse, forward, all; got 'back'"),
        ("order", 0, "expected `order` to be a whole number of at least 1; got 0"),
        ("order", 1.5, "expected `order` to be a whole number of at least 1; got 1.5"),
        ("order", True, "expected `order` to be a whole number of at least 1; got True"),
        ("draws", 0, "expected `draws` to be a whole number of at least 1; got 0"),
        ("memory", 0, "expected `memory` to be a whole number of at least 1; got 0"),
        ("seed", -1, "expected `seed` to be a whole number of at least 0; got -1"),
        ("seed", None, "expected `seed` to be a whole number of at least 0; got None"),
        ("rtol", -1, f"expected `rtol` to be {AUTOMATIC}; got -1"),
        ("rtol", "1e-3", f"expected `rtol` to be {AUTOMATIC}; got '1e-3'"),
        ("atol", float("nan"), f"expected `atol` to be {AUTOMATIC}; got nan"),
        ("atol", float("inf"), f"expected `atol` to be {AUTOMATIC}; got inf"),
        ("max_evaluations", 2.5, f"expected `max_evaluations` to be {MOST}; got 2.5"),
        ("max_evaluations", "soon", f"expected `max_evaluations` to be {MOST}; got 'soon'"),
        ("max_seconds", -1, f"expected `max_seconds` to be {AUTOMATIC}; got -1"),
        ("step", 0, f"expected `step` to be {STEP}; got 0"),
        ("step", 5e-324, f"expected `step` to be {STEP}; got 5e-324"),
        ("step", 1e308, f"expected `step` to be {STEP}; got 1e+308"),
        ("rtol", 10**400, f"expected `rtol` to be {AUTOMATIC}; got 1{99 * '0'} …"),
        ("kwargs", 3, "expected `kwargs` to be a mapping of keyword arguments, or None; got 3"),
        ("memory", 1e6, "expected `memory` to be a whole number of at least 1; got 1000000.0"),
        ("explain", "yes", "expected `explain` to be True or False; got 'yes'"),
        ("explain", None, "expected `explain` to be True or False; got None"),
        ("progress", "yes", "expected `progress` to be True, False or None; got 'yes'"),
        (
            "laws",
            "lineraity",
            f"expected `laws` to be default, all, none, or names from {LAW_NAMES}; got 'lineraity'",
        ),
        ("laws", 3, f"expected `laws` to be default, all, none, or names from {LAW_NAMES}; got 3"),
        (
            "laws",
            [["linearity"]],
            f"expected `laws` to be default, all, none, or names from {LAW_NAMES}; "
            "got [['linearity']]",
        ),
    ],
)
def test_a_bad_value_is_refused_with_the_good_ones(name, value, message):
    with pytest.raises(secant.InputError) as caught:
        secant.check(torch.sin, points(3), **{name: value})
    assert str(caught.value) == message


def test_an_unknown_setting_is_refused_with_the_list_of_settings():
    with pytest.raises(secant.InputError) as caught:
        secant.check(torch.sin, points(3), prob="fast")
    assert (
        str(caught.value)
        == f"expected a setting to be one of {NAMES}; got 'prob'. Did you mean probe?"
    )


def test_a_bad_setting_is_refused_before_the_function_is_called():
    def never(x):
        raise AssertionError("called")

    with pytest.raises(secant.InputError):
        secant.check(never, points(3), probe="slow")


def test_bad_settings_are_value_errors_and_secant_errors():
    with pytest.raises(ValueError, match="probe"):
        secant.check(torch.sin, points(3), probe="slow")
    assert issubclass(secant.InputError, secant.SecantError)


@pytest.mark.parametrize(
    ("value", "laws"),
    [
        ("default", DEFAULT_LAWS),
        ("all", frozenset(LAWS)),
        ("none", frozenset()),
        ("linearity", frozenset({"linearity"})),
        (["linearity", "layout"], frozenset({"linearity", "layout"})),
        ((), frozenset()),
    ],
)
def test_laws_are_chosen_by_word_or_by_name(value, laws):
    assert settle({"laws": value}).laws == laws


def test_only_the_laws_asked_for_are_reported():
    report = secant.check(torch.sin, points(3), laws="linearity")
    assert {finding.kind for finding in report.findings} == {"derivative", "linearity"}


def test_all_modes_are_reverse_and_forward():
    assert settle({"modes": "all"}).directions == ("reverse", "forward")


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others():
    def answers(seed):
        findings = secant.check(torch.sin, points(9), seed=seed, probe="fast").findings
        return [(one.claimed, one.measured) for one in findings]

    assert answers(3) == answers(3)
    assert answers(3) != answers(4)


def test_the_report_states_its_seed():
    report = secant.check(torch.sin, points(9), seed=42)
    assert report.seed == 42
    assert "seed 42" in str(report)


@pytest.mark.parametrize("step", [1e-2, 1e-4])
def test_a_step_that_is_given_is_where_the_measurement_begins(step):
    moves = []
    x = points(1)

    def square(y):
        moves.append(float((y.detach() - x).abs().max()))
        return y * y

    assert secant.check(square, x, step=step, probe="fast")
    moved = [move for move in moves if move]
    assert min(moved) >= step / 2
    assert max(moved) <= 3 * step


def test_rtol_forgives_what_it_says_and_no_more():
    from planted import scaled_sine

    x = points(6)
    assert secant.check(scaled_sine(1.01), x, rtol=0.1)
    assert not secant.check(scaled_sine(1.01), x, rtol=1e-4)


def test_atol_forgives_what_it_says_and_no_more():
    from planted import sine_wrong_at

    x = points(6)
    assert secant.check(sine_wrong_at(2, 1e-3), x, atol=1e-1)
    assert not secant.check(sine_wrong_at(2, 1e-3), x, atol=1e-5)


def test_a_budget_of_evaluations_stops_the_closer_look():
    from planted import scaled_sine

    x = points(400)
    free = secant.check(scaled_sine(1.5), x).cost.evaluations
    bounded = secant.check(scaled_sine(1.5), x, max_evaluations=10)
    assert bounded.cost.evaluations < free
    assert not bounded


@pytest.mark.parametrize("probe", ["fast", "full"])
def test_without_an_explanation_there_is_the_same_verdict_and_nothing_is_searched_for(probe):
    from planted import scaled_sine

    x = points(400 if probe == "fast" else 20)
    explained = secant.check(scaled_sine(1.5), x, probe=probe)
    bare = secant.check(scaled_sine(1.5), x, probe=probe, explain=False)
    assert explained.verdict is bare.verdict is secant.Verdict.FAIL
    assert bare.cost.evaluations <= explained.cost.evaluations
    assert secant.check(torch.sin, x, probe=probe, explain=False)


def test_the_fast_probe_names_entries_and_causes_only_if_asked_to_explain():
    from planted import sine_wrong_at

    x = points(400)
    (entry,) = secant.check(sine_wrong_at(7, 0.1), x).worst.entries
    assert entry.input == "input0[7]"
    bare = secant.check(sine_wrong_at(7, 0.1), x, explain=False)
    assert bare.worst.entries == ()
    assert bare.worst.cause is None
    assert bare.worst.where == "∂out / ∂input0"


def test_more_probes_ask_more_questions():
    one = secant.check(torch.sin, points(9), probe="fast", laws="none").cost
    three = secant.check(torch.sin, points(9), probe="fast", laws="none", draws=3).cost
    assert three.evaluations == 3 * (one.evaluations - 1) + 1
    assert three.pulls == 3 * one.pulls


SETTINGS = (
    *("modes", "order", "probe", "laws", "rtol", "atol", "step", "draws", "seed", "masked"),
    *("kwargs", "lift", "nondeterminism", "max_evaluations", "max_seconds", "memory"),
    *("explain", "pictures", "progress"),
)


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize(
    "array",
    [torch.ones(3), torch.ones(1), np.zeros((2, 2)), np.array(["fast"]), np.array([])],
    ids=["torch", "one entry", "matrix", "words", "empty"],
)
def test_a_setting_that_is_an_array_is_refused_by_its_shape(name, array):
    kind, shape = type(array).__name__, tuple(array.shape)
    with pytest.raises(secant.InputError) as caught:
        secant.check(torch.sin, points(2), **{name: array})
    assert str(caught.value).startswith(f"expected `{name}` to be ")
    assert str(caught.value).endswith(f"; got a {kind} of shape {shape}")


def test_an_array_that_is_one_number_is_that_number():
    settings = settle({"order": np.int64(2), "rtol": torch.tensor(0.5), "masked": np.bool_(True)})
    assert (settings.order, settings.rtol, settings.masked) == (2, 0.5, True)


def test_settings_that_are_equal_and_of_another_kind_are_told_apart():
    with pytest.raises(secant.InputError):
        settle({"order": 1}) and settle({"order": True})


def test_a_value_whose_repr_raises_or_is_long_is_still_refused_in_one_line():
    class Silent:
        def __repr__(self):
            raise ValueError

    with pytest.raises(secant.InputError, match=r"got a Silent$"):
        secant.check(torch.sin, points(2), probe=Silent())
    with pytest.raises(secant.InputError) as caught:
        secant.check(torch.sin, points(2), probe=list(range(10**5)))
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("jac", "Did you mean jacobian?"),
        ("tol", "Did you mean rtol or atol?"),
        ("eps", "Did you mean step?"),
        ("fast_mode", 'Did you mean probe="fast"?'),
        ("stepp", "Did you mean step?"),
        ("dim", "It is the function's own: pass kwargs={'dim': ...}"),
    ],
)
def test_an_unknown_keyword_is_told_what_it_may_mean(name, hint):
    def soft(x, dim=0):
        return x.softmax(dim)

    with pytest.raises(secant.InputError) as caught:
        secant.check(soft, points(2), **{name: 1})
    assert str(caught.value) == f"expected a setting to be one of {NAMES}; got {name!r}. {hint}"


def test_a_keyword_that_nobody_knows_gets_no_hint():
    with pytest.raises(secant.InputError) as caught:
        secant.check(torch.sin, points(2), zzzzzz=1)
    assert str(caught.value).endswith("; got 'zzzzzz'")


def test_a_modules_own_keyword_and_one_of_compare_are_told_too():
    class Scaled(torch.nn.Module):
        def forward(self, x, scale=1.0):
            return x * scale

    own = "It is the function's own: pass kwargs={'scale': ...}"
    for act in (secant.check, secant.localise):
        with pytest.raises(secant.InputError) as caught:
            act(Scaled(), points(2), scale=2.0)
        assert str(caught.value).endswith(own)
    with pytest.raises(secant.InputError, match=r"Did you mean limit\?$"):
        secant.compare(torch.sin, torch.sin, points(2), limits=2.0)


def test_a_rule_and_a_class_are_told_what_to_pass():
    class Rule(torch.autograd.Function):
        pass

    with pytest.raises(secant.InputError) as caught:
        secant.check(Rule, points(2))
    assert str(caught.value) == "expected a function to check; Rule is a rule: pass Rule.apply"
    with pytest.raises(secant.InputError) as caught:
        secant.check(torch.nn.Tanh, points(2))
    said = "expected a module to check; Tanh is its class: pass Tanh(...)"
    assert str(caught.value) == said


def test_a_parameter_of_a_rule_is_told_where_it_goes():
    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.factor = factor
            return x * factor

        @staticmethod
        def backward(ctx, v):
            return v * ctx.factor, None

    with pytest.raises(
        secant.InputError, match=r"the rule's own, .* pass it in its place, or in args"
    ):
        secant.check(Scaled.apply, points(2), factor=2.0)
    assert secant.check(Scaled.apply, points(2), args=(2.0,))
