"""The parts of the trust benchmark: from a part's name to questions, from a question to answers.

A question is its name, `part:…`, which says all that is needed to make it again, also in another
process. `answers_to` makes the function, asks secant, and gives one `Answer` or several; `show`
prints what was asked.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace

from _answers import SEVERITY, Answer, ask
from _cases import CASES
from _growing import SIZES, Growing, growing
from _inexact import Inexact, inexact, shape_of
from _trust_programs import ask_programs, ask_resolution, ask_wrong, show_program
from _units import CLAIMS, FUNCTIONS, in_units

__all__ = ["PARTS", "PROGRAMS", "answers_to", "names_of", "show"]

PROGRAMS = {"programs": 1, "wrong": 1, "resolution": 5}  # every program, or every fifth
THINNED = 7  # a quick run takes every seventh of the other parts
CLEAR = 1.0  # an error as large as the gradient may not pass in any precision


def names_of(part: str, indices: range, seed: int, *, is_quick: bool) -> list[str]:
    """A part's questions; those that are not about programs do not depend on the indices."""
    if part in PROGRAMS:
        every = PROGRAMS[part]
        return [f"{part}:{seed}:{index}" for index in indices if index % every == 0]
    names = [f"{part}:{name}" for name in OTHERS[part]()]
    return names[::THINNED] if is_quick else names


def answers_to(name: str) -> list[Answer]:
    """Ask secant; nothing that it raises ends the run."""
    return ASKERS[name.partition(":")[0]](name)


def ask_growing(name: str) -> list[Answer]:
    """Every size in turn; an answer that is milder than the one before is false."""
    one = Growing(*name.split(":")[1:])
    answers = []
    severity = 0
    for size in SIZES:
        expected = "any" if size < CLEAR else "fail"
        answer = ask(
            f"{name}:{size:g}",
            (one.name, one.dtype),
            expected,
            one.at(size),
            one.inputs,
            explain=False,
        )
        is_milder = SEVERITY[answer.verdict] < severity
        severity = SEVERITY[answer.verdict]
        answers.append(replace(answer, expected="graver") if is_milder else answer)
    return answers


def ask_units(name: str) -> list[Answer]:
    """One function with one claim in many units; an answer unlike that in its own units is false.

    One power for each entry is asked with the full probe, and so is a column that is off.
    """
    _, function, dtype, claim = name.split(":")
    answers: list[Answer] = []
    for one in in_units(function, dtype, claim):
        probe = "full" if claim == "column" or one.is_each else "auto"
        answer = ask(
            f"units:{one.name}",
            (claim, dtype, "one for each entry" if one.is_each else "one for all"),
            "pass" if claim == "right" else "fail",
            one,
            one.inputs,
            probe=probe,
            explain=False,
        )
        is_other = bool(answers) and answer.verdict != answers[0].verdict
        answers.append(replace(answer, expected="unchanged") if is_other else answer)
    return answers


def ask_inexact(name: str) -> list[Answer]:
    """A solver; where a right gradient fails and the report names a tolerance, with that once more.

    A right gradient of a rough function may not fail; one of a smooth function that is off by its
    tolerance should, and should say what forgives it. Wrong ones may not pass below 1e-3.
    """
    one = inexact_of(name)
    shape, _ = shape_of(one.solver, one.tolerance)
    truth = "right" if one.mistake == "right" else "wrong"
    if truth == "right":
        expected = "any" if shape.startswith("smooth, ") else "pass"
    else:
        expected = "fail" if one.tolerance < 1e-3 and shape != "smooth, far off" else "any"
    answer = ask(name, (truth, shape), expected, one, one.inputs)
    if truth == "wrong" or answer.verdict != "fail" or answer.forgiving is None:
        return [answer]
    row = (truth, shape, "with the tolerance that the report names")
    setting, _, number = answer.forgiving.partition("=")
    forgiving = {setting: float(number)}
    return [answer, ask(name, row, "pass", one, one.inputs, **forgiving)]


def inexact_of(name: str) -> Inexact:
    """The inexact function of a name."""
    _, solver, tolerance, mistake = name.split(":")
    return Inexact(solver, float(tolerance), mistake)


def ask_casts(name: str) -> list[Answer]:
    """One of the small cases."""
    case = CASES[name.partition(":")[2]]
    expected = "pass" if case.is_right else "fail"
    settings = {"explain": case.is_right, **case.settings}
    return [ask(name, case.row, expected, case.function, case.inputs(), **settings)]


ASKERS: dict[str, Callable[[str], list[Answer]]] = {
    "programs": ask_programs,
    "wrong": ask_wrong,
    "resolution": ask_resolution,
    "growing": ask_growing,
    "units": ask_units,
    "inexact": ask_inexact,
    "casts": ask_casts,
}
OTHERS: dict[str, Callable[[], list[str]]] = {
    "growing": lambda: [f"{one.name}:{one.dtype}:{one.kind}" for one in growing()],
    "units": lambda: [
        f"{function}:{dtype}:{claim}"
        for function in FUNCTIONS
        for dtype in ("float64", "float32")
        for claim in CLAIMS
    ],
    "inexact": lambda: [one.name for one in inexact()],
    "casts": lambda: list(CASES),
}
PARTS = tuple(ASKERS)


def show(name: str) -> str:
    """A question as a few lines of Python, to be run beside these modules."""
    part, _, rest = name.partition(":")
    if part in PROGRAMS:
        return show_program(name)
    if part == "growing":
        function, dtype, kind, *size = rest.split(":")
        made = f"Growing({function!r}, {dtype!r}, {kind!r}).at(float('{''.join(size) or 1}'))"
        return f"from _growing import Growing\n\nfunction = {made}"
    if part == "units":
        function, dtype, claim, *others = rest.split(":")
        each, power, gain = others or ("all", "0", "0")
        arguments = f"{function!r}, {dtype!r}, {claim!r}, {power}, {gain}, is_each={each == 'each'}"
        return f"from _units import InUnits\n\nfunction = InUnits({arguments})"
    if part == "inexact":
        return f"from _inexact import Inexact\n\nfunction = {inexact_of(name)!r}"
    source = inspect.getsource(CASES[rest].function)
    return f"from _cases import CASES\n\nfunction = CASES[{rest!r}].function\n\n# {source}"
