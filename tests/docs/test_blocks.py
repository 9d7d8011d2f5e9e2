"""The runner of the documentation's code notices what a page gets wrong, and nothing else."""

from __future__ import annotations

import pytest

from docs.blocks import blocks_of, difference, run, write

PAGE = """
<!-- before:
x = 3
-->

```python
y = x + 1
```

Words between.

```python
print(y, "apples")
```

```
4 apples
```

<!-- not run: it needs an orchard -->

```python
raise RuntimeError
```

```
not an output
```

```yaml
x: 5
```
"""


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(PAGE, encoding="utf-8")
    return path


def test_blocks_share_a_namespace_and_those_that_are_not_run_have_a_reason(page):
    blocks = list(blocks_of(PAGE))
    assert [block.reason for block in blocks] == ["", "", "", "it needs an orchard"]
    assert [block.expected for block in blocks[:3]] == [None, None, "4 apples"]
    done = run(page, page.parent)
    assert [printed for _, printed in done] == ["", "", "4 apples"]


def test_a_traceback_names_the_line_of_the_page(page):
    page.write_text(PAGE.replace("y = x + 1", "y = z"), encoding="utf-8")
    with pytest.raises(NameError) as raised:
        run(page, page.parent)
    assert raised.traceback[-1].lineno + 1 == PAGE.splitlines().index("y = x + 1") + 1


def test_what_is_printed_is_written_down_where_the_page_says_otherwise(page):
    page.write_text(PAGE.replace("4 apples", "five pears"), encoding="utf-8")
    write(page, page.parent)
    assert page.read_text(encoding="utf-8") == PAGE


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("claimed  1.05", "claimed   1.0501"),
        (
            "measured  1 ± 3e-11   (1.7e+09 error bars apart)",
            "measured 1 ± 9e-12 (5e+09 error bars apart)",
        ),
        ("5 evaluations, 0.11 s  seed 1729", "5 evaluations, 3.2 s  seed 1729"),
        ("186 evaluations, 25 pulls", "190 evaluations, 24 pulls"),
        ("evaluations 186 → 5, seconds 0.05 → 0.01", "evaluations 190 → 5, seconds 3.1 → 1.2"),
        ("is within a rounding of the claim", "is within 1.4 roundings of the claim"),
        ("entry above 1.0e-06 is caught", "entry above 3.1e-06 is caught"),
        ("first\n  …\nlast", "first\nbetween\nagain\nlast"),
        ("first\n…", "first\nlast"),
        ("first\n…", "first"),
    ],
)
def test_what_a_machine_decides_may_differ(shown, printed):
    assert difference(shown, printed) is None


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("claimed  1.05", "claimed  1.1"),
        ("PASS", "FAIL"),
        ("∂out[3] / ∂x[3]", "∂out[2] / ∂x[3]"),
        ("measured  1 ± 3e-11", "measured  1 ± 3e-03"),
        ("5 evaluations", "50 evaluations"),
        ("evaluations 186 → 5, seconds 0.05 → 0.01", "evaluations 186 → 50, seconds 0.05 → 0.01"),
        ("2 pulls, 0 pushes", "2 pulls, 2 pushes"),
        ("one", "one\ntwo"),
        ("one\ntwo", "one"),
        ("first\n…\nlast", "first\nbetween"),
    ],
)
def test_words_and_numbers_that_matter_may_not(shown, printed):
    assert difference(shown, printed) is not None
