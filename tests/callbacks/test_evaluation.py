"""When a run validates, and which validation is the best."""

from __future__ import annotations

from rowspace.callbacks.evaluation import Validation
from tests.callbacks.standins import Task, Trainer, steps


def test_validation_comes_before_the_first_step_at_its_cadence_and_after_the_last(validation: Validation) -> None:
    trainer = Trainer()
    validation.on_train_start(trainer, Task())  # type: ignore[arg-type]
    steps(trainer, Task(), 7, validation)
    assert [step for step, _ in validation._recorder.got] == [0, 2, 4, 6, 7]  # type: ignore[attr-defined]


def test_the_best_is_the_first_lowest_loss_after_a_step(validation: Validation) -> None:
    trainer, improved = Trainer(), []
    validation.on_train_start(trainer, Task())  # type: ignore[arg-type]
    assert validation.best_step == 0
    for _ in range(7):
        steps(trainer, Task(), 1, validation)
        improved.append(validation.improved)
    assert improved == [False, True, False, False, False, True, False]
    assert (validation.best_step, validation.best) == (6, {"val/loss": 2.0, "val/bpb": None})


def test_a_resumed_validation_knows_its_best_and_does_not_validate_again(validation: Validation) -> None:
    trainer = Trainer()
    trainer.global_step = 4
    validation.load_state_dict({"best": {"val/loss": 1.0}, "best_step": 2})
    validation.on_train_start(trainer, Task())  # type: ignore[arg-type]
    assert validation._recorder.got == []  # type: ignore[attr-defined]
    steps(trainer, Task(), 2, validation)
    assert not validation.improved
    assert validation.state_dict() == {"best": {"val/loss": 1.0}, "best_step": 2}
