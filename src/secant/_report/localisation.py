"""The result of a localisation: every call of one pass with its verdict, and who is to blame."""

from __future__ import annotations

from dataclasses import dataclass, field

from .._findings import Finding, Verdict, gravest
from .._legible import encodable
from .document import JudgedDocument
from .model import Cost, Report


@dataclass(frozen=True, slots=True)
class LocalisedCall:
    """One call of a submodule, or of a custom rule, and what its own check has found.

    `path` is the submodule's, empty for the module itself; a rule has the path of the submodule
    that calls it. `report` is None where the call could not be checked alone; `remark` says why.
    """

    path: str
    kind: str
    number: int  # which call of this submodule, from 1 on
    depth: int  # how many calls it lies inside
    is_rule: bool
    report: Report | None
    remark: str = ""

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on this call alone; None where it was not checked."""
        return None if self.report is None else self.report.verdict

    @property
    def name(self) -> str:
        """What a reader calls it: `encoder.0.norm`, the rule's class, or the module's."""
        own = self.kind if self.is_rule or not self.path else self.path
        return own if self.number == 1 else f"{own} (call {self.number})"

    @property
    def worst(self) -> Finding | None:
        """The finding that decides about this call."""
        return None if self.report is None else self.report.worst


@dataclass(frozen=True)
class Localisation(JudgedDocument):
    """A pass taken apart; truthy only if the whole and every call in it pass.

    `calls` are in the order of execution, the module itself first. `blamed` are the innermost ones
    that fail, `sentence` says so in words.
    """

    name: str
    calls: tuple[LocalisedCall, ...]
    blamed: tuple[LocalisedCall, ...]
    sentence: str
    advice: str
    cost: Cost
    seed: int
    versions: tuple[str, ...]
    rerun: str = field(default="")

    @property
    def whole(self) -> Report:
        """The check of the module itself."""
        report = self.calls[0].report
        assert report is not None, "the whole is always checked"
        return report

    @property
    def verdict(self) -> Verdict:
        """The gravest verdict of all calls that were checked."""
        return gravest(call.verdict for call in self.calls if call.verdict is not None)

    def __getitem__(self, path: str) -> LocalisedCall:
        """Return the gravest call of a submodule by its path, or of a rule by its class's name."""
        own = [call for call in self.calls if path == (call.kind if call.is_rule else call.path)]
        if not own:
            raise KeyError(path)
        order = (Verdict.FAIL, Verdict.INCONCLUSIVE, Verdict.PASS, None)
        return min(own, key=lambda call: order.index(call.verdict))

    def __repr__(self) -> str:
        return encodable(f"<{self.verdict.name} `{self.name}`: {self.sentence or 'all pass'}>")
