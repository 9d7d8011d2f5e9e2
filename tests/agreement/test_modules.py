"""A thinned run over torch's module database: every so many inputs, in training and evaluation.

`make agreement` asks about all of them.
"""

from __future__ import annotations

import pytest

from agreement.modules import Answers, ask, read

STRIDE = 97  # inputs of one entry; the first is always among them
GROUPS = 8  # tests that the entries are dealt out to


@pytest.mark.thinned(keep=2)
@pytest.mark.parametrize("group", range(GROUPS))
@pytest.mark.filterwarnings("ignore")
def test_every_module_passes_or_is_listed(group):
    from _modules import entries, questions

    answers = Answers(read())
    for entry in entries()[group::GROUPS]:
        ask(questions(entry, stride=STRIDE), answers)
    assert sum(answers.counts.values()) > 0
    assert not answers.unlisted


def test_every_listed_module_has_a_reason():
    assert all(read().values())


def test_an_answer_that_nobody_listed_is_reported():
    import torch

    from _modules import Question

    class Doubled(torch.nn.Linear):
        def forward(self, x):
            return super().forward(x) + super().forward(x).detach()

    x = torch.ones(1, 2, dtype=torch.float64)
    wrong = Question("nn.Doubled", "training", 0, 1, Doubled(2, 2).double(), (x,), {})
    answers = Answers({("nn.Doubled", 1, "pass"): "x", ("nn.Doubled", 1, "raises"): "x"})
    ask([wrong], answers)
    assert len(answers.unlisted) == 1
    assert answers.unlisted[0].startswith("nn.Doubled training[0] order 1: fail")
    assert ("nn.Doubled", 1, "raises") in answers.unused()
