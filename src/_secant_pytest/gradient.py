"""The `gradient` fixture: secant's verbs, with the settings of the running test.

Each returns what secant's verb returns on PASS and raises what `secant.assert_gradient` raises
otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest

from .recorder import Recorder

if TYPE_CHECKING:
    from typing import Unpack

    from secant import Comparison, Localisation, Report
    from secant._keywords import (
        FixtureCheckKeywords,
        FixtureCompareKeywords,
        FixtureLocaliseKeywords,
    )

__tracebackhide__ = True  # nothing in here helps to understand a failure


class Gradient:
    """Checks gradients for the test that is running."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def __repr__(self) -> str:  # pytest shows a failing test's fixtures
        return "secant's verbs"

    def check(
        self,
        function: Callable[..., Any],
        *inputs: Any,
        **settings: Unpack[FixtureCheckKeywords],
    ) -> Report:
        """Check a function's gradient as `secant.check` does; return the report on PASS."""
        return cast("Report", self._ask("check", function, inputs, settings))

    def compare(
        self,
        function: Callable[..., Any],
        reference: Callable[..., Any],
        *inputs: Any,
        **settings: Unpack[FixtureCompareKeywords],
    ) -> Comparison:
        """Hold a kernel against a reference as `secant.compare` does; return that on PASS."""
        asked = self._ask("compare", function, (reference, *inputs), settings)
        return cast("Comparison", asked)

    def localise(
        self,
        module: Callable[..., Any],
        *inputs: Any,
        **settings: Unpack[FixtureLocaliseKeywords],
    ) -> Localisation:
        """Check every submodule call as `secant.localise` does; return that on PASS."""
        return cast("Localisation", self._ask("localise", module, inputs, settings))

    def _ask(
        self, verb: str, function: Callable[..., Any], arguments: tuple[Any, ...], own: Any
    ) -> Any:
        import secant

        settings, inconclusive = self._recorder.settled(verb, own)
        with self._recorder.fixture(inconclusive):
            result = getattr(secant, verb)(function, *arguments, **settings)
        if not result:
            result = replace(result, rerun=self._recorder.rerun(verb, result) or result.rerun)
        if result.verdict is secant.Verdict.INCONCLUSIVE and inconclusive != "fail":
            if inconclusive == "assume" and self._recorder.is_property:
                from hypothesis import assume

                assume(False)
            if inconclusive in ("skip", "assume"):
                pytest.skip(str(result).partition("\n")[0])
            return result
        result.raise_for_verdict()
        return result
