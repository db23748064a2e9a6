"""Which strategy Lightning is given, and machines that lack the devices."""

from __future__ import annotations

import pytest
import torch

from rowspace.errors import ConfigError
from rowspace.training.ranks import Ranks
from rowspace.training.strategies import Ddp, Place, choose_strategy, refuse_devices, takes_gpu
from tests.parts import model, names, option, refusals


def test_alone_lightning_chooses_and_together_gradients_are_averaged() -> None:
    assert choose_strategy(option("trainer", "default"), Ranks()) == "auto"
    assert isinstance(choose_strategy(option("trainer", "default", devices=2), Ranks(1, 2, port=9)), Ddp)


def test_lightning_is_told_which_rank_this_is() -> None:
    place = Place(Ranks(1, 3, port=4711))
    place.set_world_size(3)
    place.set_global_rank(1)
    assert (place.global_rank(), place.local_rank(), place.world_size(), place.node_rank()) == (1, 1, 3, 0)
    assert place.creates_processes_externally
    assert (place.main_address, place.main_port) == ("127.0.0.1", 4711)


@pytest.mark.parametrize(
    ("there", "devices", "accelerator", "says"),
    [
        (0, 1, "gpu", "1 on trainer.accelerator=gpu was given, and this machine has no GPU; trainer.accelerator=cpu"),
        (0, 2, "gpu", "2 on trainer.accelerator=gpu were given, and this machine has no GPU"),
        (1, 2, "gpu", "2 on .* has 1 GPU; at most 1, or trainer.accelerator=cpu"),
        (1, 2, "auto", "2 on trainer.accelerator=auto were given, and this machine has 1 GPU"),
    ],
)
def test_fewer_gpus_than_asked_for_are_refused(
    monkeypatch: pytest.MonkeyPatch, there: int, devices: int, accelerator: str, says: str
) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: there)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: there > 0)
    with pytest.raises(ConfigError, match=says):
        refuse_devices(option("trainer", "default", devices=devices, accelerator=accelerator))


@pytest.mark.parametrize(("there", "accelerator"), [(0, "auto"), (0, "cpu"), (1, "cpu"), (4, "gpu")])
def test_enough_devices_are_fine(monkeypatch: pytest.MonkeyPatch, there: int, accelerator: str) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: there)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: there > 0)
    chosen = option("trainer", "default", devices=4, accelerator=accelerator)
    refuse_devices(chosen)
    assert takes_gpu(chosen) is (accelerator == "gpu")


@pytest.mark.parametrize("body", names("body"))
@pytest.mark.parametrize("tie", [True, False])
def test_every_parameter_of_a_valid_model_gets_a_gradient(body: str, tie: bool) -> None:
    """Ranks wait for the gradient of each parameter: one that is not used would keep them waiting."""
    ids = torch.randint(0, 40, (2, 8), generator=torch.Generator().manual_seed(0))
    for position in names("position"):
        if refusals(position, body):
            continue
        lm = model(40, body=body, position=position, head=option("head", "linear", tie=tie, bias="zero"))
        lm.loss(lm(ids, None, None, ids if body == "encoder_decoder" else None), ids)[0].backward()
        assert [name for name, parameter in lm.named_parameters() if parameter.grad is None] == [], position
