"""The codes of findings as a page of the reference and in the JSON schema.

`python docs/_codes.py` writes anew what is made of the words: headings, examples, sentences. What a
code means, what usually causes it and what to do is written on the page itself, below its example.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from secant._words import causes, comparisons, laws, matrices, places, remarks, slopes
from secant._words.reason import Topic, said, topics

DOCS = Path(__file__).parent
PAGE = DOCS / "reference" / "findings.md"
SCHEMA = DOCS / "schema" / "report-3.json"
CHAPTERS = (
    ("A claim and a measurement", slopes),
    ("Why, from random directions", causes),
    ("Why, from whole Jacobians", matrices),
    ("Why, in some places", places),
    ("Laws", laws),
    ("Beside the derivatives, and groups of processes", remarks),
    ("Kernels against a reference", comparisons),
)
ASPECTS = {"what": "what", "why": "likely", "advice": "next", "note": "note", "place": "wrong"}


def page() -> str:
    """Return the page of the reference, with what is written on it by hand."""
    written = PAGE.read_text(encoding="utf-8")
    head = written.partition("\n## ")[0]
    return "\n".join(
        [head, *(line for one in CHAPTERS for line in _chapter(*one, meanings(written)))]
    )


def meanings(page: str) -> dict[str, str]:
    """Return what the page says of each code below its example."""
    found = re.findall(
        r"^### (\w+)\n\n`.*?```\n\n(.*?)\n(?=\n#|\Z)", page, re.DOTALL | re.MULTILINE
    )
    return dict(found)


def _chapter(title: str, module: Any, meaning: Mapping[str, str]) -> Iterator[str]:
    yield f"## {title}\n"
    for topic in vars(module).values():
        if isinstance(topic, Topic):
            yield from _section(topic, meaning.get(topic.code, "TO DO: what it means, what to do"))


def _section(topic: Topic, meaning: str) -> Iterator[str]:
    reason = topic(**topic.example)
    fields = ", ".join(f"{name}={value!r}" for name, value in topic.example.items())
    yield f"### {topic.code}\n"
    yield f"`{topic.code}({fields})`\n"
    yield "```text"
    for aspect, label in ASPECTS.items():
        words = said(reason, aspect)
        if words:
            yield f"{label:<8}{words}"
    yield "```\n"
    yield f"{meaning}\n"


def reason_schema() -> dict[str, Any]:
    """Return what the schema says about reasons: every code, with the fields that it has."""
    return {
        "description": "What was found, why or beside it; the reference has a section per code.",
        "oneOf": [
            {
                "type": "object",
                "properties": {
                    "code": {"const": code},
                    "fields": {
                        "type": "object",
                        "properties": dict.fromkeys(topic.example, True),
                        "required": list(topic.example),
                        "additionalProperties": False,
                    },
                },
                "required": ["code", "fields"],
                "additionalProperties": False,
            }
            for code, topic in topics().items()
        ],
    }


def schema() -> str:
    """Return the schema with the codes as they are, a line for each."""
    document = json.loads(SCHEMA.read_text(encoding="utf-8"))
    reason = reason_schema()
    document["$defs"]["reason"] = {**reason, "oneOf": [f"@{k}" for k in range(len(topics()))]}
    text = json.dumps(document, indent=2, ensure_ascii=False)
    for k, one in enumerate(reason["oneOf"]):
        text = text.replace(f'"@{k}"', json.dumps(one))
    return text + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    SCHEMA.write_text(schema(), encoding="utf-8")
