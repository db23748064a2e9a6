"""When watchers look, and that looking changes nothing."""

import torch

from rowspace.callbacks.cadence import Watcher, read_tables
from tests.callbacks.watched import TOKENS, Listed, model, train, watched


class Counting(Watcher):
    def look(self, step, tables, model):
        self.recorder.scalars(step, {name: float(table.vectors[0, 0]) for name, table in tables.items()})


def watcher(steps: set[int]) -> Counting:
    return Counting(recorder=Listed(), watched=watched(), steps=frozenset(steps))


def test_a_step_with_several_batches_is_looked_at_once():
    one = watcher({0, 2})
    here = model(tied=True)
    train([one], here, last=2)
    train([one], here, first=2, last=2)
    assert sorted(one.recorder.numbers) == [0, 2]


def test_a_resumed_run_does_not_look_again_at_what_the_checkpoint_knew():
    one = watcher({0, 2, 4})
    here = model(tied=True)
    train([one], here, last=2)
    again = watcher({0, 2, 4})
    again.load_state_dict(one.state_dict())
    train([again], here, first=2, last=4)
    assert sorted(again.recorder.numbers) == [4]


def test_only_the_first_process_looks():
    one = watcher({0, 1})
    train([one], model(tied=True), last=1, rank_zero=False)
    assert one.recorder.numbers == {}


def test_tables_are_float32_copies_and_a_tied_head_is_no_second_table():
    here = model(tied=True)
    here.embedding.weight.data = here.embedding.weight.data.to(torch.bfloat16)
    tables = read_tables(here, watched(), 7)
    assert list(tables) == ["E"]
    assert tables["E"].vectors.dtype.name == "float32"
    assert tables["E"].source == {"table": "E", "step": "7"}
    assert list(tables["E"].tokens) == TOKENS
    tables["E"].vectors[:] = 0
    assert here.embedding.weight.abs().sum() > 0
    assert list(read_tables(model(tied=False), watched(), 0)) == ["E", "U"]
