"""The codes of findings as a page of the reference and in the JSON schema, both made of the words.

`python docs/_codes.py` writes them anew; a test holds what is written against the codes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
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
HEAD = """# What findings say

A finding, and a row of a comparison, has `reasons`: codes with fields, the first of which says what
was found. `finding.message`, `cause`, `advice` and `note` are their words, in the reader's dialect;
decide by `finding.codes` and `reason.fields`, never by words, which may be put better any day.

```python
import secant
import torch


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx, v):
        (x,) = ctx.saved_tensors
        return 1.05 * v * x.cos()


report = secant.check(Wrong.apply, torch.linspace(0.1, 1, 5, dtype=torch.float64))
assert report.worst.codes == ("WRONG_SLOPE", "CONSTANT_FACTOR")
assert report.worst.reasons[1].fields["factor"] == 1.05
```

In the JSON they stand as `{"code": "CONSTANT_FACTOR", "fields": {"factor": 1.05, ...}}`, and
[the schema](../schema/report-3.json) lists every code with its fields. Every section below has an
example, what it means and usually comes from, and what to do.
"""
ASPECTS = {"what": "what", "why": "likely", "advice": "next", "note": "note"}


def page() -> str:
    """Return the page of the reference."""
    return "\n".join([HEAD, *(line for chapter in CHAPTERS for line in _chapter(*chapter))])


def _chapter(title: str, module: Any) -> Iterator[str]:
    yield f"## {title}\n"
    for topic in vars(module).values():
        if isinstance(topic, Topic):
            yield from _section(topic)


def _section(topic: Topic) -> Iterator[str]:
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
    yield f"{topic.means}{' ' + topic.do if topic.do else ''}\n"


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
