"""Every broken module is localised to the right submodule, and its right twin to none."""

from __future__ import annotations

import pytest
import torch

import secant
from secant import Verdict
from wrong.modules.layers import LAYERS
from wrong.modules.plumbing import PLUMBING

MUSEUM = (*LAYERS, *PLUMBING)


@pytest.mark.parametrize("broken", MUSEUM, ids=str)
def test_the_right_submodule_is_blamed(broken):
    torch.manual_seed(0)
    module, inputs = broken.build(True)
    result = secant.localise(module, *inputs)
    assert result.verdict is Verdict.FAIL, str(result)
    assert [call.path for call in result.blamed][:1] == [broken.guilty], str(result)
    assert {call.path for call in result.blamed} == {broken.guilty}, str(result)
    assert result.blamed[0].is_rule is bool(broken.rule), str(result)
    if broken.rule:
        assert result.blamed[0].kind == broken.rule, str(result)
        assert f"`{broken.rule}" in result.sentence
    assert broken.says in result.sentence, str(result)
    assert len(str(result).splitlines()) <= 40


@pytest.mark.parametrize("broken", MUSEUM, ids=str)
def test_the_default_check_fails_it(broken):
    torch.manual_seed(0)
    module, inputs = broken.build(True)
    assert secant.check(module, *inputs).verdict is Verdict.FAIL


@pytest.mark.parametrize("broken", MUSEUM, ids=str)
def test_nobody_is_blamed_where_nothing_is_wrong(broken):
    torch.manual_seed(0)
    module, inputs = broken.build(False)
    result = secant.localise(module, *inputs)
    assert result.verdict is Verdict.PASS, str(result)
    assert not result.blamed
    assert secant.check(module, *inputs)


def test_there_are_enough_of_them():
    assert len(MUSEUM) >= 15
    assert len({broken.name for broken in MUSEUM}) == len(MUSEUM)
