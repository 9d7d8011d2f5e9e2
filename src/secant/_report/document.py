"""What all that is reported can do: be printed, shown, saved and read back, and raise.

A document knows no medium: each has a folder of its own, which is imported when it is needed.
"""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING

from .._errors import GradientInconclusive, GradientMismatch, expected
from .._findings import Verdict
from .._legible import encodable

if TYPE_CHECKING:
    from typing import Self

    from rich.text import Text


class Document:
    """Words for people, a page, JSON for machines; `print` and `rich` show it on one screen."""

    def __str__(self) -> str:
        from .screen.text import spelt

        return encodable(spelt(self))

    def __rich__(self) -> Text:
        from .screen.terminal import coloured
        from .screen.text import spelt

        return coloured(spelt(self))

    def _repr_html_(self) -> str:
        from .screen.notebook import shown

        return shown(self)

    def to_json(self) -> str:
        """Return it as JSON; `from_json` reads it back."""
        from .json.documents import dump

        return dump(self)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote."""
        from .json.documents import load

        return load(cls, text)

    def save(self, path: str | Path) -> Path:
        """Write it to a file: `.json` for machines, `.txt` and `.html` for people.

        Nothing is written on an error.
        """
        from .pages.documents import render
        from .screen.text import spelt

        path = Path(path)
        if path.suffix == ".json":
            text = self.to_json()
        elif path.suffix == ".txt":
            text = f"{spelt(self)}\n"
        elif path.suffix == ".html":
            text = render(self)
        else:
            raise expected("path", "a file name that ends in .json, .txt or .html", str(path))
        path.write_text(text, encoding="utf-8")
        return path


class JudgedDocument(Document):
    """A document with a verdict; truthy only on PASS."""

    @property
    @abstractmethod
    def verdict(self) -> Verdict:
        """The gravest verdict of all that it holds."""

    def __bool__(self) -> bool:
        return self.verdict is Verdict.PASS

    def raise_for_verdict(self) -> None:
        """Raise unless the verdict is PASS; the exception carries this as `.report`."""
        if self.verdict is Verdict.FAIL:
            raise GradientMismatch(f"\n{self}", self)
        if self.verdict is Verdict.INCONCLUSIVE:
            raise GradientInconclusive(f"\n{self}", self)
