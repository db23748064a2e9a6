"""Operations and parameters, against torch's own counter, closed forms and numbers worked out by hand.

torch's counter sees what is really multiplied: attention is taken on the math path (its fused kernels are one operation
to it), the loss flat, and hidden pairs of a causal mask are counted, since that path multiplies them.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from rowspace.model.body import Body
from rowspace.model.flops import flops_per_token, parameter_split
from rowspace.model.head import Head
from rowspace.model.language_model import LanguageModel
from rowspace.model.outline import outlines
from rowspace.model.products import count_products
from rowspace.position.scheme import PositionScheme
from tests.parts import ids, model, names, option, pairs, shape

TIED, UNTIED = (option("head", "linear", tie=tie) for tie in (True, False))
PAIRS = pairs()
CONFIGS: dict[str, dict[str, Any]] = {
    "decoder": {},
    "decoder, swiglu, layernorm": {"body": option("body", "decoder", feedforward="swiglu", norm="layernorm")},
    "decoder with biases, alibi": {"body": option("body", "decoder", bias=True), "position": "alibi"},
    "decoder, learned": {"position": "learned"},
    "decoder, t5": {"position": "t5_bias"},
    "encoder": {"body": "encoder"},
    "encoder-decoder": {"body": "encoder_decoder"},
    "no body": {"body": "none", "position": "none"},
    "rnn": {"body": "rnn", "position": "none"},
    "lstm": {"body": "lstm", "position": "sinusoidal"},
}


def schemes(body: str) -> list[str]:
    """Position schemes that may stand beside the body."""
    return [position for position, beside in PAIRS if beside == body]


def counted(lm: LanguageModel, V: int, S: int | None = None) -> int:
    """What torch counts in a forward and a backward pass of two windows, flat logits."""
    tokens = ids(V)
    source = None if S is None else ids(V, T=S)
    # fused recurrent layers of oneDNN are unknown to the counter: without it they are products that it knows
    with (
        FlopCounterMode(display=False) as counter,
        sdpa_kernel(SDPBackend.MATH),
        torch.backends.mkldnn.flags(enabled=False, allow_tf32=None),  # type: ignore[arg-type]
    ):
        logits = lm.logits(lm(tokens, source=source))
        functional.cross_entropy(logits.flatten(0, 1), tokens.flatten()).backward()
    return counter.get_total_flops()


@pytest.mark.parametrize("head", [TIED, UNTIED], ids=["tied", "untied"])
@pytest.mark.parametrize("name", CONFIGS)
def test_operations_and_parameters_are_those_that_torch_counts(name: str, head: Any):
    lm = model(300, head=head, **CONFIGS[name])
    S = 9 if name == "encoder-decoder" else None
    ledger = flops_per_token(lm, count_products(lm, S=S))
    # the first step of a recurrent layer starts from a state of 0, which has no gradient to be multiplied for
    spared = sum(2 * p.numel() for key, p in lm.named_parameters() if "weight_hh" in key) / 12
    assert counted(lm, 300, S) / 24 == pytest.approx(ledger["train_full"] - spared, rel=1e-9)
    assert parameter_split(lm)["total"] == sum(p.numel() for p in lm.parameters())


def test_causal_attention_is_counted_as_the_half_that_is_seen():
    for position in schemes("decoder"):
        found = flops_per_token(model(position=position))
        assert found["attention"] == 2 * 2 * 2 * 16 * 13 / 2  # layers, two products, a multiplication and its sum
        assert found["attention_full"] == 2 * 2 * 2 * 16 * 12
    for position in schemes("encoder"):
        found = flops_per_token(model(position=position, body="encoder"))
        assert found["attention"] == found["attention_full"] == 2 * 2 * 2 * 16 * 12


@pytest.mark.parametrize("body", names("body"))
def test_what_differs_from_six_p_adds_up_and_has_a_reason(body: str):
    for position in schemes(body):
        for head in (TIED, UNTIED, option("head", "linear", tie=False, bias="zero")):
            lm = model(position=position, body=body, head=head)
            found = flops_per_token(lm, count_products(lm, S=9 if body == "encoder_decoder" else None))
            assert found["six_P"] == 6 * sum(p.numel() for p in lm.parameters()) == 3 * found["two_P"]
            difference = sum(value for value, _ in found["because"])
            assert found["six_P"] + difference == pytest.approx(found["train"], rel=1e-12)
            assert found["train"] == 3 * found["forward"]


class OneMatrix(Body):
    """E, one d x d matrix, U: the smallest model in which 6 P can be right."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.map = nn.Linear(d, d, bias=False)

    def forward(self, h, position, positions=None, segments=None, *, source=None, cache=None):
        return [h, self.map(h)]


@pytest.mark.parametrize(("tie", "too_high"), [(True, 1.0), (False, (2 * 5000 * 64 + 64**2) / (5000 * 64 + 64**2))])
def test_six_p_is_right_for_a_tied_model_of_matrices_and_nearly_double_for_an_untied_one(tie: bool, too_high: float):
    V, d = 5000, 64
    made = model(V, model=shape(d=d), body="none", position="none")
    weight = made.embedding.weight if tie else torch.zeros(V, d)
    head = Head(weight=weight, bias=False, logit_scale=1.0)
    lm = LanguageModel(embedding=made.embedding, position=PositionScheme(), body=OneMatrix(d), head=head, n_ctx=12)
    found = flops_per_token(lm)
    assert found["train"] == counted(lm, V) / 24
    assert found["six_P"] / found["train"] == pytest.approx(too_high, rel=1e-12)
    assert round(too_high, 3) == (1.0 if tie else 1.987)
    assert [value for value, _ in found["because"]] == ([] if tie else [-6 * V * d])


@pytest.mark.parametrize(("tie", "count"), [(False, 32768000), (True, 16384000)])
def test_table_and_head_at_32000_by_512(tie: bool, count: int):
    with outlines():
        lm = model(32000, model=shape(d=512), body="none", position="none", head=TIED if tie else UNTIED)
    split = parameter_split(lm)
    assert split["E"] + split["U"] == count


@pytest.mark.parametrize("d", [768, 4096, 8192])
def test_the_table_of_a_large_model_is_arithmetic(d: int):
    with outlines():
        lm = model(200_000, model=shape(d=d))
    split = parameter_split(lm)
    assert split["E"] == 200_000 * d
    assert all(p.is_meta for p in lm.parameters())
    assert split["blocks"] == 2 * 12 * d * d
    assert split["norms"] == 5 * d


@pytest.mark.parametrize("name", [name for name in names("position") if name != "t5_bias"])
def test_only_learned_positions_have_parameters(name: str):
    position = option("position", name, **({"n_max": 1024} if name == "learned" else {}))
    assert parameter_split(model(model=shape(d=512), position=position))["position"] == 524288 * (name == "learned")


def test_counting_reads_no_weight_and_leaves_the_model_alone():
    lm = model().train()
    before, generator = {key: value.clone() for key, value in lm.state_dict().items()}, torch.get_rng_state()
    count_products(lm, windows=1000)
    assert all(torch.equal(value, before[key]) for key, value in lm.state_dict().items())
    assert torch.equal(torch.get_rng_state(), generator)
    assert all(p.grad is None for p in lm.parameters())
