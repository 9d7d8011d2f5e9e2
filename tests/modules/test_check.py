"""Modules as they are: parameters by name, frozen, tied, lazy, normed, in any container."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrizations
from torch.nn.utils.rnn import pack_sequence, pad_packed_sequence

import secant
from secant import Verdict
from wrong.modules.broken import numbers


def leaves(report):
    """The leaves that were asked about, by name."""
    pairs = [one.where for one in report.findings if one.kind == "derivative"]
    return {where.partition(" / ∂")[2] for where in pairs}


def passes(module, *inputs, **settings):
    report = secant.check(module, *inputs, **settings)
    assert report.verdict is Verdict.PASS, str(report)
    return leaves(report)


def test_parameters_and_inputs_are_leaves_by_name():
    network = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)).double()
    assert passes(network, numbers(2, 3)) == {
        "input",
        "0.weight",
        "0.bias",
        "2.weight",
        "2.bias",
    }


def test_an_input_with_a_parameters_name_is_told_apart():
    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(numbers(3))

        def forward(self, weight):
            return (weight * self.weight).sin()

    assert passes(Scaled(), numbers(3) + 1) == {"weight", "self.weight"}


def test_frozen_parameters_are_left_alone():
    network = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2)).double()
    network[0].requires_grad_(False)
    assert passes(network, numbers(2, 3)) == {"input", "1.weight", "1.bias"}


def test_marked_inputs_are_differentiated_and_the_others_not():
    bilinear = nn.Bilinear(2, 3, 2, bias=False).double()
    marked = numbers(4, 2).requires_grad_()
    assert passes(bilinear, marked, numbers(4, 3)) == {"input1", "weight"}


class Tied(nn.Module):
    def __init__(self, detached=False):
        super().__init__()
        self.encode = nn.Linear(4, 2, bias=False)
        self.decode = nn.Linear(2, 4, bias=False)
        self.decode.weight = nn.Parameter(numbers(4, 2))
        self.again = nn.Linear(2, 4, bias=False)
        self.again.weight = self.decode.weight

    def forward(self, x):
        return self.again(self.encode(self.decode(self.encode(x)).tanh()))


def test_tied_parameters_are_one_leaf():
    assert passes(Tied().double(), numbers(3, 4)) == {"x", "encode.weight", "decode.weight"}


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize(
    ("normed", "expected", "order"),
    [
        (parametrizations.weight_norm, "parametrizations.weight.original0", 1),
        (parametrizations.spectral_norm, "parametrizations.weight.original", 2),
        (parametrizations.orthogonal, "parametrizations.weight.original", 2),
    ],
)
def test_parametrisations(normed, expected, order, training):
    torch.manual_seed(0)
    layer = normed(nn.Linear(3, 3).double()).train(training)
    assert expected in passes(layer, numbers(2, 3), order=order)


def test_the_second_derivative_of_torchs_weight_norm_is_wrong():
    # torch 2.13 takes the saved norm for a constant; its own gradgradcheck says so too
    torch.manual_seed(0)
    layer = parametrizations.weight_norm(nn.Linear(3, 3).double())
    report = secant.check(layer, numbers(2, 3), order=2)
    assert report.verdict is Verdict.FAIL
    assert "a norm along dimension 1 is missing" in str(report)


@pytest.mark.filterwarnings("ignore:.*weight_norm.*deprecated:FutureWarning")
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize(
    ("normed", "expected"), [("weight_norm", "weight_g"), ("spectral_norm", "weight_orig")]
)
def test_norms_that_are_hooks(normed, expected, training):
    torch.manual_seed(0)
    layer = getattr(nn.utils, normed)(nn.Linear(3, 3).double()).train(training)
    assert expected in passes(layer, numbers(2, 3))
    assert expected in passes(layer, numbers(2, 3).float(), dtype="float64")


def test_a_lazy_module_is_refused_before_its_first_call_and_checked_after_it():
    lazy = nn.LazyLinear(2, dtype=torch.float64)
    with pytest.raises(secant.InputError, match=r"weight has none yet\. Call the module once"):
        secant.check(lazy, numbers(2, 3))
    lazy(numbers(2, 3))
    assert passes(lazy, numbers(2, 3)) == {"input", "weight", "bias"}


def test_batch_norm_and_dropout_in_training():
    network = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.4)).double()
    assert "1.weight" in passes(network, numbers(6, 3))
    assert "1.weight" in passes(network.eval(), numbers(6, 3))


@pytest.mark.parametrize("seed", range(3))
def test_a_linear_layer_in_front_of_a_batch_norm_under_autocast(seed):
    class Cast(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.norm = nn.Linear(4, 4), nn.BatchNorm1d(4)

        def forward(self, x):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                return self.norm(self.linear(x))

    torch.manual_seed(seed)
    assert "linear.bias" in passes(Cast(), torch.randn(8, 4))


def test_second_order_through_a_bias_whose_gradient_is_zero_by_cancellation():
    # what rounding leaves of it is no slope, and no jump either
    torch.manual_seed(1)
    network = nn.Sequential(nn.Linear(4, 5), nn.BatchNorm1d(5), nn.Tanh(), nn.Linear(5, 2))
    assert "0.bias" in passes(network.double(), numbers(6, 4), order=2)


def test_a_state_kept_as_an_attribute_is_held_fixed():
    class Running(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell, self.state, self.seen = nn.GRUCell(3, 3), torch.zeros(2, 3).double(), []

        def forward(self, x):
            self.state = self.cell(x, self.state)
            self.state.data.add_(0.0)
            self.seen.append(x.shape)
            return self.state

    running = Running().double()
    before = running.state
    passes(running, numbers(2, 3))
    assert running.state is before
    assert torch.equal(before, torch.zeros(2, 3).double())
    assert running.seen == []


@pytest.mark.parametrize("kind", [nn.RNN, nn.LSTM, nn.GRU])
def test_packed_sequences(kind):
    packed = pack_sequence([numbers(length, 3) for length in (4, 3, 1)])
    torch.manual_seed(0)
    assert "input.data" in passes(kind(3, 2, num_layers=2, dropout=0.3).double(), packed)


def test_a_module_that_unpacks_what_it_packed():
    class Last(nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn = nn.RNN(3, 2)

        def forward(self, packed, scale=None):
            out, _ = pad_packed_sequence(self.rnn(packed)[0])
            return out if scale is None else out * scale

    packed = pack_sequence([numbers(length, 3) for length in (3, 2)])
    last = Last().double()
    passes(last, packed, kwargs={"scale": None})
    assert "scale" in passes(last, packed, kwargs={"scale": numbers(2)})


@dataclass
class Batch:
    tokens: torch.Tensor
    weight: torch.Tensor | None = None
    label: int = 3


class Nested(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(5, 3)

    def forward(self, batch, mask=None):
        vectors = self.table(batch.tokens)
        if batch.weight is not None:
            vectors = vectors * batch.weight[:, None]
        if mask is not None:
            vectors = vectors.masked_fill(mask[:, None], 0.0)
        return Batch(batch.tokens, vectors), {"norm": vectors.pow(2).sum(), "none": None}


def test_dataclasses_masks_and_integers():
    batch = Batch(torch.tensor([1, 4, 1]), numbers(3))
    mask = torch.tensor([True, False, False])
    nested = Nested().double()
    report = secant.check(nested, batch, kwargs={"mask": mask})
    assert report, str(report)
    assert leaves(report) == {"batch.weight", "table.weight"}
    assert {one.where.partition(" /")[0] for one in report.findings if one.input is not None} == {
        "∂out[0].weight",
        '∂out[1]["norm"]',
    }


def test_the_same_tensor_passed_twice_is_one_leaf():
    attention = nn.MultiheadAttention(4, 2, batch_first=True).double()
    x = numbers(1, 3, 4)
    assert "query" in passes(attention, x, x, x)
    assert "key" not in passes(attention, x, x, x)


@pytest.mark.parametrize("padding", [None, 2])
@pytest.mark.parametrize("mode", ["embedding", "sum", "mean"])
def test_sparse_gradients_with_duplicates_and_a_padding_index(mode, padding):
    index = torch.tensor([[1, 2, 1], [4, 4, 2]])
    if mode == "embedding":
        table = nn.Embedding(6, 3, sparse=True, padding_idx=padding).double()
        passes(table, index, order=2)
    else:
        table = nn.EmbeddingBag(6, 3, sparse=True, mode=mode, padding_idx=padding).double()
    assert passes(table, index) == {"weight"}
    assert passes(table, index, probe="full") == {"weight"}


def test_a_gradient_for_the_padding_row_is_wrong():
    class Learns(nn.Embedding):
        def forward(self, index):
            return self.weight[index]

    learns = Learns(5, 2, padding_idx=1).double()
    report = secant.check(learns, torch.tensor([0, 1, 3]))
    assert report.verdict is Verdict.FAIL
    assert "weight[1" in str(report)


def test_a_tied_embedding_may_learn_its_padding_row_elsewhere():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.head = nn.Embedding(5, 2, padding_idx=1), nn.Linear(2, 5, bias=False)
            self.head.weight = self.table.weight

        def forward(self, index):
            return self.head(self.table(index)).sin()

    assert passes(Model().double(), torch.tensor([0, 1, 3])) == {"table.weight"}


def test_float32_as_it_is_and_as_a_copy_in_float64():
    network = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.2), nn.Tanh(), nn.Linear(4, 2))
    x = numbers(2, 3).float()
    blurred = secant.check(network, x)
    sharp = secant.check(network, x, dtype="float64")
    assert blurred, str(blurred)
    assert sharp, str(sharp)
    assert sharp.resolution < blurred.resolution / 4
    assert {one.dtype for one in network.parameters()} == {torch.float32}


def test_forward_mode_and_every_entry():
    network = nn.Sequential(nn.Linear(3, 4), nn.Tanh()).double()
    passes(network, numbers(2, 3), modes="all")
    passes(network, numbers(2, 3), probe="full")


def test_a_parameter_that_moves_the_output_but_gets_no_gradient_is_named():
    class Cut(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.scale = nn.Linear(3, 2), nn.Parameter(torch.ones(2))

        def forward(self, x):
            return self.body(x) * self.scale.detach()

    report = secant.check(nn.Sequential(nn.Tanh(), Cut()).double(), numbers(2, 3))
    (finding,) = [one for one in report.findings if one.kind == "liveness"]
    assert finding.verdict is Verdict.FAIL
    assert finding.message == "1.scale moves out but gets no gradient"
    assert finding.message in str(report)


def test_a_parameter_that_gets_a_gradient_but_is_not_used_is_named():
    class Ghost(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, unused):
            return x.clone()

        @staticmethod
        def backward(ctx, v):
            return v, v.sum(0)

    class Haunted(nn.Module):
        def __init__(self):
            super().__init__()
            self.unused = nn.Parameter(torch.ones(3))

        def forward(self, x):
            return Ghost.apply(x, self.unused)

    report = secant.check(nn.Sequential(Haunted()).double(), numbers(2, 3))
    assert report.verdict is Verdict.FAIL
    assert "∂0.unused" in str(report)
    assert "not used" in str(report)


def test_modules_without_anything_to_differentiate_are_refused():
    with pytest.raises(secant.InputError, match="nothing to differentiate"):
        secant.check(nn.Identity(), torch.tensor([1, 2]))


def test_a_module_without_inputs():
    class Constant(nn.Module):
        def __init__(self):
            super().__init__()
            self.value = nn.Parameter(numbers(3))

        def forward(self):
            return self.value.exp()

    assert passes(Constant()) == {"value"}


def test_a_scripted_module_is_refused_with_what_to_do():
    with pytest.warns(DeprecationWarning, match=r"torch\.jit"):
        scripted = torch.jit.trace(nn.Linear(3, 2), torch.ones(1, 3))
    with pytest.raises(secant.InputError, match=r"before torch\.jit"):
        secant.check(scripted, torch.ones(1, 3))


def test_the_rerun_command_names_the_module():
    class Doubled(nn.Linear):
        def forward(self, x):
            return super().forward(x) + super().forward(x).detach()

    report = secant.check(Doubled(2, 2), numbers(2, 2).float(), dtype="float64")
    assert report.rerun == 'secant.check(module, x, dtype="float64", probe="full", seed=1729)'


def test_who_checks_a_module_of_parts_is_told_what_takes_it_apart():
    class Bent(nn.Linear):
        def forward(self, x):
            out = super().forward(x)
            return out + 0.5 * (out - out.detach()).sin()

    for module, has_parts in ((nn.Sequential(Bent(3, 3), nn.Tanh()), True), (Bent(3, 3), False)):
        report = secant.check(module.double(), numbers(2, 3))
        assert report.verdict is Verdict.FAIL
        codes = {code for finding in report.findings for code in finding.codes}
        assert ("TAKE_APART" in codes) is has_parts, str(report)
