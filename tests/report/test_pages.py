"""Pages without a browser: what they say, that every name stays text, and what they need."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
import torch

import secant
from handmade import COST, broken, doubtful, kept, placed, reasons, report, right, wrong
from hidden import run_without
from planted import planted, points, scaled_sine, sine_wrong_at
from secant import (
    ComparedEntry,
    ComparedError,
    Comparison,
    ComparisonRow,
    InputError,
    Localisation,
    LocalisedCall,
    Verdict,
)
from secant._report.pages.write import embedded
from secant._report.suite import Case, Suite

EVIL = "<script>alert('x')</script><b onmouseover=alert(1)>\u2028&amp;"


class Words(HTMLParser):
    """Collects tags, the text between them, and what scripts hold."""

    def __init__(self):
        super().__init__()
        self.tags, self.texts, self.scripts = [], [], []
        self._inside = []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self._inside.append(tag)

    def handle_endtag(self, tag):
        while self._inside and self._inside.pop() != tag:
            pass

    def handle_data(self, data):
        inside = self._inside[-1] if self._inside else ""
        (self.scripts if inside == "script" else self.texts).append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


def read(path):
    words = Words()
    words.feed(path.read_text(encoding="utf-8"))
    words.close()
    return words


def data_of(words):
    return json.loads(next(script for script in words.scripts if script.startswith("{")))


def evil_report():
    finding = wrong(
        2,
        reasons=reasons(EVIL, f"cause {EVIL}", f"advice {EVIL}", f"note {EVIL}"),
        place=placed(f"picture {EVIL}"),
    )
    finding = replace(finding, where=f"∂{EVIL} / ∂x")
    return report(finding, name=EVIL, rerun=f"secant.check({EVIL})", versions=(EVIL,))


def evil_comparison():
    row = ComparisonRow(
        f"∂{EVIL}",
        Verdict.FAIL,
        EVIL,
        8,
        ComparedError(0.2, 0.1, 1.0),
        ComparedError(float("inf"), 0.0, 2.0),
        (ComparedEntry(EVIL, 1.0, 2.0, None, float("nan")),),
        reasons=reasons(EVIL, EVIL, EVIL),
        place=placed(EVIL),
    )
    return Comparison(EVIL, EVIL, "bfloat16", 2.0, (row,), (EVIL,), COST, 1, (EVIL,), EVIL)


def evil_localisation():
    calls = (
        LocalisedCall("", EVIL, 1, 0, False, evil_report()),
        LocalisedCall(EVIL, EVIL, 1, 1, False, None, EVIL),
    )
    return Localisation(EVIL, calls, calls[:1], EVIL, EVIL, COST, 1, (EVIL,), EVIL)


def evil_suite():
    cases = (
        Case(EVIL, evil_report(), labels={EVIL: EVIL}),
        Case(f"{EVIL} 2", None, EVIL, {EVIL: "other"}),
    )
    return Suite(EVIL, cases, 1.0, (EVIL,))


EVILS = [evil_report, evil_comparison, evil_localisation, evil_suite]


# -- what a page says ----------------------------------------------------------------------------


def test_a_failing_report_says_everything_that_the_text_says(tmp_path):
    finding = wrong(3, place=placed("row 1")).because(
        *reasons(note="a note", advice="look at the factor")
    )
    one = report(finding, broken(), right(), kept("layout"))
    words = read(one.save(tmp_path / "report.html"))
    for said in (
        "FAIL",
        "two2three",
        "The derivative is wrong.",
        "∂out[1][0] / ∂x1[0]",
        "(3 of 20 entries wrong)",
        "-4.032",
        "-3.84 ± 2e-12",
        "all at row 1",
        "a constant factor is wrong",
        "look at the factor",
        "a note",
        "the linearity law",
        "2 findings pass",
        'secant.check(two2three, x1, x2, probe="full", seed=1729)',
        "secant 0.1.0 · torch 2.13.0",
        "1729",
    ):
        assert said in words.text, said


def test_laws_come_before_slopes_and_what_fails_before_what_cannot_be_told(tmp_path):
    words = read(report(doubtful(), wrong(), broken()).save(tmp_path / "report.html"))
    places = [words.text.index(said) for said in ("pull(-8 v)", "a constant factor", "0.2 of the")]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("finding", "sentence"),
    [
        (right(), "The derivative is right, as far as this measurement can see."),
        (wrong(), "The derivative is wrong."),
        (doubtful(), "These numbers cannot tell whether the derivative is right."),
    ],
)
def test_the_verdict_is_a_sentence(tmp_path, finding, sentence):
    assert sentence in read(report(finding).save(tmp_path / "report.html")).text


def test_a_report_without_jacobians_says_how_to_get_them_and_is_small(tmp_path):
    path = secant.check(torch.sin, points(3)).save(tmp_path / "report.html")
    words = read(path)
    assert "pictures=True" in words.text
    assert 'probe="full"' in words.text
    assert path.stat().st_size < 50_000
    assert "Plotly" not in path.read_text(encoding="utf-8")


def test_the_pictures_of_a_report_go_along_as_data(tmp_path):
    words = read(secant.check(sine_wrong_at(1, 0.5), points(3)).save(tmp_path / "report.html"))
    data = data_of(words)
    (pair,) = data["pairs"]
    assert pair["name"] == "∂out / ∂input0"
    kinds = [panel["kind"] for panel in pair["panels"]]
    assert kinds == ["claimed", "measured", "residual", "residuals"]
    residual = pair["panels"][2]
    heat, crosses = residual["traces"]
    assert heat["zmin"] == -heat["zmax"]
    assert heat["customdata"][1][1][0] == "∂out[1] / ∂input0[1]"
    assert heat["customdata"][1][1][4] == "  ✗ wrong"
    assert heat["customdata"][0][0][4] == ""
    assert len(crosses["x"]) == 1
    names = [trace["name"] for trace in pair["panels"][3]["traces"]]
    assert names == ["just tolerated", "tolerated (8)", "wrong (1)"]
    assert data["curve"]["kind"] == "steps"


def test_the_pairs_of_several_leaves_are_offered_the_worst_first(tmp_path):
    def two(x, y):
        return x.sin() * y.sum(), scaled_sine(1.1)(y)

    words = read(secant.check(two, points(3), points(2), probe="full").save(tmp_path / "r.html"))
    pairs = data_of(words)["pairs"]
    assert [pair["verdict"] for pair in pairs] == ["FAIL", "PASS", "PASS", "PASS"]
    assert pairs[0]["name"] == "∂out[1] / ∂y"
    options = [attributes for tag, attributes in words.tags if tag == "option"]
    assert len(options) == 4


def test_a_large_jacobian_is_reduced_and_its_one_wrong_entry_is_kept(tmp_path):
    one = secant.check(sine_wrong_at(77, 0.5), points(150), probe="full")
    (pair,) = data_of(read(one.save(tmp_path / "report.html")))["pairs"]
    assert pair["is_reduced"]
    heat, crosses = pair["panels"][2]["traces"]
    assert len(heat["z"]) * len(heat["z"][0]) <= 4096
    assert len(crosses["x"]) == 1
    labels = [cell[0] for row in heat["customdata"] for cell in row if cell[4]]
    assert labels == ["∂out[77] / ∂input0[77]"]


def test_claims_that_are_not_finite_are_drawn_as_gaps_and_spelt_out(tmp_path):
    one = secant.check(
        planted("Nan", torch.sin, lambda s, v: v * float("nan")), points(2), probe="full"
    )
    if not any(jacobian is not None for jacobian in one.jacobians.values()):
        pytest.fail("a full check keeps its Jacobian")
    (pair,) = data_of(read(one.save(tmp_path / "report.html")))["pairs"]
    heat = pair["panels"][0]["traces"][0]
    assert heat["z"][0][0] is None
    assert heat["customdata"][0][0][1] == "nan"


def test_a_report_read_back_from_json_has_the_same_pictures(tmp_path):
    one = secant.check(scaled_sine(1.1), points(3))
    again = secant.Report.from_json(one.to_json())
    pages = [data_of(read(r.save(tmp_path / "report.html"))) for r in (one, again)]
    assert pages[0] == pages[1]


def test_a_comparison_says_errors_ratios_entries_and_cause(tmp_path):
    one = secant.compare(lambda x: x.sin() * 1.5, torch.sin, points(6).float())
    words = read(one.save(tmp_path / "comparison.html"))
    for said in ("FAIL", "The kernel is wrong.", "in norm", "worst entry", "beyond", "out", "seed"):
        assert said in words.text, said
    assert one.worst.entries[0].where in words.text
    assert one.rerun in words.text


def test_a_localisation_says_who_is_to_blame(tmp_path):
    network = torch.nn.Sequential(torch.nn.Linear(3, 3), Sine()).double()
    one = secant.localise(network, points(2, 3))
    words = read(one.save(tmp_path / "localisation.html"))
    for said in ("To blame", one.sentence, "Linear", "to blame", "PASS", one.rerun):
        assert said in words.text, said
    assert data_of(words)["pairs"], "the guilty call's Jacobian is drawn"


class Sine(torch.nn.Module):
    def forward(self, x):
        return scaled_sine(1.1)(x)


def test_an_index_holds_every_check_and_pictures_of_failures_only(tmp_path):
    failing = secant.check(scaled_sine(1.1), points(3))
    passing = secant.check(torch.sin, points(3), pictures=True)
    cases = (
        Case("sin", passing, labels={"dtype": "float64", "same": "everywhere"}),
        Case("wrong sin", failing, labels={"dtype": "float32", "same": "everywhere"}),
        Case("log", None, "the point itself is not finite", {"same": "everywhere"}),
    )
    words = read(Suite("a suite", cases, 2.0).save(tmp_path / "index.html"))
    data = data_of(words)
    told = {case["name"]: case for case in data["cases"]}
    assert told["sin"]["panels"] == []
    assert [panel["kind"] for panel in told["wrong sin"]["panels"]][-1] == "steps"
    assert told["log"]["refusal"] == "the point itself is not finite"
    selects = [attributes for tag, attributes in words.tags if tag == "select"]
    assert [one["data-label"] for one in selects] == ["dtype"]  # one value is nothing to choose
    assert "FAIL 1 " in words.text


def test_an_index_of_many_checks_stays_small(tmp_path):
    passing = secant.check(torch.sin, points(3), pictures=True)
    cases = tuple(Case(f"case {k}", passing, labels={"dtype": f"d{k % 3}"}) for k in range(2000))
    path = Suite("many", cases, 2.0).save(tmp_path / "index.html")
    assert path.stat().st_size < 3_000_000


def test_the_pictures_of_an_index_keep_to_their_room(tmp_path):
    failing = secant.check(sine_wrong_at(3, 0.5), points(60), probe="full")
    cases = tuple(Case(f"case {k}", failing) for k in range(200))
    data = data_of(read(Suite("many", cases, 2.0).save(tmp_path / "index.html")))
    drawn = [bool(case["panels"]) for case in data["cases"]]
    assert 20 <= sum(drawn) < 40
    heat = data["cases"][0]["panels"][0]["traces"][0]
    assert len(heat["z"]) * len(heat["z"][0]) <= 576


# -- names stay text -----------------------------------------------------------------------------


@pytest.mark.parametrize("make", EVILS)
def test_names_with_tags_in_them_are_text(tmp_path, make):
    words = read(make().save(tmp_path / "page.html"))
    assert "alert('x')" in " ".join([*words.texts, *words.scripts])
    scripts = [attributes for tag, attributes in words.tags if tag == "script"]
    code = [script for script in words.scripts if not script.startswith("{")]
    assert not any("alert(" in script for script in code)
    assert len(scripts) == len([script for script in words.scripts if script.strip()])
    assert not any("onmouseover" in attributes for _, attributes in words.tags)


@pytest.mark.parametrize("make", EVILS)
def test_only_scripts_of_known_hash_may_run_and_nothing_may_be_fetched(tmp_path, make):
    words = read(make().save(tmp_path / "page.html"))
    (policy,) = [a["content"] for tag, a in words.tags if tag == "meta" and "http-equiv" in a]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy.partition("script-src")[2].partition(";")[0]
    for script in words.scripts:
        if script.startswith("{") or not script.strip():
            continue
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    for tag, attributes in words.tags:
        assert not {"src", "href", "onclick"} & set(attributes), tag


@pytest.mark.parametrize("make", EVILS)
def test_what_a_notebook_shows_has_no_script_and_names_are_text(make):
    words = Words()
    words.feed(make()._repr_html_())
    assert {tag for tag, _ in words.tags} <= {
        *("div", "b", "span", "table", "thead", "tbody", "tr", "th", "td"),
    }
    assert all(set(attributes) <= {"style"} for _, attributes in words.tags)
    assert "alert('x')" in words.text
    assert "FAIL" in words.text


def test_data_inside_a_script_element_cannot_end_it():
    text = embedded({"name": EVIL, "number": float("nan")})
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == {"name": EVIL, "number": "nan"}


def test_plotly_gets_labels_escaped(tmp_path):
    frame = secant._report.model.Frame((f"{EVIL}[0]",), ("x<sup>2</sup>",), 1e-7, 0.0)
    one = np.ones((1, 1))
    pair = (EVIL, "x<sup>2</sup>")
    holds = {
        "jacobians": {pair: secant.Jacobian(one, 2 * one, 1e-9 * one)},
        "frames": {pair: frame},
    }
    made = report(replace(wrong(), where=f"∂{pair[0]} / ∂{pair[1]}"), **holds)
    for trace in made.plot().data:
        for label in np.ravel(trace.customdata if trace.customdata is not None else []):
            assert "<" not in str(label)
    data = data_of(read(made.save(tmp_path / "report.html")))
    for panel in data["pairs"][0]["panels"]:
        assert "<" not in panel["xaxis"]["title"]["text"]
        assert "<" not in panel["yaxis"]["title"]["text"]
        assert not any("<" in text for text in panel["xaxis"].get("ticktext", []))


# -- notebooks -----------------------------------------------------------------------------------


def test_a_notebook_shows_what_the_text_says():
    one = report(wrong(3), right())
    words = Words()
    words.feed(one._repr_html_())
    for said in ("FAIL", "∂out[1][0] / ∂x1[0]", "a constant factor", "measured ± error", one.rerun):
        assert said in words.text, said
    words = Words()
    words.feed(Suite("mine", (Case("a", one), Case("b", report(right()))), 1.0)._repr_html_())
    assert "mine: 1 FAIL, 1 PASS" in words.text


def test_the_picture_of_a_failure_has_heat_maps_residuals_and_a_curve():
    figure = secant.check(scaled_sine(1.1), points(3)).plot()
    assert [trace.type for trace in figure.data].count("heatmap") == 3
    assert len(figure.layout.annotations) == 5
    assert "claimed − measured" in figure.layout.annotations[2].text
    assert "@" not in figure.to_json()
    assert figure.layout.title.text == "FAIL  ScaledSine"


def test_the_picture_of_a_chosen_pair_is_of_that_pair():
    def two(x, y):
        return x.sin() * y.sum(), y.cos()

    one = secant.check(two, points(3), points(2), probe="full")
    assert one.plot(output="out[1]", input="y").layout.xaxis.title.text == "∂y"
    assert one.plot(output=0, input=1).data[0].customdata[2][1][0] == "∂out[0][2] / ∂y[1]"
    with pytest.raises(InputError, match="expected `output` to be one of"):
        one.plot(output="z")


def test_a_report_with_nothing_to_draw_says_how_to_get_it():
    with pytest.raises(InputError) as caught:
        secant.check(torch.sin, points(3)).plot()
    assert str(caught.value) == (
        "expected a report with something to draw; this one holds neither Jacobians nor a "
        "step-size curve: check again with pictures=True"
    )


# -- files and dependencies ----------------------------------------------------------------------


@pytest.mark.parametrize("make", EVILS)
def test_other_endings_are_refused_and_nothing_is_written(tmp_path, make):
    with pytest.raises(InputError) as caught:
        make().save(tmp_path / "page.xml")
    assert str(caught.value) == (
        "expected `path` to be a file name that ends in .json, .txt or .html; "
        f"got {str(tmp_path / 'page.xml')!r}"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("make", EVILS)
def test_text_and_json_are_written_for_every_kind(tmp_path, make):
    one = make()
    assert one.save(tmp_path / "a.txt").read_text(encoding="utf-8") == f"{one}\n"
    written = one.save(str(tmp_path / "a.json")).read_text(encoding="utf-8")
    assert type(one).from_json(written).to_json() == written


CHECKED = (
    "import numpy as np, secant\n"
    "def slope(x):\n    return np.diag(np.cos(x))\n"
    "x = np.linspace(0.1, 1, 3)\n"
    "one = secant.check(np.sin, x, jacobian=slope, pictures=True)\n"
    "plain = secant.check(np.sin, x, jacobian=slope, probe='fast')\n"
)


def without(module, code):
    """Run code where a module cannot be imported; return what it prints."""
    caught = f"try:\n    {code}\nexcept secant.InputError as error:\n    print(error)"
    run = run_without((module,), CHECKED + caught)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


@pytest.mark.parametrize(
    ("module", "code", "what"),
    [
        ("jinja2", "plain.save('nowhere/report.html')", "a page"),
        ("plotly", "one.save('nowhere/report.html')", "a page with pictures"),
        ("plotly", "one.plot()", "a picture"),
    ],
)
def test_a_missing_dependency_is_named_with_the_way_to_get_it(module, code, what):
    assert without(module, code) == (
        f"expected {module} to be installed, which {what} needs; "
        "get it with: pip install 'secant[html]'"
    )


@pytest.mark.parametrize("module", ["jinja2", "plotly"])
def test_notebooks_text_and_json_need_neither(module):
    code = "print('PASS' in one._repr_html_(), 'PASS' in str(one), 'PASS' in one.to_json())"
    assert without(module, code) == "True True True"


def test_a_check_and_its_words_import_neither():
    code = (
        "str(one), one.to_json(), one._repr_html_()\n"
        "import sys; print([name for name in ('jinja2', 'plotly') if name in sys.modules])"
    )
    run = run_without((), CHECKED + code)
    assert run.stdout.strip() == "[]", run.stderr
